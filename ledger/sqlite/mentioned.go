package sqlite

import (
	"context"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"payrun/ledger"
)

// looksFor reports whether the selection searches for payouts in the whole ledger or in a sheet.
func (sel selection) looksFor() bool {
	return sel.BatchID == "" && (sel.Exact != "" || sel.Find != nil)
}

// apart reports whether all selected states are among apartStates.
func (sel selection) apart() bool {
	return !slices.ContainsFunc(sel.States, func(s ledger.PayoutState) bool { return !strings.Contains(apartStates, "'"+string(s)+"'") })
}

// finds reports whether an attempt matches the search.
func (sel selection) finds(a *ledger.Attempt) bool {
	if sel.Find == nil {
		return true
	}
	p := ledger.Particulars{Ref: a.WireRef, VendorName: a.VendorName, BankAccountNumber: a.BankAccountNumber, Amount: a.Amount, UTR: a.BankTxnRefID}
	if sel.Find(&p) {
		return true
	}
	p.Ref = a.Ref
	return sel.Find(&p)
}

// mentioned returns the payouts with an attempt that may match the search, each once, in the order of loading. It
// returns every match and possibly more, so the reader of the attempts checks again. It reads only the columns
// that people search, on several connections at once: with millions of payouts, reading everything takes ten
// times as long.
func (s *Tables) mentioned(ctx context.Context, f ledger.Filter) ([]int64, error) {
	if f.Exact != "" { // a UTR is folded like a reference
		return list(ctx, s.db, itself[int64], `SELECT payout_id FROM wire_keys WHERE key = ?1 UNION
			SELECT payout_id FROM attempts INDEXED BY attempts_by_utr WHERE bank_txn_ref_id IS NOT NULL AND lower(bank_txn_ref_id) = ?1`, f.Exact)
	}
	places, err := s.placesToLook(ctx, f.SheetID)
	if err != nil {
		return nil, err
	}
	found := make([][]int64, len(places))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(min(readers, runtime.GOMAXPROCS(0)))
	for i, place := range places {
		g.Go(func() (err error) {
			found[i], err = s.lookIn(ctx, place, f.Find)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return inOrder(slices.Concat(found...)), nil
}

// placeToLook is a range of rows to search. Its first column is the number of a payout; read takes the others.
type placeToLook struct {
	q           Select
	first, last int64 // of the payouts
	read        func(c Cells, p *ledger.Particulars)
}

// lookedThrough is the most payouts in one range.
const lookedThrough = 1 << 17

// placesToLook returns all ranges of a sheet's payouts, or of every payout with "".
func (s *Tables) placesToLook(ctx context.Context, sheetID string) ([]placeToLook, error) {
	first, last, err := numbersOf(ctx, s.db, sheetID)
	if err != nil {
		return nil, err
	}
	places := []placeToLook{
		{Select{`payout_id, wire_ref`, `FROM attempts INDEXED BY attempts_further WHERE number > 1 AND payout_id BETWEEN ? AND ?`, false}, first, last,
			func(c Cells, p *ledger.Particulars) { p.Ref = c.text(1) }},
		{Select{`payout_id, vendor_name, bank_account_number, amount`, `FROM corrections WHERE payout_id BETWEEN ? AND ?`, false}, first, last,
			func(c Cells, p *ledger.Particulars) {
				p.VendorName, p.BankAccountNumber, p.Amount = c.text(1), c.text(2), ledger.Paise(c.int(3))
			}},
	}
	for ; first <= last; first += lookedThrough {
		to := min(last, first+lookedThrough-1)
		places = append(places, placeToLook{Select{`id, ref, vendor_name, bank_account_number, amount`, `FROM payouts WHERE id BETWEEN ? AND ?`, true},
			first, to, func(c Cells, p *ledger.Particulars) {
				p.Ref, p.VendorName, p.BankAccountNumber, p.Amount = c.text(1), c.text(2), c.text(3), ledger.Paise(c.int(4))
			}},
			// The index of UTRs would read each attempt by itself, in the order of UTRs.
			placeToLook{Select{`payout_id, bank_txn_ref_id`, `FROM attempts WHERE bank_txn_ref_id IS NOT NULL AND payout_id BETWEEN ? AND ?`, true},
				first, to, func(c Cells, p *ledger.Particulars) { p.UTR = c.text(1) }})
	}
	return places, nil
}

func (s *Tables) lookIn(ctx context.Context, place placeToLook, is func(*ledger.Particulars) bool) (ids []int64, err error) {
	return ids, s.db.Moment(ctx, func(r Snapshot) error {
		return eachCells(ctx, r, func(c Cells) error {
			var p ledger.Particulars
			if place.read(c, &p); is(&p) {
				ids = append(ids, c.int(0))
			}
			return nil
		}, place.q, place.first, place.last)
	})
}
