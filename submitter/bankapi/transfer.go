package bankapi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"payrun/ledger"
)

// EncodeInitiate returns the body of Initiate transfer; see RequestFields.EncodeInitiate.
func (c *Client) EncodeInitiate(b ledger.Batch, attempts []ledger.Attempt) (ledger.Payload, error) {
	return c.set.RequestFields.EncodeInitiate(b, attempts)
}

// EncodeInitiate returns the body of Initiate transfer. It refuses a batch that breaks the interface's rules or
// differs from its plan, so that nothing is hashed, recorded and sent that could not be paid as written. It
// needs no keys, so that a person without keys can approve what will be sent.
func (f RequestFields) EncodeInitiate(b ledger.Batch, attempts []ledger.Attempt) (ledger.Payload, error) {
	body, err := f.initiateBody(b, attempts)
	return seal(b.ID, body, err)
}

func (f RequestFields) initiateBody(b ledger.Batch, attempts []ledger.Attempt) ([]byte, error) {
	names, err := f.checked()
	if err := cmp.Or(err, checkBatch(b, attempts)); err != nil {
		return nil, err
	}
	var payouts []json.RawMessage
	for _, a := range attempts {
		payout, err := names.payout(b, a)
		if err != nil {
			return nil, err
		}
		payouts = append(payouts, payout)
	}
	return written(field{"merchant_transfer_batch_id", b.ID}, field{"transaction_type_id", b.TransactionTypeID},
		field{names.DebitAccount, b.BankAccountID}, field{"payout_data", payouts})
}

// payout returns one element of payout_data. It names the beneficiary by id, or by name, account and IFSC.
func (f RequestFields) payout(b ledger.Batch, a ledger.Attempt) (json.RawMessage, error) {
	to := []field{{"vendor_name", a.VendorName}, {"bank_account_number", a.BankAccountNumber}, {"ifsc", a.IFSC}}
	if b.Rules().NeedsBeneficiaryID {
		to = []field{{"open_beneficiary_id", a.OpenBeneficiaryID}}
	}
	return written(ifAny(slices.Concat([]field{{"merchant_txn_ref_id", a.WireRef}}, to, []field{{f.Amount, a.Amount.String()}, {"remarks", a.Remarks}})...)...)
}

// Initiate sends a body of EncodeInitiate, once. A nil error means ACCEPTED: the answer is valid, and still has
// to be compared with the plan. Every error is a *ledger.CallError.
func (c *Client) Initiate(ctx context.Context, p ledger.Payload) (ledger.Answer, error) {
	if err := checkSeal(p); err != nil {
		return ledger.Answer{}, notSent(opInitiate, err)
	}
	batch, err := post[TransferBatch](ctx, c, opInitiate, c.set.BaseURL+PathTransferInitiate, p.Body, p.MaySend)
	return answer(batch), err
}

// EncodeSubmit returns the body of Submit transfer without OTP and token.
func (c *Client) EncodeSubmit(batchID, beneLEI string) (ledger.Payload, error) {
	if batchID == "" {
		return ledger.Payload{}, errors.New("a submit needs a batch id")
	}
	body, err := SubmitRequest{BatchID: batchID, BeneLEI: beneLEI}.Encode()
	return seal(batchID, body, err)
}

// Encode writes the body. The same request gives the same bytes.
func (r SubmitRequest) Encode() ([]byte, error) {
	return written(ifAny(field{"merchant_transfer_batch_id", r.BatchID}, field{"otp", r.OTP},
		field{"transaction_token", r.TransactionToken}, field{"bene_lei", r.BeneLEI})...)
}

// Submit adds OTP and token to a body of EncodeSubmit and sends it, once. It leaves out an empty token. A nil
// error means ACCEPTED. Every error is a *ledger.CallError and repeats neither OTP nor token.
func (c *Client) Submit(ctx context.Context, p ledger.Payload, otp, token ledger.Secret) (ledger.Answer, error) {
	if err := checkSeal(p); err != nil {
		return ledger.Answer{}, notSent(opSubmit, err)
	}
	var r SubmitRequest
	if err := Decode(p.Body, &r); err != nil {
		return ledger.Answer{}, notSent(opSubmit, fmt.Errorf("payload: %w", err))
	}
	if otp.Empty() {
		return ledger.Answer{}, notSent(opSubmit, errors.New("the OTP is missing")) // always required
	}
	r.OTP, r.TransactionToken = otp.Reveal(), token.Reveal()
	body, err := r.Encode()
	if err != nil {
		return ledger.Answer{}, notSent(opSubmit, err)
	}
	batch, err := post[TransferBatch](ctx, c, opSubmit, c.set.BaseURL+PathTransferSubmit, body, p.MaySend, otp, token)
	return answer(batch), err
}

// checkBatch checks a batch against the rules of Initiate transfer and against its own count and total.
func checkBatch(b ledger.Batch, attempts []ledger.Attempt) error {
	switch {
	case b.ID == "" || b.TransactionTypeID == "" || b.BankAccountID == "":
		return errors.New("batch id, transaction type and debit account are required")
	case len(attempts) == 0 || len(attempts) != b.Count:
		return fmt.Errorf("%d payouts where %d were planned", len(attempts), b.Count)
	case len(attempts) > 1 && !b.Rules().Bulk:
		return fmt.Errorf("%d payouts, and partner bank %d takes one a batch", len(attempts), b.PartnerBankID)
	}
	var total ledger.Paise
	refs := make(map[string]bool, len(attempts))
	for _, a := range attempts {
		if err := checkAttempt(b, a); err != nil {
			return fmt.Errorf("payout %q: %w", a.WireRef, err)
		}
		if refs[a.WireRef] {
			return fmt.Errorf("payout %q is listed twice", a.WireRef)
		}
		refs[a.WireRef] = true
		sum, fits := total.Plus(a.Amount)
		if !fits {
			return errors.New("the total is out of range")
		}
		total = sum
	}
	if total != b.Total {
		return fmt.Errorf("payouts of %s where %s were planned", total, b.Total)
	}
	return nil
}

func checkAttempt(b ledger.Batch, a ledger.Attempt) error {
	lacks := b.Rules().Lacks(&a.Payout)
	switch {
	case a.WireRef == "":
		return errors.New("it has no reference")
	case a.Amount <= 0:
		return fmt.Errorf("its amount is %s", a.Amount)
	case a.BankAccountID != b.BankAccountID:
		return errors.New("its debit account is not its batch's")
	case lacks != "":
		return fmt.Errorf("it has no %s, which its debit account needs", lacks)
	}
	return nil
}

func seal(batchID string, body []byte, err error) (ledger.Payload, error) {
	if err != nil {
		return ledger.Payload{}, fmt.Errorf("batch %s: %w", batchID, err)
	}
	return ledger.Payload{Body: body, SHA256: hash(body)}, nil
}

// checkSeal returns an error if the payload is not the one that its intent recorded.
func checkSeal(p ledger.Payload) error {
	if p.SHA256 != hash(p.Body) {
		return errors.New("the payload is not the one that was hashed")
	}
	return nil
}

func hash(body []byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(body))
}
