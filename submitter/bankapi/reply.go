package bankapi

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
)

// reply is the result of one request.
type reply struct {
	sent       bool // the request, or part of it, may have left
	status     int  // 0 when no answer came
	body       []byte
	retryAfter time.Duration
	err        error // why there is no answer, or why it broke off
}

// judge returns the outcome of one request, by the table in safety.md, "Outcome of a call that changes
// something". A nil error means ACCEPTED, and the envelope's data is an object. Reads are judged the same way.
func (r reply) judge(op string) (Envelope[any], *ledger.CallError) {
	e := r.unknown(op, r.err)
	switch {
	case r.status == http.StatusUnauthorized:
		e.Outcome = ledger.Rejected // in every form (interface.md, "Authentication", rule 2)
	case r.err != nil && !r.sent:
		e.Outcome = ledger.NotSent
	}
	if r.err != nil {
		return Envelope[any]{}, e
	}
	envelope, err := openEnvelope(r.body)
	switch {
	case err != nil:
		e.Err = fmt.Errorf("the answer cannot be read: %w", err)
	case envelope.Error != nil:
		e.Code, e.Message, e.Answered, e.BankTime = envelope.Error.Code, envelope.Error.Message, true, envelope.Meta.bankTime()
		if len(envelope.Error.Details) > 0 {
			e.Details = raw(envelope.Error.Details)
		}
		switch r.status {
		case http.StatusBadRequest:
			e.Outcome = ledger.Rejected
		case http.StatusOK:
			e.Err = errors.New("HTTP 200, but the answer says it failed")
		}
	case !slices.Contains(successOf(op), r.status):
		e.Err = fmt.Errorf("the answer says success, but the HTTP status is not %d", successOf(op)[0])
	default:
		return envelope, nil
	}
	return Envelope[any]{}, e
}

// successOf returns the HTTP statuses of a successful operation (interface.md, "Endpoints").
func successOf(op string) []int {
	switch op {
	case opBeneficiaryInitiate:
		return []int{http.StatusCreated}
	case opStatements:
		return []int{http.StatusOK, http.StatusAccepted}
	}
	return []int{http.StatusOK}
}

// openEnvelope reads an envelope. It refuses one that contradicts itself: a success has data and no error, a
// failure has an error and no data (interface.md, "What the service does" and "Errors").
func openEnvelope(body []byte) (Envelope[any], error) {
	var e Envelope[any]
	if err := Decode(body, &e); err != nil {
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

// answerOf judges a reply and reads its data into the wire struct. If the data does not have the interface's
// shape, the outcome is unknown.
func answerOf[T any](r reply, op string) (T, Meta, *ledger.CallError) {
	var t T
	envelope, callErr := r.judge(op)
	if callErr != nil {
		return t, Meta{}, callErr
	}
	err := fit(&t, *envelope.Data)
	if err != nil {
		err = fmt.Errorf("in data, %w", err)
	} else if c, ok := any(t).(checker); ok {
		err = c.check(r, op)
	}
	if err != nil {
		return t, Meta{}, r.unknown(op, fmt.Errorf("the answer cannot be read: %w", err))
	}
	return t, envelope.Meta, nil
}

// unknown returns the error of a reply that does not show what the bank did.
func (r reply) unknown(op string, err error) *ledger.CallError {
	return &ledger.CallError{Op: op, Outcome: ledger.Unknown, HTTPStatus: r.status, RetryAfter: r.retryAfter, Err: err}
}

// checker is data with rules beyond the shape of its fields.
type checker interface {
	check(r reply, op string) error
}

// check refuses an echo in which a payout has no status: initiate and submit always give it (interface.md,
// "Initiate transfer" and "Submit transfer").
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

// bankTime returns the bank's clock when it made the answer. It is zero if the answer does not give it in the
// form that the interface shows (interface.md, "What the service does").
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
	return strings.ToValidUTF8(s[:maxWords], "") + "…"
}
