//go:build !linux

package app

import "os"

// freeBytes is unknown on this system.
func freeBytes(string) (free int64, known bool) { return 0, false }

// mayWrite reports whether a folder exists. On this system only creating a file shows whether it is allowed.
func mayWrite(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}
