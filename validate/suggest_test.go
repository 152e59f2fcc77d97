package validate

import (
	"slices"
	"strings"
	"testing"

	"payrun/ledger"
)

// What is suggested is pasted: it must never read lakhs as rupees, gross as net
// or a first name as the name.
func TestNothingIsSuggestedThatWouldMisread(t *testing.T) {
	full := []string{"Ref No", "Payee", "Account No", "IFSC", "Amount"}
	for missing, headers := range map[column][]string{
		colAmount: {
			"Amount (in Lakhs)", "Amount (Cr)", "Amount (K)", "Amount (INR '000)", "Amount (USD)", "Amount (AED)", "Amount ($)", "Amount €", "Amount %", "amountinlakhs", "AMOUNTINPAISE",
			"Amount in Paise", "Gross Amount", "GrossAmount", "Invoice Amount", "Amount in words", "TDS Amount", "Amount Limit", "Payout Date", "Amount Ref",
			"Payable Account", "Total Amount Due", "Net Payable (Before Recovery)", "Estimated Amount", "Net Salary (Annual)", "Amount per day", "राशि (पैसे)", "राशि लाख में", "राशि करोड़ में", "राशि हज़ार", "कुल राशि", "सकल वेतन",
		},
		colName:         {"First Name", "Last Name", "Bank Name", "Branch Name", "Father Name", "File Name", "Beneficiary Code", "पिता का नाम", "बैंक का नाम"},
		colAccount:      {"Debit Acc", "Account Type", "Account Name 2", "Account Manager", "From Acc", "Remitter Account Code", "PF Account No", "Loan Account Number", "Old A/c No"},
		colDebitAccount: {"PF Account No"}, // an ordinary register is not warned of
		colIFSC:         {"Remitter IFSC", "Debit IFSC Code"},
		colReference:    {"Refund", "Bank Refs", "Reference Date", "Invoice Ref"},
	} {
		for _, header := range headers {
			cells := append(slices.Clone(full), header)
			if at := slices.Index([]column{colReference, colName, colAccount, colIFSC, colAmount}, missing); at >= 0 {
				cells = slices.Delete(cells, at, at+1)
			}
			l := words(t, nil).read(1, cells)
			words(t, nil).findFaults(&l)
			if l.has(missing) {
				t.Errorf("%q is read as %s", header, missing)
			}
			for _, p := range l.problems {
				if p.Column == missing.String() && (p.Option.Value != "" && strings.HasSuffix(p.Option.Value, "="+header) || strings.Contains(p.Message, "did you mean")) {
					t.Errorf("%q is offered as %s: %+v", header, missing, p)
				}
			}
		}
	}
}

func TestWhatIsSuggestedIsAboutTheColumnThatIsMissing(t *testing.T) {
	for name, tc := range map[string]struct {
		header string
		column column
		want   ledger.Option
	}{
		"a word of its own":       {"Ref No|Payee|Account No|IFSC|Net Disbursal", colAmount, ledger.Option{Name: ledger.OptionMap, Value: "amount=Net Disbursal"}},
		"a misspelt one":          {"Ref No|Payee|Account No|IFSC|Amuont", colAmount, ledger.Option{Name: ledger.OptionMap, Value: "amount=Amuont"}},
		"two that may be meant":   {"Ref No|Payee|Account No|IFSC|Salary A|Salary B", colAmount, ledger.Option{Name: ledger.OptionMap, Value: "amount=HEADER"}},
		"none":                    {"Ref No|Payee|Account No|IFSC|Department", colAmount, ledger.Option{Name: ledger.OptionMap, Value: "amount=HEADER"}},
		"no IFSC":                 {"Ref No|Payee|Account No|Amount|Net", colIFSC, ledger.Option{Name: ledger.OptionMap, Value: "ifsc=HEADER"}},
		"no reference":            {"Sr No|Employee Name|Account Number|IFSC Code|Net Pay", colReference, noOption},
		"no reference, one close": {"Refrence|Employee Name|Account Number|IFSC Code|Net Pay", colReference, ledger.Option{Name: ledger.OptionMap, Value: "merchant_txn_ref_id=Refrence"}},
	} {
		out := checkText(t, testOptions(), nil, strings.ReplaceAll(tc.header, "|", ",")+"\n")
		f := out.finding(t, codeColumnMissing)
		if f.Column != tc.column.String() || f.Option != tc.want {
			t.Errorf("%s: %+v", name, f)
		}
		if tc.column == colReference && tc.want == noOption && !strings.Contains(f.Fix, `="NOV26-"&TEXT(ROW(),"0000")`) {
			t.Errorf("%s: the fix does not say how to make references: %s", name, f.Fix)
		}
	}
}

