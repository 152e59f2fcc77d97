package submitter_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/ledger/sqlite"
	"payrun/submitter"
)

// unknownTo are the looks of a bank that does not know the batch.
func unknownTo(id string) []ledger.StatusCheck {
	return []ledger.StatusCheck{{BatchID: id, At: time.Now(), Answer: ledger.LookNotKnown, NotFoundReply: ledger.NotFoundReply{HTTPStatus: 404, Code: "SVC_CB_FT_014"}}}
}

// asHeld are the looks of a bank that shows the batch as it was echoed.
func (d *desk) asHeld(id string) []ledger.StatusCheck {
	l := ledger.StatusCheck{BatchID: id, At: d.now(), Answer: ledger.LookShown, Closed: true, Complete: true}
	for _, a := range d.attempts(id) {
		l.Payouts = append(l.Payouts, ledger.Observation{WireRef: a.WireRef, Status: ledger.StatusRequestInitiated})
	}
	return []ledger.StatusCheck{l}
}

// copyOf opens a copy of the desk's ledger as it is now, with its mark: a
// snapshot that someone went on with.
func (d *desk) copyOf() *desk {
	d.t.Helper()
	must(d.t, d.store.Close())
	there := d.copyAt(filepath.Join(d.t.TempDir(), "copy.db"))
	for _, end := range []string{"", ".head"} {
		text, err := os.ReadFile(d.path + end)
		must(d.t, err)
		must(d.t, os.WriteFile(there.path+end, text, 0o600))
	}
	d.open()
	there.open()
	return there
}

// copyAt is another desk at the same bank; its ledger is yet to be opened.
func (d *desk) copyAt(path string) *desk {
	there := &desk{t: d.t, path: path, bank: d.bank, client: d.client, set: d.set}
	there.set.Now = there.now
	return there
}

// executed is how often the bank paid the payout with this reference, under
// whatever names.
func (d *desk) executed(ref string) int {
	n := 0
	for _, b := range d.bank.State().Batches {
		for _, p := range b.Payouts {
			if base, _, _ := strings.Cut(p.WireRef, "-R"); base == ref {
				n += p.Executed
			}
		}
	}
	return n
}

// another is what a bank says of some wire references in place of the truth.
type another struct {
	submitter.Bank
	status map[string]string
	breaks bool // and the read breaks off behind it
}

func (b another) ReadStatus(ctx context.Context, id string, n int, tries ledger.Patience) (ledger.StatusRead, error) {
	read, err := b.Bank.ReadStatus(ctx, id, n, tries)
	for i, p := range read.Payouts {
		if s, ok := b.status[p.WireRef]; ok {
			read.Payouts[i].Status = s
			if b.breaks {
				read.Complete, read.Why = false, "the cursor came again"
			}
		}
	}
	return read, err
}

func TestACopyOfTheLedgerPaysNothingTwice(t *testing.T) {
	d, b := withPlanned(t, 2)
	copied := d.copyOf()
	d.initiate()
	d.submit(d.otp(b.ID))
	d.settle()
	d.want(b.ID, ledger.BatchSettled, states{"success": 2})

	r := copied.initiate()
	if r[0].Outcome == submitter.OutcomeHeld {
		t.Fatalf("the copy sent it again: %+v", r)
	}
	copied.poll()
	copied.want(b.ID, ledger.BatchSettled, states{"success": 2}) // what the bank did is in the copy, too
	d.paidTimes(1)
	copied.sound()
}

func TestACopyThatHeldABatchDoesNotSubmitWhatTheOtherSubmitted(t *testing.T) {
	d, b := withHeld(t, 2)
	copied := d.copyOf()
	otp := d.otp(b.ID)
	d.submit(otp)
	if r := copied.submit(otp); r[0].Outcome == submitter.OutcomeSubmitted || copied.batch(b.ID).State == ledger.BatchHeld {
		t.Errorf("the copy: %+v, %s", r, copied.batch(b.ID).State)
	}
	d.settle()
	d.paidTimes(1)
}

