package validate

import "context"

// askBranches warns of IFSCs that are not in the imported branch list.
func (c *check) askBranches(ctx context.Context, rows []candidate) error {
	listed, err := c.branches.Open(ctx)
	if err != nil || !listed {
		return asking("the branch list", err)
	}
	var codes []string
	for i := range rows {
		if code := rows[i].IFSC; rows[i].accepted && code != "" {
			codes = append(codes, code)
		}
	}
	if err := c.branches.Ask(ctx, codes); err != nil {
		return asking("branches", err)
	}
	for i := range rows {
		r := &rows[i]
		if code := r.IFSC; r.accepted && code != "" && !c.branches.Has(code) {
			c.warn(r, colIFSC, codeIFSCUnknownBranch, code, "no branch of "+c.branches.ListWords()+" has this IFSC")
		}
	}
	return nil
}
