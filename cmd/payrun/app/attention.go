package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"payrun/ledger"
	"payrun/ledger/reconcile"
	"payrun/submitter"
)

// scope says about which batches a use case reports what waits for a person.
type scope struct {
	named      []string // the batches that were named or acted on
	everywhere bool     // everything unknown, held, disputed or open counts too
	past       bool     // payouts that failed or came back at any time count too
	compared   bool     // the use case compares all payouts with the statements itself
}

// attention returns the errors for what waits for a person, or nil. A doubt and a quarantined batch
// count even outside the scope.
func (o *operation) attention(ctx context.Context, c scope) error {
	s, err := o.weighed(ctx)
	if err != nil {
		return err
	}
	return o.attentionOf(s, c)
}

// attentionOf is attention for batches that were read.
func (o *operation) attentionOf(s Status, c scope) error {
	within := make(map[string]bool, len(c.named))
	for _, id := range c.named {
		within[id] = true
	}
	here := func(batch string) bool { return c.everywhere || within[batch] }
	asking := ledger.Where(s.Batches, func(b ledger.Batch) bool {
		concluded := b.State == ledger.BatchRefused && slices.Contains(o.doubted, b.ID) // in this operation
		return counts(b, here(b.ID) || concluded, s.refused[b.ID])
	})
	contradictions := ledger.Where(s.contradict, func(e reconcile.Exception) bool {
		return here(e.BatchID) && !(c.compared && e.BankAccountID != "") // of a statement
	})
	unpaid := s.unpaidError(func(batch string) bool { return c.everywhere && c.past || within[batch] })
	return errors.Join(append(needErrors(groups(asking, asks(false))), append(exceptions(contradictions), unpaid)...)...)
}

// counts reports whether a use case reports the batch. within: the use case is about the
// batch; open: its refusal is not dealt with.
func counts(b ledger.Batch, within, open bool) bool {
	switch b.State {
	case ledger.BatchInitiating, ledger.BatchSubmitting:
		return within || b.Attention != ledger.BeingSent
	case ledger.BatchQuarantined, ledger.BatchInitiateUnknown, ledger.BatchSubmitUnknown:
		return true
	case ledger.BatchRefused:
		return within && open
	case ledger.BatchPlanned:
		return within && b.Asks() != ledger.ToBeApproved // initiate reports a missing approval
	}
	return within
}

// openRefusals returns the refused batches that no person has dealt with: no person recorded so, and at
// least one of their payouts was not planned again.
func (o *operation) openRefusals(ctx context.Context, all []ledger.Batch) (map[string]bool, error) {
	open := map[string]bool{}
	for _, b := range all {
		if b.State != ledger.BatchRefused || b.Attention == ledger.Acknowledged {
			continue
		}
		f := ledger.Filter{BatchID: b.ID, States: []ledger.PayoutState{ledger.PayoutCancelled}, Most: 1} // of latest attempts
		if err := o.store.EachPayout(ctx, f, func(ledger.Attempt) error { open[b.ID] = true; return nil }); err != nil {
			return nil, err
		}
	}
	return open, nil
}

// codes maps the exit codes of the table of attentions to Codes.
var codes = map[int]Code{12: NeedsPerson, 13: PayoutsFailed, 14: PayoutsOpen, 15: OutcomeUnknown, 16: Mismatch}

// Need is a group of batches that need the same.
type Need struct {
	ledger.AttentionRow
	Batches []ledger.Batch
	Refs    map[string][]string // of the payouts that it is about, by batch; nil if it is about the batches
}

// groups groups batches by what they need, the gravest first. It leaves out batches that need nothing.
func groups(all []ledger.Batch, asks func(ledger.Batch) []ledger.Attention) (needs []Need) {
	for _, b := range all {
		for _, kind := range asks(b) {
			if kind == ledger.NeedsNothing {
				continue
			}
			need := ledger.FirstOrNew(&needs, func(n Need) bool { return n.Kind == kind }, Need{AttentionRow: kind.Row()})
			need.Batches = append(need.Batches, b)
		}
	}
	slices.SortStableFunc(needs, func(a, b Need) int { return cmp.Or(a.Kind.Rank()-b.Kind.Rank(), cmp.Compare(a.Kind, b.Kind)) })
	return needs
}

// asks returns what a batch needs: what was found about it, and what its state needs if that is
// graver. So other findings never hide a doubt.
func asks(twoPerson bool) func(ledger.Batch) []ledger.Attention {
	return func(b ledger.Batch) []ledger.Attention {
		found := b.AsksUnder(twoPerson)
		if found == ledger.BeingSent && b.State.InProgress() { // that is why its state has no answer yet
			return []ledger.Attention{found}
		}
		b.Attention = ledger.NeedsNothing
		state := b.Asks()
		if rank(codes[state.Row().Exit]) < rank(codes[found.Row().Exit]) {
			return []ledger.Attention{state, found}
		}
		return []ledger.Attention{found}
	}
}

