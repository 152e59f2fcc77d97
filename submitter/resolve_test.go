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
	d, b := withHeld(t, 2)
	stages["in doubt"](d, b)
	if arrived {
		d.atPortal(b.ID, d.otp(b.ID))
	}
	d.want(b.ID, ledger.BatchSubmitUnknown, states{"request_initiated": 2})
	return d, b
}

// statement is the bank's own, with nothing on it but what a test books there. It is
// recorded as it is fetched.
type statement struct {
	d      *desk
	fails  error
	since  []time.Time // of each that was asked for
	booked []ledger.StatementEntry
}

func (s *statement) ReadStatement(ctx context.Context, account string, since time.Time) error {
	if s.since = append(s.since, since); s.fails != nil {
		return s.fails
	}
	_, err := s.d.store.RecordStatement(ctx, ledger.StatementRead{BankAccountID: account, Source: ledger.FromInterface, Shape: ledger.ShapeEntries,
		From: ledger.BankDay(since), To: ledger.BankDay(s.d.now()), At: s.d.now(), Actor: "tester", Entries: s.booked})
	return err
}

// book adds an entry of today, with the balance after it.
func (s *statement) book(debit bool, amount ledger.Paise, remarks string) {
	balance := ledger.Paise(9_00_000_00)
	if n := len(s.booked); n > 0 {
		balance = s.booked[n-1].Closing
	}
	e := ledger.StatementEntry{Debit: debit, Amount: amount, Transacted: ledger.BankDay(s.d.now()) + " 10:00:00", Remarks: remarks}
	e.Closing = balance + e.Change()
	s.booked = append(s.booked, e)
}

// withStatement is a desk whose bank gives statements.
func (d *desk) withStatement() *statement {
	s := &statement{d: d}
	d.set.Statements = s
	return s
}

// says is a person who says something of a batch, at a bank.
func (d *desk) says(bank submitter.Bank, actor string, req submitter.Resolving) (submitter.Result, error) {
	d.t.Helper()
	if req.Reason == "" {
		req.Reason = "because " + actor
	}
	set := d.set
	set.Actor = actor
	return submitter.New(d.store, bank, set).Resolve(d.t.Context(), req, func(ledger.ReleaseEvidence, *ledger.ReleaseApproval) error { return nil })
}

// both has two people say so.
func (d *desk) both(bank submitter.Bank, req submitter.Resolving) submitter.Result {
	d.t.Helper()
	var r submitter.Result
	for _, actor := range []string{"asha", "ravi"} {
		var err error
		if r, err = d.says(bank, actor, req); err != nil {
			d.t.Fatalf("%s, as %s: %v", actor, req.As, err)
		}
		d.later(2 * time.Hour)
	}
	return r
}

// notPaid is what is said of a batch with the bank's written confirmation.
func notPaid(id string) submitter.Resolving {
	return submitter.Resolving{Batch: id, ReleaseRequest: ledger.ReleaseRequest{As: ledger.ReleaseNotPaid, Ticket: "mail of 21 Nov, no. 4711"}}
}

// of is about one payout of the batch.
func of(req submitter.Resolving, a ledger.Attempt) submitter.Resolving {
	req.Of = a.Key()
	return req
}

// refusedBy wants a refusal to name the rule.
func refusedBy(t *testing.T, err error, rule string) {
	t.Helper()
	if why, ok := errors.AsType[*ledger.Refusal](err); !ok || why.Rule != rule || !errors.Is(err, submitter.ErrRefused) {
		t.Errorf("%v, want %s", err, rule)
	}
}

