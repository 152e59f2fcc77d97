package app

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"payrun/ledger"
	"payrun/submitter"
	"payrun/validate"
)

// ResolveRequest is one person's decision about a lock (safety.md, "Release").
type ResolveRequest struct {
	What                  string // a batch, or a payout's reference
	ledger.ReleaseRequest        // what the person says; the engine fetches the rest
	Typed                 *Typed // what the person typed; nil: no total was asked for

	ReviewedBatches *ReviewedBatches // what was shown of the batch; nil: it is shown and decided in one step
}

// ErrRefused means that a rule of a release forbids it, or does not allow it yet. Nothing was done.
var ErrRefused = submitter.ErrRefused

// Resolve records one person's decision. The first person's waits for the second's, which payrun carries out.
// It checks every rule, then returns *NeedsConfirmation with the evidence for what each of them types.
func (a *App) Resolve(ctx context.Context, call Call, req ResolveRequest) (work *Work, err error) {
	err = a.decide(ctx, call, trusted, func(o *operation) error {
		word, err := o.toResolve(ctx, req)
		if err != nil {
			return err
		}
		if req.ReviewedBatches != nil {
			named, err := o.bind(ctx, req.ReviewedBatches)
			if err == nil && !slices.Equal(named, []string{word.Batch}) {
				err = &ledger.OvertakenError{BatchID: word.Batch}
			}
			if err != nil {
				return err
			}
		}
		if err := o.openBank(ctx); err != nil {
			return err
		}
		if req.Typed != nil {
			if word.Shown = req.Typed.Shown; word.Shown == "" {
				return Fail(Usage, "nothing was shown to decide on, so nothing was done")
			}
		}
		result, err := o.engine.Resolve(ctx, word, req.typed(word))
		if why, ok := errors.AsType[*ledger.Refusal](err); ok {
			code := map[int]Code{2: Usage, 5: BankUnanswered, ledger.ExitPerson: NeedsPerson}[why.Exit]
			return Fail(cmp.Or(code, OutcomeUnknown), "%v", why).Because(errors.Join(ErrRefused, why))
		}
		if result.Batch.ID == "" {
			return err
		}
		work = &Work{Results: []Result{result}}
		return o.resolved(ctx, req, word, work, err)
	})
	return work, err
}

// typed compares what the person typed with the evidence. If they typed nothing yet, it returns
// *NeedsConfirmation with what they have to see and type.
func (r ResolveRequest) typed(word submitter.Resolving) submitter.Decide {
	return func(evidence ledger.ReleaseEvidence, first *ledger.ReleaseApproval) error {
		what := "Batch " + word.Batch + ", " + ledger.CountedPayouts(len(evidence.Attempts))
		if word.Of != (ledger.AttemptKey{}) {
			what = "Payout " + ledger.Plain(evidence.Attempts[0].WireRef)
		}
		need := &ToType{BatchID: word.Batch, What: what, Total: evidence.Total(), As: word.As, Evidence: evidence, First: first}
		switch {
		case r.Typed == nil:
			return &NeedsConfirmation{Decide: need}
		case !need.matches(r.Typed):
			return Fail(Cancelled, "you did not type the amount and the end of the batch id; nothing was done")
		}
		return nil
	}
}

// toResolve finds the batch or payout that the person named.
func (o *operation) toResolve(ctx context.Context, req ResolveRequest) (word submitter.Resolving, err error) {
	word.ReleaseRequest = req.ReleaseRequest
	records, err := o.recordsNamed(ctx, req.What)
	if err != nil {
		return word, err
	}
	if len(records) == 0 {
		b, err := o.batchNoPayout(ctx, req.What)
		word.Batch = b.ID
		return word, err
	}
	at := toRelease(records, req)
	word.Batch, word.Of = at.BatchID, at.Key()
	return word, nil
}

// recordsNamed returns the attempts of the payout that has a reference: its own, or else one of its wire references;
// none if no payout has it.
func (o *operation) recordsNamed(ctx context.Context, ref string) ([]ledger.AttemptRecord, error) {
	var id, onWire int64
	err := o.store.EachPayout(ctx, ledger.Filter{Exact: validate.RefKey(ref), Attempts: true}, func(at ledger.Attempt) error {
		switch ref {
		case at.Ref:
			id = at.ID
		case at.WireRef:
			onWire = at.ID
		}
		return nil
	})
	if id = cmp.Or(id, onWire); err != nil || id == 0 {
		return nil, err
	}
	records, err := o.store.Records(ctx, []int64{id})
	return records[id], err
}

