package ingest_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"payrun/ingest"
)

// samples are the shipped sheets of a format, good and broken.
func samples(f *testing.F, ext string) [][]byte {
	f.Helper()
	var found [][]byte
	for _, pattern := range []string{"../samples/*" + ext, "../samples/broken/*" + ext, "../samples/hostile/*" + ext, "../samples/writers/*" + ext} {
		paths, err := filepath.Glob(pattern)
		must(f, err)
		for _, path := range paths {
			content, err := os.ReadFile(path)
			must(f, err)
			found = append(found, content)
		}
	}
	return found
}

// FuzzCSV: whatever the bytes, a CSV is refused or gives one row for each
// record that a counter sees which knows of nothing but quotes and line breaks.
func FuzzCSV(f *testing.F) {
	for _, b := range samples(f, ".csv") {
		f.Add(b)
	}
	for _, s := range []string{
		"ref,amount\nA,1\n", "a;\"b\r\nc\"\"\";d\r\re", "sep=;\na;b", "\"\"\n\"\"\"\"", "\r\n\r\n", "a\tb\n", "\xEF\xBB\xBF\"a\",b",
		"a,\"b\nc", "a\"b,c\n", "\"a\"b\n", "a\x00b", "a\xffb", "\r", "\n", ",", "\"",
	} {
		f.Add([]byte(s))
	}
	f.Add(inUTF16("ref;amount\r\nA;1\r\n", true))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := write(t, "f.csv", b)
		s, err := ingest.Open(path, ingest.Options{Limits: ingest.Limits{CellChars: 100, Columns: 20}, IsHeader: isHeader})
		if isRefusal(t, err) {
			return
		}
		defer func() { _ = s.Close() }()
		if s.Format() != "csv" {
			return
		}
		rows := 0
		for {
			row, err := s.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if isRefusal(t, err) {
				return
			}
			if rows++; row.Number != rows || len(row.Cells) == 0 || len(row.Cells) > 20 {
				t.Fatalf("row %d has number %d and %d cells", rows, row.Number, len(row.Cells))
			}
		}
		if bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
			return // the counter does not know UTF-16
		}
		if want := countRecords(b); rows != want {
			t.Errorf("%d rows; there are %d", rows, want)
		}
		if s.SHA256() != hashOf(b) {
			t.Error("the hash is of other bytes")
		}
	})
}

func isRefusal(t testing.TB, err error) bool {
	t.Helper()
	var d *ingest.Defect
	if err != nil && !errors.As(err, &d) {
		t.Fatalf("no defect: %v", err)
	}
	if d != nil && (d.Message == "" || d.Fix == "" || d.Code == "" || d.Row < 0) {
		t.Fatalf("a defect without words: %+v", d)
	}
	return err != nil
}

// countRecords counts by the structure alone: a record ends at a line break
// that has an even number of quotes before it.
func countRecords(b []byte) int {
	b = bytes.TrimRight(bytes.TrimPrefix(b, []byte("\xEF\xBB\xBF")), "\x1a")
	text := strings.ReplaceAll(string(b), "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	if first, rest, found := strings.Cut(text, "\n"); found || len(first) > 0 {
		bare := strings.ToLower(strings.ReplaceAll(first, `"`, ""))
		if len(bare) == 5 && strings.HasPrefix(bare, "sep=") && strings.Contains(",;\t|", bare[4:]) {
			text = rest
		}
	}
	records, quoted, open := 0, false, false
	for _, c := range text {
		switch {
		case c == '"':
			quoted, open = !quoted, true
		case c == '\n' && !quoted:
			records, open = records+1, false
		default:
			open = true
		}
	}
	if open {
		records++
	}
	return records
}

