package app

import (
	"context"
	"errors"
	"slices"

	"payrun/ledger"
	"payrun/submitter"
)

// SubmitRequest names the batches to submit, and where their OTPs come from.
type SubmitRequest struct {
	Batches         []string         // empty: every held one
	ReviewedBatches *ReviewedBatches // replaces Batches, and says what was shown of them
	Prompt          OTPPrompt        // asks for each OTP; nil: there is no person to ask
	// OTPs returns the OTPs that are available already; then no person is asked. It is called once
	// payrun knows that something could be submitted. nil: there are none.
	OTPs func() ([]OTP, error)
	// Confirmed is the total that a person confirmed (policy.confirm_above); 0 for
	// none. If it is not the total that would be submitted, it does not count.
	Confirmed ledger.Paise
	// Environment is what a person typed to confirm the environment.
	Environment string
}

// Submit enters the OTPs of held batches; this is where money moves. If the request
// has no OTPs, each is asked for, or fetched with otp.command, and submitted at once.
// *NeedsConfirmation if the total has to be confirmed first.
func (a *App) Submit(ctx context.Context, call Call, req SubmitRequest) (work *Work, err error) {
	err = a.decide(ctx, call, payers, func(o *operation) error {
		if err := o.store.Restored(); err != nil {
			return err
		}
		if req.Batches, err = o.named(ctx, req.Batches, req.ReviewedBatches); err != nil {
			return err
		}
		held, err := o.held(ctx, req.Batches)
		if err != nil {
			return err
		}
		if err := o.confirmEnvironment(ctx, req.Environment, nil); err != nil {
			return err
		}
		if req.OTPs != nil {
			work, err = o.submitThese(ctx, req)
			return err
		}
		if err := o.openBank(ctx); err != nil {
			return err
		}
		if err := o.engine.ConfirmTotal(ctx, held, req.Confirmed, true); err != nil {
			return o.total(err)
		}
		results, engine := o.submitEach(ctx, held, req.Prompt, &otpTurns{})
		work, err = o.done(ctx, results, scope{named: ids(held), everywhere: len(req.Batches) == 0}, engine)
		return err
	})
	return work, err
}

// held returns the named batches, all of which must be held, or every held one.
func (o *operation) held(ctx context.Context, named []string) ([]ledger.Batch, error) {
	if len(named) == 0 {
		return o.store.BatchesIn(ctx, ledger.BatchHeld)
	}
	found, err := o.batches(ctx, named)
	if err != nil {
		return nil, err
	}
	for _, b := range found {
		if b.State != ledger.BatchHeld {
			if o.expected != nil { // it was held when it was shown: another machine was faster
				return nil, submitter.Overtaken(ctx, o.store, b.ID)
			}
			not := Fail(Usage, "batch %s is not held for its OTP, but %s; nothing was sent now", b.ID, ledger.Lowered(b.State.Words())).Then(Do("status", b.ID))
			return nil, errors.Join(not, o.attention(ctx, scope{})) // a doubt counts
		}
	}
	return found, nil
}

// submitThese submits the OTPs of the request, for the named batches or all of
// them. If one OTP is for a batch that is not held, nothing at all is sent.
func (o *operation) submitThese(ctx context.Context, req SubmitRequest) (*Work, error) {
	entries, err := req.OTPs()
	if err != nil {
		return nil, err
	}
	whole, err := o.batchIDs(ctx, batchesOf(entries))
	if err != nil {
		return nil, err
	}
	for i := range entries {
		entries[i].BatchID = whole[i]
	}
	var chosen []ledger.Batch
	if len(entries) > 0 {
		if chosen, err = o.held(ctx, whole); err != nil {
			return nil, err
		}
	}
	if len(req.Batches) > 0 {
		entries = slices.DeleteFunc(entries, func(e OTP) bool { return !slices.Contains(req.Batches, e.BatchID) })
		chosen = slices.DeleteFunc(chosen, func(b ledger.Batch) bool { return !slices.Contains(req.Batches, b.ID) })
	}
	if err := o.openBank(ctx); err != nil {
		return nil, err
	}
	var results []Result
	var engine error
	if len(entries) > 0 {
		for _, b := range chosen {
			at := slices.IndexFunc(entries, func(e OTP) bool { return e.BatchID == b.ID })
			if why := OTPWrong(ledger.DebitAccount{}, entries[at].OTP.Reveal()); why != "" && !entries[at].OTP.Empty() {
				return nil, Fail(Usage, "the value given for batch %s cannot be an OTP; nothing was sent", b.ID).Then(Say("%s", why))
			}
		}
		if err := o.engine.ConfirmTotal(ctx, chosen, req.Confirmed, true); err != nil {
			return nil, o.total(err)
		}
		results, engine = o.engine.Submit(ctx, entries)
		engine = o.grown(results, engine)
	}
	return o.done(ctx, results, scope{named: append(batchesOf(entries), req.Batches...), everywhere: len(req.Batches) == 0}, engine)
}

