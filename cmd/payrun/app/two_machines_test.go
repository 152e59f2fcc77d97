package app

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	neturl "net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
	"payrun/ledger/postgres/pgtest"
	"payrun/submitter/sandbox"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// machine is an App on a ledger in PostgreSQL, with a configuration and a state folder of
// its own.
func machine(t *testing.T, bank *sandbox.Server, url, durability string, inits bool) *desk {
	t.Helper()
	d := &desk{t: t, dir: t.TempDir(), bank: bank}
	text := strings.Replace(config.Rehearsal(bank.Ready().Addr), "two_person    = false", "two_person    = true", 1)
	wrong := func() time.Time { return time.Now().Add(-1000 * time.Hour) }
	d.open(strings.Replace(text, `"replicated"`, `"`+durability+`"`, 1), url, d.dir, wrong, inits)
	t.Cleanup(d.place.(serverPlace).server.Close)
	return d
}

// realBank is a bank with the real clock, for a test that needs a server.
func realBank(t *testing.T) *sandbox.Server {
	t.Helper()
	pgtest.InProof(t)
	bank, err := sandbox.Start(t.Context(), sandbox.Options{Seed: 1, Now: time.Now})
	must(t, err)
	t.Cleanup(func() { _ = bank.Close() })
	return bank
}

// twoMachines are on one ledger, which the first one made.
func twoMachines(t *testing.T) (bank *sandbox.Server, url string, a, b *desk) {
	t.Helper()
	bank = realBank(t)
	_, url = pgtest.Database(t, "")
	return bank, url, machine(t, bank, url, "single", true), machine(t, bank, url, "single", false)
}

// approves approves batches as they are shown.
func (d *desk) approves(call Call, batches ...string) error {
	shown, err := d.ToApprove(d.t.Context(), call, batches, "")
	if err == nil {
		_, err = d.Approve(d.t.Context(), call, ApproveRequest{ReviewedBatches: ReviewedBatches{Batches: shown.Bound}})
	}
	return err
}

