//go:build unix

package killtest

import (
	"testing"

	"payrun/ledger"
)

// A valid file whose rows someone changed: SQLite has nothing against it, and
// the rows agree with one another. `ledger verify` finds each change, and nothing
// that is touched by it is sent (docs/operations.md, "Faults of the machine").
func TestAChangedRowIsFoundAndSendsNothing(t *testing.T) {
	ofTheProof(t)
	for name, c := range map[string]struct {
		prepare func(*desk)
		change  string
		then    func(*desk) step
	}{
		"another account number": {small, `UPDATE payouts SET bank_account_number = '918099999999'`, initiate},
		"another payee":          {small, `UPDATE payouts SET vendor_name = 'Another payee'`, initiate},
		"another IFSC":           {small, `UPDATE payouts SET ifsc = 'ICIC0009999'`, initiate},
		"another amount, and its totals": {small, `UPDATE payouts SET amount = amount + 100;
			UPDATE batches SET total = total + 100 * count; UPDATE sheets SET accepted_total = accepted_total + 100 * row_count, total = total + 100 * row_count`, initiate},
		"tries that nobody made": {held, `UPDATE batches SET otp_tries = 1`, submitAll},
		"a success that failed": {paid, `UPDATE observations SET status = 'failed', bank_status_code = 'REJECTED';
			UPDATE attempts SET state = 'failed', status = 'failed', bank_status_code = 'REJECTED', failed_reads = 2`, retrySheet},
		"an observation that is gone": {paid, `DELETE FROM observations WHERE payout_id = 1`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			d := openDesk(t, openBank(t, *seed), *seed, 0)
			c.prepare(d)
			d.known = d.view()
			var s step
			if c.then != nil {
				s = c.then(d)
			}
			before := d.truth()
			d.edit(c.change)
			d.ends(17, verify)
			if c.then == nil {
				return
			}
			d.ends(17, s)
			d.start(initiate(d)).wait()
			if now := d.truth(); now.summary() != before.summary() {
				t.Errorf("the bank had %s, and has %s", before.summary(), now.summary())
			}
		})
	}
}

// paid brings a sheet to its end.
func paid(d *desk) {
	held(d)
	d.takes(submitAll(d))
	for range 7 {
		d.bank.settle()
		d.takes(poll(d))
	}
	d.known = d.view()
	if n := len(d.known.in(ledger.BatchSettled)); n != len(d.known.batches) {
		d.t.Fatalf("%d of %d batches are settled", n, len(d.known.batches))
	}
}

func retrySheet(d *desk) step {
	for _, id := range d.known.sheets {
		return step{args: []string{"retry", id}}
	}
	d.t.Fatal("no sheet is loaded")
	return step{}
}
