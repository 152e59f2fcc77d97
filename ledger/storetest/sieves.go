package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var sieves = []Check{
	{"an entry is found by each name and amount that it carries, and by no other", entriesAreFound},
	{"payouts are found by name, by amount and submit, and as they came back", payoutsAreFound},
}

// found gives the references of the entries of an account that are sought.
func (d *desk) found(account string, sought *ledger.SoughtEntries) (refs []string) {
	d.Helper()
	err := d.EachEntryOf(d.ctx, account, sought, func(e ledger.KeptEntry) error { refs = append(refs, e.Reference); return nil })
	if err != nil {
		d.Fatal(err)
	}
	return refs
}

func entriesAreFound(t testing.TB, o Opener) {
	d := begin(t, o)
	const n = 3 * ledger.SievedTogether / 2
	var all []ledger.StatementEntry
	for i := range n {
		all = append(all, ledger.StatementEntry{TransactionID: fmt.Sprint("T", i), Debit: true, Amount: ledger.Paise(1_00 + i), Closing: ledger.Paise(-i), Transacted: "2031-03-02",
			Reference: fmt.Sprint("R", i), Remarks: fmt.Sprintf("NEFT/Pay-%d/ÉLAN", i)})
	}
	all[700].Details = []ledger.EntryDetail{{Amount: 3_00, Remarks: "UTIB77"}, {Amount: 5_00, Reference: "INV-9"}}
	all[5].Debit = false
	d.record(reading(account1, all[:n-1]...), n-1, 0)
	d.record(reading(account1, all[n-2:]...), 1, 1)
	d.record(reading(account2, all[:1]...), 1, 0)
	d.reopen()
	for name, want := range map[string]string{"r3": "R3", "PAY-600": "R600", "pay-60": "R60", "élan": "", "neft/pay-8": "R8", "UTIB77": "R700", "inv-9": "R700", "INV": "R700",
		"pay-768": "", "R767": "R767", "-9": "", "": "", "neft/pay-8/": "", "no such": ""} {
		var s ledger.SoughtEntries
		s.Names(name)
		got := d.found(account1, &s)
		if name == "élan" { // all but the one with details, of which the words are not asked
			if len(got) != n-1 {
				d.Errorf("%q is in %d entries", name, len(got))
			}
			continue
		}
		if strings.Join(got, " ") != want {
			d.Errorf("%q is in %v, want %s", name, got, want)
		}
	}
	for _, c := range []struct {
		m    ledger.Move
		want string
	}{
		{ledger.Move{Debit: true, Amount: 1_02, Day: "2031-03-02"}, "R2"}, {ledger.Move{Debit: false, Amount: 1_02, Day: "2031-03-02"}, ""},
		{ledger.Move{Debit: true, Amount: 1_02, Day: "2031-03-03"}, ""}, {ledger.Move{Debit: false, Amount: 1_05, Day: "2031-03-02"}, "R5"},
		{ledger.Move{Debit: true, Amount: 1_00 + 700, Day: "2031-03-02"}, ""}, {ledger.Move{Debit: true, Amount: 5_00, Day: "2031-03-02"}, "R400 R700"},
	} {
		var s ledger.SoughtEntries
		s.Move(c.m)
		if got := strings.Join(d.found(account1, &s), " "); got != c.want {
			d.Errorf("%+v: %s, want %s", c.m, got, c.want)
		}
	}
	for account, want := range map[string]string{account1: "2031-03-02", "acc-9": ""} {
		if day, err := d.NewestEntry(d.ctx, account); err != nil || day != want {
			d.Errorf("the newest day of %s is %q, %v", account, day, err)
		}
	}
	d.whole()
}

func payoutsAreFound(t testing.TB, o Opener) {
	d := begin(t, o)
	paid, planned := d.load("nov", 4, 2), d.load("dec", 4, 2)
	d.settle(paid[0].ID)
	take := func(list *[]string) func(ledger.Attempt) error {
		return func(a ledger.Attempt) error { *list = append(*list, a.WireRef); return nil }
	}
	all := append(d.attempts(paid[0].ID), d.attempts(planned[1].ID)...)
	var keys, want, got []string
	for _, a := range all {
		keys, want = append(keys, strings.ToLower(a.WireRef)), append(want, a.WireRef)
	}
	keys = append(keys, "no such", strings.ToLower(all[0].BankTxnRefID))
	if err := d.AttemptsNamed(d.ctx, keys, take(&got)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" || all[0].BankTxnRefID == "" {
		t.Errorf("by reference (-want +got):\n%s", diff)
	}
	got = nil
	if err := d.AttemptsNamed(d.ctx, []string{strings.ToLower(all[1].BankTxnRefID)}, take(&got)); err != nil || !slices.Equal(got, []string{all[1].WireRef}) {
		t.Errorf("by UTR: %v, %v", got, err)
	}
	b := d.batch(paid[0].ID)
	for name, c := range map[string]struct {
		account  string
		amount   ledger.Paise
		from, to time.Time
		want     bool
		whole    int
	}{
		"its amount":      {b.BankAccountID, all[0].Amount, b.SubmittedAt, b.SubmittedAt.Add(time.Second), true, 0},
		"its total":       {b.BankAccountID, b.Total, b.SubmittedAt, b.SubmittedAt.Add(time.Hour), false, 1},
		"before":          {b.BankAccountID, all[0].Amount, b.SubmittedAt.Add(-time.Hour), b.SubmittedAt, false, 0},
		"another account": {"acc-9", b.Total, b.SubmittedAt, b.SubmittedAt.Add(time.Hour), false, 0},
	} {
		got = nil
		whole, err := d.AttemptsOf(d.ctx, c.account, c.amount, c.from, c.to, take(&got))
		if err != nil || slices.Contains(got, all[0].WireRef) != c.want || len(whole) != c.whole {
			t.Errorf("%s: %v and %d batches, %v", name, got, len(whole), err)
		}
	}
	back := d.attempts(paid[1].ID)[0]
	d.settle(paid[1].ID)
	d.apply(ledger.Step{BatchID: paid[1].ID, From: ledger.BatchSettled, At: minute(9), Observed: d.observe(paid[1].ID, ledger.StatusFailed, ledger.CodeReturned)})
	for amount, want := range map[ledger.Paise]bool{back.Amount: true, 1: false} {
		got = nil
		if err := d.AttemptsReturned(d.ctx, amount, take(&got)); err != nil || slices.Contains(got, back.WireRef) != want {
			t.Errorf("came back with %s: %v, %v", amount, got, err)
		}
	}
	d.whole()
}
