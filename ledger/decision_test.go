package ledger_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"payrun/ledger"
)

// lostSubmit is a batch of two payouts whose submit got no answer three days ago, at
// a bank that hides what is not submitted; its status was asked about since.
func lostSubmit() ledger.Known {
	k := ledger.Known{
		Batch: ledger.Batch{ID: "prbatch", State: ledger.BatchSubmitUnknown, StateSince: submitAt, BankAccountID: booksAccount, Count: 2, Total: 400_00, Listed: ledger.ListingNo},
		Intents: []ledger.Intent{
			{Kind: ledger.CallInitiate, At: submitAt.Add(-time.Hour), Outcome: ledger.Accepted},
			{Kind: ledger.CallSubmit, At: submitAt, Outcome: ledger.Unknown, SaidAt: submitAt},
		},
		People: []string{"asha", "ravi"}, OtherShown: true,
	}
	for i, ref := range []string{"INV-1", "INV-2"} {
		a := ledger.KnownAttempt{Attempt: ledger.Attempt{Number: 1, WireRef: ref, State: ledger.PayoutRequestInitiated, Status: "request_initiated"}}
		a.ID, a.Ref, a.Amount = int64(i+1), ref, ledger.Paise(100_00+i*200_00)
		k.Attempts = append(k.Attempts, a)
	}
	for i := range 6 {
		at := booksAt.Add(-47*time.Hour + time.Duration(i)*9*time.Hour)
		k.Reads = append(k.Reads, ledger.Read{Run: at.Truncate(24 * time.Hour), At: at, SaidAt: at, Answer: ledger.LookNotKnown})
	}
	k.Reads = append(k.Reads, ledger.Read{Run: booksAt, At: booksAt, SaidAt: booksAt, Answer: ledger.LookNotKnown})
	return k
}

// told is k as its audit trail tells of it.
func told(k ledger.Known) ledger.Known {
	k.Told = ledger.Told{Members: k.MembersDigest().String(), Stands: k.StandsDigest().String()}
	return k
}

// decides is a step in which a person decides, with clean books.
func decides(as ledger.Decision, actor string) ledger.Step {
	b := clean()
	return ledger.Step{BatchID: "prbatch", Actor: actor, From: ledger.BatchSubmitUnknown, At: booksAt, Deciding: &ledger.Deciding{
		As: as, Reason: "because", Books: &b, Waits: inLaw, Watch: 168 * time.Hour,
		Look: ledger.Look{BatchID: "prbatch", At: booksAt, SaidAt: booksAt, Answer: ledger.LookNotKnown, Word: ledger.Word{HTTPStatus: 404, Code: "X"}}}}
}

// by is a first decision of somebody, two hours ago.
func by(actor string, as ledger.Decision) ledger.Proposal {
	at := booksAt.Add(-2 * time.Hour)
	return ledger.Proposal{No: 7, BatchID: "prbatch", Decision: string(as), Reason: "I looked", Actor: actor, At: at, SaidAt: at, Rests: "a statement", Books: true}
}

