package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

func TestTheSchemaAsksForALook(t *testing.T) {
	st := tell(t)
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
	permit := fmt.Sprintf(`INSERT INTO attempts (payout_id, number, wire_ref, batch_no) VALUES (%d, 2, '%s', %d);`, used.ID, used.WireRef, st.no(t, planned))
	shows := fmt.Sprintf(`UPDATE batches SET shown = 1 WHERE no = %d;`, st.no(t, st.abandoned))
	allows(t, st.Store, map[string]string{
		"an initiate":                    initiate + move(planned, "initiating"),
		"a submit of what is shown":      submit + move(held, "submitting"),
		"a submit of what is not known":  intent(held, "submit", 1) + look(held, 0, held, "not_known", "{}") + move(held, "submitting"),
		"a submit with another look":     intent(held, "submit", 2) + look(held, 0, "prother", "shown", `{"failed":2}`) + look(held, 1, held, "not_known", "{}") + move(held, "submitting"),
		"a reference that is kept":       permit,
		"a batch that the bank has seen": shows,
	})
	refuses(t, st.Store, map[string]string{
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
		"a look changed":                         initiate + `UPDATE looks SET asked = 'prother'`,
		"a look deleted":                         initiate + `DELETE FROM looks`,
		"a look replaced":                        initiate + `REPLACE INTO looks SELECT * FROM looks`,
		"another number of looks":                initiate + `UPDATE intents SET looks = 2 WHERE looks = 1`,
		"looks forgotten with the outcome":       initiate + `UPDATE intents SET looks = NULL, outcome = 'not_sent', ended_at = 1 WHERE outcome IS NULL`,
		"what was shown, neither nor":            fmt.Sprintf(`UPDATE batches SET shown = 2 WHERE no = %d`, st.no(t, held)),
		"a listing of no name":                   `UPDATE batches SET listed = 'perhaps'`,
		"another planner":                        `UPDATE batches SET planned_with = 1`,
		"an approval that nobody needs now":      `UPDATE batches SET needs_approval = 1 - needs_approval`,
		"set aside what was never held":          move(planned, "set_aside"),
		"set aside what was submitted":           move(st.submitted, "set_aside"),
		"a state that the machine does not know": move(held, "lost"),
	})
	sound(t, st.Store)
}

// What the bank showed is kept with the intent: which ids were looked up, how
// it answered, and how many payouts were shown with which status.
func TestLooksAreKeptAsTheyWere(t *testing.T) {
	s := newStore(t)
	id := load(t, s, "nov", 3, 3)[0].ID
	hold(t, s, id)
	seen := ledger.StatusCheck{BatchID: id, At: at(5), Answer: ledger.LookShown, Closed: true, Complete: true, Payouts: []ledger.Observation{
		{WireRef: "nov-1", Status: ledger.StatusRequestInitiated}, {WireRef: "nov-2", Status: ledger.StatusRequestInitiated}, {WireRef: "nov-3", Status: ledger.StatusRequestInitiated}}}
	apply(t, s, ledger.Step{BatchID: id, From: ledger.BatchHeld, Event: ledger.SubmitIntended, At: at(6), PayloadSHA256: hash("s"), Looks: append(looked("prother"), seen)})
	got := columnOf(t, s.db, `SELECT l.intent_no || ' ' || i.looks || ' ' || place || ' ' || asked || ' ' || answer || ' ' || not_found_status || ' ' || not_found_code || ' ' || complete
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

// A person who only asks what is known waits for no writer, and holds none up.
func TestKnownTakesNoWriteLock(t *testing.T) {
	s := newStore(t)
	id := load(t, s, "nov", 2, 2)[0].ID
	hold(t, s, id)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second) // less than busy_timeout
	defer cancel()
	tx, err := s.write.BeginTx(ctx, nil)
	must(t, err)
	defer tx.Rollback() //nolint:errcheck
	if _, err := tx.Exec(`UPDATE batches SET note = 'seen by nobody'`); err != nil {
		t.Fatal(err)
	}
	k, err := s.BatchRecord(ctx, id)
	if err != nil || k.Batch.State != ledger.BatchHeld || k.Batch.Note != "" || len(k.Attempts) != 2 {
		t.Errorf("next to a writer: %+v, %v", k, err)
	}
	must(t, tx.Commit())
	if _, err := s.BatchRecord(t.Context(), "prnone"); !errors.Is(err, ledger.ErrNotFound) {
		t.Error(err)
	}
	if conns := s.read.Stats().InUse; conns != 0 {
		t.Errorf("%d connections are still in use", conns)
	}
}

// Of many settled batches only those that changed lately are read.
func TestWatchedIsFoundByItsIndex(t *testing.T) {
	plan := queryPlan(t, newStore(t), selectBatch+` WHERE `+isWatched+` ORDER BY b.no`, 1, 1)
	if !strings.Contains(strings.Join(plan, "; "), "USING INDEX batches_watched (updated_at>?)") {
		t.Errorf("%q", plan)
	}
}
