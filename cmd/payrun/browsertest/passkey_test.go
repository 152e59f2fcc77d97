//go:build unix

package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
)

// TestPasskeyByKeyboard adds a passkey with Chromium's own authenticator, signs in with
// it, and decides with it.
func TestPasskeyByKeyboard(t *testing.T) {
	h := open(t, quick+soonOld)
	h.desk.URL = strings.Replace(h.desk.URL, "127.0.0.1", "localhost", 1)
	h.desk.First = strings.Replace(h.desk.First, "127.0.0.1", "localhost", 1)
	meera := h.admin()
	need(chromedp.Call(meera.tab, webauthn.Enable, webauthn.EnableParams{}))(t)
	if _, err := chromedp.Call(meera.tab, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
		HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
	}}); err != nil {
		t.Fatal(err)
	}
	meera.open("/account")
	meera.look("account")
	ask[bool](meera, `document.querySelector("form:has([value=passkey]) [name=password]").focus(), true`)
	meera.press(secret)
	meera.enter("Add a passkey")
	meera.sees("Make the passkey")
	meera.look("account-passkey")
	meera.fills("Name of the device", "Laptop")
	meera.types("Your password", secret)
	meera.sees("Passkey", "Laptop", "Remove")

	// at sign-in
	meera.logsOut()
	meera.signsIn()
	meera.sees("Your browser asks for your passkey")
	meera.doesNotSee("Log out")
	meera.look("login-passkey")
	meera.enter("Log in")
	meera.sees("meera")

	// and with a decision; the password alone is not enough
	meera.open("/policy")
	meera.fills("Someone other than the planner approves each batch", "yes")
	meera.fills("Why", "as agreed")
	meera.types("Your password", secret)
	meera.sees("as the ledger says")
	meera.open("/log?kind=policy_set")
	meera.sees("password and passkey with it")
}
