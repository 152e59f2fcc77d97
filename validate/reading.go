package validate

import (
	"slices"
	"strconv"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
)

// ReadColumn is a column of the sheet and what it was read as.
type ReadColumn struct {
	Column string `json:"column"` // canonical; "" if it is not read
	Header string `json:"header"` // as the person wrote it, or the path of an element
	At     string `json:"at"`     // its letters; "" for an element
	Place  int    `json:"-"`      // among the cells of a row, from 0; -1 for an element that is ignored
}

// reading returns how each named column is read: the read ones in the order of the template, the others in the
// order of the sheet.
func (l *layout) reading() (read, unread []ReadColumn) {
	if l.row == 0 {
		return nil, nil
	}
	column := func(name string, at int) ReadColumn {
		c := ReadColumn{Column: name, Header: visible.Shorten(l.headers[at]), Place: at}
		if l.message == nil {
			c.At = ingest.ColumnName(at + 1)
		}
		return c
	}
	for c, at := range l.at {
		if at >= 0 {
			read = append(read, column(columnNames[c], at))
		}
	}
	if l.message != nil {
		return read, ledger.ListOf(l.message.unread, func(path string) ReadColumn { return ReadColumn{Header: path, Place: -1} })
	}
	for i, name := range [...]string{OriginSheetColumn, OriginRowColumn} {
		if l.hasOrigin() {
			read = append(read, column(name, l.origin[i]))
		}
	}
	for i, header := range l.headers {
		if header != "" && !slices.Contains(l.at[:], i) && !(l.hasOrigin() && slices.Contains(l.origin[:], i)) {
			unread = append(unread, column("", i))
		}
	}
	return read, unread
}

// locate adds to a finding the cell and the column's header, as the person knows them. The column is a
// canonical name, or letters if even the cell could not be read.
func (l *layout) locate(f *ledger.Finding) {
	if f.Row == 0 || f.Column == "" || f.Cell != "" {
		return
	}
	c, ok := columnNamed(f.Column)
	switch {
	case !ok:
		f.Cell = f.Column + strconv.Itoa(f.Row)
		for i, header := range l.headers {
			if ingest.ColumnName(i+1) == f.Column {
				f.Header = visible.Shorten(header)
			}
		}
	case l.row > 0 && l.has(c):
		f.Cell, f.Header = l.cell(l.at[c], f.Row), visible.Shorten(l.headers[l.at[c]])
	}
}

// cell names the cell of a column, counted from 0, in a row; for a pain.001 the line where the payout begins.
func (l *layout) cell(at, row int) string {
	if l.message != nil {
		return l.message.line(row)
	}
	return ingest.ColumnName(at+1) + strconv.Itoa(row)
}
