package ingest_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ingest"
)

// good is every workbook that must be read, with its rows. The comparison
// with excelize and the fuzzers begin with them.
var good = map[string]struct {
	book book
	o    ingest.Options
	want []string

	beyondExcelize bool // excelize does not find the tab, or leaves escapes
}{
	"inline strings and numbers": {
		book: newBook(textRow(1, "ref", "amount") + `<row r="2"><c r="A2" t="inlineStr"><is><t>A &amp; B</t></is></c><c r="B2"><v>1.5</v></c></row>`),
		want: []string{"1:ref|amount", "2:A & B|1.5"},
	},
	"shared and rich strings without phonetic runs": {
		book: newBook(`<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>`).
			shared(`<t>ref</t>`, `<r><rPr><b/></rPr><t xml:space="preserve">am </t></r><r><t>ount</t></r><rPh sb="0" eb="1"><t>NO</t></rPh><phoneticPr fontId="1"/>`),
		want: []string{"1:ref|am ount"},
	},
	"shared strings beyond one segment": {
		book: newBook(`<row r="1"><c t="s"><v>1023</v></c><c t="s"><v>1024</v></c><c t="s"><v>2000</v></c></row>`).shared(manyTexts(2001)...),
		want: []string{"1:t1023|t1024|t2000"},
	},
	"prefixed names and other namespaces": {
		book: newBook("").with("xl/worksheets/sheet1.xml", `<x:worksheet xmlns:x="`+mainSpace+`" xmlns:z="urn:z"><z:other><z:thing/></z:other><x:sheetData><x:row r="1"><x:c r="A1" z:t="s" t="str"><x:v>ref</x:v></x:c></x:row></x:sheetData></x:worksheet>`),
		want: []string{"1:ref"},
	},
	"strict namespaces": {
		book: newBook(textRow(1, "ref")).edit("xl/worksheets/sheet1.xml", mainSpace, strictSpace).
			edit("xl/workbook.xml", mainSpace, strictSpace).
			edit("xl/workbook.xml", relSpace, "http://purl.oclc.org/ooxml/officeDocument/relationships").
			edit("xl/_rels/workbook.xml.rels", relSpace, "http://purl.oclc.org/ooxml/officeDocument/relationships"),
		want: []string{"1:ref"},
	},
	"cells and rows without r": {
		book: newBook(`<row><c t="str"><v>ref</v></c><c><v>1</v></c></row><row><c/><c><v>2</v></c></row><row r="7"><c r="C7"><v>3</v></c><c><v>4</v></c></row><row><c><v>5</v></c></row>`),
		want: []string{"1:ref|1", "2:|2", "7:||3|4", "8:5"},
	},
	"rows left out keep the numbers of the others": {
		book: newBook(textRow(1, "ref", "amount") + textRow(5, "A", "1") + `<row r="9"/>` + textRow(12, "B", "2")),
		want: []string{"1:ref|amount", "5:A|1", "9:", "12:B|2"},
	},
	"styled cells without a value are blank": {
		book: newBook(`<row r="1"><c r="A1" s="0"/><c r="C1"><v>1</v></c><c r="E1" s="0"></c><c r="XFD1" s="0"/></row>`).styled("0"),
		want: []string{"1:||1"},
	},
	"CDATA, references, escapes and line breaks": {
		book:           newBook(`<row r="1"><c t="inlineStr"><is><t><![CDATA[<A&B>]]> &#x20B9;&#65;&lt;&gt;&quot;&apos;</t></is></c><c t="str"><v>a_x000D_b_x005F_x0041_c_x0041</v></c><c t="str"><v>l1` + "\r\n" + `l2` + "\r" + `l3</v></c><c t="str"><v>_xD83D__xDE00_</v></c></row>`),
		want:           []string{"1:<A&B> ₹A<>\"'|a\rb_x0041_c_x0041|l1\nl2\nl3|😀"},
		beyondExcelize: true,
	},
	"comments and instructions anywhere": {
		book: newBook(`<!-- a --><row r="1"><?x y?><c r="A1"><!-- b --><v>1<!-- c -->2</v></c></row>`),
		want: []string{"1:12"},
	},
	"merged title rows and a merged total": {
		book: newBook(textRow(1, "Payouts")+textRow(2, "ref", "amount")+textRow(3, "A", "1")+textRow(4, "Total:", "", "1")).
			edit("xl/worksheets/sheet1.xml", "</sheetData>", `</sheetData><mergeCells count="3"><mergeCell ref="A1:E1"/><mergeCell ref="A4:B4"/><mergeCell ref="A9:C12"/></mergeCells>`),
		o:    ingest.Options{IsHeader: isHeader},
		want: []string{"1:Payouts", "2:ref|amount", "3:A|1", "4:Total:||1"},
	},
	"absolute targets and odd part names": {
		book:           newBook(textRow(1, "ref")).edit("xl/_rels/workbook.xml.rels", `Target="worksheets/sheet1.xml"`, `Target="/XL/worksheets/Sheet1.xml"`),
		want:           []string{"1:ref"},
		beyondExcelize: true,
	},
	"a type with macros for an extension that no part has": { // as SheetJS writes it
		book: newBook(textRow(1, "ref")).edit("[Content_Types].xml", `<Default Extension="xml"`, `<Default Extension="bin" ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"/><Default Extension="xml"`),
		want: []string{"1:ref"},
	},
	"a tab without rows": {
		book: newBook("").with("xl/worksheets/sheet1.xml", `<worksheet xmlns="`+mainSpace+`"><sheetData/></worksheet>`),
	},
}

