package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
	"payrun/submitter"
	"payrun/submitter/bankapi"
	"payrun/validate"
)

// The other packages are wired here; the stores are wired in store.go.
var (
	_ submitter.Bank = engineBank{}
	_ validate.Past  = (*pendingHistory)(nil)
)

// operation is one running use case: the open ledger and, if it talks to the bank, the engine.
type operation struct {
	*App
	call   Call
	store  store
	people ledger.Users       // people and their roles, as the operation began
	trail  ledger.PolicyTrail // of the ledger, as the operation began

	policy ledger.Policy // the policies of ledger and configuration, the stricter of both
	engine *submitter.Engine
	client *bankapi.Client

	folder     string                            // for temporary files of this operation; "" for the system's folder
	firstFunds []AccountFunds                    // of the debit accounts when the bank was first asked; nil: not asked
	expected   map[string]ledger.ExpectedVersion // what the person was shown of each batch; nil if nothing binds them

	against map[ledger.AttemptKey]ledger.Attention // what contradicts payouts, for lists of them; nil until it is read

	otherPayees map[string]ledger.Payees // without a sheet, by its id; what is locked is read when each is first asked

	doubted []string // batches whose initiate had no answer when the operation began
	apart   error    // submitter.ErrAccountNumber: the first that blocked batches of a debit account
}

// read runs a use case that changes nothing. It takes no lock. If the ledger belongs to another
// environment, it only warns.
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
		o.store = atWork{o.store, call.Working}
		return do(o)
	})
}

// readOwn is read for output that names the environment of payouts: it refuses
// a ledger of another environment.
func (a *App) readOwn(ctx context.Context, call Call, do func(*operation) error) error {
	return a.opened(ctx, call, func(o *operation) error {
		if err := o.sameWorld(ctx); err != nil {
			return err
		}
		return do(o)
	})
}

