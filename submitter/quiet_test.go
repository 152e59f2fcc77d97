package submitter_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// odd is a bank whose status of each batch has an oddity, which is always the same.
type odd struct {
	submitter.Bank
	of map[string]func(ledger.StatusRead) (ledger.StatusRead, error)
}

func (b odd) ReadStatus(ctx context.Context, id string, n int, tries ledger.Patience) (ledger.StatusRead, error) {
	r, err := b.Bank.ReadStatus(ctx, id, n, tries)
	if say := b.of[id]; say != nil && err == nil {
		r.Payouts = slices.Clone(r.Payouts)
		return say(r)
	}
	return r, err
}

type statusRead = ledger.StatusRead

// each changes every payout of a status.
func each(change func(*ledger.Observation)) func(statusRead) (statusRead, error) {
	return func(r statusRead) (statusRead, error) {
		for i := range r.Payouts {
			change(&r.Payouts[i])
		}
		return r, nil
	}
}

// oddities are what a bank may say of a batch, poll after poll.
var oddities = map[string]func(statusRead) (statusRead, error){
	"as it is":         func(r statusRead) (statusRead, error) { return r, nil },
	"another account":  func(r statusRead) (statusRead, error) { r.BankAccountID = pb4; return r, nil },
	"another number":   func(r statusRead) (statusRead, error) { r.DebitAccountNumber = "XXXXXXXX0010"; return r, nil },
	"no account":       func(r statusRead) (statusRead, error) { r.BankAccountID = ""; return r, nil },
	"another batch":    func(r statusRead) (statusRead, error) { r.BatchID = "prother"; return r, nil },
	"another merchant": func(r statusRead) (statusRead, error) { r.SubMerchantID = "sm_9999"; return r, nil },
	"no payouts":       func(r statusRead) (statusRead, error) { r.Payouts = nil; return r, nil },
	"half of it":       func(r statusRead) (statusRead, error) { r.Payouts = r.Payouts[:1]; return r, nil },
	"half, broken off": func(r statusRead) (statusRead, error) {
		r.Payouts, r.Complete, r.Why = r.Payouts[:1], false, "page 1: the cursor came again"
		return r, nil
	},
	"broken off at once": func(r statusRead) (statusRead, error) {
		r.Payouts, r.Complete, r.Why = nil, false, "page 1: about another"
		return r, nil
	},
	"one too many": func(r statusRead) (statusRead, error) {
		r.Payouts = append(r.Payouts, ledger.Observation{WireRef: "X", Status: "success"})
		return r, nil
	},
	"an internal error": func(r statusRead) (statusRead, error) {
		return statusRead{}, &ledger.CallError{Op: "status", Outcome: ledger.Unknown, HTTPStatus: 500, Answered: true, Code: "E"}
	},
	"unknown to it": func(r statusRead) (statusRead, error) {
		return statusRead{}, &ledger.CallError{Op: "status", Outcome: ledger.Unknown, HTTPStatus: 404, Answered: true, Code: "E"}
	},
	"other amounts":      each(func(o *ledger.Observation) { o.Amount++ }),
	"no amounts":         each(func(o *ledger.Observation) { o.Amount, o.HasAmount = 0, false }),
	"other ids":          each(func(o *ledger.Observation) { o.OpenTxnID += "x" }),
	"other payees":       each(func(o *ledger.Observation) { o.BankAccountNumber = "999999999999" }),
	"an unlisted status": each(func(o *ledger.Observation) { o.Status = "ON_HOLD" }),
	"no status":          each(func(o *ledger.Observation) { o.Status = "" }),
	"not begun":          each(func(o *ledger.Observation) { o.Status, o.BankStatusCode = "request_initiated", "" }),
	"pending":            each(func(o *ledger.Observation) { o.Status = "pending" }),
	"failed":             each(func(o *ledger.Observation) { o.Status = "failed" }),
	"paid":               each(func(o *ledger.Observation) { o.Status = "success" }),
	"returned":           each(func(o *ledger.Observation) { o.Status, o.BankStatusCode = "success", "RETURNED_FROM_BENEFICIARY" }),
	"paid with an error": each(func(o *ledger.Observation) { o.Status, o.Error = "success", `{"code":"E1"}` }),
	"paid, elsewhere": func(r statusRead) (statusRead, error) {
		r.BankAccountID = pb4
		return each(func(o *ledger.Observation) { o.Status = "success" })(r)
	},
	"paid, account unsaid": func(r statusRead) (statusRead, error) {
		r.BankAccountID = ""
		return each(func(o *ledger.Observation) { o.Status = "success" })(r)
	},
	"paid, other amounts": each(func(o *ledger.Observation) { o.Status = "success"; o.Amount++ }),
}

// otherOrder shows the payouts in another order at each look, and no amount as it was sent.
func otherOrder() func(statusRead) (statusRead, error) {
	turn := 0
	return func(r statusRead) (statusRead, error) {
		if turn++; turn%2 == 0 {
			slices.Reverse(r.Payouts)
		}
		return oddities["other amounts"](r)
	}
}

