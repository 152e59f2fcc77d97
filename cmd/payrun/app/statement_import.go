package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"payrun/ingest"
	"payrun/ingest/statement"
	"payrun/ledger"
)

// StatementImport names a statement file of the bank, and says how to read it.
type StatementImport struct {
	Path    string
	Account string // the debit account of the statement, by name or id
	StatementOptions
	Sure bool // a person confirms that it belongs to that account, although nothing in it says so
}

// StatementOptions say how to read a statement file. ImportStatement itself sets Limits, Today and Ours.
type StatementOptions = statement.Options

// StatementFormats lists the formats of a statement file.
func StatementFormats() []string { return statement.Formats() }

// ImportedStatement is a statement file as it was read, and the result of recording it.
type ImportedStatement struct {
	statement.File
	Account         ledger.DebitAccount
	Debits, Credits ledger.Tally
	ledger.StatementCounts
}

// ImportStatement reads a statement file of a debit account and records it, completely or not at all. It does
// not ask the bank. If the file is refused, it returns the error and the findings. It returns
// *NeedsConfirmation if nothing shows that the file belongs to the account.
func (a *App) ImportStatement(ctx context.Context, call Call, r StatementImport) (got ImportedStatement, err error) {
	id, err := a.account(r.Account)
	if err != nil {
		return got, err
	}
	account, configured := a.set.Account(id)
	if !configured {
		return got, Fail(Usage, "--account %s: a statement belongs to a debit account in payrun.toml", ledger.Plain(r.Account)).Then(Do("accounts", "list").Which("lists those of the bank"))
	}
	got.Account = account
	if err := given(r.Path); err != nil {
		return got, err
	}
	err = a.write(ctx, call, func(o *operation) error {
		number, err := o.numberOf(ctx, account)
		if err != nil {
			return err
		}
		r.Limits = ingest.Limits{Rows: int(o.set.Limits.SheetRows), Columns: int(o.set.Limits.SheetColumns)}
		r.Today = ledger.BankDay(o.env.Now())
		r.Ours = func(shown string) bool { // both may be masked
			return number == "" || ledger.MayBeAccount(number, shown) || ledger.MayBeAccount(shown, number)
		}
		if got.File, err = statement.Read(r.Path, r.StatementOptions); err != nil {
			return badOption(r.Path, err)
		}
		if got.Refused() {
			return Fail(StatementRefused, "%s is refused; nothing was recorded", ledger.Plain(got.Name)).
				Then(Say("each finding says what is wrong and what to do"))
		}
		if why := unnamed(&got.File, account, number); why != "" && !r.Sure {
			return &NeedsConfirmation{Unnamed: why}
		}
		for _, e := range got.Entries {
			side := &got.Credits
			if e.Debit {
				side = &got.Debits
			}
			side.Add(e.Amount)
		}
		got.StatementCounts, err = o.store.RecordStatement(ctx, got.reading(o.env.Now(), o.call.Actor))
		if join, ok := errors.AsType[*ledger.JoinError](err); ok {
			return Fail(StatementRefused, "%v", join).Because(err).
				Then(Say("import a file that starts at the beginning of the day, or where the last one ended; payrun statement list shows what is recorded"))
		}
		return err
	})
	return got, err
}

// numberOf returns what is known of a debit account's number: the one in payrun.toml, else
// its end as the bank last listed it. "" if neither is known.
func (o *operation) numberOf(ctx context.Context, account ledger.DebitAccount) (string, error) {
	if account.AccountNumber != "" {
		return account.AccountNumber, nil
	}
	lists, err := o.store.BankLists(ctx)
	if err != nil {
		return "", err
	}
	listed, _, _, _ := lists.Account(account.BankAccountID)
	if !ledger.MayBeAccount(listed.AccountNumber, listed.AccountNumber) { // too few digits are shown
		return "", nil
	}
	return listed.AccountNumber, nil
}

// unnamed says why nothing shows that a file belongs to the account; "" if its number does.
func unnamed(f *statement.File, account ledger.DebitAccount, number string) string {
	name := ledger.Plain(account.Name)
	switch {
	case f.Account == "":
		return ledger.Plain(f.Name) + " shows no account number, and may or may not be a statement of " + name
	case number == "":
		return ledger.Plain(f.Name) + " is of the account ending " + f.Account[len(f.Account)-4:] + ", and nothing tells the number of " + name +
			": payrun.toml has no account_number for it, and the bank has not listed it yet"
	}
	return ""
}

