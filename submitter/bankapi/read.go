package bankapi

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/cenkalti/backoff/v5"

	"payrun/ledger"
)

// How often and how patiently a GET is tried. Repeating one changes nothing.
const (
	firstPause    = 500 * time.Millisecond // doubled each time, plus or minus half
	longestPause  = 10 * time.Second
	longestWait   = 60 * time.Second // a Retry-After beyond this is left to the caller
	pauseJitter   = 0.5
	pauseMultiply = 2
)

// get calls one GET operation until it is answered or the tries are used up, and reads the data of its answer.
// Every error is a *ledger.CallError.
func get[T any](ctx context.Context, c *Client, tries ledger.Patience, op, address string, query url.Values) (T, Meta, error) {
	var none T
	var meta Meta
	var last *ledger.CallError
	ask := func() (data T, err error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"?"+query.Encode(), nil)
		if err != nil {
			last = notSent(op, err)
			return none, backoff.Permanent(last)
		}
		data, meta, last = answerOf[T](c.exchange(req, c.reads, c.set.TimeoutRead), op)
		if last == nil {
			return data, nil
		}
		last = c.scrub(last)
		return none, again(last)
	}
	pause := &backoff.ExponentialBackOff{
		InitialInterval: firstPause, MaxInterval: longestPause,
		Multiplier: pauseMultiply, RandomizationFactor: pauseJitter,
	}
	data, err := backoff.Retry(ctx, ask, backoff.WithBackOff(pause), backoff.WithMaxTries(uint(tries)))
	if err != nil {
		if cause := context.Cause(ctx); cause != nil && !errors.Is(last, cause) {
			last.Err = fmt.Errorf("stopped before another try: %w", cause)
		}
		return none, Meta{}, last
	}
	return data, meta, nil
}

// again decides whether a failure is worth another try: a network failure, 429, 5xx, and a 200 that cannot be
// read are.
func again(e *ledger.CallError) error {
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](e)
	switch {
	case untrusted, e.RetryAfter > longestWait:
		return backoff.Permanent(e)
	case e.HTTPStatus != 0 && e.HTTPStatus != http.StatusOK && e.HTTPStatus != http.StatusTooManyRequests && e.HTTPStatus < 500:
		return backoff.Permanent(e)
	case e.RetryAfter > 0:
		return &backoff.RetryAfterError{Duration: e.RetryAfter}
	}
	return e
}
