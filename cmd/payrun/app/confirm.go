package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"payrun/ledger"
	"payrun/submitter"
	"payrun/submitter/bankapi"
	"payrun/validate"
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
		return n.Environment.Why() + ": a person has to confirm that once", "; there is no terminal to ask on, and nothing was sent",
			"run it on a terminal, without --no-input; or have id_url and base_url on one host"
	case len(n.Others) > 0:
		return fmt.Sprintf("this merchant already has a ledger on this machine (%s), and neither ledger would know what the other paid", strings.Join(n.Others, ", ")),
			"; nothing was made", "use that one; or say --yes if the two never pay the same payouts"
	case n.Decide != nil:
		return fmt.Sprintf("%s of %s: you have to type the amount and the last %d characters of the batch id", n.Decide.What, n.Decide.Total.Rupees(), typedTail),
			", and there is no terminal to ask on; nothing was done", "run it on a terminal, without --no-input; --yes does not answer it"
	case n.Unnamed != "":
		return n.Unnamed, "; nothing of it was recorded",
			"check whose statement it is, and say --yes if it is this account's; with account_number in payrun.toml, payrun compares the number in the file itself"
	case n.Statement != nil:
		return n.Statement.What + ": a person has to confirm that", ", and there is no terminal to ask on; nothing was done", "run it on a terminal, without --no-input; --yes does not answer it"
	case n.Restored != nil:
		return "a person has to confirm that the ledger has everything that the bank holds or paid", ", and there is no terminal to ask on; nothing was done",
			"run it on a terminal, or say --yes if it has"
	}
	return fmt.Sprintf("%s of %s, including held batches: that reaches policy.confirm_above (%s)", ledger.CountedBatches(n.Total.Count), n.Total.Total.Rupees(), n.Above.Rupees()),
		", and that total was not typed; nothing was sent", "run it on a terminal, without --no-input"
}

// total is the use case's word for what the engine came back with, or err itself.
func (o *operation) total(err error) error {
	if need, ok := errors.AsType[*submitter.NeedsConfirmation](err); ok {
		return &NeedsConfirmation{Total: need.Total, Above: o.policy.ConfirmAbove, Submit: need.Submit}
	}
	return err
}

// grown is total after a submit. Once a batch of it went out no one is asked for the total in the same
// sitting: the next submit is of what is held then.
func (o *operation) grown(results []Result, err error) error {
	err = o.total(err)
	need, ok := errors.AsType[*NeedsConfirmation](err)
	if !ok || len(results) == 0 {
		return err
	}
	what, _, _ := need.words()
	return Fail(NeedsPerson, "%s; nothing more was sent", what).Then(Do("submit"))
}

// toType is what has to be typed for batches by policy.confirm_above, as the ledger tells; nil for
// nothing.
func (o *operation) toType(ctx context.Context, batches []ledger.Batch, submit bool) (*NeedsConfirmation, error) {
	err := o.total(submitter.New(o.store, nil, o.engineSettings()).ConfirmTotal(ctx, batches, 0, submit))
	need, ok := errors.AsType[*NeedsConfirmation](err)
	if ok {
		err = nil
	}
	return need, err
}

// ToType is what a person sees and types before their word about a release is taken down.
type ToType struct {
	BatchID  string
	What     string // what it is about, in words
	Total    ledger.Paise
	As       ledger.ReleaseAs
	Evidence ledger.ReleaseEvidence
	First    *ledger.ReleaseApproval // the first person's word; nil: this is the first
}

// typedTail is how much of a batch id is typed.
const typedTail = 6

// ParseAmount reads an amount as the cells of a sheet are read, so that what a
// person types elsewhere, such as an expected total, means the same.
func ParseAmount(s string) (ledger.Paise, error) { return validate.ParseAmount(s) }

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

// UnsaidEnvironment is an environment that a person has to confirm, once.
type UnsaidEnvironment struct{ ledger.Environment }

