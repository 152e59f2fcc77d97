// Package ingest reads CSV, XLSX and pain.001 into rows of strings with their position. It does not
// validate values: validate does. What it cannot read exactly as a person sees it in the spreadsheet
// program is a Defect that refuses the file.
//
// Open decides the format by the bytes, never by the name. Next returns one row after another, title
// rows, header and blank rows included. Memory does not grow with the number of rows. Only when Next
// has returned io.EOF was every byte read, hashed and found unchanged; conclude nothing from the rows
// before.
package ingest

import (
	"cmp"
	"io"
	"strings"

	"payrun/ledger"
)

// Row is one row of the sheet. Cells, Kinds and Styles are valid until the next
// call of Next; the strings in Cells may be kept.
type Row struct {
	// Number is the number that the spreadsheet program shows for the row. In CSV a row is a record: a
	// line break in quotes starts no row, a blank line is one. In pain.001 the header is row 1, and
	// the n-th CdtTrfTxInf row n+1.
	Number int
	// Line is where in the text of a pain.001 the payout begins; 0 in others.
	Line int
	// Cells are not trimmed. CSV keeps empty cells at the end, XLSX has none there
	// but formulas. A blank row of XLSX has no cells.
	// Line breaks inside a cell are "\n" however a CSV wrote them, and as they stand in
	// XLSX, which can hold any character.
	Cells []string
	// Kinds has the kind of each cell. Nil in CSV and pain.001, where all is Text.
	Kinds []Kind
	// Styles has the style of each cell, for Sheet.NumberFormat. Nil as Kinds is.
	Styles []int
	// Marks has what is not seen in each cell as letters like any others. Nil in a
	// row without any.
	Marks []Mark
	// BareCommas says that commas separate the cells, and that not all of them are in
	// quotes: a comma inside an amount may have cut it.
	BareCommas bool
	// Hidden rows come only with HiddenInclude, and with HiddenError, where a
	// Defect that names them follows in the place of io.EOF.
	Hidden bool
}

// Mark says that a person sees a cell's text, or a part of it, not as text like
// any other.
type Mark uint8

const (
	MarkStruck   Mark = 1 << iota // with a line through it: people cancel so
	MarkRaised                    // above or below the line: a footnote, or a paisa
	MarkUnseen                    // of the colour of what is behind it, too small, or hidden by its number format
	MarkReshaped                  // a text to which its number format adds; the cell is given as it shows
	MarkUnclear                   // a text of which its number format makes what is not understood here; given as it is
)

// Kind says what the spreadsheet program holds in a cell.
type Kind uint8

const (
	Text             Kind = iota // as typed
	Blank                        // nothing; the cell may be styled
	Number                       // the shortest decimal of its double, 1234.5, or the raw digits when more than 15 are significant
	Formatted                    // a number, as Number, that its format shows as something else: 000123, 12%, $7, 1,251 for 1250.50; see Sheet.Shows
	Date                         // a number with a date format: 2026-01-31 or 2026-01-31 13:45:00; see Sheet.Shows
	Bool                         // TRUE or FALSE
	Error                        // #REF!, #N/A, …, also as the saved value of a formula
	Formula                      // a formula with a saved text, which may be empty
	FormulaNumber                // a formula with a saved number
	FormulaFormatted             // one that its format shows as something else
	FormulaDate                  // one that its format shows as a date, as Date
	FormulaEmpty                 // a formula that was never calculated: the cell is "" and its value is unknown
)

// Numeric reports whether the spreadsheet program holds a number, so that
// leading zeros, or digits beyond the 15th, may be lost already.
func (k Kind) Numeric() bool {
	return k == Number || k.ShownOtherwise() || k == FormulaNumber
}

// Saved reports a formula with a saved value.
func (k Kind) Saved() bool {
	return k == Formula || k == FormulaNumber || k == FormulaFormatted || k == FormulaDate
}

// IsDate reports a number that its format shows as a date.
func (k Kind) IsDate() bool { return k == Date || k == FormulaDate }

// ShownOtherwise reports a number that its format shows as something else.
func (k Kind) ShownOtherwise() bool { return k == Formatted || k == FormulaFormatted }

