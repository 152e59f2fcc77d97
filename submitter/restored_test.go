package submitter_test

import (
	"context"
	"errors"
	"testing"

	"payrun/ledger"
	"payrun/submitter"
)

// forgets is a bank that says of one batch that it does not know it.
type forgets struct {
	submitter.Bank
	id, as string // asked about id, it answers as about another
}

func (f forgets) Look(ctx context.Context, id string, n int) (ledger.StatusRead, error) {
	if id == f.id {
		id = f.as
	}
	return f.Bank.Look(ctx, id, n)
}

// Before a restored ledger is accepted every planned and held batch is looked at.
func TestALookAtAllBatches(t *testing.T) {
	d := listing(t)
	held := d.load(payouts{account: pb3, bank: 3, n: 2})[0]
	d.initiate(held.ID)
	sent := d.load(payouts{account: pb4, bank: 4, n: 1})[0]
	copied := d.copyOf() // in which sent is planned
	copied.sheet = 10
	d.initiate(sent.ID)
	fresh := copied.load(payouts{account: pb4, bank: 4, n: 1})[0]

	got := map[string]string{}
	for _, r := range copied.verb(copied.engine().LookAtAll(t.Context())) {
		got[r.Batch.ID] = r.Outcome + " " + string(r.Batch.State)
	}
	want := map[string]string{held.ID: "held held", sent.ID: "quarantined quarantined", fresh.ID: "unchanged planned"}
	for id, w := range want {
		if got[id] != w || len(got) != len(want) {
			t.Errorf("%s: %q, want %q", id, got[id], w)
		}
	}
	copied.sound()
}

// Nothing is concluded from an answer that says nothing.
func TestALookAtAllBatchesThatIsNotAnswered(t *testing.T) {
	for name, bank := range map[string]func(d *desk, id string) submitter.Bank{
		"a held batch that was shown and is not": func(d *desk, id string) submitter.Bank {
			return forgets{d.client, id, ledger.ProbeID(d.store.LedgerID())}
		},
		"a read that broke off": func(d *desk, _ string) submitter.Bank {
			return another{d.client, map[string]string{"S1-G0-000": ledger.StatusRequestInitiated}, true}
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := listing(t)
			b := d.load(payouts{account: pb3, bank: 3, n: 2})[0]
			d.initiate()
			r := d.verb(submitter.New(d.store, bank(d, b.ID), d.set).LookAtAll(t.Context()))
			if len(r) != 1 || r[0].Outcome != submitter.OutcomeNotLooked || r[0].Message == "" {
				t.Errorf("%+v", r)
			}
			d.want(b.ID, ledger.BatchHeld, states{"request_initiated": 2})
		})
	}
}

// Another bank knows none of the batches.
func TestALookAtAllBatchesAsksTheConfiguredBank(t *testing.T) {
	d := newDesk(t, func(s *submitter.Settings) { s.Environment = "production" })
	d.load(payouts{account: pb3, bank: 3, n: 2})
	if _, err := d.engine().LookAtAll(t.Context()); !errors.Is(err, submitter.ErrEnvironment) {
		t.Errorf("%v", err)
	}
}
