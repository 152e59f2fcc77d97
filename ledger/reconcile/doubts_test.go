package reconcile_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"payrun/ledger"
)

// Each has a debit of payout 1, which the bank calls failed, and that did not come back.
func TestADebitThatDidNotComeBackLocks(t *testing.T) {
	const utr = "N1234567890"
	failed := sent{"PAYE-0001", 100_00, "failed", ""}
	other := sent{"PAYE-0002", 100_00, "success", ""}
	eachLocks(t, map[string]func(*desk){
		"a refund under the order number that the customer paid with": func(d *desk) {
			d.batch(5, sent{"ORDER-100045", 100_00, "failed", ""})
			d.bank(1, 9, 10, 1000_00, shown{2, 100_00, "NEFT CR ORDER-100045", "T1"}, shown{5, -100_00, "NEFT ORDER-100045", "T2"})
		},
		"the same, debited in the total of its batch": func(d *desk) {
			d.batch(5, sent{"ORDER-100045", 100_00, "failed", ""}, sent{"ORDER-100046", 200_00, "success", ""})
			d.bank(1, 9, 10, 1000_00, shown{2, 100_00, "NEFT CR ORDER-100045", "T1"}, shown{5, -300_00, "BULK", "T2"})
		},
		"a reference without a digit is a word of a stranger's credit": func(d *desk) {
			d.batch(3, sent{"INTEREST", 100_00, "failed", ""})
			d.bank(1, 7, 7, 1000_00, shown{3, -100_00, "NEFT INTEREST", "T1"}, shown{5, 250_00, "INTEREST CREDIT", "T2"})
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
			d.file(1, 7, true, 1000_00, shown{3, -100_00, "NEFT PAYE-0001", ""}, shown{3, -100_00, "NEFT PAYE-0002", ""})
		},
		"presented again under one id in the next window of 30 days, and a jump far from it": func(d *desk) {
			d.batch(3, failed)
			d.bank(1, 15, 27, 1000_00, shown{3, -100_00, "NEFT PAYE-0001", "T1"}, shown{5, 100_00, "RETURN PAYE-0001", "T2"})
			d.bank(16, 26, 27, 1500_00, shown{16, 1_00, "INT", "T8"}, shown{20, -100_00, "NEFT PAYE-0001", "T1"})
		},
		"its return dated again, before it was presented again": func(d *desk) {
			d.batch(1, failed)
			d.bank(1, 3, 4, 1000_00, shown{1, -100_00, "NEFT PAYE-0001", "T1"}, shown{3, 100_00, "RETURN PAYE-0001", "T2"})
			d.bank(4, 5, 6, 900_00, shown{4, 100_00, "RETURN PAYE-0001", "T2"}, shown{4, -100_00, "NEFT PAYE-0001", "T3"})
		},
		"by its name, less the bank's fee": func(d *desk) {
			d.batch(3, failed)
			d.bank(1, 7, 8, 1000_00, shown{3, -99_00, "NEFT PAYE-0001", "T1"})
		},
	})
}

// locksOf are the locks of a payout as ledger.Locks says them.
func (d *desk) locksOf(payout int64) []ledger.Lock {
	m := d.find()
	var all []ledger.AttemptRecord
	for _, s := range d.shownOf(m) {
		if s.PayoutID != payout {
			continue
		}
		r := ledger.AttemptRecord{Statement: s.Evidence(m)}
		r.ID, r.Number, r.Amount, r.State = s.PayoutID, s.Number, s.Amount, s.State
		r.Batch.State = ledger.BatchSubmitted
		r.Submit = &ledger.Intent{At: ledger.BankDayBegins(s.First)}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b ledger.AttemptRecord) int { return cmp.Compare(a.Number, b.Number) })
	return ledger.Locks(all)
}

// eachLocks holds that each story has a debit of payout 1, and that it locks the payout.
func eachLocks(t *testing.T, stories map[string]func(*desk)) {
	for name, play := range stories {
		t.Run(name, func(t *testing.T) {
			d := &desk{TB: t}
			play(d)
			out, why := d.out(1)
			if locks := d.locksOf(1); len(locks) == 0 || out <= 0 && why == "" {
				_, report := d.report()
				t.Errorf("nothing locks it: %v, %s out %s; report: %s; %+v", locks, out, why, report, d.evidence(1, 1).Matches)
			}
		})
	}
}

