package config

import (
	"io/fs"
	"os"
	"path/filepath"
)

// NotByLink refuses a file that was reached by a symbolic link. Whoever may
// write the link would choose the key, the OTPs or the bank. opened is what was
// opened under the path. A pipe that a shell made (/dev/fd/63) is not a file.
func NotByLink(path string, opened fs.FileInfo) error {
	if !opened.Mode().IsRegular() {
		return nil
	}
	named, err := os.Lstat(path)
	switch {
	case err == nil && named.Mode()&fs.ModeSymlink != 0:
		f := wrong("%s is a symbolic link, and is not followed", path)
		if target, err := filepath.EvalSymlinks(path); err == nil {
			f.hint("name the file itself: %s", target)
		}
		return f
	case err != nil || !os.SameFile(named, opened):
		return wrong("%s was replaced while it was opened", path)
	}
	return nil
}
