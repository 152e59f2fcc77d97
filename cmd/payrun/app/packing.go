package app

import (
	"payrun/batcher"
	"payrun/ledger"
)

// packing gathers what the batcher needs of each payout, in the order of
// loading: 16 bytes a payout, so that a million stay small.
type packing struct {
	in         batcher.Input    // its items come when no more are added
	items      [][]batcher.Item // in blocks of itemBlock: growing one slice would hold two for a while
	groups     map[batcher.Group]int32
	leis       map[string]int32
	priorities []uint16 // of the payouts up to the last that has one; see validate.MostPriority
	locked     []bool   // of those up to the last that is like a locked one
}

// itemBlock is how many items are allocated together.
const itemBlock = 1 << 12

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
	if n := len(p.items); n == 0 || len(p.items[n-1]) == itemBlock {
		p.items = append(p.items, make([]batcher.Item, 0, itemBlock))
	}
	last := &p.items[len(p.items)-1]
	*last = append(*last, batcher.Item{Group: group, LEI: at, Amount: amount})
}

func (p *packing) count() int {
	if len(p.items) == 0 {
		return 0
	}
	return (len(p.items)-1)*itemBlock + len(p.items[len(p.items)-1])
}

// last gives the payout that was added last its priority, 0 for none, and says whether
// it has the account and amount of a locked payout.
func (p *packing) last(priority int, likeLocked bool) {
	if priority != 0 {
		p.priorities = upTo(p.priorities, p.count(), uint16(priority))
	}
	if likeLocked {
		p.locked = upTo(p.locked, p.count(), true)
	}
}

// upTo makes the list one of n, of which the last is is.
func upTo[T any](list []T, n int, is T) []T {
	list = append(list, make([]T, n-len(list))...)
	list[n-1] = is
	return list
}

// without drops the payouts at these positions, which are in ascending order.
func (p *packing) without(positions []int) {
	p.join()
	p.in.Items = dropped(p.in.Items, positions)
	p.priorities, p.locked = dropped(p.priorities, positions), dropped(p.locked, positions)
}

// join puts the blocks together, and lets go of each.
func (p *packing) join() {
	if len(p.items) == 0 {
		return
	}
	p.in.Items = make([]batcher.Item, 0, p.count())
	for i, block := range p.items {
		p.in.Items, p.items[i] = append(p.in.Items, block...), nil
	}
	p.items = nil
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
	p.join()
	plan, err := batcher.Make(p.in)
	for i := range plan.Batches {
		b := &plan.Batches[i]
		for _, m := range b.Members {
			b.NeedsApproval = b.NeedsApproval || int(m) < len(p.locked) && p.locked[m]
			if int(m) < len(p.priorities) && p.priorities[m] > 0 && (b.Priority == 0 || int(p.priorities[m]) < b.Priority) {
				b.Priority = int(p.priorities[m])
			}
		}
	}
	return plan, err
}
