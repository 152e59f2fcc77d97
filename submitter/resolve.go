package submitter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"payrun/ledger"
)

// ErrNoStatement: the bank's statement of an account is not to be had at all.
var ErrNoStatement = errors.New("no statement is to be had")

// Resolving is what a person decides where neither the bank nor the ledger tells.
type Resolving struct {
	Batch  string
	As     ledger.Decision
	Of     ledger.AttemptKey // the attempt it is about, of a disputed payout; zero for the batch
	Reason string
	Ticket string // the bank's written word, as a person cites it; "" for none
	// TwoPeople: the policy asks for two where the rules alone do not.
	TwoPeople bool
}

// Resolve records a person's decision, with evidence that is gathered anew. Where
// two people have to agree (safety.md, "Setting aside") the first one's waits for
// the second's, which is carried out. ErrRefused, and a *ledger.NotYet where a rule
// does not hold, with the rule and when it can; ErrSamePerson where another person
// has to decide the same.
func (e *Engine) Resolve(ctx context.Context, req Resolving) (Result, error) {
	b, err := e.store.Batch(ctx, req.Batch)
	if err != nil {
		return Result{}, fmt.Errorf("batch %s: %w", req.Batch, err)
	}
	if req.As == ledger.DecidedSubmitted {
		return e.resolveSubmitted(ctx, b, req.Reason)
	}
	d := ledger.Deciding{As: req.As, Of: req.Of, Reason: req.Reason, Ticket: req.Ticket, TwoPeople: req.TwoPeople, Waits: e.waits(), Watch: e.set.SuccessWatch}
	if d.Look, err = e.lookToDecide(ctx, b, req.As); err != nil {
		return Result{Batch: b}, err
	}
	if b, err = e.store.Batch(ctx, b.ID); err != nil { // what the look showed may have moved it
		return Result{}, err
	}
	k, err := e.store.Known(ctx, b.ID)
	if err != nil {
		return Result{}, err
	}
	if d.Books, d.NoBooks, err = e.books(ctx, b.BankAccountID, k.BooksFor(req.As)); err != nil {
		return Result{}, err
	}
	err = e.apply(ctx, ledger.Step{BatchID: b.ID, From: b.State, At: e.set.Now(), Deciding: &d})
	if why, ok := errors.AsType[*ledger.NotYet](err); ok {
		return e.notDecided(ctx, b, why)
	}
	if err != nil {
		return Result{Batch: b}, fmt.Errorf("batch %s: recording the decision: %w", b.ID, err)
	}
	if err := e.settleClosed(ctx, b.ID, req.As); err != nil {
		return Result{}, err
	}
	return e.decided(ctx, b.ID, req.As)
}

// settleClosed settles a batch whose last payout that was not final is one whose
// dispute was closed: nobody waits for the bank any more. Where this is not
// reached, the next poll settles it.
func (e *Engine) settleClosed(ctx context.Context, id string, as ledger.Decision) error {
	if !as.OfPayout() {
		return nil
	}
	b, err := e.store.Batch(ctx, id)
	if err != nil || b.State != ledger.BatchSubmitted {
		return err
	}
	attempts, err := e.store.Attempts(ctx, id)
	if err != nil || !allFinal(statesAfter(attempts, nil)) {
		return err
	}
	return e.apply(ctx, ledger.Step{BatchID: id, From: b.State, Event: ledger.AllFinal, At: e.set.Now()})
}

// waits are the waiting times of decisions.
func (e *Engine) waits() ledger.Waits {
	return ledger.Waits{Overdue: e.set.OverdueAfter, Wait: e.set.ResolveWait, Between: e.set.ResolveBetween}
}

