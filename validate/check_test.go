package validate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"

	"github.com/google/go-cmp/cmp"
)

func TestACleanSheet(t *testing.T) {
	out := checkText(t, testOptions(), &memory{}, lines(header, good("INV-1", "100"), good("INV-2", "1.50")))
	if out.Refused() || len(out.Findings) != 0 {
		t.Fatalf("findings: %v", out.codes())
	}
	want := []Accepted{
		{Payout: ledger.Payout{
			Row: 2, Ref: "INV-1", Amount: 100_00, VendorName: "Asha Traders", BankAccountNumber: "50200012345678", IFSC: "HDFC0001234",
			SubMerchantID: "sm_0001", TransactionTypeID: "NEFT", BankAccountID: testAccounts[0].BankAccountID,
		}, Key: "inv-1"},
		{Payout: ledger.Payout{
			Row: 3, Ref: "INV-2", Amount: 1_50, VendorName: "Asha Traders", BankAccountNumber: "50200012345678", IFSC: "HDFC0001234",
			SubMerchantID: "sm_0001", TransactionTypeID: "NEFT", BankAccountID: testAccounts[0].BankAccountID,
		}, Key: "inv-2"},
	}
	same(t, want, out.kept)
	s := out.Sheet
	if s.Name != "sheet.csv" || s.Format != "csv" || s.Header != 1 || s.Rows != 2 || s.Total != 101_50 ||
		s.ID != ledger.SheetID(s.SHA256) || len(s.SHA256) != 64 || len(s.RowsHash) != 64 {
		t.Errorf("sheet %+v", s)
	}
}

