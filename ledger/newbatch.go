package ledger

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// NewBatch is a planned batch with the fields that the ledger adds, about to be recorded.
type NewBatch struct {
	Batch           // as it is recorded
	Members []int32 // see PlannedBatch
	Actor   string
	// After names the previous attempts of the batch's payouts, and Refs the wire references of
	// its own attempts, in the order of Members. Both are nil for first attempts.
	After []AttemptKey
	Refs  []string
	// Digest is the digest of the batch and its payouts; see MembersDigest.
	Digest Digest
}

// Event returns the audit event of the planning.
func (n NewBatch) Event() Event {
	return Event{At: n.CreatedAt, Actor: n.Actor, Kind: EventPlanned, SheetID: n.SheetID, BatchID: n.ID, Digest: n.Digest.String(),
		Detail: batchNote{Payouts: n.Count, Total: n.Total, Attempt: n.Attempt}.text()}
}

// SheetPlan is what the ledger knows when batches are planned for a sheet's payouts.
type SheetPlan struct {
	LedgerID string
	SheetID  string
	Content  string // of the sheet
	Sequence int    // of its last batch; 0 for none
	Actor    string
	At       time.Time
	// PlannedWith: see Batch.
	PlannedWith string
}

// InOrder returns the places of batches that are planned together, in the order in which they
// are sent: by priority, then as planned. Ids do not depend on it: a batch's id derives from its
// place in the plan, so a copy of the ledger gives it the same id even with another priority.
func InOrder(batches []PlannedBatch) []int {
	places := make([]int, len(batches))
	for i := range places {
		places[i] = i
	}
	rank := func(place int) uint { return uint(batches[place].Priority) - 1 } // none comes last
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	return places
}

// First adds the ledger's fields to the batches of a sheet that is being loaded, and returns them
// in the order in which they are sent. member returns the MemberDigest of the payout at a position.
func (p SheetPlan) First(batches []PlannedBatch, member func(position int32) Digest) []NewBatch {
	list := make([]NewBatch, 0, len(batches))
	for _, place := range InOrder(batches) {
		n := p.batch(batches[place], place)
		n.Digest = MembersDigest(&n.Batch, n.Count, func(at int) Digest { return member(n.Members[at]) })
		list = append(list, n)
	}
	return list
}

// Again adds the ledger's fields to the batches of a retry, and returns them in the order in
// which they are sent. Their members are positions in attempts (the latest attempt of each
// payout) and in refs (the wire references of the new attempts). old are the batches of
// attempts, by id.
//
// A batch with exactly the payouts of one old batch is the next attempt of that batch and keeps
// its sequence. So payrun can derive which id a copy of this ledger would plan, and check it at
// the bank (see BatchRecord.CopyIDs).
func (p SheetPlan) Again(attempts []Attempt, refs []string, batches []PlannedBatch, old map[string]Batch) []NewBatch {
	list := make([]NewBatch, 0, len(batches))
	for _, place := range InOrder(batches) {
		n := p.batch(batches[place], place)
		whole := len(n.Members) > 0
		for _, m := range n.Members {
			a := attempts[m]
			n.After, n.Refs = append(n.After, a.Key()), append(n.Refs, refs[m])
			n.Attempt = max(n.Attempt, a.Number+1)
			whole = whole && a.BatchID == attempts[n.Members[0]].BatchID
			n.NeedsApproval = n.NeedsApproval || old[a.BatchID].NeedsApproval
		}
		if whole {
			if b := old[attempts[n.Members[0]].BatchID]; b.Count == n.Count {
				n.Sequence, n.Attempt = b.Sequence, b.Attempt+1
			}
		}
		n.ID = BatchID(p.LedgerID, p.Content, n.BankAccountID, n.Sequence, n.Attempt, n.Refs)
		n.Digest = MembersDigest(&n.Batch, n.Count, func(at int) Digest {
			return MemberDigest(&attempts[n.Members[at]].Payout, n.After[at].Number+1, n.Refs[at])
		})
		list = append(list, n)
	}
	return list
}

func (p SheetPlan) batch(b PlannedBatch, place int) NewBatch {
	at := p.At.UTC().Truncate(time.Microsecond)
	n := NewBatch{Members: b.Members, Actor: p.Actor, Batch: Batch{SheetID: p.SheetID, Sequence: p.Sequence + place + 1, Attempt: 1, State: BatchPlanned,
		BankAccountID: b.BankAccountID, PartnerBankID: b.PartnerBankID, Kind: b.Kind, SubMerchantID: b.SubMerchantID, TransactionTypeID: b.TransactionTypeID,
		BeneLEI: b.BeneLEI, Count: len(b.Members), Total: b.Total, Reason: b.Reason, PlannedWith: p.PlannedWith, NeedsApproval: b.NeedsApproval,
		CreatedAt: at, UpdatedAt: at, StateSince: at}}
	n.ID = BatchID(p.LedgerID, p.Content, b.BankAccountID, n.Sequence, n.Attempt, nil)
	return n
}

// KeepsRef reports whether a further attempt keeps its payout's last wire reference. under are
// the batches in which the payout had it. A reference is used up only if the bank has shown or
// echoed one of them. If the bank knows a kept reference after all, it refuses it for ever
// (safety.md, "Batch states", Retry).
func KeepsRef(under ...Batch) bool {
	return !slices.ContainsFunc(under, func(b Batch) bool { return b.Shown })
}

// FurtherKey returns the folded form of a further reference (WireRef) of the payout with reference ref, folded
// key: key and the suffix in lower case. That suffices, because folding is NFKC and case folding, and
// an ASCII suffix neither composes nor reorders with the text before it.
func FurtherKey(ref, key, wireRef string) string {
	return key + strings.ToLower(strings.TrimPrefix(wireRef, ref))
}
