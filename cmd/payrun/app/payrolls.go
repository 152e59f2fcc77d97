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
	by    map[string]*payroll
	count int
	back  int    // of those, rows that another sheet had left out
	from  string // the id of that sheet
	many  bool   // more than are compared; those of by are not all
}

// payroll is whom a sheet pays from one debit account. Who is not paid after all does
// not count: what failed, came back, or was refused or given up.
type payroll struct {
	paid *validate.Payroll
	Standing
}

// Standing is how the payouts of a sheet from one debit account stand.
type Standing struct {
	Paid    ledger.Tally // were paid, or may be; with what is planned
	Planned int          // of those, what is planned and was not sent
	Over    ledger.Tally // failed, came back, or were refused or given up: nobody is paid by them
}

func newPayrolls(sheet string) *payrolls {
	return &payrolls{sheet: sheet, by: map[string]*payroll{}}
}

// of is what is paid from a debit account.
func (p *payrolls) of(bankAccountID string) *payroll {
	roll := p.by[bankAccountID]
	if roll == nil {
		roll = &payroll{paid: validate.NewPayroll()}
		p.by[bankAccountID] = roll
	}
	return roll
}

// add adds a payout as it stands: errTooMany beyond ComparedMost, and where the sum
// does not fit.
func (p *payrolls) add(one *ledger.Payout, state ledger.PayoutState) error {
	if p.count++; p.count > ComparedMost {
		p.many = true
		return errTooMany
	}
	roll := p.of(one.BankAccountID)
	sum := &roll.Paid
	if state.Retryable() {
		sum = &roll.Over
	}
	if sum.Add(one.Amount) != nil {
		p.many = true
		return errTooMany
	}
	if state.Retryable() {
		return nil
	}
	if state == ledger.PayoutPlanned {
		roll.Planned++
	}
	roll.paid.Add(one)
	return nil
}

// restOf is the id of the sheet that left out all that this one brings; "" where it is
// a sheet of its own.
func (p *payrolls) restOf() string {
	if p.back < p.count {
		return ""
	}
	return p.from
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
