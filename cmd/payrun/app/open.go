package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"payrun/ledger"
	"payrun/submitter"
	"payrun/submitter/bankapi"
	"payrun/validate"
)

// The rooms as they are wired here; the store's are in store.go.
var (
	_ submitter.Bank   = engineBank{}
	_ validate.History = (*pendingHistory)(nil)
	_ ledger.Payees    = (*pendingHistory)(nil)
)

// operation is one use case at work: the open ledger and, where it sends or
// asks, the engine.
type operation struct {
	*App
	call   Call
	store  store
	people ledger.Users // of one that writes: who is who

	policy ledger.Policy // what the ledger and the configuration ask for, the stricter of both
	engine *submitter.Engine
	client *bankapi.Client

	folder   string // for files that last no longer than it; "" for that of the system
	funding  funding
	expected map[string]ledger.ExpectedVersion // what the person was shown of each batch; nil where they are bound to nothing

	pausing func(ctx context.Context, next time.Duration) // of the poll that goes on; nil where none does
	doubted map[string]bool                               // initiates without an answer when the operation began
}

// read does a use case that changes nothing. It takes no lock. Of a ledger of another
// environment it warns.
func (a *App) read(ctx context.Context, call Call, do func(*operation) error) error {
	return a.opened(ctx, call, func(o *operation) error {
		err := o.sameWorld(ctx)
		if differs, ok := errors.AsType[*Error](err); ok {
			o.warn("%s", differs.What)
			err = nil
		}
		if err != nil {
			return err
		}
		if call.Working != nil {
			o.store = atWork{o.store, call.Working}
		}
		return do(o)
	})
}

// readOwn is read for what says of payouts in which environment they are: it refuses
// a ledger of another one.
func (a *App) readOwn(ctx context.Context, call Call, do func(*operation) error) error {
	return a.opened(ctx, call, func(o *operation) error {
		if err := o.sameWorld(ctx); err != nil {
			return err
		}
		return do(o)
	})
}

// look is read for a use case that gives something back.
func look[T any](ctx context.Context, a *App, call Call, do func(*operation) (T, error)) (got T, err error) {
	err = a.read(ctx, call, func(o *operation) error {
		got, err = do(o)
		return err
	})
	return got, err
}

func (a *App) opened(ctx context.Context, call Call, do func(*operation) error) error {
	store, err := a.place.open(ctx)
	if err != nil {
		return err
	}
	return a.with(ctx, store, call, func(o *operation) error {
		if err := store.Moved(ctx); errors.Is(err, ledger.ErrMoved) {
			o.warn("%v; this one shows what was before", err)
		} else if err != nil {
			return err
		}
		return do(o)
	})
}

// write does a use case that changes the ledger, and holds the lock for its
// length, once it is its turn among those of this App.
func (a *App) write(ctx context.Context, call Call, do func(*operation) error) error {
	claim := a.claim(call)
	done, err := a.line.take(ctx, call, claim.Holder)
	if err != nil {
		return err
	}
	defer done()
	store, err := a.place.openToWrite(ctx, claim)
	if err != nil {
		return err
	}
	a.remember()
	if ledger, ok := store.(interface{ Now() time.Time }); ok { // its clock decides, and not this machine's
		own := *a
		own.env.Now = ledger.Now
		a = &own
	}
	return a.with(ctx, store, call, func(o *operation) error {
		if o.people, err = o.store.Users(ctx); err != nil {
			return err
		}
		if err := o.sameWorld(ctx); err != nil {
			return err
		}
		waiting, err := o.waits(ctx)
		if err != nil {
			return err
		}
		err = do(o)
		o.notify(ctx, waiting, err)
		return err
	})
}

