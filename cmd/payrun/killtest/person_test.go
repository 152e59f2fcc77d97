//go:build unix

package killtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"payrun/ledger"
)

// step is one command line a person types, and what goes to its standard input.
type step struct {
	args  []string
	stdin string
	by    int // which system user, 0 for the first person
}

func (s step) verb() string { return s.args[0] }

// choices lists what a person may sensibly do who looked at the view.
func (d *desk) choices(v view) []step {
	var all []step
	add := func(s step) { all = append(all, s) }
	for _, s := range d.sheets {
		if _, loaded := v.sheets[s.name]; !loaded {
			add(step{args: []string{"load", s.name}})
		}
	}
	if planned := v.in(ledger.BatchPlanned); len(planned) > 0 {
		if d.twoPeople {
			add(approve(planned))
		}
		add(step{args: []string{"initiate", "--all", "--yes"}})
	}
	for _, b := range v.in(ledger.BatchQuarantined) {
		add(abandon(b))
	}
	held := v.in(ledger.BatchHeld)
	for _, b := range held {
		if b.NeedsPerson {
			add(abandon(b))
		}
	}
	if len(held) > 0 {
		add(d.submit(held))
		add(d.submit(held[:1]))
		add(mistyped(held[0]))
	}
	if len(v.in(ledger.BatchInitiating, ledger.BatchInitiateUnknown, ledger.BatchSubmitting, ledger.BatchSubmitUnknown, ledger.BatchSubmitted)) > 0 {
		add(step{args: []string{"poll"}})
	}
	return all
}

// approve is the second person's word on batches that the first one planned.
func approve(planned []batch) step {
	s := step{args: []string{"approve", "--yes"}, by: secondPerson}
	for _, b := range planned {
		s.args = append(s.args, b.ID)
	}
	return s
}

// resolve is what one person says, or two, of a submit whose answer was lost.
func (d *desk) resolve(b batch, as string) []step {
	s := step{args: []string{"resolve", b.ID, "--as", as, "--reason", "rehearsal", "--yes"}}
	if !d.twoPeople {
		return []step{s}
	}
	second := s
	second.by = secondPerson
	return []step{s, second}
}

func abandon(b batch) step {
	return step{args: []string{"abandon", b.ID, "--reason", "rehearsal"}}
}

// submit enters the OTPs of the held batches, each as it came to the mobile.
func (d *desk) submit(held []batch) step {
	d.t.Helper()
	var file strings.Builder
	file.WriteString("merchant_transfer_batch_id,otp,transaction_token\n")
	for _, b := range held {
		otp, token := d.bank.otp(b.ID)
		fmt.Fprintf(&file, "%s,%s,%s\n", b.ID, otp, token)
	}
	return step{args: []string{"submit", "--otp-file", "-"}, stdin: file.String()}
}

// mistyped enters an OTP that the bank did not send: its own have digits only.
func mistyped(b batch) step {
	return step{args: []string{"submit", "--otp-file", "-"}, stdin: "merchant_transfer_batch_id,otp,transaction_token\n" + b.ID + ",wrong,wrong\n"}
}

// repairs lists what a person may do about payouts that did not go through,
// and, for whatever reason, about batches whose OTP has come.
func (d *desk) repairs(v view) []step {
	var all []step
	for _, id := range v.retryable() {
		all = append(all, step{args: []string{"retry", id}})
	}
	for _, b := range v.in(ledger.BatchHeld, ledger.BatchInitiateUnknown) {
		all = append(all, abandon(b))
	}
	for _, b := range v.in(ledger.BatchSubmitUnknown, ledger.BatchSubmitting) {
		all = append(append(all, d.resolve(b, "submitted")...), d.resolve(b, "not-submitted")...)
	}
	return all
}