// reading returns what is recorded of the file.
func (s *ImportedStatement) reading(at time.Time, actor string) ledger.StatementRead {
	return ledger.StatementRead{
		BankAccountID: s.Account.BankAccountID, Source: ledger.FromFile, Shape: ledger.ShapeEntries,
		FileName: s.Name, FileSHA256: s.SHA256, FileFormat: s.Format,
		From: s.From, To: s.To, Period: s.Period, Opening: &s.Opening, Closing: &s.Closing,
		At: at, Actor: actor, Entries: s.Entries,
	}
}

// StatementToConfirm is a decision about a statement, with the lines it concerns. Both people see the same.
type StatementToConfirm struct {
	What  string
	Lines []ledger.KeptLine
}

// Readings returns the recorded readings of an account, given by its name or id (all if ""), oldest first.
func (a *App) Readings(ctx context.Context, call Call, account string) (list []ledger.KeptStatement, err error) {
	if account, err = a.accountIfAny(account); err != nil {
		return nil, err
	}
	return reading(ctx, a, call, func(o *operation) ([]ledger.KeptStatement, error) { return o.store.Statements(ctx, account) })
}

// VoidReading declares a file void. The first person's decision waits for another person's: then the
// error is NeedsPerson. It returns *NeedsConfirmation if sure is false.
func (a *App) VoidReading(ctx context.Context, call Call, name, reason string, sure bool) (d ledger.StatementDecision, err error) {
	no, ok := ledger.ParseReadingName(name)
	if !ok {
		return d, Fail(Usage, "%q is not a reading; they are named R1, R2, …", ledger.Plain(name)).Then(Do("statement", "list").Which("lists them"))
	}
	return a.decideStatement(ctx, call, ledger.StatementDecision{Ask: !sure, Reading: no, Reason: reason})
}

// ExplainEntries assigns lines to the payout with a reference, or to no payout of payrun if ref is "". It
// returns the same errors as VoidReading.
func (a *App) ExplainEntries(ctx context.Context, call Call, names []string, ref, reason string, sure bool) (d ledger.StatementDecision, err error) {
	r := ledger.StatementDecision{Ask: !sure, Ref: ref, Reason: reason}
	for _, name := range names {
		e, ok := ledger.ParseEntryRef(name)
		if !ok {
			return d, Fail(Usage, "%q is not a line of a statement; they are named like R3.17", ledger.Plain(name))
		}
		r.Entries = append(r.Entries, e)
	}
	return a.decideStatement(ctx, call, r)
}

func (a *App) decideStatement(ctx context.Context, call Call, r ledger.StatementDecision) (d ledger.StatementDecision, err error) {
	err = a.decide(ctx, call, trusted, func(o *operation) error {
		r.Actor, r.At = o.call.Actor, o.env.Now()
		said, err := o.store.DecideStatement(ctx, r)
		if err == nil && r.Ask {
			return o.statementToConfirm(ctx, r)
		}
		d = said
		if err == nil && d.First == 0 {
			return Fail(NeedsPerson, "recorded; it takes effect when another person says the same, until %s", a.set.Moment(d.Until()))
		}
		return err
	})
	return d, err
}

// statementToConfirm returns *NeedsConfirmation with what a person decides.
func (o *operation) statementToConfirm(ctx context.Context, r ledger.StatementDecision) error {
	if r.Reading != 0 {
		all, err := o.store.Statements(ctx, "")
		if err != nil {
			return err
		}
		k := all[r.Reading-1]
		return &NeedsConfirmation{Statement: &StatementToConfirm{What: fmt.Sprintf("%s, the file %s of %s with %s from %s to %s, is void",
			ledger.ReadingName(r.Reading), ledger.Plain(k.FileName), ledger.Plain(o.set.AccountName(k.BankAccountID)), ledger.Counted(k.Lines, "entry", "entries"), k.From, k.To)}}
	}
	lines, err := o.store.LinesAt(ctx, r.Entries)
	if err != nil {
		return err
	}
	whose := "no payout of payrun"
	if r.Ref != "" {
		whose = "of payout " + ledger.Plain(r.Ref)
	}
	return &NeedsConfirmation{Statement: &StatementToConfirm{What: strings.Join(ledger.ListOf(r.Entries, ledger.EntryRef.String), ", ") + ": " + whose, Lines: lines}}
}
