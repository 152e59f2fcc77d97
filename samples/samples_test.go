package samples_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/batcher"
	"payrun/ingest"
	"payrun/ledger"
	"payrun/samples"
	"payrun/validate"
)

var (
	update = flag.Bool("update", false, "write the samples and what is expected of them again")
	all    = flag.Bool("all", false, "make the hostile sheets that are too large to keep")
)

// The active beneficiaries of the sandbox's RIB account, which the sheets pay
// by open_beneficiary_id.
const (
	beneficiary1 = "b0000000-0000-4000-8000-000000000001"
	beneficiary2 = "b0000000-0000-4000-8000-000000000002"
)

// accountName returns the name that the sheets use for a debit account: pb1, pb12-cib.
// Configurations for them use these names.
func accountName(partnerBankID int, kind ledger.AccountKind) string {
	name := fmt.Sprintf("pb%d", partnerBankID)
	if kind != ledger.KindNone {
		name += "-" + string(kind)
	}
	return name
}

// allSamples gives every sample under its path in samples.FS.
func allSamples(t *testing.T) []sample {
	all := goodSamples(t)
	for _, s := range brokenSamples() {
		s.name = "broken/" + s.name
		all = append(all, s)
	}
	return all
}

// With -update this test writes the files; without it, it sees that they are
// what the code next to it says, byte for byte.
func TestFilesAreWhatTheirSourceSays(t *testing.T) {
	var names []string
	for _, s := range allSamples(t) {
		names = append(names, s.name)
		if s.expected.Findings == nil {
			s.expected.Findings = []finding{}
		}
		expected, err := json.MarshalIndent(s.expected, "", "  ")
		check(t, err)
		kept(t, s.name, s.make(t))
		kept(t, s.name+expectedEnding, append(expected, '\n'))
	}
	slices.Sort(names)
	got, err := sheetNames()
	check(t, err)
	if d := cmp.Diff(names, got); d != "" && !*update {
		t.Errorf("sheets in samples.FS (-want +got):\n%s", d)
	}
}

func TestEverySheetHasTheOutcomeBesideIt(t *testing.T) {
	names, err := sheetNames()
	check(t, err)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			want, err := expectedOf(name)
			check(t, err)
			if d := cmp.Diff(want, checkSheet(t, name, nil)); d != "" {
				t.Errorf("outcome (-expected +got):\n%s", d)
			}
		})
	}
}

// README.md says so of these.
func TestOptionsReadWhatIsRefusedWithoutThem(t *testing.T) {
	tests := map[string]func(*validate.Options){
		"broken/windows-1252.csv":   func(o *validate.Options) { o.Encoding = "windows-1252" },
		"broken/two-data-tabs.xlsx": func(o *validate.Options) { o.Tab = "Lot 1" },
		"broken/hidden-row.xlsx":    func(o *validate.Options) { o.HiddenRows = string(ingest.HiddenInclude) },
	}
	for name, set := range tests {
		if got := checkSheet(t, name, set); got.Exit != 0 || got.Accepted.Count != 6 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// checkSheet does what `payrun check` does with a sheet.
func checkSheet(t *testing.T, name string, set func(*validate.Options)) expectedOutcome {
	t.Helper()
	data, err := fs.ReadFile(samples.FS, name)
	check(t, err)
	path := filepath.Join(t.TempDir(), filepath.Base(name))
	check(t, os.WriteFile(path, data, 0o600))

	l := look(t, path, given{set: set})
	e := expectedOutcome{
		Rows: l.result.Sheet.Rows, Total: l.result.Sheet.Total, Accepted: l.result.Sheet.Accepted, Rejected: l.result.Sheet.Rejected,
		Findings: []finding{}, OTPs: len(l.plan.Batches),
	}
	if l.result.Refused() {
		e.Exit = 10
	}
	for _, f := range l.result.Findings {
		e.Findings = append(e.Findings, finding{Row: f.Row, Column: f.Column, Code: f.Code})
	}
	return e
}

// accounts are the nine that the sandbox has, under the names the sheets use.
func accounts() []ledger.DebitAccount {
	var all []ledger.DebitAccount
	add := func(id string, bank int, kind ledger.AccountKind) {
		all = append(all, ledger.DebitAccount{
			Name: accountName(bank, kind), BankAccountID: id, PartnerBankID: bank, Kind: kind,
			AccountNumber: debtorNumbers[accountName(bank, kind)],
		})
	}
	for _, bank := range []int{1, 3, 4, 8, 31, 79, 105} {
		add(fmt.Sprintf("a0000000-0000-4000-8000-%012d", bank), bank, ledger.KindNone)
	}
	add("a0000000-0000-4000-8000-000000000012", 12, ledger.KindCIB)
	add("a0000000-0000-4000-8000-000000000112", 12, ledger.KindRIB)
	return all
}

func planning(payouts []ledger.KeyedPayout) batcher.Input {
	in := batcher.Input{Limit: 500}
	byID := map[string]ledger.DebitAccount{}
	for _, a := range accounts() {
		byID[a.BankAccountID] = a
	}
	for _, p := range payouts {
		a := byID[p.BankAccountID]
		group := batcher.Group{Route: p.Route(), PartnerBankID: a.PartnerBankID, Kind: a.Kind}
		it := batcher.Item{Group: int32(slices.Index(in.Groups, group)), LEI: -1, Amount: p.Amount}
		if it.Group < 0 {
			it.Group, in.Groups = int32(len(in.Groups)), append(in.Groups, group)
		}
		if p.BeneLEI != "" {
			if it.LEI = int32(slices.Index(in.LEIs, p.BeneLEI)); it.LEI < 0 {
				it.LEI, in.LEIs = int32(len(in.LEIs)), append(in.LEIs, p.BeneLEI)
			}
		}
		in.Items = append(in.Items, it)
	}
	return in
}

func TestReadmeNamesEverySheet(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	check(t, err)
	names, err := sheetNames()
	check(t, err)
	for _, name := range names {
		if !bytes.Contains(readme, []byte("`"+name+"`")) {
			t.Errorf("README.md does not name %s", name)
		}
	}
	if sheets := bytes.Count(readme, []byte("\n| `")); sheets != len(names) {
		t.Errorf("README.md has %d sheets, there are %d", sheets, len(names))
	}
}
