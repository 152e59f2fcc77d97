package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
)

const (
	// What an attempt sends is what its payout says, or was last corrected to by
	// then. corrected joins it to a payout p and its attempt a.
	sentColumns = `ifnull(c.amount, p.amount), ifnull(c.vendor_name, p.vendor_name), ifnull(c.bank_account_number, p.bank_account_number), ifnull(c.ifsc, p.ifsc),
		ifnull(iif(c.number IS NULL, p.remarks, c.remarks), ''), ifnull(iif(c.number IS NULL, p.open_beneficiary_id, c.open_beneficiary_id), ''),
		ifnull(iif(c.number IS NULL, p.bene_lei, c.bene_lei), '')`
	sentRoute = `ifnull(c.route_no, p.route_no)`
	corrected = ` LEFT JOIN corrections c ON c.payout_id = a.payout_id AND c.number = (SELECT max(k.number) FROM corrections k
		WHERE k.payout_id = a.payout_id AND k.number <= a.number)`
	// A payout whose batch has not begun has no attempt yet: it is planned, in the
	// batch that has it among its members.
	attemptColumns = `p.id, p.row, p.ref, ` + sentColumns + `, p.sheet_no, ` + sentRoute + `, ifnull(a.number, 1), ifnull(a.wire_ref, p.ref), a.batch_no,
		` + attemptState + `, ifnull(a.status, ''), ifnull(a.bank_status_code, ''), ifnull(a.open_txn_id, ''), ifnull(a.bank_txn_ref_id, ''),
		ifnull(a.failed_reads, 0), ifnull(a.reason, ''), a.updated_at, ifnull(a.resolved, ''), ifnull(a.dispute, ''), ifnull(a.was, ''), ifnull(a.unread, 0)`
	attemptState = `ifnull(a.state, 'planned')`
	// latest keeps the newest attempt of each payout; attempts beyond the
	// first are few, and stand in a table of their own.
	latest = `NOT EXISTS (SELECT 1 FROM further_attempts n WHERE n.payout_id = a.payout_id AND n.number > a.number)`
)

// attemptReader scans attempts and adds what they share: their sheet, their
// batch and their route, each read once.
type attemptReader struct {
	ctx     context.Context // of the one query that it reads
	r       reader
	sheets  map[int64]string
	routes  map[int64]ledger.Payout // the three shared fields only
	batches map[int64]sharedBatch
	unmade  unmade
	of      int64 // the batch of what has no attempt yet, where only that one's is read; else 0
}

// sharedBatch is what attempts say of their batch.
type sharedBatch struct {
	id      string
	created time.Time
}

const selectShared = `SELECT no, id, created_at FROM batches`

func newAttemptReader(ctx context.Context, r reader) (*attemptReader, error) {
	ar := &attemptReader{ctx: ctx, r: r, sheets: map[int64]string{}, routes: map[int64]ledger.Payout{}, batches: map[int64]sharedBatch{}}
	err := each(ctx, r, func(rows *sql.Rows) error {
		var no int64
		var p ledger.Payout
		err := rows.Scan(&no, &p.BankAccountID, &p.SubMerchantID, &p.TransactionTypeID)
		ar.routes[no] = p
		return err
	}, `SELECT no, bank_account_id, sub_merchant_id, transaction_type_id FROM routes`)
	if err != nil {
		return nil, err
	}
	return ar, each(ctx, r, func(rows *sql.Rows) error {
		var no int64
		var id string
		err := rows.Scan(&no, &id)
		ar.sheets[no] = id
		return err
	}, `SELECT no, id FROM sheets WHERE sealed = 1`)
}

// allBatches reads what is shared of every batch at once: of many it is cheaper
// than one by one.
func (ar *attemptReader) allBatches() error {
	return eachHanded(ar.ctx, ar.r, func(row cells) error {
		ar.batches[row.int(0)] = sharedBatch{row.text(1), row.moment(2)}
		return row.are("nt?")
	}, handed+`no, id, created_at) FROM batches NOT INDEXED ORDER BY no`)
}

// oneBatch reads what is shared of the only batch whose attempts are read: it has
// whatever has no attempt yet. There may be none with that id.
func (ar *attemptReader) oneBatch(id string) error {
	err := each(ar.ctx, ar.r, ar.share, selectShared+` WHERE id = ?`, id)
	for no := range ar.batches {
		ar.of = no
	}
	return err
}

