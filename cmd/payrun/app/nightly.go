package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/ping"
	"payrun/ledger"
	"payrun/ledger/reconcile"
	"payrun/reports"
	"payrun/submitter"
	"payrun/validate"
)

// NightlyRequest says how long a night may take, and which exit codes its errors have.
type NightlyRequest struct {
	// Budget is how long it may take; 0 for no limit. Half of it is for the inbox, so that the
	// bank is asked every night.
	Budget time.Duration
	// Exit returns the exit code of an error, 0 for nil, for the watcher and the metrics.
	Exit func(*Error) int
}

// Night is the result of a night.
type Night struct {
	Sheets  []NightSheet  `json:"sheets"`
	Batches []doc.Outcome `json:"batches"` // those that were initiated or polled
	Reports []string      `json:"reports"` // paths
	Left    []string      `json:"left"`    // what did not fit into the budget, in words
	Removed []string      `json:"removed"` // paths older than nightly.keep
	Exit    int           `json:"exit"`
}

// The outcomes of a sheet in a night.
const (
	SheetLoaded   = "loaded"
	SheetPartly   = "loaded_without_rows" // its bad rows were left out
	SheetRepeated = "already_loaded"
	SheetRejected = "rejected"
)

// NightSheet is a file of the inbox, and its outcome.
type NightSheet struct {
	Name     string           `json:"name"`
	Outcome  string           `json:"outcome"`
	ID       string           `json:"id"`             // of the sheet in the ledger; "" if it is not in it
	Accepted ledger.Tally     `json:"accepted"`       // loaded in this night
	Rejected ledger.Tally     `json:"rejected"`       // rows that were left out, or that refused the sheet
	Path     string           `json:"path"`           // where the file is now
	GiveBack string           `json:"give_back"`      // file with the left-out rows, or with the reasons; "" for none
	Kept     *doc.KeptColumns `json:"kept,omitempty"` // who saved the mapping that was used; nil for none
}

// night is one running night.
type night struct {
	*operation
	inbox
	done   *Night
	errs   []error
	silent bool            // the bank gave no answer about any batch
	waited map[string]bool // planned batches for which initiating has reported what they wait for
	report reported
	before string // the audit head before the statements were read; "" if that step was not reached
}

// Nightly does what needs no person: it loads sheets from the inbox, polls, reconciles, and writes the
// reports. It initiates only if payrun.toml says so, and only batches that need no person. The error is
// one line with what a person has to know. It is also nil while the bank still works on payouts.
//
// The watcher at nightly.ping_url is called at the start and at every end, even after a panic. Its
// answers change nothing.
func (a *App) Nightly(ctx context.Context, call Call, req NightlyRequest) (*Night, error) {
	began := a.env.Now()
	call.Unattended = true
	watcher, err := ping.New(a.set.Nightly.PingURL, a.proxy(Call{}))
	if err == nil {
		err = watcher.Began(ctx)
	}
	tellOf := func(err error) {
		if err != nil {
			call.progress().Warn("nightly.ping_url was not reached: " + err.Error())
		}
	}
	tellOf(err)
	const panicked = 134 // the exit code that a shell shows for SIGABRT, with which a panic ends
	done := &Night{[]NightSheet{}, []doc.Outcome{}, []string{}, []string{}, []string{}, panicked}
	defer func() { tellOf(watcher.Ended(ctx, done.Exit)) }()

	figures := metrics{lastNight: lastNight{Began: began}}
	err = a.write(ctx, call, func(o *operation) error {
		n := &night{operation: o, done: done, waited: map[string]bool{}, report: a.lastNight().Reported}
		n.work(ctx, req.Budget)
		figures.Reported = n.report
		now, err := o.status(context.WithoutCancel(ctx))
		if err == nil {
			figures.ledger = &now
		}
		return errors.Join(append(n.errs, err)...)
	})
	if ctx.Err() != nil {
		err = errors.Join(err, context.Cause(ctx))
	}
	said := matters(err)
	figures.Ended, figures.Exit = a.env.Now(), req.Exit(said)
	if failed := a.writeNight(figures); failed != nil {
		said = matters(errors.Join(err, Fail(Failed, "the night's result could not be recorded: %v", failed).Because(failed)))
	}
	if done.Exit = req.Exit(said); said == nil {
		return done, nil
	}
	return done, said
}

