package storetest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var loads = []Check{
	{"a loaded sheet reads back as it was, and its batches are planned", aSheetReadsBack},
	{"a sheet is loaded whole or not at all", wholeOrNotAtAll},
	{"a sheet may come in any chunks, its batches across them", inAnyChunks},
	{"a sheet may be as many batches as payouts", eachABatch},
	{"nothing of a sheet is seen before it is committed", nothingIsSeenBefore},
	{"an insert that fails stops the load, whatever comes next", aFailedInsertStopsTheLoad},
	{"sheets are unique by their bytes and by their rows", sheetsAreUnique},
	{"each tab of the same bytes is a sheet of its own", everyTabIsASheet},
	{"the same content under another prefix is found, and is another sheet", everyPrefixIsASheet},
	{"a load has an actor", aLoadHasAnActor},
	{"a ledger holds no more than can be summed up", noMoreThanCanBeSummedUp},
}

func aSheetReadsBack(t testing.TB, o Opener) {
	d := begin(t, o)
	list := payouts("NOV", 5)
	list[3].Remarks, list[3].OpenBeneficiaryID = "", "b2c9"
	batches := d.loadList("nov", list, 2)
	d.reopen()
	want := world{ID: ledgerID, CreatedAt: t0}
	sh := sheetOf("nov", list)
	want.Sheets = []sheet{{Sheet: sh}}
	want.event(ledger.CreatedEvent(ledgerID, asha, t0))
	want.event(sh.LoadedEvent(nil))
	for i := range list {
		list[i].ID, list[i].SheetID = int64(i+1), sh.ID
	}
	p := ledger.SheetPlan{LedgerID: ledgerID, SheetID: sh.ID, Content: sh.SHA256, Actor: asha, At: t0}
	for _, n := range p.First(plan(list, 2), func(i int32) ledger.Digest { return ledger.MemberDigest(&list[i], 1, list[i].Ref) }) {
		d.must(want.plan(n))
	}
	for i := range list {
		want.Attempts = append(want.Attempts, ledger.Attempt{Payout: list[i], Number: 1, WireRef: list[i].Ref, BatchID: want.Batches[i/2].ID, State: ledger.PayoutPlanned, UpdatedAt: t0})
	}
	d.is(want, "a loaded sheet")
	if diff := cmp.Diff(want.Batches, batches); diff != "" {
		d.Errorf("the batches that came back (-want +got):\n%s", diff)
	}
	if s := d.LedgerID(); s != ledgerID {
		d.Errorf("the ledger is called %q", s)
	}
	d.whole()
}

// given is a sheet that is about to be loaded.
type given struct {
	sheet   ledger.Sheet
	payouts []ledger.KeyedPayout
	batches []ledger.PlannedBatch
}

