package ledger

import (
	"crypto/sha256"
	"slices"
)

// KeptStatement is a reading as a ledger keeps it. Its Entries are those that it
// brought, where they are asked for: what an earlier reading had is that one's.
type KeptStatement struct {
	No int64 // in the order of recording, from 1 without gaps
	StatementRead
}

// KeptEntry is an entry as a ledger keeps it.
type KeptEntry struct {
	ReadNo        int64 // the reading that brought it
	Place         int   // in that reading, from 1, oldest first
	BankAccountID string
	Source        StatementSource
	EntryKey
	StatementEntry
}

// Kept is the reading as a ledger records it: oldest first, whichever way round
// the bank has it, and each entry with what tells it from others.
func (r StatementRead) Kept() []KeptEntry {
	r.Entries = r.oldestFirst()
	list := make([]KeptEntry, len(r.Entries))
	for i, key := range r.Unlike() {
		list[i] = KeptEntry{Place: i + 1, BankAccountID: r.BankAccountID, Source: r.Source, EntryKey: key, StatementEntry: r.Entries[i]}
	}
	return list
}

// oldestFirst turns entries round where more of them follow one another by their
// balances that way; where as many do, as with a debit that came back, what the
// account held at the end tells, or else their moments. What is missing between two
// of them is told by their balances later, and does not hide it.
func (r *StatementRead) oldestFirst() []StatementEntry {
	n := len(r.Entries)
	if n < 2 {
		return r.Entries
	}
	onward, back := 0, 0
	for i := 1; i < n; i++ {
		if follows(&r.Entries[i-1], &r.Entries[i]) {
			onward++
		}
		if follows(&r.Entries[i], &r.Entries[i-1]) {
			back++
		}
	}
	first, last := &r.Entries[0], &r.Entries[n-1]
	turn := back > onward
	if back == onward {
		turn = first.Transacted > last.Transacted
		if end, known := r.end(); known && first.Transacted == last.Transacted {
			turn = first.Closing == end && last.Closing != end
		}
	}
	if !turn {
		return r.Entries
	}
	turned := slices.Clone(r.Entries)
	slices.Reverse(turned)
	return turned
}

// end is what the account held at the end, where the statement or the bank says.
func (r *StatementRead) end() (balance Paise, known bool) {
	if r.HasClosing {
		return r.Closing, true
	}
	if n := len(r.Balances); n > 0 {
		return r.Balances[n-1].Balance, true
	}
	return 0, false
}

// follows reports whether an entry begins at the balance after another.
func follows(before, e *StatementEntry) bool {
	balance, ok := e.Before()
	return ok && balance == before.Closing
}

// StatementDigest takes the digest of a reading and of the entries that it
// brought, one after another: the one in its event.
type StatementDigest struct {
	r    running
	room []byte
}

// NewStatementDigest begins with what the reading says besides its entries.
func NewStatementDigest(s *KeptStatement) *StatementDigest {
	d := &StatementDigest{}
	e := encode(nil, "statement").number(s.No).text(s.BankAccountID).text(string(s.Source)).text(string(s.Shape)).
		text(s.File.Name).text(s.File.SHA256).text(s.File.Format).text(s.From).text(s.To).
		yes(s.HasOpening).number(int64(s.Opening)).yes(s.HasClosing).number(int64(s.Closing)).moment(s.At).text(s.Actor)
	for _, id := range s.RequestIDs {
		e = e.text("request").text(id)
	}
	for _, b := range s.Balances {
		e = e.text("balance").number(int64(b.Balance)).moment(b.At)
	}
	d.r.begin("statement", sha256.Sum256(e))
	return d
}

// Add takes the next entry in.
func (d *StatementDigest) Add(k *KeptEntry) {
	e := encode(d.room, "entry").number(int64(k.Place)).text(k.BankAccountID).text(string(k.Source)).text(k.Key).number(int64(k.Nth)).
		text(k.TransactionID).yes(k.Debit).number(int64(k.Amount)).number(int64(k.Closing)).text(k.Transacted).text(k.Posted).text(k.Value).
		text(k.Reference).text(k.Remarks).number(int64(len(k.Details)))
	for _, p := range k.Details {
		e = e.number(int64(p.Amount)).text(p.Reference).text(p.Remarks)
	}
	d.r.h.Write(e) // a hash does not fail
	d.room = e
}

// Sum is the digest of what was taken in.
func (d *StatementDigest) Sum() Digest { return d.r.sum() }
