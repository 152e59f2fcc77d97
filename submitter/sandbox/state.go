package sandbox

import (
	"slices"

	"payrun/ledger"
)

// State is the bank's own truth: what tests and rehearsals compare a ledger
// with. It has neither OTP, token nor key, and account numbers are masked.
type State struct {
	Schema       string            `json:"schema"`
	Seed         int64             `json:"seed"`
	Reading      Reading           `json:"reading"`
	Accounts     []StateAccount    `json:"accounts"`
	Batches      []StateBatch      `json:"batches"` // in the order they were initiated
	Outcomes     map[string]string `json:"outcomes"`
	Webhooks     []Webhook         `json:"webhooks"`
	Executed     ledger.Tally      `json:"executed"`      // every execution, a payout paid twice counted twice
	Returned     ledger.Tally      `json:"returned"`      // executions that came back
	Open         ledger.Tally      `json:"open"`          // submitted payouts that are not final
	PaidTwice    []string          `json:"paid_twice"`    // references executed more than once
	NotSubmitted int               `json:"not_submitted"` // batches that wait for their OTP
}

// StateAccount is a debit account. Balance = Opening − Debits + Credits.
type StateAccount struct {
	BankAccountID string             `json:"bank_account_id"`
	SubMerchantID string             `json:"sub_merchant_id"`
	PartnerBankID int                `json:"partner_bank_id"`
	Kind          ledger.AccountKind `json:"kind"`
	Status        string             `json:"status"`
	AccountNumber string             `json:"account_number"`
	Opening       ledger.Paise       `json:"opening"`
	Balance       ledger.Paise       `json:"balance"`
	Reserved      ledger.Paise       `json:"reserved"` // submitted, and not debited yet
	Debits        ledger.Tally       `json:"debits"`
	Credits       ledger.Tally       `json:"credits"`
}

// StateBatch is one accepted initiate.
type StateBatch struct {
	BatchID           string        `json:"merchant_transfer_batch_id"`
	OpenBatchID       string        `json:"open_batch_id"`
	BankAccountID     string        `json:"bank_account_id"`
	TransactionTypeID string        `json:"transaction_type_id"`
	Total             ledger.Paise  `json:"total"`
	Submits           int           `json:"submits"` // accepted ones
	WrongOTPs         int           `json:"wrong_otps"`
	BeneLEI           string        `json:"bene_lei"`
	Payouts           []StatePayout `json:"payouts"` // as sent
}

// StatePayout is one payout and what became of it.
type StatePayout struct {
	Ref               string       `json:"merchant_txn_ref_id"`
	OpenTxnID         string       `json:"open_txn_id"`
	OpenBeneficiaryID string       `json:"open_beneficiary_id"`
	VendorName        string       `json:"vendor_name"`
	BankAccountNumber string       `json:"bank_account_number"`
	IFSC              string       `json:"ifsc"`
	Amount            ledger.Paise `json:"amount"`
	Status            string       `json:"status"`
	BankStatusCode    string       `json:"bank_status_code"`
	BankTxnRefID      string       `json:"bank_txn_ref_id"`
	Executed          int          `json:"executed"` // times it was paid
	Returned          int          `json:"returned"` // times it came back
	Paid              ledger.Paise `json:"paid"`     // amount × (executed − returned)
}

func (b *bank) state() State {
	s := State{
		Schema:    "payrun.sandbox.state/v1",
		Seed:      b.Seed,
		Reading:   b.reading,
		Outcomes:  map[string]string{},
		Accounts:  []StateAccount{},
		Batches:   []StateBatch{},
		Webhooks:  []Webhook{},
		PaidTwice: []string{},
	}
	for ref, outcome := range b.Outcomes {
		s.Outcomes[ref] = outcome
	}
	for _, h := range b.Webhooks {
		s.Webhooks = append(s.Webhooks, *h)
	}
	for _, a := range b.Accounts {
		s.Accounts = append(s.Accounts, a.state())
	}
	for _, t := range b.Batches {
		s.Batches = append(s.Batches, s.count(t))
	}
	slices.Sort(s.PaidTwice)
	return s
}

func (a *account) state() StateAccount {
	out := StateAccount{
		BankAccountID: a.ID,
		SubMerchantID: a.SubMerchantID,
		PartnerBankID: a.PartnerBankID,
		Kind:          a.Kind,
		Status:        a.Status,
		AccountNumber: ledger.Mask(a.Number),
		Opening:       a.Opening,
		Balance:       a.Balance,
		Reserved:      a.Reserved,
	}
	for _, e := range a.Entries {
		if e.Kind == entryDebit {
			_ = out.Debits.Add(e.Amount)
		} else {
			_ = out.Credits.Add(e.Amount)
		}
	}
	return out
}

// count adds a batch to the sums and returns what State shows of it.
func (s *State) count(t *batch) StateBatch {
	out := StateBatch{
		BatchID:           t.ID,
		OpenBatchID:       t.OpenID,
		BankAccountID:     t.AccountID,
		TransactionTypeID: t.TransactionTypeID,
		Total:             t.Total,
		Submits:           t.Submits,
		WrongOTPs:         t.WrongOTPs,
		BeneLEI:           t.BeneLEI,
		Payouts:           make([]StatePayout, 0, len(t.Payouts)),
	}
	if t.Submits == 0 {
		s.NotSubmitted++
	}
	for _, p := range t.Payouts {
		out.Payouts = append(out.Payouts, p.state())
		for range p.Executed {
			_ = s.Executed.Add(p.Amount)
		}
		for range p.Returned {
			_ = s.Returned.Add(p.Amount)
		}
		if p.Executed > 1 {
			s.PaidTwice = append(s.PaidTwice, p.Ref)
		}
		if t.Submits > 0 && !p.final() {
			_ = s.Open.Add(p.Amount)
		}
	}
	return out
}

func (p *payout) state() StatePayout {
	return StatePayout{
		Ref:               p.Ref,
		OpenTxnID:         p.OpenTxnID,
		OpenBeneficiaryID: p.BeneficiaryID,
		VendorName:        p.Name,
		BankAccountNumber: ledger.Mask(p.Number),
		IFSC:              p.IFSC,
		Amount:            p.Amount,
		Status:            p.Status,
		BankStatusCode:    p.Code,
		BankTxnRefID:      p.UTR,
		Executed:          p.Executed,
		Returned:          p.Returned,
		Paid:              p.Amount * ledger.Paise(p.Executed-p.Returned),
	}
}
