package validate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

func TestTheSameAccountAndAmountTwiceIsAWarningThatNamesTheOtherRow(t *testing.T) {
	paid := func(ref, account, ifsc, amount string) string {
		return ref + ",Asha," + account + "," + ifsc + "," + amount + "\n"
	}
	const account, branch = "50200012345678", "HDFC0001234"
	for name, tc := range map[string]struct {
		rows []string
		want []string
	}{
		"twice":                         {[]string{paid("A", account, branch, "500"), paid("B", account, branch, "₹ 500.00")}, []string{"3:amount:payee_listed_twice"}},
		"three times":                   {[]string{paid("A", account, branch, "5"), paid("B", account, branch, "5"), paid("C", account, branch, "5")}, []string{"3:amount:payee_listed_twice", "4:amount:payee_listed_twice"}},
		"with zeros in front":           {[]string{paid("A", account, branch, "5"), paid("B", "00"+account, branch, "5")}, []string{"3:amount:payee_listed_twice"}},
		"of zeros only":                 {[]string{paid("A", "0000000000", branch, "5"), paid("B", "0000000000", branch, "5")}, []string{"2:bank_account_number:account_placeholder", "3:bank_account_number:account_placeholder", "3:amount:payee_listed_twice"}},
		"at another branch of the bank": {[]string{paid("A", account, branch, "5"), paid("B", account, "HDFC0009999", "5")}, []string{"3:amount:payee_listed_twice"}},
		"another amount":                {[]string{paid("A", account, branch, "5"), paid("B", account, branch, "5.01")}, nil},
		"another account":               {[]string{paid("A", account, branch, "5"), paid("B", "50200012345679", branch, "5")}, nil},
		"another bank":                  {[]string{paid("A", account, branch, "5"), paid("B", account, "ICIC0001234", "5")}, nil},
		"the same reference":            {[]string{paid("A", account, branch, "5"), paid("a", account, branch, "5")}, []string{"2:merchant_txn_ref_id:reference_repeated", "3:merchant_txn_ref_id:reference_repeated"}},
		"no account":                    {[]string{paid("A", "", branch, "5"), paid("B", "", branch, "5")}, []string{"2:bank_account_number:account_missing", "3:bank_account_number:account_missing"}},
	} {
		t.Run(name, func(t *testing.T) {
			out := checkText(t, testOptions(), nil, header+lines(tc.rows...))
			same(t, tc.want, out.codes())
		})
	}
	o := testOptions()
	o.Strict = true
	out := checkText(t, o, nil, header+lines(paid("A", account, branch, "5"), paid("B", account, branch, "5")))
	if f := out.finding(t, codePayeeTwice); !strings.Contains(f.Message, "row 2 ") || !slices.Equal(out.refs(), []string{"A"}) {
		t.Errorf("strict: %+v, kept %v", f, out.refs())
	}
}

// Far more payouts than the first table of hashes has room for.
func TestTwinsAreFoundAmongMany(t *testing.T) {
	var b strings.Builder
	b.WriteString(header)
	const n = 10_000
	for i := range n {
		fmt.Fprintf(&b, "R%d,Asha,%d,HDFC0001234,%d\n", i, 50200000000000+i, 100+i%7)
	}
	fmt.Fprintf(&b, "LAST,Asha,%d,HDFC0001234,%d\n", 50200000000000+17, 100+17%7)
	out := checkText(t, testOptions(), nil, b.String())
	if f := out.finding(t, codePayeeTwice); f.Row != n+2 || !strings.Contains(f.Message, "row 19 ") {
		t.Errorf("%+v", f)
	}
}

