package cli

import (
	"iter"
	"slices"

	"payrun/ledger"
)

// sheetInfo is the "sheet" of payrun.check/v1 and payrun.load/v1.
type sheetInfo struct {
	Name          string       `json:"name"`
	SHA256        string       `json:"sha256"`
	Format        string       `json:"format"`
	Rows          int          `json:"rows"`
	Total         ledger.Paise `json:"total"`
	ID            string       `json:"id"`
	AlreadyLoaded bool         `json:"already_loaded"`
}

// plannedInfo is one of their "batches".
type plannedInfo struct {
	ID            string       `json:"id"`
	BankAccountID string       `json:"bank_account_id"`
	PartnerBankID int          `json:"partner_bank_id"`
	Count         int          `json:"count"`
	Total         ledger.Paise `json:"total"`
	NeedsToken    bool         `json:"needs_token"`
	NeedsLEI      bool         `json:"needs_lei"`
	BeneLEI       string       `json:"bene_lei"`
	Reason        string       `json:"reason"`
}

// planned gives the batches as they are, or would be, in the ledger: an id
// derives from the ledger, the sheet and the place in the plan.
func (d *desk) planned(in intake) iter.Seq[plannedInfo] {
	return func(yield func(plannedInfo) bool) {
		for i, b := range in.plan.Batches {
			rules := ledger.RulesFor(b.PartnerBankID, b.Kind)
			info := plannedInfo{
				ID:            ledger.BatchID(d.store.LedgerID(), in.Sheet.SHA256, b.BankAccountID, i+1, 1),
				BankAccountID: b.BankAccountID, PartnerBankID: b.PartnerBankID,
				Count: len(b.Members), Total: b.Total,
				NeedsToken: rules.NeedsToken, NeedsLEI: rules.NeedsLEI(b.Total), BeneLEI: b.BeneLEI, Reason: b.Reason,
			}
			if !yield(info) {
				return
			}
		}
	}
}

// sheetDocument writes payrun.check/v1 or payrun.load/v1, as one line.
func (d *desk) sheetDocument(schema string, in intake) error {
	doc := newLongDocument(d.out)
	d.sheetFields(doc, schema, in)
	return doc.end()
}

func (d *desk) sheetFields(doc *longDocument, schema string, in intake) {
	s := in.Sheet
	doc.field("schema", schema)
	doc.field("sheet", sheetInfo{s.Name, s.SHA256, s.Format, s.Rows, s.Total, s.ID, in.AlreadyLoaded})
	doc.field("accepted", s.Accepted)
	doc.field("rejected", s.Rejected)
	list(doc, "findings", slices.Values(in.Findings))
	list(doc, "batches", d.planned(in))
	doc.field("otps", len(in.plan.Batches))
	if in.rejected != "" {
		doc.field("rejected_sheet", in.rejected)
	}
	if in.Banks != nil {
		list(doc, "banks", slices.Values(in.Banks))
	}
}
