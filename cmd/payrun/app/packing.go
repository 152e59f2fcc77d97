package app

import (
	"payrun/batcher"
	"payrun/ledger"
)

// packing gathers what the batcher needs of each payout, in the order of
// loading: 16 bytes a payout, so that a million stay small.
type packing struct {
	in     batcher.Input
	groups map[batcher.Group]int32
	leis   map[string]int32
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

// without drops the payouts at these positions, which are in ascending order.
func (p *packing) without(positions []int) {
	kept := p.in.Items[:0]
	for i, item := range p.in.Items {
		if len(positions) > 0 && positions[0] == i {
			positions = positions[1:]
			continue
		}
		kept = append(kept, item)
	}
	p.in.Items = kept
}

func (p *packing) input() batcher.Input { return p.in }
