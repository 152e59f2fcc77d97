package simulation

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// canary is a broken variant of payrun. A simulation that does not find it proves nothing.
type canary struct {
	name  string
	wrap  wrapper
	set   func(*history, *submitter.Settings)
	story func(*history) // nil: anything
	by    string         // the violation that must find it begins so; "" for any

	misreads func(*history, *ledger.StatementRead) // changes the statement that is recorded
}

// wrapper replaces a store or a bank by a broken one.
type wrapper = func(*history, submitter.Store, submitter.Bank) (submitter.Store, submitter.Bank)

// onStore breaks the store.
func onStore(breakIt func(submitter.Store) submitter.Store) wrapper {
	return func(_ *history, s submitter.Store, b submitter.Bank) (submitter.Store, submitter.Bank) {
		return breakIt(s), b
	}
}

// onHistory breaks something around store and bank.
func onHistory(breakIt func(*history)) wrapper {
	return func(h *history, s submitter.Store, b submitter.Bank) (submitter.Store, submitter.Bank) {
		breakIt(h)
		return s, b
	}
}

var canaries = []canary{
	{name: "intent_after_call", wrap: onStore(func(s submitter.Store) submitter.Store { return &lateIntent{Store: s} })},
	{name: "new_batch_after_submit_timeout", wrap: wrapNewBatchAfterTimeout},
	{name: "post_retried", wrap: onBank(func(b *brokenBank) { b.retriesPOST = true })},
	{name: "server_error_taken_for_no", wrap: onBank(func(b *brokenBank) { b.trusts500 = true })},
	{name: "echo_not_compared", wrap: onBank(func(b *brokenBank) { b.believesEcho = true })},
	{name: "otp_in_a_message", wrap: onBank(func(b *brokenBank) { b.tellsOTP = true })},
	{name: "first_page_only", wrap: onRead(func(h *history, r *ledger.StatusRead, _ []ledger.Attempt) {
		r.Payouts, r.Complete = r.Payouts[:min(len(r.Payouts), h.bank.nature.page)], true
	})},
	{name: "missing_is_failed", wrap: onRead(func(_ *history, r *ledger.StatusRead, attempts []ledger.Attempt) {
		for _, a := range attempts {
			if !slices.ContainsFunc(r.Payouts, func(o ledger.Observation) bool { return o.WireRef == a.WireRef }) {
				r.Payouts = append(r.Payouts, ledger.Observation{WireRef: a.WireRef, Amount: a.Amount, HasAmount: true, Status: ledger.StatusFailed})
			}
		}
	})},
	{name: "unknown_is_failed", wrap: onRead(func(_ *history, r *ledger.StatusRead, _ []ledger.Attempt) {
		for i := range r.Payouts {
			if r.Payouts[i].Status == "ON_HOLD" {
				r.Payouts[i].Status = ledger.StatusFailed
			}
		}
	})},
	{name: "success_from_a_bank_code", wrap: onRead(func(_ *history, r *ledger.StatusRead, _ []ledger.Attempt) {
		for i := range r.Payouts {
			if r.Payouts[i].BankStatusCode == "COMPLETED" {
				r.Payouts[i].Status = ledger.StatusSuccess
			}
		}
	})},
	{name: "abandoned_batch_submitted", wrap: onStore(func(s submitter.Store) submitter.Store { return revivingStore{s} })},
	{name: "failed_on_the_first_read", wrap: onStore(func(s submitter.Store) submitter.Store { return hastyStore{s} })},
	{name: "random_ids_with_a_lost_ledger", wrap: onHistory(func(h *history) { h.ignoresMark = true })},
	{name: "older_ledger_taken", wrap: onHistory(func(h *history) { h.takesOlder = true }), by: "local faults: a POST"},
	{name: "lei_left_out", wrap: onBank(func(b *brokenBank) { b.dropsLEI = true }), by: "invariant 9"},
	{name: "tampered_row_sent", wrap: onBank(func(b *brokenBank) { b.takesTampered = true }), by: "invariant 23"},
	{name: "account_not_asked_about", wrap: onBank(func(b *brokenBank) { b.trustsAccounts = true }), by: "bank accounts"},
	{name: "no_recovery_at_start", wrap: onStore(func(s submitter.Store) submitter.Store { return forgetfulStore{s} })},
}

func everyCanary() []canary {
	return slices.Concat(canaries, releaseCanaries, lookCanaries, peopleCanaries, correctionCanaries, sharedCanaries)
}

