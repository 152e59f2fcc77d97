package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var statements = []Check{
	{"a reading is kept whole, and a day that it shows again is held once", readingsAreWhole},
	{"a reading is another one of another account or source", readingsAreOfTheirAccount},
	{"what a statement shows as debited is not paid again", debitedIsNotPaidAgain},
	{"a statement that is newest first is kept oldest first", oldestFirst},
	{"a file that begins in the middle of a day is refused", filesJoin},
	{"what a statement says of others' accounts is masked, our own names are not", remarksAreMasked},
	{"a reading without entries keeps its request ids and balances", readingsWithoutEntries},
	{"a reading that is none changes nothing", badReadings},
	{"two people declare a file void, and say whose a line is", wordsOfStatements},
}

const account1, account2 = "acc-1", "acc-2"

// reading returns a reading of the interface, of March 2031.
func reading(account string, entries ...ledger.StatementEntry) ledger.StatementRead {
	return ledger.StatementRead{BankAccountID: account, Source: ledger.FromInterface, Shape: ledger.ShapeEntries, From: "2031-03-01", To: "2031-03-30",
		RequestIDs: []string{"rq-1", "rq-2"}, Balances: []ledger.BalanceRead{{Balance: 900_00, At: minute(1)}}, At: minute(2), Actor: asha, Entries: entries}
}

func ofFile(r ledger.StatementRead, bytes string) ledger.StatementRead {
	r.Source, r.RequestIDs, r.Balances = ledger.FromFile, nil, nil
	r.FileName, r.FileSHA256, r.FileFormat = "march.csv", hash(bytes), "csv"
	r.Opening, r.Period = new(ledger.Paise(1000_00)), true
	r.Entries = slices.Clone(r.Entries)
	return r
}

