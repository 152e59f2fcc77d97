package xlsx

import (
	"io"
	"strconv"
)

// Rows writes the rows of one tab as SpreadsheetML. It holds one row, and uses no reflection for cells. Its
// writer must keep its own error (bufio.Writer, flate.Writer, bytes.Buffer).
type Rows struct {
	w      io.Writer
	buf    []byte
	digits []byte // of the row number
	bytes  int64
	last   int
	wide   int // columns of the widest row
}

// NewRows writes to w, starting at the row below `after`.
func NewRows(w io.Writer, after int) *Rows { return &Rows{w: w, last: after} }

// Last returns the number of the last row.
func (r *Rows) Last() int { return r.last }

// Bytes returns how many bytes were written.
func (r *Rows) Bytes() int64 { return r.bytes }

// Skip leaves rows empty.
func (r *Rows) Skip(rows int) { r.last += rows }

// Add writes a row below the last one, of the usual height.
func (r *Rows) Add(cells ...Cell) { r.AddHigh(0, cells...) }

// AddHigh writes a row with a height in points; 0 is the usual height.
func (r *Rows) AddHigh(points int, cells ...Cell) {
	r.last++
	r.wide = max(r.wide, len(cells))
	r.digits = strconv.AppendInt(r.digits[:0], int64(r.last), 10)
	b := append(append(r.buf[:0], `<row r="`...), r.digits...)
	if points > 0 {
		b = append(b, `" ht="`...)
		b = strconv.AppendInt(b, int64(points), 10)
		b = append(b, `" customHeight="1`...)
	}
	b = append(b, `">`...)
	for i := range cells {
		b = cells[i].Append(b, i, r.digits)
	}
	b = append(b, `</row>`...)
	r.buf = b
	r.bytes += int64(len(b))
	_, _ = r.w.Write(b)
}
