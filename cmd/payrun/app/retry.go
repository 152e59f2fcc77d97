package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"payrun/batcher"
	"payrun/ledger"
	"payrun/validate"
)

// RetryRequest names the payouts to retry.
type RetryRequest struct {
	Of   string   // a sheet or a batch
	Refs []string // only these payouts of it, by their references; nil for all that may be, and with NewReferences
	// Total is the sum of the payouts, as a person typed it; 0: it was not asked for.
	Total ledger.Paise
	// Shown is the digest of what was shown of the payouts (RetryDigest); "" where
	// they are planned where they are shown.
	Shown string
	Out   string // path of a sheet to write them to, in the person's own columns; "" plans them
}

// Retry plans new attempts for the payouts of a sheet or batch that failed,
// came back or were cancelled. Nothing is sent. Work without results: there was
// nothing to retry. Where one of the references that were named is unknown, or
// may not be retried, nothing is planned at all.
func (a *App) Retry(ctx context.Context, call Call, req RetryRequest) (work *Work, err error) {
	err = a.decide(ctx, call, loaders, func(o *operation) error {
		req.Of = o.sheetOrBatchID(ctx, req.Of)
		planned, locks, err := o.retry(ctx, req)
		if err != nil {
			return err
		}
		work = &Work{Locks: locks}
		for _, b := range planned {
			work.Results = append(work.Results, Result{Batch: b, Outcome: string(ledger.BatchPlanned), Message: b.Reason})
		}
		const few = 3
		switch n := len(planned); {
		case n > few:
			work.Next = []Hint{Do("initiate", "--all")}
		case n > 0:
			work.Next = []Hint{Do(append([]string{"initiate"}, ids(planned)...)...)}
		}
		return errors.Join(o.attention(ctx, scope{}), lockedFailure(locks))
	})
	return work, err
}

// toRetry are the attempts that new ones may follow, and the locks of the others.
func (o *operation) toRetry(ctx context.Context, req RetryRequest) ([]ledger.Attempt, []ledger.Lock, error) {
	attempts, locks, err := o.store.Retryable(ctx, req.Of)
	switch {
	case errors.Is(err, ledger.ErrNotFound):
		return nil, nil, Fail(Usage, "there is no sheet and no batch %q; nothing was planned", ledger.Plain(req.Of)).Because(err).
			Then(Do("sheets").Which("and payrun status list them; one payout of them is retried with --ref REF"))
	case err == nil && req.Shown != "" && req.Shown != RetryDigest(attempts):
		return nil, nil, fmt.Errorf("%s: %w", req.Of, ledger.ErrStale)
	}
	if err == nil && len(req.Refs) > 0 {
		attempts, err = o.onlyRefs(ctx, req, attempts)
		locks = nil // onlyRefs refuses a locked one that is named
	}
	return attempts, locks, err
}

func (o *operation) retry(ctx context.Context, req RetryRequest) ([]ledger.Batch, []ledger.Lock, error) {
	attempts, locks, err := o.toRetry(ctx, req)
	if err != nil || len(attempts) == 0 {
		return nil, locks, err
	}
	if total := SumOf(attempts); req.Total != 0 && total.Total != req.Total {
		return nil, nil, Fail(Cancelled, "you did not type the total of %s, %s. Nothing was planned", ledger.CountedPayouts(total.Count), total.Total.Rupees())
	}
	plan, err := o.planRetry(ctx, attempts)
	if err != nil {
		return nil, nil, err
	}
	planned, err := o.store.PlanRetry(ctx, o.call.Actor, o.env.Now(), attempts, plan.Batches)
	return planned, locks, err
}

// lockedFailure is what a locked payout comes to: the exit code of the gravest lock, with
// what was seen, why it matters and what ends it; nil where none is.
func lockedFailure(locks []ledger.Lock) error {
	if len(locks) == 0 {
		return nil
	}
	l := locks[0]
	code, ok := codes[rowOf(l.Kind).Exit]
	if !ok {
		code = NotRetryable
	}
	e := Fail(code, "%s is not planned: %s", ledger.Plain(l.Ref), l.Saw()).About(l.Kind).Then(Say("%s. %s", l.Why(), l.Ends()))
	if n := len(locks) - 1; n > 0 {
		e.Then(Say("%s in all; payrun resolve REF shows the locks of a payout", ledger.Counted(n+1, "lock", "locks")))
	}
	return e
}

