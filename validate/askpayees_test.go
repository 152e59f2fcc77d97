package validate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"payrun/ledger"
	"payrun/validate/ifsc"
)

// archive is a past that knows payees and branches too. The number of a payout
// is its position in payouts, from 1.
type archive struct {
	memory
	payouts  []ledger.PastPayout
	locked   map[ledger.Payee][]ledger.Lock // by the account's folded form
	list     ledger.BranchList              // without a name there is none
	branches map[string]ledger.Branch
	fails    error
}

// remember adds as many payouts of an amount to an account.
func (a *archive) remember(n int, name string, to ledger.Account, amount ledger.Paise) *archive {
	for range n {
		a.payouts = append(a.payouts, ledger.PastPayout{NamedAccount: ledger.NamedAccount{VendorName: name, Account: to}, Amount: amount, Use: before})
	}
	return a
}

func (a *archive) PaidElsewhere(_ context.Context, named []ledger.NamedAccount, _ int) (map[ledger.NamedAccount][]ledger.Payment, error) {
	found := map[ledger.NamedAccount][]ledger.Payment{}
	for _, n := range named {
		seen := map[ledger.Account]bool{}
		var first []ledger.Payment
		for i, p := range a.payouts {
			if FoldName(p.VendorName) == FoldName(n.VendorName) && !seen[p.Folded()] {
				seen[p.Folded()] = true
				first = append(first, ledger.Payment{PayoutID: int64(i + 1)})
			}
		}
		if len(first) > 0 && !seen[n.Folded()] {
			found[n] = first
		}
	}
	return found, a.fails
}

func (a *archive) LatestPayments(_ context.Context, accounts []ledger.Account, _ int) (map[ledger.Account][]ledger.Payment, error) {
	found := map[ledger.Account][]ledger.Payment{}
	for _, account := range slices.Compact(accounts) {
		found[account] = nil
		for i, p := range a.payouts {
			if p.Same(account) {
				found[account] = append(found[account], ledger.Payment{PayoutID: int64(i + 1), Amount: p.Amount})
			}
		}
	}
	return found, nil
}

func (a *archive) PastPayouts(_ context.Context, ids []int64) (map[int64]ledger.PastPayout, error) {
	found := map[int64]ledger.PastPayout{}
	for _, id := range ids {
		found[id] = a.payouts[id-1]
	}
	return found, nil
}

func (a *archive) LockedLike(_ context.Context, payees []ledger.Payee) (map[ledger.Payee][]ledger.Lock, error) {
	found := map[ledger.Payee][]ledger.Lock{}
	for _, p := range payees {
		if locks := a.locked[ledger.Payee{Account: p.Account.Folded(), Amount: p.Amount}]; len(locks) > 0 {
			found[p] = locks
		}
	}
	return found, a.fails
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
	h := (&archive{}).remember(1, "Asha Traders", old, 1_00)
	text := lines(header, good("A", "1"), "B,Bina,50200012345679,HDFC0001234,2\n")
	out := checkText(t, testOptions(), h, text)
	want := ledger.Finding{
		Row: 2, Cell: "C2", Header: "bank_account_number", Column: "bank_account_number", Ref: "A", Code: "payee_new_account", Severity: ledger.SeverityWarning, Value: "XXXXXXXXXX5678",
		Message: `"Asha Traders" had the account XXXXXXXXXX9876 at ICIC0004321 until now, and now has XXXXXXXXXX5678 at HDFC0001234; ` +
			`first by reference "OCT-9", sheet "oct.csv" (shoct), row 4, loaded 2026-10-31, now paid`,
		Fix: explained(codePayeeNewAccount).Fix,
	}
	same(t, []ledger.Finding{want}, out.Findings)
	if len(out.kept) != 2 || out.Refused() {
		t.Error("a warning refused something")
	}
	strictRefuses(t, testOptions(), h, text, 2)
}

// It needs no other finding, and the person who takes the payout reads it.
func TestARowLikeALockedPayoutIsAWarning(t *testing.T) {
	h := (&archive{}).remember(1, "Asha Traders", asha, 100_00)
	h.locked = map[ledger.Payee][]ledger.Lock{{Account: asha.Folded(), Amount: 100_00}: {
		{Kind: ledger.LockContradicted, Ref: "INV-1", Status: "failed", Dispute: ledger.DisputeStepBack}, {Kind: ledger.LockRestored}}}
	text := lines(header, good("A", "100"), good("B", "100.01"))
	out := checkText(t, testOptions(), h, text)
	f := out.finding(t, codeLikeLocked)
	const says = `"INV-1" has the same account and amount, and is locked as contradicted: the bank showed it as success, and then as "failed"`
	if len(out.Findings) != 1 || f.Row != 2 || f.Severity != ledger.SeverityWarning || f.Message != says {
		t.Errorf("%+v", out.Findings)
	}
	if len(out.kept) != 2 || !out.kept[0].LikeLocked || out.kept[1].LikeLocked {
		t.Errorf("given on: %+v", out.kept)
	}
	strictRefuses(t, testOptions(), h, text, 2)
}

