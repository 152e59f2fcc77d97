package ledger_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
)

// trail is a batch's audit trail, from its planning on.
func trail(ledgerID string, kinds ...string) (t ledger.TrailDigest) {
	chain := ledger.Chain{LedgerID: ledgerID}
	for i, kind := range append([]string{ledger.EventPlanned}, kinds...) {
		e := chain.Append(ledger.Event{At: t0.Add(time.Duration(i) * time.Minute), Actor: "asha", Kind: kind, BatchID: "prbatch", Detail: "payload ab"})
		t.Replay(&e)
	}
	return t
}

func TestTheStateSequenceCountsStateTriesAndApprovals(t *testing.T) {
	held := []string{string(ledger.InitiateIntended), string(ledger.InitiateAccepted)}
	for _, c := range []struct {
		name   string
		before []string
		then   string
		counts bool
	}{
		{"an approval", nil, ledger.EventApproved, true},
		{"a second approval", []string{ledger.EventApproved}, ledger.EventApproved, true},
		{"an intent", nil, string(ledger.InitiateIntended), true},
		{"an answer", held[:1], string(ledger.InitiateAccepted), true},
		{"a call that never left, and leads back", held[:1], string(ledger.InitiateUndone), true},
		{"a rejected OTP, which leads back", append(held, string(ledger.SubmitIntended)), string(ledger.SubmitRejected), true},
		{"abandoned", held, string(ledger.Abandoned), true},
		{"released, of a submit in doubt", append(held, string(ledger.SubmitIntended), string(ledger.SubmitLost)), string(ledger.SetAside), true},
		{"what cannot have happened", nil, string(ledger.AllFinal), true},
		{"released, of what the bank has", append(held, string(ledger.SubmitIntended), string(ledger.SubmitAccepted)), ledger.EventReleased, false},
		{"an observation", held, ledger.EventObserved, false},
		{"a first word", held, ledger.EventReleaseAsked, false},
		{"a refusal that is dealt with", append(held[:1:1], string(ledger.InitiateRefused)), ledger.EventDealtWith, false},
	} {
		before, after := trail("ledger", c.before...), trail("ledger", append(c.before, c.then)...)
		if counted := before.Sequence() != after.Sequence(); counted != c.counts || after.Changes-before.Changes > 1 {
			t.Errorf("%s: %s becomes %s, counts %t", c.name, before.Sequence(), after.Sequence(), c.counts)
		}
	}
	if first := trail("ledger"); !strings.HasPrefix(string(first.Sequence()), "1-") || len(first.Sequence()) != len("1-0123456789abcdef") {
		t.Errorf("of a batch that was just planned: %q", first.Sequence())
	}
	if untold := (ledger.TrailDigest{}); untold.Sequence() != "" {
		t.Errorf("of a batch that the trail does not tell of: %q", untold.Sequence())
	}
}

// In a copy, and in another ledger, as much may have happened to a batch, but not
// the same.
func TestACopyHasAnotherStateSequence(t *testing.T) {
	here, there := trail("ledger", ledger.EventObserved, ledger.EventApproved), trail("ledger", ledger.EventApproved)
	if other := trail("another"); other.Sequence() == here.Sequence() || here.Changes != there.Changes || here.Sequence() == there.Sequence() {
		t.Errorf("%s, %s and %s", here.Sequence(), there.Sequence(), other.Sequence())
	}
}

