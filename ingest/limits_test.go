package ingest_test

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"payrun/ingest"
)

// TestEveryLimitOfAWorkbookHolds tries each limit at its value and one past it.
func TestEveryLimitOfAWorkbookHolds(t *testing.T) {
	text := func(n int) string { return `<c t="str"><v>` + strings.Repeat("x", n) + `</v></c>` }
	for name, c := range map[string]struct {
		at, past book
		limits   ingest.Limits
		code     string
		says     string
	}{
		"columns": {
			at: newBook(`<row r="1"><c r="SR1"><v>1</v></c></row>`), past: newBook(`<row r="1"><c r="SS1"><v>1</v></c></row>`),
			code: ingest.CodeTooManyColumns, says: "SR",
		},
		"rows, blank ones counted": {
			at: newBook(`<row/><row/>` + textRow(5, "a")), past: newBook(`<row/><row/><row/>` + textRow(5, "a")),
			limits: ingest.Limits{Rows: 3}, code: ingest.CodeTooManyRows,
		},
		"characters a cell": {
			at: newBook("<row>" + text(10) + "</row>"), past: newBook("<row>" + text(11) + "</row>"),
			limits: ingest.Limits{CellChars: 10}, code: ingest.CodeCellTooLong,
		},
		"bytes a row": {
			at: newBook("<row>" + text(10) + text(10) + "</row>"), past: newBook("<row>" + text(10) + text(11) + "</row>"),
			limits: ingest.Limits{RowBytes: 20}, code: ingest.CodeRowTooLong,
		},
		"bytes of shared texts": { // a text costs four bytes besides its own
			at: newBook("").shared("<t>12345678</t>", "<t>1234</t>"), past: newBook("").shared("<t>12345678</t>", "<t>12345</t>"),
			limits: ingest.Limits{SharedText: 20}, code: ingest.CodeSharedTooLarge,
		},
		"bytes of one text in the XML": {
			at: newBook("<row>" + text(1<<16-16) + "</row>"), past: newBook("<row>" + text(1<<18) + "</row>"),
			limits: ingest.Limits{XMLToken: 1 << 17, CellChars: 1 << 20}, code: ingest.CodeXMLMalformed, says: "131072",
		},
		"cell formats": { // Excel has no more
			at: newBook("").styled(slices.Repeat([]string{"0"}, 65_490)...), past: newBook("").styled(slices.Repeat([]string{"0"}, 65_491)...),
			code: ingest.CodeTooMuch, says: "65490",
		},
		"number formats": {
			at: numbered(65_490, "0.0"), past: numbered(65_491, "0.0"), code: ingest.CodeTooMuch,
		},
		"bytes of number formats": {
			at: numbered(16, strings.Repeat("0", 1<<18)), past: numbered(17, strings.Repeat("0", 1<<18)), limits: ingest.Limits{UnzipRatio: 2000}, code: ingest.CodeTooMuch,
		},
		"relations": { // newBook has two
			at: relatedTo(10_000), past: relatedTo(10_001), code: ingest.CodeTooMuch, says: "10000",
		},
		"bytes of a relation": {
			at: newBook("").related("x", strings.Repeat("x", 8<<10-len("x"+"x")-len(relSpace+"/x")), "x"), past: newBook("").related("x", strings.Repeat("x", 8<<10), "x"), code: ingest.CodeTooMuch,
		},
		"tabs": {
			at: newBook(make([]string, 1000)...).with("xl/worksheets/sheet1.xml", sheetXML(textRow(1, "ref"))), past: newBook(make([]string, 1001)...), code: ingest.CodeTooMuch, says: "1000 tabs",
		},
		"characters of a tab's name": {
			at:   newBook("").edit("xl/workbook.xml", "Sheet1", strings.Repeat("é", 255)),
			past: newBook("").edit("xl/workbook.xml", "Sheet1", strings.Repeat("é", 256)), code: ingest.CodeTooMuch,
		},
		"parts": {
			at: newBook(""), past: newBook("").with("x", "x"), limits: ingest.Limits{Parts: len(newBook(""))}, code: ingest.CodeZipBomb, says: "parts",
		},
		"unpacked bytes": {
			at: newBook(""), past: newBook("").with("x", "x"), limits: ingest.Limits{UnzipBytes: unpacked(newBook(""))}, code: ingest.CodeZipBomb, says: "bytes",
		},
		"attributes of a tag": {
			at: newBook("<row" + attributes(200) + "/>"), past: newBook("<row" + attributes(201) + "/>"), code: ingest.CodeXMLMalformed,
		},
		"namespaces": {
			at:   newBook("<row" + spaces(150) + "><extLst" + spaces(190) + "/></row>"),
			past: newBook("<row" + spaces(150) + "><extLst" + spaces(190) + "><a" + spaces(190) + "/></extLst></row>"),
			code: ingest.CodeXMLMalformed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if _, d := read(t, write(t, "at.xlsx", c.at.zip(t)), ingest.Options{Limits: c.limits}); d != nil {
				t.Errorf("at the limit: %s: %v", d.Code, d)
			}
			_, d := read(t, write(t, "past.xlsx", c.past.zip(t)), ingest.Options{Limits: c.limits})
			if d == nil || d.Code != c.code || !strings.Contains(d.Message, c.says) {
				t.Errorf("past the limit: %v, want %s with %q", d, c.code, c.says)
			}
		})
	}
}