// needErrors says what batches wait for, if they wait for anything.
func needErrors(needs []Need) []error {
	var out []error
	for _, g := range needs {
		if code, ok := codes[g.Exit]; ok {
			what := ledger.Lowered(g.Title) + ": " + ledger.CountedBatches(len(g.Batches)) + " (" + someIDs(g.Batches) + ")"
			out = append(out, Fail(code, "%s", what).About(g.Kind).Then(g.hints()...))
		}
	}
	return out
}

// heading counts its batches, and says what to do if the command below it does not.
func (n Need) heading() string {
	line := n.Title + ": " + ledger.CountedBatches(len(n.Batches)) + "."
	if n.Weight == ledger.WeightGrave || n.Kind == ledger.ToBeApproved {
		line += " " + n.Do
	}
	return line
}

// hints say why, if the heading does not, then what to do and the legal next steps.
func (n Need) hints() []Hint {
	var out []Hint
	if one := n.Batches[0]; len(n.Batches) == 1 && one.Note != "" && (one.Attention != ledger.NeedsNothing || quotes(n.Kind)) {
		out = append(out, Say("%s", one.Note))
	}
	out = append(append(out, Say("%s", n.Do)), n.Steps()...)
	if n.Kind == ledger.ToBeApproved {
		out = append(out, Do("initiate", "--all"))
	}
	return out
}

// quotes reports whether the bank's words about the batch are shown even if its state alone
// decides what it needs: why the bank refused, and what it answered.
func quotes(kind ledger.Attention) bool {
	return slices.Contains([]ledger.Attention{ledger.WasRefused, ledger.InitiateUnanswered, ledger.InitiateNo, ledger.SubmitUnanswered, ledger.SubmitNo}, kind)
}

// Steps are the legal next steps of the batches, with real ids.
func (n Need) Steps() []Hint {
	ofBatches := ledger.Where(n.Next, func(next ledger.Next) bool { return next.Names != ledger.NamesPayout })
	return ledger.ListOf(ofBatches, func(next ledger.Next) Hint { return Do(n.command(next)...) })
}

// command names the batches in a next step, if the command takes several
// and they are few enough to type.
func (n Need) command(next ledger.Next) []string {
	const few = 3
	args := next.Args(n.Batches[0].ID)
	if next.Names != ledger.NamesBatch || len(n.Batches) == 1 {
		return args
	}
	rest := args[2:]
	switch next.Verb {
	case "initiate":
		return []string{"initiate", "--all"}
	case "submit", "poll": // without a name they mean all
		if len(n.Batches) > few {
			return append([]string{next.Verb}, rest...)
		}
		return slices.Concat([]string{next.Verb}, ids(n.Batches), rest)
	case "approve", "abandon":
		if next.Verb == "abandon" && n.Kind != ledger.SentBack { // each by its own decision
			return args
		}
		return slices.Concat([]string{next.Verb}, ids(n.Batches[:min(few, len(n.Batches))]), rest)
	}
	return args
}

// unanswered returns the error of a use case that did not do something with a batch because the bank did
// not report its state, or nil. not says what was not done: "not sent".
func unanswered(not string, results []Result) error {
	asked := ledger.Where(results, func(r Result) bool { return r.Outcome == submitter.OutcomeNotLooked })
	if len(asked) == 0 {
		return nil
	}
	e := Fail(LookUnanswered, "%s, because the bank did not report its state: %s (%s)", not, ledger.CountedBatches(len(asked)), some(acted(asked), 3))
	if len(asked) == 1 {
		e.Then(Say("%s", asked[0].Message))
	}
	return e.Then(Say("%s was sent; run it again when the bank answers", map[bool]string{true: "nothing", false: "none of these"}[len(asked) == len(results)]))
}

// notRead returns the error of a poll that could read nothing, or nil.
func notRead(results []Result) error {
	if len(results) == 0 || slices.ContainsFunc(results, func(r Result) bool { return !r.Silent }) {
		return nil
	}
	first := max(0, slices.IndexFunc(results, func(r Result) bool { return r.Outcome == submitter.OutcomeUnread })) // a held batch says only that it waits
	return Fail(BankUnanswered, "the bank could not be reached or did not answer: the status of %s could not be read (%s)", ledger.CountedBatches(len(results)), some(acted(results), 3)).
		Then(Say("%s", results[first].Message), Say("nothing was sent; run it again when the bank answers"))
}

// unpaid counts payouts that failed or came back, and were not planned again, and says what they need.
type unpaid struct {
	ledger.Tally
	asks ledger.Attention
}

// and adds others. Those that came back need more.
func (u unpaid) and(others unpaid) unpaid {
	u.Tally = u.Plus(others.Tally)
	if u.asks != ledger.PayoutCameBack && others.asks != ledger.NeedsNothing {
		u.asks = others.asks
	}
	return u
}

