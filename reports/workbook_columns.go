package reports

import (
	"payrun/ledger"
	"payrun/ledger/reconcile"
	"payrun/reports/folder"
	"payrun/reports/xlsx"
)

// The columns of each table, with their cell for a payout, an exception, a batch, a bank or an event.
// References, accounts and ids are text.

func payoutsTab(dir *folder.Folder) *table[*attemptRow] {
	return newTable(dir, layout{name: "Payouts", empty: "No payouts.", fixed: 1, printed: 10},
		text("Reference", 22, func(r *attemptRow) string { return r.Ref }),
		text("Sheet", 20, func(r *attemptRow) string { return r.sheet }),
		number("Row", 8, func(r *attemptRow) int { return r.Row }),
		text("Payee", 34, func(r *attemptRow) string { return r.VendorName }),
		text("Account", 20, func(r *attemptRow) string { return r.BankAccountNumber }),
		text("IFSC", 14, func(r *attemptRow) string { return r.IFSC }),
		money("Amount (INR)", 18, func(r *attemptRow) ledger.Paise { return r.Amount }),
		cell("State", 17, (*attemptRow).stateCell),
		text("UTR", 20, func(r *attemptRow) string { return r.BankTxnRefID }),
		wrapped("Reason", 42, func(r *attemptRow) string { return r.Reason }),
		text("Remarks", 24, func(r *attemptRow) string { return r.Remarks }),
		text("Bank status", 16, func(r *attemptRow) string { return r.Status }),
		text("Bank code", 20, func(r *attemptRow) string { return r.BankStatusCode }),
		text("Service payout id", 24, func(r *attemptRow) string { return r.OpenTxnID }),
		numberIfAny("Partner bank", 12, func(r *attemptRow) int { return r.batch.PartnerBankID }),
		text("Debit account", 20, func(r *attemptRow) string { return r.debitAccount }),
		text("Batch", 33, func(r *attemptRow) string { return r.BatchID }),
		text("Wire reference", 24, func(r *attemptRow) string { return r.WireRef }),
		number("Attempt", 9, func(r *attemptRow) int { return r.Number }),
		cell("Updated", 19, func(r *attemptRow) xlsx.Cell { return r.at.moment }),
	)
}

// attemptsTab has one line for each attempt, so that it has every UTR that a statement can show.
func attemptsTab(dir *folder.Folder) *table[*attemptRow] {
	return newTable(dir, layout{name: "Attempts", empty: "No attempts.", fixed: 1, printed: 9},
		text("Reference", 22, func(r *attemptRow) string { return r.Ref }),
		number("Attempt", 9, func(r *attemptRow) int { return r.Number }),
		text("Wire reference", 24, func(r *attemptRow) string { return r.WireRef }),
		text("Payee", 34, func(r *attemptRow) string { return r.VendorName }),
		money("Amount (INR)", 18, func(r *attemptRow) ledger.Paise { return r.Amount }),
		cell("State", 17, (*attemptRow).stateCell),
		text("UTR", 22, func(r *attemptRow) string { return r.BankTxnRefID }),
		text("Debit account", 20, func(r *attemptRow) string { return r.debitAccount }),
		cell("Updated", 19, func(r *attemptRow) xlsx.Cell { return r.at.moment }),
		text("Reason", 42, func(r *attemptRow) string { return r.Reason }),
		text("Account", 20, func(r *attemptRow) string { return r.BankAccountNumber }),
		text("IFSC", 14, func(r *attemptRow) string { return r.IFSC }),
		numberIfAny("Partner bank", 12, func(r *attemptRow) int { return r.batch.PartnerBankID }),
		text("Service payout id", 24, func(r *attemptRow) string { return r.OpenTxnID }),
		text("Batch", 33, func(r *attemptRow) string { return r.BatchID }),
		text("Corrected", 42, func(r *attemptRow) string { return r.corrected }),
		text("On the statement by", 20, func(r *attemptRow) string { return r.matchedBy }),
	)
}

func (r *attemptRow) stateCell() xlsx.Cell {
	return xlsx.Text(string(r.State)).In(bucketOf(r.Attempt, r.batch).style())
}

