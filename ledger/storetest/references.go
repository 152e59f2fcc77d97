package storetest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var references = []Check{
	{"references are found by their folded form, over all history", referencesAreFolded},
	{"a reference that was ever used is never taken again", referencesAreUnique},
}

func referencesAreFolded(t testing.TB, o Opener) {
	d := begin(t, o)
	if used, err := d.UsedReferences(d.ctx, []string{"inv-1"}); err != nil || len(used) != 0 {
		d.Errorf("in an empty ledger: %v, %v", used, err)
	}
	list := payouts("INV", 3)
	list[1].Ref = "ＩＮＶ-2"    // full width: folding is more than lower case
	list[2].Ref = "Straße-3" // folds to ss
	batches := d.loadList("nov", list, 3)
	d.giveUp(batches[0].ID, minute(1))
	d.again(minute(2), d.attempts(batches[0].ID), 3)
	many := []string{"inv-2", "inv-1-r2", "strasse-3-r2", "inv-4", "inv-2"}
	for i := range 2000 { // more than fit into one query
		many = append(many, fmt.Sprintf("never-%d", i))
	}
	got, err := d.UsedReferences(d.ctx, many)
	d.must(err)
	use := func(ref string, row int) ledger.ReferenceUse {
		return ledger.ReferenceUse{Ref: ref, SheetID: batches[0].SheetID, SheetName: "nov.csv", Row: row, LoadedAt: t0}
	}
	want := map[string]ledger.ReferenceUse{"inv-2": use("ＩＮＶ-2", 3), "inv-1-r2": use("INV-1-R2", 2), "strasse-3-r2": use("Straße-3-R2", 4)}
	if diff := cmp.Diff(want, got); diff != "" {
		d.Errorf("(-want +got):\n%s", diff)
	}
	d.whole()
}

// A reference stays used, no matter who used it, how it was spelt, and how its payout ended.
func referencesAreUnique(t testing.TB, o Opener) {
	d := begin(t, o)
	list := payouts("INV", 3)
	list[1].Ref, list[2].Ref = "ＩＮＶ-2", "Straße-3"
	batches := d.loadList("nov", list, 3)
	d.giveUp(batches[0].ID, minute(1))
	d.again(minute(2), d.attempts(batches[0].ID), 3)
	d.reopen()
	before := d.world()
	for i, ref := range []string{"INV-1", "inv-1", "iNv-1", "inv-2", "INV-2", "ＩＮＶ-2", "strasse-3", "STRASSE-3", "Straße-3", "inv-1-r2", "INV-1-R2", "INV-2-R2", "strasse-3-r2"} {
		again := payouts("dec", 3)
		again[1].Ref = ref
		if _, err := d.tryLoad(fmt.Sprintf("dec%d", i), again, plan(again, 3)); !errors.Is(err, ledger.ErrDuplicate) {
			d.Errorf("a sheet with %q: %v", ref, err)
		}
		d.is(before, "a sheet with %q", ref)
	}
	fresh := payouts("dec", 1)
	fresh[0].Ref = "INV-1-R3"
	if _, err := d.tryLoad("dec", fresh, plan(fresh, 1)); err != nil {
		d.Errorf("a reference that nobody used: %v", err)
	}
	d.whole()
}
