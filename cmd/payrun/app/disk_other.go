//go:build !linux

package app

import "os"

// freeBytes is not known here.
func freeBytes(string) (free int64, known bool) { return 0, false }

// mayWrite reports whether a folder is there; whether files can be made in it
// shows when one is.
func mayWrite(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

// sameDisk is taken to be so: a rename that fails is done as a copy.
func sameDisk(string, string) bool { return true }

// mountPoint is the path itself, in place of the disk.
func mountPoint(path string) string { return path }
