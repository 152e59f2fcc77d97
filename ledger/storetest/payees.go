package storetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var payees = []Check{
	{"who was paid the same since when, wherever the payees are indexed", paidSince},
	{"a payout that was paid is named before a later one that was not", paidComesFirst},
	{"who was paid is the same as by a search of every payout", asByLookingThrough},
	{"a payee with a locked payout of the same amount comes with its locks", lockedLike},
	{"an account to which every payout failed is new for its payee", accountsNeverPaid},
	{"an earlier payout comes as it is now", pastPayouts},
	{"a check of payees sees what was loaded before its first question", seenAtFirst},
	{"more payees are asked about than one question takes", manyPayees},
	{"an empty ledger knows no payee", noPayee},
	{"who is paid by other sheets than that of a batch is known, earlier and later ones", paidWithout},
}

// plainFold is how these checks fold names. A store folds no names itself.
func plainFold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// paidTo returns a payout to Asha's account, with the given changes.
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
func beneficiary(id string) func(*ledger.Payout) {
	return func(p *ledger.Payout) { p.BankAccountNumber, p.IFSC, p.OpenBeneficiaryID = "", "", id }
}

// loadAt loads a sheet at a time, with each payout in a batch of its own.
func (d *desk) loadAt(name string, when time.Time, list ...ledger.Payout) []ledger.Batch {
	d.Helper()
	for i := range list {
		list[i].Ref = fmt.Sprintf("%s-%d", name, i+1)
	}
	sh := sheetOf(name, list)
	sh.LoadedAt = when
	l := d.loading(keyed(list))
	batches, err := l.Commit(sh, plan(list, 1))
	d.must(err)
	return batches
}

func (d *desk) index() {
	d.Helper()
	d.must(d.IndexPayees(d.ctx, plainFold, 0))
}

func payeeOf(p ledger.Payout) ledger.Payee {
	return p.Payee()
}

// A ledger gives the same answers if its payees are never indexed, if each load indexes those before it,
// and if all are indexed.
func paidSince(t testing.TB, o Opener) {
	d := begin(t, o)
	second, third := t0.AddDate(0, 0, 3), t0.AddDate(0, 0, 6)
	for _, indexed := range []struct {
		name           string
		between, after bool
	}{{name: "never"}, {name: "before each load", between: true}, {name: "all", between: true, after: true}} {
		d.reset()
		next := func(now bool) {
			if now {
				d.index()
			}
		}
		d.loadAt("sep", t0, paidTo(2, 100_00), paidTo(3, 70_00))
		next(indexed.between)
		d.loadAt("oct", second, paidTo(5, 100_00), paidTo(6, 500_00, account("999")), paidTo(7, 1_00, beneficiary("0b8f5a1e-6c1d-4c7e-9a52-3d1f0a7b9c11")))
		next(indexed.between)
		d.loadAt("nov", third, paidTo(2, 300_00))
		next(indexed.after)
		v := d.view()
		p := v.Payees(plainFold)
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
			{"by beneficiary id", t0, paidTo(0, 1_00, beneficiary("0B8F5A1E-6C1D-4C7E-9A52-3D1F0A7B9C11")), "oct-3"},
		} {
			asked := payeeOf(c.payee)
			found, err := p.PaidSince(d.ctx, []ledger.Payee{asked, asked}, c.since, true)
			if err != nil || found[asked].Ref != c.want || (c.want == "") != (len(found) == 0) {
				d.Errorf("indexed %s: %s: %+v, %v; want %q", indexed.name, c.name, found, err, c.want)
			}
			left, err := p.PaidSince(d.ctx, []ledger.Payee{asked}, c.since, false)
			if _, there := left[asked]; err != nil || there != (c.want != "") {
				d.Errorf("indexed %s: %s, not found: %+v, %v", indexed.name, c.name, left, err)
			}
		}
		asked := payeeOf(paidTo(0, 100_00))
		found, err := p.PaidSince(d.ctx, []ledger.Payee{asked}, t0, true)
		if diff := cmp.Diff(map[ledger.Payee]ledger.ReferenceUse{asked: october}, found); diff != "" || err != nil {
			d.Errorf("indexed %s (-want +got):\n%s%v", indexed.name, diff, err)
		}
		d.must(v.Close())
		v.Store = nil
	}
}