// numbered has n number formats with this code.
func numbered(n int, code string) book {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, `<numFmt numFmtId="%d" formatCode="%s"/>`, 164+i, code)
	}
	return newBook("").related("styles", "styles.xml", `<styleSheet xmlns="`+mainSpace+`"><numFmts>`+s.String()+`</numFmts></styleSheet>`)
}

// relatedTo has n relations from the workbook, most of them outside of it.
func relatedTo(n int) book {
	b := newBook("")
	one := `<Relationship Id="e" Type="x" Target="x" TargetMode="External"/>`
	return b.edit("xl/_rels/workbook.xml.rels", "</Relationships>", strings.Repeat(one, n-1)+"</Relationships>")
}

func unpacked(b book) (n int64) {
	for _, content := range b {
		n += int64(len(content))
	}
	return n
}

// TestAPartMayUnpackToSoManyTimesItsSize: 400 times, from a MiB on.
func TestAPartMayUnpackToSoManyTimesItsSize(t *testing.T) {
	const packed, ratio = 3000, 400
	for size, code := range map[uint64]string{1 << 20: "", packed*ratio - 1: "", packed * ratio: ingest.CodeZipBomb} {
		content := zipWith(t, newBook(""), func(w *zip.Writer) {
			raw(t, w, zip.FileHeader{Name: "x", Method: zip.Deflate, CompressedSize64: packed, UncompressedSize64: size}, strings.Repeat("x", packed))
		})
		_, d := read(t, write(t, "a.xlsx", content), ingest.Options{})
		if (d == nil) != (code == "") || d != nil && d.Code != code {
			t.Errorf("%d bytes from %d: %v, want %q", size, packed, d, code)
		}
	}
}

// TestEveryLimitOfACSVHolds tries each limit at its value and one past it.
func TestEveryLimitOfACSVHolds(t *testing.T) {
	for name, c := range map[string]struct {
		at, past string
		limits   ingest.Limits
		code     string
	}{
		"rows, blank ones counted": {"a,b\n\n1,2\n", "a,b\n\n\n1,2\n", ingest.Limits{Rows: 3}, ingest.CodeTooManyRows},
		"columns":                  {"a,b,c\n", "a,b,c,\n", ingest.Limits{Columns: 3}, ingest.CodeTooManyColumns},
		"bytes":                    {"a,b\n", "a,b\n1", ingest.Limits{Bytes: 4}, ingest.CodeFileTooLarge},
		"characters a cell":        {"क्षत,b\n", "क्षत्,b\n", ingest.Limits{CellChars: 4}, ingest.CodeCellTooLong},
		"characters a quoted cell": {"\"ab\"\"c\",d\n", "\"ab\"\"cd\",e\n", ingest.Limits{CellChars: 4}, ingest.CodeCellTooLong},
		"bytes a row": { // the buffer it must fit into
			strings.Repeat(strings.Repeat("x", 1000)+",", 255) + "\n", strings.Repeat(strings.Repeat("x", 1000)+",", 270) + "\n", ingest.Limits{RowBytes: 256 << 10}, ingest.CodeRowTooLong,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if _, d := read(t, write(t, "at.csv", []byte(c.at)), ingest.Options{Limits: c.limits}); d != nil {
				t.Errorf("at the limit: %s: %v", d.Code, d)
			}
			_, d := read(t, write(t, "past.csv", []byte(c.past)), ingest.Options{Limits: c.limits})
			if d == nil || d.Code != c.code {
				t.Errorf("past the limit: %v, want %s", d, c.code)
			}
		})
	}
}

