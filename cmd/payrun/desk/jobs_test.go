package desk

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
	"payrun/submitter/sandbox"
)

// slow is a task that goes on until it is let end.
func slow(id, account string, begun chan<- string, end <-chan struct{}) task {
	return task{What: "Submit", Verb: "submit", Page: "/batches/" + id, Batches: []string{id}, Accounts: []string{account},
		Do: func(context.Context, app.Call) (*app.Work, error) {
			begun <- id
			<-end
			return &app.Work{}, nil
		}}
}

// inProgress has a task of a debit account in progress until letGo is called.
func (h *house) inProgress(actor, id, account string) (letGo func()) {
	h.Helper()
	begun, end := make(chan string, 1), make(chan struct{})
	fine(h, h.jobs.start(slow(id, account, begun, end), app.Call{Actor: actor}))
	<-begun
	return func() { close(end); h.jobs.wait() }
}

// of returns the last job of a page.
func (js *jobs) of(page string) *job {
	return js.last(func(j *job) bool { return j.Page == page })
}

// While a task works on a batch no other begins; once the desk is stopping none does.
func TestABatchIsInOneTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		js := &jobs{ctx: ctx, now: time.Now}
		begun, end := make(chan string, 9), make(chan struct{})
		for _, id := range []string{"a1", "a2"} {
			fine(t, js.start(slow(id, "a", begun, end), app.Call{Actor: "ravi"}))
		}
		if err := js.start(slow("a2", "a", begun, end), app.Call{Actor: "mina"}); !errors.Is(err, errInProgress) {
			t.Errorf("the same batch twice: %v", err)
		}
		synctest.Wait()
		stop()
		if err := js.start(slow("a3", "a", begun, end), app.Call{Actor: "ravi"}); !errors.Is(err, errStopping) {
			t.Errorf("one more: %v", err)
		}
		close(end)
		js.wait()
		if len(begun) != 2 || js.works("a1") || js.works("a2") || js.of("/batches/a2").err != nil {
			t.Errorf("%d began, busy %v and %v; the second: %v", len(begun), js.works("a1"), js.works("a2"), js.of("/batches/a2").err)
		}
	})
}

// What waits for its turn when the desk stops never begins.
func TestWhatWaitsDoesNotBeginWhenTheDeskStops(t *testing.T) {
	h, b, id := heldFor(t, "pay")
	ctx, stop := context.WithCancel(t.Context())
	h.jobs.ctx = ctx
	otp, _ := h.otp(id)
	fields := append(b.bound("/otp", "/batches/"+id+"/submit"), "otp", otp)
	letGo := h.holds(h.app, app.Call{Actor: "mina", Command: "payrun desk, initiate sh-other"})
	is(t, b.decide("/batches/"+id+"/submit", fields...), 202)
	stop()
	h.jobs.wait()
	letGo()
	is(t, b.get("/batches/"+id), 200, `role="alert"><p><b>Interrupted`)
	h.inState(id, ledger.BatchHeld)
	h.bankSaw(id, 0, 0)
}

func TestResultsAreKeptForAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		js := &jobs{ctx: t.Context(), now: time.Now}
		none := func(context.Context, app.Call) (*app.Work, error) { return nil, nil }
		fine(t, js.start(task{Page: "/batches/1", Do: none}, app.Call{Actor: "ravi"}))
		js.wait()
		if js.of("/batches/1") == nil {
			t.Error("the result is not kept")
		}
		time.Sleep(resultsKept + time.Second)
		if js.of("/batches/1") != nil || len(js.all) > 0 {
			t.Errorf("%d are kept after an hour", len(js.all))
		}
	})
}

// One that panics is over, with a number.
func TestAPanicEndsOneTask(t *testing.T) {
	h, b := withAdmin(t, "INV/1")
	id := h.batch().ID
	_ = h.jobs.start(task{Page: "/batches/" + id, Batches: []string{id}, Verb: "submit", Do: func(context.Context, app.Call) (*app.Work, error) { panic("secret") }}, app.Call{Actor: "boss"})
	h.jobs.wait()
	p := b.get("/batches/" + id)
	is(t, p, 200, "That did not work", "Number <code>")
	isNot(t, p, "secret")
	same(t, "busy", h.jobs.works(id), false)
	h.warnedOf(1)
}

