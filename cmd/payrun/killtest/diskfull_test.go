//go:build unix

package killtest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"payrun/ledger"
)

// A limit on the size of a file is what a full disk looks like to SQLite: the
// write fails, at every place in turn as the limit grows. What must come of it
// is exit 17 with nothing sent, or with the call that was made on record as one
// whose outcome is not known (docs/operations.md, "Faults of the machine").
func TestDiskFull(t *testing.T) {
	ofTheProof(t)
	const (
		block = 512 // bytes: what POSIX counts `ulimit -f` in
		most  = 60 * page / block
		apart = 3 * page / block
	)
	d := openDesk(t, openBank(t, *seed), *seed, 0)
	d.loaded("FULL", 2*(most/apart+1), "pb4") // one payout a batch
	planned := d.known.in(ledger.BatchPlanned)
	took := map[string]int{}
	for limit := 0; limit <= most; limit += apart {
		toSubmit, toInitiate := planned[0], planned[1]
		planned = planned[2:]
		if o := d.run("initiate", toSubmit.ID, "--yes"); o.exit != 12 && o.exit != 15 { // 15: an earlier one is in doubt
			t.Fatalf("initiate %s: exit %d\n%s", toSubmit.ID, o.exit, o.err)
		}
		d.known = d.view()
		sheet := d.addSheet(fmt.Sprintf("L%d", limit), 40, "pb3", "pb12")
		for _, s := range []onBatch{
			{step{args: []string{"load", sheet.name}}, ""},
			{step{args: []string{"initiate", toInitiate.ID, "--yes"}}, toInitiate.ID},
			{d.submit([]batch{toSubmit}), toSubmit.ID},
		} {
			took[d.limited(limit, s.step, s.batch)]++
		}
		d.sound()
	}
	for _, want := range []string{"load stopped", "load done", "initiate stopped", "initiate in doubt", "initiate done", "submit stopped", "submit done"} {
		if took[want] == 0 {
			t.Errorf("no limit led to %q: %v", want, took)
		}
	}
	d.worksToTheEnd()
	t.Logf("kill figures: disk_full=%v", took)
}

// onBatch is a step and the batch it is about, "" for none.
type onBatch struct {
	step
	batch string
}

// limited runs a step that may not make a file longer than so many blocks, and
// says the outcome.
func (d *desk) limited(blocks int, s step, id string) string {
	d.t.Helper()
	before := d.truth().summary()
	cmd := d.command("sh", append([]string{"-c", `ulimit -f "$0" && exec "$@"`, strconv.Itoa(blocks), payrun, "--json"}, s.args...)...)
	cmd.Stdin = words(s.stdin)
	o := launch(d.t, cmd).wait()
	sent := d.truth().summary() != before
	came := "done"
	switch state := (view{batches: d.batches()}).state(id); {
	case o.exit == 17 && !sent:
		came = "stopped"
	case o.exit == 17 && (state == ledger.BatchInitiating || state == ledger.BatchSubmitting):
		came = "in doubt"
	case o.exit == 17 && sent && state == ledger.BatchHeld: // what the bank showed of it after that is not on record
		came = "held, and stopped"
		if !strings.Contains(o.err, "was initiated and is held") {
			d.t.Errorf("%s within %d blocks: what was sent is not said: %s", s.verb(), blocks, o.err)
		}
	case o.exit == 17 || o.exit == 1 || o.exit == 2 || o.signal != 0:
		d.t.Errorf("%s within %d blocks: exit %d, signal %v, sent: %t, batch %q\n%s", s.verb(), blocks, o.exit, o.signal, sent, state, o.err)
	}
	return s.verb() + " " + came
}