func TestWhatItTakesToSetASubmitAside(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*ledger.Known, *ledger.Step)
		rule   string
	}{
		"all of it":          {func(*ledger.Known, *ledger.Step) {}, ""},
		"no submit in doubt": {func(k *ledger.Known, _ *ledger.Step) { k.Intents[1].Outcome = ledger.Rejected }, ledger.RuleState},
		"another state": {func(k *ledger.Known, s *ledger.Step) {
			k.Batch.State, s.From = ledger.BatchSubmitted, ledger.BatchSubmitted
		}, ledger.RuleState},
		"no fresh status":      {func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Look.Answer = ledger.LookUnanswered }, ledger.RuleStatus},
		"a word that is a 500": {func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Look.Word.HTTPStatus = 500 }, ledger.RuleStatus},
		"a bank that lists":    {func(k *ledger.Known, _ *ledger.Step) { k.Batch.Listed = ledger.ListingYes }, ledger.RuleStatus},
		"not seen to hide":     {func(k *ledger.Known, _ *ledger.Step) { k.Batch.Listed = ledger.ListingUnasked }, ledger.RuleStatus},
		"shown, all waiting": {func(_ *ledger.Known, s *ledger.Step) {
			s.Deciding.Look = shown("prbatch", true, said("INV-1", "request_initiated"), said("INV-2", "request_initiated"))
			s.Deciding.Look.SaidAt = booksAt
		}, ""},
		"shown in part": {func(_ *ledger.Known, s *ledger.Step) {
			s.Deciding.Look = shown("prbatch", false, said("INV-1", "request_initiated"))
		}, ledger.RuleStatus},
		"shown with an unlisted value": {func(_ *ledger.Known, s *ledger.Step) {
			s.Deciding.Look = shown("prbatch", true, said("INV-1", "ON_HOLD"), said("INV-2", "request_initiated"))
		}, ledger.RuleStatus},
		"two days old to the minute": {func(k *ledger.Known, _ *ledger.Step) {
			k.Intents[1].At, k.Intents[1].SaidAt = booksAt.Add(-48*time.Hour), booksAt.Add(-48*time.Hour)
		}, ""},
		"less":                             {func(k *ledger.Known, _ *ledger.Step) { k.Intents[1].At = booksAt.Add(-48*time.Hour + 1) }, ledger.RuleTime},
		"poll.overdue_after is longer":     {func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Waits.Overdue = 73 * time.Hour }, ledger.RuleTime},
		"less by the bank's clock":         {func(k *ledger.Known, _ *ledger.Step) { k.Intents[1].SaidAt = booksAt.Add(-47 * time.Hour) }, ledger.RuleBankTime},
		"a bank that does not say":         {func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Look.SaidAt = time.Time{} }, ledger.RuleBankTime},
		"a submit of before that was kept": {func(k *ledger.Known, _ *ledger.Step) { k.Intents[1].SaidAt = time.Time{} }, ledger.RuleBankTime},
		"our clock was ahead, and the books begin after it": {func(k *ledger.Known, _ *ledger.Step) {
			k.Intents[1].SaidAt = submitAt.Add(-50 * time.Hour)
		}, ledger.RuleBooksWindow},
		"our clock was behind, and the books end too soon": {func(k *ledger.Known, s *ledger.Step) {
			k.Intents[1].SaidAt, s.Deciding.Books.Entries[1].At = submitAt.Add(24*time.Hour), submitAt.Add(47*time.Hour)
		}, ledger.RuleBooksLate},
		"answered no, a day old": {func(k *ledger.Known, s *ledger.Step) {
			k.Batch.Refusal, s.Deciding.Waits.Overdue = "422", time.Hour
			k.Intents[1].At, k.Intents[1].SaidAt = booksAt.Add(-24*time.Hour), booksAt.Add(-24*time.Hour)
			for i := range k.Reads {
				k.Reads[i].At = booksAt.Add(-time.Duration(i) * 4 * time.Hour)
			}
			s.Deciding.Books.Entries[1].At = booksAt
		}, ""},
		"five reads": {func(k *ledger.Known, _ *ledger.Step) { k.Reads = k.Reads[:5] }, ledger.RuleReads},
		"in two runs": {func(k *ledger.Known, _ *ledger.Step) {
			for i := range k.Reads {
				k.Reads[i].Run = k.Reads[i%2].Run
			}
			k.Reads[1].Run = booksAt
		}, ledger.RuleReads},
		"all in the last hours": {func(k *ledger.Known, _ *ledger.Step) {
			for i := range k.Reads {
				k.Reads[i].At = booksAt.Add(-time.Duration(i) * time.Hour)
			}
		}, ledger.RuleReads},
		"a debit in the books": {func(_ *ledger.Known, s *ledger.Step) {
			add(s.Deciding.Books, ledger.BookEntry{Debit: true, Amount: 100_00})
		}, ledger.RuleBooksAmount},
		"books that another batch lacks": {func(k *ledger.Known, _ *ledger.Step) { k.OtherShown = false }, ledger.RuleBooksOtherOnly},
		"answered from elsewhere":        {func(k *ledger.Known, _ *ledger.Step) { k.Batch.Attention = ledger.StatusDiffers }, ledger.RuleTicket},
		"answered with another number, and overdue": {func(k *ledger.Known, _ *ledger.Step) {
			k.Batch.Attention, k.Batch.Note = ledger.SubmitOverdue, "overdue; "+ledger.OtherNumber+" XX0010"
		}, ledger.RuleTicket},
		"answered from elsewhere, and the word": {func(k *ledger.Known, s *ledger.Step) {
			k.Batch.Attention, s.Deciding.Ticket = ledger.StatusDiffers, "mail 4711"
		}, ""},
		"neither books nor word":     {func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Books = nil }, ledger.RuleBooksMissing},
		"the word, after three days": {func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Books, s.Deciding.Ticket = nil, "mail 4711" }, ledger.RuleTime},
		"the word, after ten days": {func(k *ledger.Known, s *ledger.Step) {
			s.Deciding.Books, s.Deciding.Ticket = nil, "mail 4711"
			k.Intents[1].At, k.Intents[1].SaidAt = booksAt.Add(-240*time.Hour), booksAt.Add(-240*time.Hour)
			for i := range k.Reads {
				k.Reads[i].At = booksAt.Add(-time.Duration(i) * 39 * time.Hour)
			}
		}, ""},
		"the word beside a debit": {func(_ *ledger.Known, s *ledger.Step) {
			s.Deciding.Ticket = "mail 4711"
			add(s.Deciding.Books, ledger.BookEntry{Debit: true, Amount: 100_00})
		}, ledger.RuleBooksAmount},
	} {
		t.Run(name, func(t *testing.T) {
			for _, first := range []bool{true, false} { // each of the two needs all of it
				k, s := lostSubmit(), decides(ledger.DecidedNotSubmitted, "ravi")
				if c.change(&k, &s); !first {
					k.Proposals = []ledger.Proposal{by("asha", ledger.DecidedNotSubmitted)}
				}
				got, err := s.Change(told(k))
				wantRule(t, err, c.rule)
				if err != nil {
					continue
				}
				if got.Decided == nil || got.Decided.Carried == first || (got.Batch.State == ledger.BatchSetAside) == first {
					t.Errorf("first %t: %+v, %s", first, got.Decided, got.Batch.State)
				}
			}
		})
	}
}

func TestASetAsideBatchGivesItsPayoutsFree(t *testing.T) {
	k, s := lostSubmit(), decides(ledger.DecidedNotSubmitted, "ravi")
	k.Proposals = []ledger.Proposal{by("asha", ledger.DecidedNotSubmitted)}
	c, err := s.Change(told(k))
	if err != nil || c.Event.Kind != "set_aside" || len(c.Attempts) != 2 || c.Attempts[0].State != ledger.PayoutCancelled || c.Decided.Seconds != 7 {
		t.Fatalf("%+v, %v", c, err)
	}
	// seen moving, each of its payouts may be paid
	aside := k
	aside.Batch = c.Batch
	for i := range aside.Attempts {
		aside.Attempts[i].State = ledger.PayoutCancelled
	}
	paid := said("INV-1", "success")
	moved := ledger.Step{BatchID: "prbatch", Actor: "asha", From: ledger.BatchSetAside, Event: ledger.SeenMoving, At: booksAt, Observed: []ledger.Observed{
		{PayoutID: 1, Number: 1, Observation: paid, Verdict: ledger.Judge(aside.Attempts[0].Attempt, paid)}}}
	c, err = moved.Change(told(aside))
	if err != nil || c.Batch.State != ledger.BatchSubmitted || len(c.Attempts) != 2 {
		t.Fatalf("%+v, %v", c, err)
	}
	for _, a := range c.Attempts {
		if a.State != ledger.PayoutDisputed {
			t.Errorf("%s is %s", a.WireRef, a.State)
		}
	}
}

