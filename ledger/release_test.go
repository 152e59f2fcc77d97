package ledger_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
)

const (
	submitDay = "2025-11-03" // of t0
	later1    = "2025-11-04"
)

var inLaw = ledger.Waits{Wait: ledger.LeastWait, Between: ledger.LeastBetween}

// asking is a release about to be judged: what the ledger holds, and what a person says.
type asking struct {
	k      ledger.BatchRecord
	r      ledger.ReleaseRequest
	person string
	at     time.Time
}

// doubted is a batch of two payouts, 100.00 and 200.00, whose submit of t0 was never
// answered; two days and an hour later the bank shows it as it was held, and says that it
// pays nothing of it.
func doubted() *asking {
	q := &asking{k: standing(ledger.BatchSubmitUnknown), person: "asha", at: t0.Add(49 * time.Hour)}
	submit := &ledger.Intent{Kind: ledger.CallSubmit, At: t0, BankTime: t0, Outcome: ledger.Unknown}
	for i := range q.k.Attempts {
		a := &q.k.Attempts[i]
		a.Records = []ledger.AttemptRecord{{Attempt: a.Attempt, Batch: q.k.Batch, Submit: submit, CalledAt: t0, BankTime: t0}}
	}
	q.r = ledger.ReleaseRequest{As: ledger.ReleaseNotPaid, Reason: "it never came", Ticket: "mail of 5 November", Statement: ledger.StatementFromBank, Waits: inLaw,
		Check: ledger.StatusCheck{BatchID: "prbatch", BankTime: q.at, Answer: ledger.LookShown, Closed: true, Complete: true}}
	q.shows("request_initiated", "request_initiated")
	return q
}

// shows is what the status says of the two payouts; "" of one that it leaves out.
func (q *asking) shows(statuses ...string) *asking {
	q.r.Check.Payouts = nil
	for i, s := range statuses {
		if s != "" {
			status, code, _ := strings.Cut(s, "/")
			q.r.Check.Payouts = append(q.r.Check.Payouts, ledger.Observation{WireRef: q.k.Attempts[i].WireRef, Status: status, BankStatusCode: code})
		}
	}
	return q
}

func (q *asking) notKnown() *asking {
	q.r.Check = ledger.StatusCheck{BatchID: "prbatch", BankTime: q.at, Answer: ledger.LookNotKnown}
	return q
}

// is puts payout i in a state, in its records too.
func (q *asking) is(i int, state ledger.PayoutState) *asking {
	a := &q.k.Attempts[i]
	a.State, a.Status = state, string(state)
	a.Records[len(a.Records)-1].Attempt = a.Attempt
	return q
}

// in puts the batch in a state, in its payouts' records too.
func (q *asking) in(state ledger.BatchState) *asking {
	q.k.Batch.State = state
	for i := range q.k.Attempts {
		q.k.Attempts[i].Records[0].Batch.State = state
	}
	return q
}

// has gives payout i lines of its own.
func (q *asking) has(i int, lines ...ledger.StatementLine) *asking {
	rec := &q.k.Attempts[i].Records[0]
	*rec = named(*rec, lines...)
	return q
}

func (q *asking) could(i int, why ledger.PossibleReason, lines ...ledger.StatementLine) *asking {
	rec := &q.k.Attempts[i].Records[0]
	*rec = possible(*rec, why, lines...)
	return q
}

func (q *asking) nameless(lines ...ledger.StatementLine) *asking {
	q.r.Account.Unexplained = append(q.r.Account.Unexplained, lines...)
	return q
}

// only is about one payout.
func (q *asking) only(i int) *asking {
	q.r.Of = q.k.Attempts[i].Key()
	return q
}

// later is the same asked later, by both clocks.
func (q *asking) later(d time.Duration) *asking {
	q.at, q.r.Check.BankTime = q.at.Add(d), q.r.Check.BankTime.Add(d)
	return q
}

func (q *asking) with(change func(q *asking)) *asking {
	change(q)
	return q
}

func (q *asking) asPaid(i int) *asking {
	q.r.As, q.r.Of = ledger.ReleasePaid, q.k.Attempts[i].Key()
	return q.is(i, "disputed")
}

// judged is the rule that refuses it, with its exit code and when it can hold; "first" or
// "second" where none does.
func (q *asking) judged() string {
	_, first, err := q.k.Release(q.r, q.person, q.at)
	why, refused := errors.AsType[*ledger.Refusal](err)
	switch {
	case err != nil && (!refused || !errors.Is(err, ledger.ErrReleaseRefused)):
		return "another error"
	case refused && why.Until.IsZero():
		return fmt.Sprint(why.Rule, " ", why.Exit)
	case refused:
		return fmt.Sprint(why.Rule, " ", why.Exit, " ", why.Until.Sub(t0))
	case first != nil:
		return "second"
	}
	return "first"
}

// says records the person's word, as the step does.
func (q *asking) says(t *testing.T) *asking {
	t.Helper()
	e, first, err := q.k.Release(q.r, q.person, q.at)
	if err != nil {
		t.Fatal(err)
	}
	q.k.Proposals = append(slices.Clip(q.k.Proposals), ledger.ReleaseApproval{No: int64(len(q.k.Proposals) + 1), BatchID: q.k.Batch.ID, PayoutID: q.r.Of.PayoutID, Number: q.r.Of.Number,
		As: q.r.As, Evidence: e.JSON(), Actor: q.person, At: q.at, BankTime: q.r.Check.BankTime, Carried: first != nil})
	return q
}

