package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ErrNoConsent: two people have to agree to what is to be initiated, and one
// did, at most.
var ErrNoConsent = errors.New("not approved by another person")

// ApprovalStatus is what a ledger knows of who agreed to a batch.
type ApprovalStatus struct {
	BatchID   string
	Needed    bool // Batch.NeedsApproval
	Policy    PolicyTrail
	People    Users // who is who
	PlannedBy string
	Approvals []Event    // of the batch, oldest first: the audit trail is what is believed
	Kept      []Approval // what is recorded beside it, which has to say the same
	SentBack  Event      // the newest that sent it back; the zero Event for none
}

// To returns nil where two of its planner and those who approved exactly this payload
// since the policy changed last are two people; else ErrNoConsent
// with what is missing; *TamperedError where an approval is recorded that no event
// tells of, or the other way round. Whether anybody has to agree is not asked here.
func (c ApprovalStatus) To(payloadSHA256 string) error {
	if what := unspoken(c.Kept, approvedIn(c.Approvals)); len(what) > 0 {
		return &TamperedError{c.BatchID, what}
	}
	agreed, void := []string{c.PlannedBy}, ""
	for _, a := range c.Approvals {
		switch {
		case a.payload() != payloadSHA256:
			void = fmt.Sprintf("; what would be sent is not what %s approved", a.Actor)
		case a.Seq <= c.Policy.Since:
			void = fmt.Sprintf("; the policy has changed since %s approved", a.Actor)
		case a.Seq < c.SentBack.Seq: // said below
		default:
			agreed = append(agreed, a.Actor)
		}
	}
	why, two := c.People.two(agreed)
	if two {
		return nil
	}
	if why != nil { // who is who may be known only by now
		void = fmt.Sprintf("; %v", why)
	}
	if c.sentBack() {
		void = fmt.Sprintf("; %s sent it back: %s", c.SentBack.Actor, c.SentBack.Reason())
	}
	if c.Needed {
		void += "; it pays the account and amount of a locked payout"
	}
	return fmt.Errorf("planned by %s and %w%s", c.PlannedBy, ErrNoConsent, void)
}

// Asked reports whether another person has to agree: also to what one sent back.
func (c ApprovalStatus) Asked() bool { return c.Policy.TwoPerson || c.Needed || c.SentBack.Seq > 0 }

// sentBack reports whether nobody has approved it since it was sent back.
func (c ApprovalStatus) sentBack() bool {
	return c.SentBack.Seq > 0 && (len(c.Approvals) == 0 || c.Approvals[len(c.Approvals)-1].Seq < c.SentBack.Seq)
}

// Consent is how people stand to a planned batch, as the audit trail tells it.
type Consent string

// The consents.
const (
	ConsentNotAsked Consent = ""          // nobody approved it, and the ledger asks nobody
	ConsentWanted   Consent = "wanted"    // another person has to approve it
	ConsentGiven    Consent = "given"     // another person approved it
	ConsentSentBack Consent = "sent_back" // another person sent it back, and nobody approved it since
)

// Consent tells it of what was approved last. Whether exactly that would be sent is
// asked of To, before anything is.
func (c ApprovalStatus) Consent() Consent {
	switch n := len(c.Approvals); {
	case c.sentBack():
		return ConsentSentBack
	case n > 0 && c.To(c.Approvals[n-1].payload()) == nil:
		return ConsentGiven
	case c.Asked():
		return ConsentWanted
	}
	return ConsentNotAsked
}

// Another returns nil where an actor may approve the batch: they count as one of two,
// may approve, and are not the planner; else ErrNotApart. A planner who does not count
// takes two who approve.
func (c ApprovalStatus) Another(actor string) error {
	if err := c.People.Counts(actor); err != nil {
		return err
	}
	switch {
	case !c.People.May(actor, RoleApprove):
		return notApart{fmt.Sprintf("%s has not the role approve", actor)}
	case c.People.Same(c.PlannedBy, actor):
		return notApart{fmt.Sprintf("%s planned it, and cannot approve it", actor)}
	}
	return nil
}

// consents holds a call about to be made against who agreed to it.
func (k BatchRecord) consents(s Step, kind CallKind) error {
	if kind != CallInitiate || !k.ApprovalStatus.Asked() {
		return nil
	}
	if err := k.ApprovalStatus.To(s.PayloadSHA256); err != nil {
		return fmt.Errorf("%w: %w", ErrTransition, err)
	}
	return nil
}

// Environment is which of the bank's worlds the hosts of a configuration belong
// to. The bank says so of one of its hosts only (interface.md, "List sub-merchants");
// of another one a person does.
type Environment struct {
	Name     string `json:"environment"` // "sandbox" or "production"
	IDHost   string `json:"id_host"`     // of id_url, which is asked
	BaseHost string `json:"base_host"`   // of base_url, where money moves
}

// Confirmed is the event that it was confirmed.
func (v Environment) Confirmed(e Event) Event {
	e.Kind = EventEnvironment
	e.Detail = jsonText(v)
	return e
}

// Environment is the one that an event confirms; the zero value where it confirms none.
func (e Event) Environment() (v Environment) {
	if e.Kind != EventEnvironment || json.Unmarshal([]byte(e.Detail), &v) != nil {
		return Environment{}
	}
	return v
}