// A payout that was paid says more against paying again than a later one that was cancelled.
func paidComesFirst(t testing.TB, o Opener) {
	d := begin(t, o)
	paid := d.loadAt("sep", t0, paidTo(2, 100_00))[0].ID
	asked := payeeOf(paidTo(0, 100_00))
	is := func(when, want string) {
		found, err := d.view().Payees(plainFold).PaidSince(d.ctx, []ledger.Payee{asked}, t0, true)
		if err != nil || found[asked].Ref != want {
			d.Errorf("%s: %+v, %v; want %s", when, found, err, want)
		}
	}
	later := d.loadAt("oct", t0.AddDate(0, 0, 3), paidTo(2, 100_00))[0].ID
	is("both may be paid", "oct-1")
	d.abandon(later, t0.AddDate(0, 0, 4))
	is("the later one is cancelled", "sep-1")
	d.settle(paid)
	is("the first one is paid", "sep-1")
	d.loadAt("nov", t0.AddDate(0, 0, 5), paidTo(2, 100_00))
	is("a third one is planned", "sep-1")
	var others []ledger.Payout
	for i := range 110 { // an account with many payouts is read in another way
		others = append(others, paidTo(2+i, ledger.Paise(1_00+i)))
	}
	d.loadAt("dec", t0.AddDate(0, 0, 6), others...)
	for i := range 12 {
		d.abandon(d.loadAt(fmt.Sprint("jan", i), t0.AddDate(0, 0, 7), paidTo(2, 100_00))[0].ID, t0.AddDate(0, 0, 8))
	}
	is("twelve were cancelled since", "sep-1")
}

// Any loads, with any part of them indexed.
func asByLookingThrough(t testing.TB, o Opener) {
	d := begin(t, o)
	for seed := range uint64(12) {
		d.reset()
		rng := rand.New(rand.NewPCG(seed, 0))
		var all []ledger.Payout
		for n := range rng.IntN(4) {
			var list []ledger.Payout
			for range 1 + rng.IntN(8) {
				list = append(list, paidTo(2, 1_00, named(someNames[rng.IntN(len(someNames))]), account(someNumbers[rng.IntN(len(someNumbers))])))
			}
			d.loadAt(fmt.Sprintf("sheet%d", n), t0, list...)
			all = append(all, list...)
			if rng.IntN(2) == 0 {
				d.index()
			}
		}
		q := question{desk: d, all: all, p: d.Payees(plainFold), most: 1 + rng.IntN(4)}
		q.byName()
		q.byAccount()
		if d.Failed() {
			d.Fatalf("that was seed %d", seed)
		}
	}
}

var someNames, someNumbers = []string{"A", "a ", "B", ""}, []string{"11111", "011111", "22222", "33333"}

// question asks a store about all payees at once, as a check does for a chunk of rows, and compares the
// answers with those from every payout.
type question struct {
	*desk
	all  []ledger.Payout // in the order of loading
	p    ledger.Payees
	most int
}

// everybody returns each name at each account, some of them twice.
func everybody() (accounts []ledger.Account, named []ledger.NamedAccount) {
	for i := range 2 * len(someNumbers) {
		payout := paidTo(0, 1, account(someNumbers[(3*i+1)%len(someNumbers)]))
		accounts = append(accounts, payout.AccountOf())
		for _, name := range someNames {
			named = append(named, ledger.NamedAccount{VendorName: name, Account: payout.AccountOf()})
		}
	}
	return accounts, named
}

func (q question) byName() {
	_, named := everybody()
	elsewhere, err := q.p.PaidElsewhere(q.ctx, named, q.most)
	q.must(err)
	for _, name := range someNames {
		first := map[ledger.Account]int64{} // by account: the first payout to the name
		for i, payout := range q.all {
			to := payout.AccountOf().Folded()
			if _, known := first[to]; !known && plainFold(name) != "" && plainFold(payout.VendorName) == plainFold(name) {
				first[to] = int64(i + 1)
			}
		}
		for _, asked := range named {
			if asked.VendorName != name {
				continue
			}
			found, there := elsewhere[asked]
			_, known := first[asked.Folded()]
			if there != (!known && len(first) > 0 && len(first) <= q.most) || there && len(found) != len(first) {
				q.Errorf("%+v: %v of %v", asked, found, first)
			}
			for _, payment := range found {
				if first[q.all[payment.PayoutID-1].AccountOf().Folded()] != payment.PayoutID {
					q.Errorf("%q: %v, want among %v", name, found, first)
				}
			}
		}
	}
}

