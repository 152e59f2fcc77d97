package ledger

import "context"

// LedgerReader reads everything a store keeps, for Audit. It calls fn for each value of a kind, from
// first to last, in an order that lets a reader join the kinds in one pass. A store returns what it
// has, even if it is wrong: missing numbers, attempts without a batch, unknown states. A value is
// valid only until the next one. An error of fn ends the reading.
//
// A LedgerReader is for one goroutine. Several of the same ledger show the same moment.
type LedgerReader interface {
	// LedgerID returns the random name that the ledger got when it was created.
	LedgerID() string
	// Sheets gives the sheets in the order of their numbers.
	Sheets(ctx context.Context, fn func(*SheetFacts) error) error
	// Batches gives the batches in the order of planning.
	Batches(ctx context.Context, fn func(*BatchFacts) error) error
	// Payouts gives the payouts in the order of loading.
	Payouts(ctx context.Context, fn func(*PayoutFacts) error) error
	// References gives every used reference, in the cheapest order.
	References(ctx context.Context, fn func(*ReferenceFacts) error) error
	// Others returns what is few enough to be read at once.
	Others(ctx context.Context) (OtherFacts, error)
	// Events gives the audit trail, oldest first.
	Events(ctx context.Context, fn func(*Event) error) error
}

// OtherFacts are the facts that need no stream.
type OtherFacts struct {
	Statements []Digest            // of the recorded readings of statements and of their lines, in the order of their numbers
	Decisions  []StatementDecision // about statements, in the order of their numbers
	Listed     BankLists           // what the bank last listed
}

// SheetFacts is a sheet and the numbers of its payouts, First to Last without
// gaps.
type SheetFacts struct {
	No          int64 // in the order of loading, from 1 without gaps
	Sealed      bool  // it was recorded completely
	First, Last int64
	Sheet
	Reading *ReadOptions // how its bytes were read; nil if they are not kept
}

// BatchFacts is a batch with its calls and people's decisions about it. Every field of Batch is set
// except SheetID: see SheetNo.
type BatchFacts struct {
	No      int64 // in the order of planning, from 1 without gaps
	SheetNo int64
	Batch
	Refs      []string         // for a batch of further attempts: their wire references, in the order of its payouts; nil for first attempts
	Intents   []RecordedIntent // in the order of their numbers, which count from 1 without gaps over all batches
	Looks     []RecordedLook   // kept with the intents, in their order
	Proposals []ReleaseApproval
}

// PayoutFacts is a payout with its attempts. Findings about it name neither the payee nor the
// account.
type PayoutFacts struct {
	Payout   // without its SheetID; ID is in the order of loading, from 1 without gaps
	SheetNo  int64
	Key      string         // its reference, folded
	From     OriginFacts    // the row that it came from
	Attempts []AttemptFacts // in the order of their numbers
}

// AttemptFacts is an attempt, even if the store has no row for it yet. Attempt has only the
// attempt's own fields, not its payout.
type AttemptFacts struct {
	BatchNo int64
	Attempt
	Seen []NewObservation // all observations of it, in the order of their numbers
	// Corrected is the correction that it sends: the latest of the payout at that time. nil if it
	// sends the payout's own row, as nearly every attempt does.
	Corrected *CorrectionFacts
}

// sends returns the payout as the attempt sends it.
func (t *AttemptFacts) sends(p *PayoutFacts) *Payout {
	if t.Corrected != nil {
		return &t.Corrected.Sends
	}
	return &p.Payout
}

// OriginFacts is the row of an earlier sheet that a payout came from, with the sheet's number;
// zero for none.
type OriginFacts struct {
	SheetNo int64
	Row     int
}

// CorrectionFacts is a correction of a payout by a row of a later sheet.
type CorrectionFacts struct {
	Number  int    // the first attempt that sends it
	SheetNo int64  // of the correcting sheet
	Row     int    // in it
	Sends   Payout // with the ID, Row and Ref of the payout itself
}

// ReferenceFacts is a used reference, folded, and the attempt that uses it.
type ReferenceFacts struct {
	Key string
	AttemptKey
}
