package reconcile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"payrun/ledger"
	"payrun/ledger/reconcile"
)

const (
	paid    = ledger.PayoutSuccess
	failed  = ledger.PayoutFailed
	came    = ledger.PayoutReturned
	pending = ledger.PayoutPending
)

// one batch of one payout, sent on the 10th.
func one(d *desk, name string, amount ledger.Paise, state ledger.PayoutState) int64 {
	return d.batch(10, sent{name, amount, state, ""})
}

func TestWhoseALineIs(t *testing.T) {
	for _, tt := range []struct {
		name string
		tell func(d *desk)
		want string // of each payout what went out, and why a debit could be its own
	}{
		{"by UTR, whatever its case", func(d *desk) {
			d.batch(10, sent{"INV-1", 500, paid, "HDFCN52031111000001"})
			d.bank(10, 20, 21, 9000, shown{11, -500, "neft/hdfcn52031111000001/rao", "a"})
		}, "5.00"},
		{"by reference, days later", func(d *desk) {
			one(d, "INV-000001", 500, paid)
			d.bank(10, 20, 21, 9000, shown{15, -500, "NEFT/INV-000001/RAO", "a"})
		}, "5.00"},
		{"a UTR and a reference of two payouts: it could be of both", func(d *desk) {
			d.batch(10, sent{"INV-000001", 500, paid, "HDFCN52031111000001"})
			one(d, "INV-000002", 500, paid)
			d.bank(10, 20, 21, 9000, shown{15, -500, "INV-000002 HDFCN52031111000001", "a"})
		}, "0.00 named, 0.00 named"},
		{"the longest reference: E1-R2 before E1", func(d *desk) {
			one(d, "E1", 500, failed)
			one(d, "E1-R2", 500, paid)
			d.bank(10, 20, 21, 9000, shown{15, -500, "NEFT E1-R2", "a"})
		}, "0.00, 5.00"},
		{"a reference is no part of a word", func(d *desk) {
			one(d, "INV-000001", 500, paid)
			d.bank(10, 20, 21, 9000, shown{15, -500, "XINV-000001 INV-0000012", "a"})
		}, "0.00"},
		{"a retry is told by its own reference, and by the amount of one of the attempts", func(d *desk) {
			p := one(d, "INV-000001", 500, failed)
			d.again(p, 2, 14, sent{"INV-000001-R2", 600, paid, ""})
			d.bank(10, 20, 21, 9000, shown{15, -600, "INV-000001", "a"})
		}, "0.00"},
		{"by amount, account and day", func(d *desk) {
			one(d, "INV-000001", 500, paid)
			d.bank(10, 20, 21, 9000, shown{11, -500, "NEFT", "a"})
		}, "5.00"},
		{"not two days later", func(d *desk) {
			one(d, "INV-000001", 500, paid)
			d.bank(10, 20, 21, 9000, shown{12, -500, "NEFT", "a"})
		}, "0.00"},
		{"never one of two equals", func(d *desk) {
			one(d, "INV-000001", 500, paid)
			one(d, "INV-000002", 500, paid)
			d.bank(10, 20, 21, 9000, shown{11, -500, "NEFT", "a"}, shown{11, -500, "NEFT", "b"})
		}, "0.00, 0.00"},
		{"nor one of two lines", func(d *desk) {
			one(d, "INV-000001", 500, paid)
			d.bank(10, 20, 21, 9000, shown{11, -500, "NEFT", "a"}, shown{11, -500, "NEFT", "b"})
		}, "0.00"},
		{"one that its name has already is not in the way", func(d *desk) {
			one(d, "INV-000001", 500, paid)
			one(d, "INV-000002", 500, paid)
			d.bank(10, 20, 21, 9000, shown{11, -500, "INV-000001", "a"}, shown{11, -500, "NEFT", "b"})
		}, "5.00, 5.00"},
		{"A6: a failed payout takes part by amount, and its debit is only possible", func(d *desk) {
			one(d, "SALARY-NOV-2031-EMP00123", 500, failed)
			d.bank(10, 20, 21, 9000, shown{10, -500, "NEFT SALARY-NOV-2031-", "a"})
		}, "0.00 equal_amount"},
		{"and whenever it comes later", func(d *desk) {
			one(d, "INV-000001", 500, failed)
			d.bank(10, 20, 21, 9000, shown{19, -500, "CASH", "a"})
		}, "0.00 equal_amount"},
		{"before the day before its submit it is not its own", func(d *desk) {
			one(d, "INV-000001", 500, failed)
			d.bank(5, 20, 21, 9000, shown{8, -500, "CASH", "a"})
		}, "0.00"},
		{"an equal debit of a payout that was paid is explained by it", func(d *desk) {
			one(d, "INV-000001", 500, failed)
			one(d, "INV-000002", 500, paid)
			d.bank(10, 20, 21, 9000, shown{11, -500, "NEFT", "a"})
		}, "0.00, 0.00"},
		{"two equal debits are not", func(d *desk) {
			one(d, "INV-000001", 500, failed)
			one(d, "INV-000002", 500, paid)
			d.bank(10, 20, 21, 9000, shown{11, -500, "NEFT", "a"}, shown{12, -500, "NEFT", "b"})
		}, "0.00 equal_amount equal_amount, 0.00"},
		{"one paid payout explains one debit, on either side of it", func(d *desk) {
			one(d, "INV-000001", 500, failed)
			d.batch(12, sent{"INV-000002", 500, paid, ""})
			d.bank(9, 20, 21, 9000, shown{11, -500, "NEFT", "a"}, shown{13, -500, "NEFT", "b"})
		}, "0.00 equal_amount equal_amount, 0.00"},
		{"a larger debit with its name could be its own", func(d *desk) {
			one(d, "INV-000001", 500, failed)
			d.bank(10, 20, 21, 9000, shown{11, -700, "INV-000001", "a"})
		}, "0.00 named"},
		{"a smaller one is a charge, several that reach the amount are not", func(d *desk) {
			one(d, "INV-000001", 500, failed)
			one(d, "INV-000002", 500, failed)
			d.bank(10, 20, 21, 9000, shown{11, -10, "INV-000001", "a"}, shown{11, -300, "INV-000002", "b"}, shown{12, -200, "INV-000002", "c"})
		}, "0.00, 0.00 named named"},
		{"a debit with the names of two is nobody's, and could be each one's", func(d *desk) {
			one(d, "INV-000001", 500, failed)
			one(d, "INV-000002", 400, failed)
			d.bank(10, 20, 21, 9000, shown{11, -500, "INV-000001 INV-000002", "a"})
		}, "0.00 named, 0.00 named"},
		{"E5: one UTR for a whole batch is those who have not failed", func(d *desk) {
			const utr = "HDFCN52031111000009"
			d.batch(10, sent{"INV-000001", 500, paid, utr}, sent{"INV-000002", 300, failed, utr}, sent{"INV-000003", 200, paid, utr})
			d.bank(10, 20, 21, 9000, shown{11, -700, "BULK " + utr, "a"})
		}, "5.00, 0.00, 2.00"},
		{"or all of them with the sum of all", func(d *desk) {
			const utr = "HDFCN52031111000009"
			d.batch(10, sent{"INV-000001", 500, paid, utr}, sent{"INV-000002", 300, failed, utr})
			d.bank(10, 20, 21, 9000, shown{11, -800, "BULK " + utr, "a"}, shown{12, 300, "RETURN " + utr, "b"})
		}, "5.00, 0.00"},
		{"or nobody's, and possible of each", func(d *desk) {
			const utr = "HDFCN52031111000009"
			d.batch(10, sent{"INV-000001", 500, paid, utr}, sent{"INV-000002", 300, failed, utr})
			d.bank(10, 20, 21, 9000, shown{11, -750, "BULK " + utr, "a"})
		}, "0.00 named, 0.00 named"},
		{"a batch's total without details is the batch's", func(d *desk) {
			d.batch(10, sent{"INV-000001", 500, paid, ""}, sent{"INV-000002", 300, paid, ""})
			d.bank(10, 20, 21, 9000, shown{11, -800, "BULK", "a"})
		}, "5.00, 3.00"},
		{"what of it did not come back must be the paid ones", func(d *desk) {
			d.batch(10, sent{"INV-000001", 500, paid, ""}, sent{"INV-000002", 300, failed, ""})
			d.bank(10, 20, 21, 9000, shown{11, -800, "BULK", "a"})
		}, "5.00, 0.00 batch_total"},
		{"and then it frees the others", func(d *desk) {
			d.batch(10, sent{"INV-000001", 500, paid, ""}, sent{"INV-000002", 300, failed, ""})
			d.bank(10, 20, 21, 9000, shown{11, -800, "BULK", "a"}, shown{13, 300, "RETURN INV-000002", "b"})
		}, "5.00, 0.00"},
		{"what a file says came back frees nobody", func(d *desk) {
			d.batch(10, sent{"INV-000001", 500, paid, ""}, sent{"INV-000002", 300, failed, ""})
			d.file(10, 20, true, 9000, shown{11, -800, "BULK", ""}, shown{13, 300, "RETURN INV-000002", ""})
		}, "5.00, 0.00 batch_total"},
		{"nor does what came back of another", func(d *desk) {
			d.batch(10, sent{"INV-000001", 500, paid, ""}, sent{"INV-000002", 300, failed, ""})
			d.bank(10, 20, 21, 9000, shown{11, -800, "BULK", "a"}, shown{13, 300, "BACK INV-000001", "b"})
		}, "2.00, 0.00 batch_total"},
		{"unless two batches have that total", func(d *desk) {
			d.batch(10, sent{"INV-000001", 500, paid, ""}, sent{"INV-000002", 300, failed, ""})
			d.batch(10, sent{"INV-000003", 600, paid, ""}, sent{"INV-000004", 200, failed, ""})
			d.bank(10, 20, 21, 9000, shown{11, -800, "BULK", "a"})
		}, "0.00, 0.00 batch_total, 0.00, 0.00 batch_total"},
		{"a bulk debit of a part of a batch could be each one's", func(d *desk) {
			d.batch(10, sent{"INV-000001", 500, paid, ""}, sent{"INV-000002", 300, failed, ""}, sent{"INV-000003", 250, failed, ""})
			d.bank(10, 20, 21, 9000, shown{11, -750, "BULK", "a"})
		}, "0.00, 0.00 part_of_batch, 0.00 part_of_batch"},
		{"or that of all of them that failed, although every paid one has its own", func(d *desk) {
			d.batch(10, sent{"INV-000001", 500, paid, ""}, sent{"INV-000002", 300, failed, ""}, sent{"INV-000003", 250, failed, ""}, sent{"INV-000004", 90, failed, ""})
			d.bank(10, 20, 21, 9000, shown{11, -500, "INV-000001", "a"}, shown{11, -550, "BULK", "b"})
		}, "5.00, 0.00 part_of_batch, 0.00 part_of_batch, 0.00"},
		{"and what is no sum of them is not", func(d *desk) {
			d.batch(10, sent{"INV-000001", 500, paid, ""}, sent{"INV-000002", 300, failed, ""}, sent{"INV-000003", 250, failed, ""})
			d.bank(10, 20, 21, 9000, shown{11, -500, "INV-000001", "a"}, shown{11, -551, "RENT", "b"})
		}, "5.00, 0.00, 0.00"},
		{"a charge that came back is no part of what did", func(d *desk) {
			one(d, "INV-000001", 77_77, failed)
			d.bank(10, 20, 21, 9000, shown{11, -77_77, "INV-000001", "a"}, shown{11, -2_36, "CHGS INV-000001", "b"},
				shown{12, 2_36, "CHGS REVERSED INV-000001", "c"}, shown{12, 75_41, "RETURN INV-000001", "d"})
		}, "2.36"},
		{"and one that was kept is no part of it either", func(d *desk) {
			one(d, "INV-000001", 77_77, failed)
			d.bank(10, 20, 21, 9000, shown{11, -77_77, "INV-000001", "a"}, shown{11, -2_36, "CHGS INV-000001", "b"}, shown{12, 77_77, "RETURN INV-000001", "d"})
		}, "0.00"},
		{"A1: money, not lines: a credit of less frees nothing", func(d *desk) {
			one(d, "INV-000001", 101_39, failed)
			d.bank(10, 20, 21, 90000, shown{11, -101_39, "INV-000001", "a"}, shown{12, 2_36, "CHGS REVERSED INV-000001", "b"})
		}, "99.03"},
		{"A3: a file's credit frees nothing", func(d *desk) {
			one(d, "INV-000001", 500, failed)
			d.bank(10, 12, 13, 9000, shown{11, -500, "INV-000001", "a"})
			d.file(10, 12, true, 9000, shown{11, -500, "INV-000001", ""}, shown{12, 500, "NEFT RETURN INV-000001", ""}, shown{12, -250, "CASH", ""}, shown{12, -250, "CASH", ""})
		}, "5.00"},
		{"A5: a second debit that its name has", func(d *desk) {
			one(d, "INV-000001", 500, came)
			d.bank(10, 20, 21, 9000, shown{11, -500, "INV-000001", "a"}, shown{12, 500, "RETURN INV-000001", "b"}, shown{13, -500, "INV-000001", "c"})
		}, "5.00"},
		{"E3: a debit that the bank dates again is one", func(d *desk) {
			one(d, "INV-000001", 500, paid)
			d.bank(10, 12, 13, 9000, shown{11, -500, "INV-000001", "a"})
			d.bank(10, 15, 16, 9000, shown{13, -500, "INV-000001", "a"})
		}, "5.00"},
		{"E4: a debit that the bank takes back could be its own until people say", func(d *desk) {
			one(d, "INV-000001", 500, failed)
			d.bank(10, 12, 13, 9000, shown{11, -500, "INV-000001", "a"})
			d.bank(10, 15, 16, 9000)
		}, "0.00 withdrawn"},
		{"and without a name too", func(d *desk) {
			one(d, "INV-000001", 500, failed)
			d.bank(10, 12, 13, 9000, shown{11, -500, "NEFT", "a"})
			d.bank(10, 15, 16, 9000)
		}, "0.00 withdrawn"},
		{"C3: a debit that only a file shows", func(d *desk) {
			one(d, "INV-000001", 500, failed)
			one(d, "INV-000002", 300, paid)
			d.bank(10, 12, 13, 9000)
			d.file(10, 12, true, 9000, shown{11, -500, "NEFT", ""}, shown{11, -300, "INV-000002", ""})
		}, "0.00 only_in_file, 0.00 only_in_file"},
		{"a break of the balances", func(d *desk) {
			one(d, "INV-000001", 500, failed)
			d.batch(20, sent{"INV-000002", 500, failed, ""})
			d.bank(9, 10, 11, 9000, shown{9, -10, "X", "a"})
			d.bank(11, 12, 13, 8000, shown{11, -10, "X", "b"})
		}, "0.00 break, 0.00"},
		{"people say that it is nobody's", func(d *desk) {
			one(d, "INV-000001", 500, failed)
			d.bank(10, 20, 21, 9000, shown{11, -500, "RENT", "a"})
			d.explain(1, 1, 0)
		}, "0.00"},
		{"people say whose it is", func(d *desk) {
			one(d, "INV-000001", 500, failed)
			one(d, "INV-000002", 500, paid)
			d.bank(10, 20, 21, 9000, shown{18, -500, "RENT", "a"})
			d.explain(1, 1, 2)
		}, "0.00, 5.00"},
		{"what they say holds in a newer reading of the day", func(d *desk) {
			one(d, "INV-000001", 500, failed)
			d.bank(10, 20, 21, 9000, shown{11, -500, "RENT", "a"})
			d.explain(1, 1, 0)
			d.bank(10, 22, 23, 9000, shown{11, -500, "RENT", "a"}, shown{11, -1, "FEE", "b"})
		}, "0.00"},
		{"and of one of two equal lines", func(d *desk) {
			one(d, "INV-000001", 500, failed)
			d.file(10, 20, true, 9000, shown{11, -500, "RENT", ""}, shown{11, -500, "RENT", ""})
			d.explain(1, 1, 0)
		}, "0.00 equal_amount"},
		{"a payout that was never sent has only its name", func(d *desk) {
			d.batch(0, sent{"INV-000001", 500, ledger.PayoutPlanned, ""}, sent{"INV-000002", 700, ledger.PayoutPlanned, ""})
			d.bank(1, 20, 21, 9000, shown{11, -500, "INV-000001", "a"}, shown{12, -700, "NEFT", "b"})
		}, "5.00, 0.00"},
		{"a short word is a name with the amount", func(d *desk) {
			one(d, "1001", 500, paid)
			d.bank(10, 20, 21, 9000, shown{11, -700, "CASH 1001", "a"}, shown{15, -500, "1001", "b"})
		}, "5.00"},
		{"and with a larger one where it is not paid", func(d *desk) {
			one(d, "1001", 500, failed)
			d.bank(10, 20, 21, 9000, shown{11, -700, "CASH 1001", "a"}, shown{12, -300, "CASH 1001", "b"})
		}, "0.00 named named"},
		{"details of a batch booking are witnesses of their own", func(d *desk) {
			one(d, "INV-000001", 500, paid)
			one(d, "INV-000002", 300, paid)
			d.bank(10, 20, 21, 9000, shown{11, -800, "BULK", "a"})
			d.lines[0].Details = []ledger.EntryDetail{{Amount: 500, Reference: "INV-000001"}, {Amount: 300, Remarks: "INV-000002"}}
		}, "5.00, 3.00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &desk{TB: t}
			tt.tell(d)
			var got []string
			for p := int64(1); slices.ContainsFunc(d.attempts, func(a reconcile.Attempt) bool { return a.PayoutID == p }); p++ {
				out, possible := d.out(p)
				got = append(got, strings.TrimSpace(out.String()+" "+possible))
			}
			if strings.Join(got, ", ") != tt.want {
				t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), tt.want)
			}
		})
	}
}

