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

// post sends body once and reads the data of its answer. Nothing sends it a second time: not post, not the
// transport, not a redirect. If maySend is not nil, it is called before anything of the request leaves. hide
// lists secrets in the body that no error may repeat. Every error is a *ledger.CallError.
func post[T any](ctx context.Context, c *Client, op, address string, body []byte, maySend func(context.Context) error, hide ...ledger.Secret) (T, error) {
	var none T
	var refused atomic.Pointer[error]
	left := bytes.NewReader(body)
	if look := ctx; maySend != nil { // by then the connection is up, and the headers wait for the body
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() {
			if err := maySend(look); err != nil {
				refused.Store(&err)
				left.Reset(nil) // without its body the request is incomplete, so the transport sends nothing
			}
		}})
	}
	// The body is a bare reader, so that nothing can rewind it and send it again.
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, io.NopCloser(left))
	if err != nil {
		return none, notSent(op, err)
	}
	req.ContentLength = int64(len(body))
	req.Header.Set("Content-Type", "application/json")

	r := c.exchange(req, c.sends, c.set.TimeoutSend)
	if err := refused.Load(); err != nil {
		return none, c.scrub(notSent(op, *err), hide...)
	}
	data, _, callErr := answerOf[T](r, op)
	if callErr != nil {
		return none, c.scrub(callErr, hide...)
	}
	return data, nil
}

// postFields sends a request of texts, all required, once. Every error is a *ledger.CallError.
func postFields[T any](ctx context.Context, c *Client, op, address string, fields ...field) (T, error) {
	var none T
	if err := require(fields...); err != nil {
		return none, notSent(op, err)
	}
	body, err := written(fields...)
	if err != nil {
		return none, notSent(op, err)
	}
	return post[T](ctx, c, op, address, body, nil)
}

// exchange makes one request and reads the whole answer. The timeout covers both, but not the wait for the rate
// limit.
func (c *Client) exchange(req *http.Request, t *http.Transport, timeout time.Duration) (r reply) {
	if err := c.limit.Wait(req.Context()); err != nil {
		return reply{err: err}
	}
	ctx, cancel := context.WithTimeout(req.Context(), timeout)
	defer cancel()
	// Nothing can have left before there is a connection. After that it may have, and the transport does not
	// say how much.
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { r.sent = true },
	})
	req = req.WithContext(ctx)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "payrun")
	req.Header.Set("Authorization", "Bearer "+c.set.AccessKey.Reveal()+":"+c.set.SecretKey.Reveal())

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

// retryAfter reads the Retry-After header: seconds, or a date. The date is compared with the answer's own Date,
// so our clock does not matter.
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

// scrub removes the keys and the secrets in hide from an error that repeats what a server sent, and shortens
// it. A server may answer a request with the request itself.
func (c *Client) scrub(e *ledger.CallError, hide ...ledger.Secret) *ledger.CallError {
	hide = append(hide, c.set.AccessKey, c.set.SecretKey)
	clean := func(s string) string { return clip(redact(s, hide)) }
	e.Code, e.Message, e.Details = clean(e.Code), clean(e.Message), clean(e.Details)
	if e.Err != nil {
		if text := e.Err.Error(); text != clean(text) {
			e.Err = errors.New(clean(text))
		}
	}
	return e
}

// shortestSecret is the length from which a secret is removed from a text. Removing "1" hides nothing and makes
// the text unreadable.
const shortestSecret = 4

func redact(text string, secrets []ledger.Secret) string {
	for _, s := range secrets {
		if len(s.Reveal()) >= shortestSecret {
			inJSON := strings.Trim(raw(s.Reveal()), `"`) // the form of it in CallError.Details
			text = strings.NewReplacer(s.Reveal(), s.String(), inJSON, s.String()).Replace(text)
		}
	}
	return text
}

func notSent(op string, err error) *ledger.CallError {
	return &ledger.CallError{Op: op, Outcome: ledger.NotSent, Err: err}
}