// The rules are asked in their order, each where those before it hold.
func TestARefusalNamesTheFirstRuleThatDoesNotHold(t *testing.T) {
	q := doubted().has(0, line(true, 100_00, submitDay)).in(ledger.BatchHeld).shows("pending", "")
	q.r.Reason, q.r.Ticket, q.r.Check.Closed, q.r.Statement, q.r.Account.Missing, q.r.Charges, q.r.Shown = " ", " ", false, ledger.StatementFailed, []string{submitDay}, 1_00, "other"
	q.at, q.r.Check.BankTime = t0.Add(time.Hour), time.Time{}
	for _, c := range []struct {
		want string
		mend func()
	}{
		{"nothing_to_release 2", func() { q.in(ledger.BatchSubmitUnknown) }},
		{"reason 2", func() { q.r.Reason = "because" }},
		{"bank_ticket 2", func() { q.r.Ticket = "mail" }},
		{"bank_answer 5", func() { q.r.Check.Closed = true }},
		{"status 15 120h0m0s", func() { q.shows("failed", "success") }},
		{"status 15", func() { q.shows("failed", "failed/RETURNED_FROM_BENEFICIARY") }},
		{"wait 15 62h30m0s", func() { q.at = t0.Add(63 * time.Hour) }}, // the debit's day ends at 14:30
		{"bank_clock 15", func() { q.r.Check.BankTime = t0.Add(62 * time.Hour) }},
		{"bank_clock 15 63h30m0s", func() { q.r.Check.BankTime = q.at }},
		{"statement 5", func() { q.r.Statement = ledger.StatementFromBank }},
		{"statement_days 15", func() { q.r.Account.Missing = nil }},
		{"debit 15", func() { q.has(0, line(false, 100_00, later1)) }},
		{"charges 15", func() { q.r.Charges = 0 }},
		{"evidence_changed 15", func() { q.r.Shown = "" }},
		{"first", func() { q.says(t) }},
		{"second_person 12", func() { q.person = "uid:0" }},
		{"second_person 12", func() { q.person = "ravi" }},
		{"between 15 64h0m0s", func() { q.at = q.at.Add(time.Hour) }},
		{"between 15 65h0m0s", func() { q.r.Check.BankTime = q.at }},
		{"second", func() { q.says(t) }},
		{"first", func() {}}, // the word before it is used up
	} {
		if got := q.judged(); got != c.want {
			t.Fatalf("%s, want %s", got, c.want)
		}
		c.mend()
	}
}

