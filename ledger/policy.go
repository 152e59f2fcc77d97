package ledger

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Policy is what a ledger requires of people before money moves. The audit trail of the ledger
// sets it; a configuration can only be stricter.
type Policy struct {
	TwoPerson    bool  // a batch is initiated only if a person other than its planner approved it
	SecondFactor bool  // approvers, payers and admins sign in at the desk with more than a password
	ConfirmAbove Paise // a person types every total from this amount on, in paise; 0: never
}

// The keys of a policy.
const (
	PolicyTwoPerson    = "two_person"
	PolicyConfirmAbove = "confirm_above"
	PolicySecondFactor = "second_factor"
)

// PolicyKeys lists them.
var PolicyKeys = [...]string{PolicyTwoPerson, PolicyConfirmAbove, PolicySecondFactor}

// Stricter returns the policy that satisfies both: for each key the stricter value.
func (p Policy) Stricter(q Policy) Policy {
	p.TwoPerson = p.TwoPerson || q.TwoPerson
	p.SecondFactor = p.SecondFactor || q.SecondFactor
	if q.ConfirmAbove > 0 && (p.ConfirmAbove <= 0 || q.ConfirmAbove < p.ConfirmAbove) {
		p.ConfirmAbove = q.ConfirmAbove
	}
	return p
}

// flag returns the value of a key that is true or false; nil for another key.
func (p *Policy) flag(key string) *bool {
	return map[string]*bool{PolicyTwoPerson: &p.TwoPerson, PolicySecondFactor: &p.SecondFactor}[key]
}

// Value returns the value of a key as in the audit trail: true or false, or an amount with two
// decimals; "" for an amount that is not set.
func (p Policy) Value(key string) string {
	is := p.flag(key)
	switch {
	case is != nil:
		return fmt.Sprint(*is)
	case key == PolicyConfirmAbove && p.ConfirmAbove > 0:
		return p.ConfirmAbove.String()
	}
	return ""
}

// With returns the policy with another value of a key. value has the form of Value.
func (p Policy) With(key, value string) (Policy, error) {
	to := p
	switch is := to.flag(key); {
	case is != nil:
		if *is = value == "true"; !*is && value != "false" {
			return p, fmt.Errorf("%s: %q: want true or false", key, value)
		}
	case key != PolicyConfirmAbove:
		return p, fmt.Errorf("the policy has no key %q", key)
	default:
		to.ConfirmAbove, _ = ParsePaise(value) // what is no amount has another Value
	}
	if to.Value(key) != value {
		return p, fmt.Errorf("%q is no value of %q", value, key)
	}
	return to, nil
}

// PolicyChange is one person's decision to change a key of the policy. Its JSON is the detail
// of its event.
type PolicyChange struct {
	Key    string    `json:"key"` // as Policy.With takes it
	Value  string    `json:"value"`
	Reason string    `json:"reason"`
	First  int64     `json:"first,omitempty"` // the event of the proposal that it carries out
	Actor  string    `json:"-"`
	At     time.Time `json:"-"`
	Event  int64     `json:"-"` // its number; 0 until it has one
}

// PolicyTrail is the policy, built from the audit trail event by event. A ledger without a
// policy event has the zero value.
type PolicyTrail struct {
	Policy
	Since     int64          // the last event that changed it; 0 for none
	Proposals []PolicyChange // proposals to lower it, which another person may carry out; oldest first
}

// Decide returns the event of a person's decision: a proposal, if the change lowers the policy
// and no other person proposed the same in the last 72 hours; else the change itself.
// ErrDuplicate: nothing changes. ErrNotApart: it lowers the policy and this person cannot be
// one of two. *PeopleError: the role is missing.
func (t PolicyTrail) Decide(c PolicyChange, people Users) (Event, error) {
	to, err := t.With(c.Key, c.Value)
	if err != nil {
		return Event{}, err
	}
	kind := EventPolicySet
	switch lower := to.Stricter(t.Policy) != to; {
	case to == t.Policy:
		return Event{}, fmt.Errorf("%w: %s = %s", ErrDuplicate, c.Key, c.Value)
	case !people.May(c.Actor, RoleAdmin) && !(lower && people.May(c.Actor, RoleApprove)):
		return Event{}, notThey("%s is no admin: an admin sets the policy", Plain(c.Actor))
	case lower:
		if err := people.Counts(c.Actor); err != nil {
			return Event{}, err
		}
		if c.First = t.seconds(c, people); c.First == 0 {
			kind = EventPolicyProposed
		}
	}
	return Event{At: c.At, Actor: c.Actor, Kind: kind, Detail: jsonText(c)}, nil
}

// Waiting returns the proposals that another person may still carry out.
func (t PolicyTrail) Waiting(now time.Time) []PolicyChange {
	return Where(t.Proposals, func(p PolicyChange) bool { return waitsForSecond(p.At, now) })
}

// seconds returns the event of another person's equal proposal; 0 for none.
func (t PolicyTrail) seconds(c PolicyChange, people Users) int64 {
	p, _ := First(t.Waiting(c.At), func(p PolicyChange) bool { return p.Key == c.Key && p.Value == c.Value && p.MaySecond(c.Actor, people) })
	return p.Event
}

// MaySecond reports whether an actor may carry out the proposal p. One of the two must be admin, the other admin or
// approve. If the proposer was removed or lost the role, it does not count.
func (p PolicyChange) MaySecond(actor string, people Users) bool {
	first, second := people.May(p.Actor, RoleAdmin), people.May(actor, RoleAdmin)
	may := first && (second || people.May(actor, RoleApprove)) || people.May(p.Actor, RoleApprove) && second
	return may && people.SecondPerson(p.Actor, actor) == nil
}

// Replay takes the next event of the audit trail, with the people at that time. It ignores
// events that are not about the policy. If the event cannot have happened, it returns an error
// and changes nothing.
func (t *PolicyTrail) Replay(e Event, people Users) error {
	if e.Kind != EventPolicySet && e.Kind != EventPolicyProposed {
		return nil
	}
	c, err := e.PolicyChange()
	if err != nil {
		return err
	}
	to, err := t.With(c.Key, c.Value)
	if err != nil {
		return fmt.Errorf("event %d: %w", e.Seq, err)
	}
	if e.Kind == EventPolicyProposed {
		t.Proposals = append(slices.Clip(t.Proposals), c)
		return nil
	}
	if to.Stricter(t.Policy) != to && (c.First == 0 || t.seconds(c, people) == 0) {
		return fmt.Errorf("event %d lowers the policy, which no other person had proposed", e.Seq)
	}
	t.Policy, t.Since = to, e.Seq
	t.Proposals = slices.DeleteFunc(slices.Clone(t.Proposals), func(p PolicyChange) bool { return p.Key == c.Key })
	return nil
}

// PolicyChange reads back an event that Decide wrote.
func (e *Event) PolicyChange() (c PolicyChange, err error) {
	if err := json.Unmarshal([]byte(e.Detail), &c); err != nil {
		return c, fmt.Errorf("event %d says nothing about the policy: %w", e.Seq, err)
	}
	c.Actor, c.At, c.Event = e.Actor, e.At, e.Seq
	return c, nil
}

func (c PolicyChange) words() string {
	words := c.Key + " = " + c.Value + ": " + c.Reason
	if c.First != 0 {
		words += fmt.Sprintf(" (proposed by event %d)", c.First)
	}
	return words
}
