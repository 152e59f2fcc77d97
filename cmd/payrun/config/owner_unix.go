//go:build unix

package config

import (
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// seesOwners: the system says whose a file is, and who may write it.
const seesOwners = true

// owner is whose a file is.
type owner struct{ uid, gid uint32 }

func ownerOf(info fs.FileInfo) (by owner, known bool) {
	st, known := info.Sys().(*syscall.Stat_t)
	if known {
		by = owner{st.Uid, st.Gid}
	}
	return by, known
}

// trusted reports whether what belongs to the user is as good as one's own:
// root could do anything anyway.
func trusted(uid uint32) bool { return uid == 0 || int64(uid) == int64(os.Geteuid()) }

// privateGroup reports whether the group is the user's own, as many systems give each user one: it has
// the user's name and is their first. Root's own counts for every user.
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

// userOf is a user's name, or the number where there is none.
func userOf(uid uint32) string {
	id := strconv.FormatUint(uint64(uid), 10)
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return "uid " + id
}
