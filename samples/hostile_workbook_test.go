package samples_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"payrun/ingest"
	"payrun/validate"
)

func hostileWorkbooks() []hostileGroup {
	return []hostileGroup{hostileForms(), hostileCells(), hostileStale(), hostileConditions(), hostileTabs(), hostileStructure(), hostileFormats()}
}

// hostileForms are forms of an XLSX that careless readers get wrong.
func hostileForms() hostileGroup {
	plain := six().parts()
	return hostileGroup{"XLSX in every form that programs write", []hostile{
		{what: "inline strings", sheet: "inline-strings.xlsx", make: written(plain), want: readsAsPlain()},
		{what: "shared strings", sheet: "shared-strings.xlsx", make: written(six().sharing()), want: readsAsPlain()},
		{what: "rich text, with a reading aid that is no text", sheet: "rich-strings.xlsx", want: readsAsPlain(), make: written(six().sharing().edit(textsPart,
			`<t xml:space="preserve">Doab Electricals</t>`, `<r><rPr><b/></rPr><t xml:space="preserve">Doab </t></r><r><t>Electricals</t></r><rPh sb="0" eb="1"><t>DOAB</t></rPh>`))},
		{what: "names with a prefix", sheet: "prefixed-names.xlsx", make: written(prefixed(plain)), want: readsAsPlain()},
		{what: "strict Open XML", sheet: "strict.xlsx", make: written(strict(plain)), want: readsAsPlain()},
		{what: "cells and rows without a place", sheet: "without-places.xlsx", make: written(placeless(plain)), want: readsAsPlain()},
		{what: "empty rows left out", sheet: "rows-left-out.xlsx", make: written(movedDown(plain)), want: readsAsPlain()},
		{what: "dates counted from 1904, in a column that is not read", sheet: "dates-1904.xlsx", want: readsAsPlain(),
			make: written(plain.edit(bookPart, `<workbookPr/>`, `<workbookPr date1904="1"/>`).tab(`</c></row><row r="2">`, `</c><c r="H1" t="str"><v>Invoice Date</v></c></row><row r="2">`).
				tab(`</c></row><row r="3">`, `</c><c r="H2" s="3"><v>44530</v></c></row><row r="3">`))},
		{what: "merged title cells", sheet: "merged-title.xlsx", want: readsAsPlain(), make: written(func() workbook {
			s := six()
			s.titles = []string{"Vendor payments"}
			return s.parts().tab(`</sheetData>`, `</sheetData><mergeCells count="1"><mergeCell ref="A1:G1"/></mergeCells>`)
		}())},
		{what: "hidden column: its data counts, with a warning", sheet: "hidden-column.xlsx", want: readsAsPlain("1 remarks column_hidden"), make: written(plain.tab(`<sheetData>`, `<cols><col min="6" max="6" width="9" hidden="1" customWidth="1"/></cols><sheetData>`))},
	}}
}

// prefixed gives every element of the tab a prefix.
func prefixed(w workbook) workbook {
	xml := strings.NewReplacer("</", "</x:", "<?", "<?", "<", "<x:").Replace(w[tabPart])
	return w.with(tabPart, strings.Replace(xml, `xmlns=`, `xmlns:x=`, 1))
}

// strict renames what strict Open XML calls otherwise.
func strict(w workbook) workbook {
	names := strings.NewReplacer(mainSpace, "http://purl.oclc.org/ooxml/spreadsheetml/main", relSpace, "http://purl.oclc.org/ooxml/officeDocument/relationships")
	for part, content := range w {
		w = w.with(part, names.Replace(content))
	}
	return w
}

// placeless drops the places of rows and cells; in the plain sheet none is left out.
func placeless(w workbook) workbook {
	var out strings.Builder
	rest := w[tabPart]
	for {
		before, after, found := strings.Cut(rest, ` r="`)
		out.WriteString(before)
		if !found {
			return w.with(tabPart, out.String())
		}
		_, rest, _ = strings.Cut(after, `"`)
	}
}

