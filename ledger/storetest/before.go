package storetest

import (
	"errors"
	"slices"
	"testing"

	"payrun/ledger"
)

// The sheet before is the newest one that pays from the debit account. A sheet of left-out rows belongs to
// the sheet that left them out.
func theSheetBefore(t testing.TB, o Opener) {
	d := begin(t, o)
	before := func(account, sheetID, want string) {
		t.Helper()
		s, err := d.PaysBefore(d.ctx, account, sheetID, nil)
		if want == "" && !errors.Is(err, ledger.ErrNotFound) || want != "" && (err != nil || s.Name != want+".csv") {
			t.Errorf("before %q, from %s: %q and not %q, %v", sheetID, account, s.Name, want, err)
		}
	}
	together := func(sheetID string, want ...string) {
		t.Helper()
		sheets, err := d.SheetAndRest(d.ctx, sheetID)
		names := ledger.ListOf(sheets, func(s ledger.Sheet) string { return s.Name })
		if err != nil || !slices.Equal(names, want) {
			t.Errorf("%s: %q and not %q, %v", sheetID, names, want, err)
		}
	}
	rest := func(name string, of ledger.RowOrigin, more int) string {
		t.Helper()
		list := payouts(name, 1+more)
		all := keyed(list)
		all[0].From = &of
		l := d.loading(all)
		batches, err := l.Commit(sheetOf(name, list), plan(list, 2))
		if err != nil {
			t.Fatal(err)
		}
		return batches[0].SheetID
	}
	before(accountCIB, "", "")
	together("shnone")
	oct := d.load("oct", 2, 1)
	before(accountCIB, "", "oct")
	before(accountCIB, oct[0].SheetID, "")
	before(accountCIB, "shnone", "")
	before(accountOne, "", "")

	// it pays as long as one payout of it was paid or may be paid
	d.abandon(oct[0].ID, minute(20))
	d.settle(oct[1].ID)
	before(accountCIB, "", "oct")
	nov := d.load("nov", 2, 2)[0]
	before(accountCIB, nov.SheetID, "oct")
	d.giveUp(nov.ID, minute(21))
	before(accountCIB, "", "oct")
	again := d.again(minute(22), d.attempts(nov.ID), 2)
	before(accountCIB, "", "nov")
	d.abandon(again[0].ID, minute(23))
	before(accountCIB, "", "oct")

	// its left-out rows count as its own; a sheet that also has other rows is separate
	id := rest("nov-rest", ledger.RowOrigin{SheetID: nov.SheetID, Row: 17}, 0)
	before(accountCIB, "", "nov")
	before(accountCIB, nov.SheetID, "oct")
	last := rest("nov-rest-rest", ledger.RowOrigin{SheetID: id, Row: 18}, 0)
	for _, one := range []string{nov.SheetID, id, last} {
		together(one, "nov.csv", "nov-rest.csv", "nov-rest-rest.csv")
	}
	own := rest("dec", ledger.RowOrigin{SheetID: nov.SheetID, Row: 19}, 1)
	together(own, "dec.csv")
	together(nov.SheetID, "nov.csv", "nov-rest.csv", "nov-rest-rest.csv")
	before(accountCIB, "", "dec")
	before(accountCIB, own, "nov")

	// the sheet that paid most of the payees, although others are newer
	paid := ledger.Payment{PayoutID: d.attempts(oct[1].ID)[0].ID}
	for sheetID, want := range map[string]string{"": "oct.csv", oct[0].SheetID: ""} {
		s, err := d.PaysBefore(d.ctx, accountCIB, sheetID, map[ledger.Account][]ledger.Payment{{BankAccountNumber: "1"}: {paid, paid}})
		if s.Name != want || (want == "") != errors.Is(err, ledger.ErrNotFound) {
			t.Errorf("before %q: %q and not %q, %v", sheetID, s.Name, want, err)
		}
	}
	d.whole()
}
