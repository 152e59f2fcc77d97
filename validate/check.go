package validate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"payrun/ingest"
	"payrun/ledger"
	"payrun/validate/ifsc"
)

// Check reads the sheet at path, gives its payouts to the sink as it goes, and returns what it found. A fault
// of the sheet is a finding. An error comes from the machine, from past or sink, from ctx, or is a *UsageError.
// A nil past knows nothing.
//
// The sink gets payouts before the last row is read. It must be able to take them back if the result refuses
// the sheet or withdraws some.
func Check(ctx context.Context, path string, o Options, past Past, sink Sink) (Result, error) {
	c, err := newCheck(o, past, sink)
	if err != nil {
		return Result{}, err
	}
	sheet, err := ingest.Open(path, c.reading())
	if err != nil {
		c.Sheet.Name = cmp.Or(o.Name, filepath.Base(path))
		if !c.defect(err) {
			return Result{}, fmt.Errorf("reading %s: %w", c.Sheet.Name, err)
		}
		return c.finish(), nil
	}
	defer func() { _ = sheet.Close() }() // only read from
	return c.run(ctx, sheet)
}

// check is one reading of one sheet, and what it has found so far.
type check struct {
	Result
	o        Options
	sink     Sink
	past     Past          // nil: nothing is known
	payees   ledger.Payees // of past; nil: nothing is known
	used     findings      // findings from past; dropped if the whole sheet was loaded before, because one finding then says so
	branches ifsc.Lookup
	words    *vocabulary
	found    findings
	layout   layout
	reader   rowReader
	index    *refIndex
	names    accountAliases
	long     longAccounts
	groups   []group
	hash     *rowsHash
	bare     *rowsHash // without the prefix of the references; nil if there is none
	pending  pending
	contents contents

	paidEarlier int // rows with a finding that names the earlier payout
	corrections []correction
	origins     map[int]late // by their rows in Options.Origin
	unpaid      int          // amounts that are not in Sheet.Total
	control     control
	held        *ingest.Row // the total row, until a payout follows it
	titled      []titledNumber
	asides      []int // numbers of the rows that are not payouts, including the total row
	last        int   // number of the last payout
	lines       int   // below the header, without the total row
	most        int   // lines that are allowed there
}

func newCheck(o Options, past Past, sink Sink) (*check, error) {
	debits, err1 := newDebitAccounts(o.Accounts, o.Account)
	words, err2 := newVocabulary(o)
	if err := cmp.Or(checkPrefix(o.RefPrefix), err1, err2); err != nil {
		return nil, err
	}
	if o.keeps() && len(o.Map) == 0 {
		return nil, &UsageError{Option: ledger.Option{Name: ledger.OptionKeepColumns, Value: "true"}, Why: "no column is chosen that could be saved"}
	}
	c := &check{o: o, most: cmp.Or(o.Limits.Rows, ingest.DefaultLimits().Rows), sink: sink, past: past, payees: past, words: words, index: newRefIndex(), names: accountAliases{}, hash: newRowsHash(), origins: map[int]late{}}
	c.branches = ifsc.NewLookup(past, o.Now)
	if o.RefPrefix != "" {
		c.bare, c.Sheet.RefPrefix = newRowsHash(), o.RefPrefix
	}
	c.found.strict, c.found.layout, c.used.layout = o.Strict, &c.layout, &c.layout
	c.reader = rowReader{o: o, layout: &c.layout, debits: debits, found: &c.found}
	return c, nil
}

// run reads the source from its first row to its last. If the header refuses the sheet, run still reads to the
// end, for the hash. A defect ends the reading.
func (c *check) run(ctx context.Context, src *ingest.Sheet) (Result, error) {
	c.Sheet.Name, c.Sheet.Format, c.Sheet.Tab = strings.ToValidUTF8(src.Name(), "\ufffd"), src.Format(), src.Tab() // an export needs valid UTF-8
	c.reader.shows, c.reader.stale, c.Tabs = src.Shows, src.Stale(), src.Tabs()
	var err error
	if c.reader.registered, err = openAtBank(ctx, c.past, c.o.Now); err != nil {
		return Result{}, fmt.Errorf("checking %s: %w", c.Sheet.Name, err)
	}
	if err = c.header(src); err == nil {
		err = c.rows(ctx, src)
	}
	refused := errors.Is(err, errRefused)
	if refused { // the hash of the sheet needs all bytes
		err = toEnd(ctx, src, func(*ingest.Row) error { return nil })
	}
	if m := c.layout.message; m != nil {
		m.unread = src.Passed()
	}
	switch {
	case c.defect(err):
		err = c.flush(ctx)
	case err == nil:
		c.identity(src)
		if !refused {
			c.areas(src.Areas())
			err = c.conclude(ctx)
		}
	}
	if err != nil {
		return Result{}, fmt.Errorf("checking %s: %w", c.Sheet.Name, err)
	}
	if n, names := src.UnreadTabs(); n > 0 {
		c.ofSheet(codeTabUnread, names, ledger.Counted(n, "tab with rows is not read: ", "tabs with rows are not read: ")+names)
	}
	return c.finish(), nil
}

// identity records the hash of the sheet, once all its bytes were read, and compares it with --expect-sha256.
func (c *check) identity(src *ingest.Sheet) {
	c.Sheet.SHA256 = src.SHA256()
	if c.Sheet.SHA256 != "" {
		c.Sheet = c.Sheet.Identified()
	}
	if want := c.o.ExpectSHA256; want != "" && want != c.Sheet.SHA256 {
		c.ofSheet(codeSheetChanged, c.Sheet.SHA256, fmt.Sprintf("the sheet with the SHA-256 %s was expected, this one has %s", want, c.Sheet.SHA256))
	}
}

