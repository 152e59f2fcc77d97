package desk

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// T1: of a day at the desk the log tells who decided what, by which proof and from
// which address, and what was refused, who came, who did not get in, and who had
// account numbers in full.
func TestADayIsReadOutOfTheLog(t *testing.T) {
	h := build(t).twoPeople()
	addresses := map[string]string{"boss": "127.0.0.11", "lila": "127.0.0.12", "meera": "127.0.0.13", "ravi": "127.0.0.14", "kiran": "127.0.0.15"}
	h.invite("lila", "load", "approve")
	h.invite("kiran", "admin")
	people := map[string]*browser{}
	for name, from := range addresses {
		b := h.browser()
		b.from, people[name] = from+":50000", b
	}
	// does wants what someone does to be on record once, with who and from where.
	does := func(name string, status int, kind string, do func(b *browser) page) {
		t.Helper()
		n := len(h.events())
		p := do(people[name])
		h.jobs.wait()
		is(t, p, status)
		found := slices.DeleteFunc(h.events()[n:], func(e ledger.Event) bool { return e.Kind != kind })
		login := slices.Contains([]string{ledger.EventLoggedIn, ledger.EventLoginRefused, ledger.EventLoggedOut, ledger.EventProofWanted, ledger.EventNotDecided}, kind)
		for _, e := range found {
			where := e.Proof
			if login {
				where = e.Words()
			}
			if !strings.HasPrefix(where, "at the desk, from "+addresses[name]) || e.Actor != name && e.Actor != "(nobody)" || !login && !strings.Contains(e.Proof, "password") {
				t.Errorf("%s by %s is on record as %+v", kind, name, e)
			}
		}
		if len(found) == 0 {
			t.Errorf("%s by %s is not on record: %+v", kind, name, h.kinds(n))
		}
	}
	first := len(h.events())
	login := func(name, secret string) func(*browser) page {
		return func(b *browser) page { return b.post("/login", "name", name, "password", secret) }
	}
	does("lila", 401, ledger.EventLoginRefused, login("lila", "not her password"))
	does("ravi", 401, ledger.EventLoginRefused, login("no-such", password))
	for name := range people {
		does(name, 303, ledger.EventLoggedIn, login(name, password))
	}

	var sheet string
	does("lila", 303, ledger.EventSheetLoaded, func(b *browser) page {
		p := b.loads(b.waits("nov.csv", sheetOf("INV/1", "INV/2")))
		sheet = p.Header.Get("Location")
		return p
	})
	id := h.batches()[0].ID
	batch := "/batches/" + id
	h.at = h.at.Add(time.Minute)
	bound := people["meera"].bound(batch, batch+"/approve")
	does("ravi", 403, ledger.EventNotDecided, func(b *browser) page { return b.decide(batch+"/approve", append(bound, "total", "200")...) })
	does("lila", 403, ledger.EventNotDecided, func(b *browser) page { return b.decide(batch+"/approve", append(bound, "total", "200")...) }) // her own
	does("meera", 422, ledger.EventNotDecided, func(b *browser) page { return b.decide(batch+"/approve", append(bound, "total", "2")...) })
	does("meera", 303, ledger.EventApproved, func(b *browser) page { return b.decide(batch+"/approve", append(bound, "total", "200")...) })
	h.at = h.at.Add(5 * time.Minute)
	bound = people["ravi"].bound(batch, batch+"/initiate")
	does("ravi", 403, ledger.EventProofWanted, func(b *browser) page { return b.decide(batch+"/initiate", bound...) })
	does("ravi", 403, ledger.EventLoginRefused, func(b *browser) page { return b.post("/proof", "form", b.form(), "password", "not his password") })
	is(t, people["ravi"].post("/proof", "form", people["ravi"].form(), "password", password), 303)
	does("ravi", 202, string(ledger.InitiateIntended), func(b *browser) page { return b.decide(batch+"/initiate", b.bound(batch, batch+"/initiate")...) })
	does("ravi", 202, string(ledger.SubmitIntended), func(b *browser) page { otp, _ := h.otp(id); return b.submit(id, otp) })
	for range 9 {
		h.bank.Settle()
	}
	does("meera", 200, ledger.EventNumbersGiven, func(b *browser) page {
		return b.decide("/reports/"+b.reports().Name+"/full", "password", password)
	})

	does("boss", 200, ledger.EventPersonAdded, func(b *browser) page { return b.decide("/people", "name", "kim", "may", "pay", "password", password) })
	does("kiran", 303, ledger.EventPersonConfirmed, func(b *browser) page {
		return b.decide("/people/kim/confirm", "event", event(t, b.get("/"), "/people/kim/confirm"), "password", password)
	})
	does("boss", 303, ledger.EventPolicyProposed, func(b *browser) page {
		return b.decide("/policy", "key", "two_person", "value", "false", "reason", "we are few")
	})
	does("boss", 303, ledger.EventPersonChanged, func(b *browser) page { return b.decide("/people/kim", "may", "view") })
	does("boss", 303, ledger.EventPersonRemoved, func(b *browser) page { return b.decide("/people/kim", "remove", "yes") })
	h.load("INV/9")
	planned := h.batches()[1].ID
	does("ravi", 303, "abandoned", func(b *browser) page {
		path := "/batches/" + planned + "/abandon"
		return b.decide(path, append(b.bound("/batches/"+planned, path), "reason", "the wrong day")...)
	})
	does("ravi", 303, ledger.EventLoggedOut, func(b *browser) page { return b.post("/logout", "form", b.form()) })

	// Each of them is on the page of the log that someone asks for it by.
	day := h.at.In(h.set.Timezone.At).Format(time.DateOnly)
	reader, pages := people["boss"], map[string]page{}
	for _, e := range h.events()[first:] {
		for _, by := range []string{"person=" + e.Actor, "kind=" + strings.ReplaceAll(e.Kind, "_", "+"), "person=" + e.Actor + "&since=" + day + "&until=" + day} {
			p, have := pages[by]
			if !have {
				p = reader.get("/log?" + by)
				pages[by] = p
			}
			if !strings.Contains(p.body, fmt.Sprintf(`data-label="No.">%d<`, e.Seq)) || e.Proof != "" && !strings.Contains(p.body, e.Proof) {
				t.Errorf("/log?%s does not have event %d: %+v", by, e.Seq, e)
			}
		}
	}
	p := reader.get("/log?about=" + ledger.ShortID(id))
	is(t, p, 200, "approved", "initiate intended", ">meera<", ">ravi<")
	isNot(t, p, ">logged in<", ledger.ShortID(planned))
	is(t, reader.get("/log?about="+strings.TrimPrefix(sheet, "/sheets/")), 200, "sheet loaded", ">lila<")
	is(t, reader.get("/log?person=meera&until=2020-01-01"), 200, "Nothing of this is on record")
	is(t, reader.get("/log?since=yesterday"), 422, "is not a day")
	is(t, reader.get("/people/meera"), 200, `href="/log?person=meera"`)
	h.isWhole()
}

