package submitter

import (
	"context"
	"fmt"
	"strings"

	"payrun/ledger"
)

// usable tells why nothing may be initiated for the batch's debit account, or
// "": the bank has to list it as active, under the partner bank that is
// configured and that the batch was planned for (safety.md, "Before an
// initiate"), and with the number that is configured, as far as it shows one. The list is asked for once in an operation.
func (e *Engine) usable(ctx context.Context, b ledger.Batch) (string, error) {
	if e.accounts == nil {
		listed, err := e.bank.Accounts(ctx)
		if err != nil {
			return "", fmt.Errorf("asking the bank for its accounts; nothing was initiated: %w", err)
		}
		e.accounts = make(map[string]ledger.LinkedAccount, len(listed))
		for _, a := range listed {
			e.accounts[strings.ToLower(a.BankAccountID)] = a
		}
	}
	a, ok := e.accounts[strings.ToLower(b.BankAccountID)]
	configured, known := e.set.Accounts[b.BankAccountID]
	switch {
	case !ok:
		return "the bank does not list its debit account", nil
	case a.Status != ledger.AccountActive:
		return fmt.Sprintf("the bank lists its debit account as %q", a.Status), nil
	case known && a.PartnerBankID != configured.PartnerBankID:
		return fmt.Sprintf("the bank lists its debit account under partner bank %d, and the configuration says %d", a.PartnerBankID, configured.PartnerBankID), nil
	case ledger.OtherAccount(configured.AccountNumber, a.AccountNumber):
		return fmt.Sprintf("the bank lists its debit account with the number %s, and the configuration says %s", ledger.Mask(a.AccountNumber), ledger.Mask(configured.AccountNumber)), nil
	case a.PartnerBankID != b.PartnerBankID:
		return fmt.Sprintf("it was planned for partner bank %d, and the bank lists its debit account under %d; abandon it and retry its payouts", b.PartnerBankID, a.PartnerBankID), nil
	}
	return "", nil
}

// unusable reports a batch that is not initiated because of its debit account.
func (e *Engine) unusable(ctx context.Context, b ledger.Batch, why string) (Result, error) {
	step := ledger.Step{BatchID: b.ID, From: b.State, At: e.set.Now(), Note: "not initiated: " + why, Attention: ledger.AccountUnusable}
	if err := e.applyChange(ctx, b, step); err != nil {
		return Result{}, err
	}
	return e.result(ctx, b.ID, OutcomeNeedsPerson, step.Note)
}
