package ledger

import (
	"encoding/json"
	"time"
)

// Approval is one person's approval to initiate a batch with one exact payload. It is void for
// any other payload.
type Approval struct {
	BatchID       string    `json:"batch_id"`
	PayloadSHA256 string    `json:"payload_sha256"` // of the body of Initiate transfer, lower-case hex
	Actor         string    `json:"actor"`
	At            time.Time `json:"at"`
}

// Approving is a person's decision about a planned batch, about to be recorded, with the version that they
// saw. They approve it, or they send it back: then it is not initiated until a later decision approves it.
type Approving struct {
	Approval
	SentBack string          // the reason why it is sent back; "" approves it
	Shown    ExpectedVersion // the zero value binds it to the payload only
}

// Event returns its audit event.
func (a Approving) Event(b Batch) Event {
	kind, note := EventApproved, batchNote{Payload: a.PayloadSHA256, Payouts: b.Count, Total: b.Total}
	if a.SentBack != "" {
		kind, note = EventSentBack, batchNote{Person: a.SentBack}
	}
	return Event{At: a.At, Actor: a.Actor, Kind: kind, SheetID: b.SheetID, BatchID: b.ID, Detail: note.text()}
}

// Comment is a person's comment on a sheet, in plain text. It decides nothing.
type Comment struct {
	SheetID string    `json:"-"`
	Actor   string    `json:"-"`
	At      time.Time `json:"-"`
	Text    string    `json:"text"`
}

// MostCommentChars is the maximum length of a comment or a reason, in characters.
const MostCommentChars = 500

// Event returns its audit event.
func (c Comment) Event() Event {
	return Event{At: c.At, Actor: c.Actor, Kind: EventCommented, SheetID: c.SheetID, Detail: jsonText(c)}
}

func (c Comment) words() string { return c.Text }

// ReleaseApproval is one person's part in a release. It takes effect when another person
// decides the same on the same evidence. Its JSON is the detail of its event.
type ReleaseApproval struct {
	No       int64     `json:"no,omitempty"` // in the order of recording
	BatchID  string    `json:"batch_id"`
	PayoutID int64     `json:"payout_id,omitempty"` // the attempt; 0 for all locked attempts of the batch
	Number   int       `json:"attempt,omitempty"`
	As       ReleaseAs `json:"as"`
	Reason   string    `json:"reason"`
	Ticket   string    `json:"bank_ticket,omitempty"`
	Evidence string    `json:"evidence"` // ReleaseEvidence.JSON of what the person saw
	Actor    string    `json:"actor"`
	At       time.Time `json:"at"`
	BankTime time.Time `json:"said_at,omitzero"`  // by the bank's clock
	Carried  bool      `json:"carried,omitempty"` // it is the second decision, and the release was carried out
	Seconds  int64     `json:"seconds,omitempty"` // the number of the first decision
}

// Of returns the attempt that the decision is about; the zero key for a batch.
func (p ReleaseApproval) Of() AttemptKey { return AttemptKey{p.PayoutID, p.Number} }

// Saw returns the evidence that the person saw.
func (p ReleaseApproval) Saw() (e ReleaseEvidence) {
	_ = json.Unmarshal([]byte(p.Evidence), &e) // invalid evidence shows nothing
	return e
}
