package sqlite

import (
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

// handing is a connection to a ledger of nothing.
func handing(t *testing.T) *sql.Conn {
	t.Helper()
	conn, err := newStore(t).read.Conn(t.Context())
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// walked is all cells of a query.
func walked(t *testing.T, conn *sql.Conn, q Select, args ...any) (rows [][]Cell, err error) {
	t.Helper()
	c, err := walk(t.Context(), sqlReader{conn}, q, args...)
	must(t, err)
	for ; c.more; c.next() {
		rows = append(rows, append([]Cell(nil), c.Cells...))
	}
	return rows, c.close()
}

// TestWhatIsHandedOverIsWhatTheDriverGives: whatever someone wrote into a ledger,
// texts that end early for C among it.
func TestWhatIsHandedOverIsWhatTheDriverGives(t *testing.T) {
	conn := handing(t)
	const from = ` FROM (VALUES (1, 'Asha', NULL), (-9223372036854775808, '', 9223372036854775807), (x'00ff', CAST(x'4100ff42' AS TEXT), 1.5), ('1', 'नमस्ते', 0))
		WHERE typeof(column1) IS NOT ?`
	want, err := walked(t, conn, Select{`column1, column2, column3`, from, false}, "nothing")
	if err != nil || len(want) != 4 || want[2][1].text != "A\x00\xffB" {
		t.Fatalf("%v, %v", want, err)
	}
	got, err := walked(t, conn, Select{`column1, column2, column3`, from, true}, "nothing")
	must(t, err)
	if d := cmp.Diff(want, got, cmp.AllowUnexported(Cell{})); d != "" {
		t.Error(d)
	}
	if none, err := walked(t, conn, Select{`column1`, from + ` AND 0`, true}, "nothing"); err != nil || none != nil {
		t.Errorf("of no rows: %v, %v", none, err)
	}
}

// TestRowsThatAreHandedOverBeforeTheirTurnAreAnError: what is sorted is, and would be
// taken for the rows in another order.
func TestRowsThatAreHandedOverBeforeTheirTurnAreAnError(t *testing.T) {
	rows, err := walked(t, handing(t), Select{`column1`, `FROM (VALUES (3), (1), (2)) ORDER BY random()`, true})
	if !errors.Is(err, ledger.ErrLedgerDamaged) || rows != nil {
		t.Errorf("%v, %v", rows, err)
	}
}

func TestNobodyElseIsHandedRows(t *testing.T) {
	conn := handing(t)
	before := handsUnderWay()
	for _, query := range []string{`SELECT payrun_row()`, `SELECT payrun_row(1, 2)`, `SELECT payrun_row('x')`, `SELECT payrun_row(x'00')`} {
		var n int
		if err := conn.QueryRowContext(t.Context(), query).Scan(&n); err == nil {
			t.Errorf("%s: %d", query, n)
		}
	}
	if _, err := walk(t.Context(), sqlReader{conn}, Select{`nothing`, `FROM nowhere`, true}); err == nil {
		t.Error("no such table, and no error")
	}
	if n := handsUnderWay(); n != before {
		t.Errorf("%d queries are in progress that ended", n-before)
	}
}

func handsUnderWay() (n int) {
	receivers.Range(func(any, any) bool { n++; return true })
	return n
}

// TestAValueOfAnotherKindIsDamage: a payout without an amount is none of nothing.
func TestAValueOfAnotherKindIsDamage(t *testing.T) {
	conn := handing(t)
	for _, c := range []struct {
		values string
		ok     bool
	}{
		{`1, 'A', NULL, 7`, true},
		{`NULL, 'A', NULL, 7`, false},
		{`'1', 'A', NULL, 7`, false},
		{`1, NULL, NULL, 7`, false},
		{`1, 2, NULL, 7`, false},
		{`1, 'A', 'B', 7`, false},
		{`1, x'41', NULL, 7`, false},
	} {
		cur, err := walk(t.Context(), sqlReader{conn}, Select{c.values, ``, false})
		must(t, err)
		var number int64
		var text string
		var at time.Time
		if err := cur.read([]any{&number, &text, moment{&at}, moment{&at}}); (err == nil) != c.ok || err != nil && !errors.Is(err, ledger.ErrLedgerDamaged) {
			t.Errorf("%s: %v", c.values, err)
		}
		if err := cur.close(); err != nil {
			t.Error(err)
		}
	}
}
