package samples_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

const writersFolder = "writers"

// written by this test with -update; the rest by the programs themselves (see
// writers/README.md).
func writtenHere() []sample {
	return []sample{
		{name: "month-end.csv", make: func(t *testing.T) []byte { return everyWriters().csv(t) }},
		{name: "excelize.xlsx", make: func(t *testing.T) []byte { return everyWriters().xlsx(t, "Payouts", nil) }},
		{name: "excel-by-hand.xlsx", make: written(asExcel(everyWriters()))},
		{name: "google-sheets-by-hand.xlsx", make: written(asGoogleSheets(everyWriters()))},
	}
}

// everyWriters is the small month-end that each program wrote: what they are
// known to treat in different ways is in it.
func everyWriters() sheet {
	s := sheet{titles: []string{"Vendor payments, November 2025"}, gap: true}
	s.columns = append(renamed(canonical(), "Payment Ref No", "Beneficiary Name", "Account Number", "IFSC Code", "Amount (INR)", "Remarks", "Debit Account"),
		extended()[10])
	for i, p := range []payout{
		{name: "Konkan Packaging & Co <Pune>", account: "000123456789", amount: 1_250_50, remarks: "Cartons, \"urgent\" lot 1"},
		{name: "मालवा ट्रेडर्स", account: "00500200111222", amount: 18_250_49, remarks: "नवंबर का भुगतान"},
		{name: "கோவை மில்ஸ்", account: "50200987654321", amount: 1_00_000_00, remarks: ""},
		{name: "Doab Electricals", account: "0000000000000017", amount: 10, remarks: "A refund"},
		{name: "Kutch Paper Products", account: "5020012345678901", amount: 76_749_51, remarks: "Two lines\nof remarks"},
		{name: "Kaveri Chemicals 'A'", account: "SBIN00998877", amount: 1_25_00_000_00, remarks: "100% advance; final"},
		{name: "Nilgiri  Tea Stores", account: "11223344556677", amount: 99_999_99, remarks: "two  spaces inside"},
		{name: "Chambal Logistics", account: "90909090909090", amount: 1_01, remarks: "=not a formula"},
		{name: "Étoile Catering Pvt Ltd", account: "00000000012345", amount: 3_33_333_33, remarks: "a_b & c/d"},
		{name: "Vindhya Dairy Supplies", account: "12345678901234567890", amount: 70, remarks: "0012"},
		{name: "Sahyadri Works 🧵", account: "20202020202020", amount: 4_503_599_627_37, remarks: "TRUE"},
		{name: "Godavari Spares", account: "30303030303030", amount: 29, remarks: "1-2"},
		{name: "Sabarmati Steel", account: "40404040404040", amount: 57_10, remarks: ""},
	} {
		p.ref = fmt.Sprintf("NOV25/W/%03d", i+1)
		if i == 3 {
			p.ref = "000104" // zeros in front are part of a reference
		}
		p.ifsc = fmt.Sprintf("TSTB0%06d", 101+i)
		p.debit = accountName([]int{3, 1}[i%2], ledger.KindNone)
		p.day = 1 + i*2
		s.payouts = append(s.payouts, p)
	}
	s.total = s.sum()
	return s
}

func TestSheetsWrittenHereAreWhatTheirSourceSays(t *testing.T) {
	for _, s := range writtenHere() {
		kept(t, filepath.Join(writersFolder, s.name), s.make(t))
	}
}

// kept compares a file with what makes it, or writes it with -update.
func kept(t *testing.T, path string, want []byte) {
	t.Helper()
	if *update {
		check(t, os.MkdirAll(filepath.Dir(path), 0o755))
		check(t, os.WriteFile(path, want, 0o644))
		return
	}
	got, err := os.ReadFile(path)
	check(t, err)
	if string(got) != string(want) {
		t.Errorf("%s is not what its source says; go test ./samples -update writes it again", path)
	}
}

func TestEveryWritersSheetHasThePayoutsOfTheCSV(t *testing.T) {
	want := look(t, filepath.Join(writersFolder, "month-end.csv"), given{})
	if len(want.payouts) != 13 || want.result.Refused() || !want.result.Sheet.HasTotal {
		t.Fatalf("the CSV: %d payouts, %+v", len(want.payouts), want.result.Findings)
	}
	sheets := workbooksIn(t, writersFolder)
	if len(sheets) < 9 {
		t.Fatalf("only %d workbooks: %v", len(sheets), sheets)
	}
	for _, path := range sheets {
		t.Run(filepath.Base(path), func(t *testing.T) {
			got := look(t, path, given{})
			if d := cmp.Diff(want.payouts, got.payouts); d != "" {
				t.Errorf("payouts (-CSV +%s):\n%s", path, d)
			}
			if got.result.Sheet.RowsHash != want.result.Sheet.RowsHash {
				t.Error("another hash of the rows")
			}
			if d := cmp.Diff(want.places(), got.places()); d != "" {
				t.Errorf("findings (-CSV +%s):\n%s", path, d)
			}
			if !got.result.Sheet.HasTotal {
				t.Error("the total row was not compared with the rows")
			}
		})
	}
}

func workbooksIn(t *testing.T, folder string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.xlsx"))
	check(t, err)
	return paths
}

