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

// The rooms as they are wired here; the store's are in store.go.
var (
	_ submitter.Bank = engineBank{}
	_ validate.Past  = (*pendingHistory)(nil)
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

	folder     string                            // for files that last no longer than it; "" for that of the system
	firstFunds []AccountFunds                    // of the debit accounts, when the bank was asked first; nil: it was not
	expected   map[string]ledger.ExpectedVersion // what the person was shown of each batch; nil where they are bound to nothing

	doubted map[string]bool // initiates without an answer when the operation began
	apart   error           // submitter.ErrAccountNumber: the first that kept batches of a debit account back
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
		o.store = atWork{o.store, call.Working}
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

// reading is read for a use case that gives something back.
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
	if server, ok := store.(serverStore); ok {
		own := *a
		own.env.Now = server.Now
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
			call.progress().Warn(fmt.Sprintf("the ledger was migrated from %s to %s; %s is the copy from before, for the older program", from, to, copied))
		}
	}
	return c
}

func (a *App) with(ctx context.Context, s store, call Call, do func(*operation) error) (err error) {
	if server, ok := s.(serverStore); ok && ledger.AtTerminal(call.Actor) { // a user id is one machine's
		call.Actor = server.Role()
	}
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
		HeldAtOnce:     int(o.set.OTP.HeldAtOnce),
		InFlight:       int(o.set.Limits.RequestsInFlight),
		Now:            o.env.Now,
		Accounts:       map[string]ledger.DebitAccount{},
		Statements:     statements{o},
		Zone:           o.set.Timezone.At,
		Progress:       o.call.progress().Step,
		TwoPerson:      o.policy.TwoPerson,
		ConfirmAbove:   o.policy.ConfirmAbove,
		LeaveDoubts:    o.call.LeaveDoubts,
		Agreed:         o.keepEnvironment,

		ExpectedVersion: o.expected,
	}
	for _, acc := range o.set.Accounts {
		set.Accounts[acc.BankAccountID] = acc
	}
	return set
}

// TwoPeople tells a new team what it has to do to be two people.
func TwoPeople(set config.Settings) string {
	terminal := "a system user other than root"
	if set.LedgerServer != "" {
		terminal = "a database role that is not a superuser"
	}
	return "For two-person approval give each person a login at the desk (payrun desk) or " + terminal + ", then run payrun policy set two_person=true --reason TEXT."
}

// The roles by which people do what a use case does: one of them is enough.
var (
	loaders = []ledger.Role{ledger.RoleLoad}
	payers  = []ledger.Role{ledger.RolePay}
	trusted = []ledger.Role{ledger.RoleApprove, ledger.RolePay}
)

// decide is write for what a person decides who has one of the roles; nil where the
// ledger asks for the role itself.
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

// errNoProof is a fault of the desk: each of its decisions has a proof.
var errNoProof = errors.New("a decision at the desk without a proof of who decides")

// asLoggedIn refuses who was changed or removed since they asked at the desk.
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

// may refuses who has none of the roles.
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

// line is where the writing use cases of one App wait for their turn: one at a time has the ledger, in
// the order in which they came. The kernel's lock, which keeps other processes out, is tried again and
// again, and the quickest gets it; within one App no one is overtaken, and no one takes one of us for
// another run.
type line struct {
	turn *semaphore.Weighted

	mu      sync.Mutex
	waiting int
	holder  ledger.Holder // who has the turn
	giveWay func()        // Call.GiveWay of who has it
}

func newLine() *line { return &line{turn: semaphore.NewWeighted(1)} }

// take waits for the turn: as long as it takes with call.InTurn, else as long as for
// others, and is *ledger.LockedError then. done passes the turn on.
func (l *line) take(ctx context.Context, call Call, who ledger.Holder) (done func(), err error) {
	if !l.turn.TryAcquire(1) {
		if err := l.wait(ctx, call); err != nil {
			return nil, err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder, l.giveWay = who, call.GiveWay; l.waiting > 0 && l.giveWay != nil {
		l.giveWay()
	}
	return func() {
		l.mu.Lock()
		l.holder, l.giveWay = ledger.Holder{}, nil
		l.mu.Unlock()
		l.turn.Release(1)
	}, nil
}

func (l *line) wait(ctx context.Context, call Call) error {
	l.count(1)
	defer l.count(-1)
	wait := ctx
	if !call.InTurn {
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

// has returns who has the turn; the zero Holder for no one.
func (l *line) has() ledger.Holder {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.holder
}

// count counts who waits, and tells who has the turn of it.
func (l *line) count(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting += n; l.waiting > 0 && l.giveWay != nil {
		l.giveWay()
	}
}

// HeldBy returns who uses the ledger now; false if no one does, or if it is unknown. It opens nothing
// and does not wait.
func (a *App) HeldBy(ctx context.Context) (ledger.Holder, bool) {
	holder, held, err := a.place.holder(ctx)
	return holder, held && err == nil
}

// Ours reports whether it is a use case of this App that holds the ledger so.
func (a *App) Ours(h ledger.Holder) bool {
	ours := a.line.has()
	same := ours.Since.Equal(h.Since)
	ours.Since = h.Since
	return same && ours == h
}

// atWork is a store for looking: a batch about which a call is in progress is being sent, and
// not in doubt yet.
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

// shown are all batches as people are shown them, by a use case that writes too: the engine
// takes them as they are recorded.
func (o *operation) shown(ctx context.Context) ([]ledger.Batch, error) {
	return atWork{o.store, o.call.Working}.Batches(ctx, ledger.Filter{})
}

// see marks a batch whose call is in progress: by this App, or by another machine's run. One whose
// call is not is read again: the call may have ended, and its outcome been recorded, since it was read.
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
