package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"payrun/ledger"
	"payrun/submitter"
	"payrun/validate"
)

// RunRequest says what a run does, and how to reach the person who runs it.
type RunRequest struct {
	Sheets  []string // their paths; empty: everything that is planned or held
	Options SheetOptions
	Wait    time.Duration // how long it polls at the end

	// Checked is called with each sheet after it was read, before anything is loaded; may be nil.
	Checked func(s *Sheet)
	// GoOn shows the person what is to be loaded and sent, and asks whether to continue; nil: payrun does
	// not ask. It is called once.
	GoOn GoOn
	// Confirm asks for what Run would otherwise return as *NeedsConfirmation; may be nil.
	Confirm func(ctx context.Context, need *NeedsConfirmation) error
	Prompt  OTPPrompt

	// AllowShort also sends batches whose debit account does not have the money.
	AllowShort bool
	// Funds is called with what the debit accounts hold, before GoOn is called; may be nil.
	Funds func([]AccountFunds)
}

// Run is the result of a run.
type Run struct {
	Sheets  []Sheet
	Results []Result       // the latest result of each batch
	Funds   []AccountFunds // as they were at the start; nil if the bank was not asked
	Reports []string       // paths
	Next    []Hint

	turns otpTurns
}

// Run loads sheets, all or none. Then it initiates, asks for the OTPs and submits, round
// after round. At the end it polls and writes the reports. If a sheet is loaded already,
// from the same bytes read in the same way, Run continues with it. What is left when Run
// ends is in the ledger. r is nil if nothing was read.
func (a *App) Run(ctx context.Context, call Call, req RunRequest) (r *Run, err error) {
	if err := given(req.Sheets...); err != nil {
		return nil, err
	}
	err = a.decide(ctx, call, payers, func(o *operation) error {
		if len(req.Sheets) > 0 {
			if err := o.may(loaders...); err != nil {
				return err
			}
		}
		if err := o.store.Restored(); err != nil {
			return err
		}
		if err := o.confirmEnvironment(ctx, "", req.Confirm); err != nil {
			return err
		}
		if err := o.openBank(ctx); err != nil {
			return err
		}
		r = &Run{}
		defer func() { r.Funds = o.firstFunds }()
		out := &Outgoing{Approval: o.policy.TwoPerson}
		if err := o.checkAll(ctx, r, req, out); err != nil {
			return err
		}
		typed, err := o.agreeToRun(ctx, r, req, out)
		if err != nil {
			return err
		}
		left, err := o.loadTogether(ctx, r.toLoad(), req.Options)
		if err != nil {
			return err
		}
		if err := o.confirmRun(ctx, r, typed); err != nil {
			return err
		}
		engine := o.send(ctx, r, req)
		worked, err := o.batchesOf(ctx, r)
		if err != nil {
			return errors.Join(engine, err)
		}
		work, waits := o.done(ctx, r.Results, scope{named: ids(worked), everywhere: true}, engine)
		if work != nil {
			r.Next = work.Next
		}
		return errors.Join(left, waits)
	})
	return r, err
}

// checkAll reads every sheet of the run and records nothing. If it refuses a sheet, its error
// says so, and no sheet is loaded.
func (o *operation) checkAll(ctx context.Context, r *Run, req RunRequest, out *Outgoing) error {
	if len(req.Sheets) > 0 {
		if err := o.store.IndexPayees(ctx, validate.FoldName, unindexed(req.Sheets...)); err != nil {
			return err
		}
	}
	past := newPendingHistory(o.store)
	var refused refusals
	for i, path := range req.Sheets {
		past.more = i < len(req.Sheets)-1
		s, err := o.checkForRun(ctx, path, req.Options, past, out)
		if err != nil {
			return refused.with(err)
		}
		r.Sheets = append(r.Sheets, s)
		if req.Checked != nil {
			req.Checked(&r.Sheets[i])
		}
		switch {
		case s.GoneOn:
		case s.loadable(req.Options.SkipBad):
			o.addSheet(out, &r.Sheets[i])
		default:
			refused.add(&s, req.Options.SkipBad)
		}
	}
	return refused.with(nil)
}

// checkForRun reads one sheet, and adds its payouts to what is about to be sent.
func (o *operation) checkForRun(ctx context.Context, path string, so SheetOptions, past *pendingHistory, out *Outgoing) (Sheet, error) {
	var read Outgoing
	var rolls *payrolls
	s, err := o.dryRun(ctx, path, so, past, func() keeper {
		read, rolls = *out, newPayrolls("")
		return func(payouts []validate.Accepted) error {
			rolls.addRead(payouts)
			return read.addRead(ctx, past, ledger.ListOf(payouts, func(a validate.Accepted) ledger.Payout { return a.Payout }))
		}
	})
	if err != nil {
		return s, err
	}
	if s.AlreadyLoaded {
		s.GoneOn, err = o.sameReading(ctx, s)
		return s, err
	}
	if err := read.addRead(ctx, past, ledger.ListOf(s.Corrections, func(c ledger.Corrected) ledger.Payout { return c.Is })); err != nil {
		return s, err
	}
	rolls.sheet = s.Sheet.Name
	read.rolls = append(read.rolls, rolls)
	*out = read
	return s, nil
}

