package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// ErrNotApproved: two people have to approve a batch before it is initiated, and at most one did.
var ErrNotApproved = errors.New("not approved by another person")

// ApprovalStatus is what a ledger knows about who approved a batch.
type ApprovalStatus struct {
	BatchID   string
	Needed    bool // Batch.NeedsApproval, or a payout like one of its own was locked before it was initiated
	Policy    PolicyTrail
	People    Users   // identifies people
	PlannedBy string  // who loaded its sheet or planned its retry; if it replaces a lost batch, the planner of that one
	Approvals []Event // of the batch, oldest first
	SentBack  Event   // the newest event that sent it back; the zero Event for none
	LikeSince int64   // the newest event that says that a payout like one of its own is locked; 0 for none
}

// approvers returns the people whose approvals of this payload count, each once: since the last change of the
// policy, since it was sent back and since a payout like one of its own was locked, while they have the role. void says
// why an approval does not.
func (c ApprovalStatus) approvers(payloadSHA256 string) (by []string, void string) {
	for _, a := range c.Approvals {
		switch {
		case a.payload() != payloadSHA256:
			void = fmt.Sprintf("; what would be sent is not what %s approved", a.Actor)
		case a.Seq <= c.Policy.Since:
			void = fmt.Sprintf("; the policy has changed since %s approved", a.Actor)
		case !c.People.May(a.Actor, RoleApprove):
			void = fmt.Sprintf("; %s approved it and has not the role approve any more", a.Actor)
		case a.Seq > max(c.SentBack.Seq, c.LikeSince) && !c.People.Among(by, a.Actor):
			by = append(by, a.Actor)
		}
	}
	return by, void
}

// To returns nil if at least two different people agreed to exactly this payload: the planner,
// and those whose approval counts. Otherwise it returns ErrNotApproved with the reason. It does not check
// whether approval is needed.
func (c ApprovalStatus) To(payloadSHA256 string) error {
	by, void := c.approvers(payloadSHA256)
	why, two := c.People.two(append([]string{c.PlannedBy}, by...))
	if two {
		return nil
	}
	state := fmt.Sprintf("planned by %s and %v", c.PlannedBy, ErrNotApproved)
	if alone := c.People.Counts(c.PlannedBy); alone != nil && len(by) < 2 {
		state, why = fmt.Sprintf("planned by %s, who does not count as one of two people, and not approved by two others", c.PlannedBy), alone
		if len(by) == 1 {
			state = fmt.Sprintf("planned by %s, who does not count as one of two people, and approved by %s; another person has to approve it too", c.PlannedBy, by[0])
		}
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
	return because{state + void, ErrNotApproved}
}

// Missing returns how many more people have to approve this payload, after those in and: two, if neither the
// planner nor any of them counts as one of two people.
func (c ApprovalStatus) Missing(payloadSHA256 string, and ...string) int {
	by, _ := c.approvers(payloadSHA256)
	agreed := slices.Concat([]string{c.PlannedBy}, by, and)
	if _, two := c.People.two(agreed); two {
		return 0
	}
	if slices.ContainsFunc(agreed, func(actor string) bool { return c.People.Counts(actor) == nil }) {
		return 1
	}
	return 2
}

// Approvers returns the people whose approvals of the payload that was approved last count.
func (c ApprovalStatus) Approvers() []string {
	by, _ := c.approvers(c.LastApproved())
	return by
}

// LastApproved returns the payload that was approved last; "" for none.
func (c ApprovalStatus) LastApproved() string {
	if len(c.Approvals) == 0 {
		return ""
	}
	return c.Approvals[len(c.Approvals)-1].payload()
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
	switch {
	case c.sentBack():
		return ApprovalSentBack
	case len(c.Approvals) > 0 && c.To(c.LastApproved()) == nil:
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

// Another returns nil if an actor may decide about the batch: they count as one of two people, have
// the role approve, and are not the planner. Otherwise it returns ErrNotApart. If the planner
// does not count, two people have to approve.
func (c ApprovalStatus) Another(actor string) error {
	if err := c.People.Counts(actor); err != nil {
		return err
	}
	switch {
	case !c.People.May(actor, RoleApprove):
		return notApart("%s has not the role approve", actor)
	case c.People.Same(c.PlannedBy, actor):
		return notApart("%s planned it, and cannot approve it", actor)
	}
	return nil
}

// May returns nil if a person may take this decision about the batch: Another, and for an approval also ErrDuplicate
// if the same person's approval of the payload counts already.
func (c ApprovalStatus) May(a Approving) error {
	if err := c.Another(a.Actor); err != nil || a.SentBack != "" {
		return err
	}
	if by, _ := c.approvers(a.PayloadSHA256); c.People.Among(by, a.Actor) {
		return fmt.Errorf("%w: %s approved it already", ErrDuplicate, a.Actor)
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
