//go:build unix

package killtest

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"payrun/ledger"
)

// The checks have canaries of their own: a day that went well, spoiled in one
// way each. A check that says nothing about it proves nothing.

// hearing is a judge that keeps what it hears.
type hearing struct{ found []string }

func (h *hearing) Helper() {}

func (h *hearing) Errorf(format string, args ...any) {
	h.found = append(h.found, fmt.Sprintf(format, args...))
}

// day is all that the checks at the end of a day look at.
type day struct {
	before, after view
	attempts      []payout
	sheets        []*sheet
	bank          truth
}

// goodDay has one sheet of two payouts, of which the first was retried.
func goodDay() *day {
	const first, second, id = "batch-1", "batch-2", "sheet-1"
	one := payout{Ref: "S1-1", WireRef: "S1-1", Attempt: 1, SheetID: id, BatchID: first, Amount: "1.00", State: ledger.PayoutFailed}
	again := payout{Ref: "S1-1", WireRef: "S1-1-R2", Attempt: 2, SheetID: id, BatchID: second, Amount: "1.00", State: ledger.PayoutSuccess}
	two := payout{Ref: "S1-2", WireRef: "S1-2", Attempt: 1, SheetID: id, BatchID: first, Amount: "2.00", State: ledger.PayoutSuccess}
	v := view{
		batches: []batch{{ID: first, State: ledger.BatchSettled}, {ID: second, State: ledger.BatchSettled}},
		payouts: []payout{again, two}, sheets: map[string]string{"S1.csv": id},
	}
	return &day{
		before: view{batches: slices.Clone(v.batches), payouts: slices.Clone(v.payouts), sheets: map[string]string{"S1.csv": id}}, after: v,
		attempts: []payout{one, two, again}, sheets: []*sheet{{name: "S1.csv", amounts: map[string]string{"S1-1": "1.00", "S1-2": "2.00"}}},
		bank: truth{Batches: []truthBatch{
			{ID: first, Submits: 1, Payouts: []truthPayout{{Ref: "S1-1", Amount: "1.00"}, {Ref: "S1-2", Amount: "2.00", Executed: 1}}},
			{ID: second, Submits: 1, Payouts: []truthPayout{{Ref: "S1-1-R2", Amount: "1.00", Executed: 1}}},
		}},
	}
}

func (d *day) judged() []string {
	var h hearing
	d.after.follows(&h, d.before)
	d.after.complete(&h, d.sheets)
	d.after.agrees(&h, d.bank)
	paidOnce(&h, d.bank)
	d.after.tiesOut(&h, d.attempts, d.bank)
	return h.found
}

