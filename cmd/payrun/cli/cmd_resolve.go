package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
)

func (p *program) resolveCommand() command {
	return command{
		name: "resolve", args: "BATCH or REF...",
		brief: "show the locks of payouts, and release them as two people",
		long: `Without --as it shows the locks of the payouts: what was seen, why it matters, and what ends it.

--as not-paid releases a lock. Two different people run it, 1 to 72 hours apart, each with the bank's
written confirmation (--bank-ticket) that the payout was not and will not be paid, under its reference and
every REFERENCE-R2, -R3, … of it. For each of them payrun asks for the status and the statement
again. The status must be request_initiated, failed or returned, or the bank must not know the batch. The
last sign of the payout must be 48 hours old. Each debit of it must have come back; --charges names what
the bank kept. First explain a debit that is not payrun's: payrun statement explain. The payout becomes
cancelled. payrun retry plans it again if you name it or its batch.

--as paid closes a locked payout that was paid. It is never planned again.

Each person types the total and the last six characters of the batch id; --yes and --no-input never
release. The first person's part ends with 12. A refusal names the rule, and when it can hold.`,
		examples: []string{
			`payrun resolve INV-17`,
			`payrun resolve INV-17 --as not-paid --reason "the bank traced it" --bank-ticket "mail of 21 Nov, no. 4711"`,
			`payrun resolve BATCH --as not-paid --new-references --reason "the bank calls them used" --bank-ticket "mail of 21 Nov, no. 4711"`,
		},
		exits: []int{exitCancelled, exitCredentials, exitUnanswered, exitLocked, exitPerson, exitReturned, exitOpen, exitUnknown, exitMismatch, exitLedger},
		flags: []urfave.Flag{
			read("as", "what the bank confirmed, `not-paid or paid`", oneOf(string(ledger.ReleaseNotPaid), string(ledger.ReleasePaid))),
			&urfave.StringFlag{Name: "reason", Usage: "the reason, `TEXT`"},
			&urfave.StringFlag{Name: "bank-ticket", Usage: "where to find the bank's written confirmation, `TEXT`"},
			read("charges", "the `AMOUNT` that the bank kept as charges, by its confirmation", app.ParseAmount),
			&urfave.BoolFlag{Name: "new-references", Usage: "for a refused BATCH: give its payouts references that the bank has never seen; first ask the bank whose reference it has"},
		},
		usage: needsRelease,
		run:   p.with(resolve),
	}
}

func needsRelease(c *urfave.Context) error {
	as := given[string](c, "as")
	return cmp.Or(
		usageIf(as == "" && (c.IsSet("reason") || c.IsSet("bank-ticket") || c.IsSet("charges") || c.Bool("new-references")), "payrun resolve needs --as not-paid or --as paid"),
		usageIf(as != "" && strings.TrimSpace(c.String("reason")) == "", "payrun resolve --as %s needs --reason TEXT", as))
}

func resolve(ctx context.Context, s *session, c *urfave.Context) error {
	as := ledger.ReleaseAs(given[string](c, "as"))
	if as == "" {
		return s.showLocked(ctx, c.Args().Slice())
	}
	all := &app.Work{}
	var failed error
	for _, what := range c.Args().Slice() {
		req := app.ResolveRequest{What: what, ReleaseRequest: ledger.ReleaseRequest{As: as, Reason: strings.TrimSpace(c.String("reason")),
			Ticket: strings.TrimSpace(c.String("bank-ticket")), NewReferences: c.Bool("new-references"), Charges: given[ledger.Paise](c, "charges")}}
		work, err := s.app.Resolve(ctx, s.call, req)
		if need, ok := errors.AsType[*app.NeedsConfirmation](err); ok && need.Decide != nil {
			if req.Typed, err = s.typeDecided(ctx, need); err == nil {
				work, err = s.app.Resolve(ctx, s.call, req)
			}
		}
		if work != nil {
			all.Results = append(all.Results, work.Results...)
			all.Next, all.From, all.Until = append(all.Next, work.Next...), work.From, work.Until
		}
		if failed = errors.Join(failed, err); work == nil {
			break // the next question comes once this is clear
		}
	}
	if len(all.Results) == 0 {
		return failed
	}
	s.nextIs(all.Next...)
	s.showResults(all.Results)
	d := doc.Resolve{Batches: app.Outcomes(all.Results), Locks: doc.NewLocks(nil), From: ledger.Instant(all.From), Until: ledger.Instant(all.Until)}
	return errors.Join(s.document("payrun.resolve/v1", d), failed)
}

