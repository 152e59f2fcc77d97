package submitter_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// neverAnswers is a bank that answers no initiate and no status, and tells which
// batch was looked up.
type neverAnswers struct {
	submitter.Bank
	asked func(id string)
}

func (b neverAnswers) Initiate(context.Context, ledger.Payload) (ledger.Answer, error) {
	return ledger.Answer{}, &ledger.CallError{Op: "initiate", Outcome: ledger.Unknown, HTTPStatus: 502}
}

func (b neverAnswers) ReadStatus(ctx context.Context, id string, n int, tries ledger.Patience) (ledger.StatusRead, error) {
	if tries != ledger.AskOnce {
		return b.Bank.ReadStatus(ctx, id, n, tries)
	}
	b.asked(id)
	return ledger.StatusRead{}, &ledger.CallError{Op: "status", Outcome: ledger.Unknown, HTTPStatus: 502}
}

// Lost answers are looked up at 1, 2, 4, 8 and 16 times poll.first, all of
// them each time, and one try an ask (contract.md, "Commands").
func TestTheScheduleOfLostAnswers(t *testing.T) {
	d := newDesk(t, func(s *submitter.Settings) { s.InFlight = 1 }) // one after the other, so that the order is sure
	one, other := d.load(payouts{account: pb3, bank: 3, n: 1})[0], d.load(payouts{account: pb4, bank: 4, n: 1})[0]
	var asked, waits []string
	bank := neverAnswers{d.client, func(id string) { asked = append(asked, id) }}
	d.set.Progress = func(_, text string) {
		if wait, ok := strings.CutPrefix(text, "asking the bank about 2 lost answer(s) in "); ok {
			waits = append(waits, wait)
		}
	}
	r := d.verb(submitter.New(d.store, bank, d.set).Initiate(t.Context(), nil, 0))
	if want := []string{"1ms", "1ms", "2ms", "4ms", "8ms"}; !slices.Equal(waits, want) {
		t.Errorf("waited %v between asks, want %v", waits, want)
	}
	if want := slices.Repeat([]string{one.ID, other.ID}, 5); !slices.Equal(asked, want) {
		t.Errorf("asked about %v, want %v", asked, want)
	}
	if len(r) != 2 || r[0].Outcome != submitter.OutcomeUnknown || r[1].Outcome != submitter.OutcomeUnknown {
		t.Errorf("%+v", r)
	}
	d.sound()
}

// A poll tells silence from an answer. That the bank does not know the batch is
// an answer.
func TestAPollTellsSilenceFromAnAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		code   string
		silent bool
	}{
		"it does not know the batch":       {404, "SVC_CB_FT_001", false},
		"a 500 that is no word of it":      {500, "SVC_CB_FT_900", true},
		"no answer that could be read":     {502, "", true},
		"a request that came too late":     {408, "", true},
		"200, and none of its payouts":     {200, "", false},
		"a no that is not the usual word":  {403, "SVC_CB_FT_002", false},
		"so many requests that it refuses": {429, "SVC_429", true},
	} {
		t.Run(name, func(t *testing.T) {
			d, b := withHeld(t, 1)
			bank := wordy{Bank: d.client, status: c.status, code: c.code, known: func(string) bool { return false }}
			r := d.verb(submitter.New(d.store, bank, d.set).Poll(t.Context(), []string{b.ID}, 0))
			if r[0].Silent != c.silent {
				t.Errorf("silent %t: %+v", r[0].Silent, r[0])
			}
		})
	}
}

// took is a bank that takes an initiate, or a submit, and answers no.
type took struct {
	submitter.Bank
	no error
}

func (b took) Initiate(ctx context.Context, p ledger.Payload) (ledger.Answer, error) {
	_, _ = b.Bank.Initiate(ctx, p)
	return ledger.Answer{}, b.no
}

func (b took) Submit(context.Context, ledger.Payload, ledger.Secret, ledger.Secret) (ledger.Answer, error) {
	return ledger.Answer{}, b.no
}

// What was answered no is distinguished from what was not answered, and a no to the submit
// from an older one to initiate.
func TestAnAnsweredNoIsNoSilence(t *testing.T) {
	d := newDesk(t)
	no := took{d.client, &ledger.CallError{Op: "submit", Outcome: ledger.Unknown, HTTPStatus: 422, Answered: true, Code: "SVC_CB_FT_001", Message: "no"}}
	silent := took{d.client, &ledger.CallError{Op: "submit", Outcome: ledger.Unknown, HTTPStatus: 502}}
	for name, c := range map[string]struct {
		initiate, submit submitter.Bank
		want             ledger.Attention
	}{
		"no to the submit":               {d.client, no, ledger.SubmitNo},
		"no to both":                     {no, no, ledger.SubmitNo},
		"no to initiate, then no answer": {no, silent, ledger.SubmitUnanswered},
	} {
		t.Run(name, func(t *testing.T) {
			b := d.load(payouts{account: pb3, bank: 3, n: 1})[0]
			d.verb(submitter.New(d.store, c.initiate, d.set).Initiate(t.Context(), []string{b.ID}, 0))
			d.want(b.ID, ledger.BatchHeld, states{"request_initiated": 1})
			d.asks(b.ID, ledger.OTPWaiting)
			d.verb(submitter.New(d.store, c.submit, d.set).Submit(t.Context(), []submitter.OTP{d.otp(b.ID)}))
			if got := d.batch(b.ID); got.State != ledger.BatchSubmitUnknown || got.Asks() != c.want {
				t.Errorf("%s asks for %s, want %s", got.State, got.Asks(), c.want)
			}
			d.later(25 * time.Hour)
			d.poll(b.ID)
			d.asks(b.ID, ledger.SubmitOverdue)
		})
	}
	d.sound()
}

