package connect

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"path/filepath"
	"testing"
)

// open gives a pool of one connection, and that connection.
func open(t *testing.T) (*sql.DB, *keepingConn) {
	t.Helper()
	var conn *keepingConn
	ctx := With(t.Context(), func(ctx context.Context, dsn string) (Conn, error) {
		c, err := Open(ctx, dsn)
		if err == nil {
			conn = c.(*keepingConn)
		}
		return c, err
	})
	db := Pool(ctx, "file:"+filepath.Join(t.TempDir(), "x.db"), 1)
	t.Cleanup(func() { _ = db.Close() })
	must(t, db, `CREATE TABLE t (n INTEGER PRIMARY KEY)`)
	return db, conn
}

func must(t *testing.T, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func TestAStatementIsCompiledOnce(t *testing.T) {
	db, conn := open(t)
	for n := range 3 {
		must(t, db, `INSERT INTO t (n) VALUES (?)`, n)
	}
	var n int
	for range 3 {
		if err := db.QueryRow(`SELECT count(*) FROM t`).Scan(&n); err != nil || n != 3 {
			t.Fatalf("%d rows, %v", n, err)
		}
	}
	if len(conn.kept) != 2 {
		t.Errorf("%d statements are kept, want 2", len(conn.kept))
	}
}

func TestAStatementWhoseRowsAreReadIsCompiledAgain(t *testing.T) {
	db, _ := open(t)
	must(t, db, `INSERT INTO t (n) VALUES (1), (2), (3)`)
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	read := func(r *sql.Rows, err error) (seen []int) {
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for r.Next() {
			var n int
			if err := r.Scan(&n); err != nil {
				t.Fatal(err)
			}
			seen = append(seen, n)
		}
		return seen
	}
	const query = `SELECT n FROM t ORDER BY n`
	outer, err := conn.QueryContext(t.Context(), query)
	if err != nil || !outer.Next() {
		t.Fatal(err)
	}
	if inner := read(conn.QueryContext(t.Context(), query)); fmt.Sprint(inner) != "[1 2 3]" {
		t.Errorf("inside %v", inner)
	}
	if rest := read(outer, nil); fmt.Sprint(rest) != "[2 3]" {
		t.Errorf("the others outside %v", rest)
	}
	if again := read(conn.QueryContext(t.Context(), query)); fmt.Sprint(again) != "[1 2 3]" {
		t.Errorf("afterwards %v", again)
	}
}

func TestAFailedStatementIsGoodForTheNext(t *testing.T) {
	db, _ := open(t)
	for i, n := range []int{1, 1, 2} {
		if _, err := db.Exec(`INSERT INTO t (n) VALUES (?)`, n); (err != nil) != (i == 1) {
			t.Errorf("insert %d of %d: %v", i, n, err)
		}
	}
	var n int
	if err := db.QueryRow(`SELECT count(*) FROM t`).Scan(&n); err != nil || n != 2 {
		t.Errorf("%d rows, %v", n, err)
	}
}

func TestAKeptStatementSeesAnotherSchema(t *testing.T) {
	db, _ := open(t)
	must(t, db, `INSERT INTO t (n) VALUES (1)`)
	must(t, db, `CREATE TABLE u (n)`)
	must(t, db, `CREATE TRIGGER copied AFTER INSERT ON t BEGIN INSERT INTO u VALUES (new.n); END`)
	must(t, db, `INSERT INTO t (n) VALUES (2)`)
	must(t, db, `INSERT INTO t (n) VALUES (1) ON CONFLICT DO NOTHING`)
	var n int
	if err := db.QueryRow(`SELECT count(*) FROM u`).Scan(&n); err != nil || n != 1 {
		t.Errorf("the trigger wrote %d rows, %v", n, err)
	}
}

// A pragma that sets something does so when it is compiled: kept, it would do
// it once.
func TestAPragmaWorksEachTime(t *testing.T) {
	db, conn := open(t)
	for _, want := range []int{0, 1, 0, 1} {
		must(t, db, map[int]string{0: `PRAGMA foreign_keys = OFF`, 1: `PRAGMA foreign_keys = ON`}[want])
		var got int
		if err := db.QueryRow(`PRAGMA foreign_keys`).Scan(&got); err != nil || got != want {
			t.Errorf("foreign keys %d, want %d: %v", got, want, err)
		}
	}
	if len(conn.kept) != 0 {
		t.Errorf("kept: %v", conn.kept)
	}
}

func TestWhatIsKeptIsBounded(t *testing.T) {
	db, conn := open(t)
	for n := range keptAtMost + 20 {
		must(t, db, fmt.Sprintf(`INSERT INTO t (n) VALUES (%d)`, n))
	}
	must(t, db, `INSERT INTO t (n) VALUES (-2); INSERT INTO t (n) VALUES (-3)`)
	var n int
	if err := db.QueryRow(`SELECT count(*) FROM t`).Scan(&n); err != nil || n != keptAtMost+22 {
		t.Errorf("%d rows, %v", n, err)
	}
	if len(conn.kept) != keptAtMost {
		t.Errorf("%d statements are kept, want %d", len(conn.kept), keptAtMost)
	}
}

func TestAPreparedStatementIsLentAndGivenBack(t *testing.T) {
	_, conn := open(t)
	const query = `SELECT n FROM t`
	first, err := conn.PrepareContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	second, err := conn.PrepareContext(t.Context(), query) // while the kept one is lent
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []driver.Stmt{first, second} {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if k := conn.kept[query]; k == nil || k.busy {
		t.Errorf("kept: %+v", k)
	}
}