// Two columns of one name cannot be distinguished by a map: none is offered.
func TestOfTwoColumnsWithOneNameNoneIsSuggested(t *testing.T) {
	f := checkText(t, testOptions(), nil, "Ref No,Payee,Account No,IFSC,Amount,AMOUNT\n").finding(t, codeColumnRepeated)
	if f.Option != noOption || f.Fix != "Rename or delete one of them." {
		t.Errorf("%+v", f)
	}
}

func TestHindiHeaders(t *testing.T) {
	want := "merchant_txn_ref_id|vendor_name|bank_account_number|ifsc|amount|remarks"
	for _, header := range []string{
		"संदर्भ संख्या|नाम|खाता संख्या|आईएफएससी कोड|राशि|अभ्युक्ति",
		"संदर्भ सं.|लाभार्थी का नाम|बैंक खाता नंबर|IFSC कोड|राशि (रु.)|अभ्युक्ति",
		"संदर्भ-संख्या *|नाम:|खाता  संख्या|आई एफ एस सी कोड|राशि (₹)|अभ्युक्ति",
	} {
		if got := strings.Join(read(words(t, nil), strings.Split(header, "|")...), "|"); got != want {
			t.Errorf("%s is read as %s", header, got)
		}
	}
	full := []string{"Ref No", "नाम", "खाता संख्या", "आईएफएससी", "राशि"}
	for at, header := range map[int]string{
		1: "ना\u200dम",         // a joiner that does not show
		2: "खाता संख्\u200dया", // which some keyboards write here
		3: "अाईएफएससी",         // two letters that are drawn like आ
		4: "राशि\u200b",        // a zero-width space
	} {
		cells := slices.Clone(full)
		cells[at] = header
		l := words(t, nil).read(1, cells)
		if len(l.problems) != 1 || l.problems[0].Code != codeHeaderLookAlike {
			t.Errorf("%+q: %+v", header, l.problems)
		}
	}
}

func TestTheMapMayUseAnyWordForAColumn(t *testing.T) {
	want := []string{"merchant_txn_ref_id", "vendor_name", "bank_account_number", "ifsc", "", "amount"}
	cells := []string{"Ref", "Payee", "Account No", "IFSC", "Amount", "Final"}
	for _, left := range []string{"amount", "Amount", "AMOUNT (INR)", "Net Pay", "राशि"} {
		if got := read(words(t, map[string]string{left: "Final"}), cells...); !slices.Equal(got, want) {
			t.Errorf("%s: %v", left, got)
		}
	}
	if _, err := newVocabulary(Options{Choices: Choices{Map: map[string]string{"amount": "A", "Net Pay": "B"}}}); !isUsage(err) {
		t.Errorf("one column told twice: %v", err)
	}
}

func TestNamesThatAreReadWhereTheyStandAlone(t *testing.T) {
	for header, want := range map[string]string{
		"Document No|Account Name|Account No|IFSC|Amount":              "merchant_txn_ref_id|vendor_name|bank_account_number|ifsc|amount",
		"Ref No|Document No|Payee|Account Name|Account No|IFSC|Amount": "merchant_txn_ref_id||vendor_name||bank_account_number|ifsc|amount",
	} {
		if got := strings.Join(read(words(t, nil), strings.Split(header, "|")...), "|"); got != want {
			t.Errorf("%s is read as %s", header, got)
		}
	}
	v := words(t, map[string]string{"name": "Paid To"})
	if got := read(v, "Ref", "Account Name", "Paid To"); !slices.Equal(got, []string{"merchant_txn_ref_id", "", "vendor_name"}) {
		t.Errorf("next to what the map says: %v", got)
	}
}

