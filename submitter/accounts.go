package submitter

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"

	"payrun/ledger"
)

// linkedAccounts is the bank's list of accounts, asked for once in an operation.
type linkedAccounts struct {
	mu    sync.Mutex // status reads are compared in parallel
	asked bool
	byID  map[string]ledger.LinkedAccount // by bank_account_id in lower case
	err   error
}

// listedAccount returns the batch's debit account as the bank lists it; ok is false if it is not listed.
func (e *Engine) listedAccount(ctx context.Context, b ledger.Batch) (a ledger.LinkedAccount, ok bool, err error) {
	l := &e.linked
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.asked {
		listed, err := e.bank.Accounts(ctx)
		if ctx.Err() != nil {
			return a, false, ctx.Err()
		}
		l.asked, l.err, l.byID = true, err, make(map[string]ledger.LinkedAccount, len(listed))
		for _, a := range listed {
			l.byID[strings.ToLower(a.BankAccountID)] = a
		}
	}
	a, ok = l.byID[strings.ToLower(b.BankAccountID)]
	return a, ok, l.err
}

// whoseNumber judges an answer that shows the right debit account with another number than the configured one,
// by the bank's list of accounts. If the list has a different number than the answer, the answer is about
// another account. If the list agrees with the answer and not with the configuration, the configuration is
// wrong, and nothing is recorded: fixing the configuration could not undo it. If the list does not settle it,
// the answer counts as one that names no account.
func (e *Engine) whoseNumber(ctx context.Context, b ledger.Batch, shown string, c *echo) {
	listed, _, err := e.listedAccount(ctx, b)
	configured := e.set.Accounts[b.BankAccountID]
	switch {
	case err == nil && ledger.OtherAccount(listed.AccountNumber, shown):
		c.ofAnother = true
		return
	case err == nil && ledger.OtherAccount(configured.AccountNumber, listed.AccountNumber):
		c.misconfigured = mistyped(configured, listed, b)
	}
	c.unnamed = true
}

// CheckNumber returns ErrAccountNumber if the bank lists the batch's debit account with another number than the
// configured one. If the list does not show the number, there is no error. Call it before a submit, and best
// before asking for the OTP: the answer to an initiate shows the number, but comes too late.
func (e *Engine) CheckNumber(ctx context.Context, b ledger.Batch) error {
	configured := e.set.Accounts[b.BankAccountID]
	if configured.AccountNumber == "" {
		return nil
	}
	listed, _, err := e.listedAccount(ctx, b)
	if err := stops(ctx, err); err != nil {
		return err
	}
	if err == nil && ledger.OtherAccount(configured.AccountNumber, listed.AccountNumber) {
		return mistyped(configured, listed, b)
	}
	return nil
}

func mistyped(configured ledger.DebitAccount, listed ledger.LinkedAccount, b ledger.Batch) error {
	return fmt.Errorf("%w: account %q has %s there, and the bank lists it with %s; nothing of batch %s was recorded or sent", ErrAccountNumber,
		cmp.Or(configured.Name, configured.BankAccountID), ledger.Mask(configured.AccountNumber), ledger.Mask(listed.AccountNumber), b.ID)
}

// usable says why nothing may be initiated for the batch's debit account, or "". It has to be configured, Unusable
// has to have nothing against it, and its partner bank has to be the one that the batch was planned for (safety.md,
// "Before an initiate").
func (e *Engine) usable(ctx context.Context, b ledger.Batch) (string, error) {
	a, ok, err := e.listedAccount(ctx, b)
	if err != nil {
		return "", fmt.Errorf("asking the bank for its accounts; nothing was initiated: %w", err)
	}
	configured, known := e.set.Accounts[b.BankAccountID]
	if !known {
		configured.PartnerBankID = a.PartnerBankID
	}
	switch why := Unusable("its debit account", configured, a, ok); {
	case why != "":
		return why, nil
	case !known && e.set.Accounts != nil:
		return "its debit account is not in payrun.toml any more", nil
	case a.PartnerBankID != b.PartnerBankID:
		return fmt.Sprintf("it was planned for partner bank %d, and the bank lists its debit account under %d; abandon it and retry its payouts", b.PartnerBankID, a.PartnerBankID), nil
	}
	return "", nil
}

// Unusable says why nothing may be initiated for a debit account (it, in words), or "". The bank has to list it as
// active, under the configured partner bank, and with the configured number, if it shows one.
func Unusable(it string, configured ledger.DebitAccount, listed ledger.LinkedAccount, ok bool) string {
	switch {
	case !ok:
		return "the bank does not list " + it
	case listed.Status != ledger.AccountActive:
		return fmt.Sprintf("the bank lists %s as %q", it, listed.Status)
	case listed.PartnerBankID != configured.PartnerBankID:
		return fmt.Sprintf("the bank lists %s under partner bank %d, and the configuration says %d", it, listed.PartnerBankID, configured.PartnerBankID)
	case ledger.OtherAccount(configured.AccountNumber, listed.AccountNumber):
		return "by the bank's list, the " + notConfigured(listed.AccountNumber, configured.AccountNumber)
	}
	return ""
}
