package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
	"payrun/reports"
	"payrun/submitter"
	"payrun/submitter/bankapi"
)

// Health is the result of one check.
type Health string

// The results. Only a failed check changes how doctor ends.
const (
	Well     Health = "ok"
	Doubtful Health = "warning"
	Unwell   Health = "failed"
	Unknown  Health = "skipped"
)

// Checkup is one check of doctor.
type Checkup struct {
	Name   string
	Health Health
	What   string
	Code   Code   // of a failed check; "" otherwise
	Next   []Hint // what to do
}

// doctor checks one configuration. It changes nothing.
type doctor struct {
	*App
	call  Call
	found []Checkup
	errs  []error // of the failed checks
}

// Doctor checks everything that has to be in order before anything is sent: the configuration, the keys, the
// ledger, the disk, the bank and the accounts; with nightly also what cron needs. It only reads. The error is
// the worst of the failed checks; nil if none failed.
func Doctor(ctx context.Context, from config.Sources, env Env, nightly bool) ([]Checkup, error) {
	d := &doctor{}
	set, err := config.Load(from)
	d.configuration(from, set, err)
	if err == nil {
		d.App = New(set, env)
		d.call = Call{Actor: set.Actor, Command: "payrun doctor"}
		keys := d.files()
		d.theLedger(ctx)
		d.leftovers()
		if keys {
			d.bank(ctx)
		} else {
			d.note("bank", Unknown, "not checked: there are no keys")
		}
		d.nights(nightly)
	}
	return d.found, errors.Join(d.errs...)
}

func (d *doctor) note(name string, h Health, format string, args ...any) *Checkup {
	d.found = append(d.found, Checkup{Name: name, Health: h, What: fmt.Sprintf(format, args...)})
	return &d.found[len(d.found)-1]
}

func (c *Checkup) then(hints ...Hint) { c.Next = append(c.Next, hints...) }

// failed adds a failed check from an error, with its hints.
func (d *doctor) failed(name string, err error) {
	e := Worst(err)
	c := d.note(name, Unwell, "%s", e.What)
	c.Code, c.Next = e.Code, e.Next
	d.errs = append(d.errs, Fail(e.Code, "%s: %s", name, e.What))
}

func (d *doctor) configuration(from config.Sources, set config.Settings, err error) {
	const name = "configuration"
	var there, absent []string
	for _, p := range from.LookedFor() {
		said := fmt.Sprintf("%s (%s)", p.Path, p.Why)
		if !p.There {
			absent = append(absent, said)
		} else if p.Path != set.Path {
			there = append(there, said)
		}
	}
	switch {
	case err != nil:
		d.failed(name, err)
	case set.Path == "":
		d.note(name, Doubtful, "there is no payrun.toml, so the defaults apply; looked for at %s", strings.Join(absent, ", ")).
			then(Say("go to its folder, or name it with --config"))
	default:
		d.note(name, Well, "read from %s", set.Path)
	}
	if err == nil && len(there) > 0 {
		d.note("other configurations", Doubtful, "not used, because another comes first: %s", strings.Join(there, ", ")).
			then(Say("remove the wrong ones, or name the right one with --config"))
	}
}

// judged adds the error, or the words of well if there is none. It reports whether all is well.
func (d *doctor) judged(name string, err error, well string) bool {
	if err != nil {
		d.failed(name, err)
	} else {
		d.note(name, Well, "%s", well)
	}
	return err == nil
}

// files checks whether the keys and certificates can be used. It never shows them.
func (d *doctor) files() (keys bool) {
	_, _, err := d.set.Keys(d.env.Getenv)
	keys = d.judged("keys", err, "both are set; files with them can be read only by their owner")
	if d.set.HTTP.CAFile != "" {
		_, err := d.set.Authorities()
		d.judged("http.ca_file", err, d.set.InFolder(d.set.HTTP.CAFile))
	}
	return keys
}

// mostVerifying is the longest time that doctor verifies the ledger.
const mostVerifying = 30 * time.Second

