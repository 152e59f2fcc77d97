package submitter_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// quoting is a bank that writes an account number into every word of its own.
type quoting struct {
	submitter.Bank
	account string
	refuses *ledger.CallError // in place of every call that changes something
	status  string            // of every payout, in place of the truth
	fails   bool              // reads fail
}

func (b quoting) refusal() error {
	call := *b.refuses
	call.Code, call.Message = "ACC_"+b.account, "account 0042"+b.account+" is invalid"
	call.Err = fmt.Errorf("no account %s: %w", b.account, errQuoted)
	return &call
}

var errQuoted = errors.New("quoted")

func (b quoting) Initiate(ctx context.Context, p ledger.Payload) (ledger.Answer, error) {
	if b.refuses != nil {
		return ledger.Answer{}, b.refusal()
	}
	return b.Bank.Initiate(ctx, p)
}

func (b quoting) Submit(ctx context.Context, p ledger.Payload, otp, token ledger.Secret) (ledger.Answer, error) {
	if b.refuses != nil {
		return ledger.Answer{}, b.refusal()
	}
	return b.Bank.Submit(ctx, p, otp, token)
}

func (b quoting) ReadStatus(ctx context.Context, id string, n int, tries ledger.Patience) (ledger.StatusRead, error) {
	read, err := b.Bank.ReadStatus(ctx, id, n, tries)
	if b.fails {
		return ledger.StatusRead{}, &ledger.CallError{Op: "status", Outcome: ledger.Unknown, HTTPStatus: 503, Code: "ACC_" + b.account, Message: "account " + b.account}
	}
	for i := range read.Payouts {
		o := &read.Payouts[i]
		o.Error = fmt.Sprintf(`{"reason":"account %s"}`, b.account)
		o.BankTxnRefID, o.BankStatusCode = "UTR52025110399887766", "C-"+b.account
		if b.status != "" {
			o.Status = b.status
		}
	}
	return read, err
}