// printed lists the repairs that payrun itself printed at the end of a command:
// its own next steps, as they stand there.
func printed(o outcome) []step {
	var failure struct {
		Message string `json:"message"`
	}
	if json.Unmarshal([]byte(o.err), &failure) != nil {
		return nil // nothing failed
	}
	var all []step
	for _, m := range repair.FindAllStringSubmatch(failure.Message, -1) {
		s := step{args: []string{m[1], m[2]}}
		if m[3] != "" {
			s.args = append(s.args, "--reason", m[3])
		}
		all = append(all, s)
	}
	return all
}

var repair = regexp.MustCompile(`Next: payrun (abandon|retry) (\w+)(?: --reason "([^"]*)")?`)

// finish works on undisturbed until every batch is over or named as needing a
// person, within the sittings that safety.md gives (invariant 20). In one
// sitting a person initiates, enters what OTPs have come, asks the bank, and
// repairs what payrun says needs it, as it says: each repair once, and a few
// retries, for a bank that refuses a reference does so for ever.
func (d *desk) finish() {
	d.t.Helper()
	const (
		most       = 60
		settlement = 7 // sittings after which the bank has nothing more to move
	)
	retries, followed := 3, map[string]bool{}
	d.known = d.view()
	for sitting := range most {
		var repairs []step
		takes := func(s step) { repairs = append(repairs, printed(d.takes(s))...) }
		for _, s := range d.choices(d.known) {
			if s.verb() == "load" || s.verb() == "approve" || s.verb() == "initiate" {
				takes(s)
			}
		}
		if held := (view{batches: d.batches()}).in(ledger.BatchHeld); len(held) > 0 {
			takes(d.submit(held))
		}
		d.bank.settle()
		takes(step{args: []string{"poll", "--wait", "60ms"}})
		for _, s := range repairs {
			said, again := strings.Join(s.args, " "), s.verb() == "retry"
			if followed[said] || again && retries == 0 {
				continue
			}
			if followed[said] = true; again {
				retries--
			}
			d.takes(s)
		}
		d.known = d.view()
		if len(d.known.left()) == 0 || sitting >= settlement && len(d.known.unasked()) == 0 {
			d.t.Logf("%d sittings; repairs as they were printed: %q", sitting+1, slices.Sorted(maps.Keys(followed)))
			return
		}
	}
	for _, b := range d.known.unasked() {
		d.t.Errorf("after %d sittings batch %s is %s and nobody is asked (%s)", most, b.ID, b.State, b.Note)
	}
}

// left returns the batches that are not final.
func (v view) left() []batch {
	return slices.DeleteFunc(slices.Clone(v.batches), func(b batch) bool {
		return b.State == ledger.BatchSettled || b.State == ledger.BatchRefused || b.State == ledger.BatchAbandoned || b.State == ledger.BatchSetAside
	})
}

// unasked returns the batches that are left and name no need of a person. A
// planned one waits behind the held one of its account (otp.held_at_once): there
// it is the held one that names what is needed.
func (v view) unasked() []batch {
	blocked := map[string]bool{}
	for _, b := range v.in(ledger.BatchHeld) {
		blocked[b.Account] = blocked[b.Account] || b.NeedsPerson
	}
	return slices.DeleteFunc(v.left(), func(b batch) bool {
		return b.NeedsPerson || b.State == ledger.BatchPlanned && blocked[b.Account]
	})
}

// takes runs a step to its end and wants one of the exit codes that a working
// day has: nothing is locked, damaged or broken.
func (d *desk) takes(s step) outcome {
	d.t.Helper()
	o := d.start(s).wait()
	d.ordinary(s, o)
	return o
}

func (d *desk) ordinary(s step, o outcome) {
	d.t.Helper()
	switch {
	case slices.Contains([]int{0, 5, 12, 13, 14, 15, 16, 130}, o.exit):
	case o.exit == 2, o.exit == 10: // the view was older than the ledger: not held any more, loaded already
	case o.exit == 1 && (s.verb() == "abandon" || s.verb() == "resolve"): // refused: the bank does not show that it is safe
	default:
		d.t.Fatalf("payrun %s: exit %d, signal %v\n%s%s", strings.Join(s.args, " "), o.exit, o.signal, o.out, o.err)
	}
}