// Every row is read by itself: what is found in it, and whether it is paid.
func TestRowsAndWhatIsFoundInThem(t *testing.T) {
	const head = "merchant_txn_ref_id,vendor_name,bank_account_number,ifsc,amount,remarks,open_beneficiary_id,bank_account_id,transaction_type_id,bene_lei,sub_merchant_id\n"
	for name, tc := range map[string]struct {
		row  string
		want []string
	}{
		"good":                        {"A,Asha,50200012345678,HDFC0001234,100,,,,,,", nil},
		"other debit account by name": {"A,Asha,50200012345678,HDFC0001234,100,,,corporate,,,", nil},
		"by name in other case":       {"A,Asha,50200012345678,HDFC0001234,100,,,Corporate,,,", nil},
		"by id":                       {"A,Asha,50200012345678,HDFC0001234,100,,,44444444-4444-4444-8444-444444444444,,,", nil},
		"by its account number":       {"A,Asha,50200012345678,HDFC0001234,100,,,00098765432100,,,", nil},
		"unknown debit account":       {"A,Asha,50200012345678,HDFC0001234,100,,,elsewhere,,,", []string{"bank_account_id:debit_account_unknown"}},
		"bad IFSC":                    {"A,Asha,50200012345678,HDFCO001234,100,,,,,,", []string{"ifsc:ifsc_malformed"}},
		"bad amount":                  {"A,Asha,50200012345678,HDFC0001234,1e3,,,,,,", []string{"amount:amount_exponent"}},
		"bad account":                 {"A,Asha,1.23457E+11,HDFC0001234,100,,,,,,", []string{"bank_account_number:account_scientific"}},
		"pays the debit account":      {"A,Asha,98765432100,HDFC0001234,100,,,,,,", []string{"bank_account_number:account_is_debit_account"}},
		"another's debit account":     {"A,Asha,98765432100,HDFC0001234,100,,,corporate,,,", nil},
		"bad name":                    {"A,As\x1bha,50200012345678,HDFC0001234,100,,,,,,", []string{"vendor_name:text_characters"}},
		"bad remark":                  {"A,Asha,50200012345678,HDFC0001234,100,a\u202eb,,,,,", []string{"remarks:text_characters"}},
		"formula in a remark":         {"A,Asha,50200012345678,HDFC0001234,100,=HYPERLINK(1),,,,,", nil},
		"line break in a remark":      {"A,Asha,50200012345678,HDFC0001234,100,\"a\nb\",,,,,", []string{"remarks:text_line_break"}},
		"unused beneficiary id":       {"A,Asha,50200012345678,HDFC0001234,100,," + goodUUID + ",,,,", []string{"open_beneficiary_id:open_beneficiary_id_unused"}},
		"all empty but the reference": {"A,,,,,,,,,,", []string{":row_without_payout"}},
		"all empty but the account":   {",,50200012345678,,,,,,,,", []string{"merchant_txn_ref_id:reference_missing", "amount:amount_missing", "vendor_name:vendor_name_missing", "ifsc:ifsc_missing"}},
		"no reference":                {",Asha,50200012345678,HDFC0001234,100,,,,,,", []string{"merchant_txn_ref_id:reference_missing"}},
		"RIB with id":                 {"A,,,,100,," + goodUUID + ",retail,,,", nil},
		"RIB without id":              {"A,Asha,50200012345678,HDFC0001234,100,,,retail,,,", []string{"open_beneficiary_id:open_beneficiary_id_missing"}},
		"RIB with a bad id":           {"A,,,,100,,BENE-1,retail,,,", []string{"open_beneficiary_id:open_beneficiary_id_malformed"}},
		"RIB with a bad account":      {"A,Asha,12,,100,," + goodUUID + ",retail,,,", []string{"bank_account_number:account_malformed"}},
		"LEI":                         {"A,Asha,50200012345678,HDFC0001234,100,,,,," + goodLEI + ",", nil},
		"bad LEI":                     {"A,Asha,50200012345678,HDFC0001234,100,,,,," + goodLEI[1:] + ",", []string{"bene_lei:lei_malformed"}},
		"below the LEI line":          {"A,Asha,50200012345678,HDFC0001234,499999999.99,,,big,,,", nil},
		"at the LEI line":             {"A,Asha,50200012345678,HDFC0001234,500000000.00,,,big,,,", []string{"bene_lei:lei_missing"}},
		"over the LEI line":           {"A,Asha,50200012345678,HDFC0001234,500000000.01,,,big,,,", []string{"bene_lei:lei_missing"}},
		"over it with LEI":            {"A,Asha,50200012345678,HDFC0001234,500000000.01,,,big,," + goodLEI + ",", nil},
		"over it at another bank":     {"A,Asha,50200012345678,HDFC0001234,500000000.01,,,,,,", []string{"bene_lei:lei_advised"}},
		"transaction type of the row": {"A,Asha,50200012345678,HDFC0001234,100,,,,RTGS,,", nil},
		"odd transaction type":        {"A,Asha,50200012345678,HDFC0001234,100,,,,RT\u200bGS,,", []string{"transaction_type_id:identifier_characters"}},
		"odd sub-merchant":            {"A,Asha,50200012345678,HDFC0001234,100,,,,,,sm\u0430", []string{"sub_merchant_id:identifier_characters"}},
		"too many cells":              {"A,Asha,50200012345678,HDFC0001234,1,00,000.00,,,,,,,,x", []string{":row_too_many_cells"}},
		"empty cells beyond":          {"A,Asha,50200012345678,HDFC0001234,100,,,,,,,,,", nil},
		"too few cells":               {"A,Asha,50200012345678,HDFC0001234,100", []string{":row_too_few_cells"}},
		"several faults, one row":     {"=A,Asha,12,HDFC,0,,,,,,", []string{"merchant_txn_ref_id:reference_starts_formula", "amount:amount_zero", "bank_account_number:account_malformed", "ifsc:ifsc_malformed"}},
	} {
		t.Run(name, func(t *testing.T) {
			out := checkText(t, testOptions(), &memory{}, head+tc.row+"\n")
			var got []string
			refused := false
			for _, f := range out.Findings {
				got = append(got, f.Column+":"+f.Code)
				refused = refused || f.Severity == ledger.SeverityError
				if f.Row != 2 {
					t.Errorf("finding at row %d", f.Row)
				}
			}
			same(t, tc.want, got)
			if accepted := len(out.kept) == 1; accepted == refused {
				t.Errorf("accepted %v with %v", accepted, got)
			}
			if out.Sheet.Rows != 1 || out.FileRefused() {
				t.Errorf("rows %d, file refused %v", out.Sheet.Rows, out.FileRefused())
			}
		})
	}
}

func TestWhatARowTakesFromTheConfiguration(t *testing.T) {
	const head = "ref,name,account no,ifsc,amount,bank_account_id,transaction_type_id,sub_merchant_id\n"
	row := func(ref, account, kind, sub string) string {
		return fmt.Sprintf("%s,Asha,50200012345678,HDFC0001234,1,%s,%s,%s\n", ref, account, kind, sub)
	}
	o := testOptions()
	o.Account = "big"
	out := checkText(t, o, nil, lines(head, row("A", "", "", ""), row("B", "corporate", "", ""), row("C", "corporate", "RTGS", "sm_row")))
	var got []string
	for _, p := range out.kept {
		got = append(got, strings.Join([]string{p.Ref, p.BankAccountID[:2], p.TransactionTypeID, p.SubMerchantID}, " "))
	}
	want := []string{"A 22 NEFT sm_0001", "B 44 NEFT sm_0001", "C 44 RTGS sm_row"}
	same(t, want, got)
}

