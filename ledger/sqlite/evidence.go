package sqlite

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"payrun/ledger"
	"payrun/ledger/reconcile"
)

// derived reads up-to-date matches: the stored rows and, for the stale days of an account, a fresh result of
// matching.
type derived struct {
	ctx     context.Context // of the one reading
	r       Reader
	fresh   map[string]*matched
	batches map[string]*batchRecord // that were read; see batch
}

func newDerived(ctx context.Context, r Reader) (*derived, error) {
	d := lastMatched(ctx, r)
	stale, err := staleOf(ctx, r)
	for account, day := range stale {
		if err == nil {
			d.fresh[account], err = matchedFrom(ctx, r, account, day)
		}
	}
	return d, err
}

// lastMatched reads only the stored rows.
func lastMatched(ctx context.Context, r Reader) *derived {
	return &derived{ctx: ctx, r: r, fresh: map[string]*matched{}, batches: map[string]*batchRecord{}}
}

// of returns the fresh result for an account. It replaces the rows from its day from on.
func (d *derived) of(account string) *matched {
	if m := d.fresh[account]; m != nil {
		return m
	}
	return &matched{from: forever}
}

// matches returns the matches of some payouts, by attempt.
func (d *derived) matches(payouts []int64) (map[ledger.AttemptKey][]reconcile.Match, error) {
	rows := map[ledger.AttemptKey][]reconcile.Match{}
	kept, err := matchesOf(d.ctx, d.r, `payout_id IN (SELECT value FROM json_each(?))`, inList(payouts))
	for _, x := range kept {
		if x.Day < d.of(x.BankAccountID).from {
			rows[x.Of] = append(rows[x.Of], x)
		}
	}
	wanted := map[int64]bool{}
	for _, id := range payouts {
		wanted[id] = true
	}
	for _, account := range slices.Sorted(maps.Keys(d.fresh)) {
		for _, x := range d.fresh[account].Matches {
			if wanted[x.Of.PayoutID] {
				rows[x.Of] = append(rows[x.Of], x)
			}
		}
	}
	return rows, err
}

// around returns the lines of an account, from a day on, that belong to no payout: debits of at least an amount
// (paise), and breaks. With 0 it returns every open line.
func (d *derived) around(account, since string, least ledger.Paise) (a reconcile.Matching, err error) {
	m := d.of(account)
	a.Open, err = openOf(d.ctx, d.r, `account = ? AND day >= ? AND day < ? AND (? = 0 OR debit = 1 AND amount >= ?)`, account, since, m.from, int64(least), int64(least))
	if err != nil {
		return a, err
	}
	for _, x := range m.Open {
		if x.Day >= since && (least == 0 || x.Debit && x.Amount >= least) {
			a.Open = append(a.Open, x)
		}
	}
	a.Breaks, err = breaksOf(d.ctx, d.r, `account = ? AND day >= ? AND day < ?`, account, since, m.from)
	for _, b := range m.Breaks {
		if b.To >= since {
			a.Breaks = append(a.Breaks, b)
		}
	}
	return a, err
}

// shown returns attempts with their matches.
func (d *derived) shown(payouts []int64) (list []reconcile.Shown, err error) {
	attempts, err := matchable(d.ctx, d.r, "", payouts)
	if err != nil {
		return nil, err
	}
	rows, err := d.matches(payouts)
	if err != nil {
		return nil, err
	}
	inBatch := map[string]reconcile.Shown{}
	for _, a := range attempts {
		s := reconcile.Shown{Attempt: a, Rows: rows[a.AttemptKey]}
		if a.State.Final() && a.State != ledger.PayoutDisputed {
			s.Ended = max(ledger.BankDay(a.Since), a.Last) // by the bank's clock too
		}
		if a.Batch.Count > 1 && a.First != "" && a.State != ledger.PayoutSuccess {
			others, asked := inBatch[a.Batch.ID]
			if !asked {
				if others, err = d.inBatch(a.Batch.ID); err != nil {
					return nil, err
				}
				inBatch[a.Batch.ID] = others
			}
			s.MissesPaid, s.Unpaid = others.MissesPaid, others.Unpaid
		}
		if a.State == ledger.PayoutCancelled && (a.First != "" || len(s.Rows) > 0) { // perhaps by two people
			b, err := d.batch(a.Batch.ID)
			if err != nil {
				return nil, err
			}
			s.Released = b.releasedEvidence(a.AttemptKey)
		}
		list = append(list, s)
	}
	return list, nil
}

