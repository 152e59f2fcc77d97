package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
	"payrun/ledger/sqlite"
	"payrun/ledger/sqlite/sqlitetest"
	"payrun/submitter"
	"payrun/submitter/sandbox"
)

// now is when these tests play.
var now = time.Date(2025, 11, 3, 9, 30, 0, 0, time.UTC)

// desk is a bank, and one App that everybody here works with.
type desk struct {
	*App
	t     testing.TB
	dir   string
	bank  *sandbox.Server
	later time.Duration // than now
}

// newDesk makes a ledger and an App. policy is what is in payrun.toml, and
// what is to stand there, in turn.
func newDesk(t testing.TB, policy ...string) *desk {
	t.Helper()
	d := &desk{t: t}
	clock := func() time.Time { return now.Add(d.later) }
	bank, err := sandbox.Start(t.Context(), sandbox.Options{Seed: 1, Now: clock})
	must(t, err)
	t.Cleanup(func() { _ = bank.Close() })
	d.dir, d.bank = sqlitetest.Folder(t), bank
	text := config.Rehearsal(bank.Ready().Addr)
	for i := 0; i < len(policy); i += 2 {
		if !strings.Contains(text, policy[i]) {
			t.Fatalf("payrun.toml does not have %s", policy[i])
		}
		text = strings.Replace(text, policy[i], policy[i+1], 1)
	}
	d.open(text, "", "", clock, true)
	return d
}

// open makes the App of a payrun.toml. ledger and state are the URL of the ledger and the
// folder of the machine's state, "" for a file and none.
func (d *desk) open(toml, ledger, state string, clock func() time.Time, inits bool) {
	d.t.Helper()
	path := filepath.Join(d.dir, config.Name)
	must(d.t, os.WriteFile(path, []byte(toml), 0o600))
	vars := map[string]string{"PAYRUN_ACCESS_KEY": d.bank.Ready().AccessKey, "PAYRUN_SECRET_KEY": d.bank.Ready().SecretKey, "XDG_STATE_HOME": state}
	env := Env{Now: clock, Getenv: func(name string) string { return vars[name] }}
	from := config.Sources{Config: path, Ledger: ledger, Getenv: env.Getenv, Amount: ParseAmount, Column: ColumnOf}
	if inits {
		_, err := Init(d.t.Context(), from, env, false)
		must(d.t, err)
	}
	set, err := config.Load(from)
	must(d.t, err)
	d.App = New(set, env)
}

// load loads a sheet of one payout for each reference, at debit account pb3
// and partner bank 4 in turn, and returns its batches.
func (d *desk) load(actor string, refs ...string) []string {
	d.t.Helper()
	text := sheetOf()
	for i, ref := range refs {
		text += ref + ",Asha Traders,123456789012,HDFC0001234,100.00," + []string{"pb3", "pb4"}[i%2] + "\n"
	}
	path := filepath.Join(d.dir, refs[0]+".csv")
	must(d.t, os.WriteFile(path, []byte(text), 0o600))
	loaded, err := d.Load(d.t.Context(), Call{Actor: actor}, []string{path}, SheetOptions{})
	must(d.t, err)
	return ids(loaded.Sheets[0].Loaded)
}

func (d *desk) state(id string) ledger.BatchState {
	d.t.Helper()
	s, err := d.Status(d.t.Context(), Call{})
	must(d.t, err)
	for _, b := range s.Batches {
		if b.ID == id {
			return b.State
		}
	}
	d.t.Fatalf("there is no batch %s", id)
	return ""
}

// otp is what the bank sent for the batch.
func (d *desk) otp(id string) OTP {
	d.t.Helper()
	otp, token, ok := d.bank.OTP(id)
	if !ok {
		d.t.Fatalf("the bank does not know %s", id)
	}
	return OTP{BatchID: id, OTP: ledger.NewSecret(otp), Token: ledger.NewSecret(token)}
}

func codeOf(err error) Code {
	if e := Worst(err); e != nil {
		return e.Code
	}
	return ""
}

func wantCode(t *testing.T, doing string, err error, want Code) {
	t.Helper()
	if got := codeOf(err); got != want {
		t.Fatalf("%s: %q (%v), want %q", doing, got, err, want)
	}
}

// Nothing that was reviewed is not everything that is planned.
func TestNothingReviewedIsNothingInitiated(t *testing.T) {
	d := newDesk(t)
	batch := d.load("asha", "INV-1")[0]
	_, err := d.Initiate(t.Context(), Call{Actor: "asha"}, InitiateRequest{ReviewedBatches: &ReviewedBatches{}})
	wantCode(t, "initiate nothing", err, Usage)
	if got := d.state(batch); got != ledger.BatchPlanned {
		t.Errorf("the batch is %s", got)
	}
}

