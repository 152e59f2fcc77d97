package cli

import (
	"cmp"
	"slices"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
)

// outcomeShown is what is said of a batch that was shown and not approved.
const outcomeShown = "shown"

// writeApproved writes payrun.approve/v1, or what happened in words. work is nil
// where nothing was approved.
func (s *session) writeApproved(shown app.Review, work *app.Work) error {
	if !s.term.JSON {
		return s.writeWork("approve", work)
	}
	if len(shown.Batches) == 0 {
		return nil
	}
	var results []app.Result
	if work != nil {
		s.nextIs(work.Next...)
		results = work.Results
	}
	out := struct {
		Batches []doc.ApprovedBatch  `json:"batches"`
		Since   []doc.Since          `json:"since"`           // each of their sheets against the one before
		Sheet   *app.SheetComparison `json:"sheet,omitempty"` // with the approver's own copy
	}{[]doc.ApprovedBatch{}, sinceDocs(shown.Since), shown.Comparison}
	for _, b := range shown.Batches {
		one := doc.ApprovedBatch{
			Outcome:   doc.Outcome{ID: b.ID, State: b.State, Outcome: outcomeShown},
			PlannedBy: b.PlannedBy, Account: cmp.Or(b.Debit.Name, b.BankAccountID), BankAccountID: b.BankAccountID, Sheet: b.SheetName,
			Count: b.Count, Total: b.Total, Corrected: append([]string{}, b.Corrected...), NewPayees: doc.ReviewedPayouts(b.New), Unusual: append([]ledger.Finding{}, b.Unusual...),
			Repeated: [][]doc.ReviewedPayout{}, Largest: doc.ReviewedPayouts(b.Largest),
		}
		for _, same := range b.Repeated {
			one.Repeated = append(one.Repeated, doc.ReviewedPayouts(same))
		}
		if i := slices.IndexFunc(results, func(r app.Result) bool { return r.Batch.ID == b.ID }); i >= 0 {
			one.Outcome = app.Outcomes(results[i : i+1])[0]
		}
		out.Batches = append(out.Batches, one)
	}
	return s.document("payrun.approve/v1", out)
}