// theLedger checks the ledger, its mark and its lock; for a file also its mode and its disk.
func (d *doctor) theLedger(ctx context.Context) {
	const name = "ledger"
	err := d.read(ctx, d.call, func(o *operation) error {
		head, err := o.store.AuditHead(ctx)
		if err != nil {
			return err
		}
		d.ledgerClock(head)
		ctx, stop := context.WithTimeout(ctx, mostVerifying)
		defer stop()
		problems, err := o.store.Verify(ctx)
		if len(problems) == 0 {
			err = cmp.Or(err, o.store.Moved(ctx))
		}
		switch {
		case err != nil && ctx.Err() != nil:
			d.note(name, Unknown, "%s: %s; it is too large to be verified here", d.place.name(), ledger.Counted(int(head.Length), "event", "events")).then(Do("ledger", "verify").Which("verifies it whole"))
		case err != nil:
			return err
		case len(problems) > 0:
			return o.doesNotHold(problems)
		default:
			d.note(name, Well, "%s: %s, verified, its high-water mark matches", d.place.name(), ledger.Counted(int(head.Length), "event", "events"))
		}
		return nil
	})
	if err != nil {
		d.failed(name, err)
	}
	path, _ := d.place.file()
	if info := d.ledgerFile(); info != nil {
		if mode := info.Mode().Perm(); mode&0o007 != 0 {
			d.note("ledger's mode", Doubtful, "others may read it (%04o)", mode).then(Say("chmod 600 it, or 660 for a group that shares it"))
		}
		d.disk(filepath.Dir(path), info.Size())
	}
	switch p := d.place.(type) {
	case unusable: // that was noted
	case serverPlace:
		d.theServer(ctx, p)
	default:
		switch holder, held, err := p.holder(ctx); {
		case err != nil:
			d.failed("lock", err)
		case held:
			d.note("lock", Doubtful, "another run holds the ledger: %s", holder).then(Say("this is normal while it works; another run waits with --lock-timeout 10m"))
		default:
			d.note("lock", Well, "the ledger is free")
		}
	}
}

// theServer checks the database of a ledger. If it cannot be read, that is noted already.
func (d *doctor) theServer(ctx context.Context, p serverPlace) {
	f, err := p.server.Inspect(ctx)
	if err != nil {
		return
	}
	d.note("server", Well, "PostgreSQL %s, %s, as the role %s", f.Version, cmp.Or(f.TLS, "without TLS, on this machine"), f.Role)
	d.judged("rights", wrongIf(ledger.ErrNoRight, strings.Join(f.Lacks, "; ")), "the role has all that payrun needs")
	d.judged("durability", wrongIf(ledger.ErrNotDurable, f.Undurable), d.set.LedgerURL.Durability)
	d.clock("database's clock", f.Clock.Sub(d.env.Now()), "; the database's decides")
	if f.Mark == 0 {
		d.note("mark", Well, "this machine has none yet: it takes the one that it sees when it first sends")
	} else {
		d.note("mark", Well, "this machine has seen event %s", ledger.Grouped(int(f.Mark)))
	}
	d.note("runs", Well, "%s", cmp.Or(strings.Join(ledger.ListOf(f.Runs, ledger.Holder.String), "; "), "no run works on the ledger"))
}

// wrongIf returns an error about what is wrong; nil if what is "".
func wrongIf(is error, what string) error {
	if what == "" {
		return nil
	}
	return fmt.Errorf("%w: %s", is, what)
}

// clockSlack is how far two clocks may differ.
const clockSlack = 2 * time.Minute

// ledgerClock compares the clock with the newest event, which must not be in the future.
func (d *doctor) ledgerClock(head ledger.AuditHead) {
	if ahead := head.At.Sub(d.env.Now()); ahead > clockSlack {
		d.note("clock", Doubtful, "the newest event of the ledger is %s ahead of this machine's clock, which was set back", ahead.Round(time.Second)).then(setClock())
	}
}

// clock compares another clock with this machine's.
func (d *doctor) clock(name string, off time.Duration, and string) {
	if off.Abs() > clockSlack {
		d.note(name, Doubtful, "it is %s off this machine's%s", off.Abs().Round(time.Second), and).then(setClock())
		return
	}
	d.note(name, Well, "it agrees with this machine's")
}

func setClock() Hint {
	return Say("set the clock and keep it: timedatectl set-ntp true")
}

// disk checks the space for the ledger and for a report of all its payouts, whose drafts are 10 to 30 times as large.
func (d *doctor) disk(dir string, size int64) {
	const name, least, little = "disk", 64 << 20, 1 << 30
	free, known := freeBytes(dir)
	switch {
	case !known:
		d.note(name, Unknown, "free space cannot be read on this system")
	case free < least:
		d.failed(name, Fail(LedgerUnusable, "%s MiB are free where the ledger is", ledger.Grouped(int(free>>20))).Then(Say("free some space: a full disk stops every step before the next call")))
	case free < max(little, 20*size):
		d.note(name, Doubtful, "%s MiB are free where the ledger is, which has %s MiB", ledger.Grouped(int(free>>20)), ledger.Grouped(int(size>>20))).then(Say("free some space, or move old reports away"))
	default:
		d.note(name, Well, "%s MiB are free where the ledger is", ledger.Grouped(int(free>>20)))
	}
}

