//go:build unix

package killtest

import (
	"os"
	"testing"

	"payrun/ledger"
)

// An older copy comes back in the ledger's place. It has batches as held and as
// planned that its lost self submitted, and lacks a sheet. Nothing is sent until
// a person accepts it, however often that is killed; then every payout is still
// paid once at most, and nothing stays that no one is asked to settle.
func TestKillWhileAnOlderLedgerIsAccepted(t *testing.T) {
	ofTheProof(t)
	const times = 4
	f := newFigures()
	d := openDesk(t, openBank(t, *seed, "--latency", "6ms"), *seed, 0)
	d.loaded(d.fresh(), 6, "pb3", "pb12", "pb1")
	planned := d.known.in(ledger.BatchPlanned)
	d.must(12, "initiate", planned[0].ID, planned[1].ID, "--yes")
	d.known = d.view()
	older, then := d.read("payrun.db"), d.known
	d.takes(submitAll(d))
	d.takes(initiate(d))
	d.known = d.view()
	d.takes(submitAll(d))
	d.loaded(d.fresh(), 3, "pb3")
	d.takes(initiate(d))
	d.known = d.view()
	d.takes(submitAll(d))
	d.bank.settle()

	accept := step{args: []string{"ledger", "verify", "--accept-restored", "--reason", "rehearsal", "--yes"}}
	for round := range times {
		d.putBack(older)
		d.known = then
		before := d.truth().summary()
		for _, s := range []step{initiate(d), submitAll(d)} {
			d.ends(17, s)
		}
		if round == 0 { // how long it takes
			d.strike(accept, spared, 0, f)
		}
		for n := 0; d.run("ledger", "verify").exit == 17 && n < times; n++ {
			d.strike(accept, killed, d.delay(accept, f), f)
			d.whole()
		}
		if d.run("ledger", "verify").exit == 17 {
			d.takes(accept)
		}
		d.must(0, "ledger", "verify")
		if now := d.truth().summary(); now != before {
			t.Errorf("the bank had %s and has %s: something was sent before the ledger was accepted", before, now)
		}
		d.finish()
		d.must(0, "ledger", "verify")
		d.known.complete(t, d.sheets)
		paidOnce(t, d.bank.state())
	}
	t.Logf("kill figures: restored=%d accept_killed=%d", times, f.kills)
	if f.kills == 0 {
		t.Error("no kill hit while a ledger was accepted")
	}
}

// putBack puts an older ledger in the place of the newer one, whose mark stays.
func (d *desk) putBack(older string) {
	d.t.Helper()
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(d.ledger() + suffix); err != nil && !os.IsNotExist(err) {
			d.t.Fatal(err)
		}
	}
	d.write("payrun.db", older)
}
