package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"payrun/ledger"
	"payrun/ledger/storetest"
)

// story is a ledger with a batch in each of the stations that matter.
type story struct {
	*Store
	planned, held, submitted, settled, abandoned, quarantined, refused, unknown string
}

func tell(t testing.TB) story {
	t.Helper()
	st := story{Store: newStore(t)}
	told := storetest.Tell(t, st.Store)
	st.planned, st.held, st.submitted, st.settled = told.Planned, told.Held, told.Submitted, told.Settled
	st.abandoned, st.quarantined, st.refused, st.unknown = told.Abandoned, told.Quarantined, told.Refused, told.Unknown
	sound(t, st.Store)
	return st
}

// no gives a batch's number.
func (st story) no(t testing.TB, id string) int64 {
	t.Helper()
	b, err := batchByID(t.Context(), st.db, id)
	must(t, err)
	return b.no
}

// tried is what the schema says of statements, of which nothing stays.
func tried(t *testing.T, s *Store, query string) error {
	t.Helper()
	tx, err := s.write.Begin()
	must(t, err)
	defer tx.Rollback() //nolint:errcheck
	_, err = tx.Exec(query)
	return err
}

func allows(t *testing.T, s *Store, queries map[string]string) {
	t.Helper()
	for name, query := range queries {
		if err := tried(t, s, query); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// refuses holds that each is refused, and for what is wrong with it.
func refuses(t *testing.T, s *Store, queries map[string]string) {
	t.Helper()
	for name, query := range queries {
		if err := tried(t, s, query); err == nil {
			t.Errorf("%s went through", name)
		} else if meaning(err) == ledger.ErrLedgerDamaged || !isConstraint(err) {
			t.Errorf("%s: refused for the wrong reason: %v", name, err)
		}
	}
}

func TestTheSchemaRefusesWhatTheDomainForbids(t *testing.T) {
	st := tell(t)
	no := func(id string) int64 { return st.no(t, id) }
	cancelledPayout := `(SELECT min(payout_id) FROM attempts WHERE batch_no = ` + fmt.Sprint(no(st.abandoned)) + `)`
	intent := func(id, kind string) string {
		return fmt.Sprintf(`INSERT INTO intents (batch_no, kind, payload_sha256, at, looks) VALUES (%d, '%s', '%s', 1, 1)`, no(id), kind, hash("x"))
	}
	newBatch := func(values string) string {
		return fmt.Sprintf(`INSERT INTO batches (id, sheet_no, sequence, attempt, route_no, partner_bank_id, kind, bene_lei, count, total, reason, needs_approval,
			created_at, updated_at, state_since) VALUES ('prnew', 1, 99, 1, 1, %s, '', 0, 1, 1, 1)`, values)
	}
	planned := func(values string) string {
		return fmt.Sprintf(`INSERT INTO batches (id, sheet_no, sequence, attempt, route_no, partner_bank_id, kind, bene_lei, count, total, reason, needs_approval,
			created_at, updated_at, state_since, made, members) VALUES ('prnew', 1, 99, 1, 1, 3, '', '', 1, 100, '', 0, 1, 1, 1, %s)`, values)
	}
	again := batchesWith(t, st.Store, ledger.BatchPlanned)[1] // of the refused payouts
	attacks := map[string]string{
		// history is never deleted
		"delete sheets":            `DELETE FROM sheets`,
		"delete a payout":          `DELETE FROM payouts WHERE id = 1`,
		"delete a batch":           `DELETE FROM batches WHERE no = 1`,
		"delete an attempt":        `DELETE FROM attempts WHERE payout_id = 3`,
		"delete a used reference":  `DELETE FROM wire_keys WHERE key = 'nov-1'`,
		"delete observations":      `DELETE FROM observations`,
		"delete intents":           `DELETE FROM intents`,
		"delete an event":          `DELETE FROM events WHERE seq = 3`,
		"replace an event":         `INSERT OR REPLACE INTO events SELECT * FROM events WHERE seq = 3`,
		"replace a payout":         `INSERT OR REPLACE INTO payouts SELECT * FROM payouts WHERE id = 1`,
		"replace an attempt":       `INSERT OR REPLACE INTO attempts (payout_id, number, batch_no) VALUES (3, 1, 2)`,
		"replace a used reference": `INSERT OR REPLACE INTO wire_keys VALUES ('nov-1', 2, 1)`,
		"replace a batch":          `REPLACE INTO batches SELECT * FROM batches WHERE no = 1`,
		"replace by an update":     `UPDATE OR REPLACE sheets SET id = 'x' WHERE no = 1`,
		"upsert a payout":          `INSERT INTO payouts SELECT * FROM payouts WHERE id = 1 ON CONFLICT DO UPDATE SET amount = 1`,
		// what never changes
		"a second ledger":            `INSERT INTO ledger (one, id, created_at) VALUES (2, 'abcdefghijklmnopqrstuvwxyz', 1)`,
		"change an amount":           `UPDATE payouts SET amount = amount + 1 WHERE id = 1`,
		"change a payee's account":   `UPDATE payouts SET bank_account_number = '1' WHERE id = 1`,
		"change a used reference":    `UPDATE wire_keys SET key = 'other' WHERE key = 'nov-1'`,
		"change an observation":      `UPDATE observations SET status = 'success'`,
		"change an event":            `UPDATE events SET detail = '' WHERE seq = 3`,
		"change a sheet":             `UPDATE sheets SET name = 'x'`,
		"unseal a sheet":             `UPDATE sheets SET sealed = 0`,
		"rename a batch":             `UPDATE batches SET id = 'x' WHERE no = 1`,
		"change a batch's total":     `UPDATE batches SET total = 1 WHERE no = 1`,
		"change a batch's bank":      `UPDATE batches SET partner_bank_id = 3, kind = '' WHERE no = 1`,
		"move an attempt to a batch": `UPDATE attempts SET batch_no = 1 WHERE payout_id = 3`,
		"a way back for no dispute":  `UPDATE attempts SET was = 'pending', unread = 2 WHERE payout_id = 3`,
		"rename an attempt":          `UPDATE attempts SET wire_ref = 'x' WHERE payout_id = 3`,
		"change an intent's payload": `UPDATE intents SET payload_sha256 = '` + hash("other") + `'`,
		"change an outcome":          `UPDATE intents SET outcome = 'not_sent' WHERE outcome = 'unknown'`,
		"forget an outcome":          `UPDATE intents SET outcome = NULL, ended_at = NULL WHERE outcome = 'accepted'`,
		// values
		"an amount of nothing":            `INSERT INTO payouts (id, sheet_no, row, route_no, amount, ref, vendor_name, bank_account_number, ifsc) VALUES (900, 1, 2, 1, 0, 'r', '', '', '')`,
		"an amount in fractions":          `INSERT INTO payouts (id, sheet_no, row, route_no, amount, ref, vendor_name, bank_account_number, ifsc) VALUES (900, 1, 2, 1, 1.5, 'r', '', '', '')`,
		"a payout without reference":      `INSERT INTO payouts (id, sheet_no, row, route_no, amount, ref, vendor_name, bank_account_number, ifsc) VALUES (900, 1, 2, 1, 1, '', '', '', '')`,
		"a payout of no sheet":            `INSERT INTO payouts (id, sheet_no, row, route_no, amount, ref, vendor_name, bank_account_number, ifsc) VALUES (900, 99, 2, 1, 1, 'r', '', '', '')`,
		"a reference used before":         `INSERT INTO wire_keys VALUES ('nov-1', 900, 1)`,
		"the same bytes again":            `INSERT INTO sheets (sealed, sha256, tab) SELECT 0, sha256, tab FROM sheets`,
		"the same content again":          `INSERT INTO sheets (sealed, content) SELECT 0, content FROM sheets`,
		"a prefix and no rows without it": `INSERT INTO sheets (sealed, ref_prefix) VALUES (0, 'NOV-')`,
		"rows without a prefix, and none": `INSERT INTO sheets (sealed, unprefixed) SELECT 0, rows_hash FROM sheets`,
		"the same rows again":             `INSERT INTO sheets (sealed, rows_hash) SELECT 0, rows_hash FROM sheets`,
		"a sheet sealed without a word":   `INSERT INTO sheets (sealed) VALUES (1)`,
		"a sheet with rows unaccounted":   `INSERT INTO sheets SELECT 9, 1, 'sh', name, '` + hash("z") + `', '` + hash("y") + `', '` + hash("x") + `', '', NULL, format, tab, header_row, row_count + 1, blank_count, has_total, total, accepted_count, accepted_total, rejected_count, rejected_total, 0, 0, first_payout, last_payout, 1, 'x' FROM sheets`,
		"a sheet with money unaccounted":  `INSERT INTO sheets SELECT 9, 1, 'sh', name, '` + hash("z") + `', '` + hash("y") + `', '` + hash("x") + `', '', NULL, format, tab, header_row, row_count, blank_count, has_total, total + 1, accepted_count, accepted_total, rejected_count, rejected_total, 0, 0, first_payout, last_payout, 1, 'x' FROM sheets`,
		"an LEI of 19":                    newBatch(`1, '', '5493001KJTIIGC8Y1R1', 1, 50000000000`),
		"a batch id used before":          `INSERT INTO batches (id, sheet_no, sequence, attempt, route_no, partner_bank_id, kind, bene_lei, count, total, reason, needs_approval, created_at, updated_at, state_since) SELECT id, sheet_no, 99, 1, route_no, partner_bank_id, kind, bene_lei, count, total, '', 0, 1, 1, 1 FROM batches WHERE no = 1`,
		"a batch planned twice":           `INSERT INTO batches (id, sheet_no, sequence, attempt, route_no, partner_bank_id, kind, bene_lei, count, total, reason, needs_approval, created_at, updated_at, state_since) SELECT 'prnew', sheet_no, sequence, attempt, route_no, partner_bank_id, kind, bene_lei, count, total, '', 0, 1, 1, 1 FROM batches WHERE no = 1`,
		"an attempt of no payout":         `INSERT INTO attempts (payout_id, number, batch_no) VALUES (900, 1, 1)`,
		"an attempt in no batch":          `INSERT INTO attempts (payout_id, number, batch_no) VALUES (1, 1, 900)`,
		// first attempts
		"an attempt before its batch's first step":   fmt.Sprintf(`INSERT INTO attempts (payout_id, number, batch_no) VALUES (1, 1, %d)`, no(st.planned)),
		"an attempt next to a batch's own":           `INSERT INTO attempts (payout_id, number, batch_no) VALUES (1, 1, 2)`,
		"attempts made twice":                        `UPDATE batches SET made = 1 WHERE no = 2`,
		"attempts made, but for the attempts":        `UPDATE batches SET made = 2 WHERE no = 1`,
		"attempts unmade":                            `UPDATE batches SET made = 0 WHERE no = 2`,
		"other members":                              `UPDATE batches SET members = '[3,4]' WHERE no = 1`,
		"members forgotten":                          `UPDATE batches SET members = NULL WHERE no = 2`,
		"a step before the attempts are made":        `UPDATE batches SET state = 'abandoned' WHERE no = 1`,
		"a call before the attempts are made":        intent(st.planned, "initiate"),
		"members that are not as many":               planned(`0, '[1,2]'`),
		"members that are no list":                   planned(`0, '1'`),
		"no members and no attempts":                 planned(`0, NULL`),
		"a second attempt into a batch with members": fmt.Sprintf(`INSERT INTO attempts (payout_id, number, wire_ref, batch_no) VALUES (%s, 2, 'x', %d)`, cancelledPayout, no(st.planned)),
		// one live attempt
		"a second attempt that is over":           fmt.Sprintf(`INSERT INTO attempts (payout_id, number, batch_no, wire_ref, state) VALUES (%s, 2, %d, 'x', 'cancelled')`, cancelledPayout, no(again)),
		"a second attempt of no reference":        fmt.Sprintf(`INSERT INTO attempts (payout_id, number, batch_no, wire_ref) VALUES (%s, 2, %d, '')`, cancelledPayout, no(again)),
		"a second attempt by no name":             fmt.Sprintf(`INSERT INTO attempts (payout_id, number, batch_no) VALUES (%s, 2, %d)`, cancelledPayout, no(again)),
		"a second attempt next to a live attempt": fmt.Sprintf(`INSERT INTO attempts (payout_id, number, wire_ref, batch_no) VALUES (1, 2, 'nov-1-R2', %d)`, no(again)),
		"a second attempt next to a success":      fmt.Sprintf(`INSERT INTO attempts (payout_id, number, wire_ref, batch_no) VALUES ((SELECT min(payout_id) FROM attempts WHERE state = 'success'), 2, 'x', %d)`, no(again)),
		"a second attempt in doubt":               fmt.Sprintf(`INSERT INTO attempts (payout_id, number, wire_ref, batch_no) VALUES ((SELECT min(payout_id) FROM attempts WHERE batch_no = %d), 2, 'x', %d)`, no(st.unknown), no(again)),
		"a second attempt that skips a number":    fmt.Sprintf(`INSERT INTO attempts (payout_id, number, wire_ref, batch_no) VALUES (%s, 3, 'x', %d)`, cancelledPayout, no(again)),
		"a second attempt into a held batch":      fmt.Sprintf(`INSERT INTO attempts (payout_id, number, wire_ref, batch_no) VALUES (%s, 2, 'x', %d)`, cancelledPayout, no(st.held)),
		// success and failure only as seen
		"success unseen":               `UPDATE attempts SET state = 'success' WHERE state = 'pending'`,
		"failed after one read":        `UPDATE attempts SET state = 'failed', status = 'failed', failed_reads = 1 WHERE state = 'pending'`,
		"returned without the code":    `UPDATE attempts SET state = 'returned' WHERE state = 'pending'`,
		"a success taken back":         `UPDATE attempts SET state = 'cancelled' WHERE state = 'success'`,
		"a state of no name":           `UPDATE attempts SET state = 'paid' WHERE state = 'pending'`,
		"an observation of no attempt": `INSERT INTO observations VALUES (900, 1, 1, 1, '', '', NULL, '', '', '', NULL)`,
		// intents
		"submit an abandoned batch":   intent(st.abandoned, "submit"),
		"submit a quarantined batch":  intent(st.quarantined, "submit"),
		"submit a refused batch":      intent(st.refused, "submit"),
		"submit a planned batch":      intent(st.planned, "submit"),
		"submit a submitted batch":    intent(st.submitted, "submit"),
		"submit a settled batch":      intent(st.settled, "submit"),
		"submit a batch in doubt":     intent(st.unknown, "submit"),
		"initiate a held batch":       intent(st.held, "initiate"),
		"initiate a refused batch":    intent(st.refused, "initiate"),
		"an intent with its outcome":  fmt.Sprintf(`INSERT INTO intents (batch_no, kind, payload_sha256, at, outcome, ended_at, looks) VALUES (%d, 'initiate', '%s', 1, 'accepted', 1, 1)`, no(st.planned), hash("x")),
		"an intent without a payload": fmt.Sprintf(`INSERT INTO intents (batch_no, kind, payload_sha256, at, looks) VALUES (%d, 'initiate', '', 1, 1)`, no(st.planned)),
		// the machine
		"initiating without an intent": fmt.Sprintf(`UPDATE batches SET state = 'initiating' WHERE no = %d`, no(st.planned)),
		"submitting without an intent": fmt.Sprintf(`UPDATE batches SET state = 'submitting' WHERE no = %d`, no(st.held)),
	}
	// what is legal goes through, so that the attacks fail for what is wrong with them
	allows(t, st.Store, map[string]string{
		"a batch":          newBatch(`3, '', '', 2, 100`),
		"50 crore":         newBatch(`1, '', '5493001KJTIIGC8Y1R12', 1, 50000000000`),
		"a second attempt": fmt.Sprintf(`INSERT INTO attempts (payout_id, number, wire_ref, batch_no) VALUES (%s, 2, 'x', %d)`, cancelledPayout, no(again)),
		"an intent":        intent(again, "initiate"),
		"members":          planned(`0, '[1]'`),
		"attempts":         `UPDATE batches SET made = 1 WHERE no = 1`,
		"a payout":         `INSERT INTO payouts (id, sheet_no, row, route_no, amount, ref, vendor_name, bank_account_number, ifsc) VALUES (900, 1, 2, 1, 1, 'r', '', '', '')`,
	})
	refuses(t, st.Store, attacks)
	sound(t, st.Store)
}

// batchesWith gives the ids of the batches in a state.
func batchesWith(t testing.TB, s *Store, state ledger.BatchState) (ids []string) {
	t.Helper()
	batches, err := s.BatchesIn(t.Context(), state)
	must(t, err)
	for _, b := range batches {
		ids = append(ids, b.ID)
	}
	return ids
}

func TestASubmitNeedsEveryPayoutHeldAndNowhereElseAlive(t *testing.T) {
	st := tell(t)
	// a further attempt of an abandoned batch's payouts, held; then the first one turns out alive
	old := attemptsOf(t, st.Store, st.abandoned)
	again, err := st.PlanRetry(t.Context(), "asha", at(10), old, planOf(paymentsOf(old), 2))
	must(t, err)
	hold(t, st.Store, again[0].ID)
	apply(t, st.Store, ledger.Step{Actor: "asha", BatchID: st.abandoned, From: ledger.BatchAbandoned, At: at(11), Attention: ledger.StatusDiffers,
		Observed: []ledger.Observed{see(old[0], ledger.StatusSuccess, "COMPLETED")}})
	if a := attemptsOf(t, st.Store, st.abandoned)[0]; a.State != ledger.PayoutDisputed {
		t.Fatalf("the first attempt: %+v", a)
	}
	intent := ledger.Step{Actor: "asha", BatchID: again[0].ID, From: ledger.BatchHeld, Event: ledger.SubmitIntended, At: at(12), PayloadSHA256: hash("s"), Looks: looked(again[0].ID)}
	if err := st.Apply(t.Context(), intent); !errors.Is(err, ledger.ErrPayoutLocked) {
		t.Errorf("submitting what may be paid already: %v", err)
	}
	sound(t, st.Store)
}

func paymentsOf(attempts []ledger.Attempt) []ledger.Payout {
	payouts := make([]ledger.Payout, len(attempts))
	for i, a := range attempts {
		payouts[i] = a.Payout
	}
	return payouts
}

// The schema's machine is the domain's, for every state and every event.
func TestTheSchemasMachineIsTheDomains(t *testing.T) {
	s := tell(t)
	for _, from := range ledger.BatchStates {
		reach := map[string]bool{}
		for _, event := range ledger.BatchEvents {
			want, err := from.Next(event)
			var got sql.NullString
			scanErr := s.read.QueryRow(`SELECT max(to_state) FROM batch_transitions WHERE from_state = ? AND event = ?`, from, event).Scan(&got)
			if scanErr != nil || got.Valid != (err == nil) || got.String != string(want) {
				t.Errorf("%s in %s: the schema says %q, the domain %q (%v)", event, from, got.String, want, scanErr)
			}
			reach[string(want)] = err == nil
		}
		for _, to := range ledger.BatchStates {
			var there bool
			if err := s.read.QueryRow(`SELECT EXISTS (SELECT 1 FROM batch_transitions WHERE from_state = ? AND to_state = ?)`, from, to).Scan(&there); err != nil || there != reach[string(to)] {
				t.Errorf("%s → %s: the schema says %v (%v)", from, to, there, err)
			}
		}
	}
}

// Whatever state a batch is in, an update to a state that the machine does not
// reach from there is refused, and to itself too.
func TestNoUpdateLeavesTheMachine(t *testing.T) {
	st := tell(t)
	for _, id := range []string{st.planned, st.held, st.submitted, st.settled, st.abandoned, st.quarantined, st.refused, st.unknown} {
		b := batchOf(t, st.Store, id)
		for _, to := range ledger.BatchStates {
			legal := slices.ContainsFunc(ledger.BatchEvents[:], func(e ledger.BatchEvent) bool { next, err := b.State.Next(e); return err == nil && next == to })
			if legal {
				continue
			}
			if _, err := st.write.Exec(`UPDATE batches SET state = ? WHERE id = ?`, to, id); !isConstraint(err) {
				t.Errorf("%s → %s: %v", b.State, to, err)
			}
		}
	}
}

// What the domain lets an attempt become, the schema allows, and nothing else.
func TestTheSchemasPayoutStepsAreTheDomains(t *testing.T) {
	s := tell(t)
	for _, from := range ledger.PayoutStates {
		for _, to := range ledger.PayoutStates {
			var got bool
			err := s.read.QueryRow(`SELECT EXISTS (SELECT 1 FROM payout_transitions WHERE from_state = ? AND to_state = ?)`, from, to).Scan(&got)
			if want := from != to && from.MayBecome(to); err != nil || got != want {
				t.Errorf("%s → %s: the schema says %v, the domain %v (%v)", from, to, got, want, err)
			}
		}
	}
}

// Account numbers are in payouts, and nowhere else.
func TestNoAccountNumberOutsideThePayouts(t *testing.T) {
	st := tell(t)
	var n int
	err := st.read.QueryRow(`SELECT count(*) FROM payouts p JOIN events e ON instr(e.detail, p.bank_account_number)`).Scan(&n)
	if err != nil || n != 0 {
		t.Errorf("in %d events, %v", n, err)
	}
	var columns sql.NullString
	if err := st.read.QueryRow(`SELECT group_concat(name) FROM pragma_table_info('observations')`).Scan(&columns); err != nil || strings.Contains(columns.String, "account") {
		t.Errorf("observations keep %s, %v", columns.String, err)
	}
}
