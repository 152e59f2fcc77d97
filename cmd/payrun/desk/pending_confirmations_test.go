package desk

import (
	"bytes"
	"maps"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/ledger"
	"payrun/submitter/sandbox"
)

// sentByAnother has another ledger of the same bank hold what this one has loaded, so
// that the bank knows the references.
func (h *house) sentByAnother() {
	h.Helper()
	keys := maps.Clone(h.keys)
	dir := h.TempDir()
	keys["PAYRUN_LEDGER"], keys["XDG_STATE_HOME"] = filepath.Join(dir, "other.db"), dir
	env := h.env
	env.Getenv = func(name string) string { return keys[name] }
	from := config.Sources{Config: filepath.Join(h.dir, config.Name), Getenv: env.Getenv, Amount: app.ParseAmount, Column: app.ColumnOf}
	need(app.Init(h.Context(), from, env, true))(h)
	set := need(config.Load(from))(h)
	other := app.New(set, env)
	need(other.Load(h.Context(), app.Call{Actor: "eve"}, []string{filepath.Join(h.dir, "nov.csv")}, app.SheetOptions{}))(h)
	loaded := need(other.Status(h.Context(), app.Call{}))(h).Batches[0].ID
	h.must(other.Initiate(h.Context(), app.Call{Actor: "eve"}, app.InitiateRequest{Batches: []string{loaded}}))
}

// refusing makes a desk over a ledger with a batch that the bank refused: it knows the
// references of another ledger.
func refusing(t *testing.T) (h *house, id string) {
	t.Helper()
	reading := sandbox.ReadingFor(1, false)
	reading.UsedStatus, reading.EchoesRepeats, reading.UnknownStatus = 400, false, 404
	h = buildAt(t, &reading)
	h.loadFor("pb8", "INV/1") // of which there is no statement
	h.sentByAnother()
	id = h.batches()[0].ID
	_, _ = h.app.Initiate(h.Context(), app.Call{Actor: "asha"}, app.InitiateRequest{Batches: []string{id}})
	h.inState(id, ledger.BatchRefused)
	return h, id
}

// Payouts that the bank refuses for their references get new ones by a release: two
// people, with the bank's written confirmation. Meanwhile it is on the board of who
// may be the second, and of no one else.
func TestNewReferencesTakeTwoPeople(t *testing.T) {
	h, id := refusing(t)
	h.importStatement("pb8")
	h.adminWho("pay")
	h.invite("lila", "load")
	h.invite("dev", "pay")
	h.at = h.at.Add(49 * time.Hour)
	h.importStatement("pb8")
	lila, pays := h.as("lila"), h.as("ravi")
	page, path := "/batches/"+id, "/batches/"+id+"/resolve"
	is(t, pays.get(page), 200, "Give its payouts new references")
	isNot(t, lila.get(page), "new references")
	say := []string{"as", "not-paid", "reason", "nobody paid it", "bank_ticket", "mail 4712"}
	is(t, lila.decide(path, say...), 403, "needs the role")
	is(t, pays.releases(page, path, id, "100", say...), 303)
	h.has(ledger.EventReleaseAsked, 1)
	notice := ">Say the same about " + ledger.ShortID(id) + ", or not: "
	is(t, h.as("dev").get("/"), 200, "for you", notice, "by ravi")
	isNot(t, lila.get("/"), notice)
	h.at = h.at.Add(61 * time.Minute)
	is(t, h.as("ravi").releases(page, path, id, "100", say...), 409, "another person")
	is(t, h.as("dev").releases(page, path, id, "100", say...), 303)
	retry := h.as("lila")
	is(t, retry.decide(page+"/retry", append(retry.bound(page, page+"/retry"), "total", "100")...), 303)
	same(t, "batches", len(h.batches()), 2)
	h.inState(h.batches()[1].ID, ledger.BatchPlanned)
	same(t, "INV/1", need(h.app.Payout(t.Context(), app.Call{}, "INV/1"))(t).Attempts[1].WireRef, "INV/1-R2")
	for kind, who := range map[string]string{ledger.EventReleaseAsked: "ravi", ledger.EventReleased: "dev"} {
		h.has(kind, 1)
		eventSays(t, h.of(kind)[0], " by "+who+"\n", "\nproof: at the desk, from ")
	}
	h.isWhole()
}

// importStatement imports a statement of an account of which the interface gives none: of
// the days up to now, with nothing of payrun in it.
func (h *house) importStatement(account string) {
	h.Helper()
	rows := "Date,Narration,Debit,Credit,Balance\n"
	for day := h.at.AddDate(0, 0, -4); !day.After(h.at); day = day.AddDate(0, 0, 1) {
		rows += day.Format("02/01/2006") + ",Charges,1.00,," + strconv.Itoa(100_000-day.YearDay()) + ".00\n"
	}
	h.imports("statement.csv", rows, account)
}

// Both people of a release read what the bank kept back, as they do at a terminal.
func TestAReleaseShowsTheCharges(t *testing.T) {
	h := build(t)
	for charges, want := range map[ledger.Paise]bool{2_36: true, 0: false} {
		form := releaseForm{ToType: app.ToType{Evidence: ledger.ReleaseEvidence{Charges: charges}}}
		var page bytes.Buffer
		fine(t, h.pages["release"]().Execute(&page, view{person: ledger.Person{Name: "mina"}, Data: form}))
		if strings.Contains(page.String(), "2.36 was kept back as charges") != want {
			t.Errorf("charges of %s: %s", charges, page.String())
		}
	}
}
