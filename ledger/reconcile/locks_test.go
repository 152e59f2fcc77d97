package reconcile_test

import "testing"

// What two readings, two names or two people say of one debit never frees the payout that
// it may have paid.
func TestADebitStaysALock(t *testing.T) {
	const utr = "N1234567890"
	failed := sent{"PAYE-0001", 100_00, "failed", ""}
	eachLocks(t, map[string]func(*desk){
		"of a part of the batch, and withdrawn since": func(d *desk) {
			d.batch(3, failed, sent{"PAYE-0002", 200_00, "success", ""}, sent{"PAYE-0003", 50_00, "success", ""})
			d.bank(1, 5, 5, 1000_00, shown{3, -50_00, "NEFT PAYE-0003", "T3"}, shown{3, -300_00, "BULK", "T1"})
			d.bank(1, 7, 7, 1000_00, shown{3, -50_00, "NEFT PAYE-0003", "T3"})
		},
		"of a part of the batch, and only a file shows it": func(d *desk) {
			d.batch(3, failed, sent{"PAYE-0002", 200_00, "success", ""}, sent{"PAYE-0003", 50_00, "success", ""})
			d.file(1, 5, true, 1000_00, shown{3, -50_00, "NEFT PAYE-0003", ""}, shown{3, -300_00, "BULK", ""})
			d.bank(1, 7, 7, 1000_00, shown{3, -50_00, "NEFT PAYE-0003", "T3"})
		},
		"explained, and named since": func(d *desk) {
			d.batch(3, failed)
			d.bank(1, 5, 5, 1000_00, shown{3, -100_00, "NEFT OUT", "T1"})
			d.explain(1, 1, 0)
			d.bank(1, 6, 6, 1000_00, shown{3, -100_00, "NEFT OUT PAYE-0001", "T1"})
		},
		"explained, withdrawn, and its UTR is told since": func(d *desk) {
			d.batch(3, failed)
			d.bank(1, 5, 5, 1000_00, shown{3, -100_00, "NEFT " + utr, "T1"})
			d.explain(1, 1, 0)
			d.bank(1, 7, 7, 1000_00)
			d.attempts[0].UTRs = []string{"n1234567890"}
		},
		"explained, and its UTR is told since": func(d *desk) {
			d.batch(3, failed)
			d.bank(1, 5, 5, 1000_00, shown{3, -100_00, "NEFT " + utr, "T1"})
			d.explain(1, 1, 0)
			d.attempts[0].UTRs = []string{"n1234567890"}
		},
		"explained before the sheet was loaded": func(d *desk) {
			d.bank(1, 5, 5, 1000_00, shown{3, -100_00, "NEFT PAYE-0001", "T1"})
			d.explain(1, 1, 0)
			d.batch(0, sent{"PAYE-0001", 100_00, "planned", ""})
		},
		"presented again under one id": func(d *desk) {
			d.batch(3, failed)
			d.bank(1, 5, 5, 1000_00, shown{3, -100_00, "NEFT PAYE-0001", "T1"}, shown{3, 100_00, "RETURN PAYE-0001", "T2"}, shown{3, -100_00, "NEFT PAYE-0001", "T1"})
		},
		"without an id, and the next day shows another's of that amount": func(d *desk) {
			d.batch(3, failed)
			d.batch(4, sent{"PAYE-0002", 100_00, "success", ""})
			d.bank(1, 3, 3, 1000_00, shown{3, -100_00, "NEFT PAYE-0001", ""})
			d.bank(1, 7, 7, 1000_00, shown{4, -100_00, "NEFT PAYE-0002", ""})
		},
		"under a name that the bank cut to another's, which was paid": func(d *desk) {
			d.batch(3, sent{"PAYE-00012", 100_00, "failed", ""}, sent{"PAYE-0001", 100_00, "success", ""})
			d.bank(1, 7, 7, 1000_00, shown{3, -100_00, "NEFT PAYE-0001", "T1"}, shown{3, -100_00, "NEFT PAYE-0001", "T2"})
		},
		"and two people said that it is the other's": func(d *desk) {
			d.batch(3, failed, sent{"PAYE-0002", 100_00, "success", ""})
			d.bank(1, 7, 7, 1000_00, shown{3, -100_00, "NEFT PAYE-0002", "T1"}, shown{3, -100_00, "NEFT", "T2"})
			d.explain(1, 2, 2)
		},
		"of the batch, and as much as a payout of another, which was paid": func(d *desk) {
			d.batch(3, failed, sent{"PAYE-0002", 200_00, "success", ""})
			d.batch(3, sent{"PAYE-0003", 300_00, "success", ""})
			d.bank(1, 7, 7, 1000_00, shown{3, -300_00, "NEFT", "T1"})
		},
		"by its name, under the UTR of all": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", utr}, sent{"PAYE-0002", 100_00, "success", utr})
			d.bank(1, 7, 7, 1000_00, shown{3, -100_00, "NEFT N1234567890 PAYE-0001", "T1"})
		},
		"of all under one UTR, and the other's came back": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", utr}, sent{"PAYE-0002", 100_00, "success", utr})
			d.bank(1, 7, 7, 1000_00, shown{3, -200_00, "NEFT N1234567890", "T1"}, shown{5, 100_00, "RETURN N1234567890 PAYE-0002", "T2"})
		},
		"and another's credit has zeros in place of a UTR": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", "000000000000"})
			d.bank(1, 7, 7, 1000_00, shown{3, -100_00, "NEFT PAYE-0001", "T1"}, shown{5, 250_00, "IMPS 000000000000 CUSTOMER", "T2"})
		},
		"and another's credit has words in place of a UTR": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", "not available"})
			d.bank(1, 7, 7, 1000_00, shown{3, -100_00, "NEFT PAYE-0001", "T1"}, shown{5, 250_00, "UPI NOT AVAILABLE", "T2"})
		},
		"by its name, under the UTR of another batch": func(d *desk) {
			d.batch(3, failed)
			d.batch(3, sent{"PAYE-0002", 100_00, "success", utr})
			d.bank(1, 7, 7, 1000_00, shown{3, -100_00, "NEFT N1234567890 PAYE-0001", "T1"})
		},
	})
}
