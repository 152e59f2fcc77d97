package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"payrun/ledger"
	"payrun/validate"
)

// SinceLast compares a sheet, or its payouts from one debit account, with an earlier sheet: the one that pays
// from the same account and shares most payees with it. Rows that a sheet left out and a later one brought
// count with the sheet that left them out. Only what was or may still be paid counts.
type SinceLast struct {
	Sheet   string // its name
	Debit   ledger.DebitAccount
	Before  ledger.Sheet // the earlier one; the zero value if there is none
	Rest    bool         // later sheets brought rows that it had left out; they count with it
	TooMany bool         // one of them has too many payouts to compare
	validate.Since
	Current, Previous validate.Standing // of the sheet, and of the earlier one
	Similar           SimilarList       // payees that look alike, or like one of the earlier sheet
}

// Unrelated reports whether the earlier sheet pays mostly other people, and none of them at another
// account. Then it is another kind of sheet, and a comparison means nothing.
func (s SinceLast) Unrelated() bool {
	return s.Moved == 0 && 2*(s.Now.Count-s.New.Count) < s.Now.Count
}

// Types of validate that callers of this package need by these names.
type (
	ReadColumn    = validate.ReadColumn
	Since         = validate.Since
	Standing      = validate.Standing
	Change        = validate.Change
	SimilarPayees = validate.SimilarPayees
	SimilarList   = validate.SimilarList
)