// Each has a debit of payout 1 that did not come back.
func TestNothingFreesADebitThatDidNotComeBack(t *testing.T) {
	const utr = "N1234567890"
	failed := sent{"PAYE-0001", 100_00, "failed", ""}
	other := sent{"PAYE-0002", 100_00, "success", ""}
	eachLocks(t, map[string]func(*desk){
		"two parts less fees": func(d *desk) {
			d.batch(3, failed)
			d.bank(1, 7, 8, 1000_00, shown{3, -50_00, "NEFT PAYE-0001", "T1"}, shown{3, -49_00, "NEFT PAYE-0001", "T2"})
		},
		"short name, less fee": func(d *desk) {
			d.batch(3, sent{"A12", 100_00, "failed", ""})
			d.bank(1, 7, 8, 1000_00, shown{3, -99_00, "NEFT A12", "T1"})
		},
		"nine words less fee": func(d *desk) {
			d.batch(3, sent{"AB-CD-EF-GH-IJ-KL-MN-OP-01", 100_00, "failed", ""})
			d.bank(1, 7, 8, 1000_00, shown{3, -99_00, "NEFT AB-CD-EF-GH-IJ-KL-MN-OP-01", "T1"})
		},
		"customer paid the same day, before the refund": func(d *desk) {
			d.batch(5, sent{"ORDER-100045", 100_00, "failed", ""})
			d.bank(1, 9, 10, 1000_00, shown{5, 100_00, "NEFT CR ORDER-100045", "T1"}, shown{5, -100_00, "NEFT ORDER-100045", "T2"})
		},
		"customer paid the day before, batch total": func(d *desk) {
			d.batch(5, sent{"ORDER-100045", 100_00, "failed", ""}, sent{"ORDER-100046", 200_00, "success", ""})
			d.bank(1, 9, 10, 1000_00, shown{4, 100_00, "NEFT CR ORDER-100045", "T1"}, shown{5, -300_00, "BULK", "T2"})
		},
		"customer paid the same day, batch total": func(d *desk) {
			d.batch(5, sent{"ORDER-100045", 100_00, "failed", ""}, sent{"ORDER-100046", 200_00, "success", ""})
			d.bank(1, 9, 10, 1000_00, shown{5, 100_00, "NEFT CR ORDER-100045", "T1"}, shown{6, -300_00, "BULK", "T2"})
		},
		"paid one nameless with charges": func(d *desk) {
			d.batch(3, failed)
			d.batch(3, other)
			d.bank(1, 7, 8, 1000_00, shown{3, -102_36, "NEFT", "T1"}, shown{3, -100_00, "NEFT", "T2"})
		},
		"whole batch with fees": func(d *desk) {
			d.batch(3, failed)
			d.batch(3, other, sent{"PAYE-0003", 200_00, "success", ""})
			d.bank(1, 7, 8, 1000_00, shown{3, -302_36, "BULK", "T1"}, shown{3, -100_00, "NEFT", "T2"})
		},
		"bulk debit that names one of its payouts": func(d *desk) {
			d.batch(3, failed)
			d.batch(3, other, sent{"PAYE-0003", 200_00, "success", ""}, sent{"PAYE-0004", 50_00, "success", ""})
			d.bank(1, 7, 8, 1000_00, shown{3, -350_00, "BULK PAYE-0004", "T1"}, shown{3, -100_00, "NEFT", "T2"})
		},
		"bulk posted after a weekend": func(d *desk) {
			d.batch(3, failed)
			d.batch(3, other, sent{"PAYE-0003", 200_00, "success", ""}, sent{"PAYE-0004", 50_00, "success", ""})
			d.bank(1, 9, 10, 1000_00, shown{3, -50_00, "NEFT PAYE-0004", "T1"}, shown{3, -100_00, "NEFT", "T2"}, shown{5, -300_00, "BULK", "T3"})
		},
		"shared UTR, the other came back before its status says so": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", utr}, sent{"PAYE-0002", 100_00, "success", utr})
			d.bank(1, 7, 8, 1000_00, shown{3, -200_00, "NEFT " + utr, "T1"}, shown{5, 100_00, "RETURN " + utr, "T2"})
		},
		"only in file, in other words than the bank's": func(d *desk) {
			d.batch(3, failed, other)
			d.bank(1, 7, 8, 1000_00, shown{3, -100_00, "NEFT PAYE-0002", "T1"})
			d.file(1, 7, true, 1000_00, shown{3, -100_00, "BY NEFT PAYE-0001 RAO", ""}, shown{3, -100_00, "BY NEFT PAYE-0002 RAO", ""})
		},
		"file 2 lacks what file 1 had": func(d *desk) {
			d.batch(3, failed, other)
			d.file(1, 5, true, 1000_00, shown{3, -100_00, "NEFT PAYE-0001", ""})
			d.file(1, 7, true, 1000_00, shown{3, -100_00, "NEFT PAYE-0002", ""})
		},
		"the other returned, its netted": func(d *desk) {
			d.batch(3, failed)
			d.batch(3, sent{"PAYE-0002", 100_00, "returned", ""})
			d.bank(1, 7, 8, 1000_00, shown{3, -100_00, "NEFT", "T1"})
		},
		"a batch's members and its total are all there": func(d *desk) {
			d.batch(1, sent{"PAYE-0001", 300_00, "failed", ""})
			d.batch(4, sent{"PAYE-0002", 150_00, "success", ""}, sent{"PAYE-0003", 150_00, "success", ""})
			d.bank(1, 9, 10, 1000_00, shown{4, -300_00, "NEFT", "T1"}, shown{4, -150_00, "NEFT", "T2"}, shown{4, -150_00, "NEFT", "T3"})
		},
		"explained as its own, less fee, and withdrawn": func(d *desk) {
			d.batch(3, failed)
			d.bank(1, 5, 5, 1000_00, shown{3, -99_00, "NEFT OUT", "T1"})
			d.explain(1, 1, 1)
			d.bank(1, 7, 7, 1000_00)
		},
		"explained as its own, less fee, and only in a file since": func(d *desk) {
			d.batch(3, failed)
			d.file(1, 5, true, 1000_00, shown{3, -99_00, "NEFT OUT", ""})
			d.explain(1, 1, 1)
			d.bank(1, 7, 7, 1000_00)
		},
		"explained as its own, and dated again": func(d *desk) {
			d.batch(3, failed)
			d.bank(1, 5, 5, 1000_00, shown{3, -99_00, "NEFT OUT", "T1"})
			d.explain(1, 1, 1)
			d.bank(1, 7, 7, 1000_00, shown{4, -99_00, "NEFT OUT", "T1"})
		},
		"explained as its own, and the newest reading words it otherwise": func(d *desk) {
			d.batch(3, failed)
			d.bank(1, 5, 5, 1000_00, shown{3, -99_00, "NEFT OUT", "T1"})
			d.explain(1, 1, 1)
			d.bank(1, 7, 7, 1000_00, shown{3, -99_00, "NEFT OUT RAO", "T1"})
		},
		"another's line was explained, and this one is in its place since": func(d *desk) {
			d.batch(3, failed)
			d.batch(3, sent{"PAYE-0002", 100_00, "pending", ""})
			d.bank(1, 5, 5, 1000_00, shown{3, -100_00, "NEFT OUT", ""})
			d.explain(1, 1, 2)
			d.attempts[1].State = ledger.PayoutSuccess
			d.bank(1, 7, 7, 1000_00, shown{3, -100_00, "NEFT TRANSFER", ""})
		},
		"a credit explained as its own, which the bank names another's since": func(d *desk) {
			d.batch(3, failed, sent{"PAYE-0002", 100_00, "success", ""})
			d.bank(1, 6, 6, 1000_00, shown{3, -100_00, "NEFT PAYE-0001", "T1"}, shown{3, -100_00, "NEFT PAYE-0002", "T2"}, shown{5, 100_00, "RETURN " + utr, "T3"})
			d.explain(1, 3, 1)
			d.bank(1, 7, 7, 1000_00, shown{3, -100_00, "NEFT PAYE-0001", "T1"}, shown{3, -100_00, "NEFT PAYE-0002", "T2"}, shown{5, 100_00, "RETURN " + utr, "T3"})
			d.attempts[1].UTRs = []string{strings.ToLower(utr)}
		},
		"two payouts of other batches, one credit by a UTR told of both": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", utr})
			d.batch(3, sent{"PAYE-0002", 100_00, "success", utr})
			d.bank(1, 7, 8, 1000_00, shown{3, -100_00, "NEFT PAYE-0001", "T1"}, shown{3, -100_00, "NEFT PAYE-0002", "T2"}, shown{5, 100_00, "RETURN " + utr, "T3"})
		},
		"returned, a second debit less fee by name": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "returned", ""})
			d.bank(1, 9, 10, 1000_00, shown{3, -100_00, "NEFT PAYE-0001", "T1"}, shown{5, 100_00, "RETURN PAYE-0001", "T2"}, shown{6, -49_00, "NEFT PAYE-0001", "T3"}, shown{6, -50_00, "NEFT PAYE-0001", "T4"})
		},
		"late, the same day as another paid one whose debit has charges": func(d *desk) {
			d.batch(1, failed)
			d.batch(5, other)
			d.bank(1, 9, 10, 1000_00, shown{5, -100_00, "NEFT", "T1"}, shown{5, -102_36, "NEFT", "T2"})
		},
		"details: a booking of two, one of them less its fee": func(d *desk) {
			d.batch(3, failed, other)
			d.bank(1, 9, 10, 1000_00, shown{3, -199_00, "BULK", "T1"})
			d.lines[0].Details = []ledger.EntryDetail{{Amount: 49_00, Remarks: "PAYE-0001"}, {Amount: 50_00, Remarks: "PAYE-0001"}, {Amount: 100_00, Remarks: "PAYE-0002"}}
		},
		"cut name of a second attempt, first returned": func(d *desk) {
			b := d.batch(1, sent{"PAYE-0001", 100_00, "returned", ""})
			d.again(b, 2, 8, sent{"PAYE-0001-R2", 100_00, "failed", ""})
			d.bank(1, 12, 13, 1000_00, shown{8, -100_00, "NEFT PAYE-0001", "T1"})
		},
		"cut name; the first one's debit and credit are a bulk's": func(d *desk) {
			b := d.batch(1, sent{"PAYE-0001", 100_00, "returned", ""}, sent{"PAYE-0002", 200_00, "success", ""}, sent{"PAYE-0003", 50_00, "success", ""})
			d.again(b, 2, 8, sent{"PAYE-0001-R2", 100_00, "failed", ""})
			d.bank(1, 12, 13, 1000_00, shown{1, -50_00, "NEFT PAYE-0003", "T4"}, shown{1, -300_00, "BULK", "T1"}, shown{3, 100_00, "RETURN", "T2"}, shown{8, -100_00, "NEFT PAYE-0001", "T3"})
		},
	})
}

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