func TestProfilesAndColumnsOfTheConfiguration(t *testing.T) {
	salary := Profile{"salary", map[string]string{"ref": "Emp Code", "amount": "Take Away"}}
	vendor := Profile{"vendor", map[string]string{"amount": "Final"}}
	for name, tc := range map[string]struct {
		o      Options
		header string
		want   string
		code   string
	}{
		"always":                      {Options{Columns: map[string]string{"amount": "Final"}}, "Ref|Payee|Account No|IFSC|Amount|Final", "merchant_txn_ref_id|vendor_name|bank_account_number|ifsc||amount", ""},
		"always, not there":           {Options{Columns: map[string]string{"amount": "Final"}}, "Ref|Payee|Account No|IFSC|Amount", "merchant_txn_ref_id|vendor_name|bank_account_number|ifsc|amount", ""},
		"a profile that fits":         {Options{Profiles: []Profile{salary}}, "Emp Code|Payee|Account No|IFSC|Take Away", "merchant_txn_ref_id|vendor_name|bank_account_number|ifsc|amount", ""},
		"a profile that fits in part": {Options{Profiles: []Profile{salary}}, "Ref|Payee|Account No|IFSC|Amount|Take Away", "merchant_txn_ref_id|vendor_name|bank_account_number|ifsc|amount|", ""},
		"a profile before always":     {Options{Profiles: []Profile{salary}, Columns: map[string]string{"amount": "Final"}}, "Emp Code|Payee|Account No|IFSC|Take Away|Final", "merchant_txn_ref_id|vendor_name|bank_account_number|ifsc|amount|", ""},
		"the map before a profile":    {Options{Choices: Choices{Map: map[string]string{"amount": "Final"}}, Profiles: []Profile{salary}}, "Emp Code|Payee|Account No|IFSC|Take Away|Final", "merchant_txn_ref_id|vendor_name|bank_account_number|ifsc||amount", ""},
		"two that do not agree":       {Options{Profiles: []Profile{salary, vendor}}, "Emp Code|Payee|Account No|IFSC|Take Away|Final", "", codeProfilesDiffer},
		"two, and the map settles it": {Options{Choices: Choices{Map: map[string]string{"Amount": "Final"}}, Profiles: []Profile{salary, vendor}}, "Emp Code|Payee|Account No|IFSC|Take Away|Final", "merchant_txn_ref_id|vendor_name|bank_account_number|ifsc||amount", ""},
		"two that agree":              {Options{Profiles: []Profile{salary, {"other", map[string]string{"amount": "take away", "name": "Who"}}}}, "Emp Code|Who|Account No|IFSC|Take Away", "merchant_txn_ref_id|vendor_name|bank_account_number|ifsc|amount", ""},
		"one header for two columns":  {Options{Profiles: []Profile{salary, {"other", map[string]string{"remarks": "Take Away"}}}}, "Emp Code|Payee|Account No|IFSC|Take Away", "", codeProfilesDiffer},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := newVocabulary(tc.o)
			must(t, err)
			header := strings.Split(tc.header, "|")
			if got := problems(v, header...); tc.code == "" && got != nil || tc.code != "" && (len(got) != 1 || !strings.HasSuffix(got[0], tc.code)) {
				t.Fatalf("problems %v, want %q", got, tc.code)
			}
			if got := strings.Join(read(v, header...), "|"); tc.want != "" && got != tc.want {
				t.Errorf("read as %s", got)
			}
		})
	}
}

// What was used is what reads the same bytes again, whatever the configuration
// says by then.
func TestWhatWasSaidOfTheColumnsReadsTheSheetAgain(t *testing.T) {
	path := writeFile(t, "nov.csv", "Emp Code,Payee,Account No,IFSC,Take Away,Final\nE1,Asha Traders,50200012345678,HDFC0001234,5,7\n")
	o := testOptions()
	o.Profiles = []Profile{{"salary", map[string]string{"ref": "Emp Code", "amount": "Take Away"}}}
	o.Columns = map[string]string{"Narration": "Final", "LEI": "Not there"}
	first := checkFile(t, o, nil, path)
	want := map[string]string{"merchant_txn_ref_id": "Emp Code", "amount": "Take Away", "remarks": "Final"}
	if len(first.kept) != 1 || len(first.Columns) != len(want) {
		t.Fatalf("%v, %v", first.codes(), first.Columns)
	}
	again := testOptions()
	again.Map = first.Columns
	second := checkFile(t, again, nil, path)
	if len(second.kept) != 1 || second.Sheet.RowsHash != first.Sheet.RowsHash {
		t.Errorf("read again with %v: %v", first.Columns, second.codes())
	}
	for c, header := range want {
		if first.Columns[c] != header {
			t.Errorf("%s is %q", c, first.Columns[c])
		}
	}
}

// A map to what is not rupees is refused, also where the header is one word.
func TestAMapToAnotherUnitIsRefusedHoweverItIsWritten(t *testing.T) {
	for _, header := range []string{"Amount in Paise", "amountInPaise", "amountinpaise", "AMOUNTINLAKHS", "राशिलाखमें"} {
		o := testOptions()
		o.Map = map[string]string{"amount": header}
		out := checkText(t, o, nil, "Ref No,Payee,Account No,IFSC,"+header+"\n"+good("A", "1"))
		if !out.FileRefused() || len(out.kept) != 0 {
			t.Errorf("%s is read as the amount: %v", header, out.codes())
		}
	}
}