// showLocked shows the locks of the named payouts and batches, and what waits for a second person.
func (s *session) showLocked(ctx context.Context, named []string) error {
	list, err := s.app.Locks(ctx, s.call, named)
	if err != nil {
		return err
	}
	d := doc.Resolve{Batches: []doc.Outcome{}, Locks: []doc.Lock{}}
	for _, l := range list {
		d.Locks = append(d.Locks, doc.NewLocks(l.Locks)...)
		s.showLocks(l.Locks)
		for _, p := range l.Waiting {
			d.First = &doc.FirstPerson{Actor: ledger.Plain(p.Actor), At: ledger.Instant(p.At), As: p.As, Reason: ledger.Plain(p.Reason), Ticket: ledger.Plain(p.Ticket), Total: p.Saw().Total()}
			s.term.Resultf("  %s said %s at %s (%s): another person has to say the same.", ledger.Plain(p.Actor), p.As, s.set.Clock(p.At), ledger.Plain(p.Ticket))
		}
	}
	if len(d.Locks) == 0 {
		s.term.Progressf("Nothing of it is locked")
	} else {
		s.last = "Next: payrun explain " + string(d.Locks[0].Lock)
	}
	return s.document("payrun.resolve/v1", d)
}

// shownLocks is how many locks are shown without --verbose.
const shownLocks = 5

// showLocks shows for each lock what was seen, why it matters, and what ends it.
func (s *session) showLocks(locks []ledger.Lock) {
	for _, l := range head(locks, s.shownOf(len(locks), shownLocks)) {
		ofDay := l.Kind == ledger.LockDebited || l.Kind == ledger.LockPossible // these have a day, no time
		since := either(ofDay, l.Since.Format(time.DateOnly), s.set.Clock(l.Since))
		s.term.Resultf("%s is locked (%s, since %s): %s.", ledger.Plain(l.WireRef), ledger.Lowered(l.Kind.Row().Title), since, ledger.Plain(l.Saw()))
		s.term.Resultf("  %s.", l.Why())
		s.term.Resultf("  %s", l.Ends())
	}
	s.showMore(len(locks), shownLocks, "locks")
}

// showEvidence shows the status and the statement as they were fetched now. Both people of a release see
// the same.
func (s *session) showEvidence(need *app.ToType) {
	s.term.Errorf("%s of %s, to be released as %s.", need.What, need.Total.Rupees(), need.As)
	for _, a := range head(need.Evidence.Attempts, s.shownOf(len(need.Evidence.Attempts), shownLocks)) {
		s.term.Errorf("  %s, %s: the bank %s; the statement has %s", ledger.Plain(a.WireRef), a.Amount.Rupees(), bankShows(a),
			cmp.Or(strings.Join(a.Lines, ", "), "no line of it"))
	}
	if n := len(need.Evidence.Other); n > 0 {
		s.term.Errorf("  %s of the account that nothing explains could be part of it.", ledger.Counted(n, "debit", "debits"))
	}
	if need.Evidence.Charges > 0 {
		s.term.Errorf("  %s was kept back as charges.", need.Evidence.Charges.Rupees())
	}
	if p := need.First; p != nil {
		s.term.Errorf("%s said the same at %s: %s (%s).", ledger.Plain(p.Actor), s.set.Clock(p.At), ledger.Plain(p.Reason), ledger.Plain(p.Ticket))
	}
	s.term.Errorf("%s", need.As.Risk())
}

func bankShows(a ledger.AttemptShown) string {
	switch {
	case a.NotFound:
		return "does not know its batch"
	case a.Status == "":
		return "leaves it out"
	case a.Code != "":
		return fmt.Sprintf("shows %s (%s)", ledger.Plain(a.Status), ledger.Plain(a.Code))
	}
	return "shows " + ledger.Plain(a.Status)
}
