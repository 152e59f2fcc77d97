//go:build unix

package killtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/ledger/postgres/pgtest"
)

// A machine stops in the middle of a COPY, which no timeout of the server ends. Once its lease is over another
// machine ends it, and loads the same sheet.
func TestAMachineStopsWithinCOPY(t *testing.T) {
	ofTheProof(t)
	_, url := pgtest.Database(t, "")
	proxy := pgtest.NewProxy(t, url)
	b := openBank(t, *seed, "--latency", "6ms")
	a, other := newMachine(t, b, *seed, proxy.URL, "single"), newMachine(t, b, *seed+1, url, "single")
	other.must(0, "init")
	s := a.addSheet("S1", 14, accounts...)
	other.follow(a)
	rows := proxy.StopCopy()
	loading := a.start(step{args: []string{"load", s.name}})
	<-rows
	loading.signal(syscall.SIGSTOP)
	<-time.After(lease + time.Second)
	other.must(0, "load", s.name)
	loading.signal(syscall.SIGCONT)
	if o := loading.wait(); o.exit != 17 || !strings.Contains(o.err, `"ledger_unreachable"`) {
		t.Errorf("the load that stopped: exit %d\n%s%s", o.exit, o.out, o.err)
	}
	other.worksToTheEnd()
}

// A dump is put back over a ledger that has submitted more since. If a machine has its mark, nothing is sent until a
// person accepts the ledger. If all marks are lost, nothing shows that it is an older one: the bank is asked
// before each call, and no payout is paid twice.
func TestADumpIsPutBack(t *testing.T) {
	ofTheProof(t)
	for name, marks := range map[string]bool{"with marks": true, "all marks are lost": false} {
		t.Run(name, func(t *testing.T) {
			_, url := pgtest.Database(t, "")
			b := openBank(t, *seed, "--latency", "6ms")
			machines := []*desk{newMachine(t, b, *seed, url, "single"), newMachine(t, b, *seed+1, url, "single")}
			a := machines[0]
			a.must(0, "init")
			a.loaded("S1", 14, accounts...)
			a.must(12, "initiate", "--all", "--yes")
			a.known = a.view()
			held := a.submit(a.known.in(ledger.BatchHeld))
			dump := filepath.Join(t.TempDir(), "dump")
			client(t, "pg_dump", "-Fc", "-f", dump, url)
			a.takes(held)
			sent := a.truth().summary()
			client(t, "pg_restore", "--clean", "-d", url, dump)
			for _, m := range machines {
				m.follow(a)
				if !marks {
					must(t, os.RemoveAll(m.path("state")))
				}
			}
			if marks {
				for _, m := range machines {
					if o := m.start(held).wait(); o.exit != 17 || !strings.Contains(o.err, "had reached event") {
						t.Errorf("exit %d\n%s%s", o.exit, o.out, o.err)
					}
				}
				if now := a.truth().summary(); now != sent {
					t.Errorf("the bank had %s, and has %s before anybody accepted", sent, now)
				}
				if o := a.run("ledger", "verify", "--accept-restored", "--yes", "--reason", "a dump was put back"); o.exit != 0 && o.exit != 15 {
					t.Fatalf("accepting: exit %d\n%s%s", o.exit, o.out, o.err)
				}
			}
			a.known = a.view()
			other := machines[1]
			other.known = a.known
			other.worksToTheEnd()
		})
	}
}

// client runs one of the programs that come with the server.
func client(t *testing.T, name string, args ...string) {
	t.Helper()
	path := filepath.Join(pgtest.Binaries(), name)
	if _, err := os.Stat(path); err != nil {
		t.Skip("this PostgreSQL comes without ", name)
	}
	if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}
