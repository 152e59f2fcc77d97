package main

import (
	"archive/zip"
	"bufio"
	"errors"
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
func writeWorkbook(b *bench, path string, rows int, shared bool) (err error) {
	csv, err := b.sheet(sheetOf{rows: rows})
	if err != nil {
		return err
	}
	in, err := os.Open(csv)
	if err != nil {
		return err
	}
	defer in.Close()
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z := zip.NewWriter(f)
	for _, p := range workbookParts {
		if err := writePart(z, p.name, func(w io.Writer) error { _, err := io.WriteString(w, p.content); return err }); err != nil {
			return err
		}
	}
	texts := texts{shared: shared, index: map[string]int{}}
	if err := writePart(z, "xl/worksheets/sheet1.xml", func(w io.Writer) error { return texts.rows(w, in) }); err != nil {
		return err
	}
	if err := writePart(z, "xl/sharedStrings.xml", texts.table); err != nil {
		return err
	}
	return z.Close()
}

func writePart(z *zip.Writer, name string, content func(io.Writer) error) error {
	part, err := z.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(part, 1<<20)
	if err := content(w); err != nil {
		return err
	}
	return w.Flush()
}

// texts gives each text of the cells its place.
type texts struct {
	shared bool
	index  map[string]int
	list   []string
}

// rows turns the lines of a CSV without quotes into rows.
func (x *texts) rows(w io.Writer, csv io.Reader) error {
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
	return lines.Err()
}

func (x *texts) place(text string) int {
	i, ok := x.index[text]
	if !ok {
		i = len(x.list)
		x.index[text], x.list = i, append(x.list, text)
	}
	return i
}

func (x *texts) table(w io.Writer) error {
	fmt.Fprintf(w, `%s<sst xmlns="%s" uniqueCount="%d">`, xmlHead, mainSpace, len(x.list))
	for _, text := range x.list {
		fmt.Fprintf(w, `<si><t>%s</t></si>`, html.EscapeString(text))
	}
	_, err := io.WriteString(w, `</sst>`)
	return err
}
