package ledger_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"payrun/ledger"
)

func shown(id string, complete bool, payouts ...ledger.Observation) ledger.StatusCheck {
	return ledger.StatusCheck{BatchID: id, At: t0, Answer: ledger.LookShown, Closed: complete, Complete: complete, Payouts: payouts, Why: "page 2"}
}

func silent(id string) ledger.StatusCheck {
	return ledger.StatusCheck{BatchID: id, At: t0, Answer: ledger.LookUnanswered, Why: "no answer in 30s"}
}

func said(ref, status string) ledger.Observation {
	return ledger.Observation{WireRef: ref, Status: status}
}

// following is the submit of a second attempt, whose first one was in prold, and a look at that.
func following(first ledger.Attempt, in ledger.BatchState, look ledger.StatusCheck) (ledger.Step, ledger.BatchRecord) {
	s, k := step(ledger.BatchHeld, ledger.SubmitIntended), standing(ledger.BatchHeld)
	a := &k.Attempts[0]
	a.Number = 2
	first.Payout, first.Number, first.WireRef, first.BatchID = a.Payout, 1, "INV-1", "prold"
	a.Records = []ledger.AttemptRecord{{Attempt: first, Batch: ledger.Batch{ID: "prold", BankAccountID: "acct", State: in}}, {Attempt: a.Attempt, Batch: k.Batch}}
	s.Looks, s.Statements = []ledger.StatusCheck{notKnown("prbatch"), look}, map[string]ledger.StatementFetch{"acct": ledger.StatementFromBank}
	return s, k
}

// verdict of a look: go on, ask again, or never, with what a person does then.
func verdict(err error) string {
	look, ok := errors.AsType[*ledger.LookError](err)
	switch {
	case err == nil:
		return "go"
	case !ok || !errors.Is(err, ledger.ErrLook):
		return "another error"
	case look.Unanswered:
		return "ask"
	case look.Do == "":
		return "never, and no one learns what to do"
	}
	return "never"
}

