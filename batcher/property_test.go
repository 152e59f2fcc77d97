package batcher

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payrun/ledger"
)

// drawInput draws payouts over several groups, with amounts that crowd around
// the line and its fractions, where packing is hard.
func drawInput(t *rapid.T, most int) Input {
	in := Input{
		Groups: []Group{
			bank1,
			{Route: ledger.Route{BankAccountID: "pb1", SubMerchantID: "sm", TransactionTypeID: "RTGS"}, PartnerBankID: 1},
			{Route: ledger.Route{BankAccountID: "pb3"}, PartnerBankID: 3},
			{Route: ledger.Route{BankAccountID: "pb4"}, PartnerBankID: 4},
			{Route: ledger.Route{BankAccountID: "rib"}, PartnerBankID: 12, Kind: ledger.KindRIB},
			{Route: ledger.Route{BankAccountID: "new"}, PartnerBankID: 7},
		},
		LEIs:  []string{leiA, leiB},
		Limit: rapid.IntRange(1, 12).Draw(t, "limit"),
	}
	in.Items = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Item {
		return drawItem(t, rapid.SampledFrom([]int32{0, 0, 0, 1, 2, 3, 4, 5}).Draw(t, "group"))
	}), 0, most).Draw(t, "items")
	return in
}

func drawItem(t *rapid.T, group int32) Item {
	it := Item{Group: group, LEI: rapid.Int32Range(-1, 1).Draw(t, "lei")}
	it.Amount = rapid.OneOf(
		rapid.SampledFrom([]ledger.Paise{1, line/3 - 1, line / 3, line/2 - 1, line / 2, line/2 + 1, line - 1}),
		rapid.Custom(func(t *rapid.T) ledger.Paise {
			return ledger.Paise(rapid.Int64Range(1, int64(line)-1).Draw(t, "paise"))
		}),
	).Draw(t, "amount")
	if it.LEI >= 0 && rapid.IntRange(0, 3).Draw(t, "over") == 0 {
		it.Amount = line - 1 + ledger.Paise(rapid.Int64Range(0, 2).Draw(t, "at the line"))
	}
	return it
}

func TestEveryPlanIsLegalAndRepeatable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { legalAndRepeatable(t, drawInput(t, 60)) })
}

func legalAndRepeatable(t rapid.TB, in Input) {
	plan, err := Make(in)
	must(t, err)
	if why := illegal(in, plan); why != "" {
		t.Fatal(why)
	}
	again, err := Make(in)
	must(t, err)
	if d := cmp.Diff(plan, again); d != "" {
		t.Fatalf("the same input gave another plan:\n%s", d)
	}
}

func TestAnotherOrderOfLoadingGivesALegalPlanWithTheSameBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t, 30)
		sameBound(t, in, rapid.Permutation(in.Items).Draw(t, "order"))
	})
}

func sameBound(t rapid.TB, in Input, otherOrder []Item) {
	plan, err := Make(in)
	must(t, err)
	in.Items = otherOrder
	other, err := Make(in)
	must(t, err)
	if why := illegal(in, other); why != "" {
		t.Fatal(why)
	}
	if plan.LowerBound != other.LowerBound {
		t.Fatalf("lower bound %d, in another order %d", plan.LowerBound, other.LowerBound)
	}
}

func TestSmallSheetsNeedNoBatchMoreThanTheyMust(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := Input{Groups: []Group{bank1}, LEIs: []string{leiA, leiB}, Limit: rapid.IntRange(1, 8).Draw(t, "limit")}
		in.Items = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Item { return drawItem(t, 0) }), 1, 8).Draw(t, "items")
		noBatchTooMany(t, in)
	})
}

func noBatchTooMany(t rapid.TB, in Input) {
	fewest := fewestBatches(in.Items, in.Limit)
	plan, err := Make(in)
	must(t, err)
	if len(plan.Batches) != fewest {
		t.Errorf("%d batches, %d would do", len(plan.Batches), fewest)
	}
	if plan.LowerBound > fewest {
		t.Errorf("lower bound %d, %d batches would do", plan.LowerBound, fewest)
	}
}

// Without the complete search of small groups, packing is still within one
// batch of the fewest on small sheets.
func TestPackingAloneIsWithinOneBatchOnSmallSheets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := Input{Groups: []Group{bank1}, LEIs: []string{leiA, leiB}, Limit: rapid.IntRange(2, 8).Draw(t, "limit")}
		in.Items = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Item { return drawItem(t, 0) }), 1, 8).Draw(t, "items")
		g := split(in)[0]
		chunks := g.leiChunks()
		packed := g.packAround(chunks[:g.worthTaking(chunks)]).batches
		if fewest := fewestBatches(in.Items, in.Limit); packed > fewest+1 {
			t.Errorf("%d batches, %d would do", packed, fewest)
		}
	})
}

