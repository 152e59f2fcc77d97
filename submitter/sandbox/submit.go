package sandbox

import (
	"crypto/subtle"
	"errors"
	"net/http"
	"regexp"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// submitTransfer answers "Submit transfer". After it money may move.
func (b *bank) submitTransfer(r request) *answer {
	var in bankapi.SubmitRequest
	if err := read(r.body, &in, map[string]*string{"merchant_transfer_batch_id": &in.BatchID, "otp": &in.OTP}); err != nil {
		return r.refuse(http.StatusBadRequest, "%s", err)
	}
	t, known := b.batches[in.BatchID]
	if !known {
		status := http.StatusBadRequest
		if b.reading.UnknownStatus == http.StatusNotFound {
			status = http.StatusNotFound
		}
		return r.refuse(status, "the batch is not known")
	}
	a := b.account(t.BankAccountID)
	if t.Submits > 0 && !b.reading.RepeatsSubmit {
		return r.refuse(http.StatusBadRequest, "the batch was submitted already")
	}
	if a.rules().NeedsToken && in.TransactionToken == "" {
		return refuse(http.StatusBadRequest, "FT_011", "transaction_token is required for partner bank %d", a.PartnerBankID)
	}
	if a.rules().NeedsLEI(t.Total) && !leiForm.MatchString(in.BeneLEI) {
		return refuse(http.StatusBadRequest, "FT_012", "bene_lei of 20 characters is required for a batch of %s", t.Total)
	}
	if err := b.checkOTP(t, in); err != nil {
		return r.refuse(b.reading.WrongOTPStatus, "%s", err)
	}
	if a.available() < t.Total {
		return r.refuse(http.StatusBadRequest, "the balance does not cover %s", t.Total)
	}
	b.take(t, a, in)
	return answered(b.transferAnswer(t, "submit", b.ordered(t, "submit")), nil)
}

// leiForm ignores check digits: the interface does not mention them.
var leiForm = regexp.MustCompile(`^[0-9A-Za-z]{20}$`)

// checkOTP requires the OTP, and the token if there is one, that were sent for exactly this batch.
func (b *bank) checkOTP(t *Batch, in bankapi.SubmitRequest) error {
	if most := b.reading.OTPTries; most > 0 && t.WrongOTPs >= most {
		return errors.New("the OTP is void after too many tries")
	}
	if subtle.ConstantTimeCompare([]byte(in.OTP), []byte(t.OTP)) == 1 && (t.Token == "" || in.TransactionToken == t.Token) {
		return nil
	}
	t.WrongOTPs++
	return errors.New("the OTP or the transaction_token is wrong")
}

// take accepts the batch: each payout gets one more execution.
func (b *bank) take(t *Batch, a *Account, in bankapi.SubmitRequest) {
	t.Submits++
	t.BeneLEI = in.BeneLEI
	a.Reserved += t.Total
	for _, p := range t.Payouts {
		p.Due++
		switch p.Status {
		case ledger.StatusRequestInitiated:
			b.begin(a, p)
		case ledger.StatusSuccess:
			b.execute(a, p)
		case ledger.StatusFailed:
			b.release(a, p)
		}
	}
}

// begin starts a payout: most go to pending or initiated, a few succeed at once.
func (b *bank) begin(a *Account, p *Payout) {
	if b.dice.roll(20, "at once", p.WireRef) == 0 && endsWell(b.Outcomes[p.WireRef]) {
		b.succeed(a, p)
		return
	}
	p.Status, p.BankStatusCode = ledger.StatusPending, codeInitiated
	if b.dice.flip("initiated", p.WireRef) {
		p.Status, p.BankStatusCode = ledger.StatusInitiated, codeInProcess
	}
	if b.reading.EarlyUTR {
		p.BankTxnRefID = b.utr(p)
	}
}