// movedDown puts the header into row 4 and the payouts below row 10, with
// nothing at all in the rows between.
func movedDown(w workbook) workbook {
	xml := w[tabPart]
	for _, row := range []struct{ from, to string }{{"7", "30"}, {"6", "16"}, {"5", "15"}, {"4", "13"}, {"3", "12"}, {"2", "11"}, {"1", "4"}} {
		xml = strings.ReplaceAll(xml, `<row r="`+row.from+`">`, `<row r="`+row.to+`">`)
		for column := 'A'; column <= 'G'; column++ {
			xml = strings.ReplaceAll(xml, `r="`+string(column)+row.from+`"`, `r="`+string(column)+row.to+`"`)
		}
	}
	return w.with(tabPart, xml)
}

// hostileCells are cells whose value is not what it looks like.
func hostileCells() hostileGroup {
	plain := six().parts()
	cell := func(name, xml string) func(t *testing.T) []byte {
		return written(plain.cell(name, `<c r="`+name+`" `+xml+`</c>`))
	}
	return hostileGroup{"Cells of a workbook", []hostile{
		{what: "formula with its saved value", sheet: "formula-saved.xlsx", make: cell("E4", `s="2"><f>18000+250.5</f><v>18250.5</v>`), want: readsAsPlain("4 amount cell_formula")},
		{what: "the same with --strict", sheet: "formula-saved.xlsx", flags: "--strict", set: func(o *validate.Options) { o.Strict = true },
			make: cell("E4", `s="2"><f>18000+250.5</f><v>18250.5</v>`), want: refusesRows(5, "4 amount cell_formula")},
		{what: "formula without a saved value", sheet: "formula-unsaved.xlsx", make: cell("E4", `s="2"><f>18000+250.5</f>`), want: refusesRows(5, "4 amount cell_formula_without_value")},
		{what: "error cell", sheet: "cell-error.xlsx", make: cell("E4", `t="e"><f>1/0</f><v>#DIV/0!</v>`), want: refusesRows(5, "4 amount cell_error")},
		{what: "boolean", sheet: "cell-boolean.xlsx", make: cell("A4", `t="b"><v>1</v>`), want: refusesRows(5, "4 merchant_txn_ref_id cell_boolean")},
		{what: "reference that became a date", sheet: "reference-date.xlsx", make: cell("A4", `s="3"><v>45992</v>`), want: refusesRows(5, "4 merchant_txn_ref_id cell_date")},
		{what: "reference of 17 digits as a number", sheet: "reference-digits.xlsx", make: cell("A4", `><v>12345678901234567</v>`), want: refusesRows(5, "4 merchant_txn_ref_id cell_number_inexact")},
		{what: "the same with zeros behind the 15th digit, where the spreadsheet program lost what was typed", sheet: "reference-zeros.xlsx", make: cell("A4", `><v>123456789012345000</v>`), want: refusesRows(5, "4 merchant_txn_ref_id cell_number_inexact")},
		{what: "reference of 15 digits as a number", sheet: "reference-fits.xlsx", make: cell("A4", `><v>123456789012345</v>`), want: reads(6, 1)},
		{what: "merged cells over data", sheet: "merged-data.xlsx", make: written(plain.tab(`</sheetData>`, `</sheetData><mergeCells count="1"><mergeCell ref="F3:F4"/></mergeCells>`)), want: refusesFile("3 - merged_cells").saying("F3:F4")},
		{what: "merged cells over a column that is not read", sheet: "merged-unread.xlsx", want: readsAsPlain(),
			make: written(plain.tab(`</c></row><row r="2">`, `</c><c r="H1" t="str"><v>Department</v></c></row><row r="2">`).tab(`</sheetData>`, `</sheetData><mergeCells count="1"><mergeCell ref="H2:H5"/></mergeCells>`))},
		{what: "merged signatures below the payouts", sheet: "merged-signature.xlsx", want: refusesRows(6, "9 - row_without_payout"),
			make: written(plain.tab(`</sheetData>`, `<row r="9"><c r="A9" t="str"><v>Prepared by</v></c></row></sheetData><mergeCells count="1"><mergeCell ref="A9:D10"/></mergeCells>`))},
		{what: "hidden rows", sheet: "hidden-rows.xlsx", make: written(plain.tab(`<row r="4">`, `<row r="4" hidden="1">`)), want: refusesFile("4 - hidden_rows").saying("hidden_rows skip|include")},
		{what: "a row 0.75 points high, which is not visible", sheet: "flat-row.xlsx", make: written(plain.tab(`<row r="4">`, `<row r="4" ht="0.75" customHeight="1">`)), want: refusesFile("4 - hidden_rows")},
		{what: "a low row that can be read", sheet: "low-row.xlsx", make: written(plain.tab(`<row r="4">`, `<row r="4" ht="9" customHeight="1">`)), want: readsAsPlain()},
		{what: "hidden rows, left out by a flag", sheet: "hidden-rows.xlsx", flags: "--hidden-rows skip", set: func(o *validate.Options) { o.HiddenRows = string(ingest.HiddenSkip) },
			make: written(plain.tab(`<row r="4">`, `<row r="4" hidden="1">`)), want: reads(5, 1)},
		{what: "hidden rows, read by a flag", sheet: "hidden-rows.xlsx", flags: "--hidden-rows include", set: func(o *validate.Options) { o.HiddenRows = string(ingest.HiddenInclude) },
			make: written(plain.tab(`<row r="4">`, `<row r="4" hidden="1">`)), want: readsAsPlain()},
	}}
}

