package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"payrun/cmd/payrun/config"
	"payrun/ingest"
	"payrun/ledger"
	"payrun/reports/resultsheet"
	"payrun/validate"
)

// rejectedSheet writes the rows that a load leaves out, before the load is committed: if
// they cannot be given back, nothing is loaded. It writes them to the first of dirs that can
// be written. Nil if every row is loaded, or dirs is empty.
func (o *operation) rejectedSheet(ctx context.Context, s Sheet, options validate.Options, dirs []string) (*resultsheet.RejectedSheet, error) {
	if len(s.RejectedRows) == 0 || len(dirs) == 0 {
		return nil, nil
	}
	defer o.call.progress().Begin("writing the rows left out", "").End()
	r := resultsheet.Rejected{
		Sheet: s.Sheet, Rows: s.RejectedRows, Findings: s.Findings,
		Dirs: dirs, At: o.env.Now(),
	}
	options.Copy = nil
	return resultsheet.WriteRejected(ctx, r, func() (resultsheet.Rows, error) { return validate.Open(s.Path, options) })
}

// keepRejected gives that sheet its final name, once the load is committed.
func (o *operation) keepRejected(s *Sheet, so SheetOptions) (err error) {
	if s.left == nil {
		return nil
	}
	if s.RejectedPath, err = s.left.Keep(); err != nil {
		return fmt.Errorf("%s is loaded; the rows left out are in %s, which could not be renamed: %w", s.Path, s.RejectedPath, err)
	}
	if want := so.rejectedFolders(s.Path)[0]; filepath.Dir(s.RejectedPath) != filepath.Clean(want) {
		o.warn("%s cannot be written to, so the rows left out are in %s", ledger.Plain(want), ledger.Plain(s.RejectedPath))
	}
	return nil
}

// ownFile writes the bytes of a sheet from the ledger to a temporary file, which the caller
// removes. It also returns the options to read them.
func (o *operation) ownFile(ctx context.Context, sheet ledger.Sheet) (path string, options validate.Options, err error) {
	f, err := os.CreateTemp(o.folder, "payrun-sheet-*") // 0600
	if err != nil {
		return "", options, err
	}
	reading, err := o.store.SheetContents(ctx, sheet.ID, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", options, errors.Join(err, os.Remove(f.Name()))
	}
	options = o.asLoaded(sheet, reading)
	options.Limits.Rows, options.Limits.Columns, options.Limits.Bytes = math.MaxInt, math.MaxInt, math.MaxInt64 // checked when loaded
	options.PayoutMost = 0
	return f.Name(), options, nil
}

// ownSheet opens a sheet from the bytes in the ledger, as it was loaded.
func (o *operation) ownSheet(ctx context.Context, sheet ledger.Sheet) (resultsheet.Rows, error) {
	path, options, err := o.ownFile(ctx, sheet)
	if err != nil {
		return nil, err
	}
	opened, err := validate.Open(path, options)
	_ = os.Remove(path) // the open file can still be read, and a crash leaves nothing
	if err != nil {
		return nil, err
	}
	return opened, nil
}

// asLoaded returns the options to read a sheet in the way it was loaded.
func (o *operation) asLoaded(sheet ledger.Sheet, reading ledger.ReadOptions) validate.Options {
	options := o.options(Choices{})
	options.Tab, options.Encoding, options.HiddenRows, options.Map = sheet.Tab, reading.Encoding, reading.HiddenRows, reading.Columns
	options.Columns, options.Profiles = nil, nil // reading.Columns has what they were
	return options
}

// leftOut writes the rows of a loaded sheet that are not in the ledger to the operation's folder, in the
// person's own columns with reason and fix, ready to be corrected and loaded. It needs only the ledger,
// which has the sheet's bytes. The reason is what is wrong with the row today. Rows that a later sheet
// brought are not left out any more. ledger.ErrNotFound if no row is left out.
func (o *operation) leftOut(ctx context.Context, sheetID string) (path string, err error) {
	sheet, err := o.sheet(ctx, sheetID)
	if err != nil {
		return "", err
	}
	if sheet.Rejected.Count == 0 {
		return "", ledger.ErrNotFound
	}
	r := resultsheet.Rejected{Sheet: sheet, At: o.env.Now(), Dirs: []string{o.folder}}
	if r.Rows, r.Findings, err = o.stillLeft(ctx, sheet); err != nil {
		return "", err
	}
	if len(r.Rows) == 0 {
		return "", ledger.ErrNotFound
	}
	left, err := resultsheet.WriteRejected(ctx, r, func() (resultsheet.Rows, error) { return o.ownSheet(ctx, sheet) })
	if err != nil {
		return "", err
	}
	return left.Keep()
}

