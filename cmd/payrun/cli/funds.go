package cli

import (
	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

// shortFundsFlag continues although the money is not there yet.
func shortFundsFlag() urfave.Flag {
	return &urfave.BoolFlag{Name: "allow-short-funds", Usage: "initiate even if the debit account is short of funds"}
}

// fundsToSend shows the balances of the debit accounts before something is sent. A review has the
// amounts with the accounts, so then it adds only what is short.
func (s *session) fundsToSend(funds []app.AccountFunds) {
	switch {
	case s.term.JSON: // the results say what is short
	case s.term.CanAsk():
		s.warnShort(funds)
	default:
		s.showFunds(funds)
	}
}

// showFunds is looked at before a decision, so it is no result.
func (s *session) showFunds(funds []app.AccountFunds) {
	if !s.term.JSON && !s.term.Quiet && len(funds) > 0 {
		s.tableOfFunds(funds)
	}
	s.warnShort(funds)
}

func (s *session) warnShort(funds []app.AccountFunds) {
	for _, f := range funds {
		if f.Short() {
			s.term.Warnf("%s is short of %s", ledger.Plain(s.set.AccountName(f.BankAccountID)), (-f.Left()).Rupees())
		}
	}
}

func (s *session) tableOfFunds(funds []app.AccountFunds) {
	t := s.term.Beside().Table(term.Columns{"Debit account", "Balance", "On its way", "Planned", "Left"}, 2, 3, 4, 5)
	for _, f := range funds {
		name := clipped(s.set.AccountName(f.BankAccountID), 14)
		if !f.Known {
			t.Row(name, "not known", f.InFlight.Indian(), f.Planned.Indian(), "")
			continue
		}
		t.Row(name, f.Balance.Indian(), f.InFlight.Indian(), f.Planned.Indian(), s.term.Beside().Paint(either(f.Short(), term.Bad, term.Ordinary), f.Left().Indian()))
	}
	t.Render()
}

// fundsLines are the "funds" of a document; nil where the bank was not asked.
func fundsLines(set config.Settings, funds []app.AccountFunds) []doc.Funds {
	if funds == nil {
		return nil
	}
	lines := make([]doc.Funds, len(funds))
	for i, f := range funds {
		lines[i] = doc.Funds{BankAccountID: f.BankAccountID, Account: set.AccountName(f.BankAccountID),
			InFlight: f.InFlight, Planned: f.Planned, Short: f.Short()}
		if f.Known {
			lines[i].Balance, lines[i].Left = new(f.Balance), new(f.Left())
		}
	}
	return lines
}
