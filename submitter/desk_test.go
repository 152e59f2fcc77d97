package submitter_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/ledger/sqlite"
	"payrun/ledger/sqlite/sqlitetest"
	"payrun/submitter"
	"payrun/submitter/bankapi"
	"payrun/submitter/sandbox"
)

// must ends a test at an error that it is not about.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// desk is the real engine over a real ledger and a real sandbox on loopback.
type desk struct {
	t      *testing.T
	path   string
	store  *sqlite.Store
	bank   *sandbox.Server
	client *bankapi.Client
	set    submitter.Settings

	mu    sync.Mutex
	ahead time.Duration // how far the desk's clock is ahead
	sheet int
}

const (
	pb3 = "a0000000-0000-4000-8000-000000000003"
	pb1 = "a0000000-0000-4000-8000-000000000001"
	pb4 = "a0000000-0000-4000-8000-000000000004"
)

func newDesk(t *testing.T, change ...func(*submitter.Settings)) *desk {
	t.Helper()
	reading := sandbox.ReadingFor(7, false)
	if reading.HidesUnsubmitted {
		t.Fatal("the seed of these tests is to be one of a bank that lists held batches")
	}
	reading.UsedStatus, reading.EchoesRepeats = http.StatusBadRequest, false // other banks: look_again_test.go
	return newDeskAt(t, reading, change...)
}

// newDeskAt is one at a bank that reads the interface so. It says 404 of what it does not know.
func newDeskAt(t *testing.T, reading sandbox.Reading, change ...func(*submitter.Settings)) *desk {
	t.Helper()
	reading.UnknownStatus = http.StatusNotFound
	d := &desk{t: t, path: filepath.Join(sqlitetest.Folder(t), "payrun.db")}
	var err error
	d.bank, err = sandbox.Start(t.Context(), sandbox.Options{Now: d.now, Seed: 7, Reading: &reading})
	must(t, err)
	t.Cleanup(func() { d.bank.Close() })
	d.client = d.clientWith(func(*bankapi.Config) {})
	empty, err := emptyLedger()
	must(t, err)
	must(t, os.WriteFile(d.path, empty, 0o600))
	d.open()
	d.set = submitter.Settings{
		Actor:       "tester",
		Environment: "sandbox", PollFirst: time.Millisecond, PollMost: 10 * time.Millisecond, OverdueAfter: 24 * time.Hour,
		ResolveWait: ledger.LeastWait, ResolveBetween: ledger.LeastBetween,
		SuccessWatch: 168 * time.Hour, DoubtQuiet: 10 * time.Minute, OTPWindow: 10 * time.Minute, OTPTries: 3, HeldAtOnce: 1, InFlight: 4, Now: d.now,
	}
	for _, c := range change {
		c(&d.set)
	}
	return d
}

// clientWith is a client of the desk's bank, changed by the test.
func (d *desk) clientWith(change func(*bankapi.Config)) *bankapi.Client {
	d.t.Helper()
	ready := d.bank.Ready()
	c := bankapi.Config{
		BaseURL: "http://" + ready.Addr, AccessKey: ledger.NewSecret(ready.AccessKey), SecretKey: ledger.NewSecret(ready.SecretKey),
		TimeoutRead: 5 * time.Second, TimeoutSend: 5 * time.Second,
	}
	change(&c)
	client, err := bankapi.New(c)
	must(d.t, err)
	return client
}

// open opens the ledger, which is closed with the test.
func (d *desk) open() {
	d.t.Helper()
	store, err := sqlite.OpenExclusive(d.t.Context(), d.path, ledger.Claim{})
	must(d.t, err)
	d.store = store
	d.t.Cleanup(func() { _ = store.Close() })
}

// withPlanned is a desk with one batch of n payouts.
func withPlanned(t *testing.T, n int, change ...func(*submitter.Settings)) (*desk, ledger.Batch) {
	t.Helper()
	d := newDesk(t, change...)
	return d, d.load(payouts{account: pb3, bank: 3, n: n})[0]
}

// withHeld is one whose batch waits for its OTP.
func withHeld(t *testing.T, n int, change ...func(*submitter.Settings)) (*desk, ledger.Batch) {
	t.Helper()
	d, b := withPlanned(t, n, change...)
	d.initiate()
	return d, b
}

