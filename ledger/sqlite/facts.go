package sqlite

import (
	"context"
	"errors"
	"fmt"

	"payrun/ledger"
)

// reader reads what one connection sees of the ledger, as ledger.Facts. It joins sorted queries while they
// stream, and looks up no row. Some facts this store keeps twice (a first attempt: as a member of its batch and
// as a row); reader compares these itself and reports differences.
type reader struct {
	r      Snapshot
	id     string
	report func(invariant int, what, detail string)
}

var _ ledger.LedgerReader = (*reader)(nil)

func (f *reader) LedgerID() string { return f.id }

var (
	factsOfReferences = Select{`key, payout_id, number`, `FROM wire_keys ORDER BY key`, true}
	factsOfSheets     = Select{`no, sealed, first_payout, last_payout, ` + sheets.columns, `FROM sheets ORDER BY no`, false}
	factsOfReadings   = Select{`sheet_no, ` + readings.columns, `FROM sheet_readings ORDER BY sheet_no`, false}
	factsOfEvents     = Select{events.columns, `FROM events ORDER BY seq`, false}
)

func (f *reader) Others(ctx context.Context) (others ledger.OtherFacts, err error) {
	err = inTurn(
		func() (err error) { others.Statements, err = readingDigests(ctx, f.r); return err },
		func() (err error) { others.Decisions, err = statementWords(ctx, f.r, `true`); return err },
		func() (err error) { others.Listed, err = listedOf(ctx, f.r); return err },
		func() error {
			return matchesHold(ctx, f.r, func(detail string) { f.report(23, "matches are what readings and payouts make of them", detail) })
		},
	)
	return others, err
}

func (f *reader) Sheets(ctx context.Context, give func(*ledger.SheetFacts) error) error {
	read, err := walk(ctx, f.r, factsOfReadings)
	if err != nil {
		return err
	}
	err = eachCells(ctx, f.r, func(c Cells) error {
		s := ledger.SheetFacts{No: c.int(0), Sealed: c.bool(1), First: c.int(2), Last: c.int(3)}
		c.scan(4, sheets.fields(&s.Sheet))
		if s.ID == "" {
			s.ID = fmt.Sprint("number ", s.No)
		}
		if read.at(s.No) {
			s.Reading = &ledger.ReadOptions{}
			if !read.scan(1, readings.fields(s.Reading)) {
				f.report(0, "how each sheet was read can be read", "sheet "+s.ID)
			}
		}
		return give(&s)
	}, factsOfSheets)
	return errors.Join(err, read.close())
}

func (f *reader) References(ctx context.Context, give func(*ledger.ReferenceFacts) error) error {
	var r ledger.ReferenceFacts
	return eachCells(ctx, f.r, func(c Cells) error {
		r.Key, r.PayoutID, r.Number = c.text(0), c.int(1), int(c.int(2))
		return give(&r)
	}, factsOfReferences)
}

func (f *reader) Events(ctx context.Context, give func(*ledger.Event) error) error {
	var e ledger.Event
	fields := events.fields(&e)
	return eachCells(ctx, f.r, func(c Cells) error {
		c.scan(0, fields)
		return give(&e)
	}, factsOfEvents)
}

// name returns a batch's id for people.
func (f *reader) name(ctx context.Context, no int64) (id string) {
	if err := f.r.QueryRow(ctx, `SELECT id FROM batches WHERE no = ?`, no).Scan(&id); err != nil {
		return fmt.Sprintf("number %d", no)
	}
	return id
}
