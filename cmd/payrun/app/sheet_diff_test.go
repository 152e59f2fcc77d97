package app

import (
	"errors"
	"fmt"
	"testing"

	"payrun/ledger"
	"payrun/validate"
)

// What is held in memory of a sheet is bounded, and a part of it is never compared as
// if it were all.
func TestOnlySoManyPayoutsAreCompared(t *testing.T) {
	rolls := newPayrolls("salaries.csv")
	for i := range validate.PayrollMost {
		one := ledger.Payout{BankAccountID: "pb3", BankAccountNumber: fmt.Sprint(100_000_000_000 + i), IFSC: "HDFC0001234", Amount: 100}
		if err := rolls.add(&one, ledger.PayoutPlanned); err != nil || rolls.many {
			t.Fatal(i, err)
		}
	}
	if err := rolls.add(&ledger.Payout{BankAccountID: "pb4"}, ledger.PayoutPlanned); !errors.Is(err, errTooMany) || !rolls.many || len(rolls.by) != 1 {
		t.Errorf("one more: %v, %d accounts", err, len(rolls.by))
	}
}
