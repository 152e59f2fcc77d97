package storetest

import (
	"testing"
	"time"

	"payrun/ledger"
)

var crashes = []Check{
	{"whatever row of a write fails, all of it is recorded or nothing", allOrNothing},
}

// write is one write, and the steps that prepare the ledger for it.
type write struct {
	name  string
	ready func(d *desk, b []ledger.Batch)
	do    func(d *desk, b []ledger.Batch) error
}

var writes = []write{
	{"a load", nil, func(d *desk, _ []ledger.Batch) error {
		list := payouts("dec", 4)
		list[1].BankAccountID, list[3].BankAccountID = accountOne, accountOne
		_, err := d.loadParts(part{sheet: sheetOf("dec", list), fresh: list, plan: []ledger.PlannedBatch{
			{BankAccountID: accountCIB, PartnerBankID: 3, SubMerchantID: "sm_0001", TransactionTypeID: "NEFT", Members: []int32{0, 2}, Total: 200_02},
			{BankAccountID: accountOne, PartnerBankID: 3, SubMerchantID: "sm_0001", TransactionTypeID: "NEFT", Members: []int32{1, 3}, Total: 200_04},
		}})
		return err
	}},
	{"a load of two sheets", nil, func(d *desk, _ []ledger.Batch) error {
		_, err := d.loadParts(partOf("dec", 3), partOf("jan", 2))
		return err
	}},
	{"an intent", nil, func(d *desk, b []ledger.Batch) error {
		return d.Apply(d.ctx, ledger.Step{Actor: asha, BatchID: b[0].ID, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: minute(9), PayloadSHA256: hash("x"), Looks: looked(b[0].ID)})
	}},
	{"an outcome", func(d *desk, b []ledger.Batch) { d.intend(b[0].ID, ledger.InitiateIntended, minute(1)) }, func(d *desk, b []ledger.Batch) error {
		return d.Apply(d.ctx, ledger.Step{Actor: asha, BatchID: b[0].ID, From: ledger.BatchInitiating, Event: ledger.InitiateAccepted, At: minute(9),
			Outcome: ledger.Accepted, HTTPStatus: 200, OpenBatchID: "ob", Observed: d.observe(b[0].ID, ledger.StatusRequestInitiated, "")})
	}},
	{"what was observed", func(d *desk, b []ledger.Batch) { d.hold(b[0].ID); d.submit(b[0].ID) }, func(d *desk, b []ledger.Batch) error {
		return d.Apply(d.ctx, ledger.Step{Actor: asha, BatchID: b[0].ID, From: ledger.BatchSubmitted, At: minute(9), Note: "look", Attention: ledger.Overdue,
			Observed: d.observe(b[0].ID, ledger.StatusSuccess, "")})
	}},
	{"a batch that is abandoned", func(d *desk, b []ledger.Batch) { d.hold(b[0].ID) }, func(d *desk, b []ledger.Batch) error {
		return d.Apply(d.ctx, ledger.Step{Actor: asha, BatchID: b[0].ID, From: ledger.BatchHeld, Event: ledger.Abandoned, At: minute(9), Person: "no OTP"})
	}},
	{"a successor", func(d *desk, b []ledger.Batch) {
		d.intend(b[0].ID, ledger.InitiateIntended, minute(1))
		d.apply(ledger.Step{BatchID: b[0].ID, From: ledger.BatchInitiating, Event: ledger.InitiateLost, At: minute(2)})
	}, func(d *desk, b []ledger.Batch) error {
		return d.Apply(d.ctx, ledger.Step{Actor: asha, BatchID: b[0].ID, From: ledger.BatchInitiateUnknown, Event: ledger.DoubtExpired, At: minute(40), Successor: true})
	}},
	{"a retry", func(d *desk, b []ledger.Batch) { d.abandon(b[0].ID, minute(1)) }, func(d *desk, b []ledger.Batch) error {
		over := d.attempts(b[0].ID)
		_, err := d.PlanRetry(d.ctx, asha, minute(9), over, plan(payoutsOf(over), 1))
		return err
	}},
	{"a recovery", func(d *desk, b []ledger.Batch) {
		d.intend(b[0].ID, ledger.InitiateIntended, minute(1))
		d.hold(b[1].ID)
		d.intend(b[1].ID, ledger.SubmitIntended, minute(3))
	}, func(d *desk, _ []ledger.Batch) error { _, err := d.Recover(d.ctx, asha, minute(9)); return err }},
	{"an approval", nil, func(d *desk, b []ledger.Batch) error {
		return d.Approve(d.ctx, ledger.Approving{Approval: approval(ravi, b[0].ID, hash("x"), minute(9))})
	}},
	{"a first word in a release", func(d *desk, b []ledger.Batch) {
		stations[ledger.BatchSubmitUnknown](d, b[0].ID)
	}, func(d *desk, b []ledger.Batch) error {
		return d.Apply(d.ctx, d.release(asha, b[0].ID, minute(9)))
	}},
	{"a second word in a release", func(d *desk, b []ledger.Batch) {
		stations[ledger.BatchSubmitUnknown](d, b[0].ID)
		d.apply(d.release(asha, b[0].ID, minute(9).Add(-2*time.Second)))
	}, func(d *desk, b []ledger.Batch) error {
		return d.Apply(d.ctx, d.release(ravi, b[0].ID, minute(9)))
	}},
	{"a listing", func(d *desk, _ []ledger.Batch) {
		d.must(d.KeepListing(d.ctx, accountsListed(minute(1), true, linked("A1", "active", 3))))
	}, func(d *desk, _ []ledger.Batch) error {
		return d.KeepListing(d.ctx, accountsListed(minute(9), true, linked("A1", "token_expired", 3), linked("A2", "active", 3)))
	}},
	{"a branch list", func(d *desk, _ []ledger.Batch) {
		d.must(d.ImportBranches(d.ctx, listOf("AAAA", minute(1)), branchesOf("AAAA", 3)))
	}, func(d *desk, _ []ledger.Batch) error {
		return d.ImportBranches(d.ctx, listOf("BBBB", minute(9)), branchesOf("BBBB", 2))
	}},
	{"record a statement", nil, func(d *desk, _ []ledger.Batch) error {
		_, err := d.RecordStatement(d.ctx, reading(account1, debits(2)...))
		return err
	}},
	{"explain a line", func(d *desk, _ []ledger.Batch) {
		d.record(ofFile(reading(account1, debits(2)...), "march"), 2, 0)
		if _, err := d.DecideStatement(d.ctx, explanation(asha)); err != nil {
			d.Fatal(err)
		}
	}, func(d *desk, _ []ledger.Batch) error {
		_, err := d.DecideStatement(d.ctx, explanation("ravi"))
		return err
	}},
}

