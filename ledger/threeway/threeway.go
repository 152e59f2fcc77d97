// Package threeway matches what the bank debited, as its statements show it, with
// what was sent: the third witness beside sheet and interface. It is pure: payouts
// and entries in, what each is the witness of and what differs out, in one pass
// over each and without keeping either.
//
// It is a room of its own, and not the ledger's, because nothing of what it finds
// is kept: what the ledger records are the entries, and these may grow, so that
// it is asked anew each time. It imports the ledger alone.
//
// A Matcher takes every attempt first, then every entry, then says what it found.
// A payout is matched one to one, by its UTR, then by its reference in the
// entry's words, then by amount, account and day; never where two are alike
// (statements.md, "Matching").
package threeway

import (
	"hash/maphash"
	"math"
	"slices"
	"time"

	"payrun/ledger"
)

// Reason is why an entry is an attempt's.
type Reason uint8

const (
	ByNothing Reason = iota
	ByUTR
	ByReference
	ByAmount // amount, account and day ± 1, and nothing else is alike
	ByBatch  // it is the whole batch's: its total on its day
)

// Reasons counts payouts by why their debit is theirs.
type Reasons [ByBatch + 1]int

// Settings are what matching depends on besides the ledger.
type Settings struct {
	Now   time.Time
	Grace time.Duration  // a success younger than this may still be missing
	Zone  *time.Location // days are counted in it
	// PayrunOnly: nothing but payrun debits the accounts, so that every debit that
	// is not ours is an exception.
	PayrunOnly bool
}

// sides are the two places a statement comes from. What both show counts as often
// as the one that shows it more often.
const sides = 2

func side(s ledger.StatementSource) int {
	if s == ledger.FromFile {
		return 1
	}
	return 0
}

// named is which attempt has a name, or several.
type named struct {
	no  int32
	utr bool
}

// sent is an attempt as far as a statement may show it. There may be millions: its
// fields are as small as they go, the large ones first.
type sent struct {
	payout  int64
	amount  ledger.Paise
	updated uint32 // when it came to its state, in seconds
	number  int32
	batch   int32
	next    int32 // of its batch; 0 for none
	state   uint8 // position in ledger.PayoutStates, from 1
	reason  Reason
	back    bool // two people decided that a credit without its name is its return
	differs bool // a debit carries its name and another amount; see Matcher.debited
	debits  [sides]uint8
	credits [sides]uint8
}

func (s *sent) key() ledger.AttemptKey {
	return ledger.AttemptKey{PayoutID: s.payout, Number: int(s.number)}
}

// since is when it came to its state.
func (s *sent) since() time.Time { return time.Unix(int64(s.updated), 0).UTC() }

// batch is one as far as a statement may show it.
type batch struct {
	id      string
	account int32
	total   ledger.Paise
	day     int32 // of its submit; noDay where it was never submitted
	first   int32 // of its attempts; each knows the next
	last    int32
	met     int32
	count   int32
}

// account is a debit account.
type account struct {
	id      string
	days    map[int32]bool // those that some statement gives
	newest  int32          // the newest day of which an entry is known; noDay for none
	chain   [sides][]link
	lacking ledger.Paise   // what the details of batch bookings lack
	left    [sides][]piece // that no name gave to an attempt
	pending []string       // request ids of statements that were promised, or had another shape
}

// Matcher finds what statements and payouts tell of one another.
type Matcher struct {
	set      Settings
	seed     maphash.Seed
	names    map[uint64]named // of an attempt's UTR or reference, by account
	sent     []sent
	debited  map[int32]ledger.Paise // of attempts that differ
	expected int                    // attempts, as the batches say
	batches  []batch
	byBatch  map[string]int32
	accounts []account
	byID     map[string]int32
	pieces   int32           // that were taken in
	follow   int64           // the payout of which it is told which lines are its own; 0 for none
	own      map[uint64]bool // its names
	lines    []Line
}

// several attempts have the name: it is nobody's.
const several = -1

// New begins to match.
func New(set Settings) *Matcher {
	return &Matcher{set: set, seed: maphash.MakeSeed(), debited: map[int32]ledger.Paise{}, byBatch: map[string]int32{}, byID: map[string]int32{}}
}

// Batch takes in a batch, before its attempts.
func (m *Matcher) Batch(b ledger.Batch) {
	m.byBatch[b.ID] = int32(len(m.batches))
	m.expected += b.Count
	at := b.SubmittedAt
	if at.IsZero() && (b.State == ledger.BatchSubmitting || b.State == ledger.BatchSubmitUnknown) {
		at = b.StateSince
	}
	day := int32(noDay)
	if !at.IsZero() {
		day = dayOf(at, m.set.Zone)
	}
	m.batches = append(m.batches, batch{id: b.ID, account: m.account(b.BankAccountID), total: b.Total, day: day, count: int32(b.Count)})
}

