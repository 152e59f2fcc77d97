package submitter_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter"
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
			r := d.copyAt(filepath.Join(t.TempDir(), "restored.db"))
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

// The bank dropped a held batch when its OTP expired. Before an older copy is accepted, a person abandons it there.
func TestABatchThatTheBankDroppedIsAbandonedInAnOlderCopy(t *testing.T) {
	d, b := withHeld(t, 1)
	must(t, d.store.Close())
	older, err := os.ReadFile(d.path)
	must(t, err)
	d.open()
	d.load(payouts{account: pb4, bank: 4, n: 1})
	must(t, d.store.Close())
	must(t, os.WriteFile(d.path, older, 0o600))
	d.open()
	if d.store.Restored() == nil {
		t.Fatal("it is not behind its mark")
	}
	dropped := odd{d.client, map[string]func(statusRead) (statusRead, error){b.ID: func(statusRead) (statusRead, error) {
		return d.client.ReadStatus(t.Context(), "pr-none", 1, ledger.AskOnce)
	}}}
	d.later(d.set.DoubtQuiet + time.Minute)
	r := d.verb(d.with(dropped).LookAtAll(t.Context()))
	d.became(r, submitter.OutcomeNotLooked)
	if !strings.Contains(r[0].Message, "payrun abandon "+b.ID) {
		t.Errorf("it does not say what a person does: %s", r[0].Message)
	}
	d.abandon(dropped, b.ID, "the bank dropped it")
	d.became(d.verb(d.with(dropped).LookAtAll(t.Context())))
	must(t, d.store.AcceptRestored(t.Context(), "tester", "the machine was lost", d.now()))
	d.sound()
}
