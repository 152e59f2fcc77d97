package samples_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"payrun/validate"
)

// What a person sees of a payout sheet is made at random, with a trap and without: every
// trap is found where it is, and nothing is said of a sheet that has none.

// lookAt looks at a workbook and gives its findings, those of a row by their place.
func lookAt(t *testing.T, rt *rapid.T, w workbook, set func(*validate.Options)) (looked, []string) {
	path := filepath.Join(t.TempDir(), "sheet.xlsx")
	if err := os.WriteFile(path, w.zip(t), 0o600); err != nil {
		rt.Fatal(err)
	}
	got := look(t, path, given{set: set})
	var found []string
	for _, f := range got.result.Findings {
		found = append(found, place(f))
	}
	return got, found
}

// finds looks at a workbook that must have these findings and no others.
func finds(t *testing.T, rt *rapid.T, w workbook, want ...string) looked {
	got, found := lookAt(t, rt, w, nil)
	sameFindings(rt, found, want)
	return got
}

func sameFindings(rt *rapid.T, got, want []string) {
	if !slices.Equal(got, want) {
		rt.Fatalf("found %q, want %q", got, want)
	}
}

// where is a finding that is there only if the condition holds.
func where(holds bool, finding string) []string {
	if !holds {
		return nil
	}
	return []string{finding}
}

// columnAt draws one of the columns of the plain sheet: its letter and its name.
func columnAt(rt *rapid.T, letters string) (string, string) {
	at := rapid.SampledFrom([]rune(letters)).Draw(rt, "column")
	return string(at), canonical()[at-'A'].header
}

// textCell is a text in style 4.
func textCell(place, text string) string {
	return `<c r="` + place + `" s="4" t="inlineStr"><is><t>` + escaped(text) + `</t></is></c>`
}

// The colours that are drawn, each in the ways in which a workbook may name it, or one
// that no one tells from it. Of two shades each is distinguished from the other.
var shades = [][]string{
	{``, `rgb="FF000000"`, `theme="1"`, `indexed="8"`, `indexed="64"`, `rgb="FF1F1F1F"`},
	{`rgb="FF1F4E78"`},
	{`rgb="FFED7D31"`, `theme="5"`},
	{`rgb="FF4472C4"`, `theme="4"`, `rgb="FF4070C0"`},
	{`rgb="FFFF0000"`, `indexed="10"`, `indexed="2"`},
	{`rgb="FFFFFFFF"`, `theme="0"`, `indexed="9"`, `rgb="FFFDFDFD"`, `rgb="FFEEEEEE"`, `rgb="FFFFFF99"`, `rgb="FFFFFFCC"`, `indexed="65"`,
		`theme="0" tint="-0.05"`, `theme="0" tint="-0.14999847407452621"`, `theme="2"`, `theme="4" tint="0.79998168889431442"`},
}

// lime is distinguished from all of them.
const lime = `<color rgb="FF00FF00"/>`

func TestLettersAreSeenOrRefused(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		inkShade := rapid.IntRange(0, len(shades)-1).Draw(rt, "shade of the ink")
		paperShade := rapid.IntRange(0, len(shades)-1).Draw(rt, "shade of the paper")
		ink := rapid.SampledFrom(shades[inkShade]).Draw(rt, "ink")
		paper := rapid.SampledFrom(shades[paperShade]).Draw(rt, "paper")
		font, fill := "", noFill
		if ink != "" {
			font = "<color " + ink + "/>"
		}
		if paper != "" {
			fill = solid(paper)
		} else {
			paperShade = len(shades) - 1
		}
		size := rapid.SampledFrom([]string{"1", "3.5", "4", "8", "11", "72"}).Draw(rt, "size")
		column, name := columnAt(rt, "ABCDEFG")
		w := looking("General", `<sz val="`+size+`"/>`+font, fill)
		if inRun := rapid.Bool().Draw(rt, "in a run"); inRun && column != "E" {
			w = looking("General", `<sz val="11"/>`, fill)
			text := canonical()[column[0]-'A'].cell(six().payouts[2])
			w = w.cell(column+"4", `<c r="`+column+`4" s="4" t="inlineStr"><is><r><rPr><sz val="11"/>`+lime+`</rPr><t xml:space="preserve">`+escaped(text[:2])+`</t></r><r><rPr><sz val="`+size+`"/>`+font+`</rPr><t xml:space="preserve">`+escaped(text[2:])+`</t></r></is></c>`)
		} else {
			w = inRow(w, column)
		}
		finds(t, rt, w, where(inkShade == paperShade || size == "1" || size == "3.5", "4 "+name+" cell_unseen")...)
	})
}