// withSent is one whose batch was submitted.
func withSent(t *testing.T, n int, change ...func(*submitter.Settings)) (*desk, ledger.Batch) {
	t.Helper()
	d, b := withHeld(t, n, change...)
	d.submit(d.otp(b.ID))
	return d, b
}

// withPaid is one whose payouts are all paid.
func withPaid(t *testing.T, n int, change ...func(*submitter.Settings)) (*desk, ledger.Batch) {
	t.Helper()
	d, b := withSent(t, n, change...)
	d.settle()
	d.want(b.ID, ledger.BatchSettled, states{ledger.PayoutSuccess: n})
	return d, b
}

// emptyLedger is the file of a new ledger, which a test copies: creating one takes as long as a short test.
var emptyLedger = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "payrun-empty-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "payrun.db")
	s, err := sqlite.Create(context.Background(), path, "tester", time.Now())
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func (d *desk) now() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return time.Now().Add(d.ahead)
}

func (d *desk) later(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ahead += by
}

func (d *desk) engine() *submitter.Engine { return submitter.New(d.store, d.client, d.set) }

// payouts makes n payouts of a debit account, one batch of them.
type payouts struct {
	account string
	bank    int
	n       int
	lei     string
	amount  ledger.Paise
}

// load records a sheet with one batch for each of the groups.
func (d *desk) load(groups ...payouts) []ledger.Batch {
	d.t.Helper()
	d.sheet++
	name := fmt.Sprintf("sheet-%d.csv", d.sheet)
	sheet := ledger.Sheet{ID: ledger.SheetID(name), Name: name, SHA256: fmt.Sprintf("%064d", d.sheet), RowsHash: fmt.Sprintf("%064d", 1000+d.sheet), Format: "csv", Header: 1, LoadedAt: d.now(), LoadedBy: d.set.Actor}
	var rows []ledger.KeyedPayout
	var plan []ledger.PlannedBatch
	for g, p := range groups {
		b := ledger.PlannedBatch{BankAccountID: p.account, PartnerBankID: p.bank, TransactionTypeID: "NEFT", Reason: "last of its account"}
		for i := range p.n {
			amount := p.amount
			if amount == 0 {
				amount = ledger.Paise(100_00 + i)
			}
			ref := fmt.Sprintf("S%d-G%d-%03d", d.sheet, g, i)
			b.Members = append(b.Members, int32(len(rows)))
			b.Total += amount
			rows = append(rows, ledger.KeyedPayout{Key: strings.ToLower(ref), Payout: ledger.Payout{
				SheetID: sheet.ID, Row: len(rows) + 2, Ref: ref, Amount: amount, VendorName: "Vendor " + ref, BankAccountNumber: fmt.Sprintf("9%011d", i),
				IFSC: "TEST0000001", BeneLEI: p.lei, TransactionTypeID: "NEFT", BankAccountID: p.account,
			}})
			sheet.Accepted.Add(amount)
		}
		if ledger.RulesFor(p.bank, "").NeedsLEI(b.Total) {
			b.BeneLEI = p.lei
		}
		plan = append(plan, b)
	}
	sheet.Rows, sheet.Total = len(rows), sheet.Accepted.Total
	load, err := d.store.BeginLoad(d.t.Context())
	must(d.t, err)
	defer load.Rollback()
	must(d.t, load.Add(rows))
	batches, err := load.Commit(sheet, plan)
	must(d.t, err)
	return batches
}

type fault = sandbox.Fault

func (d *desk) faults(list ...fault) {
	d.t.Helper()
	must(d.t, d.bank.SetFaults(list))
}

// outcomes says how payouts end at the bank, by reference.
func (d *desk) outcomes(of map[string]string) {
	d.t.Helper()
	must(d.t, d.bank.SetOutcomes(of))
}

func (d *desk) otp(batchID string) submitter.OTP {
	d.t.Helper()
	otp, token, ok := d.bank.OTP(batchID)
	if !ok {
		d.t.Fatalf("no OTP for %s on the sandbox's phone", batchID)
	}
	return submitter.OTP{BatchID: batchID, OTP: ledger.NewSecret(otp), Token: ledger.NewSecret(token)}
}

func (d *desk) batch(id string) ledger.Batch {
	d.t.Helper()
	b, err := d.store.Batch(d.t.Context(), id)
	must(d.t, err)
	return b
}

