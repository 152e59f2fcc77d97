package app

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
)

// sent is when its batch is submitted, at noon of a day in the zone of the test.
var sent = time.Date(2025, 11, 5, 6, 30, 0, 0, time.UTC)

// dayOfSent is so many days after that.
func dayOfSent(days int) string { return sent.AddDate(0, 0, days).Format(time.DateOnly) }

// aBatch calls fn with a ledger of ten payouts in one batch, which was paid.
func aBatch(t *testing.T, fn func(m *month, of []ledger.Attempt)) {
	t.Helper()
	err := newDesk(t).write(t.Context(), Call{Actor: "asha"}, func(o *operation) error {
		m := &month{operation: o, t: t, planned: map[string]ledger.PayoutState{}}
		m.load("nov", 10)
		of, err := m.store.Attempts(t.Context(), m.batches[0].ID)
		if err == nil {
			m.planned[of[9].WireRef] = ledger.PayoutFailed
			m.send(m.batches[0], sent, sent.Add(time.Hour))
			fn(m, of)
		}
		return err
	})
	must(t, err)
}

// debit is an entry so many days after the submit, which leaves so much.
func debit(days int, amount, left ledger.Paise, reference, remarks string) ledger.StatementEntry {
	return ledger.StatementEntry{TransactionID: fmt.Sprint(days, amount, left), Debit: true, Amount: amount, Closing: left, Transacted: dayOfSent(days) + " 12:00:00", Reference: reference, Remarks: remarks}
}

// A story reads the rows that reports and locks read, and says what they say.
func TestAStoryTellsTheStatement(t *testing.T) {
	for name, c := range map[string]struct {
		read    func(of []ledger.Attempt) ledger.StatementRead
		of      int
		words   string
		covered bool
		lines   string
		unclear string
	}{
		"nothing is on record": {of: 0, words: "no statement of 2025-11-05 is on record yet"},
		"the bank only promises it": {func([]ledger.Attempt) ledger.StatementRead {
			return ledger.StatementRead{Shape: ledger.ShapePending, RequestIDs: []string{"REQ-2"}}
		}, 0, "no statement of 2025-11-05 is on record yet: the bank only promises it (HTTP 202), request REQ-2", false, "", ""},
		"its debit is there": {func(of []ledger.Attempt) ledger.StatementRead {
			return ledger.StatementRead{Entries: []ledger.StatementEntry{debit(0, of[0].Amount, 900_00, of[0].WireRef+"/50100012345678", "NEFT")}}
		}, 0, "its debit is there, found by its reference", true, "R1.1 by its reference nov-1/XXXXXXXXXX5678", ""},
		"its debit is missing": {func([]ledger.Attempt) ledger.StatementRead {
			return ledger.StatementRead{Entries: []ledger.StatementEntry{debit(3, 1, 900_00, "A", "CHARGES")}}
		}, 0, "not on the statement: its debit is not on the statement of 2025-11-05", true, "", ""},
		"nothing is of one that failed": {func([]ledger.Attempt) ledger.StatementRead {
			return ledger.StatementRead{Entries: []ledger.StatementEntry{debit(3, 1, 900_00, "A", "CHARGES")}}
		}, 9, "no recorded line matches it by name or amount; that alone does not prove that it was not paid", true, "", ""},
		"a debit could be of one that failed": {func(of []ledger.Attempt) ledger.StatementRead {
			return ledger.StatementRead{Entries: []ledger.StatementEntry{debit(0, of[9].Amount, 900_00, "A", "CASH")}}
		}, 9, "possibly debited: the statement has R1.1 of ₹100.09 on 2025-11-05 with exactly its amount; that could be its debit", true, "", "R1.1 with exactly its amount A"},
	} {
		t.Run(name, func(t *testing.T) {
			aBatch(t, func(m *month, of []ledger.Attempt) {
				if c.read != nil {
					r := c.read(of)
					if r.Shape == "" {
						r.Shape = ledger.ShapeEntries
					}
					r.BankAccountID, r.Source, r.From, r.To, r.At, r.Actor = of[0].BankAccountID, ledger.FromInterface, dayOfSent(-1), dayOfSent(4), sent.AddDate(0, 0, 6), "asha"
					_, err := m.store.RecordStatement(t.Context(), r)
					must(t, err)
				}
				s, err := m.payoutStory(t.Context(), of[c.of].Ref)
				if err != nil || s.Attempts[0].OnStatement == nil {
					t.Fatal(err, "or nothing is said of the statement")
				}
				b := s.Attempts[0].OnStatement
				if !strings.HasPrefix(b.Words, c.words) || b.Covered != c.covered {
					t.Errorf("says %q (%v)", b.Words, b.Covered)
				}
				if got := lineOf(b.Lines); got != c.lines {
					t.Errorf("its own: %s", got)
				}
				if got := lineOf(s.Unclear); got != c.unclear {
					t.Errorf("perhaps its own: %s", got)
				}
				status, err := m.status(t.Context())
				must(t, err)
				said := b.Kind.NeedsPerson() && b.Kind != ledger.MissingInStatement
				if asks := status.Asks(m.batches[0]); (asks == b.Kind) != said || said && strings.Contains(fmt.Sprint(status.Next), "retry") {
					t.Errorf("status says %q, %v", asks, status.Next)
				}
			})
		})
	}
}

// A payout of which a charge was kept is not locked, so it is still proposed for retry; the charge is named too.
func TestAPayoutWithAChargeIsStillToRetry(t *testing.T) {
	aBatch(t, func(m *month, of []ledger.Attempt) {
		failed := of[9]
		_, err := m.store.RecordStatement(t.Context(), ledger.StatementRead{
			BankAccountID: failed.BankAccountID, Source: ledger.FromInterface, Shape: ledger.ShapeEntries, From: dayOfSent(-1), To: dayOfSent(4), At: sent.AddDate(0, 0, 6), Actor: "asha",
			Entries: []ledger.StatementEntry{debit(0, 5_00, 900_00, failed.WireRef, "CHARGES")},
		})
		must(t, err)
		s, err := m.status(t.Context())
		must(t, err)
		if s.Asks(m.batches[0]) != ledger.AmountDiffers || s.Unpaid("").Count != 1 {
			t.Errorf("%s, %d to retry", s.Asks(m.batches[0]), s.Unpaid("").Count)
		}
	})
}

func lineOf(list []BookedLine) string {
	var words []string
	for _, l := range list {
		words = append(words, l.Ref.String()+" "+LineWords(l)+" "+l.Reference)
	}
	return strings.Join(words, "; ")
}
