package app

import (
	"cmp"
	"context"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"payrun/ledger"
	"payrun/validate"
)

// Review is what an approver sees.
type Review struct {
	By         string // the person who looks, by their name in the ledger
	Batches    []ReviewedBatch
	Bound      []ledger.Bound   // what binds an approval of each
	Total      ledger.Tally     // of all payouts
	Since      []SinceLast      // each of their sheets, compared with the one before
	Comparison *SheetComparison // with the approver's own copy; nil if there is none
}

// ReviewedBatch is a batch to approve, with what fraud would change in it: where the money goes, and
// how much it is.
type ReviewedBatch struct {
	ledger.Batch
	PlannedBy string
	Debit     ledger.DebitAccount // by today's configuration; only the id if it is not configured
	SheetName string

	// Corrected says what a later sheet changed in its payouts (was → is), from the audit
	// trail; account numbers are masked.
	Corrected []string

	New      []ledger.Payout   // to accounts that this ledger never paid
	Unusual  []ledger.Finding  // an account the payee never had, paid a short time ago, far above what is usual
	Repeated [][]ledger.Payout // the same amount to the same account, within the batch
	Largest  []ledger.Payout   // the few largest, largest first
}

// largestShown is how many of a batch's payouts are shown as its largest.
const largestShown = 5

func (o *operation) review(ctx context.Context, batches []string, copy string) (r Review, err error) {
	chosen, err := o.forApproval(ctx, batches)
	if err != nil {
		return r, err
	}
	sheets, err := o.store.Sheets(ctx)
	if err != nil {
		return r, err
	}
	known := map[string]ledger.Payees{} // by sheet, which they leave out: preparing one reads the payouts of later sheets
	for _, b := range chosen {
		if known[b.SheetID] == nil {
			known[b.SheetID] = o.store.PayeesWithout(validate.FoldName, b.ID)
		}
		one, err := o.reviewBatch(ctx, b, known[b.SheetID])
		if err != nil {
			return r, err
		}
		one.SheetName = nameOf(b.SheetID, sheets)
		r.Batches = append(r.Batches, one)
		r.Total = r.Total.Plus(ledger.Tally{Count: b.Count, Total: b.Total})
		bound, err := o.bound(ctx, b.ID)
		if err != nil {
			return r, err
		}
		r.Bound = append(r.Bound, bound)
	}
	if r.Since, err = o.sinceLast(ctx, chosen); err != nil {
		return r, err
	}
	if copy == "" {
		return r, nil
	}
	c, err := o.compare(ctx, copy, chosen)
	if err != nil {
		return r, err
	}
	r.Comparison = &c
	return r, c.refusal()
}

// reviewBatch compares the payouts of a batch with what other sheets pay (known), by the rules of check.
func (o *operation) reviewBatch(ctx context.Context, b ledger.Batch, known ledger.Payees) (r ReviewedBatch, err error) {
	approval, err := o.store.ApprovalStatus(ctx, b.ID)
	if err != nil {
		return r, err
	}
	r = ReviewedBatch{Batch: b, Debit: o.debit(b.BankAccountID), PlannedBy: approval.PlannedBy}
	if r.Corrected, err = o.corrected(ctx, b.ID); err != nil {
		return r, err
	}
	payouts, err := o.payoutsOf(ctx, b.ID)
	if err != nil {
		return r, err
	}
	never, err := validate.NeverPaid(ctx, known, payouts)
	if err != nil {
		return r, err
	}
	r.New = ledger.ListOf(never, func(i int) ledger.Payout { return payouts[i] })
	if r.Unusual, err = o.unusual(ctx, known, payouts); err != nil {
		return r, err
	}
	r.Repeated = validate.Repeated(payouts)
	r.Largest = largestOf(payouts)
	return r, nil
}

// largestOf sorts payouts by amount, and returns the few largest.
func largestOf(payouts []ledger.Payout) []ledger.Payout {
	slices.SortStableFunc(payouts, func(a, b ledger.Payout) int { return cmp.Compare(b.Amount, a.Amount) })
	return slices.Clone(payouts[:min(largestShown, len(payouts))])
}

// corrected says what a later sheet changed in a batch's payouts. A row that came back as it was changes nothing.
func (o *operation) corrected(ctx context.Context, batchID string) ([]string, error) {
	events, err := o.eventsOf(ctx, batchID)
	return correctedIn(events), err
}

func correctedIn(events []ledger.Event) []string {
	corrections := ledger.Where(events, func(e ledger.Event) bool { return e.Corrects() })
	return ledger.ListOf(corrections, func(e ledger.Event) string { return e.Words() })
}

func (o *operation) payoutsOf(ctx context.Context, batchID string) ([]ledger.Payout, error) {
	attempts, err := o.store.Attempts(ctx, batchID)
	return ledger.ListOf(attempts, func(a ledger.Attempt) ledger.Payout { return a.Payout }), err
}

// SheetComparison compares an approver's own copy of a sheet, row by row, with what is planned.
type SheetComparison struct {
	Name        string       `json:"name"`      // name of the copy
	Compared    ledger.Tally `json:"compared"`  // payouts to be approved that the copy has
	Elsewhere   ledger.Tally `json:"elsewhere"` // rows of the copy that are in other batches, or were loaded before
	Differences []Difference `json:"differences"`
}

