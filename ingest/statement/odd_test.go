package statement_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"payrun/ingest/statement"
)

// odd are files as banks and programs write them: in odd/ those that are read, in
// refused/ those that are not. All that are read have the same two entries.
var odd = map[string]struct {
	content string
	want    outcome
}{
	// Headers
	"odd/header-in-row-21.csv": {netBanking(1000_00), twoEntries},
	"odd/header-in-row-60.csv": {strings.Repeat("About the account,,,,,\n", 59) + plainTable, twoEntries},
	"odd/header-units.csv": {lines("Transaction Date (dd/mm/yyyy),Value Date (dd/mm/yyyy),Narration,Chq/Ref No,Withdrawal Amount (INR ),Deposit Amount (INR ),Balance (INR )",
		"05/11/2026,05/11/2026,INV-1,UTR1,100.50,,899.50", "06/11/2026,06/11/2026,INV-2,UTR2,,50.00,949.50"), onDays("2026-11-05", "2026-11-06")},
	"odd/header-month-first.csv": {lines("Date (mm/dd/yyyy),Narration,Reference,Debit,Credit,Balance",
		"11/05/2026,INV-1,UTR1,100.50,,899.50", "11/06/2026,INV-2,UTR2,,50.00,949.50"), onDays("2026-11-05", "2026-11-06")},
	"odd/header-withdrawl.csv":       {columns("Date,Particulars,Reference,Withdrawl Amt,Deposit Amt,Balance"), twoEntries},
	"odd/header-debit-rs.csv":        {columns("Date,Particulars,Reference,Debit Rs.,Credit Rs.,Balance Rs."), twoEntries},
	"odd/header-debit-inr.csv":       {columns("Created At,Details,Reference,Debit INR,Credit INR,Balance INR"), twoEntries},
	"odd/header-money-out.csv":       {columns("Date,Description,Reference,Money Out,Money In,Balance"), twoEntries},
	"odd/header-hindi.csv":           {columns("दिनांक,विवरण,संदर्भ संख्या,नामे (रु.),जमा (रु.),शेष (रु.)"), twoEntries},
	"odd/header-hindi-english.csv":   {columns("दिनांक / Date,विवरण / Particulars,Ref No,नामे / Debit,जमा / Credit,शेष / Balance"), twoEntries},
	"odd/header-available.csv":       {lines(header+",Available Balance", "20/11/2026,INV-1,UTR1,100.50,,899.50,500.00", "21/11/2026,INV-2,UTR2,,50.00,949.50,949.50"), twoEntries},
	"odd/header-date-value-date.csv": {lines("Date (Value Date),Particulars,Reference,Debit,Credit,Balance", "20-Nov-26 (20-Nov-2026),INV-1,UTR1,100.50,,899.50", "21-Nov-26 (21-Nov-2026),INV-2,UTR2,,50.00,949.50"), twoEntries},

	// Rows that are no entries
	"odd/page-2.csv": {lines(header, ",Brought Forward,,,,1000.00", "20/11/2026,INV-1,UTR1,100.50,,899.50", ",Page Total,,100.50,0.00,", ",Carried Forward,,,,899.50", "Page 1 of 2,,,,,",
		header, ",Brought Forward,,,,899.50", "21/11/2026,INV-2,UTR2,,50.00,949.50", ",Page Total,,,50.00,949.50", ",Grand Total,,100.50,50.00,949.50", ",Closing Balance,,,,949.50"), twoEntries},
	"odd/summary-pairs.csv":    {plainTable + lines(",,,,,", "Opening Balance,1000.00,Total Debits,100.50,,", "Closing Balance : Rs. 949.50,,Total Credits,50.00,,", "No. of Debits,1,No. of Credits,1,,"), twoEntries},
	"odd/newest-first.csv":     {lines(header, ",Closing Balance,,,,949.50", "21/11/2026,INV-2,UTR2,,50.00,949.50", "20/11/2026,INV-1,UTR1,100.50,,899.50", ",Opening Balance,,,,1000.00", ",Total,,100.50,50.00,"), twoEntries},
	"odd/balance-double.csv":   {lines(header, "20/11/2026,INV-1,UTR1,100.5,,899.5000000000001", "21/11/2026,INV-2,UTR2,,50.0,949.4999999999999"), twoEntries},
	"odd/amounts-signed.csv":   {lines("Date,Particulars,Reference,Amount,Balance", "20/11/2026,INV-1,UTR1,-100.50,899.50", "21/11/2026,INV-2,UTR2,50.00,949.50"), twoEntries},
	"odd/debits-negative.csv":  {lines(header, ",Opening Balance,,,,1000.00", "20/11/2026,INV-1,UTR1,-100.50,,899.50", "21/11/2026,INV-2,UTR2,,50.00,949.50"), twoEntries},
	"odd/currency-rupees.csv":  {lines("Account No,"+account+",Currency,INR - Indian Rupee,,", "All amounts in INR,,,,,", "Insured up to Rs. 5 lakhs,Minimum balance Rs. 10,,,,") + plainTable, twoEntries},
	"odd/unit-of-the-firm.csv": {lines(header+",Unit", "20/11/2026,INV-1,UTR1,100.50,,899.50,Pune Plant", "21/11/2026,INV-2,UTR2,,50.00,949.50,Pune Plant"), twoEntries},

	// MT940
	"odd/mt940-bank-lines.sta": {"BANKINBB\n940\nBANKINBB\n" + swiftTwo("") + "-\n", twoEntries},
	"odd/mt940-soh-etx.sta":    {"\x01\n" + swiftTwo("") + "-\x03\n", twoEntries},
	"odd/mt940-hyphen.sta":     {"-\n" + swiftTwo(""), twoEntries},
	"odd/mt940-25p.sta":        {strings.Replace(swiftTwo(""), ":25:", ":25P:", 1), twoEntries},
	"odd/mt940-text-first.sta": {strings.Replace(swiftTwo(""), ":61:", ":86:STATEMENT OF NOVEMBER\n:61:", 1), twoEntries},
	"odd/mt940-two-texts.sta":  {swiftTwo(":86:OF THE SECOND\n"), twoEntries},
	"odd/mt940-between-dashes.sta": {strings.NewReplacer("UTR1", cutReference[:16], ":86:INV-1", ":86:RTGS DR-HDFC0000001-"+cutReference+"-INV-1").Replace(swiftTwo("")),
		twoEntries.named(cutReference, "UTR2")},
	"odd/mt940-over-lines.sta": {strings.NewReplacer("UTR1", cutReference[:16], ":86:INV-1", ":86:"+strings.Repeat("X", 54)+"/"+cutReference[:10]+"\n"+cutReference[10:]+"/INV-1").Replace(swiftTwo("")),
		twoEntries.named(cutReference, "UTR2")},
	"odd/mt940-subfields.sta": {strings.NewReplacer("UTR1", cutReference[:16], ":86:INV-1", ":86:166?00RTGS?20INV-1/PAID/FOR/IT/"+cutReference[:9]+"?21"+cutReference[9:]+"?30HDFC0000001").Replace(swiftTwo("")),
		twoEntries.named(cutReference, "UTR2")},

	// camt.053
	"odd/camt-10.xml":             {strings.Replace(twoCamt(""), "camt.053.001.02", "camt.053.001.10", 1), twoEntries},
	"odd/camt-in-an-envelope.xml": {enveloped(twoCamt("")), twoEntries},
	"odd/camt-details-empty.xml":  {twoCamt("<TxDtls></TxDtls>"), twoEntries},
	"odd/camt-details-zero.xml":   {twoCamt(detail02("0.00", "INV-9")), twoEntries},

	// Units
	"refused/unit-lakhs-above.csv":    {"Statement of account (Rs. in Lakhs),,,,,\n" + plainTable, says(statement.CodeCurrency, 1)},
	"refused/unit-dollars-above.csv":  {"All amounts in USD,,,,,\n" + plainTable, says(statement.CodeCurrency, 1)},
	"refused/unit-thousand-above.csv": {"Rs. in '000,,,,,\n" + plainTable, says(statement.CodeCurrency, 1)},
	"refused/unit-paise-above.csv":    {"amounts in paise,,,,,\n" + plainTable, says(statement.CodeCurrency, 1)},
	"refused/currency-above.csv":      {"Currency :,USD,,,,\n" + plainTable, says(statement.CodeCurrency, 1)},
	"refused/unit-in-headers.csv":     {columns("Date,Particulars,Reference,Debit (USD),Credit (USD),Balance (USD)"), says(statement.CodeCurrency, 1)},
	"refused/unit-in-a-header.csv":    {columns("Date,Particulars,Reference,Debit,Credit,Balance (Rs. in '000)"), says(statement.CodeCurrency, 1)},
	"refused/currency-column.csv":     {lines(header+",Currency", "20/11/2026,INV-1,UTR1,100.50,,899.50,USD"), says(statement.CodeCurrency, 2)},
	"refused/unit-column.csv":         {lines(header+",Unit", "20/11/2026,INV-1,UTR1,100.50,,899.50,Lakh"), says(statement.CodeCurrency, 2)},

	// Controls that differ, and what nothing proves
	"refused/total-differs.csv":           {plainTable + ",Total,,100.50,51.00,\n", says(statement.CodeChain, 4)},
	"refused/page-total-differs.csv":      {lines(header, "20/11/2026,INV-1,UTR1,100.50,,899.50", ",Page Total,,100.50,0.00,", "21/11/2026,INV-2,UTR2,,50.00,949.50", ",Page Total,,99.00,50.00,"), says(statement.CodeChain, 5)},
	"refused/brought-forward-differs.csv": {lines(header, ",Brought Forward,,,,1000.01", "20/11/2026,INV-1,UTR1,100.50,,899.50"), says(statement.CodeChain, 2)},
	"refused/summary-differs.csv":         {netBanking(1000_01), says(statement.CodeChain, 27)},
	"refused/count-differs.csv":           {plainTable + "Dr Count,2,,,,\n", says(statement.CodeChain, 4)},
	"refused/amounts-unsigned.csv":        {lines("Date,Particulars,Reference,Amount,Balance", "20/11/2026,INV-1,UTR1,100.50,899.50", "21/11/2026,INV-2,UTR2,50.00,949.50"), says(statement.CodeDirection, 2)},
	"refused/debit-negative.csv":          {lines(header, "20/11/2026,INV-1,UTR1,-100.50,,899.50", "21/11/2026,INV-2,UTR2,,50.00,949.50"), says(statement.CodeAmount, 2)},
	"refused/debits-some-negative.csv":    {lines(header, "20/11/2026,INV-1,UTR1,100.50,,899.50", "21/11/2026,INV-2,UTR2,-50.00,,949.50"), says(statement.CodeAmount, 2)},
	"refused/month-first-and-told.csv":    {lines("Date (mm/dd/yyyy),Narration,Reference,Debit,Credit,Balance", "11/13/2026,INV-1,UTR1,100.50,,899.50", "13/11/2026,INV-2,UTR2,,50.00,949.50"), says(statement.CodeDate, 3)},
	"refused/dates-half-converted.csv":    {lines(header, "2026-11-02,INV-1,UTR1,100.50,,899.50", "13/11/2026,INV-2,UTR2,,50.00,949.50"), says(statement.CodeDates, 2)},
	"refused/month-first-told-not.csv":    {lines("Date (mm/dd/yyyy),Narration,Reference,Debit,Credit,Balance", "13/11/2026,INV-1,UTR1,100.50,,899.50"), says(statement.CodeDate, 2)},

	// MT940 and camt
	"refused/mt940-of-another-account.sta": {strings.Replace(swiftTwo(""), ":25:BANKINBB/"+account, ":25P:000200349999", 1), says(statement.CodeAccountOther, 0)},
	"refused/mt940-page-of-more.sta":       {strings.Replace(swiftTwo(""), ":62F:", ":62M:", 1), says(statement.CodeIncomplete, 1)},
	"refused/mt940-fault.sta":              {strings.Replace(swiftTwo(""), "100,50", "100.50", 1), says(statement.CodeSyntax, 5)},
	"refused/mt940-without-20.sta":         {strings.Replace(swiftTwo(""), ":20:STMT\n", "", 1), says(statement.CodeSyntax, 1)},
	"refused/mt942.sta":                    {lines(":20:STMT", ":25:"+account, ":28C:1", ":34F:INR0,", ":61:2611201120D100,50NTRFUTR1"), says(statement.CodeFormat, 4)},
	"refused/camt-052-in-an-envelope.xml":  {strings.ReplaceAll(enveloped(twoCamt("")), "camt.053", "camt.052"), says(statement.CodeFormat, 2)},
	"refused/camt-054.xml":                 {strings.ReplaceAll(twoCamt(""), "camt.053", "camt.054"), says(statement.CodeFormat, 2)},
	"refused/camt-doctype.xml":             {strings.Replace(twoCamt(""), "\n", "\n<!DOCTYPE Document>\n", 1), says(statement.CodeSyntax, 2)},
	"refused/camt-details-differ.xml":      {twoCamt(detail02("100.00", "INV-9")), says(statement.CodeDetails, 2)},
}