// Two machines do the whole job on one ledger: one loads, the other approves; one
// initiates, the other submits while the first asks the bank; both see the same, and the
// bank pays each once.
func TestTwoMachinesOnOneLedger(t *testing.T) {
	bank, url, a, b := twoMachines(t)
	ctx, asha, ravi := t.Context(), Call{Actor: "asha", Command: "payrun submit"}, Call{Actor: "ravi"}
	batches := a.load("asha", "INV-1", "INV-2")

	_, err := a.Initiate(ctx, asha, InitiateRequest{All: true})
	wantCode(t, "initiate before anybody approved", err, NeedsPerson)
	must(t, b.approves(ravi, batches...))
	none := machine(t, bank, url, "replicated", false)
	_, err = none.Initiate(ctx, asha, InitiateRequest{All: true})
	wantCode(t, "initiate without a standby", err, LedgerNotDurable)
	if len(bank.State().Batches) > 0 {
		t.Fatal("the bank got a batch")
	}
	_, err = a.Initiate(ctx, asha, InitiateRequest{All: true})
	wantCode(t, "initiate", err, NeedsPerson)
	_, err = b.Submit(ctx, asha, SubmitRequest{Prompt: entering(func(ctx context.Context, asked Asked) (OTP, error) {
		if who, held := a.HeldBy(ctx); !held || who.Command != "payrun submit" {
			t.Errorf("the other machine sees %v at work", who)
		}
		_, err := a.Poll(ctx, ravi, PollRequest{}) // no one waits for a person
		wantCode(t, "poll meanwhile", err, NeedsPerson)
		return b.otp(asked.Batch.ID), nil
	})})
	wantCode(t, "submit", err, PayoutsOpen)
	for range 8 {
		bank.Settle()
		_, err = a.Poll(ctx, ravi, PollRequest{})
	}
	for _, d := range []*desk{a, b} {
		for _, id := range batches {
			if got := d.state(id); got != ledger.BatchSettled {
				t.Errorf("%s is %s (%v)", id, got, err)
			}
		}
		if problems, err := d.Verify(ctx, Call{}, "", false); err != nil {
			t.Errorf("%v, %v", problems, err)
		}
	}
	if s := bank.State(); s.Executed.Count != 2 || len(s.PaidTwice) > 0 {
		t.Errorf("the bank executed %+v, twice %v", s.Executed, s.PaidTwice)
	}
	if paths, err := b.Report(ctx, ravi, ReportRequest{Dir: filepath.Join(b.dir, "out")}); err != nil || len(paths) == 0 {
		t.Errorf("%v, %v", paths, err)
	}
	err = a.Log(ctx, Call{}, func(e ledger.Event) error {
		if e.Kind != ledger.EventCreated && time.Since(e.At) > time.Hour {
			t.Errorf("event %d (%s) has the time of a machine's wrong clock", e.Seq, e.Kind)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A ledger whose database is another one now is accepted by a person, once for all machines.
func TestAMovedDatabaseIsAcceptedOnce(t *testing.T) {
	_, url, a, b := twoMachines(t)
	batch := a.load("asha", "INV-1")[0]
	pgtest.Exec(t, url, `SET search_path = payrun; INSERT INTO homes (is_at, at) VALUES ('elsewhere', 1)`)
	for _, d := range []*desk{a, b} {
		_, err := d.Initiate(t.Context(), Call{Actor: "asha"}, InitiateRequest{All: true})
		wantCode(t, "initiate", err, LedgerRestored)
	}
	_, err := a.Verify(t.Context(), Call{}, "", false)
	wantCode(t, "verify", err, LedgerRestored)
	got, err := a.AcceptRestored(t.Context(), Call{Actor: "ravi"}, AcceptRequest{Reason: "moved", Complete: true})
	if !got.Done || len(got.Looked) != 1 || got.Looked[0].Batch.ID != batch {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, d := range []*desk{a, b} {
		if _, err := d.Verify(t.Context(), Call{}, "", false); err != nil {
			t.Error(err)
		}
	}
}

// What one machine asks the bank is in progress for the others, and not in doubt: they end with
// 14 or less, and no cron calls a person for it.
func TestACallOfAnotherMachineIsInProgress(t *testing.T) {
	bank, _, a, b := twoMachines(t)
	ctx, asha, ravi := t.Context(), Call{Actor: "asha"}, Call{Actor: "ravi"}
	batch := a.load("asha", "INV-1")[0]
	must(t, b.approves(ravi, batch))

	// the other machine looks while the bank has the request, and has not answered
	var seen []string
	look := func(state ledger.BatchState) {
		_, err := b.Poll(ctx, ravi, PollRequest{})
		if e := Worst(err); e != nil && e.Code == OutcomeUnknown {
			t.Errorf("poll while the bank is asked to move a batch from %s: %v", state, err)
		}
		inProgress := func(st Status, err error) {
			if err != nil || len(st.Batches) != 1 || st.Batches[0].State != state || st.Batches[0].Asks() != ledger.BeingSent {
				t.Errorf("%+v, %v; want %s in progress", st.Batches, err, state)
			}
		}
		inProgress(b.Status(ctx, ravi))
		_ = b.write(ctx, ravi, func(o *operation) error { // as for a notice and for metrics
			inProgress(o.status(ctx))
			return nil
		})
		seen = append(seen, string(state))
	}
	to := httputil.NewSingleHostReverseProxy(&neturl.URL{Scheme: "http", Host: bank.Ready().Addr})
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/initiate"):
			look(ledger.BatchInitiating)
		case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/submit"):
			look(ledger.BatchSubmitting)
		}
		to.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	a.set.BaseURL, a.set.IDURL = front.URL, front.URL
	_, err := a.Initiate(ctx, asha, InitiateRequest{All: true})
	wantCode(t, "initiate", err, NeedsPerson)
	_, err = a.Submit(ctx, asha, SubmitRequest{Prompt: entering(func(_ context.Context, asked Asked) (OTP, error) { return a.otp(asked.Batch.ID), nil })})
	wantCode(t, "submit", err, PayoutsOpen)
	if want := []string{string(ledger.BatchInitiating), string(ledger.BatchSubmitting)}; !slices.Equal(seen, want) {
		t.Errorf("the other machine looked at %v; want %v", seen, want)
	}
}

// whileWriting does something once, before a night writes its reports.
type whileWriting struct {
	said
	do func()
}

func (w *whileWriting) Begin(what, _ string) Activity {
	if what == "writing the reports" {
		w.do()
	}
	return Silence{}
}

// While one machine works at the rest of its night, another takes in its own inbox and ends
// with 11. The next night does the rest again, also after one that stopped without a word.
func TestOneMachineDoesTheRestOfANight(t *testing.T) {
	_, url, a, b := twoMachines(t)
	a.drop("a.csv", sheetOf("N-1"))
	b.drop("b.csv", sheetOf("N-2"))
	night := func(d *desk, p Progress) (*Night, *Error) {
		n, err := d.Nightly(t.Context(), Call{Actor: "cron", Command: "payrun nightly", Progress: p}, NightlyRequest{Exit: exitsOf})
		return n, Worst(err)
	}
	loaded := func(n *Night) bool { return len(n.Sheets) == 1 && n.Sheets[0].Outcome == SheetLoaded }
	meanwhile := func() {
		if n, err := night(b, nil); !loaded(n) || len(n.Reports) > 0 || n.Exit != 11 || !strings.Contains(err.What, "only the inbox was worked on: nightly: another") {
			t.Errorf("meanwhile: %+v, %v", n, err)
		}
	}
	if n, err := night(a, &whileWriting{do: meanwhile}); !loaded(n) || len(n.Reports) == 0 || n.Exit != 12 {
		t.Errorf("%+v, %v", n, err)
	}
	pgtest.Exec(t, url, `INSERT INTO payrun.runs (id, host, pid, os_user, command, person, since, until, task) VALUES ('killed', 'desk', 1, 'cron', 'payrun nightly', 'cron', 1, payrun.clock() - 1, 'nightly')`)
	if n, err := night(b, nil); len(n.Reports) == 0 || n.Exit != 12 {
		t.Errorf("%+v, %v", n, err)
	}
}

// A role is given its rights by the owner, and doctor says what there is and what is missing.
func TestARoleIsGivenItsRightsAndDoctorLooks(t *testing.T) {
	bank := realBank(t)
	_, url := pgtest.Database(t, "")
	owner := machine(t, bank, url, "single", true)
	owner.load("asha", "INV-1") // the machine has a mark once it sent
	pgtest.Exec(t, url, `CREATE ROLE clerk LOGIN`)
	clerk := machine(t, bank, strings.Replace(url, "postgres@", "clerk@", 1), "replicated", false)
	ctx := t.Context()
	wantCode(t, "a role without rights", clerk.read(ctx, Call{}, func(*operation) error { return nil }), LedgerUnusable)
	_, err := owner.GiveRole(ctx, "nobody")
	wantCode(t, "a role that is not there", err, Usage)
	if given, err := owner.GiveRole(ctx, "clerk"); err != nil || len(given.Granted) != 6 {
		t.Errorf("%+v, %v", given, err)
	}
	if made, err := owner.Migrate(ctx); err != nil || made.Taken != 0 {
		t.Errorf("%+v, %v", made, err)
	}
	pgtest.Exec(t, url, `REVOKE INSERT ON payrun.looks FROM clerk`)
	look := &doctor{App: clerk.App}
	look.theLedger(ctx)
	found := map[string]Checkup{}
	for _, c := range look.found {
		found[c.Name] = c
	}
	for name, want := range map[string]struct {
		health Health
		words  string
	}{
		"server":           {Well, "without TLS, on this machine, as the role clerk"},
		"rights":           {Unwell, "GRANT INSERT ON payrun.looks TO clerk"},
		"durability":       {Unwell, "no synchronous standby"},
		"database's clock": {Doubtful, "the database's decides"},
		"mark":             {Well, "none yet"},
		"runs":             {Well, "no run works"},
	} {
		if c := found[name]; c.Health != want.health || !strings.Contains(c.What, want.words) {
			t.Errorf("%s: %+v", name, c)
		}
	}
	_, err = newDesk(t).GiveRole(ctx, "clerk")
	wantCode(t, "a role for a file", err, Usage)
}

// At a terminal a person of a ledger of several machines is the role that logged in: user ids
// are of one machine, and a superuser can be every role.
func TestAPersonAtATerminalIsADatabaseRole(t *testing.T) {
	bank := realBank(t)
	_, url := pgtest.Database(t, "")
	owner := machine(t, bank, url, "single", true)
	as := func(role string) *desk {
		pgtest.Exec(t, url, `CREATE ROLE `+role+` LOGIN`)
		_, err := owner.GiveRole(t.Context(), role)
		must(t, err)
		return machine(t, bank, strings.Replace(url, "postgres@", role+"@", 1), "single", false)
	}
	meena, ravi := as("meena"), as("ravi")
	batch := meena.load("uid:1001", "INV-1")[0]
	wantCode(t, "the same role as another user", meena.approves(Call{Actor: "uid:1002"}, batch), NeedsPerson)
	wantCode(t, "a superuser", owner.approves(Call{Actor: "uid:1002"}, batch), NeedsPerson)
	if err := ravi.approves(Call{Actor: "uid:1001"}, batch); err != nil {
		t.Errorf("another role as a user of that id: %v", err)
	}
	var actors []string
	err := ravi.Log(t.Context(), Call{}, func(e ledger.Event) error {
		if !slices.Contains(actors, e.Actor) {
			actors = append(actors, e.Actor)
		}
		return nil
	})
	if want := []string{"superuser:postgres", "db:meena", "db:ravi"}; err != nil || !slices.Equal(actors, want) {
		t.Errorf("the trail has %q, want %q; %v", actors, want, err)
	}
}

// A role that is tied to a person has to be there, and to be no superuser: no one could act by it.
func TestARoleThatIsTiedIsOnePersons(t *testing.T) {
	pgtest.InProof(t)
	bank, err := sandbox.Start(t.Context(), sandbox.Options{Seed: 1, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bank.Close() })
	_, url := pgtest.Database(t, "")
	owner := machine(t, bank, url, "single", true)
	pgtest.Exec(t, url, `CREATE ROLE lila LOGIN`, `CREATE ROLE maker LOGIN CREATEROLE`, `CREATE ROLE team`)
	add := func(role string) Code {
		_, err := owner.AddPerson(t.Context(), Call{Actor: "uid:1001"}, PersonRequest{Name: "lila", May: []string{"admin"}, System: role})
		return codeOf(err)
	}
	for _, role := range []string{"postgres", "maker", "team", "Lila", "uid:0"} {
		if got := add(role); got != Usage {
			t.Errorf("%s: %q", role, got)
		}
	}
	if got := add("lila"); got != "" {
		t.Error(got)
	}
}

// An export has no passwords. Its import warns where no admin could act: as a system user of a file, as a
// role of a database. Both can be tied before a ledger moves.
func TestAnImportSaysWhetherAnAdminCanAct(t *testing.T) {
	pgtest.InProof(t)
	d := newDesk(t)
	call := Call{Actor: "uid:1001"}
	export := func(server bool, name string) (warned bool) {
		path := filepath.Join(d.dir, name)
		if _, err := d.ExportFile(t.Context(), call, path, ExportOptions{}); err != nil {
			t.Fatal(err)
		}
		place := newDesk(t)
		place.place = sqlitePlace{filepath.Join(place.dir, "again.db")}
		if server {
			_, url := pgtest.Database(t, "")
			place = machine(t, d.bank, url, "single", false)
		}
		var heard warnings
		if _, err := place.Import(t.Context(), Call{Actor: "uid:1001", Progress: &heard}, path); err != nil {
			t.Fatal(err)
		}
		return strings.Contains(strings.Join(heard.all, " "), "no admin can act")
	}
	if _, err := d.AddPerson(t.Context(), call, PersonRequest{Name: "asha", May: []string{"admin"}, System: "1001"}); err != nil {
		t.Fatal(err)
	}
	if export(false, "a") || !export(true, "b") {
		t.Error("tied to a user id: a file warns, or a server does not")
	}
	if _, err := d.ChangePerson(t.Context(), call, PersonRequest{Name: "asha", System: "db:asha"}); err != nil {
		t.Fatal(err)
	}
	if export(false, "c") || export(true, "d") {
		t.Error("tied to both: one warns")
	}
}

// The last admin who can act in a ledger stays, whatever others are tied to.
func TestTheLastAdminWhoCanActHereStays(t *testing.T) {
	d := newDesk(t)
	call := Call{Actor: "uid:1001"}
	for _, p := range [][2]string{{"boss", "1001"}, {"kiran", "db:kiran"}} {
		if _, err := d.AddPerson(t.Context(), call, PersonRequest{Name: p[0], May: []string{"admin"}, System: p[1]}); err != nil {
			t.Fatal(err)
		}
	}
	wantCode(t, "the only admin who can act is removed", d.RemovePerson(t.Context(), call, "boss"), Usage)
	if err := d.RemovePerson(t.Context(), call, "kiran"); err != nil {
		t.Error(err)
	}
}
