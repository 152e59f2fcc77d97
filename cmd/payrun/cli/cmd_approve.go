package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

func (p *program) approveCommand() command {
	return command{
		name: "approve", args: "BATCH or SHEET...",
		brief: "approve planned batches as a second person, or send them back",
		long: `With policy.two_person, or if a row has the account and amount of a locked payout, a batch is initiated
only after a person other than the one who loaded or retried it has approved it. approve first shows
what fraud changes: first payments, changed accounts, repeats, the largest payouts, look-alike names,
and the changes since an earlier sheet. With --sheet it compares the approver's own copy of the sheet
row by row; one difference approves nothing (16). Then it asks; without a terminal it needs --yes.

With --send-back nothing is approved. The batches stay planned and are not initiated until they are
approved. The person who loaded them sees the --reason and can withdraw them (payrun abandon --sheet).

An approval is for exactly the bytes that will be sent. It is void once they or the policy change. Each
person's counts once. What root or a system user on no roster loaded, two others approve: the first ends
with 12. The bank is not asked. payrun help people explains who is a person.`,
		examples: []string{"payrun approve BATCH", "payrun approve BATCH --sheet november.xlsx", "payrun approve BATCH BATCH --yes --json", `payrun approve SHEET_ID --send-back --reason "the rent is of October"`},
		exits:    []int{exitCancelled, exitLocked, exitPerson, exitMismatch, exitLedger},
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "sheet", Usage: "compare the approver's own copy, `FILE`, with what is planned"},
			&urfave.BoolFlag{Name: "send-back", Usage: "send the batches back instead; needs --reason"},
			&urfave.StringFlag{Name: "reason", Usage: "the reason, `TEXT`"},
		},
		usage: sendsBack,
		run:   p.with(approve),
	}
}

func sendsBack(c *urfave.Context) error {
	back, reason := c.Bool("send-back"), strings.TrimSpace(c.String("reason"))
	return cmp.Or(
		usageIf(back && reason == "", "payrun approve --send-back needs --reason TEXT"),
		usageIf(!back && reason != "", "--reason goes with --send-back"),
		usageIf(back && c.String("sheet") != "", "--sheet compares before an approval; --send-back approves nothing"))
}

func approve(ctx context.Context, s *session, c *urfave.Context) error {
	if c.Bool("send-back") {
		work, err := s.app.SendBack(ctx, s.call, app.SendBackRequest{Batches: c.Args().Slice(), Reason: strings.TrimSpace(c.String("reason"))})
		return errors.Join(s.writeWork("approve", work), err)
	}
	shown, err := s.app.ToApprove(ctx, s.call, c.Args().Slice(), c.String("sheet"))
	if len(shown.Batches) > 0 {
		s.asked().showReview(shown)
	}
	if err != nil {
		return errors.Join(s.writeApproved(shown, nil), err)
	}
	if !s.term.Yes && !s.term.CanAsk() {
		return errors.Join(s.writeApproved(shown, nil), app.Fail(app.NeedsPerson, "there is no terminal to ask whether %s approves; nothing was approved", ledger.Plain(config.Who(shown.By))).
			Then(app.Say("run it on a terminal, or say --yes where it was looked at")))
	}
	question := fmt.Sprintf("%s approves %s, %s of %s?", ledger.Plain(config.Who(shown.By)), ledger.CountedBatches(len(shown.Batches)),
		ledger.CountedPayouts(shown.Total.Count), shown.Total.Total.Rupees())
	if err := answered(s.term.Confirm(ctx, question)); err != nil {
		return err
	}
	work, err := s.app.Approve(ctx, s.call, app.ApproveRequest{ReviewedBatches: app.ReviewedBatches{Batches: shown.Bound}})
	return errors.Join(s.writeApproved(shown, work), err)
}

// showReview shows what fraud changes, batch by batch. Batches of one payout with nothing else to show
// share a table.
func (s *session) showReview(r app.Review) {
	for i, group := range singles(r.Batches) {
		if i > 0 {
			s.term.Resultf("")
		}
		if len(group) > 1 {
			s.showSingles(group)
		} else {
			s.showReviewed(group[0])
		}
	}
	s.showSince(r.Since)
	s.term.Resultf("")
	s.showComparison(r.Comparison)
}

func (s *session) showReviewed(b app.ReviewedBatch) {
	s.term.Resultf("Batch %s: %s of %s from %s, sheet %s, planned by %s, %s", b.ID, ledger.CountedPayouts(b.Count), b.Total.Rupees(),
		ledger.Plain(b.Debit.WithTail()), ledger.Plain(b.SheetName), ledger.Plain(config.Who(b.PlannedBy)), b.State)
	s.showCorrected("Corrected", b.Corrected)
	s.showPayouts("Never paid before from this ledger", b.New)
	s.showUnusual("Unusual", app.Few[ledger.Finding]{First: b.Unusual, All: ledger.Tally{Count: len(b.Unusual)}})
	for _, same := range b.Repeated {
		s.showPayouts("The same amount to the same account", same)
	}
	s.showPayouts("The largest", b.Largest)
}

// singles groups the batches of one payout that have the same sheet and account, and leaves every other
// batch alone. A group takes the place of its first batch.
func singles(batches []app.ReviewedBatch) [][]app.ReviewedBatch {
	type kind struct {
		alone     string // the batch id, for a batch that is not grouped
		debit     ledger.DebitAccount
		sheet, by string
		state     ledger.BatchState
	}
	return groups(batches, func(b app.ReviewedBatch) kind {
		if b.Count != 1 || len(b.Corrected)+len(b.Unusual) > 0 || len(b.Largest) != 1 {
			return kind{alone: b.ID}
		}
		return kind{"", b.Debit, b.SheetID, b.PlannedBy, b.State}
	})
}