func TestTwoPeopleDecide(t *testing.T) {
	at := func(p ledger.Proposal, ago time.Duration) ledger.Proposal {
		p.At, p.SaidAt = booksAt.Add(-ago), booksAt.Add(-ago)
		return p
	}
	asha, ravi := by("asha", ledger.DecidedNotSubmitted), by("ravi", ledger.DecidedNotSubmitted)
	for name, c := range map[string]struct {
		before []ledger.Proposal
		people []string
		actor  string
		change func(*ledger.Step)
		rule   string
		done   bool
	}{
		"the first":                       {nil, nil, "ravi", nil, "", false},
		"the second":                      {[]ledger.Proposal{asha}, nil, "ravi", nil, "", true},
		"the same person":                 {[]ledger.Proposal{asha}, nil, "Asha ", nil, ledger.RuleProposed, false},
		"an hour later":                   {[]ledger.Proposal{at(asha, time.Hour)}, nil, "ravi", nil, "", true},
		"less":                            {[]ledger.Proposal{at(asha, time.Hour-1)}, nil, "ravi", nil, ledger.RuleBetween, false},
		"less by the bank's clock":        {[]ledger.Proposal{asha}, nil, "ravi", func(s *ledger.Step) { s.Deciding.Look.SaidAt = asha.SaidAt.Add(59 * time.Minute) }, ledger.RuleBetween, false},
		"72 hours later":                  {[]ledger.Proposal{at(asha, 72*time.Hour)}, nil, "ravi", nil, "", true},
		"more: it has lapsed":             {[]ledger.Proposal{at(asha, 72*time.Hour+1)}, nil, "ravi", nil, "", false},
		"the clock was set back":          {[]ledger.Proposal{at(asha, -time.Hour)}, nil, "ravi", nil, "", false},
		"the first took it back":          {[]ledger.Proposal{asha, by("asha", ledger.DecidedDisputed)}, nil, "ravi", nil, "", false},
		"of an older ledger, on no books": {[]ledger.Proposal{{No: 1, Decision: "not-submitted", Actor: "asha", At: asha.At}}, nil, "ravi", nil, "", false},
		"both had said so":                {[]ledger.Proposal{asha, ravi}, nil, "ravi", nil, "", true},
		"alone, and others are on record": {[]ledger.Proposal{at(ravi, 30*time.Hour)}, nil, "ravi", nil, ledger.RuleProposed, false},
		"alone on record, a day later":    {[]ledger.Proposal{at(ravi, 24*time.Hour)}, []string{"ravi", "Ravi"}, "ravi", nil, "", true},
		"alone on record, less":           {[]ledger.Proposal{at(ravi, 24*time.Hour-1)}, []string{"ravi"}, "ravi", nil, ledger.RuleAlone, false},
	} {
		t.Run(name, func(t *testing.T) {
			k, s := lostSubmit(), decides(ledger.DecidedNotSubmitted, c.actor)
			k.Batch.StateSince = submitAt.Add(-48 * time.Hour)
			k.Proposals = c.before
			if c.people != nil {
				k.People = c.people
			}
			if c.change != nil {
				c.change(&s)
			}
			got, err := s.Change(told(k))
			wantRule(t, err, c.rule)
			if err == nil && got.Decided.Carried != c.done {
				t.Errorf("carried out: %t, want %t", got.Decided.Carried, c.done)
			}
		})
	}
}

// The only person on record never decides with the bank's word alone.
func TestOnePersonDoesNotDecideOnAWord(t *testing.T) {
	k, s := lostSubmit(), decides(ledger.DecidedNotSubmitted, "ravi")
	s.Deciding.Books, s.Deciding.Ticket = nil, "mail 4711"
	k.People = []string{"ravi"}
	k.Intents[1].At, k.Intents[1].SaidAt = booksAt.Add(-240*time.Hour), booksAt.Add(-240*time.Hour)
	k.Batch.StateSince = k.Intents[1].At
	for i := range k.Reads {
		k.Reads[i].At = booksAt.Add(-time.Duration(i) * 39 * time.Hour)
	}
	first := by("ravi", ledger.DecidedNotSubmitted)
	first.At = booksAt.Add(-30 * time.Hour)
	k.Proposals = []ledger.Proposal{first}
	_, err := s.Change(told(k))
	wantRule(t, err, ledger.RuleAloneWord)
}

// disputedIn is a batch with one disputed payout that the bank shows so.
func disputedIn(o ledger.Observation) (ledger.Known, ledger.Step) {
	k := lostSubmit()
	k.Batch.State, k.Intents[1].Outcome = ledger.BatchSettled, ledger.Accepted
	k.Attempts[0].State, k.Attempts[0].Status, k.Attempts[0].OpenTxnID = ledger.PayoutDisputed, "failed", "txn-1"
	k.Attempts[1].State, k.Attempts[1].Status = ledger.PayoutSuccess, "success"
	s := decides(ledger.DecidedNotPaid, "ravi")
	s.From, s.Deciding.Of = ledger.BatchSettled, ledger.AttemptKey{PayoutID: 1, Number: 1}
	o.WireRef = "INV-1"
	s.Deciding.Look = shown("prbatch", true, o, said("INV-2", "success"))
	return k, s
}

