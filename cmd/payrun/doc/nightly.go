package doc

import "payrun/ledger"

// Nightly is payrun.nightly/v1.
type Nightly struct {
	Schema  string         `json:"schema"`
	Sheets  []NightlySheet `json:"sheets"`
	Batches []Outcome      `json:"batches"` // that were initiated, and that the bank was asked about
	Reports []string       `json:"reports"`
	Left    []string       `json:"left"` // what did not fit into --budget, in words
	Exit    int            `json:"exit"`
}

// NightlySheet is a file of the inbox, and what became of it.
type NightlySheet struct {
	Name     string       `json:"name"`
	Outcome  string       `json:"outcome"` // loaded, loaded_without_rows, already_loaded, rejected
	ID       string       `json:"id"`      // of the sheet in the ledger; "" where it is not in it
	Accepted ledger.Tally `json:"accepted"`
	Rejected ledger.Tally `json:"rejected"`
	Path     string       `json:"path"`      // where the file lies now
	GiveBack string       `json:"give_back"` // the rows left out, or the reasons; "" for none
	Kept     *Kept        `json:"kept,omitempty"`
}
