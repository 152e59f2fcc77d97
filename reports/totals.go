package reports

import (
	"cmp"
	"maps"
	"slices"

	"payrun/ledger"
)

// totals is what is known after every payout was read.
type totals struct {
	split                                   // every payout of the snapshot
	states     map[ledger.PayoutState]split // only those that occur
	banks      map[int]*groupTotals
	accounts   map[string]*groupTotals // debit accounts, by id
	sheets     map[string]ledger.Tally // what each accepted
	changed    ledger.Tally            // payouts that were corrected, and by how much in total
	came       int                     // rows that were left out and came with a later sheet
	superseded ledger.Tally            // attempts of payouts that another one decides about (ledger.Latest); with all, the total of the batches
	differ     ledger.Tally            // payouts that contradict what the bank shows
	exceptions ledger.Tally            // payouts that are not paid
	persons    ledger.Tally            // of these, the ones that need a person
	groups     map[groupKey]*group
	statements onStatement
}

// split is a total of payouts, and the same by bucket.
type split struct {
	all ledger.Tally
	by  [buckets]ledger.Tally
}

func (s *split) add(w bucket, p ledger.Paise) {
	s.all.Add(p)
	s.by[w].Add(p)
}

// namedSplit is a line of a table or a chart.
type namedSplit struct {
	name string
	split
}

// groupTotals is the total of one bank or one account.
type groupTotals struct {
	split
	batches int
	bank    int    // partner bank id; 0 if the payout's batch is not known
	account string // its id; "" for a bank
}

func newTotals(batches []ledger.Batch) *totals {
	t := &totals{
		states:     map[ledger.PayoutState]split{},
		banks:      map[int]*groupTotals{},
		accounts:   map[string]*groupTotals{},
		sheets:     map[string]ledger.Tally{},
		groups:     map[groupKey]*group{},
		statements: onStatement{accounts: map[string]bool{}},
	}
	for _, b := range batches {
		t.bank(b.PartnerBankID).batches++
		account := t.account(b.BankAccountID)
		account.bank, account.batches = b.PartnerBankID, account.batches+1
	}
	return t
}

// payout counts one payout.
func (t *totals) payout(a *ledger.Attempt, b *ledger.Batch, kind ledger.Attention) {
	in, state := bucketOf(a.State, b.State), t.states[a.State]
	for _, s := range []*split{&t.split, &state, &t.bank(b.PartnerBankID).split, &t.account(a.BankAccountID).split} {
		s.add(in, a.Amount)
	}
	t.states[a.State] = state
	if kind == ledger.NeedsNothing {
		return
	}
	if kind.Row().Weight == ledger.WeightGrave {
		t.differ.Add(a.Amount)
	}
	t.exceptions.Add(a.Amount)
	if kind.NeedsPerson() {
		t.persons.Add(a.Amount)
	}
}

func (t *totals) bank(id int) *groupTotals {
	if t.banks[id] == nil {
		t.banks[id] = &groupTotals{bank: id}
	}
	return t.banks[id]
}

func (t *totals) account(id string) *groupTotals {
	if t.accounts[id] == nil {
		t.accounts[id] = &groupTotals{account: id}
	}
	return t.accounts[id]
}

// byBank returns the debit accounts or banks with payouts or batches, by bank and account.
func byBank[K comparable](groups map[K]*groupTotals) []*groupTotals {
	return slices.SortedFunc(maps.Values(groups), func(a, b *groupTotals) int {
		return cmp.Or(cmp.Compare(a.bank, b.bank), cmp.Compare(a.account, b.account))
	})
}

// matched is what sheet and bank agree on: paid, with the sheet's amount. If the bank shows another amount, the
// payout is disputed (see ledger.Judge).
func (t *totals) matched() ledger.Tally { return t.states[ledger.PayoutSuccess].all }

// unexplained is what is accepted and corrected, but neither matched nor in an exception.
func (t *totals) unexplained(accepted ledger.Tally) ledger.Paise {
	return accepted.Total + t.changed.Total - t.matched().Total - t.exceptions.Total
}

// ties compares what the sheets brought in with the total of the payouts.
type ties struct {
	Accepted        ledger.Tally `json:"accepted"`           // by the sheets, when they were loaded
	Corrected       ledger.Tally `json:"corrected,omitzero"` // payouts, and by how much in total; accepted + corrected = by_state_sum
	ByStateSum      ledger.Tally `json:"by_state_sum"`       // over every state of a payout
	CountDifference int          `json:"count_difference"`
	Difference      ledger.Paise `json:"difference"`
	TiesOut         bool         `json:"ties_out"` // to the payout and to the paisa, for each sheet too
}

// sheetTies is the same for one sheet: each row is accepted, rejected or a correction of an earlier payout, and
// what was accepted is in the ledger (safety.md, invariants 12 and 13).
func (t *totals) sheetTies(s ledger.Sheet) bool {
	return s.Rows == s.Accepted.Count+s.Rejected.Count+s.Corrected.Count && t.sheets[s.ID] == s.Accepted
}

func (t *totals) ties(s *Snapshot) ties {
	r := ties{Accepted: s.cameIn().accepted, Corrected: t.changed}
	for _, state := range ledger.PayoutStates {
		r.ByStateSum = r.ByStateSum.Plus(t.states[state].all)
	}
	r.CountDifference = r.Accepted.Count - r.ByStateSum.Count
	r.Difference = r.Accepted.Total + r.Corrected.Total - r.ByStateSum.Total
	differs := func(h ledger.Sheet) bool { return !t.sheetTies(h) }
	r.TiesOut = r.CountDifference == 0 && r.Difference == 0 && !slices.ContainsFunc(s.sheets, differs)
	return r
}

// statuses returns the states with payouts, in words; only planned if there are no payouts.
func (t *totals) statuses() (lines []namedSplit) {
	for _, s := range ledger.PayoutStates {
		if p, occurs := t.states[s]; occurs {
			lines = append(lines, namedSplit{s.Words(), p})
		}
	}
	if len(lines) == 0 {
		return []namedSplit{{ledger.PayoutPlanned.Words(), split{}}}
	}
	return lines
}

// bankLines returns the banks with payouts or batches.
func (t *totals) bankLines() []namedSplit {
	return ledger.ListOf(byBank(t.banks), func(b *groupTotals) namedSplit { return namedSplit{bankName(b.bank), b.split} })
}

// cameIn is what the sheets of the reports brought in, by their own totals.
type cameIn struct{ rows, accepted, corrected, left ledger.Tally }

func (s *Snapshot) cameIn() (in cameIn) {
	for _, h := range s.sheets {
		in.rows = in.rows.Plus(ledger.Tally{Count: h.Rows, Total: h.Total})
		in.accepted = in.accepted.Plus(h.Accepted)
		in.corrected = in.corrected.Plus(h.Corrected)
		in.left = in.left.Plus(h.Rejected)
	}
	return in
}
