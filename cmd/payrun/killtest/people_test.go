//go:build unix

package killtest

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Two people, and the group that shares the ledger with the user that runs the test.
// Only root can run a program as someone else, and root is none of the two.
const (
	firstPerson  = 61001
	secondPerson = 61002
	theirGroup   = 61000
)

// forTwo makes the desk one at which two people have to agree, as `payrun help
// people` says. Where the test is not root, one goes on alone.
func (d *desk) forTwo() {
	d.t.Helper()
	if os.Getuid() != 0 {
		return
	}
	d.write("payrun.toml", d.read("payrun.toml")+"\n[policy]\ntwo_person = true\n")
	d.publish()
	d.twoPeople = true
	share := func(path string, mode fs.FileMode) {
		must(d.t, os.Chown(path, -1, theirGroup))
		must(d.t, os.Chmod(path, mode))
	}
	share(d.dir, 0o770|fs.ModeSetgid)
	for name := range d.folder() {
		share(filepath.Join(d.dir, name), 0o660)
	}
	share(d.path("payrun.toml"), 0o640)
}
