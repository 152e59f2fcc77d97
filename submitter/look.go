package submitter

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"payrun/ledger"
)

// statusChecker keeps, for one operation, how the bank says "not found".
type statusChecker struct {
	mu       sync.Mutex
	asked    time.Time            // when the "not found" reply was last read
	notFound ledger.NotFoundReply // zero: the bank's "not found" cannot be separated from a failure
}

// seen is one read of a batch, with its class as a look.
type seen struct {
	ledger.StatusCheck
	read ledger.StatusRead
}

// checkStatus asks the bank about one batch id, with one or two tries. Its only errors are
// ledger.ErrUnauthorized, the context's, and the store's.
func (e *Engine) checkStatus(ctx context.Context, id string, attempts []ledger.Attempt) (seen, error) {
	if err := e.learnNotFound(ctx); err != nil {
		return seen{}, err
	}
	return e.lookUnder(ctx, id, attempts, e.hear(attempts))
}

// look reads the attempts of a batch and asks the bank about it.
func (e *Engine) look(ctx context.Context, id string) (attempts []ledger.Attempt, s seen, err error) {
	if attempts, err = e.attempts(ctx, id); err == nil {
		s, err = e.checkStatus(ctx, id, attempts)
	}
	return attempts, s, err
}

// lookUnder is checkStatus for an id under which the bank may have these attempts.
func (e *Engine) lookUnder(ctx context.Context, id string, attempts []ledger.Attempt, bank Bank) (seen, error) {
	read, err := bank.ReadStatus(ctx, id, max(len(attempts), 1), ledger.Brisk)
	if err := stops(ctx, err); err != nil {
		return seen{}, err
	}
	return e.classed(id, attempts, read, err), nil
}

// stops returns the errors that end an operation: an ended context and refused credentials.
func stops(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, ledger.ErrUnauthorized) {
		return err
	}
	return nil
}

// classed classifies a read: payouts shown, the bank's "not known", or nothing that allows a conclusion.
func (e *Engine) classed(id string, attempts []ledger.Attempt, read ledger.StatusRead, err error) seen {
	s := seen{StatusCheck: ledger.StatusCheck{BatchID: id, At: e.set.Now(), Answer: ledger.LookUnanswered}, read: read}
	if s.BankTime = read.BankTime; err != nil {
		s.BankTime = callFailed(err).BankTime
	}
	own := e.checker.reply()
	word, isWord := notFoundIn(read, err)
	switch {
	case err == nil && len(read.Payouts) > 0:
		s.Answer, s.Payouts = ledger.LookShown, read.Payouts
		s.Closed, s.Complete, s.Why = closed(attempts, read)
	case isWord && word == own:
		s.Answer, s.NotFoundReply = ledger.LookNotKnown, word
	case err != nil:
		s.Why = callFailed(err).Said()
	case !read.Complete:
		s.Why = read.Why
	default:
		s.Why = "an answer without payouts, which is not how this bank says that it does not know a batch"
	}
	return s
}

// reply returns how the bank says "not found".
func (l *statusChecker) reply() ledger.NotFoundReply {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.notFound
}

// closed: the pages closed properly, no payout appeared twice, none moved that was never sent (it may be one of the
// attempts under another reference), and every value that is compared with the attempts could be read. complete: it
// also has every payout.
func closed(attempts []ledger.Attempt, read ledger.StatusRead) (closed, complete bool, why string) {
	if read.Unread != 0 {
		return false, false, fmt.Sprintf("it shows what cannot be read: %s", read.Unread)
	}
	compared := make(map[string]ledger.Fields, len(attempts))
	for _, a := range attempts {
		compared[a.WireRef] = a.Compared()
	}
	shown := make(map[string]bool, len(read.Payouts))
	for _, p := range read.Payouts {
		fields, sent := compared[p.WireRef]
		switch unread := p.Unread & fields; {
		case !sent && p.Status != ledger.StatusRequestInitiated:
			return false, false, fmt.Sprintf("it shows as %q a payout that was never sent", p.Status)
		case shown[p.WireRef]:
			return false, false, fmt.Sprintf("it has %q twice", p.WireRef)
		case unread != 0:
			return false, false, fmt.Sprintf("%q shows what cannot be read: %s", p.WireRef, unread)
		}
		shown[p.WireRef] = true
	}
	if !read.Complete {
		return false, false, read.Why
	}
	for _, a := range attempts {
		if !shown[a.WireRef] {
			return true, false, fmt.Sprintf("it leaves out %q", a.WireRef)
		}
	}
	return true, true, ""
}

