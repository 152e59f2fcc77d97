package ledger_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var t0 = time.Date(2025, 11, 3, 9, 30, 0, 0, time.UTC)

// What a call may end with, drawn once more by hand: the outcome that an event
// may record, the first where none is said.
var endings = map[ledger.BatchEvent][]ledger.Outcome{
	"initiate_accepted": {"accepted"}, "initiate_refused": {"rejected"}, "initiate_undone": {"not_sent", "rejected"},
	"initiate_lost": {"unknown"}, "echo_differs": {"accepted", "rejected", "unknown"},
	"submit_accepted": {"accepted"}, "submit_rejected": {"rejected"}, "submit_undone": {"not_sent", "rejected"}, "submit_lost": {"unknown"},
}

// Where an event leads every payout of the batch from where it is in a
// batch of that state, by hand; what is not here stays.
var togetherBy = map[ledger.BatchEvent]map[ledger.PayoutState]ledger.PayoutState{
	"initiate_accepted": {"planned": "request_initiated"},
	"seen_as_planned":   {"planned": "request_initiated"},
	"initiate_refused":  {"planned": "cancelled"},
	"refusal_stands":    {"planned": "cancelled"},
	"seen_moving":       {"planned": "request_initiated"},
	"doubt_expired":     {"planned": "cancelled", "request_initiated": "cancelled"},
	"abandoned":         {"planned": "cancelled", "request_initiated": "cancelled"},
}

// In which state the payouts of a batch are when nothing was observed but the
// echo.
func payoutsIn(s ledger.BatchState) ledger.PayoutState {
	switch s {
	case ledger.BatchHeld, ledger.BatchSubmitting, ledger.BatchSubmitUnknown:
		return ledger.PayoutRequestInitiated
	case ledger.BatchSubmitted:
		return ledger.PayoutPending
	case ledger.BatchSettled:
		return ledger.PayoutSuccess
	case ledger.BatchRefused, ledger.BatchAbandoned, ledger.BatchSetAside:
		return ledger.PayoutCancelled
	}
	return ledger.PayoutPlanned
}

// standing is a batch of two payouts in a state, as it comes to be there.
func standing(s ledger.BatchState) ledger.BatchRecord {
	k := ledger.BatchRecord{
		LedgerID: "LEDGER", SheetContent: strings.Repeat("a", 64),
		Batch: ledger.Batch{ID: "prbatch", SheetID: "shsheet", Sequence: 3, Attempt: 1, State: s, BankAccountID: "acct", PartnerBankID: 3,
			TransactionTypeID: "NEFT", Count: 2, Total: 300_00, Note: "a note", CreatedAt: t0, UpdatedAt: t0, StateSince: t0},
	}
	for i := range 2 {
		a := ledger.KnownAttempt{Attempt: ledger.Attempt{
			Payout: ledger.Payout{ID: int64(i + 1), Ref: fmt.Sprintf("INV-%d", i+1), Amount: ledger.Paise(100_00 * (i + 1))},
			Number: 1, WireRef: fmt.Sprintf("INV-%d", i+1), BatchID: k.Batch.ID, State: payoutsIn(s)}}
		k.Attempts = append(k.Attempts, a)
	}
	done := func(kind ledger.CallKind, o ledger.Outcome) {
		k.Intents = append(k.Intents, ledger.Intent{Kind: kind, PayloadSHA256: "sha", At: t0, Outcome: o, EndedAt: t0})
	}
	switch s {
	case ledger.BatchInitiating:
		done(ledger.CallInitiate, "")
	case ledger.BatchInitiateUnknown:
		done(ledger.CallInitiate, ledger.Unknown)
	case ledger.BatchHeld, ledger.BatchQuarantined:
		done(ledger.CallInitiate, ledger.Accepted)
	case ledger.BatchSubmitting:
		done(ledger.CallInitiate, ledger.Accepted)
		done(ledger.CallSubmit, "")
	case ledger.BatchSubmitUnknown, ledger.BatchSetAside:
		done(ledger.CallInitiate, ledger.Accepted)
		done(ledger.CallSubmit, ledger.Unknown)
	case ledger.BatchSubmitted, ledger.BatchSettled:
		done(ledger.CallInitiate, ledger.Accepted)
		done(ledger.CallSubmit, ledger.Accepted)
	case ledger.BatchRefused:
		done(ledger.CallInitiate, ledger.Rejected)
	}
	return k
}

