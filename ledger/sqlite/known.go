package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"payrun/ledger"
)

// known reads what a step is to be held against. It is read inside the
// transaction that writes what comes of it.
func (s *Store) known(ctx context.Context, tx *sql.Tx, b batchRow, step ledger.Step) (k ledger.BatchRecord, err error) {
	if step.NeedsComparison() {
		k, err = s.compared(ctx, tx, b)
	} else {
		k, err = s.recorded(ctx, tx, b, ownOfBatch)
	}
	if err == nil && step.HeldAtMost > 0 {
		k.Waiting, err = otpsWaiting(ctx, tx, b)
	}
	if err == nil && step.Event == ledger.InitiateIntended {
		if k.ApprovalStatus, err = consentWanted(ctx, tx, b); err != nil {
			return k, err
		}
		var restored sql.NullInt64
		err = tx.QueryRowContext(ctx, `SELECT max(at) FROM restores`).Scan(&restored)
		k.RestoredAt = fromMicros(restored)
	}
	if err != nil || step.Event != ledger.SubmitIntended && step.Release == nil {
		return k, err
	}
	if err := refresh(ctx, tx); err != nil {
		return k, err
	}
	return k, addRelease(ctx, tx, &k)
}

// addRelease adds what only a submit and a release ask.
func addRelease(ctx context.Context, r reader, k *ledger.BatchRecord) (err error) {
	if k.Proposals, err = proposals(ctx, r, k.Batch.ID); err != nil {
		return err
	}
	if k.Users, _, err = trailsOf(ctx, r); err != nil {
		return err
	}
	var restored sql.NullInt64
	if err := r.QueryRowContext(ctx, `SELECT min(newest_at) FROM restores`).Scan(&restored); err != nil {
		return err
	}
	k.RestoredSince = fromMicros(restored)
	if k.Spent, err = spentAt(ctx, r, k.Batch.BankAccountID); err != nil {
		return err
	}
	return addRecords(ctx, r, k.Attempts)
}

// addRecords adds all attempts of the batch's payouts, with what their locks depend on.
func addRecords(ctx context.Context, r reader, attempts []ledger.KnownAttempt) error {
	ids := make([]int64, len(attempts))
	for i := range attempts {
		ids[i] = attempts[i].ID
	}
	records, err := recordsOf(ctx, r, ids)
	for i := range attempts {
		a := &attempts[i]
		a.Records = records[a.ID]
		for _, r := range a.Records {
			if r.Key() == a.Key() {
				a.Payout = r.Payout // with the amount, which not every query reads
			}
		}
	}
	return err
}

// recorded reads the rows of a batch, its attempts by one of the queries for them, and
// what the audit trail tells of them: whole, with all that ledger.BatchRecord.VerifyDigests
// compares, but for Before.
func (s *Store) recorded(ctx context.Context, tx reader, b batchRow, attempts string) (k ledger.BatchRecord, err error) {
	k = ledger.BatchRecord{Batch: b.Batch, LedgerID: s.id, SheetContent: b.sheetContent}
	if k.Attempts, err = knownAttempts(ctx, tx, b, attempts); err != nil {
		return k, err
	}
	if k.Intents, err = intentsOf(ctx, tx, b.no); err != nil {
		return k, err
	}
	if k.Looks, err = looksOf(ctx, tx, b); err != nil {
		return k, err
	}
	if k.Trail, err = tellOf(ctx, tx, b.ID); err != nil || attempts != wholeOfBatch {
		return k, err
	}
	if k.Approvals, err = approvalsOf(ctx, tx, ledger.Filter{BatchID: b.ID}); err != nil {
		return k, err
	}
	k.Broken, err = s.broken(ctx, tx, k.Trail.Events())
	return k, err
}

// tellOf reads what the audit trail tells of a batch.
func tellOf(ctx context.Context, r reader, batchID string) (t ledger.TrailDigest, err error) {
	err = eachEvent(ctx, r, func(e ledger.Event) error { t.Replay(&e); return nil }, `batch_id <> '' AND batch_id = ?`, batchID)
	return t, err
}

// compared reads a batch whole, with the batches of earlier attempts of its
// payouts.
func (s *Store) compared(ctx context.Context, tx reader, b batchRow) (k ledger.BatchRecord, err error) {
	if k, err = s.recorded(ctx, tx, b, wholeOfBatch); err != nil {
		return k, err
	}
	before, err := batchesWhere(ctx, tx, `b.no IN (SELECT e.batch_no FROM attempts a JOIN attempts e ON e.payout_id = a.payout_id AND e.number < a.number
		WHERE a.batch_no = ? AND a.number > 1)`, b.no)
	if err != nil {
		return k, err
	}
	for _, old := range before {
		row, err := batchByID(ctx, tx, old.ID)
		if err != nil {
			return k, err
		}
		known, err := s.recorded(ctx, tx, row, wholeOfBatch)
		if err != nil {
			return k, err
		}
		k.Before = append(k.Before, known)
	}
	return k, nil
}