func TestRowsWithoutADebitAccountOrATransactionType(t *testing.T) {
	out := checkText(t, Options{}, nil, lines(header, good("A", "1")))
	want := []string{"2:bank_account_id:debit_account_missing", "2:transaction_type_id:transaction_type_missing"}
	same(t, want, out.codes())
}

func TestAnUnusedBeneficiaryIDIsNotPassedOn(t *testing.T) {
	out := checkText(t, testOptions(), nil, "ref,name,account no,ifsc,amount,open_beneficiary_id\nA,Asha,50200012345678,HDFC0001234,1,"+goodUUID+"\n")
	if len(out.kept) != 1 || out.kept[0].OpenBeneficiaryID != "" {
		t.Errorf("%+v", out.kept)
	}
}

func TestAByIDSheetWithARowFromAnotherAccountIsRefused(t *testing.T) {
	const head = "ref,amount,open_beneficiary_id,bank_account_id\n"
	out := checkText(t, testOptions(), nil, lines(head, "A,1,"+goodUUID+",retail\n", "B,2,"+goodUUID+",retail\n"))
	if len(out.Findings) != 0 || len(out.kept) != 2 {
		t.Fatalf("RIB rows alone: %v", out.codes())
	}
	out = checkText(t, testOptions(), nil, lines(head, "A,1,"+goodUUID+",retail\n", "B,1,,main\n", "C,1,,main\n"))
	if !out.FileRefused() || strings.Count(strings.Join(out.codes(), " "), codeColumnMissing) != 3 {
		t.Errorf("a row from another account: %v", out.codes())
	}
}

func TestTitleRowsBlankRowsAndRowNumbers(t *testing.T) {
	out := checkText(t, testOptions(), nil, lines("Payouts of November\n", "\n", "Amount in INR\n", header, good("A", "1"), "\n", " , ,\u00a0,,\n", good("B", "x")))
	same(t, []string{"8:amount:amount_unreadable"}, out.codes())
	s := out.Sheet
	if s.Header != 4 || s.Rows != 2 || s.Blank != 2 || out.kept[0].Row != 5 {
		t.Errorf("header %d, rows %d, blank %d, first row %d", s.Header, s.Rows, s.Blank, out.kept[0].Row)
	}
}

func TestTheHeaderIsLookedForInTwentyRows(t *testing.T) {
	at := func(row int) outcome {
		return checkText(t, testOptions(), nil, strings.Repeat("a title\n", row-1)+lines(header, good("A", "1")))
	}
	if out := at(ingest.HeaderRows); out.Refused() || out.Sheet.Header != ingest.HeaderRows {
		t.Errorf("row %d: %v", ingest.HeaderRows, out.codes())
	}
	if out := at(ingest.HeaderRows + 1); !out.FileRefused() {
		t.Errorf("row %d is read", ingest.HeaderRows+1)
	}
}

func TestSheetsWithoutPayouts(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"empty":          {"", "0::file_empty"},
		"header only":    {header, "0::no_rows"},
		"only a total":   {header + "Total,,,,0\n", "0::no_rows"},
		"no header":      {good("A", "1"), "0::header_missing"},
		"blank":          {"\n\n\n", "0::header_missing"},
		"unclosed quote": {header + "\"A,Asha", "2::csv_quote_unclosed"},
	} {
		out := checkText(t, testOptions(), &memory{}, tc.text)
		same(t, []string{tc.want}, out.codes(), name)
		if !out.FileRefused() || len(out.kept) != 0 {
			t.Errorf("%s: not refused", name)
		}
	}
}