func TestSuspiciousAccountsAndNamesAreWarnings(t *testing.T) {
	row := func(ref, name, account string) string { return ref + "," + name + "," + account + ",HDFC0001234,1\n" }
	for name, tc := range map[string]struct {
		rows []string
		want []string
	}{
		"an account that is an IFSC":              {[]string{row("A", "Asha", "HDFC0000123")}, []string{"2:bank_account_number:account_is_ifsc"}},
		"O and I among digits":                    {[]string{row("A", "Asha", "50100I23456O")}, []string{"2:bank_account_number:account_letter_for_digit"}},
		"other letters":                           {[]string{row("A", "Asha", "SBO50100123")}, nil},
		"17 digits, two zeros behind the 15th":    {[]string{row("A", "Asha", "50100012345678900")}, []string{"2:bank_account_number:account_digits_lost"}},
		"17 digits, one of them not":              {[]string{row("A", "Asha", "50100012345678901")}, nil},
		"17 digits, a zero at the end alone":      {[]string{row("A", "Asha", "50100012345678910")}, nil},
		"19 digits":                               {[]string{row("A", "Asha", "5010001234567890000")}, []string{"2:bank_account_number:account_digits_lost"}},
		"16 digits, and all long ones end so":     {[]string{row("A", "Asha", "5010001234567890"), row("B", "Bina", "501000"), row("C", "Chitra", "5010001234567810")}, []string{"2:bank_account_number:account_digits_lost", "4:bank_account_number:account_digits_lost"}},
		"16 digits, and one long one does not":    {[]string{row("A", "Asha", "5010001234567890"), row("B", "Bina", "5010001234567891")}, nil},
		"15 digits":                               {[]string{row("A", "Asha", "501000123456780")}, nil},
		"-do-":                                    {[]string{row("A", "-do-", "501000")}, []string{"2:vendor_name:vendor_name_is_none"}},
		"N/A":                                     {[]string{row("A", "N/A", "501000")}, []string{"2:vendor_name:vendor_name_is_none"}},
		"ditto marks":                             {[]string{row("A", `""""`, "501000")}, []string{"2:vendor_name:vendor_name_is_none"}},
		"a vendor's code":                         {[]string{row("A", "12345", "501000")}, []string{"2:vendor_name:vendor_name_is_none"}},
		"a short name":                            {[]string{row("A", "Do Yun", "501000")}, nil},
		"a name in Devanagari":                    {[]string{row("A", "आशा", "501000")}, nil},
		"a reference of 57 characters, and of 58": {[]string{row(strings.Repeat("A", 57), "Asha", "501000"), row(strings.Repeat("B", 58), "Asha", "501001")}, []string{"3:merchant_txn_ref_id:reference_long"}},
	} {
		t.Run(name, func(t *testing.T) {
			out := checkText(t, testOptions(), nil, header+lines(tc.rows...))
			same(t, tc.want, out.codes())
			if out.Refused() || len(out.kept) != len(tc.rows) {
				t.Errorf("a warning refused something: %v", out.codes())
			}
			o := testOptions()
			o.Strict = true
			strict := checkText(t, o, nil, header+lines(tc.rows...))
			if len(strict.kept) != len(tc.rows)-len(tc.want) {
				t.Errorf("strict: kept %v", strict.refs())
			}
			// A second pass without the rows finds the same.
			o.Exclude = strict.Withdrawn
			if again := checkText(t, o, nil, header+lines(tc.rows...)); len(again.Withdrawn) != 0 || cmp.Diff(strict.codes(), again.codes()) != "" {
				t.Errorf("again: %v, withdrawn %v", again.codes(), again.Withdrawn)
			}
		})
	}
}

// What a rail takes is known only where the configuration says which it is.
func TestAmountsAreForTheirRail(t *testing.T) {
	o := testOptions()
	o.Rails = map[string]ledger.Rail{"R1": ledger.RailRTGS, "I1": ledger.RailIMPS, "NEFT": ledger.RailNEFT}
	for row, want := range map[string][]string{
		"199999.99,R1": {"2:amount:amount_not_for_rail"},
		"200000.00,R1": nil,
		"500000.00,I1": nil,
		"500000.01,I1": {"2:amount:amount_not_for_rail"},
		"1.00,":        nil, // NEFT, which the configuration names
		"1.00,r1":      nil, // another type than R1, which nothing is said of
		"1.00,UPI":     nil,
	} {
		out := checkText(t, o, nil, "ref,name,account no,ifsc,amount,mode\nA,Asha,50200012345678,HDFC0001234,"+row+"\n")
		same(t, want, out.codes(), row)
	}
}
