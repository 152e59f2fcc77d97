package submitter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"payrun/ledger"
)

// Settings are the engine's limits and timers. A zero duration means at once; a zero HeldAtOnce means no limit.
type Settings struct {
	Actor        string        // the person in whose name this operation records
	Environment  string        // "sandbox" or "production"
	PollFirst    time.Duration // first wait of a polling schedule
	PollMost     time.Duration // longest wait between two polls of a batch
	OverdueAfter time.Duration // a batch open this long needs a person
	SuccessWatch time.Duration // how long a success is polled again
	DoubtQuiet   time.Duration // an initiate without an answer is abandoned after this
	OTPWindow    time.Duration // a batch held longer than this needs a person
	OTPTries     int           // rejected submits after which a batch needs a person
	HeldAtOnce   int           // held batches per debit account: the interface does not say that an OTP names its batch
	InFlight     int           // status reads in parallel
	Now          func() time.Time
	Progress     func(batchID, text string) // hears progress for people; may be nil; called from several goroutines

	ResolveWait    time.Duration // from the last sign of life to a release by two people
	ResolveBetween time.Duration // from the first person's part of a release to the second's

	Zone         *time.Location                 // time zone for messages; nil: UTC
	Statements   Statements                     // the bank's own statements; nil: the interface gives none
	Accounts     map[string]ledger.DebitAccount // as configured, by bank_account_id; nil checks nothing
	LikeLocked   LikeLocked                     // nil checks nothing
	TwoPerson    bool                           // two people have to approve every batch
	ConfirmAbove ledger.Paise                   // a person confirms totals from this amount; 0: never; see ConfirmTotal

	// ExpectedVersion is what this operation's person was shown of each batch that they decided about. If a
	// batch has changed since, or is missing here, nothing is recorded or sent (ledger.ErrStale). nil checks
	// nothing.
	ExpectedVersion map[string]ledger.ExpectedVersion
	LeaveDoubts     bool // leaves lost answers to later operations

	Agreed func(ctx context.Context) error // called once, when the bank has confirmed Environment; may be nil
}

// LikeLocked returns the locks of a payout of another sheet that has the account and amount of one of these
// attempts of a planned batch; none if there is no such payout.
type LikeLocked func(ctx context.Context, b ledger.Batch, attempts []ledger.Attempt) ([]ledger.Lock, error)

// Result is the state of one batch after a verb, and what happened.
type Result struct {
	Batch   ledger.Batch
	Outcome string // one of the Outcome… constants
	Message string // for people; quotes the bank

	// Attention says what a batch waits for if its state does not say so: ToBeApproved, QueuedBehindOTP or
	// AfterRestore. Otherwise "".
	Attention ledger.Attention

	Silent bool // of a poll: the bank did not answer the status read

	Locks []ledger.Lock // why a batch was not submitted, gravest first
}

// Outcomes of a verb on one batch, as `--json` prints them.
const (
	OutcomeHeld         = "held"                          // initiated; the echo equals the plan
	OutcomeWaiting      = "waiting"                       // for another held batch of the account (otp.held_at_once), or for a second person
	OutcomeRefused      = string(ledger.BatchRefused)     // the bank said no to initiate
	OutcomeNotLooked    = "look_unanswered"               // not sent: the bank gave no usable answer to a status check
	OutcomeNotSent      = "not_sent"                      // the request never left; may be tried again
	OutcomeUnauthorized = "unauthorized"                  // 401
	OutcomeUnknown      = "unknown"                       // sent, no answer read
	OutcomeQuarantined  = string(ledger.BatchQuarantined) // the answer did not match what was sent
	OutcomeSubmitted    = "submitted"                     // the bank took the OTP
	OutcomeRejected     = "rejected"                      // the bank rejected the submit: a wrong or expired OTP, or its own reasons
	OutcomeNeedsToken   = "needs_token"                   // not sent: partner bank 1 and no transaction token
	OutcomeNeedsPerson  = "needs_person"                  // not done: a person has to decide
	OutcomeOpen         = "open"                          // polled; the bank is still working
	OutcomeUnread       = "unread"                        // polled; the bank gave no status
	OutcomeSettled      = string(ledger.BatchSettled)     // every payout is final
	OutcomeAbandoned    = string(ledger.BatchAbandoned)   // abandoned, never to be submitted
	OutcomeSetAside     = string(ledger.BatchSetAside)    // released by two people; still polled
	OutcomeResolved     = "resolved"                      // two people released it
	OutcomeUnchanged    = "unchanged"                     // nothing to do in this state
)

