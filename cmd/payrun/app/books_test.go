package app

import (
	"testing"
	"time"

	"payrun/ledger"
)

func TestSinceWhenABalanceStands(t *testing.T) {
	at := func(hour int) time.Time { return now.Add(time.Duration(hour) * time.Hour) }
	reads := func(balances ...ledger.Paise) (list []ledger.KeptStatement) {
		for i, b := range balances {
			list = append(list, ledger.KeptStatement{StatementRead: ledger.StatementRead{Balances: []ledger.BalanceRead{{Balance: b, At: at(i)}}}})
		}
		return list
	}
	tests := []struct {
		name  string
		reads []ledger.KeptStatement
		want  time.Time
	}{
		{"it moved, and stands", reads(5, 9, 9, 9), at(1)},
		{"it moved away and back", reads(9, 5, 9), at(2)},
		{"it stands elsewhere", reads(9, 5), time.Time{}},
		{"none is on record", nil, time.Time{}},
	}
	for _, tt := range tests {
		if got := unchangedSince(tt.reads, 9); !got.Equal(tt.want) {
			t.Errorf("%s: since %s", tt.name, got)
		}
	}
}

// At midnight a bank may give an entry in the window before and in the one after;
// with its own id it is one, without one it may be two.
func TestWindowsOfOneStatementArePutTogether(t *testing.T) {
	entry := func(id string) ledger.StatementEntry {
		return ledger.StatementEntry{TransactionID: id, Debit: true, Amount: 1, Closing: 9, Transacted: "2031-03-30 00:00:00"}
	}
	window := func(entries ...ledger.StatementEntry) ledger.StatementRead {
		return ledger.StatementRead{Source: ledger.FromInterface, Entries: entries}
	}
	if got := whole([]ledger.StatementRead{window(entry("T1")), window(entry("T1"), entry("T2"))}); len(got) != 2 {
		t.Errorf("with ids: %+v", got)
	}
	if got := whole([]ledger.StatementRead{window(entry("")), window(entry(""))}); len(got) != 2 {
		t.Errorf("without: %+v", got)
	}
}

// A debit is the payout's whose name it carries, with its amount, and once.
func TestBookEntriesAreMatchedByName(t *testing.T) {
	d := newDesk(t)
	d.load("asha", "INV-1", "INV-2", "INV-10")
	err := d.read(t.Context(), Call{Actor: "asha"}, func(o *operation) error {
		account := ""
		err := o.store.EachPayout(t.Context(), ledger.Filter{}, func(a ledger.Attempt) error {
			if a.Ref == "INV-1" {
				account = a.BankAccountID
			}
			return nil
		})
		if err != nil {
			return err
		}
		debit := func(amount ledger.Paise, remarks string) ledger.StatementEntry {
			return ledger.StatementEntry{Debit: true, Amount: amount, Transacted: "2025-11-03 10:00:00", Remarks: remarks}
		}
		entries := []ledger.StatementEntry{
			debit(100_00, "NEFT inv-1 RAO"), debit(100_00, "NEFT INV-1 RAO"), debit(99_00, "INV-10"), debit(100_00, "INV-2"), debit(100_00, "INV-100"),
			{Amount: 100_00, Transacted: "2025-11-03 10:00:00", Remarks: "INV-1"}, debit(100_00, "INV-1 INV-10"),
		}
		m, err := o.matcherOf(t.Context(), account)
		if err != nil {
			return err
		}
		fill := func(entries []ledger.StatementEntry) (ledger.Books, error) {
			out := ledger.Books{BankAccountID: account}
			err := books{o}.fill(t.Context(), &out, m, entries, 0)
			return out, err
		}
		filled, err := fill(entries)
		if err != nil {
			return err
		}
		got := filled.Entries
		for i, want := range []string{"INV-1", "", "", "", "", "", "INV-10"} { // INV-2 is of another account, and INV-1 a short word
			if got[i].Matched != want {
				t.Errorf("%q is matched to %q", entries[i].Remarks, got[i].Matched)
			}
		}
		entries = append(entries, ledger.StatementEntry{Amount: 100_00, Transacted: "2025-11-03 10:00:00", Remarks: "REVERSAL"})
		if filled, err = fill(entries); err != nil {
			return err
		}
		got = filled.Entries
		if got[5].Explained == "" || got[7].Explained != "" || got[0].Explained != "" {
			t.Errorf("a credit is explained by a name alone: %+v", got)
		}
		for _, c := range []struct {
			entries []ledger.StatementEntry
			want    int
		}{{entries[:1], 1}, {entries[:2], 2}, {append(entries[:1:1], entries[7]), 1}, {append(entries[:1:1], entries[5]), 0}, {entries[2:5], 0}} {
			if filled, err := fill(c.entries); err != nil || len(filled.Owed) != c.want {
				t.Errorf("owed %+v, %v: want %d", filled.Owed, err, c.want)
			}
		}
		entries[0].Transacted = "03/11/2025"
		if _, err = fill(entries); err == nil {
			t.Error("a date of another form is taken")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