// Attempt takes in an attempt, after its batch and before every entry, sent or
// not: the attempts of a payout one after another, and the payouts in the order of
// loading.
func (m *Matcher) Attempt(a *ledger.Attempt) {
	at, ok := m.byBatch[a.BatchID]
	if !ok {
		return
	}
	if m.sent == nil { // all batches are known by now, and how many there will be
		m.sent, m.names = make([]sent, 0, m.expected), make(map[uint64]named, m.expected)
	}
	no := int32(len(m.sent))
	m.sent = append(m.sent, sent{payout: a.ID, number: int32(a.Number), batch: at, amount: a.Amount, updated: seconds(a.UpdatedAt), state: stateNo(a.State), back: a.DecidedBack()})
	b := &m.batches[at]
	if b.met == 0 {
		b.first = no
	} else {
		m.sent[b.last].next = no
	}
	b.last = no
	b.met++
	m.name(b.account, a.WireRef, no, false)
	m.name(b.account, a.BankTxnRefID, no, true)
}

func (m *Matcher) account(id string) int32 {
	if no, there := m.byID[id]; there {
		return no
	}
	no := int32(len(m.accounts))
	m.accounts = append(m.accounts, account{id: id, newest: noDay, days: map[int32]bool{}})
	m.byID[id] = no
	return no
}

// Statement takes in that a reading covers some days of an account.
func (m *Matcher) Statement(k ledger.KeptStatement) {
	a := &m.accounts[m.account(k.BankAccountID)]
	if k.Shape != ledger.ShapeEntries {
		a.pending = append(a.pending, k.RequestIDs...)
		return
	}
	for day, to := parseDay(k.From), parseDay(k.To); day <= to; day++ {
		a.days[day] = true
	}
}

// Entry takes in an entry of a statement, after every attempt.
func (m *Matcher) Entry(e *ledger.KeptEntry) {
	no := m.account(e.BankAccountID)
	a, s := &m.accounts[no], side(e.Source)
	day := parseDay(e.Day())
	a.newest = max(a.newest, day)
	if before, ok := e.Before(); ok {
		a.chain[s] = append(a.chain[s], link{day: day, before: before, after: e.Closing})
	}
	if len(e.Details) == 0 {
		m.piece(no, s, piece{day: day, debit: e.Debit, amount: e.Amount, reference: e.Reference, whole: true}, e.Remarks)
		return
	}
	left := e.Amount
	for _, d := range e.Details {
		left -= d.Amount
		m.piece(no, s, piece{day: day, debit: e.Debit, amount: d.Amount, reference: d.Reference}, d.Remarks)
	}
	a.lacking += abs(left)
}

// piece is an entry, or one payment of a batch booking.
type piece struct {
	amount    ledger.Paise
	reference string
	day       int32
	near      int32 // the attempt whose reference stands in it short, or with a dash or the like beside it; several for none
	no        int32 // in the order in which they were taken in, from 1
	debit     bool
	whole     bool // an entry without details: it may be a whole batch's
	named     bool // a name of ours is in it, and more than one attempt has it or is named
	own       bool // a name of the payout that is followed is in it
}

// piece gives a piece to the attempt that it names, or keeps it for what amounts
// and days tell.
func (m *Matcher) piece(acc int32, side int, p piece, remarks string) {
	m.pieces++
	p.no = m.pieces
	found := m.search(acc, p.reference, remarks)
	if found.one >= 0 {
		m.give(found.one, side, &p, found.reason)
		return
	}
	p.named, p.near, p.own = found.ambiguous, found.near, found.own
	if found.short && m.sent[found.near].amount != p.amount { // a short word of somebody else's
		p.near = several
	}
	m.accounts[acc].left[side] = append(m.accounts[acc].left[side], p)
}

// give counts a piece as the attempt's.
func (m *Matcher) give(no int32, side int, p *piece, why Reason) {
	s := &m.sent[no]
	m.line(s, p, why)
	if !p.debit {
		if s.credits[side] < 255 {
			s.credits[side]++
		}
		return
	}
	if s.debits[side] < 255 {
		s.debits[side]++
	}
	if s.reason == ByNothing || why < s.reason {
		s.reason = why
	}
	if p.amount != s.amount {
		s.differs = true
		m.debited[no] = p.amount
	}
}

// seconds is how a moment is held; 0 for what is not since 1970.
func seconds(t time.Time) uint32 {
	if s := t.Unix(); s > 0 && s <= math.MaxUint32 {
		return uint32(s)
	}
	return 0
}

// stateNo is how a state is held: there may be millions.
func stateNo(s ledger.PayoutState) uint8 { return uint8(slices.Index(ledger.PayoutStates[:], s) + 1) }

// is the state that it is held as; "" for one of no name.
func (s *sent) is() ledger.PayoutState {
	if s.state == 0 {
		return ""
	}
	return ledger.PayoutStates[s.state-1]
}

func abs(p ledger.Paise) ledger.Paise {
	if p < 0 {
		return -p
	}
	return p
}
