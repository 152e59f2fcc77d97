package validate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ingest"
	"payrun/ledger"
)

// The debit accounts of the tests: an ordinary one, partner bank 1, and the
// two kinds of partner bank 12.
var testAccounts = []ledger.DebitAccount{
	{Name: "main", BankAccountID: "11111111-1111-4111-8111-111111111111", PartnerBankID: 3, Default: true, AccountNumber: "00098765432100"},
	{Name: "big", BankAccountID: "22222222-2222-4222-8222-222222222222", PartnerBankID: 1},
	{Name: "retail", BankAccountID: "33333333-3333-4333-8333-333333333333", PartnerBankID: 12, Kind: ledger.KindRIB},
	{Name: "corporate", BankAccountID: "44444444-4444-4444-8444-444444444444", PartnerBankID: 12, Kind: ledger.KindCIB},
}

func testOptions() Options {
	return Options{Accounts: testAccounts, SubMerchantID: "sm_0001", TransactionTypeID: "NEFT"}
}

const (
	header   = "merchant_txn_ref_id,vendor_name,bank_account_number,ifsc,amount\n"
	goodLEI  = "5493001KJTIIGC8Y1R12"
	goodUUID = "0b8f5a1e-6c1d-4c7e-9a52-3d1f0a7b9c11"
)

// good gives a row that nothing is wrong with.
func good(ref, amount string) string {
	return fmt.Sprintf("%s,Asha Traders,50200012345678,HDFC0001234,%s\n", ref, amount)
}

// must ends a test at an error that it is not about.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// same wants two values to be equal; of says of what, where the line does not.
func same(t testing.TB, want, got any, of ...any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(append(of, diff)...)
	}
}

// outcome is what Check did with a sheet.
type outcome struct {
	Result
	given []Accepted // as the sink got them
	kept  []Accepted // without those withdrawn
}

// checkText writes a CSV and checks it.
func checkText(t testing.TB, o Options, h Past, text string) outcome {
	t.Helper()
	return checkFile(t, o, h, writeFile(t, "sheet.csv", text))
}

