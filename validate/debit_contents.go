package validate

import (
	"fmt"
	"slices"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
)

// debitContents finds a column of debit accounts that no header names: all its values are names, ids or numbers
// of configured debit accounts.
type debitContents struct {
	of      int  // the column that was found; -1 for none
	unclear bool // reported already
}

// debitByContents looks for debit accounts in the unread columns, before the row is read. If the first value of
// a column is a debit account, the column is read as bank_account_id, and all its other values must be debit
// accounts too. A debit account that first appears further down refuses the file. A second such column refuses
// it too.
func (c *check) debitByContents(row *ingest.Row) {
	l, d := &c.layout, &c.contents.debit
	if d.unclear || d.of < 0 && l.has(colDebitAccount) {
		return
	}
	for i := range c.contents.columns {
		col := &c.contents.columns[i]
		if col.header == "" {
			continue
		}
		said := row.Text(col.at)
		known := said != "" && c.reader.debits.find(said) != nil
		switch {
		case col.at == d.of && said != "" && !known, known && col.at != d.of && (d.of >= 0 || col.filled > 0):
			d.unclear = true
			words := fmt.Sprintf("%s holds configured debit accounts in some rows and something else in others, as row %d shows", l.named(col.at), row.Number)
			if d.of >= 0 && d.of != col.at {
				words = fmt.Sprintf("%s and %s both hold configured debit accounts", l.named(d.of), l.named(col.at))
			}
			p := l.problem(colDebitAccount.String(), codeDebitAccountUnclear, col.at, words)
			p.Option = mapOption(colDebitAccount.String(), col.header)
			c.report(p)
			return
		case known && d.of < 0:
			d.of, l.at[colDebitAccount] = col.at, col.at
			c.found.list = slices.DeleteFunc(c.found.list, func(f ledger.Finding) bool { // it said that the column is not read
				return f.Code == codeColumnSimilar && f.Column == colDebitAccount.String()
			})
			c.found.add(ledger.Finding{
				Row: row.Number, Column: colDebitAccount.String(), Code: codeDebitAccountByContents, Value: visible.Shorten(col.header),
				Message: fmt.Sprintf("the values of %s are configured debit accounts; it is read as bank_account_id", l.named(col.at)),
			})
		}
	}
}
