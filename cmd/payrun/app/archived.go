package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"payrun/ledger"
)

// archivedDays is how many day folders of the archive a night hashes: its own, and those
// of the night before, which may have run over midnight.
const archivedDays = 3

// hashArchive compares the files that this night and the one before archived with the
// sheets of the ledger. A program that still has a file open writes to it wherever it is
// moved, and what it adds is in no ledger (safety.md, "Local faults").
func (n *night) hashArchive(ctx context.Context) error {
	paths, err := n.lastArchived()
	if err != nil || len(paths) == 0 {
		return err
	}
	sheets, err := n.store.Sheets(ctx)
	if err != nil {
		return err
	}
	loaded := make(map[string]bool, len(sheets))
	for _, s := range sheets {
		loaded[s.SHA256] = true
	}
	var errs []error
	for _, path := range paths {
		sum, err := hashOf(path)
		if err == nil && !loaded[sum] {
			err = n.sameRows(ctx, path)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// lastArchived lists the files in the newest day folders of the archive. An empty one
// is the name that a run reserved before it broke off.
func (n *night) lastArchived() (paths []string, err error) {
	archive := n.set.Beside(n.set.Nightly.Archive)
	days, err := os.ReadDir(archive) // in the order of their names
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

// sameRows reads a file whose bytes were never loaded. It is in order where its rows
// are in the ledger: the same sheet was saved twice.
func (n *night) sameRows(ctx context.Context, path string) error {
	s, err := n.dryRun(ctx, path, SheetOptions{}, newPendingHistory(n.store), false)
	if err != nil || s.AlreadyLoaded {
		return err
	}
	return Fail(ArchiveChanged, "%s changed after it was loaded, and the rows that were added are not loaded: take it out of the archive, delete the rows that `payrun check` reports as used before, and put it into the inbox",
		ledger.Plain(path))
}

// hashOf is the SHA-256 of a file.
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
