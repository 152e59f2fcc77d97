package reports

import (
	"context"
	"fmt"
	"slices"
	"time"

	"payrun/ledger"
)

// scope is what one set of reports is about: the ledger up to one event, and
// the sheets and batches of it that were asked for.
type scope struct {
	Options
	head    ledger.AuditHead
	sheets  []ledger.Sheet
	batches []ledger.Batch

	sheetNames  map[string]string
	resultNames map[string]string // without extension
	batchAt     map[string]int    // position in batches
}

func readScope(ctx context.Context, l Ledger, o Options) (*scope, error) {
	s := &scope{Options: o, sheetNames: map[string]string{}}
	var err error
	if s.head, err = l.AuditHead(ctx); err != nil {
		return nil, fmt.Errorf("audit head: %w", err)
	}
	if s.sheets, err = l.Sheets(ctx); err != nil {
		return nil, fmt.Errorf("sheets: %w", err)
	}
	s.resultNames = resultNames(s.sheets)
	if o.SheetID != "" {
		s.sheets = slices.DeleteFunc(slices.Clone(s.sheets), func(h ledger.Sheet) bool { return h.ID != o.SheetID })
		if len(s.sheets) == 0 {
			return nil, fmt.Errorf("sheet %q: %w", clean(o.SheetID), ledger.ErrNotFound)
		}
	}
	if s.batches, err = l.Batches(ctx, s.filter()); err != nil {
		return nil, fmt.Errorf("batches: %w", err)
	}
	for i := range s.sheets {
		cleanSheet(&s.sheets[i])
		s.sheetNames[s.sheets[i].ID] = s.sheets[i].Name
	}
	s.batchAt = make(map[string]int, len(s.batches))
	for i := range s.batches {
		cleanBatch(&s.batches[i])
		s.batchAt[s.batches[i].ID] = i
	}
	return s, nil
}

// filter is always the latest attempt of every payout: one line a payout.
func (s *scope) filter() ledger.Filter { return ledger.Filter{SheetID: s.SheetID} }

// batch returns the batch of an attempt; the zero Batch when the ledger has none.
func (s *scope) batch(id string) ledger.Batch {
	if i, ok := s.batchAt[id]; ok {
		return s.batches[i]
	}
	return ledger.Batch{}
}

// unmoved holds the reports to one state of the ledger: sheets, batches and
// payouts are read one after the other, and a poll may run beside it.
func (s *scope) unmoved(ctx context.Context, l Ledger) error {
	head, err := l.AuditHead(ctx)
	if err != nil {
		return fmt.Errorf("audit head: %w", err)
	}
	if head.Length != s.head.Length || head.Hash != s.head.Hash {
		return fmt.Errorf("%w: event %d was the last when the reports began, now it is %d", ledger.ErrConflict, s.head.Length, head.Length)
	}
	return nil
}

// when is a time as people read it; "" when it is not set.
func (s *scope) when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(s.Zone).Format("2 Jan 2006, 15:04 MST")
}

// instant is a time as programs read it; "" when it is not set.
func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
