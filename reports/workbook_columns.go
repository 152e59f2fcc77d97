package reports

import (
	"payrun/ledger"
	"payrun/reports/xlsx"
)

// The columns of each table, and how a payout, an exception, a batch, a bank
// and an event become a row of it. References, accounts and ids are text.

func payoutsTab() tableLayout {
	return tableLayout{name: "Payouts", empty: "No payouts.", fixed: 1, printed: 10, columns: []column{
		{head: "Reference", width: 22},
		{head: "Sheet", width: 20},
		{head: "Row", width: 8, number: true},
		{head: "Payee", width: 34},
		{head: "Account", width: 20},
		{head: "IFSC", width: 14},
		{head: "Amount (INR)", width: 18, sum: xlsx.StyleMoney},
		{head: "State", width: 17},
		{head: "UTR", width: 20},
		{head: "Reason", width: 42},
		{head: "Remarks", width: 24},
		{head: "Bank status", width: 16},
		{head: "Bank code", width: 20},
		{head: "Service payout id", width: 24},
		{head: "Partner bank", width: 12, number: true},
		{head: "Debit account", width: 20},
		{head: "Batch", width: 33},
		{head: "Wire reference", width: 24},
		{head: "Attempt", width: 9, number: true},
		{head: "Updated", width: 19},
	}}
}

// payoutCells appends the cells of a row.
func payoutCells(into []xlsx.Cell, s *Snapshot, a ledger.Attempt, b ledger.Batch) []xlsx.Cell {
	return append(into,
		xlsx.Text(a.Ref),
		xlsx.Text(s.sheetNames[a.SheetID]),
		xlsx.Count(a.Row),
		xlsx.Text(a.VendorName),
		xlsx.Text(a.BankAccountNumber),
		xlsx.Text(a.IFSC),
		xlsx.Money(a.Amount),
		xlsx.Text(string(a.State)).In(bucketOf(a, b).style()),
		xlsx.Text(a.BankTxnRefID),
		xlsx.Wrapped(a.Reason),
		xlsx.Text(a.Remarks),
		xlsx.Text(a.Status),
		xlsx.Text(a.BankStatusCode),
		xlsx.Text(a.OpenTxnID),
		xlsx.CountOrBlank(b.PartnerBankID),
		xlsx.Text(s.debitAccount(a.BankAccountID)),
		xlsx.Text(a.BatchID),
		xlsx.Text(a.WireRef),
		xlsx.Count(a.Number),
		s.moment(a.UpdatedAt),
	)
}

// attemptsTab has a line an attempt, so that every UTR that a statement can show
// is found in it.
func attemptsTab() tableLayout {
	return tableLayout{name: "Attempts", empty: "No attempts.", fixed: 1, printed: 9, columns: []column{
		{head: "Reference", width: 22},
		{head: "Attempt", width: 9, number: true},
		{head: "Wire reference", width: 24},
		{head: "Payee", width: 34},
		{head: "Amount (INR)", width: 18, sum: xlsx.StyleMoney},
		{head: "State", width: 17},
		{head: "UTR", width: 22},
		{head: "Debit account", width: 20},
		{head: "Updated", width: 19},
		{head: "Reason", width: 42},
		{head: "Account", width: 20},
		{head: "IFSC", width: 14},
		{head: "Partner bank", width: 12, number: true},
		{head: "Service payout id", width: 24},
		{head: "Batch", width: 33},
		{head: "Corrected", width: 42},
		{head: "On the statement by", width: 20},
	}}
}

// attemptCells appends the cells of a row.
func attemptCells(into []xlsx.Cell, s *Snapshot, a ledger.Attempt, b ledger.Batch) []xlsx.Cell {
	return append(into,
		xlsx.Text(a.Ref),
		xlsx.Count(a.Number),
		xlsx.Text(a.WireRef),
		xlsx.Text(a.VendorName),
		xlsx.Money(a.Amount),
		xlsx.Text(string(a.State)).In(bucketOf(a, b).style()),
		xlsx.Text(a.BankTxnRefID),
		xlsx.Text(s.debitAccount(a.BankAccountID)),
		s.moment(a.UpdatedAt),
		xlsx.Text(a.Reason),
		xlsx.Text(a.BankAccountNumber),
		xlsx.Text(a.IFSC),
		xlsx.CountOrBlank(b.PartnerBankID),
		xlsx.Text(a.OpenTxnID),
		xlsx.Text(a.BatchID),
	)
}

func attentionTab() tableLayout {
	return tableLayout{name: "Needs attention", empty: "Nothing needs attention.", fixed: 2, printed: 9, columns: []column{
		{head: "What", width: 21},
		{head: "Reference", width: 22},
		{head: "Sheet", width: 20},
		{head: "Row", width: 8, number: true},
		{head: "Payee", width: 34},
		{head: "Amount (INR)", width: 18, sum: xlsx.StyleMoney},
		{head: "State", width: 17},
		{head: "Reason", width: 40},
		{head: "What to do", width: 56},
		{head: "Partner bank", width: 12, number: true},
		{head: "Batch", width: 33},
	}}
}

