package validate

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"payrun/ingest"
)

// message is what differs if the sheet is a pain.001: its columns are elements, a place is a line, every row is
// a payout, and it gives the day of the payouts and the number of their debit account.
type message struct {
	lines  []int           // where each payout begins; the first is row 2
	date   int             // the column of the requested execution date
	passed map[string]bool // days that already have a warning
	unread []string        // elements that were ignored, once all are known
}

// messageHeader reads the columns of a pain.001. It has no header, so no mapping applies.
func (c *check) messageHeader(src *ingest.Sheet) error {
	for _, name := range slices.Sorted(maps.Keys(c.o.Map)) {
		return mapError(name, c.o.Map[name], "the sheet is a pain.001, whose elements mean what ISO 20022 says")
	}
	row, err := src.Next()
	if err != nil {
		return err
	}
	words := &vocabulary{accounts: c.words.accounts}
	c.layout, c.Sheet.Header = words.read(row.Number, row.Cells), row.Number
	words.findFaults(&c.layout)
	c.layout.unmapped = slices.DeleteFunc(c.layout.besideOf(), func(b besideColumn) bool { return b.kind != asCurrency && b.kind != asNote })
	for i := range c.layout.headers {
		c.layout.headers[i] = src.Element(i)
	}
	c.layout.message = &message{date: len(row.Cells) - 1, passed: map[string]bool{}}
	return c.reportHeader()
}

// line returns the place of a payout in the text; "" for the header.
func (m *message) line(row int) string {
	if row < 2 || row-2 >= len(m.lines) {
		return ""
	}
	return ingest.LineWords(m.lines[row-2])
}

// notProvided is the text of an EndToEndId that is not a reference.
const notProvided = "NOTPROVIDED"

// executionDate refuses a payout for a later day, because payrun pays when a person submits. A past day gives a
// warning, because the payouts may have been made already.
func (r *rowReader) executionDate() {
	m := r.layout.message
	if m == nil || r.o.Now.IsZero() {
		return
	}
	switch day, today := r.row.Cells[m.date][:len(time.DateOnly)], r.o.Now.Format(time.DateOnly); {
	case day > today:
		r.findAt(m.date, "", codeExecutionDateAhead, day, fmt.Sprintf("the payout is to be made on %s, and payrun pays when you submit", day))
	case day < today && !m.passed[day]:
		m.passed[day] = true
		r.findAt(m.date, "", codeExecutionDatePast, day, fmt.Sprintf("the payouts of %s were to be made on a day that is past", day))
	}
}
