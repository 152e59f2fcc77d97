// Package app has the use cases of payrun: one method each, with a request struct and a result struct.
// The command line, the desk and cron call it and show the result. It has no terminal, no HTTP, no
// flags and no exit codes. It is the only room that opens stores and banks.
//
// The person, the lock and recovery belong to one use case: it opens the ledger, does its work and
// closes everything (open.go). So one App can serve several people, one after another or at the same
// time, for weeks.
//
// A use case asks a person only through a function that the caller gave. If a person's confirmation is
// missing it returns *NeedsConfirmation.
package app

import (
	"io"
	"time"

	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/password"
	"payrun/ledger"
	"payrun/validate"
)

// App does the use cases of one configuration.
type App struct {
	set   config.Settings
	env   Env
	place place // of its ledger
	line  *line

	passwords *password.Keeper

	codes *usedCodes
	plans *keptPlans
}

// Env is what the use cases need apart from the ledger and the bank.
type Env struct {
	Now    func() time.Time         // dates what the ledger records
	Getenv func(name string) string // where the keys may be; "" when unset
	Stderr io.Writer                // where otp.command may write its own words

	TestPasswords bool // for tests: hashes that are cheap to make
}

// New returns an App. It opens nothing.
func New(set config.Settings, env Env) *App {
	passwords := password.NewKeeper()
	if env.TestPasswords {
		passwords = password.NewTestKeeper()
	}
	return &App{set: set, env: env, place: placeOf(set, env), line: newLine(), passwords: passwords, codes: &usedCodes{last: map[string]int64{}}, plans: &keptPlans{}}
}

// Call is who asks for a use case, and who hears how it gets on.
type Call struct {
	Actor    string        // who does it, as the ledger records it
	LoggedIn bool          // Actor is a person of the desk, who logged in
	Person   ledger.Person // LoggedIn: the person at that time, with their roles; nothing is compared with the zero Person
	Proof    string        // what showed who they are, for a decision: each recorded event has it; "" at a terminal
	Command  string        // what the person asked for, shown to others who find the ledger in use
	LockWait time.Duration // for a ledger that others hold; 0: not at all
	InTurn   bool          // waits for earlier use cases of this App as long as they take, and LockWait is for other processes only
	GiveWay  func()        // called when another use case of this App waits for the ledger; nil: it waits
	Progress Progress      // nil: no one

	// Working reports whether a call about a batch is in progress now: such a batch is
	// ledger.BeingSent, not in doubt. nil: no call of this App is known.
	Working func(batchID string) bool

	// Unattended: no person waits for it. It brings no ledger to a newer schema.
	Unattended bool

	// LeaveDoubts lets the ledger go as soon as an answer is lost. Later use cases ask
	// the bank what became of it, in place of this one.
	LeaveDoubts bool
}

// Progress hears how a use case gets on. Its methods may be called from
// several goroutines.
type Progress interface {
	// Begin tells that something begins that may take long. unit names what is
	// counted meanwhile, "" where nothing is.
	Begin(what, unit string) Activity
	// Sending reports that a call is in progress that is never broken off, and until when its answer
	// is waited for. over is called when the answer came.
	Sending(until time.Time) (over func())
	// Step tells what happened to a batch.
	Step(batchID, text string)
	// Warn tells something to mind that changes nothing.
	Warn(text string)
}

// Activity is something that takes long.
type Activity interface {
	Add(n int) // so many more were done
	// Waits tells how far it is, and how long until it goes on.
	Waits(words string, next time.Duration)
	End()
}

// Silence is progress without a reader.
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

// ColumnOf gives the canonical name of a column of a sheet, by any word for it.
func ColumnOf(word string) (string, bool) { return validate.ColumnOf(word) }
