package validate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"payrun/ledger"
)

// BranchDirectory is what a History may know besides: the branches there are.
type BranchDirectory interface {
	// BranchList returns which list there is, or ledger.ErrNotFound.
	BranchList(ctx context.Context) (ledger.BranchList, error)
	// Branches returns those of the branches that the list has.
	Branches(ctx context.Context, codes []string) (map[string]ledger.Branch, error)
}

// BankTally is how much of a sheet goes to one bank.
type BankTally struct {
	Bank string `json:"bank"`
	ledger.Tally
}

// notInList is where the payouts to unknown branches are counted.
const notInList = "(branch not in the list)"

// branches is the branch list as one check asks it. Only the branches of the
// chunk in hand are kept, and the sums by bank.
type branches struct {
	directory BranchDirectory // nil without a list
	list      ledger.BranchList
	asked     bool
	now       time.Time
	found     map[string]ledger.Branch
	banks     map[string]*ledger.Tally
}

func newBranches(h History, now time.Time) branches {
	b := branches{now: now}
	b.directory, _ = h.(BranchDirectory)
	return b
}

// open asks once whether there is a list.
func (b *branches) open(ctx context.Context) error {
	if b.asked || b.directory == nil {
		return nil
	}
	b.asked, b.banks = true, map[string]*ledger.Tally{}
	var err error
	if b.list, err = b.directory.BranchList(ctx); errors.Is(err, ledger.ErrNotFound) {
		b.directory, err = nil, nil
	}
	return err
}

// askBranches warns of IFSCs that no branch of the list has.
func (c *check) askBranches(ctx context.Context, rows []candidate) error {
	b := &c.branches
	if err := b.open(ctx); err != nil {
		return fmt.Errorf("asking for the branch list: %w", err)
	}
	if b.directory == nil {
		return nil
	}
	seen := make(map[string]bool, len(rows))
	codes := make([]string, 0, len(rows))
	for i := range rows {
		if code := rows[i].payout.IFSC; rows[i].accepted && code != "" && !seen[code] {
			seen[code] = true
			codes = append(codes, code)
		}
	}
	var err error
	if b.found, err = b.directory.Branches(ctx, codes); err != nil {
		return fmt.Errorf("asking for branches: %w", err)
	}
	for i := range rows {
		r := &rows[i]
		if code := r.payout.IFSC; r.accepted && code != "" && b.found[code].IFSC == "" {
			c.warn(r, colIFSC, codeIFSCUnknownBranch, code, "no branch of "+b.listWords()+" has this IFSC")
		}
	}
	return nil
}

// listWords names the list and its age.
func (b *branches) listWords() string {
	words := fmt.Sprintf("the branch list %q, imported %s", shorten(b.list.Name), b.list.ImportedAt.Format("2006-01-02"))
	if b.now.IsZero() {
		return words
	}
	return words + " (" + AgeWords(b.now.Sub(b.list.ImportedAt)) + ")"
}

// AgeWords says how long ago something was, in days.
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

// words names a branch as far as the list knows it.
func (b *branches) words(ifsc string) string {
	if branch, ok := b.found[ifsc]; ok {
		return fmt.Sprintf("%s (%s, %s)", ifsc, shorten(branch.Bank), shorten(branch.Branch))
	}
	return ifsc
}

// count adds a payout to its bank's sum.
func (b *branches) count(p *ledger.Payout) {
	if b.directory == nil || p.IFSC == "" {
		return
	}
	bank := notInList
	if branch, ok := b.found[p.IFSC]; ok {
		bank = branch.Bank
	}
	tally := b.banks[bank]
	if tally == nil {
		tally = &ledger.Tally{}
		b.banks[bank] = tally
	}
	tally.Add(p.Amount)
}

// tallies gives the sums, the largest first.
func (b *branches) tallies() []BankTally {
	tallies := make([]BankTally, 0, len(b.banks))
	for bank, t := range b.banks {
		tallies = append(tallies, BankTally{bank, *t})
	}
	slices.SortFunc(tallies, func(x, y BankTally) int {
		return cmp.Or(cmp.Compare(y.Total, x.Total), cmp.Compare(x.Bank, y.Bank))
	})
	return tallies
}
