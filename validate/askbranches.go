package validate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
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

// maxBranchesKept bounds the branches that are remembered from chunk to chunk:
// most sheets pay the same few thousand over and over.
const maxBranchesKept = 8 * chunkRows

// branches is the branch list as one check asks it. A few chunks' branches are
// kept, and the sums by bank.
type branches struct {
	directory BranchDirectory // nil without a list
	list      ledger.BranchList
	asked     bool
	now       time.Time
	found     map[string]ledger.Branch // those that were asked for; without an IFSC where there is none
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
	b.asked, b.banks, b.found = true, map[string]*ledger.Tally{}, map[string]ledger.Branch{}
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
	if err := b.ask(ctx, rows); err != nil {
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

// ask looks up the branches of a chunk that are not known yet.
func (b *branches) ask(ctx context.Context, rows []candidate) error {
	if len(b.found) > maxBranchesKept {
		clear(b.found)
	}
	var codes []string
	for i := range rows {
		code := rows[i].payout.IFSC
		if _, known := b.found[code]; known || code == "" || !rows[i].accepted {
			continue
		}
		b.found[code] = ledger.Branch{}
		codes = append(codes, code)
	}
	if len(codes) == 0 {
		return nil
	}
	found, err := b.directory.Branches(ctx, codes)
	maps.Copy(b.found, found)
	return err
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
	if branch := b.found[ifsc]; branch.IFSC != "" {
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
	if branch := b.found[p.IFSC]; branch.IFSC != "" {
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
