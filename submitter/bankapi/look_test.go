package bankapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"

	"payrun/ledger"
)

// A look is a status read with little patience: who looks before each call
// asks a bank that fails twice, and then goes without.
func TestALookIsTriedOnceOrTwice(t *testing.T) {
	failure := fixture(t, "failure.json")
	for _, c := range []struct {
		name     string
		status   int
		fails    int // requests
		requests int
		ok       bool
	}{
		{"answered at once", 0, 0, 1, true},
		{"500 once", 500, 1, 2, true},
		{"500 for ever", 500, 9, 2, false},
		{"429 for ever", 429, 9, 2, false},
		{"404, which is an answer", 404, 9, 1, false},
		{"400, which is an answer", 400, 9, 1, false},
		{"401", 401, 9, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				requests := 0
				client, _, stop := newPipeBank(t, func(w http.ResponseWriter, _ *http.Request) {
					if requests++; requests <= c.fails {
						w.WriteHeader(c.status)
						w.Write(failure)
						return
					}
					io.WriteString(w, statusPage(noMore, "r1"))
				})
				defer stop()
				read, err := client.ReadStatus(t.Context(), "b", 1, ledger.Brisk)
				synctest.Wait() // for the bank
				if requests != c.requests || (err == nil) != c.ok || c.ok && (!read.Complete || len(read.Payouts) != 1) {
					t.Errorf("%d requests, %+v, %v", requests, read, err)
				}
			})
		})
	}
}

// The list of accounts is asked for while an OTP may run out: with little patience too,
// and a list for a person is patient.
func TestTheAccountsAreAskedForOnceOrTwice(t *testing.T) {
	failure := fixture(t, "failure.json")
	for name, c := range map[string]struct {
		list     func(context.Context, *Client) error
		requests int
	}{
		"before a submit": {func(ctx context.Context, c *Client) error { _, err := c.Accounts(ctx); return err }, int(ledger.Brisk)},
		"for a person":    {func(ctx context.Context, c *Client) error { _, err := c.BankAccounts(ctx, AccountQuery{}); return err }, int(ledger.Patient)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				requests := 0
				client, _, stop := newPipeBank(t, func(w http.ResponseWriter, _ *http.Request) {
					requests++
					w.WriteHeader(http.StatusInternalServerError)
					w.Write(failure)
				})
				defer stop()
				err := c.list(t.Context(), client)
				synctest.Wait() // for the bank
				if err == nil || requests != c.requests {
					t.Errorf("%d requests, want %d: %v", requests, c.requests, err)
				}
			})
		})
	}
}

// What was shown before a read broke off is given back, and is not complete.
func TestALookThatBreaksOffShowsWhatItRead(t *testing.T) {
	c, _ := pagesBank(t, statusPage(more("1"), "r1"))
	read, err := c.ReadStatus(t.Context(), "b", 2, ledger.Brisk)
	if err != nil || read.Complete || read.Why == "" || len(read.Payouts) != 1 || read.Payouts[0].Status != ledger.StatusPending {
		t.Errorf("got %+v, %v", read, err)
	}
}

// An answer without payouts and with closed pages is a complete read of nothing,
// whatever it names: it may be the bank's answer for not known.
func TestALookAtNothing(t *testing.T) {
	for name, answer := range map[string]string{
		"named":   statusPage(noMore),
		"unnamed": listPage(`{"sub_merchant_id":"","bank_account_id":"","merchant_transfer_batch_id":"b","payouts":[]}`, noMore),
	} {
		c, _ := pagesBank(t, answer)
		if read, err := c.ReadStatus(t.Context(), "b", 1, ledger.Brisk); err != nil || !read.Complete || len(read.Payouts) != 0 {
			t.Errorf("%s: got %+v, %v", name, read, err)
		}
	}
}

// Accounts are those of every sub-merchant, on all pages: one that is not among
// them cannot pay.
func TestAccountsAreAllOfThem(t *testing.T) {
	c, queries := pagesBank(t,
		listPage(`{"bank_accounts":[{"status":"active","partner_bank_id":3,"bank_account_id":"a"}]}`, more("1")),
		listPage(`{"bank_accounts":[{"status":"token_expired","partner_bank_id":12,"bank_account_id":"B"}]}`, noMore))
	got, err := c.Accounts(t.Context())
	must(t, err)
	var said []ledger.LinkedAccount
	for _, a := range got {
		said = append(said, ledger.LinkedAccount{BankAccountID: a.BankAccountID, PartnerBankID: a.PartnerBankID, Status: a.Status})
	}
	want := []ledger.LinkedAccount{{BankAccountID: "a", PartnerBankID: 3, Status: ledger.AccountActive}, {BankAccountID: "B", PartnerBankID: 12, Status: "token_expired"}}
	same(t, want, said)
	same(t, []url.Values{{"limit": {"100"}}, {"limit": {"100"}, "cursor": {"1"}}}, *queries)
	c, _ = pagesBank(t, listPage(`{"bank_accounts":[{"status":"active","partner_bank_id":3,"bank_account_id":"a"}]}`, more("1")))
	if got, err := c.Accounts(t.Context()); err == nil || got != nil {
		t.Errorf("a list that broke off: %+v, %v", got, err)
	}
}

// An answered no is a 4xx that leaves the effect unknown and is said in a valid
// failure envelope; anything else is none.
func TestWhatIsAnAnsweredNo(t *testing.T) {
	failure := string(fixture(t, "failure.json"))
	for _, c := range []struct {
		name         string
		fault        fault
		answered, no bool
	}{
		{"409", answering(409, failure), true, true},
		{"422", answering(422, failure), true, true},
		{"403", answering(403, failure), true, true},
		{"404", answering(404, failure), true, true},
		{"400, which had no effect", answering(400, failure), true, false},
		{"401, which had no effect", answering(401, failure), true, false},
		{"408", answering(408, failure), true, false},
		{"429", answering(429, failure), true, false},
		{"500 with a failure", answering(500, failure), true, false},
		{"200 that says it failed", answering(200, failure), true, false},
		{"409 without an envelope", answering(409, "<html>"), false, false},
		{"409 that contradicts itself", answering(409, with(t, "failure.json", `"data": null`, `"data": {}`)), false, false},
		{"409 that breaks off", saying("HTTP/1.1 409 Conflict\r\nContent-Length: 5000\r\n\r\n" + failure), false, false},
		{"no answer", saying(""), false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			bank := newRawBank(t, c.fault)
			client := newClient(t, bank.address)
			_, err := client.Submit(t.Context(), submitPayload(t, client), ledger.NewSecret(otpText), ledger.Secret{})
			call, ok := errors.AsType[*ledger.CallError](err)
			if !ok || call.Answered != c.answered || call.AnsweredNo() != c.no {
				t.Errorf("answered %t, a no %t: %v", call != nil && call.Answered, call != nil && call.AnsweredNo(), err)
			}
			if c.no && (call.Code == "" || call.Message == "") {
				t.Errorf("the bank's words are lost: %+v", call)
			}
		})
	}
}
