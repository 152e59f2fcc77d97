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
	do      string // what to do then, for `payrun explain`
}

// exitTable is the whole table, in order. Each code is in it once.
var exitTable = [...]exitMeaning{
	{exitDone, "done, or nothing to do", nil},
	{exitFailed, "failed, other", []codeMeaning{
		{app.Failed, "something else went wrong; the message says what",
			"Read the message, mend what it names, and run the same command again: nothing is sent a second time."},
		{app.BudgetOver, "not all of a night fitted into its budget; the rest is left for the next",
			"Nothing: the next night goes on with the rest, and `payrun nightly` does so at once."},
	}},
	{exitUsage, "wrong usage or configuration", []codeMeaning{
		{app.Usage, "the command line or payrun.toml is not understood, or names what is not there",
			"Correct what the message names. `payrun doctor --show-config` tells where each setting came from."},
		{app.EnvironmentDiffers, "the bank, or the ledger, is not of the environment that payrun.toml names; nothing was initiated",
			"Do not go on before you know which is right: the message says what the bank or the ledger is of, and `payrun doctor --show-config` what is configured."},
	}},
	{exitCancelled, "cancelled at a prompt", []codeMeaning{
		{app.Cancelled, "a person said no, or gave no answer",
			"Run it again when you mean to. `payrun status` tells how everything stands."},
	}},
	{exitCredentials, "credentials missing or refused (401)", []codeMeaning{
		{app.Credentials, "a key is missing, or its file cannot be used",
			"Set PAYRUN_ACCESS_KEY and PAYRUN_SECRET_KEY, or the files of the keys, as the message says; `payrun doctor` looks whether they are found."},
		{app.CredentialsRefused, "the bank refused the keys (401)",
			"Get keys that are in force from the bank, set them, and run the same command again."},
	}},
	{exitUnanswered, "the bank could not be reached or gave no answer to a read; nothing was sent", []codeMeaning{
		{app.LookUnanswered, "something was not sent, because the bank did not say where it stands or was not reached",
			"Run the same command again when the bank answers. Do not pay by another way meanwhile."},
		{app.BankUnanswered, "nothing was to be sent, and no status or list could be read",
			"Run the same command again when the bank answers. What was on its way goes on there."},
	}},
	{exitSheet, "the sheet has errors; nothing of it was loaded (or, with --skip-bad, rows were left out)", []codeMeaning{
		{app.SheetRefused, "nothing of the sheet was loaded",
			"Correct the rows in the sheet and run `payrun check SHEET` until none is left; `--skip-bad` loads it without them."},
		{app.SheetAlreadyLoaded, "the same sheet was loaded before; nothing was loaded again",
			"Nothing: `payrun status` tells how its batches stand, and `payrun initiate --all` goes on. A correction is loaded with `--correct`."},
		{app.RowsLeftOut, "the sheet was loaded without its bad rows",
			"Correct the rows in the sheet of what was left out, which lies beside yours, and load that."},
		{app.StatementRefused, "a statement file could not be read whole, or is of another account; nothing of it was recorded",
			"Take the file as the bank gave it, and the account that it is of."},
		{app.NotRetryable, "a payout that was named may not be retried; nothing was planned",
			"`payrun status REFERENCE` tells how it stands, and why it may not be planned again."},
	}},
	{exitLocked, "another run holds the ledger", []codeMeaning{
		{app.LedgerLocked, "another run holds the ledger; the message names it",
			"Wait until it ends, and run the same command again."},
	}},
	{exitPerson, "waiting for a person (an OTP, a decision)", []codeMeaning{
		{app.NeedsPerson, "a person has to do or decide something; `attention` names it where a batch asks for it",
			"`payrun status` lists what waits for somebody, each with the command that is next."},
	}},
	{exitReturned, "some payouts failed or came back, or a batch was refused and is not dealt with", []codeMeaning{
		{app.PayoutsFailed, "payouts failed or came back, or a batch was refused; `attention` says which",
			"`payrun payouts --state failed` and `--state returned` list them with the reason; `payrun retry` plans again what surely was not paid."},
	}},
	{exitOpen, "some payouts are still open at the bank", []codeMeaning{
		{app.PayoutsOpen, "some payouts are still open at the bank",
			"`payrun poll --wait 10m`, or the next night: the bank is still at work."},
	}},
	{exitUnknown, "outcome unknown: a request was sent and no answer was read; run `payrun poll`, never send again", []codeMeaning{
		{app.OutcomeUnknown, "a request was sent, and what came of it is not known",
			"`payrun poll`. Do not pay it by another way before the bank, or its statement, has shown what came of it."},
	}},
	{exitMismatch, "does not tie out: sheet, interface and statement differ", []codeMeaning{
		{app.Mismatch, "the bank shows something else than the ledger has; `attention` says what",
			"`payrun status` lists what differs, each with what comes next. Do not pay any of it by another way before."},
	}},
	{exitLedger, "the ledger is missing, damaged, read-only, a copy or in an unsafe place, or its disk is full; nothing was sent", []codeMeaning{
		{app.LedgerMissing, "there is no ledger",
			"Say with `--ledger` where it is. Only where there never was one `payrun init` makes it: a new one knows nothing of what was paid."},
		{app.LedgerUnusable, "the ledger is damaged, read-only or of a newer payrun, or its disk is full",
			"`payrun ledger verify` tells what is wrong. Free the disk, use the newer payrun, or restore the newest backup."},
		{app.LedgerRestored, "the ledger may not be the newest: a copy, an older one or another in its place",
			"Use the newest ledger. Where this is the newest there is, hold the bank's batches and statement against it first; `payrun help ledger verify` tells how it is then accepted."},
		{app.LedgerTampered, "the ledger was changed by other means than payrun: a row is not what the audit trail tells",
			"Touch nothing, keep a copy for whoever looks into it, and restore the newest backup."},
		{app.LedgerUnsafe, "where the ledger lies is not safe: others may write it, a link, a second name, a network file system",
			"Move it to a folder of this machine into which nobody else may write, as the message says."},
	}},
	{exitInterrupted, "interrupted; safe to run again", []codeMeaning{
		{app.Interrupted, "a signal ended the command; what was under way was finished and recorded",
			"Run the same command again: it goes on where it was."},
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