// Any colour is seen on one that is far from it, and on nearly the same it is not, in
// whichever way the workbook names the two.
func TestLettersOfAnyColourAreSeenOrRefused(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var ink, paper string
		seen := rapid.Bool().Draw(rt, "seen")
		for range 3 {
			dark := rapid.IntRange(0, 0x60).Draw(rt, "dark")
			other := rapid.IntRange(0xA0, 0xFF).Draw(rt, "light")
			if !seen {
				other = dark + rapid.IntRange(0, 2).Draw(rt, "nearly")
			}
			ink, paper = ink+fmt.Sprintf("%02X", dark), paper+fmt.Sprintf("%02X", other)
		}
		if rapid.Bool().Draw(rt, "turned round") {
			ink, paper = paper, ink
		}
		accent, own := "4472C4", "" // of the workbook: its theme, and its palette
		named := func(rgb string) string {
			switch rapid.SampledFrom([]string{"rgb", "theme", "palette"}).Draw(rt, "named by") {
			case "theme":
				if accent == "4472C4" {
					accent = rgb
					return `theme="4"`
				}
			case "palette":
				own += `<rgbColor rgb="00` + rgb + `"/>`
				return fmt.Sprintf(`indexed="%d"`, strings.Count(own, "/>")-1)
			}
			return `rgb="FF` + rgb + `"`
		}
		w := inks{"", named(ink), named(paper)}.coloured().themed(accent)
		if own != "" {
			w = w.edit(stylesFile, `</styleSheet>`, `<colors><indexedColors>`+own+`</indexedColors></colors></styleSheet>`)
		}
		finds(t, rt, w, where(!seen, "4 - cell_unseen")...)
	})
}

func TestColumnsAreHiddenByTheirWidth(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		hundredths := rapid.IntRange(0, 300).Draw(rt, "hundredths of a character")
		column, name := columnAt(rt, "ABCDEF")
		n := int(column[0]-'A') + 1
		w := six().parts().tab(`<sheetData>`, fmt.Sprintf(`<cols><col min="%d" max="%d" width="%g" customWidth="1"/></cols><sheetData>`, n, n, float64(hundredths)/100))
		finds(t, rt, w, where(hundredths < 100, "1 "+name+" column_hidden")...)
	})
}

