package validate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"payrun/ledger"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestARepeatedReferenceRefusesEveryRowAndEachNamesTheOthers(t *testing.T) {
	out := checkText(t, testOptions(), &memory{}, lines(header, good("INV-1", "100"), good("B", "10"), good("inv-1", "200"), good("ＩＮＶ-1", "400")))
	want := map[int]string{2: "rows 4, 5", 4: "rows 2, 5", 5: "rows 2, 4"}
	spelt := map[int]string{2: "INV-1", 4: "inv-1", 5: "ＩＮＶ-1"}
	if len(out.Findings) != len(want) {
		t.Fatalf("findings: %v", out.codes())
	}
	for _, f := range out.Findings {
		if f.Code != codeReferenceRepeated || f.Column != "merchant_txn_ref_id" || !strings.HasSuffix(f.Message, want[f.Row]) || f.Ref != spelt[f.Row] {
			t.Errorf("%+v", f)
		}
	}
	same(t, []string{"B"}, out.refs())
	if out.Sheet.Accepted != (ledger.Tally{Count: 1, Total: 10_00}) || out.Sheet.Rejected != (ledger.Tally{Count: 3, Total: 700_00}) {
		t.Errorf("accepted %+v, rejected %+v", out.Sheet.Accepted, out.Sheet.Rejected)
	}
	if len(out.Withdrawn) != 0 {
		t.Errorf("withdrawn %v of the chunk in hand", out.Withdrawn)
	}
}

func TestTheFirstRowOfARepeatedReferenceIsWithdrawn(t *testing.T) {
	var b strings.Builder
	b.WriteString(header)
	for i := range 2 * chunkRows {
		b.WriteString(good(fmt.Sprintf("R%d", i), "1"))
	}
	b.WriteString(good("r7", "5") + good("R3", "5") + good("R7", "5"))
	text := b.String()
	out := checkText(t, testOptions(), &memory{}, text)
	same(t, []int{5, 9}, out.Withdrawn)
	same(t, []int{5, 9, 2*chunkRows + 2, 2*chunkRows + 3, 2*chunkRows + 4}, out.RejectedRows)

	o := testOptions()
	o.Exclude = out.Withdrawn
	again := checkText(t, o, &memory{}, text)
	if len(again.Withdrawn) != 0 || len(again.given) != 2*chunkRows-2 {
		t.Errorf("the second pass withdrew %v of %d", again.Withdrawn, len(again.given))
	}
	same(t, out.Result.Findings, again.Result.Findings)
	same(t, out.refs(), again.refs())
}

func TestAUsedReferenceNamesTheSheetAndTheDate(t *testing.T) {
	h := &memory{used: map[string]ledger.ReferenceUse{
		"inv-2":    {Ref: "Inv-2", SheetID: "shabc", SheetName: "oct.csv", Row: 17, LoadedAt: longAgo},
		"inv-1-r2": {Ref: "INV-1-R2", SheetID: "shabc", SheetName: "oct.csv", Row: 3, LoadedAt: longAgo},
	}}
	out := checkText(t, testOptions(), h, lines(header, good("INV-1", "1"), good("INV-2", "2"), good("INV-1-R2", "4"), good("=x", "8")))
	want := []string{"3:merchant_txn_ref_id:reference_used_before", "4:merchant_txn_ref_id:reference_used_before", "5:merchant_txn_ref_id:reference_starts_formula"}
	same(t, want, out.codes())
	if m := out.Findings[0].Message; !strings.Contains(m, `"oct.csv"`) || !strings.Contains(m, "row 17") || !strings.Contains(m, "2026-10-31") {
		t.Error(m)
	}
	same(t, []string{"INV-1"}, out.refs())
}

func TestARejectedRowIsAskedAboutTooButCountedOnce(t *testing.T) {
	h := &memory{used: map[string]ledger.ReferenceUse{"a": {SheetName: "oct.csv", LoadedAt: longAgo}}}
	out := checkText(t, testOptions(), h, lines(header, "A,,50200012345678,,5\n", good("A", "x")))
	codes := strings.Join(out.codes(), " ")
	for _, code := range []string{codeReferenceUsed, codeReferenceRepeated, codeNameMissing, codeAmountUnreadable} {
		if !strings.Contains(codes, code) {
			t.Errorf("%s is not said: %s", code, codes)
		}
	}
	if out.Sheet.Rejected != (ledger.Tally{Count: 2, Total: 5_00}) {
		t.Errorf("rejected %+v", out.Sheet.Rejected)
	}
}

