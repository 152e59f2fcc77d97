package validate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"payrun/ledger"
	"payrun/validate/ifsc"
)

// conclude says what can be said only once every row is known.
func (c *check) conclude(ctx context.Context) error {
	c.sheet.RowsHash = c.hash.hex()
	if c.bare != nil {
		c.sheet.Unprefixed = c.bare.hex()
	}
	if c.sheet.Rows == 0 {
		c.found.add(ledger.Finding{Code: codeNoRows, Message: "there are no payouts below the header"})
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

// loadedBefore asks whether these bytes or these rows are in the ledger. Then
// one finding names the first load, and those of its references are dropped.
func (c *check) loadedBefore(ctx context.Context) error {
	if c.past == nil {
		return nil
	}
	first, err := c.past.SheetBy(ctx, c.sheet)
	if errors.Is(err, ledger.ErrNotFound) {
		return c.loadedUnderAnotherPrefix(ctx)
	}
	if err != nil {
		return fmt.Errorf("asking for the sheet: %w", err)
	}
	c.loadedAs = first.ID
	c.used = findings{layout: &c.layout}
	what := "the same rows were"
	if first.SHA256 == c.sheet.SHA256 && first.Tab == c.sheet.Tab {
		what = "the same file was"
	}
	c.found.add(ledger.Finding{
		Code: codeSheetLoaded, Value: first.ID,
		Message: fmt.Sprintf("%s loaded before, as %q (%s) on %s", what, first.Name, first.ID, c.day(first.LoadedAt)),
	})
	return nil
}

// loadedUnderAnotherPrefix warns of a register that was loaded before, with
// something else put before its references: next month's, or this month's again.
func (c *check) loadedUnderAnotherPrefix(ctx context.Context) error {
	first, err := c.past.SheetUnderAnotherPrefix(ctx, c.sheet)
	if errors.Is(err, ledger.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("asking for the sheet under another prefix: %w", err)
	}
	under := "without a prefix"
	if first.RefPrefix != "" {
		under = fmt.Sprintf("with the prefix %q", first.RefPrefix)
	}
	c.found.add(ledger.Finding{
		Code: codeSheetOtherPrefix, Value: first.ID,
		Message: fmt.Sprintf("the same content was loaded %s, as %q (%s) on %s", under, first.Name, first.ID, c.day(first.LoadedAt)),
	})
	return nil
}

// expectations holds the sheet against --expect-count and --expect-total.
func (c *check) expectations() {
	if want := c.o.ExpectCount; want != nil && *want != c.sheet.Rows {
		c.found.add(ledger.Finding{
			Code: codeCountDiffers, Value: fmt.Sprint(c.sheet.Rows),
			Message: fmt.Sprintf("%d payouts were expected, the sheet has %d", *want, c.sheet.Rows),
		})
	}
	if want := c.o.ExpectTotal; want != nil && (*want != c.sheet.Total || c.unreadable > 0) {
		c.found.add(ledger.Finding{
			Code: codeTotalDiffers, Value: c.sheet.Total.String(),
			Message: fmt.Sprintf("a total of %s was expected, the rows add up to %s%s", want.Indian(), c.sheet.Total.Indian(), missingWords(c.unreadable)),
		})
	}
}

// finish adds up and sorts. Nothing is asked or read any more.
func (c *check) finish() Result {
	c.reportRepeated()
	c.reportLong()
	c.reportTwins()
	c.found.merge(&c.used)
	slices.Sort(c.withdrawn)
	slices.Sort(c.rejected)
	corrections, corrected := c.corrected()
	c.sheet.Corrected = corrected
	c.sheet.Rejected = ledger.Tally{
		Count: c.sheet.Rows - c.sheet.Accepted.Count - corrected.Count,
		Total: c.sheet.Total - c.sheet.Accepted.Total - corrected.Total,
	}
	var banks []ifsc.BankTally
	if len(c.withdrawn) == 0 {
		banks = c.branches.Tallies()
	}
	read, unread := c.layout.reading()
	columns := c.layout.mapping.byName()
	if at := c.contents.debit.of; len(c.contents.columns) > 0 && at >= 0 { // whatever the accounts are called when it is read again
		columns[colDebitAccount.String()] = c.layout.headers[at]
	}
	r := Result{
		Banks: banks, Columns: columns, Read: read, Unread: unread,
		Sheet: c.sheet, Tabs: c.tabs, Findings: c.found.sorted(), AlreadyLoaded: c.loadedAs != "", LoadedAs: c.loadedAs,
		Corrections: corrections, GiveUp: c.giveUp, Withdrawn: c.withdrawn, RejectedRows: slices.Compact(c.rejected),
	}
	c.tellKept(&r)
	return r
}
