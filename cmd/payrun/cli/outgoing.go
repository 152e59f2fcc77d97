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

// goOn is the app.GoOn of the command line: it shows what would be sent, and asks. --yes answers a
// yes-or-no question, never a total. Without a person and without --yes, nothing is sent.
func (s *session) goOn(ctx context.Context, out app.Outgoing) (ledger.Paise, error) {
	if s.term.CanAsk() {
		s.onErr().showOutgoing(out)
	}
	switch {
	case out.ToType != nil:
		return out.ToType.Total.Total, s.typeTotal(ctx, out.ToType)
	case s.term.Yes:
		return 0, nil
	case !s.term.CanAsk():
		return 0, app.Fail(app.NeedsPerson, "%s There is no terminal to ask on; %s", question(out), notDone(out)).
			Then(app.Say("run it on a terminal, or say --yes if a person has looked at it"))
	}
	err := s.term.Confirm(ctx, question(out))
	if errors.Is(err, term.ErrCancelled) {
		return 0, app.Fail(app.Cancelled, "it was not confirmed; %s", notDone(out)).Because(err)
	}
	return 0, err
}

// notDone says in words what was not done.
func notDone(out app.Outgoing) string {
	return either(out.Loads > 0, "nothing was loaded, and nothing was sent", "nothing was sent")
}

func question(out app.Outgoing) string {
	what := fmt.Sprintf("%s of %s", ledger.CountedBatches(len(out.Batches)), out.Payouts.Total.Rupees())
	switch {
	case len(out.Batches) == 0:
		return fmt.Sprintf("Continue with %s of %s awaiting OTP?", ledger.CountedBatches(out.Held.Count), out.Held.Total.Rupees())
	case out.Loads > 0 && out.Approval:
		return fmt.Sprintf("Load %s? They are initiated once another person has approved them.", what)
	case out.Loads > 0:
		return fmt.Sprintf("Load and initiate %s?", what)
	}
	return fmt.Sprintf("Initiate %s?", what)
}

// asked returns the session for what a person must see before a question, also with --json.
func (s *session) asked() *session {
	return either(s.term.JSON && s.term.CanAsk() && !s.term.Yes, s.onErr(), s)
}

// onErr returns a session that writes to standard error.
func (s *session) onErr() *session {
	p := &program{world: s.world, term: s.term.OnErr(), flags: s.flags, log: s.log, verb: s.verb, given: s.given}
	return &session{program: p, set: s.set, app: s.app, call: s.call}
}

// showOutgoing shows what a person must see before money can move.
func (s *session) showOutgoing(out app.Outgoing) {
	s.term.Resultf("\n%s", s.environmentWords(s.set.Environment))
	if len(out.Batches) > 0 {
		s.showOutgoingAccounts(out.Accounts)
		if out.Loads == 0 || len(out.Batches) > 1 || s.term.Verbose { // else the accounts already show it
			s.showPlanned(len(out.Batches), slices.Values(out.Batches))
		}
	}
	if out.LeftOut.Count > 0 {
		s.term.Resultf("\n%s", s.term.Paint(term.Attend, fmt.Sprintf("Left out: %s, %s", ledger.CountedRows(out.LeftOut.Count), out.LeftOut.Total.Rupees())))
	}
	s.showCorrected("\nCorrected", out.Corrected)
	largestFirst := func(a, b ledger.Payout) int { return cmp.Compare(b.Amount, a.Amount) }
	out.New.First = slices.SortedStableFunc(slices.Values(out.New.First), largestFirst)
	shown := s.showFew("\nNever paid before from this ledger", out.New, shownNew)
	s.showUnusual("\nUnusual", out.Unusual)
	repeats := head(out.Repeated.First, s.shownOf(out.Repeated.All.Count, shownRepeats))
	for _, same := range repeats {
		s.showPayouts("\nThe same amount to the same account", same)
	}
	s.showLeft(out.Repeated.All.Count-len(repeats), "such groups")
	s.showSince(out.Since)
	if len(out.Batches) > 0 {
		s.showPayouts("\nThe largest of the others", slices.DeleteFunc(slices.Clone(out.Largest), func(p ledger.Payout) bool {
			return slices.ContainsFunc(shown, func(one ledger.Payout) bool { return one.Ref == p.Ref })
		}))
	}
	if out.Held.Count > 0 && len(out.Batches) > 0 {
		s.term.Resultf("\nAlso awaiting OTP: %s of %s.", ledger.CountedBatches(out.Held.Count), out.Held.Total.Rupees())
	}
	if len(out.Batches) > 0 { // at the end, next to the question
		s.term.Resultf("\nTotal  %s, %s, %s", out.Payouts.Total.Rupees(), ledger.CountedPayouts(out.Payouts.Count),
			ledger.Counted(len(out.Batches), "OTP", "OTPs"))
		s.term.Resultf("       %s", out.Payouts.Total.InWords())
	}
	s.term.Resultf("")
}

// shownRepeats and shownNew are how many groups of repeated payouts, and how many new payees, are shown
// without --verbose.
const (
	shownRepeats = 3
	shownNew     = 5
)

