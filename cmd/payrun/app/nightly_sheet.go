package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"payrun/cmd/payrun/config"
	"payrun/ingest"
	"payrun/ledger"
	"payrun/ledger/durable"
	"payrun/validate"
)

// takeIn takes the files in the inbox one by one, loads them and archives or rejects each. A bad
// file does not stop the others. What does not fit into the budget stays.
func (n *night) takeIn(ctx context.Context) error {
	nightly := n.set.Nightly
	n.inbox = newInbox(n.set.InFolder(nightly.Inbox), n.store.LedgerID(), n.set.InFolder(nightly.Archive), n.set.InFolder(nightly.Rejected), n.set.InFolder(nightly.Reports))
	for _, dir := range []string{n.dir, n.rejectedDir()} {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return Fail(Usage, "the folder %s cannot be made: %v", dir, config.Reason(err)).Because(err)
		}
	}
	if sameFolder(n.dir, n.rejectedDir()) || sameFolder(n.dir, n.set.InFolder(nightly.Archive)) {
		return Fail(Usage, "nightly.inbox is also nightly.archive or nightly.rejected: archived sheets would be loaded again")
	}
	if why := config.NotOnlyOurs(n.taken); why != "" {
		return Fail(Usage, "nothing was taken from the inbox: the folder %s in it %s, and is not the one that payrun made", n.taken, why)
	}
	if why := config.NotOnlyOurs(n.dir); why != "" && !n.set.Shares(n.dir) {
		n.warn("the inbox %s %s: others may put sheets there", ledger.Plain(n.dir), why)
	}
	found, err := n.list(ctx, n.env.Now())
	switch {
	case budgetOver(ctx, err):
		n.leave("the inbox")
		return nil
	case err != nil && ctx.Err() != nil:
		return err
	case err != nil:
		return Fail(Usage, "the inbox %s cannot be read: %v", n.dir, config.Reason(err)).Because(err)
	}
	for _, name := range found.arriving {
		n.step("not loaded yet, because it changed within %s: %s", still, name)
	}
	var failures []error
	if len(found.files) > 0 {
		if err := n.may(loaders...); err != nil {
			return err
		}
	}
	if len(found.odd) > 0 {
		failures = append(failures, Fail(SheetRefused, "not loaded, because it is not a plain file: %s", some(found.odd, 3)))
	}
	failures = append(failures, n.leftAlone(found.unlike))
	for i, w := range found.files {
		err := context.Cause(ctx)
		if err == nil {
			err = n.takeOne(ctx, w)
		}
		if budgetOver(ctx, err) {
			n.leave(ledger.Counted(len(found.files)-i, "file", "files") + " of the inbox")
			break
		}
		failures = append(failures, err)
		if ctx.Err() != nil || OfTheLedger(err) {
			break
		}
	}
	return errors.Join(append(failures, n.refusals()...)...)
}

// leftAlone reports the files that stay in the inbox because of their names: once, and again
// when the names change.
func (n *night) leftAlone(names []string) error {
	before := n.report.Unlike
	n.report.Unlike = ""
	if len(names) == 0 {
		return nil
	}
	n.report.Unlike = fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(names, "\x00"))))
	if n.report.Unlike == before {
		return nil
	}
	return Fail(SheetRefused, "left in the inbox, because its name does not end like a sheet's (.csv, .xlsx, .xml): %s", some(names, 3))
}

// refusals reports all rejected sheets at once, and all that lost rows.
func (n *night) refusals() (errs []error) {
	for _, of := range []struct {
		outcome string
		code    Code
		words   string
	}{
		{SheetRejected, SheetRefused, "rejected"},
		{SheetPartly, RowsLeftOut, "loaded without rows that are wrong"},
	} {
		if sheets := ledger.Where(n.done.Sheets, func(s NightSheet) bool { return s.Outcome == of.outcome }); len(sheets) > 0 {
			names := ledger.ListOf(sheets, func(s NightSheet) string { return s.Name })
			errs = append(errs, Fail(of.code, "%s: %s; the reasons are in %s", of.words, some(names, 3), n.set.InFolder(n.set.Nightly.Rejected)))
		}
	}
	return errs
}

