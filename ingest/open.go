package ingest

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"payrun/ledger"
)

// Sheet is an open sheet, read row by row from top to bottom. It is for one
// goroutine.
type Sheet struct {
	file   *file
	format string
	tab    string
	sha256 string
	next   func() (Row, error) // io.EOF after a last row that was whole, or a *Defect
	book   *workbook           // empty in others than XLSX
	reader *xlsxReader         // of the tab; empty in others
	pain   *painReader         // empty in others
	limit  int
	count  int
	err    error // what Next answers from now on
}

// Open opens the sheet at path and reads as far as it takes to know what it
// is. What is wrong with the file itself is a *Defect; other errors are of the
// machine, such as fs.ErrNotExist.
func Open(path string, o Options) (*Sheet, error) {
	o.Limits = o.Limits.orDefaults()
	o.HeaderRows = cmp.Or(o.HeaderRows, HeaderRows)
	if err := o.check(); err != nil {
		return nil, err
	}
	f, err := openFile(path, o.Name, o.Limits.Bytes)
	if err != nil {
		return nil, err
	}
	f.copy = o.Copy
	s := &Sheet{file: f, limit: o.Limits.Rows, book: &workbook{}, reader: &xlsxReader{}, pain: &painReader{}}
	if err := s.start(o); err != nil {
		_ = f.Close()
		return nil, s.named(err)
	}
	return s, nil
}

// check refuses options that no sheet can satisfy.
func (o Options) check() error {
	switch o.Encoding {
	case "", encodingUTF8, encodingWindows1252:
	default:
		return &UsageError{ledger.Option{Name: ledger.OptionEncoding, Value: o.Encoding}, "want utf-8 or windows-1252"}
	}
	switch o.Hidden {
	case "", HiddenError, HiddenSkip, HiddenInclude:
	default:
		return &UsageError{ledger.Option{Name: ledger.OptionHiddenRows, Value: string(o.Hidden)}, "want error, skip or include"}
	}
	return nil
}

func (s *Sheet) start(o Options) (err error) {
	head, err := s.file.head()
	if err != nil {
		return err
	}
	if s.format, err = detect(head, s.file); err != nil {
		return err
	}
	if s.format == formatCSV {
		c, err := newCSVReader(s.file, head, o)
		s.next = c.next
		return err
	}
	if s.format == FormatPain {
		s.pain, err = newPainReader(s.file, head, o)
		s.next = s.pain.next
		return err
	}
	if err := s.file.hashAll(); err != nil {
		return err
	}
	if err := s.book.open(s.file, o); err != nil {
		return err
	}
	tab, err := s.book.chooseTab()
	if err != nil {
		return err
	}
	s.tab = tab.name
	if s.reader, err = s.book.openTab(tab); err != nil {
		return err
	}
	s.next = s.reader.next
	return nil
}

// Next gives the next row. After the last one it gives io.EOF, once the file
// is known to be the one that was opened, unchanged. An error stays.
func (s *Sheet) Next() (Row, error) {
	if s.err != nil {
		return Row{}, s.err
	}
	row, err := s.next()
	if err == nil && s.count >= s.limit {
		err = defect(CodeTooManyRows, row.Number, "the sheet has more than %d rows", s.limit)
	}
	if err == nil {
		s.count++
		return row, nil
	}
	if errors.Is(err, io.EOF) {
		s.sha256, err = s.file.finish()
		if err == nil {
			err = io.EOF
		}
	}
	s.err = s.named(err)
	return Row{}, s.err
}

// SHA256 returns the hash of the file's bytes in lower-case hex, once Next has
// returned io.EOF, and "" before.
func (s *Sheet) SHA256() string { return s.sha256 }

// Name returns what the file is called: Options.Name, or its base name.
func (s *Sheet) Name() string { return s.file.name }

// Format returns "csv", "xlsx" or FormatPain.
func (s *Sheet) Format() string { return s.format }

// Tab returns the name of the XLSX tab that is read; "" for CSV.
func (s *Sheet) Tab() string { return s.tab }

// Tabs lists the tabs of which Options.Tab may name one, in the order the person sees:
// those with cells that are not hidden. Nil in others than XLSX.
func (s *Sheet) Tabs() (names []string) {
	for _, t := range s.book.visible() {
		names = append(names, t.name)
	}
	return names
}

// Element returns the path of the element that a column of a pain.001 is, counted
// from 0; "" in others.
func (s *Sheet) Element(column int) string {
	if s.format != FormatPain || column >= len(painPaths) {
		return ""
	}
	return painPaths[column]
}

// Passed returns the paths of the elements of a pain.001 that were passed over,
// once Next has returned an error, io.EOF or not. Nil in others.
func (s *Sheet) Passed() []string {
	if s.err == nil {
		return nil
	}
	return s.pain.unread
}

// ColumnHidden reports whether the person does not see a column, counted from
// 0: it is hidden, or narrower than one character. It is known once Next has given a row.
func (s *Sheet) ColumnHidden(column int) bool {
	return slices.ContainsFunc(s.reader.columns, func(r columnRange) bool { return r.hidden && r.has(column+1) })
}

// ColumnWidth is how wide a column is, in characters, counted from 0; 0 where the
// sheet does not say. It is known once Next has given a row.
func (s *Sheet) ColumnWidth(column int) float64 {
	for _, r := range s.reader.columns {
		if r.has(column+1) && !r.hidden && r.width > 0 {
			return r.width
		}
	}
	return 0
}

// Merged returns the ranges of merged cells from the header down, once Next has
// returned io.EOF. Nil in CSV.
func (s *Sheet) Merged() []Merge {
	if s.err != io.EOF {
		return nil
	}
	return s.reader.overlay.merged
}

// Conditionals returns the ranges below the header under a conditional format that marks
// what is seen of their cells, once Next has returned io.EOF. Nil in CSV.
func (s *Sheet) Conditionals() []Conditional {
	if s.err != io.EOF {
		return nil
	}
	return s.reader.overlay.conditionals
}

// Stale reports that the workbook is to be calculated again when it is opened, so that
// the saved values of its formulas are not what a person sees. False in CSV.
func (s *Sheet) Stale() bool { return s.book.stale }

// UnreadTabs returns how many tabs that a person sees have rows and are not read, and
// names them. 0 in CSV.
func (s *Sheet) UnreadTabs() (n int, names string) {
	return len(s.book.unread), list(s.book.unread)
}

// NumberFormat returns how a style of Row.Styles shows numbers; the zero value
// is the general format.
func (s *Sheet) NumberFormat(style int) NumberFormat {
	if style >= len(s.book.styles) {
		return NumberFormat{}
	}
	return s.book.styles[style].shown
}

// Close closes the file. Rows cannot be read afterwards.
func (s *Sheet) Close() error {
	s.err = errClosed
	return s.file.Close()
}

var errClosed = errors.New("ingest: the sheet is closed")

// named adds to a Defect which tabs there are, and that the file's extension promises
// something else, for that is what puzzles the person who looks at its icon.
func (s *Sheet) named(err error) error {
	var d *Defect
	if !errors.As(err, &d) {
		return err
	}
	d.Tabs = s.Tabs()
	ext := strings.ToLower(filepath.Ext(s.file.name))
	switch {
	case s.format == formatXLSX && (ext == ".csv" || ext == ".txt" || ext == ".tsv" || ext == ".xls"):
		d.Message += fmt.Sprintf(" (the file is named %s but holds an Excel workbook)", ext)
	case s.format == formatCSV && strings.HasPrefix(ext, ".xls"):
		d.Message += fmt.Sprintf(" (the file is named %s but holds plain text)", ext)
	}
	return err
}
