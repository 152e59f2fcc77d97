package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"payrun/ledger"
)

// sievesFrom is the schema version that brought the sieves of statements
// (0041_sieves.sql).
const sievesFrom = 25

// sieveMaker records the sieves of entries, which come in the order of their readings
// and places.
type sieveMaker struct {
	ctx    context.Context // of the one transaction
	tx     *sql.Tx
	making ledger.Sieving
}

func (m *sieveMaker) add(e *ledger.KeptEntry) error { return m.insert(m.making.Add(e)) }

func (m *sieveMaker) end() error { return m.insert(m.making.Last()) }

func (m *sieveMaker) insert(p *ledger.SievePart) error {
	if p == nil {
		return nil
	}
	_, err := m.tx.ExecContext(m.ctx, `INSERT INTO statement_sieves (read_no, part, newest, signs) VALUES (?, ?, ?, ?)`, p.ReadNo, p.Part, p.Newest, []byte(p.Sieve))
	return err
}

// sieveEntries makes the sieves of entries that an older program recorded.
func sieveEntries(ctx context.Context, tx *sql.Tx) error {
	m := sieveMaker{ctx: ctx, tx: tx}
	if err := eachEntry(ctx, tx, func(e ledger.KeptEntry) error { return m.add(&e) }, `1`); err != nil {
		return err
	}
	return m.end()
}

// sievesHold compares the sieves with those that the entries make, while these
// stream by.
type sievesHold struct {
	f      *facts
	making ledger.Sieving
	kept   *cursor
	told   bool
}

// add is told each entry, in the order of recording.
func (h *sievesHold) add(e *ledger.KeptEntry) { h.compare(h.making.Add(e)) }

func (h *sievesHold) compare(p *ledger.SievePart) {
	if p == nil || h.told {
		return
	}
	k := h.kept
	if !k.more || k.int(0) != p.ReadNo || k.int(1) != int64(p.Part) || k.text(2) != p.Newest {
		h.tell(p.ReadNo)
		return
	}
	if signs, _ := k.asked[3].([]byte); !bytes.Equal(signs, p.Sieve) {
		h.tell(p.ReadNo)
		return
	}
	k.next()
}

// end is told that there are no more entries.
func (h *sievesHold) end() error {
	h.compare(h.making.Last())
	if h.kept.more && !h.told {
		h.tell(h.kept.int(0))
	}
	return h.kept.close()
}

func (h *sievesHold) tell(readNo int64) {
	h.told = true
	h.f.report(23, "every entry of a statement is found by its names and amounts", fmt.Sprintf("what finds those of reading %d is not what they make", readNo))
}

// EachEntryOf calls fn for the entries of an account's statements that are sought, in
// the order in which they were recorded.
func (s *Store) EachEntryOf(ctx context.Context, bankAccountID string, sought *ledger.SoughtEntries, fn func(ledger.KeptEntry) error) error {
	err := each(ctx, s.read, func(rows *sql.Rows) error {
		var no, part int64
		var signs sql.RawBytes
		if err := rows.Scan(&no, &part, &signs); err != nil || !sought.MayBeIn(ledger.Sieve(signs)) {
			return err
		}
		return eachEntry(ctx, s.read, func(e ledger.KeptEntry) error {
			if !sought.Has(&e) {
				return nil
			}
			return fn(e)
		}, `read_no = ? AND place > ? AND place <= ?`, no, (part-1)*ledger.SievedTogether, part*ledger.SievedTogether)
	}, `SELECT v.read_no, v.part, v.signs FROM statement_reads r CROSS JOIN statement_sieves v ON v.read_no = r.no WHERE r.account = ? ORDER BY r.no, v.part`, bankAccountID)
	return damage("look for entries of statements", err)
}

