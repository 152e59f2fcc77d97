package app

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"payrun/ledger"
)

var stories = flag.Int("stories", 20_000, "payouts of the ledger in which BenchmarkStory asks for one, and half as many entries")

// BenchmarkStory asks what the statements show of one payout, and takes the entries in
// first: go test ./cmd/payrun/app -run '^$' -bench Story -stories 2000000 -benchtime 10x
func BenchmarkStory(b *testing.B) {
	d := newDesk(b)
	err := d.write(b.Context(), Call{Actor: "asha"}, func(o *operation) error {
		m := &month{operation: o, t: b, planned: map[string]ledger.PayoutState{}}
		for i := range 4 {
			m.load(fmt.Sprint("sheet", i), *stories/4)
		}
		sent := m.batches[len(m.batches)-4]
		m.send(sent, now.AddDate(0, 0, 2), now.AddDate(0, 0, 2).Add(time.Hour))
		attempts, err := m.store.Attempts(b.Context(), sent.ID)
		if err != nil {
			return err
		}
		if err := m.bookMany(*stories/2, sent.BankAccountID, attempts); err != nil {
			return err
		}
		for name, a := range map[string]ledger.Attempt{"by_UTR": attempts[0], "by_amount": attempts[1], "missing": attempts[2]} {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					story, err := m.payoutStory(b.Context(), a.Ref)
					if err != nil || (len(story.Attempts[0].Booked.Lines) == 0) != (name == "missing") {
						b.Fatal(story, err)
					}
				}
			})
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// bookMany records entries of an account, ten thousand a reading: some of attempts, and
// the rest of nobody.
func (m *month) bookMany(n int, account string, attempts []ledger.Attempt) error {
	const atOnce = 10_000
	took := time.Duration(0)
	day := now.AddDate(0, 0, 2).Format(time.DateOnly)
	for first := 0; first < n; first += atOnce {
		r := ledger.StatementRead{BankAccountID: account, Source: ledger.FromInterface, Shape: ledger.ShapeEntries, From: day, To: day, At: now.AddDate(0, 0, 5), Actor: "asha"}
		for i := first; i < first+atOnce; i++ {
			e := ledger.StatementEntry{TransactionID: fmt.Sprint("T", i), Debit: true, Amount: ledger.Paise(5_000_000_00 + i), Closing: ledger.Paise(-i), Transacted: day + " 12:00:00",
				Reference: fmt.Sprintf("UTIBN%012d", i), Remarks: fmt.Sprintf("NEFT/HDFC/ORDER-%d/ASHA TRADERS", i)}
			switch i {
			case n / 2:
				e.Amount, e.Reference = attempts[0].Amount, utrOf(attempts[0].WireRef)
			case n / 3:
				e.Amount = attempts[1].Amount
			}
			r.Entries = append(r.Entries, e)
		}
		began := time.Now()
		if _, err := m.store.RecordStatement(m.t.Context(), r); err != nil {
			return err
		}
		took += time.Since(began)
	}
	m.t.Logf("%d entries were recorded in %v, %v each", n, took.Round(time.Millisecond), took/time.Duration(n))
	return nil
}
