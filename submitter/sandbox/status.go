package sandbox

import (
	"net/http"

	"payrun/submitter/bankapi"
)

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
	var all []*Payout
	for _, p := range b.ordered(t, "status") {
		if matches(txnID, p.OpenTxnID) && matches(ref, p.WireRef) {
			all = append(all, p)
		}
	}
	return b.statusPage(r, t, all)
}

// statusPage answers with a page of some payouts of a batch.
func (b *bank) statusPage(r request, t *Batch, payouts []*Payout) *answer {
	return page(b, r, payouts, func(shown []*Payout) any { return b.transferAnswer(t, "status", shown) })
}
