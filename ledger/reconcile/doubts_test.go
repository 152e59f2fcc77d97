package reconcile_test

import "testing"

// Each has a debit of payout 1, which the bank calls failed, and that did not come back.
func TestADebitThatDidNotComeBackLocks(t *testing.T) {
	const utr = "N1234567890"
	failed := sent{"PAYE-0001", 100_00, "failed", ""}
	other := sent{"PAYE-0002", 100_00, "success", ""}
	for name, play := range map[string]func(*desk){
		"a refund under the order number that the customer paid with": func(d *desk) {
			d.batch(5, sent{"ORDER-100045", 100_00, "failed", ""})
			d.bank(1, 9, 10, 1000_00, shown{2, 100_00, "NEFT CR ORDER-100045", "T1"}, shown{5, -100_00, "NEFT ORDER-100045", "T2"})
		},
		"the same, debited in the total of its batch": func(d *desk) {
			d.batch(5, sent{"ORDER-100045", 100_00, "failed", ""}, sent{"ORDER-100046", 200_00, "success", ""})
			d.bank(1, 9, 10, 1000_00, shown{2, 100_00, "NEFT CR ORDER-100045", "T1"}, shown{5, -300_00, "BULK", "T2"})
		},
		"a short reference is a word of a stranger's credit": func(d *desk) {
			d.batch(3, sent{"12", 15_000_00, "failed", ""})
			d.bank(1, 9, 10, 100_000_00, shown{3, -15_000_00, "NEFT 12", "T1"}, shown{6, 15_000_00, "UPI RAO 12 MG ROAD", "T2"})
		},
		"nameless; the paid one of that amount was debited with its charges": func(d *desk) {
			d.batch(3, failed)
			d.batch(3, other)
			d.bank(1, 7, 8, 1000_00, shown{3, -102_36, "NEFT PAYE-0002", "T1"}, shown{3, -100_00, "NEFT", "T2"})
		},
		"the same, posted late": func(d *desk) {
			d.batch(3, failed)
			d.batch(6, other)
			d.bank(1, 9, 10, 1000_00, shown{6, -102_36, "NEFT PAYE-0002", "T1"}, shown{6, -100_00, "NEFT", "T2"})
		},
		"nameless; the paid one was debited in two parts": func(d *desk) {
			d.batch(3, failed)
			d.batch(3, other)
			d.bank(1, 7, 8, 1000_00, shown{3, -60_00, "NEFT PAYE-0002", "T1"}, shown{3, -40_00, "NEFT PAYE-0002", "T3"}, shown{3, -100_00, "NEFT", "T2"})
		},
		"nameless; the paid one was debited in one line that names two": func(d *desk) {
			d.batch(3, failed)
			d.batch(3, other, sent{"PAYE-0003", 50_00, "success", ""})
			d.bank(1, 7, 8, 1000_00, shown{3, -150_00, "NEFT PAYE-0002 PAYE-0003", "T1"}, shown{3, -100_00, "NEFT", "T2"})
		},
		"nameless; the paid one went out in a bulk debit of a part of its batch": func(d *desk) {
			d.batch(3, failed)
			d.batch(3, other, sent{"PAYE-0003", 200_00, "success", ""}, sent{"PAYE-0004", 50_00, "success", ""})
			d.bank(1, 7, 8, 1000_00, shown{3, -50_00, "NEFT PAYE-0004", "T1"}, shown{3, -300_00, "BULK", "T2"}, shown{3, -100_00, "NEFT", "T3"})
		},
		"under the UTR of all, and the other came back": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", utr}, sent{"PAYE-0002", 100_00, "returned", utr})
			d.bank(1, 7, 8, 1000_00, shown{3, -100_00, "NEFT N1234567890", "T1"}, shown{3, -100_00, "NEFT N1234567890", "T2"}, shown{5, 100_00, "RETURN N1234567890 PAYE-0002", "T3"})
		},
		"under a name cut to another's, which came back": func(d *desk) {
			d.batch(3, sent{"PAYE-00012", 100_00, "failed", ""}, sent{"PAYE-0001", 100_00, "returned", ""})
			d.bank(1, 7, 8, 1000_00, shown{3, -100_00, "NEFT PAYE-0001", "T1"}, shown{3, -100_00, "NEFT PAYE-0001", "T2"}, shown{5, 100_00, "RETURN PAYE-0001", "T3"})
		},
		"under a name cut to another's, which failed too": func(d *desk) {
			d.batch(3, sent{"PAYE-00012", 100_00, "failed", ""}, sent{"PAYE-0001", 100_00, "failed", ""})
			d.bank(1, 7, 8, 1000_00, shown{3, -100_00, "NEFT PAYE-0001", "T1"})
		},
		"posted late, while another of that amount is pending": func(d *desk) {
			d.batch(1, failed)
			d.batch(4, sent{"PAYE-0002", 100_00, "pending", ""})
			d.bank(1, 7, 8, 1000_00, shown{4, -100_00, "NEFT", "T1"})
		},
		"posted late, while a batch of that total is in doubt": func(d *desk) {
			d.batch(1, sent{"PAYE-0001", 300_00, "failed", ""})
			d.batch(4, sent{"PAYE-0002", 100_00, "request_initiated", ""}, sent{"PAYE-0003", 200_00, "request_initiated", ""})
			d.bank(1, 7, 8, 1000_00, shown{4, -300_00, "BULK", "T1"})
		},
		"only a file shows it, beside another's of that amount": func(d *desk) {
			d.batch(3, failed, other)
			d.bank(1, 7, 8, 1000_00, shown{3, -100_00, "NEFT PAYE-0002", "T1"})
			if err := d.file(1, 7, true, 1000_00, shown{3, -100_00, "NEFT PAYE-0001", ""}, shown{3, -100_00, "NEFT PAYE-0002", ""}); err != nil {
				t.Fatal(err)
			}
		},
		"presented again under one id in the next window of 30 days, and a jump far from it": func(d *desk) {
			d.batch(3, failed)
			d.bank(1, 15, 27, 1000_00, shown{3, -100_00, "NEFT PAYE-0001", "T1"}, shown{5, 100_00, "RETURN PAYE-0001", "T2"})
			d.bank(16, 26, 27, 1500_00, shown{16, 1_00, "INT", "T8"}, shown{20, -100_00, "NEFT PAYE-0001", "T1"})
		},
		"its return dated anew, before it was presented again": func(d *desk) {
			d.batch(1, failed)
			d.bank(1, 3, 4, 1000_00, shown{1, -100_00, "NEFT PAYE-0001", "T1"}, shown{3, 100_00, "RETURN PAYE-0001", "T2"})
			d.bank(4, 5, 6, 900_00, shown{4, 100_00, "RETURN PAYE-0001", "T2"}, shown{4, -100_00, "NEFT PAYE-0001", "T3"})
		},
		"by its name, less the bank's fee": func(d *desk) {
			d.batch(3, failed)
			d.bank(1, 7, 8, 1000_00, shown{3, -99_00, "NEFT PAYE-0001", "T1"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := &desk{TB: t}
			play(d)
			if out, why := d.out(1); out <= 0 && why == "" {
				t.Error("nothing locks it")
			}
		})
	}
}