func TestASheetLoadedBeforeIsOneFinding(t *testing.T) {
	text := lines(header, good("A", "1"), good("B", "2"))
	first := checkText(t, testOptions(), &memory{}, text).Sheet
	first.ID, first.Name, first.LoadedAt = "shfirst", "nov.csv", longAgo
	used := ledger.ReferenceUse{SheetID: "shfirst", SheetName: "nov.csv", LoadedAt: longAgo}
	h := &memory{sheets: []ledger.Sheet{first}, used: map[string]ledger.ReferenceUse{"a": used, "b": used}}

	for name, again := range map[string]string{
		"the same bytes":      text,
		"the same rows":       lines("\n", "Ref No;IFSC;Payee;Account No;Amount (INR)\n", "A;HDFC0001234;Asha Traders;50200012345678;Rs. 1.00\n", "\n", "B;HDFC0001234; Asha Traders ;50200012345678;2/-\n", "Total;;;;3\n"),
		"with another column": lines("merchant_txn_ref_id,vendor_name,bank_account_number,ifsc,amount,cost centre\n", "A,Asha Traders,50200012345678,HDFC0001234,1,north\n", "B,Asha Traders,50200012345678,HDFC0001234,2,south\n"),
	} {
		out := checkText(t, testOptions(), h, again)
		if diff := cmp.Diff([]string{"0::sheet_already_loaded"}, out.codes()); diff != "" {
			t.Errorf("%s: %s", name, diff)
			continue
		}
		f := out.Findings[0]
		if !out.AlreadyLoaded || !strings.Contains(f.Message, `"nov.csv" (shfirst) on 2026-10-31`) || len(out.kept) != 0 || !out.FileRefused() {
			t.Errorf("%s: %+v", name, f)
		}
	}

	out := checkText(t, testOptions(), h, lines(header, good("A", "1"), good("B", "2.01")))
	want := []string{"2:merchant_txn_ref_id:reference_used_before", "3:merchant_txn_ref_id:reference_used_before"}
	if diff := cmp.Diff(want, out.codes()); diff != "" || out.AlreadyLoaded {
		t.Errorf("the same rows with another amount: %s", diff)
	}
}

func TestRowsHashSeesEveryColumnThatIsRead(t *testing.T) {
	const head = "merchant_txn_ref_id,vendor_name,bank_account_number,ifsc,amount,remarks,open_beneficiary_id,bank_account_id,transaction_type_id,bene_lei,sub_merchant_id\n"
	cells := []string{"A", "Asha", "50200012345678", "HDFC0001234", "1", "r", "", "main", "NEFT", goodLEI, "sm"}
	hash := func(rows ...string) string {
		return checkText(t, testOptions(), nil, head+lines(rows...)).Sheet.RowsHash
	}
	row := strings.Join(cells, ",") + "\n"
	seen := map[string]string{hash(row): "the row itself", hash(row, row): "the row twice"}
	for i := range cells {
		other := slices.Clone(cells)
		other[i] += "9"
		h := hash(strings.Join(other, ",") + "\n")
		if what, ok := seen[h]; ok {
			t.Errorf("a change of column %d has the hash of %s", i, what)
		}
		seen[h] = fmt.Sprintf("a change of column %d", i)
	}
	if hash(row) != hash("\n", row) {
		t.Error("a blank row changes the hash")
	}
}

func TestTheSamePayeeAndAmountLatelyIsAWarning(t *testing.T) {
	payee := ledger.Payee{Account: ledger.Account{BankAccountNumber: "50200012345678", IFSC: "HDFC0001234"}, Amount: 100_00}
	h := &memory{paid: map[ledger.Payee]ledger.ReferenceUse{payee: {Ref: "OCT-9", SheetName: "oct.csv", SheetID: "shoct", Row: 4, LoadedAt: longAgo}}}
	text := lines(header, good("A", "100"), good("B", "100.01"))
	if out := checkText(t, testOptions(), h, text); len(out.Findings) != 0 {
		t.Errorf("asked without RecentSince: %v", out.codes())
	}
	o := testOptions()
	o.RecentSince = longAgo.AddDate(0, 0, -7)
	out := checkText(t, o, h, text)
	f := out.finding(t, codePayeePaid)
	if f.Row != 2 || f.Severity != ledger.SeverityWarning || !strings.Contains(f.Message, "OCT-9") || out.Refused() || len(out.kept) != 2 {
		t.Errorf("%+v", f)
	}
	strictRefuses(t, o, h, text, 2)
}

// failing is a past that cannot be read.
type failing struct{ memory }

var errPast = errors.New("the ledger is gone")

func (failing) UsedReferences(context.Context, []string) (map[string]ledger.ReferenceUse, error) {
	return nil, errPast
}

func TestAPastThatCannotBeReadStopsTheCheck(t *testing.T) {
	_, err := Check(context.Background(), writeFile(t, "s.csv", header+good("A", "1")), testOptions(), &failing{}, func([]Accepted) error {
		t.Error("payouts were passed on without asking")
		return nil
	})
	if !errors.Is(err, errPast) {
		t.Errorf("the past's error became %v", err)
	}
}

// Whatever the rows: each is accepted or rejected, a reference is paid at most
// once, and the sums agree (outcome.holds).
func TestEveryRowIsAcceptedOrRejectedOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cell := rapid.SampledFrom([]string{"A", "a", "B", "C-1", "=D", "", "E\u200b"})
		amount := rapid.SampledFrom([]string{"1", "2.50", "x", "", "0"})
		var b strings.Builder
		b.WriteString(header)
		n := rapid.IntRange(1, 12).Draw(rt, "rows")
		for range n {
			b.WriteString(good(cell.Draw(rt, "ref"), amount.Draw(rt, "amount")))
		}
		h := &memory{used: map[string]ledger.ReferenceUse{"b": {SheetName: "oct.csv"}}}
		out := checkText(t, testOptions(), h, b.String())
		if out.Sheet.Rows != n {
			rt.Fatalf("%d rows of %d", out.Sheet.Rows, n)
		}
		seen := map[string]bool{}
		for _, p := range out.kept {
			if seen[p.Key] || p.Key == "b" {
				rt.Fatalf("%q is paid twice", p.Ref)
			}
			seen[p.Key] = true
		}
	})
}