func TestAGoodDayHoldsAndASpoiledOneDoesNot(t *testing.T) {
	if found := goodDay().judged(); len(found) > 0 {
		t.Fatalf("a day that went well does not hold: %q", found)
	}
	for name, c := range map[string]struct {
		spoil func(*day)
		want  string
	}{
		"paid under both references":     {func(d *day) { d.bank.Batches[0].Payouts[0].Executed = 1 }, "paid twice: [S1-1]"},
		"paid twice under one reference": {func(d *day) { d.bank.Batches[0].Payouts[1].Executed = 2 }, "paid twice: [S1-2]"},
		"paid from a ledger that nobody looks at": {func(d *day) {
			d.bank.Batches = append(d.bank.Batches, truthBatch{ID: "elsewhere", Submits: 1, Payouts: []truthPayout{{Ref: "S1-2", Amount: "2.00", Executed: 1}}})
		}, "paid twice: [S1-2]"},
		"a batch that is not on record":    {func(d *day) { d.after.batches = d.after.batches[:1] }, "the ledger has not"},
		"two submits":                      {func(d *day) { d.bank.Batches[0].Submits = 2 }, "was submitted 2 times"},
		"submitted, and held here":         {func(d *day) { d.after.batches[0].State = ledger.BatchHeld }, "here it is held"},
		"taken, and planned here":          {func(d *day) { d.after.batches[0].State = ledger.BatchPlanned }, "here it is planned"},
		"executed, and failed here":        {func(d *day) { d.attempts[1].State = ledger.PayoutFailed }, "S1-2 was executed, and here it is failed"},
		"success, and not executed":        {func(d *day) { d.bank.Batches[1].Payouts[0].Executed = 0 }, "S1-1-R2 is success"},
		"success, and returned":            {func(d *day) { d.bank.Batches[1].Payouts[0].Returned = 1 }, "S1-1-R2 is success"},
		"another amount":                   {func(d *day) { d.bank.Batches[1].Payouts[0].Amount = "10.00" }, "10.00 at the bank"},
		"an attempt that is not on record": {func(d *day) { d.attempts = d.attempts[:2] }, "S1-1-R2 in batch batch-2, the ledger has not"},
		"a payout that was lost":           {func(d *day) { d.after.payouts = d.after.payouts[:1] }, "S1-2 once with 2.00"},
		"a payout that nobody asked for": {func(d *day) {
			d.after.payouts = append(d.after.payouts, payout{Ref: "S9-1", Attempt: 1, SheetID: "sheet-1", Amount: "5.00"})
		}, "lists 3 payouts"},
		"an attempt that was forgotten": {func(d *day) { d.after.payouts[0].Attempt = 1 }, "had attempt 2 and has now 1"},
		"a batch that went back":        {func(d *day) { d.after.batches[1].State = ledger.BatchHeld }, "was settled and is now"},
		"a sheet that was forgotten":    {func(d *day) { d.after.sheets = map[string]string{} }, "is not loaded"},
	} {
		d := goodDay()
		c.spoil(d)
		if found := d.judged(); !slices.ContainsFunc(found, func(s string) bool { return strings.Contains(s, c.want) }) {
			t.Errorf("%s: found %q, want %q", name, found, c.want)
		}
	}
}

// TestVerifyFindsWhatWasTakenOut: `ledger verify`, which every check of a day
// begins with, finds a row that is gone from the file, each of another table.
func TestVerifyFindsWhatWasTakenOut(t *testing.T) {
	ofTheProof(t)
	d := openDesk(t, openBank(t, *seed), *seed, 0)
	held(d)
	d.takes(submitAll(d))
	good := d.read("payrun.db")
	for name, change := range map[string]string{
		"an intent":       `DELETE FROM intents WHERE no = (SELECT max(no) FROM intents)`,
		"the last event":  `DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)`,
		"an event":        `DELETE FROM events WHERE seq = 3`,
		"an event's text": `UPDATE events SET detail = detail || '.' WHERE seq = 3`,
	} {
		d.write("payrun.db", good)
		d.edit(change)
		if o := d.run("ledger", "verify"); o.exit != 17 {
			t.Errorf("%s is gone or changed, and verify ends with %d\n%s%s", name, o.exit, o.out, o.err)
		}
	}
	d.write("payrun.db", good)
	d.must(0, "ledger", "verify")
}

// edit changes the ledger as someone does who has the file and SQLite: what
// guards its tables is dropped and put back. No process has it open.
func (d *desk) edit(change string) {
	d.t.Helper()
	db, err := sql.Open("sqlite", "file:"+d.ledger()+"?_pragma=foreign_keys(0)")
	must(d.t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	var guards []string
	rows, err := db.Query(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`)
	must(d.t, err)
	defer rows.Close()
	statements := []string{change}
	for rows.Next() {
		var name, text string
		must(d.t, rows.Scan(&name, &text))
		guards = append(guards, text)
		statements = append([]string{`DROP TRIGGER "` + name + `"`}, statements...)
	}
	must(d.t, rows.Err())
	for _, s := range append(statements, guards...) {
		r, err := db.Exec(s)
		if err != nil {
			d.t.Fatalf("%s: %v", s, err)
		}
		if n, err := r.RowsAffected(); s == change && (err != nil || n == 0) {
			d.t.Fatalf("%s: changed %d rows (%v)", s, n, err)
		}
	}
	_, err = db.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`)
	must(d.t, err)
}
