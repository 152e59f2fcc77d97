package bankapi

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"

	"payrun/ledger"
)

// reply is the result of one request.
type reply struct {
	sent       bool // the request, or part of it, may have left
	status     int  // 0 when no answer came
	body       []byte
	retryAfter time.Duration
	err        error // no answer, or one that broke off
}

// judge tells the outcome of one request, by the table in safety.md, "Outcome
// of a call that changes something". With nil error it is ACCEPTED, and data
// is the data object. Reads are classed the same way.
func (r reply) judge(op string) (data map[string]any, meta Meta, callErr *ledger.CallError) {
	e := &ledger.CallError{Op: op, Outcome: ledger.Unknown, HTTPStatus: r.status, RetryAfter: r.retryAfter, Err: r.err}
	if r.status == http.StatusUnauthorized {
		e.Outcome = ledger.Rejected // whatever else it says (interface.md, "Authentication", rule 2)
	}
	switch {
	case r.err != nil && !r.sent:
		e.Outcome = ledger.NotSent
		return nil, Meta{}, e
	case r.err != nil:
		return nil, Meta{}, e
	}
	envelope, err := openEnvelope(r.body)
	if err != nil {
		e.Err = fmt.Errorf("the answer cannot be read: %w", err)
		return nil, Meta{}, e
	}
	if envelope.Error != nil {
		e.Code, e.Message, e.Answered = envelope.Error.Code, envelope.Error.Message, true
		if len(envelope.Error.Details) > 0 {
			e.Details = raw(envelope.Error.Details)
		}
		e.BankTime = envelope.Meta.bankTime()
		switch r.status {
		case http.StatusBadRequest:
			e.Outcome = ledger.Rejected
		case http.StatusOK:
			e.Err = errors.New("HTTP 200, but the answer says it failed")
		}
		return nil, Meta{}, e
	}
	if !slices.Contains(successOf(op), r.status) {
		e.Err = fmt.Errorf("the answer says success, but the HTTP status is not %d", successOf(op)[0])
		return nil, Meta{}, e
	}
	return (*envelope.Data).(map[string]any), envelope.Meta, nil
}

// successOf gives the HTTP statuses with which an operation answers success
// (interface.md, "Endpoints").
func successOf(op string) []int {
	switch op {
	case opBeneficiaryInitiate:
		return []int{http.StatusCreated}
	case opStatements:
		return []int{http.StatusOK, http.StatusAccepted}
	}
	return []int{http.StatusOK}
}

// openEnvelope reads an envelope and refuses one that contradicts itself: a
// success has data and no error, a failure has an error and no data
// (interface.md, "What the service does" and "Errors").
func openEnvelope(body []byte) (Envelope[any], error) {
	var e Envelope[any]
	if err := decode(body, &e); err != nil {
		return e, err
	}
	switch {
	case e.Status == EnvelopeFailed && (e.Error == nil || e.Data != nil):
		return e, errors.New("status failed wants an error and no data")
	case e.Status == EnvelopeSuccess && (e.Error != nil || e.Data == nil):
		return e, errors.New("status success wants data and no error")
	case e.Status != EnvelopeFailed && e.Status != EnvelopeSuccess:
		return e, errors.New("status is neither success nor failed")
	}
	if e.Data == nil {
		return e, nil
	}
	if _, object := (*e.Data).(map[string]any); !object {
		return e, errors.New("data is not an object")
	}
	return e, nil
}

// answerOf judges a reply and reads its data into the wire struct. Data that
// does not have the interface's shape leaves the outcome unknown.
func answerOf[T any](r reply, op string) (T, Meta, *ledger.CallError) {
	var t T
	data, meta, callErr := r.judge(op)
	if callErr != nil {
		return t, Meta{}, callErr
	}
	if err := fit(&t, data); err != nil {
		return t, Meta{}, r.unreadable(op, fmt.Errorf("in data, %w", err))
	}
	if c, ok := any(t).(checker); ok {
		if err := c.check(r, op); err != nil {
			return t, Meta{}, r.unreadable(op, err)
		}
	}
	return t, meta, nil
}

// checker is data that must agree with more than its own shape.
type checker interface {
	check(r reply, op string) error
}

// check refuses an echo in which a payout has no status: initiate and submit
// always give it (interface.md, "Initiate transfer" and "Submit transfer").
func (b TransferBatch) check(_ reply, op string) error {
	if op == opStatus {
		return nil
	}
	for i, p := range b.Payouts {
		if p.Status == "" && p.Unread["status"] == nil {
			return fmt.Errorf("in data, payouts[%d].status is missing", i)
		}
	}
	return nil
}

func (r reply) unreadable(op string, err error) *ledger.CallError {
	return &ledger.CallError{
		Op: op, Outcome: ledger.Unknown, HTTPStatus: r.status, RetryAfter: r.retryAfter,
		Err: fmt.Errorf("the answer cannot be read: %w", err),
	}
}

// bankTime is the bank's clock as the answer was made; zero where it does not say, in
// the form that the interface shows (interface.md, "What the service does").
func (m Meta) bankTime() time.Time {
	at, err := time.Parse(time.RFC3339Nano, m.Timestamp)
	if err != nil {
		return time.Time{}
	}
	return at.UTC().Truncate(time.Microsecond)
}

// maxWords bounds the bank's words in an error, in bytes.
const maxWords = 4096

func clip(s string) string {
	if len(s) <= maxWords {
		return s
	}
	cut := maxWords
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
