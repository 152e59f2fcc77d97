package ledger

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"time"
)

// ErrExport: an export is incomplete, or payrun did not write it. Nothing of it is recorded.
var ErrExport = errors.New("this is not a whole export of a ledger")

// NotExport is an ErrExport that says why.
func NotExport(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrExport, fmt.Errorf(format, args...))
}

// Importing passes an export on to out, by which a store records it. It refuses with ErrExport
// what Verify of the new ledger would not see: rows in another order than in the audit trail,
// other numbers of rows, another creation time. Call end after the last.
func Importing(out Export) (checked Export, end func() error) {
	var c importCheck
	checked = out
	checked.Ledger = func(id string, createdAt time.Time) error {
		c.created = createdAt
		return out.Ledger(id, createdAt)
	}
	checked.Sheet = func(s Sheet, r *ReadOptions) error {
		c.sheets.add(isRow, s.ID)
		return out.Sheet(s, r)
	}
	checked.Batch = func(b Batch) error {
		c.batches.add(isRow, b.ID)
		return out.Batch(b)
	}
	checked.Intent = func(i RecordedIntent) error {
		if c.calls.add(isRow, i.BatchID, string(i.Kind)); i.No != c.calls.rows {
			return NotExport("intent %d of batch %s does not come in its turn", i.No, i.BatchID)
		}
		return out.Intent(i)
	}
	checked.Approval = func(a Approval) error {
		c.approvals.add(isRow, a.BatchID, a.Actor, a.PayloadSHA256)
		return out.Approval(a)
	}
	checked.Release = func(p ReleaseApproval) error {
		if c.releases.add(isRow, p.BatchID, p.detail()); p.No != c.releases.rows {
			return NotExport("what %s said of batch %s does not come in its turn", p.Actor, p.BatchID)
		}
		return out.Release(p)
	}
	checked.Event = func(e Event) error {
		if err := c.event(&e); err != nil {
			return err
		}
		return out.Event(e)
	}
	return checked, c.end
}

// importCheck checks an import while it runs.
type importCheck struct {
	created                                     time.Time
	sheets, batches, calls, approvals, releases sequence
}

// sequence compares the order of rows with the order of their events.
type sequence struct {
	rows int64
	sums [2]Digest
}

const isRow, isEvent = 0, 1

func (s *sequence) add(which int, words ...string) {
	if which == isRow {
		s.rows++
	}
	e := encoding(s.sums[which][:])
	for _, w := range words {
		e = e.text(w)
	}
	s.sums[which] = sha256.Sum256(e)
}

func (c *importCheck) event(e *Event) error {
	if e.Seq == 1 && !e.At.Equal(c.created) {
		return NotExport("the ledger was made at another time than its first event says")
	}
	switch call := BatchEvent(e.Kind).Call(); {
	case e.Kind == EventSheetLoaded:
		c.sheets.add(isEvent, e.SheetID)
	case e.Kind == EventPlanned:
		c.batches.add(isEvent, e.BatchID)
	case call != "":
		c.calls.add(isEvent, e.BatchID, string(call))
	case e.Kind == EventApproved:
		c.approvals.add(isEvent, e.BatchID, e.Actor, e.payload())
	case e.Kind == EventReleaseAsked, e.Kind == EventReleased, BatchEvent(e.Kind).Released():
		c.releases.add(isEvent, e.BatchID, e.Detail)
	}
	return nil
}

func (c *importCheck) end() error {
	for _, is := range []struct {
		what string
		of   sequence
	}{{"sheets", c.sheets}, {"batches", c.batches}, {"calls to the bank", c.calls}, {"approvals", c.approvals}, {"releases", c.releases}} {
		if is.of.sums[isRow] != is.of.sums[isEvent] {
			return NotExport("the %s are not those of the audit trail, in its order", is.what)
		}
	}
	return nil
}
