package bankapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"payrun/ledger"
)

// post sends body once and reads the data of its answer. There is no second
// try: not here, not in the transport, not by a redirect. maySend, where it is not nil, is
// asked before anything of the request leaves. hide is what the body carries and no error
// may repeat. Every error is a *ledger.CallError.
func post[T any](ctx context.Context, c *Client, op, address string, body []byte, maySend func(context.Context) error, hide ...ledger.Secret) (T, error) {
	var none T
	var refused atomic.Pointer[error]
	left := bytes.NewReader(body)
	if look := ctx; maySend != nil { // the connection is there then, and the headers wait for the body
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() {
			if err := maySend(look); err != nil {
				refused.Store(&err)
				left.Reset(nil) // a request without its body is none: the transport sends nothing
			}
		}})
	}
	// The body is a bare reader, so that nothing can rewind and re-send it.
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, io.NopCloser(left))
	if err != nil {
		return none, notSent(op, err)
	}
	req.ContentLength = int64(len(body))
	req.Header.Set("Content-Type", "application/json")

	r := c.exchange(req, c.sends, c.timeoutSend)
	if err := refused.Load(); err != nil {
		return none, c.scrub(notSent(op, *err), hide...)
	}
	data, _, callErr := answerOf[T](r, op)
	if callErr != nil {
		return none, c.scrub(callErr, hide...)
	}
	return data, nil
}

// exchange makes one request and reads its answer whole. The timeout covers
// both, but not the wait for the rate limit.
func (c *Client) exchange(req *http.Request, t *http.Transport, timeout time.Duration) (r reply) {
	if err := c.limit.Wait(req.Context()); err != nil {
		return reply{err: err}
	}
	ctx, cancel := context.WithTimeout(req.Context(), timeout)
	defer cancel()
	// Until there is a connection nothing can have left. From then on it may
	// have, and the transport does not tell how much.
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { r.sent = true },
	})
	req = req.WithContext(ctx)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "payrun")
	req.Header.Set("Authorization", "Bearer "+c.access.Reveal()+":"+c.secret.Reveal())

	resp, err := t.RoundTrip(req)
	if err != nil {
		r.err = err
		return r
	}
	defer resp.Body.Close()
	r.status, r.retryAfter = resp.StatusCode, retryAfter(resp.Header)
	r.body, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes+1))
	if err != nil {
		r.err = fmt.Errorf("the answer broke off: %w", err)
	}
	return r
}

// retryAfter reads the header of that name: seconds, or a date, which is
// compared with the answer's own date so that no clock of ours is asked.
func retryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return 0
	}
	return max(until.Sub(now), 0)
}

// scrub takes the keys, and whatever else must be hidden, out of an error that
// repeats what a server sent, and cuts it short: a server may answer a request
// with the request itself.
func (c *Client) scrub(e *ledger.CallError, hide ...ledger.Secret) *ledger.CallError {
	hide = append(hide, c.access, c.secret)
	clean := func(s string) string { return clip(redact(s, hide)) }
	e.Code, e.Message, e.Details = clean(e.Code), clean(e.Message), clean(e.Details)
	if e.Err != nil {
		if text := e.Err.Error(); text != clean(text) {
			e.Err = errors.New(clean(text))
		}
	}
	return e
}

// shortestSecret is the length below which a secret is left in a text: taking
// "1" out of a sentence hides nothing and ruins the sentence.
const shortestSecret = 4

func redact(text string, secrets []ledger.Secret) string {
	for _, s := range secrets {
		if len(s.Reveal()) >= shortestSecret {
			inJSON := strings.Trim(raw(s.Reveal()), `"`) // as CallError.Details has it
			text = strings.NewReplacer(s.Reveal(), s.String(), inJSON, s.String()).Replace(text)
		}
	}
	return text
}

func notSent(op string, err error) *ledger.CallError {
	return &ledger.CallError{Op: op, Outcome: ledger.NotSent, Err: err}
}
