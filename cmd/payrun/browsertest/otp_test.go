//go:build unix

package browsertest

import "testing"

// TestTheOTPDeskByItsKeys goes through the queues of two debit accounts with nothing
// but keys. What is pasted is cleaned, and several lines are refused.
func TestTheOTPDeskByItsKeys(t *testing.T) {
	h := open(t, quick)
	h.payrun(good, "load", h.sheet("vendors.csv", "VEN", 6), "--account", "vendors")
	h.payrun(good, "load", h.sheet("bonus.csv", "BON", 5))
	h.payrun(asks, "initiate", "--all", "--yes")
	_, asha := h.staff()
	asha.open("/otp")
	asha.sees("vendors", "₹1,19,253.00", "Transaction token")
	asha.look("otp-two-accounts")

	const isOpen = `document.querySelector("details.keys").open`
	asha.press("?")
	asha.until(isOpen, "shows the keys")
	asha.look("otp-keys")
	asha.press("?")
	asha.until("!"+isOpen, "hides them")

	paste := func(text string) (value string) {
		return ask[string](asha, `(() => { const f = document.querySelector("input[name=otp]"), data = new DataTransfer(); data.setData("text", `+text+`);
			f.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })); return f.value + "|" + f.validationMessage; })()`)
	}
	if got := paste(`" 12 34 56\n"`); got != "123456|" {
		t.Errorf("what was pasted is %q", got)
	}
	if got := paste(`"123456\n654321"`); got != "|Several lines were pasted: nothing was pasted. Copy the OTP alone." {
		t.Errorf("of several lines it is %q", got)
	}
	paste(`""`)

	said := `document.querySelector(".ring b").innerText`
	first := ask[string](asha, said)
	asha.until(said+` !== "`+first+`"`, "counts on")
	asha.leaveBy(func() { asha.press("s") })
	asha.sees("salaries", "₹97,502.50")
	asha.leaveBy(func() { asha.press("s") })
	asha.sees("₹1,19,253.00")
	if n := len(h.bank.State().Batches); n != 2 {
		t.Errorf("the bank knows %d batches", n)
	}

	h.payrun(good, "load", h.sheet("bonus-late.csv", "LATE", 3))
	asha.open("/sheets")
	asha.enter("bonus-late.csv")
	asha.sees("Compared with", "from salaries", "bonus.csv", "3 the same", "No longer paid")
	asha.look("sheet-since")
}
