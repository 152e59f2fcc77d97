package desk

import (
	"maps"
	"path/filepath"
	"slices"
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
	from := config.Sources{Config: filepath.Join(h.dir, config.Name), Getenv: env.Getenv, Amount: app.ParseAmount, Column: app.ColumnOf, StatementColumn: app.StatementColumnOf}
	if _, err := app.Init(h.Context(), from, env, true); err != nil {
		h.Fatal(err)
	}
	set, err := config.Load(from)
	if err != nil {
		h.Fatal(err)
	}
	other := app.New(set, env)
	if _, err := other.Load(h.Context(), app.Call{Actor: "eve"}, []string{filepath.Join(h.dir, "nov.csv")}, app.SheetOptions{}); err != nil {
		h.Fatal(err)
	}
	st, err := other.Status(h.Context(), app.Call{})
	if err != nil || len(st.Batches) == 0 {
		h.Fatal(err, "nothing was loaded")
	}
	h.must(other.Initiate(h.Context(), app.Call{Actor: "eve"}, app.InitiateRequest{Batches: []string{st.Batches[0].ID}}))
}

// Payouts that the bank refuses for their references get new ones by two people, one
// after the other; meanwhile it stands on the board of who may be the second, and of
// nobody else.
func TestNewReferencesTakeTwoPeople(t *testing.T) {
	reading := sandbox.ReadingFor(1, false)
	reading.UsedStatus, reading.EchoesRepeats, reading.UnknownStatus = 400, false, 404
	h := buildAt(t, &reading)
	h.loadFor("pb8", "INV/1") // of which there is no statement
	h.sentByAnother()
	id := h.batches()[0].ID
	if _, err := h.app.Initiate(t.Context(), app.Call{Actor: "asha"}, app.InitiateRequest{Batches: []string{id}}); h.state(id) != ledger.BatchRefused {
		t.Fatalf("%v; it is %s", err, h.state(id))
	}
	if _, err := h.app.SetPolicy(t.Context(), app.Call{Actor: "asha"}, app.PolicyRequest{Key: ledger.PolicyTwoPerson, Value: "true", Reason: "as agreed"}); err != nil {
		t.Fatal(err)
	}
	h.admin()
	lila, pays := h.invite("lila", "load"), h.invite("ravi", "pay")
	h.invite("dev", "load")
	page := "/batches/" + id
	is(t, lila.get(page), 200, "New references", `action="`+page+`/retry"`)
	shown := append(lila.bound(page, page+"/retry"), "tail", id[len(id)-6:])
	fields := append(slices.Clone(shown), "new_references", "yes", "reason", "nobody paid it", "bank_ticket", "mail 4712")
	is(t, lila.decide(page+"/retry", append(fields, "total", "1")...), 422, "is not the total")
	for _, total := range []string{"100", "1"} {
		is(t, lila.decide(page+"/retry", append(slices.Clone(fields), "total", total, "ref", "INV/1")...), 422, "New references are for all of a batch: tick none.")
	}
	is(t, pays.decide(page+"/retry", append(fields, "total", "100")...), 403, "needs the role load")
	is(t, lila.decide(page+"/retry", append(slices.Clone(shown), "new_references", "yes", "bank_ticket", "mail 4712", "total", "100")...), 422, "Say why")
	is(t, lila.decide(page+"/retry", append(fields, "total", "100", "tail", "wrong1")...), 422, "is not the amount and the end")
	is(t, lila.decide(page+"/retry", append(fields, "total", "100", "bank_ticket", strings.Repeat("m", 201))...), 422, "too long")
	is(t, lila.decide(page+"/retry", append(fields, "total", "100")...), 303)
	if n := len(h.batches()); n != 1 || len(h.of(ledger.EventProposed)) != 1 {
		t.Fatalf("by one person %d batches are there; decided: %+v", n, h.of(ledger.EventProposed))
	}
	notice := "<b>Decide the same about " + ledger.ShortID(id) + ", or not: "
	is(t, h.as("dev").get("/"), 200, "For you", notice, "by lila")
	isNot(t, lila.get("/"), notice)
	isNot(t, pays.get("/"), notice)
	h.at = h.at.Add(30 * time.Minute)
	is(t, h.as("dev").decide(page+"/retry", append(fields, "total", "100")...), 409, "second person decides at least")
	h.at = h.at.Add(31 * time.Minute)
	is(t, h.as("lila").decide(page+"/retry", append(fields, "total", "100")...), 303) // her own word again
	if n := len(h.batches()); n != 1 {
		t.Fatalf("one person decided twice, and %d batches are there", n)
	}
	h.at = h.at.Add(61 * time.Minute)
	dev := h.as("dev")
	is(t, dev.decide(page+"/retry", append(fields, "total", "100")...), 303)
	all := h.batches()
	if len(all) != 2 || all[1].State != ledger.BatchPlanned {
		t.Fatalf("by two people: %+v", all)
	}
	isNot(t, h.as("lila").get("/"), notice)
	decided := append(h.of(ledger.EventProposed), h.of(ledger.EventRenamed)...)
	if len(decided) != 2 || decided[0].Actor != "lila" || decided[1].Actor != "dev" {
		t.Fatalf("on record: %+v", decided)
	}
	for _, e := range decided {
		if !strings.Contains(e.Proof, "at the desk, from ") {
			t.Errorf("on record: %+v", e)
		}
	}
	if problems, err := h.app.Verify(t.Context(), app.Call{}, ""); err != nil || len(problems) > 0 {
		t.Errorf("the ledger: %v, %v", problems, err)
	}
}