// Another ledger of the same enterprise with the same sheet: the bank refuses the
// used references, and they are never renamed.
func TestARefusedReferenceIsNotRenamed(t *testing.T) {
	d, _ := withPaid(t, 2)

	e := d.copyAt(filepath.Join(t.TempDir(), "other.db"))
	var err error
	e.store, err = sqlite.Create(t.Context(), e.path, "tester", d.now())
	must(t, err)
	t.Cleanup(func() { _ = e.store.Close() })
	again := e.load(payouts{account: pb3, bank: 3, n: 2})[0]
	for range 3 {
		d.became(e.initiate(again.ID), submitter.OutcomeRefused)
		again = e.retryOf(again)
		for _, a := range e.attempts(again.ID) {
			if a.WireRef != a.Ref {
				t.Errorf("attempt %d of %s goes as %s", a.Number, a.Ref, a.WireRef)
			}
		}
	}
	d.paidTimes(1)
	e.sound()
}

// A refused batch whose retry was never answered turns up at the bank: the
// doubt about the retry ends all the same, and its references are used up.
func TestADoubtEndsThoughAnOlderBatchTurnsUp(t *testing.T) {
	d, old := withPlanned(t, 2)
	d.faults(fault{Op: "initiate", Nth: []int{1}, Kind: "drop_before"})
	d.initiate()
	d.want(old.ID, ledger.BatchInitiateUnknown, states{"planned": 2})
	next := d.giveUp(old)
	d.faults(fault{Op: "initiate", Nth: []int{1, 2}, Kind: "drop_before"})
	d.initiate(next.ID)
	d.want(next.ID, ledger.BatchInitiateUnknown, states{"planned": 2})
	d.apply(ledger.Step{BatchID: old.ID, From: ledger.BatchAbandoned, Shown: true})
	d.later(11 * time.Minute)
	d.poll()
	d.want(next.ID, ledger.BatchRefused, states{"cancelled": 2})
	d.asks(next.ID, ledger.WasRefused) // nothing is cancelled in silence
	d.in(ledger.BatchPlanned, 0)
	for _, a := range d.attempts(d.retryOf(d.batch(next.ID)).ID) {
		if a.WireRef != a.Ref+"-R3" {
			t.Errorf("attempt %d of %s goes as %s", a.Number, a.Ref, a.WireRef)
		}
	}
	d.sound()
}

func (d *desk) attempts(batchID string) []ledger.Attempt {
	d.t.Helper()
	list, err := d.store.Attempts(d.t.Context(), batchID)
	must(d.t, err)
	return list
}

func TestARetryIsNotSubmittedWhenTheBankCorrectsTheFailure(t *testing.T) {
	d, first := withHeld(t, 2)
	d.outcomes(map[string]string{"S1-G0-000": "failed"})
	d.submit(d.otp(first.ID))
	d.settle()
	d.want(first.ID, ledger.BatchSettled, states{"failed": 1, "success": 1})
	retry := d.retryOf(first)
	d.initiate(retry.ID)
	corrects := another{Bank: d.client, status: map[string]string{"S1-G0-000": ledger.StatusSuccess}}
	d.became(d.verb(submitter.New(d.store, corrects, d.set).Submit(t.Context(), []submitter.OTP{d.otp(retry.ID)})), submitter.OutcomeNeedsPerson)
	d.want(retry.ID, ledger.BatchHeld, states{"request_initiated": 1})
	d.want(first.ID, ledger.BatchSettled, states{"disputed": 1, "success": 1})
	d.sound()
}

