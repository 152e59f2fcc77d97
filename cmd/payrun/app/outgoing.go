package app

import (
	"cmp"
	"context"
	"slices"

	"payrun/ledger"
	"payrun/validate"
)

// Outgoing is what is about to be sent, for the person who agrees to it.
type Outgoing struct {
	Environment string // "sandbox" or "production"
	Accounts    []OutgoingAccount
	Batches     []OutgoingBatch
	Payouts     ledger.Tally
	Held        ledger.Tally // batches that wait for their OTP already

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

// Before returns what is free in the account: its balance less what is in flight.
// known is false if the bank gave no balance.
func (a OutgoingAccount) Before() (free ledger.Paise, known bool) {
	if a.Funds == nil || !a.Funds.Known {
		return 0, false
	}
	return a.Funds.Balance - a.Funds.InFlight, true
}

// OutgoingBatch is one batch, and so one OTP.
type OutgoingBatch struct {
	ID         string
	Debit      ledger.DebitAccount
	Payouts    ledger.Tally
	NeedsToken bool
	Reason     string // why the batch ends where it does
	Priority   int    // of its sheet, 1 first; 0: none, or it is loaded and the order of the batches shows it
}

// GoOn shows a person what is about to be sent, and asks them to agree. It returns the total that they typed,
// if that is needed. An error ends the use case, and nothing is sent.
type GoOn func(ctx context.Context, out Outgoing) (typed ledger.Paise, err error)

func (o *operation) newOutgoing() *Outgoing {
	return &Outgoing{Environment: o.set.Environment, Approval: o.policy.TwoPerson}
}

// addBatches adds batches of the ledger, without their payees.
func (o *operation) addBatches(out *Outgoing, batches []ledger.Batch) {
	for _, b := range batches {
		out.addBatch(OutgoingBatch{ID: b.ID, Debit: o.debit(b), Payouts: ledger.Tally{Count: b.Count, Total: b.Total}, NeedsToken: b.Rules().NeedsToken, Reason: b.Reason})
	}
}

// addPlanned adds batches of the ledger, each compared with what was known before its sheet was
// loaded.
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
		one := OutgoingBatch{ID: b.ID, Debit: o.debit(ledger.Batch{BankAccountID: b.BankAccountID}), Payouts: ledger.Tally{Count: b.Count, Total: b.Total},
			NeedsToken: b.NeedsToken, Reason: b.Reason, Priority: b.Priority}
		out.addBatch(one)
	}
	for _, f := range s.Findings {
		if validate.OfThePayee(f.Code) {
			out.Unusual.add(f, 0)
		}
	}
}

// addRead adds payouts of a sheet that is being read. known holds the payees paid before.
func (out *Outgoing) addRead(ctx context.Context, known ledger.Payees, read []validate.Accepted) error {
	payouts := listOf(read, func(a validate.Accepted) ledger.Payout { return a.Payout })
	out.addLargest(payouts)
	return out.addNew(ctx, known, payouts, nil)
}

func (out *Outgoing) addBatch(b OutgoingBatch) {
	out.Batches = append(out.Batches, b)
	i := slices.IndexFunc(out.Accounts, func(a OutgoingAccount) bool { return a.Debit.BankAccountID == b.Debit.BankAccountID })
	if i < 0 {
		i = len(out.Accounts)
		out.Accounts = append(out.Accounts, OutgoingAccount{Debit: b.Debit})
	}
	account := &out.Accounts[i]
	account.Batches++
	account.Payouts, out.Payouts = account.Payouts.Plus(b.Payouts), out.Payouts.Plus(b.Payouts)
}

// agree asks a person to agree to what is about to be sent. sent are the batches, in the
// ledger or not yet. typed is the total that they typed, if that is needed.
func (o *operation) agree(ctx context.Context, out *Outgoing, sent []ledger.Batch, goOn GoOn) (typed ledger.Paise, err error) {
	slices.SortStableFunc(out.Accounts, func(a, b OutgoingAccount) int { return cmp.Compare(b.Payouts.Total, a.Payouts.Total) })
	for i := range out.Accounts {
		out.Accounts[i].Funds = o.fundsOf(out.Accounts[i].Debit.BankAccountID)
	}
	if out.ToType, err = o.toType(ctx, sent, false); err != nil {
		return 0, err
	}
	return goOn(ctx, *out)
}

// fundsOf returns what the debit account held when the bank was first asked; nil if it was not.
func (o *operation) fundsOf(bankAccountID string) *AccountFunds {
	for i := range o.firstFunds {
		if o.firstFunds[i].BankAccountID == bankAccountID {
			return &o.firstFunds[i]
		}
	}
	return nil
}