// Without an LEI the bound is the plain one, per group.
func TestLowerBoundWithoutLEIIsThePlainOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { plainBound(t, drawInput(t, 40)) })
}

func plainBound(t rapid.TB, in Input) {
	want := 0
	in.Items = slices.Clone(in.Items)
	counts, totals := make([]int, len(in.Groups)), make([]ledger.Paise, len(in.Groups))
	for i := range in.Items {
		it := &in.Items[i]
		it.LEI, it.Amount = -1, min(it.Amount, line-1)
		counts[it.Group]++
		totals[it.Group] += it.Amount
	}
	for i, g := range in.Groups {
		n := (counts[i] + in.Limit - 1) / in.Limit
		switch g.PartnerBankID {
		case 1:
			n = max(n, int((totals[i]+line-1)/line))
		case 4, 7:
			n = counts[i]
		}
		want += n
	}
	plan, err := Make(in)
	must(t, err)
	if plan.LowerBound != want {
		t.Errorf("lower bound %d, want %d", plan.LowerBound, want)
	}
}

// monthEnd generates a sheet as vendors are paid: log-normal amounts around a
// median in rupees, a few large ones, all to partner bank 1. The same seed
// gives the same sheet.
func monthEnd(seed uint64, payouts int, median float64) Input {
	rng := rand.New(rand.NewPCG(seed, 50))
	in := Input{Groups: []Group{bank1}, LEIs: []string{leiA, leiB}, Limit: 500}
	for i := range payouts {
		rupees := median * math.Exp(1.5*rng.NormFloat64())
		if i%400 == 399 {
			rupees = 1_00_00_000 * (1 + 30*rng.Float64())
		}
		in.Items = append(in.Items, Item{LEI: -1, Amount: min(1+ledger.Paise(rupees*100), line-1)})
	}
	return in
}

// Medians run from where counts decide, over where count and total are equally
// scarce (a mean of 10 lakh, near the second to fourth), to where totals decide.
var medians = []float64{20_000, 1_75_000, 2_00_000, 2_25_000, 5_00_000, 20_00_000}

func TestMonthEndsStayWithinOnePercentOfTheBound(t *testing.T) {
	for _, median := range medians {
		for seed := range uint64(3) {
			in := monthEnd(seed, 20_000, median)
			plan := mustMake(t, in)
			if n := len(plan.Batches); 100*(n-plan.LowerBound) > plan.LowerBound {
				t.Errorf("median %.0f, seed %d: %d batches, lower bound %d", median, seed, n, plan.LowerBound)
			}
		}
	}
}

// Beneficiaries with an LEI over the line change the bound; packing keeps up.
func TestMonthEndsWithLEIsStayWithinOnePercentOfTheBound(t *testing.T) {
	for _, median := range medians {
		in := monthEnd(7, 20_000, median)
		for i := range in.Items {
			if i%100 == 0 {
				in.Items[i].LEI = int32(i / 100 % 2)
			}
			if i%2000 == 0 {
				in.Items[i].Amount = line + 5
			}
		}
		plan := mustMake(t, in)
		if n := len(plan.Batches); 100*(n-plan.LowerBound) > plan.LowerBound {
			t.Errorf("median %.0f: %d batches, lower bound %d", median, n, plan.LowerBound)
		}
	}
}

// Equal amounts are the case in which the reported bound is weakest: 49 fit
// under the line, the bound counts 50.
func TestEqualAmountsNeedNoBatchMoreThanTheyMust(t *testing.T) {
	plan := mustMake(t, sheet(bank1, 500, plain(slices.Repeat([]ledger.Paise{line / 50}, 4900)...)...))
	if len(plan.Batches) != 100 || plan.LowerBound != 98 {
		t.Errorf("%d batches, lower bound %d; want 100 and 98", len(plan.Batches), plan.LowerBound)
	}
}

func BenchmarkMake(b *testing.B) {
	in := monthEnd(1, 1_000_000, 2_00_000)
	g := split(in)[0]
	b.Run("next fit, the baseline", func(b *testing.B) {
		for b.Loop() {
			batches := g.nextFit(g.payouts).batches
			b.ReportMetric(float64(batches), "batches")
		}
	})
	b.Run("Make", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			plan, err := Make(in)
			must(b, err)
			b.ReportMetric(float64(len(plan.Batches)), "batches")
			b.ReportMetric(float64(plan.LowerBound), "bound")
		}
	})
}
