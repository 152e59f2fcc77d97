package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"payrun/ledger"
)

// RecordStatement records one reading of a statement with its event, or nothing.
// Account numbers in remarks are masked, but for our own UTRs and references;
// entries that an earlier reading of the same account and source had are only
// counted.
func (s *Store) RecordStatement(ctx context.Context, r ledger.StatementRead) (counts ledger.StatementCounts, err error) {
	if err := r.Check(); err != nil {
		return counts, err
	}
	err = s.inTx(ctx, "record a statement of "+r.BankAccountID, func(tx *sql.Tx) error {
		ours, err := oursIn(ctx, tx, r)
		if err != nil {
			return err
		}
		counts, err = s.recordStatement(ctx, tx, r.Masked(ours))
		return err
	})
	return counts, err
}

func (s *Store) recordStatement(ctx context.Context, tx *sql.Tx, r ledger.StatementRead) (counts ledger.StatementCounts, err error) {
	r.At = fromMicros(sql.NullInt64{Int64: r.At.UnixMicro(), Valid: true}) // as it is kept
	r.Balances = slices.Clone(r.Balances)
	for i := range r.Balances {
		r.Balances[i].At = fromMicros(sql.NullInt64{Int64: r.Balances[i].At.UnixMicro(), Valid: true})
	}
	kept := ledger.KeptStatement{StatementRead: r}
	if kept.No, err = insertStatement(ctx, tx, r); err != nil {
		return counts, err
	}
	insert, err := tx.PrepareContext(ctx, `INSERT INTO statement_entries (read_no, place, account, source, key, nth, transaction_id, debit, amount, closing,
		transacted, posted, value, reference, remarks, details) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (account, source, key, nth) DO NOTHING`)
	if err != nil {
		return counts, err
	}
	defer insert.Close()
	digest := ledger.NewStatementDigest(&kept)
	sieves := sieveMaker{ctx: ctx, tx: tx}
	for _, e := range r.Kept() {
		e.ReadNo = kept.No
		isNew, err := insertEntry(ctx, insert, kept.No, &e)
		if err != nil {
			return counts, fmt.Errorf("entry %d: %w", e.Place, err)
		}
		if !isNew {
			counts.Known++
			continue
		}
		counts.New++
		digest.Add(&e)
		if err := sieves.add(&e); err != nil {
			return counts, err
		}
	}
	if err := sieves.end(); err != nil {
		return counts, err
	}
	return counts, s.appendEvent(ctx, tx, r.Event(counts, digest.Sum()))
}

func insertStatement(ctx context.Context, tx *sql.Tx, r ledger.StatementRead) (no int64, err error) {
	requests, err := json.Marshal(append([]string{}, r.RequestIDs...))
	if err != nil {
		return 0, err
	}
	balances, err := json.Marshal(append([]ledger.BalanceRead{}, r.Balances...))
	if err != nil {
		return 0, err
	}
	err = tx.QueryRowContext(ctx, `INSERT INTO statement_reads (account, source, shape, file_name, file_sha256, file_format, from_day, to_day, opening, closing,
		request_ids, balances, at, actor) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING no`,
		r.BankAccountID, r.Source, r.Shape, r.File.Name, r.File.SHA256, r.File.Format, r.From, r.To,
		sql.NullInt64{Int64: int64(r.Opening), Valid: r.HasOpening}, sql.NullInt64{Int64: int64(r.Closing), Valid: r.HasClosing},
		string(requests), string(balances), micros(r.At), r.Actor).Scan(&no)
	return no, err
}

