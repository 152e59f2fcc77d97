package doc

import "payrun/ledger"

// Since is a sheet against the newest that was loaded before it and pays from the same
// debit account. What was or may still be paid is compared; rows that a sheet had left
// out and a later one brought count with it.
type Since struct {
	Sheet         string       `json:"sheet"`
	BankAccountID string       `json:"bank_account_id"`
	Before        string       `json:"before"` // the id of the sheet before; "" where there is none
	BeforeName    string       `json:"before_name"`
	BeforeLoaded  string       `json:"before_loaded_at"`
	BeforePayouts Standing     `json:"before_payouts"`
	Payouts       Standing     `json:"payouts"`  // of the sheet itself
	Compared      bool         `json:"compared"` // false: more payouts than are compared
	Was           ledger.Tally `json:"was"`      // each counts accounts
	Is            ledger.Tally `json:"is"`
	New           ledger.Tally `json:"new"`
	Gone          ledger.Tally `json:"gone"`
	More          ledger.Tally `json:"more"` // by how much
	Less          ledger.Tally `json:"less"`
	Same          int          `json:"same"`
	Moved         int          `json:"moved"` // of those above, a name at another account
	Largest       []Change     `json:"largest"`
	LookAlikes    int          `json:"look_alikes"`
	Alike         []Alike      `json:"alike"` // at most the first thousand of each sheet
}

// Standing is how the payouts of a sheet from the debit account stand.
type Standing struct {
	Paid    ledger.Tally `json:"paid"`    // were paid, or may be
	Planned int          `json:"planned"` // of those, not sent yet
	Over    ledger.Tally `json:"over"`    // failed, came back, refused or cancelled: not compared
}

// Change is what changed for one payee; was or is 0 for who is new or gone.
type Change struct {
	Name    string       `json:"vendor_name"`
	Account string       `json:"account"` // masked; was → is
	Was     ledger.Paise `json:"was"`
	Is      ledger.Paise `json:"is"`
}

// Alike are two payees who look like each other.
type Alike struct {
	Kind       string `json:"kind"` // one_account, names_alike, one_name
	Ref        string `json:"ref"`
	OtherRef   string `json:"other_ref"`
	OtherSheet string `json:"other_sheet,omitempty"` // "" for the same
	Message    string `json:"message"`
}