// errRefused ends the reading of rows because the file is refused as a whole.
var errRefused = errors.New("the sheet is refused as a whole")

// toEnd hands the remaining rows to each. The row is valid until the next one.
func toEnd(ctx context.Context, src *ingest.Sheet, each func(row *ingest.Row) error) error {
	var row ingest.Row
	for n := 0; ; n++ {
		if n%chunkRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var err error
		if row, err = src.Next(); errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = each(&row)
		}
		if err != nil {
			return err
		}
	}
}

// defect turns a Defect of ingest into a finding.
func (c *check) defect(err error) bool {
	d, ok := errors.AsType[*ingest.Defect](err)
	if ok {
		c.found.add(d.Finding)
		if c.Tabs == nil {
			c.Tabs = d.Tabs
		}
	}
	return ok
}

// rows reads all rows below the header.
func (c *check) rows(ctx context.Context, src *ingest.Sheet) error {
	if err := toEnd(ctx, src, func(row *ingest.Row) error { return c.line(ctx, row) }); err != nil {
		return err
	}
	if err := c.flush(ctx); err != nil {
		return err
	}
	c.Sheet.Blank = c.lines - c.Sheet.Rows
	if c.held != nil {
		c.controlTotal(c.held)
	}
	c.compareTitled()
	return nil
}

// line handles one line below the header: a blank line, a row that is not a payout, or a payout. A pain.001 has
// only payouts.
func (c *check) line(ctx context.Context, row *ingest.Row) error {
	if m := c.layout.message; m != nil {
		m.lines = append(m.lines, row.Line)
		if err := c.withinLimit(row.Number); err != nil {
			return err
		}
		return c.row(ctx, row)
	}
	payout := row.Filled() > 0 && !c.putAside(row)
	if payout {
		c.release("there are payouts below it")
	}
	if err := c.withinLimit(row.Number); err != nil || !payout {
		return err
	}
	return c.row(ctx, row)
}

// withinLimit refuses a line beyond the limit of a sheet, which is of the lines below the header: blank ones count,
// the total row does not (contract.md, "Sheets").
func (c *check) withinLimit(number int) error {
	c.lines = number - c.layout.row
	if c.held != nil {
		c.lines--
	}
	if c.lines <= c.most {
		return nil
	}
	return &ingest.Defect{Finding: ledger.Finding{Row: number, Code: ingest.CodeTooManyRows, Message: fmt.Sprintf("the sheet has more than %d rows below its header", c.most)}}
}

// row validates one row and adds it to the chunk for the sink.
func (c *check) row(ctx context.Context, row *ingest.Row) error {
	c.Sheet.Rows++
	c.last = row.Number
	j := &c.reader
	c.debitByContents(row)
	accepted := j.read(row)
	c.watch()
	c.hashRow(row)
	accepted = c.sum(j) && accepted
	if err := c.needsPayeeColumns(j); err != nil {
		return err
	}
	if j.payout.Ref == "" { // a finding refused it
		c.RejectedRows = append(c.RejectedRows, row.Number)
		c.longAccount(noEntry)
		c.sameOrigin(j.from, noEntry)
		return nil
	}
	entry, key, first := c.index.add(&j.payout)
	if first {
		c.sameOrigin(j.from, entry)
		if message := c.names.warn(&j.payout); message != "" {
			j.find(colName, codePayeeOtherName, j.payout.VendorName, message, "")
			accepted = accepted && !j.bad
		}
	} else {
		c.repeated(entry, j.payout.Ref, row.Number)
		accepted = false
	}
	if !accepted {
		c.RejectedRows = append(c.RejectedRows, row.Number)
	}
	c.longAccount(entry)
	return c.queue(ctx, entry, accepted, key)
}

// hashRow adds the current row to the hashes of the sheet's content.
func (c *check) hashRow(row *ingest.Row) {
	j := &c.reader
	j.hashInto(c.hash, row, j.cells[colReference])
	if c.bare != nil {
		j.hashInto(c.bare, row, j.bareRef)
	}
}

// sum adds the row's amount to the sheet's total, which covers good and bad rows.
func (c *check) sum(j *rowReader) bool {
	c.control.count(j.control())
	if !j.amount {
		c.unpaid++
		return true
	}
	total, ok := c.Sheet.Total.Plus(j.payout.Amount)
	if !ok {
		c.unpaid++
		j.refuse(colAmount, codeTotalOutOfRange, "with this amount the sum of the sheet is too large to be counted exactly")
		return false
	}
	c.Sheet.Total = total
	return true
}

// needsPayeeColumns refuses the file when a row needs name, account and IFSC
// and the header, which has open_beneficiary_id instead, lacks these columns.
func (c *check) needsPayeeColumns(j *rowReader) error {
	if c.layout.hasPayee() || j.payout.BankAccountID == "" {
		return nil
	}
	account := j.debits.find(j.payout.BankAccountID)
	if account == nil || account.Rules().NeedsBeneficiaryID {
		return nil
	}
	for _, col := range [...]column{colName, colAccount, colIFSC} {
		if !c.layout.has(col) {
			c.report(c.words.missingProblem(&c.layout, col))
		}
	}
	return errRefused
}