// cronHolds has cron hold the ledger until letGo is called.
func (h *house) cronHolds() (letGo func()) {
	return h.holds(app.New(h.set, h.env), app.Call{Actor: "cron", Command: "payrun poll"})
}

// holds has a use case hold the ledger until letGo is called.
func (h *house) holds(a *app.App, call app.Call) (letGo func()) {
	held, ends, gone := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = a.Submit(h.Context(), call, app.SubmitRequest{OTPs: func() ([]app.OTP, error) {
			close(held)
			<-ends
			return nil, context.Canceled
		}})
	}()
	<-held
	return func() { close(ends); <-gone }
}

// While someone else has the ledger it is said who, and after a while that nothing
// was sent. The page asks again by itself until then.
func TestABusyLedgerIsSaid(t *testing.T) {
	h := build(t, "INV/1")
	b := h.adminWho("pay")
	id := h.batch().ID
	page, sheet, path := "/batches/"+id, "/sheets/"+h.batch().SheetID, "/batches/"+id+"/initiate"
	fields := b.bound(page, path)
	letGo := h.cronHolds()
	ctx, stop := context.WithCancel(t.Context())
	h.jobs.ctx = ctx
	is(t, b.decide(path, fields...), 202)
	p := b.get(page)
	is(t, p, 200, "Initiate of ₹100.00: in progress", "It waits for the ledger: payrun poll by cron, 0 s.")
	same(t, "it asks again after", p.Header.Get("Refresh"), "2")
	isNot(t, p, `action="/batches/`)                     // no forms meanwhile
	is(t, p, 200, `<body data-live="again" data-from="`) // its Refresh is not left to come over what is typed on the next
	is(t, b.get(sheet), 200, "in progress")
	isNot(t, b.get(sheet), `action="/sheets/`)
	stop()
	h.jobs.wait()

	h.jobs.ctx, h.patience = t.Context(), time.Millisecond
	is(t, b.decide(path, fields...), 202)
	h.jobs.wait()
	p = b.get(page)
	is(t, p, 200, "Not sent: the ledger is busy (payrun poll by cron, 0 s).", `<body data-live data-from="`, `data-state="planned"`, path)
	same(t, "it asks again after", p.Header.Get("Refresh"), "")
	letGo()
	h.patience = lockWait
	is(t, b.decide(path, fields...), 202) // it is still as it was shown
	h.jobs.wait()
	h.inState(id, ledger.BatchHeld)
	h.bankHas(1)
}

// batch is the first of the ledger.
func (h *house) batch() ledger.Batch {
	h.Helper()
	return h.batches()[0]
}

// "Not sent" is said only where the ledger was never got. Where an outcome could not
// be recorded the bank was asked, and what it did is not known.
func TestNotSentIsSaidOnlyWhereNothingWasSent(t *testing.T) {
	h := build(t, "INV/1")
	j := &job{task: task{Verb: "submit", Page: "/batches/x"}, jobs: h.jobs}
	if why := h.wrong(j, nil, fmt.Errorf("open: %w", &ledger.LockedError{})); why == nil || !strings.HasPrefix(why.What, "Not sent") {
		t.Errorf("of a ledger in use: %+v", why)
	}
	b := h.batch()
	for _, state := range []ledger.BatchState{ledger.BatchSubmitting, ledger.BatchSubmitUnknown, ledger.BatchInitiating} {
		b.State = state
		r := app.Result{Batch: b, Outcome: "unknown"}
		why := h.wrong(j, []app.Result{r}, fmt.Errorf("the outcome could not be recorded: %w", ledger.ErrLocked))
		if why != nil && (strings.Contains(why.What, "Not sent") || strings.Contains(why.Do, "Nothing was done")) {
			t.Errorf("%s: %+v", state, why)
		}
		if o := outcomeOf(r, h.set); o.Title != "In doubt" || o.Class != "indoubt" || !strings.HasPrefix(o.Words, "Do nothing") {
			t.Errorf("%s: %+v", state, o)
		}
	}
	b.State = ledger.BatchSubmitted
	if o := outcomeOf(app.Result{Batch: b, Outcome: "open"}, h.set); !strings.HasPrefix(o.Title, "Not sent") || o.Class == "paid" {
		t.Errorf("another person submitted it: %+v", o)
	}
}