// sameReading reports whether a sheet that is loaded already is in the ledger from
// the same bytes, with the same rows read from them.
func (o *operation) sameReading(ctx context.Context, s Sheet) (bool, error) {
	first, err := o.store.SheetBy(ctx, s.Sheet)
	if errors.Is(err, ledger.ErrNotFound) {
		return false, nil // another sheet of the same run
	}
	return err == nil && first.Content == s.Sheet.Content && first.RowsHash == s.Sheet.RowsHash, err
}

// agreeToRun asks a person to agree to what is to be loaded, and to everything of the
// run that is planned or held already. typed is the total that they typed.
func (o *operation) agreeToRun(ctx context.Context, r *Run, req RunRequest, out *Outgoing) (typed ledger.Paise, err error) {
	if err := o.setApart(o.engine.SettleDoubts(ctx)); err != nil || req.GoOn == nil {
		return 0, err
	}
	sent, held, err := o.toSend(ctx, r)
	if err != nil {
		return 0, err
	}
	if err := o.addPlanned(ctx, out, sent); err != nil {
		return 0, err
	}
	out.Held = totalOf(held)
	if len(sent)+len(held)+out.Loads == 0 {
		return 0, nil
	}
	if len(out.Accounts) > 0 && (len(sent) > 0 || !o.policy.TwoPerson) { // else another person has to approve all of it first
		if _, err := o.askFunds(ctx, out.Accounts, req.Funds); err != nil {
			return 0, err
		}
	}
	for _, rolls := range out.rolls {
		found, err := o.sinceOfRead(ctx, rolls)
		if err != nil {
			return 0, err
		}
		out.Since = append(out.Since, found...)
	}
	sent = append(sent, held...)
	for i := range r.Sheets {
		if r.Sheets[i].GoneOn || o.policy.TwoPerson { // a person approves it first
			continue
		}
		for b := range r.Sheets[i].Planned() {
			if b.NeedsApproval {
				continue
			}
			sent = append(sent, ledger.Batch{ID: fmt.Sprintf("%d to be loaded", len(sent)), Total: b.Total})
		}
	}
	return o.agree(ctx, out, sent, req.GoOn)
}

// toSend returns the batches of the run that would be initiated now, and those that are held.
func (o *operation) toSend(ctx context.Context, r *Run) (planned, held []ledger.Batch, err error) {
	if planned, err = o.inState(ctx, r, ledger.BatchPlanned); err != nil {
		return nil, nil, err
	}
	if planned, err = o.engine.MayInitiate(ctx, planned); err != nil {
		return nil, nil, err
	}
	held, err = o.inState(ctx, r, ledger.BatchHeld)
	return planned, held, err
}

// confirmRun compares the total that a person typed with what would be sent from the ledger now.
func (o *operation) confirmRun(ctx context.Context, r *Run, typed ledger.Paise) error {
	planned, held, err := o.toSend(ctx, r)
	if err != nil {
		return err
	}
	return o.total(o.engine.ConfirmTotal(ctx, append(planned, held...), typed, false))
}

// toLoad returns the sheets that are not in the ledger yet.
func (r *Run) toLoad() (sheets []*Sheet) {
	for i := range r.Sheets {
		if !r.Sheets[i].GoneOn {
			sheets = append(sheets, &r.Sheets[i])
		}
	}
	return sheets
}

// send initiates and submits round after round, polls, and writes the reports. If the poll ends a doubt
// that blocked other batches of the debit account, it continues with those.
// It writes the reports even if sending failed.
func (o *operation) send(ctx context.Context, r *Run, req RunRequest) error {
	var err error
	for goOn := true; goOn && err == nil; {
		if err = o.enter(ctx, r, req); err == nil {
			goOn, err = o.pollRun(ctx, r, req.Wait)
		}
	}
	scope := ReportScope{SheetIDs: ledger.ListOf(r.Sheets, func(s Sheet) string { return s.Sheet.ID })}
	var reportErr error
	r.Reports, reportErr = o.writeReports(context.WithoutCancel(ctx), ReportRequest{ReportScope: scope})
	return errors.Join(err, reportErr)
}

