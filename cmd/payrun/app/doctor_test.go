package app

import (
	"context"
	"testing"

	"payrun/ledger/sqlite"
)

// Who looks at the lock does not take it, and an interrupted run leaves none.
func TestTheHolderOfTheLedgerIsTold(t *testing.T) {
	d := newDesk(t)
	over, stop := context.WithCancel(t.Context())
	stop()
	wantCode(t, "an interrupted run", d.write(over, Call{Actor: "asha"}, func(*operation) error { return nil }), Interrupted)
	if who, held, err := sqlite.HeldBy(d.set.LedgerPath); held || err != nil {
		t.Errorf("nobody works, and %v holds it, %v", who, err)
	}
	err := d.write(t.Context(), Call{Actor: "asha", Command: "payrun load"}, func(*operation) error {
		if who, held, err := sqlite.HeldBy(d.set.LedgerPath); !held || err != nil || who.Person != "asha" || who.Command != "payrun load" {
			t.Errorf("%+v %t, %v", who, held, err)
		}
		return nil
	})
	must(t, err)
	wantCode(t, "another run", d.write(t.Context(), Call{Actor: "asha"}, func(*operation) error { return nil }), "")
}
