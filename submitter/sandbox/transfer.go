package sandbox

import (
	"encoding/json"
	"net/http"

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

// transferStatus answers "Get transfer status".
func (b *bank) transferStatus(r request) *answer {
	batchID, txnID, ref := r.query.Get("merchant_transfer_batch_id"), r.query.Get("open_txn_id"), r.query.Get("merchant_txn_ref_id")
	if batchID == "" && txnID == "" {
		return r.refuse(http.StatusBadRequest, "merchant_transfer_batch_id or open_txn_id is required")
	}
	t, known := b.batches[batchID]
	if batchID == "" {
		t, known = b.byTxn[txnID]
	}
	if !known || (t.Submits == 0 && b.reading.HidesUnsubmitted) {
		if b.reading.UnknownStatus == http.StatusOK {
			return answered(bankapi.TransferBatch{BatchID: batchID, Payouts: []bankapi.Payout{}}, &bankapi.Pagination{Limit: r.perPage})
		}
		code := b.dice.pick([]string{"FT_014", "FT_015"}, "unknown batch")
		return refuse(b.reading.UnknownStatus, code, "the batch is not known")
	}
	return b.statusPage(r, t, ledger.Where(b.ordered(t, "status"), func(p *Payout) bool {
		return matches(txnID, p.OpenTxnID) && matches(ref, p.WireRef)
	}))
}

// statusPage answers with a page of some payouts of a batch.
func (b *bank) statusPage(r request, t *Batch, payouts []*Payout) *answer {
	return page(b, r, payouts, func(shown []*Payout) any { return b.transferAnswer(t, "status", shown) })
}