// hostileTabs are workbooks in which a tab has to be chosen.
func hostileTabs() hostileGroup {
	second := func(state string) workbook {
		w := six().parts().with("xl/worksheets/sheet2.xml", six().parts()[tabPart]).related("worksheet", "worksheets/sheet2.xml", six().parts()[tabPart])
		return w.edit(bookPart, `</sheets>`, `<sheet name="Lot 2" sheetId="2" `+state+`r:id="worksheet"/></sheets>`)
	}
	other := func(rows [][]string) workbook { return second("").with("xl/worksheets/sheet2.xml", tabXML(rows)) }
	notes := [][]string{{"To do"}, {"Ask Asha for the invoice", "12500"}}
	var unknown, headless, vendors [][]string
	for i, p := range six().payouts {
		unknown = append(unknown, []string{p.name, p.account, p.ifsc, p.typed()})
		headless = append(headless, []string{p.ref, p.name, p.account, p.ifsc, p.typed()})
		vendors = append(vendors, []string{fmt.Sprint(i + 1), p.name, p.account, p.ifsc, "9822000111", "400001"})
	}
	unknown = slices.Insert(unknown, 0, []string{"Party Name", "A/c No", "IFSC", "Sum to remit"})
	vendors = slices.Insert(vendors, 0, []string{"S. No.", "Party Name", "A/c No", "IFSC", "Mobile", "PIN"})
	titles := slices.Repeat([][]string{{"Second lot of December"}}, 24)
	tab := func(name string) func(*validate.Options) { return func(o *validate.Options) { o.Tab = name } }
	return hostileGroup{"Tabs", []hostile{
		{what: "two tabs with payouts", sheet: "two-tabs.xlsx", make: written(second("")), want: refusesFile("0 - tab_ambiguous").saying("Lot 2")},
		{what: "one of them named", sheet: "two-tabs.xlsx", flags: `--sheet-name "Lot 2"`, set: tab("Lot 2"), make: written(second("")), want: readsAsPlain("0 - tab_unread").saying(`"Payouts"`)},
		{what: "a tab named that is not there", sheet: "two-tabs.xlsx", flags: `--sheet-name "Lot 3"`, set: tab("Lot 3"), make: written(second("")), want: refusesFile("0 - tab_absent").saying("Payouts")},
		{what: "a hidden second tab", sheet: "hidden-tab.xlsx", make: written(second(`state="hidden" `)), want: readsAsPlain()},
		{what: "the hidden tab named", sheet: "hidden-tab.xlsx", flags: `--sheet-name "Lot 2"`, set: tab("Lot 2"), make: written(second(`state="hidden" `)), want: refusesFile("0 - tab_hidden")},
		{what: "a second tab of vendors, without amounts", sheet: "vendor-tab.xlsx", want: readsAsPlain("0 - tab_unread").saying(`"Lot 2"`),
			make: written(second("").with("xl/worksheets/sheet2.xml", six().only("vendor_name", "bank_account_number", "ifsc")[tabPart]))},
		{what: "an empty template before the payouts", sheet: "template-tab.xlsx", want: readsAsPlain(),
			make: written(second("").with(tabPart, sheet{columns: canonical()}.parts()[tabPart]))},
		{what: "two empty templates", sheet: "two-templates.xlsx", want: refusesFile("0 - tab_ambiguous"),
			make: written(second("").with(tabPart, sheet{columns: canonical()}.parts()[tabPart]).with("xl/worksheets/sheet2.xml", sheet{columns: canonical()}.parts()[tabPart]))},
		{what: "no tab with a header", sheet: "no-header.xlsx", make: written(second("").with(tabPart, emptyTab).with("xl/worksheets/sheet2.xml", emptyTab)), want: refusesFile("0 - tab_without_header")},
		{what: "a second tab of notes", sheet: "notes-tab.xlsx", want: readsAsPlain("0 - tab_unread").saying(`"Lot 2"`), make: written(other(notes))},
		{what: "an empty second tab", sheet: "empty-tab.xlsx", want: readsAsPlain(), make: written(second("").with("xl/worksheets/sheet2.xml", emptyTab))},
		{what: "a second tab of payouts whose amount has a name that is not known", sheet: "unknown-tab.xlsx", make: written(other(unknown)), want: refusesFile("0 - tab_may_hold_payouts").saying(`"Lot 2"`)},
		{what: "a second tab of payouts whose header is in row 25", sheet: "late-header-tab.xlsx", make: written(other(slices.Concat(titles, unknown))), want: refusesFile("0 - tab_may_hold_payouts").saying(`"Lot 2"`)},
		{what: "the same, with the tab to be read named", sheet: "unknown-tab.xlsx", flags: "--sheet-name Payouts", set: tab("Payouts"), make: written(other(unknown)), want: readsAsPlain("0 - tab_unread").saying(`"Lot 2"`)},
		{what: "a second tab of payouts without a header", sheet: "headless-tab.xlsx", make: written(other(headless)), want: refusesFile("0 - tab_may_hold_payouts").saying(`"Lot 2"`)},
		{what: "a tab of vendors with their phone and PIN code", sheet: "vendor-phone-tab.xlsx", make: written(other(vendors)), want: readsAsPlain("0 - tab_unread")},
		{what: "the IFSC of the company's own bank among notes", sheet: "own-bank-tab.xlsx", want: readsAsPlain("0 - tab_unread"),
			make: written(other([][]string{{"Our bank", "TSTB0000999"}, {"Our account", "0050200999999"}}))},
		{what: "payouts only in a hidden tab", sheet: "only-hidden.xlsx", want: refusesFile("0 - tab_hidden").saying(`"Lot 2"`),
			make: written(second(`state="hidden" `).with(tabPart, tabXML(notes)))},
		{what: "the same, in a tab that only a macro can show", sheet: "very-hidden.xlsx", want: refusesFile("0 - tab_hidden").saying(`"Lot 2"`),
			make: written(second(`state="veryHidden" `).with(tabPart, tabXML(notes)))},
	}}
}

