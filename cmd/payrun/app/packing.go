package app

import (
	"payrun/batcher"
	"payrun/ledger"
)

// packing gathers what the batcher needs of each payout, in the order of
// loading: 16 bytes a payout, so that a million stay small.
type packing struct {
	in         batcher.Input
	groups     map[batcher.Group]int32
	leis       map[string]int32
	priorities []uint16 // of the payouts up to the last that has one; see validate.MostPriority
}

// noLEI stands for a payout without one.
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

func (p *packing) add(group int32, lei string, amount ledger.Paise) {
	at := int32(noLEI)
	if lei != "" {
		var ok bool
		if at, ok = p.leis[lei]; !ok {
			at = int32(len(p.in.LEIs))
			p.leis[lei], p.in.LEIs = at, append(p.in.LEIs, lei)
		}
	}
	p.in.Items = append(p.in.Items, batcher.Item{Group: group, LEI: at, Amount: amount})
}

// last gives the payout that was added last its priority; 0 is none.
func (p *packing) last(priority int) {
	if priority == 0 {
		return
	}
	n := len(p.in.Items)
	p.priorities = append(p.priorities, make([]uint16, n-len(p.priorities))...)
	p.priorities[n-1] = uint16(priority)
}

// without drops the payouts at these positions, which are in ascending order.
func (p *packing) without(positions []int) {
	p.in.Items = dropped(p.in.Items, positions)
	p.priorities = dropped(p.priorities, positions)
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
// its payouts.
func (p *packing) plan() (batcher.Plan, error) {
	plan, err := batcher.Make(p.in)
	for i := range plan.Batches {
		b := &plan.Batches[i]
		for _, m := range b.Members {
			if int(m) < len(p.priorities) && p.priorities[m] > 0 && (b.Priority == 0 || int(p.priorities[m]) < b.Priority) {
				b.Priority = int(p.priorities[m])
			}
		}
	}
	return plan, err
}
