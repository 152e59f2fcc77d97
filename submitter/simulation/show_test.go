package simulation

import (
	"slices"

	"payrun/ledger"
)

// show renders a batch as an answer shows it, with its twist.
func (b *bank) show(t *heldBatch, op string) (payouts []map[string]any, batchID, account string) {
	batchID, account = t.id, t.account
	for _, p := range t.payouts {
		payouts = append(payouts, b.showPayout(t, p, op))
	}
	if b.nature.shuffles && op != "status" { // pages need a stable order
		b.rng.Shuffle(len(payouts), func(i, j int) { payouts[i], payouts[j] = payouts[j], payouts[i] })
	}
	if b.honest {
		return payouts, batchID, account
	}
	one := b.rng.IntN(len(payouts))
	switch t.twist {
	case showsOtherAmount:
		payouts[0]["amount"] = "1.00"
	case showsOtherAccount:
		account = accounts[1].id
		if account == t.account {
			account = accounts[0].id
		}
	case showsOtherBatch:
		batchID = "another"
	case leavesOneOut:
		if len(payouts) > 1 || b.mayShowNothing() {
			payouts = slices.Delete(payouts, one, one+1)
		}
	case addsOne:
		extra := map[string]any{}
		for k, v := range payouts[one] {
			extra[k] = v
		}
		extra["merchant_txn_ref_id"] = "NOT-OURS"
		payouts = append(payouts, extra)
	case repeatsOne:
		payouts = append(payouts, payouts[one])
	}
	return payouts, batchID, account
}

// mayShowNothing reports whether an answer without payouts says nothing about a batch that the bank has. If
// such an answer means "not known", a bank that gives it for a batch that it carries out cannot be asked at
// all, and nothing is promised (docs/safety.md).
func (b *bank) mayShowNothing() bool { return b.nature.unknownBatch != 200 }

func (b *bank) showPayout(t *heldBatch, p *heldPayout, op string) map[string]any {
	m := map[string]any{
		"merchant_txn_ref_id": p.ref, "open_beneficiary_id": p.beneficiary, "vendor_name": p.name, "amount": p.shown.String(),
		"bank_account_number": p.number, "ifsc": p.ifsc, "remarks": p.remarks, "open_txn_id": p.openTxn, "bank_txn_ref_id": p.utr,
		"status": p.status, "bank_status_code": p.code, "error": nil,
	}
	if t.lags(b) {
		m["status"], m["bank_status_code"], m["bank_txn_ref_id"] = ledger.StatusRequestInitiated, "", ""
	}
	if b.honest {
		return m
	}
	switch t.twist {
	case heldAsUnlisted:
		if op == "status" {
			m["status"] = t.shows(p)
		}
	case hidesAmounts:
		delete(m, "amount")
	case hidesAmountsAtFirst:
		if op != "status" {
			m["amount"] = nil
		}
	case numbersForAmounts:
		m["amount"] = int64(p.shown) / 100
	case masksAccounts:
		m["bank_account_number"] = ledger.Mask(p.number)
	case leavesOutPayees:
		m["vendor_name"], m["bank_account_number"], m["ifsc"] = "", "", ""
	}
	return m
}

// shows returns the status that is shown for a payout.
func (t *heldBatch) shows(p *heldPayout) string {
	if t.twist == heldAsUnlisted && len(t.takenBy) == 0 {
		return "AWAITING_CHECKER"
	}
	return p.status
}

// remember records what the bank has shown. Nothing else may be in the ledger.
func (b *bank) remember(t *heldBatch, payouts []map[string]any) {
	b.everShown[t.id] = true
	for _, p := range payouts {
		key := attemptName{t.id, p["merchant_txn_ref_id"].(string)}
		if b.said[key] == nil {
			b.said[key] = map[string]int{}
		}
		status, code := p["status"].(string), p["bank_status_code"].(string)
		b.said[key][status]++
		if status == ledger.StatusFailed {
			when := b.saidFailed[key]
			if when.last = b.now(); when.first.IsZero() {
				when.first = when.last
			}
			b.saidFailed[key] = when
		}
		b.said[key]["code "+code]++
	}
}
