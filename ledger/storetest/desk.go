package storetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

// t0 is the time at which every story begins.
var t0 = time.Date(2025, 11, 3, 9, 30, 0, 0, time.UTC)

// minute returns the time n minutes after t0.
func minute(n int) time.Time { return t0.Add(time.Duration(n) * time.Minute) }

const (
	ledgerID = "STORETESTAAAAAAAAAAAAAAAAA"
	asha     = "asha"
	ravi     = "ravi"

	accountCIB = "5f9d7a10-0000-4000-8000-000000000012"
	accountOne = "5f9d7a10-0000-4000-8000-000000000001"
	someLEI    = "5493001KJTIIGC8Y1R12"
)

// desk plays a story on one ledger.
type desk struct {
	testing.TB
	Store
	opener Opener
	ctx    context.Context
}

// must ends the test on an error.
func (d *desk) must(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

// begin creates the ledger of a story.
func begin(t testing.TB, o Opener) *desk {
	t.Helper()
	d := newDesk(t, o)
	d.opened(o.Create(d.ctx, ledgerID, asha, t0))
	return d
}

// reset replaces the ledger by a new one.
func (d *desk) reset() {
	d.Helper()
	d.must(d.Close())
	d.opened(d.opener.Create(d.ctx, ledgerID, asha, t0))
}

func (d *desk) opened(s Store, err error) {
	d.Helper()
	if err != nil {
		d.Store = nil
		d.Fatal(err)
	}
	d.Store = s
}

// newDesk returns a desk that closes its store at the end of the test.
func newDesk(t testing.TB, o Opener) *desk {
	d := &desk{TB: t, opener: o, ctx: context.Background()}
	t.Cleanup(func() {
		if d.Store != nil {
			_ = d.Store.Close()
		}
	})
	return d
}

// reopen closes the ledger and opens it again for writing.
func (d *desk) reopen() {
	d.Helper()
	d.must(d.Close())
	d.opened(d.opener.Open(d.ctx))
}

// other returns a second desk that has the same ledger open for writing.
func (d *desk) other() *desk {
	d.Helper()
	other := newDesk(d.TB, d.opener)
	other.opened(d.opener.OpenSecond(d.ctx))
	return other
}

// Recover recovers after all runs have ended: before that, their calls are still theirs.
func (d *desk) Recover(ctx context.Context, actor string, at time.Time) ([]string, error) {
	d.opener.Lapse()
	return d.Store.Recover(ctx, actor, at)
}

// view returns a desk with the ledger opened for reading.
func (d *desk) view() *desk {
	d.Helper()
	other := newDesk(d.TB, d.opener)
	other.opened(d.opener.View(d.ctx))
	return other
}

// whole requires that verify finds no problem, and that events have details as JSON.
func (d *desk) whole() {
	d.Helper()
	problems, err := d.Verify(d.ctx)
	if err != nil {
		d.Fatalf("verify: %v", err)
	}
	for _, p := range problems {
		d.Errorf("verify: invariant %d, %s: %s", p.Invariant, p.What, p.Detail)
	}
	err = d.Events(d.ctx, func(e ledger.Event) error {
		if e.Detail == "" {
			return nil
		}
		return json.Unmarshal([]byte(e.Detail), &map[string]any{})
	})
	if err != nil {
		d.Errorf("the detail of an event is no JSON object: %v", err)
	}
	all, err := d.Tallies(d.ctx)
	of, sheetsErr := d.SheetTallies(d.ctx)
	sums := map[ledger.PayoutState]ledger.Tally{}
	for _, tallies := range of {
		for state, t := range tallies {
			sums[state] = ledger.Tally{Count: sums[state].Count + t.Count, Total: sums[state].Total + t.Total}
		}
	}
	if err := errors.Join(err, sheetsErr); err != nil || !maps.Equal(all, sums) {
		d.Errorf("the payouts come to %v, those of the sheets to %v, %v", all, sums, err)
	}
}

func (d *desk) world() world {
	d.Helper()
	w, err := look(d.ctx, d.Store)
	if err != nil {
		d.Fatalf("export: %v", err)
	}
	return w
}

// is compares the ledger with what it should be.
func (d *desk) is(want world, doing string, args ...any) {
	d.Helper()
	got := d.world()
	if reflect.DeepEqual(want, got) { // much faster than a diff
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		d.Errorf("%s (-want +got):\n%s", fmt.Sprintf(doing, args...), diff)
	}
}

// takes applies a step and compares the result with what Change says. It reports whether the step was
// legal.
func (d *desk) takes(step ledger.Step) (legal bool) {
	d.Helper()
	_, legal = d.takesFrom(d.world(), step)
	return legal
}

// takesFrom is takes with the ledger as it is before the step. It returns the ledger after it.
func (d *desk) takesFrom(before world, step ledger.Step) (after world, legal bool) {
	d.Helper()
	after, legal = d.answersFrom(before, step)
	d.is(after, "%s of a batch in %s", nameOf(step), step.From)
	return after, legal
}

// answersFrom applies a step and compares only whether it is refused. It returns what the ledger must be then.
func (d *desk) answersFrom(before world, step ledger.Step) (after world, legal bool) {
	d.Helper()
	after, refused := before.after(step)
	if refused != nil {
		after = before
	}
	if why := disagree(refused, d.Apply(d.ctx, step)); why != "" {
		d.Errorf("%s of a batch in %s: %s", nameOf(step), step.From, why)
	}
	return after, refused == nil
}

// refusals are the errors that a step may be refused with.
var refusals = []error{ledger.ErrConflict, ledger.ErrTransition, ledger.ErrNotFound, ledger.ErrBusy, ledger.ErrUnconfirmed, ledger.ErrLook, ledger.ErrRule, ledger.ErrPayoutLocked, ledger.ErrReleaseRefused}

// disagree says how an error differs from that of the domain; "" if it does not.
func disagree(want, got error) string {
	if (want == nil) != (got == nil) {
		return fmt.Sprintf("the store says %v, the domain %v", got, want)
	}
	for _, sentinel := range refusals {
		if errors.Is(want, sentinel) != errors.Is(got, sentinel) {
			return fmt.Sprintf("the store says %v, the domain %v", got, want)
		}
	}
	return ""
}

func nameOf(step ledger.Step) string {
	if step.Event == "" {
		return "what was observed"
	}
	return string(step.Event)
}

// apply applies a step that a story needs.
func (d *desk) apply(step ledger.Step) {
	d.Helper()
	if step.Actor == "" {
		step.Actor = asha
	}
	if err := d.Apply(d.ctx, step); err != nil {
		d.Fatalf("%s: %v", nameOf(step), err)
	}
}

// intend records the intent of a call.
func (d *desk) intend(id string, event ledger.BatchEvent, at time.Time) {
	d.Helper()
	from := ledger.BatchPlanned
	if event == ledger.SubmitIntended {
		from = ledger.BatchHeld
	}
	looks := looked(id)
	if event == ledger.SubmitIntended && d.attempts(id)[0].Number > 1 {
		w := d.world()
		k, _ := w.known(id)
		looks = w.looks(k)
	}
	d.apply(ledger.Step{BatchID: id, From: from, Event: event, At: at, PayloadSHA256: hash(string(event) + id), Looks: looks, Statements: fetched})
}

// fetched says that the bank's own statements were read before a submit.
var fetched = map[string]ledger.StatementFetch{accountCIB: ledger.StatementFromBank, accountOne: ledger.StatementFromBank}

// looksFor returns looked for a step that makes a call.
func looksFor(step ledger.Step) []ledger.StatusCheck {
	if step.Event.Call() == "" {
		return nil
	}
	return looked(step.BatchID)
}

// word is how the bank of the stories says that it does not know a batch.
var word = ledger.NotFoundReply{HTTPStatus: 404, Code: "SVC_CB_FT_014"}

// looked returns status checks that found the batches unknown to the bank.
func looked(ids ...string) []ledger.StatusCheck {
	return ledger.ListOf(ids, func(id string) ledger.StatusCheck {
		return ledger.StatusCheck{BatchID: id, At: t0, Answer: ledger.LookNotKnown, NotFoundReply: word}
	})
}

// hold brings a planned batch to held, as the engine does.
func (d *desk) hold(id string) {
	d.Helper()
	d.intend(id, ledger.InitiateIntended, minute(1))
	d.apply(ledger.Step{BatchID: id, From: ledger.BatchInitiating, Event: ledger.InitiateAccepted, At: minute(2), Outcome: ledger.Accepted,
		HTTPStatus: 200, OpenBatchID: "ob-" + id, Observed: d.observe(id, ledger.StatusRequestInitiated, "")})
}

// submit brings a held batch to submitted.
func (d *desk) submit(id string) {
	d.Helper()
	d.intend(id, ledger.SubmitIntended, minute(3))
	d.apply(ledger.Step{BatchID: id, From: ledger.BatchSubmitting, Event: ledger.SubmitAccepted, At: minute(4), Outcome: ledger.Accepted,
		HTTPStatus: 200, Observed: d.observe(id, ledger.StatusPending, "INITIATED")})
}

// settle brings a planned batch to settled, every payout paid.
func (d *desk) settle(id string) {
	d.Helper()
	d.hold(id)
	d.submit(id)
	d.apply(ledger.Step{BatchID: id, From: ledger.BatchSubmitted, At: minute(5), Observed: d.observe(id, ledger.StatusSuccess, "COMPLETED")})
	d.apply(ledger.Step{BatchID: id, From: ledger.BatchSubmitted, Event: ledger.AllFinal, At: minute(6)})
}

// abandon abandons a planned batch.
func (d *desk) abandon(id string, at time.Time) {
	d.Helper()
	d.apply(ledger.Step{BatchID: id, From: ledger.BatchPlanned, Event: ledger.Abandoned, At: at, Person: "sent twice by mail"})
}

// giveUp abandons a batch after it was held, so that the bank has seen its references.
func (d *desk) giveUp(id string, at time.Time) {
	d.Helper()
	d.hold(id)
	d.apply(ledger.Step{BatchID: id, From: ledger.BatchHeld, Event: ledger.Abandoned, At: at, Person: "no OTP"})
}

// observe returns one answer with the same status for every payout of a batch.
func (d *desk) observe(id, status, code string) []ledger.Observed {
	d.Helper()
	return ledger.ListOf(d.attempts(id), func(a ledger.Attempt) ledger.Observed { return see(a, status, code) })
}

// see judges one answer about one attempt.
func see(a ledger.Attempt, status, code string) ledger.Observed {
	o := ledger.Observation{WireRef: a.WireRef, Status: status, BankStatusCode: code, Amount: a.Amount, HasAmount: true,
		OpenTxnID: "tx-" + a.WireRef, BankAccountNumber: a.BankAccountNumber, VendorName: a.VendorName}
	if status == ledger.StatusSuccess {
		o.BankTxnRefID = "UTR-" + a.WireRef
	}
	return ledger.Observed{PayoutID: a.ID, Number: a.Number, Observation: o, Verdict: ledger.Judge(a, o)}
}

func (d *desk) attempts(id string) []ledger.Attempt {
	d.Helper()
	list, err := d.Attempts(d.ctx, id)
	d.must(err)
	return list
}

// listed returns the payouts or attempts that a filter selects.
func (d *desk) listed(f ledger.Filter) (list []ledger.Attempt) {
	d.Helper()
	d.must(d.EachPayout(d.ctx, f, func(a ledger.Attempt) error { list = append(list, a); return nil }))
	return list
}

func (d *desk) batch(id string) ledger.Batch {
	d.Helper()
	b, err := d.Batch(d.ctx, id)
	d.must(err)
	return b
}

func hash(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// payouts makes n payouts with references <prefix>-1, <prefix>-2, …
func payouts(prefix string, n int) []ledger.Payout {
	list := make([]ledger.Payout, n)
	for i := range list {
		list[i] = ledger.Payout{
			Row: i + 2, Ref: fmt.Sprintf("%s-%d", prefix, i+1), Amount: ledger.Paise(100_00 + i), VendorName: fmt.Sprintf("Vendor %d", i+1),
			BankAccountNumber: fmt.Sprintf("00112233%04d", i), IFSC: "HDFC0001234", Remarks: "November",
			SubMerchantID: "sm_0001", TransactionTypeID: "NEFT", BankAccountID: accountCIB,
		}
	}
	return list
}

func keyed(list []ledger.Payout) []ledger.KeyedPayout {
	return ledger.ListOf(list, func(p ledger.Payout) ledger.KeyedPayout { return ledger.KeyedPayout{Payout: p, Key: keyOf(p.Ref)} })
}

// sheetOf describes a sheet with exactly these payouts.
func sheetOf(name string, list []ledger.Payout) ledger.Sheet {
	s := ledger.Sheet{Name: name + ".csv", SHA256: hash(name), RowsHash: hash("rows " + name), Format: "csv", Header: 1, Rows: len(list), LoadedAt: t0, LoadedBy: asha}
	for _, p := range list {
		s.Accepted.Add(p.Amount)
	}
	s.Total = s.Accepted.Total
	return s.Identified()
}

// plan puts payouts into batches of at most size, all of partner bank 12 CIB.
func plan(list []ledger.Payout, size int) []ledger.PlannedBatch {
	var batches []ledger.PlannedBatch
	for i, p := range list {
		if i%size == 0 {
			batches = append(batches, ledger.PlannedBatch{BankAccountID: p.BankAccountID, PartnerBankID: 12, Kind: ledger.KindCIB,
				SubMerchantID: p.SubMerchantID, TransactionTypeID: p.TransactionTypeID, Reason: "full"})
		}
		b := &batches[len(batches)-1]
		b.Members = append(b.Members, int32(i))
		b.Total += p.Amount
	}
	return batches
}

func payoutsOf(attempts []ledger.Attempt) []ledger.Payout {
	return ledger.ListOf(attempts, func(a ledger.Attempt) ledger.Payout { return a.Payout })
}

// tryLoad loads a sheet with exactly these payouts.
func (d *desk) tryLoad(name string, list []ledger.Payout, batches []ledger.PlannedBatch) ([]ledger.Batch, error) {
	l, err := d.BeginLoad(d.ctx)
	if err != nil {
		return nil, err
	}
	if err := l.Add(keyed(list)); err != nil {
		return nil, errors.Join(err, l.Rollback())
	}
	return l.Commit(sheetOf(name, list), batches)
}

// load records a sheet of n payouts in batches of size.
func (d *desk) load(name string, n, size int) []ledger.Batch {
	d.Helper()
	return d.loadList(name, payouts(name, n), size)
}

func (d *desk) loadList(name string, list []ledger.Payout, size int) []ledger.Batch {
	d.Helper()
	batches, err := d.tryLoad(name, list, plan(list, size))
	d.must(err)
	return batches
}

// loading begins a load with these payouts and leaves it open.
func (d *desk) loading(list []ledger.KeyedPayout) ledger.Load {
	d.Helper()
	l, err := d.BeginLoad(d.ctx)
	d.must(err)
	d.must(l.Add(list))
	return l
}

// again plans a retry and compares it with the model.
func (d *desk) again(at time.Time, attempts []ledger.Attempt, size int) []ledger.Batch {
	d.Helper()
	batches := plan(payoutsOf(attempts), size)
	want, err := d.world().again(asha, at, attempts, batches)
	d.must(err)
	planned, err := d.PlanRetry(d.ctx, asha, at, attempts, batches)
	d.must(err)
	d.is(want, "planning a retry")
	if diff := cmp.Diff(want.Batches[len(want.Batches)-len(planned):], planned); diff != "" {
		d.Errorf("the planned batches (-want +got):\n%s", diff)
	}
	return planned
}

// story is a ledger with one batch of two payouts in each important state. The payouts of the refused batch
// are planned again.
type story struct {
	*desk
	planned, held, submitted, settled, abandoned, quarantined, refused, unknown, replanned string
}

func tell(t testing.TB, o Opener) story {
	t.Helper()
	return begin(t, o).tell()
}

func (d *desk) tell() story {
	d.Helper()
	b := d.load("nov", 16, 2)
	st := story{
		desk: d, planned: b[0].ID, held: b[1].ID, submitted: b[2].ID, settled: b[3].ID,
		abandoned: b[4].ID, quarantined: b[5].ID, refused: b[6].ID, unknown: b[7].ID,
	}
	d.hold(st.held)
	d.hold(st.submitted)
	d.submit(st.submitted)
	d.settle(st.settled)
	d.abandon(st.abandoned, minute(1))
	d.intend(st.quarantined, ledger.InitiateIntended, minute(1))
	d.apply(ledger.Step{BatchID: st.quarantined, From: ledger.BatchInitiating, Event: ledger.EchoDiffers, At: minute(2), Outcome: ledger.Accepted})
	d.intend(st.refused, ledger.InitiateIntended, minute(1))
	d.apply(ledger.Step{BatchID: st.refused, From: ledger.BatchInitiating, Event: ledger.InitiateRefused, At: minute(2), Outcome: ledger.Rejected,
		HTTPStatus: 400, Code: "SVC_CB_FT_002"})
	d.hold(st.unknown)
	d.intend(st.unknown, ledger.SubmitIntended, minute(3))
	d.apply(ledger.Step{BatchID: st.unknown, From: ledger.BatchSubmitting, Event: ledger.SubmitLost, At: minute(4)})
	cancelled := d.attempts(st.refused)
	planned, err := d.PlanRetry(d.ctx, asha, minute(7), cancelled, plan(payoutsOf(cancelled), 2))
	d.must(err)
	st.replanned = planned[0].ID
	return st
}
