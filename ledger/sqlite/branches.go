package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"payrun/ledger"
)

// ImportBranches replaces the branch list by another, whole, with an event of
// the audit trail. The branches have different codes.
func (s *Store) ImportBranches(ctx context.Context, list ledger.BranchList, branches []ledger.Branch) error {
	return s.inTx(ctx, "import the branch list "+list.Name, func(tx *sql.Tx) error {
		for _, q := range []string{`DELETE FROM branches`, `DELETE FROM branch_list`} {
			if _, err := tx.ExecContext(ctx, q); err != nil {
				return err
			}
		}
		if err := insertBranches(ctx, tx, branches); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO branch_list (one, name, sha256, count, imported_at, imported_by) VALUES (1, ?, ?, ?, ?, ?)`,
			list.Name, list.SHA256, len(branches), micros(list.ImportedAt), list.ImportedBy)
		if err != nil {
			return err
		}
		return s.appendEvent(ctx, tx, ledger.Event{At: list.ImportedAt, Actor: list.ImportedBy, Kind: ledger.EventBranchesLoaded,
			Detail: fmt.Sprintf("%s; sha256 %s; %d branches", list.Name, list.SHA256, len(branches))})
	})
}

// insertBranches inserts in the order of the tree, many rows a statement.
func insertBranches(ctx context.Context, tx *sql.Tx, branches []ledger.Branch) error {
	const atOnce, row = 100, `(?, ?, ?, ?, ?)`
	const insert = `INSERT INTO branches (ifsc, bank, branch, city, state) VALUES ` + row
	sorted := slices.SortedFunc(slices.Values(branches), func(a, b ledger.Branch) int { return cmp.Compare(a.IFSC, b.IFSC) })
	many, err := tx.PrepareContext(ctx, insert+strings.Repeat(", "+row, atOnce-1))
	if err != nil {
		return err
	}
	defer many.Close()
	args := make([]any, 0, 5*atOnce)
	for chunk := range slices.Chunk(sorted, atOnce) {
		args = args[:0]
		for _, b := range chunk {
			args = append(args, b.IFSC, b.Bank, b.Branch, b.City, b.State)
		}
		if len(chunk) == atOnce {
			_, err = many.ExecContext(ctx, args...)
		} else {
			_, err = tx.ExecContext(ctx, insert+strings.Repeat(", "+row, len(chunk)-1), args...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// BranchList returns which branch list the ledger has, or ledger.ErrNotFound.
func (s *Store) BranchList(ctx context.Context) (ledger.BranchList, error) {
	var list ledger.BranchList
	err := s.read.QueryRowContext(ctx, `SELECT name, sha256, count, imported_at, imported_by FROM branch_list`).
		Scan(&list.Name, &list.SHA256, &list.Count, moment{&list.ImportedAt}, &list.ImportedBy)
	return list, damage("read the branch list", orNotFound(err))
}

// Branches returns those of the branches that the list has.
func (s *Store) Branches(ctx context.Context, codes []string) (map[string]ledger.Branch, error) {
	sorted := slices.Compact(slices.Sorted(slices.Values(codes))) // neighbours lie on the same page
	found := make(map[string]ledger.Branch, len(sorted))
	err := eachAsked(ctx, s.read, func(rows *sql.Rows) error {
		var b ledger.Branch
		err := rows.Scan(&b.IFSC, &b.Bank, &b.Branch, &b.City, &b.State)
		found[b.IFSC] = b
		return err
	}, sorted, askedValues+`SELECT b.ifsc, b.bank, b.branch, b.city, b.state FROM asked CROSS JOIN branches b ON b.ifsc = asked.a`)
	return found, damage("look up branches", err)
}
