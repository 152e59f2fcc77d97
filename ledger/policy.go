package ledger

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Policy is what a ledger asks of people before money moves. It is a fact of the
// ledger: what its audit trail says of it holds, whatever a configuration says.
type Policy struct {
	TwoPerson    bool  // nothing is initiated that nobody but its planner has agreed to
	ConfirmAbove Paise // from this total on a person types it; 0: never
}

// The keys of a policy.
const (
	PolicyTwoPerson    = "two_person"
	PolicyConfirmAbove = "confirm_above"
)

// PolicyKeys lists them.
var PolicyKeys = [...]string{PolicyTwoPerson, PolicyConfirmAbove}

// Stricter returns what holds where both are asked for: in each point the
// stricter one.
func (p Policy) Stricter(q Policy) Policy {
	p.TwoPerson = p.TwoPerson || q.TwoPerson
	if q.ConfirmAbove > 0 && (p.ConfirmAbove <= 0 || q.ConfirmAbove < p.ConfirmAbove) {
		p.ConfirmAbove = q.ConfirmAbove
	}
	return p
}

// Value is the value of a key as the audit trail has it: true or false, and an
// amount with two decimals, "" where none is set.
func (p Policy) Value(key string) string {
	switch {
	case key == PolicyTwoPerson:
		return fmt.Sprint(p.TwoPerson)
	case key == PolicyConfirmAbove && p.ConfirmAbove > 0:
		return p.ConfirmAbove.String()
	}
	return ""
}

// With returns the policy with another value of a key, as Value gives it.
func (p Policy) With(key, value string) (Policy, error) {
	wrong := fmt.Errorf("%q is no value of %q", value, key)
	switch key {
	case PolicyTwoPerson:
		if value != "true" && value != "false" {
			return p, wrong
		}
		p.TwoPerson = value == "true"
	case PolicyConfirmAbove:
		if p.ConfirmAbove = 0; value == "" {
			return p, nil
		}
		amount, err := ParsePaise(value)
		if err != nil || amount <= 0 || amount.String() != value {
			return p, wrong
		}
		p.ConfirmAbove = amount
	default:
		return p, fmt.Errorf("the policy has no key %q", key)
	}
	return p, nil
}

// PolicyChange is one person's word that a key of the policy is to have another
// value.
type PolicyChange struct {
	Key, Value string // as Policy.With takes them
	Reason     string
	Actor      string
	At         time.Time
}

// policyLapse is how long a proposal waits for the second person.
const policyLapse = 72 * time.Hour

// PolicyTrail is the policy as the audit trail tells it, event by event. The zero
// value is that of a ledger in which nobody ever set one.
type PolicyTrail struct {
	Policy
	Since     int64            // the event that changed it last; 0: none did
	Set       map[string]Event // the event that set each key last
	Proposals []PolicyChange   // to lower it, for another person to carry out; oldest first
}

// Decide returns the event that a person's word is: the change itself, or,
// where it lowers the policy and no other of the people has proposed the same in
// the last 72 hours, a proposal. ErrDuplicate where it is so already.
func (t PolicyTrail) Decide(c PolicyChange, people Roster) (Event, error) {
	to, err := t.With(c.Key, c.Value)
	if err != nil {
		return Event{}, err
	}
	people = people.Now(c.At)
	e := Event{At: c.At, Actor: c.Actor, Kind: EventPolicySet, Detail: fmt.Sprintf("%s = %s", c.Key, c.Value)}
	said := "; by a person: " + c.Reason
	switch first, seconded := t.seconds(c, people); {
	case to == t.Policy:
		return Event{}, fmt.Errorf("%w: %s", ErrDuplicate, e.Detail)
	case to.Stricter(t.Policy) == to:
		e.Detail += said
	case seconded:
		e.Detail += "; proposed by " + first.Actor + ": " + first.Reason + said
	default:
		e.Kind = EventPolicyProposed
		e.Detail += said
	}
	return e, nil
}

// Waiting returns the proposals that another person may still carry out.
func (t PolicyTrail) Waiting(now time.Time) []PolicyChange {
	return slices.DeleteFunc(slices.Clone(t.Proposals), func(p PolicyChange) bool { return now.Sub(p.At) >= policyLapse })
}

// seconds returns what another person proposed, if this is the same.
func (t PolicyTrail) seconds(c PolicyChange, people Roster) (first PolicyChange, ok bool) {
	for _, p := range t.Waiting(c.At) {
		if p.Key == c.Key && p.Value == c.Value && people.Apart(p.Actor, c.Actor) == nil {
			return p, true
		}
	}
	return first, false
}

// Follow takes the next event of the audit trail; those that are not about the
// policy change nothing. The error is that the event cannot have happened: then
// it is not followed.
func (t *PolicyTrail) Follow(e Event) error {
	if e.Kind != EventPolicySet && e.Kind != EventPolicyProposed {
		return nil
	}
	c := e.policyChange()
	to, err := t.With(c.Key, c.Value)
	if err != nil {
		return fmt.Errorf("event %d: %w", e.Seq, err)
	}
	if e.Kind == EventPolicyProposed {
		t.Proposals = append(t.Proposals, c)
		return nil
	}
	if _, seconded := t.seconds(c, Roster{}); !seconded && to.Stricter(t.Policy) != to {
		return fmt.Errorf("event %d lowers the policy, which nobody else had proposed", e.Seq)
	}
	if t.Set == nil {
		t.Set = map[string]Event{}
	}
	t.Policy, t.Since, t.Set[c.Key] = to, e.Seq, e
	t.Proposals = slices.DeleteFunc(t.Proposals, func(p PolicyChange) bool { return p.Key == c.Key })
	return nil
}

// policyChange reads back what Decide wrote.
func (e *Event) policyChange() PolicyChange {
	what, _, _ := strings.Cut(e.Detail, "; ")
	key, value, _ := strings.Cut(what, " = ")
	_, reason, _ := strings.Cut(e.Detail, "; by a person: ")
	return PolicyChange{Key: key, Value: value, Reason: reason, Actor: e.Actor, At: e.At}
}