func (q question) byAccount() {
	accounts, _ := everybody()
	found, err := q.p.LatestPayments(q.ctx, accounts, q.most)
	q.must(err)
	for _, to := range accounts {
		var want []ledger.Payment
		for i, payout := range q.all {
			if payout.AccountOf().Same(to) {
				want = append(want, ledger.Payment{PayoutID: int64(i + 1), Amount: payout.Amount})
			}
		}
		want = want[max(0, len(want)-q.most):]
		if len(found[to]) != len(want) || len(want) > 0 && !reflect.DeepEqual(found[to], want) {
			q.Errorf("%+v: %v; want %v", to, found[to], want)
		}
	}
}

func lockedLike(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.loadAt("sep", t0, paidTo(2, 100_00), paidTo(3, 70_00), paidTo(4, 50_00), paidTo(5, 30_00, beneficiary("0b8f5a1e-6c1d-4c7e-9a52-3d1f0a7b9c11")), paidTo(6, 20_00), paidTo(7, 10_00), paidTo(8, 5_00),
		paidTo(9, 40_00, func(p *ledger.Payout) { p.OpenBeneficiaryID = "0b8f5a1e-6c1d-4c7e-9a52-3d1f0a7b9c12" }))
	disputed, failed, paid, held, open := b[0].ID, b[1].ID, b[2].ID, b[4].ID, b[6].ID
	d.failed(disputed)
	d.apply(ledger.Step{BatchID: disputed, From: ledger.BatchSubmitted, At: minute(8), Observed: d.observe(disputed, ledger.StatusSuccess, "")})
	d.failed(failed)
	d.settle(paid)
	for _, doubted := range []string{b[3].ID, b[7].ID} {
		d.hold(doubted)
		d.intend(doubted, ledger.SubmitIntended, minute(3))
		d.apply(ledger.Step{BatchID: doubted, From: ledger.BatchSubmitting, Event: ledger.SubmitLost, At: minute(4)})
	}
	d.hold(held)
	d.hold(open)
	d.submit(open)
	d.apply(ledger.Step{BatchID: open, From: ledger.BatchSubmitted, At: minute(5), Observed: d.observe(open, ledger.StatusSuccess, "")})
	later := d.loadAt("nov", t0.AddDate(0, 2, 0), paidTo(2, 90_00))[0] // to none of these payees
	for _, indexed := range []bool{false, true} {
		if indexed {
			d.index()
		}
		for name, c := range map[string]struct {
			of   ledger.Payout
			want ledger.LockKind // "" for none
			ref  string
			open string // the payout that the bank has not finished; "" for none
		}{
			"disputed":                   {paidTo(0, 100_00), ledger.LockContradicted, "sep-1", ""},
			"without the leading zeros":  {paidTo(0, 100_00, account("50200012345678")), ledger.LockContradicted, "sep-1", ""},
			"in doubt, by a beneficiary": {paidTo(0, 30_00, beneficiary("0B8F5A1E-6c1d-4c7e-9a52-3d1f0a7b9c11")), ledger.LockInDoubt, "sep-4", "sep-4"},
			"in doubt, by its number":    {paidTo(0, 40_00), ledger.LockInDoubt, "sep-8", "sep-8"}, // from a debit account that does not pay by id
			"a paisa more":               {paidTo(0, 100_01), "", "", ""},
			"another branch":             {paidTo(0, 100_00, branch("HDFC0009999")), "", "", ""},
			"failed":                     {paidTo(0, 70_00), "", "", ""},
			"paid":                       {paidTo(0, 50_00), "", "", ""},
			"on its way":                 {paidTo(0, 20_00), "", "", "sep-5"},
			"planned":                    {paidTo(0, 10_00), "", "", ""},
			"paid, not all of its batch": {paidTo(0, 5_00), "", "", ""},
		} {
			for who, p := range map[string]ledger.Payees{"all": d.Payees(plainFold), "without a later sheet": d.PayeesWithout(plainFold, later.ID)} {
				ask := payeeOf(c.of)
				found, err := p.LockedLike(d.ctx, []ledger.Payee{payeeOf(paidTo(0, 1_00)), ask, ask})
				locks := found[ask]
				if err != nil || len(found) != len(locks) || len(locks) > 1 || (c.want != "") != (len(locks) == 1) {
					d.Errorf("%s, indexed %t, %s: %v, %v", who, indexed, name, found, err)
				} else if c.want != "" && (locks[0].Kind != c.want || locks[0].Ref != c.ref) {
					d.Errorf("%s, indexed %t, %s: %+v", who, indexed, name, locks[0])
				}
				use, err := p.PaidSince(d.ctx, []ledger.Payee{ask}, t0.AddDate(0, 1, 0), true)
				left, err2 := p.PaidSince(d.ctx, []ledger.Payee{ask}, t0.AddDate(0, 3, 0), false)
				if errors.Join(err, err2) != nil || use[ask].Ref != c.open || len(use) != len(left) || (len(left) == 1) != (c.open != "") {
					d.Errorf("%s, indexed %t, %s: not finished: %+v, %+v, %v, %v", who, indexed, name, use, left, err, err2)
				}
			}
		}
		if found, err := d.PayeesWithout(plainFold, disputed).LockedLike(d.ctx, []ledger.Payee{payeeOf(paidTo(0, 100_00))}); err != nil || len(found) > 0 {
			d.Errorf("without its own sheet: %v, %v", found, err)
		}
	}
}

