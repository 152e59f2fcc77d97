package cli

import (
	"context"
	"errors"
	"fmt"

	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

// failure is why a command does not end with 0: what happened, which exit code
// it has, and what the person can do. Commands return it as an error; Main is
// the one place that turns it into words.
type failure struct {
	exit  int
	code  string // "" for the exit code's own
	what  string
	hints []string // what to do, most useful last
	cause error
}

func (f *failure) Error() string { return f.what }

func (f *failure) Unwrap() error { return f.cause }

// fail makes a failure from words.
func fail(exit int, format string, args ...any) *failure {
	return &failure{exit: exit, what: fmt.Sprintf(format, args...)}
}

// usage is a failure of the person's words or of the configuration.
func usage(format string, args ...any) *failure { return fail(exitUsage, format, args...) }

// hint adds a line that says what to do.
func (f *failure) hint(format string, args ...any) *failure {
	f.hints = append(f.hints, fmt.Sprintf(format, args...))
	return f
}

// because keeps the error underneath, for errors.Is.
func (f *failure) because(err error) *failure {
	f.cause = err
	return f
}

// judge turns any error into the failure that is shown. Of several it takes
// the one whose exit code wins.
func judge(err error) *failure {
	var worst *failure
	for _, leaf := range leaves(err) {
		if f := judgeOne(leaf); worst == nil || rank(f.exit) < rank(worst.exit) {
			worst = f
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

// judgeOne is the switch from an error to an exit code, the only one.
func judgeOne(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	if c, ok := errors.AsType[*config.Error](err); ok {
		return configFailed(c)
	}
	f := &failure{exit: exitFailed, what: err.Error(), cause: err}
	switch {
	case errors.Is(err, ledger.ErrNoLedger):
		f.exit = exitLedger
		f.hint("only `payrun init` creates a ledger; a new one would not know which references were paid before")
	case errors.Is(err, ledger.ErrRestored):
		f.exit = exitLedger
		f.hint("nothing was sent: an older copy, or another ledger, lies in its place, and what was sent since is not in it")
		f.hint("put the newest ledger back; or compare with the bank's statement, then: payrun ledger verify --accept-restored --reason TEXT")
	case errors.Is(err, ledger.ErrLedgerDamaged):
		f.exit = exitLedger
		f.hint("nothing was sent after this; look at the disk and the file, then run `payrun ledger verify`")
	case errors.Is(err, ledger.ErrLocked):
		f.exit = exitLocked
		f.hint("wait for the other run to end; `payrun status` may be used meanwhile")
	case errors.Is(err, ledger.ErrRule):
		f.hint("nothing of this step was recorded; that is a fault of payrun, not of your sheet or the bank: please report the line above")
		f.hint("`payrun status` shows where everything stands")
	case errors.Is(err, ledger.ErrTransition), errors.Is(err, ledger.ErrDuplicate):
		f.hint("nothing of this step was recorded; `payrun status` shows where everything stands")
	case errors.Is(err, ledger.ErrLedgerExists), errors.Is(err, ledger.ErrNotFound):
		f.exit = exitUsage
	case errors.Is(err, ledger.ErrUnauthorized):
		f.exit = exitCredentials
		f.hint("check the access key and the secret key, and that they belong to this environment")
	case errors.Is(err, term.ErrCancelled):
		f.exit = exitCancelled
	case errors.Is(err, context.Canceled):
		f.exit, f.what = exitInterrupted, "interrupted; what was under way was finished and recorded"
		f.hint("safe to run again")
	}
	if call, ok := errors.AsType[*ledger.CallError](err); ok {
		f.code = call.Code
	}
	return f
}

// configFailed makes the failure of a wrong configuration or a missing key.
func configFailed(c *config.Error) *failure {
	f := usage("%s%s", c.What, didYouMean(c.Word, c.Known)).because(c)
	if c.Keys {
		f.exit = exitCredentials
	}
	f.hints = c.Hints
	return f
}
