package cli

import (
	"context"
	"errors"
	"os"
	"time"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
	"payrun/ledger/sqlite"
	"payrun/submitter"
	"payrun/submitter/bankapi"
	"payrun/validate"
)

// The rooms as they are wired here.
var (
	_ submitter.Bank       = (*bankapi.Client)(nil)
	_ validate.History     = (*earlier)(nil)
	_ validate.PaidHistory = (*earlier)(nil)
)

// desk is what a command works with: the settings, the open ledger, and for
// commands that send or poll the engine.
type desk struct {
	*app
	set    config.Settings
	store  store
	engine *submitter.Engine
	client *bankapi.Client
}

// sources says where the settings come from.
func (a *app) sources() config.Sources {
	return config.Sources{
		Config: a.flags.config, Ledger: a.flags.ledger, Actor: a.flags.actor, Getenv: a.world.Getenv, Amount: validate.ParseAmount,
	}
}

func (a *app) settings() (config.Settings, error) { return config.Load(a.sources()) }

// mode says what an operation opens the ledger for.
type mode int

const (
	reading mode = iota + 1
	writing
)

// withLedger opens the ledger, runs do and closes it whatever happens.
func (a *app) withLedger(ctx context.Context, m mode, do func(*desk) error) (err error) {
	set, err := a.settings()
	if err != nil {
		return err
	}
	open := sqlite.Open
	if m == writing {
		open = func(ctx context.Context, path string) (*sqlite.Store, error) {
			return sqlite.OpenExclusive(ctx, path, a.claim(set))
		}
	}
	store, err := open(ctx, set.LedgerPath)
	if err != nil {
		return err
	}
	if info, err := os.Stat(set.LedgerPath); err == nil && info.Mode().Perm()&0o077 != 0 {
		a.term.Warn("the ledger %s may be used by others (mode %04o); chmod 600 it", set.LedgerPath, info.Mode().Perm())
	}
	d := &desk{app: a, set: set, store: store}
	defer func() { err = errors.Join(err, d.close()) }()
	return do(d)
}

// claim says who wants the ledger, for others who find it held.
func (a *app) claim(set config.Settings) sqlite.Claim {
	host, _ := os.Hostname() // for people only
	return sqlite.Claim{Holder: ledger.Holder{Command: "payrun " + a.verb, Person: set.Actor, PID: os.Getpid(), Host: host, Since: a.world.Now().UTC().Truncate(time.Second)}}
}

func (d *desk) close() error {
	if d.client != nil {
		d.client.Close()
	}
	return d.store.Close()
}

// openBank makes the engine, for a command that sends or polls. What a crash
// left under way becomes doubt before anything else happens.
func (d *desk) openBank(ctx context.Context) error {
	if d.set.BaseURL == "" {
		return usage("base_url is not set").hint("set it in payrun.toml, or PAYRUN_BASE_URL")
	}
	access, secret, err := d.set.Keys(d.world.Getenv)
	if err != nil {
		return err
	}
	d.client, err = bankapi.New(bankapi.Config{
		BaseURL: d.set.BaseURL, IDURL: d.set.IDURL, LinkingURL: d.set.LinkingURL,
		AccessKey: access, SecretKey: secret,
		AmountField: d.set.RequestFields.Amount, DebitAccountField: d.set.RequestFields.DebitAccount,
		TimeoutRead: d.set.HTTP.TimeoutRead.Std(), TimeoutSend: d.set.HTTP.TimeoutSend.Std(),
		RequestsPerSecond: float64(d.set.Limits.RequestsPerSecond),
	})
	if err != nil {
		return usage("%v", err).because(err)
	}
	d.engine = submitter.New(d.store, d.client, d.engineSettings())
	return d.engine.Recover(ctx)
}

func (d *desk) engineSettings() submitter.Settings {
	set := submitter.Settings{
		Actor:        d.set.Actor,
		Environment:  string(d.set.Environment),
		PollFirst:    d.set.Poll.First.Std(),
		PollMost:     d.set.Poll.Most.Std(),
		OverdueAfter: d.set.Poll.OverdueAfter.Std(),
		SuccessWatch: d.set.Poll.SuccessWatch.Std(),
		DoubtQuiet:   d.set.Doubt.Quiet.Std(),
		OTPWindow:    d.set.OTP.Window.Std(),
		OTPTries:     int(d.set.OTP.Tries),
		HeldAtOnce:   int(d.set.OTP.HeldAtOnce),
		InFlight:     int(d.set.Limits.RequestsInFlight),
		Now:          d.world.Now,
		Progress: func(p submitter.Progress) {
			d.log.Info(ledger.Plain(p.Text), "batch", p.BatchID)
		},
	}
	if d.set.Policy.TwoPerson {
		set.People = d.store
	}
	if d.set.Policy.ConfirmAbove.Set {
		set.ConfirmAbove = d.set.Policy.ConfirmAbove.Amount
	}
	return set
}

// maySend refuses to send anything from a ledger that may have forgotten what
// was sent before.
func (d *desk) maySend() error { return d.store.Restored() }

// ledgerAction makes the action of a command that works on the ledger.
func (a *app) ledgerAction(m mode, do func(context.Context, *desk, *urfave.Context) error) func(context.Context, *urfave.Context) error {
	return func(ctx context.Context, c *urfave.Context) error {
		return a.withLedger(ctx, m, func(d *desk) error { return do(ctx, d, c) })
	}
}

// engineFailed turns the engine's own errors into failures; others pass.
func engineFailed(err error) error {
	switch {
	case errors.Is(err, submitter.ErrEnvironment):
		return usage("%v", err).because(err).hint("set environment in payrun.toml to what the bank is, or base_url to the other bank")
	case errors.Is(err, submitter.ErrSamePerson):
		return fail(exitPerson, "%v", err).because(err).hint("to be run by somebody else, as a system user of their own or with --actor NAME")
	case errors.Is(err, submitter.ErrNotHeld):
		return usage("%v", err).because(err).hint("payrun status shows what is held")
	}
	return err
}
