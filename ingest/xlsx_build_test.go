package ingest_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// book is a workbook by its parts, for tests to take apart.
type book map[string]string

const (
	mainSpace   = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	strictSpace = "http://purl.oclc.org/ooxml/spreadsheetml/main"
	relSpace    = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	xmlHead     = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
)

// newBook makes a workbook whose tabs have these rows.
func newBook(rows ...string) book {
	b := book{
		"[Content_Types].xml": xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
			<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
			<Default Extension="xml" ContentType="application/xml"/>
			<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`,
		"_rels/.rels": xmlHead + relations("officeDocument", "xl/workbook.xml"),
	}
	var targets []string
	var tabs strings.Builder
	for i, r := range rows {
		part := fmt.Sprintf("worksheets/sheet%d.xml", i+1)
		b["xl/"+part] = sheetXML(r)
		targets = append(targets, "worksheet", part)
		fmt.Fprintf(&tabs, `<sheet name="Sheet%d" sheetId="%d" r:id="rId%d"/>`, i+1, i+1, i+1)
	}
	b["xl/workbook.xml"] = fmt.Sprintf(`%s<workbook xmlns="%s" xmlns:r="%s"><workbookPr/><sheets>%s</sheets></workbook>`, xmlHead, mainSpace, relSpace, tabs.String())
	b["xl/_rels/workbook.xml.rels"] = xmlHead + relations(targets...)
	return b
}

// relations writes pairs of type and target as rId1, rId2, …
func relations(pairs ...string) string {
	var s strings.Builder
	s.WriteString(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&s, `<Relationship Id="rId%d" Type="%s/%s" Target="%s"/>`, i/2+1, relSpace, pairs[i], pairs[i+1])
	}
	return s.String() + `</Relationships>`
}

func sheetXML(rows string) string {
	return xmlHead + `<worksheet xmlns="` + mainSpace + `"><sheetViews><sheetView workbookViewId="0"/></sheetViews><sheetData>` + rows + `</sheetData></worksheet>`
}

// with returns a copy with one part replaced; "" removes it.
func (b book) with(name, content string) book {
	c := maps.Clone(b)
	c[name] = content
	if content == "" {
		delete(c, name)
	}
	return c
}

// edit returns a copy with one text in one part replaced.
func (b book) edit(name, from, to string) book {
	if !strings.Contains(b[name], from) {
		panic(fmt.Sprintf("%s has no %q", name, from))
	}
	return b.with(name, strings.Replace(b[name], from, to, 1))
}

// related adds a part that the workbook refers to.
func (b book) related(kind, target, content string) book {
	rels := b["xl/_rels/workbook.xml.rels"]
	added := fmt.Sprintf(`<Relationship Id="x%s" Type="%s/%s" Target="%s"/></Relationships>`, kind, relSpace, kind, target)
	return b.with("xl/_rels/workbook.xml.rels", strings.Replace(rels, "</Relationships>", added, 1)).with("xl/"+target, content)
}

// shared adds shared strings, each given as the XML inside of its si.
func (b book) shared(si ...string) book {
	var sst strings.Builder
	sst.WriteString(xmlHead + `<sst xmlns="` + mainSpace + `">`)
	for _, s := range si {
		sst.WriteString("<si>" + s + "</si>")
	}
	return b.related("sharedStrings", "sharedStrings.xml", sst.String()+"</sst>")
}

// styled adds cell styles with these number formats; a number is a builtin.
func (b book) styled(codes ...string) book {
	var fmts, xfs strings.Builder
	for i, code := range codes {
		id := code
		if strings.Trim(code, "0123456789") != "" || len(code) > 2 || code[0] == '0' && code != "0" {
			id = fmt.Sprint(164 + i)
			fmt.Fprintf(&fmts, `<numFmt numFmtId="%s" formatCode="%s"/>`, id, escapeXML(code))
		}
		fmt.Fprintf(&xfs, `<xf numFmtId="%s"/>`, id)
	}
	return b.related("styles", "styles.xml", fmt.Sprintf(`%s<styleSheet xmlns="%s"><numFmts>%s</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>%s</cellXfs></styleSheet>`,
		xmlHead, mainSpace, fmts.String(), xfs.String()))
}

func escapeXML(s string) string {
	return strings.NewReplacer(`&`, "&amp;", `<`, "&lt;", `"`, "&quot;").Replace(s)
}

// zip packs the parts in the order of their names.
func (b book) zip(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(b)) {
		addPart(t, w, name, b[name])
	}
	must(t, w.Close())
	return out.Bytes()
}

func addPart(t testing.TB, w *zip.Writer, name, content string) {
	t.Helper()
	part, err := w.Create(name)
	must(t, err)
	if _, err := part.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
}

// cells writes a row of texts and numbers: "1:A=text", "B=#12" with a style
// "B2=#12" is written out by hand where needed.
func textRow(n int, cells ...string) string {
	var s strings.Builder
	fmt.Fprintf(&s, `<row r="%d">`, n)
	for i, c := range cells {
		if c != "" {
			fmt.Fprintf(&s, `<c r="%c%d" t="inlineStr"><is><t xml:space="preserve">%s</t></is></c>`, 'A'+i, n, escapeXML(c))
		}
	}
	return s.String() + "</row>"
}
