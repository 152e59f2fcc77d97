package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
	"payrun/ledger/reconcile"
)

// Matches are rows that are derived from readings, decisions of people, and attempts. A reading or a decision
// updates them in its own transaction. A change by a status or a sheet only marks the account stale from a day,
// and the next reader updates the matches: so ten thousand statuses are matched once.

// markStale marks the matches of an account as out of date from a day on. If the account has no statement,
// there is nothing to match.
func markStale(ctx context.Context, tx Writer, account, day string) error {
	_, err := tx.Exec(ctx, `INSERT INTO statement_stale (account, day) SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM statement_readings WHERE account = ?1)
		ON CONFLICT (account) DO UPDATE SET day = min(statement_stale.day, excluded.day)`, account, day)
	return err
}

// markPlanned marks an account stale for attempts planned at a moment: a line may already carry their
// references.
func markPlanned(ctx context.Context, tx Writer, account string, at time.Time) error {
	day := ledger.BankDay(at)
	forgot, err := forgottenSince(ctx, tx)
	if forgot != "" {
		day = min(day, forgot)
	}
	return errors.Join(err, markStale(ctx, tx, account, reconcile.NamedFrom(day)))
}

// markMoved marks the account of a batch stale after a step that changed attempts or intends a submit.
func markMoved(ctx context.Context, tx Writer, b batchRow, c ledger.Change) error {
	if len(c.Attempts) == 0 && (c.Begins == nil || c.Begins.Kind != ledger.CallSubmit) {
		return nil
	}
	batches, err := submitted(ctx, tx, `b.no = ?`, b.no)
	if err != nil {
		return err
	}
	first := batches[b.no].First
	var seen bool // the bank saw it before this ledger submitted it
	if c.Begins != nil {
		err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM attempts WHERE batch_no = ? AND bank_txn_ref_id IS NOT NULL)`, b.no).Scan(&seen)
	}
	if err != nil || first == "" || seen {
		return errors.Join(err, markPlanned(ctx, tx, b.BankAccountID, b.CreatedAt))
	}
	first = min(first, ledger.BankDay(c.Event.At)) // see matchable: our clock may have been ahead
	return markStale(ctx, tx, b.BankAccountID, ledger.DayPlus(first, -1))
}

// refresh brings every stale account up to date.
func refresh(ctx context.Context, tx Writer) error {
	stale, err := staleOf(ctx, tx)
	if err != nil {
		return err
	}
	for _, account := range slices.Sorted(maps.Keys(stale)) {
		fresh, err := matchedFrom(ctx, tx, account, stale[account])
		if err != nil {
			return err
		}
		if err := fresh.write(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

// staleOf returns, by account, the day from which it is out of date.
func staleOf(ctx context.Context, r Reader) (map[string]string, error) {
	return pairs[string, string](ctx, r, `SELECT account, day FROM statement_stale`)
}

// matched is a fresh result of matching some days of an account, both included.
type matched struct {
	account, from, to string
	reconcile.Matching
	attempts map[ledger.AttemptKey]*reconcile.Attempt
}

// forever is after every day.
const forever = "9999-12-30"

// matchedFrom matches an account from the first day that a change of a day may affect. If a line gives a debit
// to a payout of an earlier day, or takes it away, matching begins at that day.
func matchedFrom(ctx context.Context, r Reader, account, day string) (*matched, error) {
	for from := ledger.DayPlus(day, -reconcile.Reach); ; {
		m, err := match(ctx, r, account, from, forever)
		if err != nil {
			return nil, err
		}
		earlier, err := m.earlier(ctx, r)
		if err != nil || earlier == "" {
			return m, err
		}
		from = earlier
	}
}

// earlier returns the day from which to match, because lines name other payouts than the rows do. It returns ""
// if only these days change.
func (m *matched) earlier(ctx context.Context, r Reader) (string, error) {
	kept, err := matchesOf(ctx, r, `account = ? AND day >= ?`, m.account, m.from)
	if err != nil {
		return "", err
	}
	type said struct {
		of           ledger.AttemptKey
		debit, named bool
		share        ledger.Paise
	}
	more := map[said]int{} // more than the rows have
	note := func(rows []reconcile.Match, n int) {
		for _, x := range rows {
			named := x.Why == reconcile.Named || x.Why == reconcile.NamesMany
			if byName := x.By == ledger.MatchedByUTR || x.By == ledger.MatchedByReference || x.By == ledger.MatchedByPeople; byName && (named || x.Share > 0) {
				more[said{x.Of, x.Debit, named, x.Share}] += n
			}
		}
	}
	note(m.Matches, 1)
	note(kept, -1)
	changed := map[ledger.AttemptKey]bool{}
	var payouts, gone []int64
	for of, n := range more {
		if n == 0 || changed[of.of] {
			continue
		}
		changed[of.of], payouts = true, append(payouts, of.of.PayoutID)
		if m.attempts[of.of] == nil {
			gone = append(gone, of.of.PayoutID)
		}
	}
	others, err := matchable(ctx, r, m.account, gone)
	if err != nil {
		return "", err
	}
	for i := range others {
		m.attempts[others[i].AttemptKey] = &others[i]
	}
	first := m.from
	for of := range changed {
		if a := m.attempts[of]; a != nil {
			for _, day := range []string{a.Last, a.Back} {
				if from := ledger.DayPlus(day, -reconcile.Reach); from != "" {
					first = min(first, from)
				}
			}
		}
	}
	// If debits add up to more than the amount, each could belong to another payout.
	err = r.QueryRow(ctx, `SELECT min(?1, ifnull(min(day), ?1)) FROM statement_matches WHERE account = ?2 AND payout_id IN (SELECT value FROM json_each(?3))`,
		first, m.account, inList(payouts)).Scan(&first)
	if err != nil || first == m.from {
		return "", err
	}
	return first, nil
}

// match matches the lines of some days, with everything that affects them.
func match(ctx context.Context, r Reader, account, from, to string) (*matched, error) {
	m := &matched{account: account, from: from, to: to, attempts: map[ledger.AttemptKey]*reconcile.Attempt{}}
	start, end := ledger.DayPlus(from, -reconcile.Reach), to
	if to != forever {
		end = ledger.DayPlus(to, reconcile.Reach)
	}
	counted, err := countedIn(ctx, r, account, start, end)
	if err != nil {
		return nil, err
	}
	in := reconcile.Input{Counted: counted}
	if in.Explained, err = explainedOf(ctx, r, account); err != nil {
		return nil, err
	}
	payouts, err := payoutsNamed(ctx, r, account, &counted, ledger.DayPlus(start, -1), end)
	if err != nil {
		return nil, err
	}
	for _, e := range in.Explained {
		if e.PayoutID != 0 {
			payouts = append(payouts, e.PayoutID)
		}
	}
	if in.Attempts, err = matchable(ctx, r, account, payouts); err != nil {
		return nil, err
	}
	for i := range in.Attempts {
		m.attempts[in.Attempts[i].AttemptKey] = &in.Attempts[i]
	}
	if err := m.held(ctx, r, payouts, &counted, start, end); err != nil {
		return nil, err
	}
	m.Matching = reconcile.Find(in)
	outside := func(day string) bool { return day < from || day > to }
	m.Matches = slices.DeleteFunc(m.Matches, func(x reconcile.Match) bool { return outside(x.Day) })
	m.Open = slices.DeleteFunc(m.Open, func(x reconcile.Open) bool { return outside(x.Day) })
	m.Breaks = slices.DeleteFunc(slices.Clone(m.Breaks), func(x ledger.BalanceBreak) bool { return outside(x.To) })
	return m, nil
}

// held adds to the attempts the rows of other days that name them.
func (m *matched) held(ctx context.Context, r Reader, payouts []int64, counted *ledger.CountedLines, start, end string) error {
	if len(counted.Lines) > 0 {
		start = min(start, counted.Lines[0].Day)
	}
	kept, err := matchesOf(ctx, r, `payout_id IN (SELECT value FROM json_each(?)) AND account || '' = ? AND (day || '' < ? OR day || '' > ?) AND matched_by IN ('utr', 'reference', 'explained')`,
		inList(payouts), m.account, start, end)
	for _, x := range kept {
		if a := m.attempts[x.Of]; a != nil {
			a.Held = append(a.Held, x)
		}
	}
	return err
}

// countedIn returns the lines that count for some days. The balances continue from the last such line before
// them, so it reads from there.
func countedIn(ctx context.Context, r Reader, account, start, end string) (c ledger.CountedLines, err error) {
	readings, err := readingsOf(ctx, r, account, "")
	if err != nil {
		return c, err
	}
	for first := start; ; {
		var before sql.NullString
		if err := r.QueryRow(ctx, `SELECT max(day) FROM statement_lines WHERE account = ? AND day < ?`, account, first).Scan(&before); err != nil {
			return c, err
		}
		if before.Valid {
			first = before.String
		}
		from, to := first, end // and beyond: the balances show whether a line was dated again
		err = r.QueryRow(ctx, `SELECT min(?2, ifnull(min(o.day), ?2)), max(?3, ifnull(max(o.day), ?3)) FROM statement_lines l JOIN statement_lines o INDEXED BY statement_lines_by_id
			ON o.account = l.account AND o.transaction_id = l.transaction_id AND o.debit = l.debit AND o.amount = l.amount AND o.remarks = l.remarks
			WHERE l.account = ?1 AND l.day BETWEEN ?2 AND ?3 AND l.transaction_id <> '' AND o.transaction_id <> ''`, account, first, end).Scan(&from, &to)
		if err != nil {
			return c, err
		}
		lines, err := linesOf(ctx, r, `account = ?1 AND day BETWEEN ?2 AND ?3`, account, from, to)
		if err != nil {
			return c, err
		}
		c = ledger.WhatCounts(readings, lines)
		if !before.Valid || slices.ContainsFunc(c.Lines, func(l ledger.KeptLine) bool { return l.Day < start }) {
			break
		}
	}
	outside := func(l ledger.KeptLine) bool { return l.Day < start || l.Day > end }
	c.Lines = slices.DeleteFunc(c.Lines, outside)
	c.OnlyInFile, c.Withdrawn = slices.DeleteFunc(c.OnlyInFile, outside), slices.DeleteFunc(c.Withdrawn, outside)
	c.Breaks = slices.DeleteFunc(c.Breaks, func(b ledger.BalanceBreak) bool { return b.To < start || b.To > end })
	return c, nil
}

// payoutsNamed returns the payouts that lines name, and those that were submitted from the account within some
// days.
func payoutsNamed(ctx context.Context, r Reader, account string, counted *ledger.CountedLines, from, to string) ([]int64, error) {
	words := map[string]bool{}
	var texts []string
	for _, list := range [][]ledger.KeptLine{counted.Lines, counted.OnlyInFile, counted.Withdrawn} {
		for i := range list {
			for _, p := range list[i].Pieces() {
				texts = append(texts, p.Words...)
			}
		}
	}
	for i, text := range texts {
		texts[i] = strings.ToLower(text)
		ledger.EachName(texts[i], func(start, end int) bool { words[ledger.FirstWord(texts[i][start:end])] = true; return false })
	}
	known, err := askWords[string](ctx, r, words, `SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM wire_keys WHERE key >= value AND key < value || char(1114111))
		OR EXISTS (SELECT 1 FROM attempts INDEXED BY attempts_by_utr WHERE bank_txn_ref_id IS NOT NULL AND lower(bank_txn_ref_id) >= value AND lower(bank_txn_ref_id) < value || char(1114111))`)
	if err != nil {
		return nil, err
	}
	begins := map[string]bool{} // the first words of names
	for _, w := range known {
		begins[w] = true
	}
	names := map[string]bool{}
	for _, text := range texts {
		ledger.EachName(text, func(start, end int) bool {
			if begins[ledger.FirstWord(text[start:end])] {
				names[text[start:end]] = true
			}
			return false
		})
	}
	payouts, err := askWords[int64](ctx, r, names, `WITH asked (w) AS MATERIALIZED (SELECT value FROM json_each(?))
		SELECT k.payout_id FROM asked CROSS JOIN wire_keys k ON k.key = w
		UNION SELECT a.payout_id FROM asked CROSS JOIN attempts a INDEXED BY attempts_by_utr ON a.bank_txn_ref_id IS NOT NULL AND lower(a.bank_txn_ref_id) = w`)
	if err != nil {
		return nil, err
	}
	since, until := dayBegins(from), dayBegins(ledger.DayPlus(to, 1))
	sent, err := list(ctx, r, itself[int64], `SELECT a.payout_id FROM batches b CROSS JOIN attempts a ON a.batch_no = b.no
		WHERE b.no IN (SELECT batch_no FROM intents INDEXED BY intents_submits WHERE kind = 'submit' AND max(at, ifnull(bank_time, at)) >= ?2 AND max(at, ifnull(bank_time, at)) < ?3
			UNION SELECT no FROM batches INDEXED BY batches_by_submit WHERE submitted_at IS NOT NULL AND submitted_at >= ?2 AND submitted_at < ?3)
		AND b.route_no IN (SELECT no FROM routes WHERE bank_account_id = ?1)
		UNION SELECT a.payout_id FROM attempts a INDEXED BY attempts_apart WHERE `+apartStates+` AND a.state = 'returned' AND a.updated_at >= ?2 AND a.updated_at < ?3`, account, since, until)
	return append(payouts, sent...), err
}

// dayBegins returns the first moment of a day at the bank, as stored.
func dayBegins(day string) int64 { return ledger.BankDayBegins(day).UnixMicro() }

// askWords reads a query of one column over words, some words at a time.
func askWords[T any](ctx context.Context, r Reader, words map[string]bool, query string) (all []T, err error) {
	for chunk := range slices.Chunk(slices.Sorted(maps.Keys(words)), wordsAtOnce) {
		some, err := list(ctx, r, itself[T], query, inList(chunk))
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// matchable returns the attempts of some payouts from an account, in the form that matching needs.
func matchable(ctx context.Context, r Reader, account string, payouts []int64) ([]reconcile.Attempt, error) {
	if len(payouts) == 0 {
		return nil, nil
	}
	list := inList(slices.Compact(slices.Sorted(slices.Values(payouts)))) // a copy: the list belongs to the caller
	batches, err := submitted(ctx, r, `b.no IN (SELECT a.batch_no FROM json_each(?) j CROSS JOIN attempts a ON a.payout_id = j.value)`, list)
	if err != nil {
		return nil, err
	}
	forgot, err := forgottenSince(ctx, r)
	if err != nil {
		return nil, err
	}
	utrs := map[ledger.AttemptKey][]string{}
	err = each(ctx, r, func(rows Rows) error {
		var of ledger.AttemptKey
		var utr string
		err := rows.Scan(&of.PayoutID, &of.Number, &utr)
		if !slices.Contains(utrs[of], utr) {
			utrs[of] = append(utrs[of], utr)
		}
		return err
	}, `SELECT o.payout_id, o.number, lower(o.bank_txn_ref_id) FROM json_each(?) j CROSS JOIN observations o ON o.payout_id = j.value
		WHERE o.bank_txn_ref_id <> '' ORDER BY o.payout_id, o.number, o.seq`, list)
	if err != nil {
		return nil, err
	}
	var attempts []reconcile.Attempt
	err = each(ctx, r, func(rows Rows) error {
		var a reconcile.Attempt
		var batch int64
		var planned time.Time
		var ref, key, utr string
		if err := rows.Scan(&a.PayoutID, &a.Number, &ref, &a.WireRef, &key, &a.Amount, &a.State, &utr, nullable{&batch}, moment{&a.Since}, moment{&planned}, &a.BankAccountID); err != nil {
			return err
		}
		b := batches[batch]
		if b == nil {
			b = &reconcile.Batch{}
		}
		if a.Name = key; a.WireRef != ref {
			a.Name = ledger.FurtherKey(ref, key, a.WireRef)
		}
		a.Batch, a.First, a.Last, a.Planned = b, b.First, b.Last, ledger.BankDay(planned)
		if a.First != "" && a.State.Final() { // it ended before First: our clock was ahead at the submit
			a.First = min(a.First, ledger.BankDay(a.Since))
		}
		if utr != "" {
			a.UTRs = append([]string{utr}, slices.DeleteFunc(utrs[a.AttemptKey], func(o string) bool { return o == utr })...)
		}
		if forgot != "" {
			a.Planned = min(a.Planned, forgot)
		}
		if a.State == ledger.PayoutReturned {
			a.Back = ledger.BankDay(a.Since)
		}
		if a.BankAccountID == account || account == "" {
			attempts = append(attempts, a)
		}
		return nil
	}, `SELECT p.id, ifnull(a.number, 1), p.ref, ifnull(a.wire_ref, p.ref), ifnull(p.ref_key, lower(p.ref)), ifnull(c.amount, p.amount), ifnull(a.state, 'planned'),
		lower(ifnull(a.bank_txn_ref_id, '')), a.batch_no, ifnull(a.updated_at, s.loaded_at), ifnull(b.created_at, s.loaded_at), r.bank_account_id
		FROM json_each(?) j CROSS JOIN payouts p ON p.id = j.value JOIN sheets s ON s.no = p.sheet_no LEFT JOIN attempts a ON a.payout_id = p.id LEFT JOIN batches b ON b.no = a.batch_no`+
		corrected+` JOIN routes r ON r.no = `+sentRoute+` ORDER BY p.id, a.number`, list)
	return attempts, err
}

// forgottenSince returns the day from which a lost ledger may have planned the same payouts: the day of the
// newest event in the first older copy that was accepted, or "" for none.
func forgottenSince(ctx context.Context, r Reader) (string, error) {
	var newest time.Time
	err := r.QueryRow(ctx, `SELECT min(newest_at) FROM restores`).Scan(moment{&newest})
	return ledger.BankDay(newest), err
}

// submitted returns batches by their numbers.
func submitted(ctx context.Context, r Reader, where string, args ...any) (map[int64]*reconcile.Batch, error) {
	batches := map[int64]*reconcile.Batch{}
	return batches, each(ctx, r, func(rows Rows) error {
		var no int64
		var b reconcile.Batch
		var first, last, at, created time.Time
		if err := rows.Scan(&no, &b.ID, &b.Count, &b.Total, moment{&first}, moment{&last}, moment{&at}, moment{&created}); err != nil {
			return err
		}
		if first.IsZero() && !at.IsZero() {
			first = created // it was sent elsewhere, at an unknown time
		}
		days := []string{ledger.BankDay(first), ledger.BankDay(last), ledger.BankDay(at)}
		days = slices.DeleteFunc(days, func(day string) bool { return day == "" })
		if len(days) > 0 {
			b.First, b.Last = slices.Min(days), slices.Max(days)
		}
		batches[no] = &b
		return nil
	}, `SELECT b.no, b.id, b.count, b.total, (SELECT min(min(at, ifnull(bank_time, at))) FROM intents i WHERE i.batch_no = b.no AND i.kind = 'submit'),
		(SELECT max(max(at, ifnull(bank_time, at))) FROM intents i WHERE i.batch_no = b.no AND i.kind = 'submit'), b.submitted_at, b.created_at
		FROM batches b WHERE `+where, args...)
}

// write replaces the rows of the days with the fresh result of matching.
func (m *matched) write(ctx context.Context, tx Writer) error {
	for _, table := range []string{"statement_matches", "statement_open", "statement_breaks"} {
		if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE account = ? AND day >= ?`, m.account, m.from); err != nil {
			return err
		}
	}
	return inTurn(
		func() error { return matchRows.insertAll(ctx, tx, m.Matches) },
		func() error { return openRows.insertAll(ctx, tx, m.Open) },
		func() error { return breakRows.insertAll(ctx, tx, m.Breaks) },
		func() error {
			_, err := tx.Exec(ctx, `DELETE FROM statement_stale WHERE account = ?`, m.account)
			return err
		},
	)
}

