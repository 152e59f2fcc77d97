package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
	"payrun/reports"
)

// prune removes what nightly.keep is over for: day folders of the archive, day folders of the
// reports but the newest, and files of rejected that payrun itself wrote, with their sheet. A day
// counts by the name of its folder. Nothing else is touched.
func (n *night) prune(context.Context) error {
	keep := int(n.set.Nightly.Keep)
	if keep == 0 {
		return nil
	}
	oldest := n.env.Now().In(n.set.Timezone.At).AddDate(0, 0, -keep)
	isOld := func(day string) bool {
		_, err := time.Parse(time.DateOnly, day)
		return err == nil && day < oldest.Format(time.DateOnly)
	}
	var errs []error
	for _, of := range []struct {
		dir string
		old func([]fs.DirEntry) []string // names, of a folder's entries by name
	}{
		{n.set.Nightly.Archive, func(all []fs.DirEntry) (old []string) {
			for _, e := range all {
				if e.IsDir() && isOld(e.Name()) {
					old = append(old, e.Name())
				}
			}
			return old
		}},
		{n.set.Nightly.Reports, func(all []fs.DirEntry) (old []string) {
			all = slices.DeleteFunc(all, func(e fs.DirEntry) bool { return !e.IsDir() || !reports.IsRun(e.Name()) })
			for i, e := range all {
				if isOld(reports.RunDay(e.Name())) && i < len(all)-1 {
					old = append(old, e.Name())
				}
			}
			return old
		}},
		{n.set.Nightly.Rejected, func(all []fs.DirEntry) []string { return oldRejected(all, oldest) }},
	} {
		removed, err := removeOld(n.set.Beside(of.dir), of.old)
		n.done.Removed = append(n.done.Removed, removed...)
		errs = append(errs, err)
	}
	if removed := len(n.done.Removed); removed > 0 {
		n.step("removed, older than %d days: %s", keep, some(n.done.Removed))
	}
	if err := errors.Join(errs...); err != nil {
		return Fail(Failed, "what is older than nightly.keep could not be removed: %v", err).Because(err)
	}
	return nil
}

// oldRejected are the files of rejected that payrun wrote before a time: reasons, with the sheet
// whose reasons they are, and rows that were left out.
func oldRejected(all []fs.DirEntry, before time.Time) (old []string) {
	for _, e := range all {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || !info.ModTime().Before(before) {
			continue
		}
		name := e.Name()
		if sheet, ok := strings.CutSuffix(name, reasonsEnding); ok {
			old = append(old, sheet, name)
		} else if strings.HasSuffix(strings.TrimSuffix(name, filepath.Ext(name)), ".rejected") {
			old = append(old, name)
		}
	}
	return old
}

// removeOld removes what old picks of a folder, and returns the paths. No link leads out of it.
func removeOld(dir string, old func([]fs.DirEntry) []string) (removed []string, err error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	all, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, name := range old(all) {
		if err := root.RemoveAll(name); err != nil {
			errs = append(errs, err)
			continue
		}
		removed = append(removed, ledger.Plain(filepath.Join(dir, name)))
	}
	return removed, errors.Join(errs...)
}