// Whatever a read shows beyond request_initiated counts, listed or not, also
// where the read broke off.
func TestWhatIsShownCounts(t *testing.T) {
	for name, c := range map[string]struct {
		status string
		breaks bool
		state  ledger.BatchState
	}{
		"success":                        {ledger.StatusSuccess, false, ledger.BatchSubmitted},
		"success, and then nothing":      {ledger.StatusSuccess, true, ledger.BatchSubmitted},
		"what is not listed":             {"ON_HOLD", false, ledger.BatchHeld},
		"what is not listed, broken off": {"ON_HOLD", true, ledger.BatchHeld},
	} {
		t.Run(name, func(t *testing.T) {
			d, b := withHeld(t, 2)
			bank := another{d.client, map[string]string{"S1-G0-001": c.status}, c.breaks}
			r := d.verb(d.with(bank).Submit(t.Context(), []submitter.OTP{d.otp(b.ID)}))
			if r[0].Outcome == submitter.OutcomeSubmitted || d.bank.State().Batches[0].Submits != 0 {
				t.Fatalf("it was submitted: %+v", r)
			}
			if got := d.batch(b.ID); got.State != c.state || got.Note == "" {
				t.Errorf("%s: %q", got.State, got.Note)
			}
			if c.state == ledger.BatchHeld {
				d.notAbandoned(bank, b.ID, "abandoned")
				d.asks(b.ID, ledger.StatusUnlisted)
			}
			d.sound()
		})
	}
}

func TestAnAbandonedBatchIsWatched(t *testing.T) {
	d, b := withHeld(t, 2)
	d.abandon(d.client, b.ID, "wrong month")
	otp := d.otp(b.ID) // and someone submits it at the bank's portal
	d.atPortal(b.ID, otp)
	d.settle()
	d.want(b.ID, ledger.BatchAbandoned, states{"disputed": 2})
	d.nothingToRetry(b.ID)
	d.sound()
}

func TestNothingIsInitiatedForAnAccountThatTheBankDoesNotListSo(t *testing.T) {
	for name, c := range map[string]struct {
		listed []ledger.LinkedAccount
		why    string
	}{
		"not at all":          {nil, "does not list"},
		"expired":             {[]ledger.LinkedAccount{{BankAccountID: pb3, PartnerBankID: 3, Status: "token_expired"}}, `"token_expired"`},
		"of another bank":     {[]ledger.LinkedAccount{{BankAccountID: pb3, PartnerBankID: 1, Status: ledger.AccountActive}}, "under 1;"},
		"with another number": {[]ledger.LinkedAccount{{BankAccountID: pb3, PartnerBankID: 3, Status: ledger.AccountActive, AccountNumber: "XXXXXXXX0001"}}, "number XXXXXXXX0001,"},
		"with its number":     {[]ledger.LinkedAccount{{BankAccountID: pb3, PartnerBankID: 3, Status: ledger.AccountActive, AccountNumber: "XXXXXXXX0009"}}, ""},
		"not configured":      {[]ledger.LinkedAccount{{BankAccountID: pb3, PartnerBankID: 3, Status: ledger.AccountActive}}, "not in payrun.toml"},
		"in capital letters":  {[]ledger.LinkedAccount{{BankAccountID: strings.ToUpper(pb3), PartnerBankID: 3, Status: ledger.AccountActive}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d, b := withPlanned(t, 1)
			if strings.HasSuffix(name, "number") {
				numbered(&d.set)
			}
			set := d.set
			if name == "not configured" {
				set.Accounts = map[string]ledger.DebitAccount{}
			}
			r := d.verb(submitter.New(d.store, accountsOf{d.client, c.listed}, set).Initiate(t.Context(), nil, 0))
			got := d.batch(b.ID)
			if c.why == "" {
				if got.State != ledger.BatchHeld {
					t.Errorf("%+v", r)
				}
				return
			}
			if got.State != ledger.BatchPlanned || got.Asks() != ledger.AccountUnusable || !strings.Contains(r[0].Message, c.why) || len(d.bank.State().Batches) != 0 {
				t.Errorf("%+v", r)
			}
			if r := d.initiate(); r[0].Outcome != submitter.OutcomeHeld || d.batch(b.ID).Attention != ledger.NeedsNothing {
				t.Errorf("once it is mended: %+v", r)
			}
		})
	}
}

type accountsOf struct {
	submitter.Bank
	listed []ledger.LinkedAccount
}

func (b accountsOf) Accounts(context.Context) ([]ledger.LinkedAccount, error) { return b.listed, nil }

