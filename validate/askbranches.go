package validate

import (
	"context"
	"fmt"
)

// askBranches warns of IFSCs that are not in the imported branch list.
func (c *check) askBranches(ctx context.Context, rows []candidate) error {
	listed, err := c.branches.Open(ctx)
	if err != nil {
		return fmt.Errorf("asking for the branch list: %w", err)
	}
	if !listed {
		return nil
	}
	var codes []string
	for i := range rows {
		if code := rows[i].IFSC; rows[i].accepted && code != "" {
			codes = append(codes, code)
		}
	}
	if err := c.branches.Ask(ctx, codes); err != nil {
		return fmt.Errorf("asking for branches: %w", err)
	}
	for i := range rows {
		r := &rows[i]
		if code := r.IFSC; r.accepted && code != "" && !c.branches.Has(code) {
			c.warn(r, colIFSC, codeIFSCUnknownBranch, code, "no branch of "+c.branches.ListWords()+" has this IFSC")
		}
	}
	return nil
}
