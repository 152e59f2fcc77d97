package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

func TestASheetIsLoadedWholeOrNotAtAll(t *testing.T) {
	type given struct {
		sheet    ledger.Sheet
		payouts  []ledger.KeyedPayout
		batches  []ledger.PlannedBatch
		rollback bool
	}
	cases := map[string]struct {
		spoil func(*given)
		want  error // nil: any error
	}{
		"a reference twice in the sheet":      {func(g *given) { g.payouts[70].Key = g.payouts[3].Key }, ledger.ErrDuplicate},
		"a reference of an earlier sheet":     {func(g *given) { g.payouts[70].Key = "nov-1" }, ledger.ErrDuplicate},
		"the bytes of an earlier sheet":       {func(g *given) { g.sheet.SHA256 = hash("nov") }, ledger.ErrDuplicate},
		"the rows of an earlier sheet":        {func(g *given) { g.sheet.RowsHash = hash("rows nov") }, ledger.ErrDuplicate},
		"a payout without a key":              {func(g *given) { g.payouts[70].Key = "" }, nil},
		"an amount of nothing":                {func(g *given) { g.payouts[70].Amount = 0 }, nil},
		"an amount below nothing":             {func(g *given) { g.payouts[70].Amount = -1 }, nil},
		"sums beyond what can be counted":     {func(g *given) { g.payouts[3].Amount, g.payouts[4].Amount = 1<<62, 1<<62 }, nil},
		"a row without number":                {func(g *given) { g.payouts[70].Row = 0 }, nil},
		"no debit account":                    {func(g *given) { g.payouts[70].BankAccountID = "" }, nil},
		"no payouts":                          {func(g *given) { g.payouts, g.batches = nil, nil }, nil},
		"a sheet that counts otherwise":       {func(g *given) { g.sheet.Accepted.Count++ }, nil},
		"a sheet that sums otherwise":         {func(g *given) { g.sheet.Accepted.Total++ }, nil},
		"rows unaccounted for":                {func(g *given) { g.sheet.Rows++ }, nil},
		"no hash of its bytes":                {func(g *given) { g.sheet.SHA256 = "" }, nil},
		"a hash that is none":                 {func(g *given) { g.sheet.RowsHash = strings.Repeat("Z", 64) }, nil},
		"no time of loading":                  {func(g *given) { g.sheet.LoadedAt = time.Time{} }, nil},
		"a payout in no batch":                {func(g *given) { g.batches = g.batches[:len(g.batches)-1] }, ledger.ErrRule},
		"a payout in two batches":             {func(g *given) { g.batches[1].Members = slices.Clone(g.batches[0].Members) }, ledger.ErrRule},
		"a payout that was not given":         {func(g *given) { g.batches[0].Members[0] = 1000 }, ledger.ErrRule},
		"a payout before the first":           {func(g *given) { g.batches[0].Members[0] = -1 }, ledger.ErrRule},
		"a batch that sums otherwise":         {func(g *given) { g.batches[0].Total++ }, ledger.ErrRule},
		"a batch of another debit account":    {func(g *given) { g.batches[0].BankAccountID = accountOne }, ledger.ErrRule},
		"a batch of another transaction type": {func(g *given) { g.batches[0].TransactionTypeID = "RTGS" }, ledger.ErrRule},
		"a batch of another sub-merchant":     {func(g *given) { g.batches[0].SubMerchantID = "sm_0002" }, ledger.ErrRule},
		"a payout of another debit account":   {func(g *given) { g.payouts[5].BankAccountID = accountOne }, ledger.ErrRule},
		"an LEI its payouts do not have":      {func(g *given) { g.batches[0].BeneLEI = "5493001KJTIIGC8Y1R12" }, ledger.ErrRule},
		"several payouts at a single bank":    {func(g *given) { g.batches[0].PartnerBankID, g.batches[0].Kind = 4, "" }, ledger.ErrRule},
		"partner bank 12 of no kind":          {func(g *given) { g.batches[0].Kind = "" }, ledger.ErrRule},
		"a batch of payouts out of order":     {func(g *given) { slices.Reverse(g.batches[0].Members) }, ledger.ErrRule},
		"a batch without payouts":             {func(g *given) { g.batches = append(g.batches, g.batches[0]); g.batches[3].Members = nil }, ledger.ErrRule},
		"second thoughts":                     {func(g *given) { g.rollback = true }, nil},
	}
	s := newStore(t)
	load(t, s, "nov", 3, 3)
	before := append(dump(t, s), fmt.Sprint(s.Sheets(t.Context())))
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			payouts := samplePayouts("dec", 120)
			g := given{sheetOf("dec", payouts), keyedOf(payouts), planOf(payouts, 50), false}
			c.spoil(&g)
			l, err := s.BeginLoad(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			err = l.Add(g.payouts)
			if g.rollback {
				err = errors.Join(errors.New("second thoughts"), l.Rollback())
			} else if _, commitErr := l.Commit(g.sheet, g.batches); commitErr == nil {
				t.Error("it was committed")
			} else if err == nil {
				err = commitErr
			}
			if c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			if err := l.Rollback(); err != nil {
				t.Errorf("rolling back what is over: %v", err)
			}
			if l.Add(nil) == nil || l.Last() == nil {
				t.Error("a load that is over took payouts")
			}
			if d := cmp.Diff(before, append(dump(t, s), fmt.Sprint(s.Sheets(t.Context())))); d != "" {
				t.Errorf("something is left (-before +after):\n%s", d)
			}
		})
	}
	load(t, s, "dec", 120, 50)
	sound(t, s)
}

