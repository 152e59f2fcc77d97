package ledger

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// StatementEntry is one movement on a debit account as the bank's statement
// shows it (interface.md, "Statement entry"), or a file of the bank. Its texts are
// raw until they are recorded: then account numbers in the remarks are masked.
type StatementEntry struct {
	TransactionID string `json:"transaction_id"` // the bank's own id; "" in most files
	Debit         bool   `json:"debit"`          // else a credit
	Amount        Paise  `json:"amount"`
	Closing       Paise  `json:"closing"` // what the account held after it; below zero where it was overdrawn
	// Transacted, Posted and Value are YYYY-MM-DD HH:MM:SS in a zone that the interface does not name,
	// taken for the configured one; in files YYYY-MM-DD alone if there is no time. The last two may be
	// empty.
	Transacted string `json:"transacted"`
	Posted     string `json:"posted"`
	Value      string `json:"value"`
	Reference  string `json:"reference"`
	Remarks    string `json:"remarks"`
	// Details are what a batch booking is made of, where the statement tells: each
	// is a witness of its own, and they add up to Amount.
	Details []EntryDetail `json:"details"`
}

// EntryDetail is one payment of a batch booking, in its entry's direction.
type EntryDetail struct {
	Amount    Paise  `json:"amount"`
	Reference string `json:"reference"`
	Remarks   string `json:"remarks"`
}

// Day is the day on which the bank posted the entry, or else on which it moved the
// balance, YYYY-MM-DD.
func (e *StatementEntry) Day() string {
	text := cmp.Or(e.Posted, e.Transacted)
	return text[:min(len(text), len(time.DateOnly))]
}

// Direction is the interface's word for a debit, or else a credit.
func Direction(debit bool) string {
	if debit {
		return "debit"
	}
	return "credit"
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
	FromInterface StatementSource = "bank"
	FromFile      StatementSource = "file"
)

// StatementShape is what a reading gave.
type StatementShape string

const (
	ShapeEntries StatementShape = "entries"
	ShapePending StatementShape = "pending" // HTTP 202: how the bank gives it later is not shown (partner bank 8)
	ShapeOther   StatementShape = "other"   // payouts in place of entries, the other shape that the interface shows
)

// StatementRead is one reading of one debit account's statement, whole: from the
// interface what one query gave, all pages of it; of a file what it says of the
// account.
type StatementRead struct {
	BankAccountID string          `json:"bank_account_id"`
	Source        StatementSource `json:"source"`
	Shape         StatementShape  `json:"shape"`
	FileName      string          `json:"file_name"`   // of FromFile: the base name of the file that it was made of
	FileSHA256    string          `json:"file_sha256"` // of its bytes, lower-case hex
	FileFormat    string          `json:"file_format"` // "csv", "xlsx", "camt.053" or "mt940"
	From          string          `json:"from"`        // the days it covers, YYYY-MM-DD, both included
	To            string          `json:"to"`
	Period        bool            `json:"period"` // a file states its days: then the first and the last are whole
	// Opening and Closing are the balances before the first and after the last of it, where the
	// statement says so itself: a file does, the interface does not.
	Opening    *Paise   `json:"opening"`
	Closing    *Paise   `json:"closing"`
	RequestIDs []string `json:"request_ids"` // of the interface's pages, each once, kept for reconciliation
	// Balances are what the bank said that the account holds, before and after it was read,
	// where it was asked.
	Balances []BalanceRead    `json:"balances"`
	At       time.Time        `json:"at"` // when it was asked for, or imported
	Actor    string           `json:"actor"`
	Entries  []StatementEntry `json:"-"` // in the order of the statement, newest first or last
}

// StatementCounts is what recording a reading came to: its number, the lines that
// were not known before, and those that were.
type StatementCounts struct {
	Reading    int64
	New, Known int
}

// BalanceRead is what the account held when the bank was asked.
type BalanceRead struct {
	Balance Paise     `json:"balance"`
	At      time.Time `json:"at"`
}

// Check holds a reading against what every reading is.
func (r *StatementRead) Check() error {
	bad := func(format string, args ...any) error { return fmt.Errorf("statement: "+format, args...) }
	from, errFrom := time.Parse(time.DateOnly, r.From)
	to, errTo := time.Parse(time.DateOnly, r.To)
	switch {
	case r.Shape != ShapeEntries && len(r.Entries) > 0:
		return bad("entries, although there are none to be had")
	case errFrom != nil || errTo != nil || to.Before(from):
		return bad("days %q to %q", r.From, r.To)
	}
	for i := range r.Entries {
		e := &r.Entries[i]
		if _, err := time.Parse(time.DateOnly, e.Day()); err != nil || e.Amount < 0 {
			return bad("entry %d: %s on %q", i+1, e.Amount, e.Transacted)
		}
		if _, ok := e.Before(); !ok {
			return bad("entry %d: the balance before it is beyond what an amount can be", i+1)
		}
		for _, d := range e.Details { // whether they add up is reported, not refused
			if d.Amount <= 0 {
				return bad("entry %d: a detail of %s", i+1, d.Amount)
			}
		}
	}
	return nil
}

// Masked is the reading with the account numbers in its remarks masked. ours is
// asked, in lower case, whether a word is a UTR or a reference of ours.
func (r StatementRead) Masked(ours func(word string) bool) StatementRead {
	r.Entries = slices.Clone(r.Entries)
	for i := range r.Entries {
		e := &r.Entries[i]
		e.Remarks, e.Details = MaskRemarks(e.Remarks, ours), append([]EntryDetail(nil), e.Details...)
		for j := range e.Details {
			e.Details[j].Remarks = MaskRemarks(e.Details[j].Remarks, ours)
		}
	}
	return r
}

// readingNote is what an event keeps of a reading.
type readingNote struct {
	Reading    string          `json:"reading"`
	Account    string          `json:"account"`
	Source     StatementSource `json:"source"`
	Shape      StatementShape  `json:"shape"`
	From       string          `json:"from"`
	To         string          `json:"to"`
	File       string          `json:"file,omitempty"`
	SHA256     string          `json:"sha256,omitempty"`
	Entries    int             `json:"entries"`
	RequestIDs []string        `json:"request_ids,omitempty"`
}

func (n readingNote) words() string {
	s := n.Reading + " from the bank"
	if n.Source == FromFile {
		s = n.Reading + " from the file " + n.File
	}
	s += fmt.Sprintf(": %s to %s, %d entries", n.From, n.To, n.Entries)
	if n.SHA256 != "" {
		s += "; sha256 " + n.SHA256
	}
	return s
}

// Event is what the audit trail says of a reading, with a digest of all of it.
func (k *KeptStatement) Event(digest Digest) Event {
	detail := readingNote{ReadingName(k.No), k.BankAccountID, k.Source, k.Shape, k.From, k.To, k.FileName, k.FileSHA256, k.Lines, k.RequestIDs}
	return Event{At: k.At, Actor: k.Actor, Kind: EventStatementRead, Detail: jsonText(detail), Digest: digest.String()}
}

// jsonText is a detail of an event.
func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is made of texts and numbers
	}
	return string(text)
}
