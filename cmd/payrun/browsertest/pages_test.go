//go:build unix

package browsertest

import "testing"

// TestEveryPageIsForEverybody opens each page in each of its states.
func TestEveryPageIsForEverybody(t *testing.T) {
	h := open(t)
	admin := h.person("the first")
	admin.open(h.desk.First)
	admin.look("first")
	admin.tabTo("Your name")
	admin.press("meera")
	admin.tabTo("Password")
	admin.press(secret)
	admin.tabTo("The same")
	admin.press(secret)
	admin.leaveBy(func() { admin.press("\r") })
	admin.look("board-empty")
	for _, path := range []string{"/sheets", "/payouts", "/attention", "/reports", "/log", "/no-such-page"} {
		admin.open(path)
		admin.look("empty-" + path[1:])
	}
}
