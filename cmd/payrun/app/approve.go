package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"payrun/ledger"
	"payrun/submitter"
)

// ApproveRequest names the batches to approve.
type ApproveRequest struct {
	ReviewedBatches ReviewedBatches // the batches, and what was shown of them
	// Typed is the total that a person typed. Then all batches are approved or none. nil: payrun did
	// not ask for a total.
	Typed *ledger.Paise
}

// ToApprove shows what is to be approved: batches, or the planned batches of sheets. For each batch it shows what
// fraud would change. copy is the path of the approver's own copy of the sheet, or "": ToApprove shows
// where it differs from what is planned, and then also returns an error: nothing must be approved. It
// records nothing.
func (a *App) ToApprove(ctx context.Context, call Call, batches []string, copy string) (Review, error) {
	return reading(ctx, a, call, func(o *operation) (r Review, err error) {
		if err = o.mayApprove(); err == nil {
			batches, err = o.withSheets(ctx, batches)
		}
		if err == nil {
			err = o.notAllOwn(ctx, batches)
		}
		if err != nil {
			return r, err
		}
		r, err = o.review(ctx, batches, copy)
		r.By = o.call.Actor
		return r, err
	})
}

// notAllOwn refuses a person who planned all of these batches, before they look through them.
func (o *operation) notAllOwn(ctx context.Context, named []string) error {
	chosen, err := o.batches(ctx, named)
	for _, b := range chosen {
		approval, failed := o.store.ApprovalStatus(ctx, b.ID)
		if failed != nil {
			return failed
		}
		same := approval.Another(o.call.Actor)
		if same == nil || b.State != ledger.BatchPlanned {
			return nil
		}
		err = fmt.Errorf("%w: batch %s was planned by %s: %w", submitter.ErrSamePerson, b.ID, approval.PlannedBy, same)
	}
	return err
}

// mayApprove refuses a person who cannot be one of two people, or does not have the role.
func (o *operation) mayApprove() error {
	if err := o.people.Counts(o.call.Actor); err != nil {
		return err
	}
	return o.may(ledger.RoleApprove)
}

// Approve records a second person's approval of planned batches
// (policy.two_person). It does not ask the bank.
func (a *App) Approve(ctx context.Context, call Call, req ApproveRequest) (work *Work, err error) {
	err = a.decide(ctx, call, nil, func(o *operation) error {
		if err := o.mayApprove(); err != nil {
			return err
		}
		named, err := o.bind(ctx, &req.ReviewedBatches)
		if err != nil {
			return err
		}
		chosen, err := o.forApproval(ctx, named)
		if err != nil {
			return err
		}
		words := make([]ledger.Approving, len(chosen))
		for i, b := range chosen {
			words[i] = ledger.Approving{Approval: ledger.Approval{BatchID: b.ID, Actor: o.call.Actor, At: o.env.Now()}, Shown: o.expected[b.ID]}
		}
		results, may, refused := submitter.Approvable(ctx, o.store, o.fields(), words)
		if req.Typed != nil { // all of them or none
			if refused != nil {
				return refused
			}
			if total := totalOf(chosen); total.Total != *req.Typed {
				return Fail(Cancelled, "you did not type the total of %s: %s. Nothing was done", ledger.CountedBatches(total.Count), total.Total.Rupees())
			}
			if slices.ContainsFunc(chosen, func(b ledger.Batch) bool { return b.State != ledger.BatchPlanned }) {
				return ledger.ErrStale
			}
		}
		if len(may) > 0 {
			if err := o.store.Approve(ctx, may...); err != nil {
				return err
			}
		}
		work = &Work{Results: results}
		if err := cmp.Or(refused, waiting(results)); err != nil {
			return err
		}
		work.Next = []Hint{Do(append([]string{"initiate"}, ids(chosen)...)...)}
		return nil
	})
	return work, err
}

// totalOf counts and sums batches.
func totalOf(batches []ledger.Batch) (t ledger.Tally) {
	for _, b := range batches {
		t.Add(b.Total)
	}
	return t
}