const cutReference = "HDFCR52026112000000001"

// outcome is what must come of a file, as it is next to it in NAME.expected.json.
type outcome struct {
	Code       string   `json:"code,omitempty"` // of the first finding, where it is refused
	Row        int      `json:"row,omitempty"`
	Opening    string   `json:"opening,omitempty"`
	Closing    string   `json:"closing,omitempty"`
	Days       []string `json:"days,omitempty"`
	Changes    []string `json:"changes,omitempty"` // of the balance, one for each entry
	References []string `json:"references,omitempty"`
}

var twoEntries = onDays("2026-11-20", "2026-11-21")

func onDays(days ...string) outcome {
	return outcome{Opening: "1000.00", Closing: "949.50", Days: days, Changes: []string{"-100.50", "50.00"}, References: []string{"UTR1", "UTR2"}}
}

func (o outcome) named(references ...string) outcome {
	o.References = references
	return o
}

func says(code string, row int) outcome { return outcome{Code: code, Row: row} }

func outcomeOf(f statement.File) (o outcome) {
	if f.Refused() {
		return outcome{Code: f.Findings[0].Code, Row: f.Findings[0].Row}
	}
	o.Opening, o.Closing = f.Opening.String(), f.Closing.String()
	for i := range f.Entries {
		e := &f.Entries[i]
		o.Days, o.Changes, o.References = append(o.Days, e.Day()), append(o.Changes, e.Change().String()), append(o.References, e.Reference)
	}
	return o
}

