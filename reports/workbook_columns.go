package reports

import (
	"context"
	"fmt"

	"payrun/ledger"
	"payrun/ledger/reconcile"
	"payrun/reports/folder"
	"payrun/reports/xlsx"
)

// attemptColumns are the columns of payouts and attempts. Those of payouts.csv (latest attempts) and of
// attempts.csv come first: the fields of `payrun payouts --json`, in that order, then additions for people.
// References, accounts and ids are text.
var attemptColumns = []column[*attemptRow]{
	text("Reference", 22, func(r *attemptRow) string { return r.Ref }).as("ref"),
	text("Wire reference", 24, func(r *attemptRow) string { return r.WireRef }).as("wire_ref"),
	number("Attempt", 9, func(r *attemptRow) int { return r.Number }).as("attempt"),
	number("Row", 8, func(r *attemptRow) int { return r.Row }).as("row"),
	inCSV("sheet_id", func(r *attemptRow) string { return r.SheetID }),
	text("Batch", 33, func(r *attemptRow) string { return r.BatchID }).as("batch_id"),
	money("Amount (INR)", 18, func(r *attemptRow) ledger.Paise { return r.Amount }).as("amount"),
	inCSV("state", func(r *attemptRow) string { return string(r.State) }),
	text("Bank status", 16, func(r *attemptRow) string { return r.Status }).as("status"),
	text("Bank code", 20, func(r *attemptRow) string { return r.BankStatusCode }).as("bank_status_code"),
	text("Service payout id", 24, func(r *attemptRow) string { return r.OpenTxnID }).as("open_txn_id"),
	text("UTR", 22, func(r *attemptRow) string { return r.BankTxnRefID }).as("bank_txn_ref_id"),
	text("Payee", 34, func(r *attemptRow) string { return r.VendorName }).as("vendor_name"),
	text("Account", 20, func(r *attemptRow) string { return r.BankAccountNumber }).as("bank_account_number"),
	text("IFSC", 14, func(r *attemptRow) string { return r.IFSC }).as("ifsc"),
	text("Remarks", 24, func(r *attemptRow) string { return r.Remarks }).as("remarks"),
	wrapped("Reason", 42, func(r *attemptRow) string { return r.Reason }).as("reason"),
	inCSV("updated_at", func(r *attemptRow) string { return r.at.instant }),
	inCSV("updated_at_local", func(r *attemptRow) string { return r.at.local }),
	text("Debit account", 20, func(r *attemptRow) string { return r.debitAccount }).as("debit_account"),
	text("Corrected", 42, func(r *attemptRow) string { return r.corrected }).as("corrected"),
	text("On the statement by", 20, func(r *attemptRow) string { return r.matchedBy }).as("matched_by"),

	cell("State", 17, (*attemptRow).stateCell),
	text("Sheet", 20, func(r *attemptRow) string { return r.sheet }),
	numberIfAny("Partner bank", 12, func(r *attemptRow) int { return r.batch.PartnerBankID }),
	cell("Updated", 19, func(r *attemptRow) xlsx.Cell { return r.at.moment }),
}

func (r *attemptRow) stateCell() xlsx.Cell {
	return xlsx.Text(r.State.Words()).In(bucketOf(r.State, r.batch.State).style())
}

func payoutsTab(dir *folder.Folder) *table {
	return newTable(dir, layout{name: "Payouts", empty: "No payouts.", fixed: 1, printed: 10}, attemptColumns,
		"Reference", "Sheet", "Row", "Payee", "Account", "IFSC", "Amount (INR)", "State", "UTR", "Reason", "Remarks", "Bank status", "Bank code",
		"Service payout id", "Partner bank", "Debit account", "Batch", "Wire reference", "Attempt", "Updated")
}

// attemptsTab has one line for each attempt, so that it has every UTR that a statement can show.
func attemptsTab(dir *folder.Folder) *table {
	return newTable(dir, layout{name: "Attempts", empty: "No attempts.", fixed: 1, printed: 9}, attemptColumns,
		"Reference", "Attempt", "Wire reference", "Payee", "Amount (INR)", "State", "UTR", "Debit account", "Updated", "Reason", "Account", "IFSC",
		"Partner bank", "Service payout id", "Batch", "Corrected", "On the statement by")
}