// stillLeft returns the rows of a loaded sheet that are no payout yet, and what is wrong with them now.
func (o *operation) stillLeft(ctx context.Context, sheet ledger.Sheet) (rows []int, found []ledger.Finding, err error) {
	recorded := map[int]bool{}
	err = o.store.EachPayout(ctx, ledger.Filter{SheetID: sheet.ID}, func(a ledger.Attempt) error { recorded[a.Row] = true; return nil })
	if err == nil {
		err = o.store.Elsewhere(ctx, sheet.ID, func(row int, _ ledger.Attempt) error { recorded[row] = true; return nil })
	}
	if err != nil {
		return nil, nil, err
	}
	path, options, err := o.ownFile(ctx, sheet)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, os.Remove(path)) }()
	options.RefPrefix, options.Name = sheet.RefPrefix, sheet.Name
	add := func(row int) {
		if !recorded[row] {
			rows = append(rows, row)
		}
	}
	past := newPendingHistory(o.store)
	past.notLoaded = sheet.ID
	s, err := o.inPasses(ctx, options, false, func(options validate.Options) (Sheet, error) {
		return o.readSheet(ctx, path, options, past, func(payouts []validate.Accepted) error {
			for i := range payouts {
				add(payouts[i].Row)
			}
			return nil
		})
	})
	if err != nil {
		return nil, nil, err
	}
	for _, c := range s.Corrections {
		add(c.Is.Row)
	}
	for _, row := range s.RejectedRows {
		add(row)
	}
	slices.Sort(rows)
	return slices.Compact(rows), s.Findings, nil
}

// WriteToCorrect writes the payouts that a retry would plan to a sheet in the person's own columns, to be
// corrected and loaded with --correct. It plans nothing. It returns their number.
func (a *App) WriteToCorrect(ctx context.Context, call Call, req RetryRequest) (int, error) {
	return reading(ctx, a, call, func(o *operation) (int, error) { return o.toCorrect(ctx, req) })
}

func (o *operation) toCorrect(ctx context.Context, req RetryRequest) (n int, err error) {
	ext := strings.ToLower(filepath.Ext(req.Out))
	if ext != ".csv" && ext != ".xlsx" {
		return 0, Fail(Usage, "%s: the name of the sheet has to end in .xlsx or .csv; nothing was written", ledger.Plain(req.Out))
	}
	req.Of = o.sheetOrBatchID(ctx, req.Of)
	attempts, _, err := o.toRetry(ctx, req)
	if err != nil || len(attempts) == 0 {
		return 0, err
	}
	return len(attempts), o.writeToCorrect(ctx, attempts, req.Out)
}

func (o *operation) writeToCorrect(ctx context.Context, attempts []ledger.Attempt, path string) error {
	sheet, err := o.sheet(ctx, attempts[0].SheetID)
	if err != nil {
		return err
	}
	if sheet.Format != "csv" && strings.EqualFold(filepath.Ext(path), ".csv") {
		return Fail(Usage, "%s was not a CSV, and a CSV cannot hold its cells as they are; nothing was written", ledger.Plain(sheet.Name)).
			Then(Say("give it a name that ends in .xlsx"))
	}
	slices.SortFunc(attempts, func(a, b ledger.Attempt) int { return cmp.Compare(a.Row, b.Row) })
	r := resultsheet.Rejected{Sheet: sheet, At: o.env.Now()}
	for _, at := range attempts {
		r.Rows = append(r.Rows, at.Row)
		b, err := o.store.Batch(ctx, at.BatchID)
		if err != nil {
			return err
		}
		why := at.Asks(b).Row().Title
		if reason := cmp.Or(at.Reason, b.Note); reason != "" {
			why += ": " + reason
		}
		r.Findings = append(r.Findings, ledger.Finding{Row: at.Row, Severity: ledger.SeverityError, Message: why,
			Fix: "Correct what was wrong with the row, or delete the row. Leave the last two columns as they are."})
	}
	if r.Now, err = o.correctedCells(ctx, sheet, attempts); err != nil {
		return err
	}
	err = resultsheet.WriteToCorrect(ctx, r, path, func() (resultsheet.Rows, error) { return o.ownSheet(ctx, sheet) })
	switch _, ofPath := errors.AsType[*fs.PathError](err); {
	case errors.Is(err, fs.ErrExist):
		return Fail(Usage, "%s already exists; nothing was written", ledger.Plain(path)).Because(err).Then(Say("give --out another name"))
	case errors.Is(err, resultsheet.ErrNotPlain):
		return Fail(Usage, "a CSV cannot hold every cell of %s as it is; nothing was written", ledger.Plain(sheet.Name)).Because(err).
			Then(Say("give it a name that ends in .xlsx"))
	case ofPath:
		return Fail(Usage, "%s cannot be written: %v", ledger.Plain(path), config.Reason(err)).Because(err)
	}
	return err
}

