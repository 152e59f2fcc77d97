package config

import (
	"bufio"
	"bytes"
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

// identityMap reports whether a uid_map gives each user id its own: the process is
// then in no user namespace in which somebody chose their id.
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
	if name := nameOf(id); name != "" {
		return name + " (" + actor + ")"
	}
	return actor
}

// Terminal is the actor of a system user, by name or id; "" where the system has
// none of that name.
func Terminal(userOrID string) string {
	if id, err := strconv.ParseUint(userOrID, 10, 31); err == nil {
		return ledger.UID(int(id))
	}
	if u, err := user.Lookup(userOrID); err == nil {
		return "uid:" + u.Uid
	}
	return ""
}

// nameOf is the system's name for a user id; "" for none.
func nameOf(uid string) string {
	if libraryKnowsUsers {
		if u, err := user.LookupId(uid); err == nil {
			return u.Username
		}
		return ""
	}
	list, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return ""
	}
	return nameIn(list, uid)
}

// nameIn finds the name of a user id in a list as /etc/passwd is one. Without the
// C library os/user reads it too, but where the id is not in it takes $USER.
func nameIn(list []byte, uid string) string {
	for lines := bufio.NewScanner(bytes.NewReader(list)); lines.Scan(); {
		if field := strings.Split(lines.Text(), ":"); len(field) > 2 && field[2] == uid {
			return field[0]
		}
	}
	return ""
}
