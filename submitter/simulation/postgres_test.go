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
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"payrun/ledger"
	"payrun/ledger/postgres"
	"payrun/ledger/postgres/pgtest"
)

func init() { stores["postgres"] = newServerHome }

// serverHome has its ledgers in a database of its own, which is made again for each history.
type serverHome struct {
	t        testing.TB
	name     string // of the database
	history  *history
	machines []*machine
	shown    time.Time // the last time that the ledger's clock was set to
	other    *serverHome
	copies   int
}

var _ sharedHome = (*serverHome)(nil)

// machine is one machine that has the ledger open.
type machine struct {
	marks  string        // the folder of its high-water marks
	wrong  time.Duration // by how much its clock is ahead
	fast   atomic.Int64  // how much more while there is no server, so that waiting for one ends soon
	server *postgres.Server
	proxy  *pgtest.Proxy
}

// wrong is by how much the machines' clocks are wrong. It must not matter.
var wrong = [machines]time.Duration{-26 * time.Hour, 0, 90 * 24 * time.Hour}

// template names two databases, each with a new ledger, from which the others are made.
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
	h := newPlace(t)
	h.other = newPlace(t)
	return h
}

func newPlace(t testing.TB) *serverHome {
	t.Helper()
	h := &serverHome{t: t}
	var url string
	h.name, url = pgtest.Database(t, "")
	for _, by := range wrong {
		h.machines = append(h.machines, &machine{marks: t.TempDir(), wrong: by, proxy: pgtest.NewProxy(t, url)})
	}
	return h
}

