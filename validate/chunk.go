package validate

import (
	"context"
	"fmt"
	"slices"
	"time"

	"payrun/ingest/visible"
	"payrun/ledger"
)

// chunkRows is how many rows one query to the store covers, and the most that the sink gets at once.
const chunkRows = 4096

// candidate is a validated row with a reference, before history and the rows below it are known.
type candidate struct {
	*Accepted // in the chunk's payouts
	entry     refEntry
	accepted  bool
	cameFrom  int         // the row that it came from; 0 for none
	leftOut   bool        // that row was not loaded: this is a new payout
	own       bool        // that row is a payout: this row corrects it, with or without --correct
	corrects  *correction // nil: it is not a correction
}

// pending is the chunk that is being filled, with its buffers for queries.
type pending struct {
	payouts []Accepted // with capacity for a chunk; rows point into it, in the same order
	rows    []candidate
	keys    []string

	payees []ledger.Payee
	named  []ledger.NamedAccount
}

// queue adds the current row and its key to the chunk, and flushes a full chunk.
func (c *check) queue(ctx context.Context, entry refEntry, accepted bool, key string) error {
	p := &c.pending
	if p.payouts == nil {
		p.payouts = make([]Accepted, 0, chunkRows)
	}
	p.payouts = append(p.payouts, Accepted{Key: key, Priority: c.reader.priority})
	a := &p.payouts[len(p.rows)]
	a.Payout = c.reader.payout // copied once: it is large
	p.rows = append(p.rows, candidate{Accepted: a, entry: entry, accepted: accepted, cameFrom: c.reader.from})
	p.keys = append(p.keys, key)
	if len(p.rows) < chunkRows {
		return nil
	}
	return c.flush(ctx)
}

// flush compares the chunk with history and gives the accepted rows to the sink.
func (c *check) flush(ctx context.Context) error {
	rows := c.pending.rows
	if len(rows) == 0 {
		return nil
	}
	for _, ask := range [...]func(context.Context, []candidate) error{c.askOrigins, c.askReferences, c.askBranches, c.askPayees} {
		if err := ask(ctx, rows); err != nil {
			return err
		}
	}
	err := c.give(rows)
	p := &c.pending
	p.payouts, p.rows, p.keys = p.payouts[:0], p.rows[:0], p.keys[:0]
	return err
}

// give hands the accepted rows of a chunk to the sink, and records which rows it got.
func (c *check) give(rows []candidate) error {
	payouts, n := c.pending.payouts, 0
	for i := range rows {
		r := &rows[i]
		_, withdrawn := slices.BinarySearch(c.o.Exclude, r.Row)
		if !r.accepted || withdrawn || c.index.group(r.entry) != noGroup {
			continue
		}
		if r.corrects != nil {
			c.branches.Count(&r.Payout)
			r.corrects.LikeLocked = r.LikeLocked
			c.corrections = append(c.corrections, *r.corrects)
			continue
		}
		c.index.known[r.entry].given = true
		c.Sheet.Accepted.Add(r.Amount) // part of the sheet's own total, so it cannot overflow
		c.branches.Count(&r.Payout)
		if n < i {
			payouts[n] = payouts[i]
		}
		n++
	}
	if n == 0 {
		return nil
	}
	if err := c.sink(payouts[:n]); err != nil {
		return fmt.Errorf("passing payouts on: %w", err)
	}
	return nil
}

// askReferences refuses rows whose reference was ever used before (interface.md, "Initiate transfer", rule 2),
// except corrections of that payout.
func (c *check) askReferences(ctx context.Context, rows []candidate) error {
	if c.o.Correct || slices.ContainsFunc(rows, func(r candidate) bool { return r.own }) {
		if err := c.askCorrections(ctx, rows); err != nil {
			return err
		}
	}
	if c.past == nil {
		return nil
	}
	used, err := c.past.UsedReferences(ctx, c.pending.keys)
	if err != nil || len(used) == 0 {
		return asking("used references", err)
	}
	for i := range rows {
		r := &rows[i]
		use, ok := used[r.Key]
		if !ok || c.o.Correct && !r.leftOut || r.own || !r.accepted && r.cameFrom > 0 {
			continue // a correction, or a row that its origin already refused
		}
		c.refuseReference(r, codeReferenceUsed, "the reference was used before: "+c.useWords(use), "")
	}
	return nil
}

func (c *check) reject(r *candidate) {
	if r.accepted {
		r.accepted = false
		c.RejectedRows = append(c.RejectedRows, r.Row)
	}
}

// useWords names the sheet, row and day of an earlier use.
func (c *check) useWords(u ledger.ReferenceUse) string {
	words := fmt.Sprintf("sheet %q (%s)", visible.Shorten(u.SheetName), u.SheetID)
	if u.Row > 0 {
		words += fmt.Sprintf(", row %d", u.Row)
	}
	return words + ", loaded " + c.day(u.LoadedAt)
}

// day returns the day of a moment in the time zone of Options.Now.
func (c *check) day(at time.Time) string { return at.In(c.o.Now.Location()).Format(time.DateOnly) }
