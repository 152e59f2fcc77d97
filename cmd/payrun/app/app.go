// Package app holds the use cases of payrun: one method each, with a request struct and a result struct.
// The command line, the desk and cron call it and show the result. It knows no terminal, no HTTP, no
// flags and no exit codes. It is the only package that opens stores and connects to banks.
//
// A use case opens the ledger, does its work and closes everything (open.go). The person, the lock and
// recovery belong to that one use case. So one App can serve several people, one after another or at
// the same time, for weeks.
//
// A use case asks a person only through a function that the caller gave. If a person's confirmation is
// missing, it returns *NeedsConfirmation.
package app

import (
	"io"
	"time"

	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/password"
	"payrun/ledger"
	"payrun/validate"
)

// App runs the use cases of one configuration.
type App struct {
	set   config.Settings
	env   Env
	place place // where the ledger is
	line  *line

	passwords *password.Keeper

	codes *usedCodes
	plans *keptPlans
}

// Env is what the use cases need apart from the ledger and the bank.
type Env struct {
	Now    func() time.Time         // dates what the ledger records
	Getenv func(name string) string // reads the environment, which may hold the keys; "" when unset
	Stderr io.Writer                // receives what otp.command writes to standard error

	TestPasswords bool // for tests: hashes that are cheap to compute
}

// New returns an App. It opens nothing.
func New(set config.Settings, env Env) *App {
	passwords := password.NewKeeper()
	if env.TestPasswords {
		passwords = password.NewTestKeeper()
	}
	return &App{set: set, env: env, place: placeOf(set, env), line: newLine(), passwords: passwords, codes: &usedCodes{last: map[string]int64{}}, plans: &keptPlans{}}
}

// Call says who runs a use case, and who sees its progress.
type Call struct {
	Actor    string        // who does it, as the ledger records it
	LoggedIn bool          // Actor is a person of the desk who logged in
	Person   ledger.Person // with LoggedIn: the person and their roles when they asked; the zero Person is not compared
	Proof    string        // how they proved who they are, for a decision: recorded with each event; "" at a terminal
	Command  string        // what the person runs, shown to others who find the ledger in use
	LockWait time.Duration // how long to wait while others hold the ledger; 0: not at all
	Job      bool          // a job of the desk: LockWait limits only the wait for others, and later use cases ask for lost answers
	GiveWay  func()        // called when another use case of this App waits for the ledger; nil: it waits
	Progress Progress      // nil: progress is not shown

	// Working reports whether a call about a batch is in progress now: such a batch is
	// ledger.BeingSent, not in doubt. nil: no such call of this App is known.
	Working func(batchID string) bool

	// Unattended means that no person waits for the result. Such a call never migrates the ledger.
	Unattended bool
}

// Progress receives the progress of a use case. Its methods may be called from several goroutines.
type Progress interface {
	// Begin reports that something starts that may take long. unit names what is counted; "" if nothing is.
	Begin(what, unit string) Activity
	// Sending reports that a call is in progress that is never cancelled, and until when payrun waits
	// for its answer. over is called when the call has ended.
	Sending(until time.Time) (over func())
	// Step reports what happened to a batch.
	Step(batchID, text string)
	// Warn reports something that a person should know but that changes nothing.
	Warn(text string)
}

// Activity is a step that takes long.
type Activity interface {
	Add(n int) // n more are done
	// Waits reports how far it is, and how long it pauses.
	Waits(words string, next time.Duration)
	End()
}

// Silence is a Progress that shows nothing.
type Silence struct{}

func (Silence) Begin(string, string) Activity { return Silence{} }
func (Silence) Sending(time.Time) func()      { return func() {} }
func (Silence) Step(string, string)           {}
func (Silence) Warn(string)                   {}
func (Silence) Waits(string, time.Duration)   {}
func (Silence) Add(int)                       {}
func (Silence) End()                          {}

func (c Call) progress() Progress {
	if c.Progress == nil {
		return Silence{}
	}
	return c.Progress
}

// ColumnOf returns the canonical name of a sheet's column for any word that means it.
func ColumnOf(word string) (string, bool) { return validate.ColumnOf(word) }