// notFoundIn returns the NotFoundReply of a read without payouts. It returns false for an answer that no bank
// could use to say "not found".
func notFoundIn(read ledger.StatusRead, err error) (ledger.NotFoundReply, bool) {
	if err == nil {
		return ledger.NotFoundReply{HTTPStatus: http.StatusOK}, read.Complete && len(read.Payouts) == 0
	}
	call := callFailed(err)
	says := call.Answered && call.HTTPStatus >= 400 && call.HTTPStatus != http.StatusRequestTimeout && call.HTTPStatus != http.StatusTooManyRequests
	return ledger.NotFoundReply{HTTPStatus: call.HTTPStatus, Code: call.Code}, says
}

// shownFor is how long the bank has to show the newest batch that it showed: it may forget older ones.
const shownFor = 30 * 24 * time.Hour

// learnNotFound asks, every few minutes of an operation, about an id that was certainly never sent: the answer
// is how this bank says "not found". The answer counts only while the bank still shows the newest batch that it
// showed lately, because an outage answers everything alike. A 5xx counts only if no other answer is on record
// and the id got it twice.
func (e *Engine) learnNotFound(ctx context.Context) error {
	e.checker.mu.Lock()
	defer e.checker.mu.Unlock()
	if e.justNow(e.checker.asked) {
		return nil
	}
	word, ok, err := e.probe(ctx)
	if err != nil {
		return err
	}
	if ok && word.HTTPStatus >= http.StatusInternalServerError {
		if ok, err = e.alwaysFailed(ctx, word); err != nil {
			return err
		}
	}
	if ok {
		if ok, err = e.stillShown(ctx); err != nil {
			return err
		}
	}
	if !ok {
		word = ledger.NotFoundReply{}
	}
	e.checker.asked, e.checker.notFound = e.set.Now(), word
	return nil
}

// justNow reports whether a read at that time is still fresh, also if the clock was set back since. An operation may
// wait for hours for a person's OTP.
func (e *Engine) justNow(at time.Time) bool {
	return !at.IsZero() && waited(at, e.set.Now()) < 5*time.Minute
}

func (e *Engine) probe(ctx context.Context) (word ledger.NotFoundReply, ok bool, err error) {
	read, err := e.bank.ReadStatus(ctx, ledger.ProbeID(e.store.LedgerID()), 1, ledger.Brisk)
	if err := stops(ctx, err); err != nil {
		return word, false, err
	}
	word, ok = notFoundIn(read, err)
	return word, ok, nil
}

// alwaysFailed reports whether a 5xx is how this bank says "not found".
func (e *Engine) alwaysFailed(ctx context.Context, word ledger.NotFoundReply) (bool, error) {
	last, err := e.store.LastNotFoundReply(ctx)
	if err != nil || last != (ledger.NotFoundReply{}) && last != word {
		return false, err
	}
	again, ok, err := e.probe(ctx)
	return ok && again == word, err
}

// stillShown reports whether the bank still shows the newest batch that it showed within shownFor. It returns
// true if there is none.
func (e *Engine) stillShown(ctx context.Context) (bool, error) {
	newest, ok, err := e.store.LastShown(ctx)
	if err != nil || !ok || waited(newest.UpdatedAt, e.set.Now()) > shownFor {
		return err == nil, err
	}
	attempts, err := e.store.Attempts(ctx, newest.ID)
	if err != nil {
		return false, err
	}
	read, err := e.hear(attempts).ReadStatus(ctx, newest.ID, newest.Count, ledger.Brisk)
	if err := stops(ctx, err); err != nil {
		return false, err
	}
	return len(read.Payouts) > 0, nil
}

