package samples_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
)

// workbook is an XLSX by its parts, for what no library writes: damage, and
// the forms of programs that are not here.
type workbook map[string]string

const (
	xmlHead   = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	mainSpace = `http://schemas.openxmlformats.org/spreadsheetml/2006/main`
	relSpace  = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
	packSpace = `http://schemas.openxmlformats.org/package/2006/`

	tabPart, bookPart, textsPart = "xl/worksheets/sheet1.xml", "xl/workbook.xml", "xl/sharedStrings.xml"
)

// Styles of the cells of parts: general, text, money, date.
const stylesPart = xmlHead + `<styleSheet xmlns="` + mainSpace + `"><numFmts count="1"><numFmt numFmtId="164" formatCode="#,##0.00"/></numFmts>` +
	`<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="1"><fill><patternFill patternType="none"/></fill></fills>` +
	`<borders count="1"><border/></borders><cellStyleXfs count="1"><xf numFmtId="0"/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0" xfId="0"/>` +
	`<xf numFmtId="49" xfId="0" applyNumberFormat="1"/><xf numFmtId="164" xfId="0" applyNumberFormat="1"/><xf numFmtId="14" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`

// parts writes a sheet as a workbook of one tab, with the texts in its cells.
func (s sheet) parts() workbook {
	return tabOf(s.xml(func(text string) string {
		return `t="inlineStr"><is><t xml:space="preserve">` + escaped(text) + `</t></is>`
	}))
}

// sharing writes it with the texts in a table of their own.
func (s sheet) sharing() workbook {
	var texts []string
	xml := s.xml(func(text string) string {
		i := slices.Index(texts, text)
		if i < 0 {
			i, texts = len(texts), append(texts, text)
		}
		return fmt.Sprintf(`t="s"><v>%d</v>`, i)
	})
	var table strings.Builder
	fmt.Fprintf(&table, `%s<sst xmlns="%s" uniqueCount="%d">`, xmlHead, mainSpace, len(texts))
	for _, text := range texts {
		table.WriteString(`<si><t xml:space="preserve">` + escaped(text) + `</t></si>`)
	}
	return tabOf(xml).related("sharedStrings", "sharedStrings.xml", table.String()+`</sst>`)
}

// xml gives the rows, with each text as the function writes it.
func (s sheet) xml(text func(string) string) string {
	var xml strings.Builder
	row := func(n int, cells []string) {
		fmt.Fprintf(&xml, `<row r="%d">`, n)
		for i, cell := range cells {
			switch name := fmt.Sprintf("%c%d", 'A'+i, n); {
			case cell == "":
			case s.columns[i].kind == money && n > len(s.titles)+1:
				fmt.Fprintf(&xml, `<c r="%s" s="2"><v>%s</v></c>`, name, strings.ReplaceAll(cell, ",", ""))
			default:
				fmt.Fprintf(&xml, `<c r="%s" s="1" %s</c>`, name, text(cell))
			}
		}
		xml.WriteString(`</row>`)
	}
	for i, title := range s.titles {
		row(i+1, []string{title})
	}
	for i, cells := range s.rows() {
		row(len(s.titles)+i+1, cells)
	}
	return xml.String()
}

// tabOf makes a workbook of one tab with these rows.
func tabOf(rows string) workbook {
	return workbook{
		"[Content_Types].xml": xmlHead + `<Types xmlns="` + packSpace + `content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`,
		"_rels/.rels":                xmlHead + `<Relationships xmlns="` + packSpace + `relationships"><Relationship Id="rId1" Type="` + relSpace + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		bookPart:                     xmlHead + `<workbook xmlns="` + mainSpace + `" xmlns:r="` + relSpace + `"><workbookPr/><sheets><sheet name="Payouts" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": xmlHead + `<Relationships xmlns="` + packSpace + `relationships"><Relationship Id="rId1" Type="` + relSpace + `/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
		tabPart:                      xmlHead + `<worksheet xmlns="` + mainSpace + `"><sheetData>` + rows + `</sheetData></worksheet>`,
	}.related("styles", "styles.xml", stylesPart)
}

// related adds a part that the workbook refers to.
func (w workbook) related(kind, target, content string) workbook {
	w = maps.Clone(w)
	const rels = "xl/_rels/workbook.xml.rels"
	w["xl/"+target] = content
	w[rels] = strings.Replace(w[rels], `</Relationships>`, fmt.Sprintf(`<Relationship Id="%s" Type="%s/%s" Target="%s"/></Relationships>`, kind, relSpace, kind, target), 1)
	return w
}

// edit replaces one piece of text, which must be there once.
func (w workbook) edit(part, before, after string) workbook {
	if strings.Count(w[part], before) != 1 {
		panic(fmt.Sprintf("%q is in %s %d times", before, part, strings.Count(w[part], before)))
	}
	w = maps.Clone(w)
	w[part] = strings.Replace(w[part], before, after, 1)
	return w
}

// with adds a part or replaces it.
func (w workbook) with(part, content string) workbook {
	w = maps.Clone(w)
	w[part] = content
	return w
}

// tab replaces one piece of the only tab.
func (w workbook) tab(before, after string) workbook { return w.edit(tabPart, before, after) }

// zip stores the parts in the order of their names: the same bytes whatever
// the compressor of the day does, and plain to read.
func (w workbook) zip(t *testing.T) []byte { return w.zipAnd(t, nil) }

// zipAnd lets a test add what a map cannot hold.
func (w workbook) zipAnd(t *testing.T, more func(*zip.Writer)) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(w)) {
		storePart(t, z, name, w[name])
	}
	if more != nil {
		more(z)
	}
	check(t, z.Close())
	return out.Bytes()
}

func storePart(t *testing.T, z *zip.Writer, name, content string) {
	t.Helper()
	writePart(t, z, zip.FileHeader{Name: name, Method: zip.Store}, content)
}

func writePart(t *testing.T, z *zip.Writer, header zip.FileHeader, content string) {
	t.Helper()
	part, err := z.CreateHeader(&header)
	check(t, err)
	_, err = io.WriteString(part, content)
	check(t, err)
}

func escaped(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}

// written gives a workbook as what a sample is made by.
func written(w workbook) func(t *testing.T) []byte {
	return func(t *testing.T) []byte { return w.zip(t) }
}

// cell replaces one cell of the only tab.
func (w workbook) cell(name, xml string) workbook {
	from := strings.Index(w[tabPart], `<c r="`+name+`" `)
	if from < 0 {
		panic("there is no cell " + name)
	}
	to := from + strings.Index(w[tabPart][from:], `</c>`) + len(`</c>`)
	return w.with(tabPart, w[tabPart][:from]+xml+w[tabPart][to:])
}
