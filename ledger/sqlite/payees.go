package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"payrun/ledger"
)

const (
	// payeeSlab is how many payouts are brought into the index at once: what
	// is sorted together and committed together.
	payeeSlab = 1 << 17

	// payeeTail bounds the payouts that a ledger opened for reading looks
	// through by itself because nobody has indexed them yet. It is the latest
	// of them, and as many as a sheet may have rows.
	payeeTail = 2_000_000
)

// payeeIndex is what a store knows of the payee tables: those in the ledger,
// and for the payouts behind them, where it may not write, the same tables in
// memory. The zero value knows nothing yet.
type payeeIndex struct {
	mu     sync.Mutex
	looked bool
	parts  []payeePart
	tail   *sql.DB
}

// payeePart is one set of payee tables and the last payout it answers for.
type payeePart struct {
	reader
	upto int64
}

// IndexPayees brings the index of payees up to the last payout. Loading leaves
// it behind, so that a sheet costs the same with and without it; it is brought
// up before the next sheet is read. Stopped half-way it goes on from there.
func (s *Store) IndexPayees(ctx context.Context) error {
	const doing = "index the payees"
	if s.write == nil {
		return errors.New(doing + ": the ledger was opened for reading")
	}
	if err := s.payees.forget(); err != nil {
		return damage(doing, err)
	}
	for {
		upto, last, err := payeesBehind(ctx, s.read)
		if err != nil || upto >= last {
			return damage(doing, err)
		}
		err = s.inTx(ctx, doing, func(tx *sql.Tx) error { return indexPayees(ctx, tx, tx, upto) })
		if err != nil {
			return err
		}
	}
}

// payeesBehind returns up to which payout the index goes, and the last payout.
func payeesBehind(ctx context.Context, r reader) (upto, last int64, err error) {
	err = r.QueryRowContext(ctx, `SELECT upto, (SELECT ifnull(max(id), 0) FROM payouts) FROM payees_indexed`).Scan(&upto, &last)
	return upto, last, err
}

// payeeParts returns where payees are looked up: nothing while there is no
// payout. The first call decides for the store's life, or until IndexPayees.
func (s *Store) payeeParts(ctx context.Context) ([]payeePart, error) {
	x := &s.payees
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.looked {
		return x.parts, nil
	}
	upto, last, err := payeesBehind(ctx, s.read)
	if err != nil {
		return nil, err
	}
	var parts []payeePart
	if upto > 0 {
		parts = append(parts, payeePart{s.read, upto})
	}
	if last > upto {
		if x.tail, err = payeesInMemory(ctx, s.read, max(upto, last-payeeTail), last); err != nil {
			return nil, err
		}
		parts = append(parts, payeePart{x.tail, last})
	}
	x.looked, x.parts = true, parts
	return parts, nil
}

// forget makes the next question look again.
func (x *payeeIndex) forget() (err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.tail != nil {
		err = x.tail.Close()
	}
	x.looked, x.parts, x.tail = false, nil, nil
	return err
}

// payeesInMemory indexes the payouts after one of them, in memory.
func payeesInMemory(ctx context.Context, from reader, after, last int64) (*sql.DB, error) {
	schema, err := migrations.ReadFile("migrations/0004_payees.sql")
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // each connection has a memory of its own
	err = func() error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback() //nolint:errcheck // after Commit it does nothing, before it the error is already told
		if _, err := tx.ExecContext(ctx, string(schema)); err != nil {
			return err
		}
		for after < last {
			if err := indexPayees(ctx, from, tx, after); err != nil {
				return err
			}
			if err := tx.QueryRowContext(ctx, `SELECT upto FROM payees_indexed`).Scan(&after); err != nil {
				return err
			}
		}
		return tx.Commit()
	}()
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// payeeMark is what the index keeps of a payout.
type payeeMark struct {
	name, account int64
	payoutID      int64
	amount        int64
}

