package validate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"payrun/ledger"
)

// ofSheet adds a finding about the sheet as a whole.
func (c *check) ofSheet(code, value, message string) {
	c.found.add(ledger.Finding{Code: code, Value: value, Message: message})
}

// conclude adds the findings that need every row.
func (c *check) conclude(ctx context.Context) error {
	c.Sheet.RowsHash = c.hash.hex()
	if c.bare != nil {
		c.Sheet.Unprefixed = c.bare.hex()
	}
	if c.Sheet.Rows == 0 {
		c.ofSheet(codeNoRows, "", "there are no payouts below the header")
		return nil
	}
	c.concludeContents()
	c.concludeUnits()
	if err := c.loadedBefore(ctx); err != nil {
		return err
	}
	c.expectations()
	return nil
}

// loadedBefore asks whether the ledger has the same bytes or rows. If so, one finding names the first load, and
// the findings about used references are dropped. If it has them under another prefix, that is a warning: it may
// be next month's register, or the same one again.
func (c *check) loadedBefore(ctx context.Context) error {
	if c.past == nil {
		return nil
	}
	first, err := c.past.SheetBy(ctx, c.Sheet)
	if c.AlreadyLoaded = err == nil; errors.Is(err, ledger.ErrNotFound) {
		first, err = c.past.SheetUnderAnotherPrefix(ctx, c.Sheet)
	}
	if errors.Is(err, ledger.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("asking for the sheet: %w", err)
	}
	code, what := codeSheetOtherPrefix, "the same content was loaded without a prefix"
	switch {
	case c.AlreadyLoaded:
		c.LoadedAs, c.used = first.ID, findings{layout: &c.layout}
		if code, what = codeSheetLoaded, "the same rows were loaded before"; first.SHA256 == c.Sheet.SHA256 && first.Tab == c.Sheet.Tab {
			what = "the same file was loaded before"
		}
	case first.RefPrefix != "":
		what = fmt.Sprintf("the same content was loaded with the prefix %q", first.RefPrefix)
	}
	c.ofSheet(code, first.ID, fmt.Sprintf("%s, as %q (%s) on %s", what, first.Name, first.ID, c.day(first.LoadedAt)))
	return nil
}

// expectations compares the sheet with --expect-count and --expect-total.
func (c *check) expectations() {
	if want := c.o.ExpectCount; want != nil && *want != c.Sheet.Rows {
		c.ofSheet(codeCountDiffers, fmt.Sprint(c.Sheet.Rows), fmt.Sprintf("%d payouts were expected, the sheet has %d", *want, c.Sheet.Rows))
	}
	if want := c.o.ExpectTotal; want != nil && (*want != c.Sheet.Total || c.unpaid > 0) {
		c.ofSheet(codeTotalDiffers, c.Sheet.Total.String(),
			fmt.Sprintf("a total of %s was expected, the rows add up to %s%s", want.Indian(), c.Sheet.Total.Indian(), missingWords(c.unpaid, "paid")))
	}
}

// finish adds up and sorts. It asks and reads nothing more.
func (c *check) finish() Result {
	c.reportRepeated()
	for _, a := range c.long.doubtful { // every long account number ends in a zero
		c.reportLate(a)
	}
	c.reportSamePayments()
	c.found.merge(&c.used)
	slices.Sort(c.Withdrawn)
	slices.Sort(c.RejectedRows)
	c.Corrections, c.Sheet.Corrected = c.corrected()
	c.Sheet.Rejected = ledger.Tally{
		Count: c.Sheet.Rows - c.Sheet.Accepted.Count - c.Sheet.Corrected.Count,
		Total: c.Sheet.Total - c.Sheet.Accepted.Total - c.Sheet.Corrected.Total,
	}
	if len(c.Withdrawn) == 0 {
		c.Banks = c.branches.Tallies()
	}
	c.Read, c.Unread = c.layout.reading()
	c.Columns = c.layout.mapping.byName()
	if at := c.contents.debit.of; len(c.contents.columns) > 0 && at >= 0 { // for a reading after accounts were renamed
		c.Columns[colDebitAccount.String()] = c.layout.headers[at]
	}
	c.Findings, c.RejectedRows = c.found.sorted(), slices.Compact(c.RejectedRows)
	c.tellKept()
	return c.Result
}