// columns is the table of the two entries below a header of six columns.
func columns(names string) string {
	return lines(names, "20/11/2026,INV-1,UTR1,100.50,,899.50", "21/11/2026,INV-2,UTR2,,50.00,949.50")
}

var plainTable = columns(header)

// swiftTwo is the two entries as an MT940, with more behind the last.
func swiftTwo(more string) string {
	return swiftOf("C261121INR949,50", ":61:2611201120D100,50NTRFUTR1", ":86:INV-1", ":61:2611211121C50,NTRFUTR2", ":86:INV-2\n"+more+":86:")
}

// twoCamt is the two entries as a camt.053, with more details in the first.
func twoCamt(more string) string {
	var b books
	b.opening = 1000_00
	b.add("2026-11-20", true, 100_50, "UTR1", "INV-1")
	b.add("2026-11-21", false, 50_00, "UTR2", "INV-2")
	return strings.Replace(b.camt("02"), "</TxDtls>", "</TxDtls>"+more, 1)
}

// TestOddStatements reads each file of samples/statements/odd and refused.
func TestOddStatements(t *testing.T) {
	root := filepath.Join("..", "..", "samples", "statements")
	if *update {
		writeOdd(t, root)
	}
	found := 0
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(name, "/") || strings.HasSuffix(name, ".json") {
			return err
		}
		found++
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(filepath.Join(root, name+".expected.json"))
			must(t, err)
			f, err := statement.Read(filepath.Join(root, name), statement.Options{Ours: ours})
			must(t, err)
			if got := jsonOf(t, outcomeOf(f)); got != string(raw) {
				t.Errorf("got %s, want %s\n%+v", got, raw, f.Findings)
			}
			for _, found := range f.Findings {
				if found.Fix == "" {
					t.Errorf("%+v has no fix", found)
				}
			}
		})
		return nil
	})
	if err != nil || found != len(odd)+len(oddWorkbooks) {
		t.Errorf("%d files, and %d are made: %v", found, len(odd)+len(oddWorkbooks), err)
	}
}

