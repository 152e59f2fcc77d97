package submitter_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// inDoubt leaves one batch in submit_unknown, as a crash in the call does;
// arrived tells whether the bank got the submit.
func inDoubt(t *testing.T, arrived bool) (*desk, ledger.Batch) {
	t.Helper()
	d := newDesk(t)
	b := d.load(payouts{account: pb3, bank: 3, n: 2})[0]
	d.initiate()
	looks := d.asHeld(b.ID)
	looks[0].SaidAt = d.now()
	if err := d.store.Apply(t.Context(), ledger.Step{Actor: "tester", BatchID: b.ID, From: "held", Event: ledger.SubmitIntended, At: d.now(), PayloadSHA256: sum, Looks: looks}); err != nil {
		t.Fatal(err)
	}
	if arrived {
		otp := d.otp(b.ID)
		payload, err := d.client.EncodeSubmit(b.ID, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.client.Submit(t.Context(), payload, otp.OTP, otp.Token); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.engine().Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.want(b.ID, ledger.BatchSubmitUnknown, states{"request_initiated": 2})
	return d, b
}

// decides is a person who decides about a batch.
func (d *desk) decides(actor string, req submitter.Resolving) (submitter.Result, error) {
	d.t.Helper()
	if req.Reason == "" {
		req.Reason = "because " + actor
	}
	defer func(set submitter.Settings) { d.set = set }(d.set)
	d.set.Actor = actor
	return d.engine().Resolve(d.t.Context(), req)
}

// asked polls now and then for as long as it takes to set a submit aside on the
// bank's word.
func (d *desk) asked(days int) {
	d.t.Helper()
	for range days {
		d.later(24 * time.Hour)
		if _, err := d.engine().Poll(d.t.Context(), nil, 0); err != nil {
			d.t.Fatal(err)
		}
	}
}

func notSubmitted(id string) submitter.Resolving {
	return submitter.Resolving{Batch: id, As: ledger.DecidedNotSubmitted, Ticket: "mail of 21 Nov, no. 4711"}
}

// refusedBy holds a refusal against the rule that it has to name.
func refusedBy(t *testing.T, err error, rule string) {
	t.Helper()
	if why, ok := errors.AsType[*ledger.NotYet](err); !ok || why.Rule != rule || !errors.Is(err, submitter.ErrRefused) {
		t.Errorf("%v, want %s", err, rule)
	}
}

func TestASubmitThatNeverArrivedIsSetAsideByTwoPeople(t *testing.T) {
	d, b := inDoubt(t, false)
	_, err := d.decides("asha", notSubmitted(b.ID))
	refusedBy(t, err, ledger.RuleTime)
	d.later(11 * 24 * time.Hour)
	_, err = d.decides("asha", notSubmitted(b.ID))
	refusedBy(t, err, ledger.RuleReads)
	d.asked(10)
	none := notSubmitted(b.ID)
	none.Ticket = ""
	_, err = d.decides("asha", none)
	refusedBy(t, err, ledger.RuleBooksMissing)
	if r, err := d.decides("asha", notSubmitted(b.ID)); err != nil || r.Outcome != submitter.OutcomeWaiting || r.Batch.State != ledger.BatchSubmitUnknown {
		t.Fatalf("the first: %+v, %v", r, err)
	}
	if _, err := d.decides("Asha", notSubmitted(b.ID)); !errors.Is(err, submitter.ErrSamePerson) {
		t.Errorf("the same person: %v", err)
	}
	_, err = d.decides("ravi", notSubmitted(b.ID))
	refusedBy(t, err, ledger.RuleBetween)
	d.later(time.Hour)
	d.faults(fault{Op: "status", Kind: "429", Seconds: 61}) // all evidence is asked for anew
	_, err = d.decides("ravi", notSubmitted(b.ID))
	refusedBy(t, err, ledger.RuleStatus)
	d.faults()
	if r, err := d.decides("ravi", notSubmitted(b.ID)); err != nil || r.Outcome != submitter.OutcomeSetAside {
		t.Fatalf("the second: %+v, %v", r, err)
	}
	d.want(b.ID, ledger.BatchSetAside, states{"cancelled": 2})
	d.sound()

	// its submit arrives after all: what followed is held back
	retry := d.retryOf(b)
	d.initiate()
	otp := d.otp(b.ID)
	payload, err := d.client.EncodeSubmit(b.ID, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.client.Submit(t.Context(), payload, otp.OTP, otp.Token); err != nil {
		t.Fatal(err)
	}
	if r := d.submit(d.otp(retry.ID)); r[0].Batch.State != ledger.BatchHeld || r[0].Outcome != submitter.OutcomeNeedsPerson {
		t.Errorf("the retry: %+v", r[0])
	}
	d.want(b.ID, ledger.BatchSubmitted, states{"disputed": 2})
	d.sound()
}

func TestNothingIsSetAsideThatTheBankShowsMoving(t *testing.T) {
	d, b := inDoubt(t, true)
	d.later(25 * time.Hour)
	if _, err := d.decides("asha", notSubmitted(b.ID)); !errors.Is(err, submitter.ErrRefused) {
		t.Fatalf("it did pay: %v", err)
	}
	d.settle()
	d.want(b.ID, ledger.BatchSettled, states{"success": 2})
}

// statement is the bank's, as a test has it.
type statement struct {
	read func(account string, since time.Time) (ledger.Books, error)
}

func (s statement) Statement(_ context.Context, account string, since time.Time) (ledger.Books, error) {
	return s.read(account, since)
}

// quiet is a statement in which nothing happened but an entry of now.
func (d *desk) quiet(account string, since time.Time) (ledger.Books, error) {
	at := d.now()
	return ledger.Books{BankAccountID: account, From: since, To: at, ReadAt: at, Closed: true, Before: 900_00, After: 900_00, Entries: []ledger.BookEntry{
		{At: since, Amount: 1_00, Balance: 901_00}, {At: at, Debit: true, Amount: 1_00, Balance: 900_00},
	}}, nil
}

// With the books a submit is set aside after two days, and what follows needs them
// again; a statement that is to be had and cannot be read now is no reason for a word.
func TestTheBooksAreAskedForAnewAtEachDecisionAndSubmit(t *testing.T) {
	d, b := inDoubt(t, false)
	asked := 0
	var fails error
	d.set.Books = statement{func(account string, since time.Time) (ledger.Books, error) {
		asked++
		books, err := d.quiet(account, since)
		return books, errors.Join(err, fails)
	}}
	for range 8 {
		d.later(7 * time.Hour)
		if _, err := d.engine().Poll(t.Context(), nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	onBooks := submitter.Resolving{Batch: b.ID, As: ledger.DecidedNotSubmitted}
	if r, err := d.decides("asha", onBooks); err != nil || r.Outcome != submitter.OutcomeWaiting {
		t.Fatalf("the first: %+v, %v", r, err)
	}
	d.later(time.Hour)
	fails = errors.New("HTTP 502")
	_, err := d.decides("ravi", notSubmitted(b.ID)) // a word beside it takes no place
	refusedBy(t, err, ledger.RuleBooksClosed)
	fails = nil
	if r, err := d.decides("ravi", onBooks); err != nil || r.Outcome != submitter.OutcomeSetAside || asked != 3 {
		t.Fatalf("the second: %+v, %v; asked %d times", r, err, asked)
	}
	retry := d.retryOf(b)
	d.initiate()
	for _, c := range []struct {
		books submitter.Books
		state ledger.BatchState
	}{
		{nil, ledger.BatchHeld},
		{statement{func(account string, since time.Time) (ledger.Books, error) {
			books, _ := d.quiet(account, since)
			books.Entries[1].Amount, books.Entries[0].Balance = b.Total, 900_00+b.Total // the debit
			return books, nil
		}}, ledger.BatchHeld},
		{statement{d.quiet}, ledger.BatchSubmitted},
	} {
		d.set.Books = c.books
		if d.submit(d.otp(retry.ID)); d.batch(retry.ID).State != c.state {
			t.Errorf("with %v it is %s: %s", c.books, d.batch(retry.ID).State, d.batch(retry.ID).Note)
		}
	}
	d.sound()
}

// Such a decision frees nothing: one person is enough, and no status is asked.
func TestOnePersonSaysThatASubmitArrived(t *testing.T) {
	d, b := inDoubt(t, false)
	arrived := submitter.Resolving{Batch: b.ID, As: ledger.DecidedSubmitted}
	_, err := d.decides("asha", arrived)
	refusedBy(t, err, ledger.RuleTime)
	d.later(25 * time.Hour)
	d.faults(fault{Op: "status", Kind: "429", Seconds: 61})
	if r, err := d.decides("asha", arrived); err != nil || r.Batch.State != ledger.BatchSubmitted {
		t.Errorf("%+v, %v", r, err)
	}
	d.want(b.ID, ledger.BatchSubmitted, states{"request_initiated": 2})
	d.sound()
}

// A batch that the bank never ended was called disputed: it is over when people have
// closed the last of its disputes, and no sooner.
func TestClosingTheLastDisputeSettlesItsBatch(t *testing.T) {
	d := newDesk(t)
	refs := []string{"S1-G0-000", "S1-G0-001"}
	d.control("/outcomes", map[string]string{refs[0]: "stuck", refs[1]: "stuck"})
	b := d.load(payouts{account: pb3, bank: 3, n: 2})[0]
	d.initiate()
	d.submit(d.otp(b.ID))
	d.settle()
	both := func(req submitter.Resolving) {
		t.Helper()
		for _, who := range []string{"asha", "ravi"} {
			if _, err := d.decides(who, req); err != nil {
				t.Fatalf("%s, as %s: %v", who, req.As, err)
			}
			d.later(2 * time.Hour)
		}
	}
	d.later(25 * time.Hour)
	both(submitter.Resolving{Batch: b.ID, As: ledger.DecidedDisputed, Ticket: "mail"})
	d.want(b.ID, ledger.BatchSubmitted, states{"disputed": 2})
	d.control("/outcomes", map[string]string{refs[0]: "failed", refs[1]: "failed"})
	d.settle()

	attempts, err := d.store.Attempts(t.Context(), b.ID)
	if err != nil {
		t.Fatal(err)
	}
	both(submitter.Resolving{Batch: b.ID, As: ledger.DecidedNotPaid, Of: attempts[0].Key()})
	d.want(b.ID, ledger.BatchSubmitted, states{"cancelled": 1, "disputed": 1})
	both(submitter.Resolving{Batch: b.ID, As: ledger.DecidedNotPaid, Of: attempts[1].Key()})
	d.want(b.ID, ledger.BatchSettled, states{"cancelled": 2})
	if got := d.batch(b.ID); got.Attention != ledger.NeedsNothing {
		t.Errorf("it still needs %s: %s", got.Attention, got.Note)
	}
	d.sound()
}

// One payout of a batch was paid, and the bank never ends the other: people call it
// disputed, close it, and pay it anew. The paid one is touched by none of it.
func TestWhatTheBankNeverEndsBesideWhatItPaid(t *testing.T) {
	d := newDesk(t, func(s *submitter.Settings) { s.SuccessWatch = 365 * 24 * time.Hour })
	b := d.load(payouts{account: pb3, bank: 3, n: 2})[0]
	paid, stuck := "S1-G0-000", "S1-G0-001"
	d.control("/outcomes", map[string]string{stuck: "stuck"})
	d.initiate()
	d.submit(d.otp(b.ID))
	d.settle()
	d.later(60 * 24 * time.Hour)
	d.poll()
	row, _ := d.batch(b.ID).Asks().Row()
	k, err := d.store.Known(t.Context(), b.ID)
	if err != nil {
		t.Fatal(err)
	}
	legal := k.Legal(d.set.OverdueAfter, d.set.Now())
	if !slices.ContainsFunc(legal, func(n ledger.Next) bool { return n.Command(b.ID) == row.Next[1].Command(b.ID) }) || !slices.Contains(row.Next[1].Flags, "--bank-ticket") {
		t.Errorf("it asks for %s, which says %v; legal is %v", row.Kind, row.Next, legal)
	}
	both := func(req submitter.Resolving) {
		t.Helper()
		for _, who := range []string{"asha", "ravi"} {
			if _, err := d.decides(who, req); err != nil {
				t.Fatalf("%s, as %s: %v", who, req.As, err)
			}
			d.later(2 * time.Hour)
		}
	}
	both(submitter.Resolving{Batch: b.ID, As: ledger.DecidedDisputed, Ticket: "mail"})
	d.poll()
	d.want(b.ID, ledger.BatchSubmitted, states{"success": 1, "disputed": 1})
	if got := d.batch(b.ID); got.Attention != ledger.NeedsNothing {
		t.Errorf("it still needs %s: %s", got.Attention, got.Note)
	}
	_, err = d.decides("asha", submitter.Resolving{Batch: b.ID, As: ledger.DecidedDisputed, Ticket: "mail"})
	refusedBy(t, err, ledger.RuleState)

	d.control("/outcomes", map[string]string{stuck: "failed"})
	d.settle()
	attempts, err := d.store.Attempts(t.Context(), b.ID)
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.decides("asha", submitter.Resolving{Batch: b.ID, As: ledger.DecidedNotPaid, Of: attempts[0].Key()})
	refusedBy(t, err, ledger.RuleState)
	d.set.Books = statement{d.quiet}
	both(submitter.Resolving{Batch: b.ID, As: ledger.DecidedNotPaid, Of: attempts[1].Key()})
	d.want(b.ID, ledger.BatchSettled, states{"success": 1, "cancelled": 1})

	next := d.retryOf(b)
	anew, err := d.store.Attempts(t.Context(), next.ID)
	if err != nil || len(anew) != 1 || anew[0].Ref != attempts[1].Ref {
		t.Fatalf("planned anew: %v, %v", anew, err)
	}
	d.initiate()
	d.submit(d.otp(next.ID))
	d.settle()
	d.want(next.ID, ledger.BatchSettled, states{"success": 1})
	if d.executed(paid) != 1 || d.executed(stuck) != 1 {
		t.Errorf("%s is paid %d times, %s %d", paid, d.executed(paid), stuck, d.executed(stuck))
	}
	d.sound()
}

func TestOnlyADoubtIsResolved(t *testing.T) {
	d := newDesk(t)
	b := d.load(payouts{account: pb3, bank: 3, n: 1})[0]
	if _, err := d.decides("asha", submitter.Resolving{Batch: b.ID, As: ledger.DecidedSubmitted}); !errors.Is(err, submitter.ErrRefused) {
		t.Errorf("a planned batch: %v", err)
	}
	_, err := d.decides("asha", notSubmitted(b.ID))
	refusedBy(t, err, ledger.RuleState)
	if _, err := d.decides("asha", submitter.Resolving{Batch: "pr-none", As: ledger.DecidedSubmitted}); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("an unknown batch: %v", err)
	}
}
