//go:build unix

package killtest

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"payrun/ledger"
)

// What is promised: SQLite syncs its write-ahead log before a commit returns,
// and the program prints a state only after that commit. So whatever the disk
// loses of the log after the last command that ended (or after the last call
// the bank saw, whose intent was committed before it), all of that is still
// there. A log that is cut before it is a disk that lied about its sync: then
// what is left is an older, whole ledger, and the high-water mark next to it
// tells, so that nothing is sent.

// acked is what a completed command left: so much of the log, and all this in it.
type acked struct {
	log    int64
	events []string // hashes of the audit chain
	view   view
}

// called is a moment when the bank had taken a call and its answer was still
// to come: the bank as it was then, and how much of the log was on disk.
type called struct {
	log, until int64 // until: the log once the outcome was recorded
	bank, mark string
	view       view // what was known before the call
}

// blackout is the log of one working morning, never checkpointed.
type blackout struct {
	desk  *desk
	log   []byte
	mark  string // as the last acknowledged command left it
	acks  []acked
	calls []called
}

// markName is the file that tells how far the ledger had come.
const markName = "payrun.db.head"

func TestPowerCut(t *testing.T) {
	ofTheProof(t)
	m := morning(t)
	dice := rand.New(rand.NewPCG(uint64(*seed), 2))
	size, last := int64(len(m.log)), m.acks[len(m.acks)-1].log
	tail := 0
	for n := range *cuts {
		at := dice.Int64N(size + 1)
		switch {
		case n < 3*len(m.acks): // the very ends of what was acknowledged, and a byte to either side
			at = min(max(m.acks[n/3].log+int64(n%3-1), 0), size)
		case n%3 > 0:
			at = last + dice.Int64N(size-last+1)
		}
		if at >= last {
			tail++
		}
		m.cut(t, at, lost[n%len(lost)], dice, n%4 == 0)
	}
	after := draws() // cuts while a call is in progress, of each
	for _, c := range m.calls {
		for range after {
			m.goesOn(t, c, c.log+dice.Int64N(c.until-c.log+1), dice)
		}
	}
	t.Logf("kill figures: wal_cuts=%d in_the_tail=%d before_it=%d acknowledged_commands=%d finished_after_a_cut=%d wal_bytes=%d",
		*cuts, tail, *cuts-tail, len(m.acks), after*len(m.calls), size)
}

// morning works through a sheet while another program reads the ledger, so
// that nothing is checkpointed, and ends as the lights do.
func morning(t *testing.T) blackout {
	book := filepath.Join(t.TempDir(), "bank.json")
	d := openDesk(t, openBank(t, *seed, "--state", book), *seed, 0)
	d.write("payrun.toml", strings.Replace(d.read("payrun.toml"), "payouts_per_batch = 4", "payouts_per_batch = 400", 1))
	d.loaded("LONG", 800, "pb3") // more than a pipe holds
	leave := d.slowReader()
	m := blackout{desk: d}
	done := func() { m.acks = append(m.acks, acked{d.logLength(), d.events(), d.view()}); d.known = d.view() }
	done()
	small(d)
	done()
	for _, call := range []struct {
		op      string
		command func(*desk) step
	}{{"initiate", initiate}, {"submit", submitAll}} {
		before := d.truth()
		d.bank.faults(fault{Op: call.op, Nth: []int{1, 2}, Kind: "slow", Seconds: 0.5}) // the second too: its outcome is not in the log yet
		run := d.start(call.command(d))
		until(t, "the bank took the call", func() bool { return d.truth().summary() != before.summary() })
		now := called{log: d.logLength(), bank: read(t, book), mark: d.read(markName), view: d.known}
		until(t, "its outcome is in the log", func() bool { return d.logLength() > now.log })
		now.until = d.logLength()
		run.wait()
		m.calls = append(m.calls, now)
		done()
	}
	d.bank.settle()
	d.takes(step{args: []string{"poll"}})
	done()
	m.mark = d.read(markName)
	d.must(0, "load", d.addSheet(d.fresh(), 300, accounts...).name) // the lights go out in it: no one was informed
	leave()
	m.log = []byte(read(t, d.ledger()+"-wal"))
	if last := m.acks[len(m.acks)-1].log; m.acks[0].log >= last || last >= int64(len(m.log)) {
		t.Fatal("the log was checkpointed: there is nothing to cut")
	}
	return m
}

// slowReader starts a listing that the reader stopped, which keeps the last run
// from emptying the log into the ledger. leave kills it.
func (d *desk) slowReader() (leave func()) {
	d.t.Helper()
	cmd := d.command(payrun, "payouts", "--json")
	out, err := cmd.StdoutPipe()
	must(d.t, err)
	p := launch(d.t, cmd)
	_, err = out.Read(make([]byte, 1))
	must(d.t, err)
	return func() {
		if !p.kill() {
			d.t.Fatal("the reader had read everything")
		}
	}
}