// RetryDigest is what a retry is bound to: which payouts can be retried, and with what.
func RetryDigest(attempts []ledger.Attempt) string {
	h := sha256.New()
	for _, a := range attempts {
		fmt.Fprintf(h, "%d %d %q %s %d\n", a.ID, a.Number, a.BatchID, a.State, a.Amount)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// SumOf counts and sums payouts.
func SumOf(attempts []ledger.Attempt) (t ledger.Tally) {
	for _, a := range attempts {
		t.Add(a.Amount)
	}
	return t
}

// Retryable lists the payouts of a sheet or batch, by their latest attempts, that Retry would plan.
func (a *App) Retryable(ctx context.Context, call Call, of string) ([]ledger.Attempt, error) {
	return reading(ctx, a, call, func(o *operation) ([]ledger.Attempt, error) {
		list, _, err := o.store.Retryable(ctx, of)
		return list, err
	})
}

// onlyRefs picks the payouts that were named, in the order of loading. A reference names the payout of
// its sheet or what it had on the wire.
func (o *operation) onlyRefs(ctx context.Context, req RetryRequest, retryable []ledger.Attempt) (chosen []ledger.Attempt, err error) {
	byKey := map[string]ledger.Attempt{}
	for _, a := range retryable {
		byKey[validate.RefKey(a.Ref)], byKey[validate.RefKey(a.WireRef)] = a, a
	}
	var not error
	for _, ref := range req.Refs {
		a, may := byKey[validate.RefKey(ref)]
		if !may {
			var why error
			if a, why, err = o.notRetryable(ctx, req.Of, ref); err != nil {
				return nil, err
			}
			not = cmp.Or(not, why)
		}
		chosen = append(chosen, a)
	}
	slices.SortFunc(chosen, func(a, b ledger.Attempt) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(chosen, func(a, b ledger.Attempt) bool { return a.ID == b.ID }), not
}

// notRetryable finds a payout of a sheet or batch that is not among those which may be retried. not is why it
// is not; nil for one that two people released, which is retried where it is named.
func (o *operation) notRetryable(ctx context.Context, of, ref string) (a ledger.Attempt, not, err error) {
	key := validate.RefKey(ref)
	for _, f := range []ledger.Filter{{SheetID: of, Exact: key}, {BatchID: of, Exact: key}} {
		err := o.store.EachPayout(ctx, f, func(found ledger.Attempt) error {
			if validate.RefKey(found.Ref) == key || validate.RefKey(found.WireRef) == key { // and not by its UTR
				a = found
			}
			return nil
		})
		if err != nil {
			return a, nil, err
		}
	}
	if a.ID == 0 {
		return a, nil, Fail(Usage, "%s has no payout %q; nothing was planned", of, ledger.Plain(ref)).
			Then(Do("payouts", "--search", ref).Which("looks for it in the whole ledger"))
	}
	records, err := o.store.Records(ctx, []int64{a.ID})
	if err != nil {
		return a, nil, err
	}
	if a.State.Retryable() {
		err := ledger.MayFollow(a.Key(), records[a.ID])
		if err == nil {
			return a, nil, nil
		}
		if locked, ok := errors.AsType[*ledger.PayoutLockedError](err); ok {
			return a, lockedFailure(locked.Locks), nil
		}
	}
	why := "it is " + string(a.State) + ", and may still be paid"
	if slices.ContainsFunc(records[a.ID], func(r ledger.AttemptRecord) bool { // an earlier attempt may be
		return r.State == ledger.PayoutSuccess || r.Resolved == ledger.ResolutionPaid
	}) {
		why = "it is paid"
	}
	return a, Fail(NotRetryable, "the payout %s cannot be retried: %s; nothing was planned", ledger.Plain(ref), why).
		Then(Do("payouts", "--search", ref).Which("shows its state")), nil
}

// planRetry packs the attempts under the debit accounts that they had. What an
// account is says today's configuration, where it has it: it was wrong before,
// perhaps, and is mended.
func (o *operation) planRetry(ctx context.Context, attempts []ledger.Attempt) (batcher.Plan, error) {
	in := newPacking(int(o.set.Limits.PayoutsPerBatch))
	groups := map[string]int32{} // by batch
	for _, at := range attempts {
		group, ok := groups[at.BatchID]
		if !ok {
			b, err := o.store.Batch(ctx, at.BatchID)
			if err != nil {
				return batcher.Plan{}, err
			}
			bank, kind := o.configured(b)
			group = in.group(batcher.Group{
				BankAccountID: b.BankAccountID, PartnerBankID: bank, Kind: kind,
				SubMerchantID: b.SubMerchantID, TransactionTypeID: b.TransactionTypeID,
			})
			groups[at.BatchID] = group
		}
		in.add(group, at.BeneLEI, at.Amount, 0, false)
	}
	return in.plan()
}

// configured is what the batch's debit account is by today's configuration, and
// says so where that is not what the batch was planned for.
func (o *operation) configured(b ledger.Batch) (partnerBank int, kind ledger.AccountKind) {
	a, found := o.set.Account(b.BankAccountID)
	if !found || a.PartnerBankID == b.PartnerBankID && a.Kind == b.Kind {
		return b.PartnerBankID, b.Kind
	}
	o.warn("batch %s was planned for partner bank %d, and payrun.toml now says %d for %s: its payouts are planned again for that one",
		b.ID, b.PartnerBankID, a.PartnerBankID, ledger.Plain(a.Name))
	return a.PartnerBankID, a.Kind
}
