package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/ledger/sqlite"
	"payrun/submitter"
	"payrun/submitter/bankapi"
)

func TestALedgerOfAnOlderProgramSaysWhatBringsItUpToDate(t *testing.T) {
	e := Worst(fmt.Errorf("open x: %w", ledger.ErrOutdated))
	if e.Code != LedgerUnusable || len(e.Next) != 1 || len(e.Next[0].Command) != 1 || e.Next[0].Command[0] != "poll" {
		t.Errorf("%s %+v", e.Code, e.Next)
	}
}

func TestErrorsBecomeCodes(t *testing.T) {
	unauthorized := &ledger.CallError{Op: "status", Outcome: ledger.Rejected, HTTPStatus: 401}
	for _, c := range []struct {
		name string
		err  error
		want Code
		bank string
	}{
		{"no ledger", fmt.Errorf("open x: %w", ledger.ErrNoLedger), LedgerMissing, ""},
		{"damaged ledger", fmt.Errorf("open x: %w", ledger.ErrLedgerDamaged), LedgerUnusable, ""},
		{"a ledger that others may write", fmt.Errorf("open x: %w", ledger.ErrLedgerExposed), LedgerUnsafe, ""},
		{"a ledger that was restored", ledger.ErrRestored, LedgerRestored, ""},
		{"an unsafe ledger", ledger.ErrUnsafe, LedgerUnsafe, ""},
		{"a ledger that is not durable", ledger.ErrNotDurable, LedgerNotDurable, ""},
		{"a commit without an answer", ledger.ErrCommitUnknown, LedgerUnreachable, ""},
		{"another run", fmt.Errorf("lock x: %w", ledger.ErrLocked), LedgerLocked, ""},
		{"ledger is there", fmt.Errorf("create x: %w", ledger.ErrLedgerExists), Usage, ""},
		{"no such batch", fmt.Errorf("batch x: %w", ledger.ErrNotFound), Usage, ""},
		{"401", fmt.Errorf("asking: %w", unauthorized), CredentialsRefused, ""},
		{"interrupted", fmt.Errorf("polling: %w", context.Canceled), Interrupted, ""},
		{"interrupted while the ledger was used", errors.Join(context.Canceled, fmt.Errorf("x: %w", ledger.ErrConflict)), Interrupted, ""},
		{"wrong environment", submitter.ErrEnvironment, EnvironmentDiffers, ""},
		{"a mistyped account_number", fmt.Errorf("%w: x", submitter.ErrAccountNumber), Usage, ""},
		{"a field with another field's name", fmt.Errorf("batch x: %w", bankapi.ErrFieldName), Usage, ""},
		{"not held", submitter.ErrNotHeld, Usage, ""},
		{"the bank's code is kept", &ledger.CallError{Op: "accounts", Outcome: ledger.Rejected, HTTPStatus: 400, Code: "SVC_CB_AL_002"}, Failed, "SVC_CB_AL_002"},
		{"a read without an answer", fmt.Errorf("asking: %w", &ledger.CallError{Op: "accounts", Outcome: ledger.Unknown, HTTPStatus: 502}), LookUnanswered, ""},
		{"a bank that cannot be reached", fmt.Errorf("asking: %w", &ledger.CallError{Op: "accounts", Outcome: ledger.NotSent}), LookUnanswered, ""},
		{"a person who may not change people", fmt.Errorf("change: %w", &ledger.PeopleError{Why: "no admin", NeedsPerson: true}), NeedsPerson, ""},
		{"a trail of people that cannot have happened", fmt.Errorf("read: %w: %w", ledger.ErrLedgerDamaged, &ledger.PeopleError{Why: "no admin"}), LedgerUnusable, ""},
		{"anything else", errors.New("boom"), Failed, ""},
		{"a failure keeps what it says, wrapped or not", fmt.Errorf("x: %w", Fail(NeedsPerson, "y")), NeedsPerson, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Worst(c.err)
			if e.Code != c.want || e.BankCode != c.bank {
				t.Errorf("got %q, the bank's %q; want %q, %q", e.Code, e.BankCode, c.want, c.bank)
			}
		})
	}
	if Worst(nil) != nil || Worst(errors.Join(nil, nil)) != nil {
		t.Error("nothing wrong is no failure")
	}
}