func TestTextsAreReadAsTheirFormatShowsThem(t *testing.T) {
	harmless := []string{"", "_(", "_)", "* ", "[Red]", "[Color10]"}
	literals := []string{`\-`, `"x"`, `"91"`, `\ \9`, `" lakh"`, `[$₹-4009]`}
	rapid.Check(t, func(rt *rapid.T) {
		some := func(from []string, label string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(from), 0, 2).Draw(rt, label), "")
		}
		before, after := some(harmless, "before"), some(harmless, "after")
		trapBefore, trapAfter, shows := "", "", true
		switch rapid.IntRange(0, 3).Draw(rt, "trap") {
		case 0:
			trapBefore = rapid.SampledFrom(literals).Draw(rt, "literal")
		case 1:
			trapAfter = rapid.SampledFrom(literals).Draw(rt, "literal")
		case 2:
			shows = false
		}
		at := map[bool]string{true: "@", false: ""}[shows]
		section := before + trapBefore + at + trapAfter + after
		format := rapid.SampledFrom([]string{"General;General;General;", "0;-0;0;", "#,##0.00;[Red]-#,##0.00;;"}).Draw(rt, "numbers") + section
		if shows && rapid.Bool().Draw(rt, "alone") {
			format = section
		}
		column, name := columnAt(rt, "ABCDEFG")
		p := six().payouts[2]
		p.ref += "/1"
		text := canonical()[column[0]-'A'].cell(p)
		got, found := lookAt(t, rt, dressed(format, "").cell(column+"4", textCell(column+"4", text)), nil)
		literal := strings.NewReplacer(`\`, "", `"`, "", "[$₹-4009]", "₹")
		shown := literal.Replace(trapBefore) + text + literal.Replace(trapAfter)
		var want []string
		sent := text
		switch free := column == "A" || column == "B" || column == "F"; {
		case !shows:
			want = []string{"4 " + name + " cell_unseen"}
		case trapBefore+trapAfter == "":
		case !free:
			want = []string{"4 " + name + " cell_shows_something_else"}
		case column == "A" && strings.HasPrefix(shown, "-"):
			want = []string{"4 " + name + " reference_starts_formula"}
		default:
			sent = strings.TrimSpace(shown)
		}
		sameFindings(rt, found, want)
		if len(want) == 0 {
			paid := got.payouts[2]
			if is := map[string]string{"A": paid.Ref, "B": paid.VendorName, "F": paid.Remarks}[column]; is != "" && is != sent {
				rt.Fatalf("%s under %s is sent as %q, want %q", text, format, is, sent)
			}
		}
	})
}

// Remarks are sent as their format shows them, and refused where that is not known.
func TestRemarksAreSentAsTheyShow(t *testing.T) {
	days := []struct{ format, shows string }{
		{"mmm-yy", "Dec-25"}, {"d-mmm", "1-Dec"}, {"dd/mm/yyyy", "01/12/2025"}, {"[$-409]d mmmm yyyy;@", "1 December 2025"}, {"yyyy-mm-dd", "2025-12-01"},
		{"h:mm", ""}, {"[$-F800]dddd", ""}, {"[$-439]mmm", ""}, {"mmmmm", ""},
		{"00000000", "00045992"}, {`"INV-"0`, "INV-45992"}, {"#,##0.00", "45,992.00"}, {"0", "45992"}, {"# ?/?", ""}, {";;;", ""},
	}
	rapid.Check(t, func(rt *rapid.T) {
		day := rapid.SampledFrom(days).Draw(rt, "format")
		formula := rapid.SampledFrom([]string{"", "<f>1+1</f>"}).Draw(rt, "formula")
		got, found := lookAt(t, rt, dressed(day.format, "").cell("F4", `<c r="F4" s="4">`+formula+`<v>45992</v></c>`), nil)
		if day.shows == "" {
			if got.result.Sheet.Accepted.Count != 5 {
				rt.Fatalf("%s is read: %q", day.format, found)
			}
			return
		}
		sameFindings(rt, found, where(formula != "", "4 remarks cell_formula"))
		if is := got.payouts[2].Remarks; is != day.shows {
			rt.Fatalf("%s is sent as %q, want %q", day.format, is, day.shows)
		}
	})
}

