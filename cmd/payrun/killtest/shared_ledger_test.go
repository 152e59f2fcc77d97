//go:build unix

package killtest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"payrun/ledger/postgres/pgtest"
)

// lease is the shortest that a configuration takes.
const lease = 3 * time.Second

// newMachine lays out the folder of a machine that shares the ledger at a URL.
func newMachine(t *testing.T, b *bank, seed int64, url, durability string) *desk {
	t.Helper()
	d := newDesk(t, b, seed, 0)
	d.url = url
	text, err := os.ReadFile(d.path("payrun.toml"))
	must(t, err)
	d.write("payrun.toml", strings.Replace(string(text), `"payrun.db"`, fmt.Sprintf("%q", url), 1)+
		fmt.Sprintf("\n[ledger_url]\ndurability = %q\nlease = %q\n", durability, lease))
	return d
}

// sharedFigures count what befell two machines.
type sharedFigures struct{ kills, stops, cuts, payouts int }

// Two machines do a payday on one ledger at the same time. Each is killed or stopped at
// random moments, for longer than its lease, and the server drops its connections. The bank
// executes each payout once.
func TestTwoMachinesKilledAndStopped(t *testing.T) {
	ofTheProof(t)
	url := func() string { _, url := pgtest.Database(t, ""); return url }
	all := make([]sharedFigures, 2)
	t.Run("worlds", func(t *testing.T) {
		for world := range all {
			t.Run(fmt.Sprint(world), func(t *testing.T) {
				t.Parallel()
				sharedStorm(t, *seed*1000+int64(world), world == 1, url(), &all[world])
			})
		}
	})
	for _, one := range all[1:] {
		all[0].kills, all[0].stops, all[0].cuts, all[0].payouts = all[0].kills+one.kills, all[0].stops+one.stops, all[0].cuts+one.cuts, all[0].payouts+one.payouts
	}
	t.Logf("kill figures: shared_ledger machines=2 sigkill=%d sigstop=%d cuts=%d payouts=%d seed=%d", all[0].kills, all[0].stops, all[0].cuts, all[0].payouts, *seed)
}

func sharedStorm(t *testing.T, seed int64, trouble bool, url string, f *sharedFigures) {
	args := []string{"--latency", "6ms"}
	if trouble {
		args = append(args, "--trouble")
	}
	b := openBank(t, seed, args...)
	a := newMachine(t, b, seed, url, "single")
	a.must(0, "init")
	machines := []*desk{a, newMachine(t, b, seed+1_000_000, url, "single")}
	times := newFigures()
	kills, stops := *kills*2/3, max(1, *kills/6) // 200 and 50 in .ci/nightly
	for (f.kills < kills || f.stops < stops) && !t.Failed() {
		a.moreToDo()
		a.weather()
		var runs [2]struct {
			step
			*process
			delay   time.Duration
			stopped bool
		}
		for i, m := range machines {
			m.follow(a)
			s := step{args: []string{"poll"}}
			if choices := m.choices(a.known); len(choices) > 0 {
				s = m.any(choices)
			}
			if repairs := m.repairs(a.known); len(repairs) > 0 && m.dice.IntN(6) == 0 {
				s = m.any(repairs)
			}
			runs[i].step, runs[i].process, runs[i].delay = s, m.start(s), m.delay(s, times)
		}
		for i := range runs {
			r := &runs[i]
			switch blow := a.dice.IntN(20); {
			case blow < 6 || r.within(r.delay):
			case blow < 15:
				if r.kill() {
					f.kills++
				}
			case blow < 18 && f.stops < stops:
				r.stopped = r.signal(syscall.SIGSTOP)
			case blow == 19:
				pgtest.Exec(t, pgtest.URL(t, "postgres"), fmt.Sprintf(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '%s'`, url[strings.LastIndexByte(url, '/')+1:strings.IndexByte(url, '?')]))
				f.cuts++
			}
		}
		for i, m := range machines {
			if r := runs[i]; r.stopped && r.running() {
				f.stops++
				other := machines[1-i]
				for over := time.Now().Add(lease + time.Second); time.Now().Before(over); { // what it was doing becomes another's to recover
					other.shared(step{args: []string{"poll", "--wait", "300ms"}}, other.start(step{args: []string{"poll", "--wait", "300ms"}}))
				}
			}
			runs[i].signal(syscall.SIGCONT)
			m.shared(runs[i].step, runs[i].process)
		}
		a.sound()
	}
	b.faults()
	<-time.After(lease + time.Second) // the leases of those that were killed
	for _, m := range machines {
		m.follow(a)
		m.worksToTheEnd()
		a.known = m.known
	}
	f.payouts = len(a.known.payouts)
}

// follow gives a machine the sheets of another.
func (d *desk) follow(other *desk) {
	d.t.Helper()
	for _, s := range other.sheets[len(d.sheets):] {
		text, err := os.ReadFile(other.path(s.name))
		must(d.t, err)
		d.write(s.name, string(text))
		d.sheets = append(d.sheets, s)
	}
	d.known = other.known
}

// shared wants an end that a run has while another machine works on the ledger: what it was
// to do is done already (2, 10), it waited in vain (11), or its connection or its lease is
// over (17).
func (d *desk) shared(s step, p *process) {
	d.t.Helper()
	o := p.wait()
	if o.signal == 0 && !slices.Contains([]int{1, 11, 17}, o.exit) {
		d.ordinary(s, o)
	}
	if o.exit == 17 && !strings.Contains(o.err, `"ledger_unreachable"`) || o.exit == 1 && !strings.Contains(o.err, `"code"`) {
		d.t.Errorf("payrun %s: exit %d\n%s%s", strings.Join(s.args, " "), o.exit, o.out, o.err)
	}
}