// allOrNothing lets the first, the second, the third … row of each write fail until the write succeeds. A
// failed write must return an error and leave nothing.
func allOrNothing(t testing.TB, o Opener) {
	o.FailAt(0)
	d := begin(t, o)
	for _, w := range writes {
		d.reset()
		b := d.load("nov", 4, 2)
		if w.ready != nil {
			w.ready(d, b)
		}
		before := d.world()
		failed := 0
		for n := 1; ; n++ {
			o.FailAt(n)
			err := w.do(d, b)
			reached := o.Failed()
			o.FailAt(0)
			if !reached {
				if err != nil {
					d.Errorf("%s: no row failed, and yet: %v", w.name, err)
				}
				break
			}
			failed++
			if err == nil {
				d.Errorf("%s: row %d was not written, and nothing was said", w.name, n)
			}
			d.is(before, "%s, row %d of which failed", w.name, n)
			if d.Failed() {
				break
			}
		}
		if failed < 2 && w.name != "an approval" { // the row and its event; an approval is its event
			d.Errorf("%s: only %d rows failed", w.name, failed)
		}
		after := d.world()
		if len(after.Events) == len(before.Events) {
			d.Errorf("%s: it has no event", w.name)
		}
		d.reopen()
		d.is(after, "%s, opened again", w.name)
		d.whole()
	}
}
