package ledger

import (
	"context"
	"iter"
)

// Facts is what a store tells of everything it keeps, for Audit: each kind once
// from first to last, in an order that lets what belongs together be joined
// while it streams by. A store tells what is there, not what should be: numbers
// that are missing, attempts without a batch and states of no name are told as
// they are found. What it yields is the reader's until the next one only.
//
// A stream that ends with an error yields it last, with the zero value. One
// Facts is for one goroutine; several of the same ledger show the same moment.
type Facts interface {
	// LedgerID is the random name that the ledger got when it was created.
	LedgerID() string
	// Sheets yields the sheets in the order of their numbers.
	Sheets(ctx context.Context) iter.Seq2[*SheetFacts, error]
	// Batches yields the batches in the order of planning.
	Batches(ctx context.Context) iter.Seq2[*BatchFacts, error]
	// Payouts yields the payouts in the order of loading.
	Payouts(ctx context.Context) iter.Seq2[*PayoutFacts, error]
	// References yields every used reference, in whatever order is cheapest.
	References(ctx context.Context) iter.Seq2[*ReferenceFacts, error]
	// Events yields the audit trail, oldest first.
	Events(ctx context.Context) iter.Seq2[*Event, error]
	// BatchID returns the id of a batch, to tell people where something is
	// wrong. It may be asked while a stream is under way.
	BatchID(ctx context.Context, no int64) (string, error)
}

// SheetFacts is a sheet and the numbers of its payouts, First to Last without
// gaps.
type SheetFacts struct {
	No          int64 // in the order of loading, from 1 without gaps
	Sealed      bool  // it was recorded as a whole
	First, Last int64
	Sheet
}

// BatchFacts is a batch with the calls made for it and what people decided
// about it. Of Batch its id, place in the sheet, state, route, partner bank,
// LEI, count, total and when it was held are asked.
type BatchFacts struct {
	No      int64 // in the order of planning, from 1 without gaps
	SheetNo int64
	Batch
	// Rules are those it was planned by, nil where there are none. The store
	// tells them, and RulesFor does not: rules change, batches keep theirs, and
	// only the store remembers from which batch on a change holds. That the
	// newest are RulesFor's is a matter of the store's own tests.
	Rules     *Rules
	Refs      []string         // the wire references of a batch of further attempts, in the order of its payouts; nil in one that a sheet brought
	Intents   []RecordedIntent // in the order of their numbers, which count from 1 without gaps over all batches
	Approvals []Approval
	Proposals []Proposal
}

// PayoutFacts is what the invariants ask of a payout. No name and no account
// number is among it.
type PayoutFacts struct {
	ID               int64 // in the order of loading, from 1 without gaps
	SheetNo          int64
	Route            Route
	Amount           Paise
	Ref, Key         string // its reference, and that folded
	BeneLEI          string
	HasBeneficiaryID bool           // open_beneficiary_id is given
	HasPayee         bool           // name, account and IFSC are given
	Attempts         []AttemptFacts // in the order of their numbers
}

// AttemptFacts is an attempt, whether or not the store has made a row of it yet.
type AttemptFacts struct {
	Number  int
	BatchNo int64
	State   PayoutState
	WireRef string
	Seen    Seen
}

// Seen sums up the observations of an attempt.
type Seen struct {
	Count, Last               int // how many there are, and the highest number among them
	Success, Failed, Returned int // how many said so; see Add
}

// Add takes an observation in: its number, raw status and raw bank code
// (interface.md, "Payout").
func (s *Seen) Add(seq int, status, bankStatusCode string) {
	s.Count++
	s.Last = max(s.Last, seq)
	switch status {
	case StatusSuccess:
		s.Success++
	case StatusFailed:
		s.Failed++
	}
	if bankStatusCode == CodeReturned {
		s.Returned++
	}
}

// ReferenceFacts is a used reference, folded, and the attempt that uses it.
type ReferenceFacts struct {
	Key string
	AttemptKey
}