// FuzzXLSX: whatever the XML of a tab and of the shared strings, the workbook
// is refused or excelize reads the same rows and cells.
func FuzzXLSX(f *testing.F) {
	const sheet, sst = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"
	for _, c := range good {
		f.Add([]byte(c.book[sheet]), []byte(c.book[sst]))
	}
	f.Add([]byte(sheetXML(`<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="b"><v>1</v></c></row><row r="3" hidden="1"><c><f>A1</f><v>2</v></c></row>`)),
		[]byte(`<sst xmlns="`+mainSpace+`"><si><t>ref</t></si></sst>`))
	for _, b := range samples(f, ".xlsx") {
		if tab, texts := partOf(b, sheet), partOf(b, sst); len(tab) > 0 {
			f.Add(tab, texts)
		}
	}
	f.Fuzz(func(t *testing.T, tab, texts []byte) {
		if unlike(tab) || unlike(texts) {
			return
		}
		b := newBook("").with(sheet, string(tab)).styled("0", "14", "0.00")
		if len(texts) > 0 {
			b = b.related("sharedStrings", "sharedStrings.xml", string(texts))
		}
		path := write(t, "f.xlsx", b.zip(t))
		tabName, rows, refused := ours(t, path, ingest.Options{Limits: ingest.Limits{UnzipRatio: 1 << 40}})
		if refused != nil {
			isRefusal(t, refused)
			return
		}
		if len(rows) > 0 && rows[len(rows)-1].Number > 10_000 {
			return // excelize makes every row up to it
		}
		peer := theirs(t, path, tabName)
		hideDates(rows, peer)
		if !sameRows(rows, peer) {
			t.Errorf("ingest   %+v\nexcelize %+v", rows, peer)
		}
	})
}

// partOf gives a part of a workbook; nil when it cannot be had.
func partOf(workbook []byte, name string) []byte {
	z, err := zip.NewReader(bytes.NewReader(workbook), int64(len(workbook)))
	if err != nil {
		return nil
	}
	part, err := z.Open(name)
	if err != nil {
		return nil
	}
	defer func() { _ = part.Close() }()
	b, err := io.ReadAll(part)
	if err != nil {
		return nil
	}
	return b
}

// unlike reports XML in which the two differ by intent: escapes in the value
// of a formula, which excelize leaves, prefixes, which it does not look at, and
// how a reading aid is drawn: excelize gives up every text for an attribute of
// it that it does not understand, and ingest does not look.
func unlike(xml []byte) bool {
	return bytes.Contains(xml, []byte("_x")) || bytes.Contains(xml, []byte("phoneticPr"))
}

func sameRows(a, b []peerRow) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Number != b[i].Number || strings.Join(a[i].Cells, "\x1f") != strings.Join(b[i].Cells, "\x1f") {
			return false
		}
	}
	return true
}

// FuzzZip: whatever the bytes of the file, it is read or refused.
func FuzzZip(f *testing.F) {
	for _, b := range samples(f, ".xlsx") {
		f.Add(b)
	}
	plain := newBook(textRow(1, "ref", "amount"), textRow(1, "x")).shared("<t>a</t>").styled("14").zip(f)
	f.Add(plain)
	f.Add(inZip64(plain, true))
	f.Add(compound("Root Entry", "EncryptedPackage"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ingest.Open(write(t, "f.xlsx", b), ingest.Options{IsHeader: isHeader})
		if isRefusal(t, err) {
			return
		}
		defer func() { _ = s.Close() }()
		for {
			if _, err := s.Next(); errors.Is(err, io.EOF) || isRefusal(t, err) {
				return
			}
		}
	})
}

// FuzzFormats reads a text and a number under any number format.
func FuzzFormats(f *testing.F) {
	for _, code := range []string{"General", `0;0;0;@" lakh"`, ";;;", "[White]0.00", "[$-409]d mmm yyyy;@", `_(* "-"??_);_(@_)`, `"91"@`, `\`, "[", "*", "@@", "d\\", "[>5]d"} {
		f.Add(code, "45992.5", "A-1")
		f.Add(code, "12", "A-1")
	}
	f.Fuzz(func(t *testing.T, code, number, text string) {
		if code == "" || text == "" || strings.ContainsAny(number+text, "<>&\"_\r") {
			return
		}
		b := newBook(`<row r="1"><c r="A1" s="1" t="inlineStr"><is><t>`+text+`</t></is></c><c r="B1" s="1"><v>`+number+`</v></c></row>`).styled("0", code)
		s, err := ingest.Open(write(t, "f.xlsx", b.zip(t)), ingest.Options{})
		if isRefusal(t, err) {
			return
		}
		defer func() { _ = s.Close() }()
		row, err := s.Next()
		if isRefusal(t, err) || len(row.Cells) == 0 {
			return
		}
		if (row.Marks == nil || row.Marks[0]&ingest.MarkReshaped == 0) && row.Cells[0] != text {
			t.Errorf("%q under %q is %q", text, code, row.Cells[0])
		}
		for i := range row.Cells {
			s.Shows(row.Styles[i], row.Cells[i])
		}
	})
}
