package app

import "testing"

// The desk says of every payout in which environment it is: it is not served of a
// ledger of another one.
func TestTheDeskIsNotServedOfAnotherEnvironment(t *testing.T) {
	d := newDesk(t)
	d.load("asha", "INV-1")
	if _, err := d.FirstLink(t.Context(), Call{}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Initiate(t.Context(), Call{Actor: "asha"}, InitiateRequest{All: true}); Worst(err).Code != NeedsPerson {
		t.Fatal(err)
	}
	d.set.Environment = "production"
	if _, err := d.FirstLink(t.Context(), Call{}); Worst(err) == nil || Worst(err).Code != EnvironmentDiffers {
		t.Errorf("%v", err)
	}
}
