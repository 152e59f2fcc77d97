package validate

import (
	"strings"
	"testing"

	"payrun/ledger"
)

func payrollOf(payouts ...ledger.Payout) *Payroll {
	p := NewPayroll()
	for i := range payouts {
		p.Add(&payouts[i], ledger.PayoutPlanned)
	}
	return p
}

func pay(ref, name, number string, rupees ledger.Paise) ledger.Payout {
	return ledger.Payout{Ref: ref, VendorName: name, BankAccountNumber: number, IFSC: "HDFC0001234", Amount: rupees * 100}
}

func tallyOf(count int, rupees ledger.Paise) ledger.Tally {
	return ledger.Tally{Count: count, Total: rupees * 100}
}

func TestWhoGetsTheSameAtAnotherAccountIsNotTheSame(t *testing.T) {
	before := payrollOf(pay("O1", "Asha Rao", "100000000001", 500), pay("O2", "Bhima Das", "100000000002", 300))
	now := payrollOf(pay("N1", "Asha Rao", "100000000009", 500), pay("N2", "Bhima Das", "100000000002", 300))
	if s := now.Since(before); s.Same != 1 || s.Moved != 1 || s.More.Count+s.Less.Count+s.New.Count+s.Gone.Count != 0 {
		t.Errorf("%+v", s)
	}
}

func TestAPayrollIsHeldAgainstTheOneBefore(t *testing.T) {
	before := payrollOf(pay("O1", "Asha Rao", "100000000001", 500), pay("O2", "Bhima Das", "100000000002", 300), pay("O3", "Chitra Sen", "100000000003", 900),
		pay("O4", "Deepak Roy", "100000000004", 50), pay("O5", "Esha Nair", "100000000005", 70), pay("O6", "Ravi Kumar", "100000000061", 10), pay("O7", "Ravi Kumar", "100000000062", 11))
	branch := pay("N5", "Esha Nair", "0100000000005", 70) // the same account, with a zero before it, at another branch
	branch.IFSC = "HDFC0009999"
	now := payrollOf(pay("N1", "Asha Rao", "100000000001", 300), pay("N1b", "Asha Rao", "100000000001", 300), pay("N2", "bhima  das", "100000000099", 310),
		pay("N3", "Chitra Sen", "100000000003", 850), pay("N8", "Gita Pal", "100000000008", 1000), branch, pay("N6", "Ravi Kumar", "100000000063", 10))
	s := now.Since(before)
	for what, c := range map[string]struct{ got, want ledger.Tally }{
		"before": {s.Before, tallyOf(7, 1841)}, "now": {s.Now, tallyOf(6, 2840)},
		"new": {s.New, tallyOf(2, 1010)}, "gone": {s.Gone, tallyOf(3, 71)}, "more": {s.More, tallyOf(2, 110)}, "less": {s.Less, tallyOf(1, 50)},
	} {
		if c.got != c.want {
			t.Errorf("%s: %+v, not %+v", what, c.got, c.want)
		}
	}
	if s.Same != 1 || s.Moved != 1 {
		t.Errorf("%d get the same, %d moved", s.Same, s.Moved)
	}
	if s.Before.Total-s.Gone.Total+s.New.Total+s.More.Total-s.Less.Total != s.Now.Total {
		t.Error("it does not add up")
	}
	var order []string
	for _, c := range s.Largest {
		order = append(order, c.Was.Ref+">"+c.Is.Ref)
	}
	want := []string{"O2>N2", ">N8", "O1>N1", "O3>N3", "O4>", "O7>", ">N6", "O6>"}
	if len(order) != len(want) || !s.Largest[0].Moved() || s.Largest[1].Moved() {
		t.Fatalf("%q", order)
	}
	for i := range want[:5] {
		if order[i] != want[i] {
			t.Fatalf("%q, not %q", order, want)
		}
	}
}

