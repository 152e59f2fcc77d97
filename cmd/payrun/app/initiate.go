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

// InitiateRequest names what is to be initiated.
type InitiateRequest struct {
	Batches []string
	All     bool // every planned batch
	// ReviewedBatches names the batches, instead, and what was shown of them: all of them may
	// go, or nothing is sent.
	ReviewedBatches *ReviewedBatches
	// Confirmed is the total that a person confirmed (policy.confirm_above), 0 for
	// none. Another total than the one that would be initiated is none.
	Confirmed ledger.Paise
	// AllowShort goes on with batches whose money is not in their debit account.
	AllowShort bool
	// Funds is shown what the debit accounts hold, before GoOn is asked; may be nil.
	Funds func([]AccountFunds)
	// Environment is what a person typed where that has to be confirmed.
	Environment string
	// GoOn asks a person who was shown what is to be sent whether to go on; nil: only Confirmed counts.
	GoOn GoOn
}

// Initiate sends planned batches to the bank, which then sends the OTPs, and
// holds them. *NeedsConfirmation where the total has to be confirmed first.
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
		if err := o.confirmEnvironment(ctx, req.Environment); err != nil {
			return err
		}
		results, engine := o.initiate(ctx, named, req)
		work, err = o.done(ctx, results, scope{named: acted(results), everywhere: req.All}, engine)
		return err
	})
	return work, err
}

// initiate has the engine initiate the named batches, or every planned one, as far as the money for
// them is there: what a person was shown, all of it or nothing, or what they agree to now.
func (o *operation) initiate(ctx context.Context, named []string, req InitiateRequest) ([]Result, error) {
	if req.GoOn != nil { // lost answers are cleared up first: the person is shown what would then be sent
		if err := o.setApart(o.engine.SettleDoubts(ctx)); err != nil {
			return nil, err
		}
	}
	asked, err := o.plannedOf(ctx, named)
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
	if req.GoOn != nil || len(short) > 0 { // just these, and no batch that is planned again meanwhile
		wait := acted(short)
		named = ids(slices.DeleteFunc(asked, func(b ledger.Batch) bool { return slices.Contains(wait, b.ID) }))
		if len(named) == 0 {
			return short, nil
		}
	}
	results, err := o.engine.Initiate(ctx, named, req.Confirmed)
	return append(results, short...), o.total(err)
}

// allOf refuses to send a part of what a person was shown, where one batch of it waits
// for another person's approval, or for money.
func allOf(asked, sent []ledger.Batch, short []Result) error {
	known := ids(sent)
	for _, b := range asked {
		if !slices.Contains(known, b.ID) {
			return Fail(NeedsPerson, "batch %s waits for the approval of another person; nothing was sent", b.ID).About(ledger.ToBeApproved).Then(Do("approve", b.ID))
		}
	}
	if len(short) > 0 {
		return Fail(NeedsPerson, "batch %s: %s; nothing was sent", short[0].Batch.ID, short[0].Message).About(ledger.FundsShort)
	}
	return nil
}

// setApart keeps for the end that the number of a debit account is misconfigured, which keeps its own
// batches back and no others. It returns any other error.
func (o *operation) setApart(err error) error {
	if submitter.KeepsBack(err) {
		o.apart, err = cmp.Or(o.apart, err), nil
	}
	return err
}

// agreeToInitiate gets a person's word for planned batches, and the total that they typed.
func (o *operation) agreeToInitiate(ctx context.Context, sent []ledger.Batch, goOn GoOn) (typed ledger.Paise, err error) {
	out := o.newOutgoing()
	out.Approval = false // another person has approved these
	if err := o.addPlanned(ctx, out, sent); err != nil {
		return 0, err
	}
	return o.agree(ctx, out, sent, goOn)
}

// askWhich refuses to guess and lists what could be meant.
func (o *operation) askWhich(ctx context.Context) error {
	planned, err := o.store.BatchesIn(ctx, ledger.BatchPlanned)
	if err != nil {
		return err
	}
	e := Fail(Usage, "name the batches to initiate, or say --all")
	if len(planned) == 0 {
		return e.Then(Say("no batch is planned; load a sheet first"))
	}
	return e.Then(Say("%s planned: %s", ledger.CountedBatches(len(planned)), strings.Join(firstOf(ids(planned), 20), " ")))
}

// AccountFunds is what a debit account holds against what is planned for it.
type AccountFunds struct {
	BankAccountID string
	Known         bool         // the bank gave its balance; without it all amounts but Planned are zero
	Balance       ledger.Paise // as the bank shows it; below zero where it is overdrawn
	Paid          ledger.Paise // known to be paid, or disputed, only since the bank said the balance; 0 where it was asked just now
	InFlight      ledger.Paise // held or submitted, and perhaps not debited yet
	Planned       ledger.Paise
}

// Left is what would be left behind all that is planned; below zero where it is
// not enough.
func (f AccountFunds) Left() ledger.Paise { return f.Balance - f.Paid - f.InFlight - f.Planned }

