package ledger

// Severity says what a finding does to its row.
type Severity string

const (
	SeverityError   Severity = "error"   // the row, or with row 0 the file, is refused
	SeverityWarning Severity = "warning" // accepted, unless --strict
	SeverityInfo    Severity = "info"
)

// Finding is one thing wrong, or worth saying, about a sheet. Row 0 with
// column "" means the file as a whole. Value is what stood there, masked when
// it is an account number. Codes are stable and listed in one table, in the
// validate room.
type Finding struct {
	Row      int      `json:"row"`
	Column   string   `json:"column"`
	Ref      string   `json:"ref"`
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Value    string   `json:"value"`
	Message  string   `json:"message"`
	Fix      string   `json:"fix"`
}