func TestWhatItTakesToCloseADispute(t *testing.T) {
	is := func(status, code string) ledger.Observation {
		return ledger.Observation{Status: status, BankStatusCode: code}
	}
	for name, c := range map[string]struct {
		as     ledger.Decision
		shown  ledger.Observation
		change func(*ledger.Known, *ledger.Step)
		rule   string
		state  ledger.PayoutState
		closed ledger.Resolution
	}{
		"paid, and shown so":                 {"paid", is("success", ""), nil, "", "success", "paid"},
		"paid, and returned":                 {"paid", is("success", ledger.CodeReturned), nil, ledger.RuleNotShownPaid, "", ""},
		"paid, and shown failed":             {"paid", is("failed", ""), nil, ledger.RuleNotShownPaid, "", ""},
		"paid, with another amount":          {"paid", ledger.Observation{Status: "success", HasAmount: true, Amount: 101_00}, nil, ledger.RuleStatus, "", ""},
		"not paid, and shown failed":         {"not-paid", is("failed", "R"), nil, "", "cancelled", "not_paid"},
		"not paid, and returned":             {"not-paid", is("success", ledger.CodeReturned), nil, "", "cancelled", "not_paid"},
		"not paid, and still waiting":        {"not-paid", is("request_initiated", ""), nil, "", "cancelled", "not_paid"},
		"not paid, and waiting, on no books": {"not-paid", is("request_initiated", ""), func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Books = nil }, ledger.RuleBooksMissing, "", ""},
		"not paid, and failed, on no books":  {"not-paid", is("failed", ""), func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Books = nil }, "", "cancelled", "not_paid"},
		"not paid, and pending":              {"not-paid", is("pending", ""), nil, ledger.RuleStatus, "", ""},
		"not paid, and initiated":            {"not-paid", is("initiated", ""), nil, ledger.RuleStatus, "", ""},
		"not paid, and an unlisted value":    {"not-paid", is("ON_HOLD", ""), nil, ledger.RuleStatus, "", ""},
		"not paid, and success":              {"not-paid", is("success", ""), nil, ledger.RuleStatus, "", ""},
		"not paid, in a read that broke off": {"not-paid", is("failed", ""), func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Look.Complete = false }, ledger.RuleStatus, "", ""},
		"not paid, and the debit is there": {"not-paid", is("failed", ""), func(_ *ledger.Known, s *ledger.Step) {
			add(s.Deciding.Books, ledger.BookEntry{Debit: true, Amount: 100_00, Words: []string{"INV-1"}})
		}, ledger.RuleBooksDebited, "", ""},
		"not paid, and a debit without a name may be it": {"not-paid", is("failed", ""), func(_ *ledger.Known, s *ledger.Step) {
			add(s.Deciding.Books, ledger.BookEntry{Debit: true, Amount: 100_00})
		}, ledger.RuleBooksAmount, "", ""},
		"not paid, and a debit of the whole batch": {"not-paid", is("failed", ""), func(k *ledger.Known, s *ledger.Step) {
			add(s.Deciding.Books, ledger.BookEntry{Debit: true, Amount: k.Batch.Total})
		}, ledger.RuleBooksAmount, "", ""},
		"not paid, and the bank wrote that it is not": {"not-paid", is("failed", ""), func(_ *ledger.Known, s *ledger.Step) {
			s.Deciding.Ticket = "mail"
			add(s.Deciding.Books, ledger.BookEntry{Debit: true, Amount: 100_00})
		}, "", "cancelled", "not_paid"},
		"not paid, and the debit is another's": {"not-paid", is("failed", ""), func(_ *ledger.Known, s *ledger.Step) {
			add(s.Deciding.Books, ledger.BookEntry{Debit: true, Amount: 100_00, Matched: "OTHER-8"})
		}, "", "cancelled", "not_paid"},
		"not paid, and returned, as it was debited": {"not-paid", is("success", ledger.CodeReturned), func(_ *ledger.Known, s *ledger.Step) {
			add(s.Deciding.Books, ledger.BookEntry{Debit: true, Amount: 100_00})
		}, "", "cancelled", "not_paid"},
		"not paid, and the debit and its credit": {"not-paid", is("failed", ""), func(_ *ledger.Known, s *ledger.Step) {
			add(s.Deciding.Books, ledger.BookEntry{Debit: true, Amount: 100_00, Words: []string{"INV-1"}})
			add(s.Deciding.Books, ledger.BookEntry{Amount: 100_00, Words: []string{"INV-1"}})
		}, "", "cancelled", "not_paid"},
		"not paid, on broken books": {"not-paid", is("failed", ""), func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Books.Closed = false }, ledger.RuleBooksClosed, "", ""},
		"not disputed":              {"not-paid", is("failed", ""), func(k *ledger.Known, _ *ledger.Step) { k.Attempts[0].State = ledger.PayoutPending }, ledger.RuleState, "", ""},
		"no longer known, and shown otherwise than planned before": {"not-paid", is("", ""), func(k *ledger.Known, s *ledger.Step) {
			k.Batch.Attention, s.Deciding.Look = ledger.StatusDiffers, notKnown("prbatch")
		}, ledger.RuleTicket, "", ""},
		"no longer known, shown otherwise before, and the bank wrote that it is not": {"not-paid", is("", ""), func(k *ledger.Known, s *ledger.Step) {
			k.Batch.Attention, s.Deciding.Look, s.Deciding.Ticket = ledger.StatusDiffers, notKnown("prbatch"), "mail"
		}, "", "cancelled", "gone"},
		"no longer known, and last shown paid": {"not-paid", is("", ""), func(k *ledger.Known, s *ledger.Step) {
			k.Attempts[0].Status, s.Deciding.Look = "success", notKnown("prbatch")
		}, ledger.RuleTicket, "", ""},
		"no longer known, and last shown as being paid": {"not-paid", is("", ""), func(k *ledger.Known, s *ledger.Step) {
			k.Attempts[0].Status, s.Deciding.Look = "pending", notKnown("prbatch")
		}, ledger.RuleTicket, "", ""},
		"no longer known, last shown paid, and the bank wrote that it is not": {"not-paid", is("", ""), func(k *ledger.Known, s *ledger.Step) {
			k.Attempts[0].Status, s.Deciding.Look, s.Deciding.Ticket = "success", notKnown("prbatch"), "mail"
		}, "", "cancelled", "gone"},
		"no longer known, and disputed as it was not as planned": {"not-paid", is("", ""), func(k *ledger.Known, s *ledger.Step) {
			k.Attempts[0].Reason, s.Deciding.Look = ledger.OtherThanPlanned+": another account", notKnown("prbatch")
		}, ledger.RuleTicket, "", ""},
		"no longer known, and once shown with another number": {"not-paid", is("", ""), func(k *ledger.Known, s *ledger.Step) {
			k.Batch.Attention, k.Batch.Note, s.Deciding.Look = ledger.Overdue, "late; "+ledger.OtherNumber+" XX0010", notKnown("prbatch")
		}, ledger.RuleTicket, "", ""},
		"no longer known, and last shown failed": {"not-paid", is("", ""), func(_ *ledger.Known, s *ledger.Step) {
			s.Deciding.Look = notKnown("prbatch")
		}, "", "cancelled", "gone"},
		"failed long ago, and no longer known": {"not-paid", is("", ""), func(k *ledger.Known, s *ledger.Step) {
			k.Attempts[0].State, k.Attempts[0].UpdatedAt = ledger.PayoutFailed, booksAt.Add(-168*time.Hour)
			s.Deciding.Look = notKnown("prbatch")
		}, "", "failed", "gone"},
		"failed lately, and no longer known": {"not-paid", is("", ""), func(k *ledger.Known, s *ledger.Step) {
			k.Attempts[0].State, k.Attempts[0].UpdatedAt = ledger.PayoutFailed, booksAt.Add(-168*time.Hour+1)
			s.Deciding.Look = notKnown("prbatch")
		}, ledger.RuleTime, "", ""},
		"failed long ago by a clock that was back, and no longer known": {"not-paid", is("", ""), func(k *ledger.Known, s *ledger.Step) {
			k.Attempts[0].See(ledger.NewObservation{Seq: 1, At: booksAt.Add(-time.Hour), Observation: said("INV-1", "pending")})
			k.Attempts[0].See(ledger.NewObservation{Seq: 2, At: booksAt.Add(-168 * time.Hour), Observation: said("INV-1", "failed")})
			k.Attempts[0].State, k.Attempts[0].UpdatedAt = ledger.PayoutFailed, booksAt.Add(-168*time.Hour)
			s.Deciding.Look = notKnown("prbatch")
		}, ledger.RuleTime, "", ""},
		"failed long ago by our clock alone, and no longer known": {"not-paid", is("", ""), func(k *ledger.Known, s *ledger.Step) {
			k.Attempts[0].State, k.Attempts[0].UpdatedAt = ledger.PayoutFailed, booksAt.Add(-168*time.Hour)
			s.Deciding.Look = notKnown("prbatch")
			s.Deciding.Look.SaidAt = booksAt.Add(-time.Hour)
		}, ledger.RuleBankTime, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			k, s := disputedIn(c.shown)
			s.Deciding.As = c.as
			if c.change != nil {
				c.change(&k, &s)
			}
			first := by("asha", c.as)
			first.PayoutID, first.Number = 1, 1
			k.Proposals = []ledger.Proposal{first}
			got, err := s.Change(told(k))
			wantRule(t, err, c.rule)
			if err != nil {
				return
			}
			last := got.Attempts[len(got.Attempts)-1]
			if last.State != c.state || last.Resolved != c.closed || got.Batch.State != ledger.BatchSettled || got.Event.Kind != ledger.EventClosed {
				t.Errorf("%+v, %s", last, got.Event.Kind)
			}
			// while the bank shows just that it stays closed, and anything else disputes it anew
			if o := c.shown; c.closed != ledger.ResolutionGone {
				if v := ledger.Judge(last.Attempt, o); v.State != c.state {
					t.Errorf("seen again it is %s", v.State)
				}
				o.Status = "pending"
				if v := ledger.Judge(last.Attempt, o); v.State != ledger.PayoutDisputed {
					t.Errorf("seen otherwise it is %s", v.State)
				}
			}
		})
	}
}

