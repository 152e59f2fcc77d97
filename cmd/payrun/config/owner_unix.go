//go:build unix

package config

import (
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// seesOwners is true: this system shows who owns a file and who may write it.
const seesOwners = true

// owner is the owner and group of a file.
type owner struct{ uid, gid uint32 }

func ownerOf(info fs.FileInfo) (by owner, known bool) {
	st, known := info.Sys().(*syscall.Stat_t)
	if known {
		by = owner{st.Uid, st.Gid}
	}
	return by, known
}

// trusted reports whether files of the user are as safe as our own: ours, or those
// of root, who could do anything anyway.
func trusted(uid uint32) bool { return uid == 0 || int64(uid) == int64(os.Geteuid()) }

// privateGroup reports whether the group is the user's own, as many systems make one for each user: it
// has the user's name and is their primary group. The group of root counts for every user.
func privateGroup(by owner) bool {
	if by.gid == 0 {
		return true
	}
	u, err := user.LookupId(strconv.Itoa(os.Geteuid()))
	if err != nil || u.Gid != strconv.FormatUint(uint64(by.gid), 10) {
		return false
	}
	g, err := user.LookupGroupId(u.Gid)
	return err == nil && g.Name == u.Username
}

// userOf returns a user's name, or the number if there is no name.
func userOf(uid uint32) string {
	id := strconv.FormatUint(uint64(uid), 10)
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return "uid " + id
}
