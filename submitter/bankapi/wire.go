package bankapi

import "payrun/ledger"

// Paths of the operations, under the host that serves them (interface.md, "Endpoints").
const (
	PathSubMerchants        = "/v1/connected_banking/sub_merchant/list"     // {id_url}
	PathRegister            = "/v1/connected_banking/sub_merchant/register" // {id_url}
	PathLinking             = "/v1/connected_banking/linking/initiate"      // {linking_url}
	PathBankAccounts        = "/v1/connected_banking/bank_accounts"         // {base_url}
	PathBeneficiaries       = "/v1/connected_banking/beneficiaries"         // {base_url}
	PathBeneficiaryInitiate = "/v1/connected_banking/beneficiary/initiate"  // {base_url}
	PathBalance             = "/v1/connected_banking/balance"               // {base_url}
	PathTransferInitiate    = "/v1/connected_banking/transfer/initiate"     // {base_url}
	PathTransferSubmit      = "/v1/connected_banking/transfer/submit"       // {base_url}
	PathTransfer            = "/v1/connected_banking/transfer"              // {base_url}
	PathStatements          = "/v1/connected_banking/statements"            // {base_url}
)

// Names of the operations in errors.
const (
	opSubMerchants        = "sub_merchant_list"
	opRegister            = "register"
	opLinking             = "linking"
	opAccounts            = "accounts"
	opBeneficiaries       = "beneficiaries"
	opBeneficiaryInitiate = "beneficiary_initiate"
	opBalance             = "balance"
	opInitiate            = "initiate"
	opSubmit              = "submit"
	opStatus              = "status"
	opStatements          = "statements"
)

// The two values of Envelope.Status.
const (
	EnvelopeSuccess = "success"
	EnvelopeFailed  = "failed"
)

// Envelope wraps every answer (interface.md, "What the service does"). Data is nil (null on the wire) on
// failure; Error is nil on success.
//
// A field tagged wire:"required" must be present and not null; any other may be absent or null and is then
// empty. A value of the wrong type is an error, except in a field tagged compared: then it goes to Unread.
type Envelope[T any] struct {
	Status string `json:"status" wire:"required"`
	Data   *T     `json:"data"`
	Error  *Error `json:"error"`
	Meta   Meta   `json:"meta"`
}

// Error is the error object of a failure envelope.
type Error struct {
	Code    string `json:"code" wire:"required"`
	Message string `json:"message" wire:"required"`
	Details []any  `json:"details"`
}

// Meta is the metadata of an envelope.
type Meta struct {
	Timestamp  string      `json:"timestamp"`
	Pagination *Pagination `json:"pagination,omitempty"` // on list answers only
}

// Pagination is the position of a page (interface.md, "Limits"). NextCursor is nil (null on the wire) on the
// last page.
type Pagination struct {
	Cursor     string  `json:"cursor"`
	NextCursor *string `json:"next_cursor"`
	Limit      int     `json:"limit"`
	HasMore    bool    `json:"has_more" wire:"required"`
}

// SubMerchant is one element of SubMerchantList, masked by the service.
type SubMerchant struct {
	SubMerchantID string `json:"sub_merchant_id"`
	FirstName     string `json:"first_name"`
	LastName      string `json:"last_name"`
	Email         string `json:"email"`
	Username      string `json:"username"`
}

// SubMerchantList is the data of List sub-merchants.
type SubMerchantList struct {
	SubMerchants []SubMerchant `json:"sub_merchants"`
	IsSandbox    bool          `json:"is_sandbox" wire:"required"`
}

// RegisterRequest is the body of Register sub-merchant. Every field is required.
type RegisterRequest struct {
	FirstName string
	LastName  string
	Email     string
	Username  string // the sub-merchant's unique phone number
}

// Registered is the data of Register sub-merchant: the new id, and the values sent, masked by the service.
type Registered struct {
	SubMerchantID string `json:"sub_merchant_id" wire:"required"`
	FirstName     string `json:"first_name"`
	LastName      string `json:"last_name"`
	Email         string `json:"email"`
	Username      string `json:"username"`
	IsSandbox     bool   `json:"is_sandbox" wire:"required"`
}

// LinkingRequest is the body of Initiate bank-account linking.
type LinkingRequest struct {
	SubMerchantID string
	// PartnerBankID goes out as a string; the interface takes a string or an integer.
	PartnerBankID       int
	MerchantRedirectURL string // where the user is sent after linking
}

// LinkingSession is the data of Initiate bank-account linking.
type LinkingSession struct {
	RedirectURL         string `json:"redirect_url" wire:"required"` // the user completes the linking there
	IsSandbox           bool   `json:"is_sandbox" wire:"required"`
	Status              string `json:"status" wire:"required"` // "initiated" after creation
	MerchantRedirectURL string `json:"merchant_redirect_url"`
}

// BankAccountList is the data of List bank accounts. An account has a RedirectURL until its linking is complete
// (interface.md, "Initiate bank-account linking", step 5).
type BankAccountList struct {
	BankAccounts []ledger.LinkedAccount `json:"bank_accounts" wire:"required"`
}

// BeneficiaryList is the data of List beneficiaries.
type BeneficiaryList struct {
	Beneficiaries []ledger.Beneficiary `json:"bene_details" wire:"required"`
}