func accountsNeverPaid(t testing.TB, o Opener) {
	d := begin(t, o)
	for _, indexed := range []bool{false, true} {
		d.reset()
		bhima := func(number string) ledger.Payout { return paidTo(2, 70_00, named("Bhima"), account(number)) }
		d.settle(d.loadAt("sep", t0, bhima("111"))[0].ID)
		d.failed(d.loadAt("oct", t0, bhima("222"))[0].ID)
		d.abandon(d.loadAt("nov", t0, bhima("333"))[0].ID, minute(1))
		d.loadAt("dec", t0, bhima("444"))
		d.failed(d.loadAt("jan", t0, bhima("444"))[0].ID)
		if indexed {
			d.index()
		}
		for number, other := range map[string]int{"111": 0, "222": 3, "333": 3, "444": 0, "555": 4} {
			payout := bhima(number)
			ask := ledger.NamedAccount{VendorName: "Bhima", Account: payout.AccountOf()}
			elsewhere, err := d.Payees(plainFold).PaidElsewhere(d.ctx, []ledger.NamedAccount{ask}, 4)
			if found := elsewhere[ask]; err != nil || len(found) != other {
				d.Errorf("indexed %t, account %s: %v, %v; want %d", indexed, number, found, err, other)
			}
		}
	}
}

func pastPayouts(t testing.TB, o Opener) {
	d := begin(t, o)
	batches := d.loadAt("sep", t0, paidTo(2, 1_00), paidTo(3, 2_00, named("Bina")))
	d.abandon(batches[1].ID, minute(1))
	found, err := d.Payees(plainFold).PastPayouts(d.ctx, []int64{2, 1, 2, 7})
	d.must(err)
	use := ledger.ReferenceUse{Ref: "sep-1", SheetID: ledger.SheetID(hash("sep")), SheetName: "sep.csv", Row: 2, LoadedAt: t0, State: ledger.PayoutPlanned}
	payout := paidTo(0, 1)
	first := ledger.PastPayout{NamedAccount: ledger.NamedAccount{VendorName: "Asha Traders", Account: payout.AccountOf()}, Amount: 1_00, Use: use}
	second := first
	second.VendorName, second.Amount, second.Use.Ref, second.Use.Row, second.Use.State = "Bina", 2_00, "sep-2", 3, ledger.PayoutCancelled
	if diff := cmp.Diff(map[int64]ledger.PastPayout{1: first, 2: second}, found); diff != "" {
		d.Errorf("(-want +got):\n%s", diff)
	}
}

func seenAtFirst(t testing.TB, o Opener) {
	d := begin(t, o)
	payout := paidTo(0, 1)
	to := payout.AccountOf()
	for n := 1; n < 4; n++ { // a ledger that stays open for weeks must answer each check again
		d.loadAt(fmt.Sprintf("sheet%d", n), t0, paidTo(2, 1_00))
		p := d.Payees(plainFold)
		some, err1 := p.Some(d.ctx)
		found, err2 := p.LatestPayments(d.ctx, []ledger.Account{to}, 100)
		if err := errors.Join(err1, err2); err != nil || !some || len(found[to]) != n {
			d.Errorf("%d payments after %d loads, some: %v, %v", len(found[to]), n, some, err)
		}
	}
}

