package desk

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
	"payrun/submitter/sandbox"
)

// Whatever happens in a ledger, and in whichever order: who looks at a sheet again is told
// what they would be who never looked before.
func TestWhoLooksAgainIsToldTheSame(t *testing.T) {
	h := build(t)
	p := &payday{house: h, random: rand.New(rand.NewPCG(0, 1)), stories: map[string]*app.SheetStory{}, plans: map[string]*app.Planned{}, happened: map[string]int{}}
	h.twoPeople()
	p.load()
	p.load()
	steps := p.steps()
	names := slices.Sorted(maps.Keys(steps))
	for range 2 {
		p.random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for _, name := range names {
			steps[name]()
			h.at = h.at.Add(time.Second)
			if p.random.IntN(4) > 0 { // else more than one thing happens between two looks
				p.look(name)
			}
		}
	}
	p.look("the end")
	for _, kind := range []string{ledger.EventApproved, "initiate_accepted", "submit_accepted", "submit_rejected", "submit_lost", "abandoned", "all_final", ledger.EventCorrected,
		ledger.EventPolicySet, ledger.EventPersonChanged, ledger.EventStatementRead, ledger.EventLoggedIn, ledger.EventSheetLoaded, ledger.EventPlanned} {
		if p.happened[kind] == 0 {
			t.Errorf("no %s: it shows too little", kind)
		}
	}
	if p.kept < 20 {
		t.Errorf("only %d times something was kept", p.kept)
	}
}

// A ledger that was set back to a copy, and went another way since, is not told with what
// was read of the first.
func TestWhatWasReadOfAnotherLedgerIsNotKept(t *testing.T) {
	h := build(t, "INV/1", "INV/2")
	p := &payday{house: h, stories: map[string]*app.SheetStory{}, plans: map[string]*app.Planned{}, happened: map[string]int{}}
	h.twoPeople()
	from := filepath.Join(h.dir, "copy.db")
	if _, err := h.app.Backup(t.Context(), app.Call{Actor: "asha"}, from); err != nil {
		t.Fatal(err)
	}
	h.must(h.app.Approve(t.Context(), app.Call{Actor: "meera"}, app.ApproveRequest{Batches: []string{h.batch().ID}}))
	p.look("an approval")
	for _, of := range []string{"-wal", "-shm"} {
		_ = os.Remove(h.set.LedgerPath + of)
	}
	if err := os.Rename(from, h.set.LedgerPath); err != nil {
		t.Fatal(err)
	}
	kept := p.plans[h.batch().SheetID]
	p.look("it was set back")
	p.plans[h.batch().SheetID] = kept
	for range 3 {
		h.as("dev")
	}
	p.look("it went another way")
	if p.kept != 2 || p.happened[ledger.EventApproved] != 1 || len(h.of(ledger.EventApproved)) != 0 {
		t.Errorf("kept %d times; approved %d times, and %d are left", p.kept, p.happened[ledger.EventApproved], len(h.of(ledger.EventApproved)))
	}
}

// payday is a house in which all kinds of things happen.
type payday struct {
	*house
	random   *rand.Rand
	loads    int
	seen     int64 // events
	kept     int
	happened map[string]int
	stories  map[string]*app.SheetStory // as they were told last, by sheet
	plans    map[string]*app.Planned
}