// claim says who wants the ledger, for others who find it held.
func (a *App) claim(call Call) ledger.Claim {
	host, _ := os.Hostname() // for people only
	c := ledger.Claim{
		Holder: ledger.Holder{Command: call.Command, Person: call.Actor, PID: os.Getpid(), Host: host, Since: a.env.Now().UTC().Truncate(time.Second)},
		Wait:   call.LockWait,
		Proof:  call.Proof,
	}
	if !call.Unattended {
		c.Migrated = func(from, to, copied string) {
			call.progress().Warn(fmt.Sprintf("the ledger was brought from %s to %s; %s is the copy from before, for the older program", from, to, copied))
		}
	}
	return c
}

func (a *App) with(ctx context.Context, s store, call Call, do func(*operation) error) (err error) {
	o := &operation{App: a, call: call, store: s}
	defer func() { err = errors.Join(err, o.close()) }()
	trail, err := s.Policy(ctx)
	if err != nil {
		return err
	}
	o.policy = trail.Stricter(a.set.Asks())
	if info := a.ledgerFile(); info != nil && info.Mode().Perm()&0o007 != 0 {
		o.warn("the ledger %s may be read by others (mode %04o); chmod 600 it, or 660 for a group that shares it", a.place.name(), info.Mode().Perm())
	}
	return do(o)
}

// ledgerFile looks at the ledger's file; nil where it is not there, or the ledger is no
// file.
func (a *App) ledgerFile() os.FileInfo {
	path, ok := a.place.file()
	if !ok {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	return info
}

func (o *operation) close() error {
	if o.client != nil {
		o.client.Close()
	}
	return o.store.Close()
}

func (o *operation) warn(format string, args ...any) {
	o.call.progress().Warn(fmt.Sprintf(format, args...))
}

// openBank makes the engine. Calls that a crash cut off become doubts before anything else happens.
func (o *operation) openBank(ctx context.Context) error {
	client, err := o.dial(o.call)
	if err != nil {
		return err
	}
	o.client = client
	o.engine = submitter.New(o.store, engineBank{o.client, o}, o.engineSettings())
	if err := o.engine.Recover(ctx); err != nil {
		return err
	}
	doubts, err := o.store.BatchesIn(ctx, ledger.BatchInitiateUnknown)
	o.doubted = make(map[string]bool, len(doubts))
	for _, b := range doubts {
		o.doubted[b.ID] = true
	}
	return err
}

func (o *operation) engineSettings() submitter.Settings {
	set := submitter.Settings{
		Actor:          o.call.Actor,
		Environment:    string(o.set.Environment),
		PollFirst:      o.set.Poll.First.Std(),
		PollMost:       o.set.Poll.Most.Std(),
		OverdueAfter:   o.set.Poll.OverdueAfter.Std(),
		SuccessWatch:   o.set.Poll.SuccessWatch.Std(),
		DoubtQuiet:     o.set.Doubt.Quiet.Std(),
		ResolveWait:    o.set.Resolve.Wait.Std(),
		ResolveBetween: o.set.Resolve.Between.Std(),
		OTPWindow:      o.set.OTP.Window.Std(),
		OTPTries:       int(o.set.OTP.Tries),
		HeldAtOnce:     int(o.set.OTP.HeldAtOnce),
		InFlight:       int(o.set.Limits.RequestsInFlight),
		Now:            o.env.Now,
		Accounts:       map[string]ledger.DebitAccount{},
		Statements:     statements{o},
		Zone:           o.set.Timezone.At,
		Progress:       func(p submitter.Progress) { o.call.progress().Step(p.BatchID, p.Text) },
		Pausing: func(ctx context.Context, next time.Duration) {
			if o.pausing != nil {
				o.pausing(ctx, next)
			}
		},
	}
	for _, acc := range o.set.Accounts {
		set.Accounts[acc.BankAccountID] = acc
	}
	set.People, set.TwoPerson = o.store, o.policy.TwoPerson
	set.ConfirmAbove, set.ExpectedVersion, set.LeaveDoubts = o.policy.ConfirmAbove, o.expected, o.call.LeaveDoubts
	set.Agreed = o.keepEnvironment
	return set
}
