package cli

import (
	"fmt"
	"slices"

	"payrun/cmd/payrun/doc"
	"payrun/ledger"
)

// The exit codes of the contract. Scripts and cron rely on them.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitCancelled   = 3
	exitCredentials = 4
	exitSheet       = 10
	exitLocked      = 11
	exitPerson      = 12
	exitReturned    = 13
	exitOpen        = 14
	exitUnknown     = 15
	exitMismatch    = 16
	exitLedger      = 17
	exitInterrupted = 130
)

// exitMeaning is one row of the contract's table: the code that
// payrun.error/v1 carries beside the number, and the words of the help.
type exitMeaning struct {
	exit    int
	code    string
	meaning string
}

// exitTable is the whole table, in order.
var exitTable = [...]exitMeaning{
	{exitDone, "", "done, or nothing to do"},
	{exitFailed, "failed", "failed, other"},
	{exitUsage, "usage", "wrong usage or configuration"},
	{exitCancelled, "cancelled", "cancelled at a prompt"},
	{exitCredentials, "credentials", "credentials missing or refused (401)"},
	{exitSheet, "sheet_refused", "the sheet has errors; nothing of it was loaded (or, with --skip-bad, rows were left out)"},
	{exitLocked, "ledger_locked", "another run holds the ledger"},
	{exitPerson, "needs_person", "waiting for a person (an OTP, a decision)"},
	{exitReturned, "payouts_failed", "finished; some payouts failed or came back"},
	{exitOpen, "payouts_open", "some payouts are still open at the bank"},
	{exitUnknown, "outcome_unknown", "outcome unknown: a request was sent and no answer was read; run `payrun poll`, never send again"},
	{exitMismatch, "mismatch", "does not tie out: sheet, interface and statement differ"},
	{exitLedger, "ledger_unusable", "the ledger is missing, damaged, read-only or its disk is full; nothing was sent"},
	{exitInterrupted, "interrupted", "interrupted; safe to run again"},
}

// precedence says which code wins when several hold. The contract orders 17,
// 15, 16, 4, 10, 13, 12, 14; an interruption stands behind what must never go
// unseen, and a plain failure before what is merely unfinished.
var precedence = [...]int{
	exitLedger, exitUnknown, exitMismatch, exitInterrupted, exitCredentials,
	exitLocked, exitUsage, exitFailed, exitCancelled,
	exitSheet, exitReturned, exitPerson, exitOpen, exitDone,
}

// rank is the place of a code in precedence; the lower wins.
func rank(exit int) int { return slices.Index(precedence[:], exit) }

// codeOf names an exit code for payrun.error/v1.
func codeOf(exit int) string {
	for _, m := range exitTable {
		if m.exit == exit {
			return m.code
		}
	}
	return "failed"
}

// complain ends a command that did not: one JSON line with --json, otherwise
// the error line and then the lines that say what to do.
func (a *app) complain(f *failure) {
	code := f.code
	if code == "" {
		code = codeOf(f.exit)
	}
	if a.flags.json {
		message := ledger.Plain(f.what)
		for _, h := range f.hints {
			message += "; " + ledger.Plain(h)
		}
		_ = doc.Write(a.term.Err, doc.Error{Schema: "payrun.error/v1", Code: code, Message: message, Exit: f.exit})
		return
	}
	fmt.Fprintf(a.term.Err, "payrun: %s\n", ledger.Plain(f.what))
	for _, h := range f.hints {
		fmt.Fprintf(a.term.Err, "  %s\n", ledger.Plain(h))
	}
}
