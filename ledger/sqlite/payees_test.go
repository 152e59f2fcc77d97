package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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

// plainFold is how these tests compare names. The store folds none itself.
func plainFold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

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
func whereverIndexed(t *testing.T, story func(t *testing.T, s *Store, next func()), ask func(t *testing.T, p ledger.Payees)) {
	t.Helper()
	for name, when := range map[string]struct{ between, after bool }{
		"never": {}, "before each load": {between: true}, "all": {between: true, after: true},
	} {
		t.Run("indexed "+name, func(t *testing.T) {
			s := newStore(t)
			index := func() {
				if err := s.IndexPayees(t.Context(), plainFold); err != nil {
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
			ask(t, reopenToRead(t, s).Payees(plainFold))
		})
	}
}

func accountOf(p ledger.Payout) ledger.Account { return p.AccountOf() }

func payeeOf(p ledger.Payout) ledger.Payee {
	return ledger.Payee{Account: p.AccountOf(), Amount: p.Amount}
}

func TestPaidSince(t *testing.T) {
	second, third := t0.AddDate(0, 0, 3), t0.AddDate(0, 0, 6)
	whereverIndexed(t, func(t *testing.T, s *Store, next func()) {
		loadAt(t, s, "sep", t0, paidTo(2, 100_00), paidTo(3, 70_00))
		next()
		loadAt(t, s, "oct", second, paidTo(5, 100_00), paidTo(6, 500_00, account("999")), paidTo(7, 1_00, account(""), branch(""), func(x *ledger.Payout) {
			x.OpenBeneficiaryID = "0b8f5a1e-6c1d-4c7e-9a52-3d1f0a7b9c11"
		}))
		next()
		loadAt(t, s, "nov", third, paidTo(2, 300_00))
	}, func(t *testing.T, p ledger.Payees) {
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
			{"by beneficiary id", t0, paidTo(0, 1_00, account(""), branch(""), func(x *ledger.Payout) { x.OpenBeneficiaryID = "0B8F5A1E-6C1D-4C7E-9A52-3D1F0A7B9C11" }), "oct-3"},
		} {
			asked := payeeOf(c.payee)
			found, err := p.PaidSince(t.Context(), []ledger.Payee{asked, asked}, c.since)
			if err != nil || found[asked].Ref != c.want || (c.want == "") != (len(found) == 0) {
				t.Errorf("%s: %+v, %v; want %q", c.name, found, err, c.want)
			}
		}
		asked := payeeOf(paidTo(0, 100_00))
		found, err := p.PaidSince(t.Context(), []ledger.Payee{asked}, t0)
		if d := cmp.Diff(map[ledger.Payee]ledger.ReferenceUse{asked: october}, found); d != "" || err != nil {
			t.Errorf("(-want +got):\n%s%v", d, err)
		}
	})
}

// Whatever was loaded and however much of it is indexed: the facts are those of
// looking through every payout.
func TestWhoWasPaidIsToldAsByLookingThroughEveryPayout(t *testing.T) {
	names, numbers := []string{"A", "a ", "B", ""}, []string{"11111", "011111", "22222", "33333"}
	for seed := range uint64(12) {
		rng, s := rand.New(rand.NewPCG(seed, 0)), newStore(t)
		var all []ledger.Payout
		for n := range rng.IntN(4) {
			var payouts []ledger.Payout
			for range 1 + rng.IntN(8) {
				payouts = append(payouts, paidTo(2, 1_00, named(names[rng.IntN(len(names))]), account(numbers[rng.IntN(len(numbers))])))
			}
			loadAt(t, s, fmt.Sprintf("sheet%d", n), t0, payouts...)
			all = append(all, payouts...)
			if rng.IntN(2) == 0 {
				if err := s.IndexPayees(t.Context(), plainFold); err != nil {
					t.Fatal(err)
				}
			}
		}
		most := 1 + rng.IntN(4)
		p := s.Payees(plainFold)
		for _, name := range names {
			first := map[ledger.Account]int64{} // to the accounts of the name
			for i, q := range all {
				if _, known := first[q.AccountOf().Folded()]; !known && plainFold(name) != "" && plainFold(q.VendorName) == plainFold(name) {
					first[q.AccountOf().Folded()] = int64(i + 1)
				}
			}
			found, err := p.AccountsOf(t.Context(), []string{name, name}, most)
			if err != nil || len(found[name]) != min(len(first), most+1) {
				t.Fatalf("seed %d: %q: %v of %v, %v", seed, name, found, first, err)
			}
			for _, payment := range found[name] {
				if first[all[payment.PayoutID-1].AccountOf().Folded()] != payment.PayoutID {
					t.Fatalf("seed %d: %q: %v, want among %v", seed, name, found, first)
				}
			}
			for _, number := range numbers {
				asked := ledger.NamedAccount{VendorName: name, Account: accountOf(paidTo(0, 1, account(number)))}
				_, known := first[asked.Folded()]
				elsewhere, err := p.PaidElsewhere(t.Context(), []ledger.NamedAccount{asked, asked})
				if err != nil || elsewhere[asked] != (!known && len(first) > 0) {
					t.Fatalf("seed %d: %+v: %v, %v", seed, asked, elsewhere, err)
				}
			}
		}
		for _, number := range numbers {
			to := accountOf(paidTo(0, 1, account(number)))
			var want []ledger.Payment
			for i, q := range all {
				if q.AccountOf().Same(to) {
					want = append(want, ledger.Payment{PayoutID: int64(i + 1), Amount: q.Amount})
				}
			}
			found, err := p.LatestPayments(t.Context(), []ledger.Account{to, to}, most)
			if d := cmp.Diff(want[max(0, len(want)-most):], found[to], cmpopts.EquateEmpty()); d != "" || err != nil {
				t.Fatalf("seed %d: %s (-want +got):\n%s%v", seed, number, d, err)
			}
		}
	}
}

func TestPastPayouts(t *testing.T) {
	s := newStore(t)
	batches := loadAt(t, s, "sep", t0, paidTo(2, 1_00), paidTo(3, 2_00, named("Bina")))
	apply(t, s, ledger.Step{BatchID: batches[1].ID, From: ledger.BatchPlanned, Event: ledger.Abandoned, At: at(1)})
	found, err := s.Payees(plainFold).PastPayouts(t.Context(), []int64{2, 1, 2, 7})
	if err != nil {
		t.Fatal(err)
	}
	use := ledger.ReferenceUse{Ref: "sep-1", SheetID: ledger.SheetID(hash("sep")), SheetName: "sep.csv", Row: 2, LoadedAt: t0, State: ledger.PayoutPlanned}
	first := ledger.PastPayout{NamedAccount: ledger.NamedAccount{VendorName: "Asha Traders", Account: accountOf(paidTo(0, 1))}, Amount: 1_00, Use: use}
	second := first
	second.VendorName, second.Amount, second.Use.Ref, second.Use.Row, second.Use.State = "Bina", 2_00, "sep-2", 3, ledger.PayoutCancelled
	if d := cmp.Diff(map[int64]ledger.PastPayout{1: first, 2: second}, found); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestACheckSeesWhatWasLoadedBeforeItsFirstQuestion(t *testing.T) {
	s := newStore(t)
	to := accountOf(paidTo(0, 1))
	for n := 1; n < 4; n++ { // one that stays open for weeks answers each check anew
		loadAt(t, s, fmt.Sprintf("sheet%d", n), t0, paidTo(2, 1_00))
		found, err := s.Payees(plainFold).LatestPayments(t.Context(), []ledger.Account{to}, 100)
		if err != nil || len(found[to]) != n {
			t.Errorf("%d payments after %d loads, %v", len(found[to]), n, err)
		}
	}
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
	p := s.Payees(plainFold)
	if found, err := p.PaidSince(t.Context(), payees, t0); len(found) != n || err != nil {
		t.Errorf("%d of %d were paid, %v", len(found), n, err)
	}
	if found, err := p.PaidElsewhere(t.Context(), elsewhere); len(found) != n || err != nil {
		t.Errorf("%d of %d have another account, %v", len(found), n, err)
	}
}

func TestAnEmptyLedgerKnowsNoPayee(t *testing.T) {
	p, payout := newStore(t).Payees(plainFold), paidTo(0, 1_00)
	if found, err := p.PaidSince(t.Context(), []ledger.Payee{payeeOf(payout)}, t0); len(found) != 0 || err != nil {
		t.Errorf("%v, %v", found, err)
	}
	if found, err := p.AccountsOf(t.Context(), []string{"A"}, 20); len(found) != 0 || err != nil {
		t.Errorf("%v, %v", found, err)
	}
	if found, err := p.LatestPayments(t.Context(), []ledger.Account{payout.AccountOf()}, 5); len(found) != 0 || err != nil {
		t.Errorf("%v, %v", found, err)
	}
	if found, err := p.PastPayouts(t.Context(), nil); len(found) != 0 || err != nil {
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
			if err := piecemeal.IndexPayees(t.Context(), plainFold); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := atOnce.IndexPayees(t.Context(), plainFold); err != nil {
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
	if err := s.IndexPayees(context.Background(), plainFold); err == nil {
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
