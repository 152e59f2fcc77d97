package config

import (
	"os"
	"os/user"
	"strconv"
	"strings"

	"payrun/ledger"
)

// person returns who runs the program, from the kernel. It ignores everything that they can set themselves.
func person() string {
	if id := os.Getuid(); id >= 0 && namesUsersAsTheSystem() {
		return ledger.UID(id)
	}
	return ledger.MappedUID(os.Getuid())
}

// identityMap reports whether a uid_map maps each user id to itself. If so, the process is not in a user
// namespace where a person chose their id.
func identityMap(uidMap string) bool {
	const everyUser = "4294967295"
	f := strings.Fields(uidMap)
	return len(f) == 3 && f[0] == "0" && f[1] == "0" && f[2] == everyUser
}

// Who formats an actor. If this system has a name for its user id, the name comes first, as a label.
func Who(actor string) string {
	id, ok := ledger.UserID(actor)
	if !ok {
		return actor
	}
	u, err := user.LookupId(id)
	if err != nil {
		return actor
	}
	return u.Username + " (" + actor + ")"
}

// Terminal returns the actor of a person at a terminal. For a ledger on a server it is the database role
// of that name, else the system user by name or id. db:ROLE and uid:ID say which one is meant, for a
// ledger that moves. "" if the system has no such user.
func (s Settings) Terminal(name string) string {
	role, isRole := strings.CutPrefix(name, ledger.DatabaseRole("", false))
	id, isUser := strings.CutPrefix(name, "uid:")
	if role != "" && (isRole || s.LedgerServer != "" && !isUser) {
		return ledger.DatabaseRole(role, false)
	}
	if id, err := strconv.ParseUint(id, 10, 31); err == nil {
		return ledger.UID(int(id))
	}
	if u, err := user.Lookup(id); err == nil {
		return "uid:" + u.Uid
	}
	return ""
}
