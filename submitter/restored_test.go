package submitter_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter/sandbox"
)

// lenient is a desk at a bank that answers a repeated initiate with the batch as it is, and
// hides what is not submitted.
func lenient(t *testing.T) *desk {
	reading := sandbox.ReadingFor(7, false)
	reading.EchoesRepeats, reading.HidesUnsubmitted = true, true
	return newDeskAt(t, reading)
}

// The lost ledger gave a batch up, retried it and paid it. An older copy, from before the
// sheet, is accepted, and the sheet loaded again: the bank shows nothing under the first id.
func TestASheetThatIsLoadedAgainAfterARestoreIsNotPaidTwice(t *testing.T) {
	for _, held := range []time.Duration{time.Minute, time.Hour} {
		t.Run(held.String(), func(t *testing.T) {
			d := lenient(t)
			// last night's backup
			d.store.Close()
			backup, err := os.ReadFile(d.path)
			must(t, err)
			d.open()
			// the day: held, the OTP was missed, abandoned, retried, paid
			b := d.load(payouts{account: pb3, bank: 3, n: 2})[0]
			d.initiate()
			d.abandon(d.client, b.ID, "the OTP never came")
			again := d.retryOf(d.batch(b.ID))
			d.initiate(again.ID)
			d.submit(d.otp(again.ID))
			d.settle()
			d.want(again.ID, ledger.BatchSettled, states{"success": 2})
			// the machine is lost; the backup is accepted, and the sheet loaded again
			r := d.beside(filepath.Join(t.TempDir(), "restored.db"))
			r.ahead = d.ahead
			must(t, os.WriteFile(r.path, backup, 0o600))
			mark, err := os.ReadFile(d.path + ".head") // kept in the reports
			must(t, err)
			must(t, os.WriteFile(r.path+".head", mark, 0o600))
			r.open()
			must(t, r.store.AcceptRestored(t.Context(), "tester", "the machine was lost", r.now()))
			r.later(49 * time.Hour)
			d.later(49 * time.Hour) // the bank's clock
			same := r.load(payouts{account: pb3, bank: 3, n: 2})[0]
			if same.ID != b.ID {
				t.Fatal(same.ID, b.ID)
			}
			r.initiate()
			r.later(held)
			d.later(held)
			r.submit(r.otp(same.ID))
			r.settle()
			if n := d.executed("S1-G0-000"); n > 1 {
				t.Errorf("paid %d times", n)
			}
		})
	}
}