func TestPayeesWhoLookAlike(t *testing.T) {
	before := payrollOf(pay("O1", "Lakshmi Traders", "200000000001", 5), pay("O2", "Bharat Steel", "200000000002", 5), pay("O3", "Kiran Shah", "200000000003", 5))
	now := payrollOf(
		pay("N1", "Asha Traders", "100000000001", 5), pay("N2", "ASHA TRÁDERS", "100000000002", 5), pay("N3", "Traders, Asha", "100000000001", 5),
		pay("N4", "Ravi Kumar", "100000000004", 5), pay("N5", "ravi kumar", "100000000005", 5),
		pay("N6", "Imran Sheikh", "100000000006", 5), pay("N7", "Farida Khan", "100000000006", 5), pay("N8", "Mr Imran Sheikh", "100000000006", 5),
		pay("N9", "Lakshml Traders", "100000000009", 5), pay("N10", "Bharat Steel", "100000000010", 5), pay("N11", "Кiran Shah", "200000000003", 5),
	)
	found := now.Similar(before, ledger.ReferenceUse{SheetName: "october.csv"})
	var got []string
	for _, a := range found.First {
		got = append(got, string(a.Kind)+" "+a.One.Ref+" "+a.Other.Ref+" "+a.In.SheetName)
	}
	want := []string{"one_account N7 N6 ", "names_alike N2 N1 ", "names_alike N9 O1 october.csv", "one_name N5 N4 "}
	if len(got) != len(want) || found.Count != len(want) {
		t.Fatalf("%q, not %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%q, not %q", got[i], want[i])
		}
	}
}

func TestWhatANameLooksLike(t *testing.T) {
	for _, pair := range [][2]string{{"Asha Rao", "RAO, ASHA"}, {"Modern Mills", "Modem Mills"}, {"Аsha", "Asha"}, {"M0han", "Mohan"}, {"José", "Jose"}, {"Wipro", "VVipro"},
		{"Tra\u200bders", "Traders"}, {"Tra\ufe0fders\u2060", "Traders"}, {"\u202eAsha\u3164 Rao", "Asha Rao"}, {"शर्\u200dमा", "शर्मा"}} {
		if Appearance(pair[0]) != Appearance(pair[1]) {
			t.Errorf("%q and %q", pair[0], pair[1])
		}
	}
	if long := strings.Repeat("Asha ", 60); Appearance(long) == "" || Appearance(long) != Appearance(strings.Replace(long, "h", "H", 1)) {
		t.Error("a long name looks like nothing")
	}
	for _, pair := range [][2]string{{"Asha Rao", "Usha Rao"}, {"पूजा शर्मा", "पूज शर्म"}, {"Ramesh", "Rajesh"}} {
		if Appearance(pair[0]) == Appearance(pair[1]) {
			t.Errorf("%q and %q", pair[0], pair[1])
		}
	}
	if Appearance(" -. ") != "" || Appearance("\u200b\u2060\u3164\u034f") != "" {
		t.Error("a name of which nothing shows looks like something")
	}
}

// Payees without a name are new, gone or paid otherwise like others, and no one moved.
func TestPayeesWithoutAName(t *testing.T) {
	before := payrollOf(pay("O1", "", "100000000001", 5), pay("O2", "", "100000000002", 7))
	now := payrollOf(pay("N1", "", "100000000001", 8), pay("N3", "", "100000000003", 7))
	s := now.Since(before)
	if s.More != tallyOf(1, 3) || s.New != tallyOf(1, 7) || s.Gone != tallyOf(1, 7) || s.Moved != 0 || len(s.Largest) != 3 {
		t.Errorf("%+v", s)
	}
	for i, c := range s.Largest {
		if c.New() != (i == 0) || c.Gone() != (i == 1) || c.Moved() {
			t.Errorf("%d: %+v", i, c)
		}
	}
	if all := now.Similar(before, ledger.ReferenceUse{}); all.Count != 0 {
		t.Errorf("%+v look alike", all)
	}
}