// What may be released, by whom and on which evidence (safety.md, "Release").
func TestRelease(t *testing.T) {
	debit := func(amount ledger.Paise) ledger.StatementLine { return line(true, amount, submitDay) }
	credit := func(amount ledger.Paise) ledger.StatementLine { return line(false, amount, later1) }
	late := 24 * time.Hour // until a debit of that day is old enough
	quick := func(q *asking) *asking {
		q.r.Waits = ledger.Waits{Wait: time.Minute, Between: time.Second}
		return q
	}
	for name, c := range map[string]struct {
		q    *asking
		want string
	}{
		"a whole batch in doubt":                 {doubted(), "first"},
		"one payout of it":                       {doubted().only(1), "first"},
		"the bank does not know it":              {doubted().notKnown(), "first"},
		"one failed, one returned":               {doubted().shows("failed", "success/RETURNED_FROM_BENEFICIARY"), "first"},
		"a payout that is no one's":              {doubted().with(func(q *asking) { q.r.Of.PayoutID = 9 }), "nothing_to_release 2"},
		"one that has failed":                    {doubted().in(ledger.BatchSettled).is(0, "failed").is(1, "failed"), "nothing_to_release 2"},
		"one that has, and is known no more":     {doubted().in(ledger.BatchSettled).is(0, "failed").is(1, "failed").notKnown().with(func(q *asking) { q.k.Attempts[0].Seen = 2 }), "first"},
		"what is planned":                        {doubted().in(ledger.BatchPlanned), "nothing_to_release 2"},
		"one of a quarantine":                    {doubted().in(ledger.BatchQuarantined).only(0), "nothing_to_release 2"},
		"one that was closed as paid":            {doubted().in(ledger.BatchSubmitted).only(0).with(func(q *asking) { q.k.Attempts[0].Resolved = ledger.ResolutionPaid }).is(0, "disputed"), "nothing_to_release 2"},
		"success, and the bank knows it no more": {doubted().in(ledger.BatchSettled).only(0).is(0, "success").notKnown().with(func(q *asking) { q.k.Attempts[0].Records[0].RestoredAt = t0 }), "status 15"},
		"restored a day ago":                     {doubted().in(ledger.BatchSettled).only(0).is(0, "failed").with(func(q *asking) { q.k.Attempts[0].Records[0].RestoredAt = t0.Add(25 * time.Hour) }), "wait 15 73h0m0s"},
		"a read that broke off":                  {doubted().with(func(q *asking) { q.r.Check.Closed = false }), "bank_answer 5"},

		"not final":                          {doubted().in(ledger.BatchSubmitted).shows("pending", "pending"), "status 15 120h0m0s"},
		"not final for five days":            {doubted().in(ledger.BatchSubmitted).shows("pending", "ON_HOLD").later(71 * time.Hour), "first"},
		"left out":                           {doubted().shows("request_initiated", ""), "status 15 120h0m0s"},
		"left out for five days":             {doubted().shows("request_initiated", "").later(71 * time.Hour), "first"},
		"not final in the sandbox":           {quick(doubted().in(ledger.BatchSubmitted).shows("pending", "pending")), "first"},
		"in flight, and as it was held":      {doubted().in(ledger.BatchSubmitted), "status 15 120h0m0s"},
		"in flight, and not known":           {doubted().in(ledger.BatchSubmitted).notKnown(), "status 15 120h0m0s"},
		"in flight, and so for five days":    {doubted().in(ledger.BatchSubmitted).later(71 * time.Hour), "first"},
		"quarantined, and changed yesterday": {doubted().in(ledger.BatchQuarantined).later(72 * time.Hour).with(func(q *asking) { q.k.Batch.UpdatedAt = q.at.Add(-24 * time.Hour) }), "status 15 217h0m0s"},
		"the status changed yesterday":       {doubted().with(func(q *asking) { q.k.Attempts[1].See(ledger.NewObservation{Seq: 1, At: t0.Add(24 * time.Hour)}) }), "wait 15 72h0m0s"},
		"the bank's clock was behind at the submit": {doubted().with(func(q *asking) {
			q.r.Check.BankTime = t0.Add(48 * time.Hour)
			q.k.Attempts[0].Records[0].Submit.BankTime = t0.Add(time.Hour)
		}), "bank_clock 15 50h0m0s"},
		"the files on record": {doubted().with(func(q *asking) { q.r.Statement = ledger.StatementOnRecord }), "first"},

		"a debit came back":                    {doubted().has(0, debit(100_00), credit(100_00)).later(late), "first"},
		"a debit came back without a name":     {doubted().has(0, debit(100_00)).nameless(credit(100_00)).later(late), "first"},
		"it came back before it went":          {doubted().has(0, line(true, 100_00, later1)).nameless(line(false, 100_00, submitDay)).later(2 * late), "debit 15"},
		"a part of it came back":               {doubted().has(0, debit(100_00), credit(97_64)).later(late), "debit 15"},
		"a part, and the charge is named":      {doubted().has(0, debit(100_00), credit(97_64)).later(late).with(func(q *asking) { q.r.Charges = 2_36 }), "first"},
		"a charge is named and none was taken": {doubted().with(func(q *asking) { q.r.Charges = 2_36 }), "charges 15"},
		"one credit for two debits":            {doubted().has(0, debit(100_00)).has(1, debit(100_00)).nameless(credit(100_00)).later(late), "debit 15"},
		"the other's credit":                   {doubted().has(0, debit(100_00), credit(100_00), credit(100_00)).has(1, debit(100_00)).later(late), "debit 15"},
		"a credit that a release used before": {func() *asking {
			c := credit(100_00)
			q := doubted().has(0, debit(100_00)).nameless(c).later(late)
			q.k.Spent = []string{c.Key()}
			return q
		}(), "debit 15"},
		"one of two such credits is used": {func() *asking {
			c := credit(100_00)
			q := doubted().has(0, debit(100_00)).nameless(c, credit(100_00)).later(late)
			q.k.Spent = []string{c.Key()}
			return q
		}(), "first"},
		"their parts of one debit":        {doubted().shares(line(true, 300_00, submitDay)).nameless(credit(100_00), credit(200_00)).later(late), "first"},
		"one part of one debit came back": {doubted().shares(line(true, 300_00, submitDay)).nameless(credit(100_00)).later(late), "debit 15"},
		"a debit of its amount":           {doubted().could(0, ledger.PossibleAmount, debit(100_00)).later(late), "debit 15"},
		"a debit of its batch's total": {func() *asking {
			d := debit(300_00)
			return doubted().could(0, ledger.PossibleTotal, d).could(1, ledger.PossibleTotal, d).nameless(d, credit(300_00)).later(late)
		}(), "first"},
		"a debit that only a file shows":  {doubted().has(0, ofFile(debit(100_00))).later(late), "first"},
		"a credit that only a file shows": {doubted().has(0, debit(100_00), ofFile(credit(100_00))).later(late), "debit 15"},
		"both, and there are but files":   {doubted().has(0, ofFile(debit(100_00)), ofFile(credit(100_00))).later(late).with(func(q *asking) { q.r.Statement = ledger.StatementOnRecord }), "first"},

		"in doubt, and a nameless debit between": {doubted().nameless(debit(150_00)), "debit 15"},
		"in doubt, our clock was ahead, and a nameless debit by the bank's": {doubted().with(func(q *asking) {
			q.k.Attempts[0].Records[0].BankTime = t0.AddDate(0, 0, -5)
		}).nameless(line(true, 150_00, "2025-10-28")), "debit 15"},
		"in doubt, and it came back":           {doubted().nameless(debit(150_00), credit(150_00)), "first"},
		"in doubt, and a debit of more":        {doubted().nameless(debit(300_01)), "first"},
		"in doubt, and a debit of less":        {doubted().nameless(debit(99_99)), "first"},
		"in doubt, and a debit of long before": {doubted().nameless(line(true, 150_00, "2025-11-01")), "first"},
		"in doubt once, and a nameless debit":  {doubted().in(ledger.BatchSubmitted).is(0, "disputed").only(0).nameless(debit(150_00)), "debit 15"},
		"never in doubt, and a nameless debit": {doubted().in(ledger.BatchSubmitted).is(0, "disputed").only(0).nameless(debit(150_00)).with(func(q *asking) { q.k.Attempts[0].Records[0].Submit.Outcome = ledger.Accepted }), "first"},

		"paid, by the status":            {doubted().asPaid(0).shows("success", "pending").with(func(q *asking) { q.r.Ticket = "" }), "first"},
		"paid, by the bank's word":       {doubted().asPaid(0).shows("pending", "pending"), "first"},
		"paid, by nobody's word":         {doubted().asPaid(0).with(func(q *asking) { q.r.Ticket = "" }), "bank_ticket 2"},
		"paid, with another amount":      {doubted().asPaid(0).shows("success").with(func(q *asking) { q.r.Ticket, q.r.Check.Payouts[0].HasAmount, q.r.Check.Payouts[0].Amount = "", true, 1 }), "bank_ticket 2"},
		"paid, a minute after":           {doubted().asPaid(0).later(-49*time.Hour + time.Minute), "first"},
		"paid, by the bank's word alone": {doubted().asPaid(0).with(func(q *asking) { q.r.Check.Closed = false }), "first"},
		"a batch as paid":                {doubted().asPaid(0).with(func(q *asking) { q.r.Of = ledger.AttemptKey{} }), "nothing_to_release 2"},
		"what is on its way as paid":     {func() *asking { q := doubted().in(ledger.BatchSubmitted).asPaid(0); return q.is(0, "pending") }(), "nothing_to_release 2"},

		"new references of a refused batch": {refusedAnew(), "first"},
		"new references of another":         {doubted().with(func(q *asking) { q.r.NewReferences = true }), "nothing_to_release 2"},
		"new references of one payout":      {refusedAnew().only(0), "nothing_to_release 2"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.q.judged(); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// shares makes a debit both payouts', each its amount of it.
func (q *asking) shares(l ledger.StatementLine) *asking {
	for i := range q.k.Attempts {
		q.has(i, l)
		m := q.k.Attempts[i].Records[0].Statement.Matches
		m[len(m)-1].Share = q.k.Attempts[i].Amount
	}
	return q
}

func refusedAnew() *asking {
	q := doubted().in(ledger.BatchRefused).is(0, "cancelled").is(1, "cancelled").notKnown()
	q.r.NewReferences = true
	return q
}

// A restored payout is released by its last attempt, not by one that is long over.
func TestAnOlderAttemptReleasesNoRestoredPayout(t *testing.T) {
	q := doubted().in(ledger.BatchSettled).only(0).is(0, "failed")
	own := q.k.Attempts[0].Records[0]
	own.RestoredAt = t0
	second := own
	second.Number, second.BatchID = 2, "prsecond"
	q.k.Attempts[0].Records = []ledger.AttemptRecord{own, second}
	if got := q.judged(); got != "nothing_to_release 2" {
		t.Errorf("%s", got)
	}
}

// Between the two persons nothing may change, and no one is two of them.
func TestTwoPeopleSeeTheSame(t *testing.T) {
	for name, c := range map[string]struct {
		change func(q *asking)
		want   string
	}{
		"the same":           {func(*asking) {}, "second"},
		"another status":     {func(q *asking) { q.shows("request_initiated", "failed") }, "evidence_changed 15 121h0m0s"},
		"not known any more": {func(q *asking) { q.notKnown() }, "evidence_changed 15 121h0m0s"},
		"a line more":        {func(q *asking) { q.could(0, ledger.PossibleBreak, line(true, 1_00, "2025-10-01")) }, "evidence_changed 15 121h0m0s"},
		"another charge": {func(q *asking) {
			q.nameless(line(true, 150_00, submitDay), line(false, 149_00, later1))
			q.r.Charges = 1_00
		}, "evidence_changed 15 121h0m0s"},
		"the files":        {func(q *asking) { q.r.Statement = ledger.StatementOnRecord }, "evidence_changed 15 121h0m0s"},
		"another payout":   {func(q *asking) { q.only(0) }, "first"},
		"as paid":          {func(q *asking) { q.asPaid(0) }, "first"},
		"the same person":  {func(q *asking) { q.person = "asha" }, "second_person 12"},
		"the same, anew":   {func(q *asking) { q.person = "asha"; q.shows("request_initiated", "failed") }, "first"},
		"three days later": {func(q *asking) { q.later(71 * time.Hour) }, "second"},
		"more than that":   {func(q *asking) { q.later(71*time.Hour + time.Second) }, "first"},
		"before the first": {func(q *asking) {
			q.later(-90 * time.Minute)
			q.r.Check.BankTime = q.at.Add(24 * time.Hour)
			q.k.Attempts[0].Records[0].CalledAt = t0.Add(-time.Hour)
		}, "first"},
	} {
		t.Run(name, func(t *testing.T) {
			q := doubted().later(0).says(t).later(time.Hour)
			q.person = "ravi"
			c.change(q)
			if got := q.judged(); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// Who is never the second person: who is the first under another name, may be anybody, or
// has not the role.
func TestWhoIsNotTheSecondPerson(t *testing.T) {
	q := doubted().says(t).later(time.Hour)
	p := people{TB: t}
	p.must(ledger.PersonChange{Kind: ledger.EventPersonAdded, Name: "boss", First: true, May: []ledger.Role{ledger.RoleAdmin}, Link: "l", Actor: "uid:1"})
	p.joins("boss", "l")
	p.add("boss", "asha", ledger.RolePay)
	p.add("boss", "ravi", ledger.RoleApprove)
	p.add("boss", "meera", ledger.RoleLoad)
	p.must(tied("boss", "asha", "uid:1001", ledger.RolePay))
	q.k.Users = p.Users
	for person, want := range map[string]string{"ravi": "second", "asha": "second_person 12", "uid:1001": "second_person 12", "meera": "second_person 12", "boss": "second_person 12",
		"uid:1002": "second_person 12", "uid:0": "second_person 12", "mapped:1001": "second_person 12"} {
		if q.person = person; q.judged() != want {
			t.Errorf("%s: %s, want %s", person, q.judged(), want)
		}
	}
	q.k.Users = ledger.Users{}
	for person, want := range map[string]string{"uid:1002": "second", "uid:0": "second_person 12", "mapped:1001": "second_person 12"} {
		if q.person = person; q.judged() != want {
			t.Errorf("without a roster, %s: %s, want %s", person, q.judged(), want)
		}
	}
}

// What becomes of a batch and its payouts once the second person has said so.
func TestWhatAReleaseMakes(t *testing.T) {
	for name, c := range map[string]struct {
		q     *asking
		batch ledger.BatchState
		event string
		want  string // what becomes of the payouts
	}{
		"in doubt":               {doubted(), ledger.BatchSetAside, "set_aside", "cancelled not_paid, cancelled not_paid"},
		"in doubt, not known":    {doubted().notKnown(), ledger.BatchSetAside, "set_aside", "cancelled gone, cancelled gone"},
		"one of it":              {doubted().only(0), ledger.BatchSubmitUnknown, ledger.EventReleased, "cancelled not_paid"},
		"the last of it":         {doubted().is(1, "cancelled").only(0), ledger.BatchSetAside, "set_aside", "cancelled not_paid"},
		"one of it as paid":      {doubted().asPaid(0), ledger.BatchSubmitUnknown, ledger.EventReleased, "disputed paid"},
		"the last of it as paid": {doubted().is(1, "cancelled").asPaid(0), ledger.BatchSubmitted, "closed_as_paid", "disputed paid"},
		"disputed":               {doubted().in(ledger.BatchSubmitted).is(0, "disputed").only(0), ledger.BatchSubmitted, ledger.EventReleased, "cancelled not_paid"},
		"disputed, and paid":     {doubted().in(ledger.BatchSubmitted).asPaid(0).shows("success", "pending"), ledger.BatchSubmitted, ledger.EventReleased, "success paid"},
		"disputed, and the bank says paid with another amount": {doubted().in(ledger.BatchSubmitted).asPaid(0).shows("success", "pending").with(func(q *asking) {
			q.r.Check.Payouts[0].HasAmount, q.r.Check.Payouts[0].Amount = true, 1
		}), ledger.BatchSubmitted, ledger.EventReleased, "disputed paid"},
		"left out for five days": {doubted().in(ledger.BatchSubmitted).only(1).shows("pending", "").later(72 * time.Hour), ledger.BatchSubmitted, ledger.EventReleased, "cancelled gone"},
		"quarantined":            {doubted().in(ledger.BatchQuarantined).shows("ON_HOLD", "ON_HOLD").later(72 * time.Hour), ledger.BatchSetAside, "set_aside", "cancelled not_paid, cancelled not_paid"},
		"refused":                {refusedAnew(), ledger.BatchRefused, ledger.EventReleased, "cancelled gone, cancelled gone"},
	} {
		t.Run(name, func(t *testing.T) {
			q := c.q
			s := ledger.Step{BatchID: "prbatch", Actor: "asha", From: q.k.Batch.State, At: q.at, Release: &q.r}
			word := mustChange(t, s, q.k)
			if word.Said == nil || word.Said.Carried || word.Batch.State != q.k.Batch.State || len(word.Attempts)+len(word.Observations) > 0 || word.Event.Kind != ledger.EventReleaseAsked {
				t.Fatalf("the first word: %+v", word)
			}
			q.says(t).later(time.Hour)
			s.Actor, s.At = "ravi", q.at
			done := mustChange(t, s, q.k)
			var became []string
			for _, a := range done.Attempts {
				became = append(became, string(a.State)+" "+string(a.Resolved))
			}
			if got := strings.Join(became, ", "); got != c.want || done.Batch.State != c.batch || done.Event.Kind != c.event || !done.Said.Carried || done.Said.Seconds != 1 {
				t.Errorf("%s, batch %s by %s; want %s, %s by %s", got, done.Batch.State, done.Event.Kind, c.want, c.batch, c.event)
			}
			if done.Batch.NewReferences != q.r.NewReferences {
				t.Errorf("new references: %t", done.Batch.NewReferences)
			}
		})
	}
}

// No step but a release is one, and a tampered ledger releases nothing.
func TestNothingElseReleases(t *testing.T) {
	for _, e := range ledger.BatchEvents {
		for _, from := range ledger.BatchStates {
			if _, err := from.Next(e); err != nil || !e.Released() {
				continue
			}
			if _, err := change(step(from, e), standing(from)); !errors.Is(err, ledger.ErrTransition) {
				t.Errorf("%s from %s without a release: %v", e, from, err)
			}
		}
	}
	q := doubted()
	s := ledger.Step{BatchID: "prbatch", Actor: "asha", From: q.k.Batch.State, At: q.at, Release: &q.r}
	if _, err := s.Change(q.k); !errors.Is(err, ledger.ErrTampered) {
		t.Errorf("a ledger that is not as its trail tells: %v", err)
	}
}

// The submit arrived after all: what was released of its batch may be paid, whatever the
// status still shows of it.
func TestABatchThatMovesLocksWhatWasReleasedOfIt(t *testing.T) {
	for _, from := range []ledger.BatchState{ledger.BatchSetAside, ledger.BatchSubmitUnknown} {
		q := doubted().in(from).is(0, "cancelled")
		q.k.Attempts[0].Resolved, q.k.Attempts[0].Status = ledger.ResolutionNotPaid, "request_initiated"
		moving, late := step(from, ledger.SeenMoving), step(from, ledger.LateAnswer)
		moving.Observed = []ledger.Observed{saw(q.k, 0, said("INV-1", "request_initiated")), saw(q.k, 1, said("INV-2", "pending"))}
		for _, s := range []ledger.Step{moving, late} {
			c := mustChange(t, s, q.k)
			last := map[int64]ledger.PayoutState{}
			for _, a := range c.Attempts {
				last[a.ID] = a.State
			}
			if last[1] != ledger.PayoutDisputed {
				t.Errorf("%s in %s: the released payout is %q", s.Event, from, last[1])
			}
		}
	}
}

// What two people saw stays; what differs contradicts them.
func TestWhatWasReleasedIsShownAsItWas(t *testing.T) {
	for _, c := range []struct {
		as     ledger.Resolution
		state  ledger.PayoutState
		status string
		want   ledger.PayoutState
	}{
		{ledger.ResolutionNotPaid, "cancelled", "failed/X", "cancelled"},
		{ledger.ResolutionNotPaid, "cancelled", "failed/Y", "disputed"},
		{ledger.ResolutionNotPaid, "cancelled", "pending/X", "disputed"},
		{ledger.ResolutionNotPaid, "cancelled", "success/X", "disputed"},
		{ledger.ResolutionNotPaid, "cancelled", "request_initiated", "disputed"},
		{ledger.ResolutionNotPaid, "disputed", "failed/X", "disputed"},
		{ledger.ResolutionGone, "cancelled", "failed/X", "disputed"},
		{ledger.ResolutionGone, "cancelled", "request_initiated", "disputed"},
		{ledger.ResolutionPaid, "disputed", "success", "disputed"},
		{ledger.ResolutionPaid, "success", "success", "success"},
		{ledger.ResolutionPaid, "success", "failed/X", "success"},
		{ledger.ResolutionPaid, "success", "pending", "disputed"},
	} {
		a := ledger.Attempt{Payout: ledger.Payout{Amount: 100}, State: c.state, Status: "failed", BankStatusCode: "X", Resolved: c.as, OpenTxnID: "tx"}
		status, code, _ := strings.Cut(c.status, "/")
		if v := ledger.Judge(a, ledger.Observation{Status: status, BankStatusCode: code}); v.State != c.want {
			t.Errorf("%s as %s, shown %s: %s, want %s", c.state, c.as, c.status, v.State, c.want)
		}
		if v := ledger.Judge(a, ledger.Observation{Status: "failed", BankStatusCode: "X", OpenTxnID: "ty"}); c.as == ledger.ResolutionNotPaid && v.State != ledger.PayoutDisputed {
			t.Errorf("%s as %s, with another id: %s", c.state, c.as, v.State)
		}
	}
}

// The statement of a person who was removed since, or who lost the role, carries nothing out.
func TestTheWordOfARemovedPersonDoesNotCount(t *testing.T) {
	q, p := doubted(), people{TB: t}
	p.must(ledger.PersonChange{Kind: ledger.EventPersonAdded, Name: "boss", First: true, May: []ledger.Role{ledger.RoleAdmin}, Link: "l", Actor: "uid:1"})
	p.joins("boss", "l")
	p.add("boss", "asha", ledger.RolePay)
	p.add("boss", "ravi", ledger.RoleApprove)
	q.k.Users = p.Users
	q.says(t).later(time.Hour)
	q.person = "ravi"
	if got := q.judged(); got != "second" {
		t.Fatal(got)
	}
	p.must(ledger.PersonChange{Kind: ledger.EventPersonRemoved, Name: "asha", Actor: "boss"})
	q.k.Users = p.Users
	if got := q.judged(); got != "first" {
		t.Error(got)
	}
}

// Two people released it seeing `pending` for five days; whatever the bank shows more of it
// locks it again, and the next attempt is not submitted.
func TestWhatTheBankShowsMoreOfAReleasedPayoutLocksIt(t *testing.T) {
	a := ledger.Attempt{Payout: ledger.Payout{ID: 1, Ref: "INV-1", Amount: 101_39}, Number: 1, WireRef: "INV-1", BatchID: "prold", State: "cancelled", Status: "pending", Resolved: ledger.ResolutionNotPaid}
	for name, o := range map[string]ledger.Observation{
		"a UTR":          {WireRef: "INV-1", Status: "pending", BankTxnRefID: "N1234567890"},
		"an open txn id": {WireRef: "INV-1", Status: "pending", OpenTxnID: "txn-9"},
	} {
		if v := ledger.Judge(a, o); v.State != ledger.PayoutDisputed {
			t.Errorf("%s: %s", name, v.State)
		}
		if _, err := change(following(a, ledger.BatchSetAside, shown("prold", true, o))); verdict(err) == "go" {
			t.Errorf("%s: the next attempt is submitted", name)
		}
	}
}

// Closed as paid, and the bank then says that it failed or came back: people are notified.
func TestAPayoutThatWasClosedAsPaidAndCameBackIsTold(t *testing.T) {
	failed := ledger.Observation{WireRef: "INV-1", Status: "failed"}
	back := ledger.Observation{WireRef: "INV-1", Status: "success", BankStatusCode: ledger.CodeReturned}
	for name, c := range map[string]struct {
		state ledger.PayoutState
		cause ledger.DisputeCause
		shown ledger.Observation
	}{
		"on the letter, and failed":   {"disputed", ledger.DisputeByPeople, failed},
		"on the letter, and returned": {"disputed", ledger.DisputeByPeople, back},
		"as success, and returned":    {"success", "", back},
	} {
		a := ledger.Attempt{Payout: ledger.Payout{ID: 1, Ref: "INV-1", Amount: 101_39}, Number: 1, WireRef: "INV-1", State: c.state, Dispute: c.cause, Status: "success", Resolved: ledger.ResolutionPaid}
		v := ledger.Judge(a, c.shown)
		a.State, a.Dispute = v.State, v.Dispute
		a.Status, a.BankStatusCode = c.shown.Status, c.shown.BankStatusCode
		if a.Asks(ledger.Batch{State: ledger.BatchSettled}) != ledger.PayoutContradicted || a.Over() {
			t.Errorf("%s: %+v", name, v)
		}
		if again := ledger.Judge(a, c.shown); again.State != ledger.PayoutDisputed || again.Dispute != v.Dispute {
			t.Errorf("%s, read again: %+v", name, again)
		}
	}
}

// Released while the bank showed it; then the bank forgets the batch. Two people release it
// once more, as one that the bank does not know.
func TestAReleasedPayoutThatTheBankForgotIsReleasedAgain(t *testing.T) {
	q := doubted().in(ledger.BatchSetAside).later(40 * 24 * time.Hour).notKnown()
	for i := range q.k.Attempts {
		a := &q.k.Attempts[i]
		q.is(i, "cancelled")
		a.Status, a.Resolved, a.Seen = "request_initiated", ledger.ResolutionNotPaid, 1
		a.Records[0].Attempt = a.Attempt
		a.Records[0].Released = &ledger.ReleasedEvidence{At: t0.Add(50 * time.Hour)}
	}
	if got := q.judged(); got != "first" {
		t.Error(got)
	}
}

// It failed, and the bank leaves it out of complete reads of its batch from then on: two
// people release it after five days, and its next attempt is not held back by it.
func TestAFailedPayoutThatIsLeftOutCanBeReleased(t *testing.T) {
	q := doubted().in(ledger.BatchSettled).is(0, "failed").is(1, "success").later(40*24*time.Hour).shows("", "success").only(0)
	for i := range q.k.Attempts {
		q.k.Attempts[i].Seen = 1
	}
	if got := q.judged(); got != "first" {
		t.Error(got)
	}
	l := shown("prold", false, said("INV-9", "success"))
	l.Closed = true
	if _, err := change(following(ledger.Attempt{State: "cancelled", Resolved: ledger.ResolutionGone}, ledger.BatchSettled, l)); verdict(err) != "go" {
		t.Error(err)
	}
}

// The statement is asked for from the earliest time at which money may have moved: by our clock, by
// the bank's, and if ours was ahead at the submit, by when the payout became final.
func TestAReleaseCountsFromTheEarliestTime(t *testing.T) {
	for name, c := range map[string]struct {
		change func(a *ledger.AttemptRecord)
		want   time.Time
	}{
		"our clock":                  {func(*ledger.AttemptRecord) {}, t0},
		"the bank's":                 {func(a *ledger.AttemptRecord) { a.BankTime = t0.Add(-time.Hour) }, t0.Add(-time.Hour)},
		"the bank gave none":         {func(a *ledger.AttemptRecord) { a.BankTime = time.Time{} }, t0},
		"failed, and ours was ahead": {func(a *ledger.AttemptRecord) { a.State, a.UpdatedAt = ledger.PayoutFailed, t0.AddDate(0, 0, -3) }, t0.AddDate(0, 0, -3)},
		"failed later":               {func(a *ledger.AttemptRecord) { a.State, a.UpdatedAt = ledger.PayoutFailed, t0.AddDate(0, 0, 3) }, t0},
		"open since it was held":     {func(a *ledger.AttemptRecord) { a.UpdatedAt = t0.AddDate(0, 0, -3) }, t0},
	} {
		q := doubted()
		c.change(&q.k.Attempts[0].Records[0])
		if got := q.k.ReleasedSince(); !got.Equal(c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// Who says "paid" of a payout that was not leaves the payee without money; who says "not paid" of one that was pays
// it twice.
func TestEachReleaseSaysWhatAWrongOneDoes(t *testing.T) {
	for as, want := range map[ledger.ReleaseAs]string{ledger.ReleasePaid: "the payee gets nothing", ledger.ReleaseNotPaid: "it is paid twice"} {
		if !strings.Contains(as.Risk(), want) {
			t.Errorf("%s: %s", as, as.Risk())
		}
	}
}

// Rule 5: the same amount has to come back afterwards.
func TestACreditBeforeTheDebitGivesNothingBack(t *testing.T) {
	line := func(n int, day string, debit bool, amount ledger.Paise) ledger.StatementLine {
		return ledger.StatementLine{Ref: ledger.EntryRef{Reading: 1, Line: n}, Source: ledger.FromInterface, Day: day, Debit: debit, Amount: amount}
	}
	for name, q := range map[string]*asking{
		"the day before the debit": doubted().only(0).has(0, line(1, submitDay, false, 100_00), line(2, later1, true, 100_00)),
		"its day, before it":       doubted().only(0).has(0, line(1, later1, false, 100_00), line(2, later1, true, 100_00)),
	} {
		q = q.later(72 * 3600e9)
		if got := q.judged(); got != "debit 15" && got != "debit 16" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Returned and planned again on the same day; its OTP was wrong, and is entered again.
func TestAWrongOTPOfTheRetryLocksNothing(t *testing.T) {
	debit := ledger.StatementMatch{StatementLine: ledger.StatementLine{Ref: ledger.EntryRef{Reading: 1, Line: 1}, Source: ledger.FromInterface, Day: ledger.BankDay(t0), Debit: true, Amount: 100_00},
		By: ledger.MatchedByUTR, Share: 100_00}
	for _, outcome := range []ledger.Outcome{"none", ledger.Rejected, ledger.NotSent, ledger.Accepted} {
		first := ledger.AttemptRecord{Submit: &ledger.Intent{At: t0}}
		first.ID, first.Number, first.Amount, first.State = 1, 1, 100_00, ledger.PayoutReturned
		first.Statement.Matches = []ledger.StatementMatch{debit}
		second := ledger.AttemptRecord{}
		second.ID, second.Number, second.Amount, second.State = 1, 2, 100_00, ledger.PayoutRequestInitiated
		if outcome == ledger.Accepted {
			second.State = ledger.PayoutSuccess
		}
		if outcome != "none" {
			second.Submit = &ledger.Intent{Kind: ledger.CallSubmit, At: t0.Add(3600e9), Outcome: outcome}
		}
		if locks := ledger.LocksAgainst([]ledger.AttemptRecord{first, second}, second.Key()); len(locks) > 0 {
			t.Errorf("%s: %s %s", outcome, locks[0].Kind, locks[0].Out)
		}
	}
}

// A debit of which nothing came back is no charge, whatever came back of another.
func TestAWholeDebitIsNoCharge(t *testing.T) {
	line := func(n int, debit bool, amount ledger.Paise) ledger.StatementLine {
		return ledger.StatementLine{Ref: ledger.EntryRef{Reading: 1, Line: n}, Source: ledger.FromInterface, Day: submitDay, Debit: debit, Amount: amount}
	}
	q := doubted().has(0, line(1, true, 100_00)).has(1, line(2, true, 200_00), line(3, false, 200_00)).later(72 * 3600e9)
	q.r.Charges = 100_00
	if got := q.judged(); got == "first" || got == "second" {
		t.Error(got)
	}
}

// Charges are what is kept back of what came back, and no more than half.
func TestChargesAreNoWayAroundARelease(t *testing.T) {
	line := func(n int, debit bool, amount ledger.Paise) ledger.StatementLine {
		return ledger.StatementLine{Ref: ledger.EntryRef{Reading: 1, Line: n}, Place: n, Source: ledger.FromInterface, Day: submitDay, Debit: debit, Amount: amount}
	}
	for name, play := range map[string]func() *asking{
		"two halves, nothing came back, charges 100": func() *asking {
			q := doubted().only(0).has(0, line(1, true, 50_00), line(2, true, 50_00))
			q.r.Charges = 100_00
			return q
		},
		"a stranger's credit of 1, charges 99": func() *asking {
			q := doubted().only(0).has(0, line(1, true, 100_00)).nameless(line(2, false, 1_00))
			q.r.Charges = 99_00
			return q
		},
		"nothing came back, charges 100": func() *asking {
			q := doubted().only(0).has(0, line(1, true, 100_00))
			q.r.Charges = 100_00
			return q
		},
	} {
		q := play().later(72 * 3600e9)
		if got := q.judged(); got == "first" || got == "second" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A submit that was rejected here may have been made at the bank's portal.
func TestARejectedSubmitMayHaveBeenSentElsewhere(t *testing.T) {
	for _, outcome := range []ledger.Outcome{ledger.Rejected, ledger.Accepted} {
		first := ledger.AttemptRecord{Submit: &ledger.Intent{At: t0, Outcome: ledger.Accepted}}
		first.ID, first.Number, first.Amount, first.State = 1, 1, 100_00, ledger.PayoutReturned
		first.Batch.State = ledger.BatchSettled
		first.Statement.Matches = []ledger.StatementMatch{{StatementLine: ledger.StatementLine{Ref: ledger.EntryRef{Reading: 1, Line: 1}, Place: 1, Source: ledger.FromInterface, Day: ledger.BankDay(t0.Add(30 * 3600e9)), Debit: true, Amount: 100_00},
			By: ledger.MatchedByReference, Share: 100_00}}
		second := ledger.AttemptRecord{Submit: &ledger.Intent{Kind: ledger.CallSubmit, At: t0.Add(28 * 3600e9), Outcome: outcome}}
		second.ID, second.Number, second.Amount, second.State = 1, 2, 100_00, ledger.PayoutFailed
		second.Batch.State = ledger.BatchSettled
		if locks := ledger.Locks([]ledger.AttemptRecord{first, second}); len(locks) == 0 {
			t.Errorf("%s: nothing locks it", outcome)
		}
	}
}
