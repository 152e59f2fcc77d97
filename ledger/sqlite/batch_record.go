package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"payrun/ledger"
)

// batchRecord reads everything that a step is checked against, inside the transaction that writes the result.
func (s *Tables) batchRecord(ctx context.Context, tx Writer, b batchRow, step ledger.Step) (k ledger.BatchRecord, err error) {
	if step.NeedsComparison() {
		k, err = s.compared(ctx, tx, b)
	} else {
		k, err = s.recorded(ctx, tx, b)
	}
	if err == nil && step.HeldAtMost > 0 {
		err = tx.QueryRow(ctx, `SELECT count(*) FROM batches b JOIN routes r ON r.no = b.route_no WHERE b.state IN (?, ?, ?) AND r.bank_account_id = ? AND b.no <> ?`,
			ledger.BatchInitiating, ledger.BatchInitiateUnknown, ledger.BatchHeld, b.BankAccountID, b.no).Scan(&k.Waiting)
	}
	if err == nil && step.ConfirmAbove > 0 && step.Event.Call() != "" {
		k.Held, err = batchesWhere(ctx, tx, `b.state IN (?, ?)`, ledger.BatchHeld, ledger.BatchInitiating)
	}
	if err == nil && step.Event == ledger.InitiateIntended {
		if k.ApprovalStatus, err = approvalOf(ctx, tx, b.ID); err != nil {
			return k, err
		}
		err = tx.QueryRow(ctx, `SELECT max(at) FROM restores`).Scan(moment{&k.RestoredAt})
	}
	if err != nil || step.Event != ledger.SubmitIntended && step.Release == nil {
		return k, err
	}
	if err := refresh(ctx, tx); err != nil {
		return k, err
	}
	return k, addRelease(ctx, tx, &k)
}

// addRelease adds what only a submit or a release needs.
func addRelease(ctx context.Context, r Snapshot, k *ledger.BatchRecord) error {
	return inTurn(
		func() (err error) { k.Proposals, err = proposals(ctx, r, k.Batch.ID); return err },
		func() (err error) { k.Users, _, err = trailsOf(ctx, r); return err },
		func() error {
			return r.QueryRow(ctx, `SELECT min(newest_at) FROM restores`).Scan(moment{&k.RestoredSince})
		},
		func() (err error) { k.Spent, err = spentAt(ctx, r, k.Batch.BankAccountID); return err },
		func() error { return addRecords(ctx, r, k.Attempts) },
	)
}

// addRecords adds all attempts of the batch's payouts, with what their locks depend on.
func addRecords(ctx context.Context, r Snapshot, attempts []ledger.KnownAttempt) error {
	records, err := recordsOf(ctx, r, ledger.ListOf(attempts, func(a ledger.KnownAttempt) int64 { return a.ID }))
	for i := range attempts {
		a := &attempts[i]
		a.Records = records[a.ID]
		for _, r := range a.Records {
			if r.Key() == a.Key() {
				a.Payout = r.Payout // includes the amount, which not every query reads
			}
		}
	}
	return err
}

// recorded reads the rows of a batch, and its digests in the audit trail.
func (s *Tables) recorded(ctx context.Context, tx Snapshot, b batchRow) (k ledger.BatchRecord, err error) {
	k = ledger.BatchRecord{Batch: b.Batch, LedgerID: s.id, SheetContent: b.sheetContent}
	if k.Attempts, err = knownAttempts(ctx, tx, b); err != nil {
		return k, err
	}
	if k.Intents, err = intents.list(ctx, tx, `batch_no = ? ORDER BY no`, b.no); err != nil {
		return k, err
	}
	err = eachLook(ctx, tx, func(l ledger.RecordedLook) error { k.Looks = append(k.Looks, l); return nil }, `batch_no = ?`, b.no)
	if err != nil {
		return k, err
	}
	k.Trail, err = trailOf(ctx, tx, b.ID)
	return k, err
}

// comparable reads everything that ledger.BatchRecord.VerifyDigests compares, except Before.
func (s *Tables) comparable(ctx context.Context, tx Snapshot, b batchRow) (k ledger.BatchRecord, err error) {
	if k, err = s.recorded(ctx, tx, b); err != nil {
		return k, err
	}
	k.Broken, err = s.broken(ctx, tx, k.Trail.Events())
	return k, err
}

// trailOf reads the audit trail of a batch.
func trailOf(ctx context.Context, r Reader, batchID string) (t ledger.TrailDigest, err error) {
	err = eachEvent(ctx, r, func(e ledger.Event) error { t.Replay(&e); return nil }, `batch_id <> '' AND batch_id = ?`, batchID)
	return t, err
}

