package statement_test

import (
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"payrun/ingest"
	"payrun/ingest/statement"
)

// workbook makes a statement of one entry, which change then alters.
func workbook(t *testing.T, change func(x *excelize.File)) string {
	t.Helper()
	x := excelize.NewFile()
	defer func() { _ = x.Close() }()
	day, err := x.NewStyle(&excelize.Style{NumFmt: 14})
	must(t, err)
	for cell, value := range map[string]any{
		"A1": "Account No", "B1": account,
		"A3": "Date", "B3": "Particulars", "C3": "Reference", "D3": "Debit", "E3": "Credit", "F3": "Balance",
		"A4": time.Date(2026, time.November, 5, 0, 0, 0, 0, time.UTC), "B4": "INV-1", "C4": "UTR1", "D4": 100.5, "F4": 899.5,
	} {
		must(t, x.SetCellValue("Sheet1", cell, value))
	}
	must(t, x.SetCellStyle("Sheet1", "A4", "A4", day))
	change(x)
	b, err := x.WriteToBuffer()
	must(t, err)
	return b.String()
}

// format gives a cell a number format.
func format(t *testing.T, x *excelize.File, cell, code string) {
	style, err := x.NewStyle(&excelize.Style{CustomNumFmt: &code})
	if err == nil {
		err = x.SetCellStyle("Sheet1", cell, cell, style)
	}
	must(t, err)
}

func TestAWorkbookShowsWhatIsRead(t *testing.T) {
	for name, c := range map[string]struct {
		change func(x *excelize.File)
		code   string // "" where it is read
	}{
		"as the bank makes it":    {func(*excelize.File) {}, ""},
		"with two decimals shown": {func(x *excelize.File) { format(t, x, "D4", "#,##0.00") }, ""},
		"a balance of a double": {func(x *excelize.File) {
			_ = x.SetCellDefault("Sheet1", "F4", "899.50000000000011")
			format(t, x, "F4", "#,##0.00")
		}, ""},
		"with Cr in the format":   {func(x *excelize.File) { format(t, x, "F4", `#,##0.00" Cr"`) }, ""},
		"with fewer decimals":     {func(x *excelize.File) { format(t, x, "D4", "#,##0") }, statement.CodeAmount},
		"in dollars":              {func(x *excelize.File) { format(t, x, "D4", "$#,##0.00") }, statement.CodeAmount},
		"a formula":               {func(x *excelize.File) { _ = x.SetCellFormula("Sheet1", "F4", "1000-D4") }, statement.CodeBalance},
		"an amount that is a day": {func(x *excelize.File) { format(t, x, "D4", "dd/mm/yyyy") }, statement.CodeAmount},
		"a day that is a number":  {func(x *excelize.File) { _ = x.SetCellValue("Sheet1", "A4", 46331); format(t, x, "A4", "0") }, statement.CodeDate},
		"a hidden row":            {func(x *excelize.File) { _ = x.SetRowVisible("Sheet1", 4, false) }, ""},
		"two such tabs": {func(x *excelize.File) {
			if _, err := x.NewSheet("More"); err != nil {
				t.Fatal(err)
			}
			must(t, x.CopySheet(0, 1))
		}, ingest.CodeTabSeveral},
	} {
		t.Run(name, func(t *testing.T) {
			f := read(t, workbook(t, c.change), statement.Options{Ours: ours})
			if c.code != "" {
				refusedWith(t, f, c.code, name)
				return
			}
			if f.Refused() || f.From != "2026-11-05" || f.Opening != 1000_00 || f.Closing != 899_50 || f.Account != account || f.Tab != "Sheet1" {
				t.Errorf("%+v", f)
			}
		})
	}
}

func TestOneTabOfTwoIsNamed(t *testing.T) {
	content := workbook(t, func(x *excelize.File) {
		_, _ = x.NewSheet("More")
		_ = x.CopySheet(0, 1)
	})
	if f := read(t, content, statement.Options{Tab: "More"}); f.Refused() || f.Tab != "More" {
		t.Errorf("%+v", f)
	}
}
