package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// EntryRef names a line of a statement: R3.17 is line 17 of reading 3. R3.17.2 is
// the second payment of the batch booking in that line.
type EntryRef struct {
	Reading int64
	Line    int // from 1, oldest first
	Part    int // from 1; 0 for the line itself
}

func (r EntryRef) String() string {
	if r.Part > 0 {
		return fmt.Sprintf("R%d.%d.%d", r.Reading, r.Line, r.Part)
	}
	return fmt.Sprintf("R%d.%d", r.Reading, r.Line)
}

// MarshalText writes the name.
func (r EntryRef) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads the name.
func (r *EntryRef) UnmarshalText(name []byte) error {
	var ok bool
	if *r, ok = ParseEntryRef(string(name)); !ok {
		return fmt.Errorf("%q names no line of a statement", name)
	}
	return nil
}

// ParseEntryRef reads the form of String, in either case. ok is false for anything else.
func ParseEntryRef(s string) (r EntryRef, ok bool) {
	_, _ = fmt.Sscanf(strings.ToUpper(s), "R%d.%d.%d", &r.Reading, &r.Line, &r.Part) // most names have no part
	return r, min(r.Reading, int64(r.Line), int64(r.Part)+1) > 0 && strings.EqualFold(r.String(), s)
}

// Compare orders lines by reading, line and part.
func (r EntryRef) Compare(o EntryRef) int {
	return cmp.Or(cmp.Compare(r.Reading, o.Reading), r.Line-o.Line, r.Part-o.Part)
}

// ReadingName returns the name of a reading for people: R3; "" for none.
func ReadingName(no int64) string {
	if no == 0 {
		return ""
	}
	return "R" + strconv.FormatInt(no, 10)
}

// ParseReadingName reads the form of ReadingName, in either case.
func ParseReadingName(s string) (no int64, ok bool) {
	_, err := fmt.Sscanf(strings.ToUpper(s), "R%d", &no)
	return no, err == nil && no > 0 && strings.EqualFold(ReadingName(no), s)
}

// StatementLine is a line of a statement that counts, or one payment of a batch booking in it.
type StatementLine struct {
	Ref           EntryRef        `json:"entry"`
	Place         int             `json:"-"` // in its day, in the order of the balances, from 1; 0 if it does not count
	BankAccountID string          `json:"-"`
	TransactionID string          `json:"transaction_id,omitempty"`
	Source        StatementSource `json:"source"`
	Day           string          `json:"day"` // posted, YYYY-MM-DD in the configured zone
	Debit         bool            `json:"debit"`
	Amount        Paise           `json:"amount"` // of the line, in paise, above zero
}

// Key identifies a line in every reading that shows it: by the bank's id, else by day, and by
// direction and amount. Two lines may have the same key.
func (l StatementLine) Key() string {
	at := l.Day
	if l.TransactionID != "" {
		at = "id " + l.TransactionID
	}
	return at + " " + Direction(l.Debit) + " " + l.Amount.String()
}

// isCredit reports whether a StatementLine.Key is that of a credit.
func isCredit(key string) bool {
	amount := strings.LastIndexByte(key, ' ')
	return strings.HasSuffix(key[:max(amount, 0)], " "+Direction(false))
}

// MatchedBy says why a line belongs to an attempt (statements.md, "Matching").
type MatchedBy string

const (
	MatchedByUTR       MatchedBy = "utr"
	MatchedByReference MatchedBy = "reference"
	MatchedByAmount    MatchedBy = "amount_and_day"
	MatchedByBatch     MatchedBy = "batch_total"
	MatchedByPeople    MatchedBy = "explained" // two people assigned it
)

// StatementMatch is a line that belongs to an attempt.
type StatementMatch struct {
	StatementLine
	By    MatchedBy `json:"by"`
	Share Paise     `json:"share"` // the attempt's part of the line, in paise: less than Amount if several share it
}

// PossibleReason says why a debit could belong to an attempt (safety.md, "Locks").
type PossibleReason string