func manyPayees(t testing.TB, o Opener) {
	const n = 2051
	d := begin(t, o)
	d.load("nov", n, n)
	var same []ledger.Payee
	var elsewhere []ledger.NamedAccount
	for _, p := range payouts("dec", n) {
		same = append(same, payeeOf(p))
		p.BankAccountNumber += "7"
		elsewhere = append(elsewhere, ledger.NamedAccount{VendorName: p.VendorName, Account: p.AccountOf()})
	}
	for _, indexed := range []bool{false, true} {
		if indexed {
			d.index()
		}
		p := d.Payees(plainFold)
		if found, err := p.PaidSince(d.ctx, same, t0, true); len(found) != n || err != nil {
			d.Errorf("indexed %t: %d of %d were paid, %v", indexed, len(found), n, err)
		}
		if found, err := p.PaidElsewhere(d.ctx, elsewhere, 1); len(found) != n || err != nil {
			d.Errorf("indexed %t: %d of %d have another account, %v", indexed, len(found), n, err)
		}
	}
	d.whole()
}

func noPayee(t testing.TB, o Opener) {
	d := begin(t, o)
	p, payout := d.Payees(plainFold), paidTo(0, 1_00)
	if some, err := p.Some(d.ctx); some || err != nil {
		d.Errorf("some: %v, %v", some, err)
	}
	if found, err := p.PaidSince(d.ctx, []ledger.Payee{payeeOf(payout)}, t0, true); len(found) != 0 || err != nil {
		d.Errorf("%v, %v", found, err)
	}
	if found, err := p.PaidElsewhere(d.ctx, []ledger.NamedAccount{{VendorName: "A"}}, 20); len(found) != 0 || err != nil {
		d.Errorf("%v, %v", found, err)
	}
	if found, err := p.LatestPayments(d.ctx, []ledger.Account{payout.AccountOf()}, 5); len(found) != 0 || err != nil {
		d.Errorf("%v, %v", found, err)
	}
	if found, err := p.PastPayouts(d.ctx, nil); len(found) != 0 || err != nil {
		d.Errorf("%v, %v", found, err)
	}
	d.index() // an index of nothing
}

func paidWithout(t testing.TB, o Opener) {
	d := begin(t, o)
	for _, indexed := range []bool{false, true} {
		d.reset()
		sep := d.loadAt("sep", t0, paidTo(2, 100_00), paidTo(3, 70_00, named("Bhima"), account("111")))
		oct := d.loadAt("oct", t0.AddDate(0, 0, 3), paidTo(2, 100_00), paidTo(3, 70_00, named("Bhima"), account("222")))
		nov := []ledger.Payout{paidTo(3, 70_00, named("Bhima"), account("333"))}
		for row := range 250 { // an account through which many payouts go
			nov = append(nov, paidTo(row+4, 100_00))
		}
		novs := d.loadAt("nov", t0.AddDate(0, 0, 6), nov...)
		if indexed {
			d.index()
		}
		asha := paidTo(2, 100_00)
		for _, c := range []struct {
			batch                         string
			payments, elsewhere, accounts int
		}{{sep[0].ID, 10, 0, 0}, {oct[1].ID, 10, 1, 2}, {novs[0].ID, 2, 0, 0}} {
			p := d.PayeesWithout(plainFold, c.batch)
			latest, err := p.LatestPayments(d.ctx, []ledger.Account{asha.AccountOf()}, 10)
			if got := len(latest[asha.AccountOf()]); err != nil || got != c.payments {
				d.Errorf("indexed %t, without the sheet of %s: %d payments, %v; want %d", indexed, c.batch, got, err, c.payments)
			}
			bhima := paidTo(3, 70_00, named("Bhima"), account("222"))
			elsewhere, err := p.PaidElsewhere(d.ctx, []ledger.NamedAccount{{VendorName: "Bhima", Account: bhima.AccountOf()}}, 10)
			if err != nil || len(elsewhere) != c.elsewhere {
				d.Errorf("indexed %t, without the sheet of %s: elsewhere %v, %v", indexed, c.batch, elsewhere, err)
			}
			for of, accounts := range elsewhere {
				if len(accounts) != c.accounts {
					d.Errorf("indexed %t, without the sheet of %s: accounts %v of %v", indexed, c.batch, accounts, of)
				}
			}
			paid, err := p.PaidSince(d.ctx, []ledger.Payee{payeeOf(asha)}, t0.AddDate(0, 0, -1), true)
			if err != nil || len(paid) != 1 || paid[payeeOf(asha)].SheetID == d.batch(c.batch).SheetID {
				d.Errorf("indexed %t, without the sheet of %s: paid %v, %v", indexed, c.batch, paid, err)
			}
		}
		if _, err := d.PayeesWithout(plainFold, "prnone").LatestPayments(d.ctx, []ledger.Account{asha.AccountOf()}, 1); !errors.Is(err, ledger.ErrNotFound) {
			d.Errorf("without the sheet of a batch that is not here: %v", err)
		}
	}
}
