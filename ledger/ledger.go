// Package ledger is the domain of payrun: money, payouts, attempts, batches, their states and
// transitions, the partner banks' rules, and the texts about the bank's answers. Every other
// package may import it. It imports only the standard library and knows no SQL, no wire names
// and no clock.
//
// A payout is one row to be paid. An attempt is one wire reference of one payout in one batch.
// A batch is one merchant_transfer_batch_id on the wire. A payout has any number of attempts,
// at most one of them live.
package ledger

import (
	"cmp"
	"fmt"
	"time"
)

// Sheet is one loaded payout sheet. Its content is unique in the ledger: the same tab of the
// same bytes is never loaded twice, nor are the same rows. With another prefix of the
// references they may be loaded again, as other payouts.
type Sheet struct {
	ID       string `json:"id"`        // derived from Content, see SheetID
	Name     string `json:"name"`      // the file's base name as the user gave it
	SHA256   string `json:"sha256"`    // of the file's bytes, lower-case hex
	RowsHash string `json:"rows_hash"` // of the rows read, without the rest of the file; lower-case hex
	// Content is the source of the ids: ContentOf, or SHA256 for a sheet that was loaded before
	// its tab counted. 64 characters of lower-case hex.
	Content string `json:"content"`
	// RefPrefix was put before every reference. Unprefixed is the RowsHash without it. Both are
	// "" if there was no prefix.
	RefPrefix  string `json:"ref_prefix,omitempty"`
	Unprefixed string `json:"unprefixed,omitempty"`
	Format     string `json:"format"`    // "csv", "xlsx" or "pain.001"
	Tab        string `json:"tab"`       // XLSX tab; empty for CSV
	Header     int    `json:"header"`    // row number of the header as a spreadsheet program shows it
	Rows       int    `json:"rows"`      // rows that are neither blank nor the total row
	Blank      int    `json:"blank"`     // rows skipped below the header: blank, or hidden and to be skipped
	HasTotal   bool   `json:"has_total"` // the sheet had a control total row, and it agreed
	Total      Paise  `json:"total"`     // over all rows whose amount could be read
	Accepted   Tally  `json:"accepted"`
	Rejected   Tally  `json:"rejected"`
	// Corrected counts the rows that correct payouts of earlier sheets. They create
	// no payouts: rows = accepted + rejected + corrected.
	Corrected Tally     `json:"corrected,omitzero"`
	LoadedAt  time.Time `json:"loaded_at"`
	LoadedBy  string    `json:"loaded_by"`
}

// Identified returns the sheet with its Content and ID set.
func (s Sheet) Identified() Sheet {
	s.Content = ContentOf(s.SHA256, s.Tab, s.RefPrefix)
	s.ID = SheetID(s.Content)
	return s
}

// Bare returns the hash of the rows read, without the prefix of the references. A register that
// is loaded every month with another prefix has the same hash each time.
func (s Sheet) Bare() string {
	return cmp.Or(s.Unprefixed, s.RowsHash)
}

// Tally is a number of payouts and their exact sum.
type Tally struct {
	Count int   `json:"count"`
	Total Paise `json:"total"`
}

// Add counts one more payout of amount p.
func (t *Tally) Add(p Paise) { *t = t.Plus(Tally{Count: 1, Total: p}) }

// Plus returns the sum of both. A sum of a ledger's payouts always fits (MostInAll). A sum of
// rows that were left out may not: it stops at the largest amount.
func (t Tally) Plus(u Tally) Tally {
	return Tally{Count: t.Count + u.Count, Total: t.Total.PlusCapped(u.Total)}
}

// Payout is one accepted row of a sheet. It never changes once recorded; its attempts record
// what happens to it.
type Payout struct {
	ID                int64  `json:"id"` // the ledger's number, in the order of loading
	SheetID           string `json:"sheet_id"`
	Row               int    `json:"row"` // as the user sees it in the spreadsheet program
	Ref               string `json:"ref"` // merchant_txn_ref_id in the sheet
	Amount            Paise  `json:"amount"`
	VendorName        string `json:"vendor_name"`
	BankAccountNumber string `json:"bank_account_number"` // full; masked everywhere except on the wire and in the user's own sheet
	IFSC              string `json:"ifsc"`
	Remarks           string `json:"remarks"`
	OpenBeneficiaryID string `json:"open_beneficiary_id"`
	BeneLEI           string `json:"bene_lei"`
	SubMerchantID     string `json:"sub_merchant_id"`
	TransactionTypeID string `json:"transaction_type_id"`
	BankAccountID     string `json:"bank_account_id"` // debit account
}

