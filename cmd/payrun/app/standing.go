package app

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// SheetStanding is the state of a sheet: the results of its payouts, what it needs, and who is next.
// Home, the pages of sheets and the terminal all use it.
type SheetStanding struct {
	ledger.Sheet
	All   ledger.Tally // its payouts, by their latest attempts
	Parts []PayoutPart // of All, in the order in which they are shown; none is empty
	Done  int          // of the four steps loaded, approved, sent, finished
	Asks  []SheetAsk   // what its batches need, gravest first; one NeedsNothing if nothing is left to do
}

// SheetAsk is something that a sheet needs.
type SheetAsk struct {
	Need
	Words string // "Ready to approve"
	Next  Turn
}

// Grave reports whether money may have moved, or records contradict each other.
func (a SheetAsk) Grave() bool { return a.Weight == ledger.WeightGrave }

// First returns the gravest of its needs.
func (s SheetStanding) First() SheetAsk { return s.Asks[0] }

// For returns the gravest of its needs that the named person can do next.
func (s SheetStanding) For(name string) (SheetAsk, bool) {
	return ledger.First(s.Asks, func(a SheetAsk) bool { return slices.Contains(a.Next.Who, name) })
}

// PayoutPart is a group of payouts with the same state for people.
type PayoutPart struct {
	Class string // of its mark: paid, notpaid, returned, indoubt, locked, todo or open
	Words string // printed after their number: "paid"
	Link  string // the states that select them, as a filter of payouts; "" for none
	ledger.Tally
}

// Turn says who is next.
type Turn struct {
	Role ledger.Role // "" for no one: the bank works on it, or all is final
	Who  []string    // names; empty if no one has the role, or there are no people
	What string      // printed after the name, or alone if Role is "": "approves it"
	Do   string      // what it is for the person who does it: "Enter OTP"; "" where they decide or look
	Then string      // what comes after that
}

// turns says, for what a sheet needs, which role is next and what it does. For anything else, a
// person who may approve or pay decides.
var turns = map[ledger.Attention]struct {
	words string // "": the title of the attention
	Turn
}{
	ledger.ToBeApproved:       {"Ready to approve", Turn{Role: ledger.RoleApprove, What: "approves it", Do: "Review and approve", Then: "then it is sent"}},
	ledger.ToBeInitiated:      {"Ready to send", Turn{Role: ledger.RolePay, What: "sends it", Do: "Review and send", Then: "then the bank sends the OTP"}},
	ledger.QueuedBehindOTP:    {"Ready to send", Turn{Role: ledger.RolePay, What: "sends it", Do: "Request next OTP"}},
	ledger.AfterRestore:       {"", Turn{Role: ledger.RolePay, What: "sends it"}},
	ledger.FundsShort:         {"", Turn{Role: ledger.RolePay, What: "adds funds"}},
	ledger.AccountUnusable:    {"", Turn{Role: ledger.RolePay, What: "links the account"}},
	ledger.OTPWaiting:         {"Waiting for OTP", Turn{Role: ledger.RolePay, What: "enters it", Do: "Enter OTP"}},
	ledger.OTPLate:            {"Waiting for OTP", Turn{Role: ledger.RolePay, What: "enters it", Do: "Enter OTP"}},
	ledger.OTPSpent:           {"", Turn{Role: ledger.RolePay, What: "cancels the batch"}},
	ledger.SentBack:           {"", Turn{Role: ledger.RoleLoad, What: "corrects it", Do: "See why", Then: "withdraw it and correct the sheet"}},
	ledger.PayoutNotPaid:      {"", Turn{Role: ledger.RoleLoad, What: "corrects or retries", Do: "Correct or retry"}},
	ledger.PayoutCameBack:     {"", Turn{Role: ledger.RoleLoad, What: "corrects or retries", Do: "Correct or retry"}},
	ledger.WasRefused:         {"", Turn{Role: ledger.RoleLoad, What: "plans it again"}},
	ledger.SubmitUnanswered:   {"In doubt", Turn{What: "we ask the bank"}},
	ledger.SubmitNo:           {"In doubt", Turn{What: "we ask the bank"}},
	ledger.InitiateUnanswered: {"", Turn{What: "we ask the bank"}},
	ledger.InitiateNo:         {"", Turn{What: "we ask the bank"}},
	ledger.BeingSent:          {"", Turn{What: "we wait for the bank's answer"}},
	ledger.AtTheBank:          {"", Turn{What: "we ask the bank"}},
	ledger.NeedsNothing:       {"Done", Turn{}},
}