func (ar *attemptReader) share(rows *sql.Rows) error {
	var no int64
	var b sharedBatch
	var created sql.NullInt64
	err := rows.Scan(&no, &b.id, &created)
	b.created = fromMicros(created)
	ar.batches[no] = b
	return err
}

func (ar *attemptReader) batch(no int64) (sharedBatch, error) {
	b, ok := ar.batches[no]
	if ok {
		return b, nil
	}
	err := each(ar.ctx, ar.r, ar.share, selectShared+` WHERE no = ?`, no)
	return ar.batches[no], err
}

// attemptKinds are the kinds of attemptColumns.
const attemptKinds = `nntnttttttnnnt?tttttnt?tttn`

// read reads the attempt of a row; ok is false of a payout that no
// batch has, which only a damaged ledger holds.
func (ar *attemptReader) read(c cells) (a ledger.Attempt, ok bool, err error) {
	if err := c.are(attemptKinds); err != nil {
		return a, false, err
	}
	a.ID, a.Row, a.Ref, a.Amount = c.int(0), int(c.int(1)), c.text(2), ledger.Paise(c.int(3))
	a.VendorName, a.BankAccountNumber, a.IFSC, a.Remarks, a.OpenBeneficiaryID, a.BeneLEI = c.text(4), c.text(5), c.text(6), c.text(7), c.text(8), c.text(9)
	sheetNo, route, batchNo := c.int(10), ar.routes[c.int(11)], c.int(14)
	a.Number, a.WireRef, a.State, a.Status, a.BankStatusCode = int(c.int(12)), c.text(13), ledger.PayoutState(c.text(15)), c.text(16), c.text(17)
	a.OpenTxnID, a.BankTxnRefID, a.FailedReads, a.Reason = c.text(18), c.text(19), int(c.int(20)), c.text(21)
	a.Resolved, a.Dispute, a.Was, a.Unread = ledger.Resolution(c.text(23)), ledger.DisputeCause(c.text(24)), ledger.PayoutState(c.text(25)), ledger.Fields(c.int(26))
	if batchNo == 0 {
		batchNo = ar.of
	}
	if batchNo == 0 {
		batchNo, err = ar.unmade.of(ar.ctx, ar.r, sheetNo, a.ID)
	}
	if err != nil || batchNo == 0 {
		return a, false, err
	}
	batch, err := ar.batch(batchNo)
	a.SheetID, a.BatchID, a.UpdatedAt = ar.sheets[sheetNo], batch.id, c.moment(22)
	a.BankAccountID, a.SubMerchantID, a.TransactionTypeID = route.BankAccountID, route.SubMerchantID, route.TransactionTypeID
	if !c.isInt(22) {
		a.UpdatedAt = batch.created
	}
	return a, true, err
}

// EachPayout calls fn for every payout's latest attempt, or for every attempt
// with f.Attempts, in the order of loading. The filter selects among those: a
// batch shows the payouts whose latest attempt is in it. Account numbers are
// full: whoever shows them masks them.
func (s *Store) EachPayout(ctx context.Context, f ledger.Filter, fn func(ledger.Attempt) error) error {
	return damage("read the payouts", s.eachAttempt(ctx, selection{Filter: f}, fn))
}

// selection is a filter and what only the store can say besides.
type selection struct {
	ledger.Filter
	only    bool     // of the payouts below
	payouts []int64  // their numbers
	further []string // conditions about an attempt a
}

// eachAttempt streams the attempts that are selected, as they are at one moment.
func (s *Store) eachAttempt(ctx context.Context, sel selection, fn func(ledger.Attempt) error) error {
	if !sel.only && sel.looksFor() {
		var err error
		if sel.payouts, err = s.mentioned(ctx, sel.Filter); err != nil {
			return err
		}
		sel.only = true
	}
	conn, err := s.read.Conn(ctx)
	if err != nil {
		return err
	}
	defer release([]*sql.Conn{conn})
	if _, err := conn.ExecContext(ctx, `BEGIN`); err != nil {
		return err
	}
	return sel.each(ctx, conn, fn)
}