// leftovers lists drafts of reports that killed runs left: they contain names of payees.
func (d *doctor) leftovers() {
	base := d.set.InFolder(d.set.Nightly.Reports)
	if left := reports.LeftDrafts(base); len(left) > 0 {
		d.note("drafts", Doubtful, "a report that was killed left %s", some(left, 3)).then(Do("report").Which("removes it"))
	}
}

// bank checks the three hosts, with requests that change nothing.
func (d *doctor) bank(ctx context.Context) {
	err := d.withBank(d.call, func(c *bankapi.Client) error {
		if answers := d.environment(ctx, c); !answers && hostOf(d.set.IDURL) == hostOf(d.set.BaseURL) {
			d.note("base_url", Unknown, "it is the same host")
			return nil
		}
		d.accounts(ctx, c)
		d.bankClock(ctx, c)
		return nil
	})
	if err != nil {
		d.failed("bank", err)
		return
	}
	d.linking(ctx)
}

// unreached notes that a host gave no answer, or not a good one.
func (d *doctor) unreached(name, address string, err error) {
	if !errors.Is(err, ledger.ErrUnauthorized) {
		err = Fail(BankUnanswered, "%s: %v", hostOf(address), err).Then(Say("check the network, http.proxy and the address in payrun.toml"))
	}
	d.failed(name, err)
}

func hostOf(address string) string {
	u, _ := url.Parse(address) // dial checked it
	return u.Host
}

// environment asks the bank for its environment, and reports whether it answered.
func (d *doctor) environment(ctx context.Context, c *bankapi.Client) (answers bool) {
	sandbox, err := c.IsSandbox(ctx)
	if err != nil {
		d.unreached("id_url", d.set.IDURL, err)
		return false
	}
	d.note("id_url", Well, "%s answers", hostOf(d.set.IDURL))
	if is := map[bool]string{true: "sandbox", false: config.Production}[sandbox]; is == d.set.Environment {
		d.note("environment", Well, "%s, and the bank says so too", is)
	} else {
		d.failed("environment", Fail(EnvironmentDiffers, "the bank says %s, and payrun.toml says %s", is, d.set.Environment).
			Then(Say("set environment in payrun.toml to the bank's environment, or base_url to the other bank")))
	}
	return true
}

func (d *doctor) accounts(ctx context.Context, c *bankapi.Client) {
	listed, err := c.Accounts(ctx)
	if err != nil {
		d.unreached("base_url", d.set.BaseURL, err)
		return
	}
	d.note("base_url", Well, "%s answers", hostOf(d.set.BaseURL))
	if len(d.set.Accounts) == 0 {
		d.note("accounts", Doubtful, "payrun.toml has none").then(Say("list the debit accounts under [[accounts]]"))
	}
	for _, a := range d.set.Accounts {
		name := "account " + a.Name
		there, ok := ledger.First(listed, func(l ledger.LinkedAccount) bool { return strings.EqualFold(l.BankAccountID, a.BankAccountID) })
		if why := submitter.Unusable("it", a, there, ok); why != "" {
			d.failed(name, Fail(NeedsPerson, "%s", why).Then(Say("link it again, or correct payrun.toml: nothing is initiated for it")))
			continue
		}
		d.note(name, Well, "active, partner bank %d", a.PartnerBankID)
	}
}

// bankClock compares the clock with the bank's, which every answer shows. It asks about a
// batch that was never planned.
func (d *doctor) bankClock(ctx context.Context, c *bankapi.Client) {
	const name = "bank's clock"
	before := d.env.Now()
	read, err := c.ReadStatus(ctx, ledger.BatchID("doctor", "", "", 1, 1, nil), 1, ledger.AskOnce)
	at := read.BankTime
	if call, ok := errors.AsType[*ledger.CallError](err); ok && at.IsZero() {
		at = call.BankTime
	}
	if at.IsZero() {
		d.note(name, Unknown, "the bank did not say what time it is")
		return
	}
	d.clock(name, at.Sub(before.Add(d.env.Now().Sub(before)/2)), "")
}

