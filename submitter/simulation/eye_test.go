package simulation

import (
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/url"

	"payrun/ledger"
)

// eye looks at the ledger beside the store, with queries of its own, so that a
// mistake of the store cannot hide itself.
type eye struct {
	db      *sql.DB
	version int64 // of the data, when it was last looked at
	now     snapshot
	prev    snapshot
	chain   struct {
		seq  int64
		hash string
	}
	closed map[string]string // batches that must never be submitted, and why

	queries map[string]*sql.Stmt // prepared once, for they are asked again and again
}

type snapshot struct {
	batches  map[int64]seenBatch
	attempts []seenAttempt
	intents  []seenIntent
}

type seenBatch struct {
	no              int64
	id              string
	state           ledger.BatchState
	partner         int
	kind            ledger.AccountKind
	lei             string
	count           int
	total           ledger.Paise
	person          bool
	note, accountID string
	sequence        int
	tries           int
}

type seenAttempt struct {
	payoutID int64
	number   int
	batchNo  int64
	state    ledger.PayoutState
	ref      string
	status   string
	failed   int
	amount   ledger.Paise
	payee    string
	benefic  string
}

type seenIntent struct {
	batchNo       int64
	kind, outcome string
}

func openEye(path string) (*eye, error) {
	u := url.URL{Scheme: "file", Path: path, RawQuery: "mode=ro&_pragma=query_only(1)"}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return &eye{db: db, closed: map[string]string{}, queries: map[string]*sql.Stmt{}}, nil
}

func (e *eye) close() {
	for _, stmt := range e.queries {
		_ = stmt.Close()
	}
	_ = e.db.Close()
}

func (e *eye) prepared(query string) (*sql.Stmt, error) {
	if e.queries[query] == nil {
		stmt, err := e.db.Prepare(query)
		if err != nil {
			return nil, err
		}
		e.queries[query] = stmt
	}
	return e.queries[query], nil
}

// one reads a query's only row.
func (e *eye) one(query string, args []any, into ...any) error {
	stmt, err := e.prepared(query)
	if err != nil {
		return err
	}
	return stmt.QueryRow(args...).Scan(into...)
}

// look reads the ledger again when it changed.
func (e *eye) look() (changed bool, err error) {
	var version int64
	if err := e.one(`PRAGMA data_version`, nil, &version); err != nil {
		return false, err
	}
	if version == e.version && e.now.batches != nil {
		return false, nil
	}
	s := snapshot{batches: map[int64]seenBatch{}}
	err = e.each(func(r *sql.Rows) error {
		var b seenBatch
		err := r.Scan(&b.no, &b.id, &b.state, &b.partner, &b.kind, &b.lei, &b.count, &b.total, &b.person, &b.note, &b.accountID, &b.sequence, &b.tries)
		s.batches[b.no] = b
		return err
	}, `SELECT b.no, b.id, b.state, b.partner_bank_id, b.kind, b.bene_lei, b.count, b.total, (b.attention <> ''), b.note, r.bank_account_id, b.sequence, b.otp_tries
		FROM batches b JOIN routes r ON r.no = b.route_no`)
	if err != nil {
		return false, err
	}
	err = e.each(func(r *sql.Rows) error {
		var a seenAttempt
		err := r.Scan(&a.payoutID, &a.number, &a.batchNo, &a.state, &a.ref, &a.status, &a.failed, &a.amount, &a.payee, &a.benefic)
		s.attempts = append(s.attempts, a)
		return err
	}, `SELECT a.payout_id, a.number, a.batch_no, a.state, ifnull(a.wire_ref, p.ref), ifnull(a.status, ''), ifnull(a.failed_reads, 0), p.amount, p.bank_account_number,
		ifnull(p.open_beneficiary_id, '') FROM every_attempt a JOIN payouts p ON p.id = a.payout_id ORDER BY a.payout_id, a.number`)
	if err != nil {
		return false, err
	}
	err = e.each(func(r *sql.Rows) error {
		var i seenIntent
		err := r.Scan(&i.batchNo, &i.kind, &i.outcome)
		s.intents = append(s.intents, i)
		return err
	}, `SELECT batch_no, kind, ifnull(outcome, '') FROM intents ORDER BY no`)
	e.prev, e.now, e.version = e.now, s, version
	return true, err
}

func (e *eye) each(fn func(*sql.Rows) error, query string, args ...any) error {
	stmt, err := e.prepared(query)
	if err != nil {
		return err
	}
	rows, err := stmt.Query(args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// newEvents reads the audit trail on from where it was read to, verifies its
// chain, and gives each event to fn.
func (e *eye) newEvents(fn func(seq int64, kind, batchID, detail string) error) error {
	if e.chain.seq == 0 {
		if err := e.db.QueryRow(`SELECT id FROM ledger`).Scan(&e.chain.hash); err != nil {
			return err
		}
	}
	return e.each(func(r *sql.Rows) error {
		var seq, at int64
		var actor, kind, sheet, batch, detail, hash string
		if err := r.Scan(&seq, &at, &actor, &kind, &sheet, &batch, &detail, &hash); err != nil {
			return err
		}
		if want := eventHash(e.chain.hash, seq, at, actor, kind, sheet, batch, detail); seq != e.chain.seq+1 || hash != want {
			return fmt.Errorf("invariant 18: event %d does not follow event %d", seq, e.chain.seq)
		}
		e.chain.seq, e.chain.hash = seq, hash
		return fn(seq, kind, batch, detail)
	}, `SELECT seq, at, actor, kind, sheet_id, batch_id, detail, hash FROM events WHERE seq > ? ORDER BY seq`, e.chain.seq)
}

// eventHash is the chain's definition, written a second time.
func eventHash(prev string, seq, at int64, fields ...string) string {
	h := sha256.New()
	var n [8]byte
	number := func(v int64) { binary.BigEndian.PutUint64(n[:], uint64(v)); h.Write(n[:]) }
	text := func(s string) { number(int64(len(s))); h.Write([]byte(s)) }
	text(prev)
	number(seq)
	number(at)
	for _, f := range fields {
		text(f)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// openIntent reports whether the ledger has a committed intent, without an
// outcome yet, for exactly this call; and how many it has for batch and kind.
func (e *eye) openIntent(batchID, kind, sha256 string) (open bool, all int, err error) {
	err = e.one(`SELECT ifnull(max(i.outcome IS NULL AND i.payload_sha256 = ?), 0), count(*) FROM intents i JOIN batches b ON b.no = i.batch_no
		WHERE b.id = ? AND i.kind = ?`, []any{sha256, batchID, kind}, &open, &all)
	return open, all, err
}
