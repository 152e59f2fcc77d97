package ingest_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"payrun/ingest"
)

// formatted reads one number in a cell with a number format.
func formatted(t *testing.T, code, number string) (kind ingest.Kind, shown string, known bool) {
	t.Helper()
	b := newBook(`<row r="1"><c r="A1" s="1"><v>`+number+`</v></c></row>`).styled("0", code)
	s, err := ingest.Open(write(t, "f.xlsx", b.zip(t)), ingest.Options{})
	must(t, err)
	defer func() { _ = s.Close() }()
	row, err := s.Next()
	must(t, err)
	shown, known = s.Shows(row.Styles[0], row.Cells[0])
	return row.Kinds[0], shown, known
}

// A number is read only where its format shows that number; what everything
// else shows can be said.
func TestANumberIsWhatItsFormatShows(t *testing.T) {
	const unknown = "\x00"
	for _, c := range []struct{ code, number, shows string }{
		{"General", "1250.5", "1250.5"},
		{"0.00", "1250.5", "1250.50"},
		{"#,##0.00", "1250.5", "1,250.50"},
		{"1", "1250", "1250"},
		{"0.0#", "1250.5", "1250.5"},
		{"4", "1250.5", "1,250.50"},
		{"44", "1250.5", "1,250.50"},
		{"@", "1250.5", "1250.5"},
		{"49", "1250.5", "1250.5"},
		{`[$₹-4009] #,##0.00`, "1250.5", "₹ 1,250.50"},
		{`[$₹-en-IN]#,##0.00;[Red]-[$₹-en-IN]#,##0.00`, "1250.5", "₹1,250.50"},
		{`"Rs." #,##0.00"/-"`, "1250.5", "Rs. 1,250.50/-"},
		{`\R\s\.\ #,##0.00`, "1250.5", "Rs. 1,250.50"},
		{`[$INR] 0.00`, "1250.5", "INR 1250.50"},
		{`₹ #,##0.00`, "1250.5", "₹ 1,250.50"},
		{`_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)`, "1250.5", "1,250.50"},
		{`#,##0.00;(#,##0.00)`, "1250.5", "1,250.50"},
		{`[>=10000000]##\,##\,##\,##0.00;[>=100000]##\,##\,##0.00;##,##0.00`, "12345678.9", "1,23,45,678.90"},
		{`[>=10000000]##\,##\,##\,##0.00;[>=100000]##\,##\,##0.00;##,##0.00`, "123456.78", "1,23,456.78"},
		{`[>=10000000]##\,##\,##\,##0.00;[>=100000]##\,##\,##0.00;##,##0.00`, "1250.5", "1,250.50"},
		{`[<0]"x";0.00`, "5", "5.00"}, // of negative numbers only
		{`# ##0.00`, "1250.5", "1 250.50"},
		{`0.00;"x";"y";@`, "5", "5.00"},
		{"000", "1250", "1250"},
	} {
		if kind, shown, known := formatted(t, c.code, c.number); kind != ingest.Number || shown != c.shows || !known {
			t.Errorf("%s of %s: kind %d, shown %q (%t); want it read, shown %q", c.number, c.code, kind, shown, known, c.shows)
		}
	}
	for _, c := range []struct{ code, number, shows string }{
		{`[$$-409]#,##0.00`, "1250.5", "$1,250.50"},
		{`"$"#,##0.00`, "1250.5", "$1,250.50"},
		{`$#,##0.00`, "1250.5", "$1,250.50"},
		{`[$USD]\ #,##0.00`, "1250.5", "USD 1,250.50"},
		{`[$€-2]\ #,##0.00`, "1250.5", "€ 1,250.50"},
		{`#,##0.00\ [$€-407]`, "1250.5", "1,250.50 €"},
		{"#,##0.00 €", "1250.5", "1,250.50 €"},
		{";;;", "5000", ""},
		{";-0;0", "5000", ""},
		{`"-"`, "5000", "-"},
		{`"***"`, "5000", "***"},
		{`"शून्य"`, "5000", "शून्य"},
		{`0.00"रुपये"`, "5000", "5000.00रुपये"},
		{`(#,##0.00)`, "1250.5", "(1,250.50)"},
		{`-#,##0.00`, "1250.5", "-1,250.50"},
		{`[Red]\-#,##0.00`, "1250.5", "-1,250.50"},
		{`+0.00`, "5", "+5.00"},
		{"#,##0,", "5000", "5"},
		{`0.00,,"M"`, "5000000", "5.00M"},
		{"0%", "5", "500%"},
		{"9", "5", "500%"},
		{"1", "1250.5", "1251"},
		{"0;-0", "1250.5", "1251"},
		{"#,##0", "1250.5", "1,251"},
		{"0.0", "1250.55", "1250.6"},
		{"000000", "123", "000123"},
		{`"INV-"0`, "7", "INV-7"},
		{`0\.00`, "1250", unknown},  // 12.50
		{`0\,00`, "1250", "12,50"},  // 12.50, to a German
		{`0"."00`, "1250", unknown}, // 12.50
		{`"."0`, "1250", ".1250"},
		{`\.#,##0.00`, "1250", ".1,250.00"},
		{`##\,##`, "1250", "12,50"},
		{"0.00E+00", "1250", unknown},
		{"# ?/?", "1250.5", unknown},
		{"12", "1250.5", unknown},
		{`*-0.00`, "1250", unknown},
		{`[$-4000439]0.00`, "1250", unknown},    // १२५०.००
		{"61", "1250", unknown},                 // Thai digits
		{`[<1000]0.00;"many"`, "500", "500.00"}, // another number would show something else
		{`[<1000]0.00;"many"`, "5000", "many"},  //
		{`[>100]"x"0;0`, "500", "x500"},         //
		{`[=500]"x"0;0`, "500", "x500"},
		{`[<=500]"x"0;0`, "500", "x500"},
		{`[<>500]"x"0;"y"0`, "500", "y500"},
		{`0.00 "Cr"`, "500", "500.00 Cr"},           //
		{`[$₹-4009]0.00" Lakh"`, "5", "₹5.00 Lakh"}, //
		{`0.00)`, "5", "5.00)"},
		{`"open`, "5", "open"},
		{`[open`, "5", unknown},
	} {
		kind, shown, known := formatted(t, c.code, c.number)
		if kind != ingest.Formatted {
			t.Errorf("%s of %s is read as kind %d", c.number, c.code, kind)
		}
		if known == (c.shows == unknown) || known && shown != c.shows {
			t.Errorf("%s of %s: shown %q (%t), want %q", c.number, c.code, shown, known, c.shows)
		}
	}
	for _, code := range []string{"14", "22", "[h]:mm", "[$-F800]dddd", "27", "h:mm d-mmm", "mmmmm", "yyy", "[$-439]mmm", `"on "d`, "[>5]d-mmm;0", "ee-mm"} {
		if kind, _, known := formatted(t, code, "45000"); kind != ingest.Date || known {
			t.Errorf("%s: kind %d, known %t", code, kind, known)
		}
	}
	for code, want := range map[string]string{
		"15": "15-Mar-23", "16": "15-Mar", "17": "Mar-23", "yyyy-mm-dd": "2023-03-15", `[Red]dd/mm/yy;0`: "15/03/23", `[$-409]d\-mmm\-yyyy;@`: "15-Mar-2023",
		"MMM YY": "Mar 23", "[$-4009]dddd, d mmmm yyyy": "Wednesday, 15 March 2023", "[$-en-IN]ddd": "Wed", "dd.m.yyyy": "15.3.2023",
	} {
		if kind, shown, known := formatted(t, code, "45000"); kind != ingest.Date || !known || shown != want {
			t.Errorf("%s: kind %d, shown %q (%t), want %q", code, kind, shown, known, want)
		}
		if _, _, known := formatted(t, code, "45000.5"); known {
			t.Errorf("%s: shown with a time of day", code)
		}
	}
}

