// Package statement reads a bank's statement files: CSV and XLSX by their columns, camt.053 and MT940
// (statements.md, "Files"). The bank's own balances prove the result: the opening balance and the
// entries must give the closing balance, line by line if the file shows a balance on each. Otherwise
// the file is refused. A file is read whole or not at all.
//
// The content decides the format, never the name. The package records nothing and asks no one: the
// caller says which account the file is of (Options.Ours).
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

// Formats of a statement file, as they are named in documents.
const (
	FormatCSV   = "csv"
	FormatXLSX  = "xlsx"
	FormatCamt  = "camt.053"
	FormatMT940 = "mt940"
)

// Formats lists the formats.
func Formats() []string { return []string{FormatCSV, FormatXLSX, FormatCamt, FormatMT940} }

// mostBytes bounds a file: years of a busy account are far below it.
const mostBytes = 64 << 20

// Options say how to read a file. The zero value reads a file that describes itself.
type Options struct {
	Format   string            // one of Formats that the file must be; "" for what its contents say
	Tab      string            // of an XLSX; "" for the one that has a statement
	Encoding string            // "windows-1252" of a CSV or MT940 that is not UTF-8; "" for what the bytes say
	DayFirst bool              // 05/06/2026 is 5 June, where no date of the file shows it
	Map      map[string]string // column, by any word for it, to header, for a header that is not understood
	Limits   ingest.Limits     // of a CSV or XLSX; zero fields mean their default
	Today    string            // YYYY-MM-DD: later days are refused; "" for none
	// Ours reports whether an account number in the file, whole or masked, may be that of the
	// statement's account. Nil takes any.
	Ours func(number string) bool
}

// File is a statement file as it was read. Where Refused reports true there is
// nothing in it but its name, hash and findings.
type File struct {
	Name, SHA256, Format string
	Tab                  string // of an XLSX
	// Account is the account number that the file shows, whole or masked; ""
	// where it shows none.
	Account          string
	From, To         string       // the days it covers, YYYY-MM-DD, both included
	Period           bool         // it states them itself
	Opening, Closing ledger.Paise // before its first and after its last entry
	// Entries are oldest first, each with the balance after it. Their texts are raw.
	Entries []ledger.StatementEntry
	// Findings say what is wrong with the file, or was left out of it. Row is the
	// row of a sheet, and the line of any other file.
	Findings []ledger.Finding
}

// Refused reports whether nothing may be taken from the file.
func (f *File) Refused() bool {
	return slices.ContainsFunc(f.Findings, func(f ledger.Finding) bool { return f.Severity == ledger.SeverityError })
}

// Read reads the file at path. What is wrong with it are findings; an error is
// of the machine, or an *ingest.UsageError.
func Read(path string, o Options) (File, error) {
	f := File{Name: strings.ToValidUTF8(filepath.Base(path), "\ufffd")} // as an export can say it
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

// refuse leaves nothing of the file but what is wrong with it.
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

// conclude says what can be said only once all of the file is read.
func (f *File) conclude(o Options) error {
	for i := range f.Entries {
		day := f.Entries[i].Day()
		f.From, f.To = min(f.From, day), max(f.To, day)
		if o.Today != "" && day > o.Today {
			return refuse(CodeDate, 0, "an entry of %s is later than today, %s", day, o.Today)
		}
	}
	if o.Today != "" {
		f.To = min(f.To, o.Today) // what is still to come is not covered
	}
	if f.From > f.To {
		return refuse(CodeDate, 0, "the statement begins on %s and ends on %s", f.From, f.To)
	}
	return nil
}

// formatOf finds the format from the content. The reader of sheets gets what is none of the others,
// and says what it is not.
func formatOf(content []byte) string {
	text := strings.TrimLeft(string(head(content)), " \t\r\n")
	switch {
	case strings.HasPrefix(text, "PK\x03\x04"), strings.HasPrefix(text, "PK\x05\x06"):
		return FormatXLSX
	case isXML(text):
		return FormatCamt
	case isMT940(content), isMT940(head(content)):
		return FormatMT940
	}
	return FormatCSV
}

// isXML knows XML that is no web page: those are for the reader of sheets to name.
func isXML(text string) bool {
	lower := strings.ToLower(text)
	if !strings.HasPrefix(lower, "<") || strings.HasPrefix(lower, "<!doctype html") {
		return false
	}
	return !slices.ContainsFunc([]string{"<html", "<table", "<meta", "<style"}, func(tag string) bool { return strings.Contains(lower, tag) })
}

// head is the beginning that shows the format, without a byte order mark; in UTF-16 without its zeros.
func head(content []byte) []byte {
	const most = 2048
	switch {
	case bytes.HasPrefix(content, []byte("\xEF\xBB\xBF")):
		content = content[3:]
	case bytes.HasPrefix(content, []byte("\xFF\xFE")), bytes.HasPrefix(content, []byte("\xFE\xFF")):
		return bytes.ReplaceAll(content[2:min(len(content), most)], []byte{0}, nil)
	}
	return content[:min(len(content), most)]
}

// words names a format for people.
func words(format string) string {
	return map[string]string{
		FormatCSV: "a CSV", FormatXLSX: "an XLSX workbook", FormatCamt: "XML, as camt.053 is", FormatMT940: "an MT940",
	}[format]
}