// canarySeeds is the number of seeds within which a canary must be found.
const (
	canarySeeds = 5000
	sharedSeeds = 1000 // for a ledger that several machines share
)

// canaryBegins are seeds near which late canaries were found in the last full search. A small run begins
// there, and goes over all seeds if the histories have changed since; -exhaustive begins at the first.
var canaryBegins = map[string]uint64{
	"unlisted_value_ignored": 2092, "random_ids_with_a_lost_ledger": 506, "broken_off_read_ignored": 791,
	"account_not_asked_about": 550, "older_ledger_taken": 102, "server_error_taken_for_no": 1195,
	"new_batch_after_submit_timeout": 314, "post_retried": 149, "echo_not_compared": 70, "refused_reference_renamed": 64,
	"otp_in_a_message": 165, "lines_counted": 43, "no_recovery_at_start": 45, "success_from_a_bank_code": 37,
	"returned_excuses_two_debits": 26, "file_that_frees": 304, "abandoned_batch_submitted": 20, "failed_on_the_first_read": 16,
	"approval_not_asked_for": 12, "second_debit_taken_for_known": 11, "unknown_is_failed": 10, "correction_left_out": 8, "over_is_over": 7,
	"no_look_at_earlier_attempts": 7, "no_look_before_a_submit": 6, "second_read_at_once": 5, "first_page_only": 5,
}

// canarySeed returns the n-th seed that is played for a canary. n counts from 1.
func canarySeed(name string, n uint64) uint64 {
	begin := max(1, canaryBegins[name])
	if *exhaustive {
		begin = 1
	}
	return (begin+n-2)%canarySeeds + 1
}

func TestCanariesAreFound(t *testing.T) {
	skipUnderRace(t)
	list, seeds := everyCanary(), uint64(canarySeeds)
	if _, several := newHome(t).(sharedHome); several {
		list, seeds = sharedCanaries, sharedSeeds
	} else {
		list = list[:len(list)-len(sharedCanaries)]
	}
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			home := newHome(t)
			for n := uint64(1); n <= seeds; n++ {
				s := canarySeed(c.name, n)
				story := anything
				if c.story != nil {
					story = c.story
				}
				h := play(t, home, s, story, func(h *history) { h.canary = c })
				if h.broken() && strings.HasPrefix(h.violations[0], c.by) {
					t.Logf("figures: canary=%s seeds=%d by=%q", c.name, n, h.violations[0])
					return
				}
			}
			t.Errorf("not found in %d seeds", seeds)
		})
	}
}

// brokenBank is a client that concludes too much.
type brokenBank struct {
	submitter.Bank
	retriesPOST, trusts500, believesEcho, tellsOTP, dropsLEI, trustsAccounts, takesTampered bool
	sent                                                                                    map[string]ledger.Answer // by payload hash: the echo that it should get
}

func onBank(breakIt func(*brokenBank)) wrapper {
	return func(_ *history, s submitter.Store, b submitter.Bank) (submitter.Store, submitter.Bank) {
		broken := &brokenBank{Bank: b, sent: map[string]ledger.Answer{}}
		breakIt(broken)
		return s, broken
	}
}

func (b *brokenBank) EncodeInitiate(batch ledger.Batch, attempts []ledger.Attempt) (ledger.Payload, error) {
	if b.takesTampered {
		attempts = slices.Clone(attempts)
		for i, a := range attempts {
			attempts[i].BankAccountNumber = strings.Replace(a.BankAccountNumber, payeeNumber, strangerNumber, 1)
		}
	}
	p, err := b.Bank.EncodeInitiate(batch, attempts)
	a := ledger.Answer{BatchID: batch.ID, BankAccountID: batch.BankAccountID}
	for _, at := range attempts {
		a.Payouts = append(a.Payouts, ledger.Observation{WireRef: at.WireRef, Amount: at.Amount, HasAmount: true, Status: ledger.StatusRequestInitiated})
	}
	b.sent[p.SHA256] = a
	return p, err
}

func (b *brokenBank) Initiate(ctx context.Context, p ledger.Payload) (ledger.Answer, error) {
	a, err := b.Bank.Initiate(ctx, p)
	if err == nil && b.believesEcho {
		return b.sent[p.SHA256], nil
	}
	return a, err
}

func (b *brokenBank) EncodeSubmit(id, lei string) (ledger.Payload, error) {
	if b.dropsLEI {
		lei = ""
	}
	return b.Bank.EncodeSubmit(id, lei)
}