// A bank may say "not known" in any of these ways; an ordinary day goes through
// with each, a poll takes it for an answer and asks for no one, and nothing else
// is taken for its word.
func TestEveryWordForNotKnownLetsAnOrdinaryDayThrough(t *testing.T) {
	for name, w := range map[string]wordy{
		"200 and nothing": {status: 200}, "400": {status: 400, code: "SVC_CB_FT_014"}, "404": {status: 404, code: "SVC_CB_FT_001"},
		"500": {status: 500, code: "SVC_CB_FT_015"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			w.Bank, w.known = d.client, func(id string) bool {
				for _, b := range d.bank.State().Batches {
					if b.BatchID == id && b.Submits > 0 {
						return true
					}
				}
				return false
			}
			for range 2 {
				b := d.load(payouts{account: pb3, bank: 3, n: 2})[0]
				e := submitter.New(d.store, w, d.set)
				d.became(d.verb(e.Initiate(t.Context(), nil, 0)), submitter.OutcomeHeld)
				if got := d.batch(b.ID).Listed; got != ledger.ListingNo {
					t.Errorf("whether it is listed: %q", got)
				}
				r := d.verb(d.with(w).Poll(t.Context(), []string{b.ID}, 0))
				d.became(r, submitter.OutcomeHeld)
				if got := d.batch(b.ID); r[0].Silent || got.Asks() != ledger.OTPWaiting || got.Note != "" {
					t.Errorf("%+v; asks for %s: %q", r, got.Asks(), got.Note)
				}
				d.became(d.verb(submitter.New(d.store, w, d.set).Submit(t.Context(), []submitter.OTP{d.otp(b.ID)})), submitter.OutcomeSubmitted)
				d.settle()
				d.want(b.ID, ledger.BatchSettled, states{"success": 2})
			}
			// Another refusal than its word is no answer: nothing is sent.
			b := d.load(payouts{account: pb3, bank: 3, n: 1})[0]
			odd := w
			odd.odd = b.ID
			if r := d.verb(submitter.New(d.store, odd, d.set).Initiate(t.Context(), nil, 0)); r[0].Outcome != submitter.OutcomeNotLooked || d.batch(b.ID).State != ledger.BatchPlanned {
				t.Errorf("%+v", r)
			}
			d.sound()
		})
	}
}

// wordy is a bank that hides what was not submitted, and has its own word for it.
type wordy struct {
	submitter.Bank
	status int
	code   string
	known  func(id string) bool
	odd    string // the batch about which it says something else
}

func (b wordy) ReadStatus(ctx context.Context, id string, n int, tries ledger.Patience) (ledger.StatusRead, error) {
	switch {
	case id == b.odd:
		return ledger.StatusRead{}, &ledger.CallError{Op: "status", Outcome: ledger.Unknown, HTTPStatus: 403, Answered: true, Code: "SVC_CB_FT_002"}
	case b.known(id):
		return b.Bank.ReadStatus(ctx, id, n, tries)
	case b.status == 200:
		return ledger.StatusRead{Answer: ledger.Answer{BatchID: id}, Complete: true, Pages: 1}, nil
	}
	return ledger.StatusRead{}, &ledger.CallError{Op: "status", Outcome: ledger.Unknown, HTTPStatus: b.status, Answered: true, Code: b.code}
}

// A 500 that comes once for an id that was never sent is an accident, and no word for "not
// known": it comes for a batch that the bank has, too.
func TestAServerErrorThatCameOnceIsNoWord(t *testing.T) {
	d, b := withPlanned(t, 1)
	bank := &failsAtFirst{wordy: wordy{Bank: d.client, status: 500, code: "SVC_CB_FT_015", known: func(string) bool { return false }}, batch: b.ID}
	if r := d.verb(d.with(bank).Initiate(t.Context(), nil, 0)); r[0].Outcome != submitter.OutcomeNotLooked || bank.never < 2 {
		t.Errorf("%+v, asked %d times about an id that was never sent", r, bank.never)
	}
	d.sound()
}

