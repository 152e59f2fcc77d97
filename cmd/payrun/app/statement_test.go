package app

import (
	"errors"
	"slices"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// Every day that was asked for is in one window, none is in two, and none is
// longer than the interface takes, however it counts.
func TestDaysAreSplitIntoWindows(t *testing.T) {
	first := time.Date(2027, 12, 15, 0, 0, 0, 0, time.UTC)
	for days, want := range map[int]int{1: 1, 29: 1, 30: 1, 31: 2, 60: 2, 61: 3, 366: 13} {
		next := first
		got, err := windowsOf(first, first.AddDate(0, 0, days-1))
		must(t, err)
		for _, w := range got {
			if !w.From.Equal(next) || w.To.Before(w.From) || w.To.Sub(w.From) > 29*24*time.Hour {
				t.Errorf("%d days: a window from %s to %s after %s", days, w.From, w.To, next)
			}
			next = w.To.AddDate(0, 0, 1)
		}
		if len(got) != want || !next.Equal(first.AddDate(0, 0, days)) {
			t.Errorf("%d days: %d windows until %s, want %d", days, len(got), next, want)
		}
	}
	if got, err := windowsOf(first, first.AddDate(0, 0, -1)); got != nil || err != nil {
		t.Errorf("no days: %v, %v", got, err)
	}
	if got, err := windowsOf(first, first.AddDate(1000, 0, 0)); err == nil {
		t.Errorf("a thousand years: %d windows", len(got))
	}
}

// A bank that only promises a statement gives none; one that gave entries of the account
// before does, and the files on record do not stand in for it.
func TestABankThatGaveEntriesGivesAStatement(t *testing.T) {
	d := newDesk(t)
	i := slices.IndexFunc(d.set.Accounts, func(a ledger.DebitAccount) bool { return a.PartnerBankID == 8 }) // HTTP 202
	account := d.set.Accounts[i].BankAccountID
	read := func() (err error) {
		t.Helper()
		failed := d.write(t.Context(), Call{Actor: "asha"}, func(o *operation) error {
			if err := o.openBank(t.Context()); err != nil {
				return err
			}
			err = o.ReadStatement(t.Context(), account, now.AddDate(0, 0, -2))
			return nil
		})
		if failed != nil {
			t.Fatal(failed)
		}
		return err
	}
	if err := read(); !errors.Is(err, submitter.ErrNoStatement) {
		t.Errorf("before: %v", err)
	}
	day := ledger.BankDay(now.AddDate(0, 0, -1))
	err := d.write(t.Context(), Call{Actor: "asha"}, func(o *operation) error {
		_, err := o.store.RecordStatement(t.Context(), ledger.StatementRead{BankAccountID: account, Source: ledger.FromInterface, Shape: ledger.ShapeEntries, From: day, To: day, At: now, Actor: "asha"})
		return err
	})
	must(t, err)
	if err := read(); err == nil || errors.Is(err, submitter.ErrNoStatement) {
		t.Errorf("after: %v", err)
	}
}

// A statement that was asked for up to a later day says nothing of the days to come: they are asked for when they are there.
func TestAStatementCoversNoDayToCome(t *testing.T) {
	d := newDesk(t)
	i := slices.IndexFunc(d.set.Accounts, func(a ledger.DebitAccount) bool { return a.PartnerBankID == 3 })
	account := d.set.Accounts[i].BankAccountID
	today := ledger.BankDay(now)
	err := d.write(t.Context(), Call{Actor: "asha"}, func(o *operation) error {
		if err := o.openBank(t.Context()); err != nil {
			return err
		}
		_, err := o.fetchStatement(t.Context(), account, dayOf(today).AddDate(0, 0, -2), dayOf(today).AddDate(0, 2, 0))
		return err
	})
	must(t, err)
	list, err := d.Readings(t.Context(), Call{Actor: "asha"}, account)
	if must(t, err); len(list) != 1 || list[0].To != today {
		t.Errorf("%d readings, the last to %s: today is %s", len(list), list[len(list)-1].To, today)
	}
}
