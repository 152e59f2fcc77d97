package app

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
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

// WriteToCorrect writes the payouts that a retry would plan to a sheet in the
// person's own columns, to be corrected and loaded with --correct. Nothing is
// planned. It returns how many there are, and what comes next.
func (a *App) WriteToCorrect(ctx context.Context, call Call, req RetryRequest) (n int, next []Hint, err error) {
	err = a.read(ctx, call, func(o *operation) error {
		if n, err = o.toCorrect(ctx, req); err == nil && n > 0 {
			next = []Hint{Do("load", req.Out, "--correct").First("correct the rows in %s, delete those that are not to be paid, then load it", ledger.Plain(req.Out))}
		}
		return err
	})
	return n, next, err
}

func (o *operation) toCorrect(ctx context.Context, req RetryRequest) (n int, err error) {
	ext := strings.ToLower(filepath.Ext(req.Out))
	if ext != ".csv" && ext != ".xlsx" {
		return 0, Fail(Usage, "%s: the name of the sheet has to end in .xlsx or .csv; nothing was written", ledger.Plain(req.Out))
	}
	if _, err := os.Lstat(req.Out); !errors.Is(err, fs.ErrNotExist) {
		return 0, Fail(Usage, "%s is there already; nothing was written", ledger.Plain(req.Out))
	}
	req.Of = o.sheetOrBatchID(ctx, req.Of)
	attempts, _, err := o.toRetry(ctx, req)
	if err == nil {
		attempts, err = o.mayCorrect(ctx, attempts)
	}
	if err != nil || len(attempts) == 0 {
		return 0, err
	}
	return len(attempts), o.writeToCorrect(ctx, attempts, req.Out)
}

// mayCorrect leaves out what a sheet of corrections could not name, and says so.
func (o *operation) mayCorrect(ctx context.Context, attempts []ledger.Attempt) ([]ledger.Attempt, error) {
	keys := make([]string, len(attempts))
	for i, a := range attempts {
		keys[i] = validate.RefKey(a.Ref)
	}
	now, err := o.store.Correctable(ctx, keys)
	if err != nil {
		return nil, err
	}
	var list []ledger.Attempt
	for i, a := range attempts {
		if why := now[keys[i]].Uncorrectable(); why != nil {
			o.warn("%s is left out: %s", ledger.Plain(a.Ref), why.Words)
			continue
		}
		list = append(list, a)
	}
	return list, nil
}

func (o *operation) writeToCorrect(ctx context.Context, attempts []ledger.Attempt, path string) error {
	sheet, err := o.sheetByID(ctx, attempts[0].SheetID)
	if err != nil {
		return err
	}
	if sheet.Format != "csv" && strings.EqualFold(filepath.Ext(path), ".csv") {
		return Fail(Usage, "%s was no CSV, and a CSV cannot hold its cells as they are; nothing was written", ledger.Plain(sheet.Name)).
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
		row, _ := at.Asks(b).Row()
		why := row.Title
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
	switch {
	case errors.Is(err, fs.ErrExist):
		return Fail(Usage, "%s is there already; nothing was written", ledger.Plain(path)).Because(err)
	case errors.Is(err, resultsheet.ErrNotPlain):
		return Fail(Usage, "a CSV cannot hold every cell of %s as it is; nothing was written", ledger.Plain(sheet.Name)).Because(err).
			Then(Say("give it a name that ends in .xlsx"))
	case err != nil && isPathError(err):
		return Fail(Usage, "%s cannot be written: %v", ledger.Plain(path), config.Reason(err)).Because(err)
	}
	return err
}

func isPathError(err error) bool {
	_, ok := errors.AsType[*fs.PathError](err)
	return ok
}

// correctedCells are the cells of payouts that were corrected before: they have what was sent last,
// and not what was wrong with the row.
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
	var at map[string]int
	now := map[int]map[int]string{}
	err := o.store.EachPayout(ctx, ledger.Filter{SheetID: sheet.ID, Attempts: true}, func(first ledger.Attempt) (err error) {
		a, ok := latest[first.ID]
		if !ok || first.Number != 1 || a.Payout == first.Payout {
			return nil
		}
		if at == nil {
			if at, err = o.columnsOf(ctx, sheet); err != nil {
				return err
			}
		}
		now[a.Row] = map[int]string{}
		for _, change := range ledger.ChangesOf(&first.Payout, &a.Payout) {
			if change.Column == "bank_account_number" {
				change.Is = a.BankAccountNumber // which a change masks
			}
			if i, ok := at[change.Column]; ok {
				now[a.Row][i] = change.Is
			}
		}
		return nil
	})
	return now, err
}

// columnsOf tells where the columns of a sheet stand, as it was read.
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
