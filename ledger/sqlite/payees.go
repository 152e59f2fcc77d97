package sqlite

import (
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"math"
	"slices"
	"sort"

	"payrun/ledger"
)

const (
	// payeeSlab is how many payouts enter the index at once: they are sorted and committed together.
	payeeSlab = 1 << 17

	// payeeTail bounds the payouts after the index that a check marks in memory. They are the latest ones, and
	// as many as a sheet may have rows.
	payeeTail = 2_000_000
)

// payeeMark is the entry of a payout in the index.
type payeeMark struct {
	name, account int64
	payoutID      int64
	amount        int64
}

func byAccount(a, b payeeMark) int {
	return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.payoutID, b.payoutID))
}

func byName(a, b payeeMark) int {
	return cmp.Or(cmp.Compare(a.name, b.name), byAccount(a, b))
}

// payeeMarks are the marks of some payouts, in the orders of the index.
type payeeMarks struct {
	byAccount []payeeMark // all marks, by account and payout
	byName    []payeeMark // the first of each name and account, in that order; none without a name
}

// to returns the payouts to an account, in the order of loading.
func (m payeeMarks) to(account int64) []payeeMark {
	return between(m.byAccount, func(i int) int64 { return m.byAccount[i].account }, account)
}

// of returns the first payout of a name to each account.
func (m payeeMarks) of(name int64) []payeeMark {
	return between(m.byName, func(i int) int64 { return m.byName[i].name }, name)
}

// between returns the marks with a hash, which are adjacent.
func between(sorted []payeeMark, hashOf func(i int) int64, hash int64) []payeeMark {
	first := sort.Search(len(sorted), func(i int) bool { return hashOf(i) >= hash })
	n := sort.Search(len(sorted)-first, func(i int) bool { return hashOf(first+i) > hash })
	return sorted[first : first+n]
}

// prepare reads once how far the index goes, and marks the payouts after it. It reports whether there is any
// payout: an empty ledger then needs no queries, which would run a thousand times for a sheet.
func (p *payees) prepare(ctx context.Context) (some bool, err error) {
	if !p.prepared {
		err = p.db.Moment(ctx, func(r Snapshot) error { return p.markTail(ctx, r) })
		p.prepared = err == nil
	}
	return p.last > 0, err
}

// markTail marks the payouts that count and are not in the part of the index that counts.
func (p *payees) markTail(ctx context.Context, r Snapshot) error {
	upto, last, err := payeesBehind(ctx, r)
	if err != nil {
		return err
	}
	end, resume := last, last // payouts count up to end, and again after resume
	var own []payeeMark
	if p.without != "" {
		err := r.QueryRow(ctx, `SELECT s.first_payout - 1, s.last_payout FROM sheets s JOIN batches b ON b.sheet_no = s.no WHERE b.id = ?`, p.without).Scan(&end, &resume)
		if err != nil {
			return orNotFound(err)
		}
		upto = min(upto, end)
		if own, err = marksOfSent(ctx, r, p.fold, p.without, end, resume); err != nil {
			return err
		}
	}
	marks, err := marksAfter(ctx, r, max(upto, end-payeeTail), end, int(min(end-upto, payeeTail)), p.fold)
	if err != nil {
		return err
	}
	later, err := marksAfter(ctx, r, max(resume, last-payeeTail), last, int(min(last-resume, payeeTail)), p.fold)
	if err != nil {
		return err
	}
	corrected, err := marksOfCorrected(ctx, r, p.fold, p.without, end, resume)
	if err != nil {
		return err
	}
	p.moved = make(map[int64][]payeeMark, len(corrected))
	for _, m := range corrected {
		p.moved[m.payoutID] = append(p.moved[m.payoutID], m)
	}
	p.tail = sorted(slices.Concat(marks, later, own, corrected))
	p.upto, p.last = upto, last
	return nil
}

