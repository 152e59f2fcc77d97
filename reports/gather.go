package reports

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"payrun/ledger"
	"payrun/reports/folder"
	"payrun/reports/xlsx"
)

// gathered is the result of the one pass over the payouts: totals, and drafts for the files that are completed
// afterwards.
type gathered struct {
	*totals
	payouts    *csvFile
	attempts   *csvFile
	exceptions *csvFile
	jsonLines  *folder.Draft // the exceptions of reconciliation.json, in their JSON

	payoutsTab, attemptsTab, attentionTab *table

	unlike  map[ledger.AttemptKey]exceptionLine // attempts that the statements contradict, with their line
	lines   int                                 // number of exceptions
	covered map[string]bool                     // batches whose attention an exception of a payout names

	row  attemptRow  // the last one
	line []xlsx.Cell // its cells, made once for all files; then those of its exception
	err  error       // the first error; nothing more is read after it

	first, before ledger.Payout // what the first attempt of the current payout sent, and the one before
}

// read reads every attempt once, writes what it can at once, and holds no attempts. It gives the result of each
// payout.
func (g *gathered) read(ctx context.Context, s *Snapshot, give func(Result) error) error {
	err := s.eachAttempt(ctx, func(a ledger.Attempt, latest bool) error {
		result := g.attempt(s, &a, latest)
		if g.err != nil || !latest {
			return g.err
		}
		return give(result)
	})
	if err != nil {
		return fmt.Errorf("payouts: %w", err)
	}
	for _, b := range s.batches {
		if b.Asks() == b.Attention && b.Attention != ledger.NeedsNothing && !g.covered[b.ID] {
			g.batch(s, b)
		}
	}
	g.unlikeStatements(s)
	for _, h := range s.sheets {
		if h.Rejected.Count > 0 {
			came, err := s.cameLater(ctx, h)
			g.keep(err)
			g.leftOut(h, came)
			g.totals.came += min(came, h.Rejected.Count)
		}
	}
	return errors.Join(g.err, g.payouts.Finish(PayoutsFile), g.attempts.Finish(attemptsFile), g.exceptions.Finish(exceptionsFile))
}

// keep keeps the first error.
func (g *gathered) keep(err error) { g.err = cmp.Or(g.err, err) }

func newGathered(s *Snapshot, dir *folder.Folder) (*gathered, error) {
	g := &gathered{totals: newTotals(s.batches), covered: map[string]bool{}, unlike: map[ledger.AttemptKey]exceptionLine{}}
	if r := s.Statements; r != nil {
		for _, e := range r.Exceptions {
			g.unlike[e.Of] = exceptionLine{}
		}
	}
	var err [4]error
	g.payouts, err[0] = newCSV(dir, attemptColumns)
	g.attempts, err[1] = newCSV(dir, attemptColumns)
	g.exceptions, err[2] = newCSV(dir, exceptionColumns)
	g.jsonLines, err[3] = dir.Unnamed()
	g.payoutsTab, g.attemptsTab, g.attentionTab = payoutsTab(dir), attemptsTab(dir), attentionTab(dir)
	return g, errors.Join(err[:]...)
}

// attempt writes the line of an attempt. The latest attempt also gives the payout's line and its result.
func (g *gathered) attempt(s *Snapshot, attempt *ledger.Attempt, latest bool) (result Result) {
	row, a := &g.row, &g.row.Attempt
	if attempt.UpdatedAt != a.UpdatedAt { // the payouts of a batch mostly have one time
		row.at = s.instantOf(attempt.UpdatedAt)
	}
	var since string
	if *a, row.corrected = *attempt, ""; a.ID != g.first.ID {
		g.first = a.Payout
	} else {
		row.corrected, since = corrected(&a.Payout, &g.before), corrected(&a.Payout, &g.first)
	}
	g.before = a.Payout
	a.BankAccountNumber = ledger.Mask(a.BankAccountNumber)
	cleanAttempt(a)
	g.shown(s, a)
	row.batch, row.sheet, row.debitAccount = s.batch(a.BatchID), s.sheetNames[a.SheetID], s.account(a.BankAccountID)
	row.matchedBy = g.matchedBy(s, a)
	g.line = cellsOf(attemptColumns, row, g.line[:0])
	g.keep(g.attempts.add(g.line))
	g.attemptsTab.add(g.line)
	if !latest {
		g.superseded.Add(a.Amount)
		return result
	}
	if since != "" {
		g.totals.changed.Add(a.Amount - g.first.Amount)
	}
	sheet := g.first.SheetID
	g.totals.sheets[sheet] = g.totals.sheets[sheet].Plus(ledger.Tally{Count: 1, Total: g.first.Amount}) // as the sheet had it
	if since == row.corrected {
		g.keep(g.payouts.repeat(g.attempts.CSV))
	} else {
		row.corrected = since
		g.line = cellsOf(attemptColumns, row, g.line[:0])
		g.keep(g.payouts.add(g.line))
	}
	g.payoutsTab.add(g.line)
	result = s.result(a, row.batch)
	g.payout(row, &result)
	return result
}

