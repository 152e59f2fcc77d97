package config

import (
	"fmt"
	"io/fs"
	"os"
)

// NotOnlyOurs tells why somebody else decides what is in a folder, or "": it is
// reached by a link, belongs to another user, or its group or others may write
// it. Of a folder that is not there yet there is nothing to tell.
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