// The bank's words are masked before anything is recorded, said or returned,
// whatever call they come from.
func TestTheBanksWordsShowNoAccountNumber(t *testing.T) {
	const account = "900000000001" // of the second payout that load makes
	called := func(class ledger.Outcome, status int) *ledger.CallError {
		return &ledger.CallError{Op: "call", Outcome: class, HTTPStatus: status, Answered: true}
	}
	submit := func(d *desk, b ledger.Batch, bank quoting) ([]submitter.Result, error) {
		d.initiate(b.ID)
		return submitter.New(d.store, bank, d.set).Submit(d.t.Context(), []submitter.OTP{d.otp(b.ID)})
	}
	initiate := func(d *desk, b ledger.Batch, bank quoting) ([]submitter.Result, error) {
		return submitter.New(d.store, bank, d.set).Initiate(d.t.Context(), []string{b.ID}, 0)
	}
	poll := func(d *desk, b ledger.Batch, bank quoting) ([]submitter.Result, error) {
		d.initiate(b.ID)
		d.submit(d.otp(b.ID))
		return submitter.New(d.store, bank, d.set).Poll(d.t.Context(), []string{b.ID}, 0)
	}
	for name, c := range map[string]struct {
		bank quoting
		do   func(*desk, ledger.Batch, quoting) ([]submitter.Result, error)
	}{
		"initiate refused":           {quoting{refuses: called(ledger.Rejected, 400)}, initiate},
		"initiate answered no":       {quoting{refuses: called(ledger.Unknown, 409)}, initiate},
		"initiate without an answer": {quoting{refuses: called(ledger.Unknown, 0)}, initiate},
		"initiate unauthorized":      {quoting{refuses: called(ledger.Rejected, 401)}, initiate},
		"looks fail":                 {quoting{fails: true}, initiate},
		"submit refused":             {quoting{refuses: called(ledger.Rejected, 400)}, submit},
		"submit answered no":         {quoting{refuses: called(ledger.Unknown, 422)}, submit},
		"submit unauthorized":        {quoting{refuses: called(ledger.Rejected, 401)}, submit},
		"status":                     {quoting{}, poll},
		"status fails":               {quoting{fails: true}, poll},
		"status not listed":          {quoting{status: "odd " + account}, poll},
	} {
		t.Run(name, func(t *testing.T) {
			var shown strings.Builder
			d, b := withPlanned(t, 2, func(s *submitter.Settings) { s.Progress = func(_, text string) { fmt.Fprintln(&shown, text) } })
			if got := d.attempts(b.ID)[1].BankAccountNumber; got != account {
				t.Fatalf("the payout goes to %s", got)
			}
			c.bank.Bank, c.bank.account = d.client, account
			results, err := c.do(d, b, c.bank)
			if len(results) == 0 && err == nil {
				t.Fatal("nothing happened")
			}
			if c.bank.refuses != nil && c.bank.refuses.HTTPStatus == 401 && (!errors.Is(err, ledger.ErrUnauthorized) || !errors.Is(err, errQuoted)) {
				t.Errorf("the error is no longer what it was: %v", err)
			}
			fmt.Fprintln(&shown, results, err)
			if call, ok := errors.AsType[*ledger.CallError](err); ok {
				fmt.Fprintln(&shown, call.Code, call.Message, call.Err)
			}
			keep := func(v any) error { return json.NewEncoder(&shown).Encode(v) }
			if _, err := d.store.Export(t.Context(), ledger.Export{
				Ledger: noLedger, Sheet: noSheet, Attempt: func(a ledger.Attempt) error { return keep([]any{a.Status, a.BankStatusCode, a.Reason}) },
				Batch: func(b ledger.Batch) error { return keep(b) }, Observation: func(o ledger.NewObservation) error {
					o.BankAccountNumber = "" // compared, and not kept
					return keep(o)
				},
				Intent: func(i ledger.RecordedIntent) error { return keep(i) }, Event: func(e ledger.Event) error { return keep(e) },
				StatusCheck: func(l ledger.RecordedLook) error { return keep(l) }, Approval: func(ledger.Approval) error { return nil }, Release: func(ledger.ReleaseApproval) error { return nil },
				Origin: func(_ int64, o ledger.RowOrigin) error { return keep(o) }, Correction: func(ledger.RecordedCorrection) error { return nil },
				Statement: func(k ledger.KeptStatement) error { return keep(k) }, Line: func(l ledger.KeptLine) error { return keep(l) },
				Decision: func(d ledger.StatementDecision) error { return keep(d) }, BankLists: func(l ledger.BankLists) error { return keep(l) },
			}); err != nil {
				t.Fatal(err)
			}
			if i := strings.Index(shown.String(), account); i >= 0 {
				t.Errorf("in full: …%s", shown.String()[max(0, i-200):min(shown.Len(), i+60)])
			}
			if !strings.Contains(shown.String(), "0001") {
				t.Error("nothing of what the bank said is kept")
			}
			if name == "status" && !strings.Contains(shown.String(), `UTR52025110399887766`) {
				t.Error("the UTR is lost")
			}
		})
	}
}

func noLedger(string, time.Time) error                { return nil }
func noSheet(ledger.Sheet, *ledger.ReadOptions) error { return nil }

func TestAnIDThatIsAnAccountNumberIsMasked(t *testing.T) {
	d, b := withPlanned(t, 1)
	account := d.attempts(b.ID)[0].BankAccountNumber
	bank := answering{d.client, func(_ string, a *ledger.Answer) { // it has nothing but the account number for an id of its own
		a.OpenBatchID = account
		for i := range a.Payouts {
			a.Payouts[i].OpenTxnID, a.Payouts[i].BankTxnRefID = account, "000"+account
		}
	}}
	d.verb(submitter.New(d.store, bank, d.set).Initiate(t.Context(), nil, 0))
	d.verb(submitter.New(d.store, bank, d.set).Submit(t.Context(), []submitter.OTP{d.otp(b.ID)}))
	at := d.attempts(b.ID)[0]
	for what, got := range map[string]string{"the batch": d.batch(b.ID).OpenBatchID, "the payout": at.OpenTxnID, "the UTR": at.BankTxnRefID} {
		if strings.Contains(got, account) || !strings.HasSuffix(got, account[len(account)-4:]) {
			t.Errorf("%s has the id %q", what, got)
		}
	}
	if at.State == ledger.PayoutDisputed {
		t.Errorf("that is no contradiction: %s", at.Reason)
	}
	d.sound()
}
