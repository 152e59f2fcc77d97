// Package statement reads a bank's statement files: CSV and XLSX by their columns, camt.053 and MT940
// (statements.md, "Files"). The bank's own balances prove the result: the opening balance and the entries must
// give the closing balance, line by line if the file has a balance on each line. Otherwise the file is refused.
// A file is read whole or not at all.
//
// The content decides the format, never the name. The package records nothing and asks nothing: the caller says
// which account the file belongs to (Options.Ours).
package statement

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"payrun/ingest"
	"payrun/ledger"
)

// Formats of a statement file, as documents name them.
const (
	FormatCSV   = "csv"
	FormatXLSX  = "xlsx"
	FormatCamt  = "camt.053"
	FormatMT940 = "mt940"
)

// Formats lists the formats.
func Formats() []string { return []string{FormatCSV, FormatXLSX, FormatCamt, FormatMT940} }

// mostBytes is the size limit of a file. Years of a busy account are far below it.
const mostBytes = 64 << 20

// Options say how to read a file. The zero value suits a file that describes itself.
type Options struct {
	Format   string            // the one of Formats that the file must be; "" to detect it
	Tab      string            // of an XLSX; "" for the tab that has a statement
	Encoding string            // "windows-1252" for a CSV or MT940 that is not UTF-8; "" to detect it
	DayFirst bool              // 05/06/2026 is 5 June, if no date in the file shows the order
	Map      map[string]string // column, by any known word for it, to a header that is not understood
	Limits   ingest.Limits     // of a CSV or XLSX; zero fields mean their default
	Today    string            // YYYY-MM-DD: later days are refused; "" for no check
	// Ours reports whether an account number in the file, whole or masked, may be the account's number. Nil
	// accepts any.
	Ours func(number string) bool
}

// File is a statement file as it was read. If Refused reports true, it has only its name, hash, format and
// findings.
type File struct {
	Name, SHA256, Format string
	Tab                  string // of an XLSX
	// Account is the account number in the file, whole or masked; "" if it has none.
	Account          string
	From, To         string       // the days it covers, YYYY-MM-DD, both included
	Period           bool         // the file itself states them
	Opening, Closing ledger.Paise // before its first and after its last entry
	// Entries are oldest first, each with the balance after it. Their texts are as in the file.
	Entries []ledger.StatementEntry
	// Findings say what is wrong with the file, or what was left out of it. Row is the row of a sheet, or the
	// line of any other file.
	Findings []ledger.Finding
}

// Refused reports whether the file was refused and nothing may be used from it.
func (f *File) Refused() bool {
	return slices.ContainsFunc(f.Findings, func(f ledger.Finding) bool { return f.Severity == ledger.SeverityError })
}

// Read reads the file at path. Faults of the file are findings. An error is a fault of the machine or an
// *ingest.UsageError.
func Read(path string, o Options) (File, error) {
	f := File{Name: strings.ToValidUTF8(filepath.Base(path), "\ufffd")} // an export needs valid UTF-8
	content, sum, err := ingest.Whole(path, mostBytes)
	if err == nil {
		f.SHA256 = sum
		f.Format = formatOf(content)
		err = f.read(path, content, o)
	}
	var found refusal
	switch d, defective := errors.AsType[*ingest.Defect](err); {
	case defective:
		f.refuse(ofDefect(d))
	case errors.As(err, &found):
		f.refuse(found...)
	case err != nil:
		return File{}, err
	}
	return f, nil
}

// refuse keeps only the name, hash and format of the file, and adds the findings.
func (f *File) refuse(why ...ledger.Finding) {
	*f = File{Name: f.Name, SHA256: f.SHA256, Format: f.Format, Findings: why}
}

func (f *File) read(path string, content []byte, o Options) error {
	if o.Format != "" && o.Format != f.Format {
		return refuse(CodeFormat, 0, "%s is %s by its contents, and not %s", f.Name, words(f.Format), words(o.Format))
	}
	var err error
	switch f.Format {
	case FormatCamt:
		err = f.readCamt(content, o)
	case FormatMT940:
		err = f.readMT940(content, o)
	default:
		err = f.readTable(path, o)
	}
	if err != nil {
		return err
	}
	return f.conclude(o)
}

// conclude sets the days that the file covers, and refuses entries after today.
func (f *File) conclude(o Options) error {
	for i := range f.Entries {
		day := f.Entries[i].Day()
		f.From, f.To = min(f.From, day), max(f.To, day)
		if o.Today != "" && day > o.Today {
			return refuse(CodeDate, 0, "an entry of %s is later than today, %s", day, o.Today)
		}
	}
	if o.Today != "" {
		f.To = min(f.To, o.Today) // days after today are not covered
	}
	if f.From > f.To {
		return refuse(CodeDate, 0, "the statement begins on %s and ends on %s", f.From, f.To)
	}
	return nil
}

// formatOf detects the format from the content. If it is none of the others, the reader of sheets gets the file
// and says what it is not.
func formatOf(content []byte) string {
	opening := ingest.Opening(content)
	switch {
	case bytes.HasPrefix(opening, []byte("PK\x03\x04")), bytes.HasPrefix(opening, []byte("PK\x05\x06")):
		return FormatXLSX
	case bytes.HasPrefix(opening, []byte("<")) && !ingest.IsWebPage(opening): // the reader of sheets refuses web pages by name
		return FormatCamt
	case isMT940(content), isMT940(opening):
		return FormatMT940
	}
	return FormatCSV
}

// words names a format for people.
func words(format string) string {
	return map[string]string{
		FormatCSV: "a CSV", FormatXLSX: "an XLSX workbook", FormatCamt: "XML, as camt.053 is", FormatMT940: "an MT940",
	}[format]
}
