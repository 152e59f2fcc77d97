package simulation

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"payrun/ledger"
	"payrun/submitter"
)

// again is a person who wants failed payouts to be paid after all: as they were, or first corrected by a
// later sheet. Whether and how they are corrected has a random source of its own.
func (h *history) again(p *process) {
	if h.corrects && h.fixing.IntN(2) == 0 {
		h.correct(p)
		return
	}
	h.retry(p)
}

// correct loads sheets that correct payouts which surely were not paid, for one earlier sheet after the
// other, as `payrun load --correct` does.
func (h *history) correct(p *process) {
	p.rivalAt = 0 // see load
	err := h.run(p, "load --correct", func(p *process, _ *submitter.Engine) error {
		for _, s := range h.sheets {
			list, err := h.toCorrect(p, s)
			if err != nil {
				return err
			}
			if len(list) == 0 {
				continue
			}
			if err := h.loadCorrections(p, list); err != nil {
				return err
			}
		}
		return nil
	})
	h.unexpected(p, err)
}

// toCorrect returns corrections for most of the correctable payouts of a sheet.
func (h *history) toCorrect(p *process, s *sheet) (list []ledger.Corrected, err error) {
	if !s.loaded {
		return nil, nil
	}
	keys := make([]string, len(s.rows))
	for i := range s.rows {
		keys[i] = s.rows[i].Key
	}
	found, err := from(p, "correctable", func() (map[string]ledger.Correctable, error) { return p.store.Correctable(context.Background(), keys) })
	if err != nil {
		return nil, err
	}
	for _, c := range slices.SortedFunc(maps.Values(found), func(a, b ledger.Correctable) int { return cmp.Compare(a.After.ID, b.After.ID) }) {
		if c.Uncorrectable() == nil && h.fixing.IntN(4) > 0 {
			list = append(list, ledger.Corrected{After: c.After, Is: h.corrected(c.After.Payout, len(list)+2)})
		}
	}
	return list, nil
}

// corrected returns a correcting row: another account of the payee, another amount, another debit account,
// or no change.
func (h *history) corrected(is ledger.Payout, row int) ledger.Payout {
	is.Row = row
	small := is.Amount < ledger.LEILine && is.BeneLEI == ""
	if is.OpenBeneficiaryID == "" && h.fixing.IntN(3) > 0 {
		is.BankAccountNumber = fmt.Sprintf("%s%04d", payeeNumber, 1000+h.fixing.IntN(9000))
	}
	if small && h.fixing.IntN(3) == 0 {
		is.Amount += ledger.Paise(1 + h.fixing.IntN(1_000))
	}
	if small && is.OpenBeneficiaryID == "" && h.fixing.IntN(4) == 0 {
		if to := accounts[h.fixing.IntN(len(accounts))]; to.kind != ledger.KindRIB {
			is.BankAccountID = to.id
		}
	}
	return is
}

// loadCorrections loads a sheet of corrections, whole or not at all.
func (h *history) loadCorrections(p *process, list []ledger.Corrected) error {
	h.written++
	n := h.written
	s := ledger.Sheet{Name: fmt.Sprintf("correct-%d.csv", n), SHA256: fmt.Sprintf("%064d", n), RowsHash: fmt.Sprintf("%064d", 1000+n), Format: "csv", Header: 1, Rows: len(list), LoadedAt: h.now(), LoadedBy: p.actor}
	sends := make([]ledger.Attempt, len(list))
	for i, c := range list {
		sends[i] = c.Sends()
		s.Corrected.Add(c.Is.Amount)
		delete(h.fixed, c.After.Ref) // until it is known that this one counts
		h.wrote[c.After.Ref] = append(h.wrote[c.After.Ref], c.Is)
	}
	s.Total = s.Corrected.Total
	var l ledger.Load
	defer func() { // also when the process dies; after Commit it does nothing
		if l != nil {
			_ = l.Rollback()
		}
	}()
	if err := p.storeOp("begin_load", func() (err error) { l, err = p.store.BeginLoad(context.Background()); return err }); err != nil {
		return err
	}
	if err := p.storeOp("correct", func() error { return l.Correct(list, regroup(sends)) }); err != nil {
		return err
	}
	err := p.storeOp("commit_load", func() error { _, err := l.Commit(s, nil); return err })
	if err != nil {
		return err
	}
	for _, c := range list {
		h.stats["corrected"]++
		h.logf("corrected %s: %s", c.After.Ref, cmp.Or(ledger.ChangeWords(c.Changes()), "as before"))
		if h.second == noSecond {
			h.fixed[c.After.Ref] = fix{c.After.Number, c.Is}
		}
	}
	return nil
}

// fix is the last correction of a payout, after the attempt with number after.
type fix struct {
	after int
	is    ledger.Payout
}

// mayStand returns what a row of a sheet may be sent as: as it was last corrected. If that is not known,
// because the process died or another ledger did not get the correction, it returns the row and every
// correction of it.
func (h *history) mayStand(row ledger.Payout) []ledger.Payout {
	if f, known := h.fixed[row.Ref]; known && h.second == noSecond && h.swappedFor == noSwap {
		return []ledger.Payout{f.is}
	}
	return append([]ledger.Payout{row}, h.wrote[row.Ref]...)
}

// checkCorrected requires that every attempt after a correction sends the corrected row.
func (h *history) checkCorrected() {
	if h.second != noSecond || h.swappedFor != noSwap || h.tampered {
		return // another ledger may not have the correction; a changed row is found elsewhere and never sent
	}
	for _, a := range h.eye.now.attempts {
		f, known := h.fixed[ownRef(a.ref)]
		if !known || a.number <= f.after {
			continue
		}
		b := h.eye.now.batches[a.batchNo]
		if a.amount != f.is.Amount || a.payee != f.is.BankAccountNumber || b.accountID != f.is.BankAccountID {
			h.found("correction: attempt %d of %s does not send what its row says", a.number, ownRef(a.ref))
		}
	}
}

// correctionCanaries break what follows a correction.
var correctionCanaries = []canary{
	{name: "correction_left_out", by: "invariant 23", wrap: func(h *history, s submitter.Store, b submitter.Bank) (submitter.Store, submitter.Bank) {
		return s, &uncorrectedBank{Bank: b, h: h}
	}},
}

// uncorrectedBank sends the account number of the first sheet, even if a later sheet corrected it.
type uncorrectedBank struct {
	submitter.Bank
	h *history
}

func (b *uncorrectedBank) EncodeInitiate(batch ledger.Batch, attempts []ledger.Attempt) (ledger.Payload, error) {
	attempts = slices.Clone(attempts)
	for i, a := range attempts {
		for _, s := range b.h.sheets {
			for _, row := range s.rows {
				if row.Ref == a.Ref {
					attempts[i].BankAccountNumber = row.BankAccountNumber
				}
			}
		}
	}
	return b.Bank.EncodeInitiate(batch, attempts)
}
