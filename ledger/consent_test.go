package ledger

import "testing"

// Consents of one word are answered alike; what would be answered otherwise has another.
func TestConsentsThatAreAlike(t *testing.T) {
	approved := func(change func(*Consent)) Consent {
		c := Consent{BatchID: "pr1", PlannedBy: "asha", Approvals: []Event{{Seq: 9, Actor: "ravi", BatchID: "pr1", Kind: EventApproved, Detail: "payload abc"}}}
		c.Policy.Since = 5
		change(&c)
		c.Kept = approvedIn(c.Approvals)
		return c
	}
	same := approved(func(*Consent) {}).Alike("abc")
	if other := approved(func(c *Consent) { c.BatchID, c.Approvals[0].BatchID, c.Approvals[0].Seq = "pr2", "pr2", 10 }).Alike("abc"); other != same {
		t.Errorf("%q and %q", same, other)
	}
	if other := approved(func(*Consent) {}).Alike("def"); other == same {
		t.Error("another payload was approved")
	}
	for name, change := range map[string]func(*Consent){
		"planned by another":         func(c *Consent) { c.PlannedBy = "meera" },
		"approved by another":        func(c *Consent) { c.Approvals[0].Actor = "meera" },
		"approved before the policy": func(c *Consent) { c.Policy.Since = 9 },
		"approved at another moment": func(c *Consent) { c.Approvals[0].At = c.Approvals[0].At.Add(1e9) },
		"approved twice":             func(c *Consent) { c.Approvals = append(c.Approvals, c.Approvals[0]) },
		"approved by nobody":         func(c *Consent) { c.Approvals = nil },
	} {
		if approved(change).Alike("abc") == same {
			t.Error(name)
		}
	}
	untold := approved(func(*Consent) {})
	untold.Kept = nil
	if untold.Alike("abc") == same {
		t.Error("an approval that is not kept")
	}
}
