package app

import (
	"context"
	"errors"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// RunRequest is one sheet, and how to reach the person who runs it.
type RunRequest struct {
	Sheet   string // its path
	Options SheetOptions
	Wait    time.Duration // polls so long at the end

	// Loaded shows the sheet before anything of it is sent; may be nil.
	Loaded func(s *Sheet)
	// GoOn asks whether a loaded sheet may be initiated; nil: it may. It is not
	// asked where the total is confirmed, or another person approves, anyway.
	GoOn func(ctx context.Context, s *Sheet) error
	// Confirm asks for what would otherwise come back as *NeedsConfirmation; may be nil.
	// It is asked once for what is initiated and submitted.
	Confirm func(ctx context.Context, need *NeedsConfirmation) error
	Prompt  OTPPrompt
}

// Run is what came of a run.
type Run struct {
	Sheet   Sheet
	Results []Result // the latest of each batch
	Reports []string // paths
	Next    []Hint
}

// Run loads one sheet, and batch after batch initiates, asks for the OTP and
// submits; then it polls and writes the reports. What is not done when it ends
// is in the ledger. The run is nil where nothing was read.
func (a *App) Run(ctx context.Context, call Call, req RunRequest) (r *Run, err error) {
	err = a.write(ctx, call, func(o *operation) error {
		if err := o.maySend(); err != nil {
			return err
		}
		if err := o.askEnvironment(ctx, req.Confirm); err != nil {
			return err
		}
		if err := o.openBank(ctx); err != nil {
			return err
		}
		s, err := o.load(ctx, req.Sheet, req.Options)
		if err != nil {
			return err
		}
		r = &Run{Sheet: s}
		if req.Loaded != nil {
			req.Loaded(&r.Sheet)
		}
		if s.Loaded == nil {
			return s.refusal(req.Options.SkipBad)
		}
		var left error
		if s.Refused() {
			left = s.refusal(req.Options.SkipBad)
		}
		engine := o.send(ctx, r, req)
		work, waits := o.done(ctx, r.Results, concern{named: ids(s.Loaded), everywhere: true}, engine)
		if work != nil {
			r.Next = work.Next
		}
		return errors.Join(left, waits, waiting(r.Results))
	})
	return r, err
}

// send initiates and submits batch after batch, polls, and writes the reports.
// The reports are written also where sending broke off.
func (o *operation) send(ctx context.Context, r *Run, req RunRequest) error {
	total := r.Sheet.ToPay().Total
	above := o.policy.ConfirmAbove
	confirmed := above > 0 && total >= above || o.policy.TwoPerson // the total is confirmed, or nothing goes out before somebody else approves
	if req.GoOn != nil && !confirmed {
		if err := req.GoOn(ctx, &r.Sheet); err != nil {
			return err
		}
	}
	err := o.enter(ctx, r, req)
	if err == nil {
		var polled []Result
		polled, err = o.poll(ctx, ids(r.Sheet.Loaded), req.Wait)
		r.note(polled)
	}
	var reportErr error
	r.Reports, reportErr = o.writeReports(context.WithoutCancel(ctx), ReportRequest{Sheets: []string{r.Sheet.Sheet.ID}})
	return errors.Join(err, reportErr)
}

// enter takes round after round of initiate and submit until a round brings
// nothing on: one batch of a debit account is held at a time.
func (o *operation) enter(ctx context.Context, r *Run, req RunRequest) error {
	for {
		planned, err := o.inState(ctx, r, ledger.BatchPlanned)
		if err != nil || len(planned) == 0 {
			return err
		}
		initiated, err := o.initiateConfirmed(ctx, ids(planned), req.Confirm)
		r.note(initiated)
		if err != nil {
			return err
		}
		held, err := o.inState(ctx, r, ledger.BatchHeld)
		if err != nil {
			return err
		}
		submitted, err := o.submitEach(ctx, held, req.Prompt)
		r.note(submitted)
		if err != nil {
			return err
		}
		if !broughtOn(initiated, submitter.OutcomeRefused) && !broughtOn(submitted, submitter.OutcomeSubmitted) {
			return nil
		}
	}
}

// initiateConfirmed is initiate for a run, whose person can be asked.
func (o *operation) initiateConfirmed(ctx context.Context, named []string, confirm func(context.Context, *NeedsConfirmation) error) ([]Result, error) {
	results, err := o.initiate(ctx, named, 0)
	need, ok := errors.AsType[*NeedsConfirmation](err)
	if !ok || confirm == nil {
		return results, err
	}
	if err := confirm(ctx, need); err != nil {
		return results, err
	}
	return o.initiate(ctx, named, need.Total.Total)
}

func broughtOn(results []Result, outcome string) bool {
	for _, r := range results {
		if r.Outcome == outcome {
			return true
		}
	}
	return false
}

// inState returns the sheet's batches that are in the state.
func (o *operation) inState(ctx context.Context, r *Run, state ledger.BatchState) ([]ledger.Batch, error) {
	var out []ledger.Batch
	for _, l := range r.Sheet.Loaded { // a batch of corrected payouts is of their own sheet
		b, err := o.store.Batch(ctx, l.ID)
		if err != nil {
			return nil, err
		}
		if b.State == state {
			out = append(out, b)
		}
	}
	return out, nil
}

// note keeps the latest result of each batch.
func (r *Run) note(results []Result) {
	for _, n := range results {
		known := false
		for i := range r.Results {
			if r.Results[i].Batch.ID == n.Batch.ID {
				known = true
				if !tellsLess(n, r.Results[i]) {
					r.Results[i] = n
				}
			}
		}
		if !known {
			r.Results = append(r.Results, n)
		}
	}
}

// tellsLess: the batch is where it was, and what was said of it before says why.
func tellsLess(now, before Result) bool {
	return now.Outcome == submitter.OutcomeUnchanged ||
		before.Outcome == submitter.OutcomeNotLooked && now.Batch.State == before.Batch.State && now.Outcome == submitter.OutcomeHeld
}