// standings returns the states of some sheets; st has all their batches.
func (o *operation) standings(ctx context.Context, st Status, sheets []ledger.Sheet) ([]SheetStanding, error) {
	tallies, err := o.store.SheetTallies(ctx)
	if err != nil {
		return nil, err
	}
	batches := map[string][]ledger.Batch{}
	for _, b := range st.Batches {
		batches[b.SheetID] = append(batches[b.SheetID], b)
	}
	return listOf(sheets, func(s ledger.Sheet) (SheetStanding, error) {
		return o.standing(ctx, s, st, batches[s.ID], tallies[s.ID])
	})
}

// standing returns the state of one sheet.
func (o *operation) standing(ctx context.Context, sheet ledger.Sheet, st Status, batches []ledger.Batch, by map[ledger.PayoutState]ledger.Tally) (s SheetStanding, err error) {
	s.Sheet = sheet
	if s.Parts, err = o.parts(ctx, batches, by); err != nil {
		return s, err
	}
	for _, p := range s.Parts {
		s.All = s.All.Plus(p.Tally)
	}
	for _, n := range groups(batches, func(b ledger.Batch) []ledger.Attention { return []ledger.Attention{st.Asks(b)} }) {
		s.Asks = append(s.Asks, SheetAsk{Need: n})
	}
	s.Done = s.steps()
	if s.All.Count == 0 && sheet.Corrected.Count > 0 {
		s.All = sheet.Corrected
		s.Parts = []PayoutPart{{"open", "counted in the corrected sheet", "", sheet.Corrected}}
		s.Asks = []SheetAsk{{Words: "Corrections"}}
		return s, nil
	}
	if len(s.Asks) == 0 {
		s.Asks = []SheetAsk{{}}
	}
	var approvals map[string]ledger.ApprovalStatus
	if slices.ContainsFunc(s.Asks, func(a SheetAsk) bool { return a.Kind == ledger.ToBeApproved }) {
		if approvals, err = o.store.ApprovalStatuses(ctx, ledger.Filter{SheetID: sheet.ID}); err != nil {
			return s, err
		}
	}
	var asks []SheetAsk
	for _, a := range s.Asks {
		s.turn(&a, o.people, approvals)
		same := slices.IndexFunc(asks, func(b SheetAsk) bool {
			return a.Words == b.Words && a.Next.Role == b.Next.Role && a.Next.What == b.Next.What
		})
		if same < 0 {
			asks = append(asks, a)
		} else { // a person sees no difference
			asks[same].Batches = append(asks[same].Batches, a.Batches...)
		}
	}
	s.Asks = asks
	return s, nil
}

// parts splits payouts into groups, each payout in one. by has their tallies by the state of their latest
// attempts, and batches are their batches.
func (o *operation) parts(ctx context.Context, batches []ledger.Batch, by map[ledger.PayoutState]ledger.Tally) (parts []PayoutPart, err error) {
	held, err := o.atBankOf(ctx, batches, func(b ledger.Batch) bool { return b.State == ledger.BatchHeld })
	if err != nil {
		return nil, err
	}
	doubt, err := o.atBankOf(ctx, batches, func(b ledger.Batch) bool { return b.State.SubmitSent() && b.Attention != ledger.BeingSent })
	for _, p := range [...]PayoutPart{
		{"paid", "paid", "success", by[ledger.PayoutSuccess]},
		{"notpaid", "failed", "failed", by[ledger.PayoutFailed]},
		{"returned", "returned", "returned", by[ledger.PayoutReturned]},
		{"locked", "locked", "disputed", by[ledger.PayoutDisputed]},
		{"indoubt", "in doubt", "", doubt},
		{"open", "at the bank", "", less(less(atBank(by), held), doubt)},
		{"todo", "waiting for OTP", "", held},
		{"open", "not sent", "planned", by[ledger.PayoutPlanned]},
		{"open", "cancelled", "cancelled", by[ledger.PayoutCancelled]},
	} {
		if p.Count > 0 {
			parts = append(parts, p)
		}
	}
	return parts, err
}

// atBankOf counts and sums the payouts that the bank has of some of the batches.
func (o *operation) atBankOf(ctx context.Context, batches []ledger.Batch, is func(ledger.Batch) bool) (ledger.Tally, error) {
	of := ledger.Where(batches, is)
	if len(of) == 0 { // without a batch, Tallies counts all
		return ledger.Tally{}, nil
	}
	by, err := o.store.Tallies(ctx, ids(of)...)
	return atBank(by), err
}