func (b *brokenBank) Accounts(ctx context.Context) ([]ledger.LinkedAccount, error) {
	list, err := b.Bank.Accounts(ctx)
	if b.trustsAccounts {
		for i := range list {
			list[i].Status = ledger.AccountActive
		}
	}
	return list, err
}

func (b *brokenBank) Submit(ctx context.Context, p ledger.Payload, otp, token ledger.Secret) (ledger.Answer, error) {
	a, err := b.Bank.Submit(ctx, p, otp, token)
	call, failed := err.(*ledger.CallError) //nolint:errorlint // the client's own
	switch {
	case failed && b.retriesPOST && call.Outcome == ledger.Unknown:
		return b.Bank.Submit(ctx, p, otp, token)
	case failed && b.trusts500 && call.HTTPStatus >= 500:
		call.Outcome = ledger.Rejected
	case failed && b.tellsOTP:
		call.Code, call.Message = "SVC_CB_FT_001", "not accepted: "+otp.Reveal()
	}
	return a, err
}

// onRead changes what a status read returns.
func onRead(breakIt func(*history, *ledger.StatusRead, []ledger.Attempt)) wrapper {
	return func(h *history, s submitter.Store, b submitter.Bank) (submitter.Store, submitter.Bank) {
		return s, misreadBank{b, h, func(r *ledger.StatusRead, attempts []ledger.Attempt) { breakIt(h, r, attempts) }}
	}
}

type misreadBank struct {
	submitter.Bank
	h       *history
	breakIt func(*ledger.StatusRead, []ledger.Attempt)
}

func (b misreadBank) ReadStatus(ctx context.Context, id string, expect int, tries ledger.Patience) (ledger.StatusRead, error) {
	r, err := b.Bank.ReadStatus(ctx, id, expect, tries)
	if err != nil {
		return r, err
	}
	attempts, err := b.h.running.store.Attempts(ctx, id) // does not fail
	if err != nil {
		return r, err
	}
	b.breakIt(&r, attempts)
	return r, nil
}

// lateIntent records the intent of a call only after the call.
type lateIntent struct {
	submitter.Store
	intent *ledger.Step
}

func (s *lateIntent) Apply(ctx context.Context, step ledger.Step) error {
	if step.Event == ledger.InitiateIntended || step.Event == ledger.SubmitIntended {
		s.intent = &step
		return nil
	}
	if s.intent != nil {
		if err := s.Store.Apply(ctx, *s.intent); err != nil {
			return err
		}
		s.intent = nil
	}
	return s.Store.Apply(ctx, step)
}

// wrapNewBatchAfterTimeout abandons a batch when its submit gets no answer. Its payouts can then be planned
// again.
func wrapNewBatchAfterTimeout(h *history, s submitter.Store, b submitter.Bank) (submitter.Store, submitter.Bank) {
	return impatientStore{s, h}, b
}

type impatientStore struct {
	submitter.Store
	h *history
}

func (s impatientStore) Apply(ctx context.Context, step ledger.Step) error {
	if step.Event != ledger.SubmitLost {
		return s.Store.Apply(ctx, step)
	}
	step.Event, step.Outcome = ledger.SubmitUndone, ledger.NotSent
	if err := s.Store.Apply(ctx, step); err != nil {
		return err
	}
	return s.Store.Apply(ctx, ledger.Step{BatchID: step.BatchID, Actor: step.Actor, From: ledger.BatchHeld, Event: ledger.Abandoned, At: step.At, Person: "nobody"})
}

// revivingStore shows an abandoned batch as held.
type revivingStore struct{ submitter.Store }

func (s revivingStore) Batch(ctx context.Context, id string) (ledger.Batch, error) {
	b, err := s.Store.Batch(ctx, id)
	if b.State == ledger.BatchAbandoned {
		b.State = ledger.BatchHeld
	}
	return b, err
}

func (s revivingStore) Apply(ctx context.Context, step ledger.Step) error {
	b, err := s.Store.Batch(ctx, step.BatchID)
	if err != nil || b.State == ledger.BatchAbandoned {
		return err
	}
	return s.Store.Apply(ctx, step)
}

// hastyStore takes the first failed status as final.
type hastyStore struct{ submitter.Store }

func (s hastyStore) Apply(ctx context.Context, step ledger.Step) error {
	for i := range step.Observed {
		if v := &step.Observed[i].Verdict; v.FailedReads == 1 {
			v.State, v.FailedReads = ledger.PayoutFailed, 2
		}
	}
	return s.Store.Apply(ctx, step)
}