// debits returns n debits of 1.00 each, one a day, from a balance of 1,000.00.
func debits(n int) (list []ledger.StatementEntry) {
	for i := range n {
		day := time.Date(2031, 3, 1+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		list = append(list, ledger.StatementEntry{TransactionID: "T" + day, Debit: true, Amount: 1_00, Closing: ledger.Paise(1000_00 - (i+1)*1_00),
			Transacted: day + " 10:00:00", Posted: day + " 10:00:01", Value: day + " 00:00:00", Reference: "R" + day, Remarks: "NEFT"})
	}
	return list
}

func (d *desk) record(r ledger.StatementRead, isNew, known int) {
	d.Helper()
	got, err := d.RecordStatement(d.ctx, r)
	if err != nil || got.New != isNew || got.Repeated != known {
		d.Errorf("recorded %+v, %v; want %d new and %d known", got, err, isNew, known)
	}
}

// statementLines returns the lines that the readings hold themselves.
func (d *desk) statementLines(account string) []ledger.KeptLine {
	d.Helper()
	w, err := look(d.ctx, d.Store)
	d.must(err)
	return slices.DeleteFunc(w.Lines, func(l ledger.KeptLine) bool { return account != "" && l.BankAccountID != account })
}

func (d *desk) readings(account string) []ledger.KeptStatement {
	d.Helper()
	list, err := d.Statements(d.ctx, account)
	d.must(err)
	return list
}

func readingsAreWhole(t testing.TB, o Opener) {
	d := begin(t, o)
	all := debits(6)
	d.record(reading(account1, all[:4]...), 4, 0)
	d.record(reading(account1, all[2:]...), 2, 2)
	late := all[0] // the same time and amount under another id: another debit
	late.TransactionID, late.Closing = "T-late", late.Closing-1_00
	d.record(reading(account1, append(slices.Clone(all), late)...), 3, 4)
	d.reopen()
	d.record(reading(account1, all...), 0, 6)
	kept := d.readings(account1)
	want := ledger.KeptStatement{No: 1, StatementRead: reading(account1), Lines: 4}
	if diff := cmp.Diff(want, kept[0]); diff != "" {
		d.Error(diff)
	}
	if k := kept[3]; k.Lines != 6 || len(k.Same) != 5 || k.Same[2] != (ledger.SameDay{Day: "2031-03-03", Reading: 1}) {
		d.Errorf("what was shown before is kept as %+v", k)
	}
	refs := []ledger.EntryRef{{Reading: 1, Line: 4}, {Reading: 9, Line: 1}, {Reading: 1, Line: 1, Part: 2}}
	if at, err := d.LinesAt(d.ctx, refs); err != nil || len(at) != 2 || at[0].Reference != all[0].Reference || at[1].Reference != all[3].Reference {
		d.Errorf("%+v, %v", at, err)
	}
	d.whole()
}

func readingsAreOfTheirAccount(t testing.TB, o Opener) {
	d := begin(t, o)
	all := debits(3)
	d.record(reading(account1, all...), 3, 0)
	d.record(reading(account2, all...), 3, 0)
	d.record(ofFile(reading(account1, all...), "march"), 0, 3) // the bank's own reading has them
	if a, b, both := len(d.statementLines(account1)), len(d.statementLines(account2)), len(d.statementLines("")); a != 6 || b != 3 || both != 9 {
		d.Errorf("%d, %d and %d lines", a, b, both)
	}
	if f := d.readings(account1)[1]; f.FileName != "march.csv" || f.Opening == nil || *f.Opening != 1000_00 || f.Closing != nil || !f.Period {
		d.Errorf("the file is kept as %+v", f)
	}
	d.whole()
}

// The bank's status says failed, twice, but its statement shows the debit. Then no retry is planned, and a
// retry that was planned before is not submitted, until the statement shows the return too. A return in a
// file ends nothing.
func debitedIsNotPaidAgain(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 3, 1)
	for _, one := range b {
		d.failed(one.ID)
	}
	retry := d.again(minute(10), d.retryable(b[0].ID), 1)[0]
	d.hold(retry.ID)
	at := func(hour int, debit bool, id, remarks string, closing ledger.Paise) ledger.StatementEntry {
		return ledger.StatementEntry{TransactionID: id, Debit: debit, Amount: 100_00, Closing: closing, Transacted: fmt.Sprintf("2025-11-03 %02d:00:00", hour), Remarks: remarks}
	}
	debit := at(16, true, "T1", "NEFT nov-1", 900_00)
	mentions := at(17, true, "T2", "NEFT nov-10 RAO", 800_00) // another reference, and the first's amount: nothing explains it
	bank := func(entries ...ledger.StatementEntry) ledger.StatementRead {
		r := reading(accountCIB, entries...)
		r.From, r.To, r.At, r.Balances = "2025-11-02", "2025-11-04", minute(20), nil
		return r
	}
	lockedBy := func(doing string, want ...ledger.LockKind) {
		d.Helper()
		records, err := d.Records(d.ctx, []int64{1})
		var kinds []ledger.LockKind
		for _, l := range ledger.LocksAgainst(records[1], d.attempts(retry.ID)[0].Key()) {
			kinds = append(kinds, l.Kind)
		}
		if diff := cmp.Diff(want, kinds); diff != "" || err != nil {
			d.Errorf("%s: locks (-want +got):\n%s%v", doing, diff, err)
		}
		before := d.world()
		k, _ := before.known(retry.ID)
		s := intent(retry.ID, ledger.SubmitIntended, minute(30), before.looks(k))
		if err := d.Apply(d.ctx, s); (err == nil) != (len(want) == 0) || err != nil && !errors.Is(err, ledger.ErrPayoutLocked) {
			d.Errorf("%s: its submit: %v", doing, err)
		}
		if len(want) > 0 {
			d.is(before, "%s", doing)
		}
	}
	d.record(bank(debit), 1, 0)
	lockedBy("the debit is on the statement", ledger.LockDebited)
	if _, locks, err := d.Retryable(d.ctx, b[0].ID); err != nil || len(locks) != 0 { // its latest attempt is held
		d.Errorf("locked are %v, %v", locks, err)
	}
	d.record(bank(debit, mentions), 1, 1)
	lockedBy("and a nameless one", ledger.LockDebited, ledger.LockPossible)
	d.record(ofFile(bank(debit, mentions, at(18, false, "T3", "RETURN nov-1", 900_00)), "the return in a file"), 1, 2)
	lockedBy("the return is in a file", ledger.LockDebited, ledger.LockPossible)
	d.record(bank(debit, mentions, at(18, false, "T3", "RETURN nov-1", 900_00), at(19, false, "T4", "RETURN nov-10 RAO", 1000_00)), 1, 3)
	lockedBy("the return too", ledger.LockPossible)
	d.whole()
}

