package statement_test

import (
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"payrun/ingest"
	"payrun/ingest/statement"
	"payrun/ledger"
)

// lines makes a CSV of lines.
func lines(l ...string) string { return strings.Join(l, "\n") + "\n" }

// TestATableIsReadByItsColumns: the headers that banks use, each with the same
// two entries.
func TestATableIsReadByItsColumns(t *testing.T) {
	for name, content := range map[string]string{
		"the interface's names": lines("transaction_id,transaction_amount,transaction_type,closing_balance,transacted_date,posted_date,value_date,reference_number,remarks",
			"1,100.50,debit,899.50,2026-11-20 10:00:00,2026-11-20 10:00:00,2026-11-20 00:00:00,UTR1,INV-1", "2,50.00,credit,949.50,2026-11-21 10:00:00,,,UTR2,INV-2"),
		"debit and credit": lines("Txn Date,Value Dt,Description,Ref No./Cheque No.,Debit,Credit,Balance",
			`20/11/26,20/11/26,INV-1,UTR1,100.50,,899.50`, `21/11/26,21/11/26,INV-2,UTR2,,50.00,949.50`),
		"DR, CR and BAL": lines("Tran Date,CHQNO,PARTICULARS,DR,CR,BAL,SOL", "20-11-2026,UTR1,INV-1,100.50, ,899.50,12", "21-11-2026,UTR2,INV-2, ,50.00,949.50,12"),
		"the other side is 0.00": lines("Date,Narration,Chq./Ref.No.,Value Dt,Withdrawal Amt.,Deposit Amt.,Closing Balance",
			"20 Nov 2026,INV-1,UTR1,20 Nov 2026,100.50,0.00,899.50", "21-Nov-26,INV-2,UTR2,21-Nov-26,-,50.00,949.50"),
		"an amount with Dr/Cr, and a balance with Dr/Cr": lines("Date,Description,Reference,Amount,Dr / Cr,Balance,Dr / Cr",
			"2026-11-20,INV-1,UTR1,100.50,DR,899.50,CR", "2026-11-21,INV-2,UTR2,50.00,CR,949.50,CR"),
		"Dr/Cr before the amount": lines("Date,Transaction Remarks,Reference,Cr/Dr,Transaction Amount(INR),Available Balance(INR)",
			"20/11/2026 10:15:00 AM,INV-1,UTR1,DR,100.50,899.50", "21/11/2026 10:15:00 PM,INV-2,UTR2,CR,50.00,949.50"),
		"Dr and Cr in the cells": lines("Date;Particulars;Reference;Amount;Balance", "20.11.2026;INV-1;UTR1;Rs. 100.50 Dr;899.50Cr", "21.11.2026;INV-2;UTR2;50.00(Cr);949.50 Cr."),
		"a minus is a debit":     lines("Date,Particulars,Reference,Amount,Balance", "20/11/2026,INV-1,UTR1,-100.50,₹ 899.50", "21/11/2026,INV-2,UTR2,+50.00,₹ 949.50"),
		"newest first":           lines("Date,Particulars,Reference,Debit,Credit,Balance", "21/11/2026,INV-2,UTR2,,50.00,949.50", "20/11/2026,INV-1,UTR1,100.50,,899.50"),
		"titles and footers": lines("Statement of account,,,,,", "Account No :,000200345678,,,,", ",,,,,", "Date,Particulars,Reference,Debit,Credit,Balance",
			"20/11/2026,INV-1,UTR1,100.50,,899.50", "21/11/2026,INV-2,UTR2,,50.00,949.50", ",,,,,", ",This is a computer generated statement,,,,"),
		"notes and lines in every column": lines("Date,Particulars,Reference,Debit,Credit,Balance", "********,****,****,****,****,****",
			"20/11/2026,INV-1,UTR1,100.50,,899.50", "Page 1 of 2,,,,,", "Payment in USD,,,,,", "21/11/2026,INV-2,UTR2,,50.00,949.50", "--------,--,--,--,--,--", "This is a computer generated statement,,,,,"),
		"codes that are explained": lines("Date,Particulars,Reference,Debit,Credit,Balance", "20/11/2026,INV-1,UTR1,100.50,,899.50", "USD,: US Dollar,,,,", header,
			"21/11/2026,INV-2,UTR2,,50.00,949.50", "INR : Indian Rupee | USD : US Dollar | EUR : Euro,,,,,", "USD : US Dollar,,,,,", "USD - US Dollars,,,,,"),
		"balances of their own": lines("Date,Particulars,Reference,Debit,Credit,Balance", "20/11/2026,Opening Balance,,,,1000.00",
			"20/11/2026,INV-1,UTR1,100.50,,899.50", "21/11/2026,INV-2,UTR2,,50.00,949.50", ",Closing Balance,,,,949.50"),
		"a text over two rows": lines("Date,Particulars,Reference,Debit,Credit,Balance",
			"20/11/2026,NEFT,UTR1,100.50,,899.50", ",INV-1,,,,", "21/11/2026,INV-2,UTR2,,50.00,949.50"),
	} {
		t.Run(name, func(t *testing.T) {
			f := read(t, content, statement.Options{})
			b := books{opening: 1000_00}
			b.add("2026-11-20", true, 100_50, "UTR1", "INV-1")
			b.add("2026-11-21", false, 50_00, "UTR2", "INV-2")
			if f.Refused() {
				t.Fatalf("%+v", f.Findings)
			}
			same(t, name, f, b)
			if f.From != "2026-11-20" || f.To != "2026-11-21" {
				t.Errorf("days %s to %s", f.From, f.To)
			}
		})
	}
}

