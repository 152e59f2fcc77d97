package main

import (
	"archive/zip"
	"bufio"
	"fmt"
	"html"
	"io"
	"os"
	"strings"
)

// reader has openpyxl read every cell of a workbook, the cheapest way it has.
const reader = `
import sys, openpyxl
tab = openpyxl.load_workbook(sys.argv[1], read_only=True).active
print(sum(1 for row in tab.iter_rows(values_only=True) for cell in row if cell is not None))
`

const (
	xmlHead   = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	mainSpace = `http://schemas.openxmlformats.org/spreadsheetml/2006/main`
	relSpace  = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
	packSpace = `http://schemas.openxmlformats.org/package/2006/`
	partType  = `application/vnd.openxmlformats-officedocument.spreadsheetml.`
)

// workbookParts are the parts that do not depend on the rows.
var workbookParts = [...]struct{ name, content string }{
	{"[Content_Types].xml", xmlHead + `<Types xmlns="` + packSpace + `content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Override PartName="/xl/workbook.xml" ContentType="` + partType + `sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="` + partType + `worksheet+xml"/>` +
		`<Override PartName="/xl/sharedStrings.xml" ContentType="` + partType + `sharedStrings+xml"/></Types>`},
	{"_rels/.rels", xmlHead + `<Relationships xmlns="` + packSpace + `relationships"><Relationship Id="rId1" Type="` + relSpace + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
	{"xl/workbook.xml", xmlHead + `<workbook xmlns="` + mainSpace + `" xmlns:r="` + relSpace + `"><sheets><sheet name="Payouts" sheetId="1" r:id="rId1"/></sheets></workbook>`},
	{"xl/_rels/workbook.xml.rels", xmlHead + `<Relationships xmlns="` + packSpace + `relationships"><Relationship Id="rId1" Type="` + relSpace + `/worksheet" Target="worksheets/sheet1.xml"/>` +
		`<Relationship Id="rId2" Type="` + relSpace + `/sharedStrings" Target="sharedStrings.xml"/></Relationships>`},
}

// writeWorkbook writes the payouts of a sheet as a workbook: all cells text but the
// amount, which is a number.
func writeWorkbook(b *bench, path string, rows int, shared bool) {
	csv := b.sheet(sheetOf{rows: rows})
	in := must(os.Open(csv))
	defer in.Close()
	f := must(os.Create(path))
	defer f.Close()
	z := zip.NewWriter(f)
	for _, p := range workbookParts {
		writePart(z, p.name, func(w io.Writer) { fmt.Fprint(w, p.content) })
	}
	texts := texts{shared: shared, index: map[string]int{}}
	writePart(z, "xl/worksheets/sheet1.xml", func(w io.Writer) { texts.rows(w, in) })
	writePart(z, "xl/sharedStrings.xml", texts.table)
	fine(z.Close())
}

func writePart(z *zip.Writer, name string, content func(io.Writer)) {
	part := must(z.Create(name))
	w := bufio.NewWriterSize(part, 1<<20)
	content(w)
	fine(w.Flush())
}

// texts gives each text of the cells its place.
type texts struct {
	shared bool
	index  map[string]int
	list   []string
}

// rows turns the lines of a CSV without quotes into rows.
func (x *texts) rows(w io.Writer, csv io.Reader) {
	const amount = 4 // the fifth column
	fmt.Fprint(w, xmlHead+`<worksheet xmlns="`+mainSpace+`"><sheetData>`)
	lines := bufio.NewScanner(csv)
	for row := 1; lines.Scan(); row++ {
		fmt.Fprintf(w, `<row r="%d">`, row)
		for i, cell := range strings.Split(lines.Text(), ",") {
			if cell == "" {
				cell = "sm_0001" // the sub-merchant: all nine columns are filled
			}
			place := fmt.Sprintf(`<c r="%c%d"`, 'A'+i, row)
			switch {
			case i == amount && row > 1:
				fmt.Fprintf(w, `%s><v>%s</v></c>`, place, cell)
			case x.shared:
				fmt.Fprintf(w, `%s t="s"><v>%d</v></c>`, place, x.place(cell))
			default:
				fmt.Fprintf(w, `%s t="inlineStr"><is><t>%s</t></is></c>`, place, html.EscapeString(cell))
			}
		}
		fmt.Fprint(w, `</row>`)
	}
	fmt.Fprint(w, `</sheetData></worksheet>`)
	fine(lines.Err())
}

func (x *texts) place(text string) int {
	i, ok := x.index[text]
	if !ok {
		i = len(x.list)
		x.index[text], x.list = i, append(x.list, text)
	}
	return i
}

func (x *texts) table(w io.Writer) {
	fmt.Fprintf(w, `%s<sst xmlns="%s" uniqueCount="%d">`, xmlHead, mainSpace, len(x.list))
	for _, text := range x.list {
		fmt.Fprintf(w, `<si><t>%s</t></si>`, html.EscapeString(text))
	}
	fmt.Fprint(w, `</sst>`)
}