func TestWhatDoesNotTieOut(t *testing.T) {
	for _, tt := range []struct {
		name  string
		tell  func(d *desk)
		want  string
		words string
	}{
		{"all is there", func(d *desk) {
			one(d, "INV-000001", 500, paid)
			d.bank(10, 20, 21, 9000, shown{11, -500, "INV-000001", "a"})
		}, "", "1 of 1 payout is on the bank's statement; ties out to the paisa"},
		{"it came back", func(d *desk) {
			one(d, "INV-000001", 500, came)
			d.bank(10, 20, 21, 9000, shown{11, -500, "INV-000001", "a"}, shown{12, 500, "RETURN INV-000001", "b"})
		}, "", "1 of 1 payout is on the bank's statement; ties out to the paisa"},
		{"it came back, and was paid again", func(d *desk) {
			p := one(d, "INV-000001", 500, came)
			d.again(p, 2, 14, sent{"INV-000001-R2", 500, paid, ""})
			d.bank(10, 20, 21, 9000, shown{11, -500, "INV-000001", "a"}, shown{12, 500, "RETURN INV-000001", "b"}, shown{14, -500, "INV-000001-R2", "c"})
		}, "", "2 of 2 attempts to pay 1 payout are on the bank's statement; ties out to the paisa"},
		{"two people released it: the credit has no name", func(d *desk) {
			p := one(d, "INV-000001", 500, ledger.PayoutCancelled)
			d.bank(10, 20, 21, 9000, shown{11, -500, "INV-000001", "a"}, shown{12, 500, "NEFT RETURN", "b"})
			d.release(p)
		}, "", "no payout is due on the bank's statement"},
		{"two people released it, and a credit that they saw is gone", func(d *desk) {
			p := one(d, "INV-000001", 500, ledger.PayoutCancelled)
			d.bank(10, 20, 21, 9000, shown{11, -500, "INV-000001", "a"}, shown{12, 500, "RETURN INV-000001", "b"})
			d.release(p)
			d.bank(10, 20, 23, 9000, shown{11, -500, "INV-000001", "a"})
		}, "failed_but_debited 1", ""},
		{"two people released it, and it is debited once more", func(d *desk) {
			p := one(d, "INV-000001", 500, ledger.PayoutCancelled)
			d.bank(10, 20, 21, 9000, shown{11, -500, "INV-000001", "a"}, shown{12, 500, "NEFT RETURN", "b"})
			d.release(p)
			d.bank(21, 24, 25, 9000, shown{23, -500, "INV-000001", "c"})
		}, "double_debit 1", ""},
		{"C2: a return of less is no return", func(d *desk) {
			one(d, "INV-000001", 1_00_000_00, came)
			d.bank(10, 20, 21, 1_00_000_00, shown{11, -1_00_000_00, "INV-000001", "a"}, shown{12, 2_36, "RETURN INV-000001", "b"})
		}, "amount_differs 1", "0 of 1 payout is on the bank's statement; 1 line differs"},
		{"its return is awaited", func(d *desk) {
			one(d, "INV-000001", 500, came)
			d.bank(10, 20, 21, 9000, shown{11, -500, "INV-000001", "a"})
		}, "awaiting_statement 1", "0 of 1 payout is on the bank's statement; 1 awaits it"},
		{"C3: what only a file shows explains nothing", func(d *desk) {
			one(d, "INV-000001", 500, paid)
			d.bank(10, 20, 21, 9000, shown{12, -1, "FEE", "a"})
			d.file(10, 20, true, 9000, shown{11, -500, "INV-000001", ""}, shown{12, -1, "FEE", ""})
		}, "missing_in_statement 1; only_in_file", "0 of 1 payout is on the bank's statement; 2 lines differ"},
		{"E1: a file of another account, until it is void", func(d *desk) {
			one(d, "INV-000001", 500, paid)
			d.file(10, 11, true, 9000, shown{11, -500, "INV-000001", ""})
			d.file(12, 13, true, 90_000_000_00, shown{12, -1, "X", ""})
		}, "unexplained 89999915.00", "1 of 1 payout is on the bank's statement; ₹8,99,99,915.00 of the balances is unexplained"},
		{"E2: a charge that comes back under a paid payout's name", func(d *desk) {
			one(d, "INV-000001", 500, paid)
			d.bank(10, 20, 21, 9000, shown{11, -500, "INV-000001", "a"}, shown{12, 20, "CHGS REVERSED INV-000001", "b"})
		}, "amount_differs 1", "1 of 1 payout is on the bank's statement; 1 line differs"},
		{"it came back although it was paid", func(d *desk) {
			one(d, "INV-000001", 500, paid)
			d.bank(10, 20, 21, 9000, shown{11, -500, "INV-000001", "a"}, shown{12, 500, "RETURN INV-000001", "b"})
		}, "returned_in_statement 1", "0 of 1 payout is on the bank's statement; 1 line differs"},
		{"A5: two debits and one return", func(d *desk) {
			one(d, "INV-000001", 500, came)
			d.bank(10, 20, 21, 9000, shown{11, -500, "INV-000001", "a"}, shown{12, 500, "RETURN INV-000001", "b"}, shown{13, -500, "INV-000001", "c"})
		}, "double_debit 1; amount_differs 1", "0 of 1 payout is on the bank's statement; 2 lines differ"},
		{"a failed one was debited", func(d *desk) {
			one(d, "INV-000001", 500, failed)
			d.bank(10, 20, 21, 9000, shown{11, -500, "INV-000001", "a"})
		}, "failed_but_debited 1", ""},
		{"A6: a failed one may have been", func(d *desk) {
			one(d, "SALARY-NOV-2031-EMP00123", 500, failed)
			d.bank(10, 20, 21, 9000, shown{10, -500, "NEFT SALARY-NOV-2031-", "a"})
		}, "possible_debit 1", ""},
		{"nothing covers the day", func(d *desk) {
			one(d, "INV-000001", 500, paid)
			d.bank(11, 20, 21, 9000, shown{12, -1, "FEE", "a"})
		}, "statement_not_available", "0 of 1 payout is on the bank's statement; no statement covers 1"},
		{"the newest line is older", func(d *desk) {
			one(d, "INV-000001", 500, paid)
			d.bank(5, 20, 21, 9000, shown{6, -1, "FEE", "a"})
		}, "awaiting_statement 1", "0 of 1 payout is on the bank's statement; 1 awaits it"},
		{"it is young", func(d *desk) {
			d.batch(29, sent{"INV-000001", 500, paid, ""})
			d.bank(20, 30, 30, 9000, shown{30, -1, "FEE", "a"})
		}, "awaiting_statement 1", "0 of 1 payout is on the bank's statement; 1 awaits it"},
		{"it is missing, and the balances break by it", func(d *desk) {
			one(d, "INV-000001", 500, paid)
			d.bank(5, 10, 21, 9000, shown{6, -1, "FEE", "a"})
			d.bank(11, 20, 21, 8499, shown{12, -1, "FEE", "b"})
		}, "missing_in_statement 1", ""},
		{"a debit of its amount that nothing names", func(d *desk) {
			one(d, "INV-000001", 500, paid)
			d.bank(5, 20, 21, 9000, shown{15, -500, "CASH", "a"}, shown{16, -2, "FEE", "b"})
		}, "missing_in_statement 1; unknown_debit", ""},
		{"equal debits for as many paid payouts await a name", func(d *desk) {
			one(d, "INV-000001", 500, paid)
			one(d, "INV-000002", 500, paid)
			d.bank(5, 20, 21, 9000, shown{11, -500, "NEFT", "a"}, shown{11, -500, "NEFT", "b"})
		}, "awaiting_statement 1; awaiting_statement 2", "0 of 2 payouts are on the bank's statement; 2 await it"},
		{"a debit was withdrawn", func(d *desk) {
			one(d, "INV-000001", 500, failed)
			d.bank(10, 12, 13, 9000, shown{11, -500, "INV-000001", "a"})
			d.bank(10, 15, 16, 9000)
		}, "withdrawn; possible_debit 1", ""},
		{"the withdrawn debit of a paid one is there again, under another id", func(d *desk) {
			one(d, "INV-000001", 500, paid)
			d.bank(10, 12, 13, 9000, shown{11, -500, "INV-000001", "a"})
			d.bank(10, 15, 16, 9000, shown{13, -500, "INV-000001", "b"})
		}, "", "1 of 1 payout is on the bank's statement; ties out to the paisa"},
		{"one of two of a withdrawn debit is there again", func(d *desk) {
			d.batch(11, sent{"INV-000001", 500, paid, "N1234567890"}, sent{"INV-000002", 500, failed, "N1234567890"})
			d.bank(10, 12, 13, 9000, shown{11, -1000, "NEFT N1234567890", "a"})
			d.bank(10, 15, 16, 9000, shown{13, -500, "INV-000001", "b"})
		}, "withdrawn; possible_debit 2", ""},
		{"two people released it on a debit that was withdrawn", func(d *desk) {
			p := one(d, "INV-000001", 500, ledger.PayoutCancelled)
			d.bank(10, 12, 13, 9000, shown{11, -500, "INV-000001", "a"})
			d.bank(10, 15, 16, 9000)
			d.release(p)
		}, "", ""},
		{"two people released it on a debit that only a file shows", func(d *desk) {
			p := one(d, "INV-000001", 500, ledger.PayoutCancelled)
			d.file(10, 15, true, 9000, shown{11, -500, "INV-000001", ""})
			d.bank(10, 15, 16, 9000, shown{12, -2, "FEE", "a"})
			d.release(p)
		}, "", ""},
		{"one of two under a UTR was released, and the debit was withdrawn", func(d *desk) {
			p := d.batch(11, sent{"INV-000001", 500, ledger.PayoutCancelled, "N1234567890"}, sent{"INV-000002", 500, failed, "N1234567890"})
			d.bank(10, 12, 13, 9000, shown{11, -1000, "NEFT N1234567890", "a"})
			d.bank(10, 15, 16, 9000)
			d.release(p)
		}, "withdrawn; possible_debit 2", ""},
		{"somebody else's debit is nothing", func(d *desk) {
			one(d, "INV-000001", 500, pending)
			d.bank(10, 20, 21, 9000, shown{11, -77, "RENT", "a"}, shown{12, 9000, "SALES", "b"})
		}, "", "no payout is due on the bank's statement"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &desk{TB: t}
			tt.tell(d)
			result, got := d.report()
			ties := result.Ties()
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if words := ties.Words(); tt.words != "" && words != tt.words {
				t.Errorf("said %s", words)
			}
			if ties.Out() != (tt.want == "" && ties.Due.Count > 0 || ties.Due.Count == 0 && tt.want == "") {
				t.Errorf("ties out: %v", ties.Out())
			}
		})
	}
}