// look holds what who looks again is told of each sheet against what is told by a program
// that was just started.
func (p *payday) look(after string) {
	p.Helper()
	ctx, call := p.Context(), app.Call{Actor: "meera"}
	fresh := app.New(p.set, p.env)
	for _, e := range p.events() {
		if e.Seq > p.seen {
			p.happened[e.Kind]++
			p.seen = e.Seq
		}
	}
	sheets, err := fresh.Sheets(ctx, call)
	if err != nil {
		p.Fatal(err)
	}
	for _, s := range sheets {
		story, err := p.app.SheetAgain(ctx, call, s.ID, p.stories[s.ID])
		if err != nil {
			p.Fatal(err)
		}
		want, err := fresh.Sheet(ctx, call, s.ID)
		all := cmp.Exporter(func(reflect.Type) bool { return true })
		if diff := cmp.Diff(want, story, all, cmpopts.EquateEmpty()); err != nil || diff != "" {
			p.Fatalf("after %s sheet %s is told (-anew +again; %v):\n%s", after, s.Name, err, diff)
		}
		planned, err := p.app.PlannedAgain(ctx, call, &story, p.plans[s.ID])
		if err != nil {
			p.Fatal(err)
		}
		anew, err := fresh.PlannedAgain(ctx, call, &want, nil)
		if diff := cmp.Diff(anew, planned, all, cmpopts.EquateEmpty()); err != nil || diff != "" {
			p.Fatalf("after %s what is planned of sheet %s (-anew +again; %v):\n%s", after, s.Name, err, diff)
		}
		if planned != nil && p.plans[s.ID] != nil {
			p.kept++
		}
		if anew != nil {
			if of, err := fresh.Planned(ctx, call, ledger.Filter{SheetID: s.ID}); err != nil || of.Plan != planned.Plan {
				p.Fatalf("after %s a decision is bound to %s, and shown is %s (%v)", after, of.Plan, planned.Plan, err)
			}
		}
		p.stories[s.ID], p.plans[s.ID] = &story, planned
	}
}

