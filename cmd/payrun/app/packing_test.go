package app

import (
	"testing"

	"payrun/batcher"
)

// A batch is as urgent as the most urgent of its payouts that are left, and none
// goes anywhere else for it.
func TestABatchHasThePriorityOfItsMostUrgentPayout(t *testing.T) {
	p := newPacking(2)
	group := p.group(batcher.Group{BankAccountID: "bulk", PartnerBankID: 3})
	for _, priority := range []int{0, 1, 0, 4, 3, 0, 0} {
		p.add(group, "", 100, priority, false)
	}
	p.without([]int{1})
	plan, err := p.plan()
	must(t, err)
	want := []int{0, 3, 0}
	for i, b := range plan.Batches {
		if b.Priority != want[i] || int(b.Members[0]) != 2*i {
			t.Errorf("batch %d from payout %d has priority %d, want %d", i, b.Members[0], b.Priority, want[i])
		}
	}
	if len(plan.Batches) != len(want) {
		t.Errorf("%d batches", len(plan.Batches))
	}
}

// Only the batch of a payout that is like a locked one needs an approval.
func TestABatchWithAPayoutLikeALockedOneNeedsAnApproval(t *testing.T) {
	p := newPacking(2)
	group := p.group(batcher.Group{BankAccountID: "bulk", PartnerBankID: 3})
	for i := range 7 {
		p.add(group, "", 100, 0, i == 1 || i == 4)
	}
	p.without([]int{1}) // what is left: 0 2, 3 4, 5 6
	plan, err := p.plan()
	must(t, err)
	for i, b := range plan.Batches {
		if b.NeedsApproval != (i == 1) {
			t.Errorf("batch %d of payouts %v needs an approval: %t", i, b.Members, b.NeedsApproval)
		}
	}
}