// Money is conserved, and it is the same into how many readings a statement is split.
func TestMatchingConservesMoneyAndReadingsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		words := []string{"NEFT", "INV-000001", "INV-000002", "BULK HDFCN52031111000009", "INV-000003 INV-000001", "RENT"}
		states := []ledger.PayoutState{paid, failed, came, pending}
		whole, split := &desk{TB: t}, &desk{TB: t}
		for b := range rapid.IntRange(1, 3).Draw(rt, "batches") {
			var list []sent
			for i := range rapid.IntRange(1, 3).Draw(rt, "payouts") {
				s := sent{fmt.Sprintf("INV-%06d", b*3+i+1), ledger.Paise(rapid.IntRange(1, 3).Draw(rt, "amount") * 100), rapid.SampledFrom(states).Draw(rt, "state"), ""}
				if rapid.Bool().Draw(rt, "shares a UTR") {
					s.utr = "HDFCN52031111000009"
				}
				list = append(list, s)
			}
			on := rapid.IntRange(3, 20).Draw(rt, "day")
			whole.batch(on, list...)
			split.batch(on, list...)
		}
		var list []shown
		on := 3
		for i := range rapid.IntRange(0, 12).Draw(rt, "lines") {
			on += rapid.IntRange(0, 2).Draw(rt, "days on")
			amount := ledger.Paise(rapid.IntRange(1, 6).Draw(rt, "of") * 100)
			if rapid.Bool().Draw(rt, "debit") {
				amount = -amount
			}
			list = append(list, shown{min(on, 25), amount, rapid.SampledFrom(words).Draw(rt, "words"), fmt.Sprint("T", i)})
		}
		whole.bank(1, 26, 27, 100_000, list...)
		balance, from := ledger.Paise(100_000), 1
		for from <= 26 {
			to := min(26, from+rapid.IntRange(0, 9).Draw(rt, "days of a reading"))
			if rapid.Bool().Draw(rt, "asked before") { // and then again, whole
				split.bank(from, to, to, balance, within(list, from, max(from, to-1))...)
			}
			own := within(list, from, to)
			split.bank(from, to, 27, balance, own...)
			for _, s := range own {
				balance += s.amount
			}
			from = to + 1
		}
		a, b := whole.find(), split.find()
		if one, other := matchWords(whole, a), matchWords(split, b); one != other {
			rt.Errorf("one reading:\n%s\nseveral:\n%s", one, other)
		}
		shares := map[ledger.EntryRef]ledger.Paise{}
		for _, x := range a.Matches {
			if shares[x.Ref] += x.Share; shares[x.Ref] > x.Amount {
				rt.Errorf("%s of %s is shared as %s", x.Ref, x.Amount, shares[x.Ref])
			}
		}
		for _, o := range a.Open {
			if shares[o.Ref] > 0 && o.Why != reconcile.Claimed {
				rt.Errorf("%s is open and a payout's", o.Ref)
			}
		}
	})
}