// Short: the money for all that is planned is not there.
func (f AccountFunds) Short() bool { return f.Known && f.Left() < 0 }

// Funds holds what the bank shows against what the sheets, as they were checked,
// would have planned: of all of them together, as they share the accounts. Nil
// where the bank was not reached.
func (a *App) Funds(ctx context.Context, call Call, sheets []Sheet) ([]AccountFunds, error) {
	planned := map[string]ledger.Paise{}
	for i := range sheets {
		if sheets[i].AlreadyLoaded {
			continue // what it planned is in the ledger
		}
		for _, b := range sheets[i].plans[0].plan.Batches {
			planned[b.BankAccountID] += b.Total
		}
	}
	return reading(ctx, a, call, func(o *operation) (_ []AccountFunds, err error) {
		if o.client, err = o.dial(call); err != nil {
			return nil, err
		}
		return o.funds(ctx, planned)
	})
}

// funds asks for the balances of the accounts. Where they cannot be read that is
// said and stops nothing; a bank that is not reached, or that refuses the keys,
// does.
func (o *operation) funds(ctx context.Context, planned map[string]ledger.Paise) ([]AccountFunds, error) {
	balances, err := o.client.Balances(ctx, bankapi.BalanceQuery{})
	switch {
	case errors.Is(err, ledger.ErrUnauthorized), notReached(err), ctx.Err() != nil:
		return nil, err
	case err != nil:
		o.warn("it is not known whether the money is there, because the balances could not be read: %v", err)
	}
	inFlight, err := o.store.InFlight(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]AccountFunds, 0, len(planned))
	for id, sum := range planned {
		f := AccountFunds{BankAccountID: id, Planned: sum, InFlight: inFlight[id]}
		for _, b := range balances {
			if strings.EqualFold(b.BankAccountID, id) {
				f.Known, f.Balance = true, b.Balance
			}
		}
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b AccountFunds) int { return strings.Compare(a.BankAccountID, b.BankAccountID) })
	return all, nil
}

// askFunds is funds, and shows the first answer. Later rounds ask again, and their result says what is
// short.
func (o *operation) askFunds(ctx context.Context, planned map[string]ledger.Paise, show func([]AccountFunds)) ([]AccountFunds, error) {
	funds, err := o.funds(ctx, planned)
	if err != nil || o.firstFunds != nil {
		return funds, err
	}
	o.firstFunds = funds
	if show != nil {
		show(funds)
	}
	return funds, nil
}

// Paid sums up, by debit account, what was ever paid, as far as is known, or may have
// been: also what came back, and what is disputed. It never falls. Who keeps a balance
// keeps what this said before the bank was asked for it: what it has grown by since may
// not be in the balance, and what came back since is not counted upon.
func (a *App) Paid(ctx context.Context, call Call) (map[string]ledger.Paise, error) {
	return reading(ctx, a, call, func(o *operation) (map[string]ledger.Paise, error) { return o.store.Paid(ctx) })
}

func notReached(err error) bool {
	call, ok := errors.AsType[*ledger.CallError](err)
	return ok && call.Outcome == ledger.NotSent
}

// affordable parts batches that are to be sent into those whose money is there, in their order, and
// the results of those that have to wait for it.
func (o *operation) affordable(ctx context.Context, sent []ledger.Batch, req InitiateRequest) (fit []ledger.Batch, short []Result, err error) {
	planned := map[string]ledger.Paise{}
	for _, b := range sent {
		planned[b.BankAccountID] += b.Total
	}
	if len(planned) == 0 {
		return nil, nil, nil // nothing is sent, and no one is asked
	}
	funds, err := o.askFunds(ctx, planned, req.Funds)
	if err != nil || req.AllowShort || !slices.ContainsFunc(funds, AccountFunds.Short) {
		return sent, nil, err
	}
	free := map[string]ledger.Paise{}
	for _, f := range funds {
		free[f.BankAccountID] = f.Balance - f.InFlight
		if !f.Known {
			free[f.BankAccountID] = f.Planned
		}
	}
	for _, b := range sent {
		if b.Total > free[b.BankAccountID] {
			short = append(short, shortOf(b, free[b.BankAccountID]))
			continue
		}
		free[b.BankAccountID] -= b.Total
		fit = append(fit, b)
	}
	return fit, short, nil
}

// plannedOf are the named batches, whatever their state, or all that are planned.
func (o *operation) plannedOf(ctx context.Context, named []string) ([]ledger.Batch, error) {
	if len(named) == 0 {
		return o.store.BatchesIn(ctx, ledger.BatchPlanned)
	}
	return o.batches(ctx, named)
}

func shortOf(b ledger.Batch, free ledger.Paise) Result {
	return Result{Batch: b, Outcome: submitter.OutcomeWaiting, Attention: ledger.FundsShort,
		Message: fmt.Sprintf("not initiated: %s are free in its debit account, and it needs %s", max(free, 0).Rupees(), b.Total.Rupees())}
}