// atBank counts and sums what the bank has and has not ended.
func atBank(by map[ledger.PayoutState]ledger.Tally) ledger.Tally {
	return by[ledger.PayoutRequestInitiated].Plus(by[ledger.PayoutPending]).Plus(by[ledger.PayoutInitiated])
}

// less subtracts a part from a tally.
func less(t, part ledger.Tally) ledger.Tally {
	return ledger.Tally{Count: t.Count - part.Count, Total: t.Total - part.Total}
}

// Part returns the tally of the part with that name.
func (s SheetStanding) Part(words string) ledger.Tally {
	p, _ := ledger.First(s.Parts, func(p PayoutPart) bool { return p.Words == words })
	return p.Tally
}

// Finished reports whether any of its payouts has an outcome. Then the outcomes are shown, not the four steps.
func (s SheetStanding) Finished() bool {
	return slices.ContainsFunc(s.Parts, func(p PayoutPart) bool {
		return !slices.Contains([]string{"at the bank", "waiting for OTP", "not sent"}, p.Words)
	})
}

func (s *SheetStanding) steps() int {
	unagreed := func(a SheetAsk) bool { return a.Kind == ledger.ToBeApproved || a.Kind == ledger.SentBack }
	switch {
	case slices.ContainsFunc(s.Asks, unagreed):
		return 1
	case s.Part("not sent").Count+s.Part("waiting for OTP").Count > 0:
		return 2
	case s.Part("at the bank").Count+s.Part("in doubt").Count > 0:
		return 3
	}
	return 4
}

// turn sets the words of a need, and who is next. approvals are those of the batches to be approved.
func (s *SheetStanding) turn(a *SheetAsk, people ledger.Users, approvals map[string]ledger.ApprovalStatus) {
	t, known := turns[a.Kind]
	roles := []ledger.Role{t.Role}
	if !known {
		t.Role, t.What, roles = ledger.RolePay, "decides", trusted
	}
	a.Words, a.Next = cmp.Or(t.words, a.Title), t.Turn
	var unpaid []string
	for _, words := range [...]string{"failed", "returned", "cancelled"} {
		if n := s.Part(words).Count; n > 0 && slices.Contains([]ledger.Attention{ledger.PayoutNotPaid, ledger.PayoutCameBack, ledger.NeedsNothing}, a.Kind) {
			unpaid = append(unpaid, ledger.Grouped(n)+" "+words)
		}
	}
	if len(unpaid) > 0 {
		a.Words = strings.Join(unpaid, ", ")
	}
	if _, on := people.Find(s.LoadedBy); on && a.Kind == ledger.SentBack {
		a.Next.Who = []string{s.LoadedBy}
		return
	}
	can := func(name string) bool { return true }
	if a.Kind == ledger.ToBeApproved {
		can = func(name string) bool {
			return slices.ContainsFunc(a.Batches, func(b ledger.Batch) bool {
				now := approvals[b.ID]
				return now.May(ledger.Approving{Approval: ledger.Approval{Actor: name, PayloadSHA256: now.LastApproved()}}) == nil
			})
		}
		alone := func(b ledger.Batch) bool { return people.Counts(approvals[b.ID].PlannedBy) != nil }
		switch first := slices.ContainsFunc(a.Batches, func(b ledger.Batch) bool { return len(b.ApprovedBy) == 0 }); {
		case !first:
			a.Next.What = "gives the second of two approvals"
		case slices.ContainsFunc(a.Batches, alone):
			a.Next.What = "gives the first of two approvals"
		}
	}
	for _, p := range people.People() {
		if slices.ContainsFunc(roles, p.Can) && can(p.Name) {
			a.Next.Who = append(a.Next.Who, p.Name)
		}
	}
}

// mostNamed is how many people are named as next.
const mostNamed = 2

// String says who is next: "Meera approves it", "a person who may pay sends it"; "" for no one.
func (t Turn) String() string {
	switch {
	case t.Role == "":
		return ""
	case len(t.Who) == 0 || len(t.Who) > mostNamed:
		return "a person who may " + string(t.Role) + " " + t.What
	}
	names := ledger.ListOf(t.Who, func(name string) string { return ledger.Plain(config.Who(name)) })
	return strings.Join(names, " or ") + " " + t.What
}