// hostileStale are workbooks that a spreadsheet program calculates again when it opens
// them: the saved value of a formula is not what a person sees.
func hostileStale() hostileGroup {
	recalculated := func(attribute, cell, xml string) func(t *testing.T) []byte {
		w := six().parts().edit(bookPart, `</workbook>`, `<calcPr calcId="191029" `+attribute+`/></workbook>`)
		if cell == "H4" {
			return written(w.tab(`</c></row><row r="2">`, `</c><c r="H1" t="str"><v>Rate x Days</v></c></row><row r="2">`).tab(`</c></row><row r="5">`, `</c>`+xml+`</row><row r="5">`))
		}
		return written(w.cell(cell, xml))
	}
	const amount, ref, unread = `<c r="E4" s="2"><f>18000+250.5</f><v>18250.5</v></c>`, `<c r="A4" t="str"><f>"DEC25/"&amp;"C"</f><v>DEC25/C</v></c>`, `<c r="H4" s="2"><f>2*3</f><v>7</v></c>`
	first := strings.ReplaceAll(six().payouts[0].typed(), ",", "")
	spilled := six().parts().cell("E2", `<c r="E2" s="2"><f t="array" ref="E2:E4">H2:H4*I2:I4</f><v>`+first+`</v></c>`)
	return hostileGroup{"Workbooks that are calculated again on opening", []hostile{
		{what: "an amount by a formula", sheet: "stale-amount.xlsx", make: recalculated(`fullCalcOnLoad="1"`, "E4", amount), want: refusesRows(5, "4 amount cell_formula_stale").saying("check the values, and save it")},
		{what: "the same, forced", sheet: "stale-forced.xlsx", make: recalculated(`forceFullCalc="1"`, "E4", amount), want: refusesRows(5, "4 amount cell_formula_stale")},
		{what: "a reference by a formula", sheet: "stale-reference.xlsx", make: recalculated(`fullCalcOnLoad="true"`, "A4", ref), want: refusesRows(5, "4 merchant_txn_ref_id cell_formula_stale")},
		{what: "a remark by a formula, shown as a date", sheet: "stale-remark.xlsx", make: recalculated(`fullCalcOnLoad="1"`, "F4", `<c r="F4" s="3"><f>TODAY()</f><v>45992</v></c>`), want: refusesRows(5, "4 remarks cell_formula_stale")},
		{what: "a formula in a column that is not read", sheet: "stale-unread.xlsx", make: recalculated(`fullCalcOnLoad="1"`, "H4", unread), want: readsAsPlain()},
		{what: "amounts by one array formula in row 2, which fills the others", sheet: "stale-array.xlsx", want: refusesRows(3, "2 amount cell_formula_stale", "3 amount cell_formula_stale", "4 amount cell_formula_stale"),
			make: written(spilled.edit(bookPart, `</workbook>`, `<calcPr calcId="191029" fullCalcOnLoad="1"/></workbook>`))},
		{what: "the same, calculated when it was saved", sheet: "array.xlsx", want: readsAsPlain("2 amount cell_formula", "3 amount cell_formula", "4 amount cell_formula"), make: written(spilled)},
		{what: "the name of a column by a formula", sheet: "stale-header.xlsx", make: recalculated(`fullCalcOnLoad="1"`, "E1", `<c r="E1" t="str"><f>H1</f><v>amount</v></c>`), want: refusesFile("1 amount column_name_stale")},
		{what: "calculated when it was saved", sheet: "stale-not.xlsx", make: recalculated(`fullCalcOnLoad="0"`, "E4", amount), want: readsAsPlain("4 amount cell_formula")},
	}}
}

