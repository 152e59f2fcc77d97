package desk

import (
	"net/http"
	"strings"
	"testing"

	"payrun/ledger"
)

// task is what the first page says of the one sheet to a person: the attention that is theirs,
// and the words of its button; "" where nothing waits for them.
func (b *browser) task() string {
	b.Helper()
	body := b.get("/").body
	if strings.Contains(body, "Nothing waits for you") {
		return ""
	}
	_, line, _ := strings.Cut(body, `data-attention="`)
	kind, rest, _ := strings.Cut(line, `"`)
	_, button, _ := strings.Cut(rest, `<a class="button main" href="`)
	link, words, _ := strings.Cut(button, `">`)
	words, _, _ = strings.Cut(words, "<")
	return kind + ": " + words + " " + strings.TrimSuffix(link, "/")
}

// For you is true at each step: the approver has it, then the payer, and no one else.
func TestForYouIsTrue(t *testing.T) {
	h := build(t, "INV/1", "INV/2").twoPeople()
	sheet := "/sheets/" + h.batches()[0].SheetID
	id := h.batches()[0].ID
	waits := func(when, asha, meera, ravi string) {
		t.Helper()
		for name, want := range map[string]string{"asha": asha, "meera": meera, "ravi": ravi} {
			same(t, when+", for "+name, h.comesIn(name).task(), want)
		}
	}
	waits("loaded", "", "approval_waiting: Review and approve "+sheet, "")
	is(t, h.comesIn("ravi").get(sheet), 200, "Ready to approve", "Next: ")
	isNot(t, h.comesIn("ravi").get("/otp"), "Send next OTP")
	is(t, h.comesIn("meera").decide(sheet+"/approve", "total", "200", "plan", h.plan(strings.TrimPrefix(sheet, "/sheets/"))), 303)
	waits("approved", "", "", "planned: Review and send "+sheet)
	for _, path := range []string{"/", sheet, "/batches/" + id, "/attention", "/sheets"} {
		isNot(t, h.comesIn("meera").get(path), "Waiting for approval", "Have it approved", "Ready to approve")
	}
	is(t, h.comesIn("ravi").get("/otp"), 200, "Send next OTP")
}

// Saying no: an approver sends a sheet back with a reason, and it is not initiated; who loaded
// it reads why and withdraws it.
func TestASheetIsSentBackAndWithdrawn(t *testing.T) {
	h := build(t).twoPeople()
	h.load("INV/1", "INV/2")
	b := h.batches()[0]
	sheet, plan := "/sheets/"+b.SheetID, func() string { return h.plan(b.SheetID) }
	asha, meera, ravi := h.comesIn("asha"), h.comesIn("meera"), h.comesIn("ravi")
	is(t, meera.get(sheet), 200, `href="`+sheet+`?send-back"`)
	is(t, meera.get(sheet+"?send-back"), 200, `action="`+sheet+`/send-back"`, "Send back to asha")
	isNot(t, ravi.get(sheet+"?send-back"), "/send-back")
	isNot(t, ravi.get(sheet), "send-back")
	isNot(t, asha.get(sheet), "send-back")
	is(t, meera.decide(sheet+"/send-back", "plan", plan(), "reason", " "), 422, "Say why")
	is(t, meera.decide(sheet+"/send-back", "plan", "x", "reason", "no"), 409)
	is(t, ravi.decide(sheet+"/send-back", "plan", plan(), "reason", "no"), 403, "needs the role approve")
	is(t, meera.decide(sheet+"/send-back", "plan", plan(), "reason", "the <b>rent</b> is of October"), 303)
	is(t, asha.get("/"), 200, "1 thing waits for you", "Sent back", "See why")
	is(t, asha.get(sheet), 200, "Sent back", "the &lt;b&gt;rent&lt;/b&gt; is of October", `action="`+sheet+`/withdraw"`)
	is(t, ravi.get("/batches/"+b.ID), 200, "Sent back")
	isNot(t, ravi.get(sheet), sheet+"/initiate")
	is(t, ravi.decide(sheet+"/initiate", "plan", plan()), 409)
	h.bankHas(0)
	is(t, ravi.decide(sheet+"/withdraw", "plan", plan()), 403, "needs the role load")
	is(t, asha.decide(sheet+"/withdraw", "plan", plan()), 303)
	h.inState(b.ID, ledger.BatchAbandoned)
	isNot(t, asha.get(sheet), "/withdraw\"")
}

// What was sent back is approved after all, and goes on.
func TestWhatWasSentBackIsApprovedAfterAll(t *testing.T) {
	h := build(t, "INV/1").twoPeople()
	b := h.batches()[0]
	sheet, meera := "/sheets/"+b.SheetID, h.comesIn("meera")
	is(t, meera.decide(sheet+"/send-back", "plan", h.plan(b.SheetID), "reason", "who is it for?"), 303)
	is(t, meera.decide(sheet+"/approve", "total", "100", "plan", h.plan(b.SheetID)), 303)
	is(t, h.comesIn("ravi").get("/"), 200, "Ready to send")
	is(t, meera.get(sheet), 200, "sent it back: who is it for?")
}

// Everybody may comment, in plain text, and it decides nothing.
func TestCommentsAreOnTheSheetsPage(t *testing.T) {
	h := build(t, "INV/1")
	sheet := "/sheets/" + h.batches()[0].SheetID
	boss, eye := h.admin(), h.invite("eye", "view")
	is(t, eye.get(sheet), 200, `action="`+sheet+`/comments"`)
	is(t, eye.post(sheet+"/comments", "form", eye.form(), "text", "who is <script>Ravi</script>?"), http.StatusSeeOther)
	is(t, boss.get(sheet), 200, "eye", "who is &lt;script&gt;Ravi&lt;/script&gt;?")
	if p := eye.post(sheet+"/comments", "form", eye.form(), "text", strings.Repeat("x", ledger.MostCommentChars+1)); p.StatusCode < 400 {
		t.Errorf("a long comment: %d", p.StatusCode)
	}
	is(t, eye.post("/sheets/shnosuch/comments", "form", eye.form(), "text", "x"), 404)
	h.inState(h.batch().ID, ledger.BatchPlanned)
}
