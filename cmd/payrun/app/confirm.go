package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"payrun/cmd/payrun/doc"
	"payrun/ledger"
	"payrun/submitter"
	"payrun/submitter/bankapi"
	"payrun/validate"
)

// NeedsConfirmation is the error of a use case that needs a person's confirmation first. Nothing was
// done. It says what to confirm. The same use case, called with the confirmation, continues.
type NeedsConfirmation struct {
	// Total reaches Above (policy.confirm_above), with all that is held. The person confirms by
	// naming the total. Submit: it is about to be submitted, else initiated.
	Total  ledger.Tally
	Above  ledger.Paise
	Submit bool

	// Environment is what only a person can confirm. They confirm it by naming the environment.
	Environment *ledger.Environment

	// Others are the ledgers for the same merchant that are known on this machine.
	Others []string

	// Decide is a decision about this batch, or one payout of it, that may release what was
	// paid. The person types its total and the end of the batch id.
	Decide *ToType

	// Unnamed says why a statement file may not belong to the account that it was given for:
	// nothing in it names the account.
	Unnamed string

	// Statement is what a person says about a statement, with the lines it concerns. --yes does not confirm it.
	Statement *StatementToConfirm

	// Restored says why the ledger is behind its high-water mark. The person confirms that the
	// ledger has everything that the bank holds or paid.
	Restored error
}

func (n *NeedsConfirmation) Error() string {
	what, _, _ := n.words()
	return what
}

// unanswered returns the error if there is no person to ask for the confirmation.
func (n *NeedsConfirmation) unanswered() *Error {
	what, undone, hint := n.words()
	return Fail(NeedsPerson, "%s%s", what, undone).Because(n).Then(Say("%s", hint))
}

