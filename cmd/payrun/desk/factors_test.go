package desk

import (
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// phone is one with an authenticator app.
type phone struct {
	*house
	secret string
}

func (p phone) code() string {
	p.Helper()
	return need(totp.GenerateCode(p.secret, p.at))(p)
}

// addsApp adds an authenticator app on the page of one's account.
func (b *browser) addsApp(t *testing.T) phone {
	t.Helper()
	is(t, b.decide("/account/factors", "add", "totp"), 200, "otpauth://totp/payrun%20sandbox:") // the link for the app
	is(t, b.get("/account/factors/qr.png"), 200, "\x89PNG")
	is(t, b.decide("/account/factors", "code", "000000"), 422, "not the code that the app shows")
	is(t, b.decide("/account/factors", "add", "totp"), 200)
	secret := b.decide("/account/factors", "add", "totp").part(t, `Secret: <code>([A-Z2-7 ]+)</code>`)
	ph := phone{b.house, strings.ReplaceAll(secret, " ", "")}
	is(t, b.decide("/account/factors", "code", ph.code(), "label", "Pixel"), 303)
	return ph
}

// Who is changed between the password and the second factor starts over.
func TestAChangedPersonStartsTheLoginOver(t *testing.T) {
	h, _ := withAdmin(t)
	ph, in := h.invite("ravi", "pay").addsApp(t), h.browser()
	h.at = h.at.Add(time.Minute)
	is(t, in.post("/login", "name", "ravi", "password", password), 303)
	need(h.app.ChangePerson(t.Context(), h.asked("boss"), app.PersonRequest{Name: "ravi", May: []string{"view"}}))(t)
	is(t, in.post("/login/factor", "code", ph.code()), 401, "Log in first")
	is(t, in.get("/"), 303)
}

// A4: who has an authenticator app gives its code at sign-in and at each proof, each code once.
func TestACodeIsAskedForAndGoodOnce(t *testing.T) {
	h, b := withAdmin(t)
	ph := b.addsApp(t)
	is(t, b.get("/account"), 200, "Authenticator app", "Pixel")
	eventSays(t, h.last(), "\n"+ledger.EventFactorAdded+" by ")
	same(t, "the secret is on record", strings.Contains(h.last().Detail, ph.secret), false)
	h.at = h.at.Add(time.Minute)

	in := h.browser()
	n := len(h.events())
	p := in.post("/login", "name", "boss", "password", password, "next", "/log")
	leads(t, p, 303, "/login/factor?next=%2Flog")
	h.recorded(n)
	is(t, in.get("/"), 303) // the password alone lets no one in
	is(t, in.post("/balances", "form", "x"), 401)
	is(t, in.get("/login/factor"), 200, "Code of your authenticator app")
	is(t, in.post("/login/factor", "code", "000000"), 401, "That is not right")
	code := ph.code()
	p = in.post("/login/factor", "code", code[:3]+" "+code[3:], "next", "/log")
	leads(t, p, 303, "/log")
	is(t, in.get("/"), 200)
	h.recorded(n, ledger.EventLoginRefused, ledger.EventLoggedIn)
	eventSays(t, h.last(), "with password and code\nproof: ")
	other := h.browser()
	is(t, other.post("/login", "name", "boss", "password", password), 303)
	is(t, other.post("/login/factor", "code", code), 401, "good once")
	h.at = h.at.Add(30 * time.Second)
	is(t, other.post("/login/factor", "code", code), 401)
	is(t, other.post("/login/factor", "code", ph.code()), 303)

	// a proof is the password and a code
	h.at = h.at.Add(6 * time.Minute)
	is(t, in.get("/policy"), 200, `name="proof_code"`)
	is(t, in.decide("/policy", append(twoPerson, "password", password)...), 403, "second factor is missing", `value="as agreed"`)
	is(t, in.decide("/policy", append(twoPerson, "password", "wrong wrong wrong", "proof_code", ph.code())...), 403, "The password is not right")
	is(t, in.decide("/policy", append(twoPerson, "password", password, "proof_code", ph.code())...), 303)
	eventSays(t, h.last(), "password and code with it\n")

	// removing it takes both again
	h.at = h.at.Add(time.Minute)
	id := in.get("/account").part(t, `name="remove" value="([0-9a-f]{64})"`)
	is(t, in.decide("/account/factors", "remove", id), 422, "type your password")
	is(t, in.decide("/account/factors", "remove", id, "password", password), 403)
	is(t, in.decide("/account/factors", "remove", id, "password", password, "proof_code", ph.code()), 303)
	is(t, in.get("/account"), 200, "None yet")
	h.isWhole()
}

// Who guesses codes waits as who guesses passwords, however often they type the right password.
func TestGuessingCodesWaits(t *testing.T) {
	h, b := withAdmin(t)
	b.addsApp(t)
	in := h.browser()
	last := 0
	for range failsTaken {
		if p := in.post("/login", "name", "boss", "password", password); p.StatusCode != 303 {
			last = p.StatusCode
			break
		}
		last = in.post("/login/factor", "code", "000000").StatusCode
	}
	same(t, "guessed on", last, 429)
}

// Where the policy asks for it, who may approve, pay or is admin does nothing before they
// have a second factor, and keeps one; an admin resets it, on record.
func TestThePolicyAsksForASecondFactor(t *testing.T) {
	h, boss := withAdmin(t, "INV/1")
	ravi, asha := h.invite("ravi", "pay"), h.invite("asha", "load")
	is(t, boss.decide("/policy", "key", "second_factor", "value", "true", "reason", "as agreed"), 303)
	for _, b := range []*browser{boss, ravi} {
		leads(t, b.get("/"), 303, "/account#factors")
		is(t, b.get("/account"), 200, "Add a second factor to go on")
		is(t, b.decide("/balances"), 403, "a second factor first")
	}
	is(t, asha.get("/"), 200)
	bossPhone, raviPhone := boss.addsApp(t), ravi.addsApp(t)
	is(t, boss.get("/"), 200)
	is(t, ravi.get("/"), 200)
	h.at = h.at.Add(time.Minute)
	id := ravi.get("/account").part(t, `name="remove" value="([0-9a-f]{64})"`)
	is(t, ravi.decide("/account/factors", "remove", id, "password", password, "proof_code", raviPhone.code()), 422, "this is your last")

	// a new link does not go round it, and an admin resets it
	h.at = h.at.Add(time.Minute)
	is(t, boss.get("/people/ravi"), 200, "authenticator app", `name="reset_factors"`)
	path := link(t, boss.decide("/people/ravi", "new_link", "yes", "password", password, "proof_code", bossPhone.code()))
	again := h.browser()
	leads(t, again.post(path, "password", password, "password_again", password), 303, "/login/factor?next=%2F")
	is(t, again.get("/"), 303)
	n := len(h.events())
	is(t, boss.decide("/people/ravi", "may", "pay", "reset_factors", "yes"), 303)
	eventSays(t, h.events()[n], "\n"+ledger.EventPersonChanged+" by boss\n", "no second factor, until they add another")
	is(t, again.post("/login", "name", "ravi", "password", password), 303)
	is(t, again.get("/account"), 200, "Add a second factor to go on")

	// where there are two admins the other one confirms it
	h.at = h.at.Add(time.Minute)
	h.invite("mina", "admin")
	again.addsApp(t)
	is(t, boss.decide("/people/ravi", "may", "pay", "reset_factors", "yes", "password", password, "proof_code", bossPhone.code()), 303)
	is(t, boss.get("/people/ravi"), 200, "It waits for another admin", "authenticator app")
	if p := h.who("ravi"); len(p.Factors) != 1 || p.Waits == nil {
		t.Errorf("%+v", p)
	}
	h.isWhole()
}