// inBatch reports whether a paid payout of a batch has no debit, and returns the amounts that are not paid. If
// the bank gives its own statement, a debit in a file does not count.
func (d *derived) inBatch(batchID string) (s reconcile.Shown, err error) {
	var paid []ledger.AttemptKey
	var payouts []int64
	err = each(d.ctx, d.r, func(rows Rows) error {
		var of ledger.AttemptKey
		var state ledger.PayoutState
		var amount ledger.Paise
		err := rows.Scan(&of.PayoutID, &of.Number, &state, &amount)
		if state == ledger.PayoutSuccess || state == ledger.PayoutReturned {
			paid, payouts = append(paid, of), append(payouts, of.PayoutID)
		}
		if state != ledger.PayoutSuccess {
			s.Unpaid = append(s.Unpaid, amount)
		}
		return err
	}, `SELECT a.payout_id, a.number, a.state, ifnull(c.amount, p.amount) FROM batches b CROSS JOIN attempts a ON a.batch_no = b.no
		JOIN payouts p ON p.id = a.payout_id`+corrected+` WHERE b.id = ? ORDER BY 4`, batchID)
	if err != nil || len(paid) == 0 {
		return s, err
	}
	var bank bool
	err = d.r.QueryRow(d.ctx, `SELECT EXISTS (SELECT 1 FROM statement_readings s JOIN routes r ON r.bank_account_id = s.account JOIN batches b ON b.route_no = r.no
		WHERE b.id = ? AND s.source = ? AND s.shape = ?)`, batchID, ledger.FromInterface, ledger.ShapeEntries).Scan(&bank)
	if err != nil {
		return s, err
	}
	rows, err := d.matches(payouts)
	s.MissesPaid = slices.ContainsFunc(paid, func(of ledger.AttemptKey) bool {
		return !slices.ContainsFunc(rows[of], func(x reconcile.Match) bool {
			return x.Debit && x.Share > 0 && (!bank || x.Source == ledger.FromInterface)
		})
	})
	return s, err
}

// needs has, by debit account, the lines that may belong to some attempts; see around.
type needs map[string]need

type need struct {
	since string
	least ledger.Paise
}

func (n needs) add(s reconcile.Shown, since string) {
	if has, known := n[s.BankAccountID]; known {
		n[s.BankAccountID] = need{min(has.since, since), min(has.least, s.Amount)}
	} else {
		n[s.BankAccountID] = need{since, s.Amount}
	}
}

// evidence returns what the statements show of the attempts of some payouts.
func (d *derived) evidence(payouts []int64) (map[ledger.AttemptKey]ledger.StatementEvidence, error) {
	list, err := d.shown(payouts)
	if err != nil {
		return nil, err
	}
	needs := needs{}
	for _, s := range list {
		if s.First != "" && s.State != ledger.PayoutSuccess {
			needs.add(s, ledger.DayPlus(s.First, -1))
		}
	}
	around := map[string]reconcile.Matching{}
	for account, n := range needs {
		if around[account], err = d.around(account, n.since, n.least); err != nil {
			return nil, err
		}
	}
	found := make(map[ledger.AttemptKey]ledger.StatementEvidence, len(list))
	for i := range list {
		found[list[i].AttemptKey] = list[i].Evidence(around[list[i].BankAccountID])
	}
	return found, nil
}

// fresh brings the matches up to date if the ledger is open for writing, then calls fn with a snapshot.
func (s *Tables) fresh(ctx context.Context, fn func(Snapshot) error) error {
	if s.db.Writable() {
		if err := s.match(ctx); err != nil {
			return err
		}
	}
	return s.db.Moment(ctx, fn)
}

// match brings the matches up to date.
func (s *Tables) match(ctx context.Context) error {
	stale, err := staleOf(ctx, s.db)
	if err == nil && len(stale) > 0 {
		err = s.inTx(ctx, "match the statements", func(tx Writer) error { return refresh(ctx, tx) })
	}
	return err
}

// LinesAt returns lines of statements by their names, in order. It leaves out names that are not recorded.
func (s *Tables) LinesAt(ctx context.Context, refs []ledger.EntryRef) (list []ledger.KeptLine, err error) {
	for _, ref := range slices.SortedFunc(slices.Values(refs), ledger.EntryRef.Compare) {
		lines, err := linesOf(ctx, s.db, `reading = ? AND line = ?`, ref.Reading, ref.Line)
		if err != nil {
			return nil, damage("read lines of statements", err)
		}
		list = append(list, lines...)
	}
	return list, nil
}