// reading is read for a use case that returns a result.
func reading[T any](ctx context.Context, a *App, call Call, do func(*operation) (T, error)) (got T, err error) {
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

// write runs a use case that changes the ledger. It waits for its turn among the
// use cases of this App, and holds the lock until the use case ends.
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
	if server, ok := store.(serverStore); ok {
		own := *a
		own.env.Now = server.Now
		a = &own
	}
	return a.with(ctx, store, call, func(o *operation) error {
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

// claim describes who takes the ledger, for others who find it locked.
func (a *App) claim(call Call) ledger.Claim {
	host, _ := os.Hostname() // for people only
	c := ledger.Claim{
		Holder: ledger.Holder{Command: call.Command, Person: call.Actor, PID: os.Getpid(), Host: host, Since: a.env.Now().UTC().Truncate(time.Second)},
		Wait:   call.LockWait,
		Proof:  call.Proof,
	}
	if !call.Unattended {
		c.Migrated = func(from, to, copied string) {
			call.progress().Warn(fmt.Sprintf("the ledger was migrated from %s to %s; %s is the copy from before, for the older program", from, to, copied))
		}
	}
	return c
}

func (a *App) with(ctx context.Context, s store, call Call, do func(*operation) error) (err error) {
	if server, ok := s.(serverStore); ok && ledger.AtTerminal(call.Actor) { // a user id means one machine only
		call.Actor = server.Role()
	}
	o := &operation{App: a, call: call, store: s, otherPayees: map[string]ledger.Payees{}}
	defer func() {
		if o.client != nil {
			o.client.Close()
		}
		err = errors.Join(err, o.store.Close())
	}()
	if o.people, o.trail, err = s.UsersAndPolicy(ctx); err != nil {
		return err
	}
	o.policy = o.trail.Stricter(a.set.Asks())
	if info := a.ledgerFile(); info != nil && info.Mode().Perm()&0o007 != 0 {
		o.warn("the ledger %s may be read by others (mode %04o); chmod 600 it, or 660 for a group that shares it", a.place.name(), info.Mode().Perm())
	}
	return do(o)
}

// ledgerFile returns the file info of the ledger; nil if the file is missing or the ledger is not a file.
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

func (o *operation) warn(format string, args ...any) {
	o.call.progress().Warn(fmt.Sprintf(format, args...))
}

// openBank makes the engine. Calls that a crash interrupted become doubts before anything else happens.
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
	o.doubted = ids(doubts)
	return err
}

func (o *operation) engineSettings() submitter.Settings {
	set := submitter.Settings{
		Actor:          o.call.Actor,
		Environment:    o.set.Environment,
		PollFirst:      o.set.Poll.First.Std(),
		PollMost:       o.set.Poll.Most.Std(),
		OverdueAfter:   o.set.Poll.OverdueAfter.Std(),
		SuccessWatch:   o.set.Poll.SuccessWatch.Std(),
		DoubtQuiet:     o.set.Doubt.Quiet.Std(),
		ResolveWait:    o.set.Resolve.Wait.Std(),
		ResolveBetween: o.set.Resolve.Between.Std(),
		OTPWindow:      o.set.OTP.Window.Std(),
		OTPTries:       int(o.set.OTP.Tries),
		HeldAtOnce:     o.set.OTP.HeldAtOnce,
		InFlight:       int(o.set.Limits.RequestsInFlight),
		Now:            o.env.Now,
		Accounts:       map[string]ledger.DebitAccount{},
		Statements:     o,
		Zone:           o.set.Timezone.At,
		Progress:       o.call.progress().Step,
		TwoPerson:      o.policy.TwoPerson,
		ConfirmAbove:   o.policy.ConfirmAbove,
		LeaveDoubts:    o.call.Job,
		Agreed:         o.keepEnvironment,
		LikeLocked:     o.likeLocked,

		ExpectedVersion: o.expected,
	}
	for _, acc := range o.set.Accounts {
		set.Accounts[acc.BankAccountID] = acc
	}
	return set
}

// TwoPeople tells a new team how to set up two-person approval.
func TwoPeople(set config.Settings) string {
	terminal := "a system user other than root"
	if set.LedgerServer != "" {
		terminal = "a database role that is not a superuser"
	}
	return "For two-person approval give each person a login at the desk (payrun desk) or " + terminal + ", then run payrun policy set two_person=true --reason TEXT."
}

// The roles that may do a use case: one of them is enough.
var (
	loaders = []ledger.Role{ledger.RoleLoad}
	payers  = []ledger.Role{ledger.RolePay}
	trusted = []ledger.Role{ledger.RoleApprove, ledger.RolePay}
)

// decide is write for a person's decision. It needs one of the roles; nil means that the
// ledger checks the role itself.
func (a *App) decide(ctx context.Context, call Call, roles []ledger.Role, do func(*operation) error) error {
	return a.write(ctx, call, func(o *operation) error {
		if err := o.asLoggedIn(); err != nil {
			return err
		}
		if roles != nil {
			if err := o.may(roles...); err != nil {
				return err
			}
		}
		return do(o)
	})
}

// errNoProof is a bug of the desk: each of its decisions must have a proof.
var errNoProof = errors.New("a decision at the desk without a proof of who decides")

// asLoggedIn refuses a person who was changed or removed since they asked at the desk.
func (o *operation) asLoggedIn() error {
	if !o.call.LoggedIn {
		return nil
	}
	if o.call.Proof == "" {
		return errNoProof
	}
	if p, ok := o.people.Find(o.call.Actor); o.call.Person.Name != "" && (!ok || !p.As(o.call.Person)) {
		return Fail(NeedsPerson, "what %s may do was changed, or they were removed, after they asked for this", ledger.Plain(o.call.Actor)). // while it waited
																			Then(Say("nothing was done; a person with the role has to sign in and do it again"))
	}
	return nil
}

// may refuses a person who has none of the roles.
func (o *operation) may(roles ...ledger.Role) error {
	if slices.ContainsFunc(roles, func(r ledger.Role) bool { return o.people.May(o.call.Actor, r) }) {
		return nil
	}
	needs := string(roles[0])
	for _, r := range roles[1:] {
		needs += " or " + string(r)
	}
	return Fail(NeedsPerson, "%s does not have the role %s: nothing was done", config.Who(o.call.Actor), needs).
		Then(Do("people", "list").Which("shows who may do what; an admin changes it"))
}

// line is the queue of the writing use cases of one App. They get the ledger one at a time, in the order
// in which they came. The kernel's lock, which keeps other processes out, is retried, and the quickest
// process gets it. Within one App no use case is overtaken, and none is mistaken for another run.
type line struct {
	turn *semaphore.Weighted

	mu      sync.Mutex
	waiting int
	holder  ledger.Holder // who has the turn
	giveWay func()        // Call.GiveWay of the holder
}

func newLine() *line { return &line{turn: semaphore.NewWeighted(1)} }

// take waits for the turn: without limit for a job of the desk, else for call.LockWait, after which it
// returns *ledger.LockedError. done passes the turn on.
func (l *line) take(ctx context.Context, call Call, who ledger.Holder) (done func(), err error) {
	if !l.turn.TryAcquire(1) {
		if err := l.wait(ctx, call); err != nil {
			return nil, err
		}
	}
	l.change(func() { l.holder, l.giveWay = who, call.GiveWay })
	return func() {
		l.change(func() { l.holder, l.giveWay = ledger.Holder{}, nil })
		l.turn.Release(1)
	}, nil
}

func (l *line) wait(ctx context.Context, call Call) error {
	l.change(func() { l.waiting++ })
	defer l.change(func() { l.waiting-- })
	wait := ctx
	if !call.Job {
		var cancel context.CancelFunc
		wait, cancel = context.WithTimeout(ctx, call.LockWait)
		defer cancel()
	}
	if l.turn.Acquire(wait, 1) == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &ledger.LockedError{Holder: l.has()}
}

// has returns the holder of the turn; the zero Holder if the line is free.
func (l *line) has() ledger.Holder {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.holder
}

// change changes the line, and asks the holder to give way if any use case waits.
func (l *line) change(do func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if do(); l.waiting > 0 && l.giveWay != nil {
		l.giveWay()
	}
}

// HeldBy returns who uses the ledger now; false if no one does, or if it is unknown. It opens nothing
// and does not wait.
func (a *App) HeldBy(ctx context.Context) (ledger.Holder, bool) {
	holder, held, err := a.place.holder(ctx)
	return holder, held && err == nil
}

// atWork is a store for views: a batch with a call in progress shows as being sent, not as in doubt.
type atWork struct {
	store
	working func(batchID string) bool // Call.Working
}

func (s atWork) Batch(ctx context.Context, id string) (ledger.Batch, error) {
	b, err := s.store.Batch(ctx, id)
	if err == nil {
		err = s.see(ctx, &b)
	}
	return b, err
}

func (s atWork) Batches(ctx context.Context, f ledger.Filter) ([]ledger.Batch, error) {
	list, err := s.store.Batches(ctx, f)
	for i := range list {
		if err == nil {
			err = s.see(ctx, &list[i])
		}
	}
	return list, err
}

// shown returns all batches as people see them, for a use case that writes too. The engine
// takes them as they are recorded.
func (o *operation) shown(ctx context.Context) ([]ledger.Batch, error) {
	return atWork{o.store, o.call.Working}.Batches(ctx, ledger.Filter{})
}

// see marks a batch whose call is in progress, made by this App or by another machine's run. Otherwise
// it reads the batch again: the call may have ended, and recorded its outcome, since the batch was read.
func (s atWork) see(ctx context.Context, b *ledger.Batch) (err error) {
	if !b.State.InProgress() || b.Attention == ledger.BeingSent {
		return nil
	}
	sent := s.working != nil && s.working(b.ID)
	if !sent {
		sent, err = s.Calling(ctx, b.ID)
	}
	switch {
	case err != nil:
		return err
	case sent:
		b.Attention = ledger.BeingSent
	default:
		*b, err = s.store.Batch(ctx, b.ID)
	}
	return err
}