// takeOne takes a file, loads it if possible, and archives or rejects it.
func (n *night) takeOne(ctx context.Context, w inboxFile) error {
	name := filepath.Base(w.path)
	if w.breaks >= mostBreaks {
		return n.stuck(ctx, w)
	}
	taken, err := n.take(w)
	if errors.Is(err, errNotTaken) {
		n.step("not taken, it is in use: %s", name)
		return nil
	}
	if err != nil {
		return Fail(Failed, "%s cannot be taken from the inbox: %v", name, config.Reason(err)).Because(err)
	}
	s, err := n.load(ctx, taken.path, SheetOptions{SkipBad: n.set.Nightly.BadRows == config.SkipRows, GiveBack: n.rejectedDir()})
	switch {
	case err != nil && s.Loaded == nil:
		err = fmt.Errorf("%s: %w", name, err)
	case err != nil: // it is loaded, but its left-out rows do not have their name
		return errors.Join(err, n.archive(taken.path, s, SheetPartly))
	case changed(s):
		n.step("not loaded, because it changed while it was read: %s", name)
		return n.back(taken)
	case s.AlreadyLoaded:
		err = n.repeated(ctx, w.fresh, taken.path, s)
	case s.Loaded != nil && s.Refused():
		err = n.archive(taken.path, s, SheetPartly)
	case s.Loaded != nil:
		err = n.archive(taken.path, s, SheetLoaded)
	default:
		err = n.reject(taken.path, s, s.refusal(true).What+".")
	}
	if err != nil { // the run did not crash, so this must not count as a break
		err = errors.Join(err, n.back(taken))
	}
	return err
}

// stuck handles a file on which several runs stopped: a crash, too little memory or a power cut says
// nothing about the sheet. The file stays and no night reads it again, so that the rest of the night
// can run. When a person has loaded it, stuck archives it.
func (n *night) stuck(ctx context.Context, w inboxFile) error {
	sum, err := hashOf(w.path)
	if err != nil {
		return err
	}
	sheets, err := n.store.Sheets(ctx)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(sheets, func(s ledger.Sheet) bool { return s.SHA256 == sum }); i >= 0 {
		return n.archive(w.path, Sheet{Result: validate.Result{Sheet: sheets[i]}}, SheetRepeated)
	}
	return Fail(NeedsPerson, "%d runs stopped while they read %s, so it is not loaded: load it by hand with payrun load %s", w.breaks, filepath.Base(w.path), ledger.Plain(w.path))
}

// changed reports whether a program wrote to the file while it was read.
func changed(s Sheet) bool {
	return slices.ContainsFunc(s.Findings, func(f ledger.Finding) bool { return f.Code == ingest.CodeFileChanged })
}

// repeated archives a file whose content is in the ledger. That is an error only if an earlier
// run stopped between loading it and giving its bad rows back.
func (n *night) repeated(ctx context.Context, fresh bool, path string, s Sheet) error {
	first, err := n.store.SheetBy(ctx, s.Sheet)
	if err != nil && !errors.Is(err, ledger.ErrNotFound) {
		return err
	}
	if fresh || first.Rejected.Count == 0 {
		return n.archive(path, s, SheetRepeated)
	}
	return n.reject(path, s, fmt.Sprintf("The run that loaded it stopped before it returned %s (%s), which are not loaded: the result sheet of `payrun report --sheet %s` lists them. The rest is loaded; do not load it again.",
		ledger.CountedRows(first.Rejected.Count), first.Rejected.Total.Rupees(), first.ID))
}