// spoiled are sheets that cannot be loaded, each with its sentinel error, if there is one.
var spoiled = []struct {
	name  string
	spoil func(*given)
	want  error
}{
	{"a reference twice in the sheet", func(g *given) { g.payouts[70].Key = g.payouts[3].Key }, ledger.ErrDuplicate},
	{"a reference of an earlier sheet", func(g *given) { g.payouts[70].Key = "nov-1" }, ledger.ErrDuplicate},
	{"the bytes of an earlier sheet", func(g *given) { g.sheet.SHA256 = hash("nov") }, ledger.ErrDuplicate},
	{"the rows of an earlier sheet", func(g *given) { g.sheet.RowsHash = hash("rows nov") }, ledger.ErrDuplicate},
	{"a payout without a key", func(g *given) { g.payouts[70].Key = "" }, nil},
	{"an amount of nothing", func(g *given) { g.payouts[70].Amount = 0 }, nil},
	{"an amount below nothing", func(g *given) { g.payouts[70].Amount = -1 }, nil},
	{"sums beyond what can be counted", func(g *given) { g.payouts[3].Amount, g.payouts[4].Amount = 1<<62, 1<<62 }, nil},
	{"a row without number", func(g *given) { g.payouts[70].Row = 0 }, nil},
	{"no debit account", func(g *given) { g.payouts[70].BankAccountID = "" }, nil},
	{"no payouts", func(g *given) { g.payouts, g.batches = nil, nil }, nil},
	{"a sheet that counts otherwise", func(g *given) { g.sheet.Accepted.Count++ }, nil},
	{"a sheet that sums otherwise", func(g *given) { g.sheet.Accepted.Total++ }, nil},
	{"rows unaccounted for", func(g *given) { g.sheet.Rows++ }, nil},
	{"no hash of its bytes", func(g *given) { g.sheet.SHA256 = "" }, nil},
	{"a hash that is none", func(g *given) { g.sheet.RowsHash = strings.Repeat("Z", 64) }, nil},
	{"no time of loading", func(g *given) { g.sheet.LoadedAt = time.Time{} }, nil},
	{"a payout in no batch", func(g *given) { g.batches = g.batches[:len(g.batches)-1] }, ledger.ErrRule},
	{"a payout in two batches", func(g *given) { g.batches[1].Members = slices.Clone(g.batches[0].Members) }, ledger.ErrRule},
	{"a payout that was not given", func(g *given) { g.batches[0].Members[0] = 1000 }, ledger.ErrRule},
	{"a payout before the first", func(g *given) { g.batches[0].Members[0] = -1 }, ledger.ErrRule},
	{"a batch that sums otherwise", func(g *given) { g.batches[0].Total++ }, ledger.ErrRule},
	{"a batch of another debit account", func(g *given) { g.batches[0].BankAccountID = accountOne }, ledger.ErrRule},
	{"a batch of another transaction type", func(g *given) { g.batches[0].TransactionTypeID = "RTGS" }, ledger.ErrRule},
	{"a batch of another sub-merchant", func(g *given) { g.batches[0].SubMerchantID = "sm_0002" }, ledger.ErrRule},
	{"a payout of another debit account", func(g *given) { g.payouts[5].BankAccountID = accountOne }, ledger.ErrRule},
	{"an LEI its payouts do not have", func(g *given) { g.batches[0].BeneLEI = someLEI }, ledger.ErrRule},
	{"several payouts at a single bank", func(g *given) { g.batches[0].PartnerBankID, g.batches[0].Kind = 4, "" }, ledger.ErrRule},
	{"partner bank 12 of no kind", func(g *given) { g.batches[0].Kind = "" }, ledger.ErrRule},
	{"a batch of payouts out of order", func(g *given) { slices.Reverse(g.batches[0].Members) }, ledger.ErrRule},
	{"a batch without payouts", func(g *given) { g.batches = append(g.batches, g.batches[0]); g.batches[3].Members = nil }, ledger.ErrRule},
}