// loss is what the disk did to the log from a place on.
type loss func(log []byte, at int64, dice *rand.Rand) []byte

var lost = []loss{truncated, torn, holed}

// truncated: nothing after the place was written.
func truncated(log []byte, at int64, _ *rand.Rand) []byte { return slices.Clone(log[:at]) }

// torn: what follows is what the disk held before.
func torn(log []byte, at int64, dice *rand.Rand) []byte {
	const most = 10_000 // two frames and a bit
	left := slices.Clone(log[:at])
	for range dice.IntN(most) {
		left = append(left, byte(dice.Uint32()))
	}
	return left
}

// holed: sectors were written in no order, and some not at all.
func holed(log []byte, at int64, dice *rand.Rand) []byte {
	const sector = 512
	left := slices.Clone(log)
	for from := at; from < int64(len(left)); from = (from/sector + 1) * sector {
		if dice.IntN(2) == 0 {
			clear(left[from:min((from/sector+1)*sector, int64(len(left)))])
		}
	}
	return left
}

// cut cuts the power and looks at what is left: everything acknowledged up to
// the place, and next to it nothing but the beginning of what came after.
func (m blackout) cut(t *testing.T, at int64, how loss, dice *rand.Rand, closely bool) {
	t.Helper()
	c := m.after(t, at, m.mark, how, dice)
	last := acked{}
	for _, a := range m.acks {
		if a.log <= at {
			last = a
		}
	}
	whole := m.acks[len(m.acks)-1].events
	got := c.events()
	if len(got) < len(last.events) || !slices.Equal(got[:min(len(got), len(whole))], whole[:min(len(got), len(whole))]) {
		t.Errorf("cut at %d of %d: %d events are left, %d were acknowledged", at, len(m.log), len(got), len(last.events))
	}
	missing := len(got) < len(whole)
	if missing {
		c.sendsNothing()
	}
	if closely {
		c.must(map[bool]int{false: 0, true: 17}[missing], "ledger", "verify")
		v := c.view()
		v.follows(t, last.view)
		v.complete(t, c.sheets)
		checkCopy(t, c.dir)
	}
	must(t, os.RemoveAll(c.dir))
}

// sendsNothing: a ledger that has forgotten something initiates nothing and
// submits nothing, above all not what it believes still waits for its OTP.
func (d *desk) sendsNothing() {
	d.t.Helper()
	before, v := d.truth().summary(), view{batches: d.batches()}
	var tries []step
	if len(v.in(ledger.BatchPlanned)) > 0 {
		tries = append(tries, initiate(d))
	}
	if held := v.in(ledger.BatchHeld); len(held) > 0 {
		tries = append(tries, d.submit(held))
	}
	for _, s := range tries {
		switch o := d.start(s).wait(); o.exit {
		case 0, 12, 13, 14, 15:
			d.t.Errorf("a ledger behind its mark was worked with: %s, exit %d\n%s", s.verb(), o.exit, o.err)
		}
	}
	if now := d.truth().summary(); now != before {
		d.t.Errorf("a ledger behind its mark sent: the bank had %s and has %s", before, now)
	}
}

// goesOn cuts the power while the outcome of a call is being recorded, and has
// a person finish at the bank as it was then.
func (m blackout) goesOn(t *testing.T, now called, at int64, dice *rand.Rand) {
	t.Helper()
	c := m.after(t, at, now.mark, torn, dice)
	book := c.path("bank.json")
	c.write("bank.json", now.bank)
	c.bank, c.known = openBank(t, *seed, "--state", book), now.view
	c.worksToTheEnd()
	for _, b := range c.known.in(ledger.BatchPlanned, ledger.BatchHeld) {
		t.Errorf("batch %s is left %s", b.ID, b.State)
	}
}

// after lays out a desk as the power cut left it.
func (m blackout) after(t *testing.T, at int64, mark string, how loss, dice *rand.Rand) *desk {
	t.Helper()
	c := *m.desk
	c.dir, c.dice, c.known = t.TempDir(), dice, view{}
	copyLedger(t, m.desk.dir, c.dir)
	c.write("payrun.toml", m.desk.read("payrun.toml"))
	for _, s := range c.sheets {
		c.write(s.name, m.desk.read(s.name))
	}
	c.write(markName, mark)
	c.write("payrun.db-wal", string(how(m.log, at, dice)))
	return &c
}

// events gives the hashes of the audit chain.
func (d *desk) events() []string {
	d.t.Helper()
	var hashes []string
	for _, e := range lines[struct{ Hash string }](d, "ledger", "log") {
		hashes = append(hashes, e.Hash)
	}
	return hashes
}

func (d *desk) read(name string) string {
	d.t.Helper()
	return read(d.t, d.path(name))
}

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	must(t, err)
	return string(raw)
}