// What was asked for of the log goes on from page to page, and each event of it is
// on one of them.
func TestTheLogIsReadPageByPage(t *testing.T) {
	h, b := withAdmin(t)
	for range 2*logRows + 5 {
		fine(t, h.app.RecordLogin(t.Context(), app.Call{}, ledger.Login{Name: "boss", From: "127.0.0.1", Kind: ledger.EventLoggedOut}))
	}
	seen := map[string]bool{}
	pages := 0
	for path := "/log?kind=logged_out&person=boss"; path != ""; pages++ {
		p := b.get(path)
		is(t, p, 200)
		for _, m := range regexp.MustCompile(`data-label="No.">(\d+)<`).FindAllStringSubmatch(p.body, -1) {
			seen[m[1]] = true
		}
		path = ""
		if m := regexp.MustCompile(`<a href="([^"]+)">Older</a>`).FindStringSubmatch(p.body); m != nil {
			path = strings.ReplaceAll(m[1], "&amp;", "&")
		}
	}
	if len(seen) != 2*logRows+5 || pages != 3 {
		t.Errorf("%d events on %d pages", len(seen), pages)
	}
}

// A digest is shown by its beginning, in the log and in stories, and is there whole for
// the person who wants it; the export has all of it.
func TestDigestsAreShownByTheirBeginning(t *testing.T) {
	h := build(t, "INV/1")
	b := h.adminWho("view")
	id := h.batch().ID
	var digest string
	for _, e := range h.events() {
		if digest = regexp.MustCompile(`\b[0-9a-f]{64}\b`).FindString(e.Detail); digest != "" {
			break
		}
	}
	if digest == "" {
		t.Fatal("no event has a digest")
	}
	for _, page := range []string{"/log", "/batches/" + id} {
		isNot(t, b.get(page), ">"+digest, " "+digest)
	}
	is(t, b.get("/log"), 200, `<span title="`+digest+`">`+digest[:12]+`…</span>`)
}