const header = "Date,Particulars,Reference,Debit,Credit,Balance"

// TestATableThatIsRefused: the finding, and the row that it is about.
func TestATableThatIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		o       statement.Options
		code    string
		row     int
	}{
		"no balance column":             {content: lines("Date,Particulars,Debit,Credit", "20/11/2026,INV-1,100.50,"), code: statement.CodeHeader, row: 1},
		"no header":                     {content: lines("20/11/2026,INV-1,100.50,,899.50"), code: statement.CodeHeader},
		"a header below 60 rows":        {content: strings.Repeat("x,,\n", 60) + lines(header, "20/11/2026,INV-1,UTR1,100.50,,899.50"), code: statement.CodeHeader},
		"two balances":                  {content: lines(header+",Closing Balance", "20/11/2026,INV-1,UTR1,100.50,,899.50,899.50"), code: statement.CodeColumn, row: 1},
		"no entries":                    {content: lines(header), code: statement.CodeNothing},
		"a unit below the entries":      {content: lines(header, "20/11/2026,A,1,100.50,,899.50", ",,,,,", "Note: all amounts in USD,,,,,"), code: statement.CodeCurrency, row: 4},
		"a unit after a code":           {content: lines(header, "20/11/2026,A,1,100.50,,899.50", "USD : US Dollar | All amounts in USD,,,,,"), code: statement.CodeCurrency, row: 3},
		"a code above the entries":      {content: lines("USD : US Dollar,,,,,", header, "20/11/2026,A,1,100.50,,899.50"), code: statement.CodeCurrency, row: 1},
		"a unit at the end of a page":   {content: lines(header, "20/11/2026,A,1,100.50,,899.50", "Rs. in Lakhs,,,,,", header, "21/11/2026,B,2,,50.00,949.50"), code: statement.CodeCurrency, row: 3},
		"a missing line":                {content: lines(header, "20/11/2026,A,1,100.50,,899.50", "21/11/2026,C,3,,50.00,940.00"), code: statement.CodeChain, row: 3},
		"a line there twice":            {content: lines(header, "20/11/2026,A,1,100.50,,899.50", "20/11/2026,A,1,100.50,,899.50"), code: statement.CodeChain, row: 3},
		"a changed amount":              {content: lines(header, "20/11/2026,A,1,100.50,,899.50", "21/11/2026,C,3,,50.10,949.50"), code: statement.CodeChain, row: 3},
		"an opening balance that lies":  {content: lines(header, ",Opening Balance,,,,1001.00", "20/11/2026,A,1,100.50,,899.50"), code: statement.CodeChain, row: 2},
		"a closing balance that lies":   {content: lines(header, "20/11/2026,A,1,100.50,,899.50", ",Closing Balance,,,,900.00"), code: statement.CodeChain, row: 3},
		"an entry without its date":     {content: lines(header, ",A,1,100.50,,899.50"), code: statement.CodeRow, row: 2},
		"an entry without its balance":  {content: lines(header, "20/11/2026,A,1,100.50,,"), code: statement.CodeBalance, row: 2},
		"an entry without its amount":   {content: lines(header, "20/11/2026,A,1,,,899.50"), code: statement.CodeAmount, row: 2},
		"a total row":                   {content: lines(header, "20/11/2026,A,1,100.50,,899.50", ",Total,,100.60,0.00,"), code: statement.CodeChain, row: 3},
		"a row of sums without a name":  {content: lines(header, "20/11/2026,A,1,100.50,,899.50", ",,,100.50,0.00,"), code: statement.CodeRow, row: 3},
		"a date and nothing else":       {content: lines(header, "20/11/2026,A,1,100.50,,899.50", "21/11/2026,B,2,,,"), code: statement.CodeAmount, row: 3},
		"a word for a date":             {content: lines(header, "yesterday,A,1,100.50,,899.50"), code: statement.CodeRow, row: 2},
		"both sides":                    {content: lines(header, "20/11/2026,A,1,100.50,1.00,899.50"), code: statement.CodeDirection, row: 2},
		"brackets":                      {content: lines(header, "20/11/2026,A,1,(100.50),,899.50"), code: statement.CodeAmount, row: 2},
		"three decimals":                {content: lines(header, "20/11/2026,A,1,100.505,,899.50"), code: statement.CodeAmount, row: 2},
		"wrong groups":                  {content: lines(header, `20/11/2026,A,1,"1,00.50",,899.50`), code: statement.CodeAmount, row: 2},
		"a comma for the point":         {content: lines(strings.ReplaceAll(header, ",", ";"), `20/11/2026;A;1;100,50;;899,50`), code: statement.CodeAmount, row: 2},
		"an exponent":                   {content: lines(header, "20/11/2026,A,1,1E3,,899.50"), code: statement.CodeAmount, row: 2},
		"other digits":                  {content: lines(header, "20/11/2026,A,1,१००,,899.50"), code: statement.CodeAmount, row: 2},
		"out of range":                  {content: lines(header, "20/11/2026,A,1,,99999999999999999999.00,899.50"), code: statement.CodeAmount, row: 2},
		"a balance beyond all":          {content: lines(header, "20/11/2026,A,1,92233720368547758.07,,92233720368547758.07"), code: statement.CodeBalance, row: 2},
		"neither Dr nor Cr":             {content: lines("Date,Particulars,Amount,Balance", "20/11/2026,A,100.50,899.50"), code: statement.CodeDirection, row: 2},
		"Dr/Cr that says NEFT":          {content: lines("Date,Particulars,Amount,Dr/Cr,Balance", "20/11/2026,A,100.50,NEFT,899.50"), code: statement.CodeDirection, row: 2},
		"Dr next to a plus":             {content: lines("Date,Particulars,Amount,Dr/Cr,Balance", "20/11/2026,A,+100.50,DR,899.50"), code: statement.CodeDirection, row: 2},
		"dates of two kinds":            {content: lines(header, "21/11/2026,A,1,100.50,,899.50", "11/22/2026,C,3,,50.00,949.50"), code: statement.CodeDate, row: 3},
		"the month first":               {content: lines(header, "11/21/2026,A,1,100.50,,899.50"), code: statement.CodeDate, row: 2},
		"the month first, denied":       {content: lines(header, "11/21/2026,A,1,100.50,,899.50"), o: statement.Options{DayFirst: true}, code: statement.CodeDate, row: 2},
		"day or month":                  {content: lines(header, "11/11/2026,A,1,100.50,,899.50", "12/11/2026,C,3,,50.00,949.50"), code: statement.CodeDayOrMonth, row: 3},
		"no such day":                   {content: lines(header, "31/11/2026,A,1,100.50,,899.50"), code: statement.CodeDate, row: 2},
		"a day to come":                 {content: lines(header, "20/11/2026,A,1,100.50,,899.50"), o: statement.Options{Today: "2026-11-19"}, code: statement.CodeDate},
		"the order cannot be decided":   {content: lines(header, "20/11/2026,A,1,100.00,,900.00", "20/11/2026,B,2,,100.00,1000.00"), code: statement.CodeOrder},
		"a separator in a text":         {content: lines(header, "20/11/2026,A,1,100.50,,899.50,extra"), code: statement.CodeRow, row: 2},
		"dollars":                       {content: lines(header+",Currency", "20/11/2026,A,1,100.50,,899.50,USD"), code: statement.CodeCurrency, row: 2},
		"two accounts, page by page":    {content: lines("Account No,000200345678,,,,", header, "20/11/2026,A,1,100.50,,0.00", "A/c No: 000200345679,,,,,", header, "21/11/2026,A,1,,100.00,100.00"), code: statement.CodeAccount},
		"two accounts":                  {content: lines(header+",Account No", "20/11/2026,A,1,100.50,,899.50,000200345678", "21/11/2026,A,1,100.00,,799.50,000200345679"), code: statement.CodeAccount},
		"another account":               {content: lines("Account Number: XXXXXX9999,,,,,", header, "20/11/2026,A,1,100.50,,899.50"), o: statement.Options{Ours: ours}, code: statement.CodeAccountOther},
		"another format than was asked": {content: lines(header, "20/11/2026,A,1,100.50,,899.50"), o: statement.Options{Format: statement.FormatMT940}, code: statement.CodeFormat},
		"an unclosed quote":             {content: lines(header, `20/11/2026,"A,1,100.50,,899.50`), code: ingest.CodeQuoteUnclosed, row: 2},
		"nothing at all":                {content: "", code: ingest.CodeFileEmpty},
		"a web page":                    {content: "<html><table><tr><td>Date</td></tr></table></html>", code: ingest.CodeFormatUnknown},
		"a PDF":                         {content: "%PDF-1.7\n", code: ingest.CodeFormatUnknown},
		"windows-1252, not said":        {content: lines(header, "20/11/2026,Caf\xe9,1,100.50,,899.50"), code: ingest.CodeEncoding, row: 2},
	} {
		t.Run(name, func(t *testing.T) { refused(t, read(t, c.content, c.o), c.code, c.row) })
	}
}