func step(s ledger.BatchState, e ledger.BatchEvent) ledger.Step {
	st := ledger.Step{BatchID: "prbatch", Actor: "asha", From: s, Event: e, At: t0.Add(time.Hour), Note: "what happened"}
	if e == ledger.InitiateIntended || e == ledger.SubmitIntended {
		st.PayloadSHA256 = strings.Repeat("f", 64)
		st.Looks = []ledger.StatusCheck{notKnown("prbatch")}
	}
	if e == ledger.LateAnswer {
		st.Outcome = ledger.Accepted
	}
	return st
}

// notKnown is a look that was answered in the bank's own word.
func notKnown(id string) ledger.StatusCheck {
	return ledger.StatusCheck{BatchID: id, At: t0, Answer: ledger.LookNotKnown, NotFoundReply: ledger.NotFoundReply{HTTPStatus: 404, Code: "SVC_CB_FT_014"}}
}

// change is what the step does to a ledger that holds k, as its audit trail tells.
func change(s ledger.Step, k ledger.BatchRecord) (ledger.Change, error) {
	k.Trail = ledger.TrailDigest{Members: k.MembersDigest().String(), StateDigest: k.StateDigest().String()}
	return s.Change(k)
}

func mustChange(t *testing.T, s ledger.Step, k ledger.BatchRecord) ledger.Change {
	t.Helper()
	c, err := change(s, k)
	if err != nil {
		t.Fatalf("%s in %s: %v", s.Event, s.From, err)
	}
	return c
}

