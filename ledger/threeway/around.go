package threeway

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
)

// Source is a ledger that is asked for what may matter for one payout. Each method
// may give more than it is asked for, and never less.
type Source interface {
	// EachEntryOf calls fn for the entries of an account that are sought.
	EachEntryOf(ctx context.Context, bankAccountID string, sought *ledger.SoughtEntries, fn func(ledger.KeptEntry) error) error
	// NewestEntry is the newest day of which an entry of an account is known; "" for none.
	NewestEntry(ctx context.Context, bankAccountID string) (day string, err error)
	// Statements returns the readings of an account's statement.
	Statements(ctx context.Context, bankAccountID string) ([]ledger.KeptStatement, error)
	// AttemptsNamed calls fn for every attempt of the payouts of which one has one of
	// the names as its reference or UTR, in whatever case.
	AttemptsNamed(ctx context.Context, names []string, fn func(ledger.Attempt) error) error
	// AttemptsOf calls fn for every attempt of the payouts of which one of this amount
	// may have been debited in an account by a submit from a moment to before another,
	// and returns the batches of this total that were submitted then.
	AttemptsOf(ctx context.Context, bankAccountID string, amount ledger.Paise, from, to time.Time, fn func(ledger.Attempt) error) (whole []ledger.Batch, err error)
	// AttemptsReturned calls fn for every attempt of the payouts of which one of this
	// amount came back.
	AttemptsReturned(ctx context.Context, amount ledger.Paise, fn func(ledger.Attempt) error) error
	// Batch returns one batch, and Attempts its attempts.
	Batch(ctx context.Context, id string) (ledger.Batch, error)
	Attempts(ctx context.Context, batchID string) ([]ledger.Attempt, error)
}

// Shown is what statements show of a payout.
type Shown struct {
	Seen []Seen // of each attempt, in their order
	// Unclear are lines that may be the payout's and are nobody's, because something else
	// is alike, or it failed: By is ByReference where one carries its name, and those of
	// others, and ByAmount where it moves its amount, or that of its batch, about its days
	// and carries no name.
	Unclear []Line
	// Pieces are those that lines speak of: Line.Piece is the place, from 1.
	Pieces []Piece
	// Readings are those of the accounts in question.
	Readings []ledger.KeptStatement
	// Spans are when each attempt can have been debited, and what of that is on record.
	Spans []Span
}

// Asked is an attempt of the payout that is asked for.
type Asked struct {
	ledger.Attempt
	Intended time.Time // when it was first about to be submitted; zero where it never was
}

// Around tells of one payout, given by all of its attempts in their order, what the
// whole matching tells of it, from the small part of the ledger that can change that:
// whatever carries its names, and whoever has a name that is there too; and where no
// name gave it a line, whatever moves its amount on its days, and whoever may have
// moved it. The matching itself is a Matcher's.
func Around(ctx context.Context, src Source, set Settings, payout []Asked) (Shown, error) {
	a := around{ctx: ctx, src: src, set: set, intended: map[ledger.AttemptKey]int32{}, attempts: map[ledger.AttemptKey]ledger.Attempt{}, batches: map[string]ledger.Batch{},
		have: map[[2]int64]bool{}, asked: map[string]bool{}, newest: map[string]string{}}
	for _, at := range payout {
		a.of = append(a.of, at.Attempt)
		if !at.Intended.IsZero() {
			a.intended[at.Key()] = dayOf(at.Intended, set.Zone)
		}
	}
	if err := a.gather(); err != nil {
		return Shown{}, err
	}
	m := a.matcher()
	m.matchWeak()
	m.matchAmounts()
	unclear := a.unclear(m)
	r := m.judge()
	return Shown{Seen: r.Seen, Unclear: unclear, Pieces: Pieces(a.entries), Readings: a.readings, Spans: a.spans(m)}, nil
}

// around is the part of the ledger, as far as it is known.
type around struct {
	ctx      context.Context
	src      Source
	set      Settings
	of       []ledger.Attempt
	intended map[ledger.AttemptKey]int32 // the day on which it was first about to be submitted
	attempts map[ledger.AttemptKey]ledger.Attempt
	batches  map[string]ledger.Batch
	entries  []ledger.KeptEntry
	have     map[[2]int64]bool // the entries, by reading and place
	asked    map[string]bool   // words in entries, of whose attempts was asked
	readings []ledger.KeptStatement
	newest   map[string]string
}

