package ledger

import (
	"fmt"
	"strings"
	"time"
)

// StatementEntry is one movement on a debit account as the bank's statement
// shows it (interface.md, "Statement entry"), or a file of the bank. Its texts are
// raw until they are recorded: then account numbers in the remarks are masked.
type StatementEntry struct {
	TransactionID string // the bank's own id; "" in most files
	Debit         bool   // else a credit
	Amount        Paise
	Closing       Paise // what the account held after it; below zero where it was overdrawn
	// Transacted, Posted and Value are YYYY-MM-DD HH:MM:SS in a zone that the
	// interface does not name, taken for the configured one; of files YYYY-MM-DD
	// alone where no time is told. The last two may be empty.
	Transacted, Posted, Value string
	Reference                 string
	Remarks                   string
	// Details are what a batch booking is made of, where the statement tells: each
	// is a witness of its own, and they add up to Amount.
	Details []EntryDetail
}

// EntryDetail is one payment of a batch booking, in its entry's direction.
type EntryDetail struct {
	Amount    Paise  `json:"amount"`
	Reference string `json:"reference"`
	Remarks   string `json:"remarks"`
}

// Day is the day on which the entry moved the balance, YYYY-MM-DD.
func (e *StatementEntry) Day() string {
	if len(e.Transacted) < len(time.DateOnly) {
		return e.Transacted
	}
	return e.Transacted[:len(time.DateOnly)]
}

// At is when the entry was posted, or else when it moved the balance, read in
// zone; a day alone is its first moment.
func (e *StatementEntry) At(zone *time.Location) (time.Time, error) {
	text := e.Posted
	if text == "" {
		text = e.Transacted
	}
	layout := time.DateTime
	if len(text) == len(time.DateOnly) {
		layout = time.DateOnly
	}
	t, err := time.ParseInLocation(layout, text, zone)
	if err != nil {
		return t, fmt.Errorf("the entry of %s: %w", e.Amount, err)
	}
	return t, nil
}

// Change is what the entry does to the balance: below zero for a debit.
func (e *StatementEntry) Change() Paise {
	if e.Debit {
		return -e.Amount
	}
	return e.Amount
}

// Before is what the account held before the entry. ok is false where that is
// beyond what an amount can be.
func (e *StatementEntry) Before() (before Paise, ok bool) { return e.Closing.Plus(-e.Change()) }

// StatementSource is where a reading comes from.
type StatementSource string

const (
	FromInterface StatementSource = "interface"
	FromFile      StatementSource = "file"
)

// StatementShape is what a reading gave.
type StatementShape string

const (
	ShapeEntries StatementShape = "entries"
	ShapePending StatementShape = "pending" // HTTP 202: how the bank gives it later is not shown (partner bank 8)
	ShapeOther   StatementShape = "other"   // payouts in place of entries, the other shape that the interface shows
)

// StatementFile is the file that a reading was made of.
type StatementFile struct {
	Name   string // its base name
	SHA256 string // of its bytes, lower-case hex
	Format string // "csv", "xlsx", "camt.053" or "mt940"
}

// StatementRead is one reading of one debit account's statement, whole: from the
// interface what one query gave, all pages of it; of a file what it says of the
// account.
type StatementRead struct {
	BankAccountID string
	Source        StatementSource
	Shape         StatementShape
	File          StatementFile // of FromFile
	From, To      string        // the days it covers, YYYY-MM-DD, both included
	// Opening and Closing are the balances before the first and after the last of
	// it, where the statement says so itself: a file does, the interface does not.
	Opening, Closing       Paise
	HasOpening, HasClosing bool
	RequestIDs             []string // of the interface's pages, each once, kept for reconciliation
	// Balances are what the bank said that the account holds, before and after it
	// was read, where it was asked.
	Balances []BalanceRead
	At       time.Time
	Actor    string
	Entries  []StatementEntry // in the order of the statement, newest first or last
}

// StatementCounts is what recording a reading came to: entries that the ledger
// did not have, and those that it had from an earlier reading of the same source.
type StatementCounts struct {
	New, Known int
}

// BalanceRead is what the account held when the bank was asked.
type BalanceRead struct {
	Balance Paise     `json:"balance"`
	At      time.Time `json:"at"`
}

// KeyFrom tells an entry from others of its account and source. Two entries of one
// file may have the same one, and are two all the same: the same amount to and fro
// in one day ends at the same balance. From the interface the bank's id is in it,
// with what must not change about it: an id that the bank gives twice hides no
// debit. It never holds the entry's texts, which banks cut and reword.
func (e *StatementEntry) KeyFrom(source StatementSource) string {
	direction := "credit"
	if e.Debit {
		direction = "debit"
	}
	if source == FromInterface && e.TransactionID != "" {
		return strings.Join([]string{"id", e.TransactionID, e.Day(), direction, e.Amount.String()}, "|")
	}
	return strings.Join([]string{"at", e.Day(), direction, e.Amount.String(), e.Closing.String()}, "|")
}