// environmentWords names the environment, in red where real money moves.
func (s *session) environmentWords(environment string) term.Painted {
	rehearsal := environment == "sandbox"
	return s.term.Paint(either(rehearsal, term.Good, term.Bad),
		strings.ToUpper(environment)+": "+either(rehearsal, "no money moves", "real money moves once the OTPs are entered"))
}

// showOutgoingAccounts shows what each debit account pays, and its free amount before and after, where the
// bank was asked.
func (s *session) showOutgoingAccounts(accounts []app.OutgoingAccount) {
	if len(accounts) == 1 {
		a := accounts[0]
		s.term.Resultf("From  %s: %s, %s of %s", ledger.Plain(a.Debit.WithTail()), ledger.CountedBatches(a.Batches), ledger.CountedPayouts(a.Payouts.Count), a.Payouts.Total.Rupees())
		if before, after := s.freeOf(a); after != "" {
			s.term.Resultf("      available: %s before, %s after", before, after)
		} else if before != "" {
			s.term.Resultf("      available: %s", before)
		}
		return
	}
	t := s.term.Table(term.Columns{"From", "Batches", "Payouts", "Total", "Free before", "Free after"}, 2, 3, 4, 5, 6).Names(1)
	for _, a := range accounts {
		before, after := s.freeOf(a)
		t.Row(a.Debit.WithTail(), ledger.Grouped(a.Batches), ledger.Grouped(a.Payouts.Count), a.Payouts.Total.Rupees(), before, after)
	}
	t.Render()
}

// freeOf returns in words the free amount of a debit account before and after the payouts; "" where the
// bank was not asked.
func (s *session) freeOf(a app.OutgoingAccount) (before string, after term.Painted) {
	switch {
	case a.Funds == nil:
		return "", ""
	case !a.Funds.HasBalance:
		return "not known", ""
	}
	free := a.Funds.Free()
	left := free - a.Payouts.Total
	return free.Rupees(), s.term.Paint(either(left < 0, term.Bad, term.Ordinary), left.Rupees())
}

func (s *session) showUnusual(title string, few app.Few[ledger.Finding]) {
	if few.All.Count == 0 {
		return
	}
	s.term.Resultf("%s", s.term.Paint(term.Attend, title+": "+ledger.CountedPayouts(few.All.Count)))
	shown := head(few.First, s.shownOf(few.All.Count, shownBatches))
	for _, f := range shown {
		s.term.Resultf("  %s, row %d (%s): %s", ledger.Plain(f.Ref), f.Row, f.Code, ledger.Plain(f.Message))
	}
	s.showLeft(few.All.Count-len(shown), "payouts")
}

// shortFundsFlag lets initiate go on although a debit account does not cover its batches.
func shortFundsFlag() urfave.Flag {
	return &urfave.BoolFlag{Name: "allow-short-funds", Usage: "initiate even if the debit account is short of funds"}
}

// fundsToSend shows the balances of the debit accounts before something is sent. On a terminal the review
// shows the amounts, so only what is short is added.
func (s *session) fundsToSend(funds []app.AccountFunds) {
	switch {
	case s.term.JSON: // the results name the shortfall
	case s.term.CanAsk():
		s.warnShort(funds)
	default:
		s.showFunds(funds)
	}
}

// showFunds writes to standard error, because the balances inform a decision and are no result.
func (s *session) showFunds(funds []app.AccountFunds) {
	if !s.term.JSON && !s.term.Quiet && len(funds) > 0 {
		t := s.term.OnErr().Table(term.Columns{"Debit account", "Balance", "On its way", "Planned", "Left"}, 2, 3, 4, 5)
		for _, f := range funds {
			balance, left := "not known", term.Painted("")
			if f.HasBalance {
				balance, left = f.Balance.Rupees(), s.term.OnErr().Paint(either(f.Short(), term.Bad, term.Ordinary), f.Left().Rupees())
			}
			t.Row(clipped(s.set.AccountName(f.BankAccountID), 14), balance, f.InFlight.Rupees(), f.Planned.Rupees(), left)
		}
		t.Render()
	}
	s.warnShort(funds)
}

func (s *session) warnShort(funds []app.AccountFunds) {
	for _, f := range funds {
		if f.Short() {
			s.term.Warnf("%s is short of %s", ledger.Plain(s.set.AccountName(f.BankAccountID)), (-f.Left()).Rupees())
		}
	}
}

// fundsLines returns the "funds" of a document; nil if the bank was not asked.
func fundsLines(set config.Settings, funds []app.AccountFunds) []doc.Funds {
	if funds == nil {
		return nil
	}
	return doc.Each(funds, func(f app.AccountFunds) doc.Funds {
		line := doc.Funds{BankAccountID: f.BankAccountID, Account: set.AccountName(f.BankAccountID),
			InFlight: f.InFlight, Planned: f.Planned, Short: f.Short()}
		if f.HasBalance {
			line.Balance, line.Left = new(f.Balance), new(f.Left())
		}
		return line
	})
}
