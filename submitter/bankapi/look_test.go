package bankapi

import (
	"context"
	"errors"
	"io"
	"net/http"
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