func within(list []shown, from, to int) (some []shown) {
	for _, s := range list {
		if from <= s.day && s.day <= to {
			some = append(some, s)
		}
	}
	return some
}

// matchWords are matches and open lines by the bank's ids.
func matchWords(d *desk, m reconcile.Matching) string {
	var words []string
	for _, x := range m.Matches {
		words = append(words, fmt.Sprintf("%s of %d/%d by %s: %s %s", x.TransactionID, x.Of.PayoutID, x.Of.Number, x.By, x.Share, x.Why))
	}
	for _, o := range m.Open {
		words = append(words, fmt.Sprintf("%s %s %v", o.TransactionID, o.Why, o.Named))
	}
	slices.Sort(words)
	return strings.Join(words, "\n") + fmt.Sprintf("\n%d breaks", len(m.Breaks))
}

// TestDecisionsAboutOtherLinesCostALineNothing: people explain charges for years, and a statement has
// many lines.
func TestDecisionsAboutOtherLinesCostALineNothing(t *testing.T) {
	const lines, decisions = 200, 100
	piece := func(reading int64, line int, day string) ledger.StatementLine {
		return ledger.StatementLine{Ref: ledger.EntryRef{Reading: reading, Line: line}, Debit: true, Day: day, Amount: ledger.Paise(100*reading) + ledger.Paise(line)}
	}
	var in reconcile.Input
	for i := range lines {
		l := piece(2, i+1, "2031-11-05")
		kept := ledger.KeptLine{Ref: l.Ref, Day: l.Day}
		kept.Debit, kept.Amount = l.Debit, l.Amount
		in.Counted.Lines = append(in.Counted.Lines, kept)
	}
	allocs := func() float64 { return testing.AllocsPerRun(1, func() { reconcile.Find(in) }) }
	without := allocs()
	for i := range decisions {
		in.Explained = append(in.Explained, reconcile.Explained{PayoutID: 1, Piece: ledger.Piece{StatementLine: piece(1, i+1, "2030-01-05")}})
	}
	if more := allocs() - without; more > 20*(lines+decisions) {
		t.Errorf("%d decisions about other lines cost %d lines %.0f allocations", decisions, lines, more)
	}
}
