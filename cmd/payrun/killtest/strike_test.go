//go:build unix

package killtest

import (
	"syscall"
	"time"
)

// blow is what befalls a running command.
type blow int

const (
	spared     blow = iota
	killed          // SIGKILL
	terminated      // SIGTERM or SIGINT: it finishes what is in progress
	frozen          // SIGSTOP, a second run, SIGCONT
	frozenDead      // SIGSTOP, a second run, SIGKILL
	hurried         // SIGTERM, and SIGKILL before it has finished
)

// aBlow draws one: mostly SIGKILL.
func (d *desk) aBlow() blow {
	switch n := d.dice.IntN(100); {
	case n < 6:
		return spared
	case n < 78:
		return killed
	case n < 86:
		return terminated
	case n < 91:
		return frozen
	case n < 95:
		return frozenDead
	default:
		return hurried
	}
}

// strike runs a step and deals it the blow after the delay. It reports
// whether SIGKILL is what ended it.
func (d *desk) strike(s step, b blow, delay time.Duration, f *figures) bool {
	d.t.Helper()
	cutOff := d.known.cutOff()
	p := d.start(s)
	if b == spared || p.within(delay) {
		d.ordinary(s, p.wait())
		f.spare(s.verb(), p.took)
		return false
	}
	switch b {
	case killed:
		return f.kill(s.verb(), p.kill())
	case terminated:
		d.terminate(p, s, cutOff, f)
	case frozen, frozenDead:
		return d.freeze(p, s, b, f)
	case hurried:
		p.signal(syscall.SIGTERM)
		if !p.within(delay / 4) {
			return f.kill(s.verb(), p.kill())
		}
		f.count(&f.sigterm)
	}
	return false
}

// terminate asks the process to end. A call in progress is finished and its
// outcome recorded: none is left without one that was not there before.
func (d *desk) terminate(p *process, s step, cutOff int, f *figures) {
	d.t.Helper()
	polite := []syscall.Signal{syscall.SIGTERM, syscall.SIGINT}[d.dice.IntN(2)]
	p.signal(polite)
	o := p.wait()
	if o.signal != polite { // else it had not yet begun to listen
		d.ordinary(s, o)
	}
	if d.fileExists("payrun.db") {
		if now := (view{batches: d.batches()}).cutOff(); now > cutOff {
			d.t.Errorf("%s: %v left %d calls without an outcome, there were %d", s.verb(), polite, now, cutOff)
		}
	}
	f.count(&f.sigterm)
}

// freeze stops the process. If it holds the ledger another run is turned away
// at once, however long the first one sleeps.
func (d *desk) freeze(p *process, s step, b blow, f *figures) bool {
	d.t.Helper()
	if !p.signal(syscall.SIGSTOP) {
		p.wait()
		return false
	}
	if d.fileExists("payrun.db") && !d.lockFree() {
		switch o := d.run("poll"); {
		case o.exit == 11:
			f.count(&f.turnedAway)
		case !d.lockFree(): // else it was letting go when the signal came
			d.t.Errorf("a stopped %s holds the ledger, and a second run ended with %d\n%s", s.verb(), o.exit, o.err)
		}
	}
	f.count(&f.sigstop)
	if b == frozenDead {
		return f.kill(s.verb(), p.kill())
	}
	p.signal(syscall.SIGCONT)
	d.ordinary(s, p.wait())
	return false
}