// forgetfulStore does not put calls that a crash cut off in doubt.
type forgetfulStore struct{ submitter.Store }

func (s forgetfulStore) Recover(context.Context, string, time.Time) ([]string, error) {
	return nil, nil
}

// peopleCanaries are variants in which one person is enough.
var peopleCanaries = []canary{
	{name: "approval_not_asked_for", set: func(_ *history, s *submitter.Settings) { s.TwoPerson = false }, by: "two people: initiate"},
	{name: "same_person_twice", wrap: func(h *history, s submitter.Store, b submitter.Bank) (submitter.Store, submitter.Bank) {
		return namelessPeople{s, h}, b
	}, by: "two people"},
	{name: "total_not_typed", set: func(_ *history, s *submitter.Settings) { s.ConfirmAbove = 0 }, by: "typed total"},
}

// namelessPeople does not know who planned a batch, and accepts everyone's approval.
type namelessPeople struct {
	submitter.Store
	h *history
}

func (n namelessPeople) Approve(_ context.Context, words ...ledger.Approving) error {
	for _, a := range words {
		n.h.words = append(n.h.words, a.Approval)
	}
	return nil
}

func (n namelessPeople) ApprovalStatus(_ context.Context, id string) (c ledger.ApprovalStatus, err error) {
	for _, a := range n.h.words {
		if a.BatchID == id {
			e := ledger.Approving{Approval: a}.Event(ledger.Batch{ID: id})
			e.Seq = 1
			c.Approvals = append(c.Approvals, e)
		}
	}
	return c, nil
}

// lookCanaries are variants that skip a status check or ignore what it shows.
var lookCanaries = []canary{
	{name: "no_look_before_a_submit", wrap: onLook(func(b ledger.Batch) bool { return b.State == ledger.BatchHeld }), by: "invariant 22: submit"},
	{name: "no_look_before_an_initiate", wrap: onLook(func(b ledger.Batch) bool { return b.State == ledger.BatchPlanned }), by: "invariant 22: initiate"},
	{name: "no_look_at_earlier_attempts", wrap: onLook(func(b ledger.Batch) bool {
		return b.State == ledger.BatchSettled || b.State == ledger.BatchRefused || b.State == ledger.BatchAbandoned
	}), by: "invariant 22: submit"},
	{name: "refused_reference_renamed", wrap: onStore(func(s submitter.Store) submitter.Store { return renamingStore{s} }), by: "rule N"},
	{name: "broken_off_read_ignored", wrap: onRead(func(_ *history, r *ledger.StatusRead, attempts []ledger.Attempt) {
		if !r.Complete { // and everything is taken to be unchanged
			*r = asRecorded(ledger.Batch{ID: r.BatchID, BankAccountID: r.BankAccountID}, attempts)
		}
	}), by: "invariant 22: submit"},
	{name: "unlisted_value_ignored", wrap: onRead(func(_ *history, r *ledger.StatusRead, _ []ledger.Attempt) {
		for i := range r.Payouts {
			if !ledger.Listed(r.Payouts[i].Status) {
				r.Payouts[i].Status = ledger.StatusRequestInitiated
			}
		}
	}), by: "invariant 22: submit"},
	{name: "over_is_over", wrap: onStore(func(s submitter.Store) submitter.Store { return unwatchedStore{s} }), by: "rule W: a poll"},
	{name: "second_read_at_once", set: func(_ *history, s *submitter.Settings) { s.PollFirst = 0 }, by: "rule W"},
}

// onLook answers the checks of some batches from the ledger, without asking the bank.
func onLook(blind func(ledger.Batch) bool) wrapper {
	return func(_ *history, s submitter.Store, b submitter.Bank) (submitter.Store, submitter.Bank) {
		return s, blindBank{b, s, blind}
	}
}

type blindBank struct {
	submitter.Bank
	store submitter.Store
	blind func(ledger.Batch) bool
}

func (c blindBank) ReadStatus(ctx context.Context, id string, expect int, tries ledger.Patience) (ledger.StatusRead, error) {
	if tries != ledger.Brisk { // not a check
		return c.Bank.ReadStatus(ctx, id, expect, tries)
	}
	b, err := c.store.Batch(ctx, id)
	if err != nil || !c.blind(b) { // an id that is not in the ledger, or another batch
		return c.Bank.ReadStatus(ctx, id, expect, tries)
	}
	attempts, err := c.store.Attempts(ctx, id)
	if err != nil {
		return ledger.StatusRead{}, err
	}
	if b.State == ledger.BatchPlanned || b.State == ledger.BatchRefused {
		return c.Bank.ReadStatus(ctx, ledger.ProbeID(c.store.LedgerID()), expect, tries) // which the bank does not know
	}
	return asRecorded(b, attempts), nil
}