func writeFile(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func checkFile(t testing.TB, o Options, h Past, path string) outcome {
	t.Helper()
	var out outcome
	result, err := Check(context.Background(), path, o, h, func(p []Accepted) error {
		out.given = append(out.given, p...)
		return nil
	})
	if err != nil {
		t.Fatalf("Check: %v", err)
	}
	out.Result = result
	for _, p := range out.given {
		if !slices.Contains(result.Withdrawn, p.Row) {
			out.kept = append(out.kept, p)
		}
	}
	out.holds(t)
	return out
}

// strictRefuses wants warnings to refuse these rows, and no others.
func strictRefuses(t *testing.T, o Options, h Past, text string, rows ...int) {
	t.Helper()
	o.Strict = true
	if out := checkText(t, o, h, text); !slices.Equal(out.RejectedRows, rows) || len(out.kept) != out.Sheet.Rows-len(rows) {
		t.Errorf("strict: %v", out.codes())
	}
}

// holds asserts what is true of every result.
func (o outcome) holds(t testing.TB) {
	t.Helper()
	s := o.Sheet
	var sum ledger.Tally
	for _, p := range o.kept {
		sum.Add(p.Amount)
		if p.Key != RefKey(p.Ref) {
			t.Errorf("row %d: key %q, want %q", p.Row, p.Key, RefKey(p.Ref))
		}
		if slices.Contains(o.RejectedRows, p.Row) {
			t.Errorf("row %d is accepted and rejected", p.Row)
		}
	}
	if sum != s.Accepted {
		t.Errorf("accepted says %+v, the sink kept %+v", s.Accepted, sum)
	}
	if s.Rows != s.Accepted.Count+s.Rejected.Count {
		t.Errorf("%d rows, but %d accepted and %d rejected", s.Rows, s.Accepted.Count, s.Rejected.Count)
	}
	if s.Total != s.Accepted.Total+s.Rejected.Total {
		t.Errorf("total %s, but %s accepted and %s rejected", s.Total, s.Accepted.Total, s.Rejected.Total)
	}
	if s.Rejected.Count > 0 && !o.Refused() {
		t.Error("rows were rejected and no finding says why")
	}
	for i, f := range o.Findings {
		if _, ok := ingest.Explained(f.Code); !ok || f.Message == "" || f.Fix == "" || f.Severity == "" {
			t.Errorf("finding without code, message, fix or severity: %+v", f)
		}
		if strings.Contains(f.Fix, "--") {
			t.Errorf("a fix that is written for the command line alone: %+v", f)
		}
		if i > 0 && f.Row < o.Findings[i-1].Row && f.Code != codeFindingsCapped {
			t.Errorf("findings are not in row order: %d after %d", f.Row, o.Findings[i-1].Row)
		}
	}
}

// codes gives "row:column:code" of every finding, the short form tests compare.
func (o outcome) codes() []string {
	var codes []string
	for _, f := range o.Findings {
		codes = append(codes, fmt.Sprintf("%d:%s:%s", f.Row, f.Column, f.Code))
	}
	return codes
}

func (o outcome) refs() []string {
	var refs []string
	for _, p := range o.kept {
		refs = append(refs, p.Ref)
	}
	return refs
}

// finding returns the one finding of that code.
func (o outcome) finding(t testing.TB, code string) ledger.Finding {
	t.Helper()
	var found []ledger.Finding
	for _, f := range o.Findings {
		if f.Code == code {
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d findings of code %s, want 1; all: %v", len(found), code, o.codes())
	}
	return found[0]
}

// memory is a past that a test writes down.
type memory struct {
	used   map[string]ledger.ReferenceUse // by key
	sheets []ledger.Sheet
	paid   map[ledger.Payee]ledger.ReferenceUse
	asked  int // keys
}

func (m *memory) UsedReferences(_ context.Context, keys []string) (map[string]ledger.ReferenceUse, error) {
	m.asked += len(keys)
	found := map[string]ledger.ReferenceUse{}
	for _, k := range keys {
		if use, ok := m.used[k]; ok {
			found[k] = use
		}
	}
	return found, nil
}

func (m *memory) SheetBy(_ context.Context, like ledger.Sheet) (ledger.Sheet, error) {
	for _, s := range m.sheets {
		if s.SHA256 == like.SHA256 && s.Tab == like.Tab && s.RefPrefix == like.RefPrefix || s.RowsHash == like.RowsHash {
			return s, nil
		}
	}
	return ledger.Sheet{}, ledger.ErrNotFound
}

func (m *memory) SheetUnderAnotherPrefix(_ context.Context, like ledger.Sheet) (ledger.Sheet, error) {
	for _, s := range m.sheets {
		if s.RefPrefix != like.RefPrefix && (s.SHA256 == like.SHA256 && s.Tab == like.Tab || s.Bare() == like.Bare()) {
			return s, nil
		}
	}
	return ledger.Sheet{}, ledger.ErrNotFound
}

func (m *memory) PaidSince(_ context.Context, payees []ledger.Payee, since time.Time, _ bool) (map[ledger.Payee]ledger.ReferenceUse, error) {
	found := map[ledger.Payee]ledger.ReferenceUse{}
	for _, p := range payees {
		if use, ok := m.paid[p]; ok && !use.LoadedAt.Before(since) {
			found[p] = use
		}
	}
	return found, nil
}

// It knows nothing else.

func (m *memory) PaidElsewhere(context.Context, []ledger.NamedAccount, int) (map[ledger.NamedAccount][]ledger.Payment, error) {
	return nil, nil
}

func (m *memory) LatestPayments(context.Context, []ledger.Account, int) (map[ledger.Account][]ledger.Payment, error) {
	return nil, nil
}

func (m *memory) Some(context.Context) (bool, error) { return true, nil }

func (m *memory) LockedLike(context.Context, []ledger.Payee) (map[ledger.Payee][]ledger.Lock, error) {
	return nil, nil
}

func (m *memory) PastPayouts(context.Context, []int64) (map[int64]ledger.PastPayout, error) {
	return nil, nil
}

func (m *memory) Correctable(context.Context, []string) (map[string]ledger.Correctable, error) {
	return nil, nil
}

func (m *memory) RowsUsed(context.Context, string, []int) (map[int]ledger.RowUse, error) {
	return nil, nil
}

func (m *memory) BankLists(context.Context) (ledger.BankLists, error) { return ledger.BankLists{}, nil }

func (m *memory) BranchList(context.Context) (ledger.BranchList, error) {
	return ledger.BranchList{}, ledger.ErrNotFound
}

func (m *memory) Branches(context.Context, []string) (map[string]ledger.Branch, error) {
	return nil, nil
}

func lines(rows ...string) string { return strings.Join(rows, "") }

func explained(code string) ingest.Explanation {
	e, _ := ingest.Explained(code)
	return e
}