// KeyedPayout is a payout about to be recorded, with the folded form of its reference, which is
// unique over all time.
type KeyedPayout struct {
	Payout
	Key  string
	From *RowOrigin // the row of an earlier sheet that it came from; nil for none
	// Priority orders the batches of its sheet, 1 first; 0 for none. It is not recorded.
	Priority int
	// LikeLocked: a payout with the same account and amount has a lock other than in_flight, so
	// the batch needs an approval. It is not recorded.
	LikeLocked bool
}

// Attempt is one wire reference of one payout in one batch. Number 1 has the
// payout's own reference; later ones may have <ref>-R2, <ref>-R3, …
type Attempt struct {
	Payout         `json:"-"`
	Number         int          `json:"number"`
	WireRef        string       `json:"wire_ref"`
	BatchID        string       `json:"batch_id"`
	State          PayoutState  `json:"state"`
	Status         string       `json:"status"`           // raw, as last observed; "" until observed
	BankStatusCode string       `json:"bank_status_code"` // raw, as last observed
	OpenTxnID      string       `json:"open_txn_id"`
	BankTxnRefID   string       `json:"bank_txn_ref_id"` // UTR
	FailedReads    int          `json:"failed_reads"`    // consecutive reads that said failed; see Judge
	Reason         string       `json:"reason"`          // why it is in its state, for people
	UpdatedAt      time.Time    `json:"updated_at"`
	Resolved       Resolution   `json:"resolved,omitempty"` // what two people decided about it
	Dispute        DisputeCause `json:"dispute,omitempty"`  // why it is disputed; "" otherwise
	Was            PayoutState  `json:"was,omitempty"`      // for DisputeUnread: the state to which it returns
	Unread         Fields       `json:"unread,omitempty"`   // for DisputeUnread: the fields that could not be read and were not shown as planned since
}

// Over reports whether nothing more is expected of the attempt: it is final, or two people
// closed it as paid and the bank has not contradicted them since.
func (a Attempt) Over() bool {
	return a.State.Final() || a.Resolved == ResolutionPaid && a.Dispute != DisputeMoved
}

// Batch is one merchant_transfer_batch_id. An export has its fields with these names, and null for zero times.
type Batch struct {
	ID                string        `json:"id"`
	SheetID           string        `json:"sheet_id"`
	Sequence          int           `json:"sequence"` // within its sheet, from 1
	Attempt           int           `json:"attempt"`  // 1, or higher for batches planned by a retry
	State             BatchState    `json:"state"`
	BankAccountID     string        `json:"bank_account_id"`
	PartnerBankID     int           `json:"partner_bank_id"`
	Kind              AccountKind   `json:"kind"`
	SubMerchantID     string        `json:"sub_merchant_id"`
	TransactionTypeID string        `json:"transaction_type_id"`
	BeneLEI           string        `json:"bene_lei"` // set when the batch reaches the LEI line
	Count             int           `json:"count"`
	Total             Paise         `json:"total"`
	Reason            string        `json:"reason"`              // why it ended
	PlannedWith       string        `json:"planned_with"`        // if payrun planned it again by itself: the batch whose planner counts as its planner; "" otherwise
	OpenBatchID       string        `json:"open_batch_id"`       // the service's id, when it gave one
	OTPTries          int           `json:"otp_tries"`           // submits that were REJECTED with 400
	Note              string        `json:"note"`                // what a person should know or do; "" for nothing
	Attention         Attention     `json:"attention,omitempty"` // a finding that a person has to check; Asks also covers what its state needs
	CreatedAt         time.Time     `json:"created_at"`
	UpdatedAt         time.Time     `json:"updated_at"`
	StateSince        time.Time     `json:"state_since"`              // when it entered State
	HeldAt            time.Time     `json:"-"`                        // zero until held
	SubmittedAt       time.Time     `json:"-"`                        // zero until a submit was accepted or its effect was seen
	Shown             bool          `json:"shown"`                    // the bank has shown or echoed it: its references are used up
	Listed            Listing       `json:"listed"`                   // whether the bank shows it while it is held
	Refusal           string        `json:"refusal"`                  // the bank's message if it answered no and the effect is unknown; "" otherwise
	OtherNumber       string        `json:"other_number,omitempty"`   // the debit account's number in the last answer that had one, if it is not the configured number; "" otherwise
	SuccessAt         time.Time     `json:"-"`                        // when a payout of it last became success; zero until then
	Approval          ApprovalState `json:"-"`                        // the approval of a planned batch; read from the audit trail, not recorded with the batch
	ApprovedBy        []string      `json:"-"`                        // who approved a planned batch so far; read like Approval
	NeedsApproval     bool          `json:"needs_approval"`           // another person must approve it under any policy: it pays the account and amount of a locked payout
	NewReferences     bool          `json:"new_references,omitempty"` // refused, and two people decided that its payouts get references that the bank has never seen
}