// attentionTab leaves the amount of a whole batch out of the sum, because its payouts have their own lines.
func attentionTab(dir *folder.Folder) *table[*exceptionLine] {
	amount := money("Amount (INR)", 18, func(e *exceptionLine) ledger.Paise { return e.Amount })
	ofPayouts := amount.cell
	amount.cell = func(e *exceptionLine) xlsx.Cell {
		if e.unit() == ofBatches {
			return xlsx.Blank()
		}
		return ofPayouts(e)
	}
	return newTable(dir, layout{name: "Needs attention", empty: "Nothing needs attention.", fixed: 2, printed: 9},
		cell("What", 21, func(e *exceptionLine) xlsx.Cell { return xlsx.Text(titleOf(e.Kind)).In(e.bucket.style()) }),
		text("Reference", 22, func(e *exceptionLine) string { return e.Ref }),
		text("Sheet", 20, func(e *exceptionLine) string { return e.Sheet }),
		numberIfAny("Row", 8, func(e *exceptionLine) int { return e.Row }),
		text("Payee", 34, func(e *exceptionLine) string { return e.VendorName }),
		amount,
		text("State", 17, func(e *exceptionLine) string { return e.State }),
		wrapped("Reason", 40, func(e *exceptionLine) string { return e.Reason }),
		wrapped("What to do", 56, func(e *exceptionLine) string { return e.Fix }),
		numberIfAny("Partner bank", 12, func(e *exceptionLine) int { return e.bank }),
		text("Batch", 33, func(e *exceptionLine) string { return e.BatchID }),
	)
}

func (s *Snapshot) batchesTab(dir *folder.Folder) *table[ledger.Batch] {
	return newTable(dir, layout{name: "Batches", empty: "No batches.", fixed: 1, printed: 12},
		text("Batch", 33, func(b ledger.Batch) string { return b.ID }),
		text("Sheet", 20, func(b ledger.Batch) string { return s.sheetNames[b.SheetID] }),
		number("No.", 7, func(b ledger.Batch) int { return b.Sequence }),
		number("Attempt", 9, func(b ledger.Batch) int { return b.Attempt }),
		text("State", 18, func(b ledger.Batch) string { return string(b.State) }),
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

func (s *Snapshot) accountsTab(dir *folder.Folder) *table[*groupTotals] {
	return byBucket(dir, "By account",
		text("Debit account", 26, func(a *groupTotals) string { return s.account(a.account) }),
		numberIfAny("Partner bank", 12, func(a *groupTotals) int { return a.bank }))
}

func banksTab(dir *folder.Folder) *table[*groupTotals] {
	bank := number("Partner bank", 16, func(b *groupTotals) int { return b.bank })
	known := bank.cell
	bank.cell = func(b *groupTotals) xlsx.Cell {
		if b.bank == 0 {
			return xlsx.Text("not known")
		}
		return known(b)
	}
	return byBucket(dir, "By bank", bank)
}

// byBucket is a table of payouts by bucket.
func byBucket(dir *folder.Folder, name string, columns ...column[*groupTotals]) *table[*groupTotals] {
	columns = append(columns,
		count("Batches", 10, func(g *groupTotals) int { return g.batches }),
		count("Payouts", 10, func(g *groupTotals) int { return g.all.Count }),
		money("Total (INR)", 19, func(g *groupTotals) ledger.Paise { return g.all.Total }))
	for w := range buckets {
		columns = append(columns,
			count(w.String(), 11, func(g *groupTotals) int { return g.by[w].Count }),
			money(w.String()+" (INR)", 19, func(g *groupTotals) ledger.Paise { return g.by[w].Total }))
	}
	return newTable(dir, layout{name: name, empty: "No payouts.", fixed: 1}, columns...)
}

func (s *Snapshot) threeWayTab(dir *folder.Folder) *table[reconcile.Account] {
	by := func(head string, width float64, why ledger.MatchedBy) column[reconcile.Account] {
		return count(head, width, func(a reconcile.Account) int { return a.By[why] })
	}
	return newTable(dir, layout{name: "Three-way match", empty: "No statement is on record, or these files are of some sheets: balances are of all. payrun reconcile fetches statements, payrun statement import takes files.", fixed: 1},
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

func (s *Snapshot) auditTab(dir *folder.Folder) *table[*ledger.Event] {
	return newTable(dir, layout{name: "Audit", empty: "No events.", fixed: 1, printed: 7},
		number("Event", 20, func(e *ledger.Event) int { return int(e.Seq) }),
		cell("When", 19, func(e *ledger.Event) xlsx.Cell { return s.moment(e.At) }),
		text("Who", 18, func(e *ledger.Event) string { return e.Actor }),
		text("What", 24, func(e *ledger.Event) string { return e.Kind }),
		text("Sheet", 16, func(e *ledger.Event) string { return e.SheetID }),
		text("Batch", 33, func(e *ledger.Event) string { return e.BatchID }),
		wrapped("Detail", 70, (*ledger.Event).Words),
		cell("Hash", 68, func(e *ledger.Event) xlsx.Cell { return xlsx.Text(e.Hash).In(xlsx.StyleCode) }),
	)
}
