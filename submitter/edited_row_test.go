package submitter_test

import (
	"database/sql"
	"errors"
	"testing"

	"payrun/ledger"
	"payrun/submitter"
)

// edit changes the ledger behind its back, and returns how to take that back.
func (d *desk) edit(trigger, do, undo string) (back func()) {
	d.t.Helper()
	exec := func(q string) {
		d.t.Helper()
		db, err := sql.Open("sqlite", d.path)
		must(d.t, err)
		defer db.Close()
		var armed string
		err = db.QueryRow(`SELECT sql FROM sqlite_schema WHERE name = ?`, trigger).Scan(&armed)
		if err == nil {
			_, err = db.Exec(`BEGIN IMMEDIATE; DROP TRIGGER ` + trigger + `; ` + q + `; ` + armed + `; COMMIT`)
		}
		must(d.t, err)
	}
	exec(do)
	return func() { exec(undo) }
}

// editAmount adds a rupee to a payout.
func (d *desk) editAmount() (back func()) {
	d.t.Helper()
	return d.edit("payouts_fixed", `UPDATE payouts SET amount = amount + 100 WHERE id = 1`, `UPDATE payouts SET amount = amount - 100 WHERE id = 1`)
}

// wantTampered expects that nothing was recorded of the batch, and that the edit is named.
func (d *desk) wantTampered(err error, b ledger.Batch, state ledger.BatchState) {
	d.t.Helper()
	if told, ok := errors.AsType[*ledger.TamperedError](err); !ok || told.BatchID != b.ID {
		d.t.Errorf("%v", err)
	}
	if got := d.batch(b.ID); got.State != state || got.Attention != ledger.NeedsNothing {
		d.t.Errorf("it is %s, %q: %s", got.State, got.Attention, got.Note)
	}
}

func TestARowEditedBeforeTheInitiateIsNeverSent(t *testing.T) {
	d, b := withPlanned(t, 2)
	defer d.editAmount()()
	_, err := d.engine().Initiate(t.Context(), nil, 0)
	d.wantTampered(err, b, ledger.BatchPlanned)
	if n := d.posts(); n != 0 {
		t.Errorf("%d batches were sent", n)
	}
	_, _, err = submitter.Approvable(t.Context(), d.store, d.client, []ledger.Approving{{Approval: ledger.Approval{BatchID: b.ID, Actor: "ravi", At: d.now()}}})
	d.wantTampered(err, b, ledger.BatchPlanned)
}

// The echo is right and the row is not: the bank is not blamed, and the batch goes on
// when the row is as it was.
func TestARowEditedWhileACallIsMadeIsNotHeldAgainstTheBank(t *testing.T) {
	d, b := withPlanned(t, 2)
	var back func()
	edits := answering{d.client, func(at string, _ *ledger.Answer) {
		if at != "status" { // the call itself
			back = d.editAmount()
		}
	}}
	recover := func() {
		t.Helper()
		must(t, d.engine().Recover(t.Context()))
	}

	_, err := submitter.New(d.store, edits, d.set).Initiate(t.Context(), nil, 0)
	d.wantTampered(err, b, ledger.BatchInitiating)
	recover()
	d.wantTampered(d.engine().SettleDoubts(t.Context()), b, ledger.BatchInitiateUnknown)
	back()
	d.poll()
	d.want(b.ID, ledger.BatchHeld, states{"request_initiated": 2})

	_, err = submitter.New(d.store, edits, d.set).Submit(t.Context(), []submitter.OTP{d.otp(b.ID)})
	d.wantTampered(err, b, ledger.BatchSubmitting)
	recover()
	back()
	d.settle()
	d.want(b.ID, ledger.BatchSettled, states{"success": 2})
	d.sound()
}

func TestARowEditedBeforeAStatusKeepsOnlyItsOwnBatchBack(t *testing.T) {
	d := newDesk(t, func(s *submitter.Settings) { s.HeldAtOnce = 0 })
	batches := d.load(payouts{account: pb3, bank: 3, n: 2}, payouts{account: pb4, bank: 4, n: 1})
	edited, other := batches[0], batches[1]
	d.initiate()
	otp := d.otp(edited.ID)
	d.submit(d.otp(other.ID))
	for name, edit := range map[string]func() func(){
		"what is paid": d.editAmount,
		"where it stands": func() func() {
			return d.edit("attempts_fixed", `UPDATE attempts SET open_txn_id = open_txn_id || 'x' WHERE payout_id = 1`, `UPDATE attempts SET open_txn_id = rtrim(open_txn_id, 'x') WHERE payout_id = 1`)
		},
		"what the bank said": func() func() {
			return d.edit("observations_fixed", `UPDATE observations SET amount = amount + 1 WHERE payout_id = 1`, `UPDATE observations SET amount = amount - 1 WHERE payout_id = 1`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			back := edit()
			defer back()
			d.bank.Settle()
			results, err := d.engine().Poll(t.Context(), nil, 0)
			d.wantTampered(err, edited, ledger.BatchHeld)
			if len(results) != 1 || results[0].Batch.ID != other.ID {
				t.Errorf("%+v", results)
			}
			_, err = d.engine().Submit(t.Context(), []submitter.OTP{otp})
			d.wantTampered(err, edited, ledger.BatchHeld)
			_, err = d.engine().Abandon(t.Context(), edited.ID, "no")
			d.wantTampered(err, edited, ledger.BatchHeld)
		})
	}
	d.became(d.submit(otp), submitter.OutcomeSubmitted)
	d.settle()
	d.want(edited.ID, ledger.BatchSettled, states{"success": 2})
	d.sound()
}