// Why tells what is not known without a person.
func (v *UnsaidEnvironment) Why() string {
	return fmt.Sprintf("the bank names the environment only for %s (id_url); money moves at %s (base_url), and payrun.toml says %s", v.IDHost, v.BaseHost, v.Name)
}

// confirmEnvironment refuses to send until a person has confirmed on record what unsaidEnvironment
// asks. typed is what they typed, "" for nothing. It returns *NeedsConfirmation if no one did. For a
// ledger without an environment, keepEnvironment records it once the bank agreed: a mistyped one binds
// it to none.
func (o *operation) confirmEnvironment(ctx context.Context, typed string) error {
	unsaid, err := o.unsaidEnvironment(ctx)
	switch {
	case err != nil || unsaid == nil:
		return err
	case typed != unsaid.Name:
		return &NeedsConfirmation{Environment: unsaid}
	}
	if last, err := o.store.EnvironmentConfirmed(ctx); err != nil || last.Kind == "" {
		return err
	}
	return o.store.ConfirmEnvironment(ctx, unsaid.Confirmed(ledger.Event{Actor: o.call.Actor, At: o.env.Now()}))
}

// unsaidEnvironment is what a person has to confirm where the bank says of one host which
// environment it is, and the money moves at another: that both are the configured one;
// nil where they did, and no host is another by now.
func (o *operation) unsaidEnvironment(ctx context.Context) (*UnsaidEnvironment, error) {
	bank, split := o.set.Bank()
	if !split {
		return nil, nil
	}
	last, err := o.store.EnvironmentConfirmed(ctx)
	if err != nil || last.Environment() == bank {
		return nil, err
	}
	return &UnsaidEnvironment{bank}, nil
}

// askEnvironment is confirmEnvironment for a run, whose person can be asked.
func (o *operation) askEnvironment(ctx context.Context, confirm func(context.Context, *NeedsConfirmation) error) error {
	err := o.confirmEnvironment(ctx, "")
	need, ok := errors.AsType[*NeedsConfirmation](err)
	if !ok || confirm == nil {
		return err
	}
	if err := confirm(ctx, need); err != nil {
		return err
	}
	return o.confirmEnvironment(ctx, need.Environment.Name)
}

// keepEnvironment records the environment of the ledger: that of the bank at which it initiates first.
// It is recorded before the call, so if that call was never made it can be recorded again.
func (o *operation) keepEnvironment(ctx context.Context) error {
	last, err := o.store.EnvironmentConfirmed(ctx)
	if err != nil || last.Environment().Name == o.set.Environment || o.store.Restored() != nil {
		return err
	}
	bank, _ := o.set.Bank()
	return o.store.ConfirmEnvironment(ctx, bank.Confirmed(ledger.Event{Actor: o.call.Actor, At: o.env.Now()}))
}

// sameWorld refuses to go on with a ledger of another environment than payrun.toml
// has: what it calls paid was paid there, and nowhere else. One from which nothing was
// ever sent is of none.
func (o *operation) sameWorld(ctx context.Context) error {
	last, err := o.store.EnvironmentConfirmed(ctx)
	if was := last.Environment(); err != nil || was.Name == "" || was.Name == o.set.Environment {
		return err
	}
	if sent, err := o.store.Sent(ctx); err != nil || !sent {
		return err
	}
	e := Fail(EnvironmentDiffers, "the ledger %s is of environment %s, and payrun.toml says %s: what it calls paid was not paid in %[3]s", o.place.name(), last.Environment().Name, o.set.Environment)
	if bank, split := o.set.Bank(); split && last.Environment().BaseHost == bank.BaseHost {
		e.Then(Say("its money moved at the same host, %s, which a person called %s: check the account's statement first, and do not load again what is on it", bank.BaseHost, last.Environment().Name))
	}
	return e.Then(Say("use one ledger for each environment: name another ledger in payrun.toml, run payrun init, and load there what you pay in %s", o.set.Environment))
}