func TestWritersReadmeNamesEverySheet(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(writersFolder, "README.md"))
	check(t, err)
	for _, path := range append(workbooksIn(t, writersFolder), filepath.Join(writersFolder, "month-end.csv")) {
		if !strings.Contains(string(readme), "`"+filepath.Base(path)+"`") {
			t.Errorf("README.md does not name %s", path)
		}
	}
}

// amountCell is a cell that holds an amount.
var amountCell = regexp.MustCompile(`s="2"><v>([0-9.]+)</v>`)

// asExcel gives a sheet the form in which Excel saves it: shared strings,
// spans, extension namespaces, numbers with 17 digits, a formula for the total
// with its saved value, a calculation chain.
func asExcel(s sheet) workbook {
	w := s.sharing()
	w = w.tab(`<worksheet xmlns="`+mainSpace+`"><sheetData>`, `<worksheet xmlns="`+mainSpace+`" xmlns:r="`+relSpace+`" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" mc:Ignorable="x14ac xr" `+
		`xmlns:x14ac="http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac" xmlns:xr="http://schemas.microsoft.com/office/spreadsheetml/2014/revision" xr:uid="{00000000-0001-0000-0000-000000000000}">`+
		`<dimension ref="A1:H17"/><sheetViews><sheetView tabSelected="1" workbookViewId="0"><pane ySplit="2" topLeftCell="A3" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft" activeCell="A3" sqref="A3"/></sheetView></sheetViews>`+
		`<sheetFormatPr defaultRowHeight="15" x14ac:dyDescent="0.25"/><cols><col min="1" max="8" width="18.7109375" style="1" customWidth="1"/></cols><sheetData>`)
	w = w.tab(`</sheetData>`, `</sheetData><pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/><ignoredErrors><ignoredError sqref="A3:D15" numberStoredAsText="1"/></ignoredErrors>`)
	w[tabPart] = strings.ReplaceAll(w[tabPart], `<row r="`, `<row spans="1:8" x14ac:dyDescent="0.25" r="`)
	w[tabPart] = amountCell.ReplaceAllStringFunc(w[tabPart], func(cell string) string {
		// A double, because that is what Excel holds and writes with 17 digits.
		double, err := strconv.ParseFloat(amountCell.FindStringSubmatch(cell)[1], 64)
		if err != nil {
			panic(err)
		}
		return `s="2"><v>` + strconv.FormatFloat(double, 'g', 17, 64) + `</v>`
	})
	w = w.tab(`<c r="E17" s="2"><v>`, `<c r="E17" s="2"><f>SUM(E3:E16)</f><v>`)
	w = w.edit(bookPart, `<workbookPr/>`, `<fileVersion appName="xl" lastEdited="7" lowestEdited="7" rupBuild="22228"/><workbookPr defaultThemeVersion="166925"/><bookViews><workbookView xWindow="0" yWindow="0" windowWidth="28800" windowHeight="12300"/></bookViews>`)
	w = w.edit(bookPart, `</sheets>`, `</sheets><calcPr calcId="191029"/>`)
	return w.related("calcChain", "calcChain.xml", xmlHead+`<calcChain xmlns="`+mainSpace+`"><c r="E17" i="1"/></calcChain>`)
}

// asGoogleSheets gives a sheet the form in which Google Sheets hands it out:
// shared strings, an empty drawing, styled blank cells and a hundred blank rows
// below, the total as a formula with its saved value.
func asGoogleSheets(s sheet) workbook {
	w := s.sharing()
	w = w.tab(`<worksheet xmlns="`+mainSpace+`"><sheetData>`, `<worksheet xmlns="`+mainSpace+`" xmlns:r="`+relSpace+`" xmlns:mx="http://schemas.microsoft.com/office/mac/excel/2008/main" xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main">`+
		`<sheetPr><outlinePr summaryBelow="0" summaryRight="0"/></sheetPr><sheetViews><sheetView workbookViewId="0"/></sheetViews><sheetFormatPr customHeight="1" defaultColWidth="12.63" defaultRowHeight="15.75"/><sheetData>`)
	var below strings.Builder
	for row := 18; row <= 117; row++ {
		fmt.Fprintf(&below, `<row r="%d" ht="15.75" customHeight="1"><c r="A%d" s="1"/><c r="C%d" s="1"/></row>`, row, row, row)
	}
	w = w.tab(`</sheetData>`, below.String()+`</sheetData><drawing r:id="rId1"/>`)
	w = w.tab(`<c r="E17" s="2"><v>`, `<c r="E17" s="2"><f>SUM(E3:E15)</f><v>`)
	w[tabPart] = regexp.MustCompile(`(\.\d)0</v>`).ReplaceAllString(w[tabPart], "$1</v>") // 100000.0
	w["xl/worksheets/_rels/sheet1.xml.rels"] = xmlHead + `<Relationships xmlns="` + packSpace + `relationships"><Relationship Id="rId1" Type="` + relSpace + `/drawing" Target="../drawings/drawing1.xml"/></Relationships>`
	w["xl/drawings/drawing1.xml"] = xmlHead + `<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"/>`
	return w
}

// places of the findings, as a sheet's expected outcome has them.
func (l looked) places() []string {
	var all []string
	for _, f := range l.result.Findings {
		all = append(all, place(f))
	}
	slices.Sort(all)
	return all
}
