package ledger

import (
	"strings"
	"time"
)

// Approval is one person's word that a batch may be initiated with one exact
// payload. It is void for any other.
type Approval struct {
	BatchID       string    `json:"batch_id"`
	PayloadSHA256 string    `json:"payload_sha256"` // of the body of Initiate transfer, lower-case hex
	Actor         string    `json:"actor"`
	At            time.Time `json:"at"`
}

// Proposal is one person's decision on a batch in doubt, until a second person
// decides the same.
type Proposal struct {
	BatchID  string    `json:"batch_id"`
	Decision string    `json:"decision"` // what the batch is to be resolved as
	Reason   string    `json:"reason"`
	Actor    string    `json:"actor"`
	At       time.Time `json:"at"`
}

// SamePerson reports whether two names of actors are one person's. Case and
// surrounding spaces make no second person.
func SamePerson(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}
