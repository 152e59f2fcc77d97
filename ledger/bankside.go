package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Outcome classes a call that changes something. Decisions depend on the class, never on a code
// whose meaning the interface does not show.
type Outcome string

const (
	NotSent  Outcome = "not_sent" // the request was never written: nothing happened
	Accepted Outcome = "accepted" // HTTP 200 and a sound success envelope
	Rejected Outcome = "rejected" // HTTP 400 or 401: the server did nothing
	Unknown  Outcome = "unknown"  // anything else; assume anything
)

// CallError is a call to the bank that did not end ACCEPTED.
type CallError struct {
	Op         string // "initiate", "submit", "status", …
	Outcome    Outcome
	HTTPStatus int    // 0 when no answer came
	Answered   bool   // a valid failure envelope was read, with any HTTP status
	Code       string // the bank's code, raw
	Message    string // the bank's words, raw: escape before showing
	Details    string // error.details as it came, JSON; "" if it is empty. The interface does not show its shape
	RetryAfter time.Duration
	BankTime   time.Time // the bank's clock (meta.timestamp) in a valid failure envelope; zero if it gave none
	Err        error     // the underlying error; may be nil
}

func (e *CallError) Error() string {
	parts := phrases{e.Op + ": " + strings.ReplaceAll(string(e.Outcome), "_", " ")}
	parts.add(e.HTTPStatus != 0, fmt.Sprintf(", HTTP %d", e.HTTPStatus))
	parts.add(e.Code != "", ", "+e.Code)
	parts.add(e.Message != "", fmt.Sprintf(": %q", e.Message))
	parts.add(e.Err != nil, fmt.Sprintf(": %v", e.Err))
	return strings.Join(parts, "")
}

// Said returns what the bank said, for people: its code and message, quoted. If it said
// nothing, Said returns what happened.
func (e *CallError) Said() string {
	switch {
	case e.Code != "" && e.Message != "":
		return fmt.Sprintf("%s %q", e.Code, e.Message)
	case e.Code != "":
		return e.Code
	case e.HTTPStatus != 0:
		return fmt.Sprintf("HTTP %d", e.HTTPStatus)
	case e.Err != nil:
		return e.Err.Error()
	}
	return string(e.Outcome)
}

// HadNoEffect reports whether the batch is in the state it had before the call, so the same
// call may be made again. A 400 had no effect either, but it answers the call.
func (e *CallError) HadNoEffect() bool {
	return e.Outcome == NotSent || errors.Is(e, ErrUnauthorized)
}

// AnsweredNo reports whether the bank said no in its own words, in a form that
// leaves the effect unknown (safety.md, "Outcome of a call", answered no).
func (e *CallError) AnsweredNo() bool {
	said := e.HTTPStatus >= 400 && e.HTTPStatus < 500 && e.HTTPStatus != 408 && e.HTTPStatus != 429
	return said && e.Outcome == Unknown && e.Answered
}

func (e *CallError) Unwrap() error { return e.Err }

// Is makes errors.Is(err, ErrUnauthorized) true for every 401.
func (e *CallError) Is(target error) bool {
	return target == ErrUnauthorized && e.Outcome == Rejected && e.HTTPStatus == 401
}

// Observation is what one answer of the bank says about one payout, raw
// (interface.md, "Payout").
type Observation struct {
	WireRef           string // merchant_txn_ref_id
	OpenBeneficiaryID string
	VendorName        string
	Amount            Paise
	HasAmount         bool   // the field was present and could be read
	Unread            Fields // fields that were present and could not be read: each counts as different
	BankAccountNumber string
	IFSC              string
	Remarks           string
	OpenTxnID         string
	BankTxnRefID      string // UTR; empty until known
	Status            string
	BankStatusCode    string
	Error             string // the error field as it came: the interface does not show its shape; "" for null
}

// Answer is the data of a transfer answer: the echo of initiate and submit, or
// the data of Get transfer status (interface.md, "Payout batch").
type Answer struct {
	BatchID       string // merchant_transfer_batch_id
	OpenBatchID   string
	SubMerchantID string
	BankAccountID string
	// DebitAccountNumber is as the bank shows it, masked or not; "" if it shows none.
	DebitAccountNumber string
	Payouts            []Observation
	Unread             Fields // of the batch; see Observation
}

// StatusRead is one reading of Get transfer status over all its pages.
type StatusRead struct {
	Answer
	// Complete: the pages closed properly. If not, a missing payout proves nothing, and a
	// shown one proves little.
	Complete bool
	Why      string    // why it is incomplete
	BankTime time.Time // the bank's clock (meta.timestamp); zero if it gave none
	Pages    int
}

// Patience is how many times a page of a list is requested at most. A repeated request changes nothing.
type Patience uint

const (
	AskOnce Patience = 1 // for callers that request again on a schedule
	Brisk   Patience = 2 // for callers that prefer an early failure to a late answer
	Patient Patience = 4 // for all others
)

// Payload is the body of a call that changes something, with the SHA-256 that
// its intent records. Neither contains the OTP or the token.
type Payload struct {
	Body   []byte
	SHA256 string // lower-case hex

	// MaySend is the last check of the ledger. It is called when the connection is open, before
	// any byte of the body is sent. If it returns an error, the call is NOT_SENT. nil: no check.
	MaySend func(context.Context) error
}

// AccountActive is the status of a linked account that can be used. The other
// status is token_expired (interface.md, "Bank account").
const AccountActive = "active"

// LinkedAccount is a bank account as the interface lists it.
type LinkedAccount struct {
	Status        string `json:"status" wire:"required"` // active or token_expired
	PartnerBankID int    `json:"partner_bank_id" wire:"required"`
	BankAccountID string `json:"bank_account_id" wire:"required"`
	AccountNumber string `json:"account_number"` // masked by the service
	IFSC          string `json:"ifsc"`
	AccountName   string `json:"account_name"`
	Identifier    string `json:"identifier"`
	RedirectURL   string `json:"redirect_url,omitempty"` // if linking is not complete
}

// Balance is the balance of one account, in paise.
type Balance struct {
	BankAccountID string `json:"bank_account_id"`
	Balance       Paise  `json:"balance"`
}