// Every event in every state with every outcome: what the machine and the table
// of endings allow is done, and everything else is ErrTransition and nothing.
func TestEveryEventInEveryStateWithEveryOutcome(t *testing.T) {
	outcomes := []ledger.Outcome{"", ledger.NotSent, ledger.Accepted, ledger.Rejected, ledger.Unknown, "perhaps"}
	for _, from := range ledger.BatchStates {
		for _, event := range ledger.BatchEvents {
			for _, outcome := range outcomes {
				s := step(from, event)
				s.Outcome = outcome
				k := standing(from)
				if event == ledger.AllFinal { // only then is it legal, see below
					for i := range k.Attempts {
						k.Attempts[i].State = ledger.PayoutSuccess
					}
				}
				c, err := change(s, k)
				to, legal := machine[from][event]
				legal = legal && !event.Released() // see release_test.go
				legal = legal && (event != ledger.LateAnswer || outcome == ledger.Accepted)
				ends := legal && (from == ledger.BatchInitiating || from == ledger.BatchSubmitting)
				if ends && outcome != "" {
					legal = slices.Contains(endings[event], outcome)
				}
				if !legal {
					if !errors.Is(err, ledger.ErrTransition) || !cmp.Equal(c, ledger.Change{}) {
						t.Errorf("%s (%s) in %s: %+v, %v; want ErrTransition and nothing", event, outcome, from, c, err)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s (%s) in %s: %v", event, outcome, from, err)
					continue
				}
				holdsTogether(t, from, to, s, c, ends)
			}
		}
	}
}

// holdsTogether checks one legal change against the tables drawn by hand.
func holdsTogether(t *testing.T, from, to ledger.BatchState, s ledger.Step, c ledger.Change, ends bool) {
	t.Helper()
	what := fmt.Sprintf("%s in %s", s.Event, from)
	if c.From != from || c.Batch.State != to || c.Nothing || !c.Batch.StateSince.Equal(s.At) || !c.Batch.UpdatedAt.Equal(s.At) || c.Batch.Note != s.Note {
		t.Errorf("%s: %+v", what, c)
	}
	intends := s.Event == ledger.InitiateIntended || s.Event == ledger.SubmitIntended
	if (c.Begins != nil) != intends || (c.Ends != nil) != ends {
		t.Errorf("%s: begins %v, ends %v", what, c.Begins, c.Ends)
	}
	if intends && (c.Begins.PayloadSHA256 != s.PayloadSHA256 || !c.Begins.Open() || !c.Begins.At.Equal(s.At) || !strings.HasPrefix(string(s.Event), string(c.Begins.Kind))) {
		t.Errorf("%s: %+v", what, c.Begins)
	}
	if ends {
		want := s.Outcome
		if want == "" {
			want = endings[s.Event][0]
		}
		if c.Ends.Outcome != want || !c.Ends.EndedAt.Equal(s.At) {
			t.Errorf("%s: %+v, want outcome %s", what, c.Ends, want)
		}
	}
	stood := payoutsIn(from)
	becomes := togetherBy[s.Event][stood]
	if from == ledger.BatchSetAside { // its submit arrived after all
		becomes = ledger.PayoutDisputed
	}
	moved := 0
	for _, a := range c.Attempts {
		if a.From != stood || a.State != becomes || !a.UpdatedAt.Equal(s.At) {
			t.Errorf("%s: payout %d goes from %s to %s, want %q", what, a.ID, a.From, a.State, becomes)
		}
		moved++
	}
	if want := map[bool]int{true: 2, false: 0}[becomes != ""]; moved != want {
		t.Errorf("%s: %d payouts move, want %d", what, moved, want)
	}
	if e := c.Event; e.Kind != string(s.Event) || e.Actor != "asha" || e.BatchID != "prbatch" || e.SheetID != "shsheet" || !e.At.Equal(s.At) {
		t.Errorf("%s: event %+v", what, e)
	}
	for moment, want := range map[string][2]bool{
		"held":      {!c.Batch.HeldAt.IsZero(), to == ledger.BatchHeld},
		"submitted": {!c.Batch.SubmittedAt.IsZero(), to == ledger.BatchSubmitted},
		"tries":     {c.Batch.OTPTries == 1, s.Event == ledger.SubmitRejected},
	} {
		if want[0] != want[1] {
			t.Errorf("%s: %s %t, want %t", what, moment, want[0], want[1])
		}
	}
}

func TestAStepNeedsTheStateItThinksOf(t *testing.T) {
	for _, is := range ledger.BatchStates {
		for _, thought := range ledger.BatchStates {
			if is == thought {
				continue
			}
			if _, err := change(step(thought, ""), standing(is)); !errors.Is(err, ledger.ErrConflict) {
				t.Errorf("a note for %s on a batch that is %s: %v", thought, is, err)
			}
		}
	}
}

func TestNoCallFollowsOneThatMayHaveHadAnEffect(t *testing.T) {
	for _, call := range []struct {
		from  ledger.BatchState
		event ledger.BatchEvent
		kind  ledger.CallKind
	}{{ledger.BatchPlanned, ledger.InitiateIntended, ledger.CallInitiate}, {ledger.BatchHeld, ledger.SubmitIntended, ledger.CallSubmit}} {
		for outcome, mayFollow := range map[ledger.Outcome]bool{"": false, ledger.Unknown: false, ledger.Accepted: false, ledger.Rejected: true, ledger.NotSent: true} {
			k := standing(call.from)
			k.Intents = append(k.Intents, ledger.Intent{Kind: call.kind, Outcome: outcome})
			if _, err := change(step(call.from, call.event), k); (err == nil) != mayFollow || !mayFollow && !errors.Is(err, ledger.ErrTransition) {
				t.Errorf("%s after one that ended %q: %v", call.event, outcome, err)
			}
		}
	}
}

func TestAnOutcomeNeedsItsOpenIntent(t *testing.T) {
	for _, intents := range [][]ledger.Intent{nil, {{Kind: ledger.CallSubmit, Outcome: ledger.Rejected}}} {
		k := standing(ledger.BatchSubmitting)
		k.Intents = intents
		if _, err := change(step(ledger.BatchSubmitting, ledger.SubmitAccepted), k); !errors.Is(err, ledger.ErrConflict) {
			t.Errorf("with %v: %v", intents, err)
		}
	}
}

func TestASubmitNeedsEveryPayoutHeld(t *testing.T) {
	for _, s := range ledger.PayoutStates {
		k := standing(ledger.BatchHeld)
		k.Attempts[1].State = s
		if _, err := change(step(ledger.BatchHeld, ledger.SubmitIntended), k); (err == nil) != (s == ledger.PayoutRequestInitiated) {
			t.Errorf("with a payout that is %s: %v", s, err)
		}
	}
}

func TestHeldAtMost(t *testing.T) {
	for _, c := range []struct {
		most, waiting int
		busy          bool
	}{{0, 7, false}, {1, 0, false}, {1, 1, true}, {2, 1, false}, {2, 2, true}} {
		s, k := step(ledger.BatchPlanned, ledger.InitiateIntended), standing(ledger.BatchPlanned)
		s.HeldAtMost, k.Waiting = c.most, c.waiting
		if _, err := change(s, k); errors.Is(err, ledger.ErrBusy) != c.busy || !c.busy && err != nil {
			t.Errorf("%d waiting, at most %d: %v", c.waiting, c.most, err)
		}
	}
}

func TestWhatIsHeldWasConfirmed(t *testing.T) {
	other := ledger.Batch{ID: "prother", Total: 40}
	for _, c := range []struct {
		line      ledger.Paise
		held      []ledger.Batch
		confirmed map[string]ledger.Paise
		refused   bool
	}{
		{0, []ledger.Batch{other}, nil, false},
		{41, []ledger.Batch{other}, map[string]ledger.Paise{"prother": 40}, true}, // the batch itself was not
		{40, []ledger.Batch{other}, nil, true},
		{1_000_000_00, []ledger.Batch{other}, nil, false},
	} {
		s, k := step(ledger.BatchPlanned, ledger.InitiateIntended), standing(ledger.BatchPlanned)
		s.ConfirmAbove, s.Confirmed, k.Held = c.line, c.confirmed, c.held
		if _, err := change(s, k); errors.Is(err, ledger.ErrUnconfirmed) != c.refused || !c.refused && err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A batch is abandoned in every state in which that is legal, unless the bank
// showed one of its payouts moving; a dispute that nothing ever showed moving
// goes with it, another one stays.
func TestGivingUpABatchIsNoWordAboutWhatMoved(t *testing.T) {
	for _, c := range []struct {
		state   ledger.PayoutState
		moved   bool
		refused bool
		becomes ledger.PayoutState
	}{
		{"planned", false, false, "cancelled"}, {"request_initiated", false, false, "cancelled"},
		{"pending", true, true, ""}, {"initiated", true, true, ""}, {"success", true, true, ""},
		{"disputed", false, false, "cancelled"}, {"disputed", true, false, ""},
		{"failed", true, false, ""}, {"returned", true, false, ""}, {"cancelled", false, false, ""},
	} {
		k := standing(ledger.BatchHeld)
		k.Attempts[0].State, k.Attempts[0].Moved = c.state, c.moved
		change, err := change(step(ledger.BatchHeld, ledger.Abandoned), k)
		if c.refused {
			if !errors.Is(err, ledger.ErrTransition) {
				t.Errorf("with a payout that is %s: %v", c.state, err)
			}
			continue
		}
		var got ledger.PayoutState
		for _, a := range change.Attempts {
			if a.ID == 1 {
				got = a.State
			}
		}
		if err != nil || got != c.becomes {
			t.Errorf("a payout that is %s, shown moving %t: becomes %q, %v; want %q", c.state, c.moved, got, err, c.becomes)
		}
	}
}

func saw(k ledger.BatchRecord, i int, o ledger.Observation) ledger.Observed {
	a := k.Attempts[i].Attempt
	o.WireRef = a.WireRef
	return ledger.Observed{PayoutID: a.ID, Number: a.Number, Observation: o, Verdict: ledger.Judge(a, o)}
}

// after is what the ledger holds once the change is in.
func after(k ledger.BatchRecord, c ledger.Change) ledger.BatchRecord {
	k.Batch, k.Attempts = c.Batch, slices.Clone(k.Attempts)
	for _, a := range c.Attempts {
		for i := range k.Attempts {
			if k.Attempts[i].Key() == a.Key() {
				k.Attempts[i].Attempt = a.Attempt
			}
		}
	}
	for _, o := range c.Observations {
		for i := range k.Attempts {
			if k.Attempts[i].Key() == o.AttemptKey {
				k.Attempts[i].See(o)
			}
		}
	}
	return k
}

func TestOnlyWhatSaysSomethingNewIsRecorded(t *testing.T) {
	pending := ledger.Observation{Status: "pending", BankStatusCode: "INITIATED", OpenTxnID: "tx-1", Amount: 100_00, HasAmount: true, Error: "e"}
	k := standing(ledger.BatchSubmitted)
	k.Attempts[0].OpenTxnID = "tx-1"
	s := step(ledger.BatchSubmitted, "")
	s.Note, s.Observed = k.Batch.Note, []ledger.Observed{saw(k, 0, pending)}
	c := mustChange(t, s, k)
	if c.Nothing || len(c.Observations) != 1 || c.Observations[0].Seq != 1 || c.Event.Kind != ledger.EventObserved {
		t.Fatalf("the first answer: %+v", c)
	}
	k = after(k, c)
	s.Observed = []ledger.Observed{saw(k, 0, pending)}
	if c := mustChange(t, s, k); !c.Nothing || len(c.Observations)+len(c.Attempts) != 0 {
		t.Errorf("the same answer again: %+v", c)
	}
	for name, change := range map[string]func(*ledger.Observation){
		"status": func(o *ledger.Observation) { o.Status = "initiated" }, "code": func(o *ledger.Observation) { o.BankStatusCode = "IN_PROCESS" },
		"txn id": func(o *ledger.Observation) { o.OpenTxnID = "" }, "utr": func(o *ledger.Observation) { o.BankTxnRefID = "UTR1" },
		"no amount": func(o *ledger.Observation) { o.HasAmount = false }, "unread": func(o *ledger.Observation) { o.Unread = ledger.FieldAmount }, "error": func(o *ledger.Observation) { o.Error = "other" },
	} {
		o := pending
		change(&o)
		s.Observed = []ledger.Observed{saw(k, 0, o)}
		if c := mustChange(t, s, k); len(c.Observations) != 1 || c.Observations[0].Seq != 2 || c.Attempts[0].OpenTxnID != "tx-1" {
			t.Errorf("another %s: %+v", name, c)
		}
	}
	// Names, accounts and remarks are not kept, so they are no news.
	o := pending
	o.VendorName, o.BankAccountNumber, o.Remarks, o.IFSC = "Another", "123456789012", "x", "HDFC0000001"
	s.Observed = []ledger.Observed{saw(k, 0, o)}
	if c := mustChange(t, s, k); !c.Nothing {
		t.Errorf("what is not kept is news: %+v", c)
	}
}

func TestTheSecondReadThatFailedCountsThoughItSaysNothingNew(t *testing.T) {
	failed := ledger.Observation{Status: "failed"}
	k := standing(ledger.BatchSubmitted)
	s := step(ledger.BatchSubmitted, "")
	for read := 1; read <= 3; read++ {
		s.Observed = []ledger.Observed{saw(k, 1, failed)}
		s.Note = k.Batch.Note
		c := mustChange(t, s, k)
		if c.Nothing != (read == 3) {
			t.Errorf("read %d: %+v", read, c)
		}
		k = after(k, c)
	}
	if a := k.Attempts[1]; a.State != ledger.PayoutFailed || a.FailedReads != 2 {
		t.Errorf("after three reads: %+v", a)
	}
}

func TestWhatIsObservedMustBeOfTheBatchAndAState(t *testing.T) {
	k := standing(ledger.BatchSubmitted)
	s := step(ledger.BatchSubmitted, "")
	s.Observed = []ledger.Observed{{PayoutID: 9, Number: 1, Verdict: ledger.Verdict{State: ledger.PayoutPending}}}
	if _, err := change(s, k); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("a foreign payout: %v", err)
	}
	s.Observed = []ledger.Observed{{PayoutID: 1, Number: 1, Verdict: ledger.Verdict{State: "paid"}}}
	if _, err := change(s, k); !errors.Is(err, ledger.ErrTransition) {
		t.Errorf("a state that is none: %v", err)
	}
}

func TestANoteOrAnAttentionAloneIsAChange(t *testing.T) {
	k := standing(ledger.BatchHeld)
	same := step(ledger.BatchHeld, "")
	same.Note = k.Batch.Note
	if c := mustChange(t, same, k); !c.Nothing {
		t.Errorf("nothing: %+v", c)
	}
	for name, change := range map[string]func(*ledger.Step){
		"a note": func(s *ledger.Step) { s.Note = "other" }, "an attention": func(s *ledger.Step) { s.Attention = ledger.OTPLate },
		"the service's id": func(s *ledger.Step) { s.OpenBatchID = "ob-1" },
	} {
		s := same
		change(&s)
		if c := mustChange(t, s, k); c.Nothing || c.Batch.State != ledger.BatchHeld || !c.Batch.StateSince.Equal(t0) || c.Event.Kind != ledger.EventObserved {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func TestMomentsAreThoseOfTheFirstTime(t *testing.T) {
	k := standing(ledger.BatchSubmitting)
	k.Batch.HeldAt, k.Batch.OpenBatchID = t0, "ob-first"
	s := step(ledger.BatchSubmitting, ledger.SubmitRejected)
	s.OpenBatchID = "ob-later"
	if c := mustChange(t, s, k); !c.Batch.HeldAt.Equal(t0) || c.Batch.OpenBatchID != "ob-first" {
		t.Errorf("held again: %+v", c.Batch)
	}
	k = standing(ledger.BatchSubmitted)
	s = step(ledger.BatchSubmitted, "")
	s.Observed = []ledger.Observed{saw(k, 0, ledger.Observation{Status: "success"})}
	c := mustChange(t, s, k)
	if !c.Batch.SuccessAt.Equal(s.At) {
		t.Errorf("the first success: %+v", c.Batch)
	}
	k = after(k, c)
	s.At = s.At.Add(time.Hour)
	s.Observed = []ledger.Observed{saw(k, 0, ledger.Observation{Status: "success", BankTxnRefID: "UTR"})}
	if again := mustChange(t, s, k); !again.Batch.SuccessAt.Equal(c.Batch.SuccessAt) {
		t.Errorf("its UTR came later: %+v", again.Batch)
	}
}

func TestOnlyDoubtThatExpiredPlansAnewByItself(t *testing.T) {
	for _, event := range ledger.BatchEvents {
		for _, from := range ledger.BatchStates {
			if _, legal := machine[from][event]; !legal {
				continue
			}
			s := step(from, event)
			s.Successor = true
			k := standing(from)
			k.Batch.NeedsApproval = true
			c, err := change(s, k)
			if event != ledger.DoubtExpired {
				if !errors.Is(err, ledger.ErrTransition) || c.Successor != nil {
					t.Errorf("%s: %+v, %v", event, c.Successor, err)
				}
				continue
			}
			n := c.Successor
			if err != nil || n == nil || n.Sequence != 3 || n.Attempt != 2 || n.Total != 300_00 || n.SheetID != "shsheet" || n.Actor != "asha" ||
				n.ID != ledger.BatchID("LEDGER", strings.Repeat("a", 64), "acct", 3, 2, []string{"INV-1", "INV-2"}) || !cmp.Equal(n.Refs, []string{"INV-1", "INV-2"}) || !cmp.Equal(n.After, []ledger.AttemptKey{{PayoutID: 1, Number: 1}, {PayoutID: 2, Number: 1}}) ||
				len(n.Members) != 2 || !strings.Contains(n.Reason, "prbatch") || !n.NeedsApproval {
				t.Errorf("%+v, %v", n, err)
			}
			if e := n.Event(); e.Kind != ledger.EventPlanned || e.Words() != "2 payouts of ₹300.00; attempt 2" || e.BatchID != n.ID {
				t.Errorf("%+v", e)
			}
		}
	}
}

func TestTheAuditTrailSaysWhatHappened(t *testing.T) {
	k := standing(ledger.BatchSubmitting)
	s := step(ledger.BatchSubmitting, ledger.SubmitRejected)
	s.HTTPStatus, s.Code, s.Message, s.Outcome, s.Attention = 400, "SVC_CB_FT_001", "OTP "+strings.Repeat("x", ledger.MessageLimit), ledger.Rejected, ledger.OTPSpent
	s.Observed = []ledger.Observed{saw(k, 0, ledger.Observation{Status: "pending", BankAccountNumber: "123456789012"})}
	c := mustChange(t, s, k)
	if want := "outcome rejected; HTTP 400; code SVC_CB_FT_001; observed 1 pending; note: what happened; needs otp_spent"; c.Event.Words() != want {
		t.Errorf("%q, want %q", c.Event.Words(), want)
	}
	if len([]rune(c.Ends.Message)) != ledger.MessageLimit {
		t.Errorf("the bank's words are kept in %d runes", len([]rune(c.Ends.Message)))
	}
	if text := fmt.Sprintf("%+v", c); strings.Contains(text, "123456789012") {
		t.Error("an account number is in what is recorded")
	}
}

func TestRecoveryDoubtsWhatWasUnderWayAndNothingElse(t *testing.T) {
	for _, state := range ledger.BatchStates {
		k := standing(state)
		s, ok := k.Batch.Recovery("ravi", t0.Add(time.Hour))
		if want := state == ledger.BatchInitiating || state == ledger.BatchSubmitting; ok != want {
			t.Errorf("%s: %t", state, ok)
		}
		if !ok {
			continue
		}
		c := mustChange(t, s, k)
		if !strings.HasSuffix(string(c.Batch.State), "_unknown") || c.Ends == nil || c.Ends.Outcome != ledger.Unknown || c.Event.Actor != "ravi" || len(c.Attempts) != 0 {
			t.Errorf("%s: %+v", state, c)
		}
	}
}

// A change is of the step and the ledger alone: what it was made from is not
// touched, and it is the same each time.
func TestAChangeTouchesNothing(t *testing.T) {
	k := standing(ledger.BatchHeld)
	s := step(ledger.BatchHeld, ledger.SeenMoving)
	s.Observed = []ledger.Observed{saw(k, 0, ledger.Observation{Status: "pending"}), saw(k, 1, ledger.Observation{Status: "success"})}
	first := mustChange(t, s, k)
	if d := cmp.Diff(standing(ledger.BatchHeld), k, cmp.Comparer(func(a, b ledger.Users) bool { return reflect.DeepEqual(a, b) })); d != "" {
		t.Errorf("what the ledger holds (-before +after):\n%s", d)
	}
	if d := cmp.Diff(first, mustChange(t, s, k)); d != "" {
		t.Errorf("once more:\n%s", d)
	}
}

func TestABatchIsSettledOnlyWhenEveryPayoutIsFinal(t *testing.T) {
	for _, state := range ledger.PayoutStates {
		k := standing(ledger.BatchSubmitted)
		k.Attempts[0].State, k.Attempts[1].State = ledger.PayoutSuccess, state
		if _, err := change(step(ledger.BatchSubmitted, ledger.AllFinal), k); errors.Is(err, ledger.ErrTransition) == state.Final() || (err == nil) != state.Final() {
			t.Errorf("with a payout that is %s: %v", state, err)
		}
	}
}

// No matter who came to a verdict: what an attempt cannot become is not recorded.
func TestAVerdictLeadsOnlyWhereAnAttemptCanGo(t *testing.T) {
	for _, from := range ledger.PayoutStates {
		for _, to := range append([]ledger.PayoutState{"", "paid"}, ledger.PayoutStates[:]...) {
			k := standing(ledger.BatchSubmitted)
			k.Attempts[0].State = from
			s := step(ledger.BatchSubmitted, "")
			s.Observed = []ledger.Observed{{PayoutID: 1, Number: 1, Observation: ledger.Observation{Status: "odd"}, Verdict: ledger.Verdict{State: to}}}
			may := from.MayBecome(to) && (from != ledger.PayoutDisputed || to == from) // people end a dispute
			if _, err := change(s, k); (err == nil) != may || err != nil && !errors.Is(err, ledger.ErrTransition) {
				t.Errorf("%s → %s: %v", from, to, err)
			}
		}
	}
}

// Nothing but a refusal is dealt with; that moves nothing, and is an event of its own.
func TestOnlyARefusalIsDealtWith(t *testing.T) {
	for _, state := range ledger.BatchStates {
		k := ledger.BatchRecord{Batch: ledger.Batch{ID: "pr1", State: state}}
		s := ledger.Step{BatchID: "pr1", Actor: "asha", From: state, At: t0, Attention: ledger.Acknowledged, Person: "paid by hand", Note: "dealt with: paid by hand"}
		c, err := s.Change(k)
		if state != ledger.BatchRefused {
			if !errors.Is(err, ledger.ErrTransition) {
				t.Errorf("%s: %v", state, err)
			}
			continue
		}
		if err != nil || c.Batch.State != state || c.Event.Kind != ledger.EventDealtWith || c.Event.Words() != "by a person: paid by hand; note: dealt with: paid by hand" {
			t.Errorf("%+v, %v", c, err)
		}
		s.Note = "seen again"
		if c, err := s.Change(ledger.BatchRecord{Batch: c.Batch}); err != nil || c.Event.Kind != ledger.EventObserved {
			t.Errorf("a step later: %+v, %v", c.Event, err)
		}
	}
}

// Another number of the debit account stays, whatever else is noted, until an answer replaces it or a
// person decides about the batch.
func TestAnotherNumberStays(t *testing.T) {
	k := ledger.BatchRecord{Batch: ledger.Batch{ID: "pr1", State: ledger.BatchHeld, OtherNumber: "XXXX0010"}}
	for what, c := range map[string]struct {
		step ledger.Step
		want string
	}{
		"a note":                   {ledger.Step{Note: "not sent: no answer", Attention: ledger.BlockedByStatus}, "XXXX0010"},
		"a call":                   {ledger.Step{Event: ledger.EchoDiffers}, "XXXX0010"},
		"another number":           {ledger.Step{OtherNumber: new("XXXX0020")}, "XXXX0020"},
		"the configured number":    {ledger.Step{OtherNumber: new("")}, ""},
		"a person who abandons it": {ledger.Step{Event: ledger.Abandoned, Person: "sent by mail"}, ""},
		"nothing":                  {ledger.Step{}, "XXXX0010"},
	} {
		c.step.BatchID, c.step.From, c.step.At = "pr1", ledger.BatchHeld, t0
		done, err := c.step.Change(k)
		if err != nil || done.Batch.OtherNumber != c.want || done.Batch.Differed() != (c.want != "") {
			t.Errorf("%s: %q, %t, %v; want %q", what, done.Batch.OtherNumber, done.Batch.Differed(), err, c.want)
		}
	}
}

// What the bank answered to a call is not said of the next.
func TestARefusalEndsWithTheNextCall(t *testing.T) {
	k := ledger.BatchRecord{Batch: ledger.Batch{ID: "pr1", State: ledger.BatchPlanned, Refusal: "HTTP 409"}}
	s := ledger.Step{BatchID: "pr1", From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: t0, PayloadSHA256: "x",
		Looks: []ledger.StatusCheck{{BatchID: "pr1", At: t0, Answer: ledger.LookNotKnown, NotFoundReply: ledger.NotFoundReply{HTTPStatus: 404}}}}
	c, err := change(s, k)
	if err != nil || c.Batch.Refusal != "" {
		t.Errorf("%q, %v", c.Batch.Refusal, err)
	}
}
