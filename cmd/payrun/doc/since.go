package doc

import "payrun/ledger"

// Since is a sheet against the one that was loaded before it and paid from the same
// debit account.
type Since struct {
	Sheet         string       `json:"sheet"`
	BankAccountID string       `json:"bank_account_id"`
	Before        string       `json:"before"` // the id of the sheet before; "" where there is none
	BeforeName    string       `json:"before_name"`
	Compared      bool         `json:"compared"` // false: more payouts than are compared
	New           ledger.Tally `json:"new"`      // each counts accounts
	Gone          ledger.Tally `json:"gone"`
	More          ledger.Tally `json:"more"` // by how much
	Less          ledger.Tally `json:"less"`
	Same          int          `json:"same"`
	Moved         int          `json:"moved"` // of those above, a name at another account
	Largest       []Change     `json:"largest"`
	LookAlikes    int          `json:"look_alikes"`
	Alike         []Alike      `json:"alike"` // at most the first thousand of each sheet
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