// All evidence is fetched for each of the two: a bank that does not answer the second
// releases nothing.
func TestASubmitThatNeverArrivedIsSetAsideByTwoPeople(t *testing.T) {
	d, b := inDoubt(t, false)
	s := d.withStatement()
	says := func(actor string, req submitter.Resolving) (submitter.Result, error) {
		return d.says(d.client, actor, req)
	}
	_, err := says("asha", notPaid(b.ID))
	refusedBy(t, err, ledger.RuleWait)
	d.later(49 * time.Hour)
	none := notPaid(b.ID)
	none.Ticket = ""
	_, err = says("asha", none)
	refusedBy(t, err, ledger.RuleTicket)
	if r, err := says("asha", notPaid(b.ID)); err != nil || r.Outcome != submitter.OutcomeWaiting || r.Batch.State != ledger.BatchSubmitUnknown {
		t.Fatalf("the first: %+v, %v", r, err)
	}
	_, err = says("asha", notPaid(b.ID))
	refusedBy(t, err, ledger.RuleSecondPerson)
	_, err = says("ravi", notPaid(b.ID))
	refusedBy(t, err, ledger.RuleBetween)
	d.later(time.Hour)
	d.faults(fault{Op: "status", Kind: "429", Seconds: 61})
	_, err = says("ravi", notPaid(b.ID))
	refusedBy(t, err, ledger.RuleAnswer)
	d.faults()
	s.fails = errors.New("HTTP 502")
	_, err = says("ravi", notPaid(b.ID))
	refusedBy(t, err, ledger.RuleStatement)
	s.fails = nil
	asked := len(s.since)
	if r, err := says("ravi", notPaid(b.ID)); err != nil || r.Outcome != submitter.OutcomeSetAside || len(s.since) != asked+1 {
		t.Fatalf("the second: %+v, %v", r, err)
	}
	d.want(b.ID, ledger.BatchSetAside, states{"cancelled": 2})
	d.sound()

	// its submit arrives after all: what followed it is held back
	retry := d.retryOf(b)
	d.initiate()
	otp := d.otp(b.ID)
	d.atPortal(b.ID, otp)
	if r := d.submit(d.otp(retry.ID)); r[0].Batch.State != ledger.BatchHeld || r[0].Outcome != submitter.OutcomeNeedsPerson || r[0].Batch.Attention != ledger.LockContradicted {
		t.Errorf("the retry: %+v", r[0])
	}
	d.want(b.ID, ledger.BatchSubmitted, states{"disputed": 2})
	d.sound()
}

// A debit that came to the statement between the two is seen by the second.
func TestWhatTheSecondSeesIsFetchedForThem(t *testing.T) {
	d, b := inDoubt(t, false)
	s := d.withStatement()
	d.poll()
	d.later(49 * time.Hour)
	if _, err := d.says(d.client, "asha", notPaid(b.ID)); err != nil {
		t.Fatal(err)
	}
	d.later(time.Hour)
	s.book(true, b.Total, "BULK NEFT")
	_, err := d.says(d.client, "ravi", notPaid(b.ID))
	refusedBy(t, err, ledger.RuleWait)
	d.want(b.ID, ledger.BatchSubmitUnknown, states{"request_initiated": 2})
	d.sound()
}

func TestNothingIsReleasedThatTheBankShowsMoving(t *testing.T) {
	d, b := inDoubt(t, true)
	d.withStatement()
	d.later(49 * time.Hour)
	_, err := d.says(d.client, "asha", notPaid(b.ID))
	refusedBy(t, err, ledger.RuleStatus)
	d.settle()
	d.want(b.ID, ledger.BatchSettled, states{"success": 2})
}