// A format does to a formula's number what it does to any other.
func TestAFormulaIsWhatItsFormatShows(t *testing.T) {
	b := newBook(`<row r="1"><c r="A1" s="0"><f>1</f><v>5</v></c><c r="B1" s="1"><f>1</f><v>5</v></c></row>`).styled("0.00", `"$"0.00`)
	row := kindsOf(t, b)
	if row.Kinds[0] != ingest.FormulaNumber || row.Kinds[1] != ingest.FormulaFormatted || !row.Kinds[1].Numeric() {
		t.Errorf("%v", row.Kinds)
	}
}

func kindsOf(t *testing.T, b book) ingest.Row {
	t.Helper()
	s, err := ingest.Open(write(t, "k.xlsx", b.zip(t)), ingest.Options{})
	must(t, err)
	defer func() { _ = s.Close() }()
	row, err := s.Next()
	must(t, err)
	return row
}

// TestWhatFormatsShowIsWhatExcelizeShows holds every number of every shipped
// workbook, as a person sees it, against the second reader: its digits, its
// point and what is next to them.
func TestWhatFormatsShowIsWhatExcelizeShows(t *testing.T) {
	looked := 0
	for _, pattern := range []string{"../samples/*.xlsx", "../samples/*/*.xlsx"} {
		paths, err := filepath.Glob(pattern)
		must(t, err)
		for _, path := range paths {
			looked += sameShown(t, path)
		}
	}
	if looked < 300 {
		t.Errorf("only %d numbers were looked at", looked)
	}
}

