package threeway_test

import (
	"fmt"
	"strings"
	"testing"

	"payrun/ledger"
)

// Each attempt is told why a debit is its own, whatever the numbers of the payouts,
// and whether that is all that there is to tell.
func TestEachAttemptTellsItsMatch(t *testing.T) {
	const far = int64(1) << 40
	w := &world{}
	w.batch("a", 10, payout(7, ok, 10_00), payout(8, ok, 20_00), payout(9, ok, 30_00), payout(10, ok, 40_00), payout(11, ledger.PayoutFailed, 50_00), payout(far, ok, 60_00))
	w.batch("a", 11, attempt(11, 2, ok, 50_00))
	w.batch("b", 12, payout(12, ok, 1_00), payout(13, ok, 2_00))
	w.covers(api, "a")
	w.covers(api, "b")
	w.shows(api, "a", 10, -10_00, utr(7), "NEFT")
	w.shows(api, "a", 10, -20_00, "X", "NEFT/INV-8/RAO")
	w.shows(api, "a", 10, -30_00, "X", "NEFT")
	w.shows(api, "a", 10, -50_00, utr(11), "NEFT")
	w.shows(api, "a", 10, -60_00, utr(far), "NEFT")
	w.shows(api, "a", 11, -50_00, "X", "NEFT INV-11-R2 RAO")
	w.shows(api, "b", 12, -3_00, "X", "BULK")
	w.shows(api, "a", 25, 1, "X", "INTEREST")
	r := w.match(set)
	var told []string
	for _, k := range []ledger.AttemptKey{{PayoutID: 7, Number: 1}, {PayoutID: 8, Number: 1}, {PayoutID: 9, Number: 1}, {PayoutID: 10, Number: 1}, {PayoutID: 11, Number: 1},
		{PayoutID: 11, Number: 2}, {PayoutID: 12, Number: 1}, {PayoutID: 13, Number: 1}, {PayoutID: far, Number: 1}, {PayoutID: 6, Number: 1}, {PayoutID: 7, Number: 2}} {
		by, ties := r.Match(k)
		told = append(told, fmt.Sprintf("%s %t", by, ties))
	}
	want := "utr true, reference true, amount_and_day true,  false, utr false, reference true, batch_total true, batch_total true, utr true,  false,  false"
	if got := strings.Join(told, ", "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
