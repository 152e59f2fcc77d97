package sqlite

import (
	"cmp"
	"context"
	"slices"

	"payrun/ledger"
)

// ImportBranches replaces the whole branch list, with an event of the audit trail. The branches must have
// different codes.
func (s *Tables) ImportBranches(ctx context.Context, list ledger.BranchList, branches []ledger.Branch) error {
	list.Count = len(branches)
	return s.inTx(ctx, "import the branch list "+list.Name, func(tx Writer) error {
		if err := branchLists.replace(ctx, tx, []ledger.BranchList{list}); err != nil {
			return err
		}
		sorted := slices.SortedFunc(slices.Values(branches), func(a, b ledger.Branch) int { return cmp.Compare(a.IFSC, b.IFSC) }) // the order of the B-tree
		if err := listedBranches.replace(ctx, tx, sorted); err != nil {
			return err
		}
		return s.appendEvent(ctx, tx, list.Event())
	})
}

// branchLists is the list that the branches are from: one row.
var branchLists = table[ledger.BranchList]{"branch_list", "name, sha256, count, imported_at, imported_by, one", func(l *ledger.BranchList) []any {
	one := 1
	return []any{&l.Name, &l.SHA256, &l.Count, moment{&l.ImportedAt}, &l.ImportedBy, &one}
}}

var listedBranches = table[ledger.Branch]{"branches", "ifsc, bank, branch, city, state", func(b *ledger.Branch) []any {
	return []any{&b.IFSC, &b.Bank, &b.Branch, &b.City, &b.State}
}}

// BranchList describes the ledger's branch list, or returns ledger.ErrNotFound.
func (s *Tables) BranchList(ctx context.Context) (ledger.BranchList, error) {
	var list ledger.BranchList
	err := s.db.QueryRow(ctx, `SELECT `+branchLists.columns+` FROM branch_list`).Scan(branchLists.fields(&list)...)
	return list, damage("read the branch list", orNotFound(err))
}

// Branches returns the branches of these codes that the list has.
func (s *Tables) Branches(ctx context.Context, codes []string) (map[string]ledger.Branch, error) {
	sorted := slices.Compact(slices.Sorted(slices.Values(codes))) // neighbours share a page
	found := make(map[string]ledger.Branch, len(sorted))
	err := eachAsked(ctx, s.db, listedBranches.fields, func(b ledger.Branch) { found[b.IFSC] = b }, sorted, askedValues+`SELECT `+listedBranches.of("b")+` FROM asked CROSS JOIN branches b ON b.ifsc = asked.a`)
	return found, damage("look up branches", err)
}