func manyTexts(n int) (si []string) {
	for i := range n {
		si = append(si, fmt.Sprintf("<t>t%d</t>", i))
	}
	return si
}

func TestWorkbooksAreReadAsTheyLook(t *testing.T) {
	for name, c := range good {
		t.Run(name, func(t *testing.T) {
			same(t, c.want, readWhole(t, write(t, "nov.xlsx", c.book.zip(t)), c.o))
		})
	}
}

func TestWorkbooksWithDamagedStructureAreRefused(t *testing.T) {
	const part = "xl/worksheets/sheet1.xml"
	plain := newBook(textRow(1, "ref", "amount") + textRow(2, "A", "1") + textRow(3, "B", "2"))
	rows := func(rows string) book { return newBook(rows) }
	for name, c := range map[string]struct {
		book book
		code string
		row  int
		says string
	}{
		"sheet XML cut off":                  {book: plain.with(part, plain[part][:len(plain[part])-80]), code: ingest.CodeXMLMalformed, row: 3},
		"sheet XML cut off behind a row":     {book: plain.with(part, plain[part][:strings.Index(plain[part], `<row r="3"`)]), code: ingest.CodeXMLMalformed, row: 2},
		"tag never closed":                   {book: rows(`<row r="1"><c><v>1</v></row>`), code: ingest.CodeXMLMalformed, row: 1},
		"closed twice":                       {book: rows(`<row r="1"></row></row>`), code: ingest.CodeXMLMalformed, row: 1},
		"attribute twice":                    {book: rows(`<row r="1" r="2"/>`), code: ingest.CodeXMLMalformed},
		"attribute without quotes":           {book: rows(`<row r=1/>`), code: ingest.CodeXMLMalformed},
		"no space between attributes":        {book: rows(`<row r="1"s="1"/>`), code: ingest.CodeXMLMalformed},
		"unknown prefix":                     {book: rows(`<y:row r="1"/>`), code: ingest.CodeXMLMalformed},
		"text between rows":                  {book: rows(`x<row r="1"/>`), code: ingest.CodeXMLMalformed},
		"text between cells":                 {book: rows(`<row r="1">x</row>`), code: ingest.CodeXMLMalformed, row: 1},
		"rows in two places":                 {book: plain.edit(part, "</sheetData>", "</sheetData><sheetData/>"), code: ingest.CodeXMLMalformed, row: 0},
		"rows of another namespace":          {book: plain.edit(part, "<sheetData>", `<z:o xmlns:z="urn:z"><z:row/></z:o><sheetData>`), code: ingest.CodeXMLMalformed},
		"cells in an extension":              {book: rows(`<row r="1"><extLst><c><v>1</v></c></extLst></row>`), code: ingest.CodeXMLMalformed, row: 1},
		"an attribute that is no name":       {book: plain.with(part, strings.Replace(plain[part], "<row ", `<row -a="1" `, 1)), code: ingest.CodeXMLMalformed},
		"two roots":                          {book: plain.with(part, plain[part]+"<a/>"), code: ingest.CodeXMLMalformed},
		"text behind the root":               {book: plain.with(part, plain[part]+"x"), code: ingest.CodeXMLMalformed},
		"another root":                       {book: plain.with(part, `<chartsheet xmlns="`+mainSpace+`"/>`), code: ingest.CodeXMLMalformed},
		"root without namespace":             {book: plain.with(part, `<worksheet><sheetData/></worksheet>`), code: ingest.CodeXMLMalformed},
		"nested deep":                        {book: plain.edit(part, "<sheetData>", strings.Repeat("<a>", 200)), code: ingest.CodeXMLMalformed},
		"control character":                  {book: rows("<row r=\"1\"><c t=\"str\"><v>a\x01</v></c></row>"), code: ingest.CodeXMLMalformed, row: 1},
		"not UTF-8":                          {book: rows("<row r=\"1\"><c t=\"str\"><v>a\xff</v></c></row>"), code: ingest.CodeXMLMalformed, row: 1},
		"declaration garbled":                {book: plain.edit(part, ` encoding="UTF-8"`, ` r="XFDcoding="UTF-8"`), code: ingest.CodeXMLMalformed},
		"XML 1.1":                            {book: plain.edit(part, `version="1.0"`, `version="1.1"`), code: ingest.CodeXMLMalformed},
		"second declaration":                 {book: rows(`<?xml version="1.0"?>`), code: ingest.CodeXMLMalformed},
		"comment in a comment":               {book: rows(`<!-- <!-- --> -->`), code: ingest.CodeXMLMalformed},
		"entity nobody reads":                {book: plain.edit(part, `<sheetView `, `<sheetView a="&a;" `), code: ingest.CodeXMLForbidden},
		"text nobody reads":                  {book: plain.edit(part, `<sheetViews>`, "<sheetViews>\x01"), code: ingest.CodeXMLMalformed},
		"name beyond ASCII":                  {book: plain.edit(part, `<sheetViews>`, "<é/><sheetViews>"), code: ingest.CodeXMLMalformed},
		"other encoding":                     {book: plain.edit(part, "UTF-8", "ISO-8859-1"), code: ingest.CodeXMLMalformed},
		"DOCTYPE":                            {book: plain.edit(part, "<worksheet", `<!DOCTYPE x [<!ENTITY a "b">]><worksheet`), code: ingest.CodeXMLForbidden},
		"entity":                             {book: rows(`<row r="1"><c t="str"><v>&a;</v></c></row>`), code: ingest.CodeXMLForbidden},
		"reference to NUL":                   {book: rows(`<row r="1"><c t="str"><v>&#0;</v></c></row>`), code: ingest.CodeXMLForbidden},
		"row number twice":                   {book: rows(`<row r="4"/><row r="4"/>`), code: ingest.CodeRowOrder, row: 4},
		"row numbers descend":                {book: rows(`<row r="4"/><row r="3"/>`), code: ingest.CodeRowOrder, row: 3},
		"row number 0":                       {book: rows(`<row r="0"/>`), code: ingest.CodeXMLMalformed},
		"row number no number":               {book: rows(`<row r="1.5"/>`), code: ingest.CodeXMLMalformed},
		"row number beyond Excel":            {book: rows(`<row r="1048577"/>`), code: ingest.CodeTooManyRows, row: 1048577},
		"cell twice":                         {book: rows(`<row r="1"><c r="B1"><v>1</v></c><c r="B1"><v>2</v></c></row>`), code: ingest.CodeCellOrder, row: 1},
		"cells descend":                      {book: rows(`<row r="1"><c r="B1"><v>1</v></c><c r="A1"><v>2</v></c></row>`), code: ingest.CodeCellOrder, row: 1},
		"cell in the wrong row":              {book: rows(`<row r="1"><c r="A2"><v>1</v></c></row>`), code: ingest.CodeCellOrder, row: 1},
		"cell place no place":                {book: rows(`<row r="1"><c r="1A"><v>1</v></c></row>`), code: ingest.CodeCellMalformed, row: 1},
		"cell beyond Excel":                  {book: rows(`<row r="1"><c r="XFE1"><v>1</v></c></row>`), code: ingest.CodeCellMalformed, row: 1},
		"cell beyond the limit":              {book: rows(`<row r="1"><c r="XFD1"><v>1</v></c></row>`), code: ingest.CodeTooManyColumns, row: 1},
		"unknown type":                       {book: rows(`<row r="1"><c t="q"><v>1</v></c></row>`), code: ingest.CodeCellMalformed, row: 1},
		"number that is none":                {book: rows(`<row r="1"><c><v>1,5</v></c></row>`), code: ingest.CodeCellMalformed, row: 1},
		"number in hex":                      {book: rows(`<row r="1"><c><v>0x1p4</v></c></row>`), code: ingest.CodeCellMalformed, row: 1},
		"infinite number":                    {book: rows(`<row r="1"><c><v>1E999</v></c></row>`), code: ingest.CodeCellMalformed, row: 1},
		"boolean that is none":               {book: rows(`<row r="1"><c t="b"><v>2</v></c></row>`), code: ingest.CodeCellMalformed, row: 1},
		"two values":                         {book: rows(`<row r="1"><c><v>1</v><v>2</v></c></row>`), code: ingest.CodeCellMalformed, row: 1},
		"value inside a value":               {book: rows(`<row r="1"><c><v><v>1</v></v></c></row>`), code: ingest.CodeXMLMalformed, row: 1},
		"inline text as value":               {book: rows(`<row r="1"><c t="inlineStr"><v>1</v></c></row>`), code: ingest.CodeCellMalformed, row: 1},
		"value as inline text":               {book: rows(`<row r="1"><c><is><t>1</t></is></c></row>`), code: ingest.CodeCellMalformed, row: 1},
		"something else in a cell":           {book: rows(`<row r="1"><c><w>1</w></c></row>`), code: ingest.CodeCellMalformed, row: 1},
		"style that is not there":            {book: rows(`<row r="1"><c s="7"><v>1</v></c></row>`).styled("0"), code: ingest.CodeCellMalformed, row: 1},
		"shared string that is not there":    {book: rows(`<row r="1"><c t="s"><v>1</v></c></row>`).shared("<t>a</t>"), code: ingest.CodeSharedString, row: 1},
		"shared string without a table":      {book: rows(`<row r="1"><c t="s"><v>0</v></c></row>`), code: ingest.CodeSharedString, row: 1},
		"shared string and more":             {book: rows(`<row r="1"><c t="s"><v>42 customHeight="1"</v></c></row>`).shared("<t>a</t>"), code: ingest.CodeSharedString, row: 1},
		"shared string negative":             {book: rows(`<row r="1"><c t="s"><v>-1</v></c></row>`).shared("<t>a</t>"), code: ingest.CodeSharedString, row: 1},
		"inline text too long":               {book: rows(`<row r="1"><c t="str"><v>` + strings.Repeat("x", 32768) + `</v></c></row>`), code: ingest.CodeCellTooLong, row: 1},
		"shared text too long":               {book: rows("").shared("<t>" + strings.Repeat("x", 32768) + "</t>"), code: ingest.CodeCellTooLong},
		"tab whose part is missing":          {book: plain.with(part, ""), code: ingest.CodePartMissing},
		"shared strings missing":             {book: plain.related("sharedStrings", "gone.xml", ""), code: ingest.CodePartMissing},
		"no relations":                       {book: plain.with("xl/_rels/workbook.xml.rels", ""), code: ingest.CodePartMissing},
		"tab listed twice":                   {book: plain.edit("xl/workbook.xml", "</sheets>", `<sheet name="sheet1" sheetId="2" r:id="rId1"/></sheets>`), code: ingest.CodePartRepeated},
		"target outside of the workbook":     {book: plain.edit("xl/_rels/workbook.xml.rels", "worksheets/sheet1.xml", "../../sheet1.xml"), code: ingest.CodePartName},
		"part with an unsafe name":           {book: plain.with("xl/../../evil.xml", "x"), code: ingest.CodePartName},
		"part with an absolute name":         {book: plain.with("/etc/evil.xml", "x"), code: ingest.CodePartName},
		"part twice but for case":            {book: plain.with("xl/Workbook.xml", "x"), code: ingest.CodePartRepeated},
		"macros":                             {book: plain.with("xl/vbaProject.bin", "x"), code: ingest.CodeMacros},
		"macros by the content type":         {book: plain.edit("[Content_Types].xml", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml", "application/vnd.ms-excel.sheet.macroEnabled.main+xml"), code: ingest.CodeMacros},
		"macros by the type of an extension": {book: plain.edit("[Content_Types].xml", `<Default Extension="xml"`, `<Default Extension="BIN" ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"/><Default Extension="xml"`).with("xl/x.bin", "x"), code: ingest.CodeMacros},
		"a macro sheet":                      {book: plain.related("xlMacrosheet", "macro.xml", "<x/>"), code: ingest.CodeMacros},
		"OpenDocument":                       {book: book{"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": "<x/>"}, code: ingest.CodeFormatUnknown, says: ".ods"},
		"xlsb":                               {book: book{"[Content_Types].xml": "<x/>", "xl/workbook.bin": "x"}, code: ingest.CodeFormatUnknown, says: ".xlsb"},
		"Word":                               {book: book{"[Content_Types].xml": "<x/>", "word/document.xml": "x"}, code: ingest.CodeFormatUnknown, says: "Word"},
		"some zip":                           {book: book{"a.csv": "ref,amount"}, code: ingest.CodeFormatUnknown, says: "zip archive"},
		"empty zip":                          {book: book{}, code: ingest.CodeFormatUnknown, says: "zip archive"},
		"zip bomb":                           {book: plain.with("xl/media/bomb.xml", strings.Repeat("\x00", 8<<20)), code: ingest.CodeZipBomb},
	} {
		t.Run(name, func(t *testing.T) {
			_, d := read(t, write(t, "nov.xlsx", c.book.zip(t)), ingest.Options{})
			if d == nil {
				t.Fatal("read without a word")
			}
			if d.Code != c.code || d.Row != c.row || !strings.Contains(d.Message, c.says) || d.Fix == "" {
				t.Errorf("%s at row %d: %s\nwant %s at row %d", d.Code, d.Row, d.Message, c.code, c.row)
			}
		})
	}
}

func TestCellKinds(t *testing.T) {
	b := newBook(`<row r="1">`+
		`<c t="str"><v>a</v></c><c><v>1.10</v></c><c t="b"><v>1</v></c><c t="e"><v>#REF!</v></c>`+
		`<c s="1"><v>45992</v></c><c s="2"><v>123</v></c><c s="3"><v>5</v></c><c s="4"><v>1.5</v></c>`+
		`<c><f>1+1</f><v>2</v></c><c t="str"><f>A1</f><v>x</v></c><c t="str"><f>A1</f><v></v></c><c><f>A1</f></c>`+
		`<c><f>A1</f><v/></c><c t="e"><f>1/0</f><v>#DIV/0!</v></c><c t="d"><v>2026-01-31</v></c><c/><c t="b"><v>0</v></c></row>`).
		styled("0", "14", "000000", `"INV-"0`, `[$₹-4009] #,##0.00`)
	s, err := ingest.Open(write(t, "k.xlsx", b.zip(t)), ingest.Options{})
	must(t, err)
	defer func() { _ = s.Close() }()
	row, err := s.Next()
	must(t, err)
	wantCells := []string{"a", "1.1", "TRUE", "#REF!", "2025-12-01", "123", "5", "1.5", "2", "x", "", "", "", "#DIV/0!", "2026-01-31", "", "FALSE"}
	wantKinds := []ingest.Kind{
		ingest.Text, ingest.Number, ingest.Bool, ingest.Error, ingest.Date, ingest.Formatted, ingest.Formatted, ingest.Number,
		ingest.FormulaNumber, ingest.Formula, ingest.Formula, ingest.FormulaEmpty, ingest.FormulaEmpty, ingest.Error, ingest.Date, ingest.Blank, ingest.Bool,
	}
	same(t, wantCells, row.Cells)
	same(t, wantKinds, row.Kinds)
}

func TestHiddenRows(t *testing.T) {
	hide := func(n int, attrs string) string {
		return strings.Replace(textRow(n, "H", "9"), "<row ", "<row "+attrs+" ", 1)
	}
	b := newBook(hide(1, `hidden="1"`) + textRow(2, "ref", "amount") + hide(3, `hidden="1"`) + hide(4, `hidden="true"`) +
		textRow(5, "A", "1") + hide(6, `ht="0" customHeight="1"`) + `<row r="7" hidden="1"><c r="A7"/></row>` + hide(8, `hidden="0" ht="12"`))
	path := write(t, "h.xlsx", b.zip(t))
	all := []string{"1:H|9", "2:ref|amount", "3:H|9", "4:H|9", "5:A|1", "6:H|9", "7:", "8:H|9"}
	for hidden, c := range map[ingest.HiddenRows]struct {
		rows []string
		code string
	}{
		"":                   {rows: all, code: "hidden_rows"},
		ingest.HiddenError:   {rows: all, code: "hidden_rows"},
		ingest.HiddenInclude: {rows: all},
		ingest.HiddenSkip:    {rows: []string{"2:ref|amount", "5:A|1", "8:H|9"}},
	} {
		rows, d := read(t, path, ingest.Options{Hidden: hidden, IsHeader: isHeader})
		same(t, c.rows, rows, hidden)
		if (d == nil) != (c.code == "") {
			t.Fatalf("%q: %v", hidden, d)
		}
		if d != nil && (d.Code != ingest.CodeHiddenRows || d.Row != 3 || d.Value != "3 to 4, 6") {
			t.Errorf("%q: %+v", hidden, d)
		}
	}
}

// What merged cells lie over is for the person who knows the columns; those above the
// header and below the last row lie over nothing.
func TestMergedCellsFromTheHeaderDownAreTold(t *testing.T) {
	const part = "xl/worksheets/sheet1.xml"
	b := newBook(textRow(1, "Payouts") + textRow(2, "ref", "amount") + textRow(3, "A", "1") + textRow(4, "B", "2") + textRow(5, "Total", "3"))
	for name, c := range map[string]struct {
		ref  string
		want []ingest.Area
		code string
	}{
		"down a column":         {"B3:B4", []ingest.Area{{Top: 3, Bottom: 4, Left: 1, Right: 1, Ref: "B3:B4"}}, ""},
		"across a row":          {"A3:B3", []ingest.Area{{Top: 3, Bottom: 3, Left: 0, Right: 1, Ref: "A3:B3"}}, ""},
		"from the title down":   {"A1:A3", []ingest.Area{{Top: 1, Bottom: 3, Ref: "A1:A3"}}, ""},
		"over the header":       {"A2:B2", []ingest.Area{{Top: 2, Bottom: 2, Right: 1, Ref: "A2:B2"}}, ""},
		"the title":             {"A1:B1", nil, ""},
		"below the sheet":       {"A6:B9", nil, ""},
		"one cell":              {"A3", nil, ""},
		"that are no reference": {"A3:", nil, ingest.CodeXMLMalformed},
		"backwards":             {"B3:A3", nil, ingest.CodeXMLMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			merged := b.edit(part, "</sheetData>", `</sheetData><mergeCells><mergeCell ref="`+c.ref+`"/></mergeCells>`)
			s, err := ingest.Open(write(t, "m.xlsx", merged.zip(t)), ingest.Options{IsHeader: isHeader})
			must(t, err)
			defer func() { _ = s.Close() }()
			for err == nil {
				if s.Areas() != nil {
					t.Fatal("reported before the sheet was read")
				}
				_, err = s.Next()
			}
			d, refused := errors.AsType[*ingest.Defect](err)
			if diff := cmp.Diff(c.want, s.Areas()); diff != "" || refused != (c.code != "") || refused && d.Code != c.code {
				t.Errorf("%v; %s", err, diff)
			}
		})
	}
}

func TestTabs(t *testing.T) {
	payouts, notes := textRow(1, "ref", "amount")+textRow(2, "A", "1"), textRow(1, "Read me")
	late := textRow(21, "ref", "amount")
	state := func(b book, tab int, s string) book {
		return b.edit("xl/workbook.xml", fmt.Sprintf(`sheetId="%d"`, tab), fmt.Sprintf(`sheetId="%d" state="%s"`, tab, s))
	}
	for name, c := range map[string]struct {
		book book
		ask  string
		tab  string
		code string
		says string

		unread string
	}{
		"the only tab, whatever is in it":      {book: newBook(notes), tab: "Sheet1"},
		"the only tab with a header":           {book: newBook(notes, payouts), tab: "Sheet2", unread: `"Sheet1"`},
		"a header alone, and an empty tab":     {book: newBook(late, payouts, ""), tab: "Sheet2", unread: `"Sheet1"`},
		"a template next to the payouts":       {book: newBook(textRow(1, "ref", "amount"), payouts), tab: "Sheet2"},
		"a tab that may hold payouts":          {book: newBook(textRow(1, "may pay"), payouts), code: ingest.CodeTabUnclear, says: `"Sheet1"`},
		"the same, with the other one named":   {book: newBook(textRow(1, "may pay"), payouts), ask: "Sheet2", tab: "Sheet2", unread: `"Sheet1"`},
		"a hidden tab that may hold payouts":   {book: state(newBook(textRow(1, "may pay"), payouts), 1, "hidden"), tab: "Sheet2"},
		"payouts only where nobody sees them":  {book: state(newBook(payouts, notes, notes), 1, "hidden"), code: ingest.CodeTabHidden, says: `"Sheet1"`},
		"nothing seen next to a hidden notes":  {book: state(newBook(notes, notes), 1, "hidden"), tab: "Sheet2"},
		"a damaged hidden tab":                 {book: state(newBook(`<row r="1">`, notes), 1, "hidden"), tab: "Sheet2"},
		"the only tab with anything":           {book: newBook("", notes, ""), tab: "Sheet2"},
		"a hidden tab is no data":              {book: state(newBook(payouts, payouts), 1, "hidden"), tab: "Sheet2"},
		"a very hidden tab is no data":         {book: state(newBook(payouts, payouts), 2, "veryHidden"), tab: "Sheet1"},
		"only hidden tabs":                     {book: state(newBook(payouts), 1, "hidden"), code: ingest.CodeTabHidden, says: `"Sheet1"`},
		"two tabs with a header":               {book: newBook(payouts, notes, payouts), code: ingest.CodeTabSeveral, says: `"Sheet1", "Sheet3"`},
		"no tab with a header":                 {book: newBook(notes, notes), code: ingest.CodeTabNone, says: `"Sheet1", "Sheet2"`},
		"a header below the first 20 rows":     {book: newBook(late, notes), code: ingest.CodeTabNone},
		"named":                                {book: newBook(payouts, payouts), ask: "Sheet2", tab: "Sheet2", unread: `"Sheet1"`},
		"named in another case":                {book: newBook(payouts, payouts), ask: "SHEET2", tab: "Sheet2", unread: `"Sheet1"`},
		"named and absent":                     {book: newBook(payouts, notes), ask: "May", code: ingest.CodeTabAbsent, says: `"Sheet1", "Sheet2"`},
		"named and hidden":                     {book: state(newBook(payouts, payouts), 1, "hidden"), ask: "Sheet1", code: ingest.CodeTabHidden},
		"a wide tab next to the payouts":       {book: newBook(`<row r="1"><c r="XFD1"><v>1</v></c></row>`, payouts), tab: "Sheet2", unread: `"Sheet1"`},
		"a damaged tab next to the payouts":    {book: newBook(`<row r="1">`, payouts), code: ingest.CodeXMLMalformed},
		"a damaged tab next to one that named": {book: newBook(`<row r="1">`, payouts), ask: "Sheet2", tab: "Sheet2", unread: `"Sheet1"`},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := ingest.Open(write(t, "t.xlsx", c.book.zip(t)), ingest.Options{Tab: c.ask, IsHeader: isHeader, MayPay: func(rows [][]string) bool { return len(rows) > 0 && rows[0][0] == "may pay" }})
			if c.code == "" {
				must(t, err)
				defer func() { _ = s.Close() }()
				if s.Tab() != c.tab {
					t.Errorf("tab %q, want %q", s.Tab(), c.tab)
				}
				if _, names := s.UnreadTabs(); names != c.unread {
					t.Errorf("tabs that are not read: %s, want %s", names, c.unread)
				}
				return
			}
			var d *ingest.Defect
			if !errors.As(err, &d) || d.Code != c.code || !strings.Contains(d.Message, c.says) {
				t.Errorf("got %v, want %s with %q", err, c.code, c.says)
			}
		})
	}
}