// exceptionColumns are the columns of exceptions. The amount of a whole batch is in exceptions.csv only, so that
// the tab adds up: its payouts have their own lines.
var exceptionColumns = []column[*exceptionLine]{
	inCSV("kind", func(e *exceptionLine) string { return string(e.Kind) }),
	text("Reference", 22, func(e *exceptionLine) string { return e.Ref }).as("ref"),
	numberIfAny("Row", 8, func(e *exceptionLine) int { return e.Row }).as("row"),
	text("Sheet", 20, func(e *exceptionLine) string { return e.Sheet }).as("sheet"),
	inCSV("sheet_id", func(e *exceptionLine) string { return e.SheetID }),
	text("Batch", 33, func(e *exceptionLine) string { return e.BatchID }).as("batch_id"),
	inCSV("amount", func(e *exceptionLine) string { return e.Amount.String() }),
	inCSV("state", func(e *exceptionLine) string { return e.State }),
	text("Payee", 34, func(e *exceptionLine) string { return e.VendorName }).as("vendor_name"),
	wrapped("Reason", 40, func(e *exceptionLine) string { return e.Reason }).as("reason"),
	wrapped("What to do", 56, func(e *exceptionLine) string { return e.Fix }).as("fix"),

	text("State", 17, (*exceptionLine).stateWords),
	cell("What", 21, func(e *exceptionLine) xlsx.Cell { return xlsx.Text(e.Kind.Row().Title).In(e.bucket.style()) }),
	added("Amount (INR)", 18, xlsx.StyleMoney, (*exceptionLine).addedAmount),
	numberIfAny("Partner bank", 12, func(e *exceptionLine) int { return e.bank }),
}

func (e *exceptionLine) stateWords() string {
	if e.unit() == ofBatches {
		return ledger.BatchState(e.State).Words()
	}
	return ledger.PayoutState(e.State).Words()
}

func (e *exceptionLine) addedAmount() xlsx.Cell {
	if e.unit() == ofBatches {
		return xlsx.Blank()
	}
	return xlsx.Money(e.Amount)
}

func attentionTab(dir *folder.Folder) *table {
	return newTable(dir, layout{name: "Needs attention", empty: "Nothing needs attention.", fixed: 2, printed: 9}, exceptionColumns,
		"What", "Reference", "Sheet", "Row", "Payee", "Amount (INR)", "State", "Reason", "What to do", "Partner bank", "Batch")
}

func (s *Snapshot) batchesTab(dir *folder.Folder) *table {
	return filled(dir, layout{name: "Batches", empty: "No batches.", fixed: 1, printed: 12}, s.batches,
		text("Batch", 33, func(b ledger.Batch) string { return b.ID }),
		text("Sheet", 20, func(b ledger.Batch) string { return s.sheetNames[b.SheetID] }),
		number("No.", 7, func(b ledger.Batch) int { return b.Sequence }),
		number("Attempt", 9, func(b ledger.Batch) int { return b.Attempt }),
		text("State", 18, func(b ledger.Batch) string { return b.State.Words() }),
		number("Partner bank", 12, func(b ledger.Batch) int { return b.PartnerBankID }),
		text("Debit account", 24, func(b ledger.Batch) string { return s.account(b.BankAccountID) }),
		text("Type", 10, func(b ledger.Batch) string { return b.TransactionTypeID }),
		count("Payouts", 10, func(b ledger.Batch) int { return b.Count }),
		money("Total (INR)", 18, func(b ledger.Batch) ledger.Paise { return b.Total }),
		cell("Action required", 10, needsPersonCell),
		wrapped("Note", 46, func(b ledger.Batch) string { return b.Note }),
		wrapped("Why it ends where it does", 64, func(b ledger.Batch) string { return b.Reason }),
		numberIfAny("OTPs refused", 10, func(b ledger.Batch) int { return b.OTPTries }),
		text("LEI", 23, func(b ledger.Batch) string { return b.BeneLEI }),
		cell("Planned", 19, func(b ledger.Batch) xlsx.Cell { return s.moment(b.CreatedAt) }),
		cell("Submitted", 19, func(b ledger.Batch) xlsx.Cell { return s.moment(b.SubmittedAt) }),
		cell("In this state since", 19, func(b ledger.Batch) xlsx.Cell { return s.moment(b.StateSince) }),
	)
}

func needsPersonCell(b ledger.Batch) xlsx.Cell {
	if b.Attention == ledger.NeedsNothing {
		return xlsx.Blank()
	}
	return xlsx.Text("yes").In(xlsx.StyleNotPaid)
}

func (s *Snapshot) accountsTab(dir *folder.Folder, accounts []*groupTotals) *table {
	return byBucket(dir, "By account", accounts,
		text("Debit account", 26, func(a *groupTotals) string { return s.account(a.account) }),
		numberIfAny("Partner bank", 12, func(a *groupTotals) int { return a.bank }))
}

