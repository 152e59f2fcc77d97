package submitter_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"payrun/ledger"
	"payrun/submitter"
	"payrun/submitter/bankapi"
)

// blurred is a bank whose answers have a value that cannot be read, as long as blur is set.
func blurred(b submitter.Bank, blur *func(*ledger.Answer)) submitter.Bank {
	return answering{b, func(_ string, a *ledger.Answer) {
		if *blur != nil && len(a.Payouts) > 0 {
			(*blur)(a)
		}
	}}
}

func amountUnread(a *ledger.Answer) {
	o := &a.Payouts[0]
	o.Amount, o.HasAmount, o.Unread = 0, false, ledger.FieldAmount
}

// blurs are what a bank may show so that no one can read it.
var blurs = map[string]func(*ledger.Answer){
	"an amount":      amountUnread,
	"an IFSC":        func(a *ledger.Answer) { a.Payouts[0].IFSC, a.Payouts[0].Unread = "", ledger.FieldIFSC },
	"a status":       func(a *ledger.Answer) { a.Payouts[0].Status, a.Payouts[0].Unread = "7", ledger.FieldStatus },
	"a sub-merchant": func(a *ledger.Answer) { a.SubMerchantID, a.Unread = "", ledger.FieldSubMerchant },
}

// blurring is an engine whose bank blurs its answers while blur is set.
func (d *desk) blurring() (e func() *submitter.Engine, blur *func(*ledger.Answer)) {
	blur = new(func(*ledger.Answer))
	return func() *submitter.Engine { return d.with(blurred(d.client, blur)) }, blur
}

func TestAnEchoThatCannotBeReadIsQuarantined(t *testing.T) {
	for name, does := range blurs {
		t.Run(name, func(t *testing.T) {
			d, b := withPlanned(t, 2)
			e, blur := d.blurring()
			*blur = does
			d.became(d.verb(e().Initiate(t.Context(), nil, 0)), submitter.OutcomeQuarantined)
			d.want(b.ID, ledger.BatchQuarantined, states{"planned": 2})
			d.sound()
		})
	}
}

// money.md, C1: the last look showed an amount that no one could read, and the batch was
// submitted. Nothing is sent, and the next whole answer decides.
func TestNothingIsSubmittedOnAStatusThatCannotBeRead(t *testing.T) {
	for name, does := range blurs {
		t.Run(name, func(t *testing.T) {
			d, b := withHeld(t, 2)
			e, blur := d.blurring()
			otp := d.otp(b.ID)
			*blur = does
			if r := d.verb(e().Submit(t.Context(), []submitter.OTP{otp})); len(r) != 1 || r[0].Outcome == submitter.OutcomeSubmitted {
				t.Errorf("%+v", r)
			}
			for range 2 {
				if got := d.batch(b.ID); got.State != ledger.BatchHeld || got.Attention != ledger.StatusDiffers {
					t.Errorf("it is %s, %q: %s", got.State, got.Attention, got.Note)
				}
				d.verb(e().Poll(t.Context(), nil, 0))
			}
			d.paidTimes(0)
			*blur = nil
			d.poll()
			if got := d.batch(b.ID); got.Attention != ledger.NeedsNothing {
				t.Errorf("it asks for %q: %s", got.Attention, got.Note)
			}
			d.became(d.verb(e().Submit(t.Context(), []submitter.OTP{otp})), submitter.OutcomeSubmitted)
			d.sound()
		})
	}
}

// An answer to a submit that cannot be read is none: only a status tells.
func TestAnAnswerToASubmitThatCannotBeReadIsInDoubt(t *testing.T) {
	d, b := withHeld(t, 2)
	d.set.LeaveDoubts = true
	bank := answering{d.client, func(at string, a *ledger.Answer) {
		if at == "submit" {
			amountUnread(a)
		}
	}}
	d.became(d.verb(d.with(bank).Submit(t.Context(), []submitter.OTP{d.otp(b.ID)})), submitter.OutcomeUnknown)
	d.want(b.ID, ledger.BatchSubmitUnknown, states{"request_initiated": 2})
	d.settle()
	d.want(b.ID, ledger.BatchSettled, states{"success": 2})
	d.sound()
}