// A person who typed the total of two batches approves both or none: one that is held
// already is not passed over.
func TestWithATypedTotalAllAreApprovedOrNone(t *testing.T) {
	d, ctx := newDesk(t, "two_person    = false", "two_person    = true"), t.Context()
	asha, ravi := Call{Actor: "asha"}, Call{Actor: "ravi"}
	both := d.load("asha", "INV-1", "INV-2")
	approve := func(typed *ledger.Paise, batches ...string) error {
		var req ApproveRequest
		for _, id := range batches {
			b, err := d.Bound(ctx, ravi, id)
			must(t, err)
			req.ReviewedBatches.Batches = append(req.ReviewedBatches.Batches, b)
		}
		req.Typed = typed
		_, err := d.Approve(ctx, ravi, req)
		return err
	}
	must(t, approve(nil, both[0]))
	_, err := d.Initiate(ctx, asha, InitiateRequest{Batches: both[:1]})
	wantCode(t, "initiate", err, NeedsPerson)
	total := ledger.Paise(200_00)
	if err := approve(&total, both...); !errors.Is(err, ledger.ErrStale) {
		t.Errorf("both of which one is %s: %v", d.state(both[0]), err)
	}
	if p, err := d.Planned(ctx, ravi, ledger.Filter{BatchID: both[1]}); err != nil || p.Agreed {
		t.Errorf("the other is approved: %v", err)
	}
}

// One App serves several people: each use case is in the name of its own.
func TestTwoPeopleAtOneApp(t *testing.T) {
	d, ctx := newDesk(t, "two_person    = false", "two_person    = true"), t.Context()
	asha, ravi := Call{Actor: "asha"}, Call{Actor: "ravi"}
	batch := d.load("asha", "INV-1")[0]

	if p, err := d.Planned(ctx, ravi, ledger.Filter{BatchID: batch}); err != nil || !p.TwoPerson || p.Agreed {
		t.Errorf("what a page shows before anybody approved: %+v, %v", p, err)
	}
	_, err := d.Initiate(ctx, asha, InitiateRequest{All: true})
	wantCode(t, "initiate before anybody approved", err, NeedsPerson)
	own, err := d.Bound(ctx, asha, batch)
	must(t, err)
	_, err = d.Approve(ctx, asha, ApproveRequest{ReviewedBatches{Batches: []ledger.Bound{own}}, nil})
	wantCode(t, "approve one's own", err, NeedsPerson)
	shown, err := d.ToApprove(ctx, ravi, []string{batch}, "")
	if err != nil || len(shown.Bound) != 1 {
		t.Fatalf("%+v, %v", shown, err)
	}
	other := shown.Bound[0]
	other.Payload = strings.Repeat("0", 64)
	if _, err = d.Approve(ctx, ravi, ApproveRequest{ReviewedBatches: ReviewedBatches{Batches: []ledger.Bound{other}}}); !errors.Is(err, ledger.ErrStale) {
		t.Errorf("approve what was shown before it changed: %v", err)
	}
	_, err = d.Approve(ctx, ravi, ApproveRequest{ReviewedBatches: ReviewedBatches{Batches: shown.Bound}})
	must(t, err)
	_, err = d.Initiate(ctx, asha, InitiateRequest{Batches: []string{batch}})
	wantCode(t, "initiate what was approved", err, NeedsPerson)
	if got := d.state(batch); got != ledger.BatchHeld {
		t.Fatalf("the batch is %s", got)
	}
	by := map[string]string{}
	err = d.Log(ctx, Call{}, func(e ledger.Event) error {
		by[e.Kind] = e.Actor
		return nil
	})
	if err != nil || by["sheet_loaded"] != "asha" || by["approved"] != "ravi" || by["initiate_accepted"] != "asha" {
		t.Errorf("recorded: %v, %v", by, err)
	}
}

