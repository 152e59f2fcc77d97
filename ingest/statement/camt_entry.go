package statement

import (
	"strconv"
	"strings"

	"payrun/ledger"
)

// entry reads a Ntry. It ignores RvslInd: CdtDbtInd says what was booked.
func (c *camtReader) entry(n *node) (e ledger.StatementEntry) {
	e.Amount, e.Debit = c.amount(n)
	e.Transacted, e.Value = c.date(n, "BookgDt"), c.date(n, "ValDt")
	if e.Transacted == "" && e.Value == "" {
		c.refuse(CodeDate, n.line, "an entry has neither BookgDt nor ValDt")
	}
	e.TransactionID = n.value(c, "NtryRef")
	own := []string{n.value(c, "AcctSvcrRef")}
	notes := []string{n.value(c, "AddtlNtryInf")}
	payments, texts := c.payments(n, &e)
	if len(payments) == 1 {
		own, notes = append(own, payments[0].references...), append(payments[0].notes, notes...)
	}
	for _, t := range texts {
		notes = append(append(notes, t.references...), t.notes...)
	}
	e.Reference, e.Remarks = namedBy(own, notes)
	if len(payments) > 1 {
		for _, p := range payments {
			reference, remarks := namedBy(p.references, p.notes)
			e.Details = append(e.Details, ledger.EntryDetail{Amount: p.amount, Reference: reference, Remarks: remarks})
		}
	}
	return e
}

// payment is one TxDtls of an entry.
type payment struct {
	amount     ledger.Paise // 0 if it has none
	references []string     // the bank's own first
	notes      []string
}

// payments reads the TxDtls of an entry. Those that have an amount must add up to the entry's amount. One
// without an amount is not a payment of its own, except that a single one is the entry's; the others give only
// their texts.
func (c *camtReader) payments(n *node, e *ledger.StatementEntry) (all, texts []payment) {
	var sum ledger.Paise
	for _, details := range n.all("NtryDtls") {
		list := details.all("TxDtls")
		if count := details.value(c, "Btch/NbOfTxs"); count != "" && len(list) > 0 && count != strconv.Itoa(len(list)) {
			c.refuse(CodeDetails, details.line, "a batch of %s has details of %d", clip(count), len(list))
		}
		for _, t := range list {
			p := c.payment(t, e.Debit)
			if p.amount == 0 {
				texts = append(texts, p)
				continue
			}
			all, sum = append(all, p), sum.PlusCapped(p.amount)
		}
	}
	switch {
	case len(all) == 0 && len(texts) == 1:
		return texts, nil
	case len(all) > 0 && sum != e.Amount:
		c.refuse(CodeDetails, n.line, "the details of the booking of %s come to %s", e.Amount, sum)
	}
	return all, texts
}

// payment reads one TxDtls. Its amount is its own (.08), or else that of the transaction in AmtDtls (.02).
func (c *camtReader) payment(t *node, isDebit bool) (p payment) {
	amount := t.at(c, "Amt")
	if amount == nil {
		amount = t.at(c, "AmtDtls/TxAmt/Amt")
	}
	if amount == nil {
		amount = t.at(c, "AmtDtls/InstdAmt/Amt")
		if amount != nil && amount.currency != camtRupee {
			amount = nil // a foreign instructed amount is not the booked amount
		}
	}
	if amount != nil {
		p.amount = c.plainAmount(amount, t)
	}
	if side := t.value(c, "CdtDbtInd"); side != "" && (side == "DBIT") != isDebit {
		c.refuse(CodeDetails, t.line, "a detail goes the other way than its booking")
	}
	if refs := t.at(c, "Refs"); refs != nil {
		for _, name := range []string{"AcctSvcrRef", "TxId", "ClrSysRef", "UETR", "InstrId", "EndToEndId", "PmtInfId", "MsgId", "ChqNb"} {
			p.references = append(p.references, refs.value(c, name))
		}
		for _, other := range refs.all("Prtry") {
			p.references = append(p.references, other.value(c, "Ref"))
		}
	}
	if info := t.at(c, "RmtInf"); info != nil {
		for _, u := range info.all("Ustrd") {
			p.notes = append(p.notes, strings.TrimSpace(u.text))
		}
		for _, s := range info.all("Strd") {
			p.notes = append(p.notes, s.value(c, "CdtrRefInf/Ref"))
		}
	}
	p.notes = append(p.notes, t.value(c, "AddtlTxInf"))
	for _, r := range t.all("RtrInf") {
		p.notes = append(p.notes, r.value(c, "Rsn/Cd"))
		for _, more := range r.all("AddtlInf") {
			p.notes = append(p.notes, strings.TrimSpace(more.text))
		}
	}
	return p
}

// namedBy returns the reference and the remarks. The bank's reference comes first; the others go into the
// remarks, where matching looks for them.
func namedBy(references, notes []string) (reference, remarks string) {
	var rest []string
	seen := map[string]bool{"": true, "NOTPROVIDED": true, "NONREF": true}
	for _, r := range references {
		r = strings.TrimSpace(r)
		switch {
		case seen[strings.ToUpper(r)]:
			continue
		case reference == "":
			reference = r
		default:
			rest = append(rest, r)
		}
		seen[strings.ToUpper(r)] = true
	}
	return reference, joined(append(rest, notes...)...)
}
