package ledger_test

import (
	"slices"
	"testing"

	"payrun/ledger"
)

func TestPlansOfASheetCountOnAndDeriveTheirIDs(t *testing.T) {
	p := ledger.SheetPlan{LedgerID: "L", SheetID: "sh1", Content: "abc", Sequence: 4, Actor: "asha", At: t0}
	planned := []ledger.PlannedBatch{{BankAccountID: "a", Members: []int32{0, 2}}, {BankAccountID: "b", Members: []int32{1}}}
	member := func(i int32) ledger.Digest { return ledger.Digest{byte(i)} }
	first := p.First(planned, member)
	for i, account := range []string{"a", "b"} {
		if n := first[i]; n.Sequence != 5+i || n.Attempt != 1 || n.ID != ledger.BatchID("L", "abc", account, 5+i, 1, nil) || n.After != nil || n.Actor != "asha" || !n.CreatedAt.Equal(t0) {
			t.Errorf("first %d: %+v", i, n)
		}
		b := first[i].Batch
		if want := ledger.MembersDigest(&b, len(planned[i].Members), func(at int) ledger.Digest { return [][]ledger.Digest{{{0}, {2}}, {{1}}}[i][at] }); first[i].Digest != want || first[i].Event().Digest != want.String() {
			t.Errorf("first %d: digest %s, want %s", i, first[i].Digest, want)
		}
	}
	attempts := []ledger.Attempt{
		{Payout: ledger.Payout{ID: 10}, Number: 1, BatchID: "prx"}, {Payout: ledger.Payout{ID: 11}, Number: 2, BatchID: "pry"},
		{Payout: ledger.Payout{ID: 12}, Number: 5, BatchID: "prz"},
	}
	refs := []string{"A-R2", "B", "C-R6"}
	old := map[string]ledger.Batch{"prx": {Count: 1}, "pry": {Count: 3}, "prz": {Count: 1}}
	again := p.Again(attempts, refs, planned, old)
	if n := again[0]; n.Attempt != 6 || n.Sequence != 5 || n.ID != ledger.BatchID("L", "abc", "a", 5, 6, []string{"A-R2", "C-R6"}) ||
		!slices.Equal(n.After, []ledger.AttemptKey{{PayoutID: 10, Number: 1}, {PayoutID: 12, Number: 5}}) {
		t.Errorf("of two batches: %+v", n)
	}
	if n := again[1]; n.Attempt != 3 || n.Sequence != 6 || !slices.Equal(n.Refs, []string{"B"}) {
		t.Errorf("of a part of one: %+v", n)
	}
}

// What a copy of the ledger took for the priority changes the order in which batches
// go, and not the id of any.
func TestPriorityOrdersBatchesAndGivesNoIDs(t *testing.T) {
	p := ledger.SheetPlan{LedgerID: "L", SheetID: "sh1", Content: "abc", Actor: "asha", At: t0}
	member := func(i int32) ledger.Digest { return ledger.Digest{byte(i)} }
	attempts := make([]ledger.Attempt, 4)
	for i := range attempts {
		attempts[i] = ledger.Attempt{Payout: ledger.Payout{ID: int64(i)}, Number: 1, BatchID: "prx"}
	}
	ids := func(priorities ...int) (first, again []string, members []int32) {
		planned := make([]ledger.PlannedBatch, len(priorities))
		for i, priority := range priorities {
			planned[i] = ledger.PlannedBatch{BankAccountID: "a", Members: []int32{int32(i)}, Priority: priority}
		}
		for _, n := range p.First(planned, member) {
			first, members = append(first, n.ID), append(members, n.Members...)
			if n.Sequence != int(n.Members[0])+1 {
				t.Errorf("payout %d has sequence %d", n.Members[0], n.Sequence)
			}
		}
		for _, n := range p.Again(attempts, []string{"A", "B", "C", "D"}, planned, map[string]ledger.Batch{"prx": {Count: 4}}) {
			again = append(again, n.ID)
		}
		return first, again, members
	}
	first, again, _ := ids(0, 0, 0, 0)
	for _, tt := range []struct {
		priorities []int
		order      []int32
	}{{[]int{0, 2, 1, 2}, []int32{2, 1, 3, 0}}, {[]int{3, 0, 0, 9999}, []int32{0, 3, 1, 2}}} {
		gotFirst, gotAgain, members := ids(tt.priorities...)
		if !slices.Equal(members, tt.order) {
			t.Errorf("%v go as %v, want %v", tt.priorities, members, tt.order)
		}
		for at, m := range members {
			if gotFirst[at] != first[m] || gotAgain[at] != again[m] {
				t.Errorf("%v: payout %d is in another batch than without priorities", tt.priorities, m)
			}
		}
	}
}