// one of the batches in a state; "" where there is none.
func (p *payday) one(state ledger.BatchState) string {
	p.Helper()
	var ids []string
	for _, b := range p.batches() {
		if b.State == state {
			ids = append(ids, b.ID)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return ids[p.random.IntN(len(ids))]
}

// load loads a sheet to payees who are paid by others too.
func (p *payday) load() {
	p.Helper()
	p.loads++
	var rows []string
	for i := range 6 {
		payee := p.random.IntN(9)
		rows = append(rows, fmt.Sprintf("S%d/%d,Payee %c,50100%07d,HDFC0001234,%d.00,%s", p.loads, i, 'A'+payee, payee+p.random.IntN(8)/7*100, 100*(1+p.random.IntN(4)), [...]string{"pb8", "pb8", "pb4"}[i%3]))
	}
	p.loadRows(rows...)
}

// steps are what happens, by name. What cannot be done is not: which kinds of events there
// were is asked at the end.
func (p *payday) steps() map[string]func() {
	ctx, asha := p.Context(), app.Call{Actor: "asha"}
	poll := func() {
		_, _ = p.app.Poll(ctx, asha, app.PollRequest{})
	}
	approve := func() (id string) {
		if id = p.one(ledger.BatchPlanned); id != "" {
			_, _ = p.app.Approve(ctx, app.Call{Actor: "meera"}, app.ApproveRequest{Batches: []string{id}})
		}
		return id
	}
	initiate := func() {
		if id := approve(); id != "" {
			_, _ = p.app.Initiate(ctx, app.Call{Actor: "ravi"}, app.InitiateRequest{Batches: []string{id}})
		}
	}
	submit := func(wrong bool) {
		id := p.one(ledger.BatchHeld)
		if id == "" {
			return
		}
		otp, token := p.otp(id)
		if wrong {
			otp = wrongOTP(otp)
		}
		entry := app.OTP{BatchID: id, OTP: ledger.NewSecret(otp), Token: ledger.NewSecret(token)}
		_, _ = p.app.Submit(ctx, app.Call{Actor: "ravi"}, app.SubmitRequest{OTPs: func() ([]app.OTP, error) { return []app.OTP{entry}, nil }})
	}
	return map[string]func(){
		"load": p.load,
		"approve": func() {
			for range 3 {
				approve()
			}
		},
		"initiate":  initiate,
		"submit":    func() { initiate(); submit(false) },
		"wrong OTP": func() { initiate(); submit(true) },
		"lost answer": func() {
			initiate()
			if err := p.bank.SetFaults([]sandbox.Fault{{Op: "submit", Kind: "drop_before"}}); err != nil {
				p.Fatal(err)
			}
			submit(false)
			if err := p.bank.SetFaults(nil); err != nil {
				p.Fatal(err)
			}
		},
		"poll": poll,
		"settle": func() {
			outcomes := map[string]string{}
			for i := range 6 {
				outcomes[fmt.Sprintf("S%d/%d", 1+p.random.IntN(p.loads), i)] = [...]string{"failed", "returned"}[i%2]
			}
			if err := p.bank.SetOutcomes(outcomes); err != nil {
				p.Fatal(err)
			}
			for range 7 {
				p.bank.Settle()
			}
			p.at = p.at.Add(time.Minute)
			poll()
			poll()
		},
		"abandon": func() {
			if id := p.one(ledger.BatchPlanned); id != "" {
				_, _ = p.app.Abandon(ctx, asha, app.AbandonRequest{Batches: []string{id}, Reason: "by mistake"})
			}
		},
		"resolve": func() {
			if id := p.one(ledger.BatchSubmitUnknown); id != "" {
				p.at = p.at.Add(30 * time.Hour)
				story, err := p.app.Batch(ctx, asha, id)
				if err != nil {
					p.Fatal(err)
				}
				for _, who := range []string{"asha", "dev"} {
					_, _ = p.app.Resolve(ctx, app.Call{Actor: who}, app.ResolveRequest{What: id, As: app.DecidedNotSubmitted, Reason: "they never had it", Ticket: "T1",
						Typed: &app.Typed{Total: story.Batch.Total, Tail: id[len(id)-6:]}})
				}
			}
		},
		"retry": func() {
			if id := p.one(ledger.BatchAbandoned); id != "" {
				_, _ = p.app.Retry(ctx, asha, app.RetryRequest{Of: id})
			}
		},
		"correct": func() {
			for _, b := range p.batches() {
				list, err := p.app.Retryable(ctx, asha, b.ID)
				if err != nil {
					p.Fatal(err)
				}
				if b.State == ledger.BatchAbandoned && len(list) > 0 {
					row := fmt.Sprintf("%s,%s,50100%07d,HDFC0001234,%s,pb8", list[0].Ref, list[0].VendorName, p.random.IntN(99), list[0].Amount)
					p.loadSheet(fmt.Sprintf("fix%d.csv", p.random.IntN(1000)), app.SheetOptions{Correct: true}, "", row)
					return
				}
			}
		},
		"policy": func() {
			_, _ = p.app.SetPolicy(ctx, asha, app.PolicyRequest{Key: ledger.PolicyConfirmAbove, Value: fmt.Sprint(900_000 - p.seen), Reason: "as agreed"})
		},
		"people": func() {
			_, _ = p.app.ChangePerson(ctx, asha, app.PersonRequest{Name: "dev", May: []string{[...]string{"approve", "pay", "view"}[p.random.IntN(3)]}})
		},
		"login":     func() { p.as("dev") },
		"statement": p.statement,
		"an hour":   func() { p.at = p.at.Add(time.Hour) },
	}
}

// statement imports a statement of a day of pb8.
func (p *payday) statement() {
	p.Helper()
	path := filepath.Join(p.dir, "statement.csv")
	day := p.at.Format("02/01/2006")
	rows := []string{"Date,Narration,Debit,Credit,Balance", fmt.Sprintf("%s,Charges %d,1.00,,%d.00", day, p.seen, 100_000-p.seen)}
	if err := os.WriteFile(path, []byte(strings.Join(rows, "\n")+"\n"), 0o600); err != nil {
		p.Fatal(err)
	}
	if _, err := p.app.ImportStatement(p.Context(), app.Call{Actor: "asha"}, app.StatementImport{Path: path, Account: "pb8", DayFirst: true, Sure: true}); err != nil {
		p.Fatal(err)
	}
}
