package ledger

import (
	"context"
	"iter"
)

// LedgerReader is what a store tells of everything it keeps, for Audit: each kind once
// from first to last, in an order that lets what belongs together be joined
// while it streams by. A store tells what is there, not what should be: numbers
// that are missing, attempts without a batch and states of no name are told as
// they are found. What it yields is the reader's until the next one only.
//
// A stream that ends with an error yields it last, with the zero value. One
// LedgerReader is for one goroutine; several of the same ledger show the same moment.
type LedgerReader interface {
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
	// Statements returns the digests of what is recorded of the readings of statements and of
	// their lines, in the order of their numbers.
	Statements(ctx context.Context) ([]Digest, error)
	// StatementWords returns what people said of statements, in the order of their numbers.
	StatementWords(ctx context.Context) ([]StatementDecision, error)
	// BankLists returns what the bank listed when it was last asked.
	BankLists(ctx context.Context) (BankLists, error)
	// Events yields the audit trail, oldest first.
	Events(ctx context.Context) iter.Seq2[*Event, error]
}

// SheetFacts is a sheet and the numbers of its payouts, First to Last without
// gaps.
type SheetFacts struct {
	No          int64 // in the order of loading, from 1 without gaps
	Sealed      bool  // it was recorded as a whole
	First, Last int64
	Sheet
	Reading *ReadOptions // how its bytes were read; nil where they are not kept
}

// BatchFacts is a batch with the calls made for it and what people decided
// about it. All of Batch is asked but its SheetID, which that of SheetNo is.
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
	Looks     []RecordedLook   // what was kept with them, in their order
	Approvals []Approval
	Proposals []ReleaseApproval
}

// PayoutFacts is a payout with its attempts. What is found about it says neither
// its name nor its account.
type PayoutFacts struct {
	Payout   // without its SheetID; ID is in the order of loading, from 1 without gaps
	SheetNo  int64
	Key      string         // its reference, folded
	From     OriginFacts    // the row that it came from
	Attempts []AttemptFacts // in the order of their numbers
}

// hasPayee reports whether name, account and IFSC are given.
func (p *Payout) hasPayee() bool {
	return p.VendorName != "" && p.BankAccountNumber != "" && p.IFSC != ""
}

// AttemptFacts is an attempt, whether or not the store has made a row of it yet:
// what is its own of Attempt, where its payout is not told again.
type AttemptFacts struct {
	BatchNo int64
	Attempt
	Seen []NewObservation // all that was observed of it, in the order of their numbers
	// Corrected is what it sends, where that is not what the payout's row says: as
	// the payout was last corrected by then. nil for nearly every attempt.
	Corrected *CorrectionFacts
}

// sends is what the attempt of the payout says of it.
func (t *AttemptFacts) sends(p *PayoutFacts) *Payout {
	if t.Corrected != nil {
		return &t.Corrected.Sends
	}
	return &p.Payout
}

// OriginFacts is the row of an earlier sheet, by its number, that a payout came from;
// zero for none.
type OriginFacts struct {
	SheetNo int64
	Row     int
}

// CorrectionFacts is what a row of a later sheet corrected a payout to.
type CorrectionFacts struct {
	Number  int    // the first attempt that sends it
	SheetNo int64  // of the correcting sheet
	Row     int    // in it
	Sends   Payout // with the ID, Row and Ref of the payout itself
}

// digest is that of the correction in its event.
func (c *CorrectionFacts) digest(sheetID string) Digest {
	is := c.Sends
	is.Row = c.Row
	return CorrectionDigest(is.ID, c.Number, sheetID, &is)
}

// answers sums up what was observed of an attempt: the highest number of an
// observation, and how many said so (interface.md, "Payout").
type answers struct{ last, success, failed, returned int }

func (t *AttemptFacts) answers() (a answers) {
	for i := range t.Seen {
		o := &t.Seen[i]
		a.last = max(a.last, o.Seq)
		switch o.Status {
		case StatusSuccess:
			a.success++
		case StatusFailed:
			a.failed++
		}
		if o.BankStatusCode == CodeReturned {
			a.returned++
		}
	}
	return a
}

// ReferenceFacts is a used reference, folded, and the attempt that uses it.
type ReferenceFacts struct {
	Key string
	AttemptKey
}