func jsonOf(t *testing.T, o outcome) string {
	t.Helper()
	b, err := json.MarshalIndent(o, "", "  ")
	must(t, err)
	return string(b) + "\n"
}

func writeOdd(t *testing.T, root string) {
	t.Helper()
	put := func(name, content string, want outcome) {
		for path, text := range map[string]string{name: content, name + ".expected.json": jsonOf(t, want)} {
			path = filepath.Join(root, path)
			must(t, os.MkdirAll(filepath.Dir(path), 0o755))
			must(t, os.WriteFile(path, []byte(text), 0o644))
		}
	}
	for name, c := range odd {
		put(name, c.content, c.want)
	}
	for name, c := range oddWorkbooks {
		put(name, twoInWorkbook(t, c.change), c.want)
	}
}

// oddWorkbooks are the same for XLSX.
var oddWorkbooks = map[string]struct {
	change func(x *excelize.File)
	want   outcome
}{
	"odd/balance-double.xlsx": {func(x *excelize.File) {
		_ = x.SetCellDefault("Sheet1", "F3", "949.49999999999989")
		_ = x.SetCellDefault("Sheet1", "F2", "899.50000000000011")
	}, onDays("2026-11-02", "2026-11-13")},
	"odd/header-in-row-22.xlsx": {func(x *excelize.File) { _ = x.InsertRows("Sheet1", 1, 21) }, onDays("2026-11-02", "2026-11-13")},
	"odd/header-units.xlsx": {func(x *excelize.File) {
		for cell, name := range map[string]string{"A1": "Transaction Date (dd/mm/yyyy)", "D1": "Withdrawal Amount (INR )", "E1": "Deposit Amount (INR )", "F1": "Balance (INR )"} {
			_ = x.SetCellStr("Sheet1", cell, name)
		}
	}, onDays("2026-11-02", "2026-11-13")},
	"odd/dates-as-named-texts.xlsx":   {func(x *excelize.File) { _ = x.SetCellStr("Sheet1", "A3", "13 Nov 2026") }, onDays("2026-11-02", "2026-11-13")},
	"refused/dates-of-two-kinds.xlsx": {func(x *excelize.File) { _ = x.SetCellStr("Sheet1", "A3", "13/11/2026") }, says(statement.CodeDates, 2)},
	"refused/unit-lakhs-above.xlsx": {func(x *excelize.File) {
		_ = x.InsertRows("Sheet1", 1, 1)
		_ = x.SetCellStr("Sheet1", "F1", "Rs. in Lakhs")
	}, says(statement.CodeCurrency, 1)},
}

