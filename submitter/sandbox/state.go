package sandbox

import (
	"maps"
	"slices"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// State is everything the bank knows, for tests and rehearsals to compare with a ledger. It has no OTP, token
// or key, and account numbers are masked.
type State struct {
	Schema       string            `json:"schema"`
	Seed         int64             `json:"seed"`
	Reading      Reading           `json:"reading"`
	Accounts     []Account         `json:"accounts"`
	Batches      []Batch           `json:"batches"` // in the order they were initiated
	Outcomes     map[string]string `json:"outcomes"`
	Webhooks     []Webhook         `json:"webhooks"`
	Executed     ledger.Tally      `json:"executed"`      // every execution; a payout paid twice counts twice
	Returned     ledger.Tally      `json:"returned"`      // executions that came back
	Open         ledger.Tally      `json:"open"`          // submitted payouts that are not final
	PaidTwice    []string          `json:"paid_twice"`    // references executed more than once
	NotSubmitted int               `json:"not_submitted"` // batches that wait for their OTP
}

func (b *bank) state() State {
	s := State{
		Schema:    "payrun.sandbox.state/v1",
		Seed:      b.Seed,
		Reading:   b.reading,
		Outcomes:  maps.Clone(b.Outcomes),
		Accounts:  []Account{},
		Batches:   []Batch{},
		Webhooks:  []Webhook{},
		PaidTwice: []string{},
	}
	for _, h := range b.Webhooks {
		s.Webhooks = append(s.Webhooks, *h)
	}
	for _, a := range b.Accounts {
		shown := *a
		for _, e := range a.Entries {
			if e.Kind == bankapi.EntryDebit {
				shown.Debits.Add(e.Amount)
			} else {
				shown.Credits.Add(e.Amount)
			}
		}
		shown.AccountNumber, shown.Entries, shown.Linking = ledger.Mask(a.AccountNumber), nil, nil
		s.Accounts = append(s.Accounts, shown)
	}
	for _, t := range b.Batches {
		s.Batches = append(s.Batches, s.count(*t))
	}
	slices.Sort(s.PaidTwice)
	return s
}

// count adds a batch to the sums and returns what State shows of it.
func (s *State) count(t Batch) Batch {
	t.OTP, t.Token, t.Payouts = "", "", slices.Clone(t.Payouts)
	if t.Submits == 0 {
		s.NotSubmitted++
	}
	for i, p := range t.Payouts {
		shown := *p
		shown.BankAccountNumber, shown.Paid = ledger.Mask(p.BankAccountNumber), p.Amount*ledger.Paise(p.Executed-p.Returned)
		t.Payouts[i] = &shown
		for range p.Executed {
			s.Executed.Add(p.Amount)
		}
		for range p.Returned {
			s.Returned.Add(p.Amount)
		}
		if p.Executed > 1 {
			s.PaidTwice = append(s.PaidTwice, p.WireRef)
		}
		if t.Submits > 0 && !p.final() {
			s.Open.Add(p.Amount)
		}
	}
	return t
}
