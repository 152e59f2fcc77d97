package reconcile_test

import (
	"strings"
	"testing"

	"payrun/ledger"
)

func TestADebitInAnotherOrderOrFormLocks(t *testing.T) {
	const shared = "N1234567890"
	failed := sent{"PAYE-0001", 100_00, "failed", ""}
	eachLocks(t, map[string]func(*desk){
		"paid one with charges; the charged amount equals a pending one": func(d *desk) {
			d.batch(3, failed)
			d.batch(3, sent{"PAYE-0002", 100_00, "success", ""})
			d.batch(3, sent{"PAYE-0003", 118_00, "pending", ""})
			d.bank(1, 7, 8, 1000_00, shown{3, -118_00, "NEFT", "T1"}, shown{3, -100_00, "NEFT", "T2"})
		},
		"the same, disputed": func(d *desk) {
			d.batch(3, failed)
			d.batch(3, sent{"PAYE-0002", 100_00, "success", ""})
			d.batch(3, sent{"PAYE-0003", 118_00, "disputed", ""})
			d.bank(1, 7, 8, 1000_00, shown{3, -118_00, "NEFT", "T1"}, shown{3, -100_00, "NEFT", "T2"})
		},
		"bulk of a part equals a pending single": func(d *desk) {
			d.batch(3, failed)
			d.batch(3, sent{"PAYE-0002", 100_00, "success", ""}, sent{"PAYE-0003", 200_00, "success", ""}, sent{"PAYE-0004", 50_00, "success", ""})
			d.batch(3, sent{"PAYE-0005", 300_00, "pending", ""})
			d.bank(1, 7, 8, 1000_00, shown{3, -50_00, "NEFT PAYE-0004", "T1"}, shown{3, -300_00, "BULK", "T2"}, shown{3, -100_00, "NEFT", "T3"})
		},
		"with charges; the charged amount equals a returned one without credit": func(d *desk) {
			d.batch(3, failed)
			d.batch(3, sent{"PAYE-0002", 100_00, "success", ""})
			d.batch(3, sent{"PAYE-0003", 118_00, "returned", ""})
			d.bank(1, 7, 8, 1000_00, shown{3, -118_00, "NEFT", "T1"}, shown{3, -100_00, "NEFT", "T2"})
		},
		"listed newest first within the day: customer's payment, then debit": func(d *desk) {
			d.batch(5, sent{"ORDER-100045", 100_00, "failed", ""})
			d.lists([]listed{{2, 1_00, 1001_00, "INT"}, {5, -100_00, 1001_00, "NEFT ORDER-100045"}, {5, 100_00, 1101_00, "NEFT CR ORDER-100045"}, {6, 1_00, 1002_00, "INT"}})
		},
		"days onward, newest first within each: customer's payment, fee, then debit": func(d *desk) {
			d.batch(5, sent{"ORDER-100045", 100_00, "failed", ""})
			d.lists([]listed{{1, 1_00, 1001_00, "INT"}, {2, 1_00, 1002_00, "INT"}, {3, 1_00, 1003_00, "INT"}, {4, 1_00, 1004_00, "INT"},
				{5, -100_00, 999_00, "NEFT ORDER-100045"}, {5, -5_00, 1099_00, "FEE"}, {5, 100_00, 1104_00, "NEFT CR ORDER-100045"}, {6, 1_00, 1000_00, "INT"}})
		},
		"nameless, and a returned one without a credit": func(d *desk) {
			d.batch(3, failed)
			d.batch(3, sent{"ORDER-100045", 100_00, "returned", ""})
			d.bank(1, 7, 8, 1000_00, shown{3, -100_00, "NEFT", "T2"})
		},
		"nameless; the returned one's customer had paid under its name": func(d *desk) {
			d.batch(3, failed)
			d.batch(3, sent{"ORDER-100045", 100_00, "returned", ""})
			d.bank(1, 7, 8, 1000_00, shown{1, 100_00, "NEFT CR ORDER-100045", "T1"}, shown{3, -100_00, "NEFT", "T2"})
		},
		"nameless; a partial credit of a returned one": func(d *desk) {
			d.batch(3, failed)
			d.batch(3, sent{"ORDER-100045", 100_00, "returned", ""})
			d.bank(1, 7, 8, 1000_00, shown{3, -100_00, "NEFT", "T2"}, shown{5, 1_00, "CHG REV ORDER-100045", "T1"})
		},
		"nameless; only a file shows a credit of the returned one": func(d *desk) {
			d.batch(3, failed)
			d.batch(3, sent{"ORDER-100045", 100_00, "returned", ""})
			d.bank(4, 7, 8, 900_00, shown{4, 1_00, "INT", "T2"})
			d.file(1, 3, true, 900_00, shown{1, 100_00, "NEFT CR ORDER-100045", ""}, shown{3, -100_00, "NEFT", ""})
		},
		"in a file before a bank reading that lags": func(d *desk) {
			d.batch(5, sent{"ORDER-100045", 100_00, "failed", ""})
			d.file(1, 5, true, 1000_00, shown{5, 100_00, "NEFT CR ORDER-100045", ""}, shown{5, -100_00, "NEFT ORDER-100045", ""})
			d.bank(1, 5, 5, 1000_00, shown{5, 100_00, "NEFT CR ORDER-100045", ""})
		},
		"newest first within day, equal amounts": func(d *desk) {
			d.batch(5, sent{"ORDER-100045", 100_00, "failed", ""})
			// truth: INT +1, RENT -100, customer +100, debit -100, deposit +100
			d.lists([]listed{{1, 1_00, 996_00, "INT"}, {2, 1_00, 997_00, "INT"}, {3, 1_00, 998_00, "INT"}, {4, 1_00, 999_00, "INT"},
				{5, 100_00, 1000_00, "DEPOSIT"}, {5, -100_00, 900_00, "NEFT ORDER-100045"}, {5, 100_00, 1000_00, "NEFT CR ORDER-100045"}, {5, -100_00, 900_00, "RENT"}, {5, 1_00, 1000_00, "INT"},
				{6, 1_00, 1001_00, "INT"}, {7, 1_00, 1002_00, "INT"}})
		},
		"newest first within day, equal amounts, fewer": func(d *desk) {
			d.batch(5, sent{"ORDER-100045", 100_00, "failed", ""})
			d.lists([]listed{{1, 1_00, 995_00, "INT"}, {2, 1_00, 996_00, "INT"}, {3, 1_00, 997_00, "INT"}, {3, 1_00, 998_00, "INT"}, {4, 1_00, 999_00, "INT"},
				{5, -100_00, 900_00, "NEFT ORDER-100045"}, {5, 100_00, 1000_00, "NEFT CR ORDER-100045"}, {5, -100_00, 900_00, "RENT"}, {5, 1_00, 1000_00, "INT"},
				{6, 1_00, 901_00, "INT"}, {7, 1_00, 902_00, "INT"}})
		},
		"newest first within day, fee at end": func(d *desk) {
			d.batch(5, sent{"ORDER-100045", 100_00, "failed", ""})
			d.lists([]listed{{1, 1_00, 996_00, "INT"}, {2, 1_00, 997_00, "INT"}, {3, 1_00, 998_00, "INT"}, {4, 1_00, 999_00, "INT"},
				{5, -5_00, 995_00, "FEE"}, {5, -100_00, 1000_00, "NEFT ORDER-100045"}, {5, 100_00, 1100_00, "NEFT CR ORDER-100045"}, {5, 1_00, 1000_00, "INT"},
				{6, 1_00, 996_00, "INT"}, {7, 1_00, 997_00, "INT"}})
		},
		"newest first within day, the other equal one is paid": func(d *desk) {
			d.batch(5, sent{"ORDER-100045", 100_00, "failed", ""}, sent{"ORDER-100046", 100_00, "success", ""})
			d.lists([]listed{{1, 1_00, 995_00, "INT"}, {2, 1_00, 996_00, "INT"}, {3, 1_00, 997_00, "INT"}, {3, 1_00, 998_00, "INT"}, {4, 1_00, 999_00, "INT"},
				{5, -100_00, 900_00, "NEFT ORDER-100045"}, {5, 100_00, 1000_00, "NEFT CR ORDER-100045"}, {5, -100_00, 900_00, "NEFT ORDER-100046"}, {5, 1_00, 1000_00, "INT"},
				{6, 1_00, 901_00, "INT"}, {7, 1_00, 902_00, "INT"}})
		},
		"a bank's withdrawn line, and a file's of the next day of another name": func(d *desk) {
			d.batch(3, failed)
			d.batch(4, sent{"PAYE-0002", 100_00, "success", ""})
			d.bank(1, 3, 3, 1000_00, shown{2, 1_00, "INT", "T0"}, shown{3, -100_00, "NEFT PAYE-0001", "T1"})
			d.bank(1, 3, 4, 1000_00, shown{2, 1_00, "INT", "T0"})
			d.file(4, 5, true, 1001_00, shown{4, -100_00, "NEFT PAYE-0002", ""})
		},
		"the same without the file": func(d *desk) {
			d.batch(3, failed)
			d.batch(4, sent{"PAYE-0002", 100_00, "success", ""})
			d.bank(1, 3, 3, 1000_00, shown{2, 1_00, "INT", "T0"}, shown{3, -100_00, "NEFT PAYE-0001", "T1"})
			d.bank(1, 3, 4, 1000_00, shown{2, 1_00, "INT", "T0"})
		},
		"same day, a partial reading and a file": func(d *desk) {
			d.batch(3, failed)
			d.batch(3, sent{"PAYE-0002", 100_00, "success", ""})
			d.bank(1, 3, 3, 1000_00, shown{2, 1_00, "INT", "T0"}, shown{3, -100_00, "NEFT PAYE-0001", "T1"})
			d.bank(1, 3, 3, 1000_00, shown{2, 1_00, "INT", "T0"})
			d.file(3, 5, true, 1001_00, shown{3, -100_00, "NEFT PAYE-0002", ""})
		},
		"same day, without the file": func(d *desk) {
			d.batch(3, failed)
			d.batch(3, sent{"PAYE-0002", 100_00, "success", ""})
			d.bank(1, 3, 3, 1000_00, shown{2, 1_00, "INT", "T0"}, shown{3, -100_00, "NEFT PAYE-0001", "T1"})
			d.bank(1, 3, 3, 1000_00, shown{2, 1_00, "INT", "T0"})
		},
		"one UTR on each line, the paid one came back by name, status still success": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", shared}, sent{"PAYE-0002", 100_00, "success", shared})
			d.bank(1, 7, 8, 1000_00, shown{3, -100_00, "NEFT " + shared, "T1"}, shown{3, -100_00, "NEFT " + shared, "T2"}, shown{5, 100_00, "RETURN PAYE-0002", "T3"})
		},
		"one UTR on each line: status returned": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", shared}, sent{"PAYE-0002", 100_00, "returned", shared})
			d.bank(1, 7, 8, 1000_00, shown{3, -100_00, "NEFT " + shared, "T1"}, shown{3, -100_00, "NEFT " + shared, "T2"}, shown{5, 100_00, "RETURN PAYE-0002", "T3"})
		},
		"one UTR on each line: no return": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", shared}, sent{"PAYE-0002", 100_00, "success", shared})
			d.bank(1, 7, 8, 1000_00, shown{3, -100_00, "NEFT " + shared, "T1"}, shown{3, -100_00, "NEFT " + shared, "T2"})
		},
		"cut name, paid one came back by name, status still success": func(d *desk) {
			d.batch(3, sent{"PAYE-00012", 100_00, "failed", ""}, sent{"PAYE-0001", 100_00, "success", ""})
			d.bank(1, 7, 8, 1000_00, shown{3, -100_00, "NEFT PAYE-0001", "T1"}, shown{3, -100_00, "NEFT PAYE-0001", "T2"}, shown{5, 100_00, "RETURN PAYE-0001", "T3"})
		},
		"one UTR told of all; failed one was carried out; pending one was not": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", shared}, sent{"PAYE-0002", 200_00, "success", shared}, sent{"PAYE-0003", 100_00, "pending", shared})
			d.bank(1, 7, 8, 1000_00, shown{3, -300_00, "BULK " + shared, "T1"})
		},
		"bulk, one pending, without UTR in line": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", shared}, sent{"PAYE-0002", 200_00, "success", shared}, sent{"PAYE-0003", 100_00, "pending", shared})
			d.bank(1, 7, 8, 1000_00, shown{3, -300_00, "BULK", "T1"})
		},
		"one UTR not told of the failed one, which was carried out": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", ""}, sent{"PAYE-0002", 200_00, "success", shared}, sent{"PAYE-0003", 100_00, "pending", shared})
			d.bank(1, 7, 8, 1000_00, shown{3, -300_00, "BULK " + shared, "T1"})
		},
		"one UTR told of all; the third one is disputed": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", shared}, sent{"PAYE-0002", 200_00, "success", shared}, sent{"PAYE-0003", 100_00, "disputed", shared})
			d.bank(1, 7, 8, 1000_00, shown{3, -300_00, "BULK " + shared, "T1"})
		},
		"one UTR told of all; the third one is returned without its credit": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", shared}, sent{"PAYE-0002", 200_00, "success", shared}, sent{"PAYE-0003", 100_00, "returned", shared})
			d.bank(1, 7, 8, 1000_00, shown{3, -300_00, "BULK " + shared, "T1"})
		},
		"bulk, returned, nameless": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", shared}, sent{"PAYE-0002", 200_00, "success", shared}, sent{"PAYE-0003", 100_00, "returned", shared})
			d.bank(1, 7, 8, 1000_00, shown{3, -300_00, "BULK", "T1"})
		},
		"single UTR line, equal": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", shared}, sent{"PAYE-0003", 100_00, "pending", shared})
			d.bank(1, 7, 8, 1000_00, shown{3, -100_00, "NEFT " + shared, "T1"})
		},
		"batch total with charges, failed": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", ""}, sent{"PAYE-0002", 200_00, "success", ""})
			d.bank(1, 7, 8, 1000_00, shown{3, -318_00, "BULK", "T1"})
		},
	})
}

