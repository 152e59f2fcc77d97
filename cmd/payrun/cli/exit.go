package cli

import (
	"cmp"
	"slices"
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

// exitMeaning is one row of the contract's table.
type exitMeaning struct {
	exit    int
	meaning string // the words of the help
	codes   []codeMeaning
}

// codeMeaning is one code of payrun.error/v1: what tells apart what shares a number.
type codeMeaning struct {
	code    app.Code
	meaning string
}

// exitTable is the whole table, in order. Each code is in it once.
var exitTable = [...]exitMeaning{
	{exitDone, "done, or nothing to do", nil},
	{exitFailed, "failed, other", []codeMeaning{
		{app.Failed, "something else went wrong; the message says what"},
		{app.BudgetOver, "not all of a night fitted into its budget; the rest is left for the next"},
	}},
	{exitUsage, "wrong usage or configuration", []codeMeaning{
		{app.Usage, "the command line or payrun.toml is not understood, or names what is not there"},
		{app.EnvironmentDiffers, "the bank, or the ledger, is not of the environment that payrun.toml names; nothing was initiated"},
	}},
	{exitCancelled, "cancelled at a prompt", []codeMeaning{
		{app.Cancelled, "a person said no, or gave no answer"},
	}},
	{exitCredentials, "credentials missing or refused (401)", []codeMeaning{
		{app.Credentials, "a key is missing, or its file cannot be used"},
		{app.CredentialsRefused, "the bank refused the keys (401)"},
	}},
	{exitUnanswered, "the bank could not be reached or gave no answer to a read; nothing was sent", []codeMeaning{
		{app.LookUnanswered, "something was not sent, because the bank did not say where it stands or was not reached"},
		{app.BankUnanswered, "nothing was to be sent, and no status or list could be read"},
	}},
	{exitSheet, "the sheet has errors; nothing of it was loaded (or, with --skip-bad, rows were left out)", []codeMeaning{
		{app.SheetRefused, "nothing of the sheet was loaded"},
		{app.SheetAlreadyLoaded, "the same sheet was loaded before; nothing was loaded again"},
		{app.RowsLeftOut, "the sheet was loaded without its bad rows"},
		{app.StatementRefused, "a statement file could not be read whole, or is of another account; nothing of it was recorded"},
		{app.NotRetryable, "a payout that was named may not be retried; nothing was planned"},
	}},
	{exitLocked, "another run holds the ledger", []codeMeaning{
		{app.LedgerLocked, "another run holds the ledger; the message names it"},
	}},
	{exitPerson, "waiting for a person (an OTP, a decision)", []codeMeaning{
		{app.NeedsPerson, "a person has to do or decide something; `attention` names it where a batch asks for it"},
	}},
	{exitReturned, "some payouts failed or came back, or a batch was refused and is not dealt with", []codeMeaning{
		{app.PayoutsFailed, "payouts failed or came back, or a batch was refused; `attention` says which"},
	}},
	{exitOpen, "some payouts are still open at the bank", []codeMeaning{
		{app.PayoutsOpen, "some payouts are still open at the bank"},
	}},
	{exitUnknown, "outcome unknown: a request was sent and no answer was read; run `payrun poll`, never send again", []codeMeaning{
		{app.OutcomeUnknown, "a request was sent, and what came of it is not known"},
	}},
	{exitMismatch, "does not tie out: sheet, interface and statement differ", []codeMeaning{
		{app.Mismatch, "the bank shows something else than the ledger has; `attention` says what"},
	}},
	{exitLedger, "the ledger is missing, damaged, read-only, a copy or in an unsafe place, or its disk is full; nothing was sent", []codeMeaning{
		{app.LedgerMissing, "there is no ledger"},
		{app.LedgerUnusable, "the ledger is damaged, read-only or of a newer payrun, or its disk is full"},
		{app.LedgerRestored, "the ledger may not be the newest: a copy, an older one or another in its place"},
		{app.LedgerTampered, "the ledger was changed by other means than payrun: a row is not what the audit trail tells"},
		{app.LedgerUnsafe, "where the ledger lies is not safe: others may write it, a link, a second name, a network file system"},
	}},
	{exitInterrupted, "interrupted; safe to run again", []codeMeaning{
		{app.Interrupted, "a signal ended the command; what was under way was finished and recorded"},
	}},
}

// exitOf is the switch from an error's code to an exit code, the only one.
func exitOf(code app.Code) int {
	for _, m := range exitTable {
		if slices.ContainsFunc(m.codes, func(c codeMeaning) bool { return c.code == code }) {
			return m.exit
		}
	}
	return exitFailed
}

// exitOfEnd is the exit code of a command that ends with the error, or with none.
func exitOfEnd(e *app.Error) int {
	if e == nil {
		return exitDone
	}
	return exitOf(e.Code)
}

// complain ends a command that did not go well: one JSON line with --json, or
// where the log is JSON, otherwise the error line and then the lines that say what to do.
func (p *program) complain(e *app.Error) int {
	exit := exitOf(e.Code)
	what := ledger.Plain(e.What + didYouMean(e.Word, e.Known))
	if e.Option.Name != "" {
		what = ledger.Plain(flagOf(e.Option)) + ": " + what
	}
	if p.term.JSON || p.flags.logFormat == "json" {
		for _, h := range e.Next {
			for _, line := range p.hintLines(h) {
				what = strings.TrimSuffix(what, ".") + "; " + ledger.Plain(line)
			}
		}
		_ = doc.Write(p.term.Err, doc.Error{Schema: "payrun.error/v1", Code: cmp.Or(e.BankCode, string(e.Code)), Message: what, Exit: exit, Attention: e.Attention})
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
