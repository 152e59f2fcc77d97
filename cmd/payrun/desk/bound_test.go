package desk

import "testing"

// A person who abandons what someone else has sent meanwhile reads that, and not that there is
// nothing to do: money is on its way.
func TestWhoGivesUpWhatWasSentIsToldSo(t *testing.T) {
	h, b, id := heldFor(t, "pay")
	form := append(b.bound("/batches/"+id, "/batches/"+id+"/abandon"), "reason", "not needed")
	otp, _ := h.otp(id)
	h.enters(id, otp)
	p := b.decide("/batches/"+id+"/abandon", form...)
	is(t, p, 409, "This is no longer what the page showed you. Nothing was done.", "Since then: submit accepted by asha, ", "decide again")
	isNot(t, p, "nothing more to do")
}
