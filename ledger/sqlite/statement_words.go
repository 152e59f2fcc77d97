package sqlite

import (
	"cmp"
	"context"
	"fmt"

	"payrun/ledger"
	"payrun/ledger/reconcile"
)

// DecideStatement records one person's decision that a file is void, or whose lines are: a payout's or no
// one's. It takes effect once another person has decided the same; then the account is matched again. If the
// decision is not possible, it records nothing and returns a *ledger.PeopleError.
func (s *Tables) DecideStatement(ctx context.Context, r ledger.StatementDecision) (d ledger.StatementDecision, err error) {
	doing := "explain lines of a statement"
	if r.Reading != 0 {
		doing = "declare " + ledger.ReadingName(r.Reading) + " void"
	}
	err = s.inTx(ctx, doing, func(tx Writer) (err error) {
		var account, day string
		var payout int64
		if r.Reading != 0 {
			account, day, err = voidable(ctx, tx, r.Reading)
		} else if payout, err = explainedBy(ctx, tx, r.Ref); err == nil {
			account, day, err = explainable(ctx, tx, r.Entries)
			err = cmp.Or(err, attempted(ctx, tx, payout, account, r))
		}
		if err != nil {
			return err
		}
		d, err = s.recordWord(ctx, tx, r, payout, account, day)
		return err
	})
	return d, err
}

// voidable returns the account of a file that may be declared void, and its first day.
func voidable(ctx context.Context, tx Writer, no int64) (account, day string, err error) {
	all, err := readingsOf(ctx, tx, "", "")
	if err != nil {
		return "", "", err
	}
	name := ledger.ReadingName(no)
	if no < 1 || no > int64(len(all)) {
		return "", "", ledger.NoStatementWord("there is no reading %s", name)
	}
	k := all[no-1]
	switch {
	case k.Source == ledger.FromInterface:
		return "", "", ledger.NoStatementWord("%s is the bank's own statement, which is never void", name)
	case !k.Void.IsZero():
		return "", "", ledger.NoStatementWord("%s is void already", name)
	}
	lines, err := linesOf(ctx, tx, `account = ?1 AND (reading = ?2 OR EXISTS (SELECT 1 FROM statement_same s WHERE s.reading = ?2 AND s.day = statement_lines.day AND s.held_by = statement_lines.reading))`, k.BankAccountID, no)
	if err != nil {
		return "", "", err
	}
	return k.BankAccountID, k.From, unnamed(ctx, tx, k.BankAccountID, lines, "so "+name+" stays on record")
}

// unnamed refuses if a debit carries one of our references or UTRs of the account.
func unnamed(ctx context.Context, tx Writer, account string, lines []ledger.KeptLine, so string) error {
	counted := ledger.CountedLines{Lines: lines}
	payouts, err := payoutsNamed(ctx, tx, account, &counted, forever, forever)
	if err != nil {
		return err
	}
	attempts, err := matchable(ctx, tx, account, payouts)
	if err != nil {
		return err
	}
	if l, ok := reconcile.NamedDebit(attempts, lines); ok {
		return ledger.NoStatementWord("the debit %s of %s carries one of our references or UTRs, %s", l.Ref, l.Amount, so)
	}
	return nil
}

// explainedBy returns the payout of a reference, or 0 for "".
func explainedBy(ctx context.Context, tx Writer, ref string) (id int64, err error) {
	if ref == "" {
		return 0, nil
	}
	err = tx.QueryRow(ctx, `SELECT p.id FROM wire_keys k JOIN payouts p ON p.id = k.payout_id WHERE k.key = ? OR p.ref = ?`, asciiLower(ref), ref).Scan(&id)
	if err != nil {
		return 0, fmt.Errorf("payout %q: %w", ref, orNotFound(err))
	}
	return id, nil
}

