package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"payrun/ledger"
)

// Proposals returns what people decided about a batch and its payouts, oldest
// first; of every batch for "".
func (s *Store) Proposals(ctx context.Context, batchID string) ([]ledger.Proposal, error) {
	list, err := proposals(ctx, s.read, batchID)
	return list, damage("read what people decided", err)
}

func proposals(ctx context.Context, r reader, batchID string) ([]ledger.Proposal, error) {
	var list []ledger.Proposal
	err := each(ctx, r, func(rows *sql.Rows) error {
		var p ledger.Proposal
		var at, said sql.NullInt64
		err := rows.Scan(&p.No, &p.BatchID, &p.PayoutID, &p.Number, &p.Decision, &p.Reason, &p.Ticket, &p.Rests, &p.Books, &p.Actor, &at, &said, &p.Carried, &p.Seconds)
		p.At, p.SaidAt = fromMicros(at), fromMicros(said)
		list = append(list, p)
		return err
	}, `SELECT p.no, b.id, ifnull(p.payout_id, 0), ifnull(p.number, 0), p.decision, p.reason, p.ticket, p.rests, p.books, p.actor, p.at, p.said_at,
		p.carried, ifnull(p.seconds, 0) FROM proposals p JOIN batches b ON b.no = p.batch_no
		WHERE ?1 = '' OR b.id = ?1 ORDER BY p.no`, batchID)
	return list, err
}

// writeDecision keeps what a person decided, and an answered read of a submit in
// doubt.
func writeDecision(ctx context.Context, tx *sql.Tx, batchNo int64, c ledger.Change) error {
	if r := c.Read; r != nil {
		_, err := tx.ExecContext(ctx, `INSERT INTO reads (batch_no, no, run, at, said_at, answer)
			SELECT ?1, 1 + ifnull(max(no), 0), ?2, ?3, ?4, ?5 FROM reads WHERE batch_no = ?1`, batchNo, micros(r.Run), micros(r.At), micros(r.SaidAt), r.Answer)
		if err != nil {
			return err
		}
	}
	p := c.Decided
	if p == nil {
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO proposals (batch_no, payout_id, number, decision, reason, ticket, rests, books, actor, at, said_at, carried, seconds)
		VALUES (?, nullif(?, 0), nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0))`, batchNo, p.PayoutID, p.Number, p.Decision, p.Reason, p.Ticket, p.Rests, p.Books,
		p.Actor, micros(p.At), micros(p.SaidAt), p.Carried, p.Seconds)
	return err
}

// decidedAbout reads what people decided about a batch, and whether it is one that an
// older copy had.
func decidedAbout(ctx context.Context, tx *sql.Tx, b batchRow, k *ledger.Known) (err error) {
	if k.Proposals, err = proposals(ctx, tx, b.ID); err != nil {
		return err
	}
	var at, newest sql.NullInt64
	err = tx.QueryRowContext(ctx, `SELECT at, newest_at FROM restores WHERE last_sheet >= ? ORDER BY seq DESC LIMIT 1`, b.sheetNo).Scan(&at, &newest)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	k.RestoredAt, k.BeforeRestore = fromMicros(at), fromMicros(newest)
	return nil
}

// evidence reads what people decide on.
func evidence(ctx context.Context, tx *sql.Tx, b batchRow, k *ledger.Known) (err error) {
	if k.Reads, err = readsOf(ctx, tx, b.no); err != nil {
		return err
	}
	if k.People, err = peopleOf(ctx, tx); err != nil {
		return err
	}
	if k.Roster, err = rosterOf(ctx, tx); err != nil {
		return err
	}
	return tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM batches o JOIN routes r ON r.no = o.route_no JOIN intents i ON i.batch_no = o.no
		JOIN attempts a ON a.batch_no = o.no JOIN observations s ON s.payout_id = a.payout_id AND s.number = a.number
		WHERE r.bank_account_id = ?1 AND o.no <> ?2 AND i.kind = 'submit' AND i.outcome = 'accepted'
		AND i.at > (SELECT max(at) FROM intents WHERE batch_no = ?2 AND kind = 'submit') AND s.at > i.ended_at)`, b.BankAccountID, b.no).Scan(&k.OtherShown)
}

func readsOf(ctx context.Context, r reader, batchNo int64) ([]ledger.Read, error) {
	var list []ledger.Read
	err := each(ctx, r, func(rows *sql.Rows) error {
		var read ledger.Read
		var run, at, said sql.NullInt64
		err := rows.Scan(&run, &at, &said, &read.Answer)
		read.Run, read.At, read.SaidAt = fromMicros(run), fromMicros(at), fromMicros(said)
		list = append(list, read)
		return err
	}, `SELECT run, at, said_at, answer FROM reads WHERE batch_no = ? ORDER BY no`, batchNo)
	return list, err
}

// peopleOf names whoever has done something in the ledger; the program that bound
// what an older one recorded is nobody.
func peopleOf(ctx context.Context, r reader) ([]string, error) {
	var list []string
	err := each(ctx, r, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		list = append(list, name)
		return err
	}, `SELECT DISTINCT actor FROM events WHERE kind <> 'bound' ORDER BY actor`)
	return list, err
}
