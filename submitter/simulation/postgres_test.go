package simulation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"payrun/ledger"
	"payrun/ledger/postgres"
	"payrun/ledger/postgres/pgtest"
)

func init() { stores["postgres"] = newServerHome }

// serverHome has ledgers in a database of its own, which each history makes again.
type serverHome struct {
	t      testing.TB
	name   string // of the database
	marks  string // the folder of this machine's marks
	other  *serverHome
	ends   int // how often a second process was let in
	copies int
}

// template are databases with a new ledger each, from which the others are made.
var template struct {
	sync.Mutex
	name, another string
}

func newServerHome(t testing.TB) home {
	t.Helper()
	template.Lock()
	defer template.Unlock()
	if template.name == "" {
		template.name, template.another = newDatabase(t), newDatabase(t)
	}
	h := &serverHome{t: t, marks: t.TempDir()}
	h.other = &serverHome{t: t, marks: t.TempDir()}
	h.name, _ = pgtest.Database(t, "")
	h.other.name, _ = pgtest.Database(t, "")
	return h
}

// newDatabase makes one with a new ledger.
func newDatabase(t testing.TB) string {
	t.Helper()
	name, url := pgtest.Database(t, "")
	server, err := postgres.Connect(url, options(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if _, err := server.Create(t.Context(), "asha", t0); err != nil {
		t.Fatal(err)
	}
	return name
}

// options are those of a machine. Its lease is longer than a history: what ends it is said
// by unlock.
func options(marks string) postgres.Options {
	return postgres.Options{Now: time.Now, Lease: 10 * time.Minute, Durability: "single", Marks: marks}
}

func (h *serverHome) url() string { return pgtest.URL(h.t, h.name) }

// exec does statements as a person does who administers the server.
func (h *serverHome) exec(database string, statements ...string) error {
	conn, err := pgx.Connect(context.Background(), pgtest.URL(h.t, database))
	if err != nil {
		return err
	}
	for _, s := range statements {
		if _, err = conn.Exec(context.Background(), s); err != nil {
			err = fmt.Errorf("%s: %w", s, err)
			break
		}
	}
	return errors.Join(err, conn.Close(context.Background()))
}

// becomes makes a database from another one, to which no one is connected.
func (h *serverHome) becomes(name, from string) error {
	return h.exec("postgres", fmt.Sprintf(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname IN ('%s', '%s')`, name, from),
		`DROP DATABASE IF EXISTS `+name, `CREATE DATABASE `+name+` TEMPLATE `+from)
}

// moved has the ledger take its database for the one where it always was.
func (h *serverHome) moved() error {
	return h.exec(h.name, `SET search_path = payrun`, `INSERT INTO homes (is_at, at) VALUES (here(), 1)`)
}

func (h *serverHome) begin() error {
	return errors.Join(h.forget(), h.becomes(h.name, template.name), h.moved())
}

// serverStore is the real store, and its connections.
type serverStore struct {
	*postgres.Store
	server *postgres.Server
}

func (s serverStore) Close() error {
	defer s.server.Close()
	return s.Store.Close()
}

func (h *serverHome) open() (store, error) {
	server, err := postgres.Connect(h.url(), options(h.marks))
	if err != nil {
		return nil, err
	}
	s, err := server.OpenToWrite(context.Background(), ledger.Claim{})
	if err != nil {
		server.Close()
		return nil, err
	}
	return serverStore{s, server}, nil
}

// unlock ends the leases of those who have the ledger, every second time.
func (h *serverHome) unlock() error {
	if h.ends++; h.ends%2 == 0 {
		return nil
	}
	return h.exec(h.name, `UPDATE payrun.runs SET until = 0 WHERE ended IS NULL`)
}

func (h *serverHome) markFiles() []string {
	found, _ := filepath.Glob(filepath.Join(h.marks, "*")) // the pattern is a constant
	return found
}

// serverCopy is the name of a database, and this machine's marks when it was made.
type serverCopy struct {
	name  string
	marks map[string][]byte
}

func (h *serverHome) copied() (any, error) {
	h.copies++
	c := serverCopy{h.name + "copy" + strconv.Itoa(h.copies%2), map[string][]byte{}}
	for _, path := range h.markFiles() {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		c.marks[filepath.Base(path)] = text
	}
	return c, h.becomes(c.name, h.name)
}

func (h *serverHome) restore(copied any) error { return h.becomes(h.name, copied.(serverCopy).name) }

func (h *serverHome) beside() home { return h.other }

// place puts a copy there which does not know that it is one, as that of a whole machine.
func (h *serverHome) place(copied any) error {
	if copied == nil {
		return errors.Join(h.forget(), h.becomes(h.name, template.another), h.moved())
	}
	c := copied.(serverCopy)
	err := errors.Join(h.forget(), h.becomes(h.name, c.name), h.moved())
	for name, text := range c.marks {
		err = errors.Join(err, os.WriteFile(filepath.Join(h.marks, name), text, 0o600))
	}
	return err
}

// lose does nothing: a new ledger in the database is one that this machine never saw, and
// it has its own marks.
func (h *serverHome) lose() (noticed bool, err error) { return false, nil }

func (h *serverHome) change(from, to string) error {
	return h.exec(h.name, `SET session_replication_role = replica`, fmt.Sprintf(`UPDATE payrun.payouts SET bank_account_number = replace(bank_account_number, '%s', '%s')`, from, to))
}

func (h *serverHome) forget() (err error) {
	for _, path := range h.markFiles() {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

func (h *serverHome) failRow(at int) error {
	if at == 0 {
		return nil
	}
	return errors.ErrUnsupported
}

func (h *serverHome) failedRow() bool { return false }

func (h *serverHome) look() (view, error) {
	conn, err := pgx.Connect(context.Background(), h.url())
	if err != nil {
		return nil, err
	}
	_, err = conn.Exec(context.Background(), `SET search_path = payrun`)
	return tableView{serverTables{conn}}, err
}

// serverTables does the queries of a view.
type serverTables struct{ *pgx.Conn }

var dialect = strings.NewReplacer("ifnull(", "coalesce(", "FROM every_attempt a", `FROM (SELECT payout_id, number, batch_no, state, wire_ref, status, bank_status_code, failed_reads FROM attempts
	UNION ALL SELECT m.value::bigint, 1, b.no, 'planned', NULL, NULL, NULL, NULL FROM batches b, json_each(b.members) m WHERE b.made = 0) a`)

func (s serverTables) query(query string, args ...any) (rows, error) {
	query = dialect.Replace(query)
	for i := range args {
		query = strings.Replace(query, "?", "$"+strconv.Itoa(i+1), 1)
	}
	r, err := s.Conn.Query(context.Background(), query, args...)
	return serverRows{r}, err
}

func (s serverTables) version() (n int64, err error) {
	return n, s.QueryRow(context.Background(), `SELECT seq * 4294967296 + hashtext(hash) FROM events ORDER BY seq DESC LIMIT 1`).Scan(&n)
}

func (s serverTables) close() error { return s.Conn.Close(context.Background()) }

type serverRows struct{ pgx.Rows }

func (r serverRows) Close() error { r.Rows.Close(); return nil }
