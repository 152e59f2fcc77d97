package sqlite

import (
	"context"
	"fmt"
	"strings"

	"payrun/ledger"
)

// RecordStatement records one reading of a statement with its event, and matches it; all or nothing. It masks
// account numbers in remarks, except our own UTRs and references. It returns a *ledger.JoinError if a file does
// not join what is known of its first day.
func (s *Tables) RecordStatement(ctx context.Context, r ledger.StatementRead) (counts ledger.StatementCounts, err error) {
	if err := r.Check(); err != nil {
		return counts, err
	}
	err = s.inTx(ctx, "record a statement of "+r.BankAccountID, func(tx Writer) error {
		ours, err := oursIn(ctx, tx, r)
		if err != nil {
			return err
		}
		counts, err = s.recordStatement(ctx, tx, r.Masked(ours))
		return err
	})
	return counts, err
}

func (s *Tables) recordStatement(ctx context.Context, tx Writer, r ledger.StatementRead) (counts ledger.StatementCounts, err error) {
	readings, err := readingsOf(ctx, tx, r.BankAccountID, r.From)
	if err != nil {
		return counts, err
	}
	before, err := linesOf(ctx, tx, `account = ? AND day BETWEEN ? AND ?`, r.BankAccountID, r.From, r.To)
	if err != nil {
		return counts, err
	}
	counted := ledger.WhatCounts(readings, before).Lines
	if err := r.Joins(readings, counted); err != nil {
		return counts, err
	}
	k := ledger.KeptStatement{StatementRead: r}
	if err := tx.QueryRow(ctx, `SELECT ifnull(max(no), 0) + 1 FROM statement_readings`).Scan(&k.No); err != nil {
		return counts, err
	}
	lines := r.KeptLines(k.No)
	k.Lines, k.Same = len(lines), ledger.Repeats(readings, before, lines)
	counts = ledger.StatementCounts{Reading: k.No, Repeated: r.KnownLines(readings, counted, lines)}
	counts.New = len(lines) - counts.Repeated
	digest, err := insertReading(ctx, tx, &k, lines)
	if err != nil {
		return counts, err
	}
	if err := s.appendEvent(ctx, tx, k.Event(digest)); err != nil {
		return counts, err
	}
	var first string // day that it affects: an older reading may have one of its lines on an earlier day
	err = tx.QueryRow(ctx, `SELECT min(?2, ifnull((SELECT min(o.day) FROM statement_lines l CROSS JOIN statement_lines o INDEXED BY statement_lines_by_id
		ON o.account = l.account AND o.transaction_id = l.transaction_id WHERE l.reading = ?1 AND l.transaction_id <> '' AND o.transaction_id <> ''), ?2))`, k.No, k.From).Scan(&first)
	if err != nil {
		return counts, err
	}
	if err := markStale(ctx, tx, r.BankAccountID, first); err != nil {
		return counts, err
	}
	return counts, refresh(ctx, tx)
}

// insertReading records a reading with the lines that no earlier reading holds, and returns their digest.
func insertReading(ctx context.Context, tx Writer, k *ledger.KeptStatement, lines []ledger.KeptLine) (digest ledger.Digest, err error) {
	if err := statements.insert(ctx, tx, k, ""); err != nil {
		return digest, err
	}
	held := map[string]bool{}
	for i, same := range k.Same {
		held[same.Day] = true
		if err := sameDays.insert(ctx, tx, &k.Same[i], "reading, ", k.No); err != nil {
			return digest, err
		}
	}
	d := ledger.NewStatementDigest(k)
	for i := range lines {
		if l := &lines[i]; !held[l.Day] {
			d.Add(l)
			if err := statementLines.insert(ctx, tx, l, ""); err != nil {
				return digest, fmt.Errorf("line %d: %w", l.Ref.Line, err)
			}
		}
	}
	return d.Sum(), nil
}

var (
	statements = table[ledger.KeptStatement]{"statement_readings", `no, account, source, shape, file_name, file_sha256, file_format, from_day, to_day, period, opening, closing,
		lines, request_ids, balances, at, actor`, func(k *ledger.KeptStatement) []any {
		return []any{&k.No, &k.BankAccountID, &k.Source, &k.Shape, &k.FileName, &k.FileSHA256, &k.FileFormat, &k.From, &k.To, &k.Period,
			&k.Opening, &k.Closing, &k.Lines, jsonList[string]{&k.RequestIDs, "[]"}, jsonList[ledger.BalanceRead]{&k.Balances, "[]"}, moment{&k.At}, &k.Actor}
	}}
	sameDays = table[ledger.SameDay]{"statement_same", "day, held_by", func(d *ledger.SameDay) []any { return []any{&d.Day, &d.Reading} }}
	// statementLines are the lines that a reading holds itself.
	statementLines = table[ledger.KeptLine]{"statement_lines", `reading, line, account, day, transaction_id, debit, amount, closing,
		transacted, posted, value, reference, remarks, details`, func(l *ledger.KeptLine) []any {
		return []any{&l.Ref.Reading, &l.Ref.Line, &l.BankAccountID, &l.Day, &l.TransactionID, &l.Debit, &l.Amount, &l.Closing,
			&l.Transacted, &l.Posted, &l.Value, &l.Reference, &l.Remarks, jsonList[ledger.EntryDetail]{&l.Details, nil}}
	}}
)