// work runs the steps of a night, each within the rest of the budget. It keeps the error of a step and
// continues with the next, unless the ledger itself is at fault.
func (n *night) work(ctx context.Context, budget time.Duration) {
	if err := n.store.Restored(); err != nil {
		n.errs = append(n.errs, err) // sheets loaded into a copy would be missing in the real ledger
		return
	}
	half := ctx
	if budget > 0 {
		var stop, stopHalf context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, budget, errBudget)
		defer stop()
		half, stopHalf = context.WithTimeoutCause(ctx, budget/2, errBudget)
		defer stopHalf()
	}
	goOn := n.did(ctx, n.takeIn(half))
	if server, ok := n.store.(serverStore); ok && goOn { // several machines: each has its own inbox, and one of them does the rest
		if err := server.Only(ctx, "nightly"); err != nil {
			n.did(ctx, fmt.Errorf("only the inbox was worked on: %w", err))
			goOn = false
		}
	}
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"the archive", n.hashArchive},
		{"initiating", n.initiatePlanned},
		{"asking the bank", n.askBank},
		{"the statements", n.readStatements},
		{"the reports", n.writeUp},
		{"removing what is old", n.prune},
	} {
		if !goOn {
			break
		}
		err := step.do(ctx)
		if budgetOver(ctx, err) {
			n.leave(step.name)
			continue
		}
		goOn = n.did(ctx, err)
	}
	if goOn { // save the next sheet the work of indexing payees; if the time is too short, nothing is reported
		if err := n.store.IndexPayees(ctx, validate.FoldName, 0); !budgetOver(ctx, err) {
			n.did(ctx, err)
		}
	}
	if len(n.done.Left) > 0 {
		n.errs = append(n.errs, Fail(BudgetOver, "the budget of %s was over: %s left for the next night", budget, strings.Join(n.done.Left, ", ")))
	}
}

// did keeps the error of a step, and reports whether the next step may run.
func (n *night) did(ctx context.Context, err error) (goOn bool) {
	n.errs = append(n.errs, err)
	return (ctx.Err() == nil || errors.Is(context.Cause(ctx), errBudget)) && !OfTheLedger(err)
}

// errBudget stops what does not fit into the night.
var errBudget = errors.New("the budget of the night is over")

// budgetOver reports whether a step ended because the budget was over.
func budgetOver(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() != nil && errors.Is(context.Cause(ctx), errBudget)
}

// leave notes what did not fit into the budget.
func (n *night) leave(what string) {
	n.done.Left = append(n.done.Left, what)
	n.call.progress().Step("", "left for the next night: "+what)
}

// initiatePlanned initiates every planned batch that needs no person, if payrun.toml allows it. A total or an
// environment to confirm, or a second person's approval, waits for the day.
func (n *night) initiatePlanned(ctx context.Context) error {
	planned, err := n.store.BatchesIn(ctx, ledger.BatchPlanned)
	if err != nil || len(planned) == 0 || !n.set.Nightly.Initiate {
		return err
	}
	if err := n.may(payers...); err != nil {
		return err
	}
	dir := n.set.InFolder(n.set.Nightly.Inbox)
	if why := config.NotOnlyOurs(dir); why != "" && !n.set.Shares(dir) {
		return Fail(NeedsPerson, "nothing was initiated, because the inbox %s %s: anyone who can put a sheet there could have it paid", dir, why)
	}
	if err := n.openBank(ctx); err != nil {
		return err
	}
	if err := n.confirmEnvironment(ctx, "", nil); err != nil {
		return err
	}
	results, err := n.initiate(ctx, nil, InitiateRequest{})
	n.done.Batches = append(n.done.Batches, Outcomes(results)...)
	var held []ledger.Batch
	for _, r := range results {
		n.waited[r.Batch.ID] = r.Outcome == submitter.OutcomeWaiting
		if r.Outcome == submitter.OutcomeHeld {
			held = append(held, r.Batch)
		}
	}
	return errors.Join(err, unanswered("not sent", results), waiting(results), n.unread(ctx, held))
}

// unread says what a person would have read in the review before an initiate, so that they read it before the OTP.
func (n *night) unread(ctx context.Context, held []ledger.Batch) error {
	var review PayeeReview
	if err := n.askPayees(ctx, &review, held); err != nil {
		return err
	}
	said := ledger.ListOf(review.Unusual.First, func(f ledger.Finding) string { return f.Ref + ": " + f.Message })
	for _, same := range review.Repeated.First {
		said = append(said, some(ledger.ListOf(same, func(p ledger.Payout) string { return p.Ref }), 3)+": the same amount to the same account")
	}
	if len(said) == 0 {
		return nil
	}
	return Fail(NeedsPerson, "initiated with warnings that no person has read: %s; if a payout is not to be paid, abandon its batch", ledger.Plain(some(said, 3)))
}

// askBank polls. If no batch could be read, it returns an error that says so.
func (n *night) askBank(ctx context.Context) error {
	if n.client == nil {
		if err := n.openBank(ctx); err != nil {
			return err
		}
	}
	results, err := n.poll(ctx, nil, 0)
	n.done.Batches = append(n.done.Batches, Outcomes(results)...)
	if budgetOver(ctx, err) {
		return err
	}
	silent := notRead(results)
	n.silent = silent != nil
	return errors.Join(err, silent)
}