// VerifyDigests returns a *ledger.TamperedError where the rows of a batch, or of a batch of
// earlier attempts of its payouts, are not those that the audit trail tells of.
func (s *Store) VerifyDigests(ctx context.Context, batchID string) error {
	k, err := s.whole(ctx, batchID)
	if err == nil && len(k.Attempts) == 0 { // its first step makes them
		var planned []ledger.Attempt
		planned, err = s.attempts(ctx, batchID)
		for _, a := range planned {
			k.Attempts = append(k.Attempts, ledger.KnownAttempt{Attempt: a})
		}
	}
	if err == nil {
		err = k.VerifyDigests()
	}
	return damage("compare batch "+batchID, err)
}

// whole reads all of a batch that ledger.BatchRecord.VerifyDigests compares.
func (s *Store) whole(ctx context.Context, batchID string) (k ledger.BatchRecord, err error) {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}) // one moment of the ledger
	if err != nil {
		return k, err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	b, err := batchByID(ctx, tx, batchID)
	if err != nil {
		return k, err
	}
	return s.compared(ctx, tx, b)
}

// broken tells in words what is wrong with the audit chain at some events, and
// at its head: each has to follow the one before it, and to be followed by the
// next.
func (s *Store) broken(ctx context.Context, r reader, seqs []int64) (wrong []string, err error) {
	head, err := auditHead(ctx, r)
	if err != nil {
		return nil, err
	}
	for _, seq := range slices.Compact(slices.Sorted(slices.Values(append(seqs, head.Length)))) {
		chain := ledger.Chain{LedgerID: s.id}
		err := eachEvent(ctx, r, func(e ledger.Event) error {
			if e.Seq < seq {
				chain.Head = ledger.AuditHead{Length: e.Seq, Hash: e.Hash}
				return nil
			}
			wrong = append(wrong, chain.Replay(e)...)
			return nil
		}, `seq BETWEEN ? AND ?`, seq-1, seq+1)
		if err != nil {
			return nil, err
		}
	}
	return slices.Compact(wrong), nil
}

// looksOf reads what was kept with the batch's calls, in its order.
func looksOf(ctx context.Context, tx reader, b batchRow) (list []ledger.RecordedLook, err error) {
	err = eachLook(ctx, tx, func(l ledger.RecordedLook) error { list = append(list, l); return nil }, `i.batch_no = ?`, b.no)
	return list, err
}

// eachLook calls fn for the looks of the calls that a condition selects.
func eachLook(ctx context.Context, r reader, fn func(ledger.RecordedLook) error, where string, args ...any) error {
	return each(ctx, r, func(rows *sql.Rows) error {
		var l ledger.RecordedLook
		var payouts string
		var at sql.NullInt64
		if err := rows.Scan(&l.BatchID, &l.Call, &l.Asked, &l.Answer, &l.Word.HTTPStatus, &l.Word.Code, &l.Complete, &payouts, &at); err != nil {
			return err
		}
		l.Payouts, l.At = shownPayouts(payouts), fromMicros(at)
		return fn(l)
	}, `SELECT b.id, (SELECT count(*) FROM intents c WHERE c.batch_no = i.batch_no AND c.no <= i.no), l.asked, l.answer, l.word_status, l.word_code,
		l.complete, l.payouts, l.at
		FROM intents i JOIN looks l ON l.batch_no = i.batch_no AND l.intent_no = i.no JOIN batches b ON b.no = i.batch_no
		WHERE `+where+` ORDER BY i.no, l.place`, args...)
}

// shownPayouts reads how many payouts a look showed with which status. What is
// none of that stands for itself: it is not what was written.
func shownPayouts(text string) (n map[string]int) {
	if json.Unmarshal([]byte(text), &n) != nil {
		return map[string]int{text: -1}
	}
	return n
}

// BatchRecord returns what a submit or a release of the batch is judged by; of one that is
// planned it may have no attempts.
func (s *Store) BatchRecord(ctx context.Context, batchID string) (k ledger.BatchRecord, err error) {
	err = s.fresh(ctx, func(r reader) error {
		b, err := batchByID(ctx, r, batchID)
		if err != nil {
			return err
		}
		if k, err = s.recorded(ctx, r, b, knownOfBatch); err != nil {
			return err
		}
		return addRelease(ctx, r, &k)
	})
	return k, damage("read batch "+batchID, err)
}

