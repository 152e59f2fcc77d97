package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"payrun/ledger"
	"payrun/submitter"
)

// NeedsConfirmation is the error of a use case that needs a person's confirmation first. Nothing was
// done. It says what to confirm; the same use case with the confirmation continues.
type NeedsConfirmation struct {
	// Total: with all that is held it reaches Above (policy.confirm_above). Who
	// confirms it names the total. Submit: it is to be submitted, else initiated.
	Total  ledger.Tally
	Above  ledger.Paise
	Submit bool

	// Environment: that what it says not to be known is so. Who confirms it names the
	// environment.
	Environment *UnsaidEnvironment

	// Others: ledgers for the same merchant that are known on this machine.
	Others []string

	// Decide: what people decide about this batch, or one payout of it, may free
	// what was paid. Who decides types its total and the end of the batch's id.
	Decide *ToType

	// Unnamed: a statement file is of the account that it was given for, although
	// nothing in it tells so; this is why.
	Unnamed string

	// Statement: what a person says of a statement, with the lines it is about. --yes does
	// not answer it.
	Statement *StatementToConfirm

	// Restored: nothing that the bank holds or paid is missing in the ledger,
	// which is behind its high-water mark for this reason.
	Restored error
}

func (n *NeedsConfirmation) Error() string {
	what, _, _ := n.words()
	return what
}

// unanswered is the error of a confirmation for which there is no person to ask.
func (n *NeedsConfirmation) unanswered() *Error {
	what, undone, hint := n.words()
	return Fail(NeedsPerson, "%s%s", what, undone).Because(n).Then(Say("%s", hint))
}

// words say what has to be confirmed, that it was not, and how to confirm it.
func (n *NeedsConfirmation) words() (what, undone, hint string) {
	switch {
	case n.Environment != nil:
		return n.Environment.Why() + ": that has to be confirmed by a person, once", "; there is no terminal to ask on, and nothing was sent",
			"run it on a terminal, without --no-input; or have id_url and base_url on one host"
	case len(n.Others) > 0:
		return fmt.Sprintf("for this merchant there is a ledger on this machine already (%s), and neither would know what the other paid", strings.Join(n.Others, ", ")),
			"; nothing was made", "use that one; or say --yes where the two never pay the same"
	case n.Decide != nil:
		return fmt.Sprintf("%s of %s: who decides has to type the amount and the last %d characters of the batch id", n.Decide.What, n.Decide.Total.Rupees(), typedTail),
			", and there is no terminal to ask on; nothing was done", "run it on a terminal, without --no-input; --yes does not answer it"
	case n.Unnamed != "":
		return n.Unnamed, "; nothing of it was recorded",
			"look whose statement it is, and say --yes where it is this account's; with account_number in payrun.toml a file that shows its number needs no word"
	case n.Statement != nil:
		return n.Statement.What + ": a person has to say so", ", and there is no terminal to ask on; nothing was done", "run it on a terminal, without --no-input; --yes does not answer it"
	case n.Restored != nil:
		return "a person has to confirm that the ledger lacks nothing that the bank holds or paid", ", and there is no terminal to ask on; nothing was done",
			"run it on a terminal, or say --yes where it is so"
	}
	return fmt.Sprintf("%s of %s, with all that is held: that reaches policy.confirm_above (%s)", ledger.CountedBatches(n.Total.Count), n.Total.Total.Rupees(), n.Above.Rupees()),
		", and there is no terminal to type the total on; nothing was sent", "run it on a terminal, without --no-input"
}

// total is the use case's word for what the engine came back with, or err itself.
func (o *operation) total(err error) error {
	if need, ok := errors.AsType[*submitter.NeedsConfirmation](err); ok {
		return &NeedsConfirmation{Total: need.Total, Above: o.policy.ConfirmAbove, Submit: need.Submit}
	}
	return err
}

// toType is what has to be typed for batches by policy.confirm_above; nil for nothing.
func (o *operation) toType(ctx context.Context, engine *submitter.Engine, batches []ledger.Batch, submit bool) (*NeedsConfirmation, error) {
	need, err := engine.ToConfirm(ctx, batches)
	if err != nil || need == nil {
		return nil, err
	}
	return &NeedsConfirmation{Total: need.Total, Above: o.policy.ConfirmAbove, Submit: submit}, nil
}

// ToType is what a person types before a decision is taken down.
type ToType struct {
	BatchID string
	What    string // what it is about, in words
	Total   ledger.Paise
	Release *ReleaseToType // of a release: what the person has to see
}

// ReleaseToType is the evidence of a release, as both people see it.
type ReleaseToType struct {
	As       ledger.ReleaseAs
	Evidence ledger.ReleaseEvidence
	First    *ledger.ReleaseApproval // the first person's word; nil: this is the first
}

// typedTail is how much of a batch id is typed.
const typedTail = 6

// Typed is what a person typed, who has seen what it is about.
type Typed struct {
	Total ledger.Paise
	Tail  string // the last characters of the batch id
	Shown string // ledger.ReleaseEvidence.Digest of the evidence that the person saw
}

// matches reports whether just that was typed.
func (t *ToType) matches(typed *Typed) bool {
	return typed.Total == t.Total && len(t.BatchID) >= typedTail && strings.EqualFold(typed.Tail, t.BatchID[len(t.BatchID)-typedTail:])
}

// typed is nil where the person typed what it is about; *NeedsConfirmation where
// nothing was typed.
func (t *ToType) typed(by *Typed) error {
	switch {
	case by == nil:
		return &NeedsConfirmation{Decide: t}
	case !t.matches(by):
		return Fail(Cancelled, "what was typed is not the amount and the end of the batch id; nothing was done")
	}
	return nil
}