// corrected says what was and is, if an attempt sends something else than another did.
func corrected(is, was *ledger.Payout) string {
	if *is == *was {
		return ""
	}
	return Clean(ledger.ChangeWords(ledger.ChangesOf(was, is)))
}

func (g *gathered) payout(row *attemptRow, result *Result) {
	a, b := &row.Attempt, row.batch
	g.totals.payout(a, b, result.kind)
	if result.kind == ledger.NeedsNothing {
		return
	}
	if result.kind == b.Attention {
		g.covered[b.ID] = true
	}
	g.exception(exceptionLine{
		Kind: result.kind, Ref: a.Ref, Row: a.Row, Sheet: row.sheet, SheetID: a.SheetID, BatchID: a.BatchID,
		Amount: a.Amount, State: string(a.State), VendorName: a.VendorName,
		Reason: result.Reason, Fix: result.Fix, bank: b.PartnerBankID, bucket: bucketOf(a.State, b.State), count: 1,
	})
}

// batch adds an exception for a batch that needs something which none of its payouts shows: all of them were
// paid, but the bank's answer was unexpected.
func (g *gathered) batch(s *Snapshot, b ledger.Batch) {
	kind := b.Asks()
	g.exception(exceptionLine{
		Kind: kind, Sheet: s.sheetNames[b.SheetID], SheetID: b.SheetID, BatchID: b.ID, Amount: b.Total, State: string(b.State),
		Reason: reasonOf(kind, "", &b), Fix: fixOf(kind, subject{batch: b.ID}, everyStep), bank: b.PartnerBankID, bucket: bucketOf("", b.State), count: 1,
	})
}

// cameLater counts the rows that were left out of a sheet and loaded with a later one.
func (s *Snapshot) cameLater(ctx context.Context, h ledger.Sheet) (came int, err error) {
	err = s.ledger.Elsewhere(ctx, h.ID, func(int, ledger.Attempt) error {
		came++
		return nil
	})
	return max(0, came-h.Corrected.Count), err // not counting the rows that correct payouts of earlier sheets
}

// leftOut adds an exception for the rows of a sheet that were not loaded. Rows that a later sheet loaded are
// listed there.
func (g *gathered) leftOut(h ledger.Sheet, came int) {
	left := ledger.Tally{Count: max(0, h.Rejected.Count-came), Total: h.Rejected.Total}
	if left.Count == 0 {
		return
	}
	reason := ledger.Counted(h.Rejected.Count, "row", "rows") + " with errors when the sheet was loaded; nothing is paid for what is left out"
	if came > 0 { // perhaps with other amounts, so the total of the rest is not known
		reason = fmt.Sprintf("of %s left out, %s came with a later sheet; nothing is paid for the rest. The amount is that of all that were left out",
			ledger.Counted(h.Rejected.Count, "row", "rows"), ledger.Grouped(came))
	}
	g.exception(exceptionLine{
		Kind: ledger.LeftOut, Sheet: h.Name, SheetID: h.ID, Amount: left.Total, State: "not loaded",
		Reason: reason, Fix: ledger.LeftOut.Row().Do, bucket: notPaid, count: left.Count,
	})
}

func (g *gathered) exception(e exceptionLine) {
	g.lines++
	g.line = cellsOf(exceptionColumns, &e, g.line[:0])
	g.keep(errors.Join(g.exceptions.add(g.line), writeListLine(g.jsonLines.Writer, &e, g.lines == 1)))
	if e.Kind.NeedsPerson() {
		g.group(e)
		g.attentionTab.add(g.line)
	}
}
