package ledger_test

import (
	"strings"
	"testing"
	"time"

	"payrun/ledger"
)

// The chain is pinned by bytes: another store, and a later program, must give
// the same hashes to the same events. They were computed by another program
// from the words of Chain.
func TestTheChainIsPinned(t *testing.T) {
	c := ledger.Chain{LedgerID: "LEDGERLEDGERLEDGERLEDGER"}
	at := time.Date(2025, 11, 3, 15, 0, 0, 123456789, time.FixedZone("IST", 5*3600+1800))
	first := c.Append(ledger.Event{At: at, Actor: "asha", Kind: ledger.EventCreated, Detail: "ledger LEDGERLEDGERLEDGERLEDGER"})
	second := c.Append(ledger.Event{At: at, Actor: "ravi", Kind: ledger.EventObserved, SheetID: "sh1", BatchID: "pr1", Detail: "observed 1 success ₹"})
	for _, e := range []struct {
		got  ledger.Event
		seq  int64
		hash string
	}{{first, 1, firstHash}, {second, 2, secondHash}} {
		if e.got.Seq != e.seq || e.got.Hash != e.hash || e.got.At.Nanosecond() != 123456000 || e.got.At.Location() != time.UTC {
			t.Errorf("%+v, want %s", e.got, e.hash)
		}
	}
	if c.Head != (ledger.AuditHead{Length: 2, Hash: second.Hash, At: second.At}) {
		t.Errorf("head %+v", c.Head)
	}
}

const (
	firstHash  = "3b24a6e926521abda27239b737f5f20ea2408d4699297190a1d966c278f2bef8"
	secondHash = "c7c20ec29ea966c8a0de588268a63f55be06c2ec37385ab1babab8dcff098c5d"
)

func recorded() []ledger.Event {
	c := ledger.Chain{LedgerID: "L"}
	var list []ledger.Event
	for _, e := range []ledger.Event{
		{Kind: ledger.EventCreated, Actor: "asha"},
		{Kind: ledger.EventPlanned, Actor: "asha", BatchID: "pr1"},
		{Kind: "initiate_intended", Actor: "asha", BatchID: "pr1", Detail: "payload x"},
		{Kind: "initiate_accepted", Actor: "asha", BatchID: "pr1"},
		{Kind: ledger.EventApproved, Actor: "ravi", BatchID: "pr1"},
	} {
		e.At = t0
		list = append(list, c.Append(e))
	}
	return list
}

func TestTheChainTellsWhatWasTouched(t *testing.T) {
	for name, touch := range map[string]func([]ledger.Event) []ledger.Event{
		"":                 func(l []ledger.Event) []ledger.Event { return l },
		"an edited detail": func(l []ledger.Event) []ledger.Event { l[2].Detail = "payload y"; return l },
		"another actor":    func(l []ledger.Event) []ledger.Event { l[4].Actor = "eve"; return l },
		"a proof put in":   func(l []ledger.Event) []ledger.Event { l[4].Proof = "at the desk"; return l },
		"another moment":   func(l []ledger.Event) []ledger.Event { l[1].At = l[1].At.Add(time.Microsecond); return l },
		"a moved letter":   func(l []ledger.Event) []ledger.Event { l[2].BatchID, l[2].Detail = "pr1p", "ayload x"; return l },
		"a deleted event":  func(l []ledger.Event) []ledger.Event { return append(l[:2], l[3:]...) },
		"an inserted event": func(l []ledger.Event) []ledger.Event {
			return append(l[:2:2], append([]ledger.Event{l[1]}, l[2:]...)...)
		},
		"two in other order":  func(l []ledger.Event) []ledger.Event { l[2], l[3] = l[3], l[2]; return l },
		"of another ledger":   func(l []ledger.Event) []ledger.Event { l[0].Hash = strings.Repeat("0", 64); return l },
		"a hash that is gone": func(l []ledger.Event) []ledger.Event { l[3].Hash = ""; return l },
	} {
		c := ledger.Chain{LedgerID: "L"}
		var wrong []string
		for _, e := range touch(recorded()) {
			wrong = append(wrong, c.Replay(e)...)
		}
		if (len(wrong) > 0) != (name != "") {
			t.Errorf("%q: %q", name, wrong)
		}
	}
}

func TestEventsLeadBatchesWhereTheyStand(t *testing.T) {
	stands := map[string]ledger.BatchState{}
	for _, e := range recorded() {
		to, err := e.Leads(stands[e.BatchID])
		if err != nil {
			t.Error(err)
		}
		stands[e.BatchID] = to
	}
	if stands["pr1"] != ledger.BatchHeld || stands["pr2"] != "" {
		t.Errorf("pr1 %q, pr2 %q", stands["pr1"], stands["pr2"])
	}
	for _, e := range []ledger.Event{{Kind: "submit_accepted", BatchID: "pr1"}, {Kind: "abandoned", BatchID: "pr9"}, {Kind: "paid", BatchID: "pr1"}} {
		if _, err := e.Leads(stands[e.BatchID]); err == nil {
			t.Errorf("%+v could have happened", e)
		}
	}
}