// resolveSubmitted: a person says that the submit arrived. That frees nothing, so
// one is enough, and no status is needed.
func (e *Engine) resolveSubmitted(ctx context.Context, b ledger.Batch, reason string) (Result, error) {
	if _, err := b.State.Next(ledger.ResolvedSubmitted); err != nil {
		return Result{Batch: b, Outcome: OutcomeUnchanged}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if waited(b.StateSince, e.set.Now()) < e.set.OverdueAfter {
		return e.notDecided(ctx, b, &ledger.NotYet{Rule: ledger.RuleTime, Until: b.StateSince.Add(e.set.OverdueAfter),
			Why: fmt.Sprintf("it has been in doubt for less than poll.overdue_after (%s); run payrun poll until then", e.set.OverdueAfter)})
	}
	step := ledger.Step{BatchID: b.ID, From: b.State, Event: ledger.ResolvedSubmitted, At: e.set.Now(), Person: reason, Note: b.NoteAfter("resolved as submitted: " + reason)}
	return e.concluded(ctx, step, OutcomeSubmitted, "resolved as submitted; payrun poll goes on asking")
}

// lookToDecide asks the bank anew, and records what it shows as any other read.
// What is not about the batch, or of a batch in doubt not as it was sent, is no
// answer. That a payout was paid it may show for another debit account: it frees
// nothing.
func (e *Engine) lookToDecide(ctx context.Context, b ledger.Batch, as ledger.Decision) (ledger.Look, error) {
	attempts, err := e.store.Attempts(ctx, b.ID)
	if err != nil {
		return ledger.Look{}, err
	}
	s, err := e.look(ctx, b.ID, attempts)
	if err != nil {
		return ledger.Look{}, err
	}
	if _, err := e.recordLook(ctx, b, attempts, s); err != nil {
		return ledger.Look{}, err
	}
	if s.Answer != ledger.LookShown {
		if r, ok := ledger.DoubtRead(b, s.Look, e.began); ok {
			err = e.apply(ctx, ledger.Step{BatchID: b.ID, From: b.State, At: e.set.Now(), Note: b.Note, Attention: b.Attention, Read: &r})
		}
		return s.Look, err
	}
	c := e.compare(ctx, b, attempts, s.read.Answer)
	another := c.aboutAnother() && (as != ledger.DecidedPaid || !ofBatch(b, s.read.Answer))
	if another || !as.OfPayout() && len(c.differs) > 0 {
		s.Answer, s.Payouts, s.Why = ledger.LookUnanswered, nil, c.why()
	}
	return s.Look, nil
}

// books reads the bank's statement of an account; nil with why where it is not to
// be had. One that is to be had, and not now, is one that was not read to its end:
// nothing is decided on it, and no word takes its place.
func (e *Engine) books(ctx context.Context, account string, since time.Time) (books *ledger.Books, none string, err error) {
	if e.set.Books == nil {
		return nil, "", nil
	}
	read, err := e.set.Books.Statement(ctx, account, since.Add(-24*time.Hour))
	switch {
	case errors.Is(err, ErrNoStatement):
		return nil, err.Error(), nil
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case err != nil:
		at := e.set.Now()
		read = ledger.Books{BankAccountID: account, From: since.Add(-24 * time.Hour), To: at, ReadAt: at, Why: callFailed(err).Said()}
	}
	return &read, "", nil
}

// notDecided reports the rule that does not hold.
func (e *Engine) notDecided(ctx context.Context, b ledger.Batch, why *ledger.NotYet) (Result, error) {
	r, err := e.result(ctx, b.ID, OutcomeUnchanged, why.Why)
	if err != nil {
		return r, err
	}
	if why.Rule == ledger.RuleProposed || why.Rule == ledger.RuleAloneWord {
		r.Outcome, r.Attention = OutcomeWaiting, ledger.ToBeApproved
		return r, fmt.Errorf("%w: batch %s: %w", ErrSamePerson, b.ID, why)
	}
	if b.State == ledger.BatchSubmitUnknown {
		r.Outcome = OutcomeUnknown
	}
	return r, fmt.Errorf("%w: batch %s is not resolved: %w", ErrRefused, b.ID, why)
}

// decided reports what a decision that was recorded came to.
func (e *Engine) decided(ctx context.Context, id string, as ledger.Decision) (Result, error) {
	all, err := e.store.Proposals(ctx, id)
	if err != nil || len(all) == 0 {
		return Result{}, errors.Join(err, fmt.Errorf("batch %s: no decision is on record", id))
	}
	if last := all[len(all)-1]; !last.Carried {
		r, err := e.result(ctx, id, OutcomeWaiting, fmt.Sprintf("%s decided so (%s); it is done when another person decides the same, %s later at the earliest and within three days",
			last.Actor, last.Decision, e.set.ResolveBetween))
		r.Attention = ledger.ToBeApproved
		return r, err
	}
	r, err := e.result(ctx, id, OutcomeResolved, "")
	switch {
	case r.Batch.State == ledger.BatchSetAside:
		r.Outcome, r.Message = OutcomeSetAside, "set aside; its payouts are cancelled and can be retried, and the bank is asked about it for 30 days"
	case as == ledger.DecidedNotSubmitted:
		r.Message = "its payouts were not paid since the ledger was copied; it may be submitted"
	case as == ledger.DecidedDisputed:
		r.Message = "what the bank has not ended of it is disputed, until people close each one"
	case as == ledger.DecidedNewReferences:
		r.Message = "its payouts get new references"
	default:
		r.Message = "closed as " + string(as)
	}
	e.tell(id, "%s", r.Message)
	return r, err
}
