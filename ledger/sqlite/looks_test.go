package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

// atSchema8 is a ledger as the program of schema 8 left it, with a batch in
// every state that it knew.
func atSchema8(t *testing.T) (path string, db *sql.DB) {
	t.Helper()
	path = ledgerOfSchema6(t)
	return path, openAt(t, path, 8)
}

// The step that makes the table batches anew once more keeps every row of every
// table. What it adds is told by the rest: which batches the bank has shown, who
// planned them, and from which intent on looks are kept.
func TestLooksComeIntoALedgerAndNoRowChanges(t *testing.T) {
	path, db := atSchema8(t)
	before, schema := rowsOf(t, db), namedOf(t, db)
	planners := columnOf(t, db, `SELECT batch_no || ' ' || actor FROM planners ORDER BY batch_no`)
	columns := map[string]string{}
	for _, table := range []string{"batches", "intents", "ledger"} {
		columns[table] = strings.Join(columnOf(t, db, fmt.Sprintf(`SELECT 'quote(' || name || ')' FROM pragma_table_info('%s')`, table)), ` || ',' || `)
	}
	for table, rows := range before {
		if len(rows) == 0 {
			t.Errorf("%s has no row", table)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	db = openAt(t, path, 9)
	after, now := rowsOf(t, db), namedOf(t, db)
	for table, were := range columns {
		after[table] = columnOf(t, db, fmt.Sprintf(`SELECT %s AS line FROM %s ORDER BY line`, were, table))
	}
	if n := len(after["looks"]); n != 0 {
		t.Errorf("%d looks, of which nothing was known", n)
	}
	delete(after, "looks")
	if n := len(after["batch_transitions"]) - len(before["batch_transitions"]); n != 6 {
		t.Errorf("the machine has %d steps more", n)
	}
	delete(before, "batch_transitions")
	delete(after, "batch_transitions")
	if d := cmp.Diff(before, after); d != "" {
		t.Errorf("(-before +after):\n%s", d)
	}
	var changed []string
	for name, was := range schema {
		if now[name] != was {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	want := []string{"index batches_watched", "table batches", "table intents", "table ledger", "trigger batches_fixed", "view planners"}
	if d := cmp.Diff(want, changed); d != "" {
		t.Errorf("the step changed more of the schema than it says, or less (-want +got):\n%s", d)
	}
	var added []string
	for name := range maps.Keys(now) {
		if _, ok := schema[name]; !ok && strings.HasPrefix(name, "trigger ") {
			added = append(added, name)
		}
	}
	slices.Sort(added)
	want = []string{"trigger batches_looked", "trigger batches_shown", "trigger further_attempts_names", "trigger intents_looked", "trigger intents_looks_fixed",
		"trigger looks_fixed", "trigger looks_kept", "trigger looks_start"}
	if d := cmp.Diff(want, added); d != "" {
		t.Errorf("triggers (-want +got):\n%s", d)
	}
	if d := cmp.Diff(planners, columnOf(t, db, `SELECT batch_no || ' ' || actor FROM planners ORDER BY batch_no`)); d != "" {
		t.Errorf("who planned them (-before +after):\n%s", d)
	}
	if got := columnOf(t, db, `SELECT looked_from - max(no) FROM ledger, intents`); got[0] != "1" {
		t.Errorf("looks are kept from %s after the last intent", got[0])
	}
	// what never left planned, was refused or was given up in doubt was never shown
	unseen := columnOf(t, db, `SELECT b.no || ' ' || b.state FROM batches b WHERE shown = 0
		AND (held_at IS NOT NULL OR submitted_at IS NOT NULL OR state NOT IN ('planned', 'initiating', 'initiate_unknown', 'refused', 'abandoned'))`)
	seen := columnOf(t, db, `SELECT b.no || ' ' || b.state FROM batches b WHERE shown = 1 AND held_at IS NULL AND submitted_at IS NULL
		AND NOT EXISTS (SELECT 1 FROM events WHERE batch_id = b.id AND kind = 'echo_differs')
		AND NOT EXISTS (SELECT 1 FROM attempts a JOIN observations o ON o.payout_id = a.payout_id AND o.number = a.number WHERE a.batch_no = b.no)`)
	if len(unseen) > 0 || len(seen) > 0 {
		t.Errorf("not shown: %v; shown: %v", unseen, seen)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := OpenExclusive(t.Context(), path, Claim{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	sound(t, s)
	err = s.exportIntents(t.Context(), ledger.Export{Intent: func(i ledger.RecordedIntent) error {
		if !i.Looked {
			t.Errorf("intent %d, of a time when looks were not kept, is told to have had none", i.No)
		}
		return nil
	}})
	if err != nil {
		t.Error(err)
	}
}

// A batch that was quarantined and given up under an older schema has been shown.
func TestWhatWasQuarantinedBeforeHasBeenShown(t *testing.T) {
	path, db := atSchema8(t)
	id := columnOf(t, db, `SELECT id FROM batches WHERE state = 'quarantined' AND held_at IS NULL`)[0]
	for _, q := range []string{`UPDATE batches SET state = 'abandoned' WHERE id = '` + id + `'`} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := OpenExclusive(t.Context(), path, Claim{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if !batchOf(t, s, id).Shown {
		t.Error("its references would be used again")
	}
}

// Ledgers that were brought up to date take the new state too.
func TestABatchIsSetAsideAndSeenMoving(t *testing.T) { inBoth(t, aBatchIsSetAsideAndSeenMoving) }

func aBatchIsSetAsideAndSeenMoving(t *testing.T, st story) {
	setAside(t, st)
	apply(t, st.Store, ledger.Step{BatchID: st.unknown, From: ledger.BatchSetAside, Event: ledger.SeenMoving, At: at(21),
		Observed: observe(t, st.Store, st.unknown, ledger.StatusPending, "")})
	if b := batchOf(t, st.Store, st.unknown); b.State != ledger.BatchSubmitted {
		t.Errorf("it is %s", b.State)
	}
	sound(t, st.Store)
}

func TestTheSchemaAsksForALook(t *testing.T) { inBoth(t, theSchemaAsksForALook) }

func theSchemaAsksForALook(t *testing.T, st story) {
	next := `(SELECT max(no) FROM intents)`
	// a planned batch that was made: the retry of the refused one
	planned, held := batchesWith(t, st.Store, ledger.BatchPlanned)[1], st.held
	intent := func(id, kind string, looks any) string {
		return fmt.Sprintf(`INSERT INTO intents (batch_no, kind, payload_sha256, at, looks) VALUES (%d, '%s', '%s', 1, %v);`, st.no(t, id), kind, hash("x"), looks)
	}
	look := func(id string, place int, asked, answer, payouts string) string {
		return fmt.Sprintf(`INSERT INTO looks VALUES (%d, %s, %d, '%s', '%s', 404, '', 1, '%s', 1);`, st.no(t, id), next, place, asked, answer, payouts)
	}
	move := func(id, state string) string {
		return fmt.Sprintf(`UPDATE batches SET state = '%s' WHERE no = %d;`, state, st.no(t, id))
	}
	initiate := intent(planned, "initiate", 1) + look(planned, 0, planned, "not_known", "{}")
	submit := intent(held, "submit", 1) + look(held, 0, held, "shown", `{"request_initiated":2}`)
	used := attemptsOf(t, st.Store, st.abandoned)[0]
	permit := fmt.Sprintf(`INSERT INTO further_attempts VALUES (%d, 2, '%s', %d);`, used.ID, used.WireRef, st.no(t, planned))
	shows := fmt.Sprintf(`UPDATE batches SET shown = 1 WHERE no = %d;`, st.no(t, st.abandoned))
	tried := func(query string) error {
		tx, err := st.write.Begin()
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback() //nolint:errcheck
		_, err = tx.Exec(query)
		return err
	}
	for name, query := range map[string]string{
		"an initiate":                    initiate + move(planned, "initiating"),
		"a submit of what is shown":      submit + move(held, "submitting"),
		"a submit of what is not known":  intent(held, "submit", 1) + look(held, 0, held, "not_known", "{}") + move(held, "submitting"),
		"a submit with another look":     intent(held, "submit", 2) + look(held, 0, "prother", "shown", `{"failed":2}`) + look(held, 1, held, "not_known", "{}") + move(held, "submitting"),
		"a reference that is kept":       permit,
		"a batch that the bank has seen": shows,
	} {
		if err := tried(query); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, query := range map[string]string{
		"an intent without looks":                intent(planned, "initiate", "NULL"),
		"an intent with no looks":                intent(planned, "initiate", 0),
		"an initiate without its look":           intent(planned, "initiate", 1) + move(planned, "initiating"),
		"a submit without its look":              intent(held, "submit", 1) + move(held, "submitting"),
		"an initiate with a look at another":     intent(planned, "initiate", 1) + look(planned, 0, held, "not_known", "{}") + move(planned, "initiating"),
		"an initiate of what is shown":           intent(planned, "initiate", 1) + look(planned, 0, planned, "shown", `{"request_initiated":2}`) + move(planned, "initiating"),
		"a submit of what moves":                 intent(held, "submit", 1) + look(held, 0, held, "shown", `{"request_initiated":1,"pending":1}`) + move(held, "submitting"),
		"a submit of what shows an odd value":    intent(held, "submit", 1) + look(held, 0, held, "shown", `{"ON_HOLD":2}`) + move(held, "submitting"),
		"a look too few":                         intent(held, "submit", 2) + look(held, 0, held, "not_known", "{}") + move(held, "submitting"),
		"a look too many":                        submit + look(held, 1, "prother", "not_known", "{}") + move(held, "submitting"),
		"an initiate on no answer":               intent(planned, "initiate", 1) + look(planned, 0, planned, "unanswered", "{}") + move(planned, "initiating"),
		"a submit on no answer":                  intent(held, "submit", 1) + look(held, 0, held, "unanswered", "{}") + move(held, "submitting"),
		"a look with an answer of no name":       intent(held, "submit", 1) + look(held, 0, held, "perhaps", "{}"),
		"a look at nothing":                      intent(held, "submit", 1) + look(held, 0, "", "not_known", "{}"),
		"a look that is no JSON":                 intent(held, "submit", 1) + look(held, 0, held, "shown", "x"),
		"a look for another batch's call":        intent(held, "submit", 1) + look(planned, 0, held, "not_known", "{}"),
		"a look after the call has begun":        submit + move(held, "submitting") + look(held, 1, held, "not_known", "{}"),
		"a look for a call that is over":         `INSERT INTO looks SELECT batch_no, no, 9, 'x', 'not_known', 404, '', 1, '{}', 1 FROM intents WHERE no = 1`,
		"a look changed":                         initiate + `UPDATE looks SET asked = 'prother'`,
		"a look deleted":                         initiate + `DELETE FROM looks`,
		"a look replaced":                        initiate + `REPLACE INTO looks SELECT * FROM looks`,
		"another number of looks":                initiate + `UPDATE intents SET looks = 2 WHERE looks = 1`,
		"looks forgotten with the outcome":       initiate + `UPDATE intents SET looks = NULL, outcome = 'not_sent', ended_at = 1 WHERE outcome IS NULL`,
		"looks that are said to be older":        `UPDATE ledger SET looked_from = 100`,
		"a reference that is used up":            shows + permit,
		"what was shown, forgotten":              fmt.Sprintf(`UPDATE batches SET shown = 0 WHERE no = %d`, st.no(t, held)),
		"what was shown, neither nor":            fmt.Sprintf(`UPDATE batches SET shown = 2 WHERE no = %d`, st.no(t, held)),
		"a listing of no name":                   `UPDATE batches SET listed = 'perhaps'`,
		"another planner":                        `UPDATE batches SET planned_with = 1`,
		"set aside what was never held":          move(planned, "set_aside"),
		"set aside what was submitted":           move(st.submitted, "set_aside"),
		"a state that the machine does not know": move(held, "lost"),
	} {
		if err := tried(query); err == nil {
			t.Errorf("%s went through", name)
		} else if meaning(err) == ledger.ErrLedgerDamaged || !isConstraint(err) {
			t.Errorf("%s: refused for the wrong reason: %v", name, err)
		}
	}
	sound(t, st.Store)
}

// What the bank showed is kept with the intent: which ids were asked about, how
// it answered, and how many payouts were shown with which status.
func TestLooksAreKeptAsTheyWere(t *testing.T) {
	s := newStore(t)
	id := load(t, s, "nov", 3, 3)[0].ID
	hold(t, s, id)
	seen := ledger.Look{BatchID: id, At: at(5), Answer: ledger.LookShown, Complete: true, Payouts: []ledger.Observation{
		{WireRef: "nov-1", Status: ledger.StatusRequestInitiated}, {WireRef: "nov-2", Status: ledger.StatusRequestInitiated}, {WireRef: "nov-3", Status: ledger.StatusRequestInitiated}}}
	apply(t, s, ledger.Step{BatchID: id, From: ledger.BatchHeld, Event: ledger.SubmitIntended, At: at(6), PayloadSHA256: hash("s"), Looks: append(looked("prother"), seen)})
	got := columnOf(t, s.read, `SELECT l.intent_no || ' ' || i.looks || ' ' || place || ' ' || asked || ' ' || answer || ' ' || word_status || ' ' || word_code || ' ' || complete
		|| ' ' || payouts || ' ' || ((l.at - `+fmt.Sprint(t0.UnixMicro())+`) / 60000000) FROM looks l JOIN intents i ON i.no = l.intent_no ORDER BY l.batch_no, l.intent_no, place`)
	want := []string{
		"1 1 0 " + id + " not_known 404 SVC_CB_FT_014 0 {} 0",
		"2 2 0 prother not_known 404 SVC_CB_FT_014 0 {} 0",
		"2 2 1 " + id + ` shown 0  1 {"request_initiated":3} 5`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	sound(t, s)
}

// Whoever only asks what is known waits for no writer, and holds none up.
func TestKnownTakesNoWriteLock(t *testing.T) {
	s := newStore(t)
	id := load(t, s, "nov", 2, 2)[0].ID
	hold(t, s, id)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second) // less than busy_timeout
	defer cancel()
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback() //nolint:errcheck
	if _, err := tx.Exec(`UPDATE batches SET note = 'seen by nobody'`); err != nil {
		t.Fatal(err)
	}
	k, err := s.Known(ctx, id)
	if err != nil || k.Batch.State != ledger.BatchHeld || k.Batch.Note != "" || len(k.Attempts) != 2 {
		t.Errorf("beside a writer: %+v, %v", k, err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Known(t.Context(), "prnone"); !errors.Is(err, ledger.ErrNotFound) {
		t.Error(err)
	}
	if conns := s.read.Stats().InUse; conns != 0 {
		t.Errorf("%d connections are still in use", conns)
	}
}

// Of many settled batches only those that changed lately are read.
func TestWatchedIsFoundByItsIndex(t *testing.T) {
	s := newStore(t)
	var plan []string
	err := each(t.Context(), s.read, func(rows *sql.Rows) error {
		var id, parent, unused int
		var step string
		err := rows.Scan(&id, &parent, &unused, &step)
		plan = append(plan, step)
		return err
	}, `EXPLAIN QUERY PLAN `+selectBatch+` WHERE `+isWatched+` ORDER BY b.no`, 1, 1)
	if err != nil || !slices.ContainsFunc(plan, func(step string) bool {
		return strings.Contains(step, "USING INDEX batches_watched (updated_at>?)")
	}) {
		t.Errorf("%q, %v", plan, err)
	}
}