// twoInWorkbook is the two entries with date cells, which change then alters.
func twoInWorkbook(t *testing.T, change func(x *excelize.File)) string {
	t.Helper()
	x := excelize.NewFile()
	defer func() { _ = x.Close() }()
	day, err := x.NewStyle(&excelize.Style{NumFmt: 14})
	must(t, err)
	for i, name := range strings.Split(header, ",") {
		cell, _ := excelize.CoordinatesToCellName(i+1, 1)
		_ = x.SetCellStr("Sheet1", cell, name)
	}
	for cell, value := range map[string]any{
		"A2": time.Date(2026, time.November, 2, 0, 0, 0, 0, time.UTC), "B2": "INV-1", "C2": "UTR1", "D2": 100.5, "F2": 899.5,
		"A3": time.Date(2026, time.November, 13, 0, 0, 0, 0, time.UTC), "B3": "INV-2", "C3": "UTR2", "E3": 50, "F3": 949.5,
	} {
		must(t, x.SetCellValue("Sheet1", cell, value))
	}
	must(t, x.SetCellStyle("Sheet1", "A2", "A3", day))
	change(x)
	b, err := x.WriteToBuffer()
	must(t, err)
	return b.String()
}

// netBanking is a layout with the header in row 21 and a summary below.
func netBanking(opening int64) string {
	whole := "1000.00"
	if opening != 1000_00 {
		whole = "1000.01"
	}
	return "Statement of account,,,,,\nAccount No :," + account + ",,,,\n" + strings.Repeat("MR RAO ALL CR K L STREET,,,,,\n", 17) + "********,****,****,****,****,****\n" + plainTable +
		lines("********,****,****,****,****,****", "STATEMENT SUMMARY :-,,,,,", "Opening Balance,Dr Count,Cr Count,Debits,Credits,Closing Bal", whole+",1,1,100.50,50.00,949.50", "Generated On:,21-Nov-2026,Generated By: 123,,Requesting Branch Code:,NET", "This is a computer generated statement,,,,,")
}

