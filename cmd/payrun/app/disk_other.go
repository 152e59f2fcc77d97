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
