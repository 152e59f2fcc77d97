package sqlite

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
)

// attemptColumns are the columns of an attemptReader. A payout whose batch has not begun has no attempt yet: it
// is planned in the batch that lists it as a member.
var attemptColumns = `p.id, p.row, p.ref, p.sheet_no, ` + sentRoute + `, ifnull(a.number, 1), ifnull(a.wire_ref, p.ref),
	b.id, b.created_at, ` + sentColumns + `, ` + attempts.of("a")

const (
	attemptState = `ifnull(a.state, 'planned')`
	// latest selects the attempt of each payout that decides about it; see ledger.Latest. Attempts beyond the first
	// are few and have their own index.
	latest = `(NOT EXISTS (SELECT 1 FROM attempts n INDEXED BY attempts_further WHERE n.payout_id = a.payout_id AND n.number > 1 AND n.number > a.number
		AND (a.state IN ` + surelyUnpaid + ` OR n.state NOT IN ` + surelyUnpaid + `)) AND (a.number IS NULL OR a.number = 1 OR a.state NOT IN ` + surelyUnpaid + `
		OR NOT EXISTS (SELECT 1 FROM attempts n WHERE n.payout_id = a.payout_id AND n.number < a.number AND n.state NOT IN ` + surelyUnpaid + `)))`
	surelyUnpaid = `(SELECT name FROM retryable_states)`
)

// attemptReader scans attempts and adds their sheet and route, each read once.
type attemptReader struct {
	ctx     context.Context // of the one query that it reads
	r       Reader
	sheets  map[int64]string
	routes  map[int64]ledger.Route
	planned memberships

	row              ledger.Attempt // the current one; fields points into it
	sheetNo, routeNo int64
	batched          time.Time // when its batch was created
	fields           []any
}

func newAttemptReader(ctx context.Context, r Reader) (ar *attemptReader, err error) {
	ar = &attemptReader{ctx: ctx, r: r}
	a := &ar.row
	ar.fields = slices.Concat([]any{&a.ID, &a.Row, &a.Ref, &ar.sheetNo, &ar.routeNo, &a.Number, &a.WireRef, nullable{&a.BatchID}, moment{&ar.batched}},
		corrections.fields(&a.Payout), attempts.fields(a))
	if ar.routes, err = routesOf(ctx, r); err != nil {
		return nil, err
	}
	ar.sheets, err = pairs[int64, string](ctx, r, `SELECT no, id FROM sheets WHERE sealed = 1`)
	return ar, err
}

// routesOf reads the routes that payouts and batches refer to by number.
func routesOf(ctx context.Context, r Reader) (map[int64]ledger.Route, error) {
	return byKey(ctx, r, func(no *int64, on *ledger.Route) []any {
		return []any{no, &on.BankAccountID, &on.SubMerchantID, &on.TransactionTypeID}
	}, `SELECT no, bank_account_id, sub_merchant_id, transaction_type_id FROM routes`)
}

// send sets the route of a payout.
func send(p *ledger.Payout, by ledger.Route) {
	p.BankAccountID, p.SubMerchantID, p.TransactionTypeID = by.BankAccountID, by.SubMerchantID, by.TransactionTypeID
}

// read reads the attempt of a row. ok is false for a payout without a batch, which only a
// damaged ledger has.
func (ar *attemptReader) read(c Cells) (a ledger.Attempt, ok bool, err error) {
	if err := c.read(ar.fields); err != nil {
		return a, false, err
	}
	a = ar.row
	if a.BatchID == "" {
		var members []membership
		members, err = ar.planned.of(ar.ctx, ar.r, ar.sheetNo, a.ID)
		for _, of := range members {
			if !of.batch.made {
				a.BatchID, ar.batched = of.batch.id, of.batch.created
			}
		}
		if err != nil || a.BatchID == "" {
			return a, false, err
		}
	}
	a.SheetID, a.State = ar.sheets[ar.sheetNo], cmp.Or(a.State, ledger.PayoutPlanned)
	if a.UpdatedAt.IsZero() {
		a.UpdatedAt = ar.batched
	}
	send(&a.Payout, ar.routes[ar.routeNo])
	return a, true, nil
}

