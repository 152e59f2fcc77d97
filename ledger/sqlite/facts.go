package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"payrun/ledger"
)

// facts tells what one connection sees of the ledger, as ledger.Facts: ordered
// queries that are joined while they stream by, none of which looks anything up
// for a row. What only this store keeps twice (a first attempt among the
// members of its batch and in a row, a further one in a row and its permit) it
// compares itself, and reports.
type facts struct {
	conn   *sql.Conn
	id     string
	report func(invariant int, what, detail string)
}

var _ ledger.LedgerReader = (*facts)(nil)

func (f *facts) LedgerID() string { return f.id }

// errEnough ends a stream whose reader wants no more.
var errEnough = errors.New("enough")

// stream is a sequence of what read gives, with the error that it ends with.
func stream[T any](read func(give func(*T) error) error) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		err := read(func(v *T) error {
			if !yield(v, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}

// rows calls fn for each row of a query.
func (f *facts) rows(ctx context.Context, fn func(*cursor) error, query string) error {
	c, err := walk(ctx, f.conn, query)
	if err != nil {
		return err
	}
	for ; c.more; c.next() {
		if err := fn(c); err != nil {
			return errors.Join(err, c.close())
		}
	}
	return c.close()
}

const (
	factsOfSheets = `SELECT no, sealed, first_payout, last_payout, ifnull(id, 'number ' || no), sha256, rows_hash, row_count, accepted_count, accepted_total, rejected_count,
		name, format, tab, header_row, blank_count, has_total, total, rejected_total, loaded_at, loaded_by, content, ref_prefix, unprefixed, corrected_count, corrected_total
		FROM sheets ORDER BY no`
	factsOfReadings   = `SELECT sheet_no, encoding, hidden_rows, columns FROM sheet_readings ORDER BY sheet_no`
	factsOfReferences = handed + `key, payout_id, number) FROM wire_keys`
	factsOfEvents     = `SELECT seq, at, actor, kind, sheet_id, batch_id, detail, digest, stands, proof, hash FROM events ORDER BY seq`
)

func (f *facts) Statements(ctx context.Context) iter.Seq2[*ledger.StatementFacts, error] {
	return stream(func(give func(*ledger.StatementFacts) error) error {
		if err := eachReadingDigest(ctx, f.conn, give); err != nil {
			return err
		}
		return matchesHold(ctx, f.conn, func(detail string) { f.report(23, "matches are what readings and payouts make of them", detail) })
	})
}

func (f *facts) StatementWords(ctx context.Context) ([]ledger.StatementDecision, error) {
	return statementWords(ctx, f.conn, `1`)
}

func (f *facts) BankLists(ctx context.Context) (ledger.BankLists, error) {
	return listedOf(ctx, f.conn)
}

func (f *facts) Sheets(ctx context.Context) iter.Seq2[*ledger.SheetFacts, error] {
	return stream(func(give func(*ledger.SheetFacts) error) error {
		readings, err := walk(ctx, f.conn, factsOfReadings)
		if err != nil {
			return err
		}
		err = f.rows(ctx, func(c *cursor) error {
			s := ledger.SheetFacts{No: c.int(0), Sealed: c.bool(1), First: c.int(2), Last: c.int(3), Sheet: ledger.Sheet{
				ID: c.text(4), SHA256: c.text(5), RowsHash: c.text(6), Rows: int(c.int(7)),
				Accepted: ledger.Tally{Count: int(c.int(8)), Total: ledger.Paise(c.int(9))}, Rejected: ledger.Tally{Count: int(c.int(10)), Total: ledger.Paise(c.int(18))},
				Name: c.text(11), Format: c.text(12), Tab: c.text(13), Header: int(c.int(14)), Blank: int(c.int(15)), HasTotal: c.bool(16),
				Total: ledger.Paise(c.int(17)), LoadedAt: c.moment(19), LoadedBy: c.text(20), Content: c.text(21), RefPrefix: c.text(22), Unprefixed: c.text(23),
				Corrected: ledger.Tally{Count: int(c.int(24)), Total: ledger.Paise(c.int(25))}}}
			if readings.standsAt(s.No) {
				s.Reading = &ledger.ReadOptions{Encoding: readings.text(1), HiddenRows: readings.text(2)}
				if err := json.Unmarshal([]byte(readings.text(3)), &s.Reading.Columns); err != nil {
					f.report(0, "how each sheet was read can be read", fmt.Sprintf("sheet %s: %v", s.ID, err))
				}
			}
			return give(&s)
		}, factsOfSheets)
		return errors.Join(err, readings.close())
	})
}

func (f *facts) References(ctx context.Context) iter.Seq2[*ledger.ReferenceFacts, error] {
	return stream(func(give func(*ledger.ReferenceFacts) error) error {
		var r ledger.ReferenceFacts
		return f.rows(ctx, func(c *cursor) error {
			r.Key, r.PayoutID, r.Number = c.text(0), c.int(1), int(c.int(2))
			return give(&r)
		}, factsOfReferences)
	})
}

func (f *facts) Events(ctx context.Context) iter.Seq2[*ledger.Event, error] {
	return stream(func(give func(*ledger.Event) error) error {
		var e ledger.Event
		return f.rows(ctx, func(c *cursor) error {
			e = ledger.Event{Seq: c.int(0), At: fromMicros(sql.NullInt64{Int64: c.int(1), Valid: true}), Actor: c.text(2), Kind: c.text(3),
				SheetID: c.text(4), BatchID: c.text(5), Detail: c.text(6), Digest: c.text(7), StateDigest: c.text(8), Proof: c.text(9), Hash: c.text(10)}
			return give(&e)
		}, factsOfEvents)
	})
}

func (f *facts) BatchID(ctx context.Context, no int64) (id string, err error) {
	err = f.conn.QueryRowContext(ctx, `SELECT id FROM batches WHERE no = ?`, no).Scan(&id)
	return id, orNotFound(err)
}

// routes reads what payouts and batches refer to by number.
func (f *facts) routes(ctx context.Context) (map[int64]ledger.Route, error) {
	routes := map[int64]ledger.Route{}
	return routes, f.rows(ctx, func(c *cursor) error {
		routes[c.int(0)] = ledger.Route{BankAccountID: c.text(1), SubMerchantID: c.text(2), TransactionTypeID: c.text(3)}
		return nil
	}, `SELECT no, bank_account_id, sub_merchant_id, transaction_type_id FROM routes`)
}

// name tells people which batch is meant.
func (f *facts) name(ctx context.Context, no int64) string {
	id, err := f.BatchID(ctx, no)
	if err != nil {
		return fmt.Sprintf("number %d", no)
	}
	return id
}