func TestControlTotal(t *testing.T) {
	for name, tc := range map[string]struct {
		rows []string
		want []string
		has  bool
	}{
		"agrees":                 {[]string{good("A", "100"), good("B", "50.50"), "Total,,,,150.50\n"}, nil, true},
		"grand total, any case":  {[]string{good("A", "100"), ",gRAND  total :,,,₹ 100/-\n"}, nil, true},
		"blank rows around it":   {[]string{good("A", "100"), "\n", "TOTAL:,,,,100\n", "\n"}, nil, true},
		"counts bad rows too":    {[]string{good("A", "100"), good("=B", "50"), "Total,,,,150\n"}, []string{"3:merchant_txn_ref_id:reference_starts_formula"}, true},
		"differs":                {[]string{good("A", "100"), "Total,,,,100.01\n"}, []string{"3:amount:control_total_differs"}, false},
		"misses a bad amount":    {[]string{good("A", "100"), good("B", "5o"), "Total,,,,150\n"}, []string{"3:amount:amount_unreadable", "4:amount:control_total_differs"}, false},
		"zero":                   {[]string{good("A", "100"), "Total,,,,0\n"}, []string{"3:amount:control_total_differs"}, false},
		"without an amount":      {[]string{good("A", "100"), "Total,,,,\n"}, []string{"3:amount:control_total_unreadable"}, false},
		"short row":              {[]string{good("A", "100"), "Total\n"}, []string{"3:amount:control_total_unreadable"}, false},
		"is a payout to someone": {[]string{good("A", "100"), "Total,Asha,50200012345678,HDFC0001234,5\n"}, nil, false},
		"not the last row": {[]string{"Total,,,,100\n", good("A", "100")},
			[]string{"2::row_without_payout"}, false},
		"two of them": {[]string{good("A", "100"), "Total,,,,100\n", "Grand Total,,,,100\n"},
			[]string{"3::row_without_payout"}, true},
		"a sub-total does not count": {[]string{good("A", "100"), "Sub Total,,,,100\n", good("B", "5"), "Grand Total,,,,105\n"},
			[]string{"3::row_without_payout"}, true},
		"a credit note counts":           {[]string{good("A", "100"), good("B", "-30"), "Total,,,,70\n"}, []string{"3:amount:amount_negative"}, true},
		"brackets count below zero":      {[]string{good("A", "100"), good("B", "(30.50)"), "Total,,,,69.50\n"}, []string{"3:amount:amount_negative"}, true},
		"credits alone":                  {[]string{good("A", "1"), good("B", "-30"), "Total,,,,-29\n"}, []string{"3:amount:amount_negative"}, true},
		"a zero counts":                  {[]string{good("A", "100"), good("B", "0"), "Total,,,,100\n"}, []string{"3:amount:amount_zero"}, true},
		"Total Amount":                   {[]string{good("A", "100"), "Total Amount,,,,100\n"}, nil, true},
		"Total Net Pay":                  {[]string{good("A", "100"), "Total Net Pay,,,,100\n"}, nil, true},
		"Total Payable in Rs.":           {[]string{good("A", "100"), "Total Payable (in Rs.),,,,101\n"}, []string{"3:amount:control_total_differs"}, false},
		"of one department":              {[]string{good("A", "100"), "Total Sales,,,,100\n"}, []string{"3::row_without_payout"}, false},
		"Total Rs.":                      {[]string{good("A", "100"), "Total Rs.,,,,100\n"}, nil, true},
		"Total:-":                        {[]string{good("A", "100"), "Total:-,,,,100\n"}, nil, true},
		"in Hindi":                       {[]string{good("A", "100"), "कुल योग,,,,100\n"}, nil, true},
		"in Hindi, short":                {[]string{good("A", "100"), "कुल,,,,100\n"}, nil, true},
		"label in the account's column":  {[]string{good("A", "100"), ",,Grand Total,,100\n"}, nil, true},
		"label next to the amount":       {[]string{good("A", "100"), ",,,TOTAL,100\n"}, nil, true},
		"signatures below it":            {[]string{good("A", "100"), "Total,,,,100\n", "Prepared by,Checked by,,,\n"}, []string{"4::row_without_payout"}, true},
		"amount in words below it":       {[]string{good("A", "100"), "Total,,,,100\n", "Rupees one hundred only\n"}, []string{"4::row_without_payout"}, true},
		"a sum without a label":          {[]string{good("A", "100"), ",,,,100\n"}, []string{"3::row_without_payout"}, false},
		"a heading of a group":           {[]string{"HDFC Bank,,,,\n", good("A", "100")}, []string{"2::row_without_payout"}, false},
		"the header again":               {[]string{good("A", "100"), header, good("B", "1")}, []string{"3::row_without_payout"}, false},
		"a total, payouts, and no total": {[]string{good("A", "100"), "Total,,,,100\n", good("B", "200")}, []string{"3::row_without_payout"}, false},
		"a payout that lacks its payee": {[]string{good("A", "100"), "B,Asha,,,5\n"},
			[]string{"3:bank_account_number:account_missing", "3:ifsc:ifsc_missing"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			out := checkText(t, testOptions(), nil, header+lines(tc.rows...))
			same(t, tc.want, out.codes())
			if out.Sheet.HasTotal != tc.has {
				t.Errorf("has total: %v", out.Sheet.HasTotal)
			}
		})
	}
}

// A second table whose columns are in other places would be read by the first header.
func TestAnotherHeaderBelowThePayoutsRefusesTheFile(t *testing.T) {
	for name, second := range map[string]string{
		"the columns change places":    "merchant_txn_ref_id,vendor_name,ifsc,bank_account_number,amount\n",
		"the amount is somewhere else": "Reference,Beneficiary Name,Account Number,IFSC Code,TDS,Net Pay\n",
	} {
		out := checkText(t, testOptions(), nil, lines(header, good("A", "100"), second, good("B", "1")))
		if f := out.finding(t, codePayoutsAbove); f.Row != 3 || !out.FileRefused() {
			t.Errorf("%s: %+v, refused %v", name, f, out.FileRefused())
		}
	}
}

