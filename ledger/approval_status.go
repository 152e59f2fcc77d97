package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ErrNotApproved: two people have to approve a batch before it is initiated, and at most one did.
var ErrNotApproved = errors.New("not approved by another person")

// ApprovalStatus is what a ledger knows about who approved a batch.
type ApprovalStatus struct {
	BatchID   string
	Needed    bool // Batch.NeedsApproval
	Policy    PolicyTrail
	People    Users   // identifies people
	PlannedBy string  // who loaded its sheet or planned its retry; if it replaces a lost batch, the planner of that one
	Approvals []Event // of the batch, oldest first
	SentBack  Event   // the newest event that sent it back; the zero Event for none
}

// To returns nil if at least two different people agreed to exactly this payload: the planner,
// and those who approved it since the last change of the policy and since it was sent back.
// Otherwise it returns ErrNotApproved with the reason. It does not check whether approval is needed.
func (c ApprovalStatus) To(payloadSHA256 string) error {
	agreed, void := []string{c.PlannedBy}, ""
	for _, a := range c.Approvals {
		switch {
		case a.payload() != payloadSHA256:
			void = fmt.Sprintf("; what would be sent is not what %s approved", a.Actor)
		case a.Seq <= c.Policy.Since:
			void = fmt.Sprintf("; the policy has changed since %s approved", a.Actor)
		case a.Seq < c.SentBack.Seq: // reported below
		default:
			agreed = append(agreed, a.Actor)
		}
	}
	why, two := c.People.two(agreed)
	if two {
		return nil
	}
	if why != nil { // the trail may have identified people since
		void = fmt.Sprintf("; %v", why)
	}
	if c.sentBack() {
		void = fmt.Sprintf("; %s sent it back: %s", c.SentBack.Actor, c.SentBack.Reason())
	}
	if c.Needed {
		void += "; it pays the account and amount of a locked payout"
	}
	return fmt.Errorf("planned by %s and %w%s", c.PlannedBy, ErrNotApproved, void)
}

// Asked reports whether another person has to approve. A batch that was sent back always needs it.
func (c ApprovalStatus) Asked() bool { return c.Policy.TwoPerson || c.Needed || c.SentBack.Seq > 0 }

// sentBack reports whether no person has approved it since it was sent back.
func (c ApprovalStatus) sentBack() bool {
	return c.SentBack.Seq > 0 && (len(c.Approvals) == 0 || c.Approvals[len(c.Approvals)-1].Seq < c.SentBack.Seq)
}

// ApprovalState is the approval of a planned batch by people, as the audit trail shows it.
type ApprovalState string

// The statuses.
const (
	ApprovalNotAsked ApprovalState = ""          // not approved, and the ledger does not require it
	ApprovalWanted   ApprovalState = "wanted"    // another person has to approve it
	ApprovalGiven    ApprovalState = "given"     // another person approved it
	ApprovalSentBack ApprovalState = "sent_back" // another person sent it back, and no person approved it since
)

// State returns the approval of the payload that was approved last. To checks before the call
// that exactly this payload is sent.
func (c ApprovalStatus) State() ApprovalState {
	switch n := len(c.Approvals); {
	case c.sentBack():
		return ApprovalSentBack
	case n > 0 && c.To(c.Approvals[n-1].payload()) == nil:
		return ApprovalGiven
	case c.Asked():
		return ApprovalWanted
	}
	return ApprovalNotAsked
}

// NeedsTwo reports whether a person other than the planner has to approve the planned batch. twoPerson
// is policy.two_person of the ledger or the configuration. A batch that people have decided about still
// needs them, even if a change of the policy voided their decision.
func (b Batch) NeedsTwo(twoPerson bool) bool {
	return twoPerson || b.NeedsApproval || b.Approval != ApprovalNotAsked
}

// Another returns nil if an actor may approve the batch: they count as one of two people, have
// the role approve, and are not the planner. Otherwise it returns ErrNotApart. If the planner
// does not count, two people have to approve.
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

// approved checks that the people who must approve a call did.
func (k BatchRecord) approved(s Step, kind CallKind) error {
	if kind != CallInitiate || !k.ApprovalStatus.Asked() {
		return nil
	}
	if err := k.ApprovalStatus.To(s.PayloadSHA256); err != nil {
		return fmt.Errorf("%w: %w", ErrTransition, err)
	}
	return nil
}

// Environment says to which environment of the bank the configured hosts belong. The bank
// confirms it only for the host that answers (interface.md, "List sub-merchants"). If base_url
// is on another host, a person confirms it.
type Environment struct {
	Name     string `json:"environment"` // "sandbox" or "production"
	IDHost   string `json:"id_host"`     // of id_url, the host that answers
	BaseHost string `json:"base_host"`   // of base_url, where money moves
}

// Confirmed returns e as the event that confirms the environment.
func (v Environment) Confirmed(e Event) Event {
	e.Kind = EventEnvironment
	e.Detail = jsonText(v)
	return e
}

// Environment returns the environment that an event confirms; the zero value for other events.
func (e Event) Environment() (v Environment) {
	if e.Kind != EventEnvironment || json.Unmarshal([]byte(e.Detail), &v) != nil {
		return Environment{}
	}
	return v
}