// TestTheHeadersOfBanks: each is read whole, with its references and remarks.
func TestTheHeadersOfBanks(t *testing.T) {
	cells := map[string][2]string{
		"date": {"20/11/2026", "21/11/2026"}, "text": {"INV-1", "INV-2"}, "ref": {"UTR1", "UTR2"}, "debit": {"100.50", ""}, "credit": {"", "50.00"},
		"balance": {"899.50", "949.50"}, "amount": {"100.50", "50.00"}, "signed": {"-100.50", "+50.00"}, "side": {"Dr", "Cr"}, "cr": {"CR", "CR"}, "x": {"7", "8"}, "mode": {"NEFT", "RTGS"},
	}
	for names, kinds := range map[string]string{
		"Txn Date|Value Date|Description|Ref No./Cheque No.|Debit|Credit|Balance":                                                                       "date date text ref debit credit balance",
		"Date|Narration|Value Dat|Debit Amount|Credit Amount|Chq/Ref Number|Closing Balance":                                                            "date text date debit credit ref balance",
		"S No.|Value Date|Transaction Date|Cheque Number|Transaction Remarks|Withdrawal Amount (INR )|Deposit Amount (INR )|Balance (INR )":             "x date date ref text debit credit balance",
		"No.|Transaction ID|Value Date|Txn Posted Date|ChequeNo.|Description|Cr/Dr|Transaction Amount(INR)|Available Balance(INR)":                      "x x date date ref text side amount balance",
		"S.No|Transaction Date (dd/mm/yyyy)|Value Date (dd/mm/yyyy)|Particulars|Amount (INR)|Debit/Credit|Balance (INR)|Cheque Number|Branch Name(SOL)": "x date date text amount side balance ref x",
		"#|TRANSACTION DATE|VALUE DATE|TRANSACTION DETAILS|CHQ / REF NO.|DEBIT/CREDIT(₹)|BALANCE(₹)":                                                    "x date date text ref signed balance",
		"Sl. No.|Date|Description|Chq / Ref number|Amount|Dr / Cr|Balance|Dr / Cr":                                                                      "x date text ref amount side balance cr",
		"Transaction Date|Value Date|Cheque No/Reference No|Description|Withdrawals|Deposits|Running Balance":                                           "date date ref text debit credit balance",
		"Txn No.|Txn Date|Description|Branch Name|Cheque No.|Dr Amount|Cr Amount|Balance":                                                               "x date text x ref debit credit balance",
		"TRAN DATE|VALUE DATE|NARRATION|CHQ.NO.|WITHDRAWAL(DR)|DEPOSIT(CR)|BALANCE(INR)":                                                                "date date text ref debit credit balance",
		"Bank Reference|Value Date|Transaction Date & Time|Type|Payment Narration|Debit|Credit|Available Balance":                                       "ref date date mode text debit credit balance",
		"Date|Value Date|Particulars|Tran Type|Tran ID|Cheque Details|Withdrawals|Deposits|Balance|DR/CR":                                               "date date text mode x ref debit credit balance cr",
		"Date (Value Date)|Particulars|Ref No./Cheque No|Transaction Type|Debit (Rs)|Credit (Rs)|Balance (Rs)":                                          "date text ref mode debit credit balance",
		"Transaction Date|Transaction Details|Cheque ID|Value Date|Withdrawl Amt|Deposit Amt|Balance (INR)":                                             "date text ref date debit credit balance",
		"Transaction Date|Value Date|Description/Narration|Cheque/Reference No.|Debit (₹)|Credit (₹)|Balance (₹)":                                       "date date text ref debit credit balance",
		"Created At|Transaction Reference|Description|Debit INR|Credit INR|Balance":                                                                     "date ref text debit credit balance",
		"Post Date|Value Date|Narration|UTR Number|Debit Rs.|Credit Rs.|Balance Rs.":                                                                    "date date text ref debit credit balance",
		"Date|Particulars|Instrument No.|Money Out|Money In|Balance|Available Balance":                                                                  "date text ref debit credit balance x",
		"Date|Details of transaction|Customer Reference|Debit (INR)|Credit (INR)|Balance (INR)":                                                         "date text ref debit credit balance",
		"Transaction Date|Payment type|Transaction Narration|Transaction Id/Cheque no|Debit Amount|Credit Amount|Available balance":                     "date mode text ref debit credit balance",
		"Date|Transaction|Bank Ref|Deposit|Withdrawal|Running Balance":                                                                                  "date text ref credit debit balance",
		"दिनांक|विवरण|चेक संख्या|निकासी|जमा|शेष":                                                                                                        "date text ref debit credit balance",
	} {
		var rows [3]string
		rows[0] = strings.ReplaceAll(names, "|", ";")
		for i := range 2 {
			for j, kind := range strings.Fields(kinds) {
				if j > 0 {
					rows[i+1] += ";"
				}
				rows[i+1] += cells[kind][i]
			}
		}
		f := read(t, lines(rows[:]...), statement.Options{})
		if got := jsonOf(t, outcomeOf(f)); got != jsonOf(t, twoEntries) || f.Entries[0].Remarks != "INV-1" {
			t.Errorf("%s: %s %+v", names, got, f)
		}
	}
}

// Right below a total there are no entries since: a summary that says 0.00 there is wrong about all of them.
func TestASummaryBelowATotalIsOfAllEntries(t *testing.T) {
	total := plainTable + ",Grand Total,,100.50,50.00,949.50\n"
	for _, wrong := range []string{"Total Debits,100.50,Total Credits,0.00,,", "Total Debits : 0.00,,Total Credits,50.00,,", "No. of Debits,0,No. of Credits,1,,"} {
		f := read(t, total+wrong+"\n", statement.Options{})
		if len(f.Findings) != 1 || f.Findings[0].Code != statement.CodeChain || f.Findings[0].Row != 5 {
			t.Errorf("%s: %+v", wrong, f.Findings)
		}
	}
	if f := read(t, total+"Total Debits,100.50,Total Credits,50.00,,\nNo. of Debits,1,No. of Credits,1,,\n", statement.Options{}); f.Refused() {
		t.Errorf("it agrees: %+v", f.Findings)
	}
}
