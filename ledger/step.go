package ledger

import (
	"strings"
	"time"
)

// Step is one thing that happens to one batch, with its data. Change says what
// it does to the ledger. A store records that in one transaction, if the batch
// is still in From. When the store returns, either all of it is durable or
// none.
type Step struct {
	BatchID string
	Actor   string     // the person under whose name it is recorded
	From    BatchState // the batch must be in this state, else ErrConflict
	Event   BatchEvent // "" if the state stays: only observations and notes are recorded
	At      time.Time

	// ExpectedVersion is the version that the person saw: another one is ErrStale.
	// The zero value checks nothing.
	ExpectedVersion ExpectedVersion

	PayloadSHA256 string // the intent: with InitiateIntended and SubmitIntended only
	// With InitiateIntended: nothing is initiated for this long after an older copy was
	// accepted.
	AfterRestore time.Duration
	HeldAtMost   int // with InitiateIntended: how many batches of the debit account may wait for an OTP; 0 for no limit

	// With an intent: Confirmed has the totals, in paise by batch id, that a person confirmed or
	// that needed no confirmation. If this batch or a held one is not in it, and the sum with
	// them reaches ConfirmAbove, the step is ErrUnconfirmed. Zero: never.
	ConfirmAbove Paise
	Confirmed    map[string]Paise

	Looks []StatusCheck // with an intent: what the bank showed before it, in this operation
	// Statements says, with SubmitIntended, how the bank's own statement of each debit
	// account was read in this operation, by bank_account_id (safety.md, "Checks", 4).
	Statements map[string]StatementFetch
	// OTPWindow: with SubmitIntended, if the batch was held for longer, the ids of a copy are checked too, at its own
	// debit account and at DebitAccounts, which are those of the configuration; 0 for never.
	OTPWindow     time.Duration
	DebitAccounts []string
	Shown         bool    // the bank has shown or echoed the batch, in any form
	Listed        Listing // whether the bank shows the batch while it is held; ListingUnasked leaves it
	Refusal       string  // the bank's own words if it answered no and the effect is unknown; "" leaves it
	// OtherNumber replaces the batch's. Nil leaves it, but clears it if a person decided about
	// the batch (Person).
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

	Release *ReleaseRequest // one person's decision in a release. It decides the new state; Event is ""

	// Successor plans the batch's payouts again, under a new batch id and the same wire references, in
	// the same change. With DoubtExpired only.
	Successor bool
}

// Observed is one observation of one attempt, with the conclusion.
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
	Attempts bool // one line for each attempt, not only for the latest of each payout
	Most     int  // maximum number of lines; 0: all

	Account     string    // paid from the debit account with this bank_account_id
	From, Until time.Time // planned at or after From and before Until; zero: no bound
	Newest      bool      // the newest first
	Skip        int       // number of lines to leave out first; only without Exact and Find
	Payouts     []int64   // only those with these numbers; nil: all

	// Exact selects the payouts that have this reference, in the sheet or on the
	// wire, or this UTR. It is folded like the keys of references.
	Exact string
	// Find selects attempts by their particulars; nil selects all. It may be called
	// with some particulars only, the others "" or 0, which several payouts may
	// share. It must return true if any one of the particulars matches.
	Find func(*Particulars) bool
}

// Particulars are the values by which people search for a payout.
type Particulars struct {
	Ref               string // on the wire or in the sheet
	VendorName        string
	BankAccountNumber string
	UTR               string // in any case
	Amount            Paise
}

// Mentioning returns a Filter.Find for the attempts that have a word in a reference, the payee or the UTR, in any
// case; nil for "".
func Mentioning(word string) func(*Particulars) bool {
	if word == "" {
		return nil
	}
	word = strings.ToLower(word)
	return func(p *Particulars) bool {
		return strings.Contains(strings.ToLower(p.Ref), word) || strings.Contains(strings.ToLower(p.VendorName), word) ||
			strings.Contains(strings.ToLower(p.UTR), word)
	}
}

// AuditHead is the newest event of the audit chain.
type AuditHead struct {
	Length int64     `json:"length"`
	Hash   string    `json:"hash"`
	At     time.Time `json:"at"`
}

// PlannedBatch is a batch before it is recorded. Members are the positions of its
// payouts in the order of loading, from 0. Reason says why it ends where it does.
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
	// Priority is that of its most urgent payout: 1 is sent first, 0 (none) last. It
	// is not recorded, because the order of the batches shows it (see InOrder), and no
	// id derives from it.
	Priority int
	// NeedsApproval: another person must approve it, under any policy.
	NeedsApproval bool
}

// ReferenceUse says where a reference was used before.
type ReferenceUse struct {
	Ref       string // as it was spelt
	SheetID   string
	SheetName string
	Row       int
	LoadedAt  time.Time
	State     PayoutState // of its latest attempt; "" if the caller did not ask for it
}
