package batcher

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"payrun/ledger"
)

// units gives payouts in 24ths of the line; 24 of them stay under it.
func units(n ...ledger.Paise) []Item {
	items := plain(n...)
	for i := range items {
		items[i].Amount *= line / 24
	}
	return items
}

// Each sheet here is packed into the fewest batches by one way alone; without
// it, it needs one more.
func TestEachWayOfPackingEarnsItsPlace(t *testing.T) {
	tests := map[string]struct {
		limit int
		items []Item
		want  int
	}{
		"next fit":                          {2, units(12, 12, 12, 12), 2},
		"first fit in the order of loading": {4, units(4, 10, 9, 14, 14, 3, 3, 10, 4, 14, 9), 4},
		"first fit, largest first":          {7, units(1, 15, 11, 5, 12, 8, 6, 4, 14, 5, 13), 4},
		"spread":                            {100, plain(slices.Concat(slices.Repeat([]ledger.Paise{line/10 - 1}, 100), slices.Repeat([]ledger.Paise{1}, 900))...), 11},
		"complete search":                   {3, units(7, 6, 9, 5, 13, 8), 2},
		"payouts of an LEI together":        {500, slices.Concat(withLEI(0, line/2, line/2), units(14, 14, 14, 14), plain(1, 1, 1, 1, 1)), 5},
		"payouts of an LEI ride along":      {8, slices.Concat(withLEI(0, line/2, line/2), plain(slices.Repeat([]ledger.Paise{1}, 14)...)), 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if n := len(mustMake(t, sheet(bank1, tt.limit, tt.items...)).Batches); n != tt.want {
				t.Errorf("%d batches, want %d", n, tt.want)
			}
		})
	}
}

func TestFloorKnowsWhatCannotShareABatch(t *testing.T) {
	tests := map[string]struct {
		limit int
		items []Item
		want  int
	}{
		"nothing":                    {500, nil, 0},
		"one":                        {500, plain(line - 1), 1},
		"two that just fit":          {500, plain(line/2-1, line/2), 1},
		"count":                      {2, plain(1, 1, 1), 2},
		"halves are alone":           {500, plain(line/2, line/2, line/2, 1, 1, 1, 1), 3},
		"three quarters fit":         {500, plain(slices.Repeat([]ledger.Paise{line / 4}, 10)...), 4},
		"a batch is never the line":  {500, slices.Concat(units(9, 9, 9, 9, 9), plain(slices.Repeat([]ledger.Paise{1}, 50)...), plain(2*line-45*(line/24)-50)), 3},
		"four that just fit a batch": {500, plain(line/4, line/4, line/4, line/4-1), 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			g := &group{rules: ledger.RulesFor(1, ""), limit: tt.limit}
			for i, it := range tt.items {
				g.payouts = append(g.payouts, payout{amount: it.Amount, at: int32(i), lei: -1})
			}
			largestFirst(g.payouts)
			if n := g.floor(g.payouts); n != tt.want {
				t.Errorf("floor %d, want %d", n, tt.want)
			}
		})
	}
}

// What halving finds cannot be made one smaller, and they give up
// only where the most was tried.
func TestSpreadOverFewestFindsWhereSpreadingBeginsToWork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := Input{Groups: []Group{bank1}, LEIs: []string{leiA, leiB}, Limit: rapid.IntRange(1, 9).Draw(t, "limit")}
		in.Items = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Item { return drawItem(t, 0) }), 2, 60).Draw(t, "items")
		g := groupUnderTheLine(in)
		most := rapid.IntRange(g.floor(largestFirstOf(g)), len(in.Items)).Draw(t, "most")
		spreadsOverFewest(t, g, most)
	})
}

// groupUnderTheLine is the first group, with payouts that each fit a batch.
func groupUnderTheLine(in Input) *group {
	in.Items = slices.Clone(in.Items)
	for i := range in.Items {
		in.Items[i].Amount = min(in.Items[i].Amount, line-1)
	}
	g := split(in)[0]
	return g
}

func largestFirstOf(g *group) []payout {
	sorted := slices.Clone(g.payouts)
	largestFirst(sorted)
	return sorted
}

func spreadsOverFewest(t rapid.TB, g *group, most int) {
	sorted := largestFirstOf(g)
	least := g.floor(sorted)
	a, ok := g.spreadOverFewest(sorted, least, most)
	if !ok {
		if _, works := g.spread(sorted, most); works {
			t.Fatalf("gave up, and %d batches work", most)
		}
		return
	}
	if a.batches < least || a.batches > most {
		t.Fatalf("%d batches, want %d to %d", a.batches, least, most)
	}
	if a.batches > least {
		if _, works := g.spread(sorted, a.batches-1); works {
			t.Fatalf("%d batches, and one less works", a.batches)
		}
	}
}

func TestIllegalPlansAreCaughtBeforeTheyLeave(t *testing.T) {
	in := Input{
		Groups: []Group{bank1, {Route: ledger.Route{BankAccountID: "pb4"}, PartnerBankID: 4}},
		LEIs:   []string{leiA, leiB},
		Items:  []Item{{0, 0, line}, {0, 1, line}, {0, -1, 1}, {0, -1, 2}, {1, -1, 1}, {1, -1, 1}},
		Limit:  2,
	}
	tests := map[string]struct {
		spoil func(*Plan)
		want  string
	}{
		"lost":         {func(p *Plan) { p.Batches = p.Batches[1:] }, "1 of 6 payouts are in no batch"},
		"twice":        {func(p *Plan) { p.Batches = append(p.Batches, p.Batches[0]) }, "in two batches"},
		"empty":        {func(p *Plan) { p.Batches = append(p.Batches, ledger.PlannedBatch{}) }, "no payouts"},
		"disordered":   {func(p *Plan) { slices.Reverse(p.Batches[2].Members) }, "out of order"},
		"other group":  {func(p *Plan) { p.Batches[2].TransactionTypeID = "RTGS" }, "another debit account, sub-merchant or transaction type"},
		"other bank":   {func(p *Plan) { p.Batches[2].PartnerBankID = 3 }, "is of partner bank 3 , its payouts of 1"},
		"wrong total":  {func(p *Plan) { p.Batches[2].Total++ }, "total is"},
		"LEI missing":  {func(p *Plan) { p.Batches[0].BeneLEI = "" }, "needs a beneficiary LEI"},
		"other LEI":    {func(p *Plan) { p.Batches[0].BeneLEI = leiB }, "does not have the batch's beneficiary LEI"},
		"needless LEI": {func(p *Plan) { p.Batches[2].BeneLEI = leiA }, "does not have the batch's beneficiary LEI"},
		"too many": {func(p *Plan) {
			p.Batches[2].Members = []int32{1, 2, 3}
		}, "3 payouts"},
		"no bulk": {func(p *Plan) {
			p.Batches[3].Members, p.Batches[3].Total = []int32{4, 5}, 2
		}, "2 payouts"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			plan := mustMake(t, in)
			tt.spoil(&plan)
			if err := checkPlan(in, plan); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