// The ledger is held for the length of a use case and no longer, whether it
// went well or not; views go on meanwhile.
func TestTheLedgerIsHeldForOneUseCase(t *testing.T) {
	d, ctx := newDesk(t), t.Context()
	free := func(after string) {
		t.Helper()
		store, err := sqlite.OpenExclusive(ctx, d.set.LedgerPath, ledger.Claim{})
		if err != nil {
			t.Fatalf("after %s the ledger is held: %v", after, err)
		}
		must(t, store.Close())
	}
	batch := d.load("asha", "INV-1")[0]
	free("a load")
	_, err := d.Initiate(ctx, Call{Actor: "asha"}, InitiateRequest{Batches: []string{"nope"}})
	wantCode(t, "initiate what is not there", err, Usage)
	free("a use case that failed")
	_, err = d.Initiate(ctx, Call{Actor: "asha"}, InitiateRequest{All: true})
	wantCode(t, "initiate", err, NeedsPerson)

	asked := false
	_, err = d.Submit(ctx, Call{Actor: "asha", Command: "payrun submit"}, SubmitRequest{Prompt: entering(func(ctx context.Context, a Asked) (OTP, error) {
		b := a.Batch
		asked = true
		_, err := d.Poll(ctx, Call{Actor: "ravi"}, PollRequest{})
		wantCode(t, "poll while an OTP is asked for", err, LedgerLocked)
		if !strings.Contains(err.Error(), "payrun submit by asha") {
			t.Errorf("who holds the ledger is not said: %v", err)
		}
		if got := d.state(b.ID); got != ledger.BatchHeld {
			t.Errorf("seen meanwhile: %s", got)
		}
		return d.otp(b.ID), nil
	})})
	wantCode(t, "submit", err, PayoutsOpen)
	if !asked || d.state(batch) != ledger.BatchSubmitted {
		t.Errorf("asked %t, the batch is %s", asked, d.state(batch))
	}
	free("a submit")
}

// What the policy wants confirmed comes back as data, with nothing sent; the
// same use case with the confirmation goes on. Nothing of it is remembered for
// the next.
func TestATotalIsConfirmedByTheNextCall(t *testing.T) {
	d, ctx, asha := newDesk(t, `confirm_above = ""`, `confirm_above = "150.00"`), t.Context(), Call{Actor: "asha"}
	first := d.load("asha", "INV-1", "INV-2")
	for _, confirmed := range []ledger.Paise{0, 150_00} {
		_, err := d.Initiate(ctx, asha, InitiateRequest{Batches: first, Confirmed: confirmed})
		need, ok := errors.AsType[*NeedsConfirmation](err)
		if !ok || need.Total != (ledger.Tally{Count: 2, Total: 200_00}) || need.Above != 150_00 {
			t.Fatalf("with %s confirmed: %v", confirmed, err)
		}
		wantCode(t, "unconfirmed", err, NeedsPerson)
		if n := len(d.bank.State().Batches); n != 0 {
			t.Fatalf("%d batches were sent", n)
		}
	}
	_, err := d.Initiate(ctx, asha, InitiateRequest{Batches: first, Confirmed: 200_00})
	wantCode(t, "confirmed", err, NeedsPerson)
	if d.state(first[0]) != ledger.BatchHeld || d.state(first[1]) != ledger.BatchHeld {
		t.Errorf("%s and %s", d.state(first[0]), d.state(first[1]))
	}
	second := d.load("asha", "INV-3")
	_, err = d.Initiate(ctx, asha, InitiateRequest{Batches: second}) // below the line by itself
	if need, ok := errors.AsType[*NeedsConfirmation](err); !ok || need.Total != (ledger.Tally{Count: 3, Total: 300_00}) || need.Submit {
		t.Errorf("what is held does not count: %v", err)
	}
	nobody := entering(func(context.Context, Asked) (OTP, error) { return OTP{}, ErrSkipped })
	_, err = d.Submit(ctx, asha, SubmitRequest{Batches: first[:1], Prompt: nobody})
	if need, ok := errors.AsType[*NeedsConfirmation](err); !ok || need.Total != (ledger.Tally{Count: 2, Total: 200_00}) || !need.Submit {
		t.Errorf("submitted without the total: %v", err)
	}
	_, err = d.Submit(ctx, asha, SubmitRequest{Prompt: nobody, Confirmed: 200_00})
	if _, ok := errors.AsType[*NeedsConfirmation](err); ok {
		t.Errorf("confirmed, and asked again: %v", err)
	}
}