func sameShown(t *testing.T, path string) int {
	t.Helper()
	s, err := ingest.Open(path, ingest.Options{Hidden: ingest.HiddenInclude})
	if err != nil {
		return 0 // refused
	}
	defer func() { _ = s.Close() }()
	peer, err := excelize.OpenFile(path)
	if err != nil {
		return 0
	}
	defer func() { _ = peer.Close() }()
	type place struct{ cell, shown string }
	var places []place
	for {
		row, err := s.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0 // refused
		}
		for i, kind := range row.Kinds {
			if shown, known := s.Shows(row.Styles[i], row.Cells[i]); kind.Numeric() && known {
				cell, err := excelize.CoordinatesToCellName(i+1, row.Number)
				must(t, err)
				places = append(places, place{cell, shown})
			}
		}
	}
	for _, p := range places {
		theirs, err := peer.GetCellValue(s.Tab(), p.cell)
		must(t, err)
		// It does not know the conditions of the lakh and crore formats, and puts their
		// commas elsewhere; a gap is a space there and nothing here.
		bare := strings.NewReplacer(",", "", " ", "")
		if bare.Replace(p.shown) != bare.Replace(theirs) {
			t.Errorf("%s %s: shown %q, excelize shows %q", path, p.cell, p.shown, theirs)
		}
	}
	return len(places)
}

// What is struck out, raised or lowered is reported, whether a run of the text or the
// cell's style has it.
func TestStruckAndRaisedTextIsTold(t *testing.T) {
	const strike, super, bold = `<rPr><strike/></rPr>`, `<rPr><vertAlign val="superscript"/></rPr>`, `<rPr><b/></rPr>`
	run := func(font, text string) string { return "<r>" + font + `<t xml:space="preserve">` + text + "</t></r>" }
	fonts := `<fonts><font><sz val="11"/></font><font><strike/></font><font><vertAlign val="subscript"/></font><font><strike val="0"/><vertAlign val="baseline"/></font></fonts>`
	for name, c := range map[string]struct {
		style int
		text  string
		want  ingest.Mark
	}{
		"plain":                        {0, "<t>500</t>", 0},
		"a run struck out":             {0, run(strike, "1000") + run("", "500"), ingest.MarkStruck},
		"a run raised":                 {0, run("", "12500") + run(super, "50"), ingest.MarkRaised},
		"a run lowered":                {0, run("", "12500") + run(`<rPr><vertAlign val="subscript"/></rPr>`, "1"), ingest.MarkRaised},
		"both":                         {0, run(strike, "1") + run(super, "2"), ingest.MarkStruck | ingest.MarkRaised},
		"only a space struck out":      {0, run(bold, "500") + run(strike, " "), 0},
		"struck out, and then not":     {0, run(`<rPr><strike val="0"/></rPr>`, "500"), 0},
		"the cell struck out":          {1, "<t>500</t>", ingest.MarkStruck},
		"the cell, one run of its own": {1, run("", "500") + run(bold, "x"), ingest.MarkStruck},
		"the cell, all runs their own": {1, run(bold, "500") + run(bold, "x"), 0},
		"the cell lowered":             {2, "<t>500</t>", ingest.MarkRaised},
		"a font that is neither":       {3, "<t>500</t>", 0},
	} {
		t.Run(name, func(t *testing.T) {
			styles := fmt.Sprintf(`%s<styleSheet xmlns="%s">%s<cellXfs><xf fontId="0"/><xf fontId="1"/><xf fontId="2"/><xf fontId="3"/></cellXfs></styleSheet>`, xmlHead, mainSpace, fonts)
			shared := newBook(fmt.Sprintf(`<row r="1"><c r="A1" s="0" t="s"><v>0</v></c><c r="C1" s="%d" t="s"><v>1</v></c><c r="D1" s="0" t="s"><v>0</v></c></row>`, c.style)).
				shared("<t>x</t>", c.text).related("styles", "styles.xml", styles)
			inline := newBook(fmt.Sprintf(`<row r="1"><c r="C1" s="%d" t="inlineStr"><is>%s</is></c></row>`, c.style, c.text)).related("styles", "styles.xml", styles)
			for form, b := range map[string]book{"shared": shared, "inline": inline} {
				row := kindsOf(t, b)
				if c.want == 0 && row.Marks == nil {
					continue
				}
				if len(row.Marks) != len(row.Cells) || row.Marks[2] != c.want || row.Marks[0] != 0 {
					t.Errorf("%s: marks %v of %v, want %d", form, row.Marks, row.Cells, c.want)
				}
			}
		})
	}
	number := newBook(`<row r="1"><c r="A1" s="1"><v>500</v></c></row>`).
		related("styles", "styles.xml", fmt.Sprintf(`%s<styleSheet xmlns="%s"><cellXfs><xf/><xf fontId="1"/></cellXfs>%s</styleSheet>`, xmlHead, mainSpace, fonts))
	if row := kindsOf(t, number); len(row.Marks) != 1 || row.Marks[0] != ingest.MarkStruck {
		t.Errorf("a number struck out: %v", row.Marks)
	}
}

