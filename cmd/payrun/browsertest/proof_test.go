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
	meera.tabTo("Why")
	meera.press("as agreed")
	meera.sees("Your password") // its last minute
	meera.tabTo("Set it")       // the browser asks for the field
	meera.press("\r")
	meera.until(`document.activeElement.name === "password" && document.activeElement.form.elements.reason.value === "as agreed"`, "asks for the password and keeps what was typed")
	meera.look("policy-password")

	// without script the answer is the same page
	if err := h.without(meera); err != nil {
		t.Fatal(err)
	}
	meera.open("/policy")
	meera.tabTo("Another person than the planner approves each batch")
	meera.press("yes")
	meera.tabTo("Why")
	meera.press("as agreed")
	meera.tabTo("Your password")
	meera.press("not my password")
	meera.leaveBy(func() { meera.press("\r") })
	meera.sees("The password is not right", "Policy")
	meera.until(`document.activeElement.name === "password" && document.activeElement.form.elements.reason.value === "as agreed"`, "keeps what was typed")
	meera.press(secret)
	meera.leaveBy(func() { meera.press("\r") })
	meera.sees("as the ledger says")
}

// without has the pages of a person run no script of their own.
func (h *house) without(p *person) error {
	_, err := chromedp.Call(p.tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	return err
}
