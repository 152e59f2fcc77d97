package ledger

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
	"unique"
)

// Batches is the first part. It checks the sheets and the batches, each with its
// calls and decisions (invariants 2 to 4, 6 to 8, 12 and 16).
func (a *Audit) Batches(ctx context.Context, f LedgerReader) error {
	if err := a.readSheets(ctx, f); err != nil {
		return err
	}
	batches, calls := numbered{what: "batches"}, numbered{what: "intents"}
	err := f.Batches(ctx, func(b *BatchFacts) error {
		batches.met(b.No)
		a.batch(f.LedgerID(), b)
		for _, i := range b.Intents {
			calls.met(i.No)
		}
		return nil
	})
	if err != nil {
		return err
	}
	batches.tell(&a.planned)
	calls.tell(&a.planned)
	return nil
}

func (a *Audit) readSheets(ctx context.Context, f LedgerReader) error {
	bytes, rows := map[string][]string{}, map[string][]string{}
	numbers := numbered{what: "sheets"}
	err := f.Sheets(ctx, func(s *SheetFacts) error {
		numbers.met(s.No)
		a.sheets.add(s.No, s.ID, &keptSheet{SheetFacts: *s})
		content := ContentOf(s.SHA256, s.Tab, s.RefPrefix) // it may be loaded only once
		bytes[content] = append(bytes[content], s.ID)
		rows[s.RowsHash] = append(rows[s.RowsHash], s.ID)
		if s.Content != content {
			a.planned.add(derivedIDs, "the content of sheet %s should be %s", s.ID, content)
		}
		if want := SheetID(s.Content); s.ID != want {
			a.planned.add(derivedIDs, "sheet %s should be %s", s.ID, want)
		}
		return nil
	})
	if err != nil {
		return err
	}
	numbers.tell(&a.planned)
	a.loadedTwice("bytes", bytes)
	a.loadedTwice("rows", rows)
	return nil
}

func (a *Audit) loadedTwice(what string, sheets map[string][]string) {
	for _, ids := range sheets {
		if len(ids) > 1 {
			a.planned.add(loadedOnce, "the same %s were loaded %d times: %s", what, len(ids), strings.Join(ids, ", "))
		}
	}
}

// numbered checks that the numbers of rows count from 1 without gaps.
type numbered struct {
	what       string
	count, max int64
}

func (n *numbered) met(no int64) { n.count++; n.max = max(n.max, no) }

func (n *numbered) tell(found *findings) {
	if n.count != n.max {
		found.add(nothingLost, "%s: %d of %d are gone", n.what, n.max-n.count, n.max)
	}
}

// batch checks a batch by itself, and keeps what the other parts need.
func (a *Audit) batch(ledgerID string, b *BatchFacts) {
	found, state := &a.planned, strings.Clone(string(b.State)) // a copy, so that it does not keep its row in memory
	kept := &keptBatch{no: b.No, id: strings.Clone(b.ID), state: BatchState(state), total: b.Total, places: int32(b.Count)}
	if !a.batches.add(b.No, kept.id, kept) {
		found.add(nothingLost, "two batches are called %s", b.ID)
	}
	if s := a.sheets.byNo[b.SheetNo]; s == nil {
		found.add(nothingLost, "batch %s is of sheet %d, which is not there", b.ID, b.SheetNo)
	} else {
		b.SheetID = s.ID
		if want := BatchID(ledgerID, s.Content, b.BankAccountID, b.Sequence, b.Attempt, b.Refs); b.ID != want {
			found.add(derivedIDs, "batch %s should be %s", b.ID, want)
		}
	}
	kept.share = unique.Make(shared{b.SheetNo, b.Route(), b.BeneLEI})
	calls := ListOf(b.Intents, func(i RecordedIntent) Intent { return i.Intent })
	kept.fixed, kept.record, kept.needsApproval = b.fixed(), b.stateDigest(calls, b.Looks), b.NeedsApproval
	// A batch that the bank shows only later keeps its state (safety.md, "Checks at the bank", Watch).
	kept.usingUp = !b.HeldAt.IsZero() || b.State != BatchRefused && b.State != BatchAbandoned || echoed(b.Intents)
	a.rules(b, kept)
	a.calls(b, kept)
	a.decisions(b, kept)
}

// decision returns a keyed hash of a person's decision. no is its number in the ledger.
func (a *Audit) decision(no int64, kind, actor string, at time.Time, detail string) uint64 {
	return a.digest(strconv.FormatInt(no, 10), kind, actor, strconv.FormatInt(at.UnixMicro(), 10), detail)
}

