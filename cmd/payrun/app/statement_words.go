package app

import (
	"context"
	"fmt"
	"strings"

	"payrun/ledger"
)

// StatementToConfirm is what a person says of a statement, with the lines it is about:
// both people see the same.
type StatementToConfirm struct {
	What  string
	Lines []ledger.KeptLine
}

// Readings returns the readings on record of an account, by its name or id, or with "" of
// all, oldest first.
func (a *App) Readings(ctx context.Context, call Call, account string) (list []ledger.KeptStatement, err error) {
	if account != "" {
		if account, err = a.account(account); err != nil {
			return nil, err
		}
	}
	return look(ctx, a, call, func(o *operation) ([]ledger.KeptStatement, error) { return o.store.Statements(ctx, account) })
}

// VoidReading declares a file void. A first person's decision waits for another person's: then the
// error is NeedsPerson. It returns *NeedsConfirmation if it was not confirmed.
func (a *App) VoidReading(ctx context.Context, call Call, name, reason string, sure bool) (d ledger.StatementDecision, err error) {
	no, ok := ledger.ParseReadingName(name)
	if !ok {
		return d, Fail(Usage, "%q is no reading; they are named R1, R2, …", ledger.Plain(name)).Then(Do("statement", "list").Which("lists them"))
	}
	err = a.decide(ctx, call, trusted, func(o *operation) error {
		said, err := o.store.VoidStatement(ctx, ledger.VoidRequest{Ask: !sure, Reading: no, Reason: reason, Actor: o.call.Actor, At: o.env.Now()})
		if err == nil && !sure {
			return o.confirmVoid(ctx, no)
		}
		d = said
		return a.waitsForAnother(d, err)
	})
	return d, err
}

func (o *operation) confirmVoid(ctx context.Context, no int64) error {
	all, err := o.store.Statements(ctx, "")
	if err != nil {
		return err
	}
	k := all[no-1]
	return &NeedsConfirmation{Statement: &StatementToConfirm{What: fmt.Sprintf("%s, the file %s of %s with %s from %s to %s, is void",
		ledger.ReadingName(no), ledger.Plain(k.File.Name), ledger.Plain(o.set.AccountName(k.BankAccountID)), ledger.Counted(k.Lines, "entry", "entries"), k.From, k.To)}}
}

// ExplainEntries assigns lines to the payout of a reference, or with "" to no payout of payrun. The
// errors are those of VoidReading.
func (a *App) ExplainEntries(ctx context.Context, call Call, names []string, ref, reason string, sure bool) (d ledger.StatementDecision, err error) {
	r := ledger.ExplainRequest{Ask: !sure, Ref: ref, Reason: reason}
	for _, name := range names {
		e, ok := ledger.ParseEntryRef(name)
		if !ok {
			return d, Fail(Usage, "%q is no line of a statement; they are named as R3.17", ledger.Plain(name))
		}
		r.Entries = append(r.Entries, e)
	}
	err = a.decide(ctx, call, trusted, func(o *operation) error {
		r.Actor, r.At = o.call.Actor, o.env.Now()
		said, err := o.store.ExplainEntries(ctx, r)
		if err == nil && !sure {
			return o.confirmExplain(ctx, r)
		}
		d = said
		return a.waitsForAnother(d, err)
	})
	return d, err
}

func (o *operation) confirmExplain(ctx context.Context, r ledger.ExplainRequest) error {
	lines, err := o.store.LinesAt(ctx, r.Entries)
	if err != nil {
		return err
	}
	whose := "no payout of payrun"
	if r.Ref != "" {
		whose = "of payout " + ledger.Plain(r.Ref)
	}
	names := make([]string, len(r.Entries))
	for i, e := range r.Entries {
		names[i] = e.String()
	}
	return &NeedsConfirmation{Statement: &StatementToConfirm{What: strings.Join(names, ", ") + ": " + whose, Lines: lines}}
}

// waitsForAnother is the error of a first word.
func (a *App) waitsForAnother(d ledger.StatementDecision, err error) error {
	if err != nil || d.First != 0 {
		return err
	}
	return Fail(NeedsPerson, "recorded; it holds once another person has said the same, until %s", a.set.Moment(d.Until()))
}