func TestOnlyRefusedPayoutsGetNewReferences(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*ledger.Known, *ledger.Step)
		rule   string
	}{
		"refused":               {func(*ledger.Known, *ledger.Step) {}, ""},
		"and two have to agree": {func(_ *ledger.Known, s *ledger.Step) { s.Deciding.TwoPeople = true }, ""},
		"it was shown":          {func(k *ledger.Known, _ *ledger.Step) { k.Batch.Shown = true }, ledger.RuleReferences},
		"given up in doubt": {func(k *ledger.Known, s *ledger.Step) {
			k.Batch.State, s.From, k.Intents[0].Outcome = ledger.BatchAbandoned, ledger.BatchAbandoned, ledger.Unknown
		}, ""},
		"given up before it was sent": {func(k *ledger.Known, s *ledger.Step) {
			k.Batch.State, s.From, k.Intents = ledger.BatchAbandoned, ledger.BatchAbandoned, nil
		}, ledger.RuleReferences},
		"a payout that can pay": {func(k *ledger.Known, _ *ledger.Step) { k.Attempts[1].AliveElsewhere = true }, ledger.RuleState},
		"the bank shows it": {func(_ *ledger.Known, s *ledger.Step) {
			s.Deciding.Look = shown("prbatch", true, said("INV-1", "success"))
		}, ledger.RuleStatus},
		"no answer":              {func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Look.Answer = ledger.LookUnanswered }, ledger.RuleStatus},
		"neither books nor word": {func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Books = nil }, ledger.RuleBooksMissing},
		"the bank's word":        {func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Books, s.Deciding.Ticket = nil, "mail" }, ""},
		"the debit is there": {func(_ *ledger.Known, s *ledger.Step) {
			add(s.Deciding.Books, ledger.BookEntry{Debit: true, Amount: 100_00, Words: []string{"INV-1"}})
		}, ledger.RuleBooksNamed},
		"books of this month only": {func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Books.From = submitAt.Add(-29 * 24 * time.Hour) }, ledger.RuleBooksWindow},
	} {
		t.Run(name, func(t *testing.T) {
			k, s := lostSubmit(), decides(ledger.DecidedNewReferences, "asha")
			k.Batch.State, k.Batch.CreatedAt, s.From = ledger.BatchRefused, submitAt, ledger.BatchRefused
			k.Intents = []ledger.Intent{{Kind: ledger.CallInitiate, At: submitAt, Outcome: ledger.Rejected}}
			for i := range k.Attempts {
				k.Attempts[i].State = ledger.PayoutCancelled
			}
			s.Deciding.Books.From = submitAt.Add(-30 * 24 * time.Hour)
			s.Deciding.Books.Entries[0].At = submitAt.Add(-29*24*time.Hour - time.Hour)
			c.change(&k, &s)
			got, err := s.Change(told(k))
			wantRule(t, err, c.rule)
			if err == nil && got.Decided.Carried == s.Deciding.TwoPeople {
				t.Errorf("%+v", got.Decided)
			}
		})
	}
}