// marksOfSent marks the payouts of the sheet of a batch (those after end, up to resume) that are neither planned nor in
// the batch, as they were sent last. They count once some of the sheet are planned again: one may be corrected to the
// account of another that was paid.
func marksOfSent(ctx context.Context, r Snapshot, fold func(string) string, without string, end, resume int64) ([]payeeMark, error) {
	return readMarks(ctx, r, fold, 0, Select{`a.payout_id, ` + asSent(`amount, vendor_name, bank_account_number, ifsc, open_beneficiary_id`),
		`FROM payouts p JOIN attempts a ON a.payout_id = p.id AND ` + latest + ` JOIN batches b ON b.no = a.batch_no` + corrected + `
		WHERE p.id > ? AND p.id <= ? AND a.state <> 'planned' AND b.id <> ? AND EXISTS (SELECT 1 FROM batches WHERE state = 'planned' AND attempt > 1
			AND sheet_no = (SELECT sheet_no FROM batches WHERE id = ?)) ORDER BY p.id`, false}, end, resume, without, without)
}

// marksOfCorrected marks what the latest attempts of payouts send, if that was corrected. It leaves out corrections that
// the sheet of a batch brought, and those of its payouts, which are after end, up to resume. They are few and never in
// the index.
func marksOfCorrected(ctx context.Context, r Snapshot, fold func(string) string, without string, end, resume int64) ([]payeeMark, error) {
	return readMarks(ctx, r, fold, 0, Select{`c.payout_id, c.amount, c.vendor_name, c.bank_account_number, c.ifsc, c.open_beneficiary_id`, `FROM attempts a` + corrected + `
		WHERE a.number > 1 AND c.number IS NOT NULL AND ` + latest + ` AND (? = '' OR c.sheet_no <> (SELECT sheet_no FROM batches WHERE id = ?) AND c.payout_id NOT BETWEEN ? AND ?)
		ORDER BY c.payout_id`, false}, without, without, end+1, resume)
}

// IndexPayees extends the index of payees until at most behind payouts are missing. Loading does not extend it,
// so that a sheet costs the same with and without it. It is extended before the next sheet is read, except for
// as many payouts as can be marked in memory sooner (docs/adr/0006-payee-index.md). If it is stopped half-way,
// it continues from there.
func (s *Tables) IndexPayees(ctx context.Context, fold func(name string) string, behind int) error {
	const doing = "index the payees"
	if !s.db.Writable() {
		return errors.New(doing + ": the ledger was opened for reading")
	}
	for {
		upto, last, err := payeesBehind(ctx, s.db)
		if err != nil || last-upto <= int64(behind) {
			return damage(doing, err)
		}
		if err := s.inTx(ctx, doing, func(tx Writer) error { return indexAfter(ctx, tx, upto, fold) }); err != nil {
			return err
		}
	}
}

// payeesBehind returns the last payout in the index, and the last payout.
func payeesBehind(ctx context.Context, r Reader) (upto, last int64, err error) {
	err = r.QueryRow(ctx, `SELECT upto, (SELECT ifnull(max(id), 0) FROM payouts) FROM payees_indexed`).Scan(&upto, &last)
	return upto, last, err
}