// sinceLast compares the sheets of these batches, as a whole, each with the earlier one.
func (o *operation) sinceLast(ctx context.Context, batches []ledger.Batch) (all []SinceLast, err error) {
	seen := map[string]bool{} // sheets
	for _, b := range batches {
		if seen[b.SheetID] {
			continue
		}
		sheets, err := o.store.SheetAndRest(ctx, b.SheetID)
		if err != nil {
			return nil, err
		}
		for _, s := range sheets {
			seen[s.ID] = true
		}
		rolls, err := o.payrollsOf(ctx, sheets)
		if err != nil {
			return nil, err
		}
		known := o.store.PayeesWithout(validate.FoldName, b.ID)
		found, err := o.compareRolls(ctx, rolls, nil, sheets[0].ID, known)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// sinceOfRead compares a sheet that is not loaded yet with the loaded ones. A sheet with
// only rows that another had left out counts as part of that one.
func (o *operation) sinceOfRead(ctx context.Context, rolls *payrolls) ([]SinceLast, error) {
	first := ""
	if rolls.from != "" && rolls.back >= rolls.count {
		sheets, err := o.store.SheetAndRest(ctx, rolls.from)
		if err != nil {
			return nil, err
		}
		if err := o.addLoaded(ctx, rolls, sheets); err != nil {
			return nil, err
		}
		rolls.sheet, first = sheets[0].Name, sheets[0].ID
	}
	known := o.store.Payees(validate.FoldName)
	return o.compareRolls(ctx, rolls, nil, first, known)
}

// payrollsOf returns what a loaded sheet and its rest pay.
func (o *operation) payrollsOf(ctx context.Context, sheets []ledger.Sheet) (*payrolls, error) {
	rolls := newPayrolls(sheets[0].Name)
	return rolls, o.addLoaded(ctx, rolls, sheets)
}

// addLoaded adds what loaded sheets pay.
func (o *operation) addLoaded(ctx context.Context, rolls *payrolls, sheets []ledger.Sheet) error {
	for _, s := range sheets {
		if rolls.many {
			return nil
		}
		err := o.store.EachPayout(ctx, ledger.Filter{SheetID: s.ID}, func(a ledger.Attempt) error { return rolls.add(&a.Payout, a.State) })
		if err != nil && !errors.Is(err, errTooMany) {
			return err
		}
	}
	return nil
}

// Compared compares two loaded sheets: ledger.ErrNotFound if one of them does not exist.
func (a *App) Compared(ctx context.Context, call Call, sheetID, with string) ([]SinceLast, error) {
	return reading(ctx, a, call, func(o *operation) ([]SinceLast, error) {
		other, err := o.sheetAndRest(ctx, with)
		if err != nil {
			return nil, err
		}
		sheets, err := o.sheetAndRest(ctx, sheetID)
		if err != nil {
			return nil, err
		}
		batches, err := o.store.Batches(ctx, ledger.Filter{SheetID: sheets[0].ID})
		if err != nil || len(batches) == 0 {
			return nil, err
		}
		rolls, err := o.payrollsOf(ctx, sheets)
		if err != nil {
			return nil, err
		}
		return o.compareRolls(ctx, rolls, &other[0], "", o.store.PayeesWithout(validate.FoldName, batches[0].ID))
	})
}

// sheetAndRest returns a sheet and its rest; ledger.ErrNotFound if there is none.
func (o *operation) sheetAndRest(ctx context.Context, id string) ([]ledger.Sheet, error) {
	sheets, err := o.store.SheetAndRest(ctx, id)
	if err == nil && len(sheets) == 0 {
		err = fmt.Errorf("sheet %s: %w", ledger.Plain(id), ledger.ErrNotFound)
	}
	return sheets, err
}

// sheetBefore returns the earlier sheet to compare the payments from a debit account with: among those loaded
// before first, or among all if first is "". known holds the payees paid before. ledger.ErrNotFound if there is none.
func (o *operation) sheetBefore(ctx context.Context, account, first string, now *validate.Payroll, known ledger.Payees) (ledger.Sheet, error) {
	paid, err := known.LatestPayments(ctx, now.Accounts(), usedToShare)
	if err != nil {
		return ledger.Sheet{}, err
	}
	return o.store.PaysBefore(ctx, account, first, paid)
}

// usedToShare is how many of an account's latest payouts are used to find the sheets that paid it.
const usedToShare = 100

// compareRolls compares what a sheet pays from each debit account with another sheet and its rest: with the given
// one, or if it is nil with the one that sheetBefore finds. known holds the payees paid before.
func (o *operation) compareRolls(ctx context.Context, rolls *payrolls, with *ledger.Sheet, first string, known ledger.Payees) (all []SinceLast, err error) {
	read := map[string]*payrolls{} // by sheet
	for _, account := range slices.Sorted(maps.Keys(rolls.by)) {
		now := rolls.by[account]
		if now.Paid.Count == 0 && !rolls.many {
			continue
		}
		one := SinceLast{Sheet: rolls.sheet, Debit: o.debit(account)}
		if with != nil {
			one.Before = *with
		} else {
			one.Before, err = o.sheetBefore(ctx, account, first, now, known)
		}
		if err != nil && !errors.Is(err, ledger.ErrNotFound) {
			return nil, err
		}
		last := newPayrolls("")
		if err == nil {
			sheets, err := o.store.SheetAndRest(ctx, one.Before.ID)
			if err != nil {
				return nil, err
			}
			one.Before, one.Rest = sheets[0], len(sheets) > 1
			if last = read[one.Before.ID]; last == nil {
				if last, err = o.payrollsOf(ctx, sheets); err != nil {
					return nil, err
				}
				read[one.Before.ID] = last
			}
		}
		was := last.of(account)
		if one.TooMany = rolls.many || last.many; !one.TooMany {
			one.Since, one.Current, one.Previous = now.Since(was), now.Standing, was.Standing
			named, err := now.NamedOtherwise(ctx, known)
			if err != nil {
				return nil, err
			}
			one.Similar = now.Similar(was, ledger.ReferenceUse{SheetID: one.Before.ID, SheetName: one.Before.Name, LoadedAt: one.Before.LoadedAt})
			one.Similar.Count += len(named)
			one.Similar.First = slices.Concat(named, one.Similar.First)
			one.Similar.First = one.Similar.First[:min(len(one.Similar.First), validate.SimilarMost)]
		}
		all = append(all, one)
	}
	return all, nil
}

// ComparedMost is the largest number of payouts of a sheet that are compared.
const ComparedMost = validate.PayrollMost

// errTooMany stops the reading of a sheet that is too large to compare.
var errTooMany = errors.New("more payouts than are compared")

// payrolls are what a sheet pays, by debit account.
type payrolls struct {
	sheet string
	by    map[string]*validate.Payroll
	count int
	back  int    // how many of them are rows that another sheet had left out
	from  string // the id of that sheet
	many  bool   // more than are compared, so by is incomplete
}

func newPayrolls(sheet string) *payrolls {
	return &payrolls{sheet: sheet, by: map[string]*validate.Payroll{}}
}

// of returns what is paid from a debit account.
func (p *payrolls) of(bankAccountID string) *validate.Payroll {
	if p.by[bankAccountID] == nil {
		p.by[bankAccountID] = validate.NewPayroll()
	}
	return p.by[bankAccountID]
}

// add adds a payout in its current state; errTooMany beyond ComparedMost.
func (p *payrolls) add(one *ledger.Payout, state ledger.PayoutState) error {
	if p.count++; p.count > ComparedMost {
		p.many = true
		return errTooMany
	}
	p.of(one.BankAccountID).Add(one, state)
	return nil
}

// addRead adds payouts of a sheet that is being read, up to ComparedMost.
func (p *payrolls) addRead(read []validate.Accepted) {
	for i := range read {
		if from := read[i].From; from != nil {
			p.back, p.from = p.back+1, from.SheetID
		}
		if p.add(&read[i].Payout, ledger.PayoutPlanned) != nil {
			return
		}
	}
}

// Words sums up what changed, in one line.
func (s *SinceLast) Words() string {
	var said []string
	for _, one := range []struct {
		ledger.Tally
		words, sign string
	}{{s.New, "new", "+"}, {s.Gone, "gone", "−"}, {s.More, "with more", "+"}, {s.Less, "with less", "−"}} {
		if one.Count > 0 {
			said = append(said, fmt.Sprintf("%s %s (%s%s)", ledger.Grouped(one.Count), one.words, one.sign, one.Total.Rupees()))
		}
	}
	if s.Same > 0 {
		said = append(said, ledger.Grouped(s.Same)+" the same")
	}
	if s.Moved > 0 {
		said = append(said, ledger.Grouped(s.Moved)+" at another account")
	}
	return strings.Join(said, ", ")
}

// CountedWords says what is compared, and what is not, for the sheet and for the earlier one.
func (s *SinceLast) CountedWords() string {
	before := ledger.Plain(s.Before.Name)
	if s.Rest {
		before += ", with the rows that it left out and later sheets brought"
	}
	words := fmt.Sprintf("Payouts that were or may still be paid are compared. %s: %s.", before, standingWords(s.Previous))
	if s.Current.Over.Count > 0 {
		words += fmt.Sprintf(" %s: %s.", ledger.Plain(s.Sheet), standingWords(s.Current))
	}
	return words
}

func standingWords(s validate.Standing) string {
	words := fmt.Sprintf("%s of %s", ledger.CountedPayouts(s.Paid.Count), s.Paid.Total.Rupees())
	switch s.Planned {
	case 0:
	case s.Paid.Count:
		words += ", planned, not paid yet"
	default:
		words += fmt.Sprintf(", %s of them planned, not paid yet", ledger.Grouped(s.Planned))
	}
	if s.Over.Count > 0 {
		words += fmt.Sprintf("; without %s of %s that failed, came back, or was refused or cancelled", ledger.CountedPayouts(s.Over.Count), s.Over.Total.Rupees())
	}
	return words
}

// AccountsWords returns the masked accounts of a change: was → is if they differ.
func AccountsWords(c Change) string {
	switch {
	case c.Gone():
		return c.Was.Account.Masked()
	case c.Moved():
		return c.Was.Account.Masked() + " → " + c.Is.Account.Masked()
	}
	return c.Is.Account.Masked()
}

// ByWords says how much more or less a payee gets.
func ByWords(c Change) string {
	by := c.By()
	if by <= 0 {
		return by.Rupees()
	}
	return "+" + by.Rupees()
}

// AlikeWords says what two payees have in common. The reference of the first one is printed before it.
func AlikeWords(a SimilarPayees) string {
	one, another := a.One.Account.Masked(), a.Other.Account.Masked()
	in := ""
	if a.In.SheetName != "" {
		in = ", " + ledger.Plain(a.In.SheetName)
	}
	name, other := fmt.Sprintf("%q", ledger.Plain(a.One.Name)), fmt.Sprintf("%q (%s%s)", ledger.Plain(a.Other.Name), ledger.Plain(a.Other.Ref), in)
	accounts := "and the accounts differ: " + one + " and " + another
	if one == another {
		accounts = "and they are two accounts that end in the same digits: " + one
	}
	switch {
	case a.Kind == validate.NamesAlike:
		return fmt.Sprintf("%s looks like %s, %s", name, other, accounts)
	case a.Kind == validate.OneName:
		return fmt.Sprintf("%s is also %s, %s", name, other, accounts)
	case in != "":
		return fmt.Sprintf("%s: the account %s was last paid as %s", name, one, other)
	}
	return fmt.Sprintf("%s: the account %s is paid as %s too", name, one, other)
}

// AlikeOf collects the look-alike payees of all sheets of a review.
func AlikeOf(all []SinceLast) (found SimilarList) {
	for _, one := range all {
		found.First, found.Count = slices.Concat(found.First, one.Similar.First), found.Count+one.Similar.Count
	}
	return found
}