func TestWhatTheBankNeverEnds(t *testing.T) {
	k, s := lostSubmit(), decides(ledger.DecidedDisputed, "ravi")
	s.Deciding.Books = nil
	_, err := s.Change(told(k))
	wantRule(t, err, ledger.RuleTicket)
	s.Deciding.Ticket = "mail"
	k.Proposals = []ledger.Proposal{by("asha", ledger.DecidedDisputed)}
	c, err := s.Change(told(k))
	if err != nil || c.Batch.State != ledger.BatchSubmitted || len(c.Attempts) != 2 || c.Attempts[1].State != ledger.PayoutDisputed {
		t.Errorf("%+v, %v", c, err)
	}
	k.Batch.StateSince = booksAt.Add(-23 * time.Hour)
	_, err = s.Change(told(k))
	wantRule(t, err, ledger.RuleTime)
}

// What the bank did end stays as it is, and stands in nobody's way: only what it never
// ends is called disputed.
func TestWhatTheBankNeverEndsBesideWhatItDid(t *testing.T) {
	for name, c := range map[string]struct {
		states [2]ledger.PayoutState
		look   [2]string
		rule   string
		became []ledger.PayoutState
	}{
		"one is paid":                {[2]ledger.PayoutState{ledger.PayoutSuccess, ledger.PayoutInitiated}, [2]string{"success", "initiated"}, "", []ledger.PayoutState{ledger.PayoutDisputed}},
		"one failed":                 {[2]ledger.PayoutState{ledger.PayoutFailed, ledger.PayoutPending}, [2]string{"failed", "pending"}, "", []ledger.PayoutState{ledger.PayoutDisputed}},
		"one is disputed":            {[2]ledger.PayoutState{ledger.PayoutDisputed, ledger.PayoutPending}, [2]string{"failed", "pending"}, "", []ledger.PayoutState{ledger.PayoutDisputed}},
		"the other is shown as paid": {[2]ledger.PayoutState{ledger.PayoutSuccess, ledger.PayoutInitiated}, [2]string{"success", "success"}, ledger.RuleStatus, nil},
		"all ended":                  {[2]ledger.PayoutState{ledger.PayoutSuccess, ledger.PayoutFailed}, [2]string{"success", "failed"}, ledger.RuleState, nil},
		"ended, or disputed":         {[2]ledger.PayoutState{ledger.PayoutSuccess, ledger.PayoutDisputed}, [2]string{"success", "initiated"}, ledger.RuleState, nil},
	} {
		t.Run(name, func(t *testing.T) {
			k, s := lostSubmit(), decides(ledger.DecidedDisputed, "ravi")
			k.Batch.State, s.From, k.Batch.Attention, k.Batch.Note = ledger.BatchSubmitted, ledger.BatchSubmitted, ledger.Overdue, "overdue"
			k.Proposals = []ledger.Proposal{by("asha", ledger.DecidedDisputed)}
			for i := range k.Attempts {
				k.Attempts[i].State = c.states[i]
			}
			s.Deciding.Ticket, s.Deciding.Look = "mail", shown("prbatch", true, said("INV-1", c.look[0]), said("INV-2", c.look[1]))
			offered := slices.ContainsFunc(k.Legal(inLaw.Overdue, booksAt), func(n ledger.Next) bool { return n.Decides() == ledger.DecidedDisputed })
			if offered == (c.rule == ledger.RuleState) {
				t.Errorf("it is offered: %t", offered)
			}
			got, err := s.Change(told(k))
			wantRule(t, err, c.rule)
			var became []ledger.PayoutState
			for _, a := range got.Attempts {
				if became = append(became, a.State); a.WireRef != "INV-2" {
					t.Errorf("%s becomes %s", a.WireRef, a.State)
				}
			}
			if !slices.Equal(became, c.became) || err == nil && got.Batch.Attention != ledger.NeedsNothing {
				t.Errorf("%v; it asks for %q: %s", became, got.Batch.Attention, got.Batch.Note)
			}
		})
	}
}

