package app

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"payrun/ledger"
)

// sinceLasts are what was found of the sheets that were looked at last: who looks at a
// page looks again and again.
type sinceLasts struct {
	mu    sync.Mutex
	found map[string]sinceFound // by sheet
}

// sinceFound is what was found of one, and how what was compared stood then.
type sinceFound struct {
	since    []SinceLast
	standing standing
}

// standing is what a comparison depends on: the sheets, and whom they pay. How many of
// their payouts are planned is asked anew.
type standing [sha256.Size]byte

// sinceKept is of how many sheets it is kept.
const sinceKept = 8

// sheetStands is how a sheet stands.
type sheetStands struct {
	ledger.Sheet
	stands ledger.SheetStands
}

// plannedFrom counts what some of the sheets have planned from a debit account.
func plannedFrom(all []sheetStands, some []ledger.Sheet, bankAccountID string) (payouts int) {
	for _, s := range some {
		i := slices.IndexFunc(all, func(one sheetStands) bool { return one.ID == s.ID })
		for _, a := range all[i].stands.Accounts {
			if a.BankAccountID == bankAccountID {
				payouts += a.Planned
			}
		}
	}
	return payouts
}

func (o *operation) sheetsStand(ctx context.Context, sheets []ledger.Sheet) (all []sheetStands, err error) {
	for _, s := range sheets {
		stands, err := o.store.SheetStands(ctx, s.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, sheetStands{s, stands})
	}
	return all, nil
}

// standingOf is of these sheets.
func standingOf(sheets []sheetStands) standing {
	sum := sha256.New()
	for _, s := range sheets {
		fmt.Fprintf(sum, "%q %q\n", s.ID, s.Name)
		for _, by := range s.stands.Accounts {
			fmt.Fprintf(sum, "%q %d\n", by.BankAccountID, by.Batches)
		}
		for _, over := range s.stands.Over {
			fmt.Fprintf(sum, "%d %d\n", over.PayoutID, over.Number)
		}
	}
	return standing(sum.Sum(nil))
}

func (s *sinceLasts) of(id string, as standing) ([]SinceLast, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.found[id]
	return found.since, ok && found.standing == as
}

func (s *sinceLasts) keep(id string, as standing, since []SinceLast) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.found[id]; s.found == nil || !known && len(s.found) >= sinceKept {
		s.found = map[string]sinceFound{}
	}
	s.found[id] = sinceFound{since, as}
}