func oldestFirst(t testing.TB, o Opener) {
	d := begin(t, o)
	all := debits(4)
	newest := slices.Clone(all)
	slices.Reverse(newest)
	newest[0].Details = []ledger.EntryDetail{{Amount: 40, Reference: "INV-1", Remarks: "A"}, {Amount: 60, Reference: "INV-2"}}
	d.record(reading(account1, newest...), 4, 0)
	for i, l := range d.statementLines(account1) {
		want := newest[3-i]
		if diff := cmp.Diff(want, l.StatementEntry); diff != "" || l.Ref != (ledger.EntryRef{Reading: 1, Line: i + 1}) || l.Day != want.Day() {
			d.Errorf("%+v: %s", l, diff)
		}
	}
	d.whole()
}

func filesJoin(t testing.TB, o Opener) {
	d := begin(t, o)
	all := debits(2)
	all[1].Transacted, all[1].Posted = all[0].Transacted, all[0].Posted
	first := ofFile(reading(account1, all[0]), "morning")
	first.To, first.Period = first.From, false
	d.record(first, 1, 0)
	before := d.world()
	gap := ofFile(reading(account1, all[1]), "rest")
	gap.To, gap.Period = gap.From, false
	gap.Entries[0].Closing -= 7_00
	var join *ledger.JoinError
	if _, err := d.RecordStatement(d.ctx, gap); !errors.As(err, &join) || join.Began != 1000_00 || join.Ended != 999_00 || join.Opening != 992_00 {
		d.Errorf("%v", err)
	}
	d.is(before, "a file that does not join")
	rest := ofFile(reading(account1, all[1]), "rest")
	rest.To, rest.Period = rest.From, false
	d.record(rest, 1, 0)
	d.record(rest, 0, 1)
	whole := ofFile(reading(account2, debits(2)...), "whole")
	d.record(whole, 2, 0)
	d.record(ofFile(reading(account2, debits(1)...), "less"), 0, 1)
	d.record(whole, 0, 2) // the newer file still decides
	d.whole()
}

// explanation is a person's statement that the second line of the first reading belongs to no payout.
func explanation(person string) ledger.StatementDecision {
	return ledger.StatementDecision{Entries: []ledger.EntryRef{{Reading: 1, Line: 2}}, Reason: "rent", Actor: person, At: minute(3)}
}

