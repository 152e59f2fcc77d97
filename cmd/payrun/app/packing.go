package app

import (
	"payrun/batcher"
	"payrun/ledger"
)

// packing gathers what the batcher needs of each payout, in the order of
// loading: 19 bytes a payout, so that a million stay small.
type packing struct {
	in         batcher.Input
	groups     map[batcher.Group]int32
	leis       map[string]int32
	priorities []uint16 // of the payouts, 0 for none; see validate.MostPriority
	locked     []bool   // those with the account and amount of a locked payout
}

// noLEI is for a payout without one.
const noLEI = -1

func newPacking(limit int) *packing {
	return &packing{in: batcher.Input{Limit: limit}, groups: map[batcher.Group]int32{}, leis: map[string]int32{}}
}

// group returns the number of a group, which is what add takes.
func (p *packing) group(g batcher.Group) int32 {
	at, ok := p.groups[g]
	if !ok {
		at = int32(len(p.in.Groups))
		p.groups[g], p.in.Groups = at, append(p.in.Groups, g)
	}
	return at
}

func (p *packing) add(group int32, lei string, amount ledger.Paise, priority int, likeLocked bool) {
	at := int32(noLEI)
	if lei != "" {
		var ok bool
		if at, ok = p.leis[lei]; !ok {
			at = int32(len(p.in.LEIs))
			p.leis[lei], p.in.LEIs = at, append(p.in.LEIs, lei)
		}
	}
	p.in.Items = append(p.in.Items, batcher.Item{Group: group, LEI: at, Amount: amount})
	p.priorities, p.locked = append(p.priorities, uint16(priority)), append(p.locked, likeLocked)
}

// without drops the payouts at these positions, which are in ascending order.
func (p *packing) without(positions []int) {
	p.in.Items = dropped(p.in.Items, positions)
	p.priorities, p.locked = dropped(p.priorities, positions), dropped(p.locked, positions)
}

func dropped[T any](list []T, positions []int) []T {
	kept := list[:0]
	for i, one := range list {
		if len(positions) > 0 && positions[0] == i {
			positions = positions[1:]
			continue
		}
		kept = append(kept, one)
	}
	return kept
}

// plan packs the payouts, and gives each batch the priority of the most urgent of
// its payouts. One with a payout like a locked one needs an approval.
func (p *packing) plan() (batcher.Plan, error) {
	plan, err := batcher.Make(p.in)
	for i := range plan.Batches {
		b := &plan.Batches[i]
		for _, m := range b.Members {
			b.NeedsApproval = b.NeedsApproval || p.locked[m]
			if p.priorities[m] > 0 && (b.Priority == 0 || int(p.priorities[m]) < b.Priority) {
				b.Priority = int(p.priorities[m])
			}
		}
	}
	return plan, err
}