// Before a retry's submit the bank's own statement is read in the same run: one that
// cannot be read sends nothing, a debit locks, and where the interface gives none the
// files on record have to do.
func TestTheStatementIsReadBeforeARetryIsSubmitted(t *testing.T) {
	d := newDesk(t)
	d.outcomes(map[string]string{"S1-G0-000": "failed"})
	s := d.withStatement()
	first := d.load(payouts{account: pb3, bank: 3, n: 1})[0]
	d.initiate()
	d.submit(d.otp(first.ID))
	submitted := d.now()
	d.settle()
	d.want(first.ID, ledger.BatchSettled, states{"failed": 1})
	if len(s.since) > 0 {
		t.Errorf("read %d times for a first attempt", len(s.since))
	}
	retry := d.retryOf(first)
	d.initiate()
	otp := d.otp(retry.ID)
	s.fails = errors.New("HTTP 502")
	if r := d.submit(otp); r[0].Outcome != submitter.OutcomeNotLooked || r[0].Batch.State != ledger.BatchHeld {
		t.Errorf("a statement that cannot be read: %+v", r[0])
	}
	s.fails = nil
	s.book(true, first.Total, "NEFT S1-G0-000")
	if r := d.submit(otp); r[0].Outcome != submitter.OutcomeNeedsPerson || r[0].Batch.Attention != ledger.LockDebited {
		t.Errorf("a statement with its debit: %+v", r[0])
	}
	s.book(false, first.Total, "RETURN S1-G0-000")
	s.fails = submitter.ErrNoStatement // and no longer to be had
	if r := d.submit(otp); r[0].Batch.State != ledger.BatchHeld || r[0].Batch.Attention != ledger.LockDebited {
		t.Errorf("what was read before still counts: %+v", r[0])
	}
	s.fails = nil
	if r := d.submit(otp); r[0].Outcome != submitter.OutcomeSubmitted {
		t.Errorf("a statement with the return: %+v", r[0])
	}
	if len(s.since) != 4 || slices.ContainsFunc(s.since, func(at time.Time) bool { return at.After(submitted.AddDate(0, 0, -1)) }) {
		t.Errorf("read since %v, want each time from the day before %s", s.since, submitted)
	}
	d.sound()
}

func TestARetryIsSubmittedWhereTheInterfaceGivesNoStatement(t *testing.T) {
	for name, statements := range map[string]submitter.Statements{"of this account": &statement{fails: submitter.ErrNoStatement}, "of any": nil} {
		d := newDesk(t)
		first := d.corrected()
		d.set.Statements = statements
		retry := d.retryOf(first)
		d.initiate()
		if r := d.submit(d.otp(retry.ID)); r[0].Outcome != submitter.OutcomeSubmitted {
			t.Errorf("%s: %+v", name, r[0])
		}
	}
}

// One payout of a batch was paid, and the bank never ends the other: after five days two
// people release it, and it is paid again. The paid one is touched by none of it.
func TestWhatTheBankNeverEndsBesideWhatItPaid(t *testing.T) {
	d := newDesk(t, func(s *submitter.Settings) { s.SuccessWatch = 365 * 24 * time.Hour })
	s := d.withStatement()
	b := d.load(payouts{account: pb3, bank: 3, n: 2})[0]
	paid, stuck := "S1-G0-000", "S1-G0-001"
	d.outcomes(map[string]string{stuck: "stuck"})
	d.initiate()
	d.submit(d.otp(b.ID))
	d.settle()
	s.book(true, 100_00, "NEFT "+paid)
	d.later(49 * time.Hour)
	_, err := d.says(d.client, "asha", of(notPaid(b.ID), d.attempts(b.ID)[1]))
	refusedBy(t, err, ledger.RuleStatus)
	d.later(5 * 24 * time.Hour)
	d.poll()
	row := d.batch(b.ID).Asks().Row()
	k, err := d.store.BatchRecord(t.Context(), b.ID)
	must(t, err)
	legal := k.Legal(d.set.OverdueAfter, d.set.Now())
	if !slices.ContainsFunc(legal, func(n ledger.Next) bool { return n.Command(b.ID) == row.Next[1].Command(b.ID) }) || !slices.Contains(row.Next[1].Flags, "--bank-ticket") {
		t.Errorf("it asks for %s, which says %v; legal is %v", row.Kind, row.Next, legal)
	}
	_, err = d.says(d.client, "asha", of(notPaid(b.ID), d.attempts(b.ID)[0]))
	refusedBy(t, err, ledger.RuleNothing)
	d.both(d.client, notPaid(b.ID))
	d.want(b.ID, ledger.BatchSettled, states{"success": 1, "cancelled": 1})

	next := d.retryOf(b)
	if again := d.attempts(next.ID); len(again) != 1 || again[0].Ref != stuck {
		t.Fatalf("planned again: %v", again)
	}
	d.outcomes(map[string]string{stuck: "success"})
	d.initiate()
	d.became(d.submit(d.otp(next.ID)), submitter.OutcomeSubmitted)
	d.sound()
}