// words returns what has to be confirmed, that it was not, and how to confirm it.
func (n *NeedsConfirmation) words() (what, undone, hint string) {
	switch {
	case n.Environment != nil:
		what = fmt.Sprintf("the bank names the environment only for %s (id_url); money moves at %s (base_url), and payrun.toml says %s: a person has to confirm that once",
			n.Environment.IDHost, n.Environment.BaseHost, n.Environment.Name)
		return what, "; there is no terminal to ask on, and nothing was sent",
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

// total turns the engine's NeedsConfirmation into that of the use case; other errors stay.
func (o *operation) total(err error) error {
	if need, ok := errors.AsType[*submitter.NeedsConfirmation](err); ok {
		return &NeedsConfirmation{Total: need.Total, Above: o.policy.ConfirmAbove, Submit: need.Submit}
	}
	return err
}

// grown is total after a submit. Once one batch was sent, payrun does not ask for the total again in
// the same run: the next submit is about what is held then.
func (o *operation) grown(results []Result, err error) error {
	err = o.total(err)
	need, ok := errors.AsType[*NeedsConfirmation](err)
	if !ok || len(results) == 0 {
		return err
	}
	what, _, _ := need.words()
	return Fail(NeedsPerson, "%s; nothing more was sent", what).Then(Do("submit"))
}

// toType returns what has to be typed for batches by policy.confirm_above, from the ledger alone; nil
// for nothing.
func (o *operation) toType(ctx context.Context, batches []ledger.Batch, submit bool) (*NeedsConfirmation, error) {
	err := o.total(submitter.New(o.store, nil, o.engineSettings()).ConfirmTotal(ctx, batches, 0, submit))
	need, ok := errors.AsType[*NeedsConfirmation](err)
	if ok {
		err = nil
	}
	return need, err
}

// ToType is what a person sees and types before their decision about a release is recorded.
type ToType struct {
	BatchID  string
	What     string // what it is about, in words
	Total    ledger.Paise
	As       ledger.ReleaseAs
	Evidence ledger.ReleaseEvidence
	First    *ledger.ReleaseApproval // the first person's decision; nil: this is the first
}

// typedTail is how many characters of a batch id are typed.
const typedTail = 6

// ParseAmount reads an amount like a cell of a sheet, so that what a person types
// elsewhere, such as an expected total, means the same.
func ParseAmount(s string) (ledger.Paise, error) { return validate.ParseAmount(s) }

// Typed is what a person typed after they saw what it is about.
type Typed struct {
	Total ledger.Paise
	Tail  string // the last characters of the batch id
	Shown string // ledger.ReleaseEvidence.Digest of the evidence that the person saw
}

// matches reports whether the person typed exactly that.
func (t *ToType) matches(typed *Typed) bool {
	return typed.Total == t.Total && len(t.BatchID) >= typedTail && strings.EqualFold(typed.Tail, t.BatchID[len(t.BatchID)-typedTail:])
}

// confirmEnvironment refuses to send until a person has confirmed what unsaidEnvironment asks. typed is
// what they typed before; "" for nothing. If it is not the environment, confirm asks them; nil: they cannot
// be asked, and the error is *NeedsConfirmation. For a ledger without an environment, keepEnvironment
// records it later, once the bank agrees: so a mistyped environment does not bind the ledger.
func (o *operation) confirmEnvironment(ctx context.Context, typed string, confirm func(context.Context, *NeedsConfirmation) error) error {
	unsaid, err := o.unsaidEnvironment(ctx)
	if err != nil || unsaid == nil {
		return err
	}
	switch need := (&NeedsConfirmation{Environment: unsaid}); {
	case typed == unsaid.Name:
	case confirm == nil:
		return need
	default:
		if err := confirm(ctx, need); err != nil {
			return err
		}
	}
	if last, err := o.store.EnvironmentConfirmed(ctx); err != nil || last.Kind == "" {
		return err
	}
	return o.store.ConfirmEnvironment(ctx, unsaid.Confirmed(ledger.Event{Actor: o.call.Actor, At: o.env.Now()}))
}

// unsaidEnvironment returns what a person has to confirm if the bank names the environment of one host,
// and money moves at another: that both hosts are in the configured environment. nil if a person
// confirmed it and the hosts are still the same.
func (o *operation) unsaidEnvironment(ctx context.Context) (*ledger.Environment, error) {
	bank, split := o.set.Bank()
	if !split {
		return nil, nil
	}
	last, err := o.store.EnvironmentConfirmed(ctx)
	if err != nil || last.Environment() == bank {
		return nil, err
	}
	return &bank, nil
}

// keepEnvironment records the environment of the ledger: that of the bank where it first initiates. It
// records it before the call. If that call was never made, another can be recorded later.
func (o *operation) keepEnvironment(ctx context.Context) error {
	last, err := o.store.EnvironmentConfirmed(ctx)
	if err != nil || last.Environment().Name == o.set.Environment || o.store.Restored() != nil {
		return err
	}
	bank, _ := o.set.Bank()
	return o.store.ConfirmEnvironment(ctx, bank.Confirmed(ledger.Event{Actor: o.call.Actor, At: o.env.Now()}))
}

// sameWorld refuses a ledger of another environment than payrun.toml has: what it calls paid was paid there,
// and nowhere else. A ledger from which nothing was ever sent has no environment.
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

// ReviewedBatches is what a person was shown when they decided, if the decision is carried
// out later or elsewhere. It names the batches of the decision. If one of them is no longer
// as it was shown, nothing is done (ledger.ErrStale). The use case checks this when it has
// the lock, and again in the transaction that records each batch's decision.
type ReviewedBatches struct {
	Batches []ledger.Bound // each as it was shown

	// Sheet replaces Batches: every planned batch of a sheet. Plan is then the digest of what
	// was shown of them (ledger.PlanDigest).
	Sheet, Plan string
}

// Shows reports whether these planned batches are as they were shown.
func (to *ReviewedBatches) Shows(p *Planned) bool {
	if to.Sheet != "" {
		return to.Plan == p.Plan
	}
	return slices.EqualFunc(to.Batches, p.Each, func(b ledger.Bound, now PlannedBatch) bool { return b == now.Bound })
}

// bind returns the batches that a person decided about, and makes the operation check
// that each is as it was shown.
func (o *operation) bind(ctx context.Context, to *ReviewedBatches) (named []string, err error) {
	o.expected = map[string]ledger.ExpectedVersion{}
	shown := to.Batches
	if to.Sheet != "" {
		if shown, err = o.asPlanned(ctx, to); err != nil {
			return nil, err
		}
	}
	for _, b := range shown {
		if to.Sheet == "" {
			if err := submitter.StillBound(ctx, o.store, o.fields(), b); err != nil {
				return nil, err
			}
		}
		o.expected[b.BatchID] = b.ExpectedVersion
		named = append(named, b.BatchID)
	}
	return named, nil
}

// asPlanned returns the planned batches of a sheet now; ledger.ErrStale if they are not as they were shown.
func (o *operation) asPlanned(ctx context.Context, to *ReviewedBatches) ([]ledger.Bound, error) {
	now, _, err := o.lookAtPlanned(ctx, ledger.Filter{SheetID: to.Sheet})
	if err == nil && (now == nil || to.Plan != now.Plan) {
		err = fmt.Errorf("sheet %s: %w", to.Sheet, ledger.ErrStale)
	}
	if err != nil {
		return nil, err
	}
	return ledger.ListOf(now.Each, func(b PlannedBatch) ledger.Bound { return b.Bound }), nil
}

// named returns the ids of the batches that a person named, or that they were shown elsewhere.
func (o *operation) named(ctx context.Context, words []string, shown *ReviewedBatches) ([]string, error) {
	if shown != nil {
		return o.bind(ctx, shown)
	}
	return o.batchIDs(ctx, words)
}

// Holds returns nil if every batch is as it was shown, else ledger.ErrStale. It is for a
// check before the use case, which checks again.
func (a *App) Holds(ctx context.Context, call Call, to ReviewedBatches) error {
	return a.read(ctx, call, func(o *operation) error {
		_, err := o.bind(ctx, &to)
		return err
	})
}

// Bound returns what binds a decision about a batch now.
func (a *App) Bound(ctx context.Context, call Call, id string) (ledger.Bound, error) {
	return reading(ctx, a, call, func(o *operation) (ledger.Bound, error) { return o.bound(ctx, id) })
}

// bound returns what binds a decision about a batch now.
func (o *operation) bound(ctx context.Context, id string) (ledger.Bound, error) {
	return submitter.Bind(ctx, o.store, o.fields(), id)
}

// fields returns the configured field names for the body of Initiate transfer.
func (o *operation) fields() bankapi.RequestFields { return bankapi.RequestFields(o.set.RequestFields) }

// Outgoing is what is about to be sent, for the person who agrees to it.
type Outgoing struct {
	Accounts []OutgoingAccount
	Batches  []doc.PlannedBatch // each needs one OTP
	Payouts  ledger.Tally
	Held     ledger.Tally // batches that wait for their OTP already

	PayeeReview
	LeftOut ledger.Tally // rows of the sheets that will not be loaded
	Since   []SinceLast  // each sheet, compared with the one before

	// Corrected says which payouts of planned batches a later sheet changed, and how; see ReviewedBatch.
	Corrected []string

	Loads    int                // sheets that payrun loads once the person agrees
	Approval bool               // nothing that is loaded is sent before another person has approved it
	ToType   *NeedsConfirmation // the total has to be typed; nil if a yes is enough

	rolls []*payrolls // of the sheets that are not loaded yet
}

// OutgoingAccount is what is sent from one debit account.
type OutgoingAccount struct {
	Debit   ledger.DebitAccount // only the id if today's configuration does not have it
	Batches int
	Payouts ledger.Tally
	Funds   *AccountFunds // nil: the bank was not asked
}

// GoOn shows a person what is about to be sent, and asks them to agree. It returns the total that they typed,
// if that is needed. An error ends the use case, and nothing is sent.
type GoOn func(ctx context.Context, out Outgoing) (typed ledger.Paise, err error)

// addBatches adds batches of the ledger, without their payees.
func (o *operation) addBatches(out *Outgoing, batches []ledger.Batch) {
	for _, b := range batches {
		o.addBatch(out, doc.PlannedBatch{ID: b.ID, BankAccountID: b.BankAccountID, PartnerBankID: b.PartnerBankID, Count: b.Count, Total: b.Total, NeedsToken: b.Rules().NeedsToken, Reason: b.Reason})
	}
}

// addPlanned adds batches of the ledger, each compared with what other sheets pay.
func (o *operation) addPlanned(ctx context.Context, out *Outgoing, batches []ledger.Batch) error {
	o.addBatches(out, batches)
	for _, b := range batches {
		corrected, err := o.corrected(ctx, b.ID)
		if err != nil {
			return err
		}
		out.Corrected = append(out.Corrected, corrected...)
	}
	if err := o.askPayees(ctx, &out.PayeeReview, batches); err != nil {
		return err
	}
	since, err := o.sinceLast(ctx, batches)
	out.Since = append(out.Since, since...)
	return err
}

// addSheet adds a sheet that is not loaded yet; its payouts were added as they
// were read.
func (o *operation) addSheet(out *Outgoing, s *Sheet) {
	out.Loads++
	out.LeftOut = out.LeftOut.Plus(s.Sheet.Rejected)
	for b := range s.Planned() {
		o.addBatch(out, b)
	}
	for _, f := range s.Findings {
		if validate.OfThePayee(f.Code) {
			out.Unusual.add(f, 0)
		}
	}
}

// addRead adds payouts of a sheet that is being read. known holds the payees paid before.
func (out *Outgoing) addRead(ctx context.Context, known ledger.Payees, payouts []ledger.Payout) error {
	out.addLargest(payouts)
	return out.addNew(ctx, known, payouts, nil)
}

func (o *operation) addBatch(out *Outgoing, b doc.PlannedBatch) {
	out.Batches = append(out.Batches, b)
	of := func(a OutgoingAccount) bool { return a.Debit.BankAccountID == b.BankAccountID }
	account := ledger.FirstOrNew(&out.Accounts, of, OutgoingAccount{Debit: o.debit(b.BankAccountID)})
	payouts := ledger.Tally{Count: b.Count, Total: b.Total}
	account.Batches++
	account.Payouts, out.Payouts = account.Payouts.Plus(payouts), out.Payouts.Plus(payouts)
}

// agree asks a person to agree to what is about to be sent. sent are the batches, in the
// ledger or not yet. typed is the total that they typed, if that is needed.
func (o *operation) agree(ctx context.Context, out *Outgoing, sent []ledger.Batch, goOn GoOn) (typed ledger.Paise, err error) {
	slices.SortStableFunc(out.Accounts, func(a, b OutgoingAccount) int { return cmp.Compare(b.Payouts.Total, a.Payouts.Total) })
	for i := range out.Accounts {
		of := func(f AccountFunds) bool { return f.BankAccountID == out.Accounts[i].Debit.BankAccountID }
		if at := slices.IndexFunc(o.firstFunds, of); at >= 0 {
			out.Accounts[i].Funds = &o.firstFunds[at]
		}
	}
	if out.ToType, err = o.toType(ctx, sent, false); err != nil {
		return 0, err
	}
	return goOn(ctx, *out)
}

// debit returns a debit account by today's configuration; only its id if it is not configured.
func (o *operation) debit(id string) ledger.DebitAccount {
	if a, found := o.set.Account(id); found {
		return a
	}
	return ledger.DebitAccount{BankAccountID: id}
}