// insertEntry reports whether the ledger did not have the entry.
func insertEntry(ctx context.Context, insert *sql.Stmt, readNo int64, e *ledger.KeptEntry) (bool, error) {
	if e.Nth == 0 {
		return false, nil
	}
	var details sql.NullString
	if len(e.Details) > 0 {
		text, err := json.Marshal(e.Details)
		if err != nil {
			return false, err
		}
		details = sql.NullString{String: string(text), Valid: true}
	}
	res, err := insert.ExecContext(ctx, readNo, e.Place, e.BankAccountID, e.Source, e.Key, e.Nth, e.TransactionID, e.Debit, e.Amount, e.Closing,
		e.Transacted, e.Posted, e.Value, e.Reference, e.Remarks, details)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// oursIn finds which words around long runs of digits in the remarks are names of
// ours.
func oursIn(ctx context.Context, tx *sql.Tx, r ledger.StatementRead) (func(string) bool, error) {
	asked := map[string]bool{}
	r.Masked(func(word string) bool { asked[word] = false; return false })
	words := make([]string, 0, len(asked))
	for w := range asked {
		words = append(words, w)
	}
	const atOnce = 20_000
	for chunk := range slices.Chunk(words, atOnce) {
		list, err := json.Marshal(chunk)
		if err != nil {
			return nil, err
		}
		err = each(ctx, tx, func(rows *sql.Rows) error {
			var w string
			err := rows.Scan(&w)
			asked[w] = true
			return err
		}, `WITH asked (w) AS MATERIALIZED (SELECT value FROM json_each(?))
			SELECT w FROM asked WHERE w IN (SELECT key FROM wire_keys)
			UNION SELECT lower(id) FROM batches WHERE lower(id) IN (SELECT w FROM asked)
			UNION SELECT lower(bank_txn_ref_id) FROM attempts WHERE lower(bank_txn_ref_id) IN (SELECT w FROM asked)
			UNION SELECT lower(open_txn_id) FROM attempts WHERE lower(open_txn_id) IN (SELECT w FROM asked)`, string(list))
		if err != nil {
			return nil, err
		}
	}
	return func(word string) bool { return asked[strings.ToLower(word)] }, nil
}

const selectStatements = `SELECT no, account, source, shape, file_name, file_sha256, file_format, from_day, to_day, opening, closing, request_ids, balances, at, actor FROM statement_reads`

// Statements returns the readings of an account's statement, or with "" of all,
// in the order in which they were recorded, without their entries.
func (s *Store) Statements(ctx context.Context, bankAccountID string) (list []ledger.KeptStatement, err error) {
	err = each(ctx, s.read, func(rows *sql.Rows) error {
		k, err := scanStatement(rows)
		list = append(list, k)
		return err
	}, selectStatements+` WHERE account = ? OR ? = '' ORDER BY no`, bankAccountID, bankAccountID)
	return list, damage("read the statements", err)
}

func scanStatement(rows *sql.Rows) (k ledger.KeptStatement, err error) {
	var opening, closing, at sql.NullInt64
	var requests, balances string
	err = rows.Scan(&k.No, &k.BankAccountID, &k.Source, &k.Shape, &k.File.Name, &k.File.SHA256, &k.File.Format, &k.From, &k.To,
		&opening, &closing, &requests, &balances, &at, &k.Actor)
	if err != nil {
		return k, err
	}
	k.Opening, k.HasOpening = ledger.Paise(opening.Int64), opening.Valid
	k.Closing, k.HasClosing = ledger.Paise(closing.Int64), closing.Valid
	k.At = fromMicros(at)
	if err := json.Unmarshal([]byte(requests), &k.RequestIDs); err != nil {
		return k, fmt.Errorf("statement %d: request ids: %w", k.No, err)
	}
	if err := json.Unmarshal([]byte(balances), &k.Balances); err != nil {
		return k, fmt.Errorf("statement %d: balances: %w", k.No, err)
	}
	if len(k.RequestIDs) == 0 {
		k.RequestIDs = nil
	}
	if len(k.Balances) == 0 {
		k.Balances = nil
	}
	return k, nil
}

// EachEntry calls fn for the entries of an account's statement, or with "" of all,
// in the order in which they were recorded.
func (s *Store) EachEntry(ctx context.Context, bankAccountID string, fn func(ledger.KeptEntry) error) error {
	return damage("read the statements", eachEntry(ctx, s.read, fn, `account = ? OR ? = ''`, bankAccountID, bankAccountID))
}

func eachEntry(ctx context.Context, r reader, fn func(ledger.KeptEntry) error, where string, args ...any) error {
	return each(ctx, r, func(rows *sql.Rows) error {
		var e ledger.KeptEntry
		var details sql.NullString
		err := rows.Scan(&e.ReadNo, &e.Place, &e.BankAccountID, &e.Source, &e.Key, &e.Nth, &e.TransactionID, &e.Debit, &e.Amount, &e.Closing,
			&e.Transacted, &e.Posted, &e.Value, &e.Reference, &e.Remarks, &details)
		if err == nil && details.Valid {
			err = json.Unmarshal([]byte(details.String), &e.Details)
		}
		if err != nil {
			return err
		}
		return fn(e)
	}, `SELECT read_no, place, account, source, key, nth, transaction_id, debit, amount, closing, transacted, posted, value, reference, remarks, details
		FROM statement_entries WHERE `+where+` ORDER BY read_no, place`, args...)
}

// eachStatementDigest gives the digest of each reading as it is recorded now. The
// readings are few and read first: their entries stream by, and pass shows each.
func eachStatementDigest(ctx context.Context, r reader, pass func(*ledger.KeptEntry), give func(*ledger.StatementFacts) error) error {
	var all []ledger.KeptStatement
	err := each(ctx, r, func(rows *sql.Rows) error {
		k, err := scanStatement(rows)
		all = append(all, k)
		return err
	}, selectStatements+` ORDER BY no`)
	if err != nil || len(all) == 0 {
		return err
	}
	next, digest := 0, ledger.NewStatementDigest(&all[0])
	done := func() error {
		f := ledger.StatementFacts{No: all[next].No, Digest: digest.Sum()}
		if next++; next < len(all) {
			digest = ledger.NewStatementDigest(&all[next])
		}
		return give(&f)
	}
	err = eachEntry(ctx, r, func(e ledger.KeptEntry) error {
		for next < len(all)-1 && e.ReadNo > all[next].No {
			if err := done(); err != nil {
				return err
			}
		}
		digest.Add(&e)
		pass(&e)
		return nil
	}, `1`)
	for err == nil && next < len(all) {
		err = done()
	}
	return err
}