// archive moves a sheet that is in the ledger to the archive.
func (n *night) archive(path string, s Sheet, outcome string) error {
	to, err := archiveFile(path, n.archiveDir(), filepath.Base(path), "")
	if err != nil {
		return Fail(Failed, "%s is loaded, but could not be moved to the archive: %v", filepath.Base(path), err).Because(err)
	}
	if outcome == SheetRepeated { // counted when it was loaded
		s.Sheet.Accepted, s.Sheet.Rejected = ledger.Tally{}, ledger.Tally{}
	}
	n.note(NightSheet{
		Name: filepath.Base(path), Outcome: outcome, ID: s.Sheet.ID, Accepted: s.Sheet.Accepted, Rejected: s.Sheet.Rejected,
		Path: to, GiveBack: s.RejectedPath, Kept: s.KeptBy(),
	})
	return nil
}

// reasonsEnding is the suffix of the file that says why a sheet was rejected.
const reasonsEnding = ".reasons.txt"

// reject moves a sheet of which nothing was loaded, unchanged, to the rejected folder with the
// reasons. The reasons are on disk before the sheet moves.
func (n *night) reject(path string, s Sheet, why string) error {
	fail := func(err error) error {
		return Fail(Failed, "%s was not loaded, and could not be moved to %s: %v", filepath.Base(path), n.rejectedDir(), err).Because(err)
	}
	draft := filepath.Join(n.rejectedDir(), ".payrun-reasons-"+n.store.LedgerID())
	if err := durable.Replace(draft, durable.From(strings.NewReader(reasons(filepath.Base(path), s.Findings, why)))); err != nil {
		return fail(err)
	}
	to, err := archiveFile(path, n.rejectedDir(), filepath.Base(path), reasonsEnding)
	if err != nil {
		return fail(err)
	}
	if err := os.Rename(draft, to+reasonsEnding); err != nil {
		return fail(err)
	}
	n.note(NightSheet{Name: filepath.Base(path), Outcome: SheetRejected, Rejected: s.Sheet.Rejected, Path: to, GiveBack: to + reasonsEnding, Kept: s.KeptBy()})
	return nil
}

// reasons says why a sheet was rejected, for the person who made it.
func reasons(name string, findings []ledger.Finding, why string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n", ledger.Plain(name), ledger.Plain(why))
	for _, f := range findings {
		if f.Severity != ledger.SeverityError {
			continue
		}
		where := f.Place()
		if where == "" {
			where = strings.TrimSuffix("the sheet as a whole, "+f.Column, ", ")
		}
		fmt.Fprintf(&b, "\n%s: %s (%s)\n", ledger.Plain(where), ledger.Plain(f.Message), f.Code)
		if f.Fix != "" {
			fmt.Fprintf(&b, "  %s\n", ledger.Plain(f.Option.EndFix(f.Fix)))
		}
	}
	if len(findings) > 0 {
		b.WriteString("\nCorrect the sheet and put it into the inbox again. `payrun check` shows the same.\n")
	}
	return b.String()
}

// note keeps the outcome of a sheet, and reports it.
func (n *night) note(s NightSheet) {
	n.done.Sheets = append(n.done.Sheets, s)
	by := ""
	if s.Kept != nil {
		by = fmt.Sprintf(", columns as %s saved them at %s", s.Kept.By, s.Kept.At)
	}
	n.step("sheet %s: %s, %s loaded, %s left out%s, now %s", s.Outcome, s.Name, ledger.CountedPayouts(s.Accepted.Count), ledger.CountedRows(s.Rejected.Count), by, s.Path)
}

func (n *night) step(format string, args ...any) {
	n.call.progress().Step("", fmt.Sprintf(format, args...))
}

func (n *night) rejectedDir() string { return n.set.InFolder(n.set.Nightly.Rejected) }

// archiveDir returns the archive folder of today, in the configured zone.
func (n *night) archiveDir() string {
	return filepath.Join(n.set.InFolder(n.set.Nightly.Archive), n.env.Now().In(n.set.Timezone.At).Format("2006-01-02"))
}