func TestAStepIsHeldAgainstWhatWasShown(t *testing.T) {
	payload := strings.Repeat("f", 64)
	told := trail("ledger")
	k := standing(ledger.BatchPlanned)
	told.Members, told.StateDigest = k.MembersDigest().String(), k.StateDigest().String()
	k.Trail = told
	shown := ledger.ExpectedVersion{Payload: payload, Sequence: told.Sequence()}
	for name, c := range map[string]struct {
		expected  ledger.ExpectedVersion
		event     ledger.BatchEvent
		overtaken bool
	}{
		"nothing was shown":                        {ledger.ExpectedVersion{}, ledger.InitiateIntended, false},
		"as it was shown":                          {shown, ledger.InitiateIntended, false},
		"another payload":                          {ledger.ExpectedVersion{Payload: strings.Repeat("e", 64), Sequence: shown.Sequence}, ledger.InitiateIntended, true},
		"no payload":                               {ledger.ExpectedVersion{Sequence: shown.Sequence}, ledger.InitiateIntended, true},
		"another sequence":                         {ledger.ExpectedVersion{Payload: payload, Sequence: "1-0000000000000000"}, ledger.InitiateIntended, true},
		"no sequence":                              {ledger.ExpectedVersion{Payload: payload}, ledger.InitiateIntended, true},
		"abandoned, which sends nothing":           {shown, ledger.Abandoned, false},
		"abandoned, after something else happened": {ledger.ExpectedVersion{Payload: payload, Sequence: "2-0000000000000000"}, ledger.Abandoned, true},
		"what cannot happen, of what is not as so": {ledger.ExpectedVersion{Payload: payload, Sequence: "2-0000000000000000"}, ledger.SubmitIntended, true},
	} {
		s := step(ledger.BatchPlanned, c.event)
		s.PayloadSHA256, s.ExpectedVersion = payload, c.expected
		if s.Event == ledger.Abandoned {
			s.PayloadSHA256 = ""
		}
		if _, err := s.Change(k); errors.Is(err, ledger.ErrStale) != c.overtaken || !c.overtaken && err != nil {
			t.Errorf("%s: %v, overtaken %t", name, err, c.overtaken)
		}
	}
}

// What was held is what was initiated: a submit is bound to that payload, and not to
// that of its own body.
func TestASubmitIsBoundToWhatWasInitiated(t *testing.T) {
	k := standing(ledger.BatchHeld)
	k.Trail = trail("ledger", string(ledger.InitiateIntended), string(ledger.InitiateAccepted))
	k.Trail.Members, k.Trail.StateDigest = k.MembersDigest().String(), k.StateDigest().String()
	s := step(ledger.BatchHeld, ledger.SubmitIntended)
	s.ExpectedVersion = ledger.ExpectedVersion{Payload: k.InitiatePayload(), Sequence: k.Trail.Sequence()}
	if _, err := s.Change(k); err != nil || s.ExpectedVersion.Payload == "" || s.ExpectedVersion.Payload == s.PayloadSHA256 {
		t.Errorf("%q, of a submit of %q: %v", s.ExpectedVersion.Payload, s.PayloadSHA256, err)
	}
	s.ExpectedVersion.Payload = s.PayloadSHA256
	if _, err := s.Change(k); !errors.Is(err, ledger.ErrStale) {
		t.Errorf("bound to its own body: %v", err)
	}
}

func TestAPlanIsAllOfWhatWasShownInItsOrder(t *testing.T) {
	one, two := ledger.Bound{BatchID: "pra", ExpectedVersion: ledger.ExpectedVersion{Payload: "ab", Sequence: "1-c"}}, ledger.Bound{BatchID: "prb", ExpectedVersion: ledger.ExpectedVersion{Payload: "cd", Sequence: "1-e"}}
	seen := map[ledger.Digest]string{}
	for name, list := range map[string][]ledger.Bound{
		"none": nil, "one": {one}, "two": {one, two}, "the other way round": {two, one}, "twice": {one, one},
		"another payload":  {{BatchID: "pra", ExpectedVersion: ledger.ExpectedVersion{Payload: "ac", Sequence: "1-c"}}, two},
		"another sequence": {one, {BatchID: "prb", ExpectedVersion: ledger.ExpectedVersion{Payload: "cd", Sequence: "2-e"}}},
		"another batch":    {one, {BatchID: "prc", ExpectedVersion: two.ExpectedVersion}},
		"moved over":       {{BatchID: "praa", ExpectedVersion: ledger.ExpectedVersion{Payload: "b", Sequence: "1-c"}}, two},
	} {
		d := ledger.PlanDigest(list)
		if other, ok := seen[d]; ok {
			t.Errorf("%s is %s", name, other)
		}
		seen[d] = name
	}
}
