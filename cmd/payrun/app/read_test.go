package app

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"payrun/batcher"
	"payrun/cmd/payrun/config"
	"payrun/ledger"
	"payrun/validate"
)

// mistaken is a ledger whose history has a mistake in it.
type mistaken struct{ store }

func (mistaken) UsedReferences(context.Context, []string) (map[string]ledger.ReferenceUse, error) {
	panic("a mistake")
}

// What goes wrong in judging a sheet goes wrong for the person who asked, who can recover from
// it: one sheet does not end a desk.
func TestAPanicOverASheetIsOneOfWhoAsked(t *testing.T) {
	d := newDesk(t)
	path := drop(t, d.dir, "one.csv", sheetOf("ONE"), 0)
	defer func() {
		if said := fmt.Sprint(recover()); !strings.Contains(said, "a mistake") {
			t.Errorf("it said %q", said)
		}
	}()
	err := d.read(t.Context(), Call{Actor: "maker"}, func(o *operation) error {
		_, err := o.readSheet(t.Context(), path, validate.Options{}, newPendingHistory(mistaken{o.store}), func([]validate.Accepted) error { return nil })
		return err
	})
	t.Errorf("it went on: %v", err)
}

// A batch is as urgent as the most urgent of its payouts, and needs an approval
// if one of them is like a locked one. No payout goes anywhere else for either.
func TestABatchHasThePriorityAndTheApprovalOfItsPayouts(t *testing.T) {
	var set config.Settings
	set.Limits.PayoutsPerBatch = 2
	p := (&operation{App: &App{set: set}}).newPacking()
	group := p.group(batcher.Group{Route: ledger.Route{BankAccountID: "bulk"}, PartnerBankID: 3})
	for i, priority := range []int{0, 0, 4, 3, 0, 0} {
		p.add(group, "", 100, priority, i == 3)
	}
	plan, err := p.plan()
	must(t, err)
	want := []int{0, 3, 0}
	for i, b := range plan.Batches {
		if b.Priority != want[i] || int(b.Members[0]) != 2*i || b.NeedsApproval != (i == 1) {
			t.Errorf("batch %d of payouts %v has priority %d, want %d, and needs an approval: %t", i, b.Members, b.Priority, want[i], b.NeedsApproval)
		}
	}
	if len(plan.Batches) != len(want) {
		t.Errorf("%d batches", len(plan.Batches))
	}
}
