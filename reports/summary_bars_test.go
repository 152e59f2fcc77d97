package reports

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"payrun/ledger"
	"payrun/reports/folder"
)

// TestABarHasTheSharesOfItsAmounts: of the largest amount, too, and as numbers that a style sheet takes.
func TestABarHasTheSharesOfItsAmounts(t *testing.T) {
	var some, most split
	some.add(paid, 30_05)
	some.add(inDoubt, 5)
	most.add(open, math.MaxInt64)
	c := chartOf("", "", []namedSplit{{"some", some}, {"most", most}, {"none", split{}}}, 3)
	want := [][]segment{
		{{"paid", 30_05, "Paid: 1 payout, ₹30.05"}, {"indoubt", 5, "In doubt: 1 payout, ₹0.05"}, {Share: math.MaxInt64 - 30_10}},
		{{"open", math.MaxInt64, "Open: 1 payout, " + ledger.Paise(math.MaxInt64).Rupees()}, {}},
		{{Share: math.MaxInt64}},
	}
	for i, b := range c.Bars {
		if !slices.Equal(b.Segments, want[i]) {
			t.Errorf("bar %d has %v, want %v", i, b.Segments, want[i])
		}
	}
	if page := read(t, writeAll(t, allPaid(), Options{}), HTMLFile); !bytes.Contains(page, []byte(`style="flex-grow:300000.00"`)) {
		t.Error("the page does not give the style sheet the share as a number")
	}
}

func TestTheLastAccountIsShownRatherThanToldOf(t *testing.T) {
	for n, want := range map[int]int{pageAccounts: pageAccounts, pageAccounts + 1: pageAccounts + 1, pageAccounts + 2: pageAccounts} {
		all := &totals{accounts: map[string]*groupTotals{}}
		for i := range n {
			id := fmt.Sprintf("a%d", i)
			all.accounts[id] = &groupTotals{account: id}
		}
		var p summary
		p.accounts(&Snapshot{}, all)
		if len(p.Accounts) != want || (p.MoreAccounts == "") != (n == want) {
			t.Errorf("of %d accounts %d are on the page, and %q", n, len(p.Accounts), p.MoreAccounts)
		}
	}
}

func TestPageStaysOnePageHoweverMuchThereIs(t *testing.T) {
	m := crowd()
	p := newSummaryOf(t, m)
	if len(p.Attention) > pageGroups || len(p.Sheets) != pageSheets || p.MoreSheets == "" {
		t.Errorf("%d groups , %d sheets (%s)", len(p.Attention), len(p.Sheets), p.MoreSheets)
	}
	if n := len(p.Charts[1].Bars); n != chartBanks || p.Charts[1].More == "" {
		t.Errorf("%d banks, more: %q", n, p.Charts[1].More)
	}
	for _, a := range p.Attention {
		if n := len([]rune(a.Reason)); n > pageReason {
			t.Errorf("a reason of %d characters", n)
		}
	}
	kindsSeen := map[string]bool{}
	for _, a := range p.Attention {
		kindsSeen[a.Title] = true
	}
	if len(kindsSeen) != len(p.Attention) {
		t.Errorf("%d lines tell of %d kinds only: %v", len(p.Attention), len(kindsSeen), p.Attention)
	}
	// What is remembered for the page is bounded, whatever the bank says.
	s, g := gatherOf(t, m)
	if n := len(g.groups); n > mostGroups+len(ledger.Attentions()) {
		t.Errorf("%d groups are remembered for %d sheets", n, len(s.sheets))
	}
}

// A reason that payrun writes is on the page in full; only a bank's may be too long for it.
func TestPageGivesAReasonInFull(t *testing.T) {
	for length, full := range map[int]bool{300: true, pageReason: true, pageReason + 1: false} {
		m := &memory{}
		reason := strings.Repeat("x", length)
		m.payout(m.batch(m.sheet("nov.csv"), 1, ledger.BatchSettled), 1_00, ledger.PayoutFailed, because(reason))
		if got := newSummaryOf(t, m).Attention[0].Reason; (got == reason) != full {
			t.Errorf("of %d characters %q is shown", length, got)
		}
	}
}

func gatherOf(t *testing.T, m *memory) (*Snapshot, *gathered) {
	t.Helper()
	s, err := takeSnapshot(t.Context(), m, Options{Zone: indianStandardTime})
	must(t, err)
	dir, err := folder.Make(t.TempDir(), "")
	must(t, err)
	t.Cleanup(dir.Discard)
	g, err := newGathered(s, dir)
	must(t, err)
	must(t, g.read(t.Context(), s, func(Result) error { return nil }))
	return s, g
}

func newSummaryOf(t *testing.T, m *memory) summary {
	t.Helper()
	s, g := gatherOf(t, m)
	return newSummary(s, g.totals)
}

func TestWhatFindsNoRoomIsCounted(t *testing.T) {
	p := newSummaryOf(t, month())
	if len(p.Attention) != pageGroups || p.MoreAttention == "" {
		t.Errorf("%d lines, more: %q; the ledger has eleven kinds", len(p.Attention), p.MoreAttention)
	}
}

func TestMergedGroupsKeepTheSums(t *testing.T) {
	_, g := gatherOf(t, crowd())
	var all, one ledger.Tally
	for _, group := range g.gravest() {
		all.Count, all.Total = all.Count+group.tally.Count, all.Total+group.tally.Total
	}
	for _, group := range merged(g.gravest()) {
		one.Count, one.Total = one.Count+group.tally.Count, one.Total+group.tally.Total
	}
	if all != one || all != g.persons {
		t.Errorf("groups sum to %v, merged to %v, want %v", all, one, g.persons)
	}
}

func TestGravestComesFirst(t *testing.T) {
	p := newSummaryOf(t, month())
	if p.Attention[0].Title != ledger.PayoutContradicted.Row().Title || p.Attention[1].Title != ledger.SubmitOverdue.Row().Title {
		t.Errorf("first come %q and %q", p.Attention[0].Title, p.Attention[1].Title)
	}
}

func TestPageFetchesNothingAndRunsNothing(t *testing.T) {
	page := string(read(t, writeAll(t, month(), Options{}), HTMLFile))
	for _, bad := range []string{"<script", "http:", "https:", "url(", "@import", "<link", "<img", "src="} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
}