// A held batch that a listing bank no longer shows, and a value that is listed nowhere.
func TestWhatTheBankHoldsIsGivenUpByTwoPeople(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*ledger.Known, *ledger.Step)
		rule   string
	}{
		"expired, on the books": {func(*ledger.Known, *ledger.Step) {}, ""},
		"expired, on the word":  {func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Books, s.Deciding.Ticket = nil, "mail" }, ""},
		"expired, on nothing":   {func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Books = nil }, ledger.RuleBooksMissing},
		"expired, our clock was ahead, and the books begin after it": {func(k *ledger.Known, _ *ledger.Step) {
			k.Intents[0].SaidAt = submitAt.Add(-50 * time.Hour)
		}, ledger.RuleBooksWindow},
		"expired, our clock was behind, and the books end too soon": {func(k *ledger.Known, s *ledger.Step) {
			k.Intents[0].SaidAt, s.Deciding.Books.Entries[1].At = submitAt.Add(24*time.Hour), submitAt.Add(47*time.Hour)
		}, ledger.RuleBooksLate},
		"at a bank that hides": {func(k *ledger.Known, _ *ledger.Step) { k.Batch.Listed = ledger.ListingNo }, ledger.RuleState},
		"no answer":            {func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Look.Answer = ledger.LookUnanswered }, ledger.RuleStatus},
		"unlisted for ten days": {func(_ *ledger.Known, s *ledger.Step) {
			s.Deciding.Look, s.Deciding.Ticket = shown("prbatch", true, said("INV-1", "ON_HOLD")), "mail"
		}, ""},
		"unlisted, for less": {func(k *ledger.Known, s *ledger.Step) {
			k.Batch.UpdatedAt, s.Deciding.Look, s.Deciding.Ticket = booksAt.Add(-239*time.Hour), shown("prbatch", true, said("INV-1", "ON_HOLD")), "mail"
		}, ledger.RuleTime},
		"unlisted for ten days by our clock alone": {func(k *ledger.Known, s *ledger.Step) {
			k.Batch.UpdatedAt, s.Deciding.Look, s.Deciding.Ticket = booksAt.Add(-240*time.Hour), shown("prbatch", true, said("INV-1", "ON_HOLD")), "mail"
			s.Deciding.Look.SaidAt = booksAt.Add(-time.Hour)
		}, ledger.RuleBankTime},
		"unlisted, on the books": {func(_ *ledger.Known, s *ledger.Step) {
			s.Deciding.Look = shown("prbatch", true, said("INV-1", "ON_HOLD"))
		}, ledger.RuleTicket},
		"moving": {func(_ *ledger.Known, s *ledger.Step) {
			s.Deciding.Look, s.Deciding.Ticket = shown("prbatch", true, said("INV-1", "pending")), "mail"
		}, ledger.RuleStatus},
	} {
		t.Run(name, func(t *testing.T) {
			k, s := lostSubmit(), decides(ledger.DecidedNotSubmitted, "ravi")
			k.Batch.State, k.Batch.Listed, s.From, k.Batch.HeldAt, k.Batch.UpdatedAt = ledger.BatchHeld, ledger.ListingYes, ledger.BatchHeld, submitAt, booksAt.Add(-240*time.Hour)
			k.Batch.StateSince, k.Intents = submitAt, k.Intents[:1]
			k.Proposals = []ledger.Proposal{by("asha", ledger.DecidedNotSubmitted)}
			c.change(&k, &s)
			got, err := s.Change(told(k))
			wantRule(t, err, c.rule)
			if err == nil && got.Batch.State != ledger.BatchSetAside {
				t.Errorf("it is %s", got.Batch.State)
			}
			for _, a := range got.Attempts {
				if a.Status == "ON_HOLD" && a.Resolved != ledger.ResolutionNotPaid {
					t.Errorf("%s is not kept as it was seen: %+v", a.WireRef, a)
				}
			}
		})
	}
}

// What follows a batch that was set aside needs the books again, at each submit.
func TestASubmitAfterASetAsideNeedsTheBooks(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*ledger.Known, *ledger.Step)
		want   string
	}{
		"with clean books":      {func(*ledger.Known, *ledger.Step) {}, "go"},
		"without":               {func(_ *ledger.Known, s *ledger.Step) { s.Books = nil }, "ask"},
		"old books":             {func(_ *ledger.Known, s *ledger.Step) { s.Books.ReadAt = booksAt.Add(-16 * time.Minute) }, "never"},
		"the debit is there":    {func(_ *ledger.Known, s *ledger.Step) { add(s.Books, ledger.BookEntry{Debit: true, Amount: 100_00}) }, "never"},
		"set aside on a word":   {func(k *ledger.Known, s *ledger.Step) { s.Books, k.Attempts[0].Earlier[0].Word = nil, true }, "go"},
		"and its bank fails":    {func(_ *ledger.Known, s *ledger.Step) { s.Looks[1].Word.HTTPStatus = 502 }, "ask"},
		"nothing was set aside": {func(k *ledger.Known, s *ledger.Step) { s.Books, k.Attempts[0].Earlier[0].SetAside = nil, false }, "go"},
		"an older copy had it":  {func(k *ledger.Known, _ *ledger.Step) { k.RestoredAt, k.BeforeRestore = submitAt, submitAt }, "never"},
		"and people cleared it": {func(k *ledger.Known, _ *ledger.Step) { restoredAndCleared(k, true) }, "go"},
		"and it was long before": {func(k *ledger.Known, _ *ledger.Step) {
			restoredAndCleared(k, true)
			k.Proposals[0].At = submitAt.Add(-1)
		}, "never"},
		"and the books are missing":                            {func(k *ledger.Known, s *ledger.Step) { restoredAndCleared(k, true); s.Books = nil }, "ask"},
		"cleared on a word, and it was set aside on the books": {func(k *ledger.Known, s *ledger.Step) { restoredAndCleared(k, false); s.Books = nil }, "ask"},
		"and a debit is what was sent before it was corrected": {func(k *ledger.Known, s *ledger.Step) {
			restoredAndCleared(k, true)
			k.Attempts[0].Earlier[0].Amount = 50_00
			add(s.Books, ledger.BookEntry{Debit: true, Amount: 50_00})
		}, "never"},
		"our clock was ahead, and the books begin after it": {func(k *ledger.Known, _ *ledger.Step) {
			k.Attempts[0].Earlier[0].SaidAt = submitAt.Add(-50 * time.Hour)
		}, "never"},
		"our clock was behind, and the books end too soon": {func(k *ledger.Known, s *ledger.Step) {
			k.Attempts[0].Earlier[0].SaidAt, s.Books.Entries[1].At = submitAt.Add(24*time.Hour), submitAt.Add(47*time.Hour)
		}, "never"},
		"accepted less than a day before the newest entry": {func(k *ledger.Known, _ *ledger.Step) {
			restoredAndCleared(k, true)
			k.RestoredAt = submitAt.Add(25 * time.Hour)
		}, "never"},
	} {
		t.Run(name, func(t *testing.T) {
			k := lostSubmit()
			k.Batch.ID, k.Batch.State, k.Intents = "prretry", ledger.BatchHeld, k.Intents[:1]
			for i := range k.Attempts {
				k.Attempts[i].Number, k.Attempts[i].WireRef = 2, k.Attempts[i].Ref+"-R2"
			}
			k.Attempts[0].Earlier = []ledger.Earlier{{AttemptKey: ledger.AttemptKey{PayoutID: 1, Number: 1}, WireRef: "INV-1", Amount: 100_00, BatchID: "prold", BankAccountID: k.Batch.BankAccountID,
				State: ledger.PayoutCancelled, SetAside: true, CalledAt: submitAt}}
			b := clean()
			s := ledger.Step{BatchID: "prretry", From: ledger.BatchHeld, Event: ledger.SubmitIntended, At: booksAt, PayloadSHA256: "x", Books: &b, Waits: inLaw,
				Looks: []ledger.Look{notKnown("prretry"), notKnown("prold")}}
			c.change(&k, &s)
			_, err := s.Change(told(k))
			if verdict(err) != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

func restoredAndCleared(k *ledger.Known, books bool) {
	k.RestoredAt, k.BeforeRestore = submitAt, submitAt
	p := by("ravi", ledger.DecidedNotSubmitted)
	p.Carried, p.Seconds, p.Books = true, 1, books
	if !books {
		p.Ticket = "mail"
	}
	k.Proposals = append(slices.Clone(k.Proposals), p)
}

// A ledger that was an older copy: two people decide that nothing was paid since.
func TestWhatAnOlderCopyHeldIsClearedByTwoPeople(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*ledger.Known, *ledger.Step)
		rule   string
	}{
		"planned":              {func(*ledger.Known, *ledger.Step) {}, ""},
		"held":                 {func(k *ledger.Known, s *ledger.Step) { k.Batch.State, s.From = ledger.BatchHeld, ledger.BatchHeld }, ""},
		"of this ledger alone": {func(k *ledger.Known, _ *ledger.Step) { k.RestoredAt = time.Time{} }, ledger.RuleState},
		"accepted yesterday":   {func(k *ledger.Known, _ *ledger.Step) { k.RestoredAt = booksAt.Add(-20 * time.Hour) }, ledger.RuleBooksLate},
		"no books, no word":    {func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Books = nil }, ledger.RuleBooksMissing},
		"the word, too early":  {func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Books, s.Deciding.Ticket = nil, "mail" }, ledger.RuleTime},
		"the word, too early by the bank's clock": {func(k *ledger.Known, s *ledger.Step) {
			s.Deciding.Books, s.Deciding.Ticket = nil, "mail"
			k.RestoredAt, k.BeforeRestore = booksAt.Add(-240*time.Hour), booksAt.Add(-241*time.Hour)
			s.Deciding.Look.SaidAt = booksAt.Add(-time.Hour)
		}, ledger.RuleBankTime},
		"the word, and accepted by a clock that was back": {func(k *ledger.Known, s *ledger.Step) {
			s.Deciding.Books, s.Deciding.Ticket, k.RestoredAt = nil, "mail", booksAt.Add(-240*time.Hour)
		}, ledger.RuleTime},
		"the bank shows it": {func(_ *ledger.Known, s *ledger.Step) {
			s.Deciding.Look = shown("prbatch", true, said("INV-1", "pending"))
		}, ledger.RuleStatus},
	} {
		t.Run(name, func(t *testing.T) {
			k, s := lostSubmit(), decides(ledger.DecidedNotSubmitted, "ravi")
			k.Batch.State, s.From, k.Intents, k.Batch.StateSince = ledger.BatchPlanned, ledger.BatchPlanned, nil, submitAt
			k.RestoredAt, k.BeforeRestore = submitAt, submitAt
			k.Batch.Note, k.Batch.Attention = "not sent: this ledger was an older copy", ledger.LookForbids
			k.Proposals = []ledger.Proposal{by("asha", ledger.DecidedNotSubmitted)}
			c.change(&k, &s)
			got, err := s.Change(told(k))
			wantRule(t, err, c.rule)
			if err == nil && (got.Event.Kind != ledger.EventCleared || got.Batch.State != k.Batch.State) {
				t.Errorf("%s, %s", got.Event.Kind, got.Batch.State)
			}
			if err == nil && (got.Batch.Attention != ledger.NeedsNothing || got.Batch.Note == k.Batch.Note) {
				t.Errorf("what stood against its submit still stands: %q (%s)", got.Batch.Note, got.Batch.Attention)
			}
		})
	}
}

