package postgres

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"payrun/ledger"
	"payrun/ledger/postgres/pgtest"
	"payrun/ledger/storetest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

var _ storetest.Store = (*Store)(nil)

var whole = flag.Bool("postgres", false, "every check of the suite, and not one of sixteen")

func TestStore(t *testing.T) {
	for i, c := range storetest.Checks() {
		if *whole || i%16 == 12 {
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				c.Do(t, &place{t: t})
			})
		}
	}
}

// place is a storetest.Opener: a database with a ledger in it.
type place struct {
	t       testing.TB
	url     string // past PgBouncer
	server  *Server
	failing *pgx.Conn // nil while no row is to fail
	at      int
}

// OnServer implements storetest.OnServer.
func (*place) OnServer() {}

// founded has the databases of new ledgers, by how they were made.
var founded struct {
	sync.Mutex
	by map[string]string
}

func (p *place) Create(ctx context.Context, id, actor string, at time.Time) (storetest.Store, error) {
	how := fmt.Sprint(id, actor, at, p.failing != nil)
	template, err := p.template(ctx, how, id, actor, at)
	if err != nil {
		return nil, err
	}
	name, url := pgtest.Database(p.t, template)
	if p.server != nil {
		p.server.Close()
	}
	pgtest.Exec(p.t, url, moved)
	p.url, p.server = url, connect(p.t, as(appRole, pgtest.Pooled(p.t, name)))
	if p.failing != nil {
		if p.failing, err = pgx.Connect(ctx, url); err != nil {
			return nil, err
		}
		conn := p.failing
		p.t.Cleanup(func() { _ = conn.Close(context.Background()) })
	}
	return p.Open(ctx)
}

// template makes a new ledger, once for each way.
func (p *place) template(ctx context.Context, how, id, actor string, at time.Time) (string, error) {
	founded.Lock()
	defer founded.Unlock()
	if name, ok := founded.by[how]; ok {
		return name, nil
	}
	name, url := pgtest.Database(p.t, "")
	server := connect(p.t, url)
	defer server.Close()
	s, err := server.create(ctx, id, actor, at)
	if err != nil {
		return "", err
	}
	if founded.by == nil {
		founded.by = map[string]string{}
		pgtest.Exec(p.t, url, `CREATE ROLE `+appRole+` LOGIN`)
	}
	if _, err := server.Give(ctx, appRole); err != nil {
		return "", err
	}
	if p.failing != nil {
		pgtest.Exec(p.t, url, failing(ctx, p.t, s)...)
	}
	founded.by[how] = name
	return name, nil
}

// appRole is the role of the suite, so that it shows that the role's rights are enough. PgBouncer
// knows it.
const appRole = "payrun_app"

// moved says that the ledger is in this database now, of which it is a copy.
const moved = `SET search_path = payrun; INSERT INTO homes (is_at, at) VALUES (here(), clock())`

// connect names a database for a machine of its own. Its lease is longer than any test.
func connect(t testing.TB, url string) *Server {
	t.Helper()
	return connectBy(t, url, Options{Lease: 10 * time.Minute, Durability: "single", Marks: t.TempDir()})
}

func connectBy(t testing.TB, url string, o Options) *Server {
	t.Helper()
	o.Now = time.Now
	s, err := Connect(url, o)
	must(t, err)
	t.Cleanup(s.Close)
	return s
}

// failing are the statements that give each table a trigger which counts the rows that are
// written, by a sequence: what is rolled back is counted too.
func failing(ctx context.Context, t testing.TB, s *Store) []string {
	list := []string{`CREATE SCHEMA failing`, `CREATE SEQUENCE failing.made`, `CREATE TABLE failing.at (n bigint)`, `INSERT INTO failing.at VALUES (0)`,
		`GRANT USAGE ON SCHEMA failing TO ` + appRole, `GRANT USAGE ON SEQUENCE failing.made TO ` + appRole, `GRANT SELECT ON failing.at TO ` + appRole,
		`CREATE FUNCTION failing.row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF nextval('failing.made') = (SELECT n FROM failing.at) THEN RAISE EXCEPTION 'injected: the row was not written'; END IF;
			IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
			RETURN NEW;
		END $$`}
	rows, err := s.engine.Query(ctx, `SELECT tablename FROM pg_tables WHERE schemaname = 'payrun' AND tablename <> 'runs'`)
	must(t, err)
	for rows.Next() {
		var table string
		must(t, rows.Scan(&table))
		list = append(list, `CREATE TRIGGER aaa_failing BEFORE INSERT OR UPDATE OR DELETE ON payrun.`+table+` FOR EACH ROW EXECUTE FUNCTION failing.row()`)
	}
	return list
}

func (p *place) Open(ctx context.Context) (storetest.Store, error) {
	return asStore(p.server.OpenToWrite(ctx, ledger.Claim{Wait: time.Minute}))
}

func (p *place) OpenSecond(ctx context.Context) (storetest.Store, error) { return p.Open(ctx) }

func (p *place) View(ctx context.Context) (storetest.Store, error) {
	return asStore(p.server.Open(ctx))
}

func (p *place) Import(ctx context.Context, fold func(string) string, give func(ledger.Export) (ledger.AuditHead, error)) (storetest.Store, error) {
	name, _ := pgtest.Database(p.t, "")
	server := connect(p.t, pgtest.Pooled(p.t, name))
	if _, err := server.Import(ctx, fold, give); err != nil {
		return nil, err
	}
	return asStore(server.Open(ctx))
}

// Lapse gives the calls in progress to a run that is not there. The runs themselves go on.
func (p *place) Lapse() {
	pgtest.Exec(p.t, p.url, `SET session_replication_role = replica; UPDATE payrun.intents SET run = 'over' WHERE outcome IS NULL`)
}

func asStore(s *Store, err error) (storetest.Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (p *place) FailAt(n int) {
	if p.at = n; p.failing == nil {
		p.failing = &pgx.Conn{} // Create opens it
		return
	}
	_, err := p.failing.Exec(context.Background(), fmt.Sprintf(`SELECT setval('failing.made', 1, false); UPDATE failing.at SET n = %d`, n))
	must(p.t, err)
}

func (p *place) Failed() bool {
	if p.failing == nil || p.at == 0 {
		return false
	}
	var last int64
	var called bool
	must(p.t, p.failing.QueryRow(context.Background(), `SELECT last_value, is_called FROM failing.made`).Scan(&last, &called))
	if !called || last < int64(p.at) {
		return false
	}
	p.FailAt(0)
	return true
}

func TestQueriesAreTranslated(t *testing.T) {
	for query, want := range map[string]string{
		`SELECT ifnull(a, ?), max(b) FROM t INDEXED BY t_by_a CROSS JOIN u ON u.a = t.a WHERE max(a, ifnull(b, ?1)) < ?3 AND c = '?' AND d = ?`: `SELECT coalesce(a, $1), max(b) FROM t JOIN u ON u.a = t.a WHERE max(a, coalesce(b, $1)) < $3 AND c = '?' AND d = $4`,
		`SELECT min(a) FROM t NOT INDEXED`: `SELECT min(a) FROM t`,
	} {
		if got := translate(query); got != want {
			t.Errorf("%s\n%s, want\n%s", query, got, want)
		}
	}
	if strings.Contains(translate(`x < ? || char(1114111)`), " char(") {
		t.Error("char")
	}
}