// tabXML is a tab of these texts.
func tabXML(rows [][]string) string {
	var xml strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&xml, `<row r="%d">`, i+1)
		for j, text := range row {
			fmt.Fprintf(&xml, `<c r="%c%d" t="str"><v>%s</v></c>`, 'A'+j, i+1, escaped(text))
		}
		xml.WriteString(`</row>`)
	}
	return xmlHead + `<worksheet xmlns="` + mainSpace + `"><sheetData>` + xml.String() + `</sheetData></worksheet>`
}

const emptyTab = xmlHead + `<worksheet xmlns="` + mainSpace + `"><sheetData/></worksheet>`

// hostileStructure is damage in the file and its XML.
func hostileStructure() hostileGroup {
	plain := six().parts()
	whole := func(t *testing.T) []byte { return plain.zip(t) }
	xml := plain[tabPart]
	behindRow5 := strings.Index(xml, `<row r="6">`)
	return hostileGroup{"Damaged and malicious workbooks", []hostile{
		{what: "file cut off", sheet: "cut-off.xlsx", make: func(t *testing.T) []byte { b := whole(t); return b[:len(b)*6/10] }, want: refusesFile("0 - workbook_damaged")},
		{what: "checksum of a part wrong", sheet: "checksum.xlsx", make: func(t *testing.T) []byte { return bytes.Replace(whole(t), []byte("Doab"), []byte("Daob"), 1) }, want: refusesFile("0 - workbook_damaged")},
		{what: "sheet XML cut off behind a row", sheet: "xml-cut-off.xlsx", make: written(plain.with(tabPart, xml[:behindRow5])), want: refusesFile("5 - workbook_xml_malformed")},
		{what: "sheet XML malformed", sheet: "xml-malformed.xlsx", make: written(plain.tab(`</row><row r="6">`, `<row r="6">`)), want: refusesFile("5 - workbook_xml_malformed")},
		{what: "row number repeated", sheet: "row-repeated.xlsx", make: written(plain.tab(`<row r="6">`, `<row r="5">`)), want: refusesFile("5 - xlsx_row_order")},
		{what: "row numbers descending", sheet: "row-descending.xlsx", make: written(plain.tab(`<row r="6">`, `<row r="3">`)), want: refusesFile("3 - xlsx_row_order")},
		{what: "cell references out of order", sheet: "cells-descending.xlsx", make: written(plain.tab(`r="C4"`, `r="A4"`)), want: refusesFile("4 A xlsx_cell_order")},
		{what: "cell reference repeated", sheet: "cells-repeated.xlsx", make: written(plain.tab(`r="C4"`, `r="B4"`)), want: refusesFile("4 B xlsx_cell_order")},
		{what: "cell reference of another row", sheet: "cells-elsewhere.xlsx", make: written(plain.tab(`r="C4"`, `r="C5" s="1" t="str"><v>x</v></c><c r="D4"`).tab(`<c r="D4" s="1" t="inlineStr"><is><t xml:space="preserve">TSTB0000333</t></is></c>`, ``)), want: refusesFile("4 - xlsx_cell_order")},
		{what: "shared string that is not there", sheet: "shared-string-missing.xlsx", make: written(six().sharing().cell("B4", `<c r="B4" t="s"><v>999</v></c>`)), want: refusesFile("4 B xlsx_shared_string")},
		{what: "an empty shared string, which is a blank", sheet: "shared-string-empty.xlsx", want: refusesRows(5, "4 amount amount_missing"),
			make: written(six().sharing().cell("E4", `<c r="E4" t="s"><v/></c>`))},
		{what: "a number that is none", sheet: "number-malformed.xlsx", make: written(plain.cell("E4", `<c r="E4"><v>18,250.50</v></c>`)), want: refusesFile("4 E xlsx_cell_malformed")},
		{what: "a cell at column XFD", sheet: "column-xfd.xlsx", make: written(plain.tab(`</c></row><row r="5">`, `</c><c r="XFD4"><v>1</v></c></row><row r="5">`)), want: refusesFile("4 XFD too_many_columns").saying("beyond column SR")},
		{what: "DOCTYPE with entities that multiply", sheet: "doctype.xlsx", want: refusesFile("0 - workbook_xml_forbidden"),
			make: written(plain.tab(`<worksheet`, `<!DOCTYPE worksheet [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><worksheet`))},
		{what: "entity without a declaration", sheet: "entity.xlsx", make: written(plain.tab("Doab", "&a;")), want: refusesFile("0 - workbook_xml_forbidden")},
		{what: "part repeated", sheet: "part-repeated.xlsx", want: refusesFile("0 - workbook_part_repeated"), make: func(t *testing.T) []byte {
			return plain.zipAnd(t, func(z *zip.Writer) { storePart(t, z, tabPart, emptyTab) })
		}},
		{what: "part repeated but for case", sheet: "part-repeated-case.xlsx", make: written(plain.with("xl/worksheets/Sheet1.xml", emptyTab)), want: refusesFile("0 - workbook_part_repeated")},
		{what: "two parts of shared strings", sheet: "strings-twice.xlsx", make: written(six().sharing().related("sharedStrings", "more.xml", xmlHead+`<sst xmlns="`+mainSpace+`"><si><t>x</t></si></sst>`)), want: refusesFile("0 - workbook_part_repeated")},
		{what: "two parts of styles", sheet: "styles-twice.xlsx", make: written(plain.related("styles", "more.xml", xmlHead+`<styleSheet xmlns="`+mainSpace+`"/>`)), want: refusesFile("0 - workbook_part_repeated")},
		{what: "part named `../`", sheet: "part-outside.xlsx", make: written(plain.with("xl/../../evil.xml", "x")), want: refusesFile("0 - workbook_part_name")},
		{what: "part with an absolute name", sheet: "part-absolute.xlsx", make: written(plain.with("/etc/evil.xml", "x")), want: refusesFile("0 - workbook_part_name")},
		{what: "part of the tab missing", sheet: "part-missing.xlsx", make: written(plain.edit("xl/_rels/workbook.xml.rels", "worksheets/sheet1.xml", "worksheets/sheet9.xml")), want: refusesFile("0 - workbook_part_missing")},
	}}
}

