package validate

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
)

// paidLedger knows earlier payouts by their numbers, and nothing else.
type paidLedger struct {
	ledger.Payees
	past map[int64]ledger.PastPayout
}

func (l paidLedger) LatestPayments(_ context.Context, accounts []ledger.Account, _ int) (map[ledger.Account][]ledger.Payment, error) {
	found := map[ledger.Account][]ledger.Payment{}
	for _, a := range accounts {
		found[a] = nil
		for id, p := range l.past {
			if p.BankAccountNumber == a.BankAccountNumber { // as a hash would, of another branch too
				found[a] = append(found[a], ledger.Payment{PayoutID: id})
			}
		}
	}
	return found, nil
}

func (l paidLedger) PastPayouts(context.Context, []int64) (map[int64]ledger.PastPayout, error) {
	return l.past, nil
}

func payTo(number, ifsc string, amount ledger.Paise) ledger.Payout {
	return ledger.Payout{BankAccountNumber: number, IFSC: ifsc, Amount: amount}
}

// Only what was paid makes an account known: not what is planned or came back,
// and not the same number at another branch.
func TestOnlyMoneyThatArrivedMakesAnAccountKnown(t *testing.T) {
	past := map[int64]ledger.PastPayout{}
	for i, state := range []ledger.PayoutState{ledger.PayoutSuccess, ledger.PayoutPlanned, ledger.PayoutPending, ledger.PayoutFailed, ledger.PayoutReturned} {
		p := ledger.PastPayout{Use: ledger.ReferenceUse{State: state, LoadedAt: time.Unix(1, 0)}}
		p.Account = ledger.Account{BankAccountNumber: "00" + string(rune('1'+i)), IFSC: "HDFC0001234"}
		past[int64(i+1)] = p
	}
	payouts := []ledger.Payout{
		payTo("001", "HDFC0001234", 1), payTo("001", "HDFC0004321", 1), payTo("002", "HDFC0001234", 1), payTo("003", "HDFC0001234", 1),
		payTo("004", "HDFC0001234", 1), payTo("005", "HDFC0001234", 1), payTo("006", "HDFC0001234", 1),
	}
	got, err := NeverPaid(t.Context(), paidLedger{past: past}, payouts)
	if want := []int{1, 2, 3, 4, 5, 6}; err != nil || !slices.Equal(got, want) {
		t.Errorf("new are %v, %v; want %v", got, err, want)
	}
}

func TestWhatRepeatsIsOneAccountAndOneAmount(t *testing.T) {
	payouts := []ledger.Payout{
		payTo("0012", "HDFC0001234", 100), payTo("12", "hdfc0001234", 100), payTo("12", "HDFC0001234", 101), payTo("12", "HDFC0009999", 100), payTo("12", "ICIC0009999", 100), payTo("7", "HDFC0001234", 5),
	}
	got := Repeated(payouts)
	if len(got) != 1 || !slices.Equal(got[0], []ledger.Payout{payouts[0], payouts[1], payouts[3]}) {
		t.Errorf("repeated: %v", got)
	}
}

// The day of an earlier payout is that of who reads it, and not of Greenwich.
func TestDaysOfEarlierPayoutsAreIndian(t *testing.T) {
	loaded := time.Date(2025, 11, 2, 20, 0, 0, 0, time.UTC) // the 3rd in India
	since := loaded.Add(-time.Hour).In(time.FixedZone("IST", 5*3600+1800))
	c := check{o: Options{Now: since}}
	if got := c.useWords(ledger.ReferenceUse{SheetName: "nov.csv", SheetID: "sh1", LoadedAt: loaded}); !strings.Contains(got, "loaded 2025-11-03") {
		t.Error(got)
	}
	paid := &archive{}
	if _, err := Unusual(t.Context(), paid, since, nil); err != nil {
		t.Error(err)
	}
	if got := (&registered{}).seen(loaded); got != "2025-11-03" {
		t.Error(got)
	}
}
