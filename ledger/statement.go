package ledger

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// StatementEntry is one movement on a debit account, as the bank's statement
// (interface.md, "Statement entry") or a file of the bank shows it. Its texts are
// raw. Account numbers in the remarks are masked before it is recorded.
type StatementEntry struct {
	TransactionID string `json:"transaction_id"` // the bank's own id; "" in most files
	Debit         bool   `json:"debit"`          // else a credit
	Amount        Paise  `json:"amount"`
	Closing       Paise  `json:"closing"` // the balance after it; below zero if the account was overdrawn
	// Transacted, Posted and Value are YYYY-MM-DD HH:MM:SS. The interface does not name their zone;
	// payrun takes the configured one. Files without times have YYYY-MM-DD. Posted and Value may be
	// empty.
	Transacted string `json:"transacted"`
	Posted     string `json:"posted"`
	Value      string `json:"value"`
	Reference  string `json:"reference"`
	Remarks    string `json:"remarks"`
	// Details are the payments of a batch booking, if the statement lists them. Each
	// is matched on its own if they add up to Amount (see KeptLine.Pieces).
	Details []EntryDetail `json:"details"`
}

// EntryDetail is one payment of a batch booking, in its entry's direction.
type EntryDetail struct {
	Amount    Paise  `json:"amount"`
	Reference string `json:"reference"`
	Remarks   string `json:"remarks"`
}

// Day returns the day on which the bank posted the entry, or else the day of the
// transaction, YYYY-MM-DD.
func (e *StatementEntry) Day() string {
	text := cmp.Or(e.Posted, e.Transacted)
	return text[:min(len(text), len(time.DateOnly))]
}

// Direction returns the interface's word for a debit or a credit.
func Direction(debit bool) string {
	if debit {
		return "debit"
	}
	return "credit"
}

// Change returns how the entry changes the balance, in paise: below zero for a debit.
func (e *StatementEntry) Change() Paise {
	if e.Debit {
		return -e.Amount
	}
	return e.Amount
}

// Before returns the balance before the entry, in paise. ok is false if it is out
// of range.
func (e *StatementEntry) Before() (before Paise, ok bool) { return e.Closing.Plus(-e.Change()) }

// StatementSource is where a reading comes from.
type StatementSource string

const (
	FromInterface StatementSource = "bank"
	FromFile      StatementSource = "file"
)

// StatementShape says what a reading contains.
type StatementShape string

const (
	ShapeEntries StatementShape = "entries"
	ShapePending StatementShape = "pending" // HTTP 202: the interface does not show how to fetch the rest (partner bank 8)
	ShapeOther   StatementShape = "other"   // payouts instead of entries, the other shape that the interface shows
)

// StatementRead is one complete reading of one debit account's statement: all
// pages of one query to the interface, or everything that a file has on the
// account.
type StatementRead struct {
	BankAccountID string          `json:"bank_account_id"`
	Source        StatementSource `json:"source"`
	Shape         StatementShape  `json:"shape"`
	FileName      string          `json:"file_name"`   // for FromFile: the base name of the file
	FileSHA256    string          `json:"file_sha256"` // of its bytes, lower-case hex
	FileFormat    string          `json:"file_format"` // "csv", "xlsx", "camt.053" or "mt940"
	From          string          `json:"from"`        // the days it covers, YYYY-MM-DD, both included
	To            string          `json:"to"`
	Period        bool            `json:"period"` // the file states its days, so the first and the last are whole
	// Opening and Closing are the balances before the first and after the last entry, if the
	// statement states them: a file does, the interface does not.
	Opening    *Paise   `json:"opening"`
	Closing    *Paise   `json:"closing"`
	RequestIDs []string `json:"request_ids"` // of the interface's pages, each once, kept for reconciliation
	// Balances are the account's balances that the bank gave before and after the reading, if
	// they were requested.
	Balances []BalanceRead    `json:"balances"`
	At       time.Time        `json:"at"` // when it was requested or imported
	Actor    string           `json:"actor"`
	Entries  []StatementEntry `json:"-"` // in the order of the statement, newest first or last
}

// StatementCounts is the result of recording a reading: its number, and how many
// of its lines were new and how many were known.
type StatementCounts struct {
	Reading       int64
	New, Repeated int
}

// BalanceRead is the balance that the bank gave, in paise, and when.
type BalanceRead struct {
	Balance Paise     `json:"balance"`
	At      time.Time `json:"at"`
}

// Check returns an error if the reading breaks a rule that every reading meets.
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
		for _, d := range e.Details { // a wrong sum is reported, not refused
			if d.Amount <= 0 {
				return bad("entry %d: a detail of %s", i+1, d.Amount)
			}
		}
	}
	return nil
}

// Masked returns the reading with the account numbers in its remarks masked. ours
// reports whether a word, in lower case, is a UTR or a reference of ours.
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

// readingNote is the detail of the event of a reading.
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

// Event returns the audit event of the reading. digest covers all of it.
func (k *KeptStatement) Event(digest Digest) Event {
	detail := readingNote{ReadingName(k.No), k.BankAccountID, k.Source, k.Shape, k.From, k.To, k.FileName, k.FileSHA256, k.Lines, k.RequestIDs}
	return Event{At: k.At, Actor: k.Actor, Kind: EventStatementRead, Detail: jsonText(detail), Digest: digest.String()}
}

// jsonText returns v as JSON, for the detail of an event.
func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // cannot happen: v has only texts and numbers
	}
	return string(text)
}
