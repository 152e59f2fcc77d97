package doc

import "payrun/ledger"

// Sheet is the "sheet" of payrun.check/v1 and payrun.load/v1.
type Sheet struct {
	Name          string       `json:"name"`
	SHA256        string       `json:"sha256"`
	Format        string       `json:"format"`
	Tab           string       `json:"tab"` // of an XLSX sheet
	Rows          int          `json:"rows"`
	Total         ledger.Paise `json:"total"`
	ID            string       `json:"id"`
	AlreadyLoaded bool         `json:"already_loaded"`
}

// KeptColumns is their "kept": who saved the columns that the sheet was read by, and when they
// were saved for its header. Absent if no saved columns were used.
type KeptColumns struct {
	By string `json:"by"`
	At string `json:"at"`
}

// PlannedBatch is one of their "batches".
type PlannedBatch struct {
	ID            string       `json:"id"`
	BankAccountID string       `json:"bank_account_id"`
	PartnerBankID int          `json:"partner_bank_id"`
	Count         int          `json:"count"`
	Total         ledger.Paise `json:"total"`
	NeedsToken    bool         `json:"needs_token"`
	NeedsLEI      bool         `json:"needs_lei"`
	BeneLEI       string       `json:"bene_lei"`
	Reason        string       `json:"reason"`
	NeedsApproval bool         `json:"needs_approval,omitempty"` // by another person, even if the policy asks for none
	Priority      int          `json:"priority,omitempty"`       // of its most urgent payout, 1 first; absent for none
}

// Correction is one of their "corrections": a payout of an earlier sheet that a row
// corrects, and the changes; none if the row is a retry.
type Correction struct {
	Row     int                  `json:"row"`
	Ref     string               `json:"ref"`
	SheetID string               `json:"sheet_id"` // of the payout
	Attempt int                  `json:"attempt"`  // the first attempt with the changes
	Changes []ledger.FieldChange `json:"changes"`
}

// LoadedSheet is a line of `sheets`. It always shows how many rows corrected payouts of earlier sheets.
type LoadedSheet struct {
	ledger.Sheet
	Corrected ledger.Tally `json:"corrected"`
}

// NewLoadedSheet returns the line of a sheet.
func NewLoadedSheet(s ledger.Sheet) LoadedSheet { return LoadedSheet{s, s.Corrected} }

// BranchList is payrun.ifsc/v1. Without a list every field is empty.
type BranchList struct {
	Name       string `json:"name"`
	SHA256     string `json:"sha256"`
	Branches   int    `json:"branches"`
	ImportedAt string `json:"imported_at"`
	ImportedBy string `json:"imported_by"`
}

// Explanation is payrun.explain/v1, one line for each code.
type Explanation struct {
	Code     string          `json:"code"`
	Kind     string          `json:"kind"`     // finding, attention, batch state, payout state, error code, exit code, code of the bank
	Severity ledger.Severity `json:"severity"` // of a finding
	Title    string          `json:"title"`
	Why      string          `json:"why"`
	Fix      string          `json:"fix"`
	Example  string          `json:"example"`
	Option   ledger.Option   `json:"option,omitzero"` // the option that the fix is about
}

// Change is what changed for one payee. Was is 0 for a new payee, Is for one that is gone.
type Change struct {
	Name    string       `json:"vendor_name"`
	Account string       `json:"account"` // masked; was → is
	Was     ledger.Paise `json:"was"`
	Is      ledger.Paise `json:"is"`
}

// SimilarPayees are two payees that look alike.
type SimilarPayees struct {
	Kind       string `json:"kind"` // one_account, names_alike, one_name
	Ref        string `json:"ref"`
	OtherRef   string `json:"other_ref"`
	OtherSheet string `json:"other_sheet,omitempty"` // "" for the same sheet
	Message    string `json:"message"`
}
