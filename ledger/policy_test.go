package ledger_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
)

func TestTheStricterPolicyHolds(t *testing.T) {
	none, two := ledger.Policy{}, ledger.Policy{TwoPerson: true}
	low, high := ledger.Policy{ConfirmAbove: 100}, ledger.Policy{ConfirmAbove: 200}
	for _, c := range []struct{ a, b, want ledger.Policy }{
		{none, none, none}, {none, two, two}, {two, two, two}, {none, low, low}, {low, high, low},
		{two, low, ledger.Policy{TwoPerson: true, ConfirmAbove: 100}},
	} {
		if got := c.a.Stricter(c.b); got != c.want {
			t.Errorf("%+v and %+v: %+v", c.a, c.b, got)
		}
		if got := c.b.Stricter(c.a); got != c.want {
			t.Errorf("%+v and %+v: %+v", c.b, c.a, got)
		}
	}
}

// policyStory is a trail of policy events, each by Decide.
func policyStory(t *testing.T, said ...ledger.PolicyChange) (trail ledger.PolicyTrail, list []ledger.Event) {
	t.Helper()
	for i, c := range said {
		e, err := trail.Decide(c, ledger.Users{})
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		e.Seq = int64(i + 2)
		if err := trail.Replay(e, ledger.Users{}); err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return trail, list
}

func says(actor, key, value string, at time.Duration) ledger.PolicyChange {
	return ledger.PolicyChange{Key: key, Value: value, Reason: "as agreed; by a person: who likes semicolons", Actor: actor, At: t0.Add(at)}
}

func TestAProposalWaitsForAnotherAndLapses(t *testing.T) {
	strict := says("asha", "two_person", "true", 0)
	for name, c := range map[string]struct {
		said []ledger.PolicyChange
		want bool // two_person in the end
	}{
		"proposed only":                     {[]ledger.PolicyChange{says("asha", "two_person", "false", 1)}, true},
		"by the same":                       {[]ledger.PolicyChange{says("asha", "two_person", "false", 1), says("asha", "two_person", "false", 2)}, true},
		"by another":                        {[]ledger.PolicyChange{says("asha", "two_person", "false", 1), says("ravi", "two_person", "false", 71*time.Hour)}, false},
		"too late":                          {[]ledger.PolicyChange{says("asha", "two_person", "false", 1), says("ravi", "two_person", "false", 73*time.Hour)}, true},
		"the clock was set back since":      {[]ledger.PolicyChange{says("asha", "two_person", "false", 100*time.Hour), says("ravi", "two_person", "false", 1)}, true},
		"by another for the newer of two":   {[]ledger.PolicyChange{says("asha", "two_person", "false", 1), says("asha", "two_person", "false", 10*time.Hour), says("ravi", "two_person", "false", 75*time.Hour)}, false},
		"what was carried out is used up":   {[]ledger.PolicyChange{says("asha", "two_person", "false", 1), says("ravi", "two_person", "false", 2), says("ravi", "two_person", "true", 3), says("ravi", "two_person", "false", 4)}, true},
		"another key is another thing":      {[]ledger.PolicyChange{says("asha", "confirm_above", "5.00", 1), says("asha", "confirm_above", "", 1), says("ravi", "two_person", "false", 2)}, true},
		"the first wants more than another": {[]ledger.PolicyChange{says("asha", "two_person", "false", 1), says("asha", "confirm_above", "5.00", 2)}, true},
	} {
		trail, _ := policyStory(t, append([]ledger.PolicyChange{strict}, c.said...)...)
		if trail.TwoPerson != c.want {
			t.Errorf("%s: two_person is %t", name, trail.TwoPerson)
		}
	}
	trail, _ := policyStory(t, strict)
	if _, err := trail.Decide(strict, ledger.Users{}); !errors.Is(err, ledger.ErrDuplicate) {
		t.Errorf("what is so already: %v", err)
	}
}

// A ledger that was touched: events that Decide would not have made are not followed.
func TestAPolicyEventThatCannotHaveHappened(t *testing.T) {
	trail, list := policyStory(t, says("asha", "two_person", "true", 0), says("asha", "two_person", "false", 1), says("ravi", "two_person", "false", 2))
	if trail.TwoPerson {
		t.Fatal("two people lowered it")
	}
	for name, touch := range map[string]func(l []ledger.Event) []ledger.Event{
		"nobody proposed it":              func(l []ledger.Event) []ledger.Event { return []ledger.Event{l[0], l[2]} },
		"proposed by the same":            func(l []ledger.Event) []ledger.Event { l[1].Actor = "ravi"; return l },
		"proposed by root":                func(l []ledger.Event) []ledger.Event { l[1].Actor = ledger.UID(0); return l },
		"carried out in a user namespace": func(l []ledger.Event) []ledger.Event { l[2].Actor = ledger.MappedUID(1002); return l },
		"no JSON":                         func(l []ledger.Event) []ledger.Event { l[0].Detail = "two_person = true; x"; return l },
		"another key":                     func(l []ledger.Event) []ledger.Event { l[0].Detail = `{"key":"three_person","value":"true"}`; return l },
		"another value": func(l []ledger.Event) []ledger.Event {
			l[0].Detail = `{"key":"two_person","value":"perhaps"}`
			return l
		},
		"an amount that is none": func(l []ledger.Event) []ledger.Event {
			l[0].Detail = `{"key":"confirm_above","value":"05.00"}`
			return l
		},
		"proposed for another key": func(l []ledger.Event) []ledger.Event {
			l[1].Detail = `{"key":"confirm_above","value":"5.00"}`
			return l
		},
	} {
		var trail ledger.PolicyTrail
		var wrong error
		for _, e := range touch([]ledger.Event{list[0], list[1], list[2]}) {
			wrong = errors.Join(wrong, trail.Replay(e, ledger.Users{}))
		}
		if wrong == nil {
			t.Errorf("%s: followed", name)
		}
	}
}

// A person who counts as no one proposes nothing; with people, one of the two is admin.
func TestWhoLowersThePolicy(t *testing.T) {
	roster := rosterOfTwo(t)
	roster.add("boss", "mina", ledger.RolePay)
	roster.add("boss", "lila", ledger.RoleApprove)
	for name, c := range map[string]struct {
		people        ledger.Users
		first, second string
		lowered       bool
	}{
		"two uids":                   {ledger.Users{}, ashaAt, raviAt, true},
		"one uid":                    {ledger.Users{}, ashaAt, ashaAt, false},
		"root":                       {ledger.Users{}, ashaAt, "uid:0", false},
		"root first":                 {ledger.Users{}, "uid:0", ashaAt, false},
		"a user namespace":           {ledger.Users{}, ashaAt, ledger.MappedUID(1002), false},
		"a user namespace first":     {ledger.Users{}, ledger.MappedUID(1002), ashaAt, false},
		"admin and who approves":     {roster.Users, "boss", "ravi", true},
		"who approves and admin":     {roster.Users, "ravi", "boss", true},
		"two who approve":            {roster.Users, "ravi", "lila", false},
		"admin and who pays":         {roster.Users, "boss", "mina", false},
		"admin and a uid of nobody":  {roster.Users, "boss", cronAt, false},
		"who pays and nobody at all": {roster.Users, "mina", cronAt, false},
	} {
		trail, _ := policyStory(t, says(ashaAt, "two_person", "true", 0))
		for i, actor := range []string{c.first, c.second} {
			e, err := trail.Decide(says(actor, "two_person", "false", time.Duration(i+1)), c.people)
			if e.Seq = int64(i + 3); err != nil {
				_, role := errors.AsType[*ledger.PeopleError](err)
				if !role && !errors.Is(err, ledger.ErrNotApart) {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			if err := trail.Replay(e, c.people); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if trail.TwoPerson == c.lowered {
			t.Errorf("%s: lowered: %t", name, !trail.TwoPerson)
		}
	}
	for actor, may := range map[string]bool{"boss": true, "ravi": false, "mina": false, cronAt: false} {
		if _, err := (ledger.PolicyTrail{}).Decide(says(actor, "two_person", "true", 0), roster.Users); (err == nil) != may {
			t.Errorf("%s asks for more: %v", actor, err)
		}
	}
}

// Who lost the role, or was removed, is none of the two people: an admin does not lower the policy alone.
func TestAProposalLapsesWithTheRole(t *testing.T) {
	for name, c := range map[string]struct {
		change ledger.PersonChange
		want   string
	}{
		"as it was":     {ledger.PersonChange{Kind: ledger.EventPersonChanged, Name: "ravi", May: []ledger.Role{ledger.RoleApprove}, Actor: "boss"}, ledger.EventPolicySet},
		"lost the role": {ledger.PersonChange{Kind: ledger.EventPersonChanged, Name: "ravi", May: []ledger.Role{ledger.RoleLoad}, Actor: "boss"}, ledger.EventPolicyProposed},
		"removed":       {ledger.PersonChange{Kind: ledger.EventPersonRemoved, Name: "ravi", Actor: "boss"}, ledger.EventPolicyProposed},
	} {
		roster := rosterOfTwo(t)
		trail, _ := policyStory(t, says(ashaAt, "two_person", "true", 0))
		e, err := trail.Decide(says("ravi", "two_person", "false", 1), roster.Users)
		if e.Seq = 3; err != nil || trail.Replay(e, roster.Users) != nil {
			t.Fatalf("%s: %v", name, err)
		}
		roster.must(c.change)
		if e, err := trail.Decide(says("boss", "two_person", "false", 2), roster.Users); err != nil || e.Kind != c.want {
			t.Errorf("%s: %s, %v", name, e.Kind, err)
		}
	}
}

func TestAnApprovalLapsesWithTheRole(t *testing.T) {
	for name, c := range map[string]struct {
		change ledger.PersonChange
		counts bool
	}{
		"as it was":     {ledger.PersonChange{Kind: ledger.EventPersonChanged, Name: "ravi", May: []ledger.Role{ledger.RoleApprove}, Actor: "boss"}, true},
		"lost the role": {ledger.PersonChange{Kind: ledger.EventPersonChanged, Name: "ravi", May: []ledger.Role{ledger.RoleLoad}, Actor: "boss"}, false},
		"removed":       {ledger.PersonChange{Kind: ledger.EventPersonRemoved, Name: "ravi", Actor: "boss"}, false},
	} {
		roster := rosterOfTwo(t)
		roster.must(c.change)
		approval := ledger.ApprovalStatus{PlannedBy: ashaAt, People: roster.Users, Approvals: []ledger.Event{{Seq: 9, Actor: "ravi", Kind: ledger.EventApproved, Detail: `{"payload":"abc"}`}}}
		if err := approval.To("abc"); (err == nil) != c.counts || !c.counts && !strings.Contains(err.Error(), "ravi approved it and has not the role approve any more") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// verify finds a policy that one person lowered, and an initiate against it, in a
// trail whose chain was made right again.
func TestVerifyHoldsTheTrailAgainstThePolicy(t *testing.T) {
	told := func(d *desk, kind, detail, actor string) {
		d.tell(ledger.Event{Kind: kind, Detail: detail, Actor: actor, At: d.now})
	}
	for name, c := range map[string]struct {
		broken bool
		do     func(t *testing.T, d *desk)
	}{
		"asked for": {false, func(_ *testing.T, d *desk) {
			told(d, ledger.EventPolicySet, `{"key":"two_person","value":"true","reason":"r"}`, "asha")
		}},
		"lowered by one": {true, func(_ *testing.T, d *desk) {
			told(d, ledger.EventPolicySet, `{"key":"two_person","value":"true","reason":"r"}`, "asha")
			told(d, ledger.EventPolicySet, `{"key":"two_person","value":"false","reason":"r"}`, "asha")
		}},
		"lowered by two": {false, func(_ *testing.T, d *desk) {
			told(d, ledger.EventPolicySet, `{"key":"two_person","value":"true","reason":"r"}`, "asha")
			told(d, ledger.EventPolicyProposed, `{"key":"two_person","value":"false","reason":"r"}`, "asha")
			told(d, ledger.EventPolicySet, `{"key":"two_person","value":"false","reason":"r","first":2}`, "ravi")
		}},
		"initiated with nobody's approval": {true, func(t *testing.T, d *desk) {
			told(d, ledger.EventPolicySet, `{"key":"two_person","value":"true","reason":"r"}`, "asha")
			d.must(t, again, ledger.Step{Event: ledger.InitiateIntended})
		}},
		"initiated with an approval of before the policy": {true, func(t *testing.T, d *desk) {
			d.approve("ravi", again)
			told(d, ledger.EventPolicySet, `{"key":"two_person","value":"true","reason":"r"}`, "asha")
			d.must(t, again, ledger.Step{Event: ledger.InitiateIntended})
		}},
		"initiated with an approval": {false, func(t *testing.T, d *desk) {
			told(d, ledger.EventPolicySet, `{"key":"two_person","value":"true","reason":"r"}`, "asha")
			b := &d.batches[again-1]
			a := ledger.Approval{BatchID: b.ID, PayloadSHA256: shaOf(fmt.Sprint(ledger.InitiateIntended, b.ID, d.intents)), Actor: "ravi", At: d.now}
			d.tell(ledger.Approving{Approval: a}.Event(b.Batch))
			d.must(t, again, ledger.Step{Event: ledger.InitiateIntended})
		}},
	} {
		d := story(t)
		c.do(t, d)
		if problems := verified(t, d); (len(problems) > 0) != c.broken {
			t.Errorf("%s: %+v", name, problems)
		}
	}
}
