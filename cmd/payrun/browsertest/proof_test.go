//go:build unix

package browsertest

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestTheProofRunsOutWhileSomebodyTypes has the time run out under the hand of an admin:
// the time left is counted down, the password field comes next to the button, what was
// typed stays, with and without script.
func TestTheProofRunsOutWhileSomebodyTypes(t *testing.T) {
	h := open(t, quick+"\n[desk]\nproof = \"66s\"\n")
	meera := h.admin()
	meera.open("/policy")
	meera.sees("password needed again in 1:0")
	meera.doesNotSee("Your password")
	first := ask[string](meera, `document.querySelector(".proof b").innerText`)
	meera.until(fmt.Sprintf(`document.querySelector(".proof b").innerText !== %q`, first), "counts down")
	meera.fills("Why", "as agreed")
	meera.sees("Your password") // its last minute
	meera.tabTo("Set it")       // the browser asks for the field
	meera.press("\r")
	meera.until(`document.activeElement.name === "password" && document.activeElement.form.elements.reason.value === "as agreed"`, "asks for the password and keeps what was typed")
	meera.look("policy-password")

	// without script the answer is the same page
	need(chromedp.Call(meera.tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))(t)
	meera.open("/policy")
	meera.fills("Someone other than the planner approves each batch", "yes")
	meera.fills("Why", "as agreed")
	meera.types("Your password", "not my password")
	meera.sees("The password is not right", "Policy")
	meera.until(`document.activeElement.name === "password" && document.activeElement.form.elements.reason.value === "as agreed"`, "keeps what was typed")
	meera.press(secret)
	meera.leaveBy(func() { meera.press("\r") })
	meera.sees("as the ledger says")
}