func TestAnInitiateNeedsTheBankNotToKnowTheBatch(t *testing.T) {
	for name, c := range map[string]struct {
		looks []ledger.StatusCheck
		want  string
	}{
		"not known":                  {[]ledger.StatusCheck{notKnown("prbatch")}, "go"},
		"not asked":                  {nil, "ask"},
		"asked about another":        {[]ledger.StatusCheck{notKnown("prother")}, "ask"},
		"no answer":                  {[]ledger.StatusCheck{silent("prbatch")}, "ask"},
		"shown":                      {[]ledger.StatusCheck{shown("prbatch", true, said("INV-1", "request_initiated"))}, "never"},
		"shown, and then broken off": {[]ledger.StatusCheck{shown("prbatch", false, said("INV-1", "success"))}, "never"},
	} {
		s := step(ledger.BatchPlanned, ledger.InitiateIntended)
		s.Looks = c.looks
		done, err := change(s, standing(ledger.BatchPlanned))
		if verdict(err) != c.want || (err == nil) != (done.Begins != nil) || err == nil && len(done.Looks) != 1 {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestTheLastLookAtTheBatchItself(t *testing.T) {
	untouched := []ledger.Observation{said("INV-1", "request_initiated"), said("INV-2", "request_initiated")}
	for name, c := range map[string]struct {
		listed ledger.Listing
		look   ledger.StatusCheck
		want   string
	}{
		"not known, at a bank that was not asked":           {"", notKnown("prbatch"), "go"},
		"not known, at a bank that hides held batches":      {ledger.ListingNo, notKnown("prbatch"), "go"},
		"not known, at a bank that shows them":              {ledger.ListingYes, notKnown("prbatch"), "ask"},
		"all as they were echoed":                           {ledger.ListingYes, shown("prbatch", true, untouched...), "go"},
		"all as they were echoed, of a read that broke off": {ledger.ListingYes, shown("prbatch", false, untouched...), "ask"},
		"one moves":                           {"", shown("prbatch", true, untouched[0], said("INV-2", "pending")), "never"},
		"one failed":                          {"", shown("prbatch", true, untouched[0], said("INV-2", "failed")), "never"},
		"one says what is not listed":         {"", shown("prbatch", true, untouched[0], said("INV-2", "ON_HOLD")), "never"},
		"one moves, of a read that broke off": {"", shown("prbatch", false, said("INV-2", "success")), "never"},
		"no answer":                           {ledger.ListingNo, silent("prbatch"), "ask"},
	} {
		s, k := step(ledger.BatchHeld, ledger.SubmitIntended), standing(ledger.BatchHeld)
		s.Looks, k.Batch.Listed = []ledger.StatusCheck{c.look}, c.listed
		got, err := change(s, k)
		if verdict(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		if err == nil && got.Batch.Listed != c.look.Listing() {
			t.Errorf("%s: the intent keeps %q of whether the bank lists it", name, got.Batch.Listed)
		}
	}
	s := step(ledger.BatchHeld, ledger.SubmitIntended)
	s.Looks = nil
	if _, err := change(s, standing(ledger.BatchHeld)); verdict(err) != "ask" {
		t.Errorf("without a look: %v", err)
	}
}

func TestTheLastLookAtEarlierAttempts(t *testing.T) {
	returned := ledger.Observation{WireRef: "INV-1", Status: "success", BankStatusCode: ledger.CodeReturned}
	still := ledger.Observation{WireRef: "INV-1", Status: "pending", BankStatusCode: "IN_PROCESS", OpenTxnID: "tx"}
	moved := still
	moved.OpenTxnID = "ty"
	of := func(s ledger.PayoutState) ledger.Attempt { return ledger.Attempt{State: s} }
	released := ledger.Attempt{State: ledger.PayoutCancelled, Resolved: ledger.ResolutionNotPaid, Status: "pending", BankStatusCode: "IN_PROCESS", OpenTxnID: "tx"}
	unknown := ledger.Attempt{State: ledger.PayoutCancelled, Resolved: ledger.ResolutionGone, Status: "failed"}
	for name, c := range map[string]struct {
		earlier ledger.Attempt
		look    ledger.StatusCheck
		want    string
	}{
		"failed, and shown so":                      {of("failed"), shown("prold", true, said("INV-1", "failed")), "go"},
		"failed, and shown so of a read that broke": {of("failed"), shown("prold", false, said("INV-1", "failed")), "ask"},
		"failed, and shown as paid":                 {of("failed"), shown("prold", true, said("INV-1", "success")), "never"},
		"failed, and shown as paid, broken off":     {of("failed"), shown("prold", false, said("INV-1", "success")), "never"},
		"failed, and shown as something else":       {of("failed"), shown("prold", true, said("INV-1", "ON_HOLD")), "never"},
		"failed, and no longer known":               {of("failed"), notKnown("prold"), "ask"},
		"failed, and left out":                      {of("failed"), shown("prold", true, said("INV-2", "failed")), "ask"},
		"failed, and no answer":                     {of("failed"), silent("prold"), "ask"},
		"returned, and shown so":                    {of("returned"), shown("prold", true, returned), "go"},
		"returned, and shown as paid":               {of("returned"), shown("prold", true, said("INV-1", "success")), "never"},
		"returned, and not known":                   {of("returned"), notKnown("prold"), "ask"},
		"abandoned, and not known":                  {of("cancelled"), notKnown("prold"), "go"},
		"abandoned, and still as echoed":            {of("cancelled"), shown("prold", true, said("INV-1", "request_initiated")), "go"},
		"abandoned, and moving":                     {of("cancelled"), shown("prold", true, said("INV-1", "pending")), "never"},
		"abandoned, and moving, broken off":         {of("cancelled"), shown("prold", false, said("INV-1", "pending")), "never"},
		"abandoned, and another page is missing":    {of("cancelled"), shown("prold", false, said("INV-2", "request_initiated")), "ask"},
		"abandoned, and not asked":                  {of("cancelled"), notKnown("prother"), "ask"},
		"released, and shown just so":               {released, shown("prold", true, still), "go"},
		"released, and shown otherwise":             {released, shown("prold", true, moved), "never"},
		"released, and no longer known":             {released, notKnown("prold"), "ask"},
		"released as not known, and still so":       {unknown, notKnown("prold"), "go"},
		"released as not known, and shown":          {unknown, shown("prold", true, said("INV-1", "failed")), "never"},
	} {
		if _, err := change(following(c.earlier, ledger.BatchSettled, c.look)); verdict(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// The bank's own statement of every debit account that a payout had is read before each
// attempt but the first, and before every one where a copy was accepted or the batch
// was held for long.
func TestAStatementIsReadBeforeASubmit(t *testing.T) {
	const long = 2 * time.Hour
	for name, c := range map[string]struct {
		retry, copied bool
		held          time.Duration
		read          map[string]ledger.StatementFetch
		want          string
	}{
		"a first attempt":            {false, false, 0, nil, "go"},
		"a retry":                    {true, false, 0, nil, "ask"},
		"of one account":             {true, false, 0, map[string]ledger.StatementFetch{"acct": ledger.StatementFromBank}, "ask"},
		"of both":                    {true, false, 0, map[string]ledger.StatementFetch{"acct": ledger.StatementFromBank, "old": ledger.StatementFromBank}, "go"},
		"the interface gives none":   {true, false, 0, map[string]ledger.StatementFetch{"acct": ledger.StatementOnRecord, "old": ledger.StatementOnRecord}, "go"},
		"one could not be read":      {true, false, 0, map[string]ledger.StatementFetch{"acct": ledger.StatementFromBank, "old": ledger.StatementFailed}, "ask"},
		"a copy was accepted":        {false, true, 0, nil, "ask"},
		"a copy, and it was read":    {false, true, 0, map[string]ledger.StatementFetch{"acct": ledger.StatementFromBank}, "go"},
		"a copy, and it was not now": {false, true, 0, map[string]ledger.StatementFetch{"acct": ledger.StatementFailed}, "ask"},
		"held for long":              {false, false, long, nil, "ask"},
		"held, and it was read":      {false, false, long, map[string]ledger.StatementFetch{"acct": ledger.StatementFromBank}, "go"},
	} {
		s, k := step(ledger.BatchHeld, ledger.SubmitIntended), standing(ledger.BatchHeld)
		if c.copied {
			k.RestoredSince = t0
		}
		s.OTPWindow, k.Batch.HeldAt = time.Hour, s.At.Add(-c.held)
		for i := range k.Attempts {
			a := &k.Attempts[i]
			a.Records = []ledger.AttemptRecord{{Attempt: a.Attempt, Batch: k.Batch}}
		}
		if a := &k.Attempts[0]; c.retry {
			a.Number = 2
			first := ledger.Attempt{Payout: a.Payout, Number: 1, WireRef: a.WireRef, BatchID: "prold", State: ledger.PayoutCancelled}
			a.Records = []ledger.AttemptRecord{{Attempt: first, Batch: ledger.Batch{ID: "prold", BankAccountID: "old"}}, {Attempt: a.Attempt, Batch: k.Batch}}
		}
		s.Looks, s.Statements = []ledger.StatusCheck{notKnown("prbatch"), notKnown("prold")}, c.read
		for _, id := range slices.Concat(k.MovedIDs(), k.CopyIDs()) {
			s.Looks = append(s.Looks, notKnown(id))
		}
		if _, err := change(s, k); verdict(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// Where an older copy was accepted, the ids that the lost ledger gave the same payouts are
// looked up however short the batch was held.
func TestTheIDsOfALostLedgerAreAskedAbout(t *testing.T) {
	k := standing(ledger.BatchHeld)
	k.Batch.HeldAt = t0
	if ids := k.CopiesAsked(nil, time.Hour, t0.Add(time.Minute), []string{"other"}); len(ids) > 0 {
		t.Errorf("without a copy: %v", ids)
	}
	k.RestoredSince = t0.Add(-time.Hour)
	if ids := k.CopiesAsked(nil, time.Hour, t0.Add(time.Minute), []string{"other"}); !slices.Equal(ids, k.CopyIDs()) {
		t.Errorf("%v, want %v", ids, k.CopyIDs())
	}
}

// A copy may have abandoned the batch and corrected its debit account: where the batch was held for long, the ids
// at every configured account are asked for, and one that the bank shows forbids the submit.
func TestACopyThatCorrectedTheDebitAccountIsFound(t *testing.T) {
	for _, refs := range [][]string{{"INV-1", "INV-2"}, {"INV-1-R2", "INV-2-R2"}} { // the second if the bank has shown the first
		s, k := step(ledger.BatchHeld, ledger.SubmitIntended), standing(ledger.BatchHeld)
		s.OTPWindow, s.DebitAccounts = time.Minute, []string{k.Batch.BankAccountID, "other"}
		k.Batch.HeldAt = s.At.Add(-time.Hour)
		moved := ledger.BatchID(k.LedgerID, k.SheetContent, "other", k.Batch.Sequence, k.Batch.Attempt+1, refs)
		s.Looks, s.Statements = []ledger.StatusCheck{notKnown("prbatch")}, map[string]ledger.StatementFetch{k.Batch.BankAccountID: ledger.StatementFromBank}
		for _, id := range k.CopiesAsked(s.Looks, s.OTPWindow, s.At, s.DebitAccounts) {
			if id != moved {
				s.Looks = append(s.Looks, notKnown(id))
			}
		}
		for want, look := range map[string][]ledger.StatusCheck{
			"ask": nil, "go": {notKnown(moved)}, "never": {shown(moved, true, said(refs[0], "success"))},
		} {
			asked := s
			asked.Looks = slices.Concat(s.Looks, look)
			if _, err := change(asked, k); verdict(err) != want {
				t.Errorf("%s, %d looks at the id: %v, want %s", refs, len(look), err, want)
			}
		}
	}
}

// A payout of a batch of which the bank leaves another out for good can be retried.
func TestAnEarlierPayoutThatIsShownIsEnough(t *testing.T) {
	for closed, want := range map[bool]string{true: "go", false: "ask"} {
		l := shown("prold", false, said("INV-1", "failed"))
		l.Closed = closed
		if _, err := change(following(ledger.Attempt{State: "failed", Status: "failed"}, ledger.BatchSubmitted, l)); verdict(err) != want {
			t.Errorf("closed %t: %v", closed, err)
		}
	}
}

// After an older copy was accepted nothing is initiated until the bank can show what a
// newer ledger sent.
func TestNothingIsInitiatedSoonAfterACopyWasAccepted(t *testing.T) {
	for name, c := range map[string]struct {
		accepted time.Duration // before the step; 0 for never
		bank     time.Duration // before the step; 0 for an answer without a time
		waits    bool
	}{
		"never":                {0, time.Hour, false},
		"an hour ago":          {time.Hour, 0, true},
		"two days ago":         {48 * time.Hour, 0, false},
		"in the future":        {-time.Hour, 0, true}, // the clock was set back
		"just not there":       {48*time.Hour - time.Second, 0, true},
		"not yet for the bank": {48 * time.Hour, time.Second, true}, // the clock was set forward
		"also for the bank":    {49 * time.Hour, time.Hour, false},
	} {
		s, k := step(ledger.BatchPlanned, ledger.InitiateIntended), standing(ledger.BatchPlanned)
		s.Looks, s.AfterRestore = []ledger.StatusCheck{notKnown("prbatch")}, 48*time.Hour
		if c.accepted != 0 {
			k.RestoredAt = s.At.Add(-c.accepted)
		}
		if c.bank != 0 {
			s.Looks[0].BankTime = s.At.Add(-c.bank)
		}
		_, err := change(s, k)
		_, waits := errors.AsType[*ledger.RestoredError](err)
		if waits != c.waits || !waits && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What a correction moved to another debit account, a copy of this ledger may have
// planned again for the old one: its ids there are looked up at every submit.
func TestAMovedPayoutIsLookedForUnderItsOldAccount(t *testing.T) {
	k := standing(ledger.BatchHeld)
	k.Batch.Attempt = 2
	var refs []string
	for i := range k.Attempts {
		a := &k.Attempts[i]
		a.Number, a.WireRef = 2, a.Ref+"-R2"
		first := ledger.Attempt{Payout: a.Payout, Number: 1, WireRef: a.Ref, BatchID: "prold", State: "cancelled"}
		a.Records = []ledger.AttemptRecord{{Attempt: first, Batch: ledger.Batch{ID: "prold", BankAccountID: "old"}}, {Attempt: a.Attempt, Batch: k.Batch}}
		refs = append(refs, a.WireRef)
	}
	ids := k.MovedIDs()
	if sibling := ledger.BatchID(k.LedgerID, k.SheetContent, "old", k.Batch.Sequence, 2, refs); len(ids) != 9 || ids[0] != sibling {
		t.Fatalf("%v, which should begin with %s", ids, sibling)
	}
	for name, c := range map[string]struct {
		change func(looks []ledger.StatusCheck) []ledger.StatusCheck
		want   string
	}{
		"none is known":  {func(l []ledger.StatusCheck) []ledger.StatusCheck { return l }, "go"},
		"not asked":      {func(l []ledger.StatusCheck) []ledger.StatusCheck { return l[:2] }, "ask"},
		"one unanswered": {func(l []ledger.StatusCheck) []ledger.StatusCheck { l[3] = silent(l[3].BatchID); return l }, "ask"},
		"one is shown": {func(l []ledger.StatusCheck) []ledger.StatusCheck {
			l[2] = shown(l[2].BatchID, true, said("INV-1-R2", "request_initiated"))
			return l
		}, "never"},
	} {
		looks := []ledger.StatusCheck{notKnown("prbatch"), notKnown("prold")}
		for _, id := range ids {
			looks = append(looks, notKnown(id))
		}
		s := step(ledger.BatchHeld, ledger.SubmitIntended)
		s.Looks, s.Statements = c.change(looks), map[string]ledger.StatementFetch{"acct": ledger.StatementFromBank, "old": ledger.StatementFromBank}
		if _, err := change(s, k); verdict(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestALongHeldBatchIsLookedForUnderTheIDsOfACopy(t *testing.T) {
	k := standing(ledger.BatchHeld)
	ids := k.CopyIDs()
	all := func(change func(i int, l ledger.StatusCheck) ledger.StatusCheck) []ledger.StatusCheck {
		looks := []ledger.StatusCheck{notKnown("prbatch")}
		for i, id := range ids {
			looks = append(looks, change(i, notKnown(id)))
		}
		return looks
	}
	same := func(_ int, l ledger.StatusCheck) ledger.StatusCheck { return l }
	for name, c := range map[string]struct {
		held  time.Duration
		looks []ledger.StatusCheck
		want  string
	}{
		"within the window":           {10 * time.Minute, []ledger.StatusCheck{notKnown("prbatch")}, "go"},
		"past it, and not looked for": {11 * time.Minute, []ledger.StatusCheck{notKnown("prbatch")}, "ask"},
		"past it, and none is known":  {11 * time.Minute, all(same), "go"},
		"past it, and one is shown": {11 * time.Minute, all(func(i int, l ledger.StatusCheck) ledger.StatusCheck {
			if i == 3 {
				return shown(l.BatchID, true, said("INV-1-R3", "request_initiated"))
			}
			return l
		}), "never"},
		"past it, and no answer about one": {11 * time.Minute, all(func(i int, l ledger.StatusCheck) ledger.StatusCheck {
			if i == 1 {
				return silent(l.BatchID)
			}
			return l
		}), "ask"},
	} {
		s := step(ledger.BatchHeld, ledger.SubmitIntended)
		s.At, s.OTPWindow, s.Looks = t0.Add(c.held), 10*time.Minute, c.looks
		if _, err := change(s, k); verdict(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// A rejected OTP does not make a batch that was held long ago a new one.
func TestAnOTPThatWasRejectedDoesNotHideHowLongABatchIsHeld(t *testing.T) {
	k := standing(ledger.BatchHeld)
	k.Batch.HeldAt, k.Batch.StateSince = t0.Add(-time.Hour), t0.Add(-time.Minute)
	s := step(ledger.BatchHeld, ledger.SubmitIntended)
	s.At, s.OTPWindow, s.Looks = t0, 10*time.Minute, []ledger.StatusCheck{notKnown("prbatch")}
	if _, err := change(s, k); verdict(err) != "ask" {
		t.Errorf("%v", err)
	}
}

// What a bank holds of a batch that was abandoned, and leaves alone, is no
// dispute, also where it never was what was sent: else nothing of it could ever
// be tried again.
func TestWhatWasGivenUpAndLiesUntouchedIsNoDispute(t *testing.T) {
	a := ledger.Attempt{Payout: ledger.Payout{Ref: "INV-1", Amount: 100}, State: ledger.PayoutCancelled, OpenTxnID: "tx"}
	o := ledger.Observation{WireRef: "INV-1", Amount: 200, HasAmount: true, OpenTxnID: "ty", Status: ledger.StatusRequestInitiated}
	if v := ledger.Judge(a, o); v.State != ledger.PayoutCancelled {
		t.Errorf("%+v", v)
	}
	o.Status = ledger.StatusPending
	if v := ledger.Judge(a, o); v.State != ledger.PayoutDisputed {
		t.Errorf("moving: %+v", v)
	}
}

func TestTheProbeIsNoBatchOfTheLedger(t *testing.T) {
	if id := ledger.ProbeID("L"); len(id) != len(ledger.BatchID("L", "s", "a", 1, 1, nil)) || id == ledger.ProbeID("M") || id[:2] != "pr" {
		t.Errorf("%q", id)
	}
}

func TestAReferenceIsUsedUpOnlyWhereTheBankHasSeenIt(t *testing.T) {
	for _, shown := range []bool{false, true} {
		if ledger.KeepsRef(ledger.Batch{Shown: shown}) == shown {
			t.Errorf("shown %t", shown)
		}
	}
	k := standing(ledger.BatchInitiateUnknown)
	k.Batch.Shown = true
	s := step(ledger.BatchInitiateUnknown, ledger.DoubtExpired)
	s.Successor = true
	if c, err := change(s, k); !errors.Is(err, ledger.ErrTransition) || c.Successor != nil {
		t.Errorf("a batch that the bank has shown is planned again: %+v, %v", c.Successor, err)
	}
	for _, e := range ledger.BatchEvents {
		for _, from := range ledger.BatchStates {
			if _, legal := machine[from][e]; !legal || e.Released() {
				continue
			}
			k := standing(from)
			if e == ledger.AllFinal {
				k.Attempts[0].State, k.Attempts[1].State = ledger.PayoutSuccess, ledger.PayoutSuccess
			}
			c := mustChange(t, step(from, e), k)
			want := map[ledger.BatchEvent]bool{"initiate_accepted": true, "echo_differs": true, "seen_elsewhere": true, "seen_as_planned": true,
				"submit_accepted": true, "submit_rejected": true, "seen_moving": true, "late_answer": true}[e]
			if c.Batch.Shown != want {
				t.Errorf("%s: shown %t, want %t", e, c.Batch.Shown, want)
			}
		}
	}
}

// How long a batch is held is known from payrun's clock and from the bank's: one of
// them is enough for the look at what a copy would have sent.
func TestHeldLongByEitherClock(t *testing.T) {
	const window = 10 * time.Minute
	held := time.Date(2031, 3, 31, 12, 0, 0, 0, time.UTC)
	bank := held.Add(-3 * time.Hour) // its clock is another
	for _, tt := range []struct {
		name       string
		window     time.Duration
		ours, said time.Duration // since
		silent     bool          // the bank does not say
		want       bool
	}{
		{"just held", window, time.Minute, time.Minute, false, false},
		{"long by both", window, time.Hour, time.Hour, false, true},
		{"our clock was set back", window, time.Minute, time.Hour, false, true},
		{"our clock was set back to before", window, -time.Hour, 0, false, true},
		{"the bank's was", window, time.Hour, -time.Hour, false, true},
		{"our clock was set back, and the bank does not say", window, time.Minute, time.Hour, true, false},
		{"no window", 0, time.Hour, time.Hour, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := ledger.BatchRecord{Batch: ledger.Batch{ID: "b", HeldAt: held}, Intents: []ledger.Intent{{Kind: ledger.CallInitiate, BankTime: bank}}}
			looks := []ledger.StatusCheck{{BatchID: "b", BankTime: bank.Add(tt.said)}, {BatchID: "earlier"}}
			if tt.silent {
				looks[0].BankTime = time.Time{}
			}
			if got := k.HeldLong(looks, tt.window, held.Add(tt.ours)); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// A read that broke off adds what contradicts, and ends no dispute.
func TestAReadThatBrokeOffEndsNoDispute(t *testing.T) {
	said := func(status string, amount ledger.Paise, unread ledger.Fields) ledger.Observation {
		return ledger.Observation{WireRef: "A", Status: status, Amount: amount, HasAmount: unread == 0, Unread: unread}
	}
	submitted := ledger.Attempt{WireRef: "A", Number: 1, State: ledger.PayoutRequestInitiated, Payout: ledger.Payout{Amount: 100}}
	after := func(a ledger.Attempt, v ledger.Verdict) ledger.Attempt {
		a.State, a.Dispute, a.Was, a.Unread, a.FailedReads, a.Reason = v.State, v.Dispute, v.Was, v.Unread, v.FailedReads, v.Reason
		return a
	}
	unread := after(submitted, ledger.JudgePart(submitted, said("pending", 0, ledger.FieldAmount)))
	if unread.Dispute != ledger.DisputeUnread || unread.Was != ledger.PayoutPending {
		t.Fatalf("what cannot be read: %+v", unread)
	}
	paid := after(unread, ledger.JudgePart(unread, said("success", 100, 0)))
	if paid.State != ledger.PayoutDisputed || paid.Was != ledger.PayoutSuccess || paid.Unread != ledger.FieldAmount {
		t.Errorf("success in a read that broke off: %+v", paid)
	}
	if v := ledger.Judge(paid, said("pending", 100, 0)); v.Dispute != ledger.DisputeStepBack {
		t.Errorf("and then pending: %+v", v)
	}
	other := after(paid, ledger.JudgePart(paid, said("success", 1000, 0)))
	if other.Dispute != ledger.DisputeAmount || other.Was != "" {
		t.Errorf("another amount: %+v", other)
	}
	for _, o := range []ledger.Observation{said("success", 0, ledger.FieldAmount), said("success", 100, 0)} {
		if v := ledger.Judge(other, o); v.Dispute != ledger.DisputeAmount {
			t.Errorf("after another amount %+v: %+v", o, v)
		}
	}
	back := after(submitted, ledger.Verdict{State: ledger.PayoutDisputed, Dispute: ledger.DisputeStepBack})
	if v := ledger.JudgePart(back, said("success", 100, 0)); v.Dispute != ledger.DisputeStepBack {
		t.Errorf("success again after a step back: %+v", v)
	}
}
