package reports

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
)

// again adds a further attempt of the last payout, in a batch of its own.
func (m *memory) again(s ledger.Sheet, utr string, state ledger.PayoutState) {
	b := m.batch(s, 3, ledger.BatchSettled)
	last := &m.attempts[len(m.attempts)-1]
	last.State = ledger.PayoutReturned
	next := *last
	next.Number, next.WireRef, next.BatchID, next.BankTxnRefID, next.State = last.Number+1, last.WireRef+"R1", b.ID, utr, state
	m.attempts = append(m.attempts, next)
	b.Count, b.Total = 1, next.Amount
}

func verdicts(d document) []verdict {
	var all []verdict
	for _, p := range d.Pairs {
		all = append(all, p.Verdict)
	}
	return all
}

// Green is only what was compared whole and agrees: nothing is said of the
// statement, and what is open is not green.
func TestEachPairTiesOutByItself(t *testing.T) {
	open, doubt, planned := allPaid(), allPaid(), allPaid()
	open.attempts[1].State, open.batches[0].State = ledger.PayoutPending, ledger.BatchSubmitted
	doubt.attempts[1].State = ledger.PayoutDisputed
	for i := range planned.attempts {
		planned.attempts[i].State = ledger.PayoutPlanned
	}
	planned.batches[0].State = ledger.BatchPlanned
	missing := allPaid()
	missing.attempts = missing.attempts[1:]
	for name, c := range map[string]struct {
		m    *memory
		want []verdict
	}{
		"all paid":            {allPaid(), []verdict{tiesOut, tiesOut, notCompared}},
		"one is open":         {open, []verdict{tiesOut, stillOpen, notCompared}},
		"one is disputed":     {doubt, []verdict{tiesOut, differs, notCompared}},
		"nothing was sent":    {planned, []verdict{tiesOut, notCompared, notCompared}},
		"a payout is missing": {missing, []verdict{differs, tiesOut, notCompared}},
		"no sheet":            {&memory{}, []verdict{notCompared, notCompared, notCompared}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeAll(t, c.m, Options{})
			d := reconciliation(t, dir)
			if got := verdicts(d); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", d.Pairs, c.want)
			}
			page, green := string(read(t, dir, HTMLFile)), 0
			for _, v := range c.want {
				if v == tiesOut {
					green++
				}
			}
			if got := strings.Count(page, `<li class="good">`); got != green {
				t.Errorf("%d green lines on the page, want %d", got, green)
			}
		})
	}
}

// What was left out is in rupees on the page, in the workbook and among the
// exceptions.
func TestWhatWasLeftOutIsSeen(t *testing.T) {
	m := allPaid()
	m.sheets[0].Rows, m.sheets[0].Rejected = m.sheets[0].Rows+7, ledger.Tally{Count: 7, Total: 31_48_379_22}
	m.sheets[0].Total += 31_48_379_22
	dir := writeAll(t, m, Options{})
	found := lines(t, dir, exceptionsFile)
	if len(found) != 1 || found[0]["kind"] != "rejected" || found[0]["amount"] != "3148379.22" || !strings.Contains(found[0]["reason"], "7 rows") || found[0]["sheet"] == "" {
		t.Errorf("exceptions %v", found)
	}
	page := string(read(t, dir, HTMLFile))
	for _, want := range []string{"<b>Left out</b><strong>₹31,48,379.22</strong><span>7 rows</span>", "10 rows = 3 accepted &#43; 7 left out", "<b>Sheet</b><strong>₹34,48,379.22</strong><span>10 rows</span>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	if text := workbookText(t, dir); !strings.Contains(text, "Left out of the sheet") || !strings.Contains(text, "3148379.22") {
		t.Error("the workbook does not tell what was left out")
	}
}

// Every UTR that a statement can show is in the reports, and the batches lead to
// the payouts.
func TestEarlierAttemptsAreTold(t *testing.T) {
	m := allPaid()
	first := m.attempts[len(m.attempts)-1].BankTxnRefID
	m.again(m.sheets[0], "UTR0000SECOND", ledger.PayoutSuccess)
	dir := writeAll(t, m, Options{})
	if got := lines(t, dir, PayoutsFile); len(got) != 3 || got[2]["bank_txn_ref_id"] != "UTR0000SECOND" || got[2]["attempt"] != "2" {
		t.Errorf("payouts.csv: %v", got)
	}
	attempts := lines(t, dir, attemptsFile)
	if len(attempts) != 4 || attempts[2]["bank_txn_ref_id"] != first || attempts[2]["state"] != "returned" || attempts[3]["bank_txn_ref_id"] != "UTR0000SECOND" {
		t.Errorf("attempts.csv: %v", attempts)
	}
	bridge := "The batches add up to ₹4,00,000.00 (4 attempts); less ₹1,00,000.00 in 1 other attempt of the same payouts; that is ₹3,00,000.00 (3 payouts)."
	text := workbookText(t, dir)
	if !strings.Contains(string(read(t, dir, HTMLFile)), bridge) || !strings.Contains(text, bridge) || !strings.Contains(text, first) {
		t.Error("the way from the batches to the payouts is not told")
	}
	if d := reconciliation(t, dir); !d.Ties.TiesOut || d.Payouts["success"].Count != 3 {
		t.Errorf("%+v", d.Ties)
	}
}