// EachPayout calls fn for every payout's latest attempt (with f.Attempts for every attempt), in the order of
// loading. The filter selects among those: a batch shows the payouts whose latest attempt is in it. Account
// numbers are full: the caller masks them before it shows them.
func (s *Tables) EachPayout(ctx context.Context, f ledger.Filter, fn func(ledger.Attempt) error) error {
	return damage("read the payouts", s.eachAttempt(ctx, selection{Filter: f}, fn))
}

// selection is a filter with the conditions that skip sets.
type selection struct {
	ledger.Filter
	after, before int64 // only payouts between these numbers; 0: no bound
}

// eachAttempt streams the selected attempts from one snapshot.
func (s *Tables) eachAttempt(ctx context.Context, sel selection, fn func(ledger.Attempt) error) error {
	if sel.Payouts == nil && sel.looksFor() {
		found, err := s.mentioned(ctx, sel.Filter)
		if err != nil {
			return err
		}
		sel.Payouts = append([]int64{}, found...) // nil would be all
	}
	return s.db.Moment(ctx, func(r Snapshot) error { return sel.each(ctx, r, fn) })
}

func (sel selection) each(ctx context.Context, r Snapshot, fn func(ledger.Attempt) error) error {
	ar, err := newAttemptReader(ctx, r)
	if err != nil {
		return err
	}
	lines := 0
	found := func(c Cells) error {
		a, ok, err := ar.read(c)
		if err != nil || !ok || !sel.finds(&a) {
			return err
		}
		if err := fn(a); err != nil {
			return err
		}
		if lines++; lines == sel.Most {
			return errMost
		}
		return nil
	}
	if err := sel.read(ctx, r, found); !errors.Is(err, errMost) {
		return err
	}
	return nil
}

// errMost ends a read that has enough rows.
var errMost = errors.New("no more is wanted")

func (sel selection) read(ctx context.Context, r Snapshot, found func(Cells) error) error {
	if sel.Payouts == nil {
		if sel.Skip > 0 && sel.whole() {
			if err := sel.skip(ctx, r); err != nil {
				return err
			}
		}
		return sel.query(ctx, r, found, nil)
	}
	sorted := slices.Sorted(slices.Values(sel.Payouts))
	chunks := slices.Collect(slices.Chunk(sorted, lookups))
	if sel.Newest {
		slices.Reverse(chunks)
	}
	for _, some := range chunks {
		if err := sel.query(ctx, r, found, some); err != nil {
			return err
		}
	}
	return nil
}

// whole reports whether all payouts of a sheet, or of the ledger, are selected.
func (sel *selection) whole() bool {
	return sel.BatchID == "" && len(sel.States) == 0 && !sel.Attempts && sel.Account == "" && !sel.days()
}

func (sel *selection) days() bool { return !sel.From.IsZero() || !sel.Until.IsZero() }

// skip skips lines without reading them: the numbers of payouts have no gaps.
func (sel *selection) skip(ctx context.Context, r Reader) error {
	first, last, err := numbersOf(ctx, r, sel.SheetID)
	skipped := min(int64(sel.Skip), last-first+1)
	sel.Skip = 0
	if sel.Newest {
		sel.before = last + 1 - skipped
	} else {
		sel.after = first - 1 + skipped
	}
	return err
}

// numbersOf returns the first and the last number of a sheet's payouts, or of all for "".
func numbersOf(ctx context.Context, r Reader, sheetID string) (first, last int64, err error) {
	err = r.QueryRow(ctx, `SELECT ifnull(min(first_payout), 1), ifnull(max(last_payout), 0) FROM sheets WHERE sealed = 1 AND (?1 = '' OR id = ?1)`,
		sheetID).Scan(&first, &last)
	return first, last, err
}

// planned returns the bounds of the planning time, as stored. The zero From is before all batches.
func (sel *selection) planned() (from, until int64) {
	from, until = sel.From.UnixMicro(), math.MaxInt64
	if !sel.Until.IsZero() {
		until = sel.Until.UnixMicro()
	}
	return from, until
}

// apartStates are the states of few attempts. A query must repeat exactly this text to use the partial index.
const apartStates = `a.state IN ('failed', 'returned', 'cancelled', 'disputed')`