func TestAControlTotalIsNeverPaidAndSaysWhatItLacks(t *testing.T) {
	out := checkText(t, testOptions(), nil, lines(header, good("A", `"1,00,000"`), good("B", "x"), "Total,,,,150000\n"))
	f := out.finding(t, codeControlTotalDiffers)
	if f.Row != 4 || f.Value != "150000.00" || !strings.Contains(f.Message, "1,00,000.00, not counting 1 whose amount cannot be read") {
		t.Errorf("%+v", f)
	}
	if !out.FileRefused() {
		t.Error("--skip-bad could load it")
	}
}

// The sum of a total row includes what can be read, and an expected total what can be paid: a row that is negative is
// in the one and not in the other.
func TestATotalSaysWhichAmountsItLacks(t *testing.T) {
	o := testOptions()
	want := ledger.Paise(9500)
	o.ExpectTotal = &want
	out := checkText(t, o, nil, lines(header, good("A", "100"), good("B", "-5"), good("C", "x"), "Total,,,,90\n"))
	for code, message := range map[string]string{
		codeControlTotalDiffers: "the rows above it add up to 95.00, not counting 1 whose amount cannot be read",
		codeTotalDiffers:        "the rows add up to 100.00, not counting 2 whose amount cannot be paid",
	} {
		if f := out.finding(t, code); !strings.HasSuffix(f.Message, message) {
			t.Errorf("%s", f.Message)
		}
	}
	same(t, []string{"A"}, out.refs())
}

func TestATotalInTheWrongColumnPaysNobody(t *testing.T) {
	out := checkText(t, testOptions(), nil, lines(header, good("A", "100"), "Total,,,100,\n"))
	if !out.Refused() || out.Sheet.HasTotal || out.Sheet.Rows != 2 {
		t.Errorf("a total in the column ifsc: %v", out.codes())
	}
}

func TestExpectations(t *testing.T) {
	count := func(n int) *int { return &n }
	total := func(p ledger.Paise) *ledger.Paise { return &p }
	text := lines(header, good("A", "100"), good("B", "50.50"))
	for name, tc := range map[string]struct {
		count *int
		total *ledger.Paise
		want  []string
	}{
		"both right": {count(2), total(150_50), nil},
		"count":      {count(3), total(150_50), []string{"0::count_differs"}},
		"total":      {count(2), total(150_51), []string{"0::total_differs"}},
		"both":       {count(0), total(0), []string{"0::count_differs", "0::total_differs"}},
	} {
		o := testOptions()
		o.ExpectCount, o.ExpectTotal = tc.count, tc.total
		out := checkText(t, o, nil, text)
		same(t, tc.want, out.codes(), name)
		if out.FileRefused() != (tc.want != nil) {
			t.Errorf("%s: refused %v", name, out.FileRefused())
		}
	}
}

// What an export could not say is not recorded: a name is UTF-8, whatever the file system has.
func TestTheNameOfASheetIsUTF8(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b\xffd.csv")
	if err := os.WriteFile(path, []byte(lines(header, good("A", "100"))), 0o600); err != nil {
		t.Skip("the file system has such names only: ", err)
	}
	if got := checkFile(t, testOptions(), nil, path).Sheet.Name; got != "b\ufffdd.csv" {
		t.Errorf("%q", got)
	}
}

// What was checked is what is loaded: count and total may agree while an account
// is another one.
func TestTheExpectedSheet(t *testing.T) {
	text := lines(header, good("A", "100"), good("B", "50.50"))
	o := testOptions()
	sum := checkText(t, o, nil, text).Sheet.SHA256
	count, total := 2, ledger.Paise(150_50)
	o.ExpectSHA256, o.ExpectCount, o.ExpectTotal = sum, &count, &total
	if out := checkText(t, o, nil, text); out.Refused() {
		t.Errorf("the same bytes are refused: %v", out.codes())
	}
	changed := strings.Replace(text, "50200012345678", "50200012345679", 1)
	if changed == text {
		t.Fatal("nothing was changed")
	}
	out := checkText(t, o, nil, changed)
	if diff := cmp.Diff([]string{"0::sheet_changed"}, out.codes()); diff != "" || !out.FileRefused() {
		t.Errorf("refused %v: %s", out.FileRefused(), diff)
	}
	// also where something else refuses it as a whole, or there is nothing to pay
	for _, other := range []string{lines("nothing", "of use"), lines(header)} {
		if out := checkText(t, o, nil, other); !slices.Contains(out.codes(), "0::sheet_changed") {
			t.Errorf("%q: %v", other, out.codes())
		}
	}
}

