package reports

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"

	"payrun/ledger"
	"payrun/reports/folder"
)

// gathered is what the one pass over the payouts left behind: totals, and
// what it wrote on the way for the files that are put together afterwards.
type gathered struct {
	*totals
	payouts    *csvFile[payoutLine]
	exceptions *csvFile[exceptionLine]
	jsonLines  *folder.Draft // the exceptions of reconciliation.json, in their JSON
	tabs       struct{ payouts, attention *table }

	covered map[string]bool // batches whose attention a payout's exception names
}

// exceptionJSON is one of "exceptions" in reconciliation.json (contract.md, "JSON").
type exceptionJSON struct {
	Kind    ledger.Attention `json:"kind"`
	Ref     string           `json:"ref"`
	BatchID string           `json:"batch_id"`
	Amount  ledger.Paise     `json:"amount"`
	Detail  string           `json:"detail"`
	Fix     string           `json:"fix"`
}

// gather reads every payout once and writes what can be written at once. It
// holds no payout.
func gather(ctx context.Context, s *Snapshot, dir *folder.Folder) (*gathered, error) {
	g := &gathered{totals: newTotals(s.batches), covered: map[string]bool{}}
	if err := sheetsFit(s.sheets); err != nil {
		return nil, err
	}
	payouts, err := dir.Create(payoutsFile)
	if err != nil {
		return nil, err
	}
	exceptions, err := dir.Create(exceptionsFile)
	if err != nil {
		return nil, err
	}
	if g.jsonLines, err = dir.Scratch(); err != nil {
		return nil, err
	}
	g.payouts, g.exceptions = newCSV[payoutLine](payouts), newCSV[exceptionLine](exceptions)
	g.tabs.payouts, g.tabs.attention = newTable(dir, payoutsTab()), newTable(dir, attentionTab())

	err = s.ledger.EachPayout(ctx, s.filter(), func(a ledger.Attempt) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return g.payout(s, a)
	})
	if err != nil {
		return nil, fmt.Errorf("payouts: %w", err)
	}
	for _, b := range s.batches {
		if b.Asks() == b.Attention && b.Attention != ledger.NeedsNothing && !g.covered[b.ID] {
			if err := g.batch(s, b); err != nil {
				return nil, err
			}
		}
	}
	if err := g.payouts.finish(); err != nil {
		return nil, err
	}
	return g, g.exceptions.finish()
}

func (g *gathered) payout(s *Snapshot, a ledger.Attempt) error {
	if !s.Unmasked {
		a.BankAccountNumber = ledger.Mask(a.BankAccountNumber)
	}
	cleanAttempt(&a)
	b := s.batch(a.BatchID)
	kind := kindOf(a, b)
	if err := g.totals.payout(a, b); err != nil {
		return err
	}
	if err := g.payouts.add(newPayoutLine(a)); err != nil {
		return err
	}
	if err := g.tabs.payouts.add(payoutCells(s, a, b)...); err != nil {
		return err
	}
	if kind == ledger.NeedsNothing {
		return nil
	}
	if kind == b.Attention {
		g.covered[b.ID] = true
	}
	return g.exception(exceptionLine{
		Kind: kind, Ref: a.Ref, Row: rowNumber(a.Row), Sheet: s.sheetNames[a.SheetID], SheetID: a.SheetID, BatchID: a.BatchID,
		Amount: a.Amount, State: string(a.State), VendorName: a.VendorName,
		Reason: reasonOf(kind, a, b), Fix: s.fixOf(kind, a.BatchID), bucket: bucketOf(a, b),
	}, b)
}

// batch names a batch that asks for something which none of its payouts shows:
// all of them were paid, and still the bank's answer was odd.
func (g *gathered) batch(s *Snapshot, b ledger.Batch) error {
	kind := b.Asks()
	g.lines++
	return g.exception(exceptionLine{
		Kind: kind, Sheet: s.sheetNames[b.SheetID], SheetID: b.SheetID, BatchID: b.ID, Amount: b.Total, State: string(b.State),
		Reason: reasonOf(kind, ledger.Attempt{}, b), Fix: fixOf(kind, b.ID), bucket: bucketOfBatch(b),
	}, b)
}

func (g *gathered) exception(e exceptionLine, b ledger.Batch) error {
	if err := g.exceptions.add(e); err != nil {
		return err
	}
	if err := g.writeJSONLine(e); err != nil {
		return err
	}
	if !e.Kind.NeedsPerson() {
		return nil
	}
	if err := g.group(e); err != nil {
		return err
	}
	return g.tabs.attention.add(attentionCells(e, b)...)
}

func (g *gathered) writeJSONLine(e exceptionLine) error {
	line, err := json.Marshal(exceptionJSON{Kind: e.Kind, Ref: e.Ref, BatchID: e.BatchID, Amount: e.Amount, Detail: e.Reason, Fix: e.Fix})
	if err != nil {
		return err
	}
	return writeListLine(g.jsonLines.Writer, line, g.lines == 1)
}

// writeListLine writes one line of a JSON list; the first has no comma before it.
func writeListLine(w *bufio.Writer, line []byte, first bool) error {
	if !first {
		_, _ = w.WriteString(",")
	}
	_, _ = w.WriteString("\n  ")
	_, err := w.Write(line)
	return err
}
