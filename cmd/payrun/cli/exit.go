package cli

import (
	"cmp"
	"strings"

	"payrun/cmd/payrun/app"
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
	exitUnanswered  = 5
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
	code    app.Code
	meaning string
}

// exitTable is the whole table, in order.
var exitTable = [...]exitMeaning{
	{exitDone, "", "done, or nothing to do"},
	{exitFailed, app.Failed, "failed, other"},
	{exitUsage, app.Usage, "wrong usage or configuration"},
	{exitCancelled, app.Cancelled, "cancelled at a prompt"},
	{exitCredentials, app.Credentials, "credentials missing or refused (401)"},
	{exitUnanswered, app.LookUnanswered, "the bank could not be reached or gave no answer to a read; nothing was sent"},
	{exitSheet, app.SheetRefused, "the sheet has errors; nothing of it was loaded (or, with --skip-bad, rows were left out)"},
	{exitLocked, app.LedgerLocked, "another run holds the ledger"},
	{exitPerson, app.NeedsPerson, "waiting for a person (an OTP, a decision)"},
	{exitReturned, app.PayoutsFailed, "finished; some payouts failed or came back"},
	{exitOpen, app.PayoutsOpen, "some payouts are still open at the bank"},
	{exitUnknown, app.OutcomeUnknown, "outcome unknown: a request was sent and no answer was read; run `payrun poll`, never send again"},
	{exitMismatch, app.Mismatch, "does not tie out: sheet, interface and statement differ"},
	{exitLedger, app.LedgerUnusable, "the ledger is missing, damaged, read-only, a copy or in an unsafe place, or its disk is full; nothing was sent"},
	{exitInterrupted, app.Interrupted, "interrupted; safe to run again"},
}

// exitOf is the switch from an error's code to an exit code, the only one.
func exitOf(code app.Code) int {
	switch code {
	case app.LedgerRestored, app.LedgerUnsafe: // told apart by their codes
		return exitLedger
	}
	for _, m := range exitTable {
		if m.code == code {
			return m.exit
		}
	}
	return exitFailed
}

// complain ends a command that did not go well: one JSON line with --json,
// otherwise the error line and then the lines that say what to do.
func (p *program) complain(e *app.Error) int {
	exit := exitOf(e.Code)
	what := ledger.Plain(e.What + didYouMean(e.Word, e.Known))
	if e.Option.Name != "" {
		what = ledger.Plain(flagOf(e.Option)) + ": " + what
	}
	if p.term.JSON {
		for _, h := range e.Next {
			for _, line := range p.hintLines(h) {
				what = strings.TrimSuffix(what, ".") + "; " + ledger.Plain(line)
			}
		}
		_ = doc.Write(p.term.Err, doc.Error{Schema: "payrun.error/v1", Code: cmp.Or(e.BankCode, string(e.Code)), Message: what, Exit: exit})
		return exit
	}
	p.term.Errorf("payrun: %s", what)
	for _, h := range e.Next {
		for _, line := range p.hintLines(h) {
			p.term.Errorf("  %s", ledger.Plain(line))
		}
	}
	return exit
}
