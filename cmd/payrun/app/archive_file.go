package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"payrun/ledger"
	"payrun/ledger/durable"
	"payrun/reports"
)

// mostNameBytes leaves space in a file name for a number and an extension.
const mostNameBytes = 180

// archiveFile moves a file into a folder under its own name, or the next free one: it never replaces a file.
// suffix is that of a file that is written next to it; "" for none. The name with it is free, too. If
// the folder is on another disk, the file is complete and durable there before the original is removed.
func archiveFile(path, dir, name, suffix string) (to string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		to = filepath.Join(dir, numbered(harmless(name), n))
		if _, err := os.Lstat(to + suffix); err == nil {
			continue
		}
		f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // reserves the name
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		if err = f.Close(); err == nil {
			err = moveOnto(path, to)
		}
		if err != nil {
			return "", errors.Join(err, os.Remove(to))
		}
		return to, errors.Join(durable.SyncFolder(dir), durable.SyncFolder(filepath.Dir(path)))
	}
}

// rename is os.Rename. It is a variable for tests, which cannot have two disks.
var rename = os.Rename

// moveOnto moves a file onto a reserved one. Only this ledger's runs change the folder that the file is in.
func moveOnto(path, reserved string) error {
	err := rename(path, reserved)
	if !errors.Is(err, syscall.EXDEV) {
		return err
	}
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer from.Close()
	if err := durable.Replace(reserved, durable.From(from)); err != nil {
		return err
	}
	return os.Remove(path)
}

// harmless returns a file name that is safe in a terminal and in a command.
func harmless(name string) string {
	if strings.HasPrefix(name, "-") || strings.HasPrefix(name, ".") {
		name = "_" + name
	}
	return strings.ReplaceAll(printable(name), "/", "_")
}

// printable replaces every character of a name that does not print.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if ledger.Unprintable(r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
}

// numbered adds a number to a name, from the second file on, and keeps the name short enough for any disk.
func numbered(name string, n int) string {
	ext := filepath.Ext(name)
	if len(ext) > len(".xlsx") {
		ext = ""
	}
	stem := strings.TrimSuffix(name, ext)
	stem = strings.ToValidUTF8(stem[:min(len(stem), mostNameBytes)], "") // no part of a character
	if n > 1 {
		stem = fmt.Sprintf("%s-%d", stem, n)
	}
	return stem + ext
}

// archivedDays is how many day folders of the archive a night hashes: its own, and the two
// of the night before, which may have run past midnight.
const archivedDays = 3

// hashArchive compares the files that this night and the one before archived with the
// sheets of the ledger. A program that still has a moved file open may still write to it,
// and no ledger has what it adds (safety.md, "Local faults").
func (n *night) hashArchive(ctx context.Context) error {
	paths, err := n.lastArchived()
	if err != nil || len(paths) == 0 {
		return err
	}
	sheets, err := n.store.Sheets(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, path := range paths {
		sum, err := hashOf(path)
		if err == nil && !slices.ContainsFunc(sheets, func(s ledger.Sheet) bool { return s.SHA256 == sum }) {
			err = n.sameRows(ctx, path)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// lastArchived lists the files in the newest day folders of the archive. It skips an empty
// file: a run reserved that name before it stopped.
func (n *night) lastArchived() (paths []string, err error) {
	archive := n.set.InFolder(n.set.Nightly.Archive)
	days, err := os.ReadDir(archive) // sorted by name
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	days = slices.DeleteFunc(days, func(day fs.DirEntry) bool {
		_, err := time.Parse(time.DateOnly, day.Name())
		return err != nil || !day.IsDir()
	})
	for _, day := range days[max(0, len(days)-archivedDays):] {
		dir := filepath.Join(archive, day.Name())
		files, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			info, err := f.Info()
			if err == nil && info.Mode().IsRegular() && info.Size() > 0 && !onItsWay(f.Name()) {
				paths = append(paths, filepath.Join(dir, f.Name()))
			}
		}
	}
	return paths, nil
}

// sameRows reads a file whose bytes were never loaded. It accepts the file if its rows
// are in the ledger: then the same sheet was saved twice.
func (n *night) sameRows(ctx context.Context, path string) error {
	s, err := n.dryRun(ctx, path, SheetOptions{}, newPendingHistory(n.store), keepNone)
	if err != nil || s.AlreadyLoaded {
		return err
	}
	return Fail(ArchiveChanged, "%s changed after it was loaded, and the added rows are not loaded: move it out of the archive, delete the rows that `payrun check` reports as used before, and put it into the inbox",
		ledger.Plain(path))
}

// hashOf returns the SHA-256 of a file.
func hashOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// prune removes what is older than nightly.keep: day folders of the archive, day folders of the reports
// except the newest, and files in rejected that payrun itself wrote, with their sheets. The name of a
// folder gives its day. Nothing else is removed.
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
	isRun := func(e fs.DirEntry) bool { return e.IsDir() && reports.IsRun(e.Name()) }
	err := errors.Join(
		n.removeOld(n.set.Nightly.Archive, func(all []fs.DirEntry, i int) bool { return all[i].IsDir() && isOld(all[i].Name()) }),
		n.removeOld(n.set.Nightly.Reports, func(all []fs.DirEntry, i int) bool {
			return isRun(all[i]) && isOld(reports.RunDay(all[i].Name())) && slices.ContainsFunc(all[i+1:], isRun)
		}),
		n.removeOld(n.set.Nightly.Rejected, func(all []fs.DirEntry, i int) bool {
			return oldRejected(filepath.Join(n.rejectedDir(), all[i].Name()), oldest)
		}))
	if removed := len(n.done.Removed); removed > 0 {
		n.step("removed, older than %d days: %s", keep, some(n.done.Removed, 3))
	}
	if err != nil {
		return Fail(Failed, "files older than nightly.keep could not be removed: %v", err).Because(err)
	}
	return nil
}

// oldRejected reports whether a file in rejected was written by payrun before a time: reasons, or
// left-out rows. A sheet is as old as its reasons.
func oldRejected(path string, before time.Time) bool {
	aged := func(path string) bool {
		info, err := os.Lstat(path)
		return err == nil && info.Mode().IsRegular() && info.ModTime().Before(before)
	}
	ours := strings.HasSuffix(path, reasonsEnding) || strings.HasSuffix(strings.TrimSuffix(path, filepath.Ext(path)), ".rejected")
	return ours && aged(path) || aged(path+reasonsEnding)
}

// removeOld removes the old entries of a folder, in the order of their names, so that a sheet is removed
// before its reasons. It follows no link out of the folder.
func (n *night) removeOld(dir string, old func(all []fs.DirEntry, i int) bool) error {
	dir = n.set.InFolder(dir)
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	all, err := fs.ReadDir(root.FS(), ".")
	for i, e := range all {
		if !old(all, i) {
			continue
		}
		if gone := root.RemoveAll(e.Name()); gone != nil {
			err = errors.Join(err, gone)
			continue
		}
		n.done.Removed = append(n.done.Removed, ledger.Plain(filepath.Join(dir, e.Name())))
	}
	return err
}