// People close what contradicts itself as paid, and its batch is over.
func TestClosingTheLastDisputeAsPaidSettlesItsBatch(t *testing.T) {
	d, b := withPaid(t, 1)
	failing := another{Bank: d.client, status: map[string]string{"S1-G0-000": ledger.StatusFailed}}
	d.verb(d.with(failing).Poll(t.Context(), nil, 0))
	d.want(b.ID, ledger.BatchSettled, states{"disputed": 1})
	paid := submitter.Resolving{Batch: b.ID, ReleaseRequest: ledger.ReleaseRequest{As: ledger.ReleasePaid, Of: d.attempts(b.ID)[0].Key()}}
	_, err := d.says(failing, "asha", paid)
	refusedBy(t, err, ledger.RuleTicket)
	paid.Ticket = "the bank's mail"
	d.both(failing, paid)
	d.want(b.ID, ledger.BatchSettled, states{"disputed": 1})
	if a := d.attempts(b.ID)[0]; a.Resolved != ledger.ResolutionPaid || !a.Over() {
		t.Errorf("%+v", a)
	}
	_, err = d.says(failing, "asha", of(notPaid(b.ID), d.attempts(b.ID)[0]))
	refusedBy(t, err, ledger.RuleNothing)
	d.sound()
}

func TestOnlyWhatIsLockedIsReleased(t *testing.T) {
	d, b := withPlanned(t, 1)
	_, err := d.says(d.client, "asha", notPaid(b.ID))
	refusedBy(t, err, ledger.RuleNothing)
	if _, err := d.says(d.client, "asha", notPaid("pr-none")); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("an unknown batch: %v", err)
	}
}

// The bank's "not found" counts only while the newest batch that it showed in the last 30
// days is still shown: an outage answers everything alike.
func TestAnOutageReleasesNothing(t *testing.T) {
	d, b := inDoubt(t, false)
	d.withStatement()
	other := d.load(payouts{account: pb4, bank: 4, n: 1})[0]
	d.initiate(other.ID)
	d.submit(d.otp(other.ID))
	d.settle()
	d.later(10 * 24 * time.Hour)
	_, err := d.says(timed{d.hiding(none), d.now}, "asha", notPaid(b.ID))
	refusedBy(t, err, ledger.RuleAnswer)
	knows := d.hiding(func(id string) bool { return id == other.ID })
	if _, err := d.says(timed{knows, d.now}, "asha", notPaid(b.ID)); err != nil {
		t.Errorf("with a bank that still shows its newest batch: %v", err)
	}
	d.later(31 * 24 * time.Hour)
	if _, err := d.says(timed{d.hiding(none), d.now}, "asha", notPaid(b.ID)); err != nil {
		t.Errorf("with a bank that forgot what is older: %v", err)
	}
	d.sound()
}