func TestFormulasAreStaleOnlyWhereTheWorkbookSaysSo(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		says := rapid.SampledFrom([]string{"", `fullCalcOnLoad="1"`, `fullCalcOnLoad="true"`, `forceFullCalc="1"`, `fullCalcOnLoad="0"`, `calcOnSave="1"`}).Draw(rt, "says")
		stale := strings.Contains(says, "ull") && !strings.Contains(says, `"0"`)
		w := six().parts().edit(bookPart, `</workbook>`, `<calcPr calcId="191029" `+says+`/></workbook>`).
			tab(`</c></row><row r="2">`, `</c><c r="H1" t="str"><v>Rate x Days</v></c></row><row r="2">`)
		column := rapid.SampledFrom([]string{"A", "E", "H"}).Draw(rt, "column")
		cells := map[string]string{
			"A": `<c r="A4" t="str"><f>1</f><v>DEC25/C</v></c>`, "E": `<c r="E4" s="2"><f>1</f><v>18250.5</v></c>`,
			"H": `<c r="H4" s="2"><f>1</f><v>18250.5</v></c>`,
		}
		var want []string
		if column == "H" {
			w = w.tab(`</c></row><row r="5">`, `</c>`+cells["H"]+`</row><row r="5">`)
		} else {
			w = w.cell(column+"4", cells[column])
			want = []string{"4 " + canonical()[column[0]-'A'].header + map[bool]string{true: " cell_formula_stale", false: " cell_formula"}[stale]}
		}
		finds(t, rt, w, want...)
	})
}

func TestRowsAreHiddenByTheirHeight(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tenths := rapid.IntRange(0, 300).Draw(rt, "tenths of a point")
		own := rapid.Bool().Draw(rt, "own height")
		w := six().parts().tab(`<row r="4">`, fmt.Sprintf(`<row r="4" ht="%g"%s>`, float64(tenths)/10, map[bool]string{true: ` customHeight="1"`}[own]))
		finds(t, rt, w, where(own && tenths < 50, "4 - hidden_rows")...)
	})
}

func TestReferencesAreWholeOrRefused(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var cell string
		lost := rapid.Bool().Draw(rt, "lost")
		code := "cell_number_inexact"
		switch {
		case rapid.Bool().Draw(rt, "as a text"):
			ref := rapid.StringMatching(`[1-9](\.[0-9]{1,6})?[Ee]\+[0-9]{2}`)
			if !lost {
				ref = rapid.StringMatching(`[A-Z]{1,3}[0-9]{1,5}[Ee][0-9]{1,3}|[1-9][0-9]{15,20}|[1-9]{1,3}E[0-9]{1,2}|[0-9]{2}E-[0-9]{2}`)
			}
			cell, code = strings.Replace(textCell("A4", ref.Draw(rt, "reference")), `s="4"`, `s="1"`, 1), "reference_scientific"
		case lost:
			cell = `<c r="A4"><v>` + rapid.StringMatching(`[1-9][0-9]{13}[1-9](0{1,5}|[0-9]{1,5}[1-9])`).Draw(rt, "number") + `</v></c>`
		default:
			cell = `<c r="A4"><v>` + rapid.StringMatching(`[1-9][0-9]{0,14}`).Draw(rt, "number") + `</v></c>`
		}
		finds(t, rt, six().parts().cell("A4", cell), where(lost, "4 merchant_txn_ref_id "+code)...)
	})
}

// Another tab is passed over and named, or refuses the workbook where it has payouts
// that would be lost.
func TestOtherTabsAreNamedOrRefused(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		known := map[string]func(payout) string{
			"Party Name": func(p payout) string { return p.name }, "A/c No": func(p payout) string { return p.account }, "IFSC": func(p payout) string { return p.ifsc },
		}
		harmless := map[string]func(payout) string{
			"Mobile": func(payout) string { return "9822000111" }, "PIN": func(payout) string { return "400001" }, "City": func(payout) string { return "Nashik" }, "Joined": func(payout) string { return "2024-04-01" },
		}
		headers := []string{"Party Name", "A/c No", "IFSC"}
		headers = append(headers, rapid.SliceOfDistinct(rapid.SampledFrom([]string{"Mobile", "PIN", "City", "Joined"}), rapid.ID[string]).Draw(rt, "harmless")...)
		pays := rapid.Bool().Draw(rt, "pays")
		if pays {
			headers = append(headers, "Sum to remit")
		}
		headers = rapid.Permutation(headers).Draw(rt, "order")
		var rows [][]string
		if rapid.Bool().Draw(rt, "header") {
			rows = append(rows, headers)
		}
		for _, p := range six().payouts {
			var row []string
			for _, h := range headers {
				switch {
				case known[h] != nil:
					row = append(row, known[h](p))
				case harmless[h] != nil:
					row = append(row, harmless[h](p))
				default:
					row = append(row, p.typed())
				}
			}
			rows = append(rows, row)
		}
		w := six().parts().related("worksheet", "worksheets/sheet2.xml", tabXML(rows)).
			edit(bookPart, `</sheets>`, `<sheet name="Other" sheetId="2" r:id="worksheet"/></sheets>`)
		named := rapid.Bool().Draw(rt, "named")
		_, found := lookAt(t, rt, w, func(o *validate.Options) {
			if named {
				o.Tab = "Payouts"
			}
		})
		want := "0 - tab_unread"
		if pays && !named {
			want = "0 - tab_may_hold_payouts"
		}
		sameFindings(rt, found, []string{want})
	})
}

