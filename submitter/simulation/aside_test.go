package simulation

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// trueBooks are the bank's statements: whatever it executed, when it did, even
// where its status does not show it yet. They are asked as the statement
// operation asks: entries are matched to the payouts whose references they carry.
type trueBooks struct{ h *history }

func (b trueBooks) Statement(_ context.Context, account string, since time.Time) (ledger.Books, error) {
	h := b.h
	at := h.now()
	s := ledger.Books{BankAccountID: account, From: since, To: at, ReadAt: at, Closed: true, Opening: openingBalance, HasOpening: true, UnchangedSince: since}
	var all []ledger.BookEntry
	for _, t := range h.bank.order {
		if t.account != account {
			continue
		}
		for _, p := range t.payouts {
			for _, x := range p.booked {
				e := ledger.BookEntry{At: x.at.Add(h.skew), Debit: !x.back, Amount: p.amount, Words: []string{p.utr, "NEFT/" + p.ref}, Matched: p.ref}
				all = append(all, e)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b ledger.BookEntry) int { return a.At.Compare(b.At) })
	balance := ledger.Paise(openingBalance)
	for _, e := range all {
		if e.Debit {
			balance -= e.Amount
		} else {
			balance += e.Amount
		}
		if e.At.Before(since) {
			s.Opening = balance
			continue
		}
		e.Balance = balance
		s.Entries, s.UnchangedSince = append(s.Entries, e), e.At
	}
	s.Before, s.After = balance, balance
	return s, nil
}

// openingBalance is what each account holds before the first payout, in paise.
const openingBalance = 1_000_000_000_000_00

// booking is one entry of the bank's books about a payout.
type booking struct {
	at   time.Time
	back bool // a credit: it came back
}

// asideStory is one submit whose answer is lost: it never arrives, arrives while the
// status does not show it, or arrives days later. Two people decide that it never
// did, whatever it did, and its payouts are planned anew.
func asideStory(h *history) {
	h.bank.nature, h.bank.honest = calm(), true
	h.bank.nature.listsUnsubmitted = h.rng.IntN(2) == 0
	h.set.HeldAtOnce = 0
	h.bank.nature.lag = time.Duration(h.rng.IntN(2)) * 30 * 24 * time.Hour // the status of what was lost
	h.wire.script = map[string]trouble{"submit 1": []trouble{hangBefore, hangAfter, lateEffectOnly}[h.rng.IntN(3)]}
	lost := h.write(group{account: accounts[0], amounts: []ledger.Paise{100_00, 250_00}})
	h.load(&process{}, lost)
	h.day(&process{})
	other := h.write(group{account: accounts[0], amounts: []ledger.Paise{77_77}}) // which the bank shows
	h.load(&process{}, other)
	for n := range 36 {
		h.later(7 * time.Hour)
		h.day(&process{})
		h.poll(&process{})
		h.check()
		for _, b := range h.batches() {
			switch {
			case b.state == ledger.BatchSubmitUnknown && n > 5:
				h.decideNotSubmitted(b.id, n)
			case b.state == ledger.BatchSetAside && n%3 == 0:
				h.retry(&process{})
			}
		}
		h.check()
		if h.broken() {
			return
		}
	}
	h.verify()
}

// decideNotSubmitted is one person's decision, the first's or the second's by turns.
func (h *history) decideNotSubmitted(id string, n int) {
	p := &process{}
	if n%2 == 1 {
		p.actor = approver
	}
	h.resolve(p, id)
}

// TestWhatIsSetAsideIsPaidOnce plays a lost submit in each of its ways.
func TestWhatIsSetAsideIsPaidOnce(t *testing.T) {
	home := newHome(t)
	outcomes := map[string]int{}
	for s := uint64(1); s <= 120; s++ {
		h := play(t, home, s, asideStory)
		report(t, h)
		states := map[ledger.BatchState]bool{}
		for _, b := range h.batches() {
			states[b.state] = true
		}
		switch {
		case states[ledger.BatchSetAside]:
			outcomes["set aside"]++
		case states[ledger.BatchSubmitUnknown]:
			outcomes["still in doubt"]++
		default:
			outcomes["seen moving"]++
		}
		for _, why := range h.unprevented {
			outcomes["paid twice: "+why]++
		}
	}
	t.Logf("figures: %v", outcomes)
	for _, want := range []string{"set aside", "still in doubt", "seen moving"} {
		if outcomes[want] == 0 {
			t.Errorf("no story ends %s: %v", want, outcomes)
		}
	}
}

// asideCanaries set submits aside on less than the rules ask.
var asideCanaries = []canary{
	{name: "books_not_read", story: asideStory, set: func(h *history, set *submitter.Settings) { set.Books = blankBooks{trueBooks{h}} }, by: "invariant 21"},
	{name: "stale_statement_taken", story: asideStory, set: func(h *history, set *submitter.Settings) {
		if h.oldBooks == nil {
			h.oldBooks = &oldBooks{trueBooks: trueBooks{h}, read: map[string]ledger.Books{}}
		}
		set.Books = h.oldBooks
	}, by: "invariant 21"},
	{name: "same_person_at_once", story: asideStory, wrap: func(_ *history, s submitter.Store, b submitter.Bank) (submitter.Store, submitter.Bank) {
		return lonelyStore{s}, b
	}, by: "two people"},
	{name: "set_aside_not_watched", story: asideStory, wrap: func(_ *history, s submitter.Store, b submitter.Bank) (submitter.Store, submitter.Bank) {
		return blindToAside{s}, b
	}, by: "rule W"},
}

// blankBooks say of every statement that nothing is in it.
type blankBooks struct{ trueBooks }

func (b blankBooks) Statement(ctx context.Context, account string, since time.Time) (ledger.Books, error) {
	s, err := b.trueBooks.Statement(ctx, account, since)
	s.Entries, s.UnchangedSince, s.Before, s.After, s.Opening = nil, since, openingBalance, openingBalance, openingBalance
	return s, err
}

// oldBooks are those that were read first, said to be of today.
type oldBooks struct {
	trueBooks
	read map[string]ledger.Books
}

func (b *oldBooks) Statement(ctx context.Context, account string, since time.Time) (ledger.Books, error) {
	s, there := b.read[account]
	if !there {
		s, _ = b.trueBooks.Statement(ctx, account, since)
		b.read[account] = s
	}
	s.ReadAt, s.To, s.From = b.h.now(), b.h.now(), since
	return s, nil
}

// lonelyStore lets one person decide twice, under another name.
type lonelyStore struct{ submitter.Store }

func (s lonelyStore) Apply(ctx context.Context, step ledger.Step) error {
	err := s.Store.Apply(ctx, step)
	if step.Deciding == nil || err != nil {
		return err
	}
	step.Actor, step.At = "nobody", step.At.Add(2*time.Hour)
	step.Deciding.Look.SaidAt = step.Deciding.Look.SaidAt.Add(2 * time.Hour)
	step.Deciding.Books.ReadAt, step.Deciding.Books.To = step.At, step.At
	_ = s.Store.Apply(ctx, step)
	return nil
}

// blindToAside watches nothing that was set aside.
type blindToAside struct{ submitter.Store }

func (s blindToAside) Watched(ctx context.Context, since, asideSince time.Time) ([]ledger.Batch, error) {
	list, err := s.Store.Watched(ctx, since, asideSince)
	return slices.DeleteFunc(list, func(b ledger.Batch) bool { return b.State == ledger.BatchSetAside }), err
}

// checkDecided is what has to be so of a batch that is set aside: another person
// decided so, an hour before at least. What people are there the simulation knows.
func (h *history) checkDecided(e event) error {
	switch e.kind {
	case ledger.EventProposed:
		h.eye.decided[e.batch] = decidedBy{e.actor, e.at}
	case string(ledger.SetAside):
		first := h.eye.decided[e.batch]
		if first.who == "" || first.who == e.actor || e.at-first.at < time.Hour.Microseconds() {
			return fmt.Errorf("two people: %s was set aside by %s, %s after %q", e.batch, e.actor, time.Duration(e.at-first.at)*time.Microsecond, first.who)
		}
		if e.actor != "asha" && e.actor != approver {
			return fmt.Errorf("two people: %s was set aside by %s, who is nobody", e.batch, e.actor)
		}
	}
	return nil
}

// decidedBy is who decided about a batch last, and when.
type decidedBy struct {
	who string
	at  int64 // microseconds
}