// linking connects to the third host. There is nothing that it could ask there.
func (d *doctor) linking(ctx context.Context) {
	const name, patience = "linking_url", 10 * time.Second
	u, _ := url.Parse(d.set.LinkingURL) // dial checked it
	switch {
	case u.Host == hostOf(d.set.BaseURL):
		d.note(name, Well, "it is that of base_url")
		return
	case d.set.HTTP.Proxy != "":
		d.note(name, Unknown, "it is reached through http.proxy only")
		return
	}
	conn, err := (&net.Dialer{Timeout: patience}).DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), u.Scheme)))
	if err != nil {
		d.unreached(name, d.set.LinkingURL, err)
		return
	}
	d.note(name, Well, "%s can be reached", u.Host)
	_ = conn.Close()
}

// nights says how the last night ended; with nightly also whether the next one can do its work.
func (d *doctor) nights(nightly bool) {
	const name = "last night"
	last := d.lastNight()
	switch ago := d.env.Now().Sub(last.Good); {
	case last.Ended.IsZero():
		if nightly {
			d.note(name, Unknown, "there was none yet")
		}
	case last.Exit != 0:
		good := "none ended with 0 yet"
		if !last.Good.IsZero() {
			good = "the last with 0 ended " + d.set.Clock(last.Good)
		}
		d.note(name, Doubtful, "ended %s with %d; %s", d.set.Clock(last.Ended), last.Exit, good).then(Do("explain", fmt.Sprint(last.Exit)).Which("says what that means"))
	case ago > 26*time.Hour:
		d.note(name, Doubtful, "ended %s, and none since", d.set.Clock(last.Good)).then(Do("help", "cron").First("see whether cron or the timer runs").Which("says how it is set"))
	default:
		d.note(name, Well, "ended %s with 0", d.set.Clock(last.Good))
	}
	if nightly {
		d.folders()
		d.watched()
	}
}

// folders checks that the folders of a night can be written.
func (d *doctor) folders() {
	night := d.set.Nightly
	inbox := d.set.InFolder(night.Inbox)
	for _, f := range []struct{ name, path string }{
		{"inbox", inbox}, {"archive", d.set.InFolder(night.Archive)}, {"rejected", d.set.InFolder(night.Rejected)}, {"reports", d.set.InFolder(night.Reports)},
	} {
		info, err := os.Stat(f.path)
		at, wrong := f.path, "cannot be written"
		if errors.Is(err, fs.ErrNotExist) { // it is made when needed
			at, wrong = filepath.Dir(f.path), "cannot be made: the folder above it is missing, or cannot be written"
		}
		switch {
		case err == nil && !info.IsDir():
			d.failed(f.name, Fail(Usage, "%s is no folder", f.path).Then(Say("name a folder in payrun.toml")))
		case !mayWrite(at):
			d.failed(f.name, Fail(Usage, "%s %s", f.path, wrong).Then(Say("mkdir, chown or chmod it for the user that runs payrun nightly, or name another in payrun.toml")))
		case err != nil:
			d.note(f.name, Well, "%s is made when it is needed", f.path)
		default:
			d.note(f.name, Well, "%s", f.path)
		}
	}
	if why := config.NotOnlyOurs(inbox); why != "" && !d.set.Shares(inbox) {
		if night.Initiate {
			d.failed("inbox's mode", Fail(NeedsPerson, "%s %s", inbox, why).Then(Say("chmod go-w it: nothing is initiated while others may put sheets there")))
			return
		}
		d.note("inbox's mode", Doubtful, "%s %s: others may put sheets there", inbox, why).then(Say("chmod go-w it, unless this is intended; nothing is initiated from it"))
	}
}

// watched checks whether anyone would notice if the nightly run stopped.
func (d *doctor) watched() {
	if d.set.Nightly.PingURL == "" {
		d.note("ping_url", Doubtful, "not set: if nightly stops running, nothing reports it").then(Say("set nightly.ping_url in payrun.toml"))
	} else {
		d.note("ping_url", Well, "set")
	}
	switch path := d.set.InFolder(d.set.Nightly.MetricsFile); {
	case path == "":
		d.note("metrics_file", Doubtful, "not set: no monitor sees the figures").then(Say("set nightly.metrics_file in payrun.toml"))
	case !mayWrite(filepath.Dir(path)):
		d.failed("metrics_file", Fail(Usage, "%s cannot be written", filepath.Dir(path)).Then(Say("make its folder, for the user that runs payrun nightly")))
	default:
		d.note("metrics_file", Well, "%s", path)
	}
}
