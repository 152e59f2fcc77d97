package cli

import (
	"cmp"
	"slices"
	"strings"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
)

// The exit codes. They are a contract: scripts and cron rely on them.
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

// exitMeaning is one row of the table of exit codes.
type exitMeaning struct {
	exit    int
	meaning string // as help shows it
	codes   []codeMeaning
}

// codeMeaning is one code of payrun.error/v1. Such codes separate failures with the same exit code.
type codeMeaning struct {
	code    app.Code
	meaning string
	do      string // the fix, for `payrun explain`
}

// exitTable is the whole table, in the order of exit codes. Each code is in it once.
var exitTable = [...]exitMeaning{
	{exitDone, "done, or nothing to do", nil},
	{exitFailed, "failed, other", []codeMeaning{
		{app.Failed, "something else went wrong; the message says what",
			"Read the message, correct what it names, and run the same command again. Nothing is sent twice."},
		{app.BudgetOver, "the night's budget was used up; the rest is left for the next night",
			"Nothing. The next night does the rest, or `payrun nightly` now."},
	}},
	{exitUsage, "wrong usage or configuration", []codeMeaning{
		{app.Usage, "the command line or payrun.toml is not understood, or names what is not there",
			"Correct what the message names. `payrun doctor --show-config` tells where each setting came from."},
		{app.EnvironmentDiffers, "the bank, or the ledger, is not of the environment that payrun.toml names; nothing was initiated",
			"Find out which is right before you go on. The message names the environment of the bank or the ledger; `payrun doctor --show-config` shows what is configured."},
	}},
	{exitCancelled, "cancelled at a prompt", []codeMeaning{
		{app.Cancelled, "a person said no, or gave no answer",
			"Run it again when you mean to. `payrun status` shows the state of everything."},
	}},
	{exitCredentials, "credentials missing or refused (401)", []codeMeaning{
		{app.Credentials, "a key is missing, or its file cannot be used",
			"Set PAYRUN_ACCESS_KEY and PAYRUN_SECRET_KEY, or the key files, as the message says. `payrun doctor` checks that they are found."},
		{app.CredentialsRefused, "the bank refused the keys (401)",
			"Get valid keys from the bank, set them, and run the same command again."},
	}},
	{exitUnanswered, "the bank could not be reached or gave no answer to a read; nothing was sent", []codeMeaning{
		{app.LookUnanswered, "a check before sending got no answer, so nothing was sent",
			"Run the same command again when the bank answers. Do not pay another way."},
		{app.BankUnanswered, "a status or list could not be read; nothing was to be sent",
			"Run the same command again when the bank answers."},
	}},
	{exitSheet, "the sheet has errors; nothing of it was loaded (or, with --skip-bad, rows were left out)", []codeMeaning{
		{app.SheetRefused, "nothing of the sheet was loaded",
			"Correct the rows in the sheet and run `payrun check SHEET` until none is left; `--skip-bad` loads it without them."},
		{app.SheetAlreadyLoaded, "the same sheet was loaded before; nothing was loaded again",
			"Nothing. `payrun status` shows its batches, and `payrun initiate --all` goes on. Load a correction with `--correct`."},
		{app.RowsLeftOut, "the sheet was loaded without its bad rows",
			"Correct the rows in NAME.rejected.xlsx (or .csv), next to your sheet, and load that."},
		{app.ArchiveChanged, "a file changed after nightly loaded it; the rows that were added are not loaded",
			"Take the file out of the archive, delete the rows that `payrun check` reports as used before, and put it into the inbox."},
		{app.StatementRefused, "a statement file could not be read whole, or is of another account; nothing of it was recorded",
			"Import the file as the bank gave it, for its own account. `payrun explain CODE` explains each finding."},
		{app.NotRetryable, "a payout that was named may not be retried; nothing was planned",
			"`payrun resolve REFERENCE` shows its locks, and `payrun status REFERENCE` its state."},
	}},
	{exitLocked, "another run holds the ledger", []codeMeaning{
		{app.LedgerLocked, "another run holds the ledger; the message names it",
			"Wait until it ends, and run the same command again."},
	}},
	{exitPerson, "waiting for a person (an OTP, a decision)", []codeMeaning{
		{app.NeedsPerson, "a person has to do or decide something; `attention` names it where a batch asks for it",
			"`payrun status` lists what waits for a person, each with its next command. A locked payout: `payrun resolve REFERENCE`."},
	}},
	{exitReturned, "some payouts failed or came back, or a batch was refused and is not dealt with", []codeMeaning{
		{app.PayoutsFailed, "payouts failed or came back, or a batch was refused; `attention` says which",
			"`payrun payouts --state failed,returned` lists them with the reason. `payrun retry` plans them again."},
	}},
	{exitOpen, "some payouts are still open at the bank", []codeMeaning{
		{app.PayoutsOpen, "some payouts are still open at the bank",
			"The bank is still working. `payrun poll --wait 10m`, or wait for the next night."},
	}},
	{exitUnknown, "outcome unknown: a request was sent and no answer was read; run `payrun poll`, never send again", []codeMeaning{
		{app.OutcomeUnknown, "a request was sent and its outcome is not known, or a release was refused",
			"`payrun poll`. Do not pay it another way. If the bank never shows it, two people release it: `payrun help recovery`."},
	}},
	{exitMismatch, "does not tie out: sheet, interface and statement differ", []codeMeaning{
		{app.Mismatch, "the bank or a statement shows something else than the ledger has; `attention` says what",
			"`payrun reconcile` and its reports list what differs, and `payrun status REF` shows one payout with its next command. Do not pay any of it another way."},
	}},
	{exitLedger, "the ledger is missing, damaged, read-only, a copy or in an unsafe place, or its disk is full; nothing was sent", []codeMeaning{
		{app.LedgerMissing, "there is no ledger",
			"Name it with `--ledger`. Run `payrun init` only if there never was one: a new ledger does not know what was paid."},
		{app.LedgerUnreachable, "the database server of the ledger does not answer",
			"Look whether it runs and can be reached from this machine. Then run the same command again."},
		{app.LedgerUnusable, "the ledger is damaged, read-only or of a newer payrun, its disk is full, or an export is not whole",
			"`payrun ledger verify` says what is wrong. Free the disk, use the newer payrun, or restore the newest backup."},
		{app.LedgerMoved, "the ledger was moved with `ledger export --move`, and goes on elsewhere",
			"Use the ledger that `payrun ledger import` made of the export. This one can still be read."},
		{app.LedgerRestored, "the ledger may not be the newest: a copy, an older one or another in its place",
			"Use the newest ledger. If this is the newest, follow the steps in `payrun help recovery`."},
		{app.LedgerNotDurable, "the database of the ledger may lose what it records: its settings, or no standby; or this machine keeps no mark of it",
			"Do what the message names, then run the same command again. `[ledger_url] durability` says what to expect of the server."},
		{app.LedgerTampered, "the ledger was changed by other means than payrun: a row differs from the audit trail",
			"Keep a copy of it for the investigation, and restore the newest backup."},
		{app.LedgerUnsafe, "the ledger's place is not safe: others may write it, a link, a second name, a network file system",
			"Move it to a local folder that no other user may write, as the message says."},
	}},
	{exitInterrupted, "interrupted; safe to run again", []codeMeaning{
		{app.Interrupted, "a signal ended the command; the call in progress was finished and recorded",
			"Run the same command again: it goes on from there."},
	}},
}

