package sqlite

import (
	"errors"
	"math"
	"testing"

	"payrun/ledger"
)

// What is loaded stays for ever: two rows too large made every view fail.
func TestALedgerHoldsNoMoreThanCanBeSummedUp(t *testing.T) {
	s := newStore(t)
	one := func(name string, amount ledger.Paise) error {
		payouts := samplePayouts(name, 1)
		payouts[0].Amount = amount
		_, err := tryLoad(s, name, payouts, planOf(payouts, 1))
		return err
	}
	if err := one("all at once", math.MaxInt64); !errors.Is(err, ledger.ErrTotal) {
		t.Errorf("a sheet of more than a ledger may hold: %v", err)
	}
	if err := one("most of it", ledger.MostInAll-1); err != nil {
		t.Fatal(err)
	}
	if err := one("too much", 2); !errors.Is(err, ledger.ErrTotal) {
		t.Errorf("one paisa too much: %v", err)
	}
	if err := one("the last paisa", 1); err != nil {
		t.Errorf("the last paisa: %v", err)
	}
	tallies, err := s.Tallies(t.Context())
	if want := (ledger.Tally{Count: 2, Total: ledger.MostInAll}); err != nil || tallies[ledger.PayoutPlanned] != want {
		t.Errorf("%v, %v; want %v", tallies, err, want)
	}
}