// BeneficiaryRequest is the body of Initiate beneficiary. Every field is required.
type BeneficiaryRequest struct {
	SubMerchantID     string `json:"sub_merchant_id"`
	BankAccountID     string `json:"bank_account_id"` // the debit account
	VendorName        string `json:"vendor_name"`
	BankAccountNumber string `json:"bank_account_number"`
	IFSC              string `json:"ifsc"`
}

// NewBeneficiary is the data of Initiate beneficiary.
type NewBeneficiary struct {
	SubMerchantID     string `json:"sub_merchant_id"`
	BankAccountID     string `json:"bank_account_id"`
	OpenBeneficiaryID string `json:"open_beneficiary_id" wire:"required"`
	BankBeneficiaryID string `json:"bank_beneficiary_id"`
	Status            string `json:"beneficiary_status" wire:"required"`
}

// Balance is one element of BalanceList. Its amount is a decimal, in INR.
type Balance struct {
	BankAccountID string `json:"bank_account_id" wire:"required"`
	Balance       any    `json:"balance" wire:"required"`
}

// BalanceList is the data of Fetch balance.
type BalanceList struct {
	Balances []Balance `json:"balances" wire:"required"`
}

// TransferBatch is the data of Initiate, Submit and Get transfer status (interface.md, "Payout batch"). The
// debit_… fields come with submit and sometimes with initiate; open_batch_id may come with initiate.
type TransferBatch struct {
	SubMerchantID string `json:"sub_merchant_id" wire:"compared"`
	BankAccountID string `json:"bank_account_id" wire:"required,compared"`
	// DebitAccountNumber is a string. Its type is any, so that an answer with a JSON number can still be read.
	DebitAccountNumber     any      `json:"debit_account_number,omitempty"`
	DebitAccountHolderName string   `json:"debit_account_holder_name,omitempty"`
	DebitIFSC              string   `json:"debit_ifsc,omitempty"`
	BatchID                string   `json:"merchant_transfer_batch_id" wire:"required,compared"`
	OpenBatchID            string   `json:"open_batch_id,omitempty"`
	Payouts                []Payout `json:"payouts" wire:"required"`
	Unread                 Unread   `json:"-"`
}

// Unread holds, by field name, the values whose type is not the field's. They cannot be compared with what was
// sent.
type Unread map[string]any

// Payout is one element of a batch's payouts (interface.md, "Payout").
type Payout struct {
	WireRef           string `json:"merchant_txn_ref_id" wire:"required,compared"`
	OpenBeneficiaryID string `json:"open_beneficiary_id" wire:"compared"`
	VendorName        string `json:"vendor_name"`
	// Amount is a string, a decimal with two fraction digits, in INR. Its type is any, so that the rest of an
	// answer that breaks this rule can still be read.
	Amount            any    `json:"amount"`
	BankAccountNumber string `json:"bank_account_number" wire:"compared"`
	IFSC              string `json:"ifsc" wire:"compared"`
	Remarks           string `json:"remarks"`
	OpenTxnID         string `json:"open_txn_id" wire:"compared"`
	BankTxnRefID      string `json:"bank_txn_ref_id"`
	Status            string `json:"status" wire:"compared"`
	BankStatusCode    string `json:"bank_status_code" wire:"compared"`
	Error             any    `json:"error"` // null in all answers shown; the shape of another value is not shown
	Unread            Unread `json:"-"`
}

// StatementEntry is one element of StatementData.Statements (interface.md, "Statement entry"). Amounts are
// decimals, in INR. Dates are YYYY-MM-DD HH:MM:SS; the interface does not name their zone.
type StatementEntry struct {
	TransactionID string `json:"transaction_id" wire:"required"`
	Amount        any    `json:"transaction_amount" wire:"required"`
	Type          string `json:"transaction_type" wire:"required"` // EntryDebit or EntryCredit
	Closing       any    `json:"closing_balance" wire:"required"`
	Transacted    string `json:"transacted_date" wire:"required"`
	Posted        string `json:"posted_date"`
	Value         string `json:"value_date"`
	Reference     string `json:"reference_number"`
	Remarks       string `json:"remarks"`
}

// The two values of StatementEntry.Type.
const (
	EntryDebit  = "debit"
	EntryCredit = "credit"
)

// StatementData is the data of Fetch bank statements. For HTTP 200 the interface shows two shapes without
// saying which applies: with Statements, or with Payouts and the ids of their batch, which are not read. HTTP 202
// has neither (partner bank 8). A list that is null or absent is nil.
type StatementData struct {
	BankAccountID string            `json:"bank_account_id" wire:"required"`
	RequestID     string            `json:"request_id"`
	Statements    *[]StatementEntry `json:"statements"`
	Payouts       *[]Payout         `json:"payouts,omitempty"`
}

// RequestFields are the two field names of Initiate transfer that the interface does not show: a payout's
// amount and the selector of the debit account.
type RequestFields struct {
	Amount       string // "" for "amount", as in the answers
	DebitAccount string // "" for "bank_account_id"
}

// SubmitRequest is the body of Submit transfer.
type SubmitRequest struct {
	BatchID          string `json:"merchant_transfer_batch_id" wire:"required"`
	OTP              string `json:"otp,omitempty"`
	TransactionToken string `json:"transaction_token,omitempty"` // partner bank 1 only
	BeneLEI          string `json:"bene_lei,omitempty"`          // partner bank 1 only, from the LEI limit on
}
