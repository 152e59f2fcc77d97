package doc

import "payrun/ledger"

// Init is payrun.init/v1.
type Init struct {
	Schema        string `json:"schema"`
	Config        string `json:"config"`
	ConfigWritten bool   `json:"config_written"`
	Ledger        string `json:"ledger"`
}

// Template is payrun.template/v1.
type Template struct {
	Schema   string `json:"schema"`
	Template string `json:"template"`
}

// Reports is payrun.report/v1.
type Reports struct {
	Schema  string   `json:"schema"`
	Reports []string `json:"reports"`
}

// Backup is payrun.backup/v1.
type Backup struct {
	Schema string           `json:"schema"`
	File   string           `json:"file"`
	Bytes  int64            `json:"bytes"`
	Audit  ledger.AuditHead `json:"audit"`
}

// Export is payrun.export/v1 as it is said of a file that was written.
type Export struct {
	Schema string `json:"schema"`
	File   string `json:"file"`
	Lines  int    `json:"lines"`
}

// Verify is payrun.verify/v1.
type Verify struct {
	Schema   string    `json:"schema"`
	Problems []Problem `json:"problems"`
	Accepted bool      `json:"accepted_restored"`
	Batches  []Outcome `json:"batches,omitempty"` // what the bank shows of the planned and held ones, before it is accepted
}

// Problem is one thing that should hold in the ledger and does not.
type Problem struct {
	Invariant int    `json:"invariant"` // its number in safety.md; 0 for the file itself
	What      string `json:"what"`      // what should hold
	Detail    string `json:"detail"`    // where it does not
}

// Version is payrun.version/v1.
type Version struct {
	Schema   string `json:"schema"`
	Version  string `json:"version"`
	Revision string `json:"revision"` // the commit; "" where the build knows none
	Go       string `json:"go"`

	CommittedAt string `json:"committed_at"`
	Modified    bool   `json:"modified"` // built with changes that are in no commit
}

// Error is payrun.error/v1.
type Error struct {
	Schema  string `json:"schema"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Exit    int    `json:"exit"`

	Attention ledger.Attention `json:"attention,omitempty"` // what batches or payouts ask for, where that is why
}