// asRecorded returns what the bank would show if nothing had happened since.
func asRecorded(b ledger.Batch, attempts []ledger.Attempt) ledger.StatusRead {
	r := ledger.StatusRead{Complete: true, Pages: 1, Answer: ledger.Answer{BatchID: b.ID, BankAccountID: b.BankAccountID}}
	for _, a := range attempts {
		o := ledger.Observation{WireRef: a.WireRef, Amount: a.Amount, HasAmount: true, OpenTxnID: a.OpenTxnID, BankTxnRefID: a.BankTxnRefID,
			Status: a.Status, BankStatusCode: a.BankStatusCode}
		if o.Status == "" {
			o.Status = ledger.StatusRequestInitiated
		}
		r.Payouts = append(r.Payouts, o)
	}
	return r
}

// unwatchedStore does not watch batches that are over.
type unwatchedStore struct{ submitter.Store }

func (s unwatchedStore) Watched(context.Context, time.Time, time.Time) ([]ledger.Batch, error) {
	return nil, nil
}

// renamingStore treats the references of a refused batch as used up, so that its payouts go out under new
// ones.
type renamingStore struct{ submitter.Store }

func (s renamingStore) Apply(ctx context.Context, step ledger.Step) error {
	if step.Event == ledger.InitiateRefused || step.Event == ledger.RefusalStands {
		step.Shown = true
	}
	return s.Store.Apply(ctx, step)
}

// sharedCanaries are variants that only a ledger of several machines can reveal. Three more do not change
// the payments of a history: see ledger/postgres, TestCanaries.
var sharedCanaries = []canary{
	{name: "recovery_of_live_runs", wrap: onShared(func(s *brokenShare) { s.recoversLive = true }), story: (*history).machineDays, by: "live runs"},
	{name: "call_after_an_unknown_commit", wrap: onShared(func(s *brokenShare) { s.trustsUnknown = true }), story: (*history).machineDays, by: "invariant 2"},
	{name: "no_last_look", wrap: onShared(func(s *brokenShare) { s.mayAlways = true }), story: (*history).machineDays, by: "invariant 2"},
	{name: "lease_as_permission", wrap: onShared(func(s *brokenShare) { s.trustsLease = true }), story: (*history).machineDays, by: "invariant 2"},
	{name: "no_timeline", wrap: onHistory(func(h *history) {
		if err := h.home.(sharedHome).anywhere(); err != nil {
			h.found("taking every database for the same: %v", err)
		}
	}), story: (*history).machineDays, by: "local faults: a POST"},
	{name: "no_mark", wrap: onHistory(func(h *history) { h.ignoresMark = true }), story: (*history).machineDays, by: "local faults: a POST"},
}

// brokenShare is a store that does not respect other runs.
type brokenShare struct {
	submitter.Store
	p                                                   *process
	recoversLive, trustsUnknown, mayAlways, trustsLease bool
	unknown                                             map[string]bool // batches whose intent may be recorded
}

func onShared(breakIt func(*brokenShare)) wrapper {
	return func(h *history, s submitter.Store, b submitter.Bank) (submitter.Store, submitter.Bank) {
		broken := &brokenShare{Store: s, p: h.running, unknown: map[string]bool{}}
		breakIt(broken)
		return broken, b
	}
}

func (s *brokenShare) Recover(ctx context.Context, actor string, at time.Time) ([]string, error) {
	if s.recoversLive {
		if err := s.p.h.home.(sharedHome).lapse(s.p, true); err != nil {
			return nil, err
		}
	}
	return s.Store.Recover(ctx, actor, at)
}

func (s *brokenShare) Apply(ctx context.Context, step ledger.Step) error {
	err := s.Store.Apply(ctx, step)
	if s.trustsUnknown && errors.Is(err, ledger.ErrCommitUnknown) && (step.Event == ledger.InitiateIntended || step.Event == ledger.SubmitIntended) {
		s.unknown[step.BatchID] = true
		return nil
	}
	return err
}

func (s *brokenShare) MaySend(ctx context.Context, id string) error {
	inTime := s.p.h.clock.Before(s.p.opened.Add(lease)) // by the machine's own clock
	if s.mayAlways || s.unknown[id] || s.trustsLease && inTime {
		return nil
	}
	return s.Store.MaySend(ctx, id)
}