// newDatabase makes a database with a new ledger.
func newDatabase(t testing.TB) string {
	t.Helper()
	name, url := pgtest.Database(t, "")
	server, err := postgres.Connect(url, postgres.Options{Now: time.Now, Lease: lease, Durability: "single", Marks: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if _, err := server.Create(t.Context(), "asha", t0); err != nil {
		t.Fatal(err)
	}
	pgtest.Exec(t, url, `CREATE OR REPLACE FUNCTION payrun.clock() RETURNS bigint LANGUAGE sql VOLATILE AS
		$$ SELECT pg_read_file(current_setting('data_directory') || '/clock-' || current_database())::bigint $$`)
	return name
}

func (h *serverHome) url() string { return pgtest.URL(h.t, h.name) }

// exec runs statements as the server's administrator.
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

// becomes makes a database from another one, which has no connections.
func (h *serverHome) becomes(name, from string) error {
	return h.exec("postgres", fmt.Sprintf(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname IN ('%s', '%s')`, name, from),
		`DROP DATABASE IF EXISTS `+name, `CREATE DATABASE `+name+` TEMPLATE `+from)
}

// moved makes the ledger accept this database as the one where it always was.
func (h *serverHome) moved() error {
	return h.exec(h.name, `SET search_path = payrun`, `INSERT INTO homes (is_at, at) VALUES (here(), 1)`)
}

func (h *serverHome) begin(of *history) error {
	h.history, h.other.history = of, of
	h.tick(of.now())
	h.other.tick(of.now())
	return errors.Join(h.forget(), h.becomes(h.name, template.name), h.moved())
}

func (h *serverHome) end() error {
	h.leave()
	h.other.leave()
	return nil
}

// leave closes the connections of a machine.
func (m *machine) leave() {
	if m.server != nil {
		m.server.Close()
	}
	m.server = nil
}

// tick sets the ledger's clock.
func (h *serverHome) tick(now time.Time) {
	if now.Equal(h.shown) {
		return
	}
	h.shown = now
	if err := pgtest.WriteFile(h.t, "clock-"+h.name, strconv.FormatInt(now.UnixMicro(), 10)); err != nil {
		h.history.found("setting the ledger's clock: %v", err)
	}
}

// serverStore is the real store, as one process uses it.
type serverStore struct {
	*postgres.Store
	of *process
	m  *machine
	by *postgres.Server // through the machine's proxy; nil if it uses the machine's own connections
}

// Close ends the run. A process that died leaves its run to the lease.
func (s serverStore) Close() error {
	if s.by == nil {
		if s.of.dead {
			s.m.leave()
		}
		return s.Store.Close()
	}
	if s.of.dead {
		s.by.Close()
	}
	err := s.Store.Close()
	s.m.proxy.Lose(0, false, false)
	s.by.Close()
	return err
}

// arm lets the process lose a COMMIT.
func (s serverStore) arm() {
	c, n := &s.of.cut, s.of.cut.at
	if c.first {
		c.first, n = false, 1
	}
	if c.hangs {
		s.m.proxy.Delay(n)
	} else {
		s.m.proxy.Lose(n, c.after, c.gone)
	}
}

func (h *serverHome) connect(m *machine, url string) (*postgres.Server, error) {
	m.fast.Store(0)
	now := func() time.Time {
		if m.proxy.Gone() {
			m.fast.Add(int64(lease / 20))
		}
		return time.Now().Add(h.history.ahead + m.wrong + time.Duration(m.fast.Load()))
	}
	return postgres.Connect(url, postgres.Options{Now: now, Lease: lease, Durability: "single", Marks: m.marks})
}

func (h *serverHome) open(p *process) (_ store, err error) {
	s := serverStore{of: p, m: h.machines[p.machine]}
	server := s.m.server
	if c := p.cut; c.at > 0 {
		if s.by, err = h.connect(s.m, s.m.proxy.URL); err != nil {
			return nil, err
		}
		if server = s.by; !c.first {
			s.arm()
		}
	} else if server == nil {
		if server, err = h.connect(s.m, h.url()); err != nil {
			return nil, err
		}
		s.m.server = server
	}
	s.Store, err = server.OpenToWrite(context.Background(), ledger.Claim{Holder: ledger.Holder{Host: "machine", PID: p.number, Person: p.actor}})
	if err != nil && s.by != nil {
		s.m.proxy.Lose(0, false, false)
		s.by.Close()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// unlock ends the leases of the processes that have the ledger.
func (h *serverHome) unlock() error { return h.lapse(&process{}, true) }

func (h *serverHome) lapse(p *process, others bool) error {
	which := "="
	if others {
		which = "<>"
	}
	return h.exec(h.name, fmt.Sprintf(`UPDATE payrun.runs SET until = 0 WHERE ended IS NULL AND pid %s %d`, which, p.number))
}

func (h *serverHome) anywhere() error {
	return h.exec(h.name, `SET search_path = payrun`, `CREATE OR REPLACE FUNCTION here() RETURNS ctext LANGUAGE sql STABLE AS $$ SELECT 'anywhere'::ctext $$`,
		`INSERT INTO homes (is_at, at) SELECT 'anywhere', 1 WHERE NOT EXISTS (SELECT 1 FROM homes WHERE is_at = 'anywhere')`)
}

// files returns the machine's marks.
func (m *machine) files() []string {
	found, _ := filepath.Glob(filepath.Join(m.marks, "*")) // the pattern is a constant
	return found
}

// serverCopy is the name of a database, and the marks of each machine when it was copied.
type serverCopy struct {
	name  string
	marks [machines]map[string][]byte
}

func (h *serverHome) copied() (any, error) {
	h.copies++
	c := serverCopy{name: h.name + "copy" + strconv.Itoa(h.copies%2)}
	for i, m := range h.machines {
		c.marks[i] = map[string][]byte{}
		for _, path := range m.files() {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			c.marks[i][filepath.Base(path)] = text
		}
	}
	h.leave()
	return c, h.becomes(c.name, h.name)
}

func (h *serverHome) restore(copied any) error {
	h.leave()
	return h.becomes(h.name, copied.(serverCopy).name)
}

func (h *serverHome) putBack(copied any) error { return errors.Join(h.restore(copied), h.moved()) }

// leave closes the connections of all machines.
func (h *serverHome) leave() {
	for _, m := range h.machines {
		m.leave()
	}
}

func (h *serverHome) second() home { return h.other }

// place puts a copy there that does not know that it is one, as a copy of a whole machine.
func (h *serverHome) place(copied any) error {
	if copied == nil {
		return errors.Join(h.forget(), h.becomes(h.name, template.another), h.moved())
	}
	c := copied.(serverCopy)
	err := errors.Join(h.forget(), h.becomes(h.name, c.name), h.moved())
	for i, marks := range c.marks {
		for name, text := range marks {
			err = errors.Join(err, os.WriteFile(filepath.Join(h.machines[i].marks, name), text, 0o600))
		}
	}
	return err
}

// lose does nothing: a new ledger in the database is one that this machine never saw, and it has its own
// marks.
func (h *serverHome) lose() (noticed bool, err error) { return false, nil }

func (h *serverHome) change(from, to string) error {
	return h.exec(h.name, `SET session_replication_role = replica`, fmt.Sprintf(`UPDATE payrun.payouts SET bank_account_number = replace(bank_account_number, '%s', '%s')`, from, to))
}

func (h *serverHome) forget() (err error) {
	for _, m := range h.machines {
		for _, path := range m.files() {
			err = errors.Join(err, os.Remove(path))
		}
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

// serverTables runs the queries of a view.
type serverTables struct{ *pgx.Conn }

var dialect = strings.NewReplacer("ifnull(", "coalesce(")

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
