package validate

import (
	"fmt"
	"runtime"
	"testing"

	"payrun/ledger"

	"pgregory.net/rapid"
)

func TestRefIndexAgreesWithAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		refs := rapid.SliceOfN(rapid.StringMatching(`[aAbBéÉ１1-]{1,4}`), 0, 300).Draw(t, "refs")
		index, first := newRefIndex(), map[string]int{}
		for row, ref := range refs {
			entry, key, isFirst := index.add(&ledger.Payout{Ref: ref, Row: row})
			want, seen := first[RefKey(ref)]
			if isFirst == seen {
				t.Fatalf("row %d, %q: first is %v, the map says %v", row, ref, isFirst, !seen)
			}
			if got := index.known[entry]; seen && int(got.row) != want {
				t.Fatalf("row %d, %q: first row %d, the map says %d", row, ref, got.row, want)
			}
			if !seen {
				first[RefKey(ref)] = row
			}
			if key != RefKey(ref) {
				t.Fatalf("key %q, want %q", key, RefKey(ref))
			}
		}
	})
}

func TestAMillionReferencesAreToldApartIn200MB(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a million references")
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	const million = 1_000_000
	index := newRefIndex()
	nth := func(i int) *ledger.Payout { return &ledger.Payout{Ref: fmt.Sprintf("PAYROLL/NOV/%07d", i), Row: i} }
	for i := range million {
		index.add(nth(i))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if used := int64(after.HeapAlloc) - int64(before.HeapAlloc); used > 200<<20 {
		t.Errorf("a million references take %d MB", used>>20)
	} else {
		t.Logf("a million references take %d MB", used>>20)
	}
	// of so many, a hundred have the hash of another
	for i := range million {
		if entry, _, first := index.add(nth(i)); first || int(entry) != i {
			t.Fatalf("the reference of row %d is found as entry %d, first %v", i, entry, first)
		}
	}
	hashes := map[uint32]bool{}
	for _, s := range index.table.slots {
		if s.number != 0 {
			hashes[s.hash] = true
		}
	}
	if len(index.known) != million || len(hashes) >= million {
		t.Errorf("%d references with %d hashes", len(index.known), len(hashes))
	}
}
