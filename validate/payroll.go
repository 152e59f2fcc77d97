package validate

import (
	"cmp"
	"slices"

	"payrun/ledger"
)

// Payroll is the payees of a sheet from one debit account, and how much each account gets. An account
// has one number in all branches of its bank. Payouts that failed, came back, were refused or
// cancelled do not count.
type Payroll struct {
	Standing
	paid    []Paid // in the order of the sheet
	at      map[accountAtBank]int
	renamed SimilarList // accounts that it pays under several names
}

// Standing is how the payouts of a sheet from one debit account stand.
type Standing struct {
	Paid    ledger.Tally // were paid, or may be; with what is planned
	Planned int          // of those, what is planned and was not sent
	Over    ledger.Tally // failed, came back, refused or cancelled: no one is paid by them
}

// Paid is what one account gets.
type Paid struct {
	Ref     string // of the first payout to it
	Name    string
	Account ledger.Account
	Amount  ledger.Paise // of all payouts to it
}

// PayrollMost is the number of payouts up to which payrolls are compared. Each takes about a kilobyte
// of memory.
const PayrollMost = 100_000

// NewPayroll returns an empty one.
func NewPayroll() *Payroll { return &Payroll{at: map[accountAtBank]int{}} }

// Add adds a payout in its present state.
func (p *Payroll) Add(one *ledger.Payout, state ledger.PayoutState) {
	if state.Retryable() {
		p.Over.Add(one.Amount)
		return
	}
	p.Paid.Add(one.Amount)
	if state == ledger.PayoutPlanned {
		p.Planned++
	}
	now := Paid{one.Ref, one.VendorName, one.AccountOf(), one.Amount}
	key := accountOf(now.Account)
	i, known := p.at[key]
	if !known {
		p.at[key] = len(p.paid)
		p.paid = append(p.paid, now)
		return
	}
	if OtherName(p.paid[i].Name, one.VendorName) {
		p.renamed.add(SimilarPayees{Kind: OneAccount, One: now, Other: p.paid[i]})
	}
	p.paid[i].Amount += one.Amount
}

// accountAtBank is the account of a payee: by its number, which is one in all branches of
// its bank, or by its id at the service.
type accountAtBank struct{ number, bank string }

const bankChars = 4 // of an IFSC

func accountOf(a ledger.Account) accountAtBank {
	number := a.BankAccountNumber
	if a = a.Folded(); number == "" {
		return accountAtBank{number: a.OpenBeneficiaryID}
	}
	return accountAtBank{cmp.Or(a.BankAccountNumber, "0"), a.IFSC[:min(len(a.IFSC), bankChars)]}
}

// Accounts are those that it pays, in the order of the sheet.
func (p *Payroll) Accounts() []ledger.Account {
	all := make([]ledger.Account, len(p.paid))
	for i := range p.paid {
		all[i] = p.paid[i].Account
	}
	return all
}

// Since is how a payroll differs from the one before it: before, less what Gone got,
// plus New, plus More, less Less, is what it pays. Each counts accounts.
type Since struct {
	Before, Now ledger.Tally
	New, Gone   ledger.Tally
	More, Less  ledger.Tally // by how much
	Same        int          // that get what they got
	Moved       int          // of those above: a name whose account is another
	Largest     []Change     // what changed most, and first of all who moved
}

// Change is what changed for one payee. Was or Is is the zero Paid where they are
// new or gone. A payee need not have a name.
type Change struct{ Was, Is Paid }

// New reports whether they got nothing before.
func (c Change) New() bool { return c.Was.Amount == 0 }

// Gone reports whether they get nothing now.
func (c Change) Gone() bool { return c.Is.Amount == 0 }

// By is by how much they get more, or less than nothing.
func (c Change) By() ledger.Paise { return c.Is.Amount - c.Was.Amount }

// Moved reports whether their account is another than it was.
func (c Change) Moved() bool {
	return !c.New() && !c.Gone() && accountOf(c.Was.Account) != accountOf(c.Is.Account)
}

// changesMost is how many changes are listed one by one.
const changesMost = 20

// Since holds the payroll against the one before it. Who has another account is
// found by name, where the name is one payee's in both.
func (p *Payroll) Since(before *Payroll) Since {
	s := Since{Before: before.tally(), Now: p.tally()}
	var changes []Change
	var gone, came []Paid
	for _, is := range p.paid {
		if i, ok := before.at[accountOf(is.Account)]; ok {
			changes = append(changes, Change{before.paid[i], is})
		} else {
			came = append(came, is)
		}
	}
	for _, was := range before.paid {
		if _, ok := p.at[accountOf(was.Account)]; !ok {
			gone = append(gone, was)
		}
	}
	changes = append(changes, moves(gone, came)...)
	for _, c := range changes {
		s.count(c)
	}
	s.Largest = largest(changes)
	return s
}

// largest are the first of the changes that are any: who moved, and then the largest.
func largest(changes []Change) []Change {
	var moved, others []Change
	for _, c := range changes {
		switch {
		case c.Moved():
			moved = append(moved, c)
		case c.By() != 0:
			others = append(others, c)
		}
	}
	bySize := func(a, b Change) int { return cmp.Compare(abs(b.By()), abs(a.By())) }
	slices.SortStableFunc(moved, bySize)
	slices.SortStableFunc(others, bySize)
	all := slices.Concat(moved, others)
	return slices.Clone(all[:min(len(all), changesMost)])
}

func abs(p ledger.Paise) ledger.Paise { return max(p, -p) }

func (p *Payroll) tally() (t ledger.Tally) {
	for _, paid := range p.paid {
		t.Add(paid.Amount)
	}
	return t
}

// moves pairs those who are gone with those who came, by names that only one of
// either has.
func moves(gone, came []Paid) (changes []Change) {
	was, is := byName(gone), byName(came)
	moved := map[int]bool{} // of gone
	for _, one := range came {
		c, name := Change{Is: one}, FoldName(one.Name)
		if name != "" && len(was[name]) == 1 && len(is[name]) == 1 {
			c.Was, moved[was[name][0]] = gone[was[name][0]], true
		}
		changes = append(changes, c)
	}
	for i := range gone {
		if !moved[i] {
			changes = append(changes, Change{Was: gone[i]})
		}
	}
	return changes
}

// byName gives the positions of each name.
func byName(paid []Paid) map[string][]int {
	at := map[string][]int{}
	for i := range paid {
		name := FoldName(paid[i].Name)
		at[name] = append(at[name], i)
	}
	return at
}

func (s *Since) count(c Change) {
	if c.Moved() {
		s.Moved++
	}
	by := c.By()
	t := &s.More
	switch {
	case c.New():
		t = &s.New
	case c.Gone():
		t = &s.Gone
	case by < 0:
		t = &s.Less
	case by == 0:
		s.Same++
		return
	}
	t.Add(abs(by))
}