// A person hears what the bank said of an OTP before the next is entered; an
// empty entry leaves the batch held.
func TestAnOTPIsEnteredUntilTheBankTakesIt(t *testing.T) {
	d, ctx, asha := newDesk(t), t.Context(), Call{Actor: "asha"}
	batch := d.load("asha", "INV-1")[0]
	_, err := d.Initiate(ctx, asha, InitiateRequest{All: true})
	wantCode(t, "initiate", err, NeedsPerson)

	work, err := d.Submit(ctx, asha, SubmitRequest{Prompt: entering(func(context.Context, Asked) (OTP, error) { return OTP{}, ErrSkipped })})
	wantCode(t, "skipped", err, NeedsPerson)
	if len(work.Results) != 1 || d.state(batch) != ledger.BatchHeld {
		t.Fatalf("%+v, the batch is %s", work, d.state(batch))
	}
	_, err = d.Submit(ctx, asha, SubmitRequest{})
	wantCode(t, "nobody can be asked", err, NeedsPerson)

	var heard []string
	_, err = d.Submit(ctx, asha, SubmitRequest{Prompt: entering(func(_ context.Context, a Asked) (OTP, error) {
		if heard = append(heard, a.Before); len(heard) == 1 {
			return OTP{BatchID: a.Batch.ID, OTP: ledger.NewSecret("000000x")}, nil
		}
		return d.otp(a.Batch.ID), nil
	})})
	wantCode(t, "submit", err, PayoutsOpen)
	if len(heard) != 2 || heard[0] != "" || heard[1] == "" {
		t.Errorf("heard %q", heard)
	}
}

// Giving up a batch that may have been submitted is someone's word.
func TestGivingUpADoubtNeedsAWord(t *testing.T) {
	d, ctx, asha := newDesk(t), t.Context(), Call{Actor: "asha"}
	batch := d.load("asha", "INV-1")[0]
	_, err := d.Initiate(ctx, asha, InitiateRequest{All: true})
	wantCode(t, "initiate", err, NeedsPerson)
	must(t, d.bank.SetFaults([]sandbox.Fault{{Op: "submit", Nth: []int{1}, Kind: "drop_before"}}))
	_, err = d.Submit(ctx, asha, SubmitRequest{OTPs: func() ([]OTP, error) { return []OTP{d.otp(batch)}, nil }})
	wantCode(t, "submit without an answer", err, OutcomeUnknown)

	req := ResolveRequest{What: batch, ReleaseRequest: ledger.ReleaseRequest{As: ledger.ReleaseNotPaid, Reason: "the bank says so"}}
	_, err = d.Resolve(ctx, asha, req)
	wantCode(t, "without the bank's written confirmation", err, Usage)
	req.Ticket = "mail 4711"
	_, err = d.Resolve(ctx, asha, req)
	wantCode(t, "too early", err, OutcomeUnknown)
	d.later = 49 * time.Hour
	work, err := d.Resolve(ctx, asha, req)
	need, ok := errors.AsType[*NeedsConfirmation](err)
	if !ok || need.Decide == nil || need.Decide.BatchID != batch || work != nil {
		t.Fatalf("%v, %v", work, err)
	}
	wantCode(t, "without what is typed", err, NeedsPerson)
	req.Typed = &Typed{Total: need.Decide.Total, Tail: "aaaaaa", Shown: need.Decide.Evidence.Digest()}
	_, err = d.Resolve(ctx, asha, req)
	wantCode(t, "another batch's end", err, Cancelled)
	req.Typed.Tail = strings.ToUpper(batch[len(batch)-6:])
	req.Typed.Total++
	_, err = d.Resolve(ctx, asha, req)
	wantCode(t, "another total", err, Cancelled)
	req.Typed.Total--
	req.Typed.Shown = "another"
	_, err = d.Resolve(ctx, asha, req)
	wantCode(t, "other evidence", err, OutcomeUnknown)
	if got := d.state(batch); got != ledger.BatchSubmitUnknown {
		t.Errorf("the batch is %s", got)
	}
}

