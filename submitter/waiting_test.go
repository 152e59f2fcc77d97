package submitter_test

import (
	"context"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// lateStatement shows a debit once it is read again.
type lateStatement struct {
	d     *desk
	asked int
}

func (s *lateStatement) ReadStatement(ctx context.Context, account string, since time.Time) error {
	s.asked++
	r := ledger.StatementRead{BankAccountID: account, Source: ledger.FromInterface, Shape: ledger.ShapeEntries, From: ledger.BankDay(since), To: ledger.BankDay(s.d.now()), At: s.d.now(), Actor: "tester"}
	if s.asked > 1 {
		day := ledger.BankDay(s.d.now())
		r.Entries = []ledger.StatementEntry{{TransactionID: "T1", Debit: true, Amount: 100_00, Closing: 1, Transacted: day, Posted: day, Remarks: "NEFT S1-G0-000"}}
	}
	_, err := s.d.store.RecordStatement(ctx, r)
	return err
}

// The statement of the first try of an OTP is hours old at the second.
func TestARunThatWaitsReadsTheStatementAgain(t *testing.T) {
	d, b := withHeld(t, 1)
	d.outcomes(map[string]string{"S1-G0-000": "failed"})
	d.submit(d.otp(b.ID))
	d.settle()
	d.want(b.ID, ledger.BatchSettled, states{"failed": 1})
	retry := d.retryOf(b)
	d.initiate()
	d.set.Statements = &lateStatement{d: d}
	run := d.engine() // of the whole run
	r := d.verb(run.Submit(t.Context(), []submitter.OTP{{BatchID: retry.ID, OTP: ledger.NewSecret("000000")}}))
	t.Log(r[0].Outcome)
	d.later(5 * time.Hour) // until someone enters the right one
	r = d.verb(run.Submit(t.Context(), []submitter.OTP{d.otp(retry.ID)}))
	if got := r[0].Outcome; got == submitter.OutcomeSubmitted {
		t.Errorf("%s on a statement of five hours before", got)
	}
}