func TestANewAccountOfAPayeeWithSeveralSaysHowMany(t *testing.T) {
	h := (&archive{}).remember(1, "Asha Traders", ledger.Account{BankAccountNumber: "11112222", IFSC: "SBIN0000001"}, 1_00).
		remember(1, "asha  traders", ledger.Account{BankAccountNumber: "33334444", IFSC: "SBIN0000001"}, 1_00).remember(2, "ASHA TRADERS", asha, 1_00)
	out := checkText(t, testOptions(), h, "merchant_txn_ref_id,vendor_name,open_beneficiary_id,bank_account_id,amount\nA,Asha Traders,"+goodUUID+",retail,1\n")
	f := out.finding(t, codePayeeNewAccount)
	if f.Column != "open_beneficiary_id" || f.Value != goodUUID || !strings.Contains(f.Message, "had 3 other accounts, the latest of them XXXXXXXXXX5678 at HDFC0001234, and now has ") {
		t.Errorf("%+v", f)
	}
}

func TestAnAmountFarAboveTheUsualIsAWarning(t *testing.T) {
	chetan := ledger.Account{BankAccountNumber: "11112222", IFSC: "SBIN0000001"}
	h := (&archive{}).remember(5, "Asha Traders", asha, 10_00).remember(4, "Chetan", chetan, 10_00)
	text := lines(header, good("A", "100"), good("B", "99.99"), "C,Chetan,11112222,SBIN0000001,500\n")
	f := checkText(t, testOptions(), h, text).finding(t, codeAmountUnusual)
	if f.Row != 2 || f.Column != "amount" || f.Value != "100.00" || f.Severity != ledger.SeverityWarning ||
		!strings.HasPrefix(f.Message, `100.00 is 10 times 10.00, the median of 5 earlier payouts to this account, the latest of them reference "OCT-9", sheet "oct.csv"`) {
		t.Errorf("%+v", f)
	}
	strictRefuses(t, testOptions(), h, text, 2)
}

func TestARejectedRowIsNotHeldAgainstEarlierPayouts(t *testing.T) {
	h := (&archive{}).remember(1, "Asha Traders", ledger.Account{BankAccountNumber: "11112222", IFSC: "SBIN0000001"}, 1_00)
	out := checkText(t, testOptions(), h, lines(header, good("A", "x")))
	same(t, []string{"2:amount:amount_unreadable"}, out.codes())
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
	text := lines(header, good("A", "1"), "B,Bina,50200012345679,HDFC0001235,2\n", "C,Bina,50200012345679,HDFC000123,1\n")
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
	strictRefuses(t, o, listed(), text, 3, 4)
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
	same(t, want, out.Banks)
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

// Masked, another account may look like the one before.
func TestANewAccountThatEndsTheSameIsSaidToBeAnother(t *testing.T) {
	h := (&archive{}).remember(1, "Asha Traders", ledger.Account{BankAccountNumber: "98765432105678", IFSC: "HDFC0001234"}, 1_00)
	f := checkText(t, testOptions(), h, lines(header, good("A", "1"))).finding(t, codePayeeNewAccount)
	if !strings.Contains(f.Message, "had the account XXXXXXXXXX5678 at HDFC0001234 until now, and now has another that ends the same; first") {
		t.Error(f.Message)
	}
}

func TestAPayeesBranchIsNamedInItsFindings(t *testing.T) {
	h := listed()
	h.remember(1, "Asha Traders", ledger.Account{BankAccountNumber: "11112222", IFSC: "SBIN0000001"}, 1_00)
	f := checkText(t, testOptions(), h, lines(header, good("A", "1"))).finding(t, codePayeeNewAccount)
	if !strings.Contains(f.Message, "had the account XXXX2222 at SBIN0000001 until now, and now has XXXXXXXXXX5678 at HDFC0001234 (HDFC Bank, KANJURMARG); first") {
		t.Error(f.Message)
	}
}

// Nothing is missed where a chunk ends. Of the first rows that pay again it is known
// from which payout, of the rest only that they do.
func TestManyRowsThatPayAgain(t *testing.T) {
	const rows = 2*chunkRows + 5
	h := &memory{paid: map[ledger.Payee]ledger.ReferenceUse{}}
	var b strings.Builder
	b.WriteString(header)
	for i := range rows {
		account := ledger.Account{BankAccountNumber: strconv.Itoa(50200000000000 + i), IFSC: "HDFC0001234"}
		if i%2 == 0 {
			h.paid[ledger.Payee{Account: account, Amount: 5_00}] = before
		}
		ref := fmt.Sprintf("R%d", i)
		if i == chunkRows { // repeats the last of the chunk before
			ref = fmt.Sprintf("r%d", i-1)
		}
		fmt.Fprintf(&b, "%s,Asha,%s,HDFC0001234,5\n", ref, account.BankAccountNumber)
	}
	o := testOptions()
	o.RecentSince = before.LoadedAt
	out := checkText(t, o, h, b.String())
	told, again, repeated := 0, 0, 0
	for _, f := range out.Findings {
		switch f.Code {
		case codePayeePaid:
			again++
			if strings.Contains(f.Message, "reference ") {
				told++
			} else if !strings.Contains(f.Message, "the first 1000 such rows") {
				t.Fatal(f.Message)
			}
		case codeReferenceRepeated:
			repeated++
		}
	}
	if want := rows/2 + 1 - 1; again != want || told < namedPaid || told >= again || repeated != 2 { // one repeats a reference
		t.Errorf("%d of %d pay again, %d told, %d repeat a reference", again, want, told, repeated)
	}
	if len(out.given) != rows-1 || out.given[0].Ref != "R0" || out.given[rows-2].Ref != fmt.Sprintf("R%d", rows-1) || !slices.Equal(out.Withdrawn, []int{chunkRows + 1}) {
		t.Errorf("%d given, %v withdrawn", len(out.given), out.Withdrawn)
	}
}