// What is not there is named, and where to look; no room's prefix is before it.
func TestWhatIsNotThereIsNamed(t *testing.T) {
	d, ctx, asha := newDesk(t), t.Context(), Call{Actor: "asha"}
	for name, do := range map[string]func() error{
		"batch": func() error { _, err := d.Poll(ctx, asha, PollRequest{Batches: []string{"nope"}}); return err },
		"sheet": func() error {
			_, err := d.Report(ctx, asha, ReportRequest{ReportScope: ReportScope{SheetIDs: []string{"nope"}}})
			return err
		},
		"retry": func() error { _, err := d.Retry(ctx, asha, RetryRequest{Of: "nope"}); return err },
		"code":  func() error { _, err := Explain("nope"); return err },
	} {
		e := Worst(do())
		if e == nil || e.Code != Usage || !strings.HasPrefix(e.What, "there is no ") || !strings.Contains(e.What, `"nope"`) || len(e.Next) == 0 {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// While an initiate has no answer, no other batch of its debit account is offered to be initiated.
func TestNoOTPIsOfferedBehindALostInitiate(t *testing.T) {
	d, ctx, asha := newDesk(t), t.Context(), Call{Actor: "asha", Job: true}
	first := d.load("asha", "INV-1")
	d.load("asha", "INV-2")
	must(t, d.bank.SetFaults([]sandbox.Fault{{Op: "initiate", Kind: "drop_before"}, {Op: "status", Kind: "500_before"}}))
	offered := func() int {
		list, err := d.OTPs(ctx, asha)
		must(t, err)
		return len(list.Next)
	}
	if n := offered(); n != 1 {
		t.Errorf("%d offered before", n)
	}
	_, err := d.Initiate(ctx, asha, InitiateRequest{Batches: first})
	if got := d.state(first[0]); got != ledger.BatchInitiateUnknown || offered() != 0 {
		t.Errorf("%s (%v): %d offered", got, err, offered())
	}
}

// entering is an OTPPrompt that tells nobody anything.
type entering func(context.Context, Asked) (OTP, error)

func (e entering) Enter(ctx context.Context, asked Asked) (OTP, error) { return e(ctx, asked) }
func (entering) Ended(Result)                                          {}
func (entering) Close() error                                          { return nil }

func TestHowFarAPollIsInWords(t *testing.T) {
	got := howFar(map[ledger.PayoutState]ledger.Tally{
		ledger.PayoutSuccess: {Count: 1_00_316, Total: 1_21_00_000_50}, ledger.PayoutFailed: {Count: 2, Total: 5}, ledger.PayoutPending: {Count: 45, Total: 9},
	})
	if want := "1,00,318/1,00,363 final · ₹1,21,00,000.50 paid · 2 failed"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// addedElsewhere is a ledger to which another machine adds a held batch, after the total was
// confirmed and before the intent of a submit.
type addedElsewhere struct{ store }

func (s addedElsewhere) Apply(ctx context.Context, step ledger.Step) error {
	if step.Event == ledger.SubmitIntended {
		return ledger.ErrUnconfirmed
	}
	return s.store.Apply(ctx, step)
}

// What another machine added to the total since a person confirmed it is confirmed again,
// before an initiate and before a submit, with OTPs from a person or a file.
func TestATotalThatGrewIsConfirmedAgain(t *testing.T) {
	d, ctx, asha := newDesk(t, `confirm_above = ""`, `confirm_above = "150.00"`), t.Context(), Call{Actor: "asha"}
	named := d.load("asha", "INV-1", "INV-2")
	_, err := d.Initiate(ctx, asha, InitiateRequest{Batches: named, Confirmed: 200_00})
	wantCode(t, "initiate", err, NeedsPerson)
	for how, submits := range map[string]func(*operation, []ledger.Batch) error{
		"entered": func(o *operation, held []ledger.Batch) error {
			must(t, o.openBank(ctx))
			must(t, o.engine.ConfirmTotal(ctx, held, 200_00, true))
			_, err := o.submitEach(ctx, held[:1], entering(func(context.Context, Asked) (OTP, error) { return d.otp(named[0]), nil }), &otpTurns{})
			return err
		},
		"from a file": func(o *operation, _ []ledger.Batch) error {
			_, err := o.submitThese(ctx, SubmitRequest{Confirmed: 200_00, OTPs: func() ([]OTP, error) { return []OTP{d.otp(named[0]), d.otp(named[1])}, nil }})
			return err
		},
	} {
		err := d.write(ctx, asha, func(o *operation) error {
			held, err := o.held(ctx, named)
			must(t, err)
			o.store = addedElsewhere{o.store}
			return submits(o, held)
		})
		if need, ok := errors.AsType[*NeedsConfirmation](err); !ok || !need.Submit || need.Above != 150_00 {
			t.Errorf("%s: %v", how, err)
		}
		wantCode(t, how, err, NeedsPerson)
	}
	// Once a batch went out, the rest waits for the next submit: no one is asked in between.
	must(t, d.write(ctx, asha, func(o *operation) error {
		need := &submitter.NeedsConfirmation{Total: ledger.Tally{Count: 2, Total: 200_00}, Submit: true}
		err := o.grown([]Result{{}}, need)
		wantCode(t, "after another", err, NeedsPerson)
		if _, again := errors.AsType[*NeedsConfirmation](err); again || !strings.Contains(err.Error(), "nothing more was sent") {
			t.Errorf("%v", err)
		}
		return nil
	}))
}
