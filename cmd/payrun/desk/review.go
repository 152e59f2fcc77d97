package desk

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
)

// subject is what a decision is about: the planned batches of a sheet, or one batch.
type subject struct {
	page    string // its address
	filter  ledger.Filter
	binding app.ReviewedBatches
	show    handler // of the page
}

// review is what a person sees before they approve or initiate.
type review struct {
	*app.Planned
	Own     error // why the viewer cannot approve it; nil if they can
	Page    string
	SheetID string          // of the sheet; "" for one batch
	With    string          // the chosen sheet
	Others  []ledger.Sheet  // that can be chosen, newest first
	All     []ledger.Payout // payouts of a sheet, as many as one page shows
	Funds   []funds
	Rows    []app.PlannedBatch // batches, as many as one page shows
	Similar app.SimilarList    // payees that look alike

	Back         string // who loaded it, if the viewer may send it back; else ""
	SendingBack  bool   // the viewer is about to send it back
	Approve, Pay bool   // the forms that the viewer may send now
	Waits        string // why there is no form
	Commands     []app.Hint
}

// funds compares a debit account's last known balance with what would go out.
type funds struct {
	app.OutgoingAccount
	app.AccountFunds
	Ago time.Duration // age of the balance
}

// Lacks returns how much is missing.
func (f funds) Lacks() ledger.Paise { return -f.Left() }

// reviewOf gathers the review of a sheet or batch; nil if nothing is planned, or if the viewer may neither
// approve nor pay. It never asks the bank: balances are those of the last refresh.
func (d *desk) reviewOf(r *http.Request, s *session, page string, f ledger.Filter, busy bool) (*review, error) {
	if !s.person.Can(ledger.RoleApprove) && !s.person.Can(ledger.RolePay) {
		return nil, nil
	}
	look, err := d.app.Planned(r.Context(), d.call(s, "review"), f)
	if err != nil || look == nil {
		return nil, err
	}
	v := &review{Planned: shortened(*look), Own: look.Own(s.person.Name), Page: page, SheetID: f.SheetID, Rows: few(look.Each)}
	if v.SheetID != "" {
		if err := d.compared(r, s, v); err != nil {
			return nil, err
		}
	}
	v.Funds = ledger.ListOf(look.Accounts, func(a app.OutgoingAccount) funds { return d.balances.of(a, look.InFlight, look.Paid, d.now()) })
	v.Similar = app.AlikeOf(v.Since)
	v.Similar.First = few(v.Similar.First)
	if !busy {
		v.allow(s.person)
	}
	return v, nil
}

// compared adds what only a sheet's page has: its payouts, and the sheets to compare it with.
func (d *desk) compared(r *http.Request, s *session, v *review) (err error) {
	ctx, c := r.Context(), d.call(s, "review")
	if v.With = r.URL.Query().Get("with"); v.With != "" {
		if v.Since, err = d.app.Compared(ctx, c, v.SheetID, v.With); err != nil {
			return err
		}
	}
	sheets, err := d.app.Sheets(ctx, c)
	if err != nil {
		return err
	}
	slices.Reverse(sheets)
	v.Others = slices.DeleteFunc(sheets, func(one ledger.Sheet) bool { return one.ID == v.SheetID })
	v.Others = v.Others[:min(len(v.Others), mostRows)]
	return d.app.Payouts(ctx, c, ledger.Filter{SheetID: v.SheetID, Most: payoutRows}, func(at app.PayoutRow) error {
		v.All = append(v.All, at.Payout)
		return nil
	})
}

// shortened cuts each list of what is planned to what a page shows.
func shortened(look app.Planned) *app.Planned {
	look.Changed.First, look.FirstTime.First, look.Repeated.First = few(look.Changed.First), few(look.FirstTime.First), few(look.Repeated.First)
	look.Groups = slices.Clone(look.Groups)
	for i := range look.Groups {
		look.Groups[i].First = few(look.Groups[i].First)
	}
	return &look
}

// mostOfEach is how many elements of each list of a review, and of a waiting sheet, are shown.
const mostOfEach = 50

// atOnce is how many first-time payees are shown before a person opens the rest.
const atOnce = 5

// unusualWords say what is unusual, by the code of a finding.
var unusualWords = map[string]string{
	"payee_paid_recently": "Same amount to the same account in the last 7 days, or not finished", "same_as_locked_payout": "Same account and amount as a locked payout",
	"amount_unusual": "10 times the usual amount or more",
}

