package app

import (
	"errors"

	"payrun/ledger"
	"payrun/validate"
)

// ComparedMost is how many payouts of a sheet are compared.
const ComparedMost = validate.PayrollMost

// errTooMany ends the reading of a sheet that is too large to be compared.
var errTooMany = errors.New("more payouts than are compared")

// payrolls are whom a sheet pays, by debit account.
type payrolls struct {
	sheet string
	by    map[string]*validate.Payroll
	count int
	back  int    // of those, rows that another sheet had left out
	from  string // the id of that sheet
	many  bool   // more than are compared; those of by are not all
}

func newPayrolls(sheet string) *payrolls {
	return &payrolls{sheet: sheet, by: map[string]*validate.Payroll{}}
}

// of is what is paid from a debit account.
func (p *payrolls) of(bankAccountID string) *validate.Payroll {
	if p.by[bankAccountID] == nil {
		p.by[bankAccountID] = validate.NewPayroll()
	}
	return p.by[bankAccountID]
}

// add adds a payout in its present state: errTooMany beyond ComparedMost, and if the sum does not fit.
func (p *payrolls) add(one *ledger.Payout, state ledger.PayoutState) error {
	if p.count++; p.count > ComparedMost || p.of(one.BankAccountID).Add(one, state) != nil {
		p.many = true
		return errTooMany
	}
	return nil
}

// addRead adds payouts of a sheet that is being read, as many as are compared.
func (p *payrolls) addRead(read []validate.Accepted) {
	for i := range read {
		if from := read[i].From; from != nil {
			p.back, p.from = p.back+1, from.SheetID
		}
		if p.add(&read[i].Payout, ledger.PayoutPlanned) != nil {
			return
		}
	}
}