// gather asks for all that may matter.
func (a *around) gather() error {
	for _, at := range a.of {
		if err := a.take(at); err != nil {
			return err
		}
	}
	for _, account := range a.accounts() {
		reads, err := a.src.Statements(a.ctx, account)
		if err != nil {
			return err
		}
		if a.readings = append(a.readings, reads...); len(reads) == 0 {
			continue
		}
		if a.newest[account], err = a.src.NewestEntry(a.ctx, account); err != nil {
			return err
		}
	}
	if len(a.readings) == 0 {
		return nil
	}
	if err := a.byName(a.of); err != nil {
		return err
	}
	return a.byAmount()
}

// accounts are the debit accounts of the payout's attempts.
func (a *around) accounts() (ids []string) {
	for _, at := range a.of {
		if id := a.batches[at.BatchID].BankAccountID; !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// take takes in an attempt, and its batch; but none of the payout that was planned since
// it was asked for.
func (a *around) take(at ledger.Attempt) error {
	if at.ID == a.of[0].ID && at.Number > len(a.of) {
		return nil
	}
	a.attempts[at.Key()] = at
	if _, known := a.batches[at.BatchID]; known {
		return nil
	}
	b, err := a.src.Batch(a.ctx, at.BatchID)
	a.batches[at.BatchID] = b
	return err
}

// byName takes in the entries that carry the names of attempts, and whoever else is
// named in them.
func (a *around) byName(attempts []ledger.Attempt) error {
	sought := map[string]*ledger.SoughtEntries{}
	for _, at := range attempts {
		account := a.batches[at.BatchID].BankAccountID
		if sought[account] == nil {
			sought[account] = &ledger.SoughtEntries{}
		}
		sought[account].Names(at.WireRef, at.BankTxnRefID)
	}
	return a.seek(sought)
}

// seek takes in the entries that are sought of each account, and whoever is named in
// them.
func (a *around) seek(sought map[string]*ledger.SoughtEntries) error {
	from := len(a.entries)
	for account, s := range sought {
		if s.None() {
			continue
		}
		err := a.src.EachEntryOf(a.ctx, account, s, func(e ledger.KeptEntry) error {
			known := slices.ContainsFunc(a.readings, func(r ledger.KeptStatement) bool { return r.No == e.ReadNo }) // else it was taken in since
			if at := [2]int64{e.ReadNo, int64(e.Place)}; known && !a.have[at] {
				a.have[at] = true
				a.entries = append(a.entries, e)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return a.namesakes(a.entries[from:])
}

// namesakes takes in every attempt that is named in entries.
func (a *around) namesakes(entries []ledger.KeptEntry) error {
	var words []string
	add := func(text string) {
		ledger.EachName(text, func(start, end int) bool {
			if word := strings.ToLower(text[start:end]); !a.asked[word] {
				a.asked[word] = true
				words = append(words, word)
			}
			return false
		})
	}
	for i := range entries {
		e := &entries[i]
		add(e.Reference)
		add(e.Remarks)
		for _, d := range e.Details {
			add(d.Reference)
			add(d.Remarks)
		}
	}
	if len(words) == 0 {
		return nil
	}
	return a.src.AttemptsNamed(a.ctx, words, a.take)
}

// matcher is one that has taken in what is known so far. What it has given by names, it
// gives whatever more there is.
func (a *around) matcher() *Matcher {
	m := New(a.set)
	m.Follow(a.of[0].ID)
	for _, id := range slices.Sorted(maps.Keys(a.batches)) {
		m.Batch(a.batches[id])
	}
	m.expected = len(a.attempts) // of some batches they are few
	for _, key := range slices.SortedFunc(maps.Keys(a.attempts), func(x, y ledger.AttemptKey) int {
		return cmp.Or(cmp.Compare(x.PayoutID, y.PayoutID), cmp.Compare(x.Number, y.Number))
	}) {
		at := a.attempts[key]
		m.Attempt(&at)
	}
	for _, r := range a.readings {
		m.Statement(r)
	}
	for account, day := range a.newest {
		no := m.account(account)
		m.accounts[no].newest = max(m.accounts[no].newest, parseDay(day))
	}
	slices.SortFunc(a.entries, func(x, y ledger.KeptEntry) int { return cmp.Or(cmp.Compare(x.ReadNo, y.ReadNo), x.Place-y.Place) })
	for i := range a.entries {
		m.Entry(&a.entries[i])
	}
	return m
}