// unpaidError says which payouts of some batches failed or came back, names the first of their sheets
// and says what to do about it. If there are several sheets, the next is named when the first is dealt
// with. Nil if there are none.
func (s Status) unpaidError(of func(batch string) bool) error {
	var all unpaid
	var sheets []string // in the order of loading
	for _, b := range s.Batches {
		if u, some := s.unpaid[b.ID]; some && of(b.ID) {
			all = all.and(u)
			if !slices.Contains(sheets, b.SheetID) {
				sheets = append(sheets, b.SheetID)
			}
		}
	}
	if len(sheets) == 0 {
		return nil
	}
	row, what := all.asks.Row(), ""
	if len(sheets) > 1 {
		what = " of several sheets"
	}
	e := Fail(codes[row.Exit], "failed or returned: %s (%s)%s", ledger.CountedPayouts(all.Count), all.Total.Rupees(), what).About(row.Kind).
		Then(Do("payouts", "--state", "failed,returned").Which("lists them, with the reasons"))
	if len(sheets) > 1 {
		e.Then(Say("This is the first of several sheets. The next is shown when this one is done."))
	}
	return e.Then(Do("retry", sheets[0], "--out", "to-correct.xlsx").First("If a row was wrong, correct it in a sheet of its own."),
		Do("retry", sheets[0]).First("If every row was right, plan the same payouts again."))
}

// hintsIn returns as next steps what errors about payouts say.
func hintsIn(errs ...error) (list []Hint) {
	for _, err := range errs {
		e, ok := errors.AsType[*Error](err)
		if !ok {
			continue
		}
		list = append(list, Say("%s%s.", strings.ToUpper(e.What[:1]), e.What[1:]))
		for _, h := range e.Next {
			if e.Attention.Row().Weight == ledger.WeightGrave || len(h.Command) > 0 && h.After == "" {
				list = append(list, h)
			}
		}
	}
	return list
}

// waiting returns the error of a use case that left batches planned, or nil. Some batches
// wait for a second person, others for another batch of their debit account.
func waiting(results []Result) error {
	var needs []Need
	for _, kind := range []ledger.Attention{ledger.AfterRestore, ledger.SentBack, ledger.ToBeApproved, ledger.FundsShort, ledger.QueuedBehindOTP} {
		if left := ledger.Where(results, func(r Result) bool { return r.Attention == kind }); len(left) > 0 {
			needs = append(needs, Need{AttentionRow: kind.Row(), Batches: ledger.ListOf(left, func(r Result) ledger.Batch { return r.Batch })})
		}
	}
	return errors.Join(needErrors(needs)...)
}

// nextOf returns the next step: the one for the most serious obstacle. Empty if nothing is left to do.
func nextOf(needs []Need) []Hint {
	if len(needs) == 0 {
		return nil
	}
	g := needs[0]
	if g.Kind == ledger.ToBeInitiated || g.Kind == ledger.ToBeApproved {
		return nextOfPlanned(needs) // both kinds
	}
	steps := g.Steps()
	if len(steps) == 0 {
		return []Hint{Say("%s: %s (%s). %s", g.Title, ledger.CountedBatches(len(g.Batches)), someIDs(g.Batches), g.Do)}
	}
	steps[0].Before = g.heading()
	return steps
}

// contradicted groups the batches by what contradicts their payouts, the gravest first.
func (s Status) contradicted() []Need {
	list := groups(s.Batches, func(b ledger.Batch) []ledger.Attention { return s.kinds[b.ID] })
	for i := range list {
		list[i].Refs = map[string][]string{}
		for _, e := range s.contradict {
			if e.Kind == list[i].Kind {
				list[i].Refs[e.BatchID] = append(list[i].Refs[e.BatchID], e.WireRef)
			}
		}
	}
	return list
}

// needs groups the batches by what they need, the gravest first. A refusal that is dealt with needs nothing.
func (s Status) needs() []Need {
	open := func(b ledger.Batch) bool { return b.State != ledger.BatchRefused || s.refused[b.ID] }
	return groups(ledger.Where(s.Batches, open), asks(s.twoPerson))
}

// nextOfNew says what batches that were just planned wait for. Others may be planned too, so it names few.
func (o *operation) nextOfNew(planned []ledger.Batch) []Hint {
	steps := nextOfPlanned(groups(planned, asks(o.policy.TwoPerson)))
	const few = 3
	for i := range steps {
		if len(planned) <= few && slices.Equal(steps[i].Command, []string{"initiate", "--all"}) {
			steps[i].Command = append([]string{"initiate"}, ids(planned)...)
		}
	}
	return steps
}

// nextOfPlanned says what the planned batches among those that need something wait for.
func nextOfPlanned(needs []Need) []Hint {
	var steps []Hint
	ready := false
	for _, g := range needs {
		if g.Kind != ledger.ToBeApproved && g.Kind != ledger.ToBeInitiated {
			continue
		}
		first := len(steps)
		steps = append(steps, g.Steps()...)
		steps[first].Before = g.heading()
		ready = ready || g.Kind == ledger.ToBeInitiated
	}
	if len(needs) > 0 && !ready {
		steps = append(steps, Do("initiate", "--all"))
	}
	return steps
}