// attempted refuses to give lines of an account to a payout (0: none) without an attempt from it: matching would not
// lock that payout, and the lines would lock no other.
func attempted(ctx context.Context, tx Writer, payout int64, account string, r ledger.StatementDecision) error {
	attempts, err := matchable(ctx, tx, account, []int64{payout})
	if err == nil && payout != 0 && len(attempts) == 0 {
		return ledger.NoStatementWord("no attempt of %s is from the debit account of %s, so the line cannot lock it: the payout can still be retried", r.Ref, r.Entries[0])
	}
	return err
}

// explainable returns the account of lines that may be explained, and the first of their days.
func explainable(ctx context.Context, tx Writer, entries []ledger.EntryRef) (account, day string, err error) {
	if len(entries) == 0 {
		return "", "", ledger.NoStatementWord("no line of a statement is named")
	}
	if err := refresh(ctx, tx); err != nil {
		return "", "", err
	}
	var lines []ledger.KeptLine
	for _, e := range entries {
		list, err := linesOf(ctx, tx, `reading = ? AND line = ?`, e.Reading, e.Line)
		if err != nil {
			return "", "", err
		}
		if len(list) == 0 || e.Part > len(list[0].Details) {
			return "", "", ledger.NoStatementWord("there is no line %s on record", e)
		}
		l := list[0]
		if account != "" && l.BankAccountID != account {
			return "", "", ledger.NoStatementWord("%s is of another account than %s", e, entries[0])
		}
		var shown bool
		err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM statement_open WHERE account = ?1 AND day = ?2 AND reading = ?3 AND line = ?4 AND part = ?5)
			OR EXISTS (SELECT 1 FROM statement_matches WHERE account = ?1 AND day = ?2 AND reading = ?3 AND line = ?4 AND part = ?5)`,
			l.BankAccountID, l.Day, e.Reading, e.Line, e.Part).Scan(&shown)
		if err != nil {
			return "", "", err
		}
		if !shown {
			return "", "", ledger.NoStatementWord("%s does not count: a newer reading says what is on %s", e, l.Day)
		}
		account = l.BankAccountID
		if day == "" || l.Day < day {
			day = l.Day
		}
		lines = append(lines, l)
	}
	return account, day, unnamed(ctx, tx, account, lines, "so it cannot be explained away")
}

// recordWord records a decision with its event, unless r only asks. If another person decided the same before,
// it takes effect and the account is matched again.
func (s *Tables) recordWord(ctx context.Context, tx Writer, r ledger.StatementDecision, payout int64, account, day string) (ledger.StatementDecision, error) {
	d := r.Of(payout)
	before, err := statementWords(ctx, tx, `true`)
	if err != nil {
		return d, err
	}
	people, _, err := trailsOf(ctx, tx)
	if err != nil {
		return d, err
	}
	if d.First, err = d.Second(before, people); err != nil || r.Ask {
		return d, err
	}
	d.No = int64(len(before)) + 1
	if err := decisions.insert(ctx, tx, &d, ""); err != nil {
		return d, err
	}
	if err := s.appendEvent(ctx, tx, d.Event()); err != nil || d.First == 0 {
		return d, err
	}
	if err := markStale(ctx, tx, account, day); err != nil {
		return d, err
	}
	return d, refresh(ctx, tx)
}

// decisions are what people decided about statements.
var decisions = table[ledger.StatementDecision]{"statement_words", "no, word, reading, entries, payout_id, ref, reason, actor, at, first", func(d *ledger.StatementDecision) []any {
	return []any{&d.No, &d.Kind, nullable{&d.Reading}, jsonList[ledger.EntryRef]{&d.Entries, "[]"}, nullable{&d.PayoutID}, &d.Ref, &d.Reason, &d.Actor, moment{&d.At}, nullable{&d.First}}
}}

// statementWords returns what people decided about statements, oldest first.
func statementWords(ctx context.Context, r Reader, where string, args ...any) ([]ledger.StatementDecision, error) {
	return list(ctx, r, decisions.fields, `SELECT `+decisions.of("w")+` FROM statement_words w WHERE `+where+` ORDER BY w.no`, args...)
}
