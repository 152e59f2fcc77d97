package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"payrun/ledger"
	"payrun/submitter"
	"payrun/submitter/bankapi"
)

// InitiateRequest names the batches to initiate.
type InitiateRequest struct {
	Batches []string
	All     bool // every planned batch
	// ReviewedBatches replaces Batches: it names them and says what was shown of them. If not all
	// of them may be sent, none is.
	ReviewedBatches *ReviewedBatches
	// Confirmed is the total that a person confirmed (policy.confirm_above); 0 for
	// none. If it is not the total that would be initiated, it does not count.
	Confirmed ledger.Paise
	// AllowShort also sends batches whose debit account does not have the money.
	AllowShort bool
	// Funds is called with what the debit accounts hold, before GoOn is called; may be nil.
	Funds func([]AccountFunds)
	// Environment is what a person typed to confirm the environment.
	Environment string
	// GoOn shows a person what is about to be sent, and asks whether to continue; nil: only Confirmed counts.
	GoOn GoOn
}

// Initiate sends planned batches to the bank and holds them. The bank then sends
// the OTPs. *NeedsConfirmation if the total has to be confirmed first.
func (a *App) Initiate(ctx context.Context, call Call, req InitiateRequest) (work *Work, err error) {
	err = a.decide(ctx, call, payers, func(o *operation) error {
		named, err := o.named(ctx, req.Batches, req.ReviewedBatches)
		if err == nil && len(named) == 0 && !req.All {
			err = o.askWhich(ctx)
		}
		if err != nil {
			return err
		}
		if err := o.store.Restored(); err != nil {
			return err
		}
		if err := o.openBank(ctx); err != nil {
			return err
		}
		if err := o.confirmEnvironment(ctx, req.Environment, nil); err != nil {
			return err
		}
		results, engine := o.initiate(ctx, named, req)
		work, err = o.done(ctx, results, scope{named: acted(results), everywhere: req.All}, engine)
		return err
	})
	return work, err
}

// initiate lets the engine initiate the named batches, or every planned one, if there is money for them.
// A reviewed request is sent completely or not at all. Otherwise a person agrees to the batches now.
func (o *operation) initiate(ctx context.Context, named []string, req InitiateRequest) ([]Result, error) {
	if req.GoOn != nil { // settle lost answers first: then the person sees what would really be sent
		if err := o.setApart(o.engine.SettleDoubts(ctx)); err != nil {
			return nil, err
		}
	}
	var asked []ledger.Batch
	var err error
	if len(named) > 0 {
		asked, err = o.batches(ctx, named)
	} else {
		asked, err = o.store.BatchesIn(ctx, ledger.BatchPlanned)
	}
	if err != nil {
		return nil, err
	}
	sent, err := o.engine.MayInitiate(ctx, asked)
	if err != nil {
		return nil, err
	}
	fit, short, err := o.affordable(ctx, sent, req)
	switch {
	case err != nil:
	case req.ReviewedBatches != nil:
		err = allOf(asked, sent, short)
	case req.GoOn != nil && len(fit) > 0:
		req.Confirmed, err = o.agreeToInitiate(ctx, fit, req.GoOn)
	}
	if err != nil {
		return nil, err
	}
	if req.GoOn != nil || len(short) > 0 { // only these; not a batch that is planned again meanwhile
		wait := acted(short)
		named = ids(slices.DeleteFunc(asked, func(b ledger.Batch) bool { return slices.Contains(wait, b.ID) }))
		if len(named) == 0 {
			return short, nil
		}
	}
	results, err := o.engine.Initiate(ctx, named, req.Confirmed)
	return append(results, short...), o.total(err)
}

// allOf refuses to send only part of what a person was shown: it fails if one of the batches
// waits for another person's approval, or for money.
func allOf(asked, sent []ledger.Batch, short []Result) error {
	for i, b := range asked { // sent has them in the same order
		if i >= len(sent) || sent[i].ID != b.ID {
			return Fail(NeedsPerson, "batch %s waits for the approval of another person; nothing was sent", b.ID).About(ledger.ToBeApproved).Then(Do("approve", b.ID))
		}
	}
	if len(short) > 0 {
		return Fail(NeedsPerson, "batch %s: %s; nothing was sent", short[0].Batch.ID, short[0].Message).About(ledger.FundsShort)
	}
	return nil
}

// setApart keeps an error about a debit account's misconfigured number for the end of the operation. Such
// an error stops the batches of that account only. It returns any other error.
func (o *operation) setApart(err error) error {
	if submitter.KeepsBack(err) {
		o.apart, err = cmp.Or(o.apart, err), nil
	}
	return err
}

// agreeToInitiate asks a person to agree to planned batches, and returns the total that they typed.
func (o *operation) agreeToInitiate(ctx context.Context, sent []ledger.Batch, goOn GoOn) (typed ledger.Paise, err error) {
	var out Outgoing // without Approval: another person has approved these
	if err := o.addPlanned(ctx, &out, sent); err != nil {
		return 0, err
	}
	return o.agree(ctx, &out, sent, goOn)
}

// askWhich refuses to guess, and lists the planned batches.
func (o *operation) askWhich(ctx context.Context) error {
	planned, err := o.store.BatchesIn(ctx, ledger.BatchPlanned)
	if err != nil {
		return err
	}
	e := Fail(Usage, "name the batches to initiate, or say --all")
	if len(planned) == 0 {
		return e.Then(Say("no batch is planned; load a sheet first"))
	}
	return e.Then(Say("%s planned: %s", ledger.CountedBatches(len(planned)), some(ids(planned), 20)))
}