func banksTab(dir *folder.Folder, banks []*groupTotals) *table {
	return byBucket(dir, "By bank", banks, numbers("Partner bank", 16, (*groupTotals).bankCell))
}

func (b *groupTotals) bankCell() xlsx.Cell {
	if b.bank == 0 {
		return xlsx.Text("not known")
	}
	return xlsx.Count(b.bank)
}

// byBucket is a table of payouts by bucket.
func byBucket(dir *folder.Folder, name string, groups []*groupTotals, columns ...column[*groupTotals]) *table {
	columns = append(columns,
		count("Batches", 10, func(g *groupTotals) int { return g.batches }),
		count("Payouts", 10, func(g *groupTotals) int { return g.all.Count }),
		money("Total (INR)", 19, func(g *groupTotals) ledger.Paise { return g.all.Total }))
	for w := range buckets {
		columns = append(columns,
			count(w.String(), 11, func(g *groupTotals) int { return g.by[w].Count }),
			money(w.String()+" (INR)", 19, func(g *groupTotals) ledger.Paise { return g.by[w].Total }))
	}
	return filled(dir, layout{name: name, empty: "No payouts.", fixed: 1}, groups, columns...)
}

func (s *Snapshot) threeWayTab(dir *folder.Folder) *table {
	var booked []reconcile.Account
	if r := s.statements(); r != nil {
		booked = r.Accounts
	}
	by := func(head string, width float64, why ledger.MatchedBy) column[reconcile.Account] {
		return count(head, width, func(a reconcile.Account) int { return a.By[why] })
	}
	return filled(dir, layout{name: "Three-way match", empty: "No statement is on record, or these files are of some sheets: balances are of all. payrun reconcile fetches statements, payrun statement import takes files.", fixed: 1}, booked,
		text("Debit account", 26, func(a reconcile.Account) string { return s.account(a.BankAccountID) }),
		count("Paid", 10, func(a reconcile.Account) int { return a.Sent.Count }),
		money("Paid (INR)", 19, func(a reconcile.Account) ledger.Paise { return a.Sent.Total }),
		count("On the statement", 12, func(a reconcile.Account) int { return a.Matched.Count }),
		money("On the statement (INR)", 19, func(a reconcile.Account) ledger.Paise { return a.Matched.Total }),
		by("By UTR", 10, ledger.MatchedByUTR),
		by("By reference", 10, ledger.MatchedByReference),
		by("By amount and day", 10, ledger.MatchedByAmount),
		by("By its batch's total", 13, ledger.MatchedByBatch),
		by("By two people", 10, ledger.MatchedByPeople),
		count("Lines that differ", 12, s.unlikeOn),
		count("Others' entries", 12, func(a reconcile.Account) int { return a.Others.Count }),
		money("Unexplained (INR)", 19, func(a reconcile.Account) ledger.Paise { return a.Unexplained }),
		text("Newest entry", 14, func(a reconcile.Account) string { return a.Newest }),
		text("Requests without entries", 40, requestWords),
	)
}

func (s *Snapshot) auditTab(ctx context.Context, dir *folder.Folder) *table {
	columns := []column[*ledger.Event]{
		number("Event", 20, func(e *ledger.Event) int { return int(e.Seq) }),
		cell("When", 19, func(e *ledger.Event) xlsx.Cell { return s.moment(e.At) }),
		text("Who", 18, func(e *ledger.Event) string { return e.Actor }),
		text("What", 24, func(e *ledger.Event) string { return e.Kind }),
		text("Sheet", 16, func(e *ledger.Event) string { return e.SheetID }),
		text("Batch", 33, func(e *ledger.Event) string { return e.BatchID }),
		wrapped("Detail", 70, (*ledger.Event).Words),
		cell("Hash", 68, func(e *ledger.Event) xlsx.Cell { return xlsx.Text(e.Hash).In(xlsx.StyleCode) }),
	}
	t := newTable(dir, layout{name: "Audit", empty: "No events.", fixed: 1, printed: 7}, columns)
	var line []xlsx.Cell
	err := s.ledger.Events(ctx, func(e ledger.Event) error {
		cleanEvent(&e)
		if !s.covers(e) {
			return nil
		}
		line = cellsOf(columns, &e, line[:0])
		t.add(line)
		return t.err
	})
	if err != nil {
		t.err = fmt.Errorf("events: %w", err)
	}
	return t
}
