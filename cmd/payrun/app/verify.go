package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// Problem is one thing that should hold in the ledger but does not.
type Problem = ledger.Problem

// Verify checks the file, the audit chain and every invariant. It also checks that the ledger contains the
// audit head in the file anchored: a report's reconciliation.json or an export; "" for none. If something does
// not hold, it returns the problems and an error. isCopy forgives that the ledger is a copy, and nothing else.
func (a *App) Verify(ctx context.Context, call Call, anchored string, isCopy bool) (problems []Problem, err error) {
	err = a.read(ctx, call, func(o *operation) error {
		behind, err := o.missing(ctx, anchored)
		if err != nil {
			return err
		}
		problems, err = o.verify(ctx)
		if err == nil && isCopy && len(ledger.WithoutMark(problems))+len(behind) == 0 {
			return nil
		}
		if problems = append(problems, behind...); err != nil || len(problems) == 0 {
			return err
		}
		return o.doesNotHold(problems)
	})
	return problems, err
}

func (o *operation) verify(ctx context.Context) ([]Problem, error) {
	defer o.call.progress().Begin("verifying the ledger", "").End()
	return o.store.Verify(ctx)
}

func (o *operation) doesNotHold(problems []Problem) error {
	code := LedgerUnusable
	onlyBehind := len(ledger.WithoutMark(problems)) == 0
	if slices.ContainsFunc(problems, Problem.Tampered) {
		code = LedgerTampered
	} else if onlyBehind {
		code = LedgerRestored
	}
	e := Fail(code, "%s in the ledger %s", ledger.Counted(len(problems), "thing does not hold", "things do not hold"), o.place.name())
	if onlyBehind {
		return e.Then(Do("help", "ledger", "verify").First("send nothing: it may be a copy. Put the newest ledger back").Which("says how"))
	}
	return e.Then(Say("send nothing. Restore the ledger from its newest copy"))
}

// AcceptRequest asks to accept a ledger as it is.
type AcceptRequest struct {
	Reason string // written by the person; kept in the audit trail
	// Complete means that a person confirmed that the ledger has everything that the bank holds or paid.
	Complete bool
}

// Accepted is the result of accepting a ledger as it is.
type Accepted struct {
	Done     bool      // it was accepted
	Looked   []Result  // what the bank shows of every planned or held batch
	Problems []Problem // set if only a sound copy can help: the reasons
}

// AcceptRestored allows a ledger that may have lost what was sent to send again, by a person's decision. It
// first asks the bank about every planned and held batch, and quarantines a batch that the bank has although
// this ledger did not send it. If the bank does not answer about one, it accepts nothing. It returns
// *NeedsConfirmation if the person has not confirmed: the ledger cannot know what else the bank has.
func (a *App) AcceptRestored(ctx context.Context, call Call, req AcceptRequest) (got Accepted, err error) {
	err = a.decide(ctx, call, trusted, func(o *operation) error {
		behind := o.store.Restored()
		if behind == nil {
			return Fail(Usage, "the ledger %s contains its high-water mark: there is nothing to accept", o.place.name())
		}
		found, err := o.verify(ctx)
		if err != nil {
			return err
		}
		if left := ledger.WithoutMark(found); len(left) > 0 {
			got.Problems = found
			return o.doesNotHold(left)
		}
		if got.Looked, err = o.lookAtAll(ctx); err != nil {
			return err
		}
		if !req.Complete {
			return &NeedsConfirmation{Restored: behind}
		}
		if err := o.store.AcceptRestored(ctx, o.call.Actor, req.Reason, o.env.Now()); err != nil {
			return err
		}
		got.Done = true
		return o.attention(ctx, scope{})
	})
	return got, err
}

// lookAtAll asks the bank about every planned and held batch. It returns an error also if the bank
// did not answer about one.
func (o *operation) lookAtAll(ctx context.Context) ([]Result, error) {
	open, err := o.store.BatchesIn(ctx, ledger.BatchPlanned, ledger.BatchHeld)
	if err != nil || len(open) == 0 {
		return nil, err
	}
	if err := o.openBank(ctx); err != nil {
		return nil, err
	}
	defer o.call.progress().Begin("asking the bank", "").End()
	results, err := o.engine.LookAtAll(ctx)
	return results, errors.Join(err, unanswered("not accepted", results))
}

// readAnchor reads the audit head from a reconciliation.json, or from the last line of an export. The
// file may come from another machine: the ledger must still contain that head.
func readAnchor(path string) (head ledger.AuditHead, err error) {
	f, err := os.Open(path)
	if err != nil {
		return head, Fail(Usage, "%s cannot be read: %v", path, config.Reason(err)).Because(err)
	}
	defer f.Close()
	var last struct {
		Audit ledger.AuditHead `json:"audit"`
	}
	for in := json.NewDecoder(f); err == nil; {
		head, last.Audit = last.Audit, ledger.AuditHead{}
		err = in.Decode(&last)
	}
	if !errors.Is(err, io.EOF) || head.Length < 1 || head.Hash == "" {
		return head, Fail(Usage, "%s has no head of an audit trail: it is not a complete reconciliation.json of a report, or a complete export", path).Because(err).
			Then(Say("name the reconciliation.json of a report, or a file that payrun ledger export wrote"))
	}
	return head, nil
}

// missing returns a problem if the ledger does not contain the audit head in the file.
func (o *operation) missing(ctx context.Context, file string) ([]Problem, error) {
	if file == "" {
		return nil, nil
	}
	head, err := readAnchor(file)
	if err != nil {
		return nil, err
	}
	at, err := gathered(ctx, o.store.EventsWhere, ledger.EventFilter{After: head.Length - 1, Before: head.Length + 1})
	if err != nil || len(at) > 0 && at[0].Hash == head.Hash {
		return nil, err
	}
	why := fmt.Sprintf("its event %d is not the one in %s: the audit trail was rewritten, or this is another ledger", head.Length, file)
	if len(at) == 0 {
		why = fmt.Sprintf("it does not have event %d of %s: it is older than that", head.Length, file)
	}
	return []Problem{{Kind: ledger.ProblemBehind, Invariant: 18, What: "the ledger contains what a report or an export recorded of its audit trail", Detail: why}}, nil
}