// lookBeforeSubmit takes the last look before a submit: at the batch, at every earlier batch of its payouts,
// and at the ids that a copy of this ledger would have used instead. It records what they show as any read
// does. It also reads the bank's own statement for every attempt after the first, for a batch that was held for
// long, and after a copy was accepted. A Result with an Outcome says that the batch is not submitted any more.
// attempts are the batch's current ones.
func (e *Engine) lookBeforeSubmit(ctx context.Context, b ledger.Batch, attempts []ledger.Attempt) ([]ledger.StatusCheck, map[string]ledger.StatementFetch, Result, error) {
	k, err := e.store.BatchRecord(ctx, b.ID)
	if err != nil {
		return nil, nil, Result{}, err
	}
	own, err := e.checkStatus(ctx, b.ID, attempts)
	if err != nil {
		return nil, nil, Result{}, err
	}
	r, err := e.recordLook(ctx, b, attempts, own)
	if err != nil {
		return nil, nil, r, err
	}
	if r.Batch.State != ledger.BatchHeld {
		now, err := e.store.BatchRecord(ctx, b.ID)
		if err == nil && len(now.Intents) > len(k.Intents) { // another machine sent it during the look
			return nil, nil, Result{}, &ledger.OvertakenError{BatchID: b.ID, Since: now.Trail.Changed}
		}
		return nil, nil, r, err
	}
	if c := e.compare(ctx, b, attempts, own.read.Answer); own.Answer == ledger.LookShown && c.aboutAnother() {
		own.Complete, own.Why = false, c.why() // it stays held: it names no debit account, and the next look may
	}
	looks := []ledger.StatusCheck{own.StatusCheck}
	for _, id := range earlierBatches(k) {
		s, err := e.lookAtEarlier(ctx, id)
		if err != nil {
			return nil, nil, Result{}, err
		}
		looks = append(looks, s.StatusCheck)
	}
	statements := map[string]ledger.StatementFetch{}
	for _, account := range k.StatementsAsked(looks, e.set.OTPWindow, e.set.Now()) {
		if statements[account], err = e.readStatement(ctx, account, k.ReleasedSince().AddDate(0, 0, -1)); err != nil {
			return nil, nil, Result{}, err
		}
	}
	for _, id := range k.CopiesAsked(looks, e.set.OTPWindow, e.set.Now(), e.debitAccounts()) {
		s, err := e.lookUnder(ctx, id, nil, e.hear(attempts)) // a copy would have sent the same payouts
		if err != nil {
			return nil, nil, Result{}, err
		}
		looks = append(looks, s.StatusCheck)
	}
	return looks, statements, Result{}, nil
}

// earlierBatches names the batches of earlier attempts, each once.
func earlierBatches(k ledger.BatchRecord) []string {
	var ids []string
	for _, a := range k.Attempts {
		for _, e := range a.Earlier() {
			if !slices.Contains(ids, e.BatchID) {
				ids = append(ids, e.BatchID)
			}
		}
	}
	return ids
}

func (e *Engine) lookAtEarlier(ctx context.Context, id string) (seen, error) {
	b, err := e.store.Batch(ctx, id)
	if err != nil {
		return seen{}, err
	}
	attempts, s, err := e.look(ctx, id)
	if err != nil {
		return seen{}, err
	}
	if c := e.compare(ctx, b, attempts, s.read.Answer); s.Answer == ledger.LookShown && c.aboutAnother() {
		// An abandoned batch may be shown under another debit account, as long as it has not moved there.
		// Anything else forbids the submit.
		if _, moved := s.Beyond(); moved || !ofBatch(b, s.read.Answer) {
			s.Closed, s.Complete, s.Why = false, false, c.why()
		}
	}
	_, err = e.recordLook(ctx, b, attempts, s)
	return s, err
}

// recordLook records what a look showed, as any read of the batch does. attempts are the batch's current ones.
func (e *Engine) recordLook(ctx context.Context, b ledger.Batch, attempts []ledger.Attempt, s seen) (Result, error) {
	if s.Answer != ledger.LookShown {
		return Result{Batch: b}, nil
	}
	return e.observe(ctx, b, attempts, s.read)
}

// notLooked reports a call that was not made because of what the bank shows or does not answer. The reason is
// recorded with the batch.
func (e *Engine) notLooked(ctx context.Context, b ledger.Batch, why *ledger.LookError) (Result, error) {
	b, err := e.store.Batch(ctx, b.ID) // with what the look recorded
	if err != nil {
		return Result{}, err
	}
	outcome, about := OutcomeNeedsPerson, ""
	if why.BatchID != b.ID {
		about = "batch " + why.BatchID + ": "
	}
	message := "not sent: " + about + why.Words()
	if why.Unanswered {
		outcome = OutcomeNotLooked
	}
	step := ledger.Step{BatchID: b.ID, From: b.State, At: e.set.Now(), Note: message, Attention: b.Attention}
	if !why.Unanswered && step.Attention == ledger.NeedsNothing {
		step.Attention = ledger.BlockedByStatus
	}
	return e.noted(ctx, b, step, outcome, message)
}
