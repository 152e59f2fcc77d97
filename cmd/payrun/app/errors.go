package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
	"payrun/ledger/postgres"
	"payrun/reports"
	"payrun/submitter"
	"payrun/submitter/bankapi"
)

// Code names why a use case did not end as it should. The names are those of
// payrun.error/v1. Each front end of payrun maps them to its own numbers.
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

// Codes lists all codes. If several apply, the first wins. The contract orders them: ledger, unknown, mismatch,
// credentials, an unanswered read, sheet, failed payouts, person, open. An interruption comes after the codes
// that must never be missed. A plain failure comes before what is only unfinished.
var Codes = [...]Code{
	LedgerMissing, LedgerUnreachable, LedgerUnusable, LedgerTampered, LedgerUnsafe, LedgerMoved, LedgerRestored, LedgerNotDurable, OutcomeUnknown, Mismatch, Interrupted, CredentialsRefused, Credentials,
	LookUnanswered, BankUnanswered, LedgerLocked, EnvironmentDiffers, Usage, Failed, Cancelled,
	ArchiveChanged, SheetRefused, SheetAlreadyLoaded, RowsLeftOut, StatementRefused, NotRetryable, PayoutsFailed, NeedsPerson, PayoutsOpen, BudgetOver,
}

// rank returns the position of a code in Codes. The lowest wins; an unknown code comes last.
func rank(c Code) int {
	if i := slices.Index(Codes[:], c); i >= 0 {
		return i
	}
	return len(Codes)
}

// Error says why a use case did not end as it should: what happened, its code, and what the person can do.
type Error struct {
	Code     Code
	BankCode string // the bank's own code; "" if it gave none

	// Attention is what the batches or payouts need, if that is the reason.
	Attention ledger.Attention

	What  string
	Next  []Hint // what to do, most useful last
	Cause error

	Unknown string   // the word that is not known, if that is the reason
	Choices []string // the words that are known

	Option ledger.Option // the wrong option for how a sheet is read, if that is the reason
}

func (e *Error) Error() string { return e.What }

func (e *Error) Unwrap() error { return e.Cause }

// Fail makes an error from a code and words.
func Fail(code Code, format string, args ...any) *Error {
	return &Error{Code: code, What: fmt.Sprintf(format, args...)}
}

// About sets what the batches or payouts need.
func (e *Error) About(kind ledger.Attention) *Error {
	e.Attention = kind
	return e
}

// Then adds hints.
func (e *Error) Then(hints ...Hint) *Error {
	e.Next = append(e.Next, hints...)
	return e
}

// Because keeps the error underneath, for errors.Is, and the bank's own code, if the bank gave one.
func (e *Error) Because(err error) *Error {
	e.Cause = err
	if call, ok := errors.AsType[*ledger.CallError](err); ok {
		e.BankCode = call.Code
	}
	return e
}

// Hint is something to do next, as data: each front end of payrun shows it in its own way.
type Hint struct {
	Before  string   // what to know or to do first; the whole hint if there is no command
	Command []string // a command of payrun with its arguments, none of them quoted
	After   string   // what the command does, if that is not obvious
}

// Do returns a hint that is a command.
func Do(command ...string) Hint { return Hint{Command: command} }

// Say returns a hint in words.
func Say(format string, args ...any) Hint { return Hint{Before: fmt.Sprintf(format, args...)} }

// First sets what comes before the command.
func (h Hint) First(format string, args ...any) Hint {
	h.Before = fmt.Sprintf(format, args...)
	return h
}

// Which sets what the command does.
func (h Hint) Which(format string, args ...any) Hint {
	h.After = fmt.Sprintf(format, args...)
	return h
}

// Worst turns any error into the one that is shown: the one whose code wins, if there are several. Nil for nil.
func Worst(err error) *Error {
	var worst *Error
	for _, e := range errorsIn(err) {
		if worst == nil || rank(e.Code) < rank(worst.Code) {
			worst = e
		}
	}
	return worst
}

// errorsIn returns the parts of an error, each as it is shown.
func errorsIn(err error) []*Error { return ledger.ListOf(leaves(err), classify) }

