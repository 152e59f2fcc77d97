package ledger

import (
	"crypto/sha256"
	"slices"
	"time"
)

// bankZone is the zone in which the days of a statement are counted: a bank in India
// posts by Indian time, even if people read times in another zone. It is fixed, so the
// same ledger gives the same matches everywhere.
var bankZone = time.FixedZone("IST", 5*3600+1800)

// BankDay returns the day of a time at the bank, YYYY-MM-DD; "" for the zero time.
func BankDay(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(bankZone).Format(time.DateOnly)
}

// BankDayBegins returns the first moment of a day, YYYY-MM-DD, at the bank.
func BankDayBegins(day string) time.Time {
	t, _ := time.ParseInLocation(time.DateOnly, day, bankZone) // no day: the zero time, before all others
	return t
}

// DayPlus returns the day n days after day, both YYYY-MM-DD; "" if day is no day.
func DayPlus(day string, n int) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return ""
	}
	return t.AddDate(0, 0, n).Format(time.DateOnly)
}

// KeptStatement is a reading as a ledger keeps it, without its lines.
type KeptStatement struct {
	No int64 `json:"no"` // from 1, in the order of recording
	StatementRead
	Lines int       `json:"lines"` // how many lines it has, including those of Same
	Same  []SameDay `json:"same"`  // days whose lines are kept with an earlier reading, word for word; in order
	Void  time.Time `json:"-"`     // when two people declared it void; zero if they did not
}

// SameDay is a day for which a reading shows the same lines as an earlier one.
type SameDay struct {
	Day     string `json:"day"`
	Reading int64  `json:"reading"` // the reading with which the lines are kept
}

// Covers reports whether a reading covers a day.
func (k *KeptStatement) Covers(day string) bool {
	return k.Shape == ShapeEntries && k.From <= day && day <= k.To
}

// whole reports whether a reading covers the whole of a day within its days. The
// bank's own reading covers time up to the request. A file that does not state its
// days may have only parts of the first and the last.
func (k *KeptStatement) whole(day string) bool {
	if k.Source == FromInterface {
		return day < BankDay(k.At)
	}
	return k.Period || k.From < day && day < k.To
}

// KeptLine is a line of a reading as a ledger keeps it.
type KeptLine struct {
	Ref           EntryRef        `json:"-"` // without a part
	Place         int             `json:"-"` // within its day; see StatementLine
	BankAccountID string          `json:"bank_account_id"`
	Source        StatementSource `json:"source"`
	Day           string          `json:"day"` // posted, kept within the days of its reading
	StatementEntry
}

// Statement returns the line as it is compared with payouts.
func (l *KeptLine) Statement() StatementLine {
	return StatementLine{Ref: l.Ref, Place: l.Place, BankAccountID: l.BankAccountID, TransactionID: l.TransactionID, Source: l.Source, Day: l.Day, Debit: l.Debit, Amount: l.Amount}
}

// Piece is a line, or one payment of a batch booking, with its words.
type Piece struct {
	StatementLine
	Words []string
}

// Pieces returns the payments of a line if they add up to its amount. Otherwise it
// returns the line itself with all the words.
func (l *KeptLine) Pieces() []Piece {
	whole := Piece{l.Statement(), []string{l.Reference, l.Remarks}}
	var list []Piece
	var sum Paise
	for i, d := range l.Details {
		p := Piece{whole.StatementLine, []string{d.Reference, d.Remarks}}
		p.Ref.Part, p.Amount = i+1, d.Amount
		list, sum = append(list, p), sum+d.Amount
		whole.Words = append(whole.Words, p.Words...)
	}
	if len(list) == 0 || sum != l.Amount {
		return []Piece{whole}
	}
	return list
}

// KeptLines returns the lines of a reading as a ledger records them, oldest first,
// in either order of the bank. Two entries of the interface with the same id and
// balance in one reading are one line: pages overlap if an entry is added while
// they are read.
func (r StatementRead) KeptLines(no int64) []KeptLine {
	type once struct {
		id, day string
		debit   bool
		amount  Paise
		closing Paise
	}
	given := map[once]bool{}
	var list []KeptLine
	day := r.From
	for _, e := range r.oldestFirst() {
		key := once{e.TransactionID, e.Day(), e.Debit, e.Amount, e.Closing}
		if r.Source == FromInterface && e.TransactionID != "" && given[key] && (len(list) == 0 || !follows(&list[len(list)-1].StatementEntry, &e)) {
			continue
		}
		given[key] = true
		day = min(max(e.Day(), day), r.To) // never back: the balances follow the order of the lines
		list = append(list, KeptLine{Ref: EntryRef{Reading: no, Line: len(list) + 1}, BankAccountID: r.BankAccountID, Source: r.Source, Day: day, StatementEntry: e})
	}
	return list
}

// oldestFirst reverses the entries if more of them then follow one another by their
// balances. If as many do either way, as with a debit that came back, their times
// decide, and if these are equal, the balance at the end.
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

// end returns the balance at the end, if the statement or the bank gives it.
func (r *StatementRead) end() (balance Paise, known bool) {
	if r.Closing != nil {
		return *r.Closing, true
	}
	if n := len(r.Balances); n > 0 {
		return r.Balances[n-1].Balance, true
	}
	return 0, false
}

// follows reports whether e begins at the balance after the entry before.
func follows(before, e *StatementEntry) bool {
	balance, ok := e.Before()
	return ok && balance == before.Closing
}

// StatementDigest computes the digest in the event of a reading: of the reading,
// then of its own lines, one after another.
type StatementDigest struct {
	r    running
	room []byte
}

// NewStatementDigest begins with the fields of the reading.
func NewStatementDigest(s *KeptStatement) *StatementDigest {
	e := encode(nil, "statement").number(s.No).text(s.BankAccountID).text(string(s.Source)).text(string(s.Shape)).
		text(s.FileName).text(s.FileSHA256).text(s.FileFormat).text(s.From).text(s.To).yes(s.Period).
		given(s.Opening).given(s.Closing).moment(s.At).text(s.Actor).number(int64(s.Lines))
	for _, id := range s.RequestIDs {
		e = e.text("request").text(id)
	}
	for _, b := range s.Balances {
		e = e.text("balance").number(int64(b.Balance)).moment(b.At)
	}
	for _, same := range s.Same {
		e = e.text("same").text(same.Day).number(same.Reading)
	}
	return &StatementDigest{r: begin("statement", sha256.Sum256(e))}
}

// given encodes an amount that may be missing.
func (e encoding) given(amount *Paise) encoding {
	if amount == nil {
		return e.yes(false).number(0)
	}
	return e.yes(true).number(int64(*amount))
}

// Add adds the next line.
func (d *StatementDigest) Add(k *KeptLine) {
	e := encode(d.room, "line").number(int64(k.Ref.Line)).text(k.BankAccountID).text(string(k.Source)).text(k.Day).
		text(k.TransactionID).yes(k.Debit).number(int64(k.Amount)).number(int64(k.Closing)).text(k.Transacted).text(k.Posted).text(k.Value).
		text(k.Reference).text(k.Remarks).number(int64(len(k.Details)))
	for _, p := range k.Details {
		e = e.number(int64(p.Amount)).text(p.Reference).text(p.Remarks)
	}
	d.r.h.Write(e) // a hash does not fail
	d.room = e
}

// Sum returns the digest of the reading and the added lines.
func (d *StatementDigest) Sum() Digest { return d.r.sum() }
