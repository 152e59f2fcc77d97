package ledger

import "time"

// Step is one thing that happens to one batch, with all that belongs to it.
// What it does to the ledger is Change's to say; a store records that in one
// transaction, under the condition that the batch is still in From. Either all
// of it is durable when the store returns, or none.
type Step struct {
	BatchID string
	Actor   string     // in whose name it is recorded
	From    BatchState // the batch must be in this state, else ErrConflict
	Event   BatchEvent // "" when the state stays: only observations and notes are recorded
	At      time.Time

	// ExpectedVersion is what was shown to the person who wants the step, else ErrStale.
	// The zero value asks nothing.
	ExpectedVersion ExpectedVersion

	PayloadSHA256 string // the intent: with InitiateIntended and SubmitIntended only
	// AfterRestore is how long after an older copy was accepted nothing is initiated; with
	// InitiateIntended.
	AfterRestore time.Duration
	HeldAtMost   int // with InitiateIntended: how many batches of the debit account may wait for an OTP; 0 for no limit

	// With an intent: where the total of Confirmed (paise, by batch id: what a person confirmed, or
	// what was less) and of all that is held comes to ConfirmAbove, each of it has to be
	// in Confirmed. Zero for never.
	ConfirmAbove Paise
	Confirmed    map[string]Paise

	Looks []StatusCheck // with an intent: what the bank showed in this operation, before it
	// Statements says, with SubmitIntended, how the bank's own statement of each debit
	// account was read in this operation, by bank_account_id (safety.md, "Checks", 4).
	Statements map[string]StatementFetch
	OTPWindow  time.Duration // with SubmitIntended: held for longer, the ids of a copy are looked at as well; 0 for never
	Shown      bool          // the bank has shown or echoed the batch, in whatever form
	Listed     Listing       // whether the bank shows the batch while it is held; ListingUnasked leaves it
	Refusal    string        // the bank's own words where it answered no and the effect is unknown; "" leaves it
	// OtherNumber replaces the batch's. Nil leaves it, unless a person decided about the batch:
	// then it is cleared.
	OtherNumber *string

	Outcome    Outcome // with the event that ends an intent
	HTTPStatus int
	Code       string // the bank's code, raw
	Message    string // the bank's words, raw

	OpenBatchID string
	Observed    []Observed
	Note        string    // replaces the batch's note; "" clears it
	Attention   Attention // replaces the batch's; NeedsNothing clears it
	Person      string    // a person's reason, with Abandoned and Acknowledged

	Release *ReleaseRequest // one person's word in a release; says itself what becomes of the batch, and Event is ""

	// Successor reschedules the batch's payouts under a new batch id and the same wire references, in
	// the same change. With DoubtExpired only.
	Successor bool
}

// Observed is one observation of one attempt and what was concluded from it.
type Observed struct {
	PayoutID int64
	Number   int // of the attempt
	Observation
	Verdict Verdict
}

// Filter selects payouts, attempts or batches. Zero fields select all.
type Filter struct {
	SheetID  string
	BatchID  string
	States   []PayoutState
	Search   string // in reference, payee, UTR; any case
	Attempts bool   // a line an attempt instead of the latest of each payout
	After    int64  // payouts behind the one with this number, in the order of loading
	Most     int    // so many lines, and no more; 0: all

	Account     string    // paid from the debit account with this bank_account_id
	From, Until time.Time // planned from the one on and before the other; the zero time is no bound
	Newest      bool      // the newest first
	Skip        int       // so many lines; only without Search, Exact and Find
	Payouts     []int64   // only those with these numbers; nil: all

	// Exact selects the payouts that have this reference, in the sheet or on the
	// wire, or this UTR; folded as the keys of references are.
	Exact string
	// Find selects attempts by what people look for them by, where it is not nil. It
	// may be called for a part of that and of several payouts at once, the rest being
	// "" or 0, and has to find what it finds by any part of it.
	Find func(*Particulars) bool
}

// Particulars are what people look for a payout by.
type Particulars struct {
	Ref               string // on the wire or in the sheet
	VendorName        string
	BankAccountNumber string
	UTR               string // in any case
	Amount            Paise
}

// AuditHead is the newest event of the audit chain.
type AuditHead struct {
	Length int64     `json:"length"`
	Hash   string    `json:"hash"`
	At     time.Time `json:"at"`
}

// PlannedBatch is a batch before it is recorded: which payouts it takes, by
// their position in the order of loading (from 0), and why it ends where it does.
type PlannedBatch struct {
	BankAccountID     string
	PartnerBankID     int
	Kind              AccountKind
	SubMerchantID     string
	TransactionTypeID string
	BeneLEI           string // "" below the LEI line
	Members           []int32
	Total             Paise
	Reason            string
	// Priority is that of the most urgent of its payouts, 1 the first of all; 0 for
	// none, which goes last. It is not recorded: the order of the batches tells it
	// (see InOrder), and no id derives from it.
	Priority int
	// NeedsApproval: another person approves it, whatever the policy says.
	NeedsApproval bool
}

// ReferenceUse tells where a reference was used before.
type ReferenceUse struct {
	Ref       string // as it was spelt
	SheetID   string
	SheetName string
	Row       int
	LoadedAt  time.Time
	State     PayoutState // of its latest attempt; "" where it was not asked for
}
