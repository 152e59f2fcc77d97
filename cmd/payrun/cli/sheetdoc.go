package cli

import (
	"iter"
	"slices"

	"payrun/cmd/payrun/doc"
	"payrun/ledger"
)

// planned gives the batches as they are, or would be, in the ledger: an id
// derives from the ledger, the sheet and the place in the plan.
func (d *desk) planned(in intake) iter.Seq[doc.PlannedBatch] {
	return func(yield func(doc.PlannedBatch) bool) {
		for i, b := range in.plan.Batches {
			rules := ledger.RulesFor(b.PartnerBankID, b.Kind)
			info := doc.PlannedBatch{
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
	out := doc.NewStream(d.term.Out)
	d.sheetFields(out, schema, in)
	return out.End()
}

func (d *desk) sheetFields(out *doc.Stream, schema string, in intake) {
	s := in.Sheet
	out.Field("schema", schema)
	out.Field("sheet", doc.Sheet{
		Name: s.Name, SHA256: s.SHA256, Format: s.Format, Rows: s.Rows, Total: s.Total, ID: s.ID, AlreadyLoaded: in.AlreadyLoaded,
	})
	out.Field("accepted", s.Accepted)
	out.Field("rejected", s.Rejected)
	doc.List(out, "findings", slices.Values(in.Findings))
	doc.List(out, "batches", d.planned(in))
	out.Field("otps", len(in.plan.Batches))
	if in.rejected != "" {
		out.Field("rejected_sheet", in.rejected)
	}
	if in.Banks != nil {
		doc.List(out, "banks", slices.Values(in.Banks))
	}
}