// compared reads a whole batch, with the batches of earlier attempts of its payouts.
func (s *Tables) compared(ctx context.Context, tx Snapshot, b batchRow) (k ledger.BatchRecord, err error) {
	if k, err = s.comparable(ctx, tx, b); err != nil {
		return k, err
	}
	before, err := list(ctx, tx, (*batchRow).fields, selectBatch+` WHERE b.no IN (SELECT e.batch_no FROM attempts a JOIN attempts e ON e.payout_id = a.payout_id AND e.number < a.number
		WHERE a.batch_no = ? AND a.number > 1) ORDER BY b.no`, b.no)
	if err != nil {
		return k, err
	}
	for _, old := range before {
		known, err := s.comparable(ctx, tx, old)
		if err != nil {
			return k, err
		}
		k.Before = append(k.Before, known)
	}
	return k, nil
}

// VerifyDigests returns a *ledger.TamperedError if the rows of a batch, or of a batch of
// earlier attempts of its payouts, do not match the audit trail.
func (s *Tables) VerifyDigests(ctx context.Context, batchID string) error {
	var k ledger.BatchRecord
	err := s.db.Moment(ctx, func(r Snapshot) error {
		b, err := batchByID(ctx, r, batchID)
		if err == nil {
			k, err = s.compared(ctx, r, b)
		}
		return err
	})
	if err == nil && len(k.Attempts) == 0 { // its first step creates them
		var planned []ledger.Attempt
		planned, err = s.Attempts(ctx, batchID)
		k.Attempts = ledger.ListOf(planned, func(a ledger.Attempt) ledger.KnownAttempt { return ledger.KnownAttempt{Attempt: a} })
	}
	if err == nil {
		err = k.VerifyDigests()
	}
	return damage("compare batch "+batchID, err)
}