func (d *desk) states(batchID string) map[ledger.PayoutState]int {
	d.t.Helper()
	attempts, err := d.store.Attempts(d.t.Context(), batchID)
	must(d.t, err)
	count := make(map[ledger.PayoutState]int)
	for _, a := range attempts {
		count[a.State]++
	}
	return count
}

// initiate, submit and poll are the verbs, failing the test on an error.
func (d *desk) initiate(ids ...string) []submitter.Result {
	d.t.Helper()
	return d.verb(d.engine().Initiate(d.t.Context(), ids, 0))
}

func (d *desk) submit(entries ...submitter.OTP) []submitter.Result {
	d.t.Helper()
	return d.verb(d.engine().Submit(d.t.Context(), entries))
}

func (d *desk) poll(ids ...string) []submitter.Result {
	d.t.Helper()
	return d.verb(d.engine().Poll(d.t.Context(), ids, 0))
}

// abandon abandons a batch at such a bank.
func (d *desk) abandon(bank submitter.Bank, id, why string) {
	d.t.Helper()
	_, err := d.with(bank).Abandon(d.t.Context(), id, why)
	must(d.t, err)
}

func (d *desk) verb(results []submitter.Result, err error) []submitter.Result {
	d.t.Helper()
	must(d.t, err)
	return results
}

// became wants these outcomes of an operation, one for each batch.
func (d *desk) became(results []submitter.Result, outcomes ...string) {
	d.t.Helper()
	var got []string
	for _, r := range results {
		got = append(got, r.Outcome)
	}
	if !slices.Equal(got, outcomes) {
		d.t.Fatalf("outcomes %v, want %v: %+v", got, outcomes, results)
	}
}

// settle lets the bank work to the end and polls after each step.
func (d *desk) settle() { d.settleAt(d.client) }

// settleAt is settle where the polls are answered so.
func (d *desk) settleAt(bank submitter.Bank) {
	d.t.Helper()
	for range 7 {
		d.bank.Settle()
		d.verb(d.with(bank).Poll(d.t.Context(), nil, 0))
	}
}

// asks wants a batch to ask for this, and its note to have these words.
func (d *desk) asks(id string, want ledger.Attention, words ...string) {
	d.t.Helper()
	got := d.batch(id)
	without := slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(got.Note, w) })
	if got.Asks() != want || without {
		d.t.Errorf("%s asks for %s (%q), want %s with %q", got.State, got.Asks(), got.Note, want, words)
	}
}

// in are the n batches in a state.
func (d *desk) in(state ledger.BatchState, n int) []ledger.Batch {
	d.t.Helper()
	list, err := d.store.BatchesIn(d.t.Context(), state)
	if err != nil || len(list) != n {
		d.t.Fatalf("%d batches are %s, want %d: %v", len(list), state, n, err)
	}
	return list
}

// paidTimes wants the bank to have paid the first payout so often.
func (d *desk) paidTimes(n int) {
	d.t.Helper()
	if got := d.executed("S1-G0-000"); got != n {
		d.t.Errorf("paid %d times, want %d", got, n)
	}
}

// nothingToRetry wants that no payout of a batch may be tried again.
func (d *desk) nothingToRetry(id string) {
	d.t.Helper()
	if again, _, err := d.store.Retryable(d.t.Context(), id); err != nil || len(again) != 0 {
		d.t.Errorf("%d payouts may be tried again (%v)", len(again), err)
	}
}

// want checks a batch's state and the states of its payouts.
func (d *desk) want(id string, state ledger.BatchState, payouts map[ledger.PayoutState]int) {
	d.t.Helper()
	if got := d.batch(id); got.State != state {
		d.t.Errorf("batch is %s (%s), want %s", got.State, got.Note, state)
	}
	if got := d.states(id); fmt.Sprint(got) != fmt.Sprint(payouts) {
		d.t.Errorf("payouts are %v, want %v", got, payouts)
	}
}

// sound runs every invariant of the ledger.
func (d *desk) sound() {
	d.t.Helper()
	problems, err := d.store.Verify(context.WithoutCancel(d.t.Context()))
	must(d.t, err)
	for _, p := range problems {
		d.t.Errorf("invariant broken: %+v", p)
	}
}