// OfTheLedger reports whether the error means that the ledger cannot be relied on any more.
func OfTheLedger(err error) bool {
	e := Worst(err)
	return e != nil && slices.Contains([]Code{LedgerMissing, LedgerUnreachable, LedgerUnusable, LedgerMoved, LedgerRestored, LedgerNotDurable, LedgerTampered, LedgerUnsafe}, e.Code)
}

// Unread says which reads failed, besides the error that Worst shows.
func Unread(err error) []string {
	worst := Worst(err)
	unread := ledger.Where(errorsIn(err), func(e *Error) bool { return e.Code == BankUnanswered && e.What != worst.What })
	return ledger.ListOf(unread, (*Error).Error)
}

// leaves takes errors.Join apart. An error that wraps several causes stays one error: its
// text belongs together. Only the text of a join is the text of its parts.
func leaves(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || err.Error() != errors.Join(joined.Unwrap()...).Error() {
		return []error{err}
	}
	var out []error
	for _, e := range joined.Unwrap() {
		out = append(out, leaves(e)...)
	}
	return out
}

// fault is an error of another package, its code, and what to do.
type fault struct {
	is   error
	code Code
	next []Hint
}

// faults are the errors that the other packages return: the code of each, and what to do. The first match
// counts: for any problem found in an export, the export is at fault.
var faults = [...]fault{
	{submitter.ErrEnvironment, EnvironmentDiffers, []Hint{Say("set environment in payrun.toml to the bank's environment, or base_url to the other bank")}},
	{submitter.ErrAccountNumber, Usage, []Hint{Say("in payrun.toml, set the account's account_number to the number that the bank has, or its bank_account_id to the right account; then run it again"),
		Do("accounts", "list").Which("shows them as the bank has them")}},
	{bankapi.ErrFieldName, Usage, nil},
	{submitter.ErrSamePerson, NeedsPerson, []Hint{Say("they do it as themselves, at a terminal or at the desk (payrun desk)")}},
	{submitter.ErrUnanswered, LookUnanswered, []Hint{Say("run it again when the bank answers")}},
	{submitter.ErrNotHeld, Usage, []Hint{Do("status").Which("shows what is held")}},
	{ledger.ErrExport, LedgerUnusable, []Hint{Say("nothing was recorded, and no ledger was created; if `payrun ledger verify` finds no problem in the old one, export it again, without --masked")}},
	{ledger.ErrNoLedger, LedgerMissing, []Hint{Say("only `payrun init` creates a ledger; a new one would not know which references were paid before")}},
	{ledger.ErrNotDurable, LedgerNotDurable, []Hint{Say("nothing more was sent: if the database forgets a call, payrun could make it twice. Check its standby and its settings, then try again")}},
	{ledger.ErrCommitUnknown, LedgerUnreachable, []Hint{Do("status").First("nothing more was sent; try again when the database answers: payrun recognises what was already recorded").Which("shows the state of everything")}},
	{ledger.ErrUnreachable, LedgerUnreachable, []Hint{Say("nothing more was sent; check that the database server runs and can be reached from here, then try again")}},
	{ledger.ErrMoved, LedgerMoved, []Hint{Say("nothing was recorded or sent; use the ledger that was created from that export: this one only shows the time before")}},
	{ledger.ErrRestored, LedgerRestored, []Hint{Say("nothing more is sent: a copy, an older version or another ledger is in its place, and it does not have what was sent since"),
		Do("help", "ledger", "verify").First("put the newest ledger back with its .head").Which("says what to do without one")}},
	{ledger.ErrTampered, LedgerTampered, []Hint{Say("nothing more is sent: something other than payrun changed the ledger. Do not change it back by hand, and do not pay these payouts elsewhere"),
		Do("ledger", "verify").First("keep the file as evidence, put the newest backup with its .head in its place, and compare it with the bank's statement").Which("names everything that differs")}},
	{ledger.ErrLedgerExposed, LedgerUnsafe, []Hint{Say("nothing more was sent: any user of this machine may have changed who is paid what. chmod o-w the path above; if others use this machine, compare the ledger with a backup first")}},
	{ledger.ErrUnsafe, LedgerUnsafe, []Hint{Say("nothing more was sent; the ledger, its lock and its mark must each be one file with one name: remove the links, and name the file itself")}},
	{ledger.ErrUnmigrated, LedgerUnusable, []Hint{Do("init", "--migrate").First("nothing was sent; the owner of its tables has to back it up and migrate it, while no run uses it")}},
	{ledger.ErrNoRight, LedgerUnusable, []Hint{Say("nothing more was sent; the owner of the ledger's tables or the server's administrator has to grant what is missing, or run payrun init --role NAME")}},
	{ledger.ErrUnfit, LedgerUnusable, []Hint{Say("nothing more was sent; check the ledger's URL, the password in PGPASSFILE or PGPASSWORD, and the database")}},
	{ledger.ErrOutdated, LedgerUnusable, []Hint{Do("poll").First("nothing was sent; the next command that writes, run by a person, backs it up and migrates it, such as")}},
	{ledger.ErrOtherProgram, LedgerUnusable, []Hint{Do("ledger", "import", "--help").First("nothing was sent; use the version of payrun that created it, or export it with that version and import it with this one").Which("says how")}},
	{ledger.ErrHalfReadable, LedgerUnusable, []Hint{Say("copy it with its -wal file into your own folder, and name the copy with --ledger; or ask its owner for a copy from `payrun ledger backup`")}},
	{ledger.ErrLedgerDamaged, LedgerUnusable, []Hint{Do("help", "recovery").First("nothing more was sent; check the disk, and that the path is the ledger's. If payrun ledger verify cannot read it either, put the newest copy in its place").Which("says how")}},
	{ledger.ErrLocked, LedgerLocked, []Hint{Say("wait for the other run to end, or say --lock-timeout 30s; you can use `payrun status` meanwhile")}},
	{ledger.ErrStale, NeedsPerson, []Hint{Say("nothing more was recorded or sent: look at the current state, and decide again"), Do("status")}},
	{ledger.ErrRule, Failed, []Hint{Say("nothing of this step was recorded; this is a bug in payrun, not an error in your sheet or at the bank: please report the line above"),
		Do("status").Which("shows the state of everything")}},
	{ledger.ErrTransition, Failed, []Hint{Do("status").First("nothing of this step was recorded").Which("shows the state of everything")}},
	{ledger.ErrDuplicate, Failed, []Hint{Do("status").First("nothing of this step was recorded").Which("shows the state of everything")}},
	{ledger.ErrNotApart, NeedsPerson, nil},
	{postgres.ErrNoRole, Usage, nil},
	{ledger.ErrTotal, SheetRefused, []Hint{Say("an amount is larger than any payout can be; it may be in the wrong column")}},
	{ledger.ErrLedgerExists, Usage, []Hint{Do("status").First("nothing was changed").Which("shows what it holds")}},
	{ledger.ErrNotFound, Usage, nil},
	{ledger.ErrUnauthorized, CredentialsRefused, []Hint{Say("check the access key and the secret key, and that they belong to this environment")}},
}