func wordsOfStatements(t testing.TB, o Opener) {
	d := begin(t, o)
	d.record(ofFile(reading(account1, debits(2)...), "march"), 2, 0)
	void := ledger.StatementDecision{Reading: 1, Reason: "another account", Actor: asha, At: minute(3)}
	explain := explanation(asha)
	before := d.world()
	void.Ask, explain.Ask = true, true
	if _, err := d.DecideStatement(d.ctx, void); err != nil {
		d.Error(err)
	}
	if _, err := d.DecideStatement(d.ctx, explain); err != nil {
		d.Error(err)
	}
	d.is(before, "what was only asked")
	void.Ask, explain.Ask = false, false
	for i, person := range []string{asha, "ravi"} {
		void.Actor, explain.Actor = person, person
		if w, err := d.DecideStatement(d.ctx, explain); err != nil || (w.First != 0) != (i == 1) {
			d.Errorf("explained %+v, %v", w, err)
		}
	}
	for i, person := range []string{asha, "ravi"} {
		void.Actor = person
		w, err := d.DecideStatement(d.ctx, void)
		if err != nil || (w.First != 0) != (i == 1) {
			d.Errorf("void %+v, %v", w, err)
		}
	}
	if k := d.readings(account1)[0]; !k.Void.Equal(minute(3)) {
		d.Errorf("kept as %+v", k)
	}
	w := d.world()
	if len(w.Words) != 4 || w.Events[len(w.Events)-1].Kind != ledger.EventVoided || w.Events[len(w.Events)-3].Kind != ledger.EventExplained {
		d.Errorf("%+v", w.Words)
	}
	d.reopen()
	d.is(w, "reopened")
	var refused *ledger.PeopleError
	if _, err := d.DecideStatement(d.ctx, void); !errors.As(err, &refused) {
		d.Errorf("void twice: %v", err)
	}
	d.is(w, "a word that is refused")
	d.whole()
}

func remarksAreMasked(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("pay/123456789", 2, 2)
	a := d.attempts(b[0].ID)[0]
	e := debits(1)[0]
	e.Remarks = "NEFT " + strings.ToUpper(a.WireRef) + " 50100012345678 " + b[0].ID
	e.Details = []ledger.EntryDetail{{Amount: 1_00, Remarks: "TO 50100012345678"}}
	d.record(reading(account1, e), 1, 0)
	got := d.statementLines(account1)[0]
	if want := strings.Replace(e.Remarks, "50100012345678", "XXXXXXXXXX5678", 1); got.Remarks != want || got.Details[0].Remarks != "TO XXXXXXXXXX5678" {
		d.Errorf("kept %q and %q, want %q", got.Remarks, got.Details[0].Remarks, want)
	}
	d.whole()
}

func readingsWithoutEntries(t testing.TB, o Opener) {
	d := begin(t, o)
	promise := reading(account1)
	promise.Shape = ledger.ShapePending
	other := reading(account1)
	other.Shape, other.RequestIDs = ledger.ShapeOther, nil
	d.record(promise, 0, 0)
	d.record(reading(account1), 0, 0)
	d.record(other, 0, 0)
	got, err := d.Statements(d.ctx, account1)
	if err != nil || len(got) != 3 {
		d.Fatalf("%d readings, %v", len(got), err)
	}
	if diff := cmp.Diff([]ledger.StatementRead{promise, reading(account1), other}, []ledger.StatementRead{got[0].StatementRead, got[1].StatementRead, got[2].StatementRead}); diff != "" {
		d.Error(diff)
	}
	d.whole()
}

func badReadings(t testing.TB, o Opener) {
	d := begin(t, o)
	before := d.world()
	for name, spoil := range map[string]func(*ledger.StatementRead){
		"of no account":          func(r *ledger.StatementRead) { r.BankAccountID = "" },
		"of no days":             func(r *ledger.StatementRead) { r.From = "" },
		"of no source":           func(r *ledger.StatementRead) { r.Source = "" },
		"of a promise in a file": func(r *ledger.StatementRead) { *r = ofFile(*r, "x"); r.Shape, r.Entries = ledger.ShapePending, nil },
		"of no file":             func(r *ledger.StatementRead) { r.Source = ledger.FromFile },
		"by nobody":              func(r *ledger.StatementRead) { r.Actor = " " },
		"below zero":             func(r *ledger.StatementRead) { r.Entries[1].Amount = -1 },
	} {
		r := reading(account1, debits(2)...)
		spoil(&r)
		if _, err := d.RecordStatement(d.ctx, r); err == nil {
			d.Errorf("a reading %s is recorded", name)
		}
		d.is(before, "a reading %s", name)
	}
	d.whole()
}
