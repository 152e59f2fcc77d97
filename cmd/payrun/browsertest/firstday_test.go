//go:build unix

package browsertest

import "testing"

// TestTheFirstDayByKeyboard leads the first person through a team, the safeguards and
// the sheet to try, with nothing but keys.
func TestTheFirstDayByKeyboard(t *testing.T) {
	h := open(t, quick)
	meera := h.person("meera")
	meera.open(h.desk.First)
	meera.first()
	meera.sees("Set up payrun", "load, approve, pay still missing", "You are the only admin")
	meera.look("first-team")
	meera.fills("Name", "Ravi Menon")
	meera.fills("Signs in as", "ravi")
	meera.ticks("load")
	meera.ticks("pay")
	meera.enter("Add this person")
	meera.sees("The link for ravi", "Nothing waits")
	meera.look("first-invited")
	meera.enter("Go on with the set-up")
	meera.sees("Ravi Menon (ravi)", "approve still missing")
	meera.invites("asha", "approve")
	meera.open("/first")
	meera.sees("Recommended: both on")
	meera.look("first-safeguards")
	meera.enter("Ask for a second person")
	meera.sees("Ask for a second factor")
	meera.enter("Ask for a second factor")
	meera.sees("Add a second factor to go on")
	meera.look("account-must")
	meera.enter("Add an authenticator app")
	meera.sees("Code that the app shows now", "Secret")
	meera.look("account-app")
}
