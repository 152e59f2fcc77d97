package submitter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"payrun/ledger"
)

// ErrNoStatement: the interface gives no statement of an account.
var ErrNoStatement = errors.New("no statement is to be had")

// Resolving is one person's part of a release: of a batch, or of one attempt.
type Resolving struct {
	Batch                 string
	ledger.ReleaseRequest // what the person says; the engine fetches the rest
}

// Decide gets the evidence that both people of a release see, and the first person's decision if there is one.
type Decide func(evidence ledger.ReleaseEvidence, first *ledger.ReleaseApproval) error

// Resolve records one person's part of a release, with evidence that it fetches. If every rule holds, it calls
// decide; an error of decide ends it. The second person's part is carried out (safety.md, "Release"). If a rule
// does not hold, it records no release and returns ErrRefused with a *ledger.Refusal.
func (e *Engine) Resolve(ctx context.Context, req Resolving, decide Decide) (Result, error) {
	r, err := e.fetched(ctx, req)
	if err != nil {
		return Result{}, err
	}
	k, err := e.store.BatchRecord(ctx, req.Batch)
	if err != nil {
		return Result{}, err
	}
	b := k.Batch
	evidence, first, err := k.Release(r, e.set.Actor, e.set.Now())
	if err == nil {
		if err := decide(evidence, first); err != nil {
			return Result{}, err
		}
		err = e.apply(ctx, ledger.Step{BatchID: b.ID, From: b.State, At: e.set.Now(), Release: &r})
	}
	if why, ok := errors.AsType[*ledger.Refusal](err); ok {
		return Result{Batch: b, Outcome: OutcomeUnchanged, Message: why.Why}, fmt.Errorf("%w: batch %s: %w", ErrRefused, b.ID, why)
	}
	if err != nil {
		return Result{Batch: b}, fmt.Errorf("batch %s: recording the release: %w", b.ID, err)
	}
	if err := e.settleReleased(ctx, b.ID); err != nil {
		return Result{}, err
	}
	return e.released(ctx, b.ID)
}

// fetched asks the bank for the batch's status and for the statement of its debit account, and records both
// like any other read.
func (e *Engine) fetched(ctx context.Context, req Resolving) (r ledger.ReleaseRequest, err error) {
	b, err := e.store.Batch(ctx, req.Batch)
	if err != nil {
		return r, fmt.Errorf("batch %s: %w", req.Batch, err)
	}
	r = req.ReleaseRequest
	r.Waits = ledger.Waits{Wait: e.set.ResolveWait, Between: e.set.ResolveBetween}
	if r.Check, err = e.checkToRelease(ctx, b); err != nil {
		return r, err
	}
	k, err := e.store.BatchRecord(ctx, b.ID)
	if err != nil {
		return r, err
	}
	since := k.ReleasedSince().AddDate(0, 0, -1)
	if r.Statement, err = e.readStatement(ctx, b.BankAccountID, since); err != nil {
		return r, err
	}
	r.Account, err = e.store.AccountEvidence(ctx, b.BankAccountID, ledger.BankDay(since), ledger.BankDay(e.set.Now()))
	return r, err
}

// checkToRelease asks the bank for the batch's status and records what it shows. An answer about another debit
// account or batch counts as no answer.
func (e *Engine) checkToRelease(ctx context.Context, b ledger.Batch) (ledger.StatusCheck, error) {
	attempts, s, err := e.look(ctx, b.ID)
	if err != nil {
		return ledger.StatusCheck{}, err
	}
	if _, err := e.recordLook(ctx, b, attempts, s); err != nil || s.Answer != ledger.LookShown {
		return s.StatusCheck, err
	}
	if c := e.compare(ctx, b, attempts, s.read.Answer); c.aboutAnother() {
		s.Answer, s.Payouts, s.Closed, s.Why = ledger.LookUnanswered, nil, false, c.why()
	}
	return s.StatusCheck, nil
}

// readStatement reads and records the bank's own statement of an account, unless this operation did so minutes
// ago. If the interface gives no statement, the files on record have to do.
func (e *Engine) readStatement(ctx context.Context, account string, since time.Time) (ledger.StatementFetch, error) {
	if e.set.Statements == nil {
		return ledger.StatementOnRecord, nil
	}
	if f, ok := e.fetchedStatements[account]; ok && e.justNow(f.at) && !since.Before(f.since) {
		return f.how, nil
	}
	at, how := e.set.Now(), ledger.StatementFromBank
	err := e.set.Statements.ReadStatement(ctx, account, since)
	switch {
	case errors.Is(err, ErrNoStatement):
		how = ledger.StatementOnRecord
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, ledger.ErrUnauthorized), errors.Is(err, ledger.ErrLedgerDamaged):
		return "", err
	case err != nil:
		how = ledger.StatementFailed
	}
	e.fetchedStatements[account] = fetchedStatement{at, since, how}
	return how, nil
}

// settleReleased settles a batch if all its attempts are over. If it does not run, the next poll settles the
// batch.
func (e *Engine) settleReleased(ctx context.Context, id string) error {
	b, err := e.store.Batch(ctx, id)
	if err != nil || b.State != ledger.BatchSubmitted {
		return err
	}
	attempts, err := e.store.Attempts(ctx, id)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(attempts, func(a ledger.Attempt) bool { return !a.Over() }) {
		return nil
	}
	return e.apply(ctx, ledger.Step{BatchID: id, From: b.State, Event: ledger.AllFinal, At: e.set.Now()})
}

// released reports the effect of the part of a release that was just recorded.
func (e *Engine) released(ctx context.Context, id string) (Result, error) {
	all, err := e.store.Proposals(ctx, id)
	if err != nil || len(all) == 0 {
		return Result{}, errors.Join(err, fmt.Errorf("batch %s: no release is on record", id))
	}
	last := all[len(all)-1]
	if !last.Carried {
		r, err := e.result(ctx, id, OutcomeWaiting, fmt.Sprintf("another person has to say the same, between %s and %.0fh from now", e.set.ResolveBetween, ledger.SecondPersonWithin.Hours()))
		r.Attention = ledger.ToBeApproved
		return r, err
	}
	r, err := e.result(ctx, id, OutcomeResolved, "released; name the payout or its batch to retry it")
	switch {
	case r.Batch.State == ledger.BatchSetAside:
		r.Outcome, r.Message = OutcomeSetAside, "set aside; name a payout or the batch to retry it. payrun asks for its status for 30 days"
	case last.As == ledger.ReleasePaid:
		r.Message = "closed as paid; it is never planned again"
	}
	e.tell(id, "%s", r.Message)
	return r, err
}