// Unlike gives each entry its key and which of those with that key it is, from 1.
// What the interface gives twice in one reading, with the bank's id and the same
// balance after it, is one entry: pages overlap where one is added meanwhile. Its
// number is 0.
func (r *StatementRead) Unlike() []EntryKey {
	keys := make([]EntryKey, len(r.Entries))
	count := make(map[string]int, len(r.Entries))
	given := map[string]bool{}
	for i := range r.Entries {
		e := &r.Entries[i]
		key := e.KeyFrom(r.Source)
		keys[i].Key = key
		if r.Source == FromInterface && e.TransactionID != "" {
			whole := key + "|" + e.Closing.String()
			if given[whole] {
				continue
			}
			given[whole] = true
		}
		count[key]++
		keys[i].Nth = count[key]
	}
	return keys
}

// EntryKey is how a ledger knows an entry of one account and source.
type EntryKey struct {
	Key string
	Nth int // of those with the key, from 1; 0 for one that was there before in the same reading
}

// Check holds a reading against what every reading is.
func (r *StatementRead) Check() error {
	bad := func(format string, args ...any) error { return fmt.Errorf("statement: "+format, args...) }
	from, errFrom := time.Parse(time.DateOnly, r.From)
	to, errTo := time.Parse(time.DateOnly, r.To)
	switch {
	case r.BankAccountID == "":
		return bad("no account is given")
	case r.Source != FromInterface && r.Source != FromFile:
		return bad("source %q", r.Source)
	case r.Shape != ShapeEntries && (r.Source != FromInterface || r.Shape != ShapePending && r.Shape != ShapeOther):
		return bad("shape %q from %q", r.Shape, r.Source)
	case r.Shape != ShapeEntries && len(r.Entries) > 0:
		return bad("entries, although there are none to be had")
	case errFrom != nil || errTo != nil || to.Before(from):
		return bad("days %q to %q", r.From, r.To)
	case (r.Source == FromFile) != (r.File != StatementFile{}):
		return bad("a file is given only where it is one")
	}
	for i := range r.Entries {
		e := &r.Entries[i]
		if _, err := time.Parse(time.DateOnly, e.Day()); err != nil || e.Amount < 0 {
			return bad("entry %d: %s on %q", i+1, e.Amount, e.Transacted)
		}
		if _, ok := e.Before(); !ok {
			return bad("entry %d: the balance before it is beyond what an amount can be", i+1)
		}
		if err := e.checkDetails(); err != nil {
			return bad("entry %d: %w", i+1, err)
		}
	}
	return nil
}

// checkDetails: what a booking is made of is above zero each. That they add up is
// for whoever judges it: what they lack is told, and not refused.
func (e *StatementEntry) checkDetails() error {
	for _, d := range e.Details {
		if d.Amount <= 0 {
			return fmt.Errorf("a detail of %s", d.Amount)
		}
	}
	return nil
}

// Masked is the reading with the account numbers in its remarks masked. ours is
// asked, in lower case, whether a word is a UTR or a reference of ours.
func (r StatementRead) Masked(ours func(word string) bool) StatementRead {
	masked := make([]StatementEntry, len(r.Entries))
	for i, e := range r.Entries {
		e.Remarks = MaskRemarks(e.Remarks, ours)
		details := make([]EntryDetail, 0, len(e.Details))
		for _, d := range e.Details {
			d.Remarks = MaskRemarks(d.Remarks, ours)
			details = append(details, d)
		}
		if e.Details = nil; len(details) > 0 {
			e.Details = details
		}
		masked[i] = e
	}
	r.Entries = masked
	return r
}

// Event is what the audit trail says of a reading: how much it brought, and a
// digest of it with each entry that was new.
func (r *StatementRead) Event(counts StatementCounts, digest Digest) Event {
	from := "the interface"
	if r.Source == FromFile {
		from = fmt.Sprintf("%s %s; sha256 %s", r.File.Format, r.File.Name, r.File.SHA256)
	}
	what := map[StatementShape]string{
		ShapeEntries: fmt.Sprintf("%d new, %d known", counts.New, counts.Known),
		ShapePending: "not ready (HTTP 202)",
		ShapeOther:   "payouts in place of entries",
	}[r.Shape]
	detail := fmt.Sprintf("statement of %s, %s to %s, from %s: %s", r.BankAccountID, r.From, r.To, from, what)
	if len(r.RequestIDs) > 0 {
		detail += "; request " + strings.Join(r.RequestIDs, ", ")
	}
	return Event{At: r.At, Actor: r.Actor, Kind: EventStatementRead, Detail: detail, Digest: digest.String()}
}