// Difference is one cell in which the copy differs from what is planned. Account numbers are masked.
type Difference struct {
	Row     int    `json:"row"`     // in the copy; 0 if it has no such row
	Ref     string `json:"ref"`     // as in the ledger
	Column  string `json:"column"`  // "" for the whole row
	Planned string `json:"planned"` // "" if nothing is planned there
	Copy    string `json:"copy"`    // "" if the copy has nothing there
	Why     string `json:"message"`
}

// refusal returns an error if the copy differs, else nil.
func (c SheetComparison) refusal() error {
	if len(c.Differences) == 0 {
		return nil
	}
	return Fail(Mismatch, "%s and what is planned differ in %s; nothing was approved", c.Name, ledger.Counted(len(c.Differences), "place", "places")).
		Then(Say("find out first who changed what; cancel a wrong batch with payrun abandon"))
}

// compare reads the approver's copy in the way the sheet was read when it was loaded,
// and compares every payout of the batches with its row. Rows of the copy that are not in
// these batches must at least be in the ledger, from the same sheet.
func (o *operation) compare(ctx context.Context, path string, batches []ledger.Batch) (c SheetComparison, err error) {
	if err := given(path); err != nil {
		return c, err
	}
	sheet, err := o.sheetOf(ctx, batches)
	if err != nil {
		return c, err
	}
	c.Name, c.Differences = path, []Difference{}
	planned, err := o.plannedRows(ctx, batches)
	if err != nil {
		return c, err
	}
	reading, err := o.store.SheetContents(ctx, sheet.ID, io.Discard)
	if err != nil {
		return c, err
	}
	options := o.asLoaded(sheet, reading)
	options.RefPrefix, options.RecentSince, options.NumericAccounts = sheet.RefPrefix, o.env.Now(), true
	others := map[string]ledger.Payout{} // rows of the copy that are not in these batches, by key
	result, err := validate.Check(ctx, path, options, nil, func(rows []validate.Accepted) error {
		for _, row := range rows {
			p, ok := planned[row.Key]
			if !ok {
				others[row.Key] = row.Payout
				continue
			}
			delete(planned, row.Key)
			c.Compared.Add(p.Amount)
			c.Differences = append(c.Differences, differences(p, row.Payout)...)
		}
		return nil
	})
	if err != nil {
		return c, badOption(filepath.Base(path), err)
	}
	uses, err := o.store.UsedReferences(ctx, slices.Collect(maps.Keys(others)))
	if err != nil {
		return c, err
	}
	for key, row := range others {
		if use, ok := uses[key]; ok && use.SheetID == sheet.ID {
			c.Elsewhere.Add(row.Amount)
			continue
		}
		c.Differences = append(c.Differences, Difference{Row: row.Row, Ref: row.Ref, Copy: row.Amount.String(), Why: "in the copy, and not loaded with the sheet"})
	}
	for _, f := range result.Findings {
		if f.Severity == ledger.SeverityError {
			c.Differences = append(c.Differences, Difference{Row: f.Row, Ref: f.Ref, Column: f.Column, Copy: f.Value, Why: "cannot be read: " + f.Message})
		}
	}
	for _, p := range planned {
		c.Differences = append(c.Differences, Difference{Ref: p.Ref, Planned: p.Amount.String(), Why: "planned, and not in the copy"})
	}
	slices.SortStableFunc(c.Differences, func(a, b Difference) int { return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Ref, b.Ref)) })
	return c, nil
}

// sheetOf returns the one sheet of the batches.
func (o *operation) sheetOf(ctx context.Context, batches []ledger.Batch) (ledger.Sheet, error) {
	for _, b := range batches {
		if b.SheetID != batches[0].SheetID {
			return ledger.Sheet{}, Fail(Usage, "a copy can be compared only with the batches of one sheet, and these are from several; nothing was approved")
		}
	}
	return o.sheet(ctx, batches[0].SheetID)
}

// plannedRows returns the payouts of the batches by the key of their reference.
func (o *operation) plannedRows(ctx context.Context, batches []ledger.Batch) (map[string]ledger.Payout, error) {
	planned := map[string]ledger.Payout{}
	for _, b := range batches {
		payouts, err := o.payoutsOf(ctx, b.ID)
		if err != nil {
			return nil, err
		}
		for _, p := range payouts {
			planned[validate.RefKey(p.Ref)] = p
		}
	}
	return planned, nil
}

// differences returns the cells in which a row of the copy differs from the payout.
func differences(planned, own ledger.Payout) []Difference {
	changes := ledger.ChangesOf(&planned, &own)
	if planned.Ref != own.Ref {
		changes = slices.Insert(changes, 0, ledger.FieldChange{Column: "merchant_txn_ref_id", Was: planned.Ref, Is: own.Ref})
	}
	return ledger.ListOf(changes, func(c ledger.FieldChange) Difference {
		return Difference{Row: own.Row, Ref: planned.Ref, Column: c.Column, Planned: c.Was, Copy: c.Is, Why: "differs"}
	})
}