// indexPayees brings the next payouts after one of them from the ledger into
// the payee tables.
func indexPayees(ctx context.Context, from reader, into *sql.Tx, after int64) error {
	marks := make([]payeeMark, 0, payeeSlab)
	var named ledger.NamedAccount
	err := each(ctx, from, func(rows *sql.Rows) error {
		var m payeeMark
		err := rows.Scan(&m.payoutID, &m.amount, &named.VendorName, &named.BankAccountNumber, &named.IFSC, &named.OpenBeneficiaryID)
		m.name, m.account = nameMark(named.VendorName), accountMark(named.Account)
		marks = append(marks, m)
		return err
	}, `SELECT id, amount, vendor_name, bank_account_number, ifsc, ifnull(open_beneficiary_id, '')
		FROM payouts WHERE id > ? ORDER BY id LIMIT ?`, after, payeeSlab)
	if err != nil || len(marks) == 0 {
		return err
	}
	upto := marks[len(marks)-1].payoutID
	// neighbours in the tree are written together
	slices.SortFunc(marks, func(a, b payeeMark) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.payoutID, b.payoutID))
	})
	err = insertMarks(ctx, into, `INSERT INTO payee_payouts (account, payout_id, amount) VALUES `, marks,
		func(m payeeMark) [3]any { return [...]any{m.account, m.payoutID, m.amount} })
	if err != nil {
		return err
	}
	slices.SortFunc(marks, func(a, b payeeMark) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.account, b.account), cmp.Compare(a.payoutID, b.payoutID))
	})
	marks = slices.CompactFunc(marks, func(a, b payeeMark) bool { return a.name == b.name && a.account == b.account })
	marks = slices.DeleteFunc(marks, func(m payeeMark) bool { return m.name == noName })
	err = insertMarks(ctx, into, `INSERT OR IGNORE INTO payee_names (name, account, payout_id) VALUES `, marks,
		func(m payeeMark) [3]any { return [...]any{m.name, m.account, m.payoutID} })
	if err != nil {
		return err
	}
	_, err = into.ExecContext(ctx, `UPDATE payees_indexed SET upto = ?`, upto)
	return err
}

// insertMarks inserts three values a mark, many marks a statement.
func insertMarks(ctx context.Context, tx *sql.Tx, insert string, marks []payeeMark, values func(payeeMark) [3]any) error {
	const atOnce, row = 100, `(?, ?, ?)`
	args := make([]any, 0, 3*atOnce)
	var many *sql.Stmt
	for chunk := range slices.Chunk(marks, atOnce) {
		args = args[:0]
		for _, m := range chunk {
			v := values(m)
			args = append(args, v[:]...)
		}
		var err error
		if many == nil || len(chunk) < atOnce {
			many, err = tx.PrepareContext(ctx, insert+row+strings.Repeat(", "+row, len(chunk)-1))
			if err != nil {
				return err
			}
			defer many.Close() // twice at most: for the first chunk and for the last
		}
		if _, err = many.ExecContext(ctx, args...); err != nil {
			return fmt.Errorf("index payees: %w", err)
		}
	}
	return nil
}

// noName is the mark of a name that is empty, which names nobody.
const noName = 0

// nameMark is the hash of a name as payees are known by.
func nameMark(name string) int64 {
	folded := foldName(name)
	if folded == "" {
		return noName
	}
	return mark(folded)
}

// accountMark is the hash of an account, the same for two that differ only in
// leading zeros or in case.
func accountMark(a ledger.Account) int64 {
	a = a.Folded()
	return mark(a.BankAccountNumber, a.IFSC, a.OpenBeneficiaryID)
}

// mark is FNV-1a. It only finds payouts, which are then compared themselves,
// so it need not be strong.
func mark(parts ...string) int64 {
	h := uint64(14695981039346656037)
	for _, part := range parts {
		for i := range len(part) {
			h = (h ^ uint64(part[i])) * 1099511628211
		}
		h = (h ^ math.MaxUint8) * 1099511628211 // no byte of UTF-8, so that parts do not run together
	}
	return int64(h)
}

// foldName gives what payees' names are compared by: NFKC, case folded, with
// single spaces.
func foldName(name string) string {
	for i := range len(name) {
		if name[i] >= 0x80 {
			name = norm.NFKC.String(cases.Fold().String(norm.NFKC.String(name)))
			return strings.Join(strings.Fields(name), " ")
		}
	}
	return strings.Join(strings.Fields(strings.ToLower(name)), " ")
}
