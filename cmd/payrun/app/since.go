package app

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"payrun/ledger"
	"payrun/validate"
)

// SinceLast is a sheet, or what of it is paid from one debit account, held against
// the sheet that was loaded before it and paid from the same account.
type SinceLast struct {
	Sheet   string // its name
	Debit   ledger.DebitAccount
	Before  ledger.Sheet // the one before it; the zero value where there is none
	TooMany bool         // one of them has more payouts than are held against each other
	validate.Since
	Alike Alikes // payees who look like each other, or like one of the sheet before
}

// What payrolls are held against each other by is validate's; who shows it knows it
// by these.
type (
	Change = validate.Change
	Alike  = validate.Alike
	Alikes = validate.Alikes
)

// ComparedMost is how many payouts of a sheet are compared.
const ComparedMost = validate.PayrollMost

// lastMost is how many sheets are looked through for the one before.
const lastMost = 50

// errTooMany ends the reading of a sheet that is too large to be compared.
var errTooMany = errors.New("more payouts than are compared")

// payrolls are whom a sheet pays, by debit account.
type payrolls struct {
	sheet string
	by    map[string]*validate.Payroll
	count int
	many  bool // more than are compared; those of by are not all
}

func newPayrolls(sheet string) *payrolls {
	return &payrolls{sheet: sheet, by: map[string]*validate.Payroll{}}
}

// add adds a payout: errTooMany beyond validate.PayrollMost.
func (p *payrolls) add(one *ledger.Payout) error {
	if p.count++; p.count > validate.PayrollMost {
		p.many = true
		return errTooMany
	}
	roll := p.by[one.BankAccountID]
	if roll == nil {
		roll = validate.NewPayroll()
		p.by[one.BankAccountID] = roll
	}
	roll.Add(one)
	return nil
}

// addRead adds payouts of a sheet that is being read, as many as are compared.
func (p *payrolls) addRead(read []validate.Accepted) {
	for i := range read {
		if p.add(&read[i].Payout) != nil {
			return
		}
	}
}

// sinceLasts are what was found of the sheets that were looked at last: it holds
// until another sheet is loaded, and who looks at a page looks again and again.
type sinceLasts struct {
	mu    sync.Mutex
	as    loadedAs
	found map[string][]SinceLast // by sheet
}

// loadedAs is what is loaded: how many sheets, and which was the last.
type loadedAs struct {
	sheets int
	newest string
	at     time.Time
}

func asLoaded(sheets []ledger.Sheet) loadedAs {
	last := sheets[len(sheets)-1]
	return loadedAs{len(sheets), last.ID, last.LoadedAt}
}

// sinceKept is of how many sheets it is kept.
const sinceKept = 8

