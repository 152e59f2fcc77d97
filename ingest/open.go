package ingest

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"payrun/ledger"
)

// Sheet is an open sheet, read row by row from top to bottom. Use it from one goroutine only.
type Sheet struct {
	file   *file
	format string
	tab    string
	sha256 string
	next   func() (Row, error) // returns io.EOF if the last row was complete, else a *Defect
	book   *workbook           // empty unless the format is XLSX
	reader *xlsxReader         // of the tab; empty unless the format is XLSX
	pain   *painReader         // empty unless the format is pain.001
	limit  int
	count  int
	err    error // what Next returns from now on
}

// Open opens the sheet at path and reads as far as it needs to know the format. A fault of the file itself is a
// *Defect; other errors come from the machine, such as fs.ErrNotExist.
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
	f.copy, f.whole = o.Copy, o.SHA256
	s := &Sheet{file: f, limit: o.Limits.Rows, book: &workbook{}, reader: &xlsxReader{}, pain: &painReader{}}
	if err := s.start(o); err != nil {
		_ = f.Close()
		return nil, s.named(err)
	}
	return s, nil
}

// check refuses options with unknown values.
func (o Options) check() error {
	if !slices.Contains([]string{"", encodingUTF8, encodingWindows1252}, o.Encoding) {
		return &UsageError{ledger.Option{Name: ledger.OptionEncoding, Value: o.Encoding}, "want utf-8 or windows-1252"}
	}
	if !slices.Contains([]HiddenRows{"", HiddenError, HiddenSkip, HiddenInclude}, o.Hidden) {
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
	s.reader, err = s.book.openTab(tab)
	s.next = s.reader.next
	return err
}

// Next returns the next row. After the last row it checks that the file did not change since it was opened, and
// then returns io.EOF. After an error, every call returns the same error.
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

// SHA256 returns the hash of the file's bytes in lower-case hex once Next has returned io.EOF, and "" before
// that.
func (s *Sheet) SHA256() string { return s.sha256 }

// Name returns Options.Name, or the base name of the file.
func (s *Sheet) Name() string { return s.file.name }

// Format returns "csv", "xlsx" or FormatPain.
func (s *Sheet) Format() string { return s.format }

// Tab returns the name of the XLSX tab that is read; "" in other formats.
func (s *Sheet) Tab() string { return s.tab }

// Tabs lists the tabs that Options.Tab may name, in the order the person sees: those that have cells and are
// not hidden. It returns nil unless the format is XLSX.
func (s *Sheet) Tabs() []string {
	return ledger.ListOf(s.book.visible(), func(t tab) string { return t.name })
}

// Element returns the path of the pain.001 element that a column of it, counted from 0, comes from.
func (s *Sheet) Element(column int) string { return painPaths[column] }

// Passed returns the paths of the pain.001 elements that were ignored so far. It returns nil in other formats.
func (s *Sheet) Passed() []string { return s.pain.unread }

// ColumnHidden reports whether a column, counted from 0, is invisible: hidden, or narrower than one character.
// It is known once Next has returned a row.
func (s *Sheet) ColumnHidden(column int) bool {
	return slices.ContainsFunc(s.reader.columns, func(r columnRange) bool { return r.hidden && r.has(column+1) })
}

// ColumnWidth returns the width of a column, counted from 0, in characters; 0 if the sheet does not give it. It
// is known once Next has returned a row.
func (s *Sheet) ColumnWidth(column int) float64 {
	for _, r := range s.reader.columns {
		if r.has(column+1) && !r.hidden && r.width > 0 {
			return r.width
		}
	}
	return 0
}

// Areas returns the merged ranges that reach the header or rows below it, and the ranges below the header whose
// conditional format can change how a cell looks in a way that matters (see Mark), once Next has returned io.EOF.
// It returns nil in CSV.
func (s *Sheet) Areas() []Area {
	if s.err != io.EOF {
		return nil
	}
	return s.reader.overlay.areas
}

// Stale reports whether the workbook asks to be recalculated when it is opened. Then a person may see other
// values than the saved ones of its formulas. It returns false in CSV.
func (s *Sheet) Stale() bool { return s.book.stale }

// UnreadTabs returns the number and the names of the visible tabs that have rows and are not read. It returns 0
// in CSV.
func (s *Sheet) UnreadTabs() (n int, names string) {
	return len(s.book.unread), list(s.book.unread)
}

// NumberFormat returns how a style of Row.Styles shows numbers. The zero value is the general format.
func (s *Sheet) NumberFormat(style int) NumberFormat {
	return s.book.styleOf(style).shown
}

// Close closes the file. After it, no row can be read.
func (s *Sheet) Close() error {
	s.err = os.ErrClosed
	return s.file.Close()
}

// named adds the tabs to a Defect. If the file's extension promises another format, it also says so, because
// that puzzles the person who sees only the icon.
func (s *Sheet) named(err error) error {
	d, ok := errors.AsType[*Defect](err)
	if !ok {
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
