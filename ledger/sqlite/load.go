package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"payrun/ledger"
)

// loading is a ledger.Load. It occupies the store's write connection until Commit or Rollback.
type loading struct {
	s       *Tables
	w       *bulkWriter
	sheetNo int64
	first   int64 // the first payout's number
	failed  error // after it every call fails
	done    bool

	contents *contents // the sheet's bytes; nil if they are not kept
	reading  ledger.ReadOptions
	columns  *ledger.KeptColumns // nil: no decision about the columns

	origins     []ledger.KeyedPayout // those that came from a row of another sheet; ID, Ref and From
	corrections []correctedBatches
	planned     []ledger.Batch // by this load, with the sheets before; of each sheet first the batches of its payouts

	routes  map[int64]ledger.Route // the routes of this load, by their numbers in the ledger
	members []member               // by position
	total   ledger.Paise
	keys    []keyed
}

// member is what Commit needs of a payout, to compare its planned batch with it and to bind the batch to it.
type member struct {
	amount ledger.Paise
	route  int64 // its number
	lei    string
	digest ledger.Digest
}

// keyed is a folded reference waiting to be inserted in sorted order.
type keyed struct {
	key string
	id  int64
}

// keyChunk is how many references are sorted together. A larger chunk fills more pages in order; a smaller one
// needs less memory.
const keyChunk = 1 << 17

// BeginLoad begins to record a sheet.
func (s *Tables) BeginLoad(ctx context.Context) (ledger.Load, error) {
	if !s.db.Writable() {
		return nil, errors.New("begin to load: the ledger was opened for reading")
	}
	if err := s.match(ctx); err != nil { // rows are checked against the matches during the load, which then has the ledger's lock
		return nil, damage("begin to load", err)
	}
	e, err := s.db.Load(ctx)
	if err != nil {
		return nil, damage("begin to load", err)
	}
	l := newLoading(s, newBulkWriter(e))
	if err := l.begin(ctx); err != nil {
		return nil, errors.Join(s.failed("begin to load", err), l.Rollback())
	}
	return l, nil
}

func newLoading(s *Tables, w *bulkWriter) *loading {
	return &loading{s: s, w: w, routes: map[int64]ledger.Route{}}
}

func (l *loading) begin(ctx context.Context) error {
	err := l.w.QueryRow(ctx, `INSERT INTO sheets (sealed) VALUES (0) RETURNING no`).Scan(&l.sheetNo)
	if err != nil {
		return err
	}
	l.w.payouts = l.w.rows(Into{"payouts", `sheet_no, id, row, route_no, ref, ref_key, ` + corrections.columns, l.sheetNo})
	return l.w.QueryRow(ctx, `SELECT ifnull(max(id), 0) + 1 FROM payouts`).Scan(&l.first)
}

// Add implements ledger.Load. It inserts the payouts while the next ones are read.
func (l *loading) Add(payouts []ledger.KeyedPayout) error {
	if err := l.usable(); err != nil {
		return err
	}
	for i := range payouts {
		if err := l.add(&payouts[i]); err != nil {
			return l.fail(cmp.Or(l.w.failed(), fmt.Errorf("row %d: %w", payouts[i].Row, err))) // an earlier error concerns rows before this one
		}
	}
	if len(l.keys) >= keyChunk {
		l.flushKeys()
	}
	return nil
}

// add inserts a payout, and keeps what Commit needs of it. It names the values of corrections.fields one by one, which
// a load feels.
func (l *loading) add(p *ledger.KeyedPayout) error {
	if p.Key == "" {
		return errors.New("its reference has no key")
	}
	route := p.Route()
	routeNo, err := l.w.routeNo(route)
	if err != nil {
		return err
	}
	if _, known := l.routes[routeNo]; !known {
		l.routes[routeNo] = route
	}
	total, ok := l.total.Plus(p.Amount)
	if !ok {
		return errors.New("the sum of the sheet is out of range")
	}
	l.total, p.ID = total, l.first+int64(len(l.members))
	if p.From != nil {
		l.origins = append(l.origins, ledger.KeyedPayout{Payout: ledger.Payout{ID: p.ID, Ref: p.Ref}, From: p.From})
	}
	l.members = append(l.members, member{p.Amount, routeNo, strings.Clone(p.BeneLEI), ledger.MemberDigest(&p.Payout, 1, p.Ref)})
	l.keys = append(l.keys, keyed{p.Key, p.ID})
	l.w.payouts.row(p.ID, int64(p.Row), routeNo, p.Ref, storedKey(p.Ref, p.Key), int64(p.Amount), p.VendorName, p.BankAccountNumber, p.IFSC,
		orNull(p.Remarks), orNull(p.OpenBeneficiaryID), orNull(p.BeneLEI))
	return nil
}

