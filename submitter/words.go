package submitter

import (
	"context"
	"errors"
	"slices"

	"payrun/ledger"
)

// hearing is the bank with its texts masked for one batch. A bank may quote what it was sent, so the account
// numbers of the batch are masked before anything is checked, recorded or shown (safety.md, invariant 17).
// References stay unchanged, as do UTRs and ids that are no account number, and the echo of a payee's account,
// which is compared and not kept.
type hearing struct {
	Bank
	hide ledger.Masker
}

// hear returns the bank, with its texts masked for these attempts.
func (e *Engine) hear(attempts []ledger.Attempt) Bank {
	return hearing{e.bank, ledger.MaskerOf(attempts)}
}

func (h hearing) Initiate(ctx context.Context, p ledger.Payload) (ledger.Answer, error) {
	a, err := h.Bank.Initiate(ctx, p)
	return h.answer(a), h.failure(err)
}

func (h hearing) Submit(ctx context.Context, p ledger.Payload, otp, token ledger.Secret) (ledger.Answer, error) {
	a, err := h.Bank.Submit(ctx, p, otp, token)
	return h.answer(a), h.failure(err)
}

func (h hearing) ReadStatus(ctx context.Context, id string, expect int, tries ledger.Patience) (ledger.StatusRead, error) {
	read, err := h.Bank.ReadStatus(ctx, id, expect, tries)
	read.Answer, read.Why = h.answer(read.Answer), h.hide.Words(read.Why)
	return read, h.failure(err)
}

func (h hearing) answer(a ledger.Answer) ledger.Answer {
	a.OpenBatchID = h.hide.ID(a.OpenBatchID)
	a.Payouts = slices.Clone(a.Payouts)
	for i := range a.Payouts {
		o := &a.Payouts[i]
		o.Status, o.BankStatusCode, o.Error = h.hide.Words(o.Status), h.hide.Words(o.BankStatusCode), h.hide.Words(o.Error)
		o.OpenTxnID, o.BankTxnRefID = h.hide.ID(o.OpenTxnID), h.hide.ID(o.BankTxnRefID)
	}
	return a
}

// failure masks the words of a failed call and keeps its class.
func (h hearing) failure(err error) error {
	if err == nil {
		return nil
	}
	call, ok := errors.AsType[*ledger.CallError](err)
	if !ok {
		return maskedError{h.hide.Words(err.Error()), err}
	}
	masked := *call
	masked.Code, masked.Message = h.hide.Words(call.Code), h.hide.Words(call.Message)
	if call.Err != nil {
		masked.Err = maskedError{h.hide.Words(call.Err.Error()), call.Err}
	}
	return &masked
}

// maskedError is an error with masked words.
type maskedError struct {
	words string
	is    error
}

func (e maskedError) Error() string        { return e.words }
func (e maskedError) Is(target error) bool { return errors.Is(e.is, target) }

// callFailed returns a failed call with its class. An error that is not a *ledger.CallError is a defect of the
// client and counts as UNKNOWN.
func callFailed(err error) *ledger.CallError {
	if call, ok := errors.AsType[*ledger.CallError](err); ok {
		return call
	}
	return &ledger.CallError{Op: "call", Outcome: ledger.Unknown, Err: err}
}

// ended copies into a step how a call ended, so that the ledger keeps the bank's own words.
func ended(step ledger.Step, call *ledger.CallError) ledger.Step {
	step.Outcome, step.HTTPStatus, step.Code, step.Message = call.Outcome, call.HTTPStatus, call.Code, call.Message
	return step
}
