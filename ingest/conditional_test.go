package ingest_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"payrun/ingest"
)

// conditionalsOf reads a workbook to its end.
func conditionalsOf(t *testing.T, path string) map[string]ingest.Mark {
	t.Helper()
	s, err := ingest.Open(path, ingest.Options{IsHeader: func(cells []string) bool { return len(cells) > 0 }})
	must(t, err)
	defer func() { _ = s.Close() }()
	for err == nil {
		if s.Areas() != nil {
			t.Fatal("reported before the sheet was read")
		}
		_, err = s.Next()
	}
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	found := map[string]ingest.Mark{}
	for _, c := range s.Areas() {
		found[c.Ref] |= c.Mark
	}
	return found
}

// TestConditionalFormatsAreAsExcelizeWritesThem holds what is found against what excelize
// was asked to write, and reads back itself.
func TestConditionalFormatsAreAsExcelizeWritesThem(t *testing.T) {
	f := excelize.NewFile()
	for i, row := range [][]any{{"ref", "amount"}, {"A", 1}, {"B", 2}, {"C", 3}} {
		must(t, f.SetSheetRow("Sheet1", "A"+string(rune('1'+i)), &row))
	}
	hide, shows := ";;;", "#,##0.00"
	styles := map[string]excelize.Style{
		"A2":    {Font: &excelize.Font{Strike: true}},
		"A3":    {Font: &excelize.Font{Bold: true, Color: "9C0006"}, Fill: excelize.Fill{Type: "pattern", Color: []string{"FFC7CE"}, Pattern: 1}},
		"A4":    {Font: &excelize.Font{Color: "FFFFFF"}},
		"B2":    {CustomNumFmt: &hide},
		"B3":    {CustomNumFmt: &shows},
		"B4":    {Font: &excelize.Font{Color: "FFC7CE"}, Fill: excelize.Fill{Type: "pattern", Color: []string{"FFC7CE"}, Pattern: 1}},
		"A2:B4": {Font: &excelize.Font{Strike: true, Color: "808080"}},
	}
	for where, style := range styles {
		id, err := f.NewConditionalStyle(&style)
		must(t, err)
		must(t, f.SetConditionalFormat("Sheet1", where, []excelize.ConditionalFormatOptions{{Type: "formula", Criteria: `$A2="A"`, Format: &id}}))
	}
	must(t, f.SetConditionalFormat("Sheet1", "B2:B4", []excelize.ConditionalFormatOptions{{Type: "icon_set", IconStyle: "3Arrows", IconsOnly: true}}))
	path := filepath.Join(t.TempDir(), "c.xlsx")
	must(t, f.SaveAs(path))
	want := map[string]ingest.Mark{
		"A2": ingest.MarkStruck, "A4": ingest.MarkUnseen, "B2": ingest.MarkReshaped, "B4": ingest.MarkUnseen,
		"A2:B4": ingest.MarkStruck, "B2:B4": ingest.MarkUnseen,
	}
	same(t, want, conditionalsOf(t, path))
	delete(want, "B2") // excelize reads no number format of a rule
	same(t, want, peerConditionals(t, path))
}

// peerConditionals is the same as excelize tells it.
func peerConditionals(t *testing.T, path string) map[string]ingest.Mark {
	t.Helper()
	f, err := excelize.OpenFile(path)
	must(t, err)
	defer func() { _ = f.Close() }()
	formats, err := f.GetConditionalFormats(f.GetSheetName(f.GetActiveSheetIndex()))
	must(t, err)
	found := map[string]ingest.Mark{}
	note := func(where string, e ingest.Mark) {
		for ref := range strings.FieldsSeq(where) {
			found[ref] |= e
		}
	}
	for where, rules := range formats {
		for _, rule := range rules {
			if rule.IconsOnly || rule.BarOnly {
				note(where, ingest.MarkUnseen)
			}
			if rule.Format == nil {
				continue
			}
			style, err := f.GetConditionalStyle(*rule.Format)
			must(t, err)
			if slices.Contains(style.Fill.Color, "000000") && (style.Font == nil || style.Font.Color == "" || style.Font.Color == "000000") {
				note(where, ingest.MarkUnseen)
			}
			if font := style.Font; font != nil {
				if font.Strike {
					note(where, ingest.MarkStruck)
				}
				if slices.Contains(style.Fill.Color, font.Color) || font.Color == "FFFFFF" && len(style.Fill.Color) == 0 {
					note(where, ingest.MarkUnseen)
				}
			}
		}
	}
	return found
}

func TestShippedSamplesHaveTheConditionalFormatsThatExcelizeSees(t *testing.T) {
	paths, err := filepath.Glob("../samples/*.xlsx")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	for _, path := range paths {
		same(t, peerConditionals(t, path), conditionalsOf(t, path), path)
	}
}

// The colours of a rule are seen as those of a cell are.
func TestColoursOfRulesAreSeenByContrast(t *testing.T) {
	const rule = `<conditionalFormatting sqref="A2:A3"><cfRule type="expression" dxfId="0" priority="1"><formula>1</formula></cfRule></conditionalFormatting>`
	for _, c := range []struct {
		name, ink, fill string
		hides           bool
	}{
		{"light grey, which is read", `rgb="FFBFBFBF"`, "", false},
		{"very light grey", `rgb="FFEEEEEE"`, "", true},
		{"green", `rgb="FF00FF00"`, "", false},
		{"a blue of the theme on the same", `theme="4"`, `<patternFill><bgColor rgb="FF4472C4"/></patternFill>`, true},
		{"white on it, as a solid fill", `theme="0"`, `<patternFill patternType="solid"><fgColor indexed="64"/><bgColor theme="4"/></patternFill>`, false},
		{"black on nearly black", `auto="1"`, `<patternFill><bgColor rgb="FF1F1F1F"/></patternFill>`, true},
		{"white on the palette that is listed below", `rgb="FFFFFFFF"`, `<patternFill><bgColor indexed="0"/></patternFill>`, true},
		{"white on two colours", `theme="0"`, `<patternFill patternType="lightUp"><fgColor rgb="FF000000"/><bgColor rgb="FFFFFFFF"/></patternFill>`, false},
		{"white on a gradient", `theme="0"`, `<gradientFill/>`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			book := newBook(textRow(1, "a")+textRow(2, "b")+textRow(3, "c")).edit("xl/worksheets/sheet1.xml", `</sheetData>`, `</sheetData>`+rule).
				related("styles", "styles.xml", xmlHead+`<styleSheet xmlns="`+mainSpace+`"><dxfs><dxf><font><color `+c.ink+`/></font><fill>`+c.fill+`</fill></dxf></dxfs>`+
					`<colors><indexedColors><rgbColor rgb="00FFFFFF"/></indexedColors></colors></styleSheet>`)
			path := filepath.Join(t.TempDir(), "c.xlsx")
			must(t, os.WriteFile(path, book.zip(t), 0o600))
			if hides := conditionalsOf(t, path)["A2:A3"]&ingest.MarkUnseen != 0; hides != c.hides {
				t.Errorf("hides: %v", hides)
			}
		})
	}
}
