package resultsheet

import (
	"errors"
	"regexp"
	"strings"
	"unicode"

	"payrun/reports"
)

// csvSheet writes rows of the person's own sheet as CSV, which has no colours for wrong cells. With exact, cells are written unchanged, and a cell
// that cannot be is ErrNotPlain. Without it, cells are made harmless, as in every other report.
type csvSheet struct {
	*reports.CSV
	exact bool
	cells []string
	last  int // the last row's number
}

// ErrNotPlain says that a cell, such as a formula or a control character, would be read from a CSV as something
// else, by the spreadsheet program or by payrun.
var ErrNotPlain = errors.New("a cell would be a formula in a CSV")

// write adds row number n, with blank lines for missing rows.
func (s *csvSheet) write(n int, line []placed) error {
	for ; s.last < n-1; s.last++ {
		if err := s.Write(nil); err != nil {
			return err
		}
	}
	s.last = n
	s.cells = s.cells[:0]
	for _, c := range line {
		text, err := s.cell(c)
		if err != nil {
			return err
		}
		s.cells = append(s.cells, text)
	}
	return s.Write(s.cells)
}

func (s *csvSheet) cell(c placed) (string, error) {
	switch {
	case c.isOurs && c.ours.Number != "":
		return c.ours.Number, nil
	case c.isOurs:
		return reports.Inert(c.ours.Text), nil
	case !s.exact:
		return reports.Inert(cleanLines(c.theirs.text)), nil
	case !isPlainCell(c.theirs.text):
		return "", ErrNotPlain
	}
	return c.theirs.text, nil
}

// isPlainCell reports whether every program reads a cell as the same text: it is no formula, and has nothing
// that a terminal acts on. A number with a sign is a number everywhere.
func isPlainCell(s string) bool {
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		return false
	}
	return reports.Inert(s) == s || signed.MatchString(s)
}

var signed = regexp.MustCompile(`^[+-][0-9][0-9.,]*$`)

// cleanLines makes a text harmless and keeps its line breaks.
func cleanLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = reports.Clean(lines[i])
	}
	return strings.Join(lines, "\n")
}
