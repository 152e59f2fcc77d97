package ledger

import "time"

// Branch is one line of a branch list.
type Branch struct {
	IFSC   string `json:"ifsc"`
	Bank   string `json:"bank"`
	Branch string `json:"branch"`
	City   string `json:"city,omitempty"`
	State  string `json:"state,omitempty"`
}

// BranchList is the source of the branches in the ledger. A ledger has one list or none.
type BranchList struct {
	Name       string // the file's base name
	SHA256     string // of its bytes, lower-case hex
	Count      int
	ImportedAt time.Time
	ImportedBy string
}

// Event returns the audit event of the import.
func (l BranchList) Event() Event {
	return Event{At: l.ImportedAt, Actor: l.ImportedBy, Kind: EventBranchesLoaded, Detail: jsonText(branchesNote{l.Name, l.SHA256, l.Count})}
}