// batchNoPayout returns the batch that a word names, which is the reference of no payout.
func (o *operation) batchNoPayout(ctx context.Context, word string) (ledger.Batch, error) {
	b, err := o.batch(ctx, word)
	if errors.Is(err, ledger.ErrNotFound) {
		err = Fail(Usage, "there is no payout and no batch %q; nothing was done", ledger.Plain(word)).Because(err).Then(Do("find", word).Which("looks for a part of it"))
	}
	return b, err
}

// toRelease returns the attempt that a person means by a payout's reference: the one whose wire
// reference they named or that they were shown, else the one with the gravest lock, else the last.
func toRelease(records []ledger.AttemptRecord, req ResolveRequest) ledger.AttemptRecord {
	for _, r := range records {
		named := r.WireRef == req.What && r.WireRef != r.Ref
		shown := req.ReviewedBatches != nil && slices.ContainsFunc(req.ReviewedBatches.Batches, func(b ledger.Bound) bool { return b.BatchID == r.BatchID })
		if named || shown {
			return r
		}
	}
	if locks := ledger.Grave(ledger.Locks(records)); len(locks) > 0 {
		return records[slices.IndexFunc(records, func(r ledger.AttemptRecord) bool { return r.Key() == locks[0].Of })]
	}
	return records[len(records)-1]
}

// resolved reports the state of a release: waiting for another person, or carried out.
func (o *operation) resolved(ctx context.Context, req ResolveRequest, word submitter.Resolving, work *Work, engine error) error {
	mine := scope{named: []string{word.Batch}}
	switch {
	case engine != nil:
		return errors.Join(engine, o.attention(context.WithoutCancel(ctx), mine))
	case work.Results[0].Attention == ledger.ToBeApproved:
		now := o.env.Now()
		work.From, work.Until = now.Add(o.set.Resolve.Between.Std()), now.Add(ledger.SecondPersonWithin)
		return Fail(NeedsPerson, "%s waits for a second person to confirm it", cmp.Or(req.What, word.Batch)).
			Then(Do(req.again()...).First("a different person has to run it, at least %s later and within three days", o.set.Resolve.Between.Std()))
	}
	if req.As == ledger.ReleaseNotPaid {
		work.Next = []Hint{Do("retry", word.Batch).First("To plan its released payouts again, name them or their batch.")}
	}
	return o.attention(ctx, mine)
}

// again returns the command that repeats the request.
func (r ResolveRequest) again() []string {
	args := []string{"resolve", r.What, "--as", string(r.As), "--reason", r.Reason}
	if r.Ticket != "" {
		args = append(args, "--bank-ticket", r.Ticket)
	}
	if r.Charges > 0 {
		args = append(args, "--charges", r.Charges.String())
	}
	if r.NewReferences {
		args = append(args, "--new-references")
	}
	return args
}

// LockedPayout is a payout with its locks, and the decisions about it that wait for a second person.
type LockedPayout struct {
	Locks   []ledger.Lock
	Waiting []ledger.ReleaseApproval
}

// Locks returns the locks of named batches, or of payouts named by their references. It does not ask the bank.
func (a *App) Locks(ctx context.Context, call Call, named []string) (list []LockedPayout, err error) {
	err = a.read(ctx, call, func(o *operation) error {
		for _, word := range named {
			records, err := o.recordsNamed(ctx, word)
			if err != nil {
				return err
			}
			if len(records) > 0 {
				list = append(list, LockedPayout{Locks: ledger.Locks(records)})
				continue
			}
			of, err := o.locksOfBatch(ctx, word)
			if err != nil {
				return err
			}
			list = append(list, of...)
		}
		waiting, err := o.waitingReleases(ctx)
		for i := range list {
			list[i].Waiting = ledger.Where(waiting, func(p ledger.ReleaseApproval) bool {
				return slices.ContainsFunc(list[i].Locks, func(l ledger.Lock) bool { _, seen := p.Saw().Of(l.Of); return seen })
			})
		}
		return err
	})
	return list, err
}

func (o *operation) locksOfBatch(ctx context.Context, word string) (list []LockedPayout, err error) {
	b, err := o.batchNoPayout(ctx, word)
	if err != nil {
		return nil, err
	}
	attempts, err := o.store.Attempts(ctx, b.ID)
	if err != nil {
		return nil, err
	}
	records, err := o.store.Records(ctx, ledger.ListOf(attempts, func(at ledger.Attempt) int64 { return at.ID }))
	for _, at := range attempts {
		if locks := ledger.Locks(records[at.ID]); len(locks) > 0 {
			list = append(list, LockedPayout{Locks: locks})
		}
	}
	return list, err
}
