package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"payrun/ledger"
)

// Attempts returns the attempts of a batch, in order of their payouts. Account
// numbers are full: whoever shows them masks them.
func (s *Store) Attempts(ctx context.Context, batchID string) ([]ledger.Attempt, error) {
	attempts, err := s.attempts(ctx, batchID)
	return attempts, damage("read the attempts of batch "+batchID, err)
}

func (s *Store) attempts(ctx context.Context, batchID string) ([]ledger.Attempt, error) {
	attempts, err := s.madeAttempts(ctx, batchID)
	if err != nil || len(attempts) > 0 {
		return attempts, err
	}
	// Its first step makes them.
	err = s.eachAttempt(ctx, selection{Filter: ledger.Filter{BatchID: batchID, Attempts: true}}, func(a ledger.Attempt) error {
		attempts = append(attempts, a)
		return nil
	})
	return attempts, err
}

// madeAttempts returns those that the batch has rows of: all of them, or none.
func (s *Store) madeAttempts(ctx context.Context, batchID string) (attempts []ledger.Attempt, err error) {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}) // one moment of the ledger
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	b, err := batchByID(ctx, tx, batchID)
	if errors.Is(err, ledger.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	err = eachHanded(ctx, tx, func(row cells) error {
		a, err := attemptOf(b, row, ownKinds+sentKinds+"t")
		sends(&a.Payout, row)
		if a.SheetID = row.text(29); !row.isInt(13) {
			a.UpdatedAt = b.CreatedAt
		}
		attempts = append(attempts, a)
		return err
	}, madeOfBatch, b.no)
	return attempts, err
}

// The attempts of a batch, in the order in which its index has them: two cells about
// other attempts of the payout (0 where nobody asks), those that attemptOf reads, those
// that sends reads.
const (
	ownOfBatch   = handed + `0, 0` + ownCells + fromBatch + ofThisBatch // for a step that neither calls the bank nor plans
	knownOfBatch = handed + besideIt + ownCells + fromBatch + ofThisBatch
	wholeOfBatch = handed + besideIt + ownCells + sentCells + fromBatch + sentByBatch + ofThisBatch
	madeOfBatch  = handed + `0, 0` + ownCells + sentCells + `, s.id` + fromBatch + sentByBatch + ` JOIN sheets s ON s.no = p.sheet_no` + ofThisBatch

	besideIt = `0,
		a.number > 1 AND EXISTS (SELECT 1 FROM attempts e JOIN batches s ON s.no = e.batch_no WHERE e.payout_id = a.payout_id AND e.number < a.number
			AND ifnull(e.wire_ref, p.ref) = ifnull(a.wire_ref, p.ref) AND s.shown = 1)`
	ownCells = `, a.payout_id, a.number, p.ref, ifnull(a.wire_ref, p.ref), a.state, ifnull(a.status, ''), ifnull(a.bank_status_code, ''), ifnull(a.open_txn_id, ''),
		ifnull(a.bank_txn_ref_id, ''), ifnull(a.failed_reads, 0), ifnull(a.reason, ''), a.updated_at, ifnull(a.resolved, ''), ifnull(a.dispute, ''),
		ifnull(a.was, ''), ifnull(a.unread, 0)`
	sentCells   = `, p.row, r.bank_account_id, r.sub_merchant_id, r.transaction_type_id, ` + sentColumns
	fromBatch   = `) FROM attempts a INDEXED BY attempts_by_batch CROSS JOIN payouts p ON p.id = a.payout_id`
	sentByBatch = corrected + ` JOIN routes r ON r.no = ` + sentRoute
	ofThisBatch = ` WHERE a.batch_no = ? ORDER BY a.payout_id, a.number`

	ownKinds  = `nn` + `nntttttttnt?tttn`
	sentKinds = `nttt` + `ntttttt`
)

// attemptOf reads an attempt of the batch, without what it sends, of a row of these kinds.
func attemptOf(b batchRow, row cells, kinds string) (a ledger.Attempt, err error) {
	a.SheetID, a.BatchID = b.SheetID, b.ID
	a.ID, a.Number, a.Ref, a.WireRef = row.int(2), int(row.int(3)), row.text(4), row.text(5)
	a.State, a.Status, a.BankStatusCode = ledger.PayoutState(row.text(6)), row.text(7), row.text(8)
	a.OpenTxnID, a.BankTxnRefID, a.FailedReads, a.Reason = row.text(9), row.text(10), int(row.int(11)), row.text(12)
	a.UpdatedAt, a.Resolved, a.Dispute = row.moment(13), ledger.Resolution(row.text(14)), ledger.DisputeCause(row.text(15))
	a.Was, a.Unread = ledger.PayoutState(row.text(16)), ledger.Fields(row.int(17))
	return a, row.are(kinds)
}

// sends reads what the attempt sends.
func sends(p *ledger.Payout, row cells) {
	p.Row, p.BankAccountID, p.SubMerchantID, p.TransactionTypeID = int(row.int(18)), row.text(19), row.text(20), row.text(21)
	p.Amount, p.VendorName, p.BankAccountNumber, p.IFSC = ledger.Paise(row.int(22)), row.text(23), row.text(24), row.text(25)
	p.Remarks, p.OpenBeneficiaryID, p.BeneLEI = row.text(26), row.text(27), row.text(28)
}