// PayeeReview is what is known of the payees, compared with what was known before their sheet was loaded.
type PayeeReview struct {
	New       Few[ledger.Payout]   // to accounts that this ledger never paid
	FirstTime Few[ledger.Payout]   // New without Changed
	Changed   Few[ChangedAccount]  // to payees who had another account until now
	Unusual   Few[ledger.Finding]  // an account the payee never had, paid a short time ago, far above what is usual
	Groups    []UnusualGroup       // Unusual without changed accounts, by what is unusual
	Repeated  Few[[]ledger.Payout] // the same amount to the same account, within one batch
	Largest   []ledger.Payout      // the largest first
}

// ChangedAccount is a payout to a payee who had another account until now.
type ChangedAccount struct {
	ledger.Payout
	validate.ChangedAccount
}

// UnusualGroup holds the findings that are unusual in the same way.
type UnusualGroup struct {
	Code string // the code of its findings
	Few[ledger.Finding]
}

// Few is a list of which only the beginning is kept. All counts and sums the whole list.
type Few[T any] struct {
	First []T
	All   ledger.Tally
}

// keptOfList is how many entries are kept of each list of a review.
const keptOfList = 1000

func (f *Few[T]) add(one T, amount ledger.Paise) {
	if len(f.First) < keptOfList {
		f.First = append(f.First, one)
	}
	f.All.Add(amount)
}

func (w *PayeeReview) addLargest(payouts []ledger.Payout) {
	w.Largest = largestOf(slices.Concat(w.Largest, payouts))
}

// payeesAtOnce is how many payouts at least have their payees looked up together, if a sheet has
// that many: a query for each batch would cost as much as a hundred payouts.
const payeesAtOnce = 1024

// askPayees adds the payees of these batches, in their order.
func (o *operation) askPayees(ctx context.Context, w *PayeeReview, batches []ledger.Batch) error {
	var known ledger.Payees     // before the sheet of the current batches
	var payouts []ledger.Payout // of the current batches
	for i, b := range batches {
		own, err := o.payoutsOf(ctx, b.ID)
		if err != nil {
			return err
		}
		if known == nil {
			known = o.store.PayeesBefore(validate.FoldName, b.ID)
		}
		for _, same := range validate.Repeated(own) {
			w.Repeated.add(same, same[0].Amount)
		}
		w.addLargest(own)
		payouts = append(payouts, own...)
		last := i == len(batches)-1 || batches[i+1].SheetID != b.SheetID
		if !last && len(payouts) < payeesAtOnce {
			continue
		}
		changed, err := validate.Changed(ctx, known, payouts)
		if err != nil {
			return err
		}
		for _, c := range changed {
			w.Changed.add(ChangedAccount{payouts[c.Position], c}, payouts[c.Position].Amount)
		}
		if err := w.addNew(ctx, known, payouts, changed); err != nil {
			return err
		}
		unusual, err := validate.Unusual(ctx, known, o.recently(), payouts)
		if err != nil {
			return err
		}
		at := make(map[string]int, len(payouts))
		for i := range payouts {
			at[payouts[i].Ref] = i
		}
		slices.SortStableFunc(unusual, func(a, b ledger.Finding) int { return cmp.Compare(at[a.Ref], at[b.Ref]) })
		for _, f := range unusual {
			w.Unusual.add(f, payouts[at[f.Ref]].Amount)
			w.group(f, payouts[at[f.Ref]].Amount)
		}
		payouts = payouts[:0]
		if last {
			known = nil
		}
	}
	return nil
}

// group adds a finding to the group of its code. It skips changed accounts: w.Changed lists them.
func (w *PayeeReview) group(f ledger.Finding, amount ledger.Paise) {
	if validate.OfNewAccount(f.Code) {
		return
	}
	i := slices.IndexFunc(w.Groups, func(g UnusualGroup) bool { return g.Code == f.Code })
	if i < 0 {
		i, w.Groups = len(w.Groups), append(w.Groups, UnusualGroup{Code: f.Code})
	}
	w.Groups[i].add(f, amount)
}

// addNew adds the payouts to accounts that were never paid. changed are those of the
// payouts whose payee had another account.
func (w *PayeeReview) addNew(ctx context.Context, known ledger.Payees, payouts []ledger.Payout, changed []validate.ChangedAccount) error {
	never, err := validate.NeverPaid(ctx, known, payouts)
	if err != nil {
		return err
	}
	for _, i := range never {
		w.New.add(payouts[i], payouts[i].Amount)
		if slices.ContainsFunc(changed, func(c validate.ChangedAccount) bool { return c.Position == i }) {
			continue
		}
		w.FirstTime.add(payouts[i], payouts[i].Amount)
	}
	return nil
}

// debit returns the batch's debit account by today's configuration; only its id if it is not configured.
func (o *operation) debit(b ledger.Batch) ledger.DebitAccount {
	if a, found := o.set.Account(b.BankAccountID); found {
		return a
	}
	return ledger.DebitAccount{BankAccountID: b.BankAccountID}
}
