package validate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/ledger/sqlite"
)

// paidTo is a payout to Asha's account, changed by the test.
func paidTo(amount ledger.Paise, changes ...func(*ledger.Payout)) ledger.Payout {
	p := ledger.Payout{
		Amount: amount, VendorName: "Asha Traders", BankAccountNumber: "0050200012345678", IFSC: "HDFC0001234",
		SubMerchantID: "sm_0001", TransactionTypeID: "NEFT", BankAccountID: "6a5a1b0e-1111-4a52-9c3d-000000000012",
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

func newLedger(t testing.TB) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Create(t.Context(), filepath.Join(t.TempDir(), "payrun.db"), "asha", longAgo)
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// loadPayouts records a sheet, each payout in a batch of its own.
func loadPayouts(t testing.TB, s *sqlite.Store, name string, payouts ...ledger.Payout) []ledger.Batch {
	t.Helper()
	hash := func(text string) string { sum := sha256.Sum256([]byte(text)); return hex.EncodeToString(sum[:]) }
	sheet := ledger.Sheet{Name: name + ".csv", SHA256: hash(name), RowsHash: hash("rows " + name), Format: "csv", Header: 1, Rows: len(payouts), LoadedAt: longAgo, LoadedBy: "asha"}
	var keyed []ledger.KeyedPayout
	var plan []ledger.PlannedBatch
	for i := range payouts {
		p := &payouts[i]
		p.Row, p.Ref = i+2, fmt.Sprintf("%s-%d", name, i+1)
		sheet.Accepted.Add(p.Amount)
		keyed = append(keyed, ledger.KeyedPayout{Payout: *p, Key: RefKey(p.Ref)})
		plan = append(plan, ledger.PlannedBatch{BankAccountID: p.BankAccountID, PartnerBankID: 12, Kind: ledger.KindCIB, SubMerchantID: p.SubMerchantID,
			TransactionTypeID: p.TransactionTypeID, Reason: "full", Members: []int32{int32(i)}, Total: p.Amount})
	}
	sheet.Total = sheet.Accepted.Total
	l, err := s.BeginLoad(t.Context())
	must(t, err)
	must(t, l.Add(keyed))
	batches, err := l.Commit(sheet, plan)
	must(t, err)
	return batches
}

func indexPayees(t testing.TB, s *sqlite.Store) {
	t.Helper()
	must(t, s.IndexPayees(t.Context(), FoldName, 0))
}

// whereverIndexed tells a story to three ledgers: one whose payees are never
// indexed, one where each load indexes those before it, as the command does,
// and one that is all indexed. They must answer alike.
func whereverIndexed(t *testing.T, story func(t *testing.T, s *sqlite.Store, next func()), ask func(t *testing.T, about func(ledger.Payout) asks)) {
	t.Helper()
	for name, when := range map[string]struct{ between, after bool }{
		"never": {}, "before each load": {between: true}, "all": {between: true, after: true},
	} {
		t.Run("indexed "+name, func(t *testing.T) {
			s := newLedger(t)
			story(t, s, func() {
				if when.between {
					indexPayees(t, s)
				}
			})
			if when.after {
				indexPayees(t, s)
			}
			known := s.Payees(FoldName)
			ask(t, func(payout ledger.Payout) asks { return askingAbout(known, payout) })
		})
	}
}

// asks are the questions about the payees of a chunk.
type asks struct {
	known ledger.Payees
	asked []ledger.Payee
	named []ledger.NamedAccount
}

// askingAbout asks about these payouts, each twice in the chunk.
func askingAbout(known ledger.Payees, payouts ...ledger.Payout) asks {
	a := asks{known: known}
	for i := range payouts {
		payee, name := payouts[i].Payee(), namedOf(&payouts[i])
		a.asked, a.named = append(a.asked, payee, payee), append(a.named, name, name)
	}
	return a
}

func (a asks) newAccounts(ctx context.Context) (map[ledger.NamedAccount]knownPayee, error) {
	return newAccounts(ctx, a.known, a.named)
}

func (a asks) farAbove(ctx context.Context) (map[ledger.Payee]paymentPattern, error) {
	return farAbove(ctx, a.known, a.asked)
}

func (a asks) paidRecently(ctx context.Context) (map[ledger.Payee]ledger.ReferenceUse, error) {
	return a.known.PaidSince(ctx, a.asked, longAgo, true)
}

func TestAKnownNameAtANewAccount(t *testing.T) {
	whereverIndexed(t, func(t *testing.T, s *sqlite.Store, next func()) {
		loadPayouts(t, s, "sep", paidTo(1_00), paidTo(1_00, named("Ｂｉｎａ  Café"), account("111111")), paidTo(1_00, named(""), account("222222")))
		next()
		loadPayouts(t, s, "oct", paidTo(1_00, account("777777")), paidTo(1_00))
		next()
		var crowd []ledger.Payout
		for i := range namesMost + 1 {
			crowd = append(crowd, paidTo(1_00, named("Refund"), account(fmt.Sprintf("8%05d", i))))
			if i < namesMost {
				crowd = append(crowd, paidTo(1_00, named("Amit Kumar"), account(fmt.Sprintf("9%05d", i))))
			}
		}
		loadPayouts(t, s, "nov", crowd...)
	}, func(t *testing.T, about func(ledger.Payout) asks) {
		for _, c := range []struct {
			name     string
			payout   ledger.Payout
			want     string // the payout that brought the latest account
			accounts int
		}{
			{"the same account", paidTo(1_00), "", 0},
			{"the other known account", paidTo(1_00, account("777777")), "", 0},
			{"the same but for leading zeros", paidTo(1_00, account("000777777")), "", 0},
			{"a new account", paidTo(1_00, account("777778")), "oct-1", 2},
			{"the account at another branch", paidTo(1_00, branch("HDFC0001235")), "oct-1", 2},
			{"a name nobody was paid by", paidTo(1_00, named("Chetan"), account("777778")), "", 0},
			{"the name in other case, width and spaces", paidTo(1_00, named(" bina CAFE\u0301"), account("777778")), "sep-2", 1},
			{"no name", paidTo(1_00, named(" "), account("777778")), "", 0},
			{"a name of as many accounts as a name may have", paidTo(1_00, named("AMIT KUMAR"), account("777778")), fmt.Sprintf("nov-%d", 2*namesMost), namesMost},
			{"a name of one more", paidTo(1_00, named("refund"), account("777778")), "", 0},
		} {
			found, err := about(c.payout).newAccounts(t.Context())
			got := found[namedOf(&c.payout)]
			if err != nil || got.use.Ref != c.want || got.accounts != c.accounts || (c.want == "") != (len(found) == 0) {
				t.Errorf("%s: %+v, %v; want %q", c.name, found, err, c.want)
			}
		}
	})
}

func TestFarAboveWhatIsUsual(t *testing.T) {
	whereverIndexed(t, func(t *testing.T, s *sqlite.Store, next func()) {
		loadPayouts(t, s, "sep", paidTo(100_00), paidTo(300_00), paidTo(900_00),
			paidTo(1_01, account("44444")), paidTo(1_00, account("44444")), paidTo(1_00, account("44444")))
		next()
		batches := loadPayouts(t, s, "oct", paidTo(200_00), paidTo(100_00), paidTo(1_00), paidTo(1_00, account("44444")))
		next()
		// 1.00 to Asha was planned and never sent: it does not count
		err := s.Apply(t.Context(), ledger.Step{BatchID: batches[2].ID, Actor: "asha", From: ledger.BatchPlanned, Event: ledger.Abandoned, At: longAgo.Add(time.Hour), Person: "a slip"})
		must(t, err)
		loadPayouts(t, s, "nov", paidTo(2_00, account("55555")), paidTo(3_00, account("55555")), paidTo(3_01, account("55555")),
			paidTo(2_00, account("55555")), paidTo(50_00, account("55555")), paidTo(50_00, account("55555")))
	}, func(t *testing.T, about func(ledger.Payout) asks) {
		for _, c := range []struct {
			name   string
			payout ledger.Payout
			want   ledger.Paise // the median, 0 when it is not far above
		}{
			{"ten times the median of five", paidTo(2000_00), 200_00},
			{"a paisa less", paidTo(1999_99), 0},
			{"the largest money there is", paidTo(1<<63 - 1), 200_00},
			{"four payouts only", paidTo(1_000_000_00, account("44444")), 0},
			{"an account never paid", paidTo(1_000_000_00, account("66666")), 0},
			{"the middle of six, rounded down", paidTo(30_00, account("55555")), 3_00},
			{"and a paisa less", paidTo(29_99, account("55555")), 0},
		} {
			found, err := about(c.payout).farAbove(t.Context())
			if err != nil || found[c.payout.Payee()].median != c.want || (c.want == 0) != (len(found) == 0) {
				t.Errorf("%s: %+v, %v; want %s", c.name, found, err, c.want)
			}
		}
		asked := paidTo(2000_00)
		found, _ := about(asked).farAbove(t.Context())
		if p := found[asked.Payee()]; p.payouts != 5 || p.last.Ref != "oct-2" {
			t.Errorf("%+v", p)
		}
	})
}

func TestWhatIsUsualIsToldByTheLatestHundredPayouts(t *testing.T) {
	var old, recent []ledger.Payout
	for range usualMost {
		old, recent = append(old, paidTo(1_00)), append(recent, paidTo(100_00))
	}
	whereverIndexed(t, func(t *testing.T, s *sqlite.Store, next func()) {
		loadPayouts(t, s, "old", old...)
		next()
		loadPayouts(t, s, "recent", recent...)
	}, func(t *testing.T, about func(ledger.Payout) asks) {
		for amount, want := range map[ledger.Paise]int{999_99: 0, 1000_00: 1} {
			found, err := about(paidTo(amount)).farAbove(t.Context())
			if err != nil || len(found) != want {
				t.Errorf("%s: %+v, %v", amount, found, err)
			}
		}
	})
}

// An index that knows names and accounts by a hash may give payouts of others.
func TestNothingIsSaidOfAPayoutToAnotherAccountOrName(t *testing.T) {
	other := ledger.Account{BankAccountNumber: "11112222", IFSC: "SBIN0000001"}
	h := &mistaken{archive: (&archive{}).remember(5, "Bina", other, 1_00)}
	p := askingAbout(h, paidTo(1000_00))
	paid, err1 := p.paidRecently(t.Context())
	known, err2 := p.newAccounts(t.Context())
	above, err3 := p.farAbove(t.Context())
	if err := errors.Join(err1, err2, err3); err != nil || len(paid)+len(known)+len(above) != 0 {
		t.Errorf("%+v, %+v, %+v, %v", paid, known, above, err)
	}
}

// mistaken takes every payout for one to the payee who is looked up.
type mistaken struct{ *archive }

func (m *mistaken) all() (payments []ledger.Payment) {
	for i, p := range m.payouts {
		payments = append(payments, ledger.Payment{PayoutID: int64(i + 1), Amount: p.Amount})
	}
	return payments
}

// Whatever was loaded and however much of it is indexed: the answers are those
// of looking through every payout.
func TestPayeesAreFoundAsByLookingThroughEveryPayout(t *testing.T) {
	names, numbers, amounts := []string{"A", "a ", "B", ""}, []string{"11111", "011111", "22222"}, []ledger.Paise{1, 9, 10, 100, 1000}
	said := map[verdict]int{}
	for seed := range uint64(20) {
		rng, s := rand.New(rand.NewPCG(seed, 0)), newLedger(t)
		var all []ledger.Payout
		for n := range rng.IntN(4) {
			var payouts []ledger.Payout
			for range 1 + rng.IntN(8) {
				payouts = append(payouts, paidTo(amounts[rng.IntN(len(amounts))], named(names[rng.IntN(len(names))]), account(numbers[rng.IntN(len(numbers))])))
			}
			loadPayouts(t, s, fmt.Sprintf("sheet%d", n), payouts...)
			all = append(all, payouts...)
			if rng.IntN(2) == 0 {
				indexPayees(t, s)
			}
		}
		var chunk []ledger.Payout // looked up at once, as the rows of a sheet are
		for i := range len(names) * len(numbers) * len(amounts) {
			chunk = append(chunk, paidTo(amounts[i%len(amounts)], named(names[i/len(amounts)%len(names)]), account(numbers[i/len(amounts)/len(names)])))
		}
		rng.Shuffle(len(chunk), func(i, j int) { chunk[i], chunk[j] = chunk[j], chunk[i] })
		about := askingAbout(s.Payees(FoldName), chunk...)
		paid, err1 := about.paidRecently(t.Context())
		moved, err2 := about.newAccounts(t.Context())
		above, err3 := about.farAbove(t.Context())
		must(t, errors.Join(err1, err2, err3))
		for _, p := range chunk {
			_, unusual := above[p.Payee()]
			got, want := verdict{paid[p.Payee()].Ref, moved[namedOf(&p)].use.Ref, unusual}, lookThrough(all, p)
			if got != want {
				t.Fatalf("seed %d: %+v: %+v, want %+v", seed, p, got, want)
			}
			said[verdict{unusual: want.unusual}]++
			if want.elsewhere != "" {
				said[verdict{elsewhere: "another account"}]++
			}
		}
	}
	if said[verdict{unusual: true}] < 50 || said[verdict{elsewhere: "another account"}] < 50 {
		t.Errorf("too little was unusual for this to mean anything: %v", said)
	}
}

// verdict is what is unusual about a payout.
type verdict struct {
	lately, elsewhere string // references
	unusual           bool
}

func lookThrough(all []ledger.Payout, p ledger.Payout) (v verdict) {
	var amounts []ledger.Paise
	known := false
	for _, q := range all {
		same := p.AccountOf().Same(q.AccountOf())
		if same {
			amounts = append(amounts, q.Amount)
		}
		if same && q.Amount == p.Amount {
			v.lately = q.Ref
		}
		if FoldName(p.VendorName) != "" && FoldName(p.VendorName) == FoldName(q.VendorName) {
			known = known || same
			if !same && v.elsewhere == "" {
				v.elsewhere = q.Ref // of two accounts, the other one's first payout
			}
		}
	}
	if known {
		v.elsewhere = ""
	}
	slices.Sort(amounts)
	v.unusual = len(amounts) >= unusualLeast && p.Amount >= unusualFactor*((amounts[(len(amounts)-1)/2]+amounts[len(amounts)/2])/2)
	return v
}

func (m *mistaken) PaidElsewhere(_ context.Context, named []ledger.NamedAccount, _ int) (map[ledger.NamedAccount][]ledger.Payment, error) {
	found := map[ledger.NamedAccount][]ledger.Payment{}
	for _, n := range named {
		found[n] = m.all()
	}
	return found, nil
}

func (m *mistaken) LatestPayments(_ context.Context, accounts []ledger.Account, _ int) (map[ledger.Account][]ledger.Payment, error) {
	found := map[ledger.Account][]ledger.Payment{}
	for _, a := range accounts {
		found[a] = m.all()
	}
	return found, nil
}

// TestNamesOfASCIIAreFoldedAsAllAre: they are most, and folded in one walk.
func TestNamesOfASCIIAreFoldedAsAllAre(t *testing.T) {
	const letters = "aZ.9 \t\n\v\f\r\x00\x1f\x7f"
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		name := make([]byte, rng.IntN(80))
		for i := range name {
			name[i] = letters[rng.IntN(len(letters))]
		}
		if got, want := FoldName(string(name)), strings.Join(strings.Fields(strings.ToLower(string(name))), " "); got != want {
			t.Fatalf("%q: %q, want %q", name, got, want)
		}
	}
}