// A status that has one payout twice says nothing of it: once as failed, once as paid.
func TestAPayoutThatIsShownTwiceIsNoAnswer(t *testing.T) {
	d := newDesk(t)
	d.withStatement()
	first := d.corrected()
	retry := d.retryOf(first)
	d.initiate()
	twice := altered{d.client, func(r *ledger.StatusRead) {
		if len(r.Payouts) == 1 && r.Payouts[0].Status == ledger.StatusFailed {
			r.Payouts = append(r.Payouts, r.Payouts[0])
			r.Payouts[1].Status = ledger.StatusSuccess
		}
	}}
	if r := d.verb(d.with(twice).Submit(t.Context(), []submitter.OTP{d.otp(retry.ID)})); r[0].Outcome == submitter.OutcomeSubmitted {
		t.Errorf("the retry: %+v", r[0])
	}
	d.want(retry.ID, ledger.BatchHeld, states{"request_initiated": 1})
	d.sound()
}

// A status that shows another payee account disputes the payout, whatever it says: it is
// not taken for failed, and stays locked.
func TestAnotherPayeeAccountIsAContradiction(t *testing.T) {
	for _, status := range []string{ledger.StatusFailed, ledger.StatusSuccess, ledger.StatusPending} {
		d, b := withSent(t, 2)
		other := altered{d.client, func(r *ledger.StatusRead) {
			for i := range r.Payouts {
				if o := &r.Payouts[i]; o.WireRef == "S1-G0-000" {
					o.Status, o.BankAccountNumber = status, "900000000099"
				}
			}
		}}
		for range 2 {
			d.verb(d.with(other).Poll(t.Context(), nil, 0))
			d.later(time.Hour)
		}
		if d.states(b.ID)["disputed"] != 1 {
			t.Errorf("%s: %v", status, d.states(b.ID))
		}
		d.settle()
		d.poll()
		if free, locks, err := d.store.Retryable(t.Context(), b.ID); err != nil || len(free) != 0 || len(locks) != 1 || locks[0].Kind != ledger.LockContradicted {
			t.Errorf("%s: may be retried: %v, locked: %v, %v", status, free, locks, err)
		}
		d.sound()
	}
}

// A step back from success ends with a complete read that shows success again, and with no
// other.
func TestAStepBackEndsWithACompleteReadOfSuccess(t *testing.T) {
	d, b := withPaid(t, 2)
	d.verb(d.with(another{Bank: d.client, status: map[string]string{"S1-G0-000": ledger.StatusPending}}).Poll(t.Context(), nil, 0))
	d.want(b.ID, ledger.BatchSettled, states{"disputed": 1, "success": 1})
	breaks := another{Bank: d.client, status: map[string]string{"S1-G0-000": ledger.StatusSuccess}, breaks: true}
	elsewhere := altered{d.client, func(r *ledger.StatusRead) {
		for i := range r.Payouts {
			if r.Payouts[i].WireRef == "S1-G0-000" {
				r.Payouts[i].BankAccountNumber = "900000000099"
			}
		}
	}}
	for _, bank := range []submitter.Bank{breaks, part(d.client), elsewhere} {
		d.verb(d.with(bank).Poll(t.Context(), nil, 0))
		if d.states(b.ID)["disputed"] != 1 {
			t.Errorf("%T ended it", bank)
		}
	}
	d.poll()
	d.want(b.ID, ledger.BatchSettled, states{"success": 2})
	d.sound()
}

// At 20:00 UTC the bank's next day has begun: a release asks for it, whatever the timezone.
func TestTheBanksTodayCountsInEveryZone(t *testing.T) {
	for name, zone := range map[string]*time.Location{"UTC": time.UTC, "IST": time.FixedZone("IST", 19800)} {
		t.Run(name, func(t *testing.T) {
			d, b := inDoubt(t, false)
			s := d.withStatement()
			d.set.Zone = zone
			d.later(49 * time.Hour)
			now := d.now().UTC()
			d.later(time.Date(now.Year(), now.Month(), now.Day()+1, 20, 0, 0, 0, time.UTC).Sub(now)) // 01:30 IST
			s.book(true, 150_00, "BULK")
			_, err := d.says(d.client, "asha", notPaid(b.ID))
			refusedBy(t, err, ledger.RuleDebit)
		})
	}
}