const (
	PossibleAmount    PossibleReason = "equal_amount"  // exactly its amount, and nothing explains it
	PossibleTotal     PossibleReason = "batch_total"   // its batch's total, and nothing explains it
	PossibleNamed     PossibleReason = "named"         // it carries the attempt's name, with another amount or among others
	PossibleShare     PossibleReason = "part_of_batch" // unexplained, at least as large, and a paid payout of its batch is missing or it is a sum of unpaid ones
	PossibleOther     PossibleReason = "other_payout"  // exactly its amount or its batch's total; it counts for another payout, but that is not certain
	PossibleWithdrawn PossibleReason = "withdrawn"     // an earlier reading had it, and the newest of its day does not
	PossibleFile      PossibleReason = "only_in_file"  // only a file shows it
	PossibleBreak     PossibleReason = "break"         // a break of the balances in its days; Amount is the difference
)

// Words returns the reason for people, as it follows the words for the debit.
func (p PossibleReason) Words() string { return possibleWords[p] }

// PossibleDebit is a debit that could belong to an attempt.
type PossibleDebit struct {
	StatementLine
	Why PossibleReason `json:"why"`
}

// StatementEvidence is what the statements that count show about one attempt.
type StatementEvidence struct {
	Matches  []StatementMatch
	Possible []PossibleDebit
}

// Money returns what went out and how much of it came back, in paise. Credits that only a file
// shows count only if files is true. A credit gives back only what went out before it, in the
// order of the statement: an earlier credit belongs to another payment, unless two people
// assigned it to the attempt.
func (e StatementEvidence) Money(files bool) (out, back Paise) {
	inOrder := slices.SortedFunc(slices.Values(e.Matches), func(a, b StatementMatch) int {
		return cmp.Or(a.saidBack()-b.saidBack(), a.Order(b.StatementLine))
	})
	for _, m := range inOrder {
		switch {
		case m.Debit:
			out = out.PlusCapped(m.Share)
		case files || m.Source == FromInterface:
			back = min(back.PlusCapped(m.Share), out)
		}
	}
	return out, back
}

// saidBack returns 1 for a credit that two people assigned to the attempt, else 0.
func (m StatementMatch) saidBack() int {
	if !m.Debit && m.By == MatchedByPeople {
		return 1
	}
	return 0
}

// Order compares two lines of an account by their places in its statement.
func (l StatementLine) Order(o StatementLine) int {
	return cmp.Or(cmp.Compare(l.Day, o.Day), l.Place-o.Place, l.Ref.Part-o.Ref.Part)
}

// AccountEvidence is what the statements that count show about the whole debit account. A release
// needs it (safety.md, "Release", rule 5).
type AccountEvidence struct {
	// Unexplained are the lines that belong to no payout and that no person explained, debits
	// and credits, oldest first.
	Unexplained []StatementLine
	// Missing are the days from the first requested day to today that no reading covers, as
	// YYYY-MM-DD.
	Missing []string
}

// AttemptRecord is one attempt with all that its locks depend on.
type AttemptRecord struct {
	Attempt
	Batch Batch
	// Submit is the last submit call of its batch. CalledAt and BankTime are the time of the last
	// call of any kind, by our clock and by the bank's. If nothing was sent, CalledAt is when it
	// was planned.
	Submit             *Intent
	CalledAt, BankTime time.Time
	// RestoredAt is when an older copy that knew the payout was last accepted; zero for never.
	RestoredAt time.Time
	Statement  StatementEvidence
	Released   *ReleasedEvidence // what two people saw when they released it; nil if they did not
}

// ReleasedEvidence is the part of the statement that two people saw when they released an attempt.
type ReleasedEvidence struct {
	At   time.Time
	Keys []string // StatementLine.Key of its lines and its possible debits, sorted
	// CreditGone: a credit without a name, which made up for a debit in the release, no longer
	// exists or no longer belongs to the attempt.
	CreditGone bool
}
