package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
	"payrun/submitter"
)

// Code names why a use case did not end as it should. The names are those of
// payrun.error/v1; each face of payrun has its own number for them.
type Code string

// The codes. payrun help exit-codes says what they mean to a script.
const (
	Failed             Code = "failed"
	Usage              Code = "usage"
	EnvironmentDiffers Code = "environment_differs"
	Cancelled          Code = "cancelled"
	Credentials        Code = "credentials"
	CredentialsRefused Code = "credentials_refused"
	LookUnanswered     Code = "look_unanswered"
	BankUnanswered     Code = "bank_unanswered"
	SheetRefused       Code = "sheet_refused"
	SheetAlreadyLoaded Code = "sheet_already_loaded"
	RowsLeftOut        Code = "rows_left_out"
	ArchiveChanged     Code = "archive_changed"
	StatementRefused   Code = "statement_refused"
	NotRetryable       Code = "not_retryable"
	LedgerLocked       Code = "ledger_locked"
	NeedsPerson        Code = "needs_person"
	PayoutsFailed      Code = "payouts_failed"
	PayoutsOpen        Code = "payouts_open"
	OutcomeUnknown     Code = "outcome_unknown"
	Mismatch           Code = "mismatch"
	LedgerMissing      Code = "ledger_missing"
	LedgerUnusable     Code = "ledger_unusable"
	LedgerUnreachable  Code = "ledger_unreachable"
	LedgerRestored     Code = "ledger_restored"
	LedgerMoved        Code = "ledger_moved"
	LedgerNotDurable   Code = "not_durable"
	LedgerTampered     Code = "ledger_tampered"
	LedgerUnsafe       Code = "ledger_unsafe"
	Interrupted        Code = "interrupted"
	BudgetOver         Code = "budget_over"
)

// precedence orders the codes if several apply. The contract orders ledger, unknown, mismatch,
// credentials, an unanswered read, sheet, failed payouts, person, open. An interruption comes after
// what must never go unseen, and a plain failure before what is merely unfinished.
var precedence = [...]Code{
	LedgerMissing, LedgerUnreachable, LedgerUnusable, LedgerTampered, LedgerUnsafe, LedgerMoved, LedgerRestored, LedgerNotDurable, OutcomeUnknown, Mismatch, Interrupted, CredentialsRefused, Credentials,
	LookUnanswered, BankUnanswered, LedgerLocked, EnvironmentDiffers, Usage, Failed, Cancelled,
	ArchiveChanged, SheetRefused, SheetAlreadyLoaded, RowsLeftOut, StatementRefused, NotRetryable, PayoutsFailed, NeedsPerson, PayoutsOpen, BudgetOver,
}

// Codes lists every code.
func Codes() []Code { return slices.Clone(precedence[:]) }

// rank is the place of a code in precedence; the lower wins, and none comes last.
func rank(c Code) int {
	if i := slices.Index(precedence[:], c); i >= 0 {
		return i
	}
	return len(precedence)
}

// Error is why a use case did not end as it should: what happened, what kind
// of thing it is, and what the person can do.
type Error struct {
	Code     Code
	BankCode string // the bank's own word for it; "" where it gave none

	// Attention is what batches or payouts ask for, where that is why.
	Attention ledger.Attention

	What  string
	Next  []Hint // what to do, most useful last
	Cause error

	Word  string   // a word that is not known, if that is it
	Known []string // the words that are

	Option ledger.Option // what was chosen wrongly in how a sheet is read, if that is it
}

func (e *Error) Error() string { return e.What }

func (e *Error) Unwrap() error { return e.Cause }

// Fail makes an error from words.
func Fail(code Code, format string, args ...any) *Error {
	return &Error{Code: code, What: fmt.Sprintf(format, args...)}
}

// About names what batches or payouts ask for.
func (e *Error) About(kind ledger.Attention) *Error {
	e.Attention = kind
	return e
}

// Then adds what to do.
func (e *Error) Then(hints ...Hint) *Error {
	e.Next = append(e.Next, hints...)
	return e
}

// Because keeps the error underneath, for errors.Is.
func (e *Error) Because(err error) *Error {
	e.Cause = err
	return e
}

// Hint is something to do next, as data: each face of payrun shows it in its
// own way.
type Hint struct {
	Before  string   // what to know or to do first; all of it where there is no command
	Command []string // a command of payrun with its arguments, none of them quoted
	After   string   // what the command does, where that is not plain
}

// Do is a hint that is a command.
func Do(command ...string) Hint { return Hint{Command: command} }

// Say is a hint in words.
func Say(format string, args ...any) Hint { return Hint{Before: fmt.Sprintf(format, args...)} }