// conditioned is the plain sheet with a conditional format over some cells, which does
// what the format of its one rule does.
func conditioned(where, does string) workbook {
	return six().parts().edit("xl/styles.xml", `</cellXfs>`, `</cellXfs><dxfs count="1"><dxf>`+does+`</dxf></dxfs>`).
		tab(`</sheetData>`, `</sheetData><conditionalFormatting sqref="`+where+`"><cfRule type="expression" dxfId="0" priority="1"><formula>$H2="Cancelled"</formula></cfRule></conditionalFormatting>`)
}

// hostileConditions are conditional formats: what a person then sees hangs on rules that
// only a spreadsheet program carries out.
func hostileConditions() hostileGroup {
	const struck = `<font><strike/></font>`
	later := six().parts().tab(`</sheetData>`, `</sheetData><extLst><ext uri="{78C0D931-6437-407d-A8EE-F0AAD7539E65}" xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"><x14:conditionalFormattings>`+
		`<x14:conditionalFormatting xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main"><x14:cfRule type="expression" priority="2" id="{0}"><xm:f>Status!A2="Cancelled"</xm:f><x14:dxf>`+struck+
		`</x14:dxf></x14:cfRule><xm:sqref>A2:F7</xm:sqref></x14:conditionalFormatting></x14:conditionalFormattings></ext></extLst>`)
	icons := six().parts().tab(`</sheetData>`, `</sheetData><conditionalFormatting sqref="E2:E7"><cfRule type="iconSet" priority="1"><iconSet showValue="0"><cfvo type="percent" val="0"/><cfvo type="percent" val="50"/></iconSet></cfRule></conditionalFormatting>`)
	return hostileGroup{"Conditional formats", []hostile{
		{what: "one that strikes out whole rows", sheet: "conditional-struck.xlsx", make: written(conditioned("A2:H1048576", struck)), want: refusesFile("2 - conditional_format").saying("A2:H1048576")},
		{what: "one that crosses out whole rows with diagonal borders", sheet: "conditional-borders.xlsx", want: refusesFile("2 - conditional_format").saying("strike out"),
			make: written(conditioned("A2:F7", `<border diagonalDown="1"><diagonal style="thin"/></border>`))},
		{what: "one that does so by another tab, as Excel 2010 and later write it", sheet: "conditional-later.xlsx", make: written(later), want: refusesFile("2 - conditional_format").saying("A2:F7")},
		{what: "white letters over amounts", sheet: "conditional-white.xlsx", make: written(conditioned("E2:E7", `<font><color theme="0"/></font>`)), want: refusesFile("2 - conditional_format").saying("hide")},
		{what: "letters in the colour behind them", sheet: "conditional-red-on-red.xlsx", want: refusesFile("4 - conditional_format").saying("hide"),
			make: written(conditioned("C4 E5", `<font><color rgb="FF9C0006"/></font><fill><patternFill><bgColor rgb="FF9C0006"/></patternFill></fill>`))},
		{what: "rows that are blacked out", sheet: "conditional-black.xlsx", make: written(conditioned("A3:H3", `<fill><patternFill><bgColor rgb="FF000000"/></patternFill></fill>`)), want: refusesFile("3 - conditional_format").saying("hide")},
		{what: "the format of accounts, which shows each amount as it is", sheet: "conditional-accounts.xlsx", want: readsAsPlain(),
			make: written(conditioned("E2:E7", `<numFmt numFmtId="165" formatCode="_-* #,##0.00_-;-* #,##0.00_-;_-* &quot;-&quot;??_-;_-@_-"/>`))},
		{what: "a number format that hides", sheet: "conditional-hidden.xlsx", make: written(conditioned("E2:E7", `<numFmt numFmtId="165" formatCode=";;;"/>`)), want: refusesFile("2 - conditional_format").saying("other numbers")},
		{what: "icons in the place of amounts", sheet: "conditional-icons.xlsx", make: written(icons), want: refusesFile("2 - conditional_format").saying("hide")},
		{what: "one that strikes out names", sheet: "conditional-names.xlsx", make: written(conditioned("B2:B7", struck)), want: readsAsPlain("2 - conditional_format_text")},
		{what: "one that only colours", sheet: "conditional-coloured.xlsx", want: readsAsPlain(),
			make: written(conditioned("A2:H7", `<font><b/><color rgb="FFFFFFFF"/></font><numFmt numFmtId="165" formatCode="#,##0.00"/><fill><patternFill><bgColor rgb="FFC00000"/></patternFill></fill>`))},
		{what: "one that strikes out a column which is not read, and the title", sheet: "conditional-unread.xlsx", make: written(conditioned("H2:H7 A1:F1", struck)), want: readsAsPlain()},
		{what: "one that shows a word in a column which is not read", sheet: "conditional-word.xlsx", want: readsAsPlain("2 - conditional_format_text"),
			make: written(conditioned("H2:H7", `<numFmt numFmtId="165" formatCode="&quot;Hold&quot;"/>`).tab(`</c></row><row r="2">`, `</c><c r="H1" t="str"><v>Department</v></c></row><row r="2">`))},
	}}
}

