package ledger

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
)

// Audit checks the facts of a ledger against the invariants (safety.md, "Invariants"), with the
// same code for every store. A store refuses nearly all violations when they are written. Audit
// checks again, because a ledger may have been changed by other means.
//
// Each part reads a stream or two once and keeps only sums: about 160 bytes a batch, a few words
// a sheet. Some facts are recorded twice in different orders: the payload of a call with its
// intent and in its event, a reference with its payout and among the used ones. These are
// compared by sums of keyed hashes. Each audit makes a new key: two different sets have equal
// sums with a chance of 1 in 2^52, and an attacker cannot aim at it. Digests of the records are
// compared with those in the events (invariant 23) in the same way.
//
// Call Batches first. Payouts, References and Events may follow in any order, or at once, each
// with its own LedgerReader. Call Problems last.
type Audit struct {
	seed     maphash.Seed
	sheets   kept[keptSheet]
	batches  kept[keptBatch]
	released map[AttemptKey]bool // attempts that two people released, or closed as paid
	room     []byte              // a buffer of Payouts

	refs struct{ expected, found buckets }

	met                map[string]int64 // the number of events so far, by kind; see nth
	allPaid, allEvents bool             // Payouts and Events have read everything

	planned, paid, used, trail, bound findings // of Batches, Payouts, References, Events, and of bindings
}

// NewAudit begins an audit.
func NewAudit() *Audit {
	return &Audit{seed: maphash.MakeSeed(), sheets: newKept[keptSheet](), batches: newKept[keptBatch](), released: map[AttemptKey]bool{}, met: map[string]int64{}}
}

// Problems returns what the parts found, in the order of the invariants.
func (a *Audit) Problems(ctx context.Context, f LedgerReader) ([]Problem, error) {
	err := a.nameReferences(ctx, f)
	a.namesOfShown()
	if a.allPaid && a.allEvents { // otherwise something that seems missing may only be unread
		a.bindings()
	}
	var list []Problem
	for _, found := range []*findings{&a.planned, &a.paid, &a.used, &a.trail, &a.bound} {
		list = append(list, found.list()...)
	}
	slices.SortStableFunc(list, func(a, b Problem) int { return cmp.Compare(a.Invariant, b.Invariant) })
	return list, err
}

// promise is one rule that must hold.
type promise struct {
	invariant int // its number in safety.md
	what      string
}

var (
	oneLive        = promise{1, "at most one live attempt a payout"}
	recordedCall   = promise{2, "every call has an intent, and every intent its event"}
	notAfterEnd    = promise{3, "no submit intent after a batch was abandoned, quarantined or refused"}
	oneInDoubt     = promise{4, "at most one submit intent in doubt; the next needs the last REJECTED or NOT_SENT"}
	paysOnce       = promise{5, "a payout in a batch with an unknown or accepted submit has no live attempt elsewhere"}
	nothingLost    = promise{6, "references are unique over all time, history is never deleted or renamed"}
	derivedIDs     = promise{6, "the ids of sheets and batches derive from what they stand for"}
	batchIsSo      = promise{7, "one payout a batch unless its partner bank takes bulk; a batch is what it says"}
	leiFromLine    = promise{8, "a total from its partner bank's LEI line on ⇔ an LEI on the batch, and it is its payouts' one"}
	payeeGiven     = promise{9, "a beneficiary id where the partner bank needs one; else name, account and IFSC"}
	echoedFirst    = promise{10, "a submit intent implies an echo equal to the plan"}
	rowsAddUp      = promise{12, "rows of a sheet = accepted + rejected + corrected; accepted = payouts created"}
	moneyAddsUp    = promise{13, "accepted + corrected amount = sum over all payout states"}
	paidAsSeen     = promise{14, "success only from an observed status success"}
	failedAsSeen   = promise{15, "nothing failed because it was missing; an unknown value is never final"}
	loadedOnce     = promise{16, "content of accepted sheets is unique"}
	trailIsWhole   = promise{18, "the audit chain verifies from first to last event"}
	lookedFirst    = promise{22, "no call without a look at the bank on record before it"}
	boundByTrail   = promise{23, "what is recorded of a sheet or batch has the digest that the audit trail tells"}
	statementsKept = promise{23, "what was read of a statement has the digest that the audit trail tells"}
	listedKept     = promise{23, "what the bank listed has the digest that the audit trail tells"}
	namesKept      = promise{25, "a reference that recurs is of one payout, and every earlier batch under it was refused, or cancelled before it was held"}
	twoDecided     = promise{24, "no lock but in_flight was ended by anything but a release of two people"}
	wordsKept      = promise{18, "what people decided is in the audit chain"}
	policyKept     = promise{18, "the policy is lowered by two people only, and nothing is initiated against it"}
	columnsKept    = promise{18, "the columns that are kept for a header are those by which a sheet was read, recorded by the person who loaded it"}
	peopleKept     = promise{18, "each login belongs to one person, and every change of people was allowed"}
)

// mostReported is how many problems of one promise a part reports one by one. It only counts the
// rest, so that a badly damaged ledger does not fill the memory with text.
const mostReported = 1000

// findings collects what one part of an audit finds.
type findings struct {
	found []Problem
	count map[promise]int
}

func (f *findings) add(p promise, format string, args ...any) {
	if f.count == nil {
		f.count = map[promise]int{}
	}
	if f.count[p]++; f.count[p] <= mostReported {
		f.found = append(f.found, Problem{Kind: ProblemBroken, Invariant: p.invariant, What: p.what, Detail: fmt.Sprintf(format, args...)})
	}
}

func (f *findings) list() []Problem {
	for p, n := range f.count {
		if more := n - mostReported; more > 0 {
			f.found = append(f.found, Problem{Kind: ProblemBroken, Invariant: p.invariant, What: p.what, Detail: fmt.Sprintf("and %d more", more)})
		}
	}
	f.count = nil
	return f.found
}

// digest returns a keyed hash of words.
func (a *Audit) digest(words ...string) uint64 {
	return maphash.String(a.seed, strings.Join(words, "\x00"))
}
