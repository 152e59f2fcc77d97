package app

import (
	"cmp"
	"context"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
	"payrun/reports"
	"payrun/reports/sheetback"
)

// ReportRequest says which reports, and where to.
type ReportRequest struct {
	Sheet string // "" for all
	Dir   string // "" for the configured folder
}

// Report writes the files for finance, from the ledger alone, and returns their paths.
func (a *App) Report(ctx context.Context, call Call, req ReportRequest) (paths []string, err error) {
	err = a.read(ctx, call, func(o *operation) error {
		if err := o.hasSheet(ctx, req.Sheet); err != nil {
			return err
		}
		if paths, err = o.writeReports(ctx, req); err != nil {
			return err
		}
		return o.warnOfResults(ctx, req.Sheet, paths)
	})
	return paths, err
}

// hasSheet refuses a sheet that is not there. "" is every sheet.
func (o *operation) hasSheet(ctx context.Context, id string) error {
	if id == "" {
		return nil
	}
	all, err := o.store.Sheets(ctx)
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.ID == id {
			return nil
		}
	}
	return Fail(Usage, "there is no sheet %q", ledger.Plain(id)).Because(ledger.ErrNotFound).Then(Do("sheets").Which("lists them"))
}

func (o *operation) writeReports(ctx context.Context, req ReportRequest) ([]string, error) {
	defer o.call.progress().Begin("writing the reports", "").End()
	dir := cmp.Or(req.Dir, o.set.Beside(o.set.Nightly.Reports))
	if why := config.NotOnlyOurs(dir); why != "" && !o.set.Shares(dir) {
		o.warn("the folder %s %s: others may replace or remove the reports in it", ledger.Plain(dir), why)
	}
	paths, err := reports.Write(ctx, o.store, reports.Options{
		Dir: dir, SheetID: req.Sheet, Zone: o.set.Timezone.At, Results: sheetback.Results(o.ownSheet),
	})
	if err != nil {
		return paths, err
	}
	if err := o.set.Share(dir, paths); err != nil {
		o.warn("the reports stay yours alone: %v", err)
	}
	return paths, nil
}