// readStatements fetches the statements of the days that matter.
func (n *night) readStatements(ctx context.Context) error {
	head, err := n.store.AuditHead(ctx)
	if n.before = head.Hash; err != nil {
		return err
	}
	if n.client == nil || n.silent {
		return nil // the reason was reported already
	}
	return n.fetchStatements(ctx, ReconcileRequest{})
}

// writeUp writes the reports if they have something new. It returns what waits for a person, and
// where statements and payouts differ.
func (n *night) writeUp(ctx context.Context) error {
	whole := context.WithoutCancel(ctx)
	s, waits := n.status(whole)
	if waits == nil {
		waits = errors.Join(n.attentionOf(s, scope{everywhere: true, past: true, compared: true}), n.toBeInitiated(s))
	}
	statements, err := n.match(ctx)
	if err == nil {
		waits = errors.Join(waits, mismatch(statements))
		err = n.writeNews(ctx, statements)
	}
	if budgetOver(ctx, err) {
		n.errs = append(n.errs, waits)
		return err
	}
	return errors.Join(waits, err)
}

// toBeInitiated says what is planned and waits for a person; nil if nothing does.
func (n *night) toBeInitiated(s Status) error {
	by := s.needing()
	loaded := len(ledger.Where(n.done.Sheets, func(s NightSheet) bool { return s.Accepted.Count > 0 }))
	var failures []error
	for _, waits := range []struct {
		kind  ledger.Attention
		words string
	}{{ledger.ToBeInitiated, "waits to be initiated"}, {ledger.ToBeApproved, "waits to be approved and initiated"}} {
		batches := slices.DeleteFunc(by[waits.kind], func(b ledger.Batch) bool { return n.waited[b.ID] })
		if len(batches) == 0 {
			continue
		}
		t := totalOf(batches)
		what := fmt.Sprintf("%s %s: %s (%s)", t.Total.Rupees(), waits.words, ledger.CountedBatches(t.Count), someIDs(batches))
		if loaded > 0 && len(failures) == 0 {
			what = ledger.Counted(loaded, "sheet", "sheets") + " loaded; " + what
		}
		failures = append(failures, Fail(NeedsPerson, "%s", what).About(waits.kind))
	}
	return errors.Join(failures...)
}

// reported is what the newest reports of a night were written from, and what was reported once.
type reported struct {
	Unlike string `json:"unlike,omitempty"` // a digest of the names left in the inbox
	Folder string `json:"folder"`
	Head   string `json:"head"`  // the audit head when the night ended
	Found  string `json:"found"` // a digest of what the statements showed about payouts
}

// writeNews writes the reports if the ledger, or what statements show, changed since the last
// night that did. A statement that was read again without anything new is no change.
func (n *night) writeNews(ctx context.Context, statements *reconcile.Result) error {
	found, err := digestOf(statements)
	if err != nil {
		return err
	}
	_, gone := os.Stat(filepath.Join(n.report.Folder, reports.JSONFile))
	if gone == nil && n.before != "" && n.report.Head == n.before && n.report.Found == found {
		n.step("nothing changed since %s was written", n.report.Folder)
	} else {
		paths, err := n.writeReports(ctx, ReportRequest{Statements: statements})
		if err != nil {
			return err
		}
		n.done.Reports = append(n.done.Reports, paths...)
		n.report.Folder = filepath.Dir(paths[0])
	}
	head, err := n.store.AuditHead(ctx)
	n.report.Head, n.report.Found = head.Hash, found
	return err
}

// digestOf returns a digest of what a report says about the statements.
func digestOf(r *reconcile.Result) (string, error) {
	if r == nil {
		return "", nil
	}
	said := *r
	said.Accounts = slices.Clone(r.Accounts)
	for i := range said.Accounts {
		said.Accounts[i].RequestIDs = nil // they differ for each reading
	}
	text, err := json.Marshal(said)
	return fmt.Sprintf("%x", sha256.Sum256(text)), err
}

// matters combines everything that a person has to know into one error, the gravest first and each
// on a line of its own; nil if there is nothing. Payouts that the bank still works on do not count.
func matters(err error) *Error {
	all := ledger.Where(errorsIn(err), func(e *Error) bool { return e.Code != PayoutsOpen || e.Attention.NeedsPerson() })
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b *Error) int { return cmp.Compare(rank(a.Code), rank(b.Code)) })
	const few = 4
	var others []Hint
	more := 0
	for i, e := range all[1:] {
		if i < few-1 || e.Code == SheetRefused { // only this line reports it
			others = append(others, Say("%s", e.What))
			continue
		}
		more++
	}
	if more > 0 {
		others = append(others, Say("%s", ledger.Counted(more, "more thing", "more things")))
	}
	first := all[0]
	return &Error{Code: first.Code, BankCode: first.BankCode, Attention: first.Attention, What: first.What, Next: others, Cause: err}
}
