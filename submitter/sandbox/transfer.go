package sandbox

import (
	"encoding/json"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// transferAnswer returns the data of a transfer answer (interface.md, "Payout batch"). answer is "initiate",
// "submit" or "status".
func (b *bank) transferAnswer(t *Batch, answer string, payouts []*Payout) bankapi.TransferBatch {
	a := b.account(t.BankAccountID)
	data := bankapi.TransferBatch{
		SubMerchantID: a.SubMerchantID,
		BankAccountID: a.BankAccountID,
		BatchID:       t.BatchID,
		Payouts:       make([]bankapi.Payout, 0, len(payouts)),
	}
	if b.reading.AnswersAs != "" {
		data.SubMerchantID = b.reading.AnswersAs
	}
	if answer == "initiate" && b.reading.OpenBatchID {
		data.OpenBatchID = t.OpenBatchID
	}
	if answer == "submit" || answer == "initiate" && b.reading.DebitOnInitiate {
		data.DebitAccountNumber, data.DebitAccountHolderName, data.DebitIFSC = a.AccountNumber, a.AccountName, a.IFSC
		if b.reading.MasksDebit {
			data.DebitAccountNumber = ledger.Mask(a.AccountNumber)
		}
	}
	for _, p := range payouts {
		data.Payouts = append(data.Payouts, b.payoutAnswer(p, answer))
	}
	return data
}

// payoutAnswer returns one payout. It has its reference, amount, status and open_txn_id; the interface lets the
// rest be empty.
func (b *bank) payoutAnswer(p *Payout, answer string) bankapi.Payout {
	out := p.Payout
	out.Amount = p.Amount.String()
	if b.reading.NumericAmounts {
		out.Amount = json.Number(p.Amount.String())
	}
	if answer == "initiate" && b.reading.HidesAmount {
		out.Amount = nil
	}
	details, n := b.reading.Details, b.beneficiary(p.OpenBeneficiaryID)
	switch {
	case details != "as_sent" && (details != "some" || !b.dice.flip("details", answer, p.WireRef)):
		out.VendorName, out.BankAccountNumber, out.IFSC, out.Remarks = "", "", "", ""
	case n != nil && b.reading.NamesBeneficiary:
		out.VendorName, out.BankAccountNumber, out.IFSC = n.VendorName, n.BankAccountNumber, n.IFSC
	}
	if p.Status == ledger.StatusFailed && b.reading.FailedError {
		out.Error = map[string]string{"code": p.BankStatusCode, "message": "the bank could not pay"}
	}
	return out
}
