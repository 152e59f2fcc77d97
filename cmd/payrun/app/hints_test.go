package app

import (
	"context"
	"testing"

	"payrun/ledger/sqlite"
)

// While another run holds the ledger a hint waits; it is not lost, and nothing
// is asked meanwhile. Ids that are no batch of the ledger are no hints.
func TestAHintWaitsForTheLedger(t *testing.T) {
	d := newDesk(t)
	batch := d.load("asha", "INV-1")[0]
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	h, err := d.Hints(ctx, Call{Actor: "asha"})
	must(t, err)
	other, err := sqlite.OpenExclusive(ctx, d.set.LedgerPath, d.claim(Call{Actor: "ravi"}))
	must(t, err)
	h.Take([]byte("praaaaaaaaaaaaaaaaaaaaaaaaaa, " + batch + "?"))
	heard := make(chan []Result)
	go h.Poll(ctx, func(w *Work, _ error) { heard <- w.Results })
	select {
	case <-heard:
		t.Fatal("the bank was asked while another run held the ledger")
	default:
	}
	must(t, other.Close())
	if got := <-heard; len(got) != 1 || got[0].Batch.ID != batch {
		t.Errorf("asked about %+v", got)
	}
}

// Many webhooks about one batch, one a payout, leave room for a hint about another.
func TestManyHintsOfOneBatchLoseNoOther(t *testing.T) {
	d := newDesk(t)
	one, other := d.load("asha", "INV-1")[0], d.load("asha", "INV-2")[0]
	h, err := d.Hints(t.Context(), Call{Actor: "asha"})
	must(t, err)
	for range hintsWaiting + 1 {
		h.Take([]byte(one))
	}
	h.Take([]byte(other))
	asked := make(chan []Result)
	go h.Poll(t.Context(), func(w *Work, _ error) { asked <- w.Results })
	if got := <-asked; len(got) != 2 {
		t.Errorf("asked about %+v", got)
	}
}
