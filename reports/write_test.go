package reports

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"payrun/ledger"
)

var update = flag.Bool("update", false, "write the golden files again")

// must ends a test at an error that it is not about.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	must(t, err)
	return b
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		must(t, os.MkdirAll("testdata", 0o755))
		must(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	must(t, err)
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); if it should, run with -update:\n%s", path, diff)
	}
}

func TestOnlyAFileWithLettersBeyondASCIIBeginsWithAMark(t *testing.T) {
	m := &memory{}
	m.payout(m.batch(m.sheet("a.csv"), 12, ledger.BatchSettled), 100, ledger.PayoutSuccess)
	again := m.attempts[0]
	again.Number = 2
	m.attempts[0].Reason, m.attempts[0].State = "zurück", ledger.PayoutFailed
	m.attempts = append(m.attempts, again)
	dir := t.TempDir()
	_, err := Write(t.Context(), m, Options{Dir: dir, Zone: indianStandardTime})
	must(t, err)
	for name, want := range map[string]bool{PayoutsFile: false, attemptsFile: true, exceptionsFile: false} {
		if got := bytes.HasPrefix(read(t, dir, name), []byte(byteOrderMark)); got != want {
			t.Errorf("%s begins with a mark: %v", name, got)
		}
	}
}

func TestFilesAreAsLastReviewed(t *testing.T) {
	for name, m := range map[string]*memory{"month": month(), "paid": allPaid(), "empty": {}} {
		t.Run(name, func(t *testing.T) {
			dir := writeAll(t, m, Options{})
			for _, file := range []string{PayoutsFile, attemptsFile, exceptionsFile, JSONFile, HTMLFile} {
				golden(t, name+"."+file, read(t, dir, file))
			}
		})
	}
}

func TestSameLedgerGivesSameBytes(t *testing.T) {
	first, second := writeAll(t, month(), Options{}), writeAll(t, month(), Options{})
	for _, name := range Files() {
		if !bytes.Equal(read(t, first, name), read(t, second, name)) {
			t.Errorf("%s differs between two runs over the same ledger", name)
		}
	}
}

func TestReportsReplaceEarlierOnes(t *testing.T) {
	dir := writeAll(t, month(), Options{})
	writeAll(t, allPaid(), Options{Dir: dir})
	if got, want := names(t, dir), Files(); !cmp.Equal(got, sorted(want)) {
		t.Errorf("the folder holds %v, want %v and nothing else", got, want)
	}
	if fresh := writeAll(t, allPaid(), Options{}); !bytes.Equal(read(t, dir, workbookFile), read(t, fresh, workbookFile)) {
		t.Error("a workbook over an earlier one differs from a fresh one")
	}
}

func TestModesKeepOthersOut(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	writeAll(t, allPaid(), Options{Dir: dir})
	check := func(path string, want os.FileMode) {
		info, err := os.Stat(path)
		must(t, err)
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
	check(dir, 0o700)
	for _, name := range Files() {
		check(filepath.Join(dir, name), 0o600)
	}
}

// payouts reads payouts.csv into a map a line.
func payouts(t *testing.T, dir string) []map[string]string { return lines(t, dir, PayoutsFile) }

func lines(t *testing.T, dir, name string) []map[string]string {
	t.Helper()
	all, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(read(t, dir, name), []byte(byteOrderMark)))).ReadAll()
	must(t, err)
	var found []map[string]string
	for _, row := range all[1:] {
		line := map[string]string{}
		for i, head := range all[0] {
			line[head] = row[i]
		}
		found = append(found, line)
	}
	return found
}

func sum(t *testing.T, lines []map[string]string) ledger.Tally {
	t.Helper()
	var total ledger.Tally
	for _, l := range lines {
		p, err := ledger.ParsePaise(l["amount"])
		must(t, err)
		total.Add(p)
	}
	return total
}

// document is reconciliation.json as another program reads it.
type document struct {
	Schema         string                  `json:"schema"`
	Scope          string                  `json:"scope"`
	Payouts        map[string]ledger.Tally `json:"payouts"`
	Matched        ledger.Tally            `json:"matched"`
	InDoubt        ledger.Tally            `json:"in_doubt"`
	MatchedAgainst []string                `json:"matched_against"`
	Statements     string                  `json:"statements"`
	Exceptions     []exceptionLine         `json:"exceptions"`
	Unexplained    ledger.Paise            `json:"unexplained"`
	Reports        []string                `json:"reports"`
	Sheets         []sheetJSON             `json:"sheets"`
	Batches        []ledger.BatchStatus    `json:"batches"`
	Ties           ties                    `json:"ties"`
	Pairs          []Pair                  `json:"pairs"`
	Environment    string                  `json:"environment"`
	Merchant       string                  `json:"merchant"`
	WrittenBy      string                  `json:"written_by"`
	Audit          ledger.AuditHead        `json:"audit"`
}

func reconciliation(t *testing.T, dir string) document {
	t.Helper()
	var d document
	dec := json.NewDecoder(bytes.NewReader(read(t, dir, JSONFile)))
	dec.DisallowUnknownFields()
	must(t, dec.Decode(&d))
	return d
}