// showSingles shows batches of one payout each, those with a new payee first.
func (s *session) showSingles(batches []app.ReviewedBatch) {
	var sum ledger.Paise
	isNew := 0
	for _, b := range batches {
		sum += b.Total // cannot overflow: all batches are of one ledger, which limits its sum
		isNew += len(b.New)
	}
	first := batches[0]
	s.term.Resultf("%s batches of one payout each: %s from %s, sheet %s, planned by %s, %s", ledger.Grouped(len(batches)), sum.Rupees(),
		ledger.Plain(first.Debit.WithTail()), ledger.Plain(first.SheetName), ledger.Plain(config.Who(first.PlannedBy)), first.State)
	s.term.Resultf("Never paid before from this ledger: %s", ledger.CountedPayouts(isNew))
	newest := slices.SortedStableFunc(slices.Values(batches), func(a, b app.ReviewedBatch) int {
		return cmp.Or(cmp.Compare(len(b.New), len(a.New)), cmp.Compare(b.Total, a.Total))
	})
	t := s.term.Table(term.Columns{"Batch", "Reference", "Payee", "Account", "IFSC", "Amount", "Paid before"}, 6).Names(3)
	showList(s, t, newest, shownBatches, "batches", func(b app.ReviewedBatch) {
		p, before := b.Largest[0], either(len(b.New) > 0, s.term.Paint(term.Attend, "never"), "yes")
		t.Row(ledger.ShortID(b.ID), p.Ref, p.VendorName, p.AccountOf().Masked(), p.IFSC, p.Amount.Rupees(), before)
	})
}

// showCorrected lists every correction of a later sheet, because all of them are approved.
func (s *session) showCorrected(title string, list []string) {
	if len(list) == 0 {
		return
	}
	s.term.Resultf("%s: %s", title, ledger.CountedPayouts(len(list)))
	for _, change := range list {
		s.term.Resultf("  %s", ledger.Plain(change))
	}
}

func (s *session) showPayouts(title string, list []ledger.Payout) {
	all := app.Few[ledger.Payout]{First: list}
	for _, p := range list {
		all.All.Add(p.Amount)
	}
	s.showFew(title, all, shownBatches)
}

// showFew shows at most most payouts without --verbose, and returns those it showed.
func (s *session) showFew(title string, few app.Few[ledger.Payout], most int) []ledger.Payout {
	if few.All.Count == 0 {
		return nil
	}
	s.term.Resultf("%s: %s of %s", title, ledger.CountedPayouts(few.All.Count), few.All.Total.Rupees())
	shown := head(few.First, s.shownOf(few.All.Count, most))
	t := s.term.Table(term.Columns{"Reference", "Payee", "Account", "IFSC", "Amount"}, 5).Names(2)
	for _, p := range shown {
		t.Row(p.Ref, p.VendorName, p.AccountOf().Masked(), p.IFSC, p.Amount.Rupees())
	}
	t.Render()
	s.showLeft(few.All.Count-len(shown), "payouts")
	return shown
}

func (s *session) showComparison(c *app.SheetComparison) {
	if c == nil {
		return
	}
	if len(c.Differences) == 0 {
		s.term.Resultf("%s: %s of %s are as they are planned; %s of %s are in other batches", ledger.Plain(c.Name), ledger.CountedPayouts(c.Compared.Count),
			c.Compared.Total.Rupees(), ledger.CountedRows(c.Elsewhere.Count), c.Elsewhere.Total.Rupees())
		return
	}
	t := s.term.Table(term.Columns{"Row", "Reference", "Column", "Planned", ledger.Plain(c.Name), "What"}).Notes()
	showList(s, t, c.Differences, shownBatches, "differences", func(d app.Difference) {
		t.Row(d.Row, d.Ref, app.FieldWords(d.Column), d.Planned, d.Copy, d.Why)
	})
}

// outcomeShown is the outcome of a batch that was shown and not approved.
const outcomeShown = "shown"

// writeApproved writes payrun.approve/v1, or the outcome in words. work is nil if nothing was approved.
func (s *session) writeApproved(shown app.Review, work *app.Work) error {
	if !s.term.JSON {
		return s.writeWork("approve", work)
	}
	if len(shown.Batches) == 0 {
		return nil
	}
	var results []app.Result
	if work != nil {
		s.nextIs(work.Next...)
		results = work.Results
	}
	out := struct {
		Batches []doc.ApprovedBatch  `json:"batches"`
		Since   []sinceLast          `json:"since"`           // each of their sheets compared with the one before
		Sheet   *app.SheetComparison `json:"sheet,omitempty"` // compared with the approver's own copy
	}{[]doc.ApprovedBatch{}, sinceDocs(shown.Since), shown.Comparison}
	for _, b := range shown.Batches {
		one := doc.ApprovedBatch{
			Outcome:   doc.Outcome{ID: b.ID, State: b.State, Outcome: outcomeShown},
			PlannedBy: b.PlannedBy, Account: cmp.Or(b.Debit.Name, b.BankAccountID), BankAccountID: b.BankAccountID, Sheet: b.SheetName,
			Count: b.Count, Total: b.Total, Corrected: doc.List(b.Corrected), NewPayees: doc.ReviewedPayouts(b.New), Unusual: doc.List(b.Unusual),
			Repeated: doc.Each(b.Repeated, doc.ReviewedPayouts), Largest: doc.ReviewedPayouts(b.Largest),
		}
		if i := slices.IndexFunc(results, func(r app.Result) bool { return r.Batch.ID == b.ID }); i >= 0 {
			one.Outcome = app.Outcomes(results[i : i+1])[0]
		}
		out.Batches = append(out.Batches, one)
	}
	return s.document("payrun.approve/v1", out)
}