func TestNothingIsDecidedAboutABatchThatWasTamperedWith(t *testing.T) {
	k := told(lostSubmit())
	k.Attempts[0].Amount++
	if _, err := decides(ledger.DecidedNotSubmitted, "ravi").Change(k); !errors.Is(err, ledger.ErrTampered) {
		t.Errorf("%v", err)
	}
}

func TestADecisionThatIsNoneIsNoStep(t *testing.T) {
	for _, as := range []ledger.Decision{"", "perhaps", ledger.DecidedSubmitted} {
		if _, err := decides(as, "ravi").Change(told(lostSubmit())); !errors.Is(err, ledger.ErrTransition) {
			t.Errorf("%q: %v", as, err)
		}
	}
}

// The statement is asked for from when money may have moved: by the bank's clock too.
func TestTheBooksAreAskedForByBothClocks(t *testing.T) {
	for name, c := range map[string]struct{ said, want time.Time }{
		"they agree":             {submitAt, submitAt},
		"ours was ahead":         {submitAt.Add(-50 * time.Hour), submitAt.Add(-50 * time.Hour)},
		"ours was behind":        {submitAt.Add(50 * time.Hour), submitAt},
		"the bank did not say":   {time.Time{}, submitAt},
		"the bank says nonsense": {time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC), submitAt},
	} {
		k := lostSubmit()
		k.Intents[1].SaidAt = c.said
		if got := k.BooksFor(ledger.DecidedNotSubmitted); !got.Equal(c.want) {
			t.Errorf("%s: from %s on, want %s", name, got, c.want)
		}
		k.Batch.State, k.Batch.HeldAt = ledger.BatchHeld, submitAt
		k.Intents = []ledger.Intent{{Kind: ledger.CallInitiate, At: submitAt, SaidAt: c.said, Outcome: ledger.Accepted}}
		if got := k.BooksFor(ledger.DecidedNotSubmitted); !got.Equal(c.want) {
			t.Errorf("held, %s: from %s on, want %s", name, got, c.want)
		}
		k.Attempts[0].Earlier = []ledger.Earlier{{SetAside: true, CalledAt: submitAt, SaidAt: c.said}}
		if got, ok := k.BooksSince(); !ok || !got.Equal(c.want) {
			t.Errorf("a retry, %s: from %s on, want %s", name, got, c.want)
		}
	}
}