// A batch that takes the whole of an old one is its next attempt: what a copy
// of the ledger would plan in its place is one of the ids that are looked up.
func TestTheNextAttemptOfABatchIsWhatACopyWouldPlan(t *testing.T) {
	k := standing(ledger.BatchHeld)
	attempts := []ledger.Attempt{k.Attempts[0].Attempt, k.Attempts[1].Attempt}
	for name, refs := range map[string][]string{"the same references": {"INV-1", "INV-2"}, "the next": {"INV-1-R2", "INV-2-R2"}} {
		p := ledger.SheetPlan{LedgerID: k.LedgerID, SheetID: k.Batch.SheetID, Content: k.SheetContent, Sequence: 9, At: t0}
		n := p.Again(attempts, refs, []ledger.PlannedBatch{{BankAccountID: k.Batch.BankAccountID, Members: []int32{0, 1}}}, map[string]ledger.Batch{k.Batch.ID: k.Batch})[0]
		if n.Sequence != k.Batch.Sequence || n.Attempt != 2 || !slices.Contains(k.CopyIDs(), n.ID) {
			t.Errorf("%s: %+v is not among %v", name, n, k.CopyIDs())
		}
	}
	// Abandoned when it was held, and its next attempt never reached the bank.
	third := ledger.BatchID(k.LedgerID, k.SheetContent, k.Batch.BankAccountID, k.Batch.Sequence, 3, []string{"INV-1-R2", "INV-2-R2"})
	if !slices.Contains(k.CopyIDs(), third) {
		t.Errorf("the third attempt under the second's references is not asked about")
	}
	if ids := k.CopyIDs(); len(ids) != 5 || len(slices.Compact(slices.Sorted(slices.Values(ids)))) != 5 {
		t.Errorf("%v", ids)
	}
}

// A copy that planned the same attempt under another reference is looked up too.
func TestACopyMayHaveNamedTheSameAttemptOtherwise(t *testing.T) {
	k := standing(ledger.BatchHeld)
	k.Batch.Attempt = 2
	for i := range k.Attempts {
		k.Attempts[i].Number, k.Attempts[i].WireRef = 2, k.Attempts[i].Ref+"-R2"
	}
	id := func(attempt int, refs ...string) string {
		return ledger.BatchID(k.LedgerID, k.SheetContent, k.Batch.BankAccountID, k.Batch.Sequence, attempt, refs)
	}
	k.Batch.ID = id(2, "INV-1-R2", "INV-2-R2")
	ids := k.CopyIDs()
	for _, want := range []string{id(2, "INV-1", "INV-2"), id(3, "INV-1", "INV-2"), id(3, "INV-1-R2", "INV-2-R2"), id(3, "INV-1-R3", "INV-2-R3"), id(4, "INV-1-R4", "INV-2-R4")} {
		if !slices.Contains(ids, want) {
			t.Errorf("%s is not among %v", want, ids)
		}
	}
	if len(ids) != 8 || slices.Contains(ids, k.Batch.ID) {
		t.Errorf("%d ids: %v", len(ids), ids)
	}
}

// Abandoned and planned again, whole or in part, its payouts are as they were.
func TestWhatNeededAnApprovalNeedsOneAgain(t *testing.T) {
	k := standing(ledger.BatchHeld)
	attempts := []ledger.Attempt{k.Attempts[0].Attempt, k.Attempts[1].Attempt}
	for _, needed := range []bool{false, true} {
		old := k.Batch
		old.NeedsApproval = needed
		for _, members := range [][]int32{{0, 1}, {0}} {
			n := ledger.SheetPlan{At: t0}.Again(attempts, []string{"INV-1", "INV-2"}, []ledger.PlannedBatch{{Members: members}}, map[string]ledger.Batch{old.ID: old})[0]
			if b := n.Batch; b.NeedsApproval != needed {
				t.Errorf("%d of a batch that needed one %t: %+v", len(members), needed, b)
			}
		}
	}
}

func TestFurtherReferencesGoOnWithTheirKeys(t *testing.T) {
	for n, want := range map[int][2]string{1: {"ＩＮＶ-1", "inv-1"}, 3: {"ＩＮＶ-1-R3", "inv-1-r3"}, 4: {"ＩＮＶ-1-R4", "inv-1-r4"}} {
		ref := ledger.WireRef("ＩＮＶ-1", n)
		if got := [2]string{ref, ledger.FurtherKey("ＩＮＶ-1", "inv-1", ref)}; got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