// What this desk does for one debit account waits for what it does for another, as
// long as that takes: the clock is for other runs. It is said what it waits for.
func TestOneDeskIsNoOtherRun(t *testing.T) {
	h := build(t, "INV/1")
	b := h.adminWho("pay")
	id := h.initiate()
	otp, _ := h.otp(id)
	fields := append(b.bound("/otp", "/batches/"+id+"/submit"), "otp", otp)
	letGo := h.holds(h.app, app.Call{Actor: "mina", Command: "payrun desk, initiate sh-other"})
	h.patience = time.Millisecond
	is(t, b.decide("/batches/"+id+"/submit", fields...), 202)
	is(t, b.get("/batches/"+id), 200, "It waits for the ledger: payrun desk, initiate sh-other by mina, 0 s.")
	letGo()
	h.jobs.wait()
	h.inState(id, ledger.BatchSubmitted)
}

// An OTP waits for what was asked for before, and not for longer than
// it is good for: it is not sent then, which is said, and no try is gone.
func TestAnOTPThatWaitedTooLongIsNotSent(t *testing.T) {
	h, b, id := heldFor(t, "pay")
	otp, _ := h.otp(id)
	enter := func(waits time.Duration) {
		b = h.as("ravi")
		letGo := h.holds(h.app, app.Call{Actor: "mina", Command: "payrun desk, submit other"})
		fields := append(b.bound("/otp/"+id, "/batches/"+id+"/submit"), "otp", otp)
		is(t, b.decide("/batches/"+id+"/submit", fields...), 202)
		is(t, b.get("/otp"), 200, "It waits for the ledger: payrun desk, submit other by mina, 0 s.")
		h.passes(waits)
		letGo()
		h.jobs.wait()
	}
	window := h.set.OTP.Window.Std()
	for _, waits := range []time.Duration{window, window} { // of one that was typed in its window, and of one that was typed later
		enter(waits)
		is(t, b.get("/otp"), 200, "<b>Not sent</b>", "The OTP had to wait for its turn until otp.window (10m0s) had passed", "no try is used up", "●●●", `name="otp"`)
		h.inState(id, ledger.BatchHeld)
		h.bankSaw(id, 0, 0)
	}
	enter(window - time.Second) // late, as the person who typed it saw
	is(t, b.get("/otp"), 200, "<b>Submitted</b>")
	h.bankSaw(id, 1, 0)
}

// Its outcome is the news for as long as the batch is in that state. Once it has moved
// on, how it is now is what the page says, and the result is one quiet line.
func TestAResultIsNoNewsForEver(t *testing.T) {
	h, b, id := heldFor(t, "pay")
	is(t, b.submit(id, "000001"), 202)
	for _, page := range []string{"/otp", "/batches/" + id, "/sheets/" + h.batch().SheetID} {
		is(t, b.get(page), 200, "<b>Wrong OTP: 2 tries left</b>")
	}
	otp, _ := h.otp(id)
	h.at = h.at.Add(time.Minute)
	h.enters(id, otp)
	h.inState(id, ledger.BatchSubmitted)
	for _, page := range []string{"/otp", "/batches/" + id, "/sheets/" + h.batch().SheetID} {
		p := b.get(page)
		is(t, p, 200, "Submit of ₹100.00, ", ": the batch has moved on since.")
		isNot(t, p, "Wrong OTP: 2 tries left")
	}
}

// Of a sheet that was sent whole, the page of a batch says the outcome of that batch.
func TestAResultIsToldWhereItBelongs(t *testing.T) {
	v := jobView{progress: progress{Over: time.Unix(1, 0)}, task: task{Batches: []string{"pr1", "pr2"}}, Wrong: &refusal{What: "Not sent."},
		Results: []app.Result{{Batch: ledger.Batch{ID: "pr1", State: ledger.BatchHeld}}, {Batch: ledger.Batch{ID: "pr2", State: ledger.BatchHeld}}}}
	v.holdAgainst(byID([]ledger.Batch{{ID: "pr2", State: ledger.BatchHeld}}))
	if len(v.Results) != 1 || v.Results[0].Batch.ID != "pr2" || v.MovedOn != 0 || v.Quiet {
		t.Errorf("on the page of the second: %+v", v)
	}
	v.holdAgainst(byID([]ledger.Batch{{ID: "pr2", State: ledger.BatchAbandoned, StateSince: time.Unix(2, 0)}}))
	if len(v.Results) != 0 || v.MovedOn != 1 || !v.Quiet {
		t.Errorf("once it has moved on: %+v", v)
	}
}