func batchesOf(entries []OTP) []string {
	return ledger.ListOf(entries, func(e OTP) string { return e.BatchID })
}

// OTPs lists what waits for an OTP, for the people who enter them one after another.
type OTPs struct {
	// Held are the batches that wait for their OTPs, in the order in which the OTPs were requested.
	// Batches without tries left come last, and payrun does not ask for their OTPs.
	Held []Asked
	// ToType is the total that a person types with each OTP (policy.confirm_above); nil if they need not.
	ToType *NeedsConfirmation
	// Next holds, for each debit account that may have one more batch held, the batch to initiate next.
	// It needs no further approval.
	Next []NextOTP
}

// NextOTP is a batch that may be initiated, so that its OTP is sent.
type NextOTP struct {
	ledger.Batch
	Bound ledger.Bound
	Here  bool // one click initiates it: nothing has to be typed or approved first
}

// Spent reports whether the batch has no tries left.
func (a Asked) Spent() bool { return a.Tries > 0 && a.Try > a.Tries }

// OTPs lists what waits for an OTP. The bank is not asked.
func (a *App) OTPs(ctx context.Context, call Call) (OTPs, error) {
	return reading(ctx, a, call, func(o *operation) (OTPs, error) { return o.otps(ctx) })
}

func (o *operation) otps(ctx context.Context) (list OTPs, err error) {
	asked, err := o.store.BatchesIn(ctx, ledger.BatchHeld, ledger.BatchInitiateUnknown)
	if err != nil {
		return list, err
	}
	perAccount := map[string]int{} // batches whose OTP may be on its way to a phone
	for _, b := range asked {
		perAccount[b.BankAccountID]++
	}
	held := slices.DeleteFunc(asked, func(b ledger.Batch) bool { return b.State != ledger.BatchHeld })
	sheets, err := o.store.Sheets(ctx)
	if err != nil {
		return list, err
	}
	for _, b := range held {
		asked := o.asked(b, sheets).at(o.env.Now())
		if asked.Bound, err = o.bound(ctx, b.ID); err != nil {
			return list, err
		}
		list.Held = append(list.Held, asked)
	}
	slices.SortStableFunc(list.Held, func(a, b Asked) int {
		if a.Spent() != b.Spent() {
			return map[bool]int{true: 1, false: -1}[a.Spent()]
		}
		return a.Since.Compare(b.Since)
	})
	if list.ToType, err = o.toType(ctx, held, true); err != nil {
		return list, err
	}
	planned, err := o.store.BatchesIn(ctx, ledger.BatchPlanned)
	most := o.set.OTP.HeldAtOnce
	next := map[string]bool{}
	for _, b := range planned {
		asks := b.AsksUnder(o.policy.TwoPerson)
		if waits := asks == ledger.ToBeApproved || asks == ledger.SentBack; waits || next[b.BankAccountID] {
			continue
		}
		if next[b.BankAccountID] = true; most <= 0 || perAccount[b.BankAccountID] < most {
			look, _, err := o.lookAtPlanned(ctx, ledger.Filter{BatchID: b.ID})
			if err != nil {
				return list, err
			}
			if look != nil {
				list.Next = append(list.Next, NextOTP{b, look.Each[0].Bound, look.Agreed && look.ToType == nil && look.Environment == nil})
			}
		}
	}
	return list, err
}