// sinceLast holds the sheets of these batches, whole, each against the one before it.
func (o *operation) sinceLast(ctx context.Context, batches []ledger.Batch) (all []SinceLast, err error) {
	first := map[string]ledger.Batch{} // by sheet
	var order []string
	for _, b := range batches {
		if _, known := first[b.SheetID]; !known {
			first[b.SheetID], order = b, append(order, b.SheetID)
		}
	}
	sheets, err := o.store.Sheets(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range order {
		found, err := o.sinceOfSheet(ctx, id, first[id].ID, sheets)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func (o *operation) sinceOfSheet(ctx context.Context, id, batch string, sheets []ledger.Sheet) ([]SinceLast, error) {
	at := slices.IndexFunc(sheets, func(s ledger.Sheet) bool { return s.ID == id })
	if at < 0 {
		return nil, nil
	}
	if kept, ok := o.since.of(id, asLoaded(sheets)); ok {
		if same, err := o.stillLast(ctx, kept, sheets[:at]); same || err != nil {
			return kept, err
		}
	}
	rolls, err := o.payrollsOf(ctx, sheets[at])
	if err != nil {
		return nil, err
	}
	found, err := o.compareRolls(ctx, rolls, sheets[:at], o.store.PayeesBefore(validate.FoldName, batch))
	if err == nil {
		o.since.keep(id, asLoaded(sheets), found)
	}
	return found, err
}

// stillLast reports whether each was held against what is the sheet before it now: that
// may have been given up meanwhile.
func (o *operation) stillLast(ctx context.Context, kept []SinceLast, before []ledger.Sheet) (bool, error) {
	for _, one := range kept {
		last, err := o.lastPaidFrom(ctx, one.Debit.BankAccountID, before)
		if err != nil || last.ID != one.Before.ID {
			return false, err
		}
	}
	return true, nil
}

// payrollsOf reads whom a loaded sheet pays.
func (o *operation) payrollsOf(ctx context.Context, s ledger.Sheet) (*payrolls, error) {
	rolls := newPayrolls(s.Name)
	err := o.store.EachPayout(ctx, ledger.Filter{SheetID: s.ID}, func(a ledger.Attempt) error { return rolls.add(&a.Payout) })
	if errors.Is(err, errTooMany) {
		err = nil
	}
	return rolls, err
}

// sinceOfRun holds the sheets of a run that are not loaded yet against those that are.
func (o *operation) sinceOfRun(ctx context.Context, out *Outgoing) error {
	sheets, err := o.store.Sheets(ctx)
	if err != nil {
		return err
	}
	for _, rolls := range out.rolls {
		found, err := o.compareRolls(ctx, rolls, sheets, o.store.Payees(validate.FoldName))
		if err != nil {
			return err
		}
		out.Since = append(out.Since, found...)
	}
	return nil
}

// compareRolls holds what a sheet pays from each debit account against the newest of
// the sheets before it that paid from the same. known is who was paid before it.
func (o *operation) compareRolls(ctx context.Context, rolls *payrolls, before []ledger.Sheet, known ledger.Payees) (all []SinceLast, err error) {
	read := map[string]*payrolls{} // by sheet
	for _, account := range slices.Sorted(maps.Keys(rolls.by)) {
		one := SinceLast{Sheet: rolls.sheet, Debit: o.debit(ledger.Batch{BankAccountID: account})}
		if one.Before, err = o.lastPaidFrom(ctx, account, before); err != nil {
			return nil, err
		}
		last := newPayrolls("")
		if one.Before.ID != "" {
			if last = read[one.Before.ID]; last == nil {
				if last, err = o.payrollsOf(ctx, one.Before); err != nil {
					return nil, err
				}
				read[one.Before.ID] = last
			}
		}
		now, was := rolls.by[account], last.by[account]
		if was == nil {
			was = validate.NewPayroll()
		}
		if one.TooMany = rolls.many || last.many; !one.TooMany {
			one.Since = now.Since(was)
			if one.Alike, err = alike(ctx, now, was, one.Before, known); err != nil {
				return nil, err
			}
		}
		all = append(all, one)
	}
	return all, nil
}

// lastPaidFrom is the newest of the sheets that paid from a debit account, or still may;
// the zero Sheet where none of the newest did.
func (o *operation) lastPaidFrom(ctx context.Context, account string, sheets []ledger.Sheet) (ledger.Sheet, error) {
	for i := len(sheets) - 1; i >= max(0, len(sheets)-lastMost); i-- {
		batches, err := o.store.Batches(ctx, ledger.Filter{SheetID: sheets[i].ID})
		if err != nil {
			return ledger.Sheet{}, err
		}
		if slices.ContainsFunc(batches, func(b ledger.Batch) bool {
			return b.BankAccountID == account && b.State != ledger.BatchAbandoned && b.State != ledger.BatchRefused
		}) {
			return sheets[i], nil
		}
	}
	return ledger.Sheet{}, nil
}

// alike finds payees who look like each other, like one of the sheet before, or whose
// account was last paid under another name, whenever that was.
func alike(ctx context.Context, now, was *validate.Payroll, before ledger.Sheet, known ledger.Payees) (Alikes, error) {
	all := now.Alike(was, ledger.ReferenceUse{SheetID: before.ID, SheetName: before.Name, LoadedAt: before.LoadedAt})
	var named []Alike
	for chunk := range now.Payees(askedAtOnce) {
		found, err := validate.NamedOtherwise(ctx, known, chunk)
		if err != nil {
			return all, err
		}
		named = append(named, found...)
	}
	all.First, all.Count = append(named, all.First...), all.Count+len(named)
	return all, nil
}

func (s *sinceLasts) of(id string, as loadedAs) ([]SinceLast, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.as != as {
		return nil, false
	}
	found, ok := s.found[id]
	return found, ok
}

func (s *sinceLasts) keep(id string, as loadedAs, found []SinceLast) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.as != as || len(s.found) >= sinceKept {
		s.as, s.found = as, map[string][]SinceLast{}
	}
	s.found[id] = found
}
