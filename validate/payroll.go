package validate

import (
	"cmp"
	"slices"

	"payrun/ledger"
)

// Payroll is the payees of a sheet from one debit account, and how much each account gets. An account has one
// number in all branches of its bank. Payouts that failed, came back, were refused or were cancelled do not
// count.
type Payroll struct {
	Standing
	paid    []Paid // in the order of the sheet
	at      map[accountAtBank]int
	renamed SimilarList // accounts that are paid under several names
}

// Standing is the state of the payouts of a sheet from one debit account.
type Standing struct {
	Paid    ledger.Tally `json:"paid"`    // paid, maybe paid or planned
	Planned int          `json:"planned"` // how many of those are planned and not sent
	Over    ledger.Tally `json:"over"`    // failed, came back, refused or cancelled: they pay no one
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

// NewPayroll returns an empty Payroll.
func NewPayroll() *Payroll { return &Payroll{at: map[accountAtBank]int{}} }

// Add adds a payout in its current state.
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

// accountAtBank identifies a payee's account: by its number, which is the same in all branches of its bank, or
// by its id at the service.
type accountAtBank struct{ number, bank string }

const bankChars = 4 // of an IFSC

func accountOf(a ledger.Account) accountAtBank {
	number := a.BankAccountNumber
	if a = a.Folded(); number == "" {
		return accountAtBank{number: a.OpenBeneficiaryID}
	}
	return accountAtBank{cmp.Or(a.BankAccountNumber, "0"), a.IFSC[:min(len(a.IFSC), bankChars)]}
}

// Accounts returns the accounts that the payroll pays, in the order of the sheet.
func (p *Payroll) Accounts() []ledger.Account {
	return ledger.ListOf(p.paid, func(paid Paid) ledger.Account { return paid.Account })
}

// Since is how a payroll differs from the one before it: Before, less what Gone got, plus New, plus More, less
// Less, is Now. Each counts accounts.
type Since struct {
	Before  ledger.Tally `json:"was"`
	Now     ledger.Tally `json:"is"`
	New     ledger.Tally `json:"new"`
	Gone    ledger.Tally `json:"gone"`
	More    ledger.Tally `json:"more"` // by how much they get more
	Less    ledger.Tally `json:"less"`
	Same    int          `json:"same"`  // accounts that get the same as before
	Moved   int          `json:"moved"` // of those above: names with another account
	Largest []Change     `json:"-"`     // the largest changes; moved payees come first
}

// Change is the change for one payee. Was is the zero Paid if the payee is new, Is if the payee is gone. The
// payee may have no name.
type Change struct{ Was, Is Paid }

// New reports whether the payee got nothing before.
func (c Change) New() bool { return c.Was.Amount == 0 }

// Gone reports whether the payee gets nothing now.
func (c Change) Gone() bool { return c.Is.Amount == 0 }

// By returns by how much the payee gets more; negative if less.
func (c Change) By() ledger.Paise { return c.Is.Amount - c.Was.Amount }

// Moved reports whether the payee's account changed.
func (c Change) Moved() bool {
	return !c.New() && !c.Gone() && accountOf(c.Was.Account) != accountOf(c.Is.Account)
}

// changesMost is how many changes are listed.
const changesMost = 20

// Since compares the payroll with the one before it. It finds a payee with a new account by name, if the name
// belongs to one payee in both.
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

// largest returns the first of the actual changes: moved payees, then the largest.
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

// tally returns how many accounts are paid, and how much they get.
func (p *Payroll) tally() ledger.Tally { return ledger.Tally{Count: len(p.paid), Total: p.Paid.Total} }

// moves pairs payees that are gone with payees that are new, by names that occur once in each.
func moves(gone, came []Paid) (changes []Change) {
	was, is := byName(gone), byName(came)
	moved := map[int]bool{} // indexes in gone
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

// byName returns the positions of each name.
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
		if !c.Moved() {
			s.Same++
		}
		return
	}
	t.Add(abs(by))
}