// flushKeys inserts the waiting references of first attempts in sorted order, so that neighbours in the tree are
// written together.
func (l *loading) flushKeys() {
	slices.SortFunc(l.keys, func(a, b keyed) int { return cmp.Or(strings.Compare(a.key, b.key), cmp.Compare(a.id, b.id)) })
	for _, k := range l.keys {
		l.w.keys.row(k.key, k.id)
	}
	l.w.keys.flush()
	l.keys = l.keys[:0]
}

func (l *loading) usable() error {
	if l.done {
		return errors.New("load: already committed or rolled back")
	}
	if err := l.w.failed(); err != nil && l.failed == nil {
		return l.fail(err)
	}
	return l.failed
}

func (l *loading) fail(err error) error {
	l.failed = l.s.failed("load", err)
	return l.failed
}

// Rollback implements ledger.Load.
func (l *loading) Rollback() error {
	if l.done {
		return nil
	}
	l.done = true
	return damage("undo the load", l.w.close(false))
}

// Next implements ledger.Load.
func (l *loading) Next(sheet ledger.Sheet, batches []ledger.PlannedBatch) error {
	ctx := context.Background()
	if err := l.end(ctx, sheet, batches); err != nil {
		return err
	}
	next := newLoading(l.s, l.w)
	next.planned = l.planned
	*l = *next
	if err := l.begin(ctx); err != nil {
		return errors.Join(damage("begin to load", err), l.Rollback())
	}
	return nil
}

// Commit implements ledger.Load.
func (l *loading) Commit(sheet ledger.Sheet, batches []ledger.PlannedBatch) ([]ledger.Batch, error) {
	ctx := context.Background() // from here on it cannot be cancelled
	if err := l.end(ctx, sheet, batches); err != nil {
		return nil, err
	}
	l.done = true
	if err := l.w.close(true); err != nil {
		return nil, l.s.failed("load "+sheet.Name, err)
	}
	return l.planned, nil
}

// end inserts the rest of the sheet, or undoes the load.
func (l *loading) end(ctx context.Context, sheet ledger.Sheet, batches []ledger.PlannedBatch) error {
	if err := l.usable(); err != nil {
		return errors.Join(err, l.Rollback())
	}
	if err := l.finish(ctx, sheet, batches); err != nil {
		return errors.Join(l.s.failed("load "+sheet.Name, err), l.Rollback())
	}
	return nil
}

func (l *loading) finish(ctx context.Context, sheet ledger.Sheet, batches []ledger.PlannedBatch) error {
	l.w.payouts.flush()
	l.flushKeys()
	sheet = sheet.Identified()
	return inTurn(
		l.contents.rest,
		l.w.wait,
		func() error { return l.w.LockLedger(ctx) },
		func() error { return l.contents.finish(ctx, sheet) },
		func() error { return l.checkSheet(sheet) },
		func() error { return ledger.CheckPlan(batches, len(l.members), ledger.NoLimit, l.member) },
		func() error { return l.checkAll(ctx) },
		func() error { return l.correct(ctx) },
		func() error { return l.insertOrigins(ctx) },
		func() error { return l.seal(ctx, sheet) },
		func() error { return l.plan(ctx, sheet, batches) },
		func() error { return l.planCorrected(ctx, sheet) },
		func() error { return l.checkReferences(ctx) },
	)
}

