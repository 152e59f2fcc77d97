package validate

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
	"payrun/validate/ifsc"
)

// archive is a past that knows payees and branches too.
type archive struct {
	memory
	known    map[ledger.NamedAccount]ledger.KnownPayee
	usual    map[ledger.Payee]ledger.PaymentPattern
	list     ledger.BranchList // without a name there is none
	branches map[string]ledger.Branch
	fails    error
}

func (a *archive) NewAccounts(_ context.Context, named []ledger.NamedAccount) (map[ledger.NamedAccount]ledger.KnownPayee, error) {
	found := map[ledger.NamedAccount]ledger.KnownPayee{}
	for _, n := range named {
		if k, ok := a.known[n]; ok {
			found[n] = k
		}
	}
	return found, a.fails
}

func (a *archive) FarAbove(_ context.Context, payees []ledger.Payee, factor ledger.Paise, least int) (map[ledger.Payee]ledger.PaymentPattern, error) {
	found := map[ledger.Payee]ledger.PaymentPattern{}
	for _, p := range payees {
		if u, ok := a.usual[p]; ok && u.Payouts >= least && p.Amount/factor >= u.Median {
			found[p] = u
		}
	}
	return found, nil
}

func (a *archive) BranchList(context.Context) (ledger.BranchList, error) {
	if a.list.Name == "" {
		return a.list, ledger.ErrNotFound
	}
	return a.list, nil
}

func (a *archive) Branches(_ context.Context, codes []string) (map[string]ledger.Branch, error) {
	if a.list.Name == "" {
		return nil, errors.New("asked for branches without a list")
	}
	found := map[string]ledger.Branch{}
	for _, code := range codes {
		if b, ok := a.branches[code]; ok {
			found[code] = b
		}
	}
	return found, nil
}

var (
	asha   = ledger.Account{BankAccountNumber: "50200012345678", IFSC: "HDFC0001234"}
	before = ledger.ReferenceUse{Ref: "OCT-9", SheetName: "oct.csv", SheetID: "shoct", Row: 4, LoadedAt: longAgo, State: ledger.PayoutSuccess}
)

func TestAKnownPayeeWithANewAccountIsAWarning(t *testing.T) {
	old := ledger.Account{BankAccountNumber: "98765432109876", IFSC: "ICIC0004321"}
	h := &archive{known: map[ledger.NamedAccount]ledger.KnownPayee{
		{VendorName: "Asha Traders", Account: asha}: {Account: old, Accounts: 1, Use: before},
	}}
	text := lines(header, good("A", "1"), "B,Bina,50200012345678,HDFC0001234,1\n")
	out := checkText(t, testOptions(), h, text)
	want := ledger.Finding{
		Row: 2, Column: "bank_account_number", Ref: "A", Code: "payee_new_account", Severity: ledger.SeverityWarning, Value: "XXXXXXXXXX5678",
		Message: `"Asha Traders" was paid before, but never at XXXXXXXXXX5678 at HDFC0001234: always at the account XXXXXXXXXX9876 at ICIC0004321, ` +
			`first by reference "OCT-9", sheet "oct.csv" (shoct), row 4, loaded 2026-10-31, now success`,
		Fix: explanationOf(codePayeeNewAccount).Fix,
	}
	if diff := cmp.Diff([]ledger.Finding{want}, out.Findings); diff != "" {
		t.Error(diff)
	}
	if len(out.kept) != 2 || out.Refused() {
		t.Error("a warning refused something")
	}
	o := testOptions()
	o.Strict = true
	if out := checkText(t, o, h, text); len(out.kept) != 1 || !slices.Equal(out.RejectedRows, []int{2}) {
		t.Errorf("strict: %v", out.codes())
	}
}

func TestANewAccountOfAPayeeWithSeveralSaysHowMany(t *testing.T) {
	id := ledger.Account{OpenBeneficiaryID: goodUUID}
	h := &archive{known: map[ledger.NamedAccount]ledger.KnownPayee{{VendorName: "Asha Traders", Account: id}: {Account: asha, Accounts: 3, Use: before}}}
	out := checkText(t, testOptions(), h, "merchant_txn_ref_id,vendor_name,open_beneficiary_id,bank_account_id,amount\nA,Asha Traders,"+goodUUID+",retail,1\n")
	f := out.finding(t, codePayeeNewAccount)
	if f.Column != "open_beneficiary_id" || f.Value != goodUUID || !strings.Contains(f.Message, "at 3 other accounts, the latest of them XXXXXXXXXX5678 at HDFC0001234") {
		t.Errorf("%+v", f)
	}
}

func TestAnAmountFarAboveTheUsualIsAWarning(t *testing.T) {
	usual := ledger.PaymentPattern{Median: 10_00, Payouts: 5, Last: before}
	fewer := ledger.PaymentPattern{Median: 10_00, Payouts: 4, Last: before}
	h := &archive{usual: map[ledger.Payee]ledger.PaymentPattern{
		{Account: asha, Amount: 100_00}: usual,
		{Account: asha, Amount: 99_99}:  usual,
		{Account: asha, Amount: 500_00}: fewer,
	}}
	text := lines(header, good("A", "100"), good("B", "99.99"), good("C", "500"))
	f := checkText(t, testOptions(), h, text).finding(t, codeAmountUnusual)
	if f.Row != 2 || f.Column != "amount" || f.Value != "100.00" || f.Severity != ledger.SeverityWarning ||
		!strings.HasPrefix(f.Message, `100.00 is 10 times 10.00, the median of 5 earlier payouts to this account, the latest of them reference "OCT-9", sheet "oct.csv"`) {
		t.Errorf("%+v", f)
	}
	o := testOptions()
	o.Strict = true
	if out := checkText(t, o, h, text); !slices.Equal(out.RejectedRows, []int{2}) {
		t.Errorf("strict: %v", out.codes())
	}
}

