package ifsc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"payrun/ingest/visible"
	"payrun/ledger"
)

// Directory is the imported list.
type Directory interface {
	// BranchList returns the imported list, or ledger.ErrNotFound.
	BranchList(ctx context.Context) (ledger.BranchList, error)
	// Branches returns those of the branches that are in the list.
	Branches(ctx context.Context, codes []string) (map[string]ledger.Branch, error)
}

// BankTally is the count and sum of a sheet's payouts to one bank.
type BankTally struct {
	Bank string `json:"bank"`
	ledger.Tally
}

// notInList is the name under which payouts to unknown branches are counted.
const notInList = "(branch not in the list)"

// Lookup is the list as one check of a sheet uses it. It keeps the branches that it looked up, and the sums by
// bank.
type Lookup struct {
	directory Directory // nil without a list
	list      ledger.BranchList
	opened    bool
	now       time.Time
	found     map[string]ledger.Branch // by code that was looked up; without an IFSC if the list does not have it
	banks     map[string]*ledger.Tally
}

// NewLookup takes a directory, nil for none, and the current time for the list's age, zero for no age.
func NewLookup(d Directory, now time.Time) Lookup { return Lookup{directory: d, now: now} }

// Open reports whether there is a list. It queries once.
func (l *Lookup) Open(ctx context.Context) (bool, error) {
	if l.opened || l.directory == nil {
		return l.directory != nil, nil
	}
	l.opened, l.banks, l.found = true, map[string]*ledger.Tally{}, map[string]ledger.Branch{}
	var err error
	if l.list, err = l.directory.BranchList(ctx); errors.Is(err, ledger.ErrNotFound) {
		l.directory, err = nil, nil
	}
	return l.directory != nil, err
}

// Ask looks up the codes that are not known yet. Has, Words and Count need codes that were looked up.
func (l *Lookup) Ask(ctx context.Context, codes []string) error {
	var unknown []string
	for _, code := range codes {
		if _, known := l.found[code]; !known {
			l.found[code] = ledger.Branch{}
			unknown = append(unknown, code)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	found, err := l.directory.Branches(ctx, unknown)
	maps.Copy(l.found, found)
	return err
}

// Has reports whether the list has a branch with this code.
func (l *Lookup) Has(code string) bool { return l.found[code].IFSC != "" }

// ListWords names the list and its age.
func (l *Lookup) ListWords() string {
	words := fmt.Sprintf("the branch list %q, imported %s", visible.Shorten(l.list.Name), l.list.ImportedAt.In(l.now.Location()).Format("2006-01-02"))
	if l.now.IsZero() {
		return words
	}
	return words + " (" + AgeWords(l.now.Sub(l.list.ImportedAt)) + ")"
}

// AgeWords returns an age in days: "today", "1 day ago".
func AgeWords(age time.Duration) string {
	switch days := int(age.Hours()) / 24; {
	case days < 1:
		return "today"
	case days == 1:
		return "1 day ago"
	default:
		return fmt.Sprintf("%d days ago", days)
	}
}

// Words names a branch as far as the list has it.
func (l *Lookup) Words(code string) string {
	if !l.Has(code) {
		return code
	}
	b := l.found[code]
	return fmt.Sprintf("%s (%s, %s)", code, visible.Shorten(b.Bank), visible.Shorten(b.Branch))
}

// Count adds a payout to its bank's sum. Without a list, or for a payout without an IFSC, it does nothing.
func (l *Lookup) Count(p *ledger.Payout) {
	if l.directory == nil || p.IFSC == "" {
		return
	}
	bank := notInList
	if l.Has(p.IFSC) {
		bank = l.found[p.IFSC].Bank
	}
	tally := l.banks[bank]
	if tally == nil {
		tally = &ledger.Tally{}
		l.banks[bank] = tally
	}
	tally.Add(p.Amount) // part of the sheet's own total, so it cannot overflow
}

// Tallies returns the sums, the largest first; nil if nothing was counted.
func (l *Lookup) Tallies() []BankTally {
	var tallies []BankTally
	for bank, t := range l.banks {
		tallies = append(tallies, BankTally{bank, *t})
	}
	slices.SortFunc(tallies, func(x, y BankTally) int {
		return cmp.Or(cmp.Compare(y.Total, x.Total), cmp.Compare(x.Bank, y.Bank))
	})
	return tallies
}