// AccountEvidence returns what the statements that count show of a debit account besides payouts, between two
// days.
func (s *Tables) AccountEvidence(ctx context.Context, bankAccountID, from, to string) (e ledger.AccountEvidence, err error) {
	err = s.fresh(ctx, func(r Snapshot) error {
		d, err := newDerived(ctx, r)
		if err != nil {
			return err
		}
		around, err := d.around(bankAccountID, from, 0)
		if err != nil {
			return err
		}
		for _, o := range around.Open {
			if o.Day <= to && (o.Why == reconcile.Nobodys || o.Why == reconcile.Equals || o.Why == reconcile.InFile) {
				e.Unexplained = append(e.Unexplained, o.StatementLine)
			}
		}
		readings, err := readingsOf(ctx, r, bankAccountID, from)
		e.Missing = ledger.MissingDays(readings, from, to)
		return err
	})
	return e, damage("read what statements show", err)
}

// Reconciled compares all recorded statements with every payout, or with the given ones. For given payouts it
// reports only those unmatched lines that could belong to them.
func (s *Tables) Reconciled(ctx context.Context, set reconcile.Settings, payouts ...int64) (*reconcile.Result, error) {
	return readAt(ctx, s.fresh, "reconcile", func(r Snapshot) (*reconcile.Result, error) {
		d, err := newDerived(ctx, r)
		if err != nil {
			return nil, err
		}
		return d.report(set, payouts)
	})
}

// oddPayouts selects the payouts with a return, a debit of another amount, or more debits than their status explains.
const oddPayouts = `SELECT payout_id FROM statement_matches INDEXED BY statement_matches_odd WHERE why <> '' OR debit = 0
	UNION SELECT m.payout_id FROM statement_open o CROSS JOIN statement_matches m
	ON m.account = o.account AND m.day = o.day AND m.reading = o.reading AND m.line = o.line AND m.part = o.part WHERE o.why = 'claimed'`

