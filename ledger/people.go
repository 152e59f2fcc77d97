package ledger

import "time"

// Approval is one person's word that a batch may be initiated with one exact
// payload. It is void for any other.
type Approval struct {
	BatchID       string    `json:"batch_id"`
	PayloadSHA256 string    `json:"payload_sha256"` // of the body of Initiate transfer, lower-case hex
	Actor         string    `json:"actor"`
	At            time.Time `json:"at"`
}

// Approving is an approval about to be recorded, with what was shown to the person.
type Approving struct {
	Approval
	Shown Expected // the zero value binds it to nothing but the payload
}

// Proposal is one person's decision on a batch in doubt, until a second person
// decides the same.
type Proposal struct {
	BatchID  string    `json:"batch_id"`
	Decision string    `json:"decision"` // what the batch is to be resolved as
	Reason   string    `json:"reason"`
	Actor    string    `json:"actor"`
	At       time.Time `json:"at"`

	No       int64     `json:"no,omitempty"`        // in the order of recording
	PayoutID int64     `json:"payout_id,omitempty"` // the attempt it is about; 0 for the batch
	Number   int       `json:"attempt,omitempty"`
	Ticket   string    `json:"bank_ticket,omitempty"`
	Rests    string    `json:"rests_on,omitempty"` // what it rested on, in words; "" in ledgers of before that was kept
	Books    bool      `json:"books,omitempty"`    // it rested on the bank's statement
	SaidAt   time.Time `json:"said_at,omitzero"`   // the bank's clock then
	Carried  bool      `json:"carried,omitempty"`  // it was carried out by this one
	Seconds  int64     `json:"seconds,omitempty"`  // the number of the one that it seconds; 0 for none
}

// Of names the attempt that the decision is about; the zero key for a batch.
func (p Proposal) Of() AttemptKey { return AttemptKey{p.PayoutID, p.Number} }
