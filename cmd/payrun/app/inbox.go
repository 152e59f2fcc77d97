package app

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// still is how long a file must not change before payrun takes it as complete: a program may write it slowly.
const still = 30 * time.Second

// mostBreaks is how many runs may stop unexpectedly while they read the same file.
const mostBreaks = 3

// inbox is the folder where others put sheets. A run takes a file by renaming it into a
// folder of this ledger inside the inbox, so that two runs never have the same file. If
// the run crashes, the file stays there, and the next run finds it.
//
// That folder has one subfolder for each number of runs that started to read a file. So the
// number of crashes on a file is known without writing it down.
type inbox struct {
	dir   string
	taken string
	pass  []string // payrun's own folders that may be in it
}

func newInbox(dir, ledgerID string, pass ...string) inbox {
	return inbox{dir, filepath.Join(dir, takenPrefix+ledgerID), pass}
}

// takenPrefix begins the name of the folder for the files that a ledger has taken.
const takenPrefix = ".payrun-taken-"

// inboxFile is a file that a run may take.
type inboxFile struct {
	path   string
	info   fs.FileInfo
	breaks int  // runs that started to read it and did not finish
	fresh  bool // in the inbox itself
}

// seen is what was found in the inbox, oldest first.
type seen struct {
	files    []inboxFile
	arriving []string // names of files that may still be changing
	odd      []string // names of entries that are not plain files
	unlike   []string // names of plain files that cannot be sheets by their names
}

// list lists the files to take: those that earlier runs left, then those that did not change. A file
// with a time in the future (another clock, or this one before it was set back) is looked at twice.
func (b inbox) list(ctx context.Context, now time.Time) (found seen, err error) {
	if found.files, err = b.left(); err != nil {
		return found, err
	}
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		return found, err
	}
	var fresh, ahead []inboxFile
	for _, e := range entries {
		name := e.Name()
		if onItsWay(name) {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // a person took it back
		}
		if err != nil {
			return found, err
		}
		w := inboxFile{path: filepath.Join(b.dir, name), info: info, fresh: true}
		switch age := now.Sub(info.ModTime()); {
		case info.IsDir() && slices.ContainsFunc(b.pass, func(own string) bool { return sameFolder(own, w.path) }):
		case !info.Mode().IsRegular():
			found.odd = append(found.odd, name)
		case !namedLikeASheet(name):
			found.unlike = append(found.unlike, name)
		case age < 0:
			ahead = append(ahead, w)
		case age < still:
			found.arriving = append(found.arriving, name)
		default:
			fresh = append(fresh, w)
		}
	}
	stood, moving, err := standStill(ctx, ahead)
	if err != nil {
		return found, err
	}
	found.arriving = append(found.arriving, moving...)
	fresh = append(fresh, stood...)
	slices.SortStableFunc(fresh, func(a, b inboxFile) int {
		return cmp.Or(a.info.ModTime().Compare(b.info.ModTime()), strings.Compare(a.path, b.path))
	})
	found.files = append(found.files, fresh...)
	return found, nil
}

// onItsWay reports whether a name belongs to a file that a program is still writing, or to its lock or
// backup file.
func onItsWay(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~$") || strings.HasSuffix(name, "~") ||
		slices.Contains([]string{".part", ".partial", ".filepart", ".tmp", ".crdownload"}, strings.ToLower(filepath.Ext(name)))
}

// namedLikeASheet reports whether a name can be a sheet's, even of a kind that is then refused
// with a hint. A note or a picture is not.
func namedLikeASheet(name string) bool {
	return slices.Contains([]string{"", ".csv", ".tsv", ".xml", ".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"}, strings.ToLower(filepath.Ext(name)))
}

// sameFolder reports whether both paths lead to the same folder.
func sameFolder(path, other string) bool {
	one, err := os.Stat(path)
	two, err2 := os.Stat(other)
	return err == nil && err2 == nil && os.SameFile(one, two)
}

// standStill watches files for the time that a file must not change.
func standStill(ctx context.Context, files []inboxFile) (stood []inboxFile, moving []string, err error) {
	if len(files) == 0 {
		return nil, nil, nil
	}
	select {
	case <-time.After(still):
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
	for _, w := range files {
		if unchanged(w) {
			stood = append(stood, w)
		} else {
			moving = append(moving, filepath.Base(w.path))
		}
	}
	return stood, moving, nil
}

// unchanged reports whether the file is the same as when it was listed.
func unchanged(w inboxFile) bool {
	now, err := os.Lstat(w.path)
	return err == nil && os.SameFile(w.info, now) && now.Mode().IsRegular() && now.Size() == w.info.Size() && now.ModTime().Equal(w.info.ModTime())
}

// left lists the files that earlier runs took and did not archive.
func (b inbox) left() (files []inboxFile, err error) {
	for breaks := range mostBreaks + 1 {
		dir := filepath.Join(b.taken, strconv.Itoa(breaks))
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			info, err := e.Info()
			if err != nil {
				return nil, err
			}
			files = append(files, inboxFile{path: filepath.Join(dir, e.Name()), info: info, breaks: breaks})
		}
	}
	return files, nil
}

// errNotTaken means that a file changed since it was listed: it is gone, replaced or written to, or
// another file with its name is being loaded.
var errNotTaken = errors.New("it is not as it was")

// take takes a file, and returns it at its new path.
func (b inbox) take(w inboxFile) (inboxFile, error) {
	to, err := b.move(w.path, w.breaks+1)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		err = errNotTaken
	}
	if err != nil {
		return w, err
	}
	taken := inboxFile{path: to, info: w.info, breaks: w.breaks}
	if !unchanged(taken) {
		return w, errors.Join(errNotTaken, b.back(taken))
	}
	return taken, nil
}

// back returns a taken file to the waiting ones, as if no run had started to read it. It
// does not go back to the inbox itself, where another file may have its name now.
func (b inbox) back(taken inboxFile) error {
	_, err := b.move(taken.path, taken.breaks)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return nil // the next run finds it where it is, or it was archived after all
	}
	return err
}

// move moves a file to those that breaks runs started to read. fs.ErrExist if one of them has its name;
// fs.ErrNotExist if the file is gone.
func (b inbox) move(path string, breaks int) (to string, err error) {
	to = filepath.Join(b.taken, strconv.Itoa(breaks), filepath.Base(path))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return "", err
	}
	if _, err := os.Lstat(to); err == nil {
		return "", fs.ErrExist
	}
	return to, os.Rename(path, to)
}
