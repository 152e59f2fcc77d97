package config

import (
	"cmp"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Limits of ledger_url.lease.
const shortestLease, longestLease = Duration(3 * time.Second), Duration(10 * time.Minute)

// likeServer matches a URL, even without its second slash, and the key=value form in
// which other programs name a database. No ledger file has such a name.
var likeServer = regexp.MustCompile(`(?i)://|^postgres(ql)?:|(^|\s)password\s*=`)

// OnServer reports whether a ledger's name means a ledger on a server, not a file.
func OnServer(name string) bool { return likeServer.MatchString(name) }

// CheckLedger refuses a wrong name of a ledger on a server. where is the flag or variable that gave it. The
// error shows no part of the name: in a mistyped name, any part may belong to the password.
func CheckLedger(where, name string) error {
	if what := wrongServer(name); what != "" {
		return wrong("%s: %s", where, what)
	}
	return nil
}

// namedLedger returns the ledger that the flag or the environment names, and which of them does; "" for none.
func (s Sources) namedLedger() (name, where string) {
	name, where = s.Ledger, "--ledger"
	for _, variable := range []string{"PAYRUN_LEDGER", "PAYRUN_LEDGER_URL"} {
		if name == "" {
			name, where = s.Getenv(variable), variable
		}
	}
	return name, where
}

// setLedger sets where the ledger is: from the flag, the environment or payrun.toml.
func (s *Settings) setLedger(from Sources) error {
	name, where := from.namedLedger()
	switch url := from.Getenv("PAYRUN_LEDGER_URL"); {
	case url == "" || where == "--ledger":
	case where == "PAYRUN_LEDGER":
		return wrong("PAYRUN_LEDGER and PAYRUN_LEDGER_URL each name a ledger: unset one")
	case !OnServer(url):
		return wrong("%s: %s", where, serverForm)
	}
	if OnServer(cmp.Or(name, s.Ledger)) {
		s.LedgerServer = cmp.Or(name, s.Ledger)
	} else {
		s.LedgerPath = cmp.Or(name, s.InFolder(s.Ledger))
	}
	return CheckLedger(where, name) // parse has checked the name in payrun.toml
}

// serverForm describes the URL of a ledger on a server.
const serverForm = "want postgres://USER@HOST/DB?sslmode=verify-full"

var (
	serverHost = regexp.MustCompile(`^(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(:[0-9]{1,5})?$`)
	sslModes   = []string{"disable", "allow", "prefer", "require", "verify-ca", "verify-full"}
	// serverParameters are all parameters that a URL may have. Any other would be sent to the server,
	// and might change what payrun reads or writes there.
	serverParameters = []string{"sslmode", "sslrootcert", "sslcert", "sslkey", "target_session_attrs", "host", "port"}
)

// wrongServer says what is wrong with the URL of a ledger; "" if it is right, or names a file.
func wrongServer(name string) string {
	if !OnServer(name) {
		return ""
	}
	u, err := url.Parse(name)
	if err != nil || !strings.HasPrefix(name, "postgres://") || strings.Contains(name, "#") || strings.Count(name, "@") > 1 {
		return serverForm
	}
	set, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return serverForm
	}
	if _, has := u.User.Password(); has || strings.Contains(u.User.Username(), ":") || set.Has("password") || set.Has("sslpassword") {
		return "a password has no place in it: put it into the file that PGPASSFILE names, or into PGPASSWORD"
	}
	if db := strings.TrimPrefix(u.Path, "/"); db == "" || strings.ContainsAny(db, "/@:") {
		return serverForm
	}
	for key, values := range set {
		if !slices.Contains(serverParameters, key) || len(values) != 1 || values[0] == "" {
			return "each of its parameters is one of " + strings.Join(serverParameters, ", ") + ", once, with a value"
		}
	}
	return wrongHosts(u.Host, set)
}

// wrongHosts says what is wrong with the servers that a URL names, or with the connection to them.
func wrongHosts(named string, set url.Values) string {
	folder, port := set.Get("host"), set.Get("port")
	if named == "" && strings.HasPrefix(folder, "/") && !strings.Contains(folder+port, ",") { // a socket is local
		named = strings.TrimSuffix("localhost:"+port, ":")
	} else if named == "" || folder != "" || port != "" {
		return "its hosts and ports are named before the database, or a socket's folder behind it: postgres://USER@/DB?host=/FOLDER&port=PORT"
	}
	hosts, local := strings.Split(named, ","), true
	for _, host := range hosts {
		if !serverHost.MatchString(host) {
			return "its host or port is not written as one: " + serverForm
		}
		local = local && Loopback((&url.URL{Host: host}).Hostname())
	}
	attributes, mode := set.Get("target_session_attrs"), set.Get("sslmode")
	switch {
	case mode != "" && !slices.Contains(sslModes, mode):
		return "its sslmode is none of " + strings.Join(sslModes, ", ")
	case mode != "verify-full" && !local:
		return "add sslmode=verify-full: with less, another machine can pass for the server; only on this machine, or through a socket, it may be less"
	case attributes != "read-write" && (attributes != "" || len(hosts) > 1):
		return "with several hosts it needs target_session_attrs=read-write, for only one can be written to; it takes no other value"
	}
	return ""
}

// Loopback reports whether a host is this machine itself.
func Loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.Unmap().IsLoopback()
}
