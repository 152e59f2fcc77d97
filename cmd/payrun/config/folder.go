package config

import (
	"fmt"
	"io/fs"
	"os"
)

// NotOnlyOurs returns why another person decides what is in a folder, or "": it is reached by a link,
// belongs to another user, or its group or others can write it. For a missing folder it is "".
func NotOnlyOurs(dir string) string {
	named, err := os.Lstat(dir)
	if err != nil {
		return ""
	}
	if named.Mode()&fs.ModeSymlink != 0 {
		return "is a symbolic link"
	}
	by, known := ownerOf(named)
	if known && !trusted(by.uid) {
		return "belongs to another user (" + userOf(by.uid) + ")"
	}
	mode := named.Mode().Perm()
	if known && (mode&anybodyWrites != 0 || mode&groupWrites != 0 && !privateGroup(by)) {
		return fmt.Sprintf("may be written by others (mode %04o)", mode)
	}
	return ""
}
