package doc

import "payrun/ledger"

// Verify is payrun.verify/v1.
type Verify struct {
	Problems []ledger.Problem `json:"problems"`
	Accepted bool             `json:"accepted_restored"`
	Batches  []Outcome        `json:"batches,omitempty"` // what the bank shows of the planned and held ones, before it is accepted
}

// Version is payrun.version/v1.
type Version struct {
	Version  string `json:"version"`
	Revision string `json:"revision"` // the commit; "" where the build knows none
	Go       string `json:"go"`

	CommittedAt string `json:"committed_at"`
	Modified    bool   `json:"modified"` // built with changes that are in no commit
}

// Error is payrun.error/v1.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Exit    int    `json:"exit"`

	Attention ledger.Attention `json:"attention,omitempty"` // what batches or payouts ask for, where that is why
}