// stages bring batches that are held to where they are polled from.
var stages = map[string]func(d *desk, batches ...ledger.Batch){
	"held": func(*desk, ...ledger.Batch) {},
	"quarantined": func(d *desk, batches ...ledger.Batch) {
		for _, b := range batches {
			d.apply(ledger.Step{BatchID: b.ID, From: "held", Event: ledger.EchoDiffers, Attention: ledger.EchoDiffered, Note: "it differs"})
		}
	},
	"abandoned": func(d *desk, batches ...ledger.Batch) {
		for _, b := range batches {
			d.abandon(d.client, b.ID, "no")
		}
	},
	"in doubt": func(d *desk, batches ...ledger.Batch) {
		for _, b := range batches {
			looks := d.asHeld(b.ID)
			looks[0].BankTime = d.now()
			d.apply(ledger.Step{BatchID: b.ID, From: "held", Event: ledger.SubmitIntended, PayloadSHA256: sum, Looks: looks})
		}
		must(d.t, d.engine().Recover(d.t.Context()))
	},
	"submitted": submitted,
	"settled": func(d *desk, batches ...ledger.Batch) {
		submitted(d, batches...)
		d.settle()
	},
}

func submitted(d *desk, batches ...ledger.Batch) {
	for _, b := range batches {
		d.submit(d.otp(b.ID))
	}
}

// apply records a step at once.
func (d *desk) apply(step ledger.Step) {
	d.t.Helper()
	step.Actor, step.At = d.set.Actor, d.now()
	must(d.t, d.store.Apply(d.t.Context(), step))
}

// Whatever a bank says of a batch, and wherever the answer is, it is on record once, and
// not at each look: a trail does not grow while nothing changes.
func TestAPollThatBringsNothingNewIsNotOnRecord(t *testing.T) {
	for stage, reach := range stages {
		t.Run(stage, func(t *testing.T) {
			d := newDesk(t)
			numbered(&d.set)
			d.set.HeldAtOnce = 0
			oddities := maps.Clone(oddities)
			oddities["other amounts, in another order each time"] = otherOrder()
			names := slices.Sorted(maps.Keys(oddities))
			var groups []payouts
			for range names {
				groups = append(groups, payouts{account: pb3, bank: 3, n: 2})
			}
			batches := d.load(groups...)
			d.initiate()
			bank := odd{d.client, map[string]func(statusRead) (statusRead, error){}}
			reach(d, batches...)
			for i, b := range batches {
				bank.of[b.ID] = oddities[names[i]]
			}
			poll := func(n int, step time.Duration) {
				for range n {
					d.later(step)
					d.verb(submitter.New(d.store, bank, d.set).Poll(t.Context(), nil, 0))
				}
			}
			poll(3, 16*time.Hour)
			poll(2, 3*time.Minute)
			was := d.trails()
			poll(3, 9*time.Minute)
			for id, is := range d.trails() {
				if len(is) != len(was[id]) {
					i := slices.IndexFunc(batches, func(b ledger.Batch) bool { return b.ID == id })
					t.Errorf("%s: %s: %d events and then %d: %s", names[i], d.batch(id).State, len(was[id]), len(is), is[len(is)-1])
				}
			}
			d.sound()
		})
	}
}

// trail is what the audit trail has of a batch.
func (d *desk) trail(id string) []string { return d.trails()[id] }

// trails is what the audit trail has of each batch.
func (d *desk) trails() map[string][]string {
	d.t.Helper()
	events := map[string][]string{}
	err := d.store.Events(d.t.Context(), func(e ledger.Event) error {
		if e.BatchID != "" {
			events[e.BatchID] = append(events[e.BatchID], fmt.Sprintf("%s %s", e.Kind, e.Detail))
		}
		return nil
	})
	must(d.t, err)
	return events
}

// A batch that is held for longer than otp.window needs a person, whether or not the bank lists batches before they
// are submitted.
func TestAHeldBatchIsLateWhateverTheBankLists(t *testing.T) {
	for _, answer := range []string{"as it is", "no payouts", "broken off at once", "an internal error", "unknown to it"} {
		t.Run(answer, func(t *testing.T) {
			d := newDesk(t)
			id := d.load(payouts{account: pb3, bank: 3, n: 2})[0].ID
			d.initiate()
			bank := odd{d.client, map[string]func(statusRead) (statusRead, error){id: oddities[answer]}}
			for _, want := range []struct {
				wait time.Duration
				asks ledger.Attention
			}{{d.set.OTPWindow / 2, ledger.NeedsNothing}, {d.set.OTPWindow, ledger.OTPLate}, {time.Minute, ledger.OTPLate}} {
				d.later(want.wait)
				results := d.verb(submitter.New(d.store, bank, d.set).Poll(t.Context(), nil, 0))
				// what to do is in the table of attention, not once more in the note
				if b := d.batch(id); b.State != ledger.BatchHeld || b.Attention != want.asks || strings.Contains(b.Note, "abandon") || len(results) != 1 || results[0].Outcome != submitter.OutcomeHeld {
					t.Errorf("%s later: %s, %q, %q, %+v", want.wait, b.State, b.Attention, b.Note, results)
				}
			}
			if events := d.trail(id); len(events) != len(slices.Compact(slices.Clone(events))) {
				t.Errorf("recorded twice: %q", events)
			}
		})
	}
}