// classify is the only function that turns an error into a code.
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
	e := &Error{Code: Failed, What: err.Error(), Cause: err}
	fault := slices.IndexFunc(faults[:], func(f fault) bool { return errors.Is(err, f.is) })
	people, notAllowed := errors.AsType[*ledger.PeopleError](err)
	switch {
	case fault >= 0 && faults[fault].is == ledger.ErrLedgerDamaged && errors.Is(err, fs.ErrNotExist):
		e.Code = LedgerUnusable
		e.Then(Say("nothing more was sent; make the folder first, or correct the path"))
	case fault >= 0 && faults[fault].is == ledger.ErrLedgerDamaged && errors.Is(err, fs.ErrPermission):
		e.Code = LedgerUnusable
		e.Then(Do("help", "people").First("nothing more was sent; to share a ledger, use a group that everyone is a member of").Which("says how"))
	case fault >= 0:
		e.Code = faults[fault].code
		e.Then(faults[fault].next...)
	case notAllowed:
		e.Code, e.What = map[bool]Code{true: NeedsPerson, false: Usage}[people.NeedsPerson], people.Why
		if !people.NeedsPerson {
			e.Then(Say("nothing was recorded"))
		}
	case errors.Is(err, context.Canceled):
		e.Code, e.What = Interrupted, "interrupted; any call in progress was finished and recorded"
		e.Then(Say("safe to run again"))
	}
	if call, ok := errors.AsType[*ledger.CallError](err); ok {
		e.BankCode = call.Code
		if e.Code == Failed && call.Outcome != ledger.Rejected { // a read: the outcome of a change is recorded
			e.Code = LookUnanswered
			e.Then(Say("nothing more was sent; run it again when the bank answers"))
		}
	}
	return e
}

