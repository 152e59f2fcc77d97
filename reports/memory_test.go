package reports

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
)

// memory is a Ledger over slices.
type memory struct {
	sheets   []ledger.Sheet
	batches  []*ledger.Batch
	attempts []ledger.Attempt // in the order of loading, those of a payout one after the other
	events   []ledger.Event

	onPayout func(i int) // called before payout i is given, when set
}

func (m *memory) Sheets(context.Context) ([]ledger.Sheet, error) {
	return append([]ledger.Sheet(nil), m.sheets...), nil
}

func (m *memory) Batches(_ context.Context, f ledger.Filter) ([]ledger.Batch, error) {
	var found []ledger.Batch
	for _, b := range m.batches {
		if f.SheetID == "" || b.SheetID == f.SheetID {
			found = append(found, *b)
		}
	}
	return found, nil
}

func (m *memory) EachPayout(ctx context.Context, f ledger.Filter, fn func(ledger.Attempt) error) error {
	for i, a := range m.attempts {
		if m.onPayout != nil {
			m.onPayout(i)
		}
		if err := ctx.Err(); err != nil { // as every store does
			return err
		}
		earlier := i+1 < len(m.attempts) && m.attempts[i+1].ID == a.ID
		if f.SheetID != "" && a.SheetID != f.SheetID || earlier && !f.Attempts {
			continue
		}
		if err := fn(a); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) Events(_ context.Context, fn func(ledger.Event) error) error {
	for _, e := range m.events {
		if err := fn(e); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) AuditHead(context.Context) (ledger.AuditHead, error) {
	if len(m.events) == 0 {
		return ledger.AuditHead{}, nil
	}
	last := m.events[len(m.events)-1]
	return ledger.AuditHead{Length: last.Seq, Hash: last.Hash, At: last.At}, nil
}

var day = time.Date(2026, 11, 20, 4, 30, 0, 0, time.UTC) // 10:00 IST

// event adds an event an hour after the last.
func (m *memory) event(kind, sheetID, batchID, detail string) {
	n := len(m.events) + 1
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %s", n, kind, batchID))
	m.events = append(m.events, ledger.Event{
		Seq: int64(n), At: day.Add(time.Duration(n) * time.Hour), Actor: "priya", Kind: kind,
		SheetID: sheetID, BatchID: batchID, Detail: detail, Hash: hex.EncodeToString(sum[:]),
	})
}

// sheet adds an empty sheet.
func (m *memory) sheet(name string) ledger.Sheet {
	sum := sha256.Sum256([]byte(name))
	sha := hex.EncodeToString(sum[:])
	s := ledger.Sheet{
		ID: ledger.SheetID(sha), Name: name, SHA256: sha, Format: "csv", Header: 1, Blank: 1,
		LoadedAt: day.Add(time.Duration(len(m.sheets)) * time.Hour), LoadedBy: "priya",
	}
	m.sheets = append(m.sheets, s)
	m.event("sheet_loaded", s.ID, "", "")
	return s
}

// batch adds an empty batch to a sheet.
func (m *memory) batch(s ledger.Sheet, bank int, state ledger.BatchState) *ledger.Batch {
	n := len(m.batches) + 1
	account := fmt.Sprintf("00000000-0000-0000-0000-%012d", bank)
	b := &ledger.Batch{
		ID: ledger.BatchID("ledger", s.SHA256, account, n, 1, nil), SheetID: s.ID, Sequence: n, Attempt: 1, State: state,
		BankAccountID: account, PartnerBankID: bank, TransactionTypeID: "NEFT", Reason: "the last of its group",
		CreatedAt: s.LoadedAt, UpdatedAt: day, StateSince: day,
	}
	m.batches = append(m.batches, b)
	m.event("batch_planned", s.ID, b.ID, "")
	return b
}

// payout adds a payout to a batch, in a state, and counts it in sheet and batch.
func (m *memory) payout(b *ledger.Batch, amount ledger.Paise, state ledger.PayoutState, change ...func(*ledger.Attempt)) {
	n := len(m.attempts) + 1
	a := ledger.Attempt{
		Payout: ledger.Payout{
			ID: int64(n), SheetID: b.SheetID, Row: n + 1, Ref: fmt.Sprintf("INV-%04d", n), Amount: amount,
			VendorName: "Asha Traders", BankAccountNumber: fmt.Sprintf("00110022%06d", n), IFSC: "HDFC0001234",
			Remarks: "November", BankAccountID: b.BankAccountID,
		},
		Number: 1, WireRef: fmt.Sprintf("INV-%04d", n), BatchID: b.ID, State: state, UpdatedAt: day.Add(time.Hour),
	}
	switch state {
	case ledger.PayoutSuccess:
		a.Status, a.BankStatusCode = ledger.StatusSuccess, "COMPLETED"
		a.OpenTxnID, a.BankTxnRefID = fmt.Sprintf("txn_%06d", n), fmt.Sprintf("%016d", 320000+n)
	case ledger.PayoutPending, ledger.PayoutInitiated, ledger.PayoutRequestInitiated, ledger.PayoutFailed:
		a.Status = string(state)
	}
	for _, c := range change {
		c(&a)
	}
	m.attempts = append(m.attempts, a)
	b.Count, b.Total = b.Count+1, b.Total+amount
	for i := range m.sheets {
		if s := &m.sheets[i]; s.ID == b.SheetID {
			s.Rows++
			s.Accepted.Add(amount)
			s.Total += amount
		}
	}
}

func because(reason string) func(*ledger.Attempt) {
	return func(a *ledger.Attempt) { a.Reason = reason }
}

// month is a ledger in which everything happens that can: each state of a
// payout, each kind of exception, three partner banks, two sheets.
func month() *memory {
	m := &memory{}
	vendors, salaries := m.sheet("november-vendors.csv"), m.sheet("वेतन नवंबर.xlsx")

	settled := m.batch(vendors, 1, ledger.BatchSettled)
	for i := range 40 {
		m.payout(settled, ledger.Paise(1_25_000_50+i*7_919_37), ledger.PayoutSuccess)
	}
	m.payout(settled, 48_500_00, ledger.PayoutFailed, because("the bank says failed: INVALID_BENEFICIARY"))
	m.payout(settled, 12_75_000_25, ledger.PayoutReturned, because("paid, then returned by the beneficiary's bank"))
	m.payout(settled, 9_999_99, ledger.PayoutDisputed, because(`was failed, now the bank says "success"`))

	submitted := m.batch(vendors, 3, ledger.BatchSubmitted)
	for range 6 {
		m.payout(submitted, 2_10_000_00, ledger.PayoutPending)
	}
	m.payout(submitted, 75_000_00, ledger.PayoutPending, func(a *ledger.Attempt) {
		a.Status, a.Reason = "ON_HOLD", `the bank says "ON_HOLD", which its interface does not list`
	})

	overdue := m.batch(vendors, 79, ledger.BatchSubmitted)
	overdue.Attention, overdue.Note = ledger.Overdue, "open longer than poll.overdue_after"
	m.payout(overdue, 3_30_000_00, ledger.PayoutInitiated)

	lost := m.batch(salaries, 12, ledger.BatchSubmitUnknown)
	lost.Attention, lost.Note = ledger.SubmitOverdue, "submitted, and no answer was read: run payrun poll, never send again"
	for range 4 {
		m.payout(lost, 61_250_75, ledger.PayoutRequestInitiated, func(a *ledger.Attempt) { a.VendorName = "सुनीता देवी" })
	}
	held := m.batch(salaries, 12, ledger.BatchHeld)
	for range 12 {
		m.payout(held, 58_000_00, ledger.PayoutRequestInitiated)
	}
	m.payout(m.batch(salaries, 12, ledger.BatchInitiateUnknown), 40_000_00, ledger.PayoutPlanned)
	m.payout(m.batch(salaries, 12, ledger.BatchPlanned), 40_000_00, ledger.PayoutPlanned)
	quarantined := m.batch(salaries, 12, ledger.BatchQuarantined)
	quarantined.Attention, quarantined.Note = ledger.EchoDiffered, "the bank holds something else than was sent: INV-0068 has another amount"
	m.payout(quarantined, 99_000_00, ledger.PayoutPlanned)
	m.payout(m.batch(salaries, 12, ledger.BatchRefused), 21_000_00, ledger.PayoutCancelled)

	odd := m.batch(salaries, 3, ledger.BatchSettled)
	odd.Attention, odd.Note = ledger.StatusDiffers, "the bank's status differs from the batch: an extra reference"
	m.payout(odd, 1_00_000_00, ledger.PayoutSuccess)
	for i := range m.sheets {
		m.sheets[i].Rejected = ledger.Tally{Count: 1, Total: 5_000_00}
		m.sheets[i].Rows++
		m.sheets[i].Total += 5_000_00
	}
	m.event("batch_settled", salaries.ID, odd.ID, `{"outcome":"accepted"}`)
	return m
}

// allPaid is a ledger of one sheet in which nothing is left to do.
func allPaid() *memory {
	m := &memory{}
	b := m.batch(m.sheet("nov.csv"), 12, ledger.BatchSettled)
	for range 3 {
		m.payout(b, 1_00_000_00, ledger.PayoutSuccess)
	}
	return m
}

// writeAll writes the reports of l into a fresh folder and returns it.
var indianStandardTime = time.FixedZone("IST", 5*3600+1800)

func writeAll(t *testing.T, l Ledger, o Options) string {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	o.Zone = indianStandardTime
	paths, err := Write(t.Context(), l, o)
	must(t, err)
	for i, want := range Files() {
		if !strings.HasSuffix(paths[i], "/"+want) {
			t.Errorf("path %d is %s, want %s", i, paths[i], want)
		}
	}
	return o.Dir
}

// crowd is more of everything than a page can hold.
func crowd() *memory {
	m := &memory{}
	long := strings.Repeat("a bank's very long explanation ", 20)
	for i := range 30 {
		s := m.sheet(fmt.Sprintf("%d-%s.csv", i, strings.Repeat("long", 40)))
		for bank := range 12 {
			b := m.batch(s, bank+1, ledger.BatchSettled)
			for _, state := range ledger.PayoutStates {
				m.payout(b, 99_99_99_99_999_99, state, because(fmt.Sprint(i, bank, state, long)))
			}
		}
	}
	return m
}

func (m *memory) Elsewhere(context.Context, string, func(int, ledger.Attempt) error) error {
	return nil
}