// broken returns in words what is wrong with the audit chain at some events and at its head: each event has to
// follow the one before it, and the next has to follow it.
func (s *Tables) broken(ctx context.Context, r Reader, seqs []int64) (wrong []string, err error) {
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

// looks are the recorded checks at the bank, with their calls.
var looks = table[ledger.RecordedLook]{"looks", "asked, answer, not_found_status, not_found_code, complete, payouts, at", func(l *ledger.RecordedLook) []any {
	return []any{&l.Asked, &l.Answer, &l.NotFoundReply.HTTPStatus, &l.NotFoundReply.Code, &l.Complete, inJSON{&l.Payouts}, moment{&l.At}}
}}

// eachLook calls fn for the checks that a condition selects, in the order of their calls.
func eachLook(ctx context.Context, r Reader, fn func(ledger.RecordedLook) error, where string, args ...any) error {
	return eachOf(ctx, r, func(l *ledger.RecordedLook) []any { return append([]any{&l.BatchID, &l.Call}, looks.fields(l)...) }, fn,
		`SELECT (SELECT id FROM batches WHERE no = batch_no), (SELECT count(*) FROM intents c WHERE c.batch_no = looks.batch_no AND c.no <= intent_no), `+
			looks.columns+` FROM looks WHERE `+where+` ORDER BY intent_no, place`, args...)
}

// BatchRecord returns what a submit or a release of the batch depends on. A planned batch may have no attempts
// yet.
func (s *Tables) BatchRecord(ctx context.Context, batchID string) (k ledger.BatchRecord, err error) {
	err = s.fresh(ctx, func(r Snapshot) error {
		b, err := batchByID(ctx, r, batchID)
		if err != nil {
			return err
		}
		if k, err = s.recorded(ctx, r, b); err != nil {
			return err
		}
		return addRelease(ctx, r, &k)
	})
	return k, damage("read batch "+batchID, err)
}

// LastNotFoundReply returns the last reply for "not known" that a check received from the bank, or the zero
// NotFoundReply if none did.
func (s *Tables) LastNotFoundReply(ctx context.Context) (w ledger.NotFoundReply, err error) {
	err = s.db.QueryRow(ctx, `SELECT l.not_found_status, l.not_found_code FROM intents i JOIN looks l ON l.batch_no = i.batch_no AND l.intent_no = i.no
		WHERE l.answer = 'not_known' ORDER BY i.no DESC, l.place DESC LIMIT 1`).Scan(&w.HTTPStatus, &w.Code)
	return w, damage("look for the bank's reply", orNone(err))
}

// knownOfBatch reads the attempts of a batch, in the order of its index.
var knownOfBatch = Select{`a.number > 1 AND EXISTS (SELECT 1 FROM attempts e JOIN batches s ON s.no = e.batch_no WHERE e.payout_id = a.payout_id AND e.number < a.number
		AND ifnull(e.wire_ref, p.ref) = ifnull(a.wire_ref, p.ref) AND s.shown = 1),
	a.payout_id, a.number, p.ref, ifnull(a.wire_ref, p.ref), p.row, r.bank_account_id, r.sub_merchant_id, r.transaction_type_id, ` + sentColumns + `, ` + attempts.columns,
	`FROM attempts a INDEXED BY attempts_by_batch CROSS JOIN payouts p ON p.id = a.payout_id` + corrected + ` JOIN routes r ON r.no = ` + sentRoute + `
	WHERE a.batch_no = ? ORDER BY a.payout_id, a.number`, true}

// knownAttempts reads the batch's attempts, with all their observations.
func knownAttempts(ctx context.Context, tx Snapshot, b batchRow) ([]ledger.KnownAttempt, error) {
	list := make([]ledger.KnownAttempt, 0, b.Count)
	k := ledger.KnownAttempt{Attempt: ledger.Attempt{BatchID: b.ID}}
	a := &k.Attempt
	a.SheetID = b.SheetID
	fields := slices.Concat([]any{&k.RefShown, &a.ID, &a.Number, &a.Ref, &a.WireRef, &a.Row, &a.BankAccountID, &a.SubMerchantID, &a.TransactionTypeID},
		corrections.fields(&a.Payout), attempts.fields(a))
	err := eachCells(ctx, tx, func(row Cells) error {
		err := row.read(fields)
		list = append(list, k)
		return err
	}, knownOfBatch, b.no)
	if err != nil {
		return nil, err
	}
	return list, seenOf(ctx, tx, b.no, list)
}

// seenOf adds the observations to the attempts of a batch, which are in the order of the
// payouts. Not every engine reads observations in that order without sorting them.
func seenOf(ctx context.Context, tx Snapshot, batchNo int64, list []ledger.KnownAttempt) error {
	var seen []ledger.NewObservation
	err := eachObservation(ctx, tx, func(o ledger.NewObservation) error { seen = append(seen, o); return nil }, answersOfBatch, batchNo)
	slices.SortFunc(seen, func(a, b ledger.NewObservation) int {
		return cmp.Or(a.AttemptKey.Compare(b.AttemptKey), a.Seq-b.Seq)
	})
	at := 0
	for _, o := range seen {
		for at < len(list) && list[at].ID < o.PayoutID {
			at++
		}
		if at == len(list) || list[at].Key() != o.AttemptKey {
			return fmt.Errorf("%w: what was observed of payout %d is of no attempt of the batch", ledger.ErrLedgerDamaged, o.PayoutID)
		}
		list[at].See(o)
	}
	return err
}

var answersOfBatch = Select{observations.of(`o`), `FROM attempts a INDEXED BY attempts_by_batch CROSS JOIN observations o ON o.payout_id = a.payout_id AND o.number = a.number WHERE a.batch_no = ?`, true}

// observations are the recorded statuses from the bank.
var observations = table[ledger.NewObservation]{"observations", "payout_id, number, seq, at, status, bank_status_code, amount, open_txn_id, bank_txn_ref_id, error, unread",
	func(o *ledger.NewObservation) []any {
		return []any{&o.PayoutID, &o.Number, &o.Seq, moment{&o.At}, &o.Status, &o.BankStatusCode, amount{&o.Amount, &o.HasAmount}, &o.OpenTxnID, &o.BankTxnRefID, &o.Error, nullable{&o.Unread}}
	}}

// eachObservation calls fn for each observation that a query selects, in the order of storage.
func eachObservation(ctx context.Context, r Snapshot, fn func(ledger.NewObservation) error, q Select, args ...any) error {
	var o ledger.NewObservation
	fields := observations.fields(&o)
	return eachCells(ctx, r, func(row Cells) error {
		if err := row.read(fields); err != nil {
			return err
		}
		return fn(o)
	}, q, args...)
}

// intents are the calls that change something at the bank.
var intents = table[ledger.Intent]{"intents", "kind, payload_sha256, at, outcome, http_status, code, message, ended_at, bank_time", func(i *ledger.Intent) []any {
	return []any{&i.Kind, &i.PayloadSHA256, moment{&i.At}, nullable{&i.Outcome}, nullable{&i.HTTPStatus}, nullable{&i.Code}, nullable{&i.Message},
		moment{&i.EndedAt}, moment{&i.BankTime}}
}}

// LastShown returns the batch that was submitted last: a status request shows it. A batch
// that was only held proves nothing, because a bank may drop it when its OTP expires.
func (s *Tables) LastShown(ctx context.Context) (b ledger.Batch, ok bool, err error) {
	list, err := batchesWhere(ctx, s.db, `b.no = (SELECT no FROM batches WHERE submitted_at IS NOT NULL ORDER BY submitted_at DESC, no DESC LIMIT 1)`)
	if err != nil || len(list) == 0 {
		return b, false, err
	}
	return list[0], true, nil
}