// attentionCells leaves the amount of a whole batch out of the sum: its
// payouts have theirs.
func attentionCells(cells []xlsx.Cell, e exceptionLine, b ledger.Batch) []xlsx.Cell {
	amount := xlsx.Money(e.Amount)
	if e.isBatch() {
		amount = xlsx.Blank()
	}
	return append(cells,
		xlsx.Text(titleOf(e.Kind)).In(e.bucket.style()),
		xlsx.Text(e.Ref),
		xlsx.Text(e.Sheet),
		xlsx.CountOrBlank(int(e.Row)),
		xlsx.Text(e.VendorName),
		amount,
		xlsx.Text(e.State),
		xlsx.Wrapped(e.Reason),
		xlsx.Wrapped(e.Fix),
		xlsx.CountOrBlank(b.PartnerBankID),
		xlsx.Text(e.BatchID),
	)
}

func batchesTab() tableLayout {
	return tableLayout{name: "Batches", empty: "No batches.", fixed: 1, printed: 12, columns: []column{
		{head: "Batch", width: 33},
		{head: "Sheet", width: 20},
		{head: "No.", width: 7, number: true},
		{head: "Attempt", width: 9, number: true},
		{head: "State", width: 18},
		{head: "Partner bank", width: 12, number: true},
		{head: "Debit account", width: 24},
		{head: "Type", width: 10},
		{head: "Payouts", width: 10, sum: xlsx.StyleCount},
		{head: "Total (INR)", width: 18, sum: xlsx.StyleMoney},
		{head: "Needs a person", width: 10},
		{head: "Note", width: 46},
		{head: "Why it ends where it does", width: 64},
		{head: "OTPs refused", width: 10, number: true},
		{head: "LEI", width: 23},
		{head: "Planned", width: 19},
		{head: "Submitted", width: 19},
		{head: "In this state since", width: 19},
	}}
}

func batchCells(s *Snapshot, b ledger.Batch) []xlsx.Cell {
	needs := xlsx.Blank()
	if b.Attention != ledger.NeedsNothing {
		needs = xlsx.Text("yes").In(xlsx.StyleNotPaid)
	}
	return []xlsx.Cell{
		xlsx.Text(b.ID),
		xlsx.Text(s.sheetNames[b.SheetID]),
		xlsx.Count(b.Sequence),
		xlsx.Count(b.Attempt),
		xlsx.Text(string(b.State)),
		xlsx.Count(b.PartnerBankID),
		xlsx.Text(s.account(b.BankAccountID)),
		xlsx.Text(b.TransactionTypeID),
		xlsx.Count(b.Count),
		xlsx.Money(b.Total),
		needs,
		xlsx.Wrapped(b.Note),
		xlsx.Wrapped(b.Reason),
		xlsx.CountOrBlank(b.OTPTries),
		xlsx.Text(b.BeneLEI),
		s.moment(b.CreatedAt),
		s.moment(b.SubmittedAt),
		s.moment(b.StateSince),
	}
}

func accountsTab() tableLayout {
	return byBucket("By account", column{head: "Debit account", width: 26}, column{head: "Partner bank", width: 12, number: true})
}

func accountCells(s *Snapshot, a *accountTotals) []xlsx.Cell {
	return a.groupTotals.cells(xlsx.Text(s.account(a.id)), xlsx.CountOrBlank(a.bank))
}

func banksTab() tableLayout {
	return byBucket("By bank", column{head: "Partner bank", width: 16, number: true})
}

func bankCells(b *bankTotals) []xlsx.Cell {
	if b.id == 0 {
		return b.groupTotals.cells(xlsx.Text("not known"))
	}
	return b.groupTotals.cells(xlsx.Count(b.id))
}

// byBucket is a table of some payouts by where their money is.
func byBucket(name string, of ...column) tableLayout {
	l := tableLayout{name: name, empty: "No payouts.", fixed: 1, columns: append(of,
		column{head: "Batches", width: 10, sum: xlsx.StyleCount},
		column{head: "Payouts", width: 10, sum: xlsx.StyleCount},
		column{head: "Total (INR)", width: 19, sum: xlsx.StyleMoney})}
	for w := range buckets {
		l.columns = append(l.columns,
			column{head: w.String(), width: 11, sum: xlsx.StyleCount},
			column{head: w.String() + " (INR)", width: 19, sum: xlsx.StyleMoney})
	}
	return l
}

// cells are those of byBucket, behind what names the group.
func (g groupTotals) cells(of ...xlsx.Cell) []xlsx.Cell {
	cells := append(of, xlsx.Count(g.batches), xlsx.Count(g.all.Count), xlsx.Money(g.all.Total))
	for _, t := range g.by {
		cells = append(cells, xlsx.Count(t.Count), xlsx.Money(t.Total))
	}
	return cells
}

func auditTab() tableLayout {
	return tableLayout{name: "Audit", empty: "No events.", fixed: 1, printed: 7, columns: []column{
		{head: "Event", width: 20, number: true},
		{head: "When", width: 19},
		{head: "Who", width: 18},
		{head: "What", width: 24},
		{head: "Sheet", width: 16},
		{head: "Batch", width: 33},
		{head: "Detail", width: 70},
		{head: "Hash", width: 68},
	}}
}

func eventCells(s *Snapshot, e ledger.Event) []xlsx.Cell {
	return []xlsx.Cell{
		xlsx.Count(int(e.Seq)),
		s.moment(e.At),
		xlsx.Text(e.Actor),
		xlsx.Text(e.Kind),
		xlsx.Text(e.SheetID),
		xlsx.Text(e.BatchID),
		xlsx.Wrapped(e.Words()),
		xlsx.Text(e.Hash).In(xlsx.StyleCode),
	}
}