// Each file says whose money it is, and that none moved.
func TestEveryFileSaysWhoseItIs(t *testing.T) {
	m := allPaid()
	about := About{Environment: "sandbox", Merchant: "sm_0001", By: "priya", Accounts: []ledger.DebitAccount{{BankAccountID: strings.ToUpper(m.batches[0].BankAccountID), Name: "main", AccountNumber: "001122334455", PartnerBankID: 12}}}
	dir := writeAll(t, m, Options{About: about})
	page, text, d := string(read(t, dir, HTMLFile)), workbookText(t, dir), reconciliation(t, dir)
	for where, s := range map[string]string{"the page": page, "the workbook": text} {
		for _, want := range []string{"SANDBOX: no money moved", "merchant sm_0001", "written by priya", "main ••4455"} {
			if !strings.Contains(s, want) {
				t.Errorf("%s does not say %q", where, want)
			}
		}
	}
	if d.Environment != "sandbox" || d.Merchant != "sm_0001" || d.WrittenBy != "priya" {
		t.Errorf("%+v", d)
	}
	if got := lines(t, dir, PayoutsFile)[0]["debit_account"]; got != "main ••4455" {
		t.Errorf("debit account %q", got)
	}
	about.Environment = "production"
	dir = writeAll(t, m, Options{About: about})
	if page := string(read(t, dir, HTMLFile)); strings.Contains(page, "SANDBOX") || !strings.Contains(page, "Production, merchant sm_0001") {
		t.Error("production is a rehearsal, or not named")
	}
}

func TestScopeByTime(t *testing.T) {
	m := month()
	second := m.sheets[1].LoadedAt
	for name, c := range map[string]struct {
		scope Scope
		want  []string
		says  string
	}{
		"since":        {Scope{Since: second}, []string{m.sheets[1].ID}, " since 2026-11-20"},
		"until before": {Scope{Until: second}, []string{m.sheets[0].ID}, " until 2026-11-20"},
		"of both":      {Scope{Since: day, Until: day.AddDate(0, 1, 0)}, []string{m.sheets[0].ID, m.sheets[1].ID}, ""},
		"named":        {Scope{SheetIDs: []string{m.sheets[1].ID, m.sheets[0].ID}}, []string{m.sheets[0].ID, m.sheets[1].ID}, ""},
		"named, late":  {Scope{SheetIDs: []string{m.sheets[0].ID}, Since: second}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeAll(t, m, Options{Scope: c.scope})
			d := reconciliation(t, dir)
			var got []string
			for _, s := range d.Sheets {
				got = append(got, s.ID)
			}
			if !slices.Equal(got, c.want) || !strings.Contains(" "+d.Scope, c.says) || !d.Ties.TiesOut {
				t.Errorf("%v (%s), want %v; %+v", got, d.Scope, c.want, d.Ties)
			}
			for _, p := range lines(t, dir, attemptsFile) {
				if !slices.Contains(c.want, p["sheet_id"]) {
					t.Errorf("a payout of sheet %s", p["sheet_id"])
				}
			}
		})
	}
}

// A day and scope have one folder, and the list tells of each; a folder that was
// spoilt does not spoil the list.
func TestADayHasAFolderAndTheListTellsOfEach(t *testing.T) {
	base := t.TempDir() + "/reports"
	var dirs []string
	for i := range 3 {
		at := time.Date(2026, 11, 28+i, 18, 41, 0, 0, indianStandardTime)
		dir := RunFolder(base, at, Scope{})
		if dir != RunFolder(base, at.Add(time.Hour), Scope{}) || dir == RunFolder(base, at, Scope{SheetIDs: []string{"sh1"}}) {
			t.Errorf("%s is not the folder of the day and scope", dir)
		}
		dirs = append(dirs, dir)
	}
	if want := base + "/2026-11-30-all"; dirs[2] != want || os.MkdirAll(dirs[2], 0o700) != nil {
		t.Errorf("%v", dirs)
	}
	writeAll(t, allPaid(), Options{Dir: dirs[0], About: About{Environment: "sandbox"}})
	writeAll(t, month(), Options{Dir: dirs[1], About: About{Environment: "production"}})
	path, err := WriteIndex(base)
	if err != nil || path != base+"/index.html" {
		t.Fatal(path, err)
	}
	page := string(read(t, base, indexFile))
	third, second, first := strings.Index(page, "30-all/summary.html"), strings.Index(page, "29-all/summary.html"), strings.Index(page, "28-all/summary.html")
	if third < 0 || second < third || first < second {
		t.Errorf("not newest first: %d, %d, %d", third, second, first)
	}
	for _, want := range []string{"SANDBOX: no money moved", "production", "₹3,00,000.00 (3)", "₹2,55,002.99 (5)", "cannot be read", "30 Nov 2026", `class="pair bad"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the list does not have %q", want)
		}
	}
	for _, bad := range []string{"<script", "http:", "https:", "url(", "src="} {
		if strings.Contains(page, bad) {
			t.Errorf("the list has %s", bad)
		}
	}
}