func TestASumThatOverflowsIsRefused(t *testing.T) {
	out := checkText(t, testOptions(), nil, lines(header, good("A", "92233720368547758.07"), good("B", "0.01"), good("C", "0.02")))
	want := []string{"2:bene_lei:lei_advised", "3:amount:total_out_of_range", "4:amount:total_out_of_range"}
	same(t, want, out.codes())
	same(t, []string{"A"}, out.refs())
}

func TestStrictMakesWarningsRefuse(t *testing.T) {
	text := "ref,name,account no,ifsc,amount,open_beneficiary_id\nA,Asha,50200012345678,HDFC0001234,1," + goodUUID + "\n"
	if out := checkText(t, testOptions(), nil, text); out.Refused() || len(out.kept) != 1 {
		t.Errorf("a warning refuses: %v", out.codes())
	}
	o := testOptions()
	o.Strict = true
	out := checkText(t, o, nil, text)
	if !out.Refused() || len(out.kept) != 0 || out.Findings[0].Severity != ledger.SeverityError {
		t.Errorf("a warning does not refuse: %+v", out.Findings)
	}
}

func TestStrictRefusesAColumnThatIsNearlyReadAsAnother(t *testing.T) {
	text := "ref,name,account no,ifsc,amount,bank_acount_id\nA,Asha,50200012345678,HDFC0001234,1,elsewhere\n"
	if out := checkText(t, testOptions(), nil, text); out.Refused() || out.finding(t, codeColumnSimilar).Value != "bank_acount_id" {
		t.Errorf("%v", out.codes())
	}
	o := testOptions()
	o.Strict = true
	if out := checkText(t, o, nil, text); !out.FileRefused() || len(out.given) != 0 {
		t.Errorf("%v", out.codes())
	}
}

func TestEncodingIsPassedOn(t *testing.T) {
	text := lines(header, "A,Jos\xe9,50200012345678,HDFC0001234,1\n")
	if out := checkText(t, testOptions(), nil, text); !out.FileRefused() {
		t.Errorf("bytes that are no UTF-8 were read: %v", out.codes())
	}
	o := testOptions()
	o.Encoding = "windows-1252"
	if out := checkText(t, o, nil, text); len(out.kept) != 1 || out.kept[0].VendorName != "José" {
		t.Errorf("%v %+v", out.codes(), out.kept)
	}
}

// Counted are the lines below the header, blank ones too, the total row not.
func TestTheLimitOfRows(t *testing.T) {
	o := testOptions()
	o.Limits = ingest.Limits{Rows: 2}
	for name, tc := range map[string]struct {
		rows []string
		want []string
	}{
		"at the limit":                 {[]string{good("A", "1"), good("B", "2")}, nil},
		"at the limit, with a total":   {[]string{good("A", "1"), good("B", "2"), "Total,,,,3\n"}, nil},
		"a payout too many":            {[]string{good("A", "1"), good("B", "2"), good("C", "3")}, []string{"4::too_many_rows"}},
		"a blank line too many":        {[]string{good("A", "1"), "\n", good("C", "3")}, []string{"4::too_many_rows"}},
		"a blank line below the total": {[]string{good("A", "1"), good("B", "2"), "Total,,,,3\n", "\n"}, []string{"5::too_many_rows"}},
		"blank lines alone":            {[]string{"\n", "\n", "\n"}, []string{"4::too_many_rows"}},
	} {
		same(t, tc.want, checkText(t, o, nil, header+lines(tc.rows...)).codes(), name)
	}
	titled := checkText(t, o, nil, strings.Repeat("title\n", ingest.HeaderRows-1)+header+good("A", "1")+good("B", "2")+"Total,,,,3\n")
	if titled.Refused() || titled.Sheet.Rows != 2 {
		t.Errorf("titles count: %v", titled.codes())
	}
}

func TestFindingsMaskAccountNumbers(t *testing.T) {
	for name, row := range map[string]string{
		"malformed":      "A,Asha,5020 0012 3456 78,HDFC0001234,1\n",
		"too long":       "A,Asha,50200012345678502000123456785020001234567,HDFC0001234,1\n",
		"debit account":  "A,Asha,00098765432100,HDFC0001234,1\n",
		"foreign digits": "A,Asha,५०२०००१२३४५६७८,HDFC0001234,1\n",
	} {
		out := checkText(t, testOptions(), nil, header+row)
		if len(out.Findings) != 1 {
			t.Fatalf("%s: %v", name, out.codes())
		}
		f := out.Findings[0]
		if !strings.HasPrefix(f.Value, "XXXX") || strings.Contains(f.Message+f.Fix, "5020") || strings.Contains(f.Message, "98765") {
			t.Errorf("%s: %+v", name, f)
		}
	}
	out := checkText(t, testOptions(), nil, "ref,name,account no,ifsc,amount,debit account\nA,Asha,50200012345678,HDFC0001234,1,50200099999999\n")
	if f := out.finding(t, codeDebitAccountUnknown); f.Value != "XXXXXXXXXX9999" {
		t.Errorf("a debit account's number is shown: %+v", f)
	}
}