// call returns a keyed hash of a call to the bank. no is its number in the ledger.
func (a *Audit) call(no int64, kind CallKind, payload string) uint64 {
	return a.digest(strconv.FormatInt(no, 10), string(kind), payload)
}

// decisions checks people's decisions about a batch, and keeps a sum to compare with its events.
func (a *Audit) decisions(b *BatchFacts, kept *keptBatch) {
	released := false
	for _, p := range b.Proposals {
		if !p.Carried {
			kept.decided += a.decision(p.No, EventReleaseAsked, p.Actor, p.At, p.detail())
			continue
		}
		released = true
		kept.decided += a.decision(p.No, EventReleased, p.Actor, p.At, p.detail())
		for _, s := range p.Saw().Attempts {
			a.released[AttemptKey{s.PayoutID, s.Number}] = true
		}
		if !a.seconds(p, b.Proposals) {
			a.planned.add(twoDecided, "batch %s: %s released it as %s, and no other person had said the same before", b.ID, p.Actor, p.As)
		}
	}
	if b.State == BatchSetAside && !released {
		a.planned.add(twoDecided, "batch %s is set aside, and no one released it", b.ID)
	}
}

// seconds reports whether a release has its first decision: by another actor, about the same
// attempts, on the same evidence, at most 72 hours earlier.
func (a *Audit) seconds(p ReleaseApproval, all []ReleaseApproval) bool {
	return slices.ContainsFunc(all, func(f ReleaseApproval) bool {
		return f.No == p.Seconds && !f.Carried && f.As == p.As && f.Of() == p.Of() && f.Evidence == p.Evidence && f.Actor != p.Actor &&
			f.At.Before(p.At) && p.At.Sub(f.At) <= SecondPersonWithin
	})
}

// echoed reports whether the bank accepted an initiate, even if its echo differed from the plan.
func echoed(intents []RecordedIntent) bool {
	return slices.ContainsFunc(intents, func(i RecordedIntent) bool { return i.Kind == CallInitiate && i.Outcome == Accepted })
}

// rules checks a batch against the rules of its partner bank.
func (a *Audit) rules(b *BatchFacts, kept *keptBatch) {
	found, r := &a.planned, b.Batch.Rules()
	if err := checkKind(b.PartnerBankID, b.Kind); err != nil {
		found.add(batchIsSo, "batch %s: %v", b.ID, err)
	}
	if b.Count > 1 && !r.Bulk {
		found.add(batchIsSo, "batch %s of partner bank %d has %d payouts", b.ID, b.PartnerBankID, b.Count)
	}
	if (b.BeneLEI != "") != r.NeedsLEI(b.Total) {
		found.add(leiFromLine, "batch %s of %d paise at partner bank %d has LEI %q", b.ID, b.Total, b.PartnerBankID, b.BeneLEI)
	}
	if b.BeneLEI != "" && !ValidLEI(b.BeneLEI) {
		found.add(leiFromLine, "batch %s has %q, which is not a valid LEI", b.ID, b.BeneLEI)
	}
	kept.byBeneficiaryID = r.NeedsBeneficiaryID
}

// calls checks the intents of a batch.
func (a *Audit) calls(b *BatchFacts, kept *keptBatch) {
	found, open := &a.planned, 0
	doubt := map[CallKind]RecordedIntent{}
	for _, i := range b.Intents {
		kept.calls += a.call(i.No, i.Kind, i.PayloadSHA256)
		if before, ok := doubt[i.Kind]; ok {
			found.add(oneInDoubt, "batch %s: intent %d to %s followed intent %d, which ended %q", b.ID, i.No, i.Kind, before.No, before.Outcome)
		}
		if i.InDoubt() {
			doubt[i.Kind] = i
		}
		if i.Open() {
			open++
		}
		if !i.Looked {
			found.add(lookedFirst, "batch %s: intent %d to %s was recorded without a look at the bank", b.ID, i.No, i.Kind)
		}
		if i.Kind != CallSubmit {
			continue
		}
		switch b.State {
		case BatchAbandoned, BatchQuarantined, BatchRefused:
			if i.Open() || i.Outcome == Accepted {
				found.add(notAfterEnd, "batch %s is %s and has a submit intent that may have been accepted", b.ID, b.State)
			}
		}
		if i.InDoubt() && b.State != BatchAbandoned && b.State != BatchSetAside {
			kept.maybePaying = true
		}
	}
	if under := b.State.InProgress(); (open == 1) != under || open > 1 {
		found.add(recordedCall, "batch %s is %s, and has %d open intents", b.ID, b.State, open)
	}
}
