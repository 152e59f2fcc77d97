package ledger_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"payrun/ledger"
)

// Made-up LEIs with right check digits.
const (
	leiA = "TEST00000000000001" + "72"
	leiB = "TEST00000000000002" + "69"
)

// somePlan is a legal plan with a batch of each sort, and its payouts.
func somePlan() ([]ledger.Member, []ledger.PlannedBatch) {
	at := func(account string) ledger.Route { return ledger.Route{account, "sm", "NEFT"} }
	members := []ledger.Member{
		{at("pb1"), ledger.LEILine, leiA},
		{at("pb3"), 5, ""},
		{at("pb1"), 1, leiA},
		{at("pb1"), ledger.LEILine - 1, leiB},
		{at("pb3"), 7, leiA},
		{at("pb4"), 1, ""},
		{at("rib"), ledger.LEILine, ""},
		{at("pb3"), 9, ""},
		{at("new"), 2, ""},
	}
	batch := func(account string, bank int, kind ledger.AccountKind, lei string, of ...int32) ledger.PlannedBatch {
		b := ledger.PlannedBatch{BankAccountID: account, SubMerchantID: "sm", TransactionTypeID: "NEFT", PartnerBankID: bank, Kind: kind, BeneLEI: lei, Members: of}
		for _, i := range of {
			b.Total += members[i].Amount
		}
		return b
	}
	return members, []ledger.PlannedBatch{
		batch("pb1", 1, "", leiA, 0, 2),
		batch("pb1", 1, "", "", 3),
		batch("pb3", 3, "", "", 1, 4, 7),
		batch("pb4", 4, "", "", 5),
		batch("rib", 12, ledger.KindRIB, "", 6),
		batch("new", 2, "", "", 8), // "every other partner bank"
	}
}

func checkPlan(members []ledger.Member, batches []ledger.PlannedBatch, limit int) error {
	return ledger.CheckPlan(batches, len(members), limit, func(i int32) ledger.Member { return members[i] })
}

func TestALegalPlan(t *testing.T) {
	members, batches := somePlan()
	for _, limit := range []int{ledger.NoLimit, 3, 500} { // the largest batch has 3
		if err := checkPlan(members, batches, limit); err != nil {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	if err := checkPlan(nil, nil, 500); err != nil {
		t.Errorf("nothing to plan: %v", err)
	}
}

func TestAnIllegalPlanIsRefused(t *testing.T) {
	type plan struct {
		members []ledger.Member
		batches []ledger.PlannedBatch
		limit   int
	}
	for name, c := range map[string]struct {
		spoil func(*plan)
		want  string
	}{
		"a payout lost with its batch":   {func(p *plan) { p.batches = p.batches[1:] }, "2 of 9 payouts are in no batch"},
		"a payout left out":              {func(p *plan) { p.batches[2].Members = []int32{1, 4}; p.batches[2].Total = 12 }, "1 of 9 payouts are in no batch"},
		"a payout in two batches":        {func(p *plan) { p.batches = append(p.batches, p.batches[3]) }, "planned batch 7: the rules forbid it: payout 5 is in two batches"},
		"a payout twice in a batch":      {func(p *plan) { p.batches[2].Members = []int32{1, 4, 4} }, "payout 4 is in two batches, or twice"},
		"a payout that is not there":     {func(p *plan) { p.batches[3].Members[0] = 9 }, "payout 9 is not one of the 9 planned"},
		"a payout before the first":      {func(p *plan) { p.batches[3].Members[0] = -1 }, "payout -1 is not one"},
		"payouts out of order":           {func(p *plan) { slices.Reverse(p.batches[2].Members) }, "out of order"},
		"an empty batch":                 {func(p *plan) { p.batches = append(p.batches, ledger.PlannedBatch{}) }, "no payouts"},
		"more than the limit":            {func(p *plan) { p.limit = 2 }, "3 payouts, more than the limit of 2"},
		"several at a single bank":       {func(p *plan) { p.batches[2].PartnerBankID = 4 }, "partner bank 4 takes one a batch"},
		"several at an unnamed bank":     {func(p *plan) { p.batches[2].PartnerBankID = 2 }, "partner bank 2 takes one a batch"},
		"partner bank 12 of no kind":     {func(p *plan) { p.batches[4].Kind = "" }, "needs kind"},
		"a kind at another bank":         {func(p *plan) { p.batches[3].Kind = ledger.KindCIB }, "partner bank 12 only"},
		"another debit account":          {func(p *plan) { p.batches[2].BankAccountID = "pb4" }, "another debit account"},
		"another sub-merchant":           {func(p *plan) { p.members[4].Route.SubMerchantID = "" }, "payout 4 has another"},
		"another transaction type":       {func(p *plan) { p.members[7].Route.TransactionTypeID = "RTGS" }, "payout 7 has another"},
		"a paisa too much":               {func(p *plan) { p.batches[2].Total++ }, "its total is 0.22, its payouts make 0.21"},
		"a paisa too little":             {func(p *plan) { p.members[1].Amount++ }, "its payouts make 0.22"},
		"a payout of nothing":            {func(p *plan) { p.members[1].Amount, p.batches[2].Total = 0, 16 }, "payout 1 is of 0.00"},
		"a payout below nothing":         {func(p *plan) { p.members[1].Amount, p.batches[2].Total = -5, 11 }, "payout 1 is of -0.05"},
		"a total that wraps around":      {func(p *plan) { p.members[1].Amount, p.batches[2].Total = math.MaxInt64, math.MinInt64+15 }, "the sum at payout 4 is out of range"},
		"an LEI that is missing":         {func(p *plan) { p.batches[0].BeneLEI = "" }, "needs a beneficiary LEI"},
		"an LEI at the line, to a paisa": {func(p *plan) { p.members[3].Amount++; p.batches[1].Total++ }, "needs a beneficiary LEI"},
		"an LEI under the line":          {func(p *plan) { p.batches[1].BeneLEI = leiB }, "takes no beneficiary LEI"},
		"an LEI at another bank":         {func(p *plan) { p.batches[4].BeneLEI = leiA; p.members[6].BeneLEI = leiA }, "takes no beneficiary LEI"},
		"a payout of another LEI":        {func(p *plan) { p.members[2].BeneLEI = leiB }, "payout 2 does not have the batch's"},
		"a payout without LEI":           {func(p *plan) { p.members[0].BeneLEI = "" }, "payout 0 does not have the batch's"},
		"an LEI that is not valid": {func(p *plan) {
			p.batches[0].BeneLEI, p.members[0].BeneLEI, p.members[2].BeneLEI = "X", "X", "X"
		}, `"X" is not a valid LEI`},
	} {
		t.Run(name, func(t *testing.T) {
			var p plan
			p.members, p.batches = somePlan()
			c.spoil(&p)
			err := checkPlan(p.members, p.batches, p.limit)
			if !errors.Is(err, ledger.ErrRule) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v; want ErrRule and %q", err, c.want)
			}
		})
	}
}
