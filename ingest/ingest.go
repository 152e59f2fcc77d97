// Package ingest reads CSV, XLSX and pain.001 into rows of strings with their position. It does not validate
// values; package validate does. If it cannot read something exactly as a person sees it in the spreadsheet
// program, it refuses the file with a Defect.
//
// Open detects the format from the bytes, never from the name. Next returns one row after another, including
// title rows, the header and blank rows. Memory does not grow with the number of rows. Conclude nothing from
// the rows until Next returns io.EOF: only then was every byte read, hashed and found unchanged.
package ingest

import (
	"cmp"
	"io"
	"strings"

	"payrun/ingest/visible"
	"payrun/ledger"
)

// Row is one row of the sheet. Cells, Kinds, Styles and Marks are valid until the next call of Next; the
// strings in Cells may be kept.
type Row struct {
	// Number is the row number that the spreadsheet program shows. In CSV each record is a row: a line break in
	// quotes starts no new row, and a blank line is a row. In pain.001 the header is row 1, and the n-th
	// CdtTrfTxInf is row n+1.
	Number int
	// Line is the line of a pain.001 at which the payout begins; 0 in other formats.
	Line int
	// Cells are not trimmed. CSV keeps empty cells at the end of a row; XLSX keeps only formulas there. A blank
	// row of XLSX has no cells. Line breaks inside a cell are "\n" in CSV, however the file writes them; in
	// XLSX, which can hold any character, they stay as they are.
	Cells []string
	// Kinds has the kind of each cell. It is nil in CSV and pain.001, where every cell is Text.
	Kinds []Kind
	// Styles has the style of each cell, for Sheet.NumberFormat. It is nil where Kinds is.
	Styles []int
	// Marks says for each cell how its text differs from ordinary visible text. It is nil in a row without
	// marks.
	Marks []Mark
	// Unended says that a CSV ends after this row without a line break, so cells may be missing; OpenEnd, that its last
	// cell has no closing quote either, so that cell may be cut off.
	Unended, OpenEnd bool
	// Broken says that a cell of a CSV has a line break.
	Broken bool
	// BareCommas says that the separator is the comma and that some cells are not in quotes, so a comma inside
	// an amount may have split it.
	BareCommas bool
	// Hidden is true for rows that the person does not see. They come with HiddenInclude, and with HiddenError,
	// where a Defect that names them then replaces io.EOF.
	Hidden bool
}

// Text returns the trimmed text of a column, counted from 0; "" if the row has none.
func (r *Row) Text(at int) string { return visible.Trim(nth(r.Cells, at)) }

// Kind returns the kind of the cell in a column, counted from 0; Text if the row has none.
func (r *Row) Kind(at int) Kind { return nth(r.Kinds, at) }

// Mark returns the mark of the cell in a column, counted from 0.
func (r *Row) Mark(at int) Mark { return nth(r.Marks, at) }

// nth returns an entry of a list; its zero value if the list has none.
func nth[T any](list []T, i int) (one T) {
	if i >= 0 && i < len(list) {
		one = list[i]
	}
	return one
}

// Filled returns the number of cells up to the last one that shows something; 0 for a blank row. A formula that
// was never calculated counts.
func (r *Row) Filled() int {
	n := len(r.Cells)
	for n > 0 && r.Text(n-1) == "" && r.Kind(n-1) != FormulaEmpty {
		n--
	}
	return n
}

// Mark says that a person does not see a cell's text, or a part of it, as ordinary text.
type Mark uint8

const (
	MarkStruck   Mark = 1 << iota // crossed out, by a line or a diagonal border: people cancel entries this way
	MarkRaised                    // raised or lowered: a footnote, or paise
	MarkUnseen                    // in the colour of its background, too small, or hidden by its number format
	MarkReshaped                  // text that its number format changes; the cell holds it as shown
	MarkUnclear                   // text whose number format payrun does not understand; the cell holds it as stored
)

// Kind says what the spreadsheet program holds in a cell.
type Kind uint8

