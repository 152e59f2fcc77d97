package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payrun/ledger"
)

// paidTo is a payout to Asha's account, changed by the test.
func paidTo(row int, amount ledger.Paise, changes ...func(*ledger.Payout)) ledger.Payout {
	p := ledger.Payout{
		Row: row, Amount: amount, VendorName: "Asha Traders", BankAccountNumber: "0050200012345678", IFSC: "HDFC0001234",
		SubMerchantID: "sm_0001", TransactionTypeID: "NEFT", BankAccountID: accountCIB,
	}
	for _, change := range changes {
		change(&p)
	}
	return p
}

func named(name string) func(*ledger.Payout) { return func(p *ledger.Payout) { p.VendorName = name } }
func account(number string) func(*ledger.Payout) {
	return func(p *ledger.Payout) { p.BankAccountNumber = number }
}
func branch(ifsc string) func(*ledger.Payout) { return func(p *ledger.Payout) { p.IFSC = ifsc } }

// loadAt records a sheet at a time, each payout in a batch of its own.
func loadAt(t testing.TB, s *Store, name string, when time.Time, payouts ...ledger.Payout) []ledger.Batch {
	t.Helper()
	for i := range payouts {
		payouts[i].Ref = fmt.Sprintf("%s-%d", name, i+1)
	}
	l, err := s.BeginLoad(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sheet := sheetOf(name, payouts)
	sheet.LoadedAt = when
	if err := l.Add(keyedOf(payouts)); err != nil {
		t.Fatal(err)
	}
	batches, err := l.Commit(sheet, planOf(payouts, 1))
	if err != nil {
		t.Fatal(err)
	}
	return batches
}

// whereverIndexed tells a story to three ledgers: one whose payees are never
// indexed, one where each load indexes those before it, as the command does,
// and one that is all indexed. They must answer alike.
func whereverIndexed(t *testing.T, story func(t *testing.T, s *Store, next func()), ask func(t *testing.T, s *Store)) {
	t.Helper()
	for name, when := range map[string]struct{ between, after bool }{
		"never": {}, "before each load": {between: true}, "all": {between: true, after: true},
	} {
		t.Run("indexed "+name, func(t *testing.T) {
			s := newStore(t)
			index := func() {
				if err := s.IndexPayees(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			story(t, s, func() {
				if when.between {
					index()
				}
			})
			if when.after {
				index()
			}
			ask(t, reopenToRead(t, s))
		})
	}
}

func payeeOf(p ledger.Payout) ledger.Payee {
	return ledger.Payee{Account: p.AccountOf(), Amount: p.Amount}
}

func TestPaidSince(t *testing.T) {
	second, third := t0.AddDate(0, 0, 3), t0.AddDate(0, 0, 6)
	whereverIndexed(t, func(t *testing.T, s *Store, next func()) {
		loadAt(t, s, "sep", t0, paidTo(2, 100_00), paidTo(3, 70_00))
		next()
		loadAt(t, s, "oct", second, paidTo(5, 100_00), paidTo(6, 500_00, account("999")), paidTo(7, 1_00, account(""), branch(""), func(p *ledger.Payout) {
			p.OpenBeneficiaryID = "0b8f5a1e-6c1d-4c7e-9a52-3d1f0a7b9c11"
		}))
		next()
		loadAt(t, s, "nov", third, paidTo(2, 300_00))
	}, func(t *testing.T, s *Store) {
		october := ledger.ReferenceUse{Ref: "oct-1", SheetID: ledger.SheetID(hash("oct")), SheetName: "oct.csv", Row: 5, LoadedAt: second, State: ledger.PayoutPlanned}
		for _, c := range []struct {
			name  string
			since time.Time
			payee ledger.Payout
			want  string
		}{
			{"the latest of two", t0, paidTo(0, 100_00), "oct-1"},
			{"loaded just then", second, paidTo(0, 100_00), "oct-1"},
			{"loaded a moment before", second.Add(time.Microsecond), paidTo(0, 100_00), ""},
			{"another sheet since", third, paidTo(0, 100_00), ""},
			{"nothing since", third.Add(time.Microsecond), paidTo(0, 300_00), ""},
			{"a paisa more", t0, paidTo(0, 100_01), ""},
			{"without leading zeros", t0, paidTo(0, 100_00, account("50200012345678")), "oct-1"},
			{"another account", t0, paidTo(0, 100_00, account("50200012345679")), ""},
			{"another branch", t0, paidTo(0, 100_00, branch("HDFC0001235")), ""},
			{"another name", t0, paidTo(0, 100_00, named("Bina")), "oct-1"},
			{"by beneficiary id", t0, paidTo(0, 1_00, account(""), branch(""), func(p *ledger.Payout) { p.OpenBeneficiaryID = "0B8F5A1E-6C1D-4C7E-9A52-3D1F0A7B9C11" }), "oct-3"},
		} {
			asked := payeeOf(c.payee)
			found, err := s.PaidSince(t.Context(), []ledger.Payee{asked, asked}, c.since)
			if err != nil || found[asked].Ref != c.want || (c.want == "") != (len(found) == 0) {
				t.Errorf("%s: %+v, %v; want %q", c.name, found, err, c.want)
			}
		}
		asked := payeeOf(paidTo(0, 100_00))
		found, err := s.PaidSince(t.Context(), []ledger.Payee{asked}, t0)
		if d := cmp.Diff(map[ledger.Payee]ledger.ReferenceUse{asked: october}, found); d != "" || err != nil {
			t.Errorf("(-want +got):\n%s%v", d, err)
		}
	})
}

func TestNewAccounts(t *testing.T) {
	whereverIndexed(t, func(t *testing.T, s *Store, next func()) {
		loadAt(t, s, "sep", t0, paidTo(2, 1_00), paidTo(3, 1_00, named("Ｂｉｎａ  Café"), account("111111")), paidTo(4, 1_00, named(""), account("222222")))
		next()
		loadAt(t, s, "oct", t0, paidTo(2, 1_00, account("777777")), paidTo(3, 1_00))
		next()
		var crowd []ledger.Payout
		for i := range namesMost + 1 {
			crowd = append(crowd, paidTo(i+2, 1_00, named("Refund"), account(fmt.Sprintf("8%05d", i))))
			if i < namesMost {
				crowd = append(crowd, paidTo(i+100, 1_00, named("Amit Kumar"), account(fmt.Sprintf("9%05d", i))))
			}
		}
		loadAt(t, s, "nov", t0, crowd...)
	}, func(t *testing.T, s *Store) {
		for _, c := range []struct {
			name     string
			payout   ledger.Payout
			want     string // the payout that brought the latest account
			accounts int
		}{
			{"the same account", paidTo(0, 1_00), "", 0},
			{"the other known account", paidTo(0, 1_00, account("777777")), "", 0},
			{"the same but for leading zeros", paidTo(0, 1_00, account("000777777")), "", 0},
			{"a new account", paidTo(0, 1_00, account("777778")), "oct-1", 2},
			{"the account at another branch", paidTo(0, 1_00, branch("HDFC0001235")), "oct-1", 2},
			{"a name nobody was paid by", paidTo(0, 1_00, named("Chetan"), account("777778")), "", 0},
			{"the name in other case, width and spaces", paidTo(0, 1_00, named(" bina CAFE\u0301"), account("777778")), "sep-2", 1},
			{"no name", paidTo(0, 1_00, named(" "), account("777778")), "", 0},
			{"a name of as many accounts as a name may have", paidTo(0, 1_00, named("AMIT KUMAR"), account("777778")), fmt.Sprintf("nov-%d", 2*namesMost), namesMost},
			{"a name of one more", paidTo(0, 1_00, named("refund"), account("777778")), "", 0},
		} {
			asked := ledger.NamedAccount{VendorName: c.payout.VendorName, Account: c.payout.AccountOf()}
			found, err := s.NewAccounts(t.Context(), []ledger.NamedAccount{asked, asked})
			if got := found[asked]; err != nil || got.Use.Ref != c.want || got.Accounts != c.accounts || (c.want == "") != (len(found) == 0) {
				t.Errorf("%s: %+v, %v; want %q", c.name, found, err, c.want)
			}
		}
	})
}

func TestFarAbove(t *testing.T) {
	whereverIndexed(t, func(t *testing.T, s *Store, next func()) {
		loadAt(t, s, "sep", t0, paidTo(2, 100_00), paidTo(3, 300_00), paidTo(4, 900_00),
			paidTo(5, 1_01, account("44444")), paidTo(6, 1_00, account("44444")), paidTo(7, 1_00, account("44444")))
		next()
		batches := loadAt(t, s, "oct", t0, paidTo(2, 200_00), paidTo(3, 100_00), paidTo(4, 1_00),
			paidTo(5, 1_00, account("44444")))
		next()
		// 1.00 to Asha was planned and never sent: it does not count
		apply(t, s, ledger.Step{Actor: "asha", BatchID: batches[2].ID, From: ledger.BatchPlanned, Event: ledger.Abandoned, At: at(1)})
		loadAt(t, s, "nov", t0, paidTo(2, 2_00, account("55555")), paidTo(3, 3_00, account("55555")), paidTo(4, 3_01, account("55555")),
			paidTo(5, 2_00, account("55555")), paidTo(6, 50_00, account("55555")), paidTo(7, 50_00, account("55555")))
	}, func(t *testing.T, s *Store) {
		for _, c := range []struct {
			name   string
			payout ledger.Payout
			want   ledger.Paise // the median, 0 when it is not far above
		}{
			{"ten times the median of five", paidTo(0, 2000_00), 200_00},
			{"a paisa less", paidTo(0, 1999_99), 0},
			{"the largest money there is", paidTo(0, 1<<63-1), 200_00},
			{"four payouts only", paidTo(0, 1_000_000_00, account("44444")), 0},
			{"an account never paid", paidTo(0, 1_000_000_00, account("66666")), 0},
			{"the middle of six, rounded down", paidTo(0, 30_00, account("55555")), 3_00},
			{"and a paisa less", paidTo(0, 29_99, account("55555")), 0},
		} {
			asked := payeeOf(c.payout)
			found, err := s.FarAbove(t.Context(), []ledger.Payee{asked, asked}, 10, 5)
			if err != nil || found[asked].Median != c.want || (c.want == 0) != (len(found) == 0) {
				t.Errorf("%s: %+v, %v; want %s", c.name, found, err, c.want)
			}
		}
		asked := payeeOf(paidTo(0, 2000_00))
		found, _ := s.FarAbove(t.Context(), []ledger.Payee{asked}, 10, 5)
		if u := found[asked]; u.Payouts != 5 || u.Last.Ref != "oct-2" {
			t.Errorf("%+v", u)
		}
	})
}

func TestWhatIsUsualIsToldByTheLatestHundredPayouts(t *testing.T) {
	var old, recent []ledger.Payout
	for i := range usualMost {
		old, recent = append(old, paidTo(i+2, 1_00)), append(recent, paidTo(i+2, 100_00))
	}
	whereverIndexed(t, func(t *testing.T, s *Store, next func()) {
		loadAt(t, s, "old", t0, old...)
		next()
		loadAt(t, s, "recent", t0, recent...)
	}, func(t *testing.T, s *Store) {
		for amount, want := range map[ledger.Paise]int{999_99: 0, 1000_00: 1} {
			found, err := s.FarAbove(t.Context(), []ledger.Payee{payeeOf(paidTo(0, amount))}, 10, 5)
			if err != nil || len(found) != want {
				t.Errorf("%s: %+v, %v", amount, found, err)
			}
		}
	})
}

// Whatever was loaded and however much of it is indexed: the answers are those
// of looking through every payout.
func TestPayeesAreFoundAsByLookingThroughEveryPayout(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newStore(t)
		var all []ledger.Payout
		ids := map[string]int{}
		draw := func(label string) ledger.Payout {
			return paidTo(2, ledger.Paise(rapid.SampledFrom([]int{1, 9, 10, 100, 1000}).Draw(rt, label+" amount")),
				named(rapid.SampledFrom([]string{"A", "a ", "B", ""}).Draw(rt, label+" name")),
				account(rapid.SampledFrom([]string{"11111", "011111", "22222"}).Draw(rt, label+" account")))
		}
		for n := range rapid.IntRange(0, 3).Draw(rt, "sheets") {
			var payouts []ledger.Payout
			for range rapid.IntRange(1, 6).Draw(rt, "payouts") {
				payouts = append(payouts, draw("paid"))
			}
			loadAt(t, s, fmt.Sprintf("sheet%d", n), t0, payouts...)
			for _, p := range payouts {
				all = append(all, p)
				ids[p.Ref] = len(all)
			}
			if rapid.Bool().Draw(rt, "index") {
				if err := s.IndexPayees(t.Context()); err != nil {
					rt.Fatal(err)
				}
			}
		}
		s = reopenToRead(t, s)
		p := draw("asked")
		payee, who := payeeOf(p), ledger.NamedAccount{VendorName: p.VendorName, Account: p.AccountOf()}
		var lately, elsewhere string
		var amounts []ledger.Paise
		known := false
		for _, q := range all {
			same := p.AccountOf().Same(q.AccountOf())
			if same {
				amounts = append(amounts, q.Amount)
			}
			if same && q.Amount == p.Amount {
				lately = q.Ref
			}
			if foldName(p.VendorName) != "" && foldName(p.VendorName) == foldName(q.VendorName) {
				known = known || same
				if !same && elsewhere == "" {
					elsewhere = q.Ref // of two accounts, the other one's first payout
				}
			}
		}
		if known {
			elsewhere = ""
		}
		slices.Sort(amounts)
		unusual := len(amounts) >= 3 && p.Amount >= 10*((amounts[(len(amounts)-1)/2]+amounts[len(amounts)/2])/2)

		paid, err1 := s.PaidSince(t.Context(), []ledger.Payee{payee}, t0)
		moved, err2 := s.NewAccounts(t.Context(), []ledger.NamedAccount{who})
		above, err3 := s.FarAbove(t.Context(), []ledger.Payee{payee}, 10, 3)
		if err1 != nil || err2 != nil || err3 != nil {
			rt.Fatal(err1, err2, err3)
		}
		if paid[payee].Ref != lately || moved[who].Use.Ref != elsewhere || (len(above) == 1) != unusual {
			rt.Fatalf("%+v: paid %q want %q, moved %q want %q, unusual %v want %v", p, paid[payee].Ref, lately, moved[who].Use.Ref, elsewhere, above, unusual)
		}
	})
}

func TestMorePayeesAreAskedAboutThanOneQueryTakes(t *testing.T) {
	const n = 2*lookups + 3
	s := newStore(t)
	load(t, s, "nov", n, n)
	var payees []ledger.Payee
	var elsewhere []ledger.NamedAccount
	for _, p := range samplePayouts("dec", n) {
		payees = append(payees, payeeOf(p))
		p.BankAccountNumber += "7"
		elsewhere = append(elsewhere, ledger.NamedAccount{VendorName: p.VendorName, Account: p.AccountOf()})
	}
	if found, err := s.PaidSince(t.Context(), payees, t0); len(found) != n || err != nil {
		t.Errorf("%d of %d were paid, %v", len(found), n, err)
	}
	if found, err := s.NewAccounts(t.Context(), elsewhere); len(found) != n || err != nil {
		t.Errorf("%d of %d have another account, %v", len(found), n, err)
	}
}

func TestAnEmptyLedgerKnowsNoPayee(t *testing.T) {
	s := newStore(t)
	p := paidTo(0, 1_00)
	if found, err := s.PaidSince(t.Context(), []ledger.Payee{payeeOf(p)}, t0); len(found) != 0 || err != nil {
		t.Errorf("%v, %v", found, err)
	}
	if found, err := s.NewAccounts(t.Context(), []ledger.NamedAccount{{VendorName: "A"}}); len(found) != 0 || err != nil {
		t.Errorf("%v, %v", found, err)
	}
	if found, err := s.FarAbove(t.Context(), []ledger.Payee{payeeOf(p)}, 10, 5); len(found) != 0 || err != nil {
		t.Errorf("%v, %v", found, err)
	}
}

func TestIndexingGoesOnWhereItEnded(t *testing.T) {
	rows := func(s *Store) (all []string) {
		for _, q := range []string{`SELECT 'name', name, account, payout_id FROM payee_names ORDER BY 2, 3`, `SELECT 'paid', account, payout_id, amount FROM payee_payouts ORDER BY 2, 3`} {
			err := each(t.Context(), s.read, func(r *sql.Rows) error {
				var kind string
				var a, b, c int64
				err := r.Scan(&kind, &a, &b, &c)
				all = append(all, fmt.Sprint(kind, a, b, c))
				return err
			}, q)
			if err != nil {
				t.Fatal(err)
			}
		}
		return all
	}
	piecemeal, atOnce := newStore(t), newStore(t)
	for i := range 3 {
		for _, s := range []*Store{piecemeal, atOnce} {
			load(t, s, fmt.Sprintf("sheet%d", i), 150, 50)
		}
		for range 2 {
			if err := piecemeal.IndexPayees(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := atOnce.IndexPayees(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(rows(atOnce), rows(piecemeal)); d != "" || len(rows(atOnce)) != 450+150 {
		t.Errorf("%d rows; (-at once +piecemeal):\n%s", len(rows(atOnce)), d)
	}
	sound(t, piecemeal)
}

func TestTheIndexIsNotWrittenWhereNothingMayBe(t *testing.T) {
	s := newStore(t)
	load(t, s, "nov", 3, 3)
	s = reopenToRead(t, s)
	if err := s.IndexPayees(context.Background()); err == nil {
		t.Error("a ledger opened for reading was indexed")
	}
}

func TestALoadWritesNothingIntoTheIndex(t *testing.T) {
	s := newStore(t)
	load(t, s, "nov", 3, 3)
	var n int
	err := s.read.QueryRow(`SELECT (SELECT count(*) FROM payee_names) + (SELECT count(*) FROM payee_payouts) + (SELECT upto FROM payees_indexed)`).Scan(&n)
	if err != nil || n != 0 {
		t.Errorf("%d, %v", n, err)
	}
}
