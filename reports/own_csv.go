package reports

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ownCSV writes rows of the person's own sheet as CSV. With given, cells go
// out as they are and what cannot is errNotPlain; without, they are made
// harmless, as in every other report.
type ownCSV struct {
	w     *csv.Writer
	raw   *bufio.Writer
	given bool
	wide  bool // there are characters beyond ASCII
	cells []string
	last  int // the last row's number
}

// errNotPlain is a cell that a CSV cannot hold without being read as something
// else, by the spreadsheet program or by us: a formula, a control character.
var errNotPlain = errors.New("a cell would be a formula in a CSV")

func newOwnCSV(w *bufio.Writer, given bool) *ownCSV {
	return &ownCSV{w: csv.NewWriter(w), raw: w, given: given}
}

// write adds row number n, with blank lines for the rows that are not there.
func (o *ownCSV) write(n int, line []ownCell) error {
	for o.w.Flush(); o.last < n-1; o.last++ {
		if err := o.raw.WriteByte('\n'); err != nil {
			return err
		}
	}
	o.last = n
	o.cells = o.cells[:0]
	for _, c := range line {
		text, err := o.cell(c)
		if err != nil {
			return err
		}
		o.wide = o.wide || !isASCII(text)
		o.cells = append(o.cells, text)
	}
	return o.w.Write(o.cells)
}

func (o *ownCSV) cell(c ownCell) (string, error) {
	switch {
	case c.isOurs && c.ours.number != "":
		return c.ours.number, nil
	case c.isOurs:
		return inert(c.ours.text), nil
	case !o.given:
		return inert(cleanLines(c.own.Text)), nil
	case !isPlainCell(c.own.Text):
		return "", errNotPlain
	}
	return c.own.Text, nil
}

func (o *ownCSV) finish() error {
	o.w.Flush()
	return o.w.Error()
}

// byteOrderMark lets spreadsheet programs see that a CSV is UTF-8.
const byteOrderMark = "\ufeff"

// isPlainCell reports whether a cell is the same text to every program: no
// formula, and nothing that a terminal would act on. A number with a sign is
// a number everywhere.
func isPlainCell(s string) bool {
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		return false
	}
	return inert(s) == s || isSigned(s)
}

func isSigned(s string) bool {
	digits := strings.TrimLeft(s, "+-")
	return len(s)-len(digits) == 1 && digits != "" && digits[0] >= '0' && digits[0] <= '9' && strings.Trim(digits, "0123456789.,") == ""
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// cleanLines is clean for a text of several lines.
func cleanLines(s string) string {
	if !strings.Contains(s, "\n") {
		return clean(s)
	}
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = clean(lines[i])
	}
	return strings.Join(lines, "\n")
}

// copyWithMark gives the CSV the byte order mark where it needs one.
func (o *ownCSV) copyWithMark(w io.Writer, from *draft) error {
	if o.wide {
		if _, err := io.WriteString(w, byteOrderMark); err != nil {
			return err
		}
	}
	return from.copyTo(w)
}
