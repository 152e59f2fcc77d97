package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"payrun/batcher"
	"payrun/ledger"
	"payrun/validate"
)

// RetryRequest names the payouts to retry.
type RetryRequest struct {
	Of   string   // a sheet or a batch
	Refs []string // only these payouts of it, by their references; nil for all that may be retried
	// Total is the sum of the payouts, as a person typed it; 0: payrun did not ask for it.
	Total ledger.Paise
	// Shown is the digest of the payouts as they were shown (RetryDigest); "" if they
	// are shown and planned in one step.
	Shown string
	Out   string // path of a sheet to write them to, in the person's own columns; "" plans them
}

// Retry plans new attempts for the payouts of a sheet or batch that failed, came back or were cancelled. It
// sends nothing. Work without results means that there was nothing to retry. If a named reference is unknown or
// may not be retried, nothing at all is planned.
func (a *App) Retry(ctx context.Context, call Call, req RetryRequest) (work *Work, err error) {
	err = a.decide(ctx, call, loaders, func(o *operation) error {
		req.Of = o.sheetOrBatchID(ctx, req.Of)
		planned, locks, err := o.retry(ctx, req)
		if err != nil {
			return err
		}
		var review PayeeReview
		if err := o.askPayees(ctx, &review, planned); err != nil {
			return err
		}
		results := ledger.ListOf(planned, func(b ledger.Batch) Result {
			return Result{Batch: b, Outcome: string(ledger.BatchPlanned), Message: b.Reason}
		})
		work = &Work{Results: results, Locks: locks, Unusual: review.Unusual, Next: o.nextOfNew(planned)}
		return errors.Join(o.attention(ctx, scope{}), lockedFailure(locks))
	})
	return work, err
}

// toRetry returns the attempts that may be retried, and the locks of the others.
func (o *operation) toRetry(ctx context.Context, req RetryRequest) ([]ledger.Attempt, []ledger.Lock, error) {
	attempts, locks, err := o.store.Retryable(ctx, req.Of)
	switch {
	case errors.Is(err, ledger.ErrNotFound):
		return nil, nil, Fail(Usage, "there is no sheet and no batch %q; nothing was planned", ledger.Plain(req.Of)).Because(err).
			Then(Do("sheets").Which("and payrun status list them; the first %d characters after the two letters of an id are enough; --ref REF retries one payout of it", ledger.ShortestID))
	case err == nil && req.Shown != "" && req.Shown != RetryDigest(attempts):
		return nil, nil, fmt.Errorf("%s: %w", req.Of, ledger.ErrStale)
	}
	if err == nil && len(req.Refs) > 0 {
		attempts, err = o.onlyRefs(ctx, req, attempts)
		locks = nil // onlyRefs refuses a locked payout that is named
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

// lockedFailure returns the error for locked payouts: the exit code of the gravest lock, what was
// seen, why it matters and what ends it. nil if there is no lock.
func lockedFailure(locks []ledger.Lock) error {
	if len(locks) == 0 {
		return nil
	}
	l := slices.MinFunc(locks, func(a, b ledger.Lock) int { return cmp.Compare(a.Kind.Rank(), b.Kind.Rank()) })
	code, ok := codes[l.Kind.Row().Exit]
	if !ok {
		code = NotRetryable
	}
	e := Fail(code, "%s is locked, and is not planned again: %s", ledger.Plain(l.Ref), l.Saw()).About(l.Kind).Then(Say("%s. %s", l.Why(), l.Ends()))
	if n := len(locks); n > 1 {
		e.Then(Say("%s in all", ledger.Counted(n, "lock", "locks")))
	}
	return e.Then(Do("resolve", l.Ref))
}

// RetryDigest returns the digest that binds a retry: which payouts can be retried, and with what.
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

// Retryable returns the latest attempts of the payouts that Retry would plan for a sheet or batch.
func (a *App) Retryable(ctx context.Context, call Call, of string) ([]ledger.Attempt, error) {
	return reading(ctx, a, call, func(o *operation) ([]ledger.Attempt, error) {
		list, _, err := o.store.Retryable(ctx, of)
		return list, err
	})
}

// onlyRefs picks the payouts that were named, in the order of loading. A reference is the payout's own
// or its wire reference.
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
			not = errors.Join(not, why)
		}
		chosen = append(chosen, a)
	}
	slices.SortFunc(chosen, func(a, b ledger.Attempt) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(chosen, func(a, b ledger.Attempt) bool { return a.ID == b.ID }), not
}