// oursIn finds which words around long runs of digits in the remarks are our own names.
func oursIn(ctx context.Context, tx Writer, r ledger.StatementRead) (func(string) bool, error) {
	asked := map[string]bool{}
	r.Masked(func(word string) bool { asked[word] = false; return false })
	known, err := askWords[string](ctx, tx, asked, `WITH asked (w) AS MATERIALIZED (SELECT value FROM json_each(?))
		SELECT w FROM asked WHERE w IN (SELECT key FROM wire_keys)
		UNION SELECT lower(id) FROM batches WHERE lower(id) IN (SELECT w FROM asked)
		UNION SELECT lower(bank_txn_ref_id) FROM attempts WHERE lower(bank_txn_ref_id) IN (SELECT w FROM asked)
		UNION SELECT lower(open_txn_id) FROM attempts WHERE lower(open_txn_id) IN (SELECT w FROM asked)`)
	for _, w := range known {
		asked[w] = true
	}
	return func(word string) bool { return asked[strings.ToLower(word)] }, err
}

// wordsAtOnce is how many words one query looks up.
const wordsAtOnce = 20_000

// Statements returns the readings of an account's statement (of all accounts for ""), in the order of
// recording, without their lines.
func (s *Tables) Statements(ctx context.Context, bankAccountID string) ([]ledger.KeptStatement, error) {
	list, err := readingsOf(ctx, s.db, bankAccountID, "")
	return list, damage("read the statements", err)
}

// readingsOf returns the readings of an account (of all for "") that cover the day from or later ones.
func readingsOf(ctx context.Context, r Reader, account, from string) (all []ledger.KeptStatement, err error) {
	all, err = list(ctx, r, func(k *ledger.KeptStatement) []any { return append(statements.fields(k), moment{&k.Void}) },
		`SELECT `+statements.of("r")+`, (SELECT w.at FROM statement_words w WHERE w.reading = r.no AND w.first IS NOT NULL)
		FROM statement_readings r WHERE (r.account = ?1 OR ?1 = '') AND r.to_day >= ?2 ORDER BY r.no`, account, from)
	if err != nil {
		return nil, err
	}
	byNo := make(map[int64]*ledger.KeptStatement, len(all))
	for i := range all {
		byNo[all[i].No] = &all[i]
	}
	return all, each(ctx, r, func(rows Rows) error {
		var no int64
		var same ledger.SameDay
		err := rows.Scan(&no, &same.Day, &same.Reading)
		if k := byNo[no]; k != nil {
			k.Same = append(k.Same, same)
		}
		return err
	}, `SELECT s.reading, s.day, s.held_by FROM statement_readings r CROSS JOIN statement_same s ON s.reading = r.no
		WHERE (r.account = ?1 OR ?1 = '') AND r.to_day >= ?2 ORDER BY s.reading, s.day`, account, from)
}

func linesOf(ctx context.Context, r Reader, where string, args ...any) (list []ledger.KeptLine, err error) {
	err = eachLine(ctx, r, func(l ledger.KeptLine) error { list = append(list, l); return nil }, where, args...)
	return list, err
}

func eachLine(ctx context.Context, r Reader, fn func(ledger.KeptLine) error, where string, args ...any) error {
	return eachOf(ctx, r, func(l *ledger.KeptLine) []any { return append(statementLines.fields(l), &l.Source) }, fn,
		`SELECT `+statementLines.columns+`, (SELECT k.source FROM statement_readings k WHERE k.no = reading) FROM statement_lines WHERE `+where+` ORDER BY reading, line`, args...)
}

// readingDigests returns the digests of the readings as they are recorded now. It reads the few readings first,
// and then streams their lines.
func readingDigests(ctx context.Context, r Reader) ([]ledger.Digest, error) {
	all, err := readingsOf(ctx, r, "", "")
	if err != nil || len(all) == 0 {
		return nil, err
	}
	begun := ledger.ListOf(all, func(k ledger.KeptStatement) *ledger.StatementDigest { return ledger.NewStatementDigest(&k) })
	next := 0
	err = eachLine(ctx, r, func(l ledger.KeptLine) error {
		for next < len(all)-1 && l.Ref.Reading > all[next].No {
			next++
		}
		begun[next].Add(&l)
		return nil
	}, `true`)
	return ledger.ListOf(begun, (*ledger.StatementDigest).Sum), err
}