// LastWord returns the bank's last word for "not known" that a look brought;
// the zero Word where none did.
func (s *Store) LastWord(ctx context.Context) (w ledger.NotFoundReply, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT l.word_status, l.word_code FROM intents i JOIN looks l ON l.batch_no = i.batch_no AND l.intent_no = i.no
		WHERE l.answer = 'not_known' ORDER BY i.no DESC, l.place DESC LIMIT 1`).Scan(&w.HTTPStatus, &w.Code)
	if errors.Is(err, sql.ErrNoRows) {
		return w, nil
	}
	return w, damage("look for the bank's word", err)
}

// knownAttempts reads the batch's attempts by one of the queries for them, with all
// that was observed of them.
func knownAttempts(ctx context.Context, tx reader, b batchRow, query string) ([]ledger.KnownAttempt, error) {
	list := make([]ledger.KnownAttempt, 0, b.Count)
	kinds := ownKinds
	if query == wholeOfBatch {
		kinds += sentKinds
	}
	err := eachHanded(ctx, tx, func(row cells) error {
		a, err := attemptOf(b, row, kinds)
		if query == wholeOfBatch {
			sends(&a.Payout, row)
		}
		list = append(list, ledger.KnownAttempt{Attempt: a, RefShown: row.bool(1)})
		return err
	}, query, b.no)
	if err != nil {
		return nil, err
	}
	return list, seenOf(ctx, tx, b.no, list)
}

// seenOf adds what was observed to the attempts of a batch. Both are in the order of
// the payouts, and of each in the order in which it was observed.
func seenOf(ctx context.Context, tx reader, batchNo int64, list []ledger.KnownAttempt) error {
	at := 0
	return eachObservation(ctx, tx, func(o ledger.NewObservation) error {
		for at < len(list) && list[at].ID < o.PayoutID {
			at++
		}
		if at == len(list) || list[at].Key() != o.AttemptKey {
			return fmt.Errorf("%w: what was observed of payout %d is of no attempt of the batch, or does not come in its order", ledger.ErrLedgerDamaged, o.PayoutID)
		}
		list[at].See(o)
		return nil
	}, answersOfBatch, batchNo)
}

const answersOfBatch = `FROM attempts a INDEXED BY attempts_by_batch CROSS JOIN observations o ON o.payout_id = a.payout_id AND o.number = a.number WHERE a.batch_no = ?`

// observations begins a query of them as o; observation reads a row of it.
const observations = handed + `o.payout_id, o.number, o.seq, o.at, o.status, o.bank_status_code, o.amount, o.open_txn_id, o.bank_txn_ref_id, o.error, o.unread) `

func observation(row cells) ledger.NewObservation {
	return ledger.NewObservation{AttemptKey: ledger.AttemptKey{PayoutID: row.int(0), Number: int(row.int(1))}, Seq: int(row.int(2)), At: row.moment(3),
		Observation: ledger.Observation{Status: row.text(4), BankStatusCode: row.text(5), Amount: ledger.Paise(row.int(6)), HasAmount: row.isInt(6),
			OpenTxnID: row.text(7), BankTxnRefID: row.text(8), Error: row.text(9), Unread: ledger.Fields(row.int(10))}}
}

// eachObservation calls fn for observations, in an order in which they lie.
func eachObservation(ctx context.Context, r reader, fn func(ledger.NewObservation) error, from string, args ...any) error {
	return eachHanded(ctx, r, func(row cells) error {
		if err := row.are(`nnnntt?ttt?`); err != nil {
			return err
		}
		return fn(observation(row))
	}, observations+from, args...)
}

// intentsOf reads the batch's calls, oldest first.
func intentsOf(ctx context.Context, tx reader, batchNo int64) ([]ledger.Intent, error) {
	var list []ledger.Intent
	err := each(ctx, tx, func(rows *sql.Rows) error {
		var i ledger.Intent
		var at, ended, said sql.NullInt64
		err := rows.Scan(&i.Kind, &i.PayloadSHA256, &at, &i.Outcome, &i.HTTPStatus, &i.Code, &i.Message, &ended, &said)
		i.At, i.EndedAt, i.BankTime = fromMicros(at), fromMicros(ended), fromMicros(said)
		list = append(list, i)
		return err
	}, `SELECT kind, payload_sha256, at, ifnull(outcome, ''), ifnull(http_status, 0), ifnull(code, ''), ifnull(message, ''), ended_at, said_at
		FROM intents WHERE batch_no = ? ORDER BY no`, batchNo)
	return list, err
}

// otpsWaiting counts the other batches of the debit account whose OTP is, or
// may be, on its way to a phone.
func otpsWaiting(ctx context.Context, tx *sql.Tx, b batchRow) (n int, err error) {
	err = tx.QueryRowContext(ctx, `SELECT count(*) FROM batches b JOIN routes r ON r.no = b.route_no
		WHERE b.state IN (?, ?, ?) AND r.bank_account_id = ? AND b.no <> ?`,
		ledger.BatchInitiating, ledger.BatchInitiateUnknown, ledger.BatchHeld, b.BankAccountID, b.no).Scan(&n)
	return n, err
}

// LastShown returns the newest batch that was submitted: a status of the bank shows it.
// One that was only held says nothing, because a bank may drop it when its OTP expires.
func (s *Store) LastShown(ctx context.Context) (b ledger.Batch, ok bool, err error) {
	list, err := batchesWhere(ctx, s.read, `b.no = (SELECT max(no) FROM batches WHERE submitted_at IS NOT NULL)`)
	if err != nil || len(list) == 0 {
		return b, false, err
	}
	return list[0], true, nil
}