func attributes(n int) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, ` a%d=""`, i)
	}
	return s.String()
}

func spaces(n int) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, ` xmlns:p%d="u"`, i)
	}
	return s.String()
}

// TestARowOfACSVCostsOneAllocation: the text of its cells. All else is used
// again, however many rows there are.
func TestARowOfACSVCostsOneAllocation(t *testing.T) {
	const n = 100_000
	path := write(t, "big.csv", payoutCSV(n))
	allocs := testing.AllocsPerRun(1, func() { drain(t, path) })
	if perRow := allocs / n; perRow > 1.05 {
		t.Errorf("%.3f allocations a row", perRow)
	}
}

// TestAWorkbookCostsTheTextItHas: cells that share a text cost nothing, and
// the rest one allocation a row.
func TestAWorkbookCostsTheTextItHas(t *testing.T) {
	const n = 10_000
	path := write(t, "big.xlsx", payoutXLSX(n).zip(t))
	allocs := testing.AllocsPerRun(1, func() { drain(t, path) })
	if perRow := allocs / n; perRow > 1.3 {
		t.Errorf("%.3f allocations a row", perRow)
	}
}

// TestACellFarToTheRightStopsTheReadingAtOnce: 20,000 such rows took another
// reader 45 GiB.
func TestACellFarToTheRightStopsTheReadingAtOnce(t *testing.T) {
	var rows strings.Builder
	for i := 1; i <= 20_000; i++ {
		fmt.Fprintf(&rows, `<row r="%d"><c r="XFD%d"><v>1</v></c></row>`, i, i)
	}
	s, err := ingest.Open(write(t, "xfd.xlsx", newBook(rows.String()).zip(t)), ingest.Options{})
	must(t, err)
	defer func() { _ = s.Close() }()
	var d *ingest.Defect
	if _, err := s.Next(); !errors.As(err, &d) || d.Code != ingest.CodeTooManyColumns || d.Row != 1 || d.Column != "XFD" {
		t.Errorf("got %v", err)
	}
	if _, err := s.Next(); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("and then %v", err)
	}
}

// TestADefectQuotesNoCell: what is in a damaged cell may be an account
// number, and defects are printed and logged.
func TestADefectQuotesNoCell(t *testing.T) {
	const account = "50100012345678"
	for name, content := range map[string][]byte{
		"a.csv":  []byte("ref,amount\n\"" + account + "\"x,1\n"),
		"b.csv":  []byte("ref,amount\n" + account + "\"x,1\n"),
		"c.csv":  []byte("ref,amount\n" + account + "\xff,1\n"),
		"d.xlsx": newBook(`<row><c><v>` + account + `x</v></c></row>`).zip(t),
		"e.xlsx": newBook(`<row>` + account + `</row>`).zip(t),
		"f.xlsx": newBook(`<row><c t="str"><v>& ` + account + `;</v></c></row>`).zip(t),
		"g.xlsx": newBook(`<row><c r="A1"t="n"><v>` + account + `</v></c></row>`).zip(t),
		"h.xlsx": newBook(`<row><c t="b"><v>` + account + `</v></c></row>`).zip(t),
		"i.xlsx": newBook(`<row><c><v>` + account).zip(t),
	} {
		_, d := read(t, write(t, name, content), ingest.Options{})
		if d == nil {
			t.Errorf("%s: read without a word", name)
			continue
		}
		if words := fmt.Sprintf("%+v", *d); strings.Contains(words, account) {
			t.Errorf("%s: %s", name, words)
		}
	}
}