// query reads the selected attempts. If some is not nil, it reads only those payouts.
func (sel selection) query(ctx context.Context, r Snapshot, row func(Cells) error, some []int64) error {
	var c conditions
	from, order, batch := `attempts a CROSS JOIN payouts p ON p.id = a.payout_id`, `a.payout_id, a.number`, `b.no = a.batch_no`
	lies := false
	switch planned := len(sel.States) == 0 || slices.Contains(sel.States, ledger.PayoutPlanned); {
	case sel.BatchID != "" && planned: // its members, until it has attempts
		from, order = `(SELECT CAST(value AS bigint) AS id FROM batches m, json_each(m.members) WHERE m.id = ?1 AND m.made = 0
			UNION SELECT payout_id FROM attempts WHERE batch_no = (SELECT no FROM batches WHERE id = ?1)) s
			CROSS JOIN payouts p ON p.id = s.id LEFT JOIN attempts a ON a.payout_id = p.id`, `p.id, a.number`
		batch = `b.id = ?1`
		c.add(true, `(a.batch_no IS NULL OR a.batch_no = (SELECT no FROM batches WHERE id = ?1))`, sel.BatchID)
	case sel.BatchID != "":
		c.add(true, `a.batch_no = (SELECT no FROM batches WHERE id = ?1)`, sel.BatchID)
	case planned || some != nil:
		from, order = `payouts p LEFT JOIN attempts a ON a.payout_id = p.id`, `p.id, a.number`
		lies = !sel.Newest // they come in the order of storage
	case sel.apart():
		from = `attempts a INDEXED BY attempts_apart CROSS JOIN payouts p ON p.id = a.payout_id`
		c.add(true, apartStates)
	}
	sel.conditions(&c, some)
	if sel.Newest {
		order = strings.ReplaceAll(order, `,`, ` DESC,`) + ` DESC`
	}
	q := Select{attemptColumns, `FROM ` + from + corrected + ` LEFT JOIN batches b ON ` + batch, lies}
	q.From += ` WHERE ` + c.where() + ` ORDER BY ` + order
	if some == nil && sel.Most > 0 && !sel.looksFor() {
		q.From += ` LIMIT ? OFFSET ?`
		c.args = append(c.args, sel.Most, sel.Skip)
	}
	return eachCells(ctx, r, row, q, c.args...)
}

// conditions adds those that do not depend on where the attempts are read from.
func (sel *selection) conditions(c *conditions, some []int64) {
	// payouts of different sheets do not overlap
	c.add(sel.SheetID != "", `p.id BETWEEN (SELECT first_payout FROM sheets WHERE id = ?) AND (SELECT last_payout FROM sheets WHERE id = ?)`,
		sel.SheetID, sel.SheetID)
	c.add(some != nil, `p.id IN (SELECT value FROM json_each(?))`, inList(some))
	c.add(sel.after > 0, `p.id > ?`, sel.after)
	c.add(sel.before > 0, `p.id < ?`, sel.before)
	c.add(sel.Account != "", `ifnull(b.route_no, p.route_no) IN (SELECT no FROM routes WHERE bank_account_id = ?)`, sel.Account)
	const these = `FROM batches WHERE created_at >= ? AND created_at < ?`
	from, until := sel.planned()
	c.add(sel.days(), `p.id BETWEEN (SELECT min(first_payout) FROM sheets WHERE no IN (SELECT sheet_no `+these+`))
		AND (SELECT max(last_payout) FROM sheets WHERE no IN (SELECT sheet_no `+these+`))`, from, until, from, until)
	c.add(sel.days(), `(a.batch_no IN (SELECT no `+these+`) OR a.batch_no IS NULL AND p.sheet_no IN (SELECT sheet_no `+these+` AND made = 0))`,
		from, until, from, until)
	c.add(!sel.Attempts, latest)
	c.add(len(sel.States) > 0, attemptState+` IN (`+marks(len(sel.States))+`)`, named(sel.States)...)
}

// conditions are conditions of a query that all hold, with their arguments.
type conditions struct {
	all  []string
	args []any
}

// add adds a condition if it is asked for.
func (c *conditions) add(asked bool, condition string, args ...any) {
	if asked {
		c.all, c.args = append(c.all, condition), append(c.args, args...)
	}
}

func (c *conditions) where() string { return cmp.Or(strings.Join(c.all, " AND "), "true") }