// Contradicted returns what statements show against payouts, as they were last matched: against those of suspects, and
// against oddPayouts. It leaves out what a statement lacks, which Reconciled finds by reading every payout. Of the
// suspects it also returns those that an accepted older copy locked.
func (s *Tables) Contradicted(ctx context.Context, set reconcile.Settings, suspects []int64) (shown []reconcile.Exception, err error) {
	err = s.db.Moment(ctx, func(r Snapshot) error {
		odd, err := list(ctx, r, itself[int64], oddPayouts)
		if err != nil {
			return err
		}
		var some bool
		if err = r.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM statement_readings)`).Scan(&some); err != nil {
			return err
		}
		if payouts := inOrder(append(odd, suspects...)); some && len(payouts) > 0 {
			result, err := lastMatched(ctx, r).report(set, payouts)
			if err != nil {
				return err
			}
			shown = slices.DeleteFunc(result.Exceptions, func(e reconcile.Exception) bool {
				return e.Of == (ledger.AttemptKey{}) || e.Kind == ledger.MissingInStatement || !e.Kind.NeedsPerson()
			})
		}
		restored, err := restoredLocks(ctx, r, suspects)
		shown = append(shown, restored...)
		return err
	})
	return shown, damage("read what statements show against payouts", err)
}

// restoredLocks returns those of the payouts that an accepted older copy locked.
func restoredLocks(ctx context.Context, r Snapshot, payouts []int64) (locked []reconcile.Exception, err error) {
	upto, err := copiedUpTo(ctx, r)
	if err != nil || upto == 0 {
		return nil, err
	}
	records, err := recordsOf(ctx, r, slices.DeleteFunc(slices.Clone(payouts), func(id int64) bool { return id > upto }))
	for _, id := range slices.Sorted(maps.Keys(records)) {
		all := records[id]
		for _, l := range ledger.Locks(all) {
			if l.Kind == ledger.LockRestored {
				locked = append(locked, reconcile.Exception{Kind: l.Kind, Of: l.Of, WireRef: l.WireRef, BatchID: l.BatchID, Amount: all[len(all)-1].Amount, Detail: l.Saw()})
			}
		}
	}
	return locked, err
}

// report reports on the given payouts and their accounts, or on all if none are given. Its clock is the newest event:
// the same ledger gives the same report.
func (d *derived) report(set reconcile.Settings, payouts []int64) (*reconcile.Result, error) {
	head, err := auditHead(d.ctx, d.r)
	if err != nil {
		return nil, err
	}
	report := reconcile.NewReport(set, head.At)
	some, err := d.shown(payouts)
	if err != nil {
		return nil, err
	}
	needs := needs{}
	for _, s := range some {
		needs.add(s, ledger.DayPlus(cmp.Or(s.First, s.Planned), -reconcile.Reach))
	}
	readings, err := readingsOf(d.ctx, d.r, "", "")
	if err != nil {
		return nil, err
	}
	byAccount := map[string][]ledger.KeptStatement{}
	for _, k := range readings {
		byAccount[k.BankAccountID] = append(byAccount[k.BankAccountID], k)
	}
	for _, account := range slices.Sorted(maps.Keys(byAccount)) {
		n, wanted := needs[account]
		if !wanted && len(payouts) > 0 {
			continue
		}
		around, err := d.around(account, n.since, n.least)
		if err != nil {
			return nil, err
		}
		newest, err := d.newest(account)
		if err != nil {
			return nil, err
		}
		report.Account(account, byAccount[account], around, newest)
	}
	report.Payouts(some)
	for after := int64(0); len(payouts) == 0; {
		ids, err := list(d.ctx, d.r, itself[int64], `SELECT id FROM payouts WHERE id > ? ORDER BY id LIMIT ?`, after, payoutsAtOnce)
		if err != nil {
			return nil, err
		}
		if len(ids) == 0 {
			break
		}
		shown, err := d.shown(ids)
		if err != nil {
			return nil, err
		}
		report.Payouts(shown)
		after = ids[len(ids)-1]
	}
	return report.Result(), nil
}

// payoutsAtOnce is how many payouts a report reads together.
const payoutsAtOnce = 10_000

// newest returns the newest day with a line that counts of an account, or "".
func (d *derived) newest(account string) (day string, err error) {
	m := d.of(account)
	err = d.r.QueryRow(d.ctx, `SELECT ifnull(max(day), '') FROM (SELECT max(day) AS day FROM statement_matches WHERE account = ?1 AND day < ?2 AND why NOT IN ('only_in_file', 'withdrawn')
		UNION ALL SELECT max(day) FROM statement_open WHERE account = ?1 AND day < ?2 AND why NOT IN ('only_in_file', 'withdrawn')) d`, account, m.from).Scan(&day)
	take := func(why reconcile.Why, of string) {
		if why != reconcile.InFile && why != reconcile.Withdrawn {
			day = max(day, of)
		}
	}
	for _, x := range m.Matches {
		take(x.Why, x.Day)
	}
	for _, x := range m.Open {
		take(x.Why, x.Day)
	}
	return day, err
}

// matchesHold compares the stored matches with a fresh result of matching, some weeks at a time. It skips stale
// rows, which are replaced before they are read.
func matchesHold(ctx context.Context, r Reader, wrong func(detail string)) error {
	d, err := newDerived(ctx, r)
	if err != nil {
		return err
	}
	type span struct{ account, from, to string }
	spans, err := list(ctx, r, func(s *span) []any { return []any{&s.account, &s.from, &s.to} }, `SELECT account, min(day), max(day)
		FROM (SELECT account, day FROM statement_lines UNION SELECT account, day FROM statement_matches
		UNION SELECT account, day FROM statement_open UNION SELECT account, day FROM statement_breaks) d GROUP BY account ORDER BY account`)
	if err != nil {
		return err
	}
	for _, s := range spans {
		to := min(s.to, ledger.DayPlus(d.of(s.account).from, -1))
		for from := s.from; from <= to; from = ledger.DayPlus(from, weeksAtOnce) {
			until := min(to, ledger.DayPlus(from, weeksAtOnce-1))
			same, err := d.holds(s.account, from, until)
			if err != nil {
				return err
			}
			if !same {
				wrong("the matches of account " + s.account + " of " + from + " to " + until + " are not what matching gives")
			}
		}
	}
	return nil
}

// weeksAtOnce is how many days verify matches together.
const weeksAtOnce = 28

func (d *derived) holds(account, from, to string) (bool, error) {
	m, err := match(d.ctx, d.r, account, from, to)
	if err != nil {
		return false, err
	}
	const days = `account = ? AND day BETWEEN ? AND ?`
	var kept reconcile.Matching
	err = inTurn(
		func() (err error) { kept.Matches, err = matchesOf(d.ctx, d.r, days, account, from, to); return err },
		func() (err error) { kept.Open, err = openOf(d.ctx, d.r, days, account, from, to); return err },
		func() (err error) { kept.Breaks, err = breaksOf(d.ctx, d.r, days, account, from, to); return err },
	)
	kept.Sort()
	return slices.Equal(kept.Matches, m.Matches) && slices.Equal(kept.Open, m.Open) && slices.Equal(kept.Breaks, m.Breaks), err
}