// pollRun polls the batches of the run; all open batches if the run names no sheet. goOn reports whether
// the bank has meanwhile shown a batch that was in doubt, and something is left to send.
func (o *operation) pollRun(ctx context.Context, r *Run, wait time.Duration) (goOn bool, err error) {
	var named []string
	if len(r.Sheets) > 0 {
		all, err := o.batchesOf(ctx, r)
		if err != nil {
			return false, err
		}
		named = ids(all)
	}
	before, err := o.store.BatchesIn(ctx, ledger.BatchInitiateUnknown, ledger.BatchSubmitUnknown)
	if err != nil {
		return false, err
	}
	polled, err := o.poll(ctx, named, wait)
	r.note(polled)
	if err != nil {
		return false, err
	}
	for _, b := range before {
		if b, err = o.store.Batch(ctx, b.ID); err != nil {
			return false, err
		}
		goOn = goOn || b.State == ledger.BatchHeld || b.State.Accepted()
	}
	if !goOn {
		return false, nil
	}
	planned, held, err := o.toSend(ctx, r)
	return len(planned)+len(held) > 0, err
}

// enter repeats initiate and submit until a round makes no progress: only one batch of a debit
// account is held at a time.
func (o *operation) enter(ctx context.Context, r *Run, req RunRequest) error {
	var submitted []Result // in the last round
	for {
		if len(submitted) == 0 || slices.ContainsFunc(submitted, func(r Result) bool { return r.Outcome != submitter.OutcomeSubmitted }) {
			clear(o.otherPayees) // a poll, or a submit in doubt, may have locked some
		}
		planned, err := o.inState(ctx, r, ledger.BatchPlanned)
		if err != nil {
			return err
		}
		var initiated []Result
		r.turns.behind = 0
		if len(planned) > 0 {
			initiated, err = o.initiateConfirmed(ctx, ids(planned), req)
			r.note(initiated)
			for _, i := range initiated {
				if i.Attention == ledger.QueuedBehindOTP {
					r.turns.behind++
				}
			}
			if err := o.setApart(err); err != nil {
				return err
			}
		}
		held, err := o.inState(ctx, r, ledger.BatchHeld)
		refused := slices.ContainsFunc(initiated, func(r Result) bool { return r.Outcome == submitter.OutcomeRefused })
		if err != nil || len(held) == 0 && !refused {
			return err
		}
		submitted, err = o.submitEach(ctx, held, req.Prompt, &r.turns)
		r.note(submitted)
		if err := o.setApart(err); err != nil {
			return err
		}
		// A batch that the bank has, by its submit or as shown after a lost answer, makes room for the next.
		if !refused && !slices.ContainsFunc(submitted, func(r Result) bool { return r.Batch.State.Accepted() }) {
			return nil
		}
	}
}

// initiateConfirmed is initiate for a run. It can ask the person again about batches planned since
// they confirmed.
func (o *operation) initiateConfirmed(ctx context.Context, named []string, run RunRequest) ([]Result, error) {
	req := InitiateRequest{AllowShort: run.AllowShort, Funds: run.Funds}
	results, err := o.initiate(ctx, named, req)
	need, ok := errors.AsType[*NeedsConfirmation](err)
	if !ok || run.Confirm == nil {
		return results, err
	}
	if err := run.Confirm(ctx, need); err != nil {
		return results, err
	}
	req.Confirmed = need.Total.Total
	return o.initiate(ctx, named, req)
}

// inState returns the batches of the run in one state.
func (o *operation) inState(ctx context.Context, r *Run, state ledger.BatchState) ([]ledger.Batch, error) {
	if len(r.Sheets) == 0 {
		return o.store.BatchesIn(ctx, state)
	}
	all, err := o.batchesOf(ctx, r)
	return slices.DeleteFunc(all, func(b ledger.Batch) bool { return b.State != state }), err
}

// batchesOf returns the batches of the run: those of its sheets, or those that it worked on.
func (o *operation) batchesOf(ctx context.Context, r *Run) (all []ledger.Batch, err error) {
	if len(r.Sheets) == 0 {
		return o.batches(ctx, acted(r.Results))
	}
	for i := range r.Sheets {
		of, err := o.store.Batches(ctx, ledger.Filter{SheetID: r.Sheets[i].Sheet.ID})
		if err != nil {
			return nil, err
		}
		all = append(all, of...)
		corrected, err := o.correctedBy(ctx, r.Sheets[i].Sheet.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, corrected...)
	}
	return all, nil
}

// note keeps the latest result of each batch.
func (r *Run) note(results []Result) {
	for _, n := range results {
		i := slices.IndexFunc(r.Results, func(known Result) bool { return known.Batch.ID == n.Batch.ID })
		if i < 0 {
			r.Results = append(r.Results, n)
		} else if !tellsLess(n, r.Results[i]) {
			r.Results[i] = n
		}
	}
}

// tellsLess reports whether the batch is in the same state, and the earlier result says why.
func tellsLess(now, before Result) bool {
	return now.Outcome == submitter.OutcomeUnchanged ||
		before.Outcome == submitter.OutcomeNotLooked && now.Batch.State == before.Batch.State && now.Outcome == submitter.OutcomeHeld
}