// HiddenRows says what to do with rows that the person does not see.
type HiddenRows string

const (
	HiddenError   HiddenRows = "error"   // refuse, naming the rows; also the zero value
	HiddenSkip    HiddenRows = "skip"    // leave them out
	HiddenInclude HiddenRows = "include" // read them like any other
)

// Options for Open. The zero value reads UTF-8 and UTF-16, refuses hidden rows
// and uses DefaultLimits.
type Options struct {
	Name     string // what the person calls the file, where it lies under another name; "" for that one
	Tab      string // XLSX tab by name; "" finds the one data tab
	Encoding string // "" or "utf-8", or "windows-1252" for CSV without a BOM
	Hidden   HiddenRows
	Limits   Limits // zero fields mean their default
	// IsHeader reports whether a row is a header. It finds the data tab among several, the separator
	// of a CSV, and which merged cells lie over data. Nil knows no header.
	IsHeader func(cells []string) bool
	// HeaderRows is within how many rows IsHeader is asked; 0 is HeaderRows.
	HeaderRows int
	// IsComplete reports whether a header has every column that a payout needs. With a row below it,
	// it makes its tab one that may hold the payouts. Nil takes every header.
	IsComplete func(cells []string) bool
	// MayPay reports, from the first rows of a tab without blank ones, whether the tab may hold
	// payouts although its header is not complete. Nil takes no tab.
	MayPay func(rows [][]string) bool
	// Copy gets every byte of the file once, in order, so that a caller can keep the bytes that the
	// rows came from. It has all of them when Next returns io.EOF. Nil keeps none.
	Copy io.Writer
}

// UsageError is what is wrong with an option and not with the sheet.
type UsageError struct {
	Option ledger.Option
	Why    string
}

// Error says it without the spelling that the person used.
func (e *UsageError) Error() string {
	return strings.TrimSpace(strings.ReplaceAll(string(e.Option.Name), "_", " ")+" "+e.Option.Value) + ": " + e.Why
}

// HeaderRows is how many rows from the top may hold the header of a payout sheet.
const HeaderRows = 20

// Limits bound what a sheet may cost before it is refused.
type Limits struct {
	Rows      int   // rows given by Next, blank ones included
	Columns   int   // cells a row
	Bytes     int64 // of the file
	CellChars int   // characters a cell
	RowBytes  int   // UTF-8 bytes a row

	Parts      int   // parts of a workbook
	UnzipBytes int64 // of all parts together, unpacked
	UnzipRatio int64 // unpacked to packed, for a part of more than 1 MiB
	SharedText int64 // bytes of a workbook's shared strings in memory
	XMLToken   int   // bytes of one tag or one run of text
}

// DefaultLimits returns the limits of the contract, and bounds that no
// spreadsheet program comes near.
func DefaultLimits() Limits {
	return Limits{
		Rows:      2_000_000,
		Columns:   512,
		Bytes:     512 << 20,
		CellChars: 32_767, // what Excel itself allows
		RowBytes:  8 << 20,

		Parts:      10_000,
		UnzipBytes: 1 << 30,
		UnzipRatio: 400, // sheets reach 10 to 60; deflate ends at 1032
		SharedText: 256 << 20,
		XMLToken:   1 << 20,
	}
}

// orDefaults fills the fields that are zero.
func (l Limits) orDefaults() Limits {
	d := DefaultLimits()
	return Limits{
		Rows:      cmp.Or(l.Rows, d.Rows),
		Columns:   cmp.Or(l.Columns, d.Columns),
		Bytes:     cmp.Or(l.Bytes, d.Bytes),
		CellChars: cmp.Or(l.CellChars, d.CellChars),
		RowBytes:  cmp.Or(l.RowBytes, d.RowBytes),

		Parts:      cmp.Or(l.Parts, d.Parts),
		UnzipBytes: cmp.Or(l.UnzipBytes, d.UnzipBytes),
		UnzipRatio: cmp.Or(l.UnzipRatio, d.UnzipRatio),
		SharedText: cmp.Or(l.SharedText, d.SharedText),
		XMLToken:   cmp.Or(l.XMLToken, d.XMLToken),
	}
}