// Marks are of one row and not of the next.
func TestMarksAreOfTheirRow(t *testing.T) {
	var rows string
	for n := 1; n <= 600; n++ {
		style := 0
		if n == 300 || n == 301 {
			style = n - 299
		}
		rows += fmt.Sprintf(`<row r="%d"><c r="A%d" s="%d"><v>%d</v></c></row>`, n, n, style, n)
	}
	b := newBook(rows).related("styles", "styles.xml",
		fmt.Sprintf(`%s<styleSheet xmlns="%s"><fonts><font/><font><strike/></font><font><vertAlign val="superscript"/></font></fonts><cellXfs><xf/><xf fontId="1"/><xf fontId="2"/></cellXfs></styleSheet>`, xmlHead, mainSpace))
	s, err := ingest.Open(write(t, "m.xlsx", b.zip(t)), ingest.Options{})
	must(t, err)
	defer func() { _ = s.Close() }()
	marked := map[int]ingest.Mark{}
	for {
		row, err := s.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		if row.Marks != nil {
			marked[row.Number] = row.Marks[0]
		}
	}
	if len(marked) != 2 || marked[300] != ingest.MarkStruck || marked[301] != ingest.MarkRaised {
		t.Errorf("%v", marked)
	}
}

// TestTextsAreShownAsExcelizeShowsThem holds what formats make of a text against the
// second reader.
func TestTextsAreShownAsExcelizeShowsThem(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.xlsx")
	rapid.Check(t, func(rt *rapid.T) {
		part := rapid.SampledFrom([]string{"", "", `"x"`, `\-`, `" lakh"`, "[Red]", "-", "( "})
		section := part.Draw(rt, "before") + rapid.SampledFrom([]string{"@", "@", "@", ""}).Draw(rt, "at") + part.Draw(rt, "after")
		code := rapid.SampledFrom([]string{"0;-0;0;", "General;General;General;", "#,##0.00;(#,##0.00);;", ""}).Draw(rt, "numbers") + section
		if strings.Trim(code, "[Red]") == "" {
			return // no format at all
		}
		text := rapid.StringMatching(`[A-Z0-9-]{1,8}`).Draw(rt, "text")
		b := newBook(`<row r="1"><c r="A1" s="1" t="s"><v>0</v></c></row>`).styled("0", code).shared("<t>" + text + "</t>")
		must(rt, os.WriteFile(path, b.zip(t), 0o600))
		row := kindsOf(t, b)
		peer, err := excelize.OpenFile(path)
		must(rt, err)
		defer func() { _ = peer.Close() }()
		theirs, err := peer.GetCellValue("Sheet1", "A1")
		must(rt, err)
		var mark ingest.Mark
		if row.Marks != nil {
			mark = row.Marks[0]
		}
		shown := row.Cells[0]
		if mark&ingest.MarkUnseen != 0 {
			shown = ""
		}
		if mark&ingest.MarkUnclear == 0 && strings.TrimSpace(shown) != strings.TrimSpace(theirs) {
			rt.Fatalf("%q under %s: shown %q (%d), excelize shows %q", text, code, shown, mark, theirs)
		}
	})
}