// Of joined errors the one whose exit code wins is shown; an error of several
// causes is one error, with all its words.
// A run may have submitted other batches before such an error.
func TestAnErrorWithinARunDoesNotSayThatNothingWasSentBeforeIt(t *testing.T) {
	for _, err := range []error{
		ledger.ErrNotDurable, ledger.ErrCommitUnknown, ledger.ErrUnreachable, ledger.ErrRestored, ledger.ErrTampered, ledger.ErrLedgerExposed,
		ledger.ErrUnsafe, ledger.ErrNoRight, ledger.ErrUnfit, ledger.ErrLedgerDamaged, ledger.ErrStale, syscall.ENOSPC,
		fmt.Errorf("%w: %w", ledger.ErrLedgerDamaged, fs.ErrPermission), &ledger.CallError{Op: "accounts", Outcome: ledger.Unknown},
	} {
		e := Worst(fmt.Errorf("step: %w", err))
		var words string
		for _, h := range e.Next {
			words += h.Before + "; "
		}
		if !strings.Contains(words, "nothing more ") {
			t.Errorf("%v: %q", err, words)
		}
	}
}

func TestAnErrorOfSeveralCausesKeepsItsWords(t *testing.T) {
	cause := errors.New("no space left on device")
	several := fmt.Errorf("write the mark: %w: %w", ledger.ErrLedgerDamaged, cause)
	for name, c := range map[string]struct {
		err  error
		code Code
		want string
	}{
		"several causes":  {several, LedgerUnusable, "no space left on device"},
		"wrapped":         {fmt.Errorf("initiate: %w", several), LedgerUnusable, "initiate: write the mark"},
		"joined":          {errors.Join(Fail(NeedsPerson, "waiting"), several), LedgerUnusable, "no space left on device"},
		"joined the less": {errors.Join(Fail(PayoutsOpen, "open"), nil, Fail(NeedsPerson, "waiting")), NeedsPerson, "waiting"},
		"restored":        {fmt.Errorf("%w: its event 7 is another", ledger.ErrRestored), LedgerRestored, "its event 7 is another"},
	} {
		t.Run(name, func(t *testing.T) {
			e := Worst(c.err)
			if e.Code != c.code || !strings.Contains(e.What, c.want) {
				t.Errorf("%s, %q; want %s, %q", e.Code, e.What, c.code, c.want)
			}
		})
	}
}

func TestEveryCodeHasAPlaceInThePrecedence(t *testing.T) {
	seen := map[Code]bool{}
	for _, c := range Codes {
		if seen[c] {
			t.Errorf("%s is there twice", c)
		}
		seen[c] = true
	}
	for _, c := range codes {
		if !seen[c] {
			t.Errorf("%s has no place in the precedence", c)
		}
	}
}

// What the ledger's database refuses reaches a person in words, with what to
// do, and with nothing of the database's own.
func TestWhatTheDatabaseRefusesIsShownInWords(t *testing.T) {
	now := time.Date(2025, 11, 3, 9, 30, 0, 0, time.UTC)
	store, err := sqlite.Create(t.Context(), filepath.Join(t.TempDir(), "payrun.db"), "asha", now)
	must(t, err)
	defer store.Close()
	for name, c := range map[string]struct {
		second ledger.KeyedPayout // next to INV-1 in row 2
		want   string
	}{
		"a check":     {ledger.KeyedPayout{Key: "inv-2", Payout: ledger.Payout{Row: 0, Ref: "INV-2", Amount: 1}}, "load: the rules forbid it: row > 0 does not hold"},
		"a duplicate": {ledger.KeyedPayout{Key: "inv-1", Payout: ledger.Payout{Row: 3, Ref: "INV-1", Amount: 1}}, "load: already in the ledger: another row has the same wire_keys.key"},
	} {
		t.Run(name, func(t *testing.T) {
			first := ledger.KeyedPayout{Key: "inv-1", Payout: ledger.Payout{Row: 2, Ref: "INV-1", Amount: 1}}
			first.BankAccountID, c.second.BankAccountID = "account", "account"
			l, err := store.BeginLoad(t.Context())
			must(t, err)
			defer l.Rollback() //nolint:errcheck
			if err = l.Add([]ledger.KeyedPayout{first, c.second}); err == nil {
				_, err = l.Commit(ledger.Sheet{Name: "a.csv"}, nil)
			}
			e := Worst(fmt.Errorf("a.csv: %w", err))
			if e.Code != Failed || !strings.Contains(e.What, c.want) || len(e.Next) == 0 || strings.Contains(e.What, "constraint") {
				t.Errorf("%s, %q, hints %v; want %q", e.Code, e.What, e.Next, c.want)
			}
		})
	}
}

// Of several locks the gravest is named, and its exit code wins (contract.md, "Exit codes").
func TestTheGravestLockIsNamed(t *testing.T) {
	err := Worst(lockedFailure([]ledger.Lock{{Kind: ledger.LockRestored, Ref: "A"}, {Kind: ledger.LockDebited, Ref: "B"}}))
	if err == nil || err.Code != Mismatch || !strings.Contains(err.What, "B is locked, and is not planned again") {
		t.Errorf("%+v", err)
	}
}