// Rules returns the partner bank's rules for the batch's debit account.
func (b Batch) Rules() Rules { return RulesFor(b.PartnerBankID, b.Kind) }

// NeedsLEI reports whether submitting the batch requires bene_lei
// (interface.md, "Submit transfer").
func (b Batch) NeedsLEI() bool { return b.Rules().NeedsLEI(b.Total) }

// DebitAccount is one of the enterprise's own accounts at a partner bank, from [[accounts]] in payrun.toml.
type DebitAccount struct {
	Name          string      `toml:"name"`
	BankAccountID string      `toml:"bank_account_id"`
	PartnerBankID int         `toml:"partner_bank_id"`
	Kind          AccountKind `toml:"kind"`
	Default       bool        `toml:"default"`
	AccountNumber string      `toml:"account_number"` // optional; rows that pay to it are refused
	OTP           string      `toml:"otp"`            // what its OTPs consist of: OTPsOfDigits; "" for letters or digits
}

// OTPsOfDigits: the bank of a debit account sends OTPs of digits only.
const OTPsOfDigits = "digits"

// Rules returns the partner bank's rules for the account.
func (a *DebitAccount) Rules() Rules { return RulesFor(a.PartnerBankID, a.Kind) }

// WithTail returns the account's name with the end of its number, or of its id if the number is unknown.
func (a DebitAccount) WithTail() string {
	if a.Name == "" {
		return a.BankAccountID
	}
	tail, of := a.AccountNumber, ""
	if tail == "" {
		tail, of = a.BankAccountID, "id "
	}
	return fmt.Sprintf("%s (%s…%s, partner bank %d)", a.Name, of, tail[max(0, len(tail)-4):], a.PartnerBankID)
}

// Event is one line of the audit trail. Seq has no gaps; Hash covers the event and the hash of
// the one before it.
type Event struct {
	Seq     int64     `json:"seq"`
	At      time.Time `json:"at"`
	Actor   string    `json:"actor"`
	Kind    string    `json:"kind"`
	SheetID string    `json:"sheet_id,omitempty"`
	BatchID string    `json:"batch_id,omitempty"`
	Detail  string    `json:"detail,omitempty"`
	// Digest covers the fields that never change of what the event is about: a planned batch
	// and its payouts (MembersDigest), or a loaded sheet. StateDigest covers the batch's state
	// after the event (see StateDigest). Both are "" in events that are older than the digests.
	Digest      string `json:"digest,omitempty"`
	StateDigest string `json:"stands,omitempty"`
	// Proof is how the actor proved who they are at the desk: their address and the age of
	// their password proof. "" at a terminal, where the system account proves it.
	Proof string `json:"proof,omitempty"`
	Hash  string `json:"hash"`
}

// shownOfMask is how many characters Mask leaves visible.
const shownOfMask = 4

// Mask hides all but the last four characters, as account numbers appear everywhere except on
// the wire.
func Mask(s string) string {
	r := []rune(s)
	for i := range max(len(r)-shownOfMask, 0) {
		r[i] = 'X'
	}
	return string(r)
}