func few[T any](list []T) []T { return list[:min(mostOfEach, len(list))] }

const anotherFirst = "Someone other than its planner has to approve it first."

// allow sets which forms a person may send now, or why there is none.
func (v *review) allow(p ledger.Person) {
	approves, again := p.Can(ledger.RoleApprove) && v.TwoPerson && !v.Agreed, v.ApprovedBy(p.Name)
	v.Approve, v.Pay = approves && v.Own == nil && !again, p.Can(ledger.RolePay) && v.Agreed
	switch {
	case approves && again:
		v.Waits = "You approved it already. " + v.Needed()
	case approves && slices.ContainsFunc(v.Each, func(b app.PlannedBatch) bool { return b.PlannedBy == p.Name }):
		v.Waits = "You planned it, so another person has to approve it."
	case approves && !v.Approve:
		v.Waits = sentence("Another person approves it: " + v.Own.Error())
	case !v.Agreed && !v.Approve:
		v.Waits = cmp.Or(v.Needed(), anotherFirst)
	case v.Agreed && !v.Pay && v.TwoPerson:
		v.Waits = "It is approved. Who may pay initiates it."
	case v.Agreed && !v.Pay:
		v.Waits = "No approval is needed. A person who may pay can initiate it."
	}
	command := "approve"
	if v.Pay {
		command = "initiate"
	}
	switch {
	case !v.Approve && !v.Pay:
	case len(v.Rows) < len(v.Batches):
		v.Commands = []app.Hint{app.Say("At a terminal the command is payrun %s, with the ids of these batches.", command)}
	default:
		ids := ledger.ListOf(v.Rows, func(b app.PlannedBatch) string { return b.ID })
		v.Commands = []app.Hint{app.Do(append([]string{command}, ids...)...)}
	}
}

// Short reports whether an account lacks money, by its last known balance.
func (v *review) Short() bool {
	return slices.ContainsFunc(v.Funds, func(f funds) bool { return f.Short() })
}

// balances are the balances of the debit accounts at the last refresh, by bank_account_id in lower case.
// They only inform: before something is sent, the bank is asked again.
type balances struct{ sync.Map }

type balance struct {
	held ledger.Paise
	at   time.Time
	paid ledger.Paise // what App.Paid returned for the account before the bank was asked
}

func (b *balances) keep(bankAccountID string, kept balance) {
	b.Store(strings.ToLower(bankAccountID), kept)
}

// of returns the balance of an account, less what went out since and what would go out. A payout that was
// paid since the refresh may still be in the balance, so it is subtracted. One that came back since, or is
// disputed, counts as gone until the next refresh, so that the shown rest is never too high. paid may be
// older than the balance: then nothing counts as paid since.
func (b *balances) of(a app.OutgoingAccount, inFlight, paid map[string]ledger.Paise, now time.Time) funds {
	id := a.Debit.BankAccountID
	found, known := b.Load(strings.ToLower(id))
	kept, _ := found.(balance)
	return funds{OutgoingAccount: a, Ago: now.Sub(kept.at).Truncate(time.Second),
		AccountFunds: app.AccountFunds{BankAccountID: id, HasBalance: known, Balance: kept.held, Paid: max(0, paid[id]-kept.paid), InFlight: inFlight[id], Planned: a.Payouts.Total}}
}

// askBalances asks the bank for the balances of the debit accounts.
func askBalances(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	paid, err := d.app.Paid(r.Context(), d.call(s, "balances"))
	if err != nil {
		return err
	}
	list, err := d.app.Balances(r.Context(), d.call(s, "balances"), "", "")
	if err != nil {
		d.warn("desk: the balances could not be read: " + err.Error())
		return &refusal{Status: http.StatusBadGateway, What: "The bank did not report the balances. The earlier ones stay.", Do: "Try again in a moment.", Link: cameFrom(d, r)}
	}
	for id, sum := range maps.Clone(paid) { // the bank may write an id in upper or lower case
		paid[strings.ToLower(id)] = sum
	}
	for _, b := range list {
		d.balances.keep(b.BankAccountID, balance{b.Balance, d.now(), paid[strings.ToLower(b.BankAccountID)]})
	}
	return leadTo(w, r, cameFrom(d, r))
}

// pageOf returns the page of the sheet or batch that a form was sent to.
func pageOf(r *http.Request) string { return path.Dir(r.URL.Path) }