func TestTotalsEqualSumsOfLines(t *testing.T) {
	m := month()
	dir := writeAll(t, m, Options{})
	d := reconciliation(t, dir)

	var want ledger.Tally
	byState := map[string]ledger.Tally{}
	for _, a := range m.attempts {
		want.Add(a.Amount)
		in := byState[string(a.State)]
		in.Add(a.Amount)
		byState[string(a.State)] = in
	}
	if diff := cmp.Diff(byState, d.Payouts); diff != "" {
		t.Errorf("payouts by state (-want +got):\n%s", diff)
	}
	if got := sum(t, payouts(t, dir)); got != want {
		t.Errorf("payouts.csv sums to %v, want %v", got, want)
	}
	if d.Ties.ByStateSum != want || d.Ties.Accepted != want || !d.Ties.TiesOut || d.Ties.Difference != 0 {
		t.Errorf("ties = %+v, want %v on both sides", d.Ties, want)
	}
	var named ledger.Tally
	for _, e := range lines(t, dir, exceptionsFile) {
		if e["row"] != "" {
			p, _ := ledger.ParsePaise(e["amount"])
			named.Add(p)
		}
	}
	if got := d.Matched.Count + named.Count; got != want.Count {
		t.Errorf("%d matched and %d exceptions, want %d together", d.Matched.Count, named.Count, want.Count)
	}
	if got := d.Matched.Total + named.Total; got != want.Total || d.Unexplained != 0 {
		t.Errorf("matched and exceptions sum to %v with %v unexplained, want %v and 0.00", got, d.Unexplained, want.Total)
	}
}

func TestDifferenceIsSaidEverywhere(t *testing.T) {
	cases := map[string]func(m *memory){
		"a payout is missing":           func(m *memory) { m.attempts = m.attempts[1:] },
		"a payout is there twice":       func(m *memory) { m.attempts = append(m.attempts, m.attempts[0]) },
		"an amount is a paisa off":      func(m *memory) { m.attempts[2].Amount++ },
		"a state is not of this world":  func(m *memory) { m.attempts[1].State = "lost" },
		"rows of a sheet do not add up": func(m *memory) { m.sheets[0].Rows++ },
		"amounts moved between payouts": func(m *memory) { m.sheets[0].Accepted.Total-- },
		"two differences level the sum": func(m *memory) { m.attempts[0].SheetID = "other" },
		"a payout of nothing from nowhere": func(m *memory) {
			m.attempts = append(m.attempts, ledger.Attempt{Payout: ledger.Payout{SheetID: "other"}, State: ledger.PayoutSuccess})
		},
		"count differs and total agrees": func(m *memory) { m.sheets[0].Accepted.Count++ },
	}
	for name, spoil := range cases {
		t.Run(name, func(t *testing.T) {
			m := allPaid()
			spoil(m)
			dir := writeAll(t, m, Options{})
			if d := reconciliation(t, dir); d.Ties.TiesOut {
				t.Errorf("ties_out is true: %+v", d.Ties)
			}
			page := string(read(t, dir, HTMLFile))
			if !strings.Contains(page, "<b>Sheet and ledger</b>: does not tie out") || strings.Contains(page, "<b>Sheet and ledger</b>: ties out") {
				t.Error("the page does not say that it does not tie out")
			}
			if got := cellText(t, dir, summaryTab, "A4"); !strings.HasPrefix(got, "Sheet and ledger: does not tie out") {
				t.Errorf("the workbook says %q", got)
			}
		})
	}
}

func TestUnexplainedIsWhatNoExceptionNames(t *testing.T) {
	m := allPaid()
	m.attempts = m.attempts[1:]
	d := reconciliation(t, writeAll(t, m, Options{}))
	if want := ledger.Paise(1_00_000_00); d.Unexplained != want || d.Ties.Difference != want || d.Ties.CountDifference != 1 {
		t.Errorf("unexplained %v, ties %+v, want %v and one payout", d.Unexplained, d.Ties, want)
	}
}

func TestAccountsAreMasked(t *testing.T) {
	m := month()
	full := m.attempts[0].BankAccountNumber
	dir := writeAll(t, m, Options{})
	if text := string(read(t, dir, PayoutsFile)) + workbookText(t, dir); strings.Contains(text, full) {
		t.Error("the full account number shows")
	}
	if got := payouts(t, dir)[0]["bank_account_number"]; !strings.HasSuffix(got, full[len(full)-4:]) {
		t.Errorf("account %q does not end in %s", got, full[len(full)-4:])
	}
}

func TestOneSheetOnly(t *testing.T) {
	m := month()
	dir := writeAll(t, m, Options{Scope: Scope{SheetIDs: []string{m.sheets[1].ID}}})
	d := reconciliation(t, dir)
	if len(d.Sheets) != 1 || d.Sheets[0].Name != m.sheets[1].Name || d.Scope != m.sheets[1].ID || !d.Ties.TiesOut {
		t.Errorf("scope %s, sheets %v, ties %+v", d.Scope, d.Sheets, d.Ties)
	}
	for _, p := range payouts(t, dir) {
		if p["sheet_id"] != m.sheets[1].ID {
			t.Errorf("a payout of sheet %s", p["sheet_id"])
		}
	}
	if text := workbookText(t, dir); strings.Contains(text, m.sheets[0].Name) || strings.Contains(text, m.sheets[0].ID) {
		t.Error("the workbook tells of the other sheet")
	}
}

func TestUnknownSheetWritesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	_, err := Write(t.Context(), month(), Options{Dir: dir, Zone: indianStandardTime, Scope: Scope{SheetIDs: []string{"shnowhere"}}})
	if !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("err = %v, want ErrNotFound", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder was created: %v", err)
	}
}