// A CSV is read whatever of Ctrl-Z it ends with, and where its columns are kept apart in a
// way that is not read, the refusal names it.
func TestEndsAndSeparatorsOfCSV(t *testing.T) {
	plain := look(t, hostilePath("plain.csv"), given{})
	rapid.Check(t, func(rt *rapid.T) {
		separator := rapid.SampledFrom([]string{",", ";", "\t", "|", "^", "~", "   "}).Draw(rt, "separator")
		text := separatedBy(separator)("")
		if separator == "," {
			text = string(plainCSV(t))
		}
		if rapid.Bool().Draw(rt, "no line break at the end") {
			text = strings.TrimRight(text, "\r\n")
		}
		unended, before := !strings.HasSuffix(text, "\n"), len(text)
		text += strings.Repeat("\x1a", rapid.IntRange(0, 3).Draw(rt, "Ctrl-Z"))
		unended = unended && len(text) == before // a Ctrl-Z proves the end
		within := rapid.Bool().Draw(rt, "Ctrl-Z within")
		if within {
			text = strings.Replace(text, "Doab", "Do\x1aab", 1)
		}
		path := filepath.Join(t.TempDir(), "sheet.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			rt.Fatal(err)
		}
		got := look(t, path, given{})
		said := firstWords(got.result.Findings)
		switch {
		case separator == "^" || separator == "~" || separator == "   ":
			if !got.result.FileRefused() || !strings.Contains(said, "names the columns") {
				rt.Fatalf("%+v", got.result.Findings)
			}
		case within:
			if got.result.Sheet.Accepted.Count != 5 {
				rt.Fatalf("%+v", got.result.Findings)
			}
		case unended:
			if f := got.result.Findings; len(f) != 1 || f[0].Code != "file_end_unclear" || got.result.Sheet.Total != plain.result.Sheet.Total {
				rt.Fatalf("%+v", got.result.Findings)
			}
		case len(got.result.Findings) > 0 || got.result.Sheet.Total != plain.result.Sheet.Total:
			rt.Fatalf("%+v", got.result.Findings)
		}
	})
}

// An amount with more decimals than paise have is refused, and one that shows fewer says
// what it shows.
func TestAmountsThatShowFewerDecimals(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		number := fmt.Sprintf("%d.%s", rapid.IntRange(1, 99_999).Draw(rt, "rupees"), rapid.StringMatching(`[0-9]{0,5}[1-9]`).Draw(rt, "decimals"))
		format := rapid.SampledFrom([]string{"General", "0.00", "#,##0.00", "[$₹-4009] #,##0.00"}).Draw(rt, "format")
		_, decimals, _ := strings.Cut(number, ".")
		more := len(decimals) > 2
		got := finds(t, rt, dressed(format, "").cell("E4", `<c r="E4" s="4"><v>`+number+`</v></c>`), where(more, "4 amount amount_decimals")...)
		if said := firstWords(got.result.Findings); more && strings.Contains(said, "; use ROUND") == (format == "General") {
			rt.Fatalf("%s under %s: %s", number, format, said)
		}
	})
}
