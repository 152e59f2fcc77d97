package sqlite

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// placing is a batch that a sheet put a payout into.
type placing struct {
	batch int64
	made  bool // its attempts are rows
}

// memberships returns the batches into which the sheets put their payouts: the members of batches,
// by payout. It keeps one sheet at a time, because the payouts of different sheets do not
// overlap.
type memberships struct {
	f       *reader
	members *cursor // of the batches that sheets brought, sheet by sheet
	sheets  []span  // yet to come
	highest int64   // payout

	sheet   span      // the current one
	batches []placing // its own
	first   []int32   // of its payouts, by position: position + 1 among batches, 0 for none
	further map[int64][]int32
}

var factsOfMembers = Select{`sheet_no, no, made, members`, `FROM batches WHERE members IS NOT NULL ORDER BY sheet_no, sequence, attempt`, false}

// span is a sheet with its payouts, first to last.
type span struct{ no, first, last int64 }

func (f *reader) newPlaces(ctx context.Context, open *cursors) (*memberships, error) {
	p := &memberships{f: f}
	err := eachCells(ctx, f.r, func(c Cells) error {
		p.sheets = append(p.sheets, span{c.int(0), c.int(1), c.int(2)})
		return nil
	}, Select{`no, first_payout, last_payout`, `FROM sheets ORDER BY no`, false})
	if err != nil {
		return nil, err
	}
	err = eachCells(ctx, f.r, func(c Cells) error { p.highest = c.int(0); return nil }, Select{`max(id)`, `FROM payouts`, false})
	if err != nil {
		return nil, err
	}
	p.members, err = open.add(ctx, f.r, factsOfMembers)
	return p, err
}

// of returns the batches of a payout. Call it for payouts in their order.
func (p *memberships) of(payout int64) []placing {
	for payout > p.sheet.last && len(p.sheets) > 0 {
		p.turn()
	}
	if payout < p.sheet.first || payout > p.sheet.last {
		return nil
	}
	i := p.first[payout-p.sheet.first]
	if i == 0 {
		return nil
	}
	list := p.batches[i-1 : i : i]
	for _, i := range p.further[payout] {
		list = append(list, p.batches[i-1])
	}
	return list
}

// turn moves to the next sheet.
func (p *memberships) turn() {
	p.sheet, p.sheets = p.sheets[0], p.sheets[1:]
	p.sheet.first, p.sheet.last = max(p.sheet.first, 1), min(p.sheet.last, p.highest) // whatever the row says, it has no other payouts
	p.batches, p.further = p.batches[:0], nil
	n := int(max(p.sheet.last-p.sheet.first+1, 0))
	p.first = slices.Grow(p.first[:0], n)[:n]
	clear(p.first)
	for c := p.members; c.at(p.sheet.no); c.next() {
		p.batches = append(p.batches, placing{batch: c.int(1), made: c.bool(2)})
		p.put(int32(len(p.batches)), c.text(3))
	}
}

// put notes the members of batch i of the sheet, from 1.
func (p *memberships) put(i int32, members string) {
	inside := strings.TrimSuffix(strings.TrimPrefix(members, "["), "]")
	for text := range strings.SplitSeq(inside, ",") {
		id, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		switch {
		case err != nil || id < p.sheet.first || id > p.sheet.last:
			p.f.report(6, attemptsKept, fmt.Sprintf("batch number %d has member %q, which is no payout of its sheet", p.batches[i-1].batch, text))
		case p.first[id-p.sheet.first] == 0:
			p.first[id-p.sheet.first] = i
		default:
			if p.further == nil {
				p.further = map[int64][]int32{}
			}
			p.further[id] = append(p.further[id], i)
		}
	}
}