// indexAfter adds the next payouts after a payout to the index.
func indexAfter(ctx context.Context, tx Writer, after int64, fold func(string) string) error {
	read, err := marksAfter(ctx, tx, after, math.MaxInt64, payeeSlab, fold)
	if err != nil {
		return err
	}
	marks := sorted(read)
	_, err = writeMany(ctx, tx, `INSERT INTO payee_payouts (account, payout_id, amount) VALUES `, ``, marks.byAccount,
		func(m *payeeMark) []any { return []any{m.account, m.payoutID, m.amount} })
	if err == nil {
		_, err = writeMany(ctx, tx, `INSERT INTO payee_names (name, account, payout_id) VALUES `, ` ON CONFLICT DO NOTHING`, marks.byName,
			func(m *payeeMark) []any { return []any{m.name, m.account, m.payoutID} })
	}
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE payees_indexed SET upto = (SELECT max(id) FROM (SELECT id FROM payouts WHERE id > ? ORDER BY id LIMIT ?) slab)`, after, payeeSlab)
	return err
}

// marksAfter marks the payouts after a payout, up to last. It reads no more than most.
func marksAfter(ctx context.Context, r Snapshot, after, last int64, most int, fold func(string) string) ([]payeeMark, error) {
	if most <= 0 {
		return nil, nil
	}
	return readMarks(ctx, r, fold, most, Select{`id, amount, vendor_name, bank_account_number, ifsc, open_beneficiary_id`,
		`FROM payouts WHERE id > ? AND id <= ? ORDER BY id LIMIT ?`, true}, after, last, most)
}

// readMarks marks the rows of a query. about is the expected number.
func readMarks(ctx context.Context, r Snapshot, fold func(string) string, about int, q Select, args ...any) (marks []payeeMark, err error) {
	marks = make([]payeeMark, 0, about)
	err = eachCells(ctx, r, func(row Cells) error {
		to := ledger.Account{BankAccountNumber: row.text(3), IFSC: row.text(4), OpenBeneficiaryID: row.text(5)}
		m := payeeMark{payoutID: row.int(0), amount: row.int(1), name: ledger.NameMark(fold(row.text(2))), account: ledger.AccountMark(to)}
		if marks = append(marks, m); to.ByNumber() != to {
			marks = append(marks, byNumber(m, to))
		}
		return nil
	}, q, args...)
	return marks, err
}

// byNumber is the second mark of a payout by beneficiary id to an account with a number. It has no name: for what is new
// about a payee, the id counts.
func byNumber(m payeeMark, to ledger.Account) payeeMark {
	m.name, m.account = ledger.NoName, ledger.AccountMark(to.ByNumber())
	return m
}

// sorted sorts marks into the orders of the index.
func sorted(marks []payeeMark) payeeMarks {
	named := slices.DeleteFunc(slices.Clone(marks), func(m payeeMark) bool { return m.name == ledger.NoName })
	slices.SortFunc(named, byName)
	named = slices.CompactFunc(named, func(a, b payeeMark) bool { return a.name == b.name && a.account == b.account })
	slices.SortFunc(marks, byAccount)
	return payeeMarks{byAccount: marks, byName: named}
}

// payeeIndex compares the payouts in the index of payees with those of the ledger, by sums of keyed hashes. A payout
// that is missing from the index would not be found as one that was paid before.
type payeeIndex struct {
	upto, last int64
	seed       maphash.Seed
	sum        uint64 // over the payouts, less that over the index
}

func payeeIndexOf(ctx context.Context, r Reader) (i *payeeIndex, err error) {
	i = &payeeIndex{seed: maphash.MakeSeed()}
	i.upto, i.last, err = payeesBehind(ctx, r)
	return i, err
}

func (i *payeeIndex) add(p *ledger.Payout) {
	if p.ID <= i.upto {
		to := p.AccountOf()
		m := payeeMark{account: ledger.AccountMark(to), payoutID: p.ID, amount: int64(p.Amount)}
		if i.sum += maphash.Comparable(i.seed, m); to.ByNumber() != to {
			i.sum += maphash.Comparable(i.seed, byNumber(m, to))
		}
	}
}

// compare reads the index, once every payout was added.
func (i *payeeIndex) compare(ctx context.Context, f *reader) error {
	err := eachCells(ctx, f.r, func(c Cells) error {
		i.sum -= maphash.Comparable(i.seed, payeeMark{account: c.int(0), payoutID: c.int(1), amount: c.int(2)})
		return nil
	}, Select{`account, payout_id, amount`, `FROM payee_payouts`, true})
	if i.sum != 0 || i.upto > i.last {
		f.report(0, "the index of payees has the payouts of the ledger", "payee_payouts or payees_indexed was changed; a repeated payout may not be found")
	}
	return err
}
