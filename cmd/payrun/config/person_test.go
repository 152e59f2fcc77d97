package config

import (
	"os"
	"testing"

	"payrun/ledger"
)

func TestWhoeverChoseTheirIDIsNobody(t *testing.T) {
	for uidMap, want := range map[string]bool{
		"         0          0 4294967295\n":                             true,
		"      1002       1001          1\n":                             false, // unshare -U --map-user=1002
		"         0       1001          1\n":                             false,
		"         0          0      65536\n":                             false,
		"         0     100000      65536\n":                             false,
		"         0          0       1001\n      1001       1001 9999\n": false,
		"": false,
	} {
		if got := identityMap(uidMap); got != want {
			t.Errorf("%q: the identity: %t", uidMap, got)
		}
	}
}

// $USER proves nothing: anyone can set it.
func TestThePersonIsNotAskedOfTheEnvironment(t *testing.T) {
	for _, name := range []string{"USER", "LOGNAME", "PAYRUN_ACTOR"} {
		t.Setenv(name, "ceo")
	}
	if got := person(); got != ledger.UID(os.Getuid()) && got != ledger.MappedUID(os.Getuid()) {
		t.Errorf("the person is %q", got)
	}
	if got := Who(ledger.UID(4242424)); got != "uid:4242424" {
		t.Errorf("a user without a name is %q", got)
	}
}

// At a terminal a person is a system user, and of a ledger on a server a database role: each can
// be named in full, before a ledger moves.
func TestWhoAPersonIsAtATerminal(t *testing.T) {
	for server, want := range map[string]map[string]string{
		"":                   {"1001": "uid:1001", "uid:1001": "uid:1001", "nobody at all": "", "-1": "", "": "", "uid:root": "uid:0", "db:asha": "db:asha", "db:": ""},
		"postgres://h/books": {"1001": "db:1001", "uid:1001": "uid:1001", "Asha K": "db:Asha K", "db:asha": "db:asha", "": "", "db:": "", "uid:nobody at all": ""},
	} {
		for word, want := range want {
			if got := (Settings{LedgerServer: server}).Terminal(word); got != want {
				t.Errorf("%q: the person %q is %q, want %q", server, word, got, want)
			}
		}
	}
}