func (o *operation) forApproval(ctx context.Context, named []string) ([]ledger.Batch, error) {
	chosen, err := o.batches(ctx, named)
	if err == nil && !slices.ContainsFunc(chosen, o.needsApproval) {
		return nil, Fail(Usage, "policy.two_person is not set: no approval is needed").Then(Do("initiate", "--all"))
	}
	return chosen, err
}

func (o *operation) needsApproval(b ledger.Batch) bool { return b.NeedsTwo(o.policy.TwoPerson) }

// OutcomeSentBack means that another person sent the batch back.
const OutcomeSentBack = "sent_back"

// SendBackRequest names planned batches to send back.
type SendBackRequest struct {
	ReviewedBatches ReviewedBatches // the batches, and what was shown of them
	Batches         []string        // or instead: batches, or sheets for all their planned batches now
	Reason          string          // written by the person; kept in the audit trail
}

// SendBack records that a possible approver rejects planned batches, all of them or none. A batch that was sent
// back is not initiated unless it is approved later. SendBack does not ask the bank.
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
		words, results := make([]ledger.Approving, len(chosen)), make([]Result, len(chosen))
		for i, b := range chosen {
			if b.State != ledger.BatchPlanned {
				return Fail(Usage, "batch %s is %s; only planned batches can be sent back. Nothing was done", b.ID, b.State).Then(Do("status", b.ID))
			}
			approval, err := o.store.ApprovalStatus(ctx, b.ID)
			if err != nil {
				return err
			}
			if same := approval.Another(o.call.Actor); same != nil {
				return fmt.Errorf("%w: batch %s was planned by %s, who withdraws it instead: %w", submitter.ErrSamePerson, b.ID, approval.PlannedBy, same)
			}
			by := ledger.Approval{BatchID: b.ID, Actor: o.call.Actor, At: o.env.Now()}
			words[i] = ledger.Approving{Approval: by, SentBack: req.Reason, Shown: o.expected[b.ID]}
			results[i] = Result{Batch: b, Outcome: OutcomeSentBack, Attention: ledger.SentBack, Message: "sent back by " + o.call.Actor + ": " + req.Reason}
		}
		if err := o.store.Approve(ctx, words...); err != nil {
			return err
		}
		work = &Work{Results: results}
		return o.attention(ctx, scope{named: ids(chosen)})
	})
	return work, err
}

// withSheets returns the named batches; a word that names a sheet means all its planned batches.
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

// ofPerson refuses a text that is empty or too long.
func ofPerson(text, what string) error {
	switch n := utf8.RuneCountInString(text); {
	case strings.TrimSpace(text) == "":
		return Fail(Usage, "the %s is missing. Nothing was done", what)
	case n > ledger.MostCommentChars:
		return Fail(Usage, "the %s has %d characters, and the limit is %d. Nothing was done", what, n, ledger.MostCommentChars)
	}
	return nil
}

// Comment records a person's comment on a sheet, in plain text. It decides nothing.
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

// mayGiveUp refuses a person who may not abandon these batches. Payers may. A loader may if they
// planned all of them and none was initiated.
func (o *operation) mayGiveUp(ctx context.Context, chosen []ledger.Batch) error {
	if o.may(payers...) == nil || o.may(loaders...) != nil {
		return o.may(payers...)
	}
	for _, b := range chosen {
		approval, err := o.store.ApprovalStatus(ctx, b.ID)
		if err != nil {
			return err
		}
		if b.State != ledger.BatchPlanned || !o.people.Same(approval.PlannedBy, o.call.Actor) {
			return o.may(payers...)
		}
	}
	return nil
}

// Withdraws reports whether a person may withdraw a sheet: they loaded it, and all its batches that are not
// abandoned are planned, by them.
func (s *SheetStory) Withdraws(people ledger.Users, name string) bool {
	live := ledger.Where(s.Batches, func(b ledger.Batch) bool { return b.State != ledger.BatchAbandoned })
	others := func(b ledger.Batch) bool {
		return b.State != ledger.BatchPlanned || !people.Same(s.Approvals[b.ID].PlannedBy, name)
	}
	return len(live) > 0 && people.Same(s.LoadedBy, name) && !slices.ContainsFunc(live, others)
}
