package config

import (
	"os"
	"os/user"
	"strconv"
	"strings"

	"payrun/ledger"
)

// person is who runs the program: what the kernel says, and nothing that they set
// themselves.
func person() string {
	if id := os.Getuid(); id >= 0 && namesUsersAsTheSystem() {
		return ledger.UID(id)
	}
	return ledger.MappedUID(os.Getuid())
}

// identityMap reports whether a uid_map gives each user id its own: then the process is in no user
// namespace in which a person chose their id.
func identityMap(uidMap string) bool {
	const everyUser = "4294967295"
	f := strings.Fields(uidMap)
	return len(f) == 3 && f[0] == "0" && f[1] == "0" && f[2] == everyUser
}

// Who shows an actor: with the name that this system has for a user id, as a label.
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

// Terminal is who a person is at a terminal: of a ledger on a server the database role of that
// name, else the system user by name or id. db:ROLE and uid:ID say which, for a ledger that moves.
// It is "" where the system has no such user.
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