func TestALongValueIsCutInItsFinding(t *testing.T) {
	out := checkText(t, testOptions(), nil, lines(header, good(strings.Repeat("क", 20_000), "1")))
	if f := out.finding(t, codeReferenceTooLong); len([]rune(f.Value)) != visible.MaxQuoted+1 || len([]rune(f.Ref)) != visible.MaxQuoted+1 {
		t.Errorf("value of %d characters", len([]rune(f.Value)))
	}
}

func TestMoreFindingsThanTheLimitAreCounted(t *testing.T) {
	const columns = "ref,name,account no,ifsc,amount,open_beneficiary_id,remarks\n"
	var listed strings.Builder
	listed.WriteString(columns)
	for i := range maxFindings {
		fmt.Fprintf(&listed, "R%d,Asha,50200012345678,HDFC0001234,%d,%s,\n", i, i+2, goodUUID)
	}
	const warning = "W,Asha,50200012345678,HDFC0001234,200001," + goodUUID + ",\n"
	const info = "I,Asha,50200012345678,HDFC0001234,200002,,\"one\ntwo\"\n"
	const bad = "LAST,Asha,50200012345678,HDFC,1,,\n"
	for name, beyond := range map[string]struct {
		rows     string
		severity ledger.Severity
		count    string
		rejected []int
	}{
		"info alone":         {info, ledger.SeverityInfo, "1 more", nil},
		"info and a warning": {info + warning, ledger.SeverityWarning, "2 more", nil},
		"an error between":   {warning + bad + info, ledger.SeverityError, "3 more", []int{maxFindings + 3}},
	} {
		out := checkText(t, testOptions(), nil, listed.String()+beyond.rows)
		if len(out.Findings) != maxFindings+1 {
			t.Fatalf("%s: %d findings", name, len(out.Findings))
		}
		last := out.Findings[maxFindings]
		if last.Code != codeFindingsCapped || last.Severity != beyond.severity || !strings.HasPrefix(last.Message, beyond.count) {
			t.Errorf("%s: %+v", name, last)
		}
		if out.Refused() != (beyond.rejected != nil) {
			t.Errorf("%s: refused is %t", name, out.Refused())
		}
		if out.FileRefused() {
			t.Errorf("%s: --skip-bad could not leave out the one bad row", name)
		}
		same(t, beyond.rejected, out.RejectedRows, name)
	}
}

// A part of the last cell may be another amount, account or reference.
func TestTheLastCellOfAFileMayBeCutOff(t *testing.T) {
	for text, want := range map[string][]string{
		"ref,name,account no,ifsc,amount\nA,Asha,50200012345678,HDFC0001234,500":                        {"2:amount:" + codeEndUnclear},
		"ref,name,account no,ifsc,amount\nA,Asha,50200012345678,HDFC0001234,500\n":                      nil,
		"ref,name,account no,ifsc,amount\nA,Asha,50200012345678,HDFC0001234,\"500\"":                    nil,
		"ref,name,ifsc,amount,account no\nA,Asha,HDFC0001234,500,502000123456":                          {"2:bank_account_number:" + codeEndUnclear},
		"ref,name,account no,ifsc,amount,remarks\nA,Asha,50200012345678,HDFC0001234,500,Nov":            nil,
		"ref,name,account no,ifsc,amount,remarks\nA,Asha,50200012345678,HDFC0001234,500":                {"2::" + codeCutOff},
		"ref,name,account no,ifsc,amount,remarks\nA,Asha,50200012345678,HDFC0001234,500\n":              {"2::" + codeRowTooFewCells},
		"ref,name,account no,ifsc,amount\nA,Asha,50200012345678,HDFC0001234,500\nB,Bina,50200012345679": {"3::" + codeCutOff},
		"ref,name,account no,ifsc,amount\nA,Asha,50200012345678,HDFC0001234,500\nTotal,,,,500":          nil,
		"ref,name,account no,ifsc,amount,debit account\nA,Asha,50200012345678,HDFC0001234,500,":         {"2:bank_account_id:" + codeEndUnclear},
		"ref,name,account no,ifsc,amount\nA,Asha,50200012345678,HDFC0001234,500\nB,\"Bina\"":            {"3::" + codeCutOff},
		"ref,name,account no,ifsc,amount\nA,Asha,50200012345678,HDFC0001234,500\x1a":                    nil,
		"ref,name,account no,ifsc,amount\nA,Asha,50200012345678,HDFC0001234,500\n\n":                    nil,
		"ref,name,account no,ifsc,amount\r\nA,Asha,50200012345678,HDFC0001234,500\r":                    nil,
	} {
		out := checkText(t, testOptions(), nil, text)
		if !slices.Equal(out.codes(), want) {
			t.Errorf("%q: %v, want %v", text, out.codes(), want)
		}
		for _, f := range out.Findings {
			if f.Column == "bank_account_number" && f.Value != ledger.Mask("502000123456") {
				t.Errorf("%q shows the account %s", text, f.Value)
			}
		}
		if out.FileRefused() != strings.Contains(strings.Join(want, ""), codeCutOff) {
			t.Errorf("%q: the file is refused: %t", text, out.FileRefused())
		}
	}
}

