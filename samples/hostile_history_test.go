package samples_test

import (
	"testing"

	"payrun/batcher"
	"payrun/ledger"
	"payrun/ledger/sqlite"
	"payrun/validate"
)

// hostileHistory are sheets that are wrong only because of what was loaded
// before: the plain sheet, three days ago.
func hostileHistory() []hostileGroup {
	loaded := func(t *testing.T, s *sqlite.Store) { load(t, s, hostilePath("plain.csv"), 3) }
	return []hostileGroup{{"What was loaded before", []hostile{
		{what: "the same bytes again", sheet: "plain.csv", make: plainCSV, past: loaded, want: refusesFile("0 - sheet_already_loaded").saying(`"plain.csv"`)},
		{what: "the same bytes under another name", sheet: "again-other-name.csv", make: plainCSV, past: loaded, want: refusesFile("0 - sheet_already_loaded").saying("2025-11-25")},
		{what: "the same rows as a workbook", sheet: "again-as-workbook.xlsx", make: written(six().parts()), past: loaded, want: refusesFile("0 - sheet_already_loaded").saying(`the same rows were loaded before, as "plain.csv"`)},
		{what: "the same rows with other amounts", sheet: "again-other-amounts.csv", past: loaded, want: refusesRows(0,
			"2 merchant_txn_ref_id reference_used_before", "3 merchant_txn_ref_id reference_used_before", "4 merchant_txn_ref_id reference_used_before",
			"5 merchant_txn_ref_id reference_used_before", "6 merchant_txn_ref_id reference_used_before", "7 merchant_txn_ref_id reference_used_before",
		).saying(`sheet "plain.csv"`), make: six().but(func(s *sheet) {
			for i := range s.payouts {
				s.payouts[i].amount++
			}
		})},
		{what: "one reference used before, in another case", sheet: "reference-used.csv", past: loaded, want: refusesRows(5, "4 merchant_txn_ref_id reference_used_before").saying("2025-11-25"),
			make: fresh().but(func(s *sheet) {
				s.payouts[2].ref = "dec25/e"
			})},
		{what: "a reference that a retry carries", sheet: "reference-of-retry.csv", past: retried, want: refusesRows(5, "4 merchant_txn_ref_id reference_used_before").saying("2025-11-25"),
			make: fresh().but(func(s *sheet) {
				s.payouts[2].ref = "DEC25/B-R2"
			})},
		{what: "the same payee and amount under a new reference", sheet: "payee-paid.csv", past: loaded, make: onePaidAgain, want: reads(6, 1, "4 amount payee_paid_recently").saying("DEC25/C")},
		{what: "the same with --strict", sheet: "payee-paid.csv", flags: "--strict", set: func(o *validate.Options) { o.Strict = true }, past: loaded, make: onePaidAgain,
			want: refusesRows(5, "4 amount payee_paid_recently")},
	}}}
}

// fresh gives the plain sheet other references, payees and amounts.
func fresh() sheet {
	s := six()
	for i := range s.payouts {
		p := &s.payouts[i]
		p.ref, p.name, p.account, p.amount = "JAN26/"+string('A'+rune(i)), "New "+p.name, "77"+p.account, p.amount+7
	}
	return s
}

// onePaidAgain has one payout of the plain sheet under a new reference.
func onePaidAgain(t *testing.T) []byte {
	s := fresh()
	ref := s.payouts[2].ref
	s.payouts[2] = six().payouts[2]
	s.payouts[2].ref = ref
	return s.csv(t)
}

// retried loads the plain sheet, gives its batch up, which the bank has seen, and
// plans its payouts again: under new references, for the first are used up.
func retried(t *testing.T, s *sqlite.Store) {
	batches := load(t, s, hostilePath("plain.csv"), 3)
	at := today.AddDate(0, 0, -2)
	check(t, s.Apply(t.Context(), ledger.Step{Actor: "asha", BatchID: batches[0].ID, From: ledger.BatchPlanned, Event: ledger.SeenElsewhere, At: at}))
	check(t, s.Apply(t.Context(), ledger.Step{Actor: "asha", BatchID: batches[0].ID, From: ledger.BatchQuarantined, Event: ledger.Abandoned, At: at, Person: "wrong day"}))
	attempts, _, err := s.Retryable(t.Context(), batches[0].SheetID)
	check(t, err)
	payouts := make([]ledger.KeyedPayout, 0, len(attempts))
	for _, a := range attempts {
		payouts = append(payouts, ledger.KeyedPayout{Payout: a.Payout})
	}
	plan, err := batcher.Make(planning(payouts))
	check(t, err)
	planned, err := s.PlanRetry(t.Context(), "asha", at, attempts, plan.Batches)
	check(t, err)
	if len(planned) != 1 || planned[0].Count != 6 {
		t.Fatalf("planned again: %+v", planned)
	}
}
