package simulation

import (
	"context"

	"payrun/ledger"
	"payrun/submitter"
)

// peopleCanaries are variants in which one person is enough.
var peopleCanaries = []canary{
	{name: "approval_not_asked_for", set: func(_ *history, s *submitter.Settings) { s.TwoPerson = false }, by: "two people: initiate"},
	{name: "same_person_twice", wrap: func(h *history, s submitter.Store, b submitter.Bank) (submitter.Store, submitter.Bank) {
		return namelessPeople{s, h}, b
	}, by: "two people"},
	{name: "total_not_typed", set: func(_ *history, s *submitter.Settings) { s.ConfirmAbove = 0 }, by: "typed total"},
}

// namelessPeople does not know who planned a batch, and accepts everyone's approval.
type namelessPeople struct {
	submitter.Store
	h *history
}

func (n namelessPeople) Approve(_ context.Context, words ...ledger.Approving) error {
	for _, a := range words {
		n.h.words = append(n.h.words, a.Approval)
	}
	return nil
}

func (n namelessPeople) ApprovalStatus(_ context.Context, id string) (c ledger.ApprovalStatus, err error) {
	for _, a := range n.h.words {
		if a.BatchID == id {
			e := ledger.Approving{Approval: a}.Event(ledger.Batch{ID: id})
			e.Seq = 1
			c.Approvals = append(c.Approvals, e)
		}
	}
	return c, nil
}
