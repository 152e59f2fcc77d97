package reports

import "payrun/ledger"

// The columns of each table, and how a payout, an exception, a batch, a bank
// and an event become a row of it. References, accounts and ids are text.

func payoutsTab() tableLayout {
	return tableLayout{name: "Payouts", empty: "No payouts.", fixed: 1, printed: 10, columns: []column{
		{head: "Reference", width: 22},
		{head: "Sheet", width: 20},
		{head: "Row", width: 8, number: true},
		{head: "Payee", width: 28},
		{head: "Account", width: 20},
		{head: "IFSC", width: 14},
		{head: "Amount (INR)", width: 18, sum: styleMoney},
		{head: "State", width: 17},
		{head: "UTR", width: 20},
		{head: "Reason", width: 42},
		{head: "Remarks", width: 24},
		{head: "Bank status", width: 16},
		{head: "Bank code", width: 20},
		{head: "Service payout id", width: 24},
		{head: "Partner bank", width: 12, number: true},
		{head: "Batch", width: 33},
		{head: "Wire reference", width: 24},
		{head: "Attempt", width: 9, number: true},
		{head: "Updated", width: 19},
	}}
}

func payoutCells(s *scope, a ledger.Attempt, b ledger.Batch, k kind) []cell {
	return []cell{
		text(a.Ref),
		text(s.sheetNames[a.SheetID]),
		count(a.Row),
		text(a.VendorName),
		text(a.BankAccountNumber),
		text(a.IFSC),
		money(a.Amount),
		text(string(a.State)).in(k.where().style()),
		text(a.BankTxnRefID),
		text(a.Reason),
		text(a.Remarks),
		text(a.Status),
		text(a.BankStatusCode),
		text(a.OpenTxnID),
		countOrBlank(b.PartnerBankID),
		text(a.BatchID),
		text(a.WireRef),
		count(a.Number),
		s.moment(a.UpdatedAt),
	}
}

func attentionTab() tableLayout {
	return tableLayout{name: "Needs attention", empty: "Nothing needs a person.", fixed: 2, printed: 9, columns: []column{
		{head: "What", width: 21},
		{head: "Reference", width: 22},
		{head: "Sheet", width: 20},
		{head: "Row", width: 8, number: true},
		{head: "Payee", width: 28},
		{head: "Amount (INR)", width: 18, sum: styleMoney},
		{head: "State", width: 17},
		{head: "Reason", width: 40},
		{head: "What to do", width: 56},
		{head: "Partner bank", width: 12, number: true},
		{head: "Batch", width: 33},
	}}
}

// attentionCells leaves the amount of a whole batch out of the sum: its
// payouts have theirs.
func attentionCells(e exceptionLine, b ledger.Batch) []cell {
	amount := money(e.Amount)
	if e.Kind == kindBatch {
		amount = blank()
	}
	return []cell{
		text(e.Kind.title()).in(e.Kind.where().style()),
		text(e.Ref),
		text(e.Sheet),
		countOrBlank(int(e.Row)),
		text(e.VendorName),
		amount,
		text(e.State),
		wrapped(e.Reason),
		wrapped(e.Fix),
		countOrBlank(b.PartnerBankID),
		text(e.BatchID),
	}
}

func batchesTab() tableLayout {
	return tableLayout{name: "Batches", empty: "No batches.", fixed: 1, printed: 12, columns: []column{
		{head: "Batch", width: 33},
		{head: "Sheet", width: 20},
		{head: "No.", width: 7, number: true},
		{head: "Attempt", width: 9, number: true},
		{head: "State", width: 18},
		{head: "Partner bank", width: 12, number: true},
		{head: "Debit account", width: 38},
		{head: "Type", width: 10},
		{head: "Payouts", width: 10, sum: styleCount},
		{head: "Total (INR)", width: 18, sum: styleMoney},
		{head: "Needs a person", width: 10},
		{head: "Note", width: 46},
		{head: "Why it ends where it does", width: 46},
		{head: "OTPs refused", width: 10, number: true},
		{head: "LEI", width: 23},
		{head: "Planned", width: 19},
		{head: "Submitted", width: 19},
		{head: "In this state since", width: 19},
	}}
}

func batchCells(s *scope, b ledger.Batch) []cell {
	needs := blank()
	if b.NeedsPerson {
		needs = text("yes").in(styleNotPaid)
	}
	return []cell{
		text(b.ID),
		text(s.sheetNames[b.SheetID]),
		count(b.Sequence),
		count(b.Attempt),
		text(string(b.State)),
		count(b.PartnerBankID),
		text(b.BankAccountID),
		text(b.TransactionTypeID),
		count(b.Count),
		money(b.Total),
		needs,
		wrapped(b.Note),
		wrapped(b.Reason),
		countOrBlank(b.OTPTries),
		text(b.BeneLEI),
		s.moment(b.CreatedAt),
		s.moment(b.SubmittedAt),
		s.moment(b.StateSince),
	}
}

func banksTab() tableLayout {
	l := tableLayout{name: "By bank", empty: "No payouts.", fixed: 1, columns: []column{
		{head: "Partner bank", width: 16, number: true},
		{head: "Batches", width: 10, sum: styleCount},
		{head: "Payouts", width: 10, sum: styleCount},
		{head: "Total (INR)", width: 19, sum: styleMoney},
	}}
	for w := range standings {
		l.columns = append(l.columns,
			column{head: w.String(), width: 11, sum: styleCount},
			column{head: w.String() + " (INR)", width: 19, sum: styleMoney})
	}
	return l
}

func bankCells(b *bankTotals) []cell {
	cells := []cell{count(b.id), count(b.batches), count(b.all.Count), money(b.all.Total)}
	if b.id == 0 {
		cells[0] = text("not known")
	}
	for _, t := range b.by {
		cells = append(cells, count(t.Count), money(t.Total))
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

func eventCells(s *scope, e ledger.Event) []cell {
	return []cell{
		count(int(e.Seq)),
		s.moment(e.At),
		text(e.Actor),
		text(e.Kind),
		text(e.SheetID),
		text(e.BatchID),
		wrapped(e.Detail),
		text(e.Hash).in(styleCode),
	}
}