// NewestEntry is the newest day of which an entry of an account is on record; "" for
// none.
func (s *Store) NewestEntry(ctx context.Context, bankAccountID string) (day string, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT ifnull(max(v.newest), '') FROM statement_reads r CROSS JOIN statement_sieves v ON v.read_no = r.no WHERE r.account = ?`,
		bankAccountID).Scan(&day)
	return day, damage("look for the newest entry", err)
}

// AttemptsNamed calls fn for every attempt of the payouts of which one has one of the
// names as its reference or UTR, each folded as references are.
func (s *Store) AttemptsNamed(ctx context.Context, keys []string, fn func(ledger.Attempt) error) error {
	const doing = "look for payouts by name"
	var ids []int64
	for some := range slices.Chunk(keys, 20_000) {
		list, err := json.Marshal(some)
		if err != nil {
			return err
		}
		ids, err = numbersOf(ctx, s.read, ids, `WITH asked (w) AS MATERIALIZED (SELECT value FROM json_each(?))
			SELECT k.payout_id FROM asked CROSS JOIN wire_keys k ON k.key = w
			UNION SELECT a.payout_id FROM asked CROSS JOIN attempts a INDEXED BY attempts_by_utr ON a.bank_txn_ref_id IS NOT NULL AND lower(a.bank_txn_ref_id) = w`, string(list))
		if err != nil {
			return damage(doing, err)
		}
	}
	return damage(doing, s.attemptsOf(ctx, ids, fn))
}

// AttemptsOf calls fn for every attempt of the payouts of which one of this amount may
// have been debited in an account by a submit from a moment to before another, and for
// some of others; and returns the batches of this total that were submitted then.
func (s *Store) AttemptsOf(ctx context.Context, bankAccountID string, amount ledger.Paise, from, to time.Time, fn func(ledger.Attempt) error) (whole []ledger.Batch, err error) {
	const doing = "look for payouts by amount"
	const submitted = `b.no IN (SELECT no FROM batches INDEXED BY batches_by_submit WHERE submitted_at IS NOT NULL AND submitted_at >= ?2 AND submitted_at < ?3
		UNION ALL SELECT no FROM batches WHERE state = 'submitting' AND submitted_at IS NULL AND state_since >= ?2 AND state_since < ?3
		UNION ALL SELECT no FROM batches WHERE state = 'submit_unknown' AND submitted_at IS NULL AND state_since >= ?2 AND state_since < ?3)
		AND b.route_no IN (SELECT no FROM routes WHERE bank_account_id = ?1)`
	args := []any{bankAccountID, micros(from), micros(to)}
	if whole, err = batchesWhere(ctx, s.read, submitted+` AND b.total = ?4 AND b.count > 1`, append(args, int64(amount))...); err != nil {
		return nil, err
	}
	ids, err := numbersOf(ctx, s.read, nil, `SELECT a.payout_id FROM batches b CROSS JOIN attempts a ON a.batch_no = b.no WHERE b.members IS NULL AND `+submitted+`
		UNION SELECT payout_id FROM corrections WHERE amount = ?4`, append(args, int64(amount))...)
	if err != nil {
		return nil, damage(doing, err)
	}
	loaded, err := s.loadedOf(ctx, amount, `SELECT DISTINCT b.sheet_no FROM batches b WHERE b.members IS NOT NULL AND `+submitted, args...)
	if err != nil {
		return nil, damage(doing, err)
	}
	return whole, damage(doing, s.attemptsOf(ctx, append(ids, loaded...), fn))
}

// loadedOf gives the payouts of some sheets that were loaded with an amount. No tree
// has them in that order: they are read, by several connections at once.
func (s *Store) loadedOf(ctx context.Context, amount ledger.Paise, sheets string, args ...any) ([]int64, error) {
	var places []placeToLook
	err := each(ctx, s.read, func(rows *sql.Rows) error {
		var first, last int64
		err := rows.Scan(&first, &last)
		for ; first <= last; first += lookedThrough {
			places = append(places, placeToLook{fmt.Sprintf(`SELECT id FROM payouts WHERE id BETWEEN ? AND ? AND amount = %d`, amount), first, min(last, first+lookedThrough-1),
				func(*cursor, *ledger.Particulars) {}})
		}
		return err
	}, `SELECT first_payout, last_payout FROM sheets WHERE no IN (`+sheets+`)`, args...)
	if err != nil {
		return nil, err
	}
	return s.lookInAll(ctx, places, func(*ledger.Particulars) bool { return true })
}

// AttemptsReturned calls fn for every attempt of the payouts of which one of this
// amount came back.
func (s *Store) AttemptsReturned(ctx context.Context, amount ledger.Paise, fn func(ledger.Attempt) error) error {
	const doing = "look for payouts that came back"
	ids, err := numbersOf(ctx, s.read, nil, `SELECT DISTINCT a.payout_id FROM attempts a INDEXED BY attempts_apart CROSS JOIN payouts p ON p.id = a.payout_id
		WHERE `+apartStates+` AND a.state = 'returned' AND (p.amount = ?1 OR EXISTS (SELECT 1 FROM corrections c WHERE c.payout_id = p.id AND c.amount = ?1))`, int64(amount))
	if err != nil {
		return damage(doing, err)
	}
	return damage(doing, s.attemptsOf(ctx, ids, fn))
}

// attemptsOf calls fn for every attempt of some payouts.
func (s *Store) attemptsOf(ctx context.Context, payouts []int64, fn func(ledger.Attempt) error) error {
	slices.Sort(payouts)
	payouts = slices.Compact(payouts)
	if len(payouts) == 0 {
		return nil
	}
	return s.eachAttempt(ctx, selection{Filter: ledger.Filter{Attempts: true}, only: true, payouts: payouts}, fn)
}

// numbersOf appends the numbers that a query yields.
func numbersOf(ctx context.Context, r reader, list []int64, query string, args ...any) ([]int64, error) {
	err := each(ctx, r, func(rows *sql.Rows) error {
		var n int64
		err := rows.Scan(&n)
		list = append(list, n)
		return err
	}, query, args...)
	return list, err
}