// What stands in the ledger is what was given, in whatever chunks and sizes it
// came and however the batches lie across it.
func TestLoadingInAnyChunks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := newStore(t)
	for i, n := range []int{1, rowsAtOnce[0] - 1, rowsAtOnce[0], rowsAtOnce[0] + 1, 333, 4*rowsOver + 1} {
		name := fmt.Sprintf("sheet%d", i)
		payouts := samplePayouts(name, n)
		for j := range payouts {
			if j%2 == 0 {
				payouts[j].BankAccountID = accountOne
			}
			if j%3 == 0 {
				payouts[j].Remarks = ""
			}
			if j%(3*rowsAtOnce[0]) == 2*rowsAtOnce[0] { // a column that few have, in some statements
				payouts[j].OpenBeneficiaryID = "b0000000-0000-4000-8000-000000000001"
			}
		}
		var batches []ledger.PlannedBatch
		for _, account := range []string{accountCIB, accountOne} {
			b := ledger.PlannedBatch{BankAccountID: account, PartnerBankID: 3, SubMerchantID: "sm_0001", TransactionTypeID: "NEFT"}
			entwined := []ledger.PlannedBatch{b, b, b}
			for j := range payouts {
				if payouts[j].BankAccountID == account {
					b := &entwined[rng.IntN(len(entwined))]
					b.Members, b.Total = append(b.Members, int32(j)), b.Total+payouts[j].Amount
				}
			}
			for _, b := range entwined {
				if len(b.Members) > 0 {
					batches = append(batches, b)
				}
			}
		}
		l, err := s.BeginLoad(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for rest := payouts; len(rest) > 0; {
			k := min(1+rng.IntN(2*rowsOver), len(rest))
			if err := l.Add(keyedOf(rest[:k])); err != nil {
				t.Fatal(err)
			}
			rest = rest[k:]
		}
		if i%2 == 0 {
			if err := l.Last(); err != nil {
				t.Fatal(err)
			}
		}
		recorded, err := l.Commit(sheetOf(name, payouts), batches)
		if err != nil {
			t.Fatal(err)
		}
		var got []ledger.Payout
		err = s.EachPayout(t.Context(), ledger.Filter{SheetID: recorded[0].SheetID}, func(a ledger.Attempt) error {
			p := a.Payout
			p.ID, p.SheetID = 0, ""
			got = append(got, p)
			return nil
		})
		if d := cmp.Diff(payouts, got); d != "" || err != nil {
			t.Errorf("%d payouts (-want +got):\n%s%v", n, d, err)
		}
	}
	sound(t, s)
}