func wholeOrNotAtAll(t testing.TB, o Opener) {
	d := begin(t, o)
	d.load("nov", 3, 3)
	before := d.world()
	for _, c := range append(spoiled, struct {
		name  string
		spoil func(*given)
		want  error
	}{name: "second thoughts", spoil: func(*given) {}}) {
		list := payouts("dec", 120)
		g := given{sheetOf("dec", list), keyed(list), plan(list, 50)}
		c.spoil(&g)
		l, err := d.BeginLoad(d.ctx)
		d.must(err)
		if g.sheet.SHA256 == hash("dec") { // its bytes are stored with it, and removed with it
			if _, err := l.Contents().Write([]byte("dec")); err != nil {
				d.Fatal(err)
			}
		}
		err = l.Add(g.payouts)
		if c.name == "second thoughts" {
			err = errors.Join(errors.New(c.name), err, l.Rollback())
		} else if batches, commitErr := l.Commit(g.sheet, g.batches); commitErr == nil || batches != nil {
			d.Errorf("%s: it was committed", c.name)
		} else if err == nil {
			err = commitErr
		}
		if c.want != nil && !errors.Is(err, c.want) {
			d.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if err := l.Rollback(); err != nil {
			d.Errorf("%s: rolling back what is over: %v", c.name, err)
		}
		if l.Add(nil) == nil {
			d.Errorf("%s: a load that is over took payouts", c.name)
		}
		if _, err := l.Commit(g.sheet, g.batches); err == nil {
			d.Errorf("%s: a load that is over was committed", c.name)
		}
		d.is(before, "%s", c.name)
	}
	d.load("dec", 120, 50)
	d.whole()
}

// The ledger holds what was given, in any chunks and sizes, however the batches are spread over them.
func inAnyChunks(t testing.TB, o Opener) {
	rng := rand.New(rand.NewPCG(1, 2))
	d := begin(t, o)
	for i, n := range []int{1, 255, 256, 257, 333, 4*1024 + 1} { // about where a store may split a load
		name := fmt.Sprintf("sheet%d", i)
		list := payouts(name, n)
		for j := range list {
			if j%2 == 0 {
				list[j].BankAccountID = accountOne
			}
			if j%3 == 0 {
				list[j].Remarks = ""
			}
			if j%768 == 512 { // a column that few rows have
				list[j].OpenBeneficiaryID = "b0000000-0000-4000-8000-000000000001"
			}
		}
		batches := entwined(rng, list)
		l, err := d.BeginLoad(d.ctx)
		d.must(err)
		for rest := list; len(rest) > 0; {
			k := min(1+rng.IntN(2048), len(rest))
			d.must(l.Add(keyed(rest[:k])))
			rest = rest[k:]
		}
		recorded, err := l.Commit(sheetOf(name, list), batches)
		d.must(err)
		if err := l.Rollback(); err != nil {
			d.Errorf("rolling back what was committed: %v", err)
		}
		var got []ledger.Payout
		err = d.EachPayout(d.ctx, ledger.Filter{SheetID: recorded[0].SheetID}, func(a ledger.Attempt) error {
			p := a.Payout
			p.ID, p.SheetID = 0, ""
			got = append(got, p)
			return nil
		})
		if diff := cmp.Diff(list, got); diff != "" || err != nil {
			d.Errorf("%d payouts (-want +got):\n%s%v", n, diff, err)
		}
		d.areListed(recorded)
		for j, b := range recorded {
			if b.Count != len(batches[j].Members) || b.Total != batches[j].Total || b.Sequence != j+1 || len(d.attempts(b.ID)) != b.Count {
				d.Errorf("batch %d of %d payouts: %+v", j+1, n, b)
			}
		}
	}
	d.whole()
}

// areListed compares the batches that a load returned with those that the store lists.
func (d *desk) areListed(returned []ledger.Batch) {
	d.Helper()
	own := map[string]bool{}
	for _, b := range returned {
		own[b.ID] = true
	}
	listed, err := d.Batches(d.ctx, ledger.Filter{})
	listed = slices.DeleteFunc(listed, func(b ledger.Batch) bool { return !own[b.ID] })
	if diff := cmp.Diff(listed, returned); diff != "" || err != nil {
		d.Errorf("a load of %d batches (-listed +returned):\n%s%v", len(returned), diff, err)
	}
}

// eachABatch loads sheets in which each payout is a batch of its own, with sizes about where a store may
// split.
func eachABatch(t testing.TB, o Opener) {
	d := begin(t, o)
	for i, n := range []int{1, 17, 2978 + 1024 + 1} {
		batches := d.load(fmt.Sprintf("single%d", i), n, 1)
		if len(batches) != n {
			d.Errorf("%d payouts are %d batches", n, len(batches))
		}
		d.areListed(batches)
	}
	d.whole()
}

// entwined distributes the payouts of two accounts at random over up to three batches each.
func entwined(rng *rand.Rand, list []ledger.Payout) (batches []ledger.PlannedBatch) {
	for _, account := range []string{accountCIB, accountOne} {
		b := ledger.PlannedBatch{BankAccountID: account, PartnerBankID: 3, SubMerchantID: "sm_0001", TransactionTypeID: "NEFT"}
		three := []ledger.PlannedBatch{b, b, b}
		for j := range list {
			if list[j].BankAccountID == account {
				b := &three[rng.IntN(len(three))]
				b.Members, b.Total = append(b.Members, int32(j)), b.Total+list[j].Amount
			}
		}
		for _, b := range three {
			if len(b.Members) > 0 {
				batches = append(batches, b)
			}
		}
	}
	return batches
}

func nothingIsSeenBefore(t testing.TB, o Opener) {
	d := begin(t, o)
	d.load("nov", 2, 2)
	before := d.world()
	l := d.loading(keyed(payouts("dec", 2000)))
	d.is(before, "while a sheet is loaded")
	d.view().is(before, "while another loads a sheet")
	used, err := d.UsedReferences(d.ctx, []string{"nov-1", "dec-1"})
	if err != nil || len(used) != 1 {
		d.Errorf("while loading: %v, %v", used, err)
	}
	d.must(l.Rollback())
	d.is(before, "after second thoughts")
}

// A failed insert is reported by the next call, with its meaning. Nothing of the sheet is recorded, not
// even by a commit that follows.
func aFailedInsertStopsTheLoad(t testing.TB, o Opener) {
	d := begin(t, o)
	d.load("nov", 3, 3)
	before := d.world()
	for name, next := range map[string]func(l ledger.Load) error{
		"the next payouts": func(l ledger.Load) (err error) {
			for n := 0; err == nil && n < 1000; n++ {
				err = l.Add(keyed(payouts(fmt.Sprintf("more-%d", n), 256)))
			}
			return err
		},
		"the commit": func(l ledger.Load) error {
			list := payouts("dec", 300)
			_, err := l.Commit(sheetOf("dec", list), plan(list, 100))
			return err
		},
	} {
		l, err := d.BeginLoad(d.ctx)
		d.must(err)
		list := keyed(payouts("dec", 300))
		list[7].Key = "nov-1"
		if err := l.Add(list); err != nil && !errors.Is(err, ledger.ErrDuplicate) {
			d.Fatal(err)
		}
		if err := next(l); !errors.Is(err, ledger.ErrDuplicate) {
			d.Errorf("%s: %v", name, err)
		}
		if err := l.Rollback(); err != nil {
			d.Errorf("%s: rolling back: %v", name, err)
		}
		d.is(before, "%s", name)
	}
	d.load("jan", 3, 3) // the store still works
	d.whole()
}

func sheetsAreUnique(t testing.TB, o Opener) {
	d := begin(t, o)
	d.load("nov", 2, 2)
	d.load("dec", 2, 2)
	for _, c := range []struct{ sha, rows, want string }{
		{hash("nov"), hash("x"), "nov.csv"}, {hash("x"), hash("rows dec"), "dec.csv"}, {hash("dec"), hash("rows nov"), "dec.csv"},
	} {
		if sheet, err := d.SheetBy(d.ctx, ledger.Sheet{SHA256: c.sha, RowsHash: c.rows}); err != nil || sheet.Name != c.want {
			d.Errorf("found %q, %v, want %s", sheet.Name, err, c.want)
		}
	}
	if _, err := d.SheetBy(d.ctx, ledger.Sheet{SHA256: hash("x"), RowsHash: hash("y")}); !errors.Is(err, ledger.ErrNotFound) {
		d.Errorf("an unknown sheet: %v", err)
	}
	sheets, err := d.Sheets(d.ctx)
	if err != nil || len(sheets) != 2 || sheets[0].Name != "nov.csv" || sheets[1].Name != "dec.csv" {
		d.Errorf("in the order of loading: %+v, %v", sheets, err)
	}
}

func aLoadHasAnActor(t testing.TB, o Opener) {
	d := begin(t, o)
	before := d.world()
	list := payouts("nov", 2)
	l := d.loading(keyed(list))
	sh := sheetOf("nov", list)
	sh.LoadedBy = " "
	if _, err := l.Commit(sh, plan(list, 2)); err == nil {
		d.Error("a sheet was loaded in nobody's name")
	}
	d.is(before, "a load in nobody's name")
}

// loadAs loads two payouts as a sheet after change has changed it.
func (d *desk) loadAs(name string, change func(*ledger.Sheet)) (ledger.Sheet, []ledger.Batch, error) {
	d.Helper()
	list := payouts(name, 2)
	sh := sheetOf(name, list)
	change(&sh)
	l := d.loading(keyed(list))
	batches, err := l.Commit(sh, plan(list, 2))
	return sh.Identified(), batches, err
}

func everyTabIsASheet(t testing.TB, o Opener) {
	d := begin(t, o)
	ids := map[string]bool{}
	for _, tab := range []string{"Salaries", "Vendors"} {
		sh, batches, err := d.loadAs(tab, func(s *ledger.Sheet) { s.SHA256, s.Format, s.Tab = hash("book"), "xlsx", tab })
		if err != nil {
			d.Fatalf("the tab %s: %v", tab, err)
		}
		if sh.Content == sh.SHA256 || batches[0].SheetID != sh.ID || batches[0].ID != ledger.BatchID(ledgerID, sh.Content, accountCIB, 1, 1, nil) {
			d.Errorf("the tab %s is %+v with the batch %s of %s", tab, sh, batches[0].ID, batches[0].SheetID)
		}
		ids[sh.ID], ids[batches[0].ID] = true, true
		if found, err := d.SheetBy(d.ctx, ledger.Sheet{SHA256: hash("book"), Tab: tab}); err != nil || found.ID != sh.ID || found.Content != sh.Content {
			d.Errorf("the tab %s: found %+v, %v", tab, found, err)
		}
		// further attempts are derived from this
		if k, err := d.BatchRecord(d.ctx, batches[0].ID); err != nil || k.SheetContent != sh.Content {
			d.Errorf("the tab %s: known as %q, %v", tab, k.SheetContent, err)
		}
	}
	if len(ids) != 4 {
		d.Errorf("two sheets share an id: %v", ids)
	}
	if _, _, err := d.loadAs("again", func(s *ledger.Sheet) { s.SHA256, s.Format, s.Tab = hash("book"), "xlsx", "Vendors" }); !errors.Is(err, ledger.ErrDuplicate) {
		d.Errorf("the same tab again: %v", err)
	}
	if _, err := d.SheetBy(d.ctx, ledger.Sheet{SHA256: hash("book"), Tab: "Other"}); !errors.Is(err, ledger.ErrNotFound) {
		d.Errorf("a tab that was not loaded: %v", err)
	}
	d.whole()
}

func everyPrefixIsASheet(t testing.TB, o Opener) {
	d := begin(t, o)
	under := func(prefix string) func(*ledger.Sheet) {
		return func(s *ledger.Sheet) {
			s.SHA256, s.RefPrefix, s.Unprefixed = hash("register"), prefix, hash("rows of the register")
		}
	}
	nov, first, err := d.loadAs("nov", under("NOV-"))
	d.must(err)
	dec, second, err := d.loadAs("dec", under("DEC-"))
	if err != nil || dec.ID == nov.ID || first[0].ID == second[0].ID {
		d.Fatalf("%s and %s, batches %s and %s: %v", nov.ID, dec.ID, first[0].ID, second[0].ID, err)
	}
	if _, _, err := d.loadAs("again", under("DEC-")); !errors.Is(err, ledger.ErrDuplicate) {
		d.Errorf("the same prefix again: %v", err)
	}
	plain, _, err := d.loadAs("plain", func(s *ledger.Sheet) {})
	d.must(err)
	for name, c := range map[string]struct {
		like ledger.Sheet
		want string
	}{
		"the same bytes":                         {ledger.Sheet{SHA256: hash("register"), RefPrefix: "JAN-", Unprefixed: hash("x"), RowsHash: hash("y")}, nov.ID},
		"the same rows":                          {ledger.Sheet{SHA256: hash("x"), RefPrefix: "JAN-", Unprefixed: hash("rows of the register"), RowsHash: hash("y")}, nov.ID},
		"the same rows, without a prefix":        {ledger.Sheet{SHA256: hash("x"), RowsHash: hash("rows of the register")}, nov.ID},
		"the rows of a sheet that had no prefix": {ledger.Sheet{SHA256: hash("x"), RefPrefix: "JAN-", Unprefixed: plain.RowsHash, RowsHash: hash("y")}, plain.ID},
		"the first's own: the next":              {ledger.Sheet{SHA256: hash("register"), RefPrefix: "NOV-", Unprefixed: hash("rows of the register")}, dec.ID},
		"another content":                        {ledger.Sheet{SHA256: hash("x"), RefPrefix: "JAN-", Unprefixed: hash("z"), RowsHash: hash("y")}, ""},
		"another tab of the bytes, and its rows": {ledger.Sheet{SHA256: hash("register"), Tab: "Other", RefPrefix: "JAN-", Unprefixed: hash("z"), RowsHash: hash("y")}, ""},
	} {
		found, err := d.SheetUnderAnotherPrefix(d.ctx, c.like)
		if found.ID != c.want || (c.want == "") != errors.Is(err, ledger.ErrNotFound) {
			d.Errorf("%s: found %q, %v, want %q", name, found.ID, err, c.want)
		}
	}
	d.whole()
}

// A loaded payout is kept and summed up for ever: two amounts that are too large would make every view
// fail.
func noMoreThanCanBeSummedUp(t testing.TB, o Opener) {
	d := begin(t, o)
	one := func(name string, amount ledger.Paise) error {
		list := payouts(name, 1)
		list[0].Amount = amount
		_, err := d.tryLoad(name, list, plan(list, 1))
		return err
	}
	before := d.world()
	if err := one("all-at-once", math.MaxInt64); !errors.Is(err, ledger.ErrTotal) {
		d.Errorf("a sheet of more than a ledger may hold: %v", err)
	}
	d.is(before, "a sheet of more than a ledger may hold")
	d.must(one("most-of-it", ledger.MostInAll-1))
	before = d.world()
	if err := one("too-much", 2); !errors.Is(err, ledger.ErrTotal) {
		d.Errorf("one paisa too much: %v", err)
	}
	d.is(before, "one paisa too much")
	if err := one("the-last-paisa", 1); err != nil {
		d.Errorf("the last paisa: %v", err)
	}
	tallies, err := d.Tallies(d.ctx)
	if want := (ledger.Tally{Count: 2, Total: ledger.MostInAll}); err != nil || tallies[ledger.PayoutPlanned] != want {
		d.Errorf("%v, %v; want %v", tallies, err, want)
	}
}
