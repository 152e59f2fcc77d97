package reports

import (
	"bytes"
	"encoding/csv"
	"strconv"

	"payrun/ledger"
)

// csvRow puts rows of a CSV together, and is the only way into a CSV report: no
// cell of it is taken for a formula. Nearly every cell is plain text, which one look
// at each of its bytes tells; the others are encoding/csv's.
type csvRow struct {
	line  []byte
	begun bool
	wide  bool // letters beyond ASCII were written

	odd  *csv.Writer // what is not plain
	room bytes.Buffer
}

// plain are the bytes that mean the same wherever they stand behind the first of a
// cell; plainFirst those that may begin one.
var plain, plainFirst = func() (behind, first [256]bool) {
	for c := byte(' '); c <= '~'; c++ {
		switch c {
		case ',', ';', '"', '\\':
			continue
		}
		behind[c] = true
		switch c {
		case '=', '+', '-', '@', ' ':
			continue
		}
		first[c] = true
	}
	return behind, first
}()

func isPlainCell(s string) bool {
	if s == "" {
		return true
	}
	if !plainFirst[s[0]] {
		return false
	}
	for i := 1; i < len(s); i++ {
		if !plain[s[i]] {
			return false
		}
	}
	return true
}

func (r *csvRow) next() {
	if r.begun {
		r.line = append(r.line, ',')
	}
	r.begun = true
}

// text adds a cell that somebody else wrote.
func (r *csvRow) text(s string) {
	r.next()
	if isPlainCell(s) {
		r.line = append(r.line, s...)
		return
	}
	s = Inert(s)
	r.wide = r.wide || !IsASCII(s)
	if r.odd == nil {
		r.odd = csv.NewWriter(&r.room)
	}
	r.room.Reset()
	_ = r.odd.Write([]string{s}) // a buffer takes everything
	r.odd.Flush()
	r.line = append(r.line, bytes.TrimSuffix(r.room.Bytes(), []byte("\n"))...)
}

func (r *csvRow) texts(cells ...string) {
	for _, s := range cells {
		r.text(s)
	}
}

func (r *csvRow) number(n int) {
	r.next()
	r.line = strconv.AppendInt(r.line, int64(n), 10)
}

func (r *csvRow) amount(p ledger.Paise) {
	if p < 0 { // begins as a formula does
		r.text(p.String())
		return
	}
	r.next()
	r.line = p.Append(r.line)
}

// end gives the row, until the next is begun.
func (r *csvRow) end() []byte {
	line := append(r.line, '\n')
	r.line, r.begun = line[:0], false
	return line
}
