package cli

import (
	"database/sql"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite" // for scriptSQL
)

// theGroup is the group of every person that a script plays, as a number that
// no system gives away.
const theGroup = 61000

// all is set in .ci/run. Without it the README's test command plays of a group of similar
// stories one or two.
var all = flag.Bool("all", false, "every script, and the build that docs/operations.md describes")

// scriptCondition knows [all], [root], whom no folder refuses a file, and [userns], where any
// user may make a user namespace.
func scriptCondition(name string) (bool, error) {
	switch name {
	case "all":
		return *all, nil
	case "root":
		return os.Getuid() == 0, nil
	case "userns":
		c := exec.Command("unshare", "-U", "true")
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: theGroup + 1, Gid: theGroup}}
		return c.Run() == nil, nil
	}
	return false, fmt.Errorf("there is no condition %s", name)
}

// as UID COMMAND… is a program for scripts: it runs another as a different system
// user, a member of theGroup, who has no entry in the system's list and so is
// "uid:UID". Only root can; a script says `[!root] skip` before. `as UID/GID`
// leaves theGroup out.
func as() {
	if len(os.Args) < 3 {
		fail(fmt.Errorf("usage: as UID[/GID] COMMAND…"))
	}
	user, group, alone := strings.Cut(os.Args[1], "/")
	gid := theGroup
	uid, err := strconv.Atoi(user)
	if err == nil && alone {
		gid, err = strconv.Atoi(group)
	}
	fail(err)
	program, err := exec.LookPath(os.Args[2])
	fail(err)
	here, err := os.Getwd()
	fail(err)
	letThrough(here)
	letThrough(filepath.Dir(program))
	fail(syscall.Setgroups([]int{gid}))
	fail(syscall.Setgid(gid))
	fail(syscall.Setuid(uid))
	fail(syscall.Exec(program, os.Args[2:], os.Environ()))
}

// letThrough opens the way to a folder of the test's own, which lies in one that
// is everybody's (sticky): what makes temporary folders keeps others out. Any
// other folder is left as it is.
func letThrough(dir string) {
	var closed []string
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		fail(err)
		if info.Mode()&os.ModeSticky != 0 {
			for _, own := range closed {
				fail(os.Chmod(own, 0o711))
			}
			return
		}
		if info.Mode() == os.ModeDir|0o700 {
			closed = append(closed, dir)
		}
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// shared gives the current folder and the ledger in it to theGroup, as `payrun
// help people` says.
func scriptShared(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(os.Chown(ts.MkAbs("."), -1, theGroup))
	ts.Check(os.Chmod(ts.MkAbs("."), 0o770|os.ModeSetgid))
	for _, name := range []string{"payrun.db", "payrun.db.head", "payrun.db.lock"} {
		ts.Check(os.Chown(ts.MkAbs(name), -1, theGroup))
		ts.Check(os.Chmod(ts.MkAbs(name), 0o660))
	}
	ts.Check(os.Chmod(ts.Getenv("TMPDIR"), 0o777|os.ModeSticky))
	configs, err := filepath.Glob(ts.MkAbs("*.toml"))
	ts.Check(err)
	for _, path := range configs {
		ts.Check(os.Chmod(path, 0o644))
	}
}

// sql FILE STATEMENT… changes a ledger behind payrun's back, as anybody can who
// may write the file.
func scriptSQL(ts *testscript.TestScript, _ bool, args []string) {
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	defer db.Close()
	for _, statement := range args[1:] {
		_, err := db.Exec(statement)
		ts.Check(err)
	}
}