func subjectOf(r *http.Request) subject {
	id, page := r.PathValue("id"), pageOf(r)
	if strings.HasPrefix(page, "/sheets/") {
		return subject{page, ledger.Filter{SheetID: id}, app.ReviewedBatches{Sheet: id, Plan: r.PostFormValue("plan")}, showSheet}
	}
	return subject{page, ledger.Filter{BatchID: id}, app.ReviewedBatches{Batches: []ledger.Bound{shown(r, id)}}, showBatch}
}

// approve records that a person approves what they were shown: all of it or nothing. The bank is not asked.
func approve(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	on := subjectOf(r)
	typed, err := app.ParseAmount(r.PostFormValue("total"))
	if err != nil {
		return d.formWrong(w, r, s, http.StatusUnprocessableEntity, "Type the total as it is shown. Nothing was approved.", on.show)
	}
	work, err := d.app.Approve(r.Context(), d.decision(r, s, "approve"), app.ApproveRequest{ReviewedBatches: on.binding, Typed: &typed})
	switch {
	case work != nil: // its page says whether another person has to approve it too
		return leadTo(w, r, on.page)
	case errors.Is(err, app.ErrOwn):
		return refuse(http.StatusForbidden, "Another person has to approve it. Nothing was approved.")
	case codeOf(err) == app.Cancelled:
		return d.formWrong(w, r, s, http.StatusUnprocessableEntity, sentence(app.Worst(err).What), on.show)
	}
	return err
}

// initiate starts a task that sends the bank what the person was shown: all of it or nothing. It first
// checks what can be checked without the bank; the task checks all of it again once it holds the ledger.
func initiate(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	on, c := subjectOf(r), d.call(s, "initiate")
	look, err := d.app.Unreviewed(r.Context(), c, on.filter)
	if err == nil && (look == nil || !on.binding.Shows(look)) {
		err = cmp.Or(d.app.Holds(r.Context(), c, on.binding), ledger.ErrStale) // Holds says what happened since
	}
	if err != nil {
		return err
	}
	if !look.Agreed {
		return &refusal{Status: http.StatusConflict, What: cmp.Or(look.Needed(), anotherFirst) + " Nothing was sent.", Link: on.page}
	}
	req := app.InitiateRequest{ReviewedBatches: &on.binding, AllowShort: r.PostFormValue("allow_short") == "yes", Environment: r.PostFormValue("environment"),
		Funds: func(all []app.AccountFunds) {
			for _, f := range all {
				if f.HasBalance {
					d.balances.keep(f.BankAccountID, balance{f.Balance, d.now(), look.Paid[f.BankAccountID]})
				}
			}
		}}
	if need := look.ToType; need != nil {
		if req.Confirmed, err = app.ParseAmount(r.PostFormValue("total")); err != nil || req.Confirmed != need.Total.Total {
			return d.formWrong(w, r, s, http.StatusUnprocessableEntity, "Type the total as it is shown next to the button. Nothing was sent.", on.show)
		}
	}
	if need := look.Environment; need != nil && req.Environment != need.Name {
		return d.formWrong(w, r, s, http.StatusUnprocessableEntity, "Type which environment the bank is. Nothing was sent.", on.show)
	}
	t := task{What: "Initiate of " + look.Payouts.Total.Rupees(), Verb: "initiate", Page: on.page,
		Batches:  ledger.ListOf(look.Batches, func(b doc.PlannedBatch) string { return b.ID }),
		Accounts: ledger.ListOf(look.Accounts, func(a app.OutgoingAccount) string { return a.Debit.BankAccountID }),
		Holds:    func() error { return d.app.Holds(r.Context(), c, on.binding) },
		Do:       func(ctx context.Context, call app.Call) (*app.Work, error) { return d.app.Initiate(ctx, call, req) },
	}
	if len(t.Accounts) == 1 {
		t.Back = backToOTPs(r, t.Accounts[0])
	}
	return d.take(w, r, s, t)
}

// shown returns what a form says that its sender was shown of a batch; see template "bound".
func shown(r *http.Request, id string) ledger.Bound {
	return ledger.Bound{BatchID: id, ExpectedVersion: ledger.ExpectedVersion{
		Payload: r.PostFormValue("payload_sha256"), Sequence: ledger.StateSequence(r.PostFormValue("state_sequence")),
	}}
}