// notRetryable finds a payout of a sheet or batch that is not in the list of retryable ones. not says why it
// is not. not is nil for a payout that two people released: it is retried only if it is named.
func (o *operation) notRetryable(ctx context.Context, of, ref string) (a ledger.Attempt, not, err error) {
	key, elsewhere := validate.RefKey(ref), ""
	err = o.store.EachPayout(ctx, ledger.Filter{Exact: key}, func(found ledger.Attempt) error {
		named := validate.RefKey(found.Ref) == key || validate.RefKey(found.WireRef) == key // not by its UTR
		if named && (found.SheetID == of || found.BatchID == of) {
			a = found
		} else if named {
			elsewhere = found.BatchID
		}
		return nil
	})
	if err != nil {
		return a, nil, err
	}
	switch {
	case a.ID == 0 && elsewhere != "":
		return a, nil, Fail(Usage, "the latest attempt of the payout %s is not in %s, but in %s; nothing was planned", ledger.Plain(ref), of, elsewhere).
			Then(Do("status", ref).Which("shows its story"))
	case a.ID == 0:
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
	if slices.ContainsFunc(records[a.ID], func(r ledger.AttemptRecord) bool { // an earlier attempt may be paid
		return r.State == ledger.PayoutSuccess || r.Resolved == ledger.ResolutionPaid
	}) {
		why = "it is paid"
	}
	return a, Fail(NotRetryable, "the payout %s cannot be retried: %s; nothing was planned", ledger.Plain(ref), why).
		Then(Do("payouts", "--search", ref).Which("shows its state")), nil
}

// planRetry packs the attempts under the debit accounts that they had. The bank and kind of an account come
// from today's configuration, if the account is in it: they may have been corrected since. As in a load, a batch
// needs an approval if a payout of it is like a locked one.
func (o *operation) planRetry(ctx context.Context, attempts []ledger.Attempt) (batcher.Plan, error) {
	locked, err := lockedLike(ctx, o.store.Payees(validate.FoldName), attempts)
	if err != nil {
		return batcher.Plan{}, err
	}
	in := o.newPacking()
	groups, rules := map[string]int32{}, map[string]ledger.Rules{} // by batch
	for _, at := range attempts {
		group, ok := groups[at.BatchID]
		if !ok {
			b, err := o.store.Batch(ctx, at.BatchID)
			if err != nil {
				return batcher.Plan{}, err
			}
			bank, kind := o.configured(b)
			group = in.group(batcher.Group{
				Route:         ledger.Route{BankAccountID: b.BankAccountID, SubMerchantID: b.SubMerchantID, TransactionTypeID: b.TransactionTypeID},
				PartnerBankID: bank, Kind: kind,
			})
			groups[at.BatchID], rules[at.BatchID] = group, ledger.RulesFor(bank, kind)
		}
		if lacks := rules[at.BatchID].Lacks(&at.Payout); lacks != "" {
			return batcher.Plan{}, Fail(NotRetryable, "the payout %s has no %s, which its debit account needs by today's payrun.toml; nothing was planned", ledger.Plain(at.Ref), lacks).
				Then(Do("retry", at.SheetID, "--out", "to-correct.xlsx").First("Add it in a sheet of its own."))
		}
		in.add(group, at.BeneLEI, at.Amount, 0, len(locked[at.Payee()]) > 0)
	}
	return in.plan()
}

func lockedLike(ctx context.Context, known ledger.Payees, attempts []ledger.Attempt) (map[ledger.Payee][]ledger.Lock, error) {
	return known.LockedLike(ctx, ledger.ListOf(attempts, func(at ledger.Attempt) ledger.Payee { return at.Payee() }))
}

// likeLocked implements submitter.LikeLocked. It reads what is locked once for each sheet, not for each batch.
func (o *operation) likeLocked(ctx context.Context, b ledger.Batch, attempts []ledger.Attempt) ([]ledger.Lock, error) {
	if o.otherPayees[b.SheetID] == nil {
		o.otherPayees[b.SheetID] = o.store.PayeesWithout(validate.FoldName, b.ID)
	}
	locked, err := lockedLike(ctx, o.otherPayees[b.SheetID], attempts)
	for _, at := range attempts {
		if locks := locked[at.Payee()]; len(locks) > 0 {
			return locks, err
		}
	}
	return nil, err
}

// configured returns the bank and kind of the batch's debit account by today's configuration.
// It warns if they differ from what the batch was planned for.
func (o *operation) configured(b ledger.Batch) (partnerBank int, kind ledger.AccountKind) {
	a, found := o.set.Account(b.BankAccountID)
	if !found || a.PartnerBankID == b.PartnerBankID && a.Kind == b.Kind {
		return b.PartnerBankID, b.Kind
	}
	bank := func(id int, kind ledger.AccountKind) string { return strings.TrimSpace(fmt.Sprintf("%d %s", id, kind)) }
	o.warn("batch %s was planned for partner bank %s, and payrun.toml now says %s for %s: its payouts are planned again for that one",
		b.ID, bank(b.PartnerBankID, b.Kind), bank(a.PartnerBankID, a.Kind), ledger.Plain(a.Name))
	return a.PartnerBankID, a.Kind
}
