package app

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
	"payrun/ledger/reconcile"
	"payrun/reports"
	"payrun/reports/resultsheet"
)

// ReportRequest says which reports, and where to.
type ReportRequest struct {
	Sheets       []string          // none: all
	Since, Until time.Time         // sheets loaded at or after Since and before Until; zero: no bound
	Statements   *reconcile.Result // what matching the statements on record found; nil where it is to be matched
	Dir          string            // "" for that of the day and scope among the configured ones
}

// Days reads two days, whole days in that zone: from the first moment of since to
// before the day after until. The zero time where none is given.
func Days(since, until string, zone *time.Location) (from, before time.Time, err error) {
	day := func(what, text string) (t time.Time) {
		if text != "" && err == nil {
			if t, err = time.ParseInLocation(time.DateOnly, text, zone); err != nil {
				err = Fail(Usage, "%s %q is no day; write it as 2026-11-30", what, ledger.Plain(text))
			}
		}
		return t
	}
	if from, before = day("since", since), day("until", until); err != nil {
		return from, before, err
	}
	if !before.IsZero() {
		before = before.AddDate(0, 0, 1)
	}
	if !before.IsZero() && !from.Before(before) {
		err = Fail(Usage, "the first of these days is after the last")
	}
	return from, before, err
}

// Report writes the files for finance, from the ledger alone, and returns their paths.
func (a *App) Report(ctx context.Context, call Call, req ReportRequest) (paths []string, err error) {
	err = a.readOwn(ctx, call, func(o *operation) error {
		req.Sheets = slices.Clone(req.Sheets)
		for i, word := range req.Sheets {
			if req.Sheets[i], err = o.sheetID(ctx, word); err != nil {
				return err
			}
		}
		paths, err = o.writeReports(ctx, req)
		if err == nil {
			o.warnOfResults(paths)
		}
		return err
	})
	return paths, err
}

func (req ReportRequest) scope() reports.Scope {
	return reports.Scope{SheetIDs: req.Sheets, Since: req.Since, Until: req.Until}
}

// writeReports writes one set of reports, into the folder of the day and scope unless the request
// names one, and the list of all such folders.
func (o *operation) writeReports(ctx context.Context, req ReportRequest) (paths []string, err error) {
	writing := o.call.progress().Begin("writing the reports", "payouts")
	defer writing.End()
	base, dir := "", req.Dir
	if dir == "" {
		base = o.set.Beside(o.set.Nightly.Reports)
		o.warnOfFolder(base)
		dir = reports.RunFolder(base, o.env.Now().In(o.set.Timezone.At), req.folderName(o.set.Timezone.At))
	} else {
		o.warnOfFolder(dir)
	}
	if req.Statements == nil {
		if req.Statements, err = o.match(ctx); err != nil {
			return nil, err
		}
	}
	paths, err = reports.Write(ctx, counted{o.store, writing}, reports.Options{
		Dir: dir, Drafts: base, Scope: req.scope(), About: o.about(), Statements: req.Statements, Zone: o.set.Timezone.At, Rails: o.rails(), Results: resultsheet.Results(o.ownSheet),
	})
	if err != nil {
		return paths, noFolder(err)
	}
	o.share(dir, paths)
	if base == "" {
		return paths, nil
	}
	index, err := reports.WriteIndex(base)
	if err != nil {
		o.warn("the list of reports could not be written: %v", err)
		return paths, nil
	}
	o.share(base, []string{index})
	return paths, nil
}

// counted is a ledger that reports each payout that it reads to the person who waits.
type counted struct {
	store
	told Activity
}

// EachPayout implements reports.Ledger.
func (c counted) EachPayout(ctx context.Context, f ledger.Filter, fn func(ledger.Attempt) error) error {
	return c.store.EachPayout(ctx, f, func(a ledger.Attempt) error {
		c.told.Add(1)
		return fn(a)
	})
}

// noFolder says what to do if reports cannot be written next to the ledger, as in an auditor's copy.
func noFolder(err error) error {
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return Fail(Failed, "the reports: %v", err).Because(err).Then(Do("report", "-o", "reports-of-mine").First("write them where you may"))
}

func (o *operation) warnOfFolder(dir string) {
	if why := config.NotOnlyOurs(dir); why != "" && !o.set.Shares(dir) {
		o.warn("the folder %s %s: others may replace or remove the reports in it", ledger.Plain(dir), why)
	}
}

// share gives reports to the group that shares the ledger, if there is one.
func (o *operation) share(dir string, paths []string) {
	if err := o.set.Share(dir, paths); err != nil {
		o.warn("the reports stay yours alone: %v", err)
	}
}

// about says whose reports they are.
func (o *operation) about() reports.About {
	return reports.About{Environment: string(o.set.Environment), Merchant: o.set.SubMerchantID, By: o.call.Actor, Accounts: o.set.Accounts}
}

// folderName says in the name of a folder what the reports in it are about.
func (req ReportRequest) folderName(zone *time.Location) string {
	var words []string
	switch n := len(req.Sheets); {
	case n == 1:
		words = append(words, req.Sheets[0])
	case n > 1:
		words = append(words, strconv.Itoa(n)+"-sheets")
	}
	if !req.Since.IsZero() {
		words = append(words, "since-"+req.Since.In(zone).Format(time.DateOnly))
	}
	if !req.Until.IsZero() {
		words = append(words, "until-"+req.scope().LastDay(zone).Format(time.DateOnly))
	}
	if len(words) == 0 {
		return "all"
	}
	return strings.Join(words, "-")
}
