package reports

import (
	"slices"
	"strings"
	"testing"

	"payrun/ledger"
)

// TestKinds tries every state of a payout in every state of a batch. The table
// is the reference: what is in it is what a report says.
func TestKinds(t *testing.T) {
	byPayout := map[ledger.PayoutState]ledger.Attention{
		ledger.PayoutSuccess: ledger.NeedsNothing, ledger.PayoutFailed: ledger.PayoutNotPaid, ledger.PayoutReturned: ledger.PayoutCameBack,
		ledger.PayoutDisputed: ledger.PayoutContradicted, ledger.PayoutCancelled: ledger.PayoutGivenUp,
	}
	byBatch := map[ledger.BatchState]ledger.Attention{
		ledger.BatchPlanned: ledger.ToBeInitiated, ledger.BatchInitiating: ledger.InitiateUnanswered, ledger.BatchInitiateUnknown: ledger.InitiateUnanswered,
		ledger.BatchHeld: ledger.OTPWaiting, ledger.BatchSubmitting: ledger.SubmitUnanswered, ledger.BatchSubmitUnknown: ledger.SubmitUnanswered,
		ledger.BatchSubmitted: ledger.AtTheBank, ledger.BatchSettled: ledger.AtTheBank, ledger.BatchRefused: ledger.WasRefused,
		ledger.BatchQuarantined: ledger.EchoDiffered, ledger.BatchAbandoned: ledger.AtTheBank, ledger.BatchSetAside: ledger.AtTheBank,
	}
	for _, p := range ledger.PayoutStates {
		for _, b := range ledger.BatchStates {
			want, decided := byPayout[p]
			if !decided {
				want = byBatch[b]
			}
			if got := kindOf(&ledger.Attempt{State: p}, &ledger.Batch{State: b}); got != want {
				t.Errorf("payout %s in batch %s is %q, want %q", p, b, got, want)
			}
		}
	}
}