var (
	matchRows = table[reconcile.Match]{"statement_matches", "payout_id, number, reading, line, part, place, account, day, source, transaction_id, debit, amount, matched_by, share, why",
		func(x *reconcile.Match) []any {
			return []any{&x.Of.PayoutID, &x.Of.Number, &x.Ref.Reading, &x.Ref.Line, &x.Ref.Part, &x.Place, &x.BankAccountID, &x.Day, &x.Source, &x.TransactionID, &x.Debit, &x.Amount,
				&x.By, &x.Share, &x.Why}
		}}
	openRows = table[reconcile.Open]{"statement_open", "account, day, reading, line, part, place, source, transaction_id, debit, amount, why, named",
		func(x *reconcile.Open) []any {
			return []any{&x.BankAccountID, &x.Day, &x.Ref.Reading, &x.Ref.Line, &x.Ref.Part, &x.Place, &x.Source, &x.TransactionID, &x.Debit, &x.Amount, &x.Why, &x.Named}
		}}
	breakRows = table[ledger.BalanceBreak]{"statement_breaks", "account, day, from_day, reading, line, amount", func(x *ledger.BalanceBreak) []any {
		return []any{&x.BankAccountID, &x.To, &x.From, &x.Ref.Reading, &x.Ref.Line, &x.Amount}
	}}
)