// exitOf returns the exit code of a command that ends with e, or without an error.
func exitOf(e *app.Error) int {
	if e == nil {
		return exitDone
	}
	m, known := ledger.First(exitTable[:], func(m exitMeaning) bool {
		return slices.ContainsFunc(m.codes, func(c codeMeaning) bool { return c.code == e.Code })
	})
	return either(known, m.exit, exitFailed)
}

// complain reports the error that ends a command and returns its exit code. With --json, or if the log is
// JSON, it writes one JSON line; otherwise the error line, then lines with the next steps.
func (p *program) complain(e *app.Error) int {
	exit := exitOf(e)
	what := either(e.Option.Name == "", "", ledger.Plain(e.Option.Flag())+": ") + ledger.Plain(e.What+didYouMean(e.Unknown, e.Choices))
	if p.term.JSON || p.flags.logFormat == "json" {
		for _, line := range p.plainHints(e.Next) {
			what = strings.TrimSuffix(what, ".") + "; " + line
		}
		_ = doc.Write(p.term.Err, "payrun.error/v1", doc.Error{Code: cmp.Or(e.BankCode, string(e.Code)), Message: what, Exit: exit, Attention: e.Attention})
		return exit
	}
	p.term.Errorf("payrun: %s", what)
	for _, line := range p.plainHints(e.Next) {
		p.term.Errorf("  %s", line)
	}
	return exit
}