// AccountFunds is what a debit account holds, and what is planned for it.
type AccountFunds struct {
	BankAccountID string
	HasBalance    bool         // the bank gave its balance; if false, all amounts but Planned are zero
	Balance       ledger.Paise // as the bank shows it; below zero if it is overdrawn
	Paid          ledger.Paise // known as paid or disputed only since the balance was read; 0 if that was just now
	InFlight      ledger.Paise // held or submitted, and perhaps not debited yet
	Planned       ledger.Paise
}

// Free returns what is free in the account: its balance less what is in flight.
func (f AccountFunds) Free() ledger.Paise { return f.Balance - f.InFlight }

// Left returns what would be left after all that is planned; below zero if the money is not enough.
func (f AccountFunds) Left() ledger.Paise { return f.Free() - f.Paid - f.Planned }

// Short reports whether the account has too little money for all that is planned.
func (f AccountFunds) Short() bool { return f.HasBalance && f.Left() < 0 }

// Funds compares the bank's balances with what checked sheets would plan, new payouts and corrected ones: with
// all of them together, because they share the accounts. It returns nil if the bank was not reached.
func (a *App) Funds(ctx context.Context, call Call, sheets []Sheet) ([]AccountFunds, error) {
	return reading(ctx, a, call, func(o *operation) (_ []AccountFunds, err error) {
		var out Outgoing
		for i := range sheets {
			if sheets[i].AlreadyLoaded {
				continue // what it planned is in the ledger
			}
			for b := range sheets[i].Planned() {
				o.addBatch(&out, b)
			}
		}
		if o.client, err = o.dial(call); err != nil {
			return nil, err
		}
		return o.funds(ctx, out.Accounts)
	})
}

// funds asks for the balances of the accounts. If they cannot be read, it warns and
// continues. It fails if the bank is not reached or refuses the keys.
func (o *operation) funds(ctx context.Context, accounts []OutgoingAccount) ([]AccountFunds, error) {
	balances, err := o.client.Balances(ctx, bankapi.BalanceQuery{})
	switch call, ok := errors.AsType[*ledger.CallError](err); {
	case errors.Is(err, ledger.ErrUnauthorized), ok && call.Outcome == ledger.NotSent, ctx.Err() != nil:
		return nil, err
	case err != nil:
		o.warn("it is not known whether the money is there, because the balances could not be read: %v", err)
	}
	inFlight, err := o.store.InFlight(ctx)
	if err != nil {
		return nil, err
	}
	all := []AccountFunds{}
	for _, a := range accounts {
		id := a.Debit.BankAccountID
		b, known := ledger.First(balances, func(b ledger.Balance) bool { return strings.EqualFold(b.BankAccountID, id) })
		all = append(all, AccountFunds{BankAccountID: id, HasBalance: known, Balance: b.Balance, InFlight: inFlight[id], Planned: a.Payouts.Total})
	}
	slices.SortFunc(all, func(a, b AccountFunds) int { return strings.Compare(a.BankAccountID, b.BankAccountID) })
	return all, nil
}

// askFunds is funds, and shows the first answer only. Later rounds ask again, and their result says
// what is short.
func (o *operation) askFunds(ctx context.Context, accounts []OutgoingAccount, show func([]AccountFunds)) ([]AccountFunds, error) {
	funds, err := o.funds(ctx, accounts)
	if err != nil || o.firstFunds != nil {
		return funds, err
	}
	o.firstFunds = funds
	if show != nil {
		show(funds)
	}
	return funds, nil
}

// Paid returns, by debit account, the sum of all that was ever paid or may have been, as far as is
// known: also what came back, and what is disputed. It never falls. A caller that keeps a balance calls
// Paid first and keeps the result. What Paid has grown by since then may be missing in the balance.
// What came back since then is not counted on.
func (a *App) Paid(ctx context.Context, call Call) (map[string]ledger.Paise, error) {
	return reading(ctx, a, call, func(o *operation) (map[string]ledger.Paise, error) { return o.store.Paid(ctx) })
}

// affordable splits batches into those that their debit account can pay, in their order, and
// the results of those that have to wait for money.
func (o *operation) affordable(ctx context.Context, sent []ledger.Batch, req InitiateRequest) (fit []ledger.Batch, short []Result, err error) {
	if len(sent) == 0 {
		return nil, nil, nil // the bank is not asked
	}
	var out Outgoing
	o.addBatches(&out, sent)
	funds, err := o.askFunds(ctx, out.Accounts, req.Funds)
	if err != nil || req.AllowShort || !slices.ContainsFunc(funds, AccountFunds.Short) {
		return sent, nil, err
	}
	free := map[string]ledger.Paise{}
	for _, f := range funds {
		free[f.BankAccountID] = f.Free()
		if !f.HasBalance {
			free[f.BankAccountID] = f.Planned
		}
	}
	for _, b := range sent {
		if has := free[b.BankAccountID]; b.Total > has {
			short = append(short, Result{Batch: b, Outcome: submitter.OutcomeWaiting, Attention: ledger.FundsShort,
				Message: fmt.Sprintf("not initiated: %s are free in its debit account, and it needs %s", max(has, 0).Rupees(), b.Total.Rupees())})
			continue
		}
		free[b.BankAccountID] -= b.Total
		fit = append(fit, b)
	}
	return fit, short, nil
}