func TestReferencesAreFoundByTheirFoldedForm(t *testing.T) {
	s := newStore(t)
	if used, err := s.UsedReferences(t.Context(), []string{"inv-1"}); err != nil || len(used) != 0 {
		t.Errorf("in an empty ledger: %v, %v", used, err)
	}
	payouts := samplePayouts("INV", 3)
	payouts[1].Ref = "ＩＮＶ-2"    // full width: its folded form is not its lower case
	payouts[2].Ref = "Straße-3" // folds to ss
	l, err := s.BeginLoad(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	keyed := keyedOf(payouts)
	keyed[1].Key, keyed[2].Key = "inv-2", "strasse-3"
	if err := l.Add(keyed); err != nil {
		t.Fatal(err)
	}
	batches, err := l.Commit(sheetOf("nov", payouts), planOf(payouts, 3))
	if err != nil {
		t.Fatal(err)
	}
	apply(t, s, ledger.Step{Actor: "asha", BatchID: batches[0].ID, From: ledger.BatchPlanned, Event: ledger.Abandoned, At: at(1)})
	old := attemptsOf(t, s, batches[0].ID)
	if _, err := s.PlanRetry(t.Context(), "asha", at(2), old, planOf(payoutsOf(old), 3)); err != nil {
		t.Fatal(err)
	}
	many := []string{"inv-2", "inv-1-r2", "strasse-3-r2", "inv-4", "inv-2"}
	for i := range 2 * lookups {
		many = append(many, fmt.Sprintf("never-%d", i))
	}
	got, err := s.UsedReferences(t.Context(), many)
	if err != nil {
		t.Fatal(err)
	}
	use := func(ref string, row int) ledger.ReferenceUse {
		return ledger.ReferenceUse{Ref: ref, SheetID: batches[0].SheetID, SheetName: "nov.csv", Row: row, LoadedAt: t0}
	}
	want := map[string]ledger.ReferenceUse{"inv-2": use("ＩＮＶ-2", 3), "inv-1-r2": use("INV-1-R2", 2), "strasse-3-r2": use("Straße-3-R2", 4)}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	sound(t, s)
}

func TestHistoryIsSeenWhileASheetIsLoaded(t *testing.T) {
	s := newStore(t)
	load(t, s, "nov", 2, 2)
	l, err := s.BeginLoad(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	payouts := samplePayouts("dec", 2)
	if err := l.Add(keyedOf(payouts)); err != nil {
		t.Fatal(err)
	}
	used, err := s.UsedReferences(t.Context(), []string{"nov-1", "dec-1"})
	if err != nil || len(used) != 1 {
		t.Errorf("while loading: %v, %v", used, err)
	}
	if err := l.Rollback(); err != nil {
		t.Fatal(err)
	}
}

func TestSheetsAreKnownByTheirBytesAndByTheirRows(t *testing.T) {
	s := newStore(t)
	load(t, s, "nov", 2, 2)
	load(t, s, "dec", 2, 2)
	for _, c := range []struct{ sha, rows, want string }{
		{hash("nov"), hash("x"), "nov.csv"}, {hash("x"), hash("rows dec"), "dec.csv"}, {hash("dec"), hash("rows nov"), "dec.csv"},
	} {
		if sheet, err := s.SheetBy(t.Context(), c.sha, c.rows); err != nil || sheet.Name != c.want {
			t.Errorf("found %q, %v, want %s", sheet.Name, err, c.want)
		}
	}
	if _, err := s.SheetBy(t.Context(), hash("x"), hash("y")); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("an unknown sheet: %v", err)
	}
}

func TestTheLogDoesNotStayLong(t *testing.T) {
	s := newStore(t)
	load(t, s, "nov", 5000, 500)
	info, err := os.Stat(s.path + "-wal")
	if err != nil || info.Size() != 0 {
		t.Errorf("after a load the log has %d bytes, %v", info.Size(), err)
	}
}

// An insert that fails is found by whoever comes next, with its meaning, and
// nothing of the sheet is recorded: not by a commit that follows either.
func TestAnInsertThatFailsWhileMoreIsReadStopsTheLoad(t *testing.T) {
	for name, next := range map[string]func(*loading, *testing.T) error{
		"the next payouts": func(l *loading, t *testing.T) error {
			var err error
			for n := 0; err == nil && n < 1000; n++ {
				err = l.Add(keyedOf(samplePayouts(fmt.Sprintf("more-%d", n), rowsAtOnce[0])))
			}
			return err
		},
		"the sheet's bytes": func(l *loading, t *testing.T) error {
			w := l.Contents(ledger.ReadOptions{})
			var err error
			for n := 0; err == nil && n < 100; n++ {
				_, err = w.Write(make([]byte, partBytes))
			}
			return err
		},
		"the last": func(l *loading, t *testing.T) error {
			l.w.now(func() error { return nil }) // the insert was tried
			return l.Last()
		},
		"the commit": func(l *loading, t *testing.T) error {
			payouts := samplePayouts("dec", 300)
			_, err := l.Commit(sheetOf("dec", payouts), planOf(payouts, 100))
			return err
		},
		"a commit that did not look": func(l *loading, t *testing.T) error {
			l.done = true
			return l.w.close(true)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			load(t, s, "nov", 3, 3)
			before := dump(t, s)
			begun, err := s.BeginLoad(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			l := begun.(*loading)
			payouts := keyedOf(samplePayouts("dec", 300))
			if name != "the sheet's bytes" { // a reference that was used: its insert fails
				payouts[7].Key = "nov-1"
			} else {
				l.w.jobs <- job{do: func() error {
					_, err := l.w.conn.ExecContext(context.Background(), `INSERT INTO wire_keys VALUES ('nov-1', 99, 1)`)
					return err
				}}
			}
			if err := errors.Join(l.Add(payouts), l.Last()); err != nil && !errors.Is(err, ledger.ErrDuplicate) {
				t.Fatal(err)
			}
			if err := next(l, t); !errors.Is(err, ledger.ErrDuplicate) {
				t.Errorf("%v", err)
			}
			if err := l.Rollback(); err != nil {
				t.Error(err)
			}
			if d := cmp.Diff(before, dump(t, s)); d != "" {
				t.Errorf("something is left (-before +after):\n%s", d)
			}
			load(t, s, "jan", 3, 3) // the connection is fit for use
		})
	}
}

func TestALoadWithoutItsTableEndsInWords(t *testing.T) {
	s := newStore(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	tamper(t, s.path, `DROP TABLE wire_keys`)
	s, err := OpenExclusive(t.Context(), s.path, Claim{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.BeginLoad(t.Context()); err == nil {
		t.Error("a load began")
	}
	if _, err := s.BeginLoad(t.Context()); err == nil { // the first gave the connection back
		t.Error("a load began")
	}
}
