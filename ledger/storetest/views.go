package storetest

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var views = []Check{
	{"filters select payouts, and attempts", filtersSelect},
	{"a view stops when its reader does", aViewStops},
	{"a ledger can be asked and changed while it is read", changedWhileRead},
	{"tallies are what each payout adds up to", talliesAddUp},
	{"batches come in plan order, by state, sheet and id", batchesInPlanOrder},
	{"the sheet before is the newest that pays from the debit account", theSheetBefore},
	{"what was read is current until an event that is of no login", itIsCurrentSince},
	{"what is over is watched for as long as asked after its last change", overIsWatched},
	{"who only views cannot write", aViewCannotWrite},
}

func filtersSelect(t testing.TB, o Opener) {
	st := tell(t, o)
	dec := st.load("dec", 2, 2)[0]
	jan := st.load("jan", 2, 2)[0]
	st.giveUp(jan.ID, minute(20))
	st.again(minute(21), st.attempts(jan.ID), 2)
	second := st.attempts(dec.ID)[1]
	for name, c := range map[string]struct {
		f    ledger.Filter
		want []string
	}{
		"a sheet":                     {ledger.Filter{SheetID: dec.SheetID}, []string{"dec-1", "dec-2"}},
		"a batch":                     {ledger.Filter{BatchID: st.held}, []string{"nov-3", "nov-4"}},
		"a batch of another sheet":    {ledger.Filter{BatchID: st.held, SheetID: dec.SheetID}, nil},
		"a state":                     {ledger.Filter{States: []ledger.PayoutState{ledger.PayoutSuccess}}, []string{"nov-7", "nov-8"}},
		"two states":                  {ledger.Filter{States: []ledger.PayoutState{ledger.PayoutSuccess, ledger.PayoutPending}}, []string{"nov-5", "nov-6", "nov-7", "nov-8"}},
		"a state of a batch":          {ledger.Filter{BatchID: st.settled, States: []ledger.PayoutState{ledger.PayoutSuccess}}, []string{"nov-7", "nov-8"}},
		"another state of a batch":    {ledger.Filter{BatchID: st.settled, States: []ledger.PayoutState{ledger.PayoutPending}}, nil},
		"a reference in any case":     {ledger.Filter{Find: ledger.Mentioning("NOV-1")}, []string{"nov-1", "nov-10", "nov-11", "nov-12", "nov-13", "nov-14", "nov-15", "nov-16"}},
		"a further reference":         {ledger.Filter{Find: ledger.Mentioning("JAN-1-r2")}, []string{"jan-1-R2"}},
		"both references of a payout": {ledger.Filter{Find: ledger.Mentioning("jan-2"), Attempts: true}, []string{"jan-2", "jan-2-R2"}},
		"a payee":                     {ledger.Filter{Find: ledger.Mentioning("vendor 16")}, []string{"nov-16"}},
		"a UTR":                       {ledger.Filter{Find: ledger.Mentioning("utr-nov-7")}, []string{"nov-7"}},
		"what is nowhere":             {ledger.Filter{Find: ledger.Mentioning("%")}, nil},
		"the first few":               {ledger.Filter{SheetID: dec.SheetID, Most: 1}, []string{"dec-1"}},
		"the first few that are such": {ledger.Filter{States: []ledger.PayoutState{ledger.PayoutSuccess, ledger.PayoutPending}, Most: 3}, []string{"nov-5", "nov-6", "nov-7"}},
		"few of what is looked for":   {ledger.Filter{Find: ledger.Mentioning("nov-1"), Most: 2}, []string{"nov-1", "nov-10"}},
		"a sheet that is not there":   {ledger.Filter{SheetID: "shnone"}, nil},
		"a batch that is not there":   {ledger.Filter{BatchID: "prnone"}, nil},
		"a batch whose payouts moved": {ledger.Filter{BatchID: st.refused}, nil},
		"its attempts":                {ledger.Filter{BatchID: st.refused, Attempts: true}, []string{"nov-13", "nov-14"}},
		"the attempts after them":     {ledger.Filter{BatchID: st.replanned}, []string{"nov-13", "nov-14"}},
		"every attempt of a payout":   {ledger.Filter{Find: ledger.Mentioning("nov-13"), Attempts: true}, []string{"nov-13", "nov-13"}},
		"a whole reference":           {ledger.Filter{Exact: "nov-1"}, []string{"nov-1"}},
		"one of a payout that waits":  {ledger.Filter{Exact: "dec-2"}, []string{"dec-2"}},
		"its further reference":       {ledger.Filter{Exact: "jan-2-r2"}, []string{"jan-2-R2"}},
		"it with every attempt":       {ledger.Filter{Exact: "jan-2-r2", Attempts: true}, []string{"jan-2", "jan-2-R2"}},
		"a whole UTR":                 {ledger.Filter{Exact: "utr-nov-7"}, []string{"nov-7"}},
		"a part of a reference":       {ledger.Filter{Exact: "nov-"}, nil},
		"a reference of a state":      {ledger.Filter{Exact: "nov-7", States: []ledger.PayoutState{ledger.PayoutPending}}, nil},
		"one by an amount":            {ledger.Filter{Find: func(p *ledger.Particulars) bool { return p.Amount == second.Amount }, SheetID: dec.SheetID}, []string{"dec-2"}},
		"one by an account":           {ledger.Filter{Find: func(p *ledger.Particulars) bool { return p.BankAccountNumber == second.BankAccountNumber }, SheetID: dec.SheetID}, []string{"dec-2"}},
		"one by a reference":          {ledger.Filter{Find: func(p *ledger.Particulars) bool { return p.Ref == "jan-2-R2" }, Attempts: true}, []string{"jan-2-R2"}},
		"one by a UTR":                {ledger.Filter{Find: func(p *ledger.Particulars) bool { return strings.EqualFold(p.UTR, "UTR-nov-7") }}, []string{"nov-7"}},
		"what waits, of a batch":      {ledger.Filter{BatchID: dec.ID, States: []ledger.PayoutState{ledger.PayoutPlanned}}, []string{"dec-1", "dec-2"}},
		"what was abandoned":          {ledger.Filter{SheetID: jan.SheetID, States: []ledger.PayoutState{ledger.PayoutCancelled}, Attempts: true}, []string{"jan-1", "jan-2"}},
		"what was abandoned for good": {ledger.Filter{SheetID: jan.SheetID, States: []ledger.PayoutState{ledger.PayoutCancelled}}, nil},
	} {
		if diff := cmp.Diff(c.want, refsOf(st.listed(c.f))); diff != "" {
			st.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff(st.world().Attempts, st.listed(ledger.Filter{Attempts: true})); diff != "" {
		st.Errorf("every attempt (-want +got):\n%s", diff)
	}
}

func aViewStops(t testing.TB, o Opener) {
	d := begin(t, o)
	d.load("nov", 3, 3)
	enough, n := errors.New("enough"), 0
	err := d.EachPayout(d.ctx, ledger.Filter{}, func(ledger.Attempt) error { n++; return enough })
	if !errors.Is(err, enough) || n != 1 {
		d.Errorf("%d payouts, %v", n, err)
	}
	if err := d.Events(d.ctx, func(ledger.Event) error { return enough }); !errors.Is(err, enough) {
		d.Error(err)
	}
}

func changedWhileRead(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 3, 1)
	i := 0
	err := d.EachPayout(d.ctx, ledger.Filter{}, func(a ledger.Attempt) error {
		i++
		if got, err := d.Batch(d.ctx, b[i-1].ID); err != nil || got.State != ledger.BatchPlanned {
			d.Errorf("asked while it is read: %+v, %v", got, err)
		}
		return d.Apply(d.ctx, ledger.Step{Actor: asha, BatchID: b[i-1].ID, From: ledger.BatchPlanned, Event: ledger.Abandoned, At: minute(i)})
	})
	if err != nil || i != 3 {
		d.Errorf("%d payouts, %v", i, err)
	}
}

// talliesOfBatches compares the tallies of each batch, and of all, with the payouts.
func (st story) talliesOfBatches() {
	st.Helper()
	batches, err := st.Batches(st.ctx, ledger.Filter{})
	st.must(err)
	all := []string{"prnone"}
	for _, b := range batches {
		all = append(all, b.ID)
	}
	for _, ids := range append([][]string{all}, slices.Collect(slices.Chunk(all, 1))...) {
		want := map[ledger.PayoutState]ledger.Tally{}
		for _, id := range ids {
			for _, a := range st.listed(ledger.Filter{BatchID: id}) {
				t := want[a.State]
				t.Add(a.Amount)
				want[a.State] = t
			}
		}
		if got, err := st.Tallies(st.ctx, ids...); err != nil || !maps.Equal(want, got) {
			st.Errorf("of %v: %v, want %v; %v", ids, got, want, err)
		}
	}
}

// someOfThePayouts compares selections of payouts, and their sums, with the full list, page by page from
// either end.
func (st story) someOfThePayouts() {
	st.Helper()
	of := map[string]ledger.Batch{}
	batches, err := st.Batches(st.ctx, ledger.Filter{})
	st.must(err)
	for _, b := range batches {
		of[b.ID] = b
	}
	all := st.listed(ledger.Filter{})
	middle := batches[len(batches)/2]
	for name, f := range map[string]ledger.Filter{
		"all": {}, "a sheet": {SheetID: middle.SheetID}, "an account": {Account: middle.BankAccountID}, "no account": {Account: "none"},
		"from": {From: middle.CreatedAt}, "until": {Until: middle.CreatedAt}, "no day": {From: middle.CreatedAt.AddDate(10, 0, 0)},
		"states": {States: []ledger.PayoutState{ledger.PayoutPlanned, ledger.PayoutSuccess}}, "apart": {States: []ledger.PayoutState{ledger.PayoutFailed}},
		"some": {Payouts: []int64{all[0].ID, all[len(all)-1].ID}, Newest: true},
	} {
		var want []ledger.Attempt
		sums := map[ledger.PayoutState]ledger.Tally{}
		for _, a := range all {
			b := of[a.BatchID]
			if f.SheetID != "" && a.SheetID != f.SheetID || f.Account != "" && b.BankAccountID != f.Account || !f.From.IsZero() && b.CreatedAt.Before(f.From) ||
				!f.Until.IsZero() && !b.CreatedAt.Before(f.Until) || f.States != nil && !slices.Contains(f.States, a.State) || f.Payouts != nil && !slices.Contains(f.Payouts, a.ID) {
				continue
			}
			want = append(want, a)
			t := sums[a.State]
			t.Add(a.Amount)
			sums[a.State] = t
		}
		if f.States == nil && f.Payouts == nil {
			if got, err := st.SumPayouts(st.ctx, f); err != nil || !maps.Equal(sums, got) {
				st.Errorf("%s: %v, want %v; %v", name, got, sums, err)
			}
		}
		for _, newest := range []bool{false, true} {
			if f.Newest = newest; newest {
				slices.Reverse(want)
			}
			if diff := cmp.Diff(want, st.listed(f)); diff != "" {
				st.Errorf("%s, newest first %v (-want +got):\n%s", name, newest, diff)
			}
			for skip := 0; f.Payouts == nil && skip <= len(want); skip++ {
				f.Skip, f.Most = skip, 2
				if diff := cmp.Diff(append([]ledger.Attempt(nil), want[skip:min(skip+2, len(want))]...), st.listed(f)); diff != "" {
					st.Errorf("%s, newest first %v, behind %d (-want +got):\n%s", name, newest, skip, diff)
				}
			}
			f.Skip, f.Most = 0, 0
		}
	}
}

func talliesAddUp(t testing.TB, o Opener) {
	d := begin(t, o)
	if got, err := d.Tallies(d.ctx); err != nil || len(got) != 0 {
		d.Errorf("of an empty ledger: %v, %v", got, err)
	}
	d.must(d.Close())
	d.Store = nil
	st := tell(t, o)
	// the states that the story does not have
	b := st.load("dec", 6, 1)
	for i, answers := range [][]string{{ledger.StatusInitiated}, {ledger.StatusFailed, ledger.StatusFailed}, {ledger.StatusSuccess, ledger.StatusFailed}} {
		st.hold(b[i].ID)
		st.submit(b[i].ID)
		for n, status := range answers {
			st.apply(ledger.Step{BatchID: b[i].ID, From: ledger.BatchSubmitted, At: minute(5 + n), Observed: st.observe(b[i].ID, status, "")})
		}
	}
	st.settle(b[3].ID)
	st.apply(ledger.Step{BatchID: b[3].ID, From: ledger.BatchSettled, At: minute(8), Observed: st.observe(b[3].ID, ledger.StatusFailed, ledger.CodeReturned)})
	got, err := st.Tallies(st.ctx)
	st.must(err)
	if diff := cmp.Diff(st.world().tallies(), got); diff != "" {
		st.Errorf("the model's (-want +got):\n%s", diff)
	}
	sum := map[ledger.PayoutState]ledger.Tally{}
	for _, a := range st.listed(ledger.Filter{}) {
		s := sum[a.State]
		s.Add(a.Amount)
		sum[a.State] = s
	}
	if diff := cmp.Diff(sum, got); diff != "" {
		st.Errorf("each payout's (-want +got):\n%s", diff)
	}
	st.talliesOfBatches()
	st.someOfThePayouts()
	paid, gone := map[string]ledger.Paise{}, map[ledger.PayoutState]bool{}
	inFlight := map[string]ledger.Paise{}
	batches, err := st.Batches(st.ctx, ledger.Filter{})
	st.must(err)
	for _, b := range batches {
		if slices.Contains(ledger.BatchesInFlight[:], b.State) {
			inFlight[b.BankAccountID] += b.Total
		}
		for _, a := range st.attempts(b.ID) {
			if b.State == ledger.BatchSubmitted && slices.Contains(ledger.PayoutsInFlight[:], asRead(a)) {
				inFlight[b.BankAccountID] += a.Amount
			}
			if (b.State == ledger.BatchSubmitted || b.State == ledger.BatchSettled) && perhapsDebited(a) {
				paid[b.BankAccountID] += a.Amount
				gone[a.State] = true
			}
		}
	}
	flies, err := st.InFlight(st.ctx)
	if diff := cmp.Diff(inFlight, flies); diff != "" || err != nil || len(flies) == 0 {
		st.Errorf("in flight (-want +got):\n%s%v", diff, err)
	}
	went, err := st.Paid(st.ctx)
	if diff := cmp.Diff(paid, went); diff != "" || err != nil || !gone[ledger.PayoutReturned] || !gone[ledger.PayoutDisputed] {
		st.Errorf("what was paid, of %v (-want +got):\n%s%v", gone, diff, err)
	}
	if len(got) != len(ledger.PayoutStates) {
		st.Errorf("of %d states of a payout only %d are there: it shows too little", len(ledger.PayoutStates), len(got))
	}
}

// asRead returns the state that follows from the values that could be read. For an attempt that is disputed only
// because of an unreadable value, that is Was: it may still be debited, or was paid.
func asRead(a ledger.Attempt) ledger.PayoutState {
	if a.Was != "" {
		return a.Was
	}
	return a.State
}

// perhapsDebited reports whether an attempt was or may have been paid. That includes an attempt whose money
// came back, a disputed one, and one whose dispute people closed. Once true for an attempt of a submitted
// batch it stays true, so a sum of such attempts never falls.
func perhapsDebited(a ledger.Attempt) bool {
	switch asRead(a) {
	case ledger.PayoutSuccess, ledger.PayoutReturned, ledger.PayoutDisputed:
		return true
	case ledger.PayoutCancelled:
		return a.Resolved != ledger.ResolutionNone
	default:
		return false
	}
}

func itIsCurrentSince(t testing.TB, o Opener) {
	st := tell(t, o)
	since := func() ledger.AuditHead { return must(st.StandsSince(st.ctx)) }
	first := since()
	if head := must(st.AuditHead(st.ctx)); first != head {
		t.Errorf("it is current since %+v; the newest event is %+v", first, head)
	}
	for i, kind := range ledger.LoginKinds {
		if err := st.RecordLogin(st.ctx, ledger.Login{Name: asha, From: "127.0.0.1", Kind: kind, At: minute(30 + i)}); err != nil {
			t.Fatal(err)
		}
		if now := since(); now != first {
			t.Errorf("%s changed what is current: %+v", kind, now)
		}
	}
	st.abandon(st.planned, minute(40))
	if since() == first {
		t.Error("a batch was abandoned, and nothing says so")
	}
}

// must returns found, and panics on an error.
func must[T any](found T, err error) T {
	if err != nil {
		panic(err)
	}
	return found
}

func batchesInPlanOrder(t testing.TB, o Opener) {
	st := tell(t, o)
	dec := st.load("dec", 1, 1)[0]
	idOf := func(b ledger.Batch) string { return b.ID }
	ids := func(batches []ledger.Batch, err error) []string {
		st.must(err)
		return ledger.ListOf(batches, idOf)
	}
	if diff := cmp.Diff([]string{st.held, st.quarantined}, ids(st.BatchesIn(st.ctx, ledger.BatchQuarantined, ledger.BatchHeld))); diff != "" {
		st.Errorf("in two states (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{st.planned, st.replanned, dec.ID}, ids(st.BatchesIn(st.ctx, ledger.BatchPlanned))); diff != "" {
		st.Errorf("in one state, of two sheets (-want +got):\n%s", diff)
	}
	if got := ids(st.BatchesIn(st.ctx)); got != nil {
		st.Errorf("in no state: %v", got)
	}
	if diff := cmp.Diff([]string{dec.ID}, ids(st.Batches(st.ctx, ledger.Filter{SheetID: dec.SheetID}))); diff != "" {
		st.Errorf("of a sheet (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{st.held}, ids(st.Batches(st.ctx, ledger.Filter{BatchID: st.held}))); diff != "" {
		st.Errorf("one (-want +got):\n%s", diff)
	}
	all := []string{st.planned, st.held, st.submitted, st.settled, st.abandoned, st.quarantined, st.refused, st.unknown, st.replanned, dec.ID}
	if diff := cmp.Diff(all, ids(st.Batches(st.ctx, ledger.Filter{}))); diff != "" {
		st.Errorf("all (-want +got):\n%s", diff)
	}
	for word, want := range map[string][]string{dec.ID: {dec.ID}, ledger.ShortID(dec.ID): {dec.ID}, dec.ID[:4]: nil, dec.ID + "x": nil, "": nil, "pr": nil} {
		named, err := st.BatchIDs(st.ctx, word)
		if diff := cmp.Diff(want, named); err != nil || diff != "" {
			st.Errorf("named %q (-want +got):\n%s%v", word, diff, err)
		}
	}
	for _, b := range st.world().Batches {
		if diff := cmp.Diff(b, st.batch(b.ID)); diff != "" {
			st.Errorf("one by one (-exported +asked):\n%s", diff)
		}
	}
}

// A batch that is over is watched by the time of its last change of any kind. No other batch is.
func overIsWatched(t testing.TB, o Opener) {
	d := begin(t, o)
	states := ledger.BatchStates
	b := d.load("nov", 2*(len(states)+2), 2)
	for i, state := range states {
		stations[state](d, b[i].ID)
	}
	noted, returned := b[len(states)].ID, b[len(states)+1].ID
	stations[ledger.BatchRefused](d, noted)
	d.apply(ledger.Step{BatchID: noted, From: ledger.BatchRefused, At: minute(70), Note: "asked the bank"})
	d.settle(returned)
	d.apply(ledger.Step{BatchID: returned, From: ledger.BatchSettled, At: minute(80), Observed: d.observe(returned, ledger.StatusFailed, ledger.CodeReturned)})
	over := []ledger.BatchState{ledger.BatchSettled, ledger.BatchRefused, ledger.BatchAbandoned, ledger.BatchSetAside}
	moments := []time.Time{t0.Add(-time.Hour), minute(90)}
	w := d.world()
	for _, b := range w.Batches {
		moments = append(moments, b.UpdatedAt, b.UpdatedAt.Add(-time.Microsecond))
	}
	most := 0
	for _, since := range moments {
		for _, setAsideSince := range moments {
			var want []ledger.Batch
			for _, b := range w.Batches {
				from := since
				if b.State == ledger.BatchSetAside {
					from = setAsideSince
				}
				if slices.Contains(over, b.State) && b.UpdatedAt.After(from) {
					want = append(want, b)
				}
			}
			most = max(most, len(want))
			got, err := d.Watched(d.ctx, since, setAsideSince)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				d.Errorf("watched since %s, set aside since %s (-want +got):\n%s%v", since.Format(time.TimeOnly), setAsideSince.Format(time.TimeOnly), diff, err)
			}
		}
	}
	if most != len(over)+2 {
		d.Errorf("at most %d are watched: it shows too little", most)
	}
}

func aViewCannotWrite(t testing.TB, o Opener) {
	st := tell(t, o)
	before := st.world()
	v := st.view()
	v.is(before, "viewed")
	over := v.attempts(st.abandoned)
	for name, do := range map[string]func() error{
		"a step": func() error {
			return v.Apply(v.ctx, ledger.Step{Actor: asha, BatchID: st.planned, From: ledger.BatchPlanned, Event: ledger.Abandoned, At: minute(30)})
		},
		"a load": func() error { _, err := v.tryLoad("dec", payouts("dec", 1), plan(payouts("dec", 1), 1)); return err },
		"a retry": func() error {
			_, err := v.PlanRetry(v.ctx, asha, minute(30), over, plan(payoutsOf(over), 2))
			return err
		},
		"a recovery": func() error { _, err := v.Recover(v.ctx, asha, minute(30)); return err },
		"an approval": func() error {
			return v.Approve(v.ctx, ledger.Approving{Approval: ledger.Approval{BatchID: st.planned, PayloadSHA256: hash("x"), Actor: ravi, At: minute(30)}})
		},
		"a release":     func() error { return v.Apply(v.ctx, v.release(ravi, st.unknown, minute(30))) },
		"a listing":     func() error { return v.KeepListing(v.ctx, accountsListed(minute(30), true)) },
		"a branch list": func() error { return v.ImportBranches(v.ctx, listOf("AAAA", minute(30)), branchesOf("AAAA", 1)) },
		"an index":      func() error { return v.IndexPayees(v.ctx, plainFold, 0) },
	} {
		if err := do(); err == nil {
			st.Errorf("%s was written by who only views", name)
		}
		st.is(before, "%s of who only views", name)
	}
}
