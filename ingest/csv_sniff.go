package ingest

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// separators are in the order of preference when nothing else decides.
var separators = [...]byte{',', ';', '\t', '|'}

// sepLine reads the line "sep=;", which sets the separator for Excel. Excel does not show the line, so it is
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

// sniffRows is how many rows are examined to find the separator.
const sniffRows = 100

// sniff finds the separator from the first rows: the one under which it recognises a header, else the one that
// gives most rows the same number of cells. Title rows above the header, and separators inside quotes, do not
// mislead it. If no separator gives a header, one that gives a header below unreadable rows wins: then those
// rows are refused.
func (c *csvReader) sniff(o Options) byte {
	best, bestScore := separators[0], score{}
	for _, passOver := range [...]bool{false, true} {
		for _, sep := range separators {
			if bytes.IndexByte(c.buf, sep) < 0 {
				continue
			}
			if s := rate(c.first(sep, passOver), o); bestScore.less(s) && (s.header > 0 || !passOver) {
				best, bestScore = sep, s
			}
		}
		if bestScore.header > 0 {
			break
		}
	}
	return best
}

// first returns the cells of the first rows under a separator, as far as they are in the buffer. At a row that
// cannot be read with it, it stops, or skips the line.
func (c *csvReader) first(sep byte, passOver bool) (rows [][]string) {
	r := csvReader{textBuffer: c.textBuffer, limits: c.limits}
	r.separate(sep)
	for len(rows) < sniffRows && r.pos < len(r.buf) {
		after, err := r.record()
		if err == nil {
			rows = append(rows, slices.Clone(r.give(after).Cells))
			continue
		}
		end := r.pos + bytes.IndexAny(r.buf[r.pos:], "\r\n")
		if !passOver || end < r.pos || end > r.bad {
			break
		}
		r.pos = end + 1
		rows = append(rows, nil)
	}
	return rows
}

// score compares separators: first the width of the header, then how many rows agree on a width, then that
// width.
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
