package ledger_test

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"testing"

	"payrun/ledger"
)

// BenchmarkAudit holds n payouts, one a batch, against the invariants. No store
// is in it: its facts are made while they are read.
func BenchmarkAudit(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			var before, after runtime.MemStats
			for b.Loop() {
				runtime.GC()
				runtime.ReadMemStats(&before)
				a, f := ledger.NewAudit(), manyFacts{int64(n)}
				for _, part := range []func(context.Context, ledger.LedgerReader) error{a.Batches, a.Payouts, a.References, a.Events} {
					if err := part(b.Context(), f); err != nil {
						b.Fatal(err)
					}
				}
				if problems, err := a.Problems(b.Context(), f); err != nil || len(problems) > 0 {
					b.Fatalf("%d problems, the first %+v, %v", len(problems), problems[0], err)
				}
				runtime.GC()
				runtime.ReadMemStats(&after)
				runtime.KeepAlive(a)
			}
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(n), "kept-B/batch")
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/float64(n)*1e9, "ns/batch")
		})
	}
}

// manyFacts are those of one sheet of n payouts, each in a batch of its own.
type manyFacts struct{ n int64 }

var manySHA = shaOf("many")

func (m manyFacts) batchID(no int64) string {
	return ledger.BatchID(deskID, manySHA, "acct", int(no), 1, nil)
}

func (m manyFacts) batch(no int64) ledger.Batch {
	return ledger.Batch{ID: m.batchID(no), Sequence: int(no), Attempt: 1, State: ledger.BatchPlanned, BankAccountID: "acct", Count: 1, Total: 100,
		CreatedAt: t0, UpdatedAt: t0, StateSince: t0}
}

var manyPayout = ledger.Payout{Amount: 100, VendorName: "v", BankAccountNumber: "1", IFSC: "i", BankAccountID: "acct"}

func (m manyFacts) digest(no int64) string {
	b, p := m.batch(no), manyPayout
	b.SheetID, p.ID = ledger.SheetID(manySHA), no
	return ledger.MembersDigest(&b, []ledger.Digest{ledger.MemberDigest(&p, 1, "")}).String()
}

func (m manyFacts) LedgerID() string { return deskID }

func (m manyFacts) Sheets(context.Context) iter.Seq2[*ledger.SheetFacts, error] {
	return one(&ledger.SheetFacts{No: 1, Sealed: true, First: 1, Last: m.n, Sheet: m.sheet()})
}

func (m manyFacts) sheet() ledger.Sheet {
	all := ledger.Tally{Count: int(m.n), Total: ledger.Paise(m.n * 100)}
	return ledger.Sheet{ID: ledger.SheetID(manySHA), SHA256: manySHA, Content: manySHA, Rows: int(m.n), Accepted: all, LoadedAt: t0, LoadedBy: "asha"}
}

func one[T any](v *T) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) { yield(v, nil) }
}

// each counts the payouts and their batches.
func (m manyFacts) each(yield func(no int64) bool) {
	for no := int64(1); no <= m.n && yield(no); no++ {
	}
}

func (m manyFacts) Batches(context.Context) iter.Seq2[*ledger.BatchFacts, error] {
	return func(yield func(*ledger.BatchFacts, error) bool) {
		b := ledger.BatchFacts{SheetNo: 1, Rules: &ledger.Rules{}}
		for no := range m.each {
			b.No, b.Batch = no, m.batch(no)
			if !yield(&b, nil) {
				return
			}
		}
	}
}

func (m manyFacts) Payouts(context.Context) iter.Seq2[*ledger.PayoutFacts, error] {
	return func(yield func(*ledger.PayoutFacts, error) bool) {
		p := ledger.PayoutFacts{Payout: manyPayout, SheetNo: 1, Key: "ref", Attempts: make([]ledger.AttemptFacts, 1)}
		for no := range m.each {
			p.ID, p.Attempts[0] = no, ledger.AttemptFacts{BatchNo: no, Attempt: ledger.Attempt{Number: 1, State: ledger.PayoutPlanned}}
			if !yield(&p, nil) {
				return
			}
		}
	}
}

func (m manyFacts) References(context.Context) iter.Seq2[*ledger.ReferenceFacts, error] {
	return func(yield func(*ledger.ReferenceFacts, error) bool) {
		for no := range m.each {
			if !yield(&ledger.ReferenceFacts{Key: "ref", AttemptKey: ledger.AttemptKey{PayoutID: no, Number: 1}}, nil) {
				return
			}
		}
	}
}

func (manyFacts) BankLists(context.Context) (ledger.BankLists, error) { return ledger.BankLists{}, nil }

func (manyFacts) StatementWords(context.Context) ([]ledger.StatementDecision, error) { return nil, nil }

func (manyFacts) Statements(context.Context) ([]ledger.Digest, error) { return nil, nil }

func (m manyFacts) Events(context.Context) iter.Seq2[*ledger.Event, error] {
	return func(yield func(*ledger.Event, error) bool) {
		chain := ledger.Chain{LedgerID: deskID}
		if e := chain.Append(m.sheet().LoadedEvent(nil)); !yield(&e, nil) {
			return
		}
		for no := range m.each {
			e := chain.Append(ledger.Event{At: t0, Actor: "asha", Kind: ledger.EventPlanned, BatchID: m.batchID(no), Detail: "1 payouts of 1.00; attempt 1", Digest: m.digest(no)})
			if !yield(&e, nil) {
				return
			}
		}
	}
}