// ErrEnvironment: the bank's is_sandbox contradicts the configured environment.
var ErrEnvironment = errors.New("the bank is not in the configured environment")

// ErrAccountNumber: the configured account_number of a debit account differs from the number that the bank
// shows, also in its list of accounts.
var ErrAccountNumber = errors.New("account_number in payrun.toml is not the number of the debit account")

// KeepsBack reports whether an error is only an ErrAccountNumber. Such an error keeps back the batches of its
// debit account and no others.
func KeepsBack(err error) bool {
	return errors.Is(err, ErrAccountNumber) && !errors.Is(err, ledger.ErrTampered)
}

// ErrNotHeld: an OTP names a batch that is not held; nothing was sent.
var ErrNotHeld = errors.New("not a held batch")

// ErrRefused: what a person asked for is not safe now.
var ErrRefused = errors.New("refused")

// ErrUnanswered is an ErrRefused because the bank did not say what a decision needs to know.
var ErrUnanswered = fmt.Errorf("%w for now", ErrRefused)

// sendTries is how often a request that never left may be sent (safety.md, NOT_SENT).
const sendTries = 3

// Engine moves batches, for one operation of one person. It is made while the operation holds the ledger and
// thrown away afterwards. It remembers only this operation.
type Engine struct {
	// Pausing hears how long a repeated poll waits before it asks again; may be nil.
	Pausing func(ctx context.Context, next time.Duration)

	store      Store
	bank       Bank
	set        Settings
	envChecked bool
	checker    statusChecker
	linked     linkedAccounts

	begun map[string]bool // batches for which this operation has recorded its person's decision

	fetchedStatements map[string]fetchedStatement // by account

	confirmed map[string]ledger.Paise // by batch: amounts of a total that was confirmed or below the limit
}

// fetchedStatement is how the statement of an account was read in this operation.
type fetchedStatement struct {
	at    time.Time
	since time.Time
	how   ledger.StatementFetch
}

// New returns an engine for one operation. Call Recover before anything else.
func New(store Store, bank Bank, set Settings) *Engine {
	set.InFlight = max(set.InFlight, 1)
	return &Engine{store: store, bank: bank, set: set, confirmed: map[string]ledger.Paise{}, begun: map[string]bool{}, fetchedStatements: map[string]fetchedStatement{}}
}

// Recover marks calls that a crash cut off as unknown. An intent without an outcome may or may not have reached
// the bank. Call it before anything else.
func (e *Engine) Recover(ctx context.Context) error {
	ids, err := e.store.Recover(ctx, e.set.Actor, e.set.Now())
	if err != nil {
		return fmt.Errorf("recovering: %w", err)
	}
	for _, id := range ids {
		e.tell(id, "a call was cut off by the last run; its outcome is unknown until the bank shows it")
	}
	return nil
}

// apply records a step in the name of the operation's person.
func (e *Engine) apply(ctx context.Context, step ledger.Step) error {
	step.Actor = e.set.Actor
	decided := step.Event.Call() != "" || step.Person != "" || step.Release != nil
	if decided && e.set.ExpectedVersion != nil && !e.begun[step.BatchID] { // later steps follow from this operation's own first one
		shown, ok := e.set.ExpectedVersion[step.BatchID]
		if !ok {
			return &ledger.OvertakenError{BatchID: step.BatchID}
		}
		step.ExpectedVersion = shown
	}
	err := e.store.Apply(ctx, step)
	if decided && err == nil {
		e.begun[step.BatchID] = true
	}
	return err
}