func TestKindOfAnOpenPayout(t *testing.T) {
	for name, c := range map[string]struct {
		status string
		found  ledger.Attention
		want   ledger.Attention
	}{
		"the bank works on it":             {"pending", "", ledger.AtTheBank},
		"nothing observed yet":             {"", "", ledger.AtTheBank},
		"a status that is not listed":      {"ON_HOLD", "", ledger.StatusUnlisted},
		"a listed status in other letters": {"SUCCESS", "", ledger.StatusUnlisted},
		"another's status is not listed":   {"pending", ledger.StatusUnlisted, ledger.AtTheBank},
		"too long at the bank":             {"pending", ledger.Overdue, ledger.Overdue},
		"and a status of its own":          {"ON_HOLD", ledger.Overdue, ledger.Overdue},
		"the bank's status differs":        {"pending", ledger.StatusDiffers, ledger.StatusDiffers},
		"something newer":                  {"pending", "eaten_by_a_dog", "eaten_by_a_dog"},
	} {
		a := ledger.Attempt{State: ledger.PayoutPending, Status: c.status}
		if got := kindOf(&a, &ledger.Batch{State: ledger.BatchSubmitted, Attention: c.found}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestMoneyThatMayHaveMovedIsInDoubt, whatever is asked of a person.
func TestMoneyThatMayHaveMovedIsInDoubt(t *testing.T) {
	byPayout := map[ledger.PayoutState]bucket{
		ledger.PayoutSuccess: paid, ledger.PayoutFailed: notPaid, ledger.PayoutReturned: notPaid, ledger.PayoutCancelled: notPaid, ledger.PayoutDisputed: inDoubt,
	}
	for _, p := range ledger.PayoutStates {
		for _, b := range ledger.BatchStates {
			want, decided := byPayout[p]
			if !decided && (b == ledger.BatchSubmitting || b == ledger.BatchSubmitUnknown) {
				want = inDoubt
			} else if !decided {
				want = open
			}
			if got := bucketOf(p, b); got != want {
				t.Errorf("payout %s in batch %s is %s, want %s", p, b, got, want)
			}
		}
	}
}

// attentive is a ledger with a batch for each attention that the ledger keeps,
// of one payout each.
func attentive() (m *memory, found []ledger.Attention) {
	m = &memory{}
	s := m.sheet("nov.csv")
	for _, row := range ledger.Attentions() {
		payout, batch := ledger.PayoutPending, ledger.BatchSubmitted
		switch row.Kind {
		case ledger.PayoutContradicted:
			payout = ledger.PayoutDisputed
		case ledger.PayoutCameBack:
			payout = ledger.PayoutReturned
		case ledger.PayoutNotPaid:
			payout = ledger.PayoutFailed
		case ledger.PayoutGivenUp:
			payout = ledger.PayoutCancelled
		}
		b := m.batch(s, 3, batch)
		if payout == ledger.PayoutPending {
			b.Attention = row.Kind
		}
		m.payout(b, 100_00, payout, func(a *ledger.Attempt) {
			if row.Kind == ledger.StatusUnlisted {
				a.Status = "ON_HOLD"
			}
		})
		found = append(found, row.Kind)
	}
	return m, found
}

// TestEveryAttentionIsAnExceptionOfItsName, with reason, fix and a title, and
// nothing is distinguished by a sentence.
func TestEveryAttentionIsAnExceptionOfItsName(t *testing.T) {
	m, found := attentive()
	dir := writeAll(t, m, Options{})
	exceptions := lines(t, dir, exceptionsFile)
	if n := len(reconciliation(t, dir).Exceptions); len(exceptions) != len(found) || n != len(found) {
		t.Fatalf("%d exceptions, %d in JSON, want %d", len(exceptions), n, len(found))
	}
	for i, e := range exceptions {
		if e["kind"] != string(found[i]) || e["reason"] == "" || e["fix"] == "" || strings.Contains(e["fix"], "BATCH") {
			t.Errorf("%s: %v", found[i], e)
		}
		row := found[i].Row()
		for _, n := range row.Next {
			of := m.batches[i].ID
			if n.Names == ledger.NamesPayout {
				of = e["ref"]
			}
			if command := n.Command(of); !strings.Contains(e["fix"], command) {
				t.Errorf("%s: the fix %q does not have %q", found[i], e["fix"], command)
			}
		}
	}
	text := workbookText(t, dir)
	for _, row := range ledger.Attentions() {
		if row.Weight >= ledger.WeightPerson && !strings.Contains(text, row.Title) {
			t.Errorf("the workbook does not say %q", row.Title)
		}
	}
}

// TestAStatusThatDiffersIsNotOverdue: minutes after the submit the bank adds a
// reference to a batch.
func TestAStatusThatDiffersIsNotOverdue(t *testing.T) {
	m := &memory{}
	b := m.batch(m.sheet("nov.csv"), 3, ledger.BatchSubmitted)
	b.Attention, b.Note = ledger.StatusDiffers, `the bank's status differs from the batch: "INV-999" was never sent`
	m.payout(b, 100_00, ledger.PayoutPending)
	m.payout(b, 100_00, ledger.PayoutPending)
	dir := writeAll(t, m, Options{})
	for _, e := range lines(t, dir, exceptionsFile) {
		if e["kind"] != "status_differs" || e["reason"] != b.Note {
			t.Errorf("%v", e)
		}
	}
	if d := reconciliation(t, dir); len(d.Batches) != 1 || d.Batches[0].Attention != "status_differs" {
		t.Errorf("batches %+v", d.Batches)
	}
	// All of it failed: the payouts tell that, and not that the status differs.
	for i := range m.attempts {
		m.attempts[i].State = ledger.PayoutFailed
	}
	var kinds []string
	for _, e := range lines(t, writeAll(t, m, Options{}), exceptionsFile) {
		kinds = append(kinds, e["kind"])
	}
	if want := []string{"failed", "failed", "status_differs"}; !slices.Equal(kinds, want) {
		t.Errorf("kinds %v, want %v", kinds, want)
	}
}

func TestABatchThatWasGivenUpAsksForNothing(t *testing.T) {
	m := allPaid()
	m.batches[0].State, m.batches[0].Attention = ledger.BatchAbandoned, ledger.OTPSpent
	dir := writeAll(t, m, Options{})
	if e := lines(t, dir, exceptionsFile); len(e) != 0 {
		t.Errorf("exceptions %v", e)
	}
}

func TestReasonIsNeverEmpty(t *testing.T) {
	for _, row := range ledger.Attentions() {
		if got := reasonOf(row.Kind, "", &ledger.Batch{}); got == "" {
			t.Errorf("%s: no reason", row.Kind)
		}
	}
	a, b := ledger.Attempt{Reason: "the payout's"}, ledger.Batch{Note: "the batch's", Attention: ledger.Overdue}
	if got := reasonOf(ledger.Overdue, a.Reason, &b); got != "the batch's; the payout's" {
		t.Errorf("overdue: %q, want both", got)
	}
	if got := reasonOf(ledger.PayoutNotPaid, "", &b); got == b.Note {
		t.Error("a failed payout is told by its batch's note")
	}
}