func (sel selection) each(ctx context.Context, conn *sql.Conn, fn func(ledger.Attempt) error) error {
	ar, err := newAttemptReader(ctx, conn)
	if err != nil {
		return err
	}
	lines := 0
	found := func(c *cursor) error {
		a, ok, err := ar.read(c.cells)
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
	if err := sel.read(ctx, conn, ar, found); !errors.Is(err, errMost) {
		return err
	}
	return nil
}

// errMost ends a reading of which no more is wanted.
var errMost = errors.New("no more is wanted")

func (sel selection) read(ctx context.Context, conn *sql.Conn, ar *attemptReader, found func(*cursor) error) (err error) {
	if !sel.only {
		switch {
		case sel.BatchID != "":
			err = ar.oneBatch(sel.BatchID)
		case sel.Most == 0 && (len(sel.States) == 0 || !sel.apart()): // of a few each is read when it is needed
			err = ar.allBatches()
		}
		if err != nil {
			return err
		}
		return sel.query(ctx, conn, found, nil)
	}
	for some := range slices.Chunk(slices.Sorted(slices.Values(sel.payouts)), lookups) {
		if err := sel.query(ctx, conn, found, some); err != nil {
			return err
		}
	}
	return nil
}

// apartStates are the states that few attempts are in, and that a partial index
// holds in its own words: repeated, they let a query use it.
const apartStates = `a.state IN ('failed', 'returned', 'cancelled', 'disputed')`

// query reads what is selected, of some payouts only where some are given.
func (sel selection) query(ctx context.Context, conn *sql.Conn, row func(*cursor) error, some []int64) (err error) {
	where, args := append([]string{"1"}, sel.further...), []any{}
	if sel.SheetID != "" {
		// no sheet's payouts lie among another's
		where = append(where, `p.id BETWEEN (SELECT first_payout FROM sheets WHERE id = ?) AND (SELECT last_payout FROM sheets WHERE id = ?)`)
		args = append(args, sel.SheetID, sel.SheetID)
	}
	if some != nil {
		where = append(where, `p.id IN (`+numbers(some)+`)`)
	}
	if sel.After > 0 {
		where, args = append(where, `p.id > ?`), append(args, sel.After)
	}
	if !sel.Attempts {
		where = append(where, latest)
	}
	if len(sel.States) > 0 {
		where = append(where, attemptState+` IN (?`+strings.Repeat(", ?", len(sel.States)-1)+`)`)
		for _, state := range sel.States {
			args = append(args, string(state))
		}
	}
	const began = `attempts a CROSS JOIN payouts p ON p.id = a.payout_id`
	columns, from, order := `SELECT `+attemptColumns, began, `a.payout_id, a.number`
	switch planned := len(sel.States) == 0 || slices.Contains(sel.States, ledger.PayoutPlanned); {
	case sel.BatchID != "" && planned: // its members, as long as they have no attempts
		from, order = `(SELECT value AS id FROM batches m, json_each(m.members) WHERE m.id = ?1 AND m.made = 0
			UNION SELECT payout_id FROM attempts WHERE batch_no = (SELECT no FROM batches WHERE id = ?1)) s
			CROSS JOIN payouts p ON p.id = s.id LEFT JOIN attempts a ON a.payout_id = p.id`, `p.id, a.number`
		where = append(where, `(a.batch_no IS NULL OR a.batch_no = (SELECT no FROM batches WHERE id = ?1))`)
		args = append([]any{sel.BatchID}, args...)
	case sel.BatchID != "":
		where, args = append(where, `a.batch_no = (SELECT no FROM batches WHERE id = ?)`), append(args, sel.BatchID)
	case planned || some != nil:
		from, order = `payouts p LEFT JOIN attempts a ON a.payout_id = p.id`, `p.id, a.number`
		if some == nil && sel.further == nil { // they come as they lie
			columns = handed + attemptColumns + `)`
		}
	case sel.apart():
		where = append(where, apartStates)
		from = `attempts a INDEXED BY attempts_apart CROSS JOIN payouts p ON p.id = a.payout_id`
	}
	c, err := walk(ctx, conn, columns+` FROM `+from+corrected+` WHERE `+strings.Join(where, " AND ")+` ORDER BY `+order, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	for ; c.more; c.next() {
		if err := row(c); err != nil {
			return err
		}
	}
	return nil
}
