//go:build unix

package killtest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// anything is one of each command that needs a ledger.
func anything(sheet string) [][]string {
	return [][]string{
		{"load", sheet}, {"initiate", "--all", "--yes"}, {"submit", "--otp-file", "-"}, {"poll"}, {"retry", "x"}, {"abandon", "x", "--reason", "y"},
		{"status"}, {"payouts"}, {"sheets"}, {"report"}, {"ledger", "verify"}, {"ledger", "log"},
	}
}

func TestWithoutALedgerNothingIsMadeAndNothingSent(t *testing.T) {
	ofTheProof(t)
	d := newDesk(t, openBank(t, *seed), *seed, 0)
	sheet := d.addSheet("S1", 3, "pb3")
	before := d.folder()
	for _, args := range anything(sheet.name) {
		d.ends(17, step{args: args})
		if now := d.folder(); !maps.Equal(now, before) {
			t.Fatalf("%v without a ledger changed the folder: %v", args, slices.Sorted(maps.Keys(now)))
		}
	}
	if sent := d.truth().batches(); sent != 0 {
		t.Errorf("the bank has %d batches", sent)
	}
}

// page is how many bytes a page of a new ledger has.
const page = 16384

func TestALedgerThatIsNoneIsRefusedAndKept(t *testing.T) {
	ofTheProof(t)
	d := openDesk(t, openBank(t, *seed), *seed, 0)
	small(d)
	good := d.read("payrun.db")
	for name, bad := range map[string]string{
		"empty":                  "",
		"another kind of file":   "merchant_transfer_batch_id,otp\n",
		"first page overwritten": string(make([]byte, page)) + good[page:],
		"cut to its first page":  good[:page],
		"cut in the middle":      good[:len(good)/2/page*page],
	} {
		d.write("payrun.db", bad)
		for _, args := range [][]string{{"load", d.sheets[0].name}, {"initiate", "--all", "--yes"}, {"poll"}, {"status"}, {"ledger", "verify"}} {
			o := d.run(args...)
			if o.exit != 17 {
				t.Errorf("%s: %v: exit %d, want 17\n%s%s", name, args, o.exit, o.out, o.err)
			}
			if d.read("payrun.db") != bad {
				t.Errorf("%s: %v wrote to it", name, args)
				d.write("payrun.db", bad)
			}
		}
	}
	if sent := d.truth().batches(); sent != 0 {
		t.Errorf("the bank has %d batches", sent)
	}
	d.write("payrun.db", good)
	d.worksToTheEnd()
}

// A disk may give back another page than it was given. Each page in turn is
// filled with what SQLite never writes. The program stops where it meets that,
// before the next call; whatever the bank saw before is on record, all but the
// last with its outcome. What the program does not meet, verify finds.
func TestADamagedPageStopsTheRun(t *testing.T) {
	ofTheProof(t)
	whole := openDesk(t, openBank(t, *seed), *seed, 0)
	small(whole)
	good := []byte(whole.read("payrun.db"))
	met, notMet := 0, 0
	each := 3 // of the pages; all of them at night
	if *kills >= night {
		each = 1
	}
	for n := 2; n <= len(good)/page; n += each { // what the first page tells of the file is for the test above
		t.Run(fmt.Sprintf("page %d", n), func(t *testing.T) {
			d := newDesk(t, openBank(t, *seed), *seed, 0)
			bad := slices.Clone(good)
			for i := (n - 1) * page; i < n*page; i++ {
				bad[i] = 0xFF
			}
			d.write("payrun.db", string(bad))
			d.ends(17, verify)
			o := d.run("initiate", "--all", "--yes")
			switch sent := d.truth().batches(); {
			case o.exit == 17:
				met++
			case o.exit == 12 && sent == 2: // what it needed was whole
				notMet++
			default:
				t.Errorf("exit %d, sent %d\n%s", o.exit, sent, o.err)
			}
			d.onRecord()
		})
	}
	t.Logf("kill figures: damaged_pages=%d stopped=%d not_met=%d", met+notMet, met, notMet)
	if met == 0 {
		t.Error("no damage was met")
	}
}

// onRecord: each call the bank saw has its intent, and all but one their
// outcome, where enough of the ledger is left to tell.
func (d *desk) onRecord() {
	d.t.Helper()
	o := d.run("status")
	if o.exit != 0 {
		return
	}
	var status struct {
		Batches []batch `json:"batches"`
	}
	d.decode(o.out, &status)
	v := view{batches: status.Batches}
	v.agrees(d.t, d.truth())
	if n := v.cutOff(); n > 1 {
		d.t.Errorf("%d calls have no outcome: more than one was made after the damage was met", n)
	}
}

// Root may write to what is read-only, so the program runs as another user
// where the test is root.
func TestAReadOnlyLedgerIsRefused(t *testing.T) {
	ofTheProof(t)
	const nobody = 65534
	for _, c := range []struct {
		name         string
		file, folder os.FileMode
	}{
		{"file", 0o444, 0o755},
		{"folder", 0o644, 0o555},
		{"file and folder", 0o444, 0o555},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := openDesk(t, openBank(t, *seed), *seed, 0)
			small(d)
			reachable := d.publish()
			before := d.folder()
			for path, mode := range map[string]os.FileMode{d.ledger(): c.file, d.ledger() + ".lock": c.file, reachable: c.folder} {
				must(t, os.Chmod(path, mode))
				if os.Getuid() == 0 {
					must(t, os.Chown(path, nobody, nobody))
				}
			}
			for _, args := range [][]string{{"load", d.sheets[0].name}, {"initiate", "--all", "--yes"}, {"poll"}, {"retry", "x"}} {
				cmd := d.command(payrun, append(args, "--json")...)
				if os.Getuid() == 0 {
					cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
				}
				if o := launch(t, cmd).wait(); o.exit != 17 {
					t.Errorf("%v: exit %d, want 17\n%s", args, o.exit, o.err)
				}
			}
			must(t, os.Chmod(reachable, 0o755))
			if now := d.folder(); now["payrun.db"] != before["payrun.db"] {
				t.Error("the ledger changed")
			}
			if sent := d.truth().batches(); sent != 0 {
				t.Errorf("the bank has %d batches", sent)
			}
		})
	}
}

// publish moves the desk to a folder that every user can reach, and returns it.
func (d *desk) publish() string {
	d.t.Helper()
	dir, err := os.MkdirTemp("", "payrun-killtest-")
	must(d.t, err)
	d.t.Cleanup(func() {
		_ = os.Chmod(dir, 0o700)
		if err := os.RemoveAll(dir); err != nil {
			d.t.Error(err)
		}
	})
	for name, text := range d.folder() {
		path := filepath.Join(dir, name)
		must(d.t, os.WriteFile(path, []byte(text), 0o600))
		must(d.t, os.Chmod(path, 0o644))
	}
	d.dir = dir
	return dir
}

// folder gives every file of the desk with its content.
func (d *desk) folder() map[string]string {
	d.t.Helper()
	entries, err := os.ReadDir(d.dir)
	must(d.t, err)
	files := make(map[string]string, len(entries))
	for _, e := range entries {
		files[e.Name()] = d.read(e.Name())
	}
	return files
}