// checkReferences replaces the foreign keys, which the bulk connection does not check a million times. Every
// row refers to this sheet and to these routes, and the payouts have the numbers that the batches refer to.
func (l *loading) checkReferences(ctx context.Context) error {
	var sound bool
	err := l.w.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM sheets WHERE no = ?1)
		AND (SELECT count(*) FROM routes WHERE no IN (SELECT value FROM json_each(?2))) = ?3
		AND (SELECT max(id) FROM payouts) = ?4`,
		l.sheetNo, inList(slices.Collect(maps.Keys(l.routes))), len(l.routes), l.first+int64(len(l.members))-1).Scan(&sound)
	if err == nil && !sound {
		err = errors.New("its payouts refer to a sheet or route that does not exist")
	}
	return err
}

// checkSheet compares the sheet's fields with what was added (safety.md, invariants 12 and 13). The schema refuses a
// sheet without any.
func (l *loading) checkSheet(sheet ledger.Sheet) error {
	if corrected := l.corrected(); sheet.Corrected != corrected {
		return fmt.Errorf("the sheet says %d corrected to %s, but %d to %s were", sheet.Corrected.Count, sheet.Corrected.Total, corrected.Count, corrected.Total)
	}
	if got := (ledger.Tally{Count: len(l.members), Total: l.total}); sheet.Accepted != got {
		return fmt.Errorf("the sheet says %d payouts of %s, but %d of %s were added", sheet.Accepted.Count, sheet.Accepted.Total, got.Count, got.Total)
	}
	return nil
}

// checkAll checks the total of all sheets, this one included, against the limit of a ledger: a loaded sheet
// stays for ever, so its amount always counts.
func (l *loading) checkAll(ctx context.Context) error {
	var before ledger.Paise // at most MostInAll
	err := l.w.QueryRow(ctx, `SELECT ifnull(sum(accepted_total + corrected_total), 0) FROM sheets WHERE sealed = 1`).Scan(&before)
	if err == nil && before.PlusCapped(l.total).PlusCapped(l.corrected().Total) > ledger.MostInAll {
		err = fmt.Errorf("%w: a ledger holds payouts of %s at most in all", ledger.ErrTotal, ledger.MostInAll)
	}
	return err
}

// member returns the payout at a position in the order of Add, for ledger.CheckPlan.
func (l *loading) member(i int32) ledger.Member {
	m := l.members[i]
	return ledger.Member{Route: l.routes[m.route], Amount: m.amount, BeneLEI: m.lei}
}

func (l *loading) seal(ctx context.Context, sheet ledger.Sheet) error {
	fields := sheets.fields(&sheet)
	_, err := l.w.Exec(ctx, `UPDATE sheets SET (sealed, first_payout, last_payout, `+sheets.columns+`) = (1, ?, ?, `+marks(len(fields))+`) WHERE no = ?`,
		slices.Concat([]any{l.first, l.first + int64(len(l.members)) - 1}, fields, []any{l.sheetNo})...)
	return err
}

// plan records the sheet's event and its batches. The attempts of a batch are created at its first step.
func (l *loading) plan(ctx context.Context, sheet ledger.Sheet, batches []ledger.PlannedBatch) error {
	for _, route := range l.routes {
		if err := markPlanned(ctx, l.w, route.BankAccountID, sheet.LoadedAt); err != nil {
			return err
		}
	}
	chain, err := l.s.chain(ctx, l.w)
	if err != nil {
		return err
	}
	var first int64
	err = inTurn(
		func() error { return chainEvent(ctx, l.w, &chain, sheet.LoadedEvent(l.contents.reads())) },
		func() error { return l.recordOrigins(ctx, sheet, &chain) },
		func() error { return l.recordColumns(ctx, sheet, &chain) },
		func() error { return l.w.QueryRow(ctx, `SELECT ifnull(max(no), 0) + 1 FROM batches`).Scan(&first) },
	)
	if err != nil {
		return err
	}
	plan := ledger.SheetPlan{LedgerID: l.s.id, SheetID: sheet.ID, Content: sheet.Content, Actor: sheet.LoadedBy, At: sheet.LoadedAt}
	news := plan.First(batches, func(i int32) ledger.Digest { return l.members[i].digest })
	l.plans(news)
	err = insertRows(l.w, plannedBatches, len(news), func(i int) newBatch {
		return newBatch{NewBatch: news[i], no: first + int64(i), sheetNo: l.sheetNo, routeNo: l.w.routes[news[i].Route()],
			members: l.memberIDs(news[i].Members)}
	})
	if err != nil {
		return fmt.Errorf("its batches: %w", err)
	}
	return insertRows(l.w, events, len(news), func(i int) ledger.Event { return chain.Append(news[i].Event()) })
}

// plans adds the batches to those that Commit returns.
func (l *loading) plans(news []ledger.NewBatch) { l.planned = append(l.planned, asPlanned(news)...) }

// asPlanned returns new batches as they are recorded.
func asPlanned(news []ledger.NewBatch) []ledger.Batch {
	return ledger.ListOf(news, func(n ledger.NewBatch) ledger.Batch { return n.Batch })
}

// memberIDs returns the stored form of the payouts that a sheet put into a batch.
func (l *loading) memberIDs(positions []int32) string {
	var ids []byte
	for _, m := range positions {
		ids = strconv.AppendInt(append(ids, ','), l.first+int64(m), 10)
	}
	ids[0] = '['
	return string(append(ids, ']'))
}
