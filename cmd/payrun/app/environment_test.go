package app

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"payrun/ledger"
	"payrun/ledger/sqlite"
)

// The desk says of every payout in which environment it is: it is not served of a
// ledger of another one.
func TestTheDeskIsNotServedOfAnotherEnvironment(t *testing.T) {
	d := newDesk(t)
	d.load("asha", "INV-1")
	_, err := d.FirstLink(t.Context(), Call{})
	must(t, err)
	if _, err := d.Initiate(t.Context(), Call{Actor: "asha"}, InitiateRequest{All: true}); Worst(err).Code != NeedsPerson {
		t.Fatal(err)
	}
	d.set.Environment = "production"
	if _, err := d.FirstLink(t.Context(), Call{}); Worst(err) == nil || Worst(err).Code != EnvironmentDiffers {
		t.Errorf("%v", err)
	}
}

// store does something with the ledger that no use case does.
func (d *desk) store(do func(ctx context.Context, s *sqlite.Store) error) {
	d.t.Helper()
	s, err := sqlite.OpenExclusive(d.t.Context(), filepath.Join(d.dir, "payrun.db"), ledger.Claim{})
	must(d.t, err)
	defer s.Close()
	must(d.t, do(d.t.Context(), s))
}

func (d *desk) environments() (all []string) {
	d.store(func(ctx context.Context, s *sqlite.Store) error {
		return s.Events(ctx, func(e ledger.Event) error {
			if e.Environment().Name != "" {
				all = append(all, e.Environment().Name)
			}
			return nil
		})
	})
	return all
}

// A configuration that called the bank by the wrong name binds the ledger to nothing as
// long as nothing was sent: mended, it goes on.
func TestALedgerFromWhichNothingWasSentIsOfNoEnvironment(t *testing.T) {
	d := newDesk(t)
	d.load("asha", "INV-1")
	d.store(func(ctx context.Context, s *sqlite.Store) error {
		return s.ConfirmEnvironment(ctx, ledger.Environment{Name: "production", IDHost: "bank.test", BaseHost: "bank.test"}.Confirmed(ledger.Event{Actor: "asha", At: now}))
	})
	_, err := d.Initiate(t.Context(), Call{Actor: "asha"}, InitiateRequest{All: true})
	wantCode(t, "initiate", err, NeedsPerson)
	if got := strings.Join(d.environments(), " "); got != "production sandbox" {
		t.Errorf("on record: %s", got)
	}
	d.set.Environment = "production"
	_, err = d.Initiate(t.Context(), Call{Actor: "asha"}, InitiateRequest{All: true})
	wantCode(t, "initiate in another one", err, EnvironmentDiffers)
}
