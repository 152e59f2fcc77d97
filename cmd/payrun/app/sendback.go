package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"payrun/ledger"
	"payrun/submitter"
)

// OutcomeSentBack: another person sent the batch back.
const OutcomeSentBack = "sent_back"

// SendBackRequest sends planned batches back.
type SendBackRequest struct {
	ReviewedBatches ReviewedBatches // the batches, and what was shown of them
	Batches         []string        // batches, or sheets for all their planned batches, as they are now; instead
	Reason          string          // a person's; kept in the audit trail
}

// SendBack records that a person who might approve planned batches does not: none of them is
// initiated before one is approved after all. It is of all of them or of none. Nothing is
// asked of the bank.
func (a *App) SendBack(ctx context.Context, call Call, req SendBackRequest) (work *Work, err error) {
	err = a.decide(ctx, call, nil, func(o *operation) error {
		if err := o.mayApprove(); err != nil {
			return err
		}
		if err := ofPerson(req.Reason, "reason"); err != nil {
			return err
		}
		named, err := req.Batches, error(nil)
		if named == nil {
			named, err = o.bind(ctx, &req.ReviewedBatches)
		} else {
			named, err = o.withSheets(ctx, named)
		}
		if err != nil {
			return err
		}
		chosen, err := o.batches(ctx, named)
		if err != nil {
			return err
		}
		words := make([]ledger.SendingBack, len(chosen))
		for i, b := range chosen {
			if b.State != ledger.BatchPlanned {
				return Fail(Usage, "batch %s is %s; only what is planned is sent back. Nothing was done", b.ID, b.State).Then(Do("status", b.ID))
			}
			consent, err := o.store.ApprovalStatus(ctx, b.ID)
			if err != nil {
				return err
			}
			if same := consent.Another(o.call.Actor); same != nil {
				return engineFailed(fmt.Errorf("%w: batch %s was planned by %s, who withdraws it instead: %w", submitter.ErrSamePerson, b.ID, consent.PlannedBy, same))
			}
			words[i] = ledger.SendingBack{BatchID: b.ID, Actor: o.call.Actor, At: o.env.Now(), Reason: req.Reason, Shown: o.expected[b.ID]}
		}
		if err := o.store.SendBack(ctx, words...); err != nil {
			return err
		}
		work = &Work{}
		for _, b := range chosen {
			work.Results = append(work.Results, Result{Batch: b, Outcome: OutcomeSentBack, Attention: ledger.SentBack, Message: "sent back by " + o.call.Actor + ": " + req.Reason})
		}
		return o.attention(ctx, scope{named: named})
	})
	return work, err
}

// withSheets are the batches that words name, each of a sheet's planned ones where it names one.
func (o *operation) withSheets(ctx context.Context, words []string) (named []string, err error) {
	for _, word := range words {
		id, unknown := o.sheetID(ctx, word)
		if unknown != nil {
			named = append(named, word)
			continue
		}
		planned, err := o.planned(ctx, ledger.Filter{SheetID: id})
		if err != nil {
			return nil, err
		}
		if len(planned) == 0 {
			return nil, Fail(Usage, "no batch of sheet %s is planned. Nothing was done", id).Then(Do("status", id))
		}
		named = append(named, ids(planned)...)
	}
	return named, nil
}

// ofPerson refuses words of a person that are none, or too many.
func ofPerson(text, what string) error {
	switch n := utf8.RuneCountInString(text); {
	case strings.TrimSpace(text) == "":
		return Fail(Usage, "the %s is missing. Nothing was done", what)
	case n > ledger.MostCommentChars:
		return Fail(Usage, "the %s has %d characters, and %d at most are kept. Nothing was done", what, n, ledger.MostCommentChars)
	}
	return nil
}

// Comment records what a person says of a sheet, in plain text. It decides nothing.
func (a *App) Comment(ctx context.Context, call Call, sheet, text string) error {
	return a.write(ctx, call, func(o *operation) error {
		if err := o.may(ledger.Roles[:]...); err != nil {
			return err
		}
		if err := ofPerson(text, "comment"); err != nil {
			return err
		}
		id, err := o.sheetID(ctx, sheet)
		if err != nil {
			return err
		}
		return o.store.Comment(ctx, ledger.Comment{SheetID: id, Actor: o.call.Actor, At: o.env.Now(), Text: text})
	})
}

// mayGiveUp refuses who may not give batches up: who may pay may, and who planned them as long
// as none was initiated.
func (o *operation) mayGiveUp(ctx context.Context, chosen []ledger.Batch) error {
	if o.may(payers...) == nil || o.may(loaders...) != nil {
		return o.may(payers...)
	}
	for _, b := range chosen {
		by, err := o.store.PlannedBy(ctx, b.ID)
		if err != nil {
			return err
		}
		if b.State != ledger.BatchPlanned || !o.people.Same(by, o.call.Actor) {
			return o.may(payers...)
		}
	}
	return nil
}

// Withdraws reports whether a person may withdraw a sheet: they planned all of what is planned of
// it, and none of it is with the bank.
func (s *SheetStory) Withdraws(people ledger.Users, name string) bool {
	live := slices.DeleteFunc(slices.Clone(s.Batches), func(b ledger.Batch) bool { return b.State == ledger.BatchAbandoned })
	return len(live) > 0 && people.Same(s.LoadedBy, name) && !slices.ContainsFunc(live, func(b ledger.Batch) bool { return b.State != ledger.BatchPlanned })
}