// refused holds what was found against the one code and row.
func refused(t *testing.T, f statement.File, code string, row int) {
	t.Helper()
	switch {
	case !f.Refused():
		t.Fatalf("it was read: %+v", f)
	case f.Findings[0].Code != code || f.Findings[0].Row != row:
		t.Errorf("got %s in row %d (%s), want %s in row %d", f.Findings[0].Code, f.Findings[0].Row, f.Findings[0].Message, code, row)
	case f.Findings[0].Fix == "":
		t.Error("it does not say what to do")
	case len(f.Entries) > 0 || f.Account != "":
		t.Errorf("something of it is left: %+v", f)
	}
}

func ours(number string) bool { return strings.HasSuffix(number, account[len(account)-4:]) }

func TestWhatAPersonSaysIsTaken(t *testing.T) {
	ambiguous := lines(header, "05/11/2026,A,1,100.50,,899.50", "06/11/2026,C,3,,50.00,949.50")
	if f := read(t, ambiguous, statement.Options{DayFirst: true}); f.Refused() || f.From != "2026-11-05" {
		t.Errorf("with the day first: %+v", f)
	}
	own := lines("When,What,Out,In,Kontostand", "20/11/2026,A,100.50,,899.50")
	said := map[string]string{"date": "When", "Narration": "What", "debit": "Out", "credit": "In", "closing_balance": "Kontostand"}
	if f := read(t, own, statement.Options{Map: said}); f.Refused() || f.Entries[0].Remarks != "A" {
		t.Errorf("with its columns named: %+v", f)
	}
	for name, m := range map[string]map[string]string{
		"a column that there is not": {"ifsc": "IFSC"},
		"a header that there is not": {"remarks": "Bemerkung"},
		"one header for two":         {"debit": "Amount", "credit": "Amount"},
	} {
		_, err := statement.Read(write(t, "a.csv", ambiguous), statement.Options{Map: m, DayFirst: true})
		if _, ok := err.(*ingest.UsageError); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheAccountOfATable(t *testing.T) {
	for title, want := range map[string]string{
		"Account No :,000200345678":               "000200345678",
		"Account Number,:,000200345678":           "000200345678",
		"Account Number :,_00000000200345678":     "00000000200345678",
		"A/c No. 0002 0034 5678,":                 "000200345678",
		"Statement of Account Number - XX345678,": "XX345678",
		"Acct No: ********5678,":                  "XXXXXXXX5678",
		"Customer No: 77712345,":                  "",
		"A/C No: 000200345678 IFSC: SBOX0000001,": "000200345678",
		"Account No,000200345678 01/11/2026":      "000200345678",
		"Account Number,,000200345678,01/11/2026": "000200345678",
		"Account: 000200345678,":                  "000200345678",
		"Account Type: Current,":                  "",
		"Statement of Account,01/11/2026":         "",
	} {
		f := read(t, lines(title+",,,,", header, "20/11/2026,A,1,100.50,,899.50"), statement.Options{Ours: func(string) bool { return true }})
		if f.Refused() || f.Account != want {
			t.Errorf("%s: account %q, want %q (%+v)", title, f.Account, want, f.Findings)
		}
	}
}

func TestAnOverdrawnAccount(t *testing.T) {
	f := read(t, lines(header, "20/11/2026,A,1,100.50,,500.00 Dr", "21/11/2026,C,3,,600.00,100.00 Cr"), statement.Options{})
	if f.Refused() || f.Opening != -399_50 || f.Closing != 100_00 || f.Entries[0].Closing != -500_00 {
		t.Errorf("%+v", f)
	}
	f = read(t, lines(header, "20/11/2026,A,1,100.50,,-500.00"), statement.Options{})
	if f.Refused() || f.Opening != ledger.Paise(-399_50) {
		t.Errorf("%+v", f)
	}
}

func TestManyFindingsAreBounded(t *testing.T) {
	f := read(t, header+"\n"+strings.Repeat("yesterday,A,1,100.50,,899.50\n", 10_000), statement.Options{})
	if len(f.Findings) > 60 || len(f.Findings) < 10 {
		t.Errorf("%d findings", len(f.Findings))
	}
}

// A row of several figures does not leave people to guess which of them disagrees.
func TestAFigureThatDisagreesIsNamed(t *testing.T) {
	for row, want := range map[string]string{
		"Dr Count,2,,,,":           "a count of debits of 2, and by the entries it is 1",
		"Cr Count,2,,,,":           "a count of credits of 2, and by the entries it is 1",
		"Closing Balance,1.00,,,,": "a closing balance of 1.00, and by the entries it is 949.50",
		",Total,,100.50,51.00,":    "credits of 51.00, and by the entries it is 50.00",
	} {
		f := read(t, plainTable+row+"\n", statement.Options{})
		if !f.Refused() || f.Findings[0].Code != statement.CodeChain || !strings.Contains(f.Findings[0].Message, want) {
			t.Errorf("%s: %+v", row, f.Findings)
		}
	}
}

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