// misconfigured is the error of a wrong configuration or a missing key.
func misconfigured(c *config.Error) *Error {
	e := &Error{Code: Usage, What: c.What, Cause: c, Unknown: c.Unknown, Choices: c.Choices}
	if c.Keys {
		e.Code = Credentials
	}
	for _, h := range c.Hints {
		e.Then(Say("%s", h))
	}
	return e
}

// machineFault is a problem of the machine, by its system errors. The sheet, the configuration and
// the ledger are fine then.
type machineFault struct {
	is   []error
	what string // behind the path
	cure string
}

var machineFaults = [...]machineFault{
	{[]error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}, "could not be written: its disk is full, or has a limit for this user",
		"free some space on it (df -h shows the disks), then run the same command again"},
	{[]error{syscall.EROFS}, "could not be written: its disk is read-only",
		"mount it for writing; or only read: payrun status, payrun ledger verify, and payrun report -o with a folder on another disk"},
	{[]error{syscall.EMFILE, syscall.ENFILE}, "could not be opened: too many files are open",
		"allow more open files (ulimit -n 1024, or LimitNOFILE=1024 in the unit), then run the same command again"},
}

// ofTheMachine returns the error for a full or read-only disk, or for too many open files; nil for
// any other error. It names the path and the fix. For the ledger it is exit 17, for any other
// file 1, and never a usage error.
func ofTheMachine(err error) *Error {
	if known, ok := errors.AsType[*Error](err); ok && known.Code != Usage {
		return nil // it is worded already
	}
	at := slices.IndexFunc(machineFaults[:], func(f machineFault) bool {
		return slices.ContainsFunc(f.is, func(is error) bool { return errors.Is(err, is) })
	})
	if at < 0 {
		return nil
	}
	e := Fail(Failed, "%s %s", ledger.Plain(pathIn(err)), machineFaults[at].what).Because(err)
	if errors.Is(err, ledger.ErrLedgerDamaged) {
		e.Code = LedgerUnusable
	}
	return e.Then(Say("nothing more was sent; %s", machineFaults[at].cure))
}

// pathIn returns the file that an error is about; for a draft of a report, the folder that holds it.
func pathIn(err error) string {
	path := "payrun.db"
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		path = e.Path
	} else if e, ok := errors.AsType[*os.LinkError](err); ok {
		path = e.New
	}
	path, _, _ = strings.Cut(path, string(filepath.Separator)+reports.DraftsPrefix)
	return path
}

// refusals are the refused sheets of one command.
type refusals struct {
	of  []string // their names
	all []*Error
}

func (r *refusals) add(s *Sheet, skipBad bool) {
	r.of, r.all = append(r.of, ledger.Plain(cmp.Or(s.Sheet.Name, s.Path))), append(r.all, s.refusal(skipBad))
}

// with joins them with broke, the error that stopped the command; nil if there is nothing. Only
// one of them is shown, so each names the other sheets.
func (r *refusals) with(broke error) error {
	var errs []error
	for i, e := range r.all {
		if others := len(r.all) - 1; others > 0 {
			also := Say("%s a look: %s", ledger.Counted(others, "more sheet needs", "more sheets need"), some(slices.Delete(slices.Clone(r.of), i, i+1), 5))
			e.Next = append([]Hint{also}, e.Next...)
		}
		errs = append(errs, e)
	}
	return errors.Join(append(errs, broke)...)
}