func TestARejectedRowIsNotHeldAgainstEarlierPayouts(t *testing.T) {
	h := &archive{known: map[ledger.NamedAccount]ledger.KnownPayee{{VendorName: "Asha Traders", Account: asha}: {Account: asha, Accounts: 1, Use: before}}}
	out := checkText(t, testOptions(), h, lines(header, good("A", "x")))
	if diff := cmp.Diff([]string{"2:amount:amount_unreadable"}, out.codes()); diff != "" {
		t.Error(diff)
	}
}

func TestAPayeeHistoryThatCannotBeReadStopsTheCheck(t *testing.T) {
	_, err := Check(t.Context(), writeFile(t, "s.csv", header+good("A", "1")), testOptions(), &archive{fails: errPast}, func([]Accepted) error { return nil })
	if !errors.Is(err, errPast) {
		t.Errorf("the past's error became %v", err)
	}
}

func listed() *archive {
	return &archive{
		list: ledger.BranchList{Name: "ifsc.csv", ImportedAt: longAgo},
		branches: map[string]ledger.Branch{
			"HDFC0001234": {IFSC: "HDFC0001234", Bank: "HDFC Bank", Branch: "KANJURMARG"},
			"HDFC0009999": {IFSC: "HDFC0009999", Bank: "HDFC Bank", Branch: "PUNE"},
			"ICIC0004321": {IFSC: "ICIC0004321", Bank: "ICICI Bank", Branch: "ANDHERI"},
		},
	}
}

func TestAnUnknownBranchIsAWarningThatTellsTheAgeOfTheList(t *testing.T) {
	text := lines(header, good("A", "1"), "B,Bina,50200012345678,HDFC0001235,1\n", "C,Bina,50200012345678,HDFC000123,1\n")
	o := testOptions()
	o.Now = longAgo.AddDate(0, 0, 12)
	out := checkText(t, o, listed(), text)
	f := out.finding(t, codeIFSCUnknownBranch)
	if f.Row != 3 || f.Column != "ifsc" || f.Value != "HDFC0001235" || f.Severity != ledger.SeverityWarning ||
		f.Message != `no branch of the branch list "ifsc.csv", imported 2026-10-31 (12 days ago) has this IFSC` {
		t.Errorf("%+v", f)
	}
	if len(out.kept) != 2 {
		t.Errorf("kept %d", len(out.kept))
	}
	o.Strict = true
	if out := checkText(t, o, listed(), text); !slices.Equal(out.RejectedRows, []int{3, 4}) {
		t.Errorf("strict: %v", out.codes())
	}
	if out := checkText(t, testOptions(), &archive{}, text); !slices.Equal(out.codes(), []string{"4:ifsc:ifsc_malformed"}) || out.Banks != nil {
		t.Errorf("without a list: %v, %v", out.codes(), out.Banks)
	}
}

func TestBanksAreSummedUpOverTheAcceptedRows(t *testing.T) {
	out := checkText(t, testOptions(), listed(), lines(header, good("A", "1"), "B,Bina,50200012345678,ICIC0004321,7\n",
		"C,Bina,50200012345678,HDFC0009999,2\n", "D,Bina,50200012345678,SBIN0000001,3\n", "E,Bina,50200012345678,ICIC0004321,x\n"))
	want := []ifsc.BankTally{
		{Bank: "ICICI Bank", Tally: ledger.Tally{Count: 1, Total: 7_00}},
		{Bank: "(branch not in the list)", Tally: ledger.Tally{Count: 1, Total: 3_00}},
		{Bank: "HDFC Bank", Tally: ledger.Tally{Count: 2, Total: 3_00}},
	}
	if diff := cmp.Diff(want, out.Banks); diff != "" {
		t.Error(diff)
	}
}

func TestBanksAreNotSummedUpOverWithdrawnRows(t *testing.T) {
	var b strings.Builder
	b.WriteString(header)
	for i := range chunkRows {
		b.WriteString(good("R"+string(rune('a'+i/26%26))+string(rune('a'+i%26))+string(rune('a'+i/676)), "1"))
	}
	b.WriteString(good("RAAA", "1"))
	out := checkText(t, testOptions(), listed(), b.String())
	if len(out.Withdrawn) != 1 || out.Banks != nil {
		t.Errorf("withdrawn %v, banks %v", out.Withdrawn, out.Banks)
	}
}

func TestAPayeesBranchIsNamedInItsFindings(t *testing.T) {
	h := listed()
	h.known = map[ledger.NamedAccount]ledger.KnownPayee{{VendorName: "Asha Traders", Account: asha}: {
		Account: ledger.Account{BankAccountNumber: "11112222", IFSC: "SBIN0000001"}, Accounts: 1, Use: before}}
	f := checkText(t, testOptions(), h, lines(header, good("A", "1"))).finding(t, codePayeeNewAccount)
	if !strings.Contains(f.Message, "HDFC0001234 (HDFC Bank, KANJURMARG): always at the account XXXX2222 at SBIN0000001, first") {
		t.Error(f.Message)
	}
}