// intend records the intent of a call about a batch. If it returns a Result with an Outcome, or an error, the
// call is not made.
func (e *Engine) intend(ctx context.Context, b ledger.Batch, step ledger.Step) (Result, error) {
	step.BatchID, step.From, step.At = b.ID, b.State, e.set.Now()
	step.ConfirmAbove, step.Confirmed = e.set.ConfirmAbove, e.confirmed
	err := e.apply(ctx, step)
	if errors.Is(err, ledger.ErrBusy) {
		return queuedBehindOTP(b), nil
	}
	if why, ok := errors.AsType[*ledger.RestoredError](err); ok {
		return Result{Batch: b, Outcome: OutcomeWaiting, Message: "not sent: " + why.In(e.set.Zone), Attention: ledger.AfterRestore}, nil
	}
	if why, ok := errors.AsType[*ledger.PayoutLockedError](err); ok {
		return e.locked(ctx, b, why)
	}
	if why, ok := errors.AsType[*ledger.LookError](err); ok {
		return e.notLooked(ctx, b, why)
	}
	if errors.Is(err, ledger.ErrUnconfirmed) {
		return Result{}, e.unconfirmed(ctx, b, step.Event == ledger.SubmitIntended)
	}
	if err != nil {
		return Result{}, fmt.Errorf("recording the intent to %s %s; it was not sent: %w", step.Event.Call(), b.ID, err)
	}
	return Result{}, nil
}

// overtaken replaces the error if another machine moved the batch before this operation made a call for it.
// Nothing was sent.
func (e *Engine) overtaken(ctx context.Context, batchID string, err error) error {
	if errors.Is(err, ledger.ErrConflict) && !e.begun[batchID] {
		return Overtaken(ctx, e.store, batchID)
	}
	return err
}

func (e *Engine) tell(batchID, format string, args ...any) {
	if e.set.Progress != nil {
		e.set.Progress(batchID, fmt.Sprintf(format, args...))
	}
}

// attempts reads the attempts of a batch after it compared the rows with the audit trail. If a row was changed
// by other means, no answer is checked against it and the bank is not blamed.
func (e *Engine) attempts(ctx context.Context, batchID string) ([]ledger.Attempt, error) {
	if err := e.store.VerifyDigests(ctx, batchID); err != nil {
		return nil, err
	}
	return e.store.Attempts(ctx, batchID)
}

// result reads the batch again, so that it reports what is recorded.
func (e *Engine) result(ctx context.Context, id, outcome, message string) (Result, error) {
	b, err := e.store.Batch(ctx, id)
	if err != nil {
		return Result{}, fmt.Errorf("batch %s: %w", id, err)
	}
	return Result{Batch: b, Outcome: outcome, Message: message}, nil
}

// checkEnvironment asks the bank whether it is the sandbox, once in a run, before the first initiate
// (contract.md, "environment").
func (e *Engine) checkEnvironment(ctx context.Context) error {
	if e.envChecked {
		return nil
	}
	sandbox, err := e.bank.IsSandbox(ctx)
	if err != nil {
		return fmt.Errorf("asking the bank which environment it is; nothing was initiated: %w", err)
	}
	if sandbox != (e.set.Environment == "sandbox") {
		return fmt.Errorf("%w: environment = %q, and the bank says is_sandbox = %t; nothing was initiated", ErrEnvironment, e.set.Environment, sandbox)
	}
	if e.set.Agreed != nil {
		if err := e.set.Agreed(ctx); err != nil {
			return err
		}
	}
	e.envChecked = true
	return nil
}

// pick returns the named batches, or all in the given states. A repeated id counts once.
func (e *Engine) pick(ctx context.Context, ids []string, states ...ledger.BatchState) ([]ledger.Batch, error) {
	if len(ids) == 0 {
		return e.store.BatchesIn(ctx, states...)
	}
	var batches []ledger.Batch
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		b, err := e.store.Batch(ctx, id)
		if err != nil {
			return nil, fmt.Errorf("batch %s: %w", id, err)
		}
		batches = append(batches, b)
	}
	return batches, nil
}

// tried makes a call. A request that never left is sent again with the same ids, each time under its own
// intent.
func (e *Engine) tried(ctx context.Context, call func() (Result, error)) (Result, error) {
	for try := 1; ; try++ {
		r, err := call()
		if err != nil || r.Outcome != OutcomeNotSent || try == sendTries || ctx.Err() != nil {
			return r, err
		}
		if pause(ctx, e.set.PollFirst) != nil {
			return r, nil
		}
	}
}

// pause waits, or returns early with the context's error.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return ctx.Err()
	}
}