const (
	Text             Kind = iota // as typed
	Blank                        // nothing; the cell may be styled
	Number                       // the shortest decimal of its double, 1234.5, or the raw digits when more than 15 are significant
	Formatted                    // like Number, but its format shows something else: 000123, 12%, $7, 1,251 for 1250.50; see Sheet.Shows
	Date                         // a number with a date format: 2026-01-31 or 2026-01-31 13:45:00; see Sheet.Shows
	Bool                         // TRUE or FALSE
	Error                        // #REF!, #N/A, …, also as the saved value of a formula
	Formula                      // a formula with a saved text, which may be empty
	FormulaNumber                // a formula with a saved number
	FormulaFormatted             // a formula with a saved number that its format shows as something else
	FormulaDate                  // a formula with a saved number that its format shows as a date, like Date
	FormulaEmpty                 // a formula that was never calculated: the cell is "" and its value is unknown
)

// Numeric reports whether the spreadsheet program holds a number. Leading zeros, or digits after the 15th, may
// already be lost.
func (k Kind) Numeric() bool {
	return k == Number || k.ShownOtherwise() || k == FormulaNumber
}

// Saved reports whether the cell is a formula with a saved value.
func (k Kind) Saved() bool {
	return k == Formula || k == FormulaNumber || k == FormulaFormatted || k == FormulaDate
}

// IsDate reports whether the cell is a number that its format shows as a date.
func (k Kind) IsDate() bool { return k == Date || k == FormulaDate }

// ShownOtherwise reports whether the cell is a number that its format shows as something else.
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
	Name     string // what the person calls the file if its path has another name; "" for the base name
	Tab      string // XLSX tab by name; "" finds the one data tab
	Encoding string // "" or "utf-8", or "windows-1252" for CSV without a BOM
	Hidden   HiddenRows
	Limits   Limits // zero fields mean their default
	// IsHeader reports whether a row is a header. It helps to find the data tab, the separator of a CSV and the
	// first row whose merged cells matter. If nil, the first row of a tab with text counts as its header.
	IsHeader func(cells []string) bool
	// HeaderRows is how many rows from the top IsHeader is asked for; 0 means the constant HeaderRows.
	HeaderRows int
	// IsComplete reports whether a header has every column that a payout needs. A tab with such a header and a
	// row below it may hold the payouts. Nil accepts every header.
	IsComplete func(cells []string) bool
	// MayPay reports, from the first rows of a tab without its blank ones, whether the tab may hold payouts
	// although its header is not complete. Nil accepts no tab.
	MayPay func(rows [][]string) bool
	// SHA256 is the hash that Whole returned for the file. If it differs, the file has changed; "" for no check.
	SHA256 string
	// Copy gets every byte of the file once, in order, so that the caller can keep the bytes that the rows came
	// from. It has them all when Next returns io.EOF. Nil keeps none.
	Copy io.Writer
}

// UsageError says what is wrong with an option, not with the sheet.
type UsageError struct {
	Option ledger.Option
	Why    string
}

// Error names the option without the spelling that the person used.
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

// DefaultLimits returns the limits of the contract, and further limits far above what any spreadsheet program
// writes.
func DefaultLimits() Limits { return Limits{}.orDefaults() }

// orDefaults fills the fields that are zero.
func (l Limits) orDefaults() Limits {
	return Limits{
		Rows:      cmp.Or(l.Rows, 2_000_000),
		Columns:   cmp.Or(l.Columns, 512),
		Bytes:     cmp.Or(l.Bytes, 512<<20),
		CellChars: cmp.Or(l.CellChars, 32_767), // what Excel itself allows
		RowBytes:  cmp.Or(l.RowBytes, 8<<20),

		Parts:      cmp.Or(l.Parts, 10_000),
		UnzipBytes: cmp.Or(l.UnzipBytes, 1<<30),
		UnzipRatio: cmp.Or(l.UnzipRatio, 400), // sheets reach 10 to 60; deflate ends at 1032
		SharedText: cmp.Or(l.SharedText, 256<<20),
		XMLToken:   cmp.Or(l.XMLToken, 1<<20),
	}
}