// failsAtFirst says 500 of everything, but 404 from the second time on of what is not batch.
type failsAtFirst struct {
	wordy
	batch string
	never int
}

func (b *failsAtFirst) ReadStatus(ctx context.Context, id string, n int, tries ledger.Patience) (ledger.StatusRead, error) {
	if id != b.batch {
		if b.never++; b.never > 1 {
			return ledger.StatusRead{}, &ledger.CallError{Op: "status", Outcome: ledger.Unknown, HTTPStatus: 404, Answered: true, Code: b.code}
		}
	}
	return b.wordy.ReadStatus(ctx, id, n, tries)
}

// A 409 with a proper envelope: the bank spoke. Its words are kept, and nothing
// is planned again from it.
func TestAnAnsweredNoIsRefusedAndNeverPlannedAnew(t *testing.T) {
	d, b := withPlanned(t, 2)
	no := answersNo{d.client, &ledger.CallError{Op: "initiate", Outcome: ledger.Unknown, HTTPStatus: 409, Answered: true, Code: "SVC_CB_FT_006", Message: "used before"}}
	r := d.verb(submitter.New(d.store, no, d.set).Initiate(t.Context(), nil, 0))
	if got := d.batch(b.ID); r[0].Outcome != submitter.OutcomeUnknown || !strings.Contains(got.Refusal, "used before") || !strings.Contains(got.Note, "SVC_CB_FT_006") {
		t.Fatalf("%+v, %+v", r, got)
	}
	d.later(11 * time.Minute)
	d.poll()
	d.want(b.ID, ledger.BatchRefused, states{"cancelled": 2})
	d.in(ledger.BatchPlanned, 0)
	if note := d.batch(b.ID).Note; !strings.Contains(note, "used before") {
		t.Errorf("%q", note)
	}
	d.sound()
}

type answersNo struct {
	submitter.Bank
	no *ledger.CallError
}

func (b answersNo) Initiate(context.Context, ledger.Payload) (ledger.Answer, error) {
	return ledger.Answer{}, b.no
}

func TestTheSecondReadOfAFailureComesLater(t *testing.T) {
	d, b := withHeld(t, 1, func(s *submitter.Settings) { s.PollFirst = 20 * time.Millisecond })
	d.outcomes(map[string]string{"S1-G0-000": "failed"})
	d.submit(d.otp(b.ID))
	var reads []time.Time
	bank := asking{d.client, func(string) { reads = append(reads, time.Now()) }}
	for d.batch(b.ID).State != ledger.BatchSettled {
		d.bank.Settle()
		reads = nil
		d.verb(submitter.New(d.store, bank, d.set).Poll(t.Context(), nil, 0))
	}
	d.want(b.ID, ledger.BatchSettled, states{"failed": 1})
	if len(reads) != 2 || reads[1].Sub(reads[0]) < d.set.PollFirst {
		t.Errorf("read at %v", reads)
	}
}

// asking is a bank that says for which batch it is asked.
type asking struct {
	submitter.Bank
	about func(id string)
}

func (b asking) ReadStatus(ctx context.Context, id string, n int, tries ledger.Patience) (ledger.StatusRead, error) {
	b.about(id)
	return b.Bank.ReadStatus(ctx, id, n, tries)
}

// Asking costs little: at most three reads more for a batch that goes through.
func TestWhatLookingCosts(t *testing.T) {
	d, b := withPlanned(t, 2)
	asked := map[string]int{}
	bank := asking{d.client, func(id string) { asked[id]++ }}
	d.verb(submitter.New(d.store, bank, d.set).Initiate(t.Context(), nil, 0))
	d.verb(submitter.New(d.store, bank, d.set).Submit(t.Context(), []submitter.OTP{d.otp(b.ID)}))
	if n := asked[b.ID]; n > 3 {
		t.Errorf("%d reads of the batch: %v", n, maps.Clone(asked))
	}
	for id, n := range asked {
		if id != b.ID && n > 2 { // the bank's answer, once in each operation
			t.Errorf("%d reads of %s", n, id)
		}
	}
}