func TestWrongUsage(t *testing.T) {
	path := writeFile(t, "sheet.csv", header+good("A", "1"))
	for want, o := range map[ledger.Option]Options{
		{Name: ledger.OptionAccount, Value: "nowhere"}:    {Accounts: testAccounts, Choices: Choices{Account: "nowhere"}},
		{Name: ledger.OptionMap, Value: "amount=Net Pay"}: {Accounts: testAccounts, Choices: Choices{Map: map[string]string{"amount": "Net Pay"}}},
		{Name: ledger.OptionMap, Value: "sum=amount"}:     {Accounts: testAccounts, Choices: Choices{Map: map[string]string{"sum": "amount"}}},
		{Name: ledger.OptionHiddenRows, Value: "maybe"}:   {Choices: Choices{HiddenRows: "maybe"}},
		{Name: ledger.OptionEncoding, Value: "ebcdic"}:    {Choices: Choices{Encoding: "ebcdic"}},
	} {
		_, err := Check(context.Background(), path, o, nil, func([]Accepted) error { return nil })
		if u, ok := errors.AsType[*UsageError](err); !ok || u.Option != want || u.Why == "" || strings.Contains(err.Error(), "--") {
			t.Errorf("%+v: %v", want, err)
		}
	}
}

func TestErrorsThatAreNotTheSheets(t *testing.T) {
	path := writeFile(t, "sheet.csv", header+good("A", "1"))
	full := errors.New("the disk is full")
	if _, err := Check(context.Background(), path, testOptions(), nil, func([]Accepted) error { return full }); !errors.Is(err, full) {
		t.Errorf("the sink's error became %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Check(ctx, path, testOptions(), nil, func([]Accepted) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelling became %v", err)
	}
	absent := filepath.Join(t.TempDir(), "absent.csv")
	if _, err := Check(context.Background(), absent, testOptions(), nil, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an absent file became %v", err)
	}
}

func TestTheSinkGetsRowsInOrderInSmallChunks(t *testing.T) {
	var b strings.Builder
	b.WriteString(header)
	const n = 3*chunkRows + 7
	for i := range n {
		b.WriteString(good(fmt.Sprintf("R%d", i), "1"))
	}
	var sizes []int
	row := 1
	_, err := Check(context.Background(), writeFile(t, "s.csv", b.String()), testOptions(), &memory{}, func(p []Accepted) error {
		sizes = append(sizes, len(p))
		for _, one := range p {
			if row++; one.Row != row {
				return fmt.Errorf("row %d where %d was to come", one.Row, row)
			}
		}
		return nil
	})
	must(t, err)
	same(t, []int{chunkRows, chunkRows, chunkRows, 7}, sizes)
}

var longAgo = time.Date(2026, 10, 31, 18, 30, 0, 0, time.UTC)

// A row that cannot be read has no reference: least of all that of the row before it.
func TestAMalformedRowDoesNotCarryTheReferenceBeforeIt(t *testing.T) {
	const header = "Reference,Beneficiary Name,Account Number,IFSC,Amount\n"
	for name, row := range map[string]string{"long": "B,Ravi,50200012345679,HDFC0001234,1,00,000.00\n", "short": "B,Ravi\n"} {
		got := checkText(t, testOptions(), nil, header+"A,Asha,50200012345678,HDFC0001234,100.00\n"+row)
		for _, f := range got.Findings {
			if f.Row == 3 && f.Ref != "" {
				t.Errorf("%s: row 3 is called %q", name, f.Ref)
			}
		}
		if len(got.Findings) == 0 {
			t.Errorf("%s: accepted", name)
		}
	}
}