// ReviewedBatches is what a person was shown when they decided, who saw it some time ago
// and elsewhere than where it is carried out. It names the batches that the
// decision is about; where one of them is no longer as it was shown nothing is done
// (ledger.ErrStale). That is asked when the use case has the lock, and once more
// in the transaction in which each batch's decision is recorded.
type ReviewedBatches struct {
	Batches []ledger.Bound // each as it was shown

	// Sheet means every planned batch of a sheet, instead; Plan is the digest of what
	// was shown of them (ledger.PlanDigest).
	Sheet, Plan string
}

// Shows reports whether these planned batches are what was shown.
func (to *ReviewedBatches) Shows(p *Planned) bool {
	if to.Sheet != "" {
		return to.Plan == p.Plan
	}
	return slices.EqualFunc(to.Batches, p.Each, func(b ledger.Bound, now PlannedBatch) bool { return b == now.Bound })
}

// bind returns the batches that a person decided about, and has the operation hold
// each to what was shown of it.
func (o *operation) bind(ctx context.Context, to *ReviewedBatches) (named []string, err error) {
	o.expected = map[string]ledger.ExpectedVersion{}
	fields, err := o.fields()
	if err != nil {
		return nil, err
	}
	shown := to.Batches
	if to.Sheet != "" {
		if shown, err = o.asPlanned(ctx, fields, to); err != nil {
			return nil, err
		}
	}
	for _, b := range shown {
		if to.Sheet == "" {
			if err := submitter.StillBound(ctx, o.store, fields, b); err != nil {
				return nil, err
			}
		}
		o.expected[b.BatchID] = b.ExpectedVersion
		named = append(named, b.BatchID)
	}
	return named, nil
}

// asPlanned are the planned batches of a sheet as they are now, which is as they were shown.
func (o *operation) asPlanned(ctx context.Context, enc submitter.Encoder, to *ReviewedBatches) ([]ledger.Bound, error) {
	of := ledger.Filter{SheetID: to.Sheet}
	if err := o.exists(ctx, of); err != nil {
		return nil, err
	}
	planned, err := o.planned(ctx, of)
	if err != nil {
		return nil, err
	}
	from, err := o.ahead(ctx, of, planned)
	if err != nil {
		return nil, err
	}
	now, err := from.bound(ctx, enc, planned)
	if err == nil && (len(now) == 0 || to.Plan != ledger.PlanDigest(now).String()) {
		err = fmt.Errorf("sheet %s: %w", to.Sheet, ledger.ErrStale)
	}
	return now, err
}

// named are the ids of the batches that a person named, or was shown elsewhere.
func (o *operation) named(ctx context.Context, words []string, shown *ReviewedBatches) ([]string, error) {
	if shown != nil {
		return o.bind(ctx, shown)
	}
	return o.batchIDs(ctx, words)
}

// Holds is nil while every batch is as it was shown, else ledger.ErrStale. It is
// for who asks before the use case does, which asks again.
func (a *App) Holds(ctx context.Context, call Call, to ReviewedBatches) error {
	return a.read(ctx, call, func(o *operation) error {
		_, err := o.bind(ctx, &to)
		return err
	})
}

// Bound is what a decision about a batch is bound to now.
func (a *App) Bound(ctx context.Context, call Call, id string) (ledger.Bound, error) {
	return reading(ctx, a, call, func(o *operation) (ledger.Bound, error) { return o.bound(ctx, id) })
}

// bound is what a decision about a batch is bound to now.
func (o *operation) bound(ctx context.Context, id string) (ledger.Bound, error) {
	fields, err := o.fields()
	if err != nil {
		return ledger.Bound{}, err
	}
	return submitter.Bind(ctx, o.store, fields, id)
}

// fields are what the body of Initiate transfer calls its fields, as configured.
func (o *operation) fields() (bankapi.RequestFields, error) {
	fields, err := bankapi.RequestFields(o.set.RequestFields).Checked()
	if err != nil {
		return fields, Fail(Usage, "%v", err).Because(err)
	}
	return fields, nil
}