// After a submit what cannot be read is disputed, until a whole answer shows it as
// planned. Meanwhile nothing is retried, and the batch is not settled.
func TestWhatCannotBeReadAfterASubmitIsDisputedUntilItCan(t *testing.T) {
	for name, does := range blurs {
		if name == "a sub-merchant" {
			continue // it is no payout's
		}
		t.Run(name, func(t *testing.T) {
			d, b := withSent(t, 2)
			e, blur := d.blurring()
			*blur = does
			d.bank.Settle()
			d.verb(e().Poll(t.Context(), nil, 0))
			if got := d.states(b.ID); got["disputed"] != 1 {
				t.Errorf("%v", got)
			}
			d.settleAt(blurred(d.client, blur))
			d.want(b.ID, ledger.BatchSubmitted, states{"disputed": 1, "success": 1})
			part := odd{d.client, map[string]func(statusRead) (statusRead, error){b.ID: func(r statusRead) (statusRead, error) {
				r.Complete, r.Why = false, "cut"
				return r, nil
			}}}
			d.verb(submitter.New(d.store, part, d.set).Poll(t.Context(), nil, 0))
			d.want(b.ID, ledger.BatchSubmitted, states{"disputed": 1, "success": 1})
			d.sound()
			ifsc := d.attempts(b.ID)[0].IFSC
			*blur = func(a *ledger.Answer) { // all as planned
				for i := range a.Payouts {
					a.Payouts[i].IFSC = ifsc
				}
			}
			clear := *blur
			d.verb(e().Poll(t.Context(), nil, 0))
			d.want(b.ID, ledger.BatchSettled, states{"success": 2})
			d.asks(b.ID, ledger.NeedsNothing)

			*blur = does // it is watched
			d.verb(e().Poll(t.Context(), nil, 0))
			d.want(b.ID, ledger.BatchSettled, states{"disputed": 1, "success": 1})
			*blur = clear
			d.verb(e().Poll(t.Context(), nil, 0))
			d.want(b.ID, ledger.BatchSettled, states{"success": 2})
			d.sound()
		})
	}
}

// An earlier attempt that cannot be read holds its retry back, and no longer than that.
func TestARetryWaitsForAnEarlierAttemptThatCannotBeRead(t *testing.T) {
	d, first := withHeld(t, 1)
	e, blur := d.blurring()
	d.outcomes(map[string]string{"S1-G0-000": "failed"})
	d.submit(d.otp(first.ID))
	d.settle()
	d.want(first.ID, ledger.BatchSettled, states{"failed": 1})
	retry := d.retryOf(first)
	d.initiate()
	otp := d.otp(retry.ID)
	*blur = func(a *ledger.Answer) {
		if a.BatchID == first.ID {
			amountUnread(a)
		}
	}
	if r := d.verb(e().Submit(t.Context(), []submitter.OTP{otp})); r[0].Outcome == submitter.OutcomeSubmitted {
		t.Errorf("%+v", r)
	}
	d.want(first.ID, ledger.BatchSettled, states{"disputed": 1})
	*blur = nil
	d.became(d.submit(otp), submitter.OutcomeSubmitted)
	d.want(first.ID, ledger.BatchSettled, states{"failed": 1})
	d.sound()
}

// rewritten is a client whose bank answers reads of a batch with one text in place of another.
func (d *desk) rewritten(was string, is *string) *bankapi.Client {
	d.t.Helper()
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: d.bank.Ready().Addr})
	proxy.ModifyResponse = func(r *http.Response) error {
		text, err := io.ReadAll(r.Body)
		if r.Request.Method == http.MethodGet && r.Request.URL.Path == bankapi.PathTransfer {
			text = bytes.ReplaceAll(text, []byte(was), []byte(*is))
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		r.Header.Set("Content-Length", fmt.Sprint(len(text)))
		return err
	}
	server := httptest.NewServer(proxy)
	d.t.Cleanup(server.Close)
	return d.clientWith(func(c *bankapi.Config) { c.BaseURL = server.URL })
}

// money.md, C1, as the bank wrote it.
func TestTheAmountThatTheBankShowsLast(t *testing.T) {
	const planned = `"101.39"`
	for shown, stands := range map[string]ledger.BatchState{
		`"1013.90"`: ledger.BatchQuarantined, `1013.9`: ledger.BatchQuarantined,
		`"101.39e1"`: ledger.BatchHeld, `101.39e1`: ledger.BatchHeld, `"-101.39"`: ledger.BatchHeld, `-101.39`: ledger.BatchHeld, `101.390`: ledger.BatchHeld, `["101.39"]`: ledger.BatchHeld,
		`101.39`: ledger.BatchSubmitted, `null`: ledger.BatchSubmitted, `""`: ledger.BatchSubmitted, planned: ledger.BatchSubmitted,
	} {
		t.Run(strings.Trim(shown, `"`), func(t *testing.T) {
			d := newDesk(t)
			b := d.load(payouts{account: pb3, bank: 3, n: 1, amount: 101_39})[0]
			d.initiate()
			is := shown
			e := submitter.New(d.store, d.rewritten(planned, &is), d.set)
			d.verb(e.Submit(t.Context(), []submitter.OTP{d.otp(b.ID)}))
			if got := d.batch(b.ID); got.State != stands {
				t.Errorf("it is %s (%s), want %s", got.State, got.Note, stands)
			}
			d.sound()
		})
	}
}