// heldUp is the progress of a use case that goes no further than its first payout,
// until it is let go.
type heldUp struct {
	there, letGo chan struct{}
	once         *sync.Once
}

func (u heldUp) Begin(string, string) app.Activity { return u }
func (u heldUp) Sending(time.Time) func()          { return func() {} }
func (u heldUp) Step(string, string)               {}
func (u heldUp) Warn(string)                       {}
func (u heldUp) Waits(string, time.Duration)       {}
func (u heldUp) End()                              {}

func (u heldUp) Add(int) {
	u.once.Do(func() { close(u.there) })
	<-u.letGo
}

// A report that is in the middle of reading the ledger, however long it takes, holds
// up no OTP: neither by the ledger's lock, nor by a turn among the desk's own use
// cases, nor by the transaction in which it reads.
func TestAReportHoldsUpNoSubmit(t *testing.T) {
	h, b, id := heldFor(t, "pay")
	h.patience = time.Millisecond // a person who has to wait for the report reads that
	otp, _ := h.otp(id)
	fields := append(b.bound("/otp", "/batches/"+id+"/submit"), "otp", otp)
	report := heldUp{make(chan struct{}), make(chan struct{}), new(sync.Once)}
	written := make(chan error)
	go func() {
		call := app.Call{Actor: "boss", Command: "payrun desk, report", Progress: report}
		_, err := h.app.Report(t.Context(), call, app.ReportRequest{})
		written <- err
	}()
	<-report.there
	is(t, b.decide("/batches/"+id+"/submit", fields...), 202)
	h.jobs.wait()
	h.inState(id, ledger.BatchSubmitted)
	select {
	case err := <-written:
		t.Errorf("the report was over: %v", err)
	default:
	}
	close(report.letGo)
	fine(t, <-written)
}

// While a submit is on its way, others see that it is in progress, and no doubt.
func TestASlowSubmitIsNoDoubt(t *testing.T) {
	h, id := held(t)
	fine(t, h.bank.SetFaults([]sandbox.Fault{{Op: "submit", Kind: "slow", Seconds: 2}}))
	b := h.adminWho("pay")
	other := h.invite("vera", "view")
	path := "/batches/" + id + "/submit"
	otp, _ := h.otp(id)
	is(t, b.decide(path, append(b.bound("/otp", path), "otp", otp)...), 202)
	for until := time.Now().Add(10 * time.Second); h.state(id) != ledger.BatchSubmitting && time.Now().Before(until); {
		runtime.Gosched()
	}
	h.inState(id, ledger.BatchSubmitting)
	for _, page := range []string{"/", "/batches/" + id, "/sheets/" + h.batch().SheetID, "/payouts?q=inv/1", "/attention"} {
		isNot(t, other.get(page), "In doubt", "in doubt")
	}
	is(t, other.get("/batches/"+id), 200, "In progress")
	h.jobs.wait()
	h.inState(id, ledger.BatchSubmitted)
}

// A person who abandons what someone else has sent meanwhile reads that, and not that there is
// nothing to do: money is on its way.
func TestWhoGivesUpWhatWasSentIsToldSo(t *testing.T) {
	h, b, id := heldFor(t, "pay")
	form := append(b.bound("/batches/"+id, "/batches/"+id+"/abandon"), "reason", "not needed")
	otp, _ := h.otp(id)
	h.enters(id, otp)
	p := b.decide("/batches/"+id+"/abandon", form...)
	is(t, p, 409, "This is no longer what the page showed you. Nothing was done.", "Since then: submit accepted by asha, ", "decide again")
	isNot(t, p, "nothing more to do")
}
