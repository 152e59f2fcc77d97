//go:build unix

package killtest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// config has the timers of a bank that answers in milliseconds, so that doubt
// expires and patience ends within a test.
const config = `environment = "sandbox"
sub_merchant_id = "sm_0001"
transaction_type_id = "NEFT"
ledger = "payrun.db"

[[accounts]]
name = "pb1"
bank_account_id = "a0000000-0000-4000-8000-000000000001"
partner_bank_id = 1
default = true

[[accounts]]
name = "pb3"
bank_account_id = "a0000000-0000-4000-8000-000000000003"
partner_bank_id = 3

[[accounts]]
name = "pb4"
bank_account_id = "a0000000-0000-4000-8000-000000000004"
partner_bank_id = 4

[[accounts]]
name = "pb12"
bank_account_id = "a0000000-0000-4000-8000-000000000012"
partner_bank_id = 12
kind = "cib"

[limits]
payouts_per_batch = 4
requests_per_second = 1000

[otp]
held_at_once = %d

[http]
timeout_read = "3s"
timeout_send = "10s"

[poll]
first = "10ms"
most = "50ms"
overdue_after = "500ms"

[doubt]
quiet = "150ms"
`

// desk is where a person works: a folder with payrun.toml, sheets and a
// ledger, and a bank.
type desk struct {
	t      *testing.T
	dir    string
	bank   *bank
	dice   *rand.Rand
	sheets []*sheet
	known  view            // what a completed command last showed
	others map[string]bool // batches the bank had before this desk was opened

	twoPeople bool   // policy.two_person
	url       string // of the ledger that other machines share; "" for a file
}

// sheet is one file a person wrote, and what it asks for.
type sheet struct {
	name    string
	amounts map[string]string // by reference
}

// newDesk lays out a folder, without a ledger yet.
func newDesk(t *testing.T, b *bank, seed int64, heldAtOnce int) *desk {
	t.Helper()
	d := &desk{t: t, dir: t.TempDir(), bank: b, dice: rand.New(rand.NewPCG(uint64(seed), 1)), others: map[string]bool{}}
	for _, batch := range b.state().Batches {
		d.others[batch.ID] = true
	}
	d.write("payrun.toml", fmt.Sprintf(config, heldAtOnce))
	return d
}

// openDesk lays out a folder with an empty ledger.
func openDesk(t *testing.T, b *bank, seed int64, heldAtOnce int) *desk {
	t.Helper()
	d := newDesk(t, b, seed, heldAtOnce)
	d.must(0, "init")
	return d
}

// truth is what the bank did for this desk.
func (d *desk) truth() truth {
	d.t.Helper()
	all := d.bank.state()
	var mine truth
	for _, b := range all.Batches {
		if !d.others[b.ID] {
			mine.Batches = append(mine.Batches, b)
		}
	}
	return mine
}

func (d *desk) path(name string) string { return filepath.Join(d.dir, name) }

func (d *desk) ledger() string { return d.path("payrun.db") }

func (d *desk) write(name, text string) {
	d.t.Helper()
	mode := os.FileMode(0o600)
	if d.twoPeople {
		mode = 0o640
	}
	must(d.t, os.WriteFile(d.path(name), []byte(text), mode))
}

// command is a command line in the folder, with keys and address in the environment.
func (d *desk) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = d.dir
	state := "/dev/null" // the folder holds what is looked at, and no more
	if d.url != "" {
		state = d.path("state")
	}
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + d.dir, "TMPDIR=" + d.dir, "XDG_STATE_HOME=" + state,
		"PAYRUN_BASE_URL=http://" + d.bank.ready.Addr,
		"PAYRUN_ACCESS_KEY=" + d.bank.ready.AccessKey, "PAYRUN_SECRET_KEY=" + d.bank.ready.SecretKey,
	}
	return cmd
}

// start runs payrun with --json and does not wait for it.
func (d *desk) start(s step) *process {
	d.t.Helper()
	cmd := d.command(payrun, append(s.args, "--json")...)
	cmd.Stdin = words(s.stdin)
	if s.by == 0 && d.twoPeople {
		s.by = firstPerson
	}
	if s.by != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(s.by), Gid: theirGroup}}
	}
	return launch(d.t, cmd)
}

// run runs payrun to its end.
func (d *desk) run(args ...string) outcome {
	d.t.Helper()
	return d.start(step{args: args}).wait()
}

// must runs payrun and wants its exit code to be one of those named.
func (d *desk) must(exit int, args ...string) outcome {
	d.t.Helper()
	o := d.run(args...)
	if o.exit != exit {
		d.t.Fatalf("payrun %s: exit %d, want %d\n%s%s", strings.Join(args, " "), o.exit, exit, o.out, o.err)
	}
	return o
}

// ends runs payrun and compares its exit code, and goes on.
func (d *desk) ends(exit int, s step) {
	d.t.Helper()
	if o := d.start(s).wait(); o.exit != exit {
		d.t.Errorf("payrun %s: exit %d, want %d\n%s%s", strings.Join(s.args, " "), o.exit, exit, o.out, o.err)
	}
}

// accounts a row may be paid from: bulk, bulk with a token, one payout a batch.
var accounts = []string{"pb3", "pb12", "pb1", "pb4"}

// addSheet writes a sheet of n payouts, spread over accounts. References are
// unique over all sheets of a bank that have different names.
func (d *desk) addSheet(name string, n int, from ...string) *sheet {
	d.t.Helper()
	s := &sheet{name: name + ".csv", amounts: make(map[string]string, n)}
	var b strings.Builder
	b.WriteString("Ref No,Beneficiary Name,Account No,IFSC Code,Amount,Debit Account\n")
	for i := range n {
		ref := fmt.Sprintf("%s-%d", name, i+1)
		s.amounts[ref] = fmt.Sprintf("%d.%02d", 1+d.dice.IntN(99_999), d.dice.IntN(100))
		fmt.Fprintf(&b, "%s,Payee %d,9180%08d,HDFC0001234,%s,%s\n", ref, i+1, i+1, s.amounts[ref], from[i%len(from)])
	}
	d.write(s.name, b.String())
	d.sheets = append(d.sheets, s)
	return s
}

// sheetOf names the sheet a reference comes from.
func sheetOf(ref string) string { return ref[:strings.LastIndexByte(ref, '-')] + ".csv" }

// loaded writes and loads a sheet.
func (d *desk) loaded(name string, n int, from ...string) {
	d.t.Helper()
	s := d.addSheet(name, n, from...)
	d.must(0, "load", s.name)
	d.known = d.view()
}

// lockFree finds out whether a process holds the ledger.
func (d *desk) lockFree() bool {
	d.t.Helper()
	f, err := os.OpenFile(d.ledger()+".lock", os.O_RDWR, 0)
	if os.IsNotExist(err) {
		return true
	}
	must(d.t, err)
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil // closing gives it back
}