// The tabs that may be named are known of a workbook that cannot be read, too.
func TestTabsThatMayBeNamed(t *testing.T) {
	b := newBook(textRow(1, "notes"), `<row r="1">`, textRow(1, "more notes"), "")
	b = b.edit("xl/workbook.xml", `name="Sheet1"`, `name="&lt;b&gt;A &amp; B"`).edit("xl/workbook.xml", `sheetId="3"`, `sheetId="3" state="hidden"`)
	for name, c := range map[string]struct {
		content []byte
		want    []string
		code    string
	}{
		"a workbook":  {b.zip(t), []string{"<b>A & B", "Sheet2", "Sheet4"}, ingest.CodeXMLMalformed},
		"one tab":     {newBook(textRow(1, "a")).zip(t), []string{"Sheet1"}, ""},
		"only hidden": {newBook(textRow(1, "a")).edit("xl/workbook.xml", `sheetId="1"`, `sheetId="1" state="veryHidden"`).zip(t), nil, ingest.CodeTabNone},
		"no workbook": {[]byte("ref,amount\nA,1\n"), nil, ""},
		"half of one": {b.zip(t)[:200], nil, ingest.CodeWorkbookDamaged},
		"nothing":     {nil, nil, ingest.CodeFileEmpty},
		"too large":   {append(b.zip(t), make([]byte, 1<<20)...), nil, ingest.CodeFileTooLarge},
	} {
		sheet, err := ingest.Open(write(t, "t.xlsx", c.content), ingest.Options{Limits: ingest.Limits{Bytes: 1 << 20}})
		d, _ := errors.AsType[*ingest.Defect](err)
		var got []string
		if d != nil {
			got = d.Tabs
		} else {
			got = sheet.Tabs()
			must(t, sheet.Close())
		}
		if diff := cmp.Diff(c.want, got); diff != "" || (d == nil) != (c.code == "") || d != nil && d.Code != c.code {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

func TestDatesFollowTheWorkbooksDaySystem(t *testing.T) {
	for serial, want := range map[string][2]string{
		"0":            {"1899-12-31", "1904-01-01"},
		"59":           {"1900-02-28", "1904-02-29"},
		"60":           {"1900-02-29", "1904-03-01"},
		"61":           {"1900-03-01", "1904-03-02"},
		"45992.5":      {"2025-12-01 12:00:00", "2029-12-02 12:00:00"},
		"45991.999999": {"2025-12-01", "2029-12-02"},
		"-1":           {"-1", "-1"},
		"2958466":      {"2958466", "2958466"},
	} {
		b := newBook(`<row r="1"><c s="0"><v>` + serial + `</v></c></row>`).styled("yyyy-mm-dd")
		for i, b := range []book{b, b.edit("xl/workbook.xml", "<workbookPr/>", `<workbookPr date1904="1"/>`)} {
			same(t, []string{"1:" + want[i]}, readWhole(t, write(t, "d.xlsx", b.zip(t)), ingest.Options{}), serial, i)
		}
	}
}

func TestNumbersAreTheShortestDecimalOfTheirDouble(t *testing.T) {
	for raw, want := range map[string]string{
		"1":                       "1",
		"100.10":                  "100.1",
		"007":                     "7",
		"+5":                      "5",
		"-0":                      "0",
		"0.50":                    "0.5",
		".5":                      "0.5",
		"5.":                      "5",
		"-12.25":                  "-12.25",
		"1.1000000000000001":      "1.1",
		"100.10000000000001":      "100.10000000000001",
		"0.30000000000000004":     "0.30000000000000004",
		"1.23456789012346E+15":    "1234567890123460",
		"1E3":                     "1000",
		"1e-7":                    "0.0000001",
		"1.23456789012345E+16":    "12345678901234500",
		"12345678901234567":       "12345678901234567", // its double ends in 8: the raw digits stay
		"1234567890123456.78":     "1234567890123456.78",
		"999999999999.99":         "999999999999.99",
		"100000000000000000000":   "100000000000000000000",
		"4.9406564584124654E-324": "0." + strings.Repeat("0", 323) + "5",
		" 5 ":                     "5",
	} {
		b := newBook(`<row r="1"><c><v>` + raw + `</v></c></row>`)
		same(t, []string{"1:" + want}, readWhole(t, write(t, "n.xlsx", b.zip(t)), ingest.Options{}), raw)
	}
}

func TestAfterAnErrorNothingIsRead(t *testing.T) {
	s, err := ingest.Open(write(t, "n.xlsx", newBook(textRow(1, "a")+`<row r="1"/>`+textRow(3, "b")).zip(t)), ingest.Options{})
	must(t, err)
	if _, err := s.Next(); err != nil {
		t.Fatal(err)
	}
	_, first := s.Next()
	_, second := s.Next()
	if first == nil || first != second || errors.Is(first, io.EOF) || s.SHA256() != "" {
		t.Errorf("%v, then %v, hash %q", first, second, s.SHA256())
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := s.Next(); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("closed sheet gives %v", err)
	}
}

func TestColumnWidths(t *testing.T) {
	b := newBook(textRow(1, "ref", "amount", "remarks", "dept"))
	part := "xl/worksheets/sheet1.xml"
	b = b.with(part, strings.Replace(b[part], "<sheetData>", `<cols><col min="1" max="2" width="18.5" customWidth="1"/><col min="3" max="3" width="30" hidden="1"/><col min="5" max="9" width="x"/></cols><sheetData>`, 1))
	s, err := ingest.Open(write(t, "w.xlsx", b.zip(t)), ingest.Options{})
	must(t, err)
	defer s.Close() //nolint:errcheck // only read from
	if _, err := s.Next(); err != nil {
		t.Fatal(err)
	}
	for column, want := range []float64{18.5, 18.5, 0, 0, 0} {
		if got := s.ColumnWidth(column); got != want {
			t.Errorf("column %d is %v wide, want %v", column, got, want)
		}
	}
}
