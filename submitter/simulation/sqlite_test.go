package simulation

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"payrun/ledger"
	"payrun/ledger/sqlite"
	"payrun/ledger/sqlite/sqlitetest"
)

// sqliteHome has SQLite ledgers at one path. Its connections stay open from
// process to process and from history to history; each ledger is the same
// file, given back its first content.
type sqliteHome struct {
	path  string
	slate *sqlitetest.Slate
	rows  *sqlitetest.Rows
	other *sqliteHome
}

// firstLedger is a ledger as Create makes it, so that a history need not;
// anotherLedger takes its place where it is lost.
var (
	firstLedger   = sync.OnceValues(newLedger)
	anotherLedger = sync.OnceValues(newLedger)
)

func newLedger() ([]byte, error) {
	dir, err := os.MkdirTemp("", "payrun")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "template.db")
	s, err := sqlite.Create(context.Background(), path, "asha", t0)
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil { // leaves one file, its log folded in
		return nil, err
	}
	if err := withSmallPages(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// withSmallPages makes SQLite's pages a quarter as long as a ledger's are: they
// are good for a million payouts, and these have ten.
func withSmallPages(path string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	_, err = db.Exec(`PRAGMA journal_mode = DELETE; PRAGMA page_size = 4096; VACUUM; PRAGMA journal_mode = WAL`)
	return errors.Join(err, db.Close())
}

func newSQLiteHome(t testing.TB) home {
	t.Helper()
	dir := sqlitetest.Folder(t)
	h := &sqliteHome{path: filepath.Join(dir, "payrun.db"), other: &sqliteHome{path: filepath.Join(dir, "other.db")}}
	h.slate, h.other.slate = sqlitetest.NewSlate(h.path), sqlitetest.NewSlate(h.other.path)
	t.Cleanup(func() {
		if err := h.other.slate.Close(); err != nil {
			t.Errorf("closing connections: %v", err)
		}
		if h.rows != nil {
			h.rows.Forget()
		}
		if err := h.slate.Close(); err != nil {
			t.Errorf("closing connections: %v", err)
		}
	})
	return h
}

func (h *sqliteHome) context() context.Context { return h.slate.Context(context.Background()) }

func (h *sqliteHome) begin() error {
	if err := h.failRow(0); err != nil {
		return err
	}
	file, err := firstLedger()
	if err != nil {
		return err
	}
	return h.slate.Wipe(h.context(), file)
}

func (h *sqliteHome) open() (store, error) {
	s, err := sqlite.OpenExclusive(h.context(), h.path, ledger.Claim{})
	if err != nil {
		return nil, err
	}
	return sqliteStore{s, h}, nil
}

func (h *sqliteHome) unlock() error { return os.Remove(h.path + ".lock") }

func (h *sqliteHome) look() (view, error) {
	db, err := h.slate.Reader()
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // whose data_version tells what others committed
	version, err := db.Prepare(`PRAGMA data_version`)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return sqliteView{db, version}, nil
}

// sqliteCopy is a ledger and the mark beside it.
type sqliteCopy struct{ file, mark []byte }

func (h *sqliteHome) copied() (any, error) {
	file, err := h.slate.File(h.context())
	if err != nil {
		return nil, err
	}
	mark, err := os.ReadFile(h.path + ".head")
	return sqliteCopy{file, mark}, err
}

func (h *sqliteHome) restore(copied any) error {
	return h.slate.Replace(h.context(), copied.(sqliteCopy).file)
}

func (h *sqliteHome) beside() home { return h.other }

func (h *sqliteHome) place(copied any) error {
	if copied == nil {
		file, err := anotherLedger()
		if err != nil {
			return err
		}
		return h.slate.Wipe(h.context(), file)
	}
	c := copied.(sqliteCopy)
	if err := h.slate.Wipe(h.context(), c.file); err != nil {
		return err
	}
	return os.WriteFile(h.path+".head", c.mark, 0o600)
}

func (h *sqliteHome) lose() error {
	file, err := anotherLedger()
	if err != nil {
		return err
	}
	return h.slate.Replace(h.context(), file)
}

func (h *sqliteHome) change(from, to string) error {
	file, err := h.slate.File(h.context())
	if err != nil {
		return err
	}
	other := bytes.ReplaceAll(file, []byte(from), []byte(to))
	if len(other) != len(file) || bytes.Equal(other, file) {
		return fmt.Errorf("%q cannot be changed into %q in place", from, to)
	}
	return h.slate.Replace(h.context(), other)
}

func (h *sqliteHome) forget() error { return os.Remove(h.path + ".head") }

// sqliteStore is the real store.
type sqliteStore struct {
	*sqlite.Store
	home *sqliteHome
}

func (s sqliteStore) Verify(ctx context.Context) ([]ledger.Problem, error) {
	return s.Store.Verify(s.home.slate.Context(ctx))
}

// sqliteView looks through a connection that only reads.
type sqliteView struct {
	db          *sql.DB
	dataVersion *sql.Stmt
}

func (v sqliteView) id() (id string, err error) {
	return id, v.db.QueryRow(`SELECT id FROM ledger`).Scan(&id)
}

func (v sqliteView) version() (n int64, err error) {
	return n, v.dataVersion.QueryRow().Scan(&n)
}

func (v sqliteView) snapshot() (snapshot, error) {
	s := snapshot{batches: map[int64]seenBatch{}}
	batches := v.each(func(r *sql.Rows) error {
		var b seenBatch
		err := r.Scan(&b.no, &b.id, &b.state, &b.partner, &b.kind, &b.lei, &b.count, &b.total, &b.person, &b.needs, &b.note, &b.accountID, &b.sequence, &b.tries, &b.heldAt, &b.changed)
		s.batches[b.no] = b
		return err
	}, `SELECT b.no, b.id, b.state, b.partner_bank_id, b.kind, b.bene_lei, b.count, b.total, (b.attention <> ''), b.needs_approval, b.note, r.bank_account_id, b.sequence, b.otp_tries, ifnull(b.held_at, 0), b.updated_at
		FROM batches b JOIN routes r ON r.no = b.route_no`)
	attempts := v.each(func(r *sql.Rows) error {
		var a seenAttempt
		err := r.Scan(&a.payoutID, &a.number, &a.batchNo, &a.state, &a.ref, &a.status, &a.failed, &a.amount, &a.payee, &a.benefic)
		s.attempts = append(s.attempts, a)
		return err
	}, `SELECT a.payout_id, a.number, a.batch_no, a.state, ifnull(a.wire_ref, p.ref), ifnull(a.status, ''), ifnull(a.failed_reads, 0), ifnull(c.amount, p.amount), ifnull(c.bank_account_number, p.bank_account_number),
		ifnull(p.open_beneficiary_id, '') FROM every_attempt a JOIN payouts p ON p.id = a.payout_id
		LEFT JOIN corrections c ON c.payout_id = a.payout_id AND c.number = (SELECT max(l.number) FROM corrections l WHERE l.payout_id = a.payout_id AND l.number <= a.number) ORDER BY a.payout_id, a.number`)
	intents := v.each(func(r *sql.Rows) error {
		var i seenIntent
		err := r.Scan(&i.batchNo, &i.kind, &i.outcome)
		s.intents = append(s.intents, i)
		return err
	}, `SELECT batch_no, kind, ifnull(outcome, '') FROM intents ORDER BY no`)
	return s, errors.Join(batches, attempts, intents)
}

func (v sqliteView) events(after int64, each func(event) error) error {
	return v.each(func(r *sql.Rows) error {
		var e event
		if err := r.Scan(&e.seq, &e.at, &e.actor, &e.kind, &e.sheet, &e.batch, &e.detail, &e.digest, &e.stands, &e.hash); err != nil {
			return err
		}
		return each(e)
	}, `SELECT seq, at, actor, kind, sheet_id, batch_id, detail, digest, stands, hash FROM events WHERE seq > ? ORDER BY seq`, after)
}

func (v sqliteView) intents(batchID, kind, payloadSHA256 string) (open bool, all int, err error) {
	return open, all, v.db.QueryRow(`SELECT ifnull(max(i.outcome IS NULL AND i.payload_sha256 = ?), 0), count(*) FROM intents i JOIN batches b ON b.no = i.batch_no
		WHERE b.id = ? AND i.kind = ?`, payloadSHA256, batchID, kind).Scan(&open, &all)
}

func (v sqliteView) approved(batchID, payloadSHA256 string) (yes bool, err error) {
	return yes, v.db.QueryRow(`SELECT EXISTS (SELECT 1 FROM batches b JOIN approvals a ON a.batch_no = b.no JOIN planners p ON p.batch_no = b.no
		WHERE b.id = ? AND a.payload_sha256 = ? AND a.actor <> p.actor)`, batchID, payloadSHA256).Scan(&yes)
}

func (v sqliteView) sheet(sha256 string) (s recordedSheet, found bool, err error) {
	err = v.db.QueryRow(`SELECT s.row_count, s.accepted_total, count(*), sum(p.amount) FROM sheets s JOIN payouts p ON p.sheet_no = s.no WHERE s.sha256 = ? GROUP BY s.no`, sha256).
		Scan(&s.rows, &s.accepted, &s.payouts, &s.total)
	if errors.Is(err, sql.ErrNoRows) {
		return s, false, nil
	}
	return s, err == nil, err
}

func (v sqliteView) each(fn func(*sql.Rows) error, query string, args ...any) error {
	rows, err := v.db.Query(query, args...)
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

func (v sqliteView) close() error { return errors.Join(v.dataVersion.Close(), v.db.Close()) }
