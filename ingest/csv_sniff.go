package ingest

import (
	"bytes"
	"cmp"
	"strings"
)

// separators in the order of preference when nothing else decides.
var separators = [...]byte{',', ';', '\t', '|'}

// sepLine reads the line "sep=;", which sets the separator for Excel. Excel does not show it, so it is
// not a row.
func sepLine(b []byte) (sep byte, after int, ok bool) {
	line := b
	if end := bytes.IndexAny(b, "\r\n"); end >= 0 {
		line, after = b[:end], 1
		if bytes.HasPrefix(b[end:], []byte("\r\n")) {
			after = 2
		}
	}
	after += len(line)
	s := strings.Trim(string(line), `"`)
	if len(s) != 5 || !strings.EqualFold(s[:4], "sep=") || !bytes.Contains(separators[:], []byte(s[4:])) {
		return 0, 0, false
	}
	return s[4], after, true
}

// sniff finds the separator from the first rows: the one under which a header
// is recognised, else the one that gives most rows the same number of cells.
// Title rows above and separators inside quotes do not mislead it.
func sniff(b []byte, whole bool, o Options) byte {
	best, bestScore := separators[0], score{}
	for _, sep := range separators {
		rows := splitFirst(b, whole, sep)
		if s := rate(rows, o); bestScore.less(s) {
			best, bestScore = sep, s
		}
	}
	return best
}

// score compares separators: a header's width, then how many rows agree on a
// width, then that width.
type score struct{ header, agree, width int }

func (s score) less(t score) bool {
	return cmp.Or(cmp.Compare(s.header, t.header), cmp.Compare(s.agree, t.agree), cmp.Compare(s.width, t.width)) < 0
}

func rate(rows [][]string, o Options) score {
	s := score{}
	widths := map[int]int{}
	for i, cells := range rows {
		if i < o.HeaderRows && s.header == 0 && o.IsHeader != nil && o.IsHeader(cells) {
			s.header = len(cells)
		}
		if n := len(cells); n > 1 {
			widths[n]++
			if t := (score{s.header, widths[n], n}); s.less(t) {
				s = t
			}
		}
	}
	return s
}

// splitFirst splits the first rows without judging their quotes.
func splitFirst(b []byte, whole bool, sep byte) [][]string {
	const most = 100
	var rows [][]string
	var cells []string
	var cell []byte
	quoted, start := false, true
	for i := 0; i < len(b) && len(rows) < most; i++ {
		c := b[i]
		switch {
		case quoted && c == '"' && i+1 < len(b) && b[i+1] == '"':
			cell = append(cell, c)
			i++
		case c == '"' && (quoted || start):
			quoted, start = !quoted, false
		case quoted || (c != sep && c != '\n' && c != '\r'):
			cell, start = append(cell, c), false
		case c == '\r' && i+1 < len(b) && b[i+1] == '\n':
		default:
			cells, cell, start = append(cells, string(cell)), cell[:0], true
			if c != sep {
				rows, cells = append(rows, cells), nil
			}
		}
	}
	if whole && len(rows) < most && (len(cells) > 0 || len(cell) > 0) {
		rows = append(rows, append(cells, string(cell)))
	}
	return rows
}
