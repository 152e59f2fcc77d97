package simulation

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"payrun/ledger"
	"payrun/submitter"
)

// approver is the second person. asha, the first, loads and plans.
const approver = "ravi"

// approvals is a store that can record approvals.
type approvals interface {
	submitter.Store
	Approve(ctx context.Context, words ...ledger.Approving) error
}

// approve lets a person approve every planned batch: mostly the second person, sometimes the planner, who
// may not.
func (h *history) approve(p *process) {
	p.actor = approver
	if !h.bank.honest && h.rng.IntN(6) == 0 {
		p.actor = "asha"
	}
	err := h.run(p, "approve by "+p.actor, func(p *process, _ *submitter.Engine) error {
		ctx := context.Background()
		var s approvals = faultyStore{p}
		broken, bank := h.parts(p) // a person who approves sees what will be sent
		if canary, ok := broken.(namelessPeople); ok {
			s = canary
		}
		planned, err := s.BatchesIn(ctx, ledger.BatchPlanned)
		if err != nil {
			return err
		}
		for _, b := range planned {
			word := ledger.Approving{Approval: ledger.Approval{BatchID: b.ID, Actor: p.actor, At: h.now()}}
			results, may, err := submitter.Approvable(ctx, s, bank, []ledger.Approving{word})
			if len(may) > 0 {
				err = errors.Join(err, s.Approve(ctx, may...))
			}
			if err == nil || errors.Is(err, submitter.ErrSamePerson) {
				h.results(results)
			}
			if errors.Is(err, submitter.ErrSamePerson) && p.actor != approver {
				continue
			}
			if err != nil {
				return err
			}
			h.stats["approvals"] += len(may)
			if len(may) > 0 && p.actor != approver {
				h.found("two people: %s approved %s, and had planned it", p.actor, b.ID)
			}
		}
		return nil
	})
	h.unexpected(p, err)
}

// checkAgreed checks what a call needs besides the status checks: the total of the run was typed. For an
// initiate, the bank lists the debit account as active, and a person other than its planner approved
// exactly what is sent.
func (h *history) checkAgreed(p *post, payloadSHA256 string) {
	if h.running == nil {
		return
	}
	h.checkTyped(p)
	if p.kind != "initiate" {
		return
	}
	var body initiateBody
	if err := json.Unmarshal(p.body, &body); err != nil || body.Account == h.bank.closed() {
		h.found("bank accounts: %s is initiated from account %s, which is not active (%v)", p.batchID, body.Account, err)
	}
	h.checkSent(p, body)
	needs := slices.ContainsFunc(h.batches(), func(b seenBatch) bool { return b.id == p.batchID && b.needs })
	if h.twoPeople || needs {
		yes, err := h.eye.view.approved(p.batchID, payloadSHA256)
		if err != nil {
			h.found("looking at the ledger: %v", err)
		}
		if !yes {
			h.found("two people: initiate of %s, which nobody else approved", p.batchID)
		}
	}
}

// checkTyped compares the totals that one run initiated, and submitted, with the total that was typed in
// it.
func (h *history) checkTyped(p *post) {
	if h.set.ConfirmAbove <= 0 {
		return
	}
	if err := h.eye.look(); err != nil {
		h.found("looking at the ledger: %v", err)
		return
	}
	for _, b := range h.eye.now.batches {
		if b.id == p.batchID {
			if h.running.made == nil {
				h.running.made = map[call]ledger.Paise{}
			}
			h.running.made[call{p.kind, p.batchID}] = b.total
		}
	}
	var sent ledger.Paise
	for c, total := range h.running.made {
		if c.kind == p.kind {
			sent += total
		}
	}
	if sent >= h.set.ConfirmAbove && h.running.confirmed < sent {
		h.found("typed total: %s of %s, and %s was typed", p.kind, sent, h.running.confirmed)
	}
}

// checkSent is invariant 23, checked against what reached the bank: what is initiated is what the sheets
// had, or what a later one corrected it to, no matter what the ledger says now.
func (h *history) checkSent(p *post, body initiateBody) {
	rows := map[string]ledger.Payout{}
	for _, s := range h.sheets {
		for _, r := range s.rows {
			rows[r.Ref] = r.Payout
		}
	}
	is := func(sent map[string]string, r ledger.Payout) bool {
		return sent["bank_account_number"] == r.BankAccountNumber && sent["open_beneficiary_id"] == r.OpenBeneficiaryID &&
			sent["amount"] == r.Amount.String() && sent["vendor_name"] == r.VendorName && sent["ifsc"] == r.IFSC
	}
	for _, sent := range body.Payouts {
		r, ok := rows[ownRef(sent["merchant_txn_ref_id"])]
		if !ok || !slices.ContainsFunc(h.mayStand(r), func(r ledger.Payout) bool { return is(sent, r) }) {
			h.found("invariant 23: %s is initiated with another payee or amount than the sheet has for %s", p.batchID, sent["merchant_txn_ref_id"])
		}
	}
}

// MaySend is the last check. The process can be stopped before it and after it.
func (s faultyStore) MaySend(ctx context.Context, id string) error {
	s.p.turn()
	late := s.p.lapsed
	s.p.h.tick()
	err := s.p.store.MaySend(ctx, id)
	s.p.turn()
	s.p.behindLook = err == nil && s.p.lapsed && !late
	return err
}

func (s faultyStore) ApprovalStatus(ctx context.Context, id string) (ledger.ApprovalStatus, error) {
	return from(s.p, "approval", func() (ledger.ApprovalStatus, error) { return s.p.store.ApprovalStatus(ctx, id) })
}

func (s faultyStore) Approve(ctx context.Context, words ...ledger.Approving) error {
	return s.p.storeOp("approve", func() error { return s.p.store.Approve(ctx, words...) })
}

func (s faultyStore) Proposals(ctx context.Context, id string) ([]ledger.ReleaseApproval, error) {
	return from(s.p, "proposals", func() ([]ledger.ReleaseApproval, error) { return s.p.store.Proposals(ctx, id) })
}

func (s faultyStore) AccountEvidence(ctx context.Context, account, from, to string) (e ledger.AccountEvidence, err error) {
	err = s.p.storeOp("account_evidence", func() error {
		e, err = s.p.store.AccountEvidence(ctx, account, from, to)
		return err
	})
	return e, err
}
