// Package batcher packs payouts into legal batches with the fewest OTPs. It is
// pure: no I/O, no clock, no randomness; the same input gives the same batches.
//
// All payouts of a batch belong to one group: one debit account, one
// sub-merchant and one transaction type. A batch is legal if it also meets the
// partner bank's rules (ledger.RulesFor) and the limit:
//
//   - one payout a batch if the partner bank takes no bulk;
//   - at most Input.Limit payouts at every partner bank;
//   - if the partner bank has an LEI line, a total under the line, or else one
//     beneficiary LEI that all payouts carry. A payout is never split.
//
// Make is the only verb. docs/adr/0002-packing.md says how it packs, what that
// guarantees, and what was measured.
package batcher

import (
	"cmp"
	"fmt"
	"slices"

	"payrun/ledger"
)

// Group is what all payouts of one batch have in common.
type Group struct {
	ledger.Route
	PartnerBankID int
	Kind          ledger.AccountKind
}

// Item is what packing needs to know about one payout.
type Item struct {
	Group  int32        // index into Input.Groups
	LEI    int32        // index into Input.LEIs; -1 when the payout carries none
	Amount ledger.Paise // more than 0
}

// Input is everything to be planned at once.
type Input struct {
	Groups []Group // each with another route
	LEIs   []string
	Items  []Item // the payouts, in the order of loading
	Limit  int    // maximum number of payouts in a batch, at least 1
}

// Plan is the result of Make: every payout is in exactly one legal batch.
type Plan struct {
	// Batches are ordered by group, in the order their first payouts were loaded,
	// then by first member. Members are ascending.
	Batches []ledger.PlannedBatch
	// LowerBound: no plan has fewer batches than this, see bound.go.
	LowerBound int
}

// Make plans the batches. An error names the rule that the plan would break. A payout
// reaches the LEI line without a valid LEI only if the configuration changed since the load.
func Make(in Input) (Plan, error) {
	if err := checkLEIs(in); err != nil {
		return Plan{}, err
	}
	var plan Plan
	for _, g := range split(in) {
		a, bound := g.plan()
		batches := g.seal(a)
		g.explain(batches, in.Items)
		plan.Batches = append(plan.Batches, batches...)
		plan.LowerBound += bound
	}
	if err := checkPlan(in, plan); err != nil {
		return Plan{}, err
	}
	return plan, nil
}

// plan assigns the payouts to batches. It also returns the lower bound of their number.
func (g *group) plan() (assignment, int) {
	switch n := len(g.payouts); {
	case !g.rules.Bulk: // interface.md, "Initiate transfer", rule 1
		return inChunks(n, 1), n
	case g.rules.LEILine == 0:
		return inChunks(n, g.limit), ceil(n, g.limit)
	default:
		chunks := g.leiChunks()
		return pack(g, chunks), g.bound(g.rules.LEILine, chunks)
	}
}

// payout is one member of a group while it is packed.
type payout struct {
	amount ledger.Paise
	item   int32 // index into Input.Items
	at     int32 // index in group.payouts
	lei    int32 // index into Input.LEIs, or -1
}

// group is a Group with its payouts in the order of loading.
type group struct {
	Group
	rules   ledger.Rules
	limit   int
	leis    []string
	payouts []payout
}

// assignment maps each payout of a group, by payout.at, to its batch. Batches are numbered from 0,
// and none is empty.
type assignment struct {
	of      []int32
	batches int
}

// split sorts the payouts into their groups. Groups are in the order in which
// their first payouts were loaded; payouts are in the order of loading.
func split(in Input) []*group {
	byIndex, sizes := make([]*group, len(in.Groups)), make([]int, len(in.Groups))
	for _, it := range in.Items {
		sizes[it.Group]++
	}
	var groups []*group
	for i, it := range in.Items {
		g := byIndex[it.Group]
		if g == nil {
			of := in.Groups[it.Group]
			g = &group{Group: of, rules: ledger.RulesFor(of.PartnerBankID, of.Kind), limit: in.Limit, leis: in.LEIs, payouts: make([]payout, 0, sizes[it.Group])}
			byIndex[it.Group] = g
			groups = append(groups, g)
		}
		g.payouts = append(g.payouts, payout{it.Amount, int32(i), int32(len(g.payouts)), it.LEI})
	}
	return groups
}

// inChunks cuts n payouts in the order of loading, limit at a time.
func inChunks(n, limit int) assignment {
	of := make([]int32, n)
	for i := range of {
		of[i] = int32(i / limit)
	}
	return assignment{of, ceil(n, limit)}
}

// seal turns an assignment into batches with members, totals and LEI, ordered
// by first member.
func (g *group) seal(a assignment) []ledger.PlannedBatch {
	batches := slices.Repeat([]ledger.PlannedBatch{{
		BankAccountID: g.BankAccountID, PartnerBankID: g.PartnerBankID, Kind: g.Kind,
		SubMerchantID: g.SubMerchantID, TransactionTypeID: g.TransactionTypeID,
	}}, a.batches)
	for _, p := range g.payouts {
		b := &batches[a.of[p.at]]
		b.Members = append(b.Members, p.item)
		b.Total += p.amount
		// Each member may set it: at or above the line they all have the same LEI.
		if g.rules.NeedsLEI(b.Total) && p.lei >= 0 {
			b.BeneLEI = g.leis[p.lei]
		}
	}
	slices.SortFunc(batches, func(a, b ledger.PlannedBatch) int { return cmp.Compare(a.Members[0], b.Members[0]) })
	return batches
}

// ceil is a/b rounded up, for a ≥ 0 and b > 0.
func ceil[T int | ledger.Paise](a, b T) T {
	if a == 0 {
		return 0
	}
	return (a-1)/b + 1
}

// checkLEIs refuses a payout that reaches the LEI line of its partner bank without a valid beneficiary LEI.
// It cannot be split, and no batch may hold it (interface.md, "Submit transfer", bene_lei).
func checkLEIs(in Input) error {
	for i, it := range in.Items {
		g, valid := in.Groups[it.Group], it.LEI >= 0 && ledger.ValidLEI(in.LEIs[it.LEI])
		if !valid && ledger.RulesFor(g.PartnerBankID, g.Kind).NeedsLEI(it.Amount) {
			return fmt.Errorf("payout %d of %s reaches the LEI line and has no valid beneficiary LEI", i, it.Amount)
		}
	}
	return nil
}

// checkPlan checks the finished plan by the rules, and the partner bank of its
// batches by the groups: ledger does not know which bank a debit account is at.
func checkPlan(in Input, plan Plan) error {
	err := ledger.CheckPlan(plan.Batches, len(in.Items), in.Limit, func(i int32) ledger.Member {
		it := &in.Items[i]
		m := ledger.Member{Route: in.Groups[it.Group].Route, Amount: it.Amount}
		if it.LEI >= 0 {
			m.BeneLEI = in.LEIs[it.LEI]
		}
		return m
	})
	if err != nil {
		return err
	}
	for i, b := range plan.Batches {
		g := in.Groups[in.Items[b.Members[0]].Group] // all members have one route, so one group
		if g.PartnerBankID != b.PartnerBankID || g.Kind != b.Kind {
			return fmt.Errorf("planned batch %d is of partner bank %d %s, its payouts of %d %s", i+1, b.PartnerBankID, b.Kind, g.PartnerBankID, g.Kind)
		}
	}
	return nil
}