// listed is a line where the bank lists it, with the balance after it.
type listed struct {
	day     int
	amount  int64
	closing int64
	words   string
}

func (d *desk) lists(list []listed) {
	var entries []ledger.StatementEntry
	for _, s := range list {
		entries = append(entries, ledger.StatementEntry{Debit: s.amount < 0, Amount: ledger.Paise(max(s.amount, -s.amount)), Closing: ledger.Paise(s.closing), Transacted: day(s.day), Remarks: s.words})
	}
	d.reading(ledger.StatementRead{BankAccountID: "acc", Source: ledger.FromInterface, Shape: ledger.ShapeEntries, From: day(1), To: day(7), At: at(8, 20), Entries: entries})
}

// Honest months: payout 1 failed or was returned, and nothing may lock it.
func TestAnHonestMonthLocksNothing(t *testing.T) {
	const utr = "N1234567890"
	for name, play := range map[string]func(*desk){
		"same-day reversal with a fee between, days onward, newest first within each": func(d *desk) {
			d.batch(5, sent{"PAYE-0001", 100_00, "failed", ""})
			d.lists([]listed{{1, 1_00, 1001_00, "INT"}, {2, 1_00, 1002_00, "INT"}, {3, 1_00, 1003_00, "INT"}, {4, 1_00, 1004_00, "INT"},
				{5, 100_00, 999_00, "REV PAYE-0001"}, {5, -5_00, 899_00, "FEE"}, {5, -100_00, 904_00, "NEFT PAYE-0001"}, {6, 1_00, 1000_00, "INT"}})
		},
		"day in part, names differ, and a fee": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", utr})
			d.bank(1, 3, 3, 1000_00, shown{2, 1_00, "INT", "T0"}, shown{3, -100_00, "NEFT N1234567890", "T1"}, shown{3, 100_00, "RETURN N1234567890", "T2"}, shown{3, -1_00, "FEE", "T3"})
			d.file(1, 3, true, 1000_00, shown{2, 1_00, "INT", ""}, shown{3, -100_00, "NEFT PAYE-0001", ""}, shown{3, 100_00, "RETURN PAYE-0001", ""}, shown{3, -1_00, "FEE", ""})
		},
		"the file names by reference what the bank names by UTR": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", utr})
			d.bank(1, 7, 8, 1000_00, shown{3, -100_00, "NEFT N1234567890", "T1"}, shown{5, 100_00, "RETURN N1234567890", "T2"})
			d.file(1, 7, true, 1000_00, shown{3, -100_00, "NEFT PAYE-0001", ""}, shown{5, 100_00, "RETURN PAYE-0001", ""})
		},
		"the file has a serial number of its own": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", utr})
			d.bank(1, 7, 8, 1000_00, shown{3, -100_00, "NEFT N1234567890", "T1"}, shown{5, 100_00, "RETURN N1234567890", "T2"})
			d.file(1, 7, true, 1000_00, shown{3, -100_00, "TRF 03112031 SL00017", ""}, shown{5, 100_00, "TRF RETURN", ""})
		},
		"the same, the bank by reference, the file nothing but UTR it was not told": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", ""})
			d.bank(1, 7, 8, 1000_00, shown{3, -100_00, "NEFT PAYE-0001", "T1"}, shown{5, 100_00, "RETURN PAYE-0001", "T2"})
			d.file(1, 7, true, 1000_00, shown{3, -100_00, "NEFT N1234567890", ""}, shown{5, 100_00, "RETURN N1234567890", ""})
		},
		"nameless bank: failed, reversal the same day, no other": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "returned", ""})
			d.batch(3, sent{"PAYE-0002", 150_00, "success", ""})
			d.bank(1, 7, 8, 1000_00, shown{3, -100_00, "NEFT", "T1"}, shown{3, -150_00, "NEFT", "T3"}, shown{5, 100_00, "RETURN", "T2"})
		},
		"nameless bank: failed without debit, five paid ones": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", ""}, sent{"PAYE-0002", 100_00, "success", ""}, sent{"PAYE-0003", 150_00, "success", ""}, sent{"PAYE-0004", 120_00, "success", ""}, sent{"PAYE-0005", 100_00, "success", ""})
			d.bank(1, 7, 8, 1000_00, shown{3, -100_00, "NEFT", "T1"}, shown{3, -150_00, "NEFT", "T3"}, shown{3, -120_00, "NEFT", "T2"}, shown{3, -100_00, "NEFT", "T4"})
		},
		"batch booking with details; one returned": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "returned", ""}, sent{"PAYE-0002", 200_00, "success", ""})
			d.bank(1, 7, 8, 1000_00, shown{3, -300_00, "BULK", "T1"}, shown{5, 100_00, "RETURN PAYE-0001", "T2"})
		},
		"nameless debits, named returns; returned of 118": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", ""})
			d.batch(3, sent{"PAYE-0002", 100_00, "success", ""})
			d.batch(3, sent{"PAYE-0003", 118_00, "returned", ""})
			d.bank(1, 7, 8, 1000_00, shown{3, -100_00, "NEFT", "T1"}, shown{3, -118_00, "NEFT", "T2"}, shown{5, 118_00, "RETURN PAYE-0003", "T3"})
		},
		"nameless all; returned of 118": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", ""})
			d.batch(3, sent{"PAYE-0002", 100_00, "success", ""})
			d.batch(3, sent{"PAYE-0003", 118_00, "returned", ""})
			d.bank(1, 7, 8, 1000_00, shown{3, -100_00, "NEFT", "T1"}, shown{3, -118_00, "NEFT", "T2"}, shown{5, 118_00, "RETURN", "T3"})
		},
		"nameless all; returned of 100": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", ""})
			d.batch(3, sent{"PAYE-0003", 100_00, "returned", ""})
			d.bank(1, 7, 8, 1000_00, shown{3, -100_00, "NEFT", "T2"}, shown{5, 100_00, "RETURN", "T3"})
		},
		"own UTR and the earlier shared one": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", "N1000000001"}, sent{"PAYE-0002", 200_00, "success", "N1000000002"})
			d.later("N9000000001")
			d.bank(1, 7, 8, 1000_00, shown{3, -200_00, "NEFT N9000000001 N1000000002", "T1"})
		},
		"own UTR and the earlier shared one, two batches": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", "N1000000001"})
			d.batch(3, sent{"PAYE-0002", 200_00, "success", "N1000000002"})
			d.later("N9000000001")
			d.bank(1, 7, 8, 1000_00, shown{3, -200_00, "NEFT N9000000001 N1000000002", "T1"})
		},
		"reversal of the one, newest first within day, the other equal one is paid": func(d *desk) {
			d.batch(5, sent{"PAYE-0001", 100_00, "failed", ""}, sent{"PAYE-0002", 100_00, "success", ""})
			d.lists([]listed{{1, 1_00, 995_00, "INT"}, {2, 1_00, 996_00, "INT"}, {3, 1_00, 997_00, "INT"}, {3, 1_00, 998_00, "INT"}, {4, 1_00, 999_00, "INT"},
				{5, -100_00, 900_00, "NEFT PAYE-0002"}, {5, 100_00, 1000_00, "REV PAYE-0001"}, {5, -100_00, 900_00, "NEFT PAYE-0001"}, {5, 1_00, 1000_00, "INT"},
				{6, 1_00, 901_00, "INT"}, {7, 1_00, 902_00, "INT"}})
		},
		"newest first within day, fee at end, reversal": func(d *desk) {
			d.batch(5, sent{"PAYE-0001", 100_00, "failed", ""})
			d.lists([]listed{{1, 1_00, 996_00, "INT"}, {2, 1_00, 997_00, "INT"}, {3, 1_00, 998_00, "INT"}, {4, 1_00, 999_00, "INT"},
				{5, -5_00, 995_00, "FEE"}, {5, 100_00, 1000_00, "REV PAYE-0001"}, {5, -100_00, 900_00, "NEFT PAYE-0001"}, {5, 1_00, 1000_00, "INT"},
				{6, 1_00, 996_00, "INT"}, {7, 1_00, 997_00, "INT"}})
		},
		"corrected UTR of two batches": func(d *desk) {
			d.batch(3, sent{"PAYE-0001", 100_00, "failed", "N1000000001"})
			d.batch(3, sent{"PAYE-0002", 100_00, "success", "N9000000001"})
			d.attempts[0].UTRs = append(d.attempts[0].UTRs, "n9000000001")
			d.bank(1, 7, 8, 1000_00, shown{3, -100_00, "NEFT N9000000001", "T1"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := &desk{TB: t}
			play(d)
			if locks := d.locksOf(1); len(locks) > 0 {
				_, why := d.report()
				t.Errorf("locked %s %v %+v; report: %s", locks[0].Kind, locks[0].Out, locks[0].Possible, why)
			}
		})
	}
}

// How what counts differs: a bank's line by UTR and a file's by reference are one.
func TestOneDebitOfABankAndAFileInTheirOwnWords(t *testing.T) {
	for name, words := range map[string]string{"reference": "NEFT PAYE-0001", "cheque column and date": "NEFT RAO 03112031", "serial": "TRF S0000017"} {
		d := &desk{TB: t}
		d.batch(3, sent{"PAYE-0001", 100_00, "success", "N1234567890"})
		d.bank(1, 7, 8, 1000_00, shown{3, -100_00, "NEFT N1234567890", "T1"})
		d.file(1, 7, true, 1000_00, shown{3, -100_00, words, ""})
		if _, why := d.report(); why != "" {
			t.Errorf("%s: %s", name, why)
		}
	}
}

// later has the bank tell each payout another UTR, in place of an earlier one of all.
func (d *desk) later(utr string) {
	for i := range d.attempts {
		d.attempts[i].UTRs = append(d.attempts[i].UTRs, strings.ToLower(utr))
	}
}
