package storetest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var statements = []Check{
	{"an entry of a statement is kept once, whatever window it comes in", entriesAreKeptOnce},
	{"an entry is another one of another account or source", entriesAreOfTheirAccount},
	{"a statement that is newest first is kept oldest first", oldestFirst},
	{"what a statement says of others' accounts is masked, our own names are not", remarksAreMasked},
	{"a reading without entries keeps its request ids and balances", readingsWithoutEntries},
	{"a reading that is none changes nothing", badReadings},
}

const account1, account2 = "acc-1", "acc-2"

// reading is one of the interface's, of March 2031.
func reading(account string, entries ...ledger.StatementEntry) ledger.StatementRead {
	return ledger.StatementRead{BankAccountID: account, Source: ledger.FromInterface, Shape: ledger.ShapeEntries, From: "2031-03-01", To: "2031-03-30",
		RequestIDs: []string{"rq-1", "rq-2"}, Balances: []ledger.BalanceRead{{Balance: 900_00, At: minute(1)}}, At: minute(2), Actor: asha, Entries: entries}
}

func ofFile(r ledger.StatementRead, bytes string) ledger.StatementRead {
	r.Source, r.RequestIDs, r.Balances = ledger.FromFile, nil, nil
	r.File = ledger.StatementFile{Name: "march.csv", SHA256: hash(bytes), Format: "csv"}
	r.Opening, r.HasOpening = 1000_00, true
	return r
}

// debits are of 1.00 each from 1,000.00, a day each.
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
	if want := (ledger.StatementCounts{New: isNew, Known: known}); err != nil || got != want {
		d.Errorf("recorded %+v, %v; want %+v", got, err, want)
	}
}

func (d *desk) entries(account string) (list []ledger.KeptEntry) {
	d.Helper()
	if err := d.EachEntry(d.ctx, account, func(e ledger.KeptEntry) error { list = append(list, e); return nil }); err != nil {
		d.Fatal(err)
	}
	return list
}

func entriesAreKeptOnce(t testing.TB, o Opener) {
	d := begin(t, o)
	all := debits(6)
	d.record(reading(account1, all[:4]...), 4, 0)
	d.record(reading(account1, all[2:]...), 2, 2)
	late := all[0] // the same moment and amount under another id: another debit
	late.TransactionID, late.Closing = "T-late", late.Closing-1_00
	d.record(reading(account1, append(slices.Clone(all), late)...), 1, 6)
	twice := ofFile(reading(account1, all[0], all[1], all[1]), "two of a file are two")
	d.record(twice, 3, 0)
	d.record(twice, 0, 3)
	d.reopen()
	d.record(reading(account1, all...), 0, 6)
	if n := len(d.entries(account1)); n != 10 {
		d.Errorf("%d entries", n)
	}
	kept, err := d.Statements(d.ctx, account1)
	if err != nil || len(kept) != 6 {
		d.Fatalf("%d readings, %v", len(kept), err)
	}
	want := ledger.KeptStatement{No: 1, StatementRead: reading(account1)}
	if diff := cmp.Diff(want, kept[0]); diff != "" {
		d.Error(diff)
	}
	if f := kept[3]; f.File != twice.File || !f.HasOpening || f.Opening != 1000_00 || f.HasClosing {
		d.Errorf("the file is kept as %+v", f)
	}
	d.whole()
}

func entriesAreOfTheirAccount(t testing.TB, o Opener) {
	d := begin(t, o)
	all := debits(3)
	d.record(reading(account1, all...), 3, 0)
	d.record(reading(account2, all...), 3, 0)
	d.record(ofFile(reading(account1, all...), "march"), 3, 0)
	if a, b, both := len(d.entries(account1)), len(d.entries(account2)), len(d.entries("")); a != 6 || b != 3 || both != 9 {
		d.Errorf("%d, %d and %d entries", a, b, both)
	}
	d.whole()
}

func oldestFirst(t testing.TB, o Opener) {
	d := begin(t, o)
	all := debits(4)
	newest := slices.Clone(all)
	slices.Reverse(newest)
	newest[0].Details = []ledger.EntryDetail{{Amount: 40, Reference: "INV-1", Remarks: "A"}, {Amount: 60, Reference: "INV-2"}}
	d.record(reading(account1, newest...), 4, 0)
	for i, e := range d.entries(account1) {
		want := newest[3-i]
		if diff := cmp.Diff(want, e.StatementEntry); diff != "" || e.Place != i+1 || e.ReadNo != 1 || e.Nth != 1 {
			d.Errorf("%+v: %s", e, diff)
		}
	}
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
	got := d.entries(account1)[0]
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
		"of no account": func(r *ledger.StatementRead) { r.BankAccountID = "" },
		"of no days":    func(r *ledger.StatementRead) { r.From = "" },
		"by nobody":     func(r *ledger.StatementRead) { r.Actor = " " },
		"below zero":    func(r *ledger.StatementRead) { r.Entries[1].Amount = -1 },
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