// First says what comes before the command.
func (h Hint) First(format string, args ...any) Hint {
	h.Before = fmt.Sprintf(format, args...)
	return h
}

// Which says what the command does.
func (h Hint) Which(format string, args ...any) Hint {
	h.After = fmt.Sprintf(format, args...)
	return h
}

// Worst turns any error into the one that is shown: of several, the one whose
// code wins. Nil for nil.
func Worst(err error) *Error {
	var worst *Error
	for _, leaf := range leaves(err) {
		if e := classify(leaf); worst == nil || rank(e.Code) < rank(worst.Code) {
			worst = e
		}
	}
	return worst
}

// leaves takes errors.Join apart. An error of several causes is one: its words
// belong together, and only a join is the words of its parts.
func leaves(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	if err.Error() != errors.Join(joined.Unwrap()...).Error() {
		return []error{err}
	}
	var out []error
	for _, e := range joined.Unwrap() {
		out = append(out, leaves(e)...)
	}
	return out
}

// classify is the switch from an error to a code, the only one.
func classify(err error) *Error {
	if e := ofTheMachine(err); e != nil {
		return e
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if c, ok := errors.AsType[*config.Error](err); ok {
		return misconfigured(c)
	}
	if need, ok := errors.AsType[*NeedsConfirmation](err); ok {
		return need.unanswered()
	}
	if word, ok := errors.AsType[*ledger.StatementWordError](err); ok {
		if word.Alone {
			return Fail(NeedsPerson, "%s", word.Why).Because(err)
		}
		return Fail(Usage, "%s", word.Why).Because(err).Then(Say("nothing was recorded"))
	}
	e := &Error{Code: Failed, What: err.Error(), Cause: err}
	switch {
	case errors.Is(err, ledger.ErrExport): // whatever was found in it
		e.Code = LedgerUnusable
		e.Then(Say("nothing was recorded, and no ledger was made; if `payrun ledger verify` finds nothing in the old one, export it again, without --masked"))
	case errors.Is(err, ledger.ErrNoLedger):
		e.Code = LedgerMissing
		e.Then(Say("only `payrun init` creates a ledger; a new one would not know which references were paid before"))
	case errors.Is(err, ledger.ErrNotDurable):
		e.Code = LedgerNotDurable
		e.Then(Say("nothing was sent after this: a call that the database forgets could be made twice; see to its standby and its settings, then do the same again"))
	case errors.Is(err, ledger.ErrCommitUnknown):
		e.Code = LedgerUnreachable
		e.Then(Do("status").First("nothing was sent after this; do the same again once the database answers: what was recorded already is recognised").Which("shows the state of everything"))
	case errors.Is(err, ledger.ErrUnreachable):
		e.Code = LedgerUnreachable
		e.Then(Say("nothing was sent; look whether the database server runs and can be reached from here, then do the same again"))
	case errors.Is(err, ledger.ErrMoved):
		e.Code = LedgerMoved
		e.Then(Say("nothing was recorded or sent; use the ledger that was made of that export: this one only shows what was before"))
	case errors.Is(err, ledger.ErrRestored):
		e.Code = LedgerRestored
		e.Then(Say("nothing was sent: a copy, an older one or another ledger lies in its place, and what was sent since is not in it"),
			Do("ledger", "verify", "--accept-restored", "--reason", "compared with the bank's statement").
				First("put the newest ledger back with its .head; without one, compare with the bank's statement first"))
	case errors.Is(err, ledger.ErrTampered):
		e.Code = LedgerTampered
		e.Then(Say("nothing was sent after this: the ledger file was changed by other means than payrun. Do not change it back by hand, and do not pay these payouts from anywhere else"),
			Do("ledger", "verify").First("keep the file as evidence, put the newest backup with its .head in its place, and compare it with the bank's statement").Which("names everything that differs"))
	case errors.Is(err, ledger.ErrLedgerExposed):
		e.Code = LedgerUnsafe
		e.Then(Say("nothing was sent after this: anybody on this machine may have changed what is paid to whom; chmod o-w what is named above, and compare with a backup first if others use the machine"))
	case errors.Is(err, ledger.ErrUnsafe):
		e.Code = LedgerUnsafe
		e.Then(Say("nothing was sent after this; the ledger, its lock and its mark are plain files with one name each: remove the other names, and use the ledger by this one"))
	case errors.Is(err, ledger.ErrUnmigrated):
		e.Code = LedgerUnusable
		e.Then(Do("init", "--migrate").First("nothing was sent; the owner of its tables backs it up and brings it up to date, while no run works on it"))
	case errors.Is(err, ledger.ErrNoRight):
		e.Code = LedgerUnusable
		e.Then(Say("nothing was sent after this; the owner of the ledger's tables, or who administers its server, runs what is missing, or payrun init --role NAME"))
	case errors.Is(err, ledger.ErrUnfit):
		e.Code = LedgerUnusable
		e.Then(Say("nothing was sent after this; look at the ledger's URL, at the password that PGPASSFILE or PGPASSWORD gives, and at the database"))
	case errors.Is(err, ledger.ErrOutdated):
		e.Code = LedgerUnusable
		e.Then(Do("poll").First("nothing was sent; a command that a person runs and that writes copies it and brings it up to date, such as"))
	case errors.Is(err, ledger.ErrOtherProgram):
		e.Code = LedgerUnusable
		e.Then(Do("ledger", "import", "--help").First("nothing was sent; go on with the payrun that made it, or export it with that one and import it with this one").Which("says how"))
	case errors.Is(err, ledger.ErrHalfReadable):
		e.Code = LedgerUnusable
		e.Then(Say("copy it together with its -wal file into a folder of your own, and name that copy with --ledger; or ask its owner for a copy by `payrun ledger backup`"))
	case errors.Is(err, ledger.ErrLedgerDamaged) && errors.Is(err, fs.ErrPermission):
		e.Code = LedgerUnusable
		e.Then(Do("help", "people").First("nothing was sent; several people use one ledger through a group that all of them are in").Which("says how"))
	case errors.Is(err, ledger.ErrLedgerDamaged):
		e.Code = LedgerUnusable
		e.Then(Do("ledger", "verify").First("nothing was sent after this; look at the disk and the file first"))
	case errors.Is(err, ledger.ErrLocked):
		e.Code = LedgerLocked
		e.Then(Say("wait for the other run to end, or say --lock-timeout 30s; `payrun status` may be used meanwhile"))
	case errors.Is(err, ledger.ErrStale):
		e.Code = NeedsPerson
		e.Then(Say("nothing was recorded or sent: look at it as it is now, and decide again"), Do("status"))
	case errors.Is(err, ledger.ErrRule):
		e.Then(Say("nothing of this step was recorded; that is a fault of payrun, not of your sheet or the bank: please report the line above"),
			Do("status").Which("shows the state of everything"))
	case errors.Is(err, ledger.ErrTransition), errors.Is(err, ledger.ErrDuplicate):
		e.Then(Do("status").First("nothing of this step was recorded").Which("shows the state of everything"))
	case errors.Is(err, ledger.ErrTotal):
		e.Code = SheetRefused
		e.Then(Say("an amount is larger than any payout can be; look for one in the wrong column"))
	case errors.Is(err, ledger.ErrLedgerExists), errors.Is(err, ledger.ErrNotFound):
		e.Code = Usage
	case errors.Is(err, ledger.ErrUnauthorized):
		e.Code = CredentialsRefused
		e.Then(Say("check the access key and the secret key, and that they belong to this environment"))
	case errors.Is(err, context.Canceled):
		e.Code, e.What = Interrupted, "interrupted; the call in progress was finished and recorded"
		e.Then(Say("safe to run again"))
	}
	if call, ok := errors.AsType[*ledger.CallError](err); ok {
		e.BankCode = call.Code
		if e.Code == Failed && call.Outcome != ledger.Rejected { // of a read: what became of a request that changes something is recorded
			e.Code = LookUnanswered
			e.Then(Say("nothing was sent; run it again when the bank answers"))
		}
	}
	return e
}

// misconfigured is the error of a wrong configuration or a missing key.
func misconfigured(c *config.Error) *Error {
	e := &Error{Code: Usage, What: c.What, Cause: c, Word: c.Word, Known: c.Known}
	if c.Keys {
		e.Code = Credentials
	}
	for _, h := range c.Hints {
		e.Then(Say("%s", h))
	}
	return e
}

// engineFailed gives the engine's own errors their words; others pass.
func engineFailed(err error) error {
	switch {
	case errors.Is(err, submitter.ErrEnvironment):
		return Fail(EnvironmentDiffers, "%v", err).Because(err).
			Then(Say("set environment in payrun.toml to what the bank is, or base_url to the other bank"))
	case errors.Is(err, submitter.ErrAccountNumber):
		return Fail(Usage, "%v", err).Because(err).
			Then(Say("in payrun.toml, set account_number of that account to its number as the bank has it, or bank_account_id to the account that is meant; then run it again"),
				Do("accounts", "list").Which("shows them as the bank has them"))
	case errors.Is(err, submitter.ErrSamePerson):
		return Fail(NeedsPerson, "%v", err).Because(err).
			Then(Say("another person has to do it, as a system user of their own or at the desk (payrun desk)"))
	case errors.Is(err, submitter.ErrNotHeld):
		return Fail(Usage, "%v", err).Because(err).Then(Do("status").Which("shows what is held"))
	}
	return err
}
