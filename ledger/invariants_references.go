package ledger

import (
	"cmp"
	"context"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
)

// bucketCount is the number of sums over the references. If a sum is wrong, only the references of
// its bucket are compared one by one.
const bucketCount = 1 << 12

// buckets has a sum over the references of each bucket. A reference's hash gives its bucket.
type buckets [bucketCount]uint64

func (b *buckets) add(hash uint64) { b[hash%bucketCount] += hash }

// References yields the references that must be on record as used by the payout: its own, even
// without an attempt, and that of each further attempt that does not keep an earlier one.
func (p *PayoutFacts) References(yield func(ReferenceFacts) bool) {
	if !yield(ReferenceFacts{p.Key, AttemptKey{p.ID, 1}}) {
		return
	}
	for i, t := range p.Attempts {
		if t.Number == 1 || t.WireRef == p.Ref || slices.ContainsFunc(p.Attempts[:i], func(u AttemptFacts) bool { return u.WireRef == t.WireRef }) {
			continue
		}
		if !yield(ReferenceFacts{FurtherKey(p.Ref, p.Key, t.WireRef), AttemptKey{p.ID, t.Number}}) {
			return
		}
	}
}

func (a *Audit) reference(r ReferenceFacts) uint64 { return maphash.Comparable(a.seed, r) }

// References sums up the references on record as used (invariant 6). Problems compares the sums
// with those of the payouts.
func (a *Audit) References(ctx context.Context, f LedgerReader) error {
	return f.References(ctx, func(r *ReferenceFacts) error {
		a.refs.found.add(a.reference(*r))
		return nil
	})
}

// namesOfShown finds batches that were quarantined because the bank had them, although a later
// attempt kept one of their references. Once such a batch is abandoned, only its events show why
// it was quarantined, and only the payouts show which attempt kept the reference.
func (a *Audit) namesOfShown() {
	for _, b := range a.batches.all {
		if b.keptName && b.shown && !b.usingUp {
			a.used.add(namesKept, "batch %s was quarantined because the bank had it, and a reference of it was kept", b.id)
		}
	}
}

// nameReferences reads the references again if sums differ, and reports missing and extra ones.
func (a *Audit) nameReferences(ctx context.Context, f LedgerReader) error {
	if a.refs.expected == a.refs.found {
		return nil
	}
	differs := map[ReferenceFacts]int{} // how often payouts have it, less how often it is on record
	note := func(r ReferenceFacts, n int) {
		if i := a.reference(r) % bucketCount; a.refs.expected[i] == a.refs.found[i] {
			return
		}
		r.Key = strings.Clone(r.Key)
		if differs[r] += n; differs[r] == 0 {
			delete(differs, r)
		}
	}
	err := f.Payouts(ctx, func(p *PayoutFacts) error {
		for r := range p.References {
			note(r, 1)
		}
		return nil
	})
	if err == nil {
		err = f.References(ctx, func(r *ReferenceFacts) error { note(*r, -1); return nil })
	}
	if err != nil {
		return err
	}
	byAttempt := func(a, b ReferenceFacts) int {
		return cmp.Or(a.AttemptKey.Compare(b.AttemptKey), cmp.Compare(a.Key, b.Key))
	}
	for _, r := range slices.SortedFunc(maps.Keys(differs), byAttempt) {
		if differs[r] > 0 {
			a.used.add(nothingLost, "attempt %d of payout %d has no place among the used references", r.Number, r.PayoutID)
		} else {
			a.used.add(nothingLost, "the used reference %q is not that of attempt %d of payout %d", r.Key, r.Number, r.PayoutID)
		}
	}
	return nil
}