// correctedCells returns the cells of payouts that were corrected before, by row and column. They show
// what was sent last, not what was wrong with the row.
func (o *operation) correctedCells(ctx context.Context, sheet ledger.Sheet, attempts []ledger.Attempt) (map[int]map[int]string, error) {
	latest := map[int64]ledger.Attempt{}
	for _, a := range attempts {
		if a.Number > 1 {
			latest[a.ID] = a
		}
	}
	if len(latest) == 0 {
		return nil, nil
	}
	at, err := o.columnsOf(ctx, sheet)
	if err != nil {
		return nil, err
	}
	now := map[int]map[int]string{}
	err = o.store.EachPayout(ctx, ledger.Filter{SheetID: sheet.ID, Attempts: true}, func(first ledger.Attempt) error {
		a, ok := latest[first.ID]
		if !ok || first.Number != 1 || a.Payout == first.Payout {
			return nil
		}
		now[a.Row] = map[int]string{}
		for _, change := range ledger.ChangesOf(&first.Payout, &a.Payout) {
			if change.Column == "bank_account_number" {
				change.Is = a.BankAccountNumber // a change masks it
			}
			if i, ok := at[change.Column]; ok {
				now[a.Row][i] = change.Is
			}
		}
		return nil
	})
	return now, err
}

// columnsOf returns the positions of a sheet's columns, as it was read.
func (o *operation) columnsOf(ctx context.Context, sheet ledger.Sheet) (_ map[string]int, err error) {
	rows, err := o.ownSheet(ctx, sheet)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	reading, err := o.store.SheetContents(ctx, sheet.ID, io.Discard)
	if err != nil {
		return nil, err
	}
	var row ingest.Row
	for row.Number < sheet.Header {
		if row, err = rows.Next(); err != nil {
			return nil, err
		}
	}
	return validate.ColumnsAt(o.asLoaded(sheet, reading), row.Cells)
}

// Template writes an empty payout sheet to fill in, an .xlsx or a .csv, to a path that does not exist yet.
func (a *App) Template(path string) error {
	ext := strings.ToLower(filepath.Ext(path))
	if ext != ".xlsx" && ext != ".csv" {
		return Fail(Usage, "%s: a template is an .xlsx or a .csv", ledger.Plain(path))
	}
	err := resultsheet.WriteTemplate(path, a.template())
	switch {
	case errors.Is(err, fs.ErrExist):
		return Fail(Usage, "%s already exists and is not overwritten", ledger.Plain(path)).Because(err).Then(Do("template", "other"+ext))
	case err != nil:
		return Fail(Usage, "%s cannot be written: %v", ledger.Plain(path), config.Reason(err)).Because(err)
	}
	return nil
}

// template has the columns of the interface, and choices from payrun.toml.
func (a *App) template() resultsheet.Template {
	t := resultsheet.Template{At: a.env.Now()}
	for _, c := range validate.Template(a.set.Accounts) {
		column := resultsheet.TemplateColumn{Name: c.Name, Required: c.Required, Amount: c.Amount, What: c.What, Example: c.Example}
		switch c.Name {
		case "bank_account_id":
			column.Choices = ledger.ListOf(a.set.Accounts, func(acc ledger.DebitAccount) string { return cmp.Or(acc.Name, acc.BankAccountID) })
		case "transaction_type_id":
			column.Choices = []string{"NEFT", "RTGS", "IMPS"} // suggestions: the interface does not list the values ("Initiate transfer")
			if own := a.set.TransactionTypeID; own != "" && !slices.Contains(column.Choices, own) {
				column.Choices = slices.Insert(column.Choices, 0, own)
			}
		}
		t.Columns = append(t.Columns, column)
	}
	return t
}
