package desk

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"path"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// resultsKept is how long results of jobs are kept.
const resultsKept = time.Hour

// Why a task is not started. Nothing of it was done.
var (
	errInProgress = refuse(http.StatusConflict, "Another person, or you in another window, just did this. Nothing was sent a second time.")
	errStopping   = &refusal{Status: http.StatusServiceUnavailable, What: "The desk is being stopped. Nothing was sent.", Do: "Try again in a moment."}
)

// task asks the bank and may take as long as the bank's answer, so no request waits for it.
type task struct {
	What     string   // in words, such as "Submit of ₹300.00"
	Verb     string   // of the equivalent command; shown to others who find the ledger in use
	Page     string   // the address of its batch or sheet, which shows the result
	Back     string   // the page to go on with; "" for Page
	Batches  []string // their pages have no forms meanwhile
	Accounts []string // debit accounts, whose OTP pages show it
	// Holds checks that the task is not overtaken, when it is started and nothing else works on its
	// batches. Do checks again. Holds may be nil.
	Holds func() error
	Do    func(ctx context.Context, call app.Call) (*app.Work, error)
}

// job is a task that was started. It is the app.Progress of its use case.
type job struct {
	task
	app.Silence          // for the progress that it does not show, such as counts
	call        app.Call // of the person who asked for it
	jobs        *jobs
	progress    // guarded by jobs.mu
}

// progress is how far a job has come.
type progress struct {
	Asked, Over time.Time // zero if not yet
	says        string    // its current step
	until       time.Time // end of the wait for the bank's answer; zero for no call
	work        *app.Work
	err         error
}

// Running reports whether the job runs or waits for its turn.
func (p *progress) Running() bool { return p.Over.IsZero() }

// jobs are the current tasks and recent results. Each task is a use case of app, which takes them one at a time
// and in their order. They outlive the request that started them, but not the desk: after a restart only the
// ledger shows what a job did.
type jobs struct {
	ctx  context.Context // ends when the desk stops; a current call is completed
	now  func() time.Time
	warn func(words string)

	mu      sync.Mutex
	all     []*job // oldest first
	running sync.WaitGroup
}

// start starts a task. It returns errInProgress, errStopping or the error of Holds.
func (js *jobs) start(t task, call app.Call) error {
	js.mu.Lock()
	defer js.mu.Unlock()
	js.forget()
	ours := make(map[string]bool, len(t.Batches)) // a large sheet has many
	for _, id := range t.Batches {
		ours[id] = true
	}
	if js.current(func(j *job) bool { return slices.ContainsFunc(j.Batches, func(id string) bool { return ours[id] }) }) {
		return errInProgress
	}
	if js.ctx.Err() != nil {
		return errStopping
	}
	if t.Holds != nil {
		if err := t.Holds(); err != nil {
			return err
		}
	}
	j := &job{task: t, call: call, jobs: js, progress: progress{Asked: js.now()}}
	js.all = append(js.all, j)
	js.running.Go(func() { js.run(j) })
	return nil
}

// forget drops old results. js.mu is held.
func (js *jobs) forget() {
	old := js.now().Add(-resultsKept)
	js.all = slices.DeleteFunc(js.all, func(j *job) bool { return !j.Running() && j.Over.Before(old) })
}

func (js *jobs) run(j *job) {
	work, err := js.do(j)
	js.mu.Lock()
	defer js.mu.Unlock()
	j.progress = progress{Asked: j.Asked, Over: js.now(), work: work, err: err}
	j.Do, j.Holds = nil, nil // Do may hold the OTP
}

func (js *jobs) do(j *job) (work *app.Work, err error) {
	defer panicIs(&err)
	call := j.call
	call.Command, call.Progress, call.Job = j.command(), j, true
	return j.Do(js.ctx, call)
}

// panicIs, deferred, turns a panic into an error.
func panicIs(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
	}
}

// command returns the name that the ledger's lock shows. It is unique among the jobs that run.
func (j *job) command() string { return "payrun desk, " + j.Verb + " " + path.Base(j.Page) }

// current reports whether such a task runs or waits. js.mu is held.
func (js *jobs) current(is func(*job) bool) bool {
	return slices.ContainsFunc(js.all, func(j *job) bool { return j.Running() && is(j) })
}

// works reports whether a task for the batch runs or waits.
func (js *jobs) works(batch string) bool {
	js.mu.Lock()
	defer js.mu.Unlock()
	return js.current(func(j *job) bool { return slices.Contains(j.Batches, batch) })
}

// wait waits until no task runs. Each call to the bank has its own deadline, and a task that waits for its turn
// ends once the desk is stopping.
func (js *jobs) wait() { js.running.Wait() }

// last finds the job that was asked for last, with running jobs first.
func (js *jobs) last(is func(*job) bool) (found *job) {
	js.mu.Lock()
	defer js.mu.Unlock()
	js.forget()
	for _, j := range js.all {
		if is(j) && (found == nil || j.Running() || !found.Running()) {
			found = j
		}
	}
	return found
}

// Begin implements app.Progress.
func (j *job) Begin(what, _ string) app.Activity {
	j.say(sentence(what))
	return j
}

// Waits implements app.Activity.
func (j *job) Waits(words string, _ time.Duration) { j.say(sentence(words)) }

// Sending implements app.Progress.
func (j *job) Sending(until time.Time) (over func()) {
	j.set(func() { j.until = until })
	return func() { j.set(func() { j.until = time.Time{} }) }
}

// Step implements app.Progress.
func (j *job) Step(batchID, text string) {
	if batchID != "" {
		text = "batch " + ledger.ShortID(batchID) + ": " + text
	}
	j.say(sentence(text))
}

// Warn implements app.Progress. It warns the person who runs the desk.
func (j *job) Warn(text string) { j.jobs.warn(j.command() + ": " + text) }

func (j *job) say(words string) { j.set(func() { j.says = words }) }

func (j *job) set(change func()) {
	j.jobs.mu.Lock()
	defer j.jobs.mu.Unlock()
	change()
}

// backToOTPs returns the OTP page of a debit account if the form was sent from an OTP page, else "".
func backToOTPs(r *http.Request, account string) string {
	if r.PostFormValue("from") == "/otp" {
		return otpsAt(account)
	}
	return ""
}

// take starts a task and answers with a page that leads to its result, or says why the task was not
// started.
func (d *desk) take(w http.ResponseWriter, r *http.Request, s *session, t task) error {
	if err := d.jobs.start(t, d.decision(r, s, t.Verb)); err != nil {
		return d.decidedOr(w, r, t.Page, err)
	}
	back := cmp.Or(t.Back, t.Page)
	w.Header().Set("Location", t.Page)
	w.Header().Set("Refresh", "1; url="+back)
	return d.show(w, r, s, "taken", view{Status: http.StatusAccepted, Title: t.What, Data: back})
}