// The bank took a batch, and never shows its amounts: what it holds cannot be judged, and
// it is never planned again by itself (safety.md, "Outcome of a call"). It asks for
// something else while the bank shows a status that its interface does not list: then it
// cannot be abandoned.
func TestAQuarantinedBatchWithAnUnlistedStatus(t *testing.T) {
	d, b := withPlanned(t, 1)
	d.became(d.verb(d.with(silentOnAmounts(d.client)).Initiate(t.Context(), nil, 0)), submitter.OutcomeQuarantined)
	d.want(b.ID, ledger.BatchQuarantined, states{"planned": 1})
	odd := another{Bank: d.client, status: map[string]string{"S1-G0-000": "ON_HOLD"}}
	d.verb(d.with(odd).Poll(t.Context(), nil, 0))
	d.asks(b.ID, ledger.EchoUnlisted, "ON_HOLD")
	d.notAbandoned(odd, b.ID, "abandoned")
	d.poll()
	if got := d.batch(b.ID); got.Asks() != ledger.EchoDiffered || strings.Contains(got.Note, "ON_HOLD") {
		t.Errorf("after that it asks for %s: %q", got.Asks(), got.Note)
	}
	d.abandon(d.client, b.ID, "x")
	d.want(b.ID, ledger.BatchAbandoned, states{"cancelled": 1})
	d.sound()
}

// A bank may show a batch whose OTP expired with a status of its own, or without one, for good. The batch then stops no
// other of its debit account, and two people release it.
func TestAHeldBatchWhoseStatusStaysUnlistedIsQuarantined(t *testing.T) {
	for _, status := range []string{"EXPIRED", ""} {
		t.Run(status, func(t *testing.T) { staysUnlisted(t, status) })
	}
}

func staysUnlisted(t *testing.T, status string) {
	d, b := withHeld(t, 1)
	d.later(d.set.DoubtQuiet)
	odd := d.with(another{Bank: d.client, status: map[string]string{"S1-G0-000": status}})
	d.verb(odd.Poll(t.Context(), nil, 0))
	d.want(b.ID, ledger.BatchHeld, states{"request_initiated": 1})
	d.asks(b.ID, ledger.StatusUnlisted, `"`+status+`"`)
	d.later(d.set.DoubtQuiet / 2)
	d.verb(odd.Poll(t.Context(), nil, 0))
	d.want(b.ID, ledger.BatchHeld, states{"request_initiated": 1})
	next := d.load(payouts{account: pb3, bank: 3, n: 1})[0]
	d.became(d.initiate(next.ID), submitter.OutcomeWaiting)
	d.later(d.set.DoubtQuiet)
	d.became(d.verb(odd.Poll(t.Context(), nil, 0)), submitter.OutcomeQuarantined)
	d.asks(b.ID, ledger.EchoUnlisted, `"`+status+`"`)
	d.became(d.initiate(next.ID), submitter.OutcomeHeld)
	d.withStatement()
	d.later(6 * 24 * time.Hour)
	d.both(another{Bank: d.client, status: map[string]string{"S1-G0-000": status}}, notPaid(b.ID))
	d.want(b.ID, ledger.BatchSetAside, states{"cancelled": 1})
	d.sound()
}

// A person says of a refusal that it is dealt with; that moves nothing, and
// nothing else is dealt with so.
func TestARefusalIsDealtWith(t *testing.T) {
	d, b := withPlanned(t, 1)
	no := answersNo{d.client, &ledger.CallError{Op: "initiate", Outcome: ledger.Rejected, HTTPStatus: 400, Answered: true, Code: "SVC_CB_FT_002"}}
	d.verb(submitter.New(d.store, no, d.set).Initiate(t.Context(), nil, 0))
	d.want(b.ID, ledger.BatchRefused, states{"cancelled": 1})
	for _, outcome := range []string{submitter.OutcomeAbandoned, submitter.OutcomeUnchanged} {
		r, err := d.engine().Abandon(t.Context(), b.ID, "paid by hand")
		if err != nil || r.Outcome != outcome || r.Batch.State != ledger.BatchRefused || r.Batch.Asks() != ledger.NeedsNothing {
			t.Errorf("%+v, %v", r, err)
		}
	}
	d.poll()
	if got := d.batch(b.ID); got.Attention != ledger.Acknowledged || got.Note != "dealt with: paid by hand" {
		t.Errorf("a poll later: %q, %q", got.Attention, got.Note)
	}
	d.sound()
}

// forgetful is a store that cannot record how a submit ended.
type forgetful struct{ submitter.Store }

func (s forgetful) Apply(ctx context.Context, step ledger.Step) error {
	if step.Event == ledger.SubmitAccepted {
		return ledger.ErrLocked
	}
	return s.Store.Apply(ctx, step)
}

// A call whose outcome could not be recorded is among the results all the same:
// the person who reads them must not take it for never made.
func TestACallThatCouldNotBeRecordedIsTold(t *testing.T) {
	d, b := withHeld(t, 1)
	r, err := submitter.New(forgetful{d.store}, d.client, d.set).Submit(t.Context(), []submitter.OTP{d.otp(b.ID)})
	if !errors.Is(err, ledger.ErrLocked) || len(r) != 1 || r[0].Outcome != submitter.OutcomeUnknown || r[0].Batch.State != ledger.BatchSubmitting {
		t.Errorf("%+v, %v", r, err)
	}
}