// hostileFormats are files that are something else than they are called.
func hostileFormats() hostileGroup {
	plain := six().parts()
	return hostileGroup{"Files that are something else", []hostile{
		{what: "Excel 97-2003, as LibreOffice writes it", sheet: "old.xls", want: refusesFile("0 - format_old_xls").saying(".xlsx")},
		{what: "the same, named .xlsx", sheet: "old-named.xlsx", want: refusesFile("0 - format_old_xls").saying(".xlsx")},
		{what: "encrypted with a password, as excelize writes it", sheet: "password.xlsx", want: refusesFile("0 - file_encrypted").saying("password")},
		{what: "OpenDocument, as LibreOffice writes it", sheet: "opendocument.ods", want: refusesFile("0 - format_not_supported").saying("OpenDocument")},
		{what: "macros", sheet: "macros.xlsm", make: written(plain.related("vbaProject", "vbaProject.bin", "x")), want: refusesFile("0 - workbook_has_macros")},
		{what: "macros by the content type alone", sheet: "macros-by-type.xlsx", want: refusesFile("0 - workbook_has_macros"),
			make: written(plain.edit("[Content_Types].xml", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml", "application/vnd.ms-excel.sheet.macroEnabled.main+xml"))},
		{what: "binary workbook", sheet: "binary.xlsb", make: written(plain.with("xl/workbook.bin", "x")), want: refusesFile("0 - format_not_supported").saying(".xlsb")},
		{what: "web page, as old exports write it, named .xls", sheet: "web-page.xls", make: func(*testing.T) []byte { return []byte("<html><table><tr><td>amount</td></tr></table></html>") },
			want: refusesFile("0 - format_not_supported").saying("web page")},
		{what: "PDF named .csv", sheet: "pdf-named.csv", make: func(*testing.T) []byte { return []byte("%PDF-1.7\n") }, want: refusesFile("0 - format_not_supported").saying("PDF")},
		{what: "some other zip archive", sheet: "archive.zip", make: written(workbook{"month-end.csv": "amount\n1\n"}), want: refusesFile("0 - format_not_supported").saying("zip archive")},
	}}
}