func matchesOf(ctx context.Context, r Reader, where string, args ...any) ([]reconcile.Match, error) {
	return matchRows.list(ctx, r, where+` ORDER BY payout_id, number, reading, line, part`, args...)
}

func openOf(ctx context.Context, r Reader, where string, args ...any) ([]reconcile.Open, error) {
	return openRows.list(ctx, r, where+` ORDER BY account, day, reading, line, part`, args...)
}

func breaksOf(ctx context.Context, r Reader, where string, args ...any) ([]ledger.BalanceBreak, error) {
	return breakRows.list(ctx, r, where+` ORDER BY account, day, reading, line`, args...)
}

// explainedOf returns the decisions of two people about lines of an account. The latest one counts.
func explainedOf(ctx context.Context, r Reader, account string) (list []reconcile.Explained, err error) {
	words, err := statementWords(ctx, r, `w.word = 'explain' AND w.first IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(w.entries) e JOIN statement_readings k ON k.account = ?
		AND e.value LIKE 'R' || k.no || '.%')`, account)
	if err != nil || len(words) == 0 {
		return nil, err
	}
	said := map[ledger.EntryRef]int64{}
	for _, w := range words {
		for _, e := range w.Entries {
			said[e] = w.PayoutID
		}
	}
	for _, e := range slices.SortedFunc(maps.Keys(said), ledger.EntryRef.Compare) {
		lines, err := linesOf(ctx, r, `account = ? AND reading = ? AND line = ?`, account, e.Reading, e.Line)
		if err != nil {
			return nil, err
		}
		for _, l := range lines {
			for _, p := range l.Pieces() {
				if p.Ref == e {
					list = append(list, reconcile.Explained{Piece: p, PayoutID: said[e]})
				}
			}
		}
	}
	return list, nil
}
