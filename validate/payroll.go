package validate

import (
	"cmp"
	"iter"
	"slices"

	"payrun/ledger"
)

// Payroll is whom a sheet pays from one debit account, and how much each account
// gets. An account has one number in all branches of its bank.
type Payroll struct {
	paid    []Paid // in the order of the sheet
	at      map[accountAtBank]int
	renamed Alikes // accounts that it pays under several names
}

// Paid is what one account gets.
type Paid struct {
	Ref     string // of the first payout to it
	Name    string
	Account ledger.Account
	Amount  ledger.Paise // of all payouts to it
}

// PayrollMost is of how many payouts payrolls are held against each other: what is
// held of them stands in memory, about a kilobyte each.
const PayrollMost = 100_000

// NewPayroll returns one that pays nobody.
func NewPayroll() *Payroll { return &Payroll{at: map[accountAtBank]int{}} }

// Add adds a payout. The total of all payouts has to fit ledger.Paise, as that of a
// sheet does.
func (p *Payroll) Add(one *ledger.Payout) {
	account := one.AccountOf()
	key := accountOf(account)
	i, known := p.at[key]
	if !known {
		p.at[key] = len(p.paid)
		p.paid = append(p.paid, Paid{one.Ref, one.VendorName, account, one.Amount})
		return
	}
	now := Paid{one.Ref, one.VendorName, account, one.Amount}
	if OtherName(p.paid[i].Name, one.VendorName) {
		p.renamed.add(Alike{Kind: OneAccount, One: now, Other: p.paid[i]})
	}
	p.paid[i].Amount += one.Amount
}

// Payees gives one payout for each account that is paid, as it was added first, so many
// at a time.
func (p *Payroll) Payees(many int) iter.Seq[[]ledger.Payout] {
	return func(yield func([]ledger.Payout) bool) {
		for some := range slices.Chunk(p.paid, many) {
			payouts := make([]ledger.Payout, len(some))
			for i, paid := range some {
				payouts[i] = ledger.Payout{Ref: paid.Ref, VendorName: paid.Name, Amount: paid.Amount,
					BankAccountNumber: paid.Account.BankAccountNumber, IFSC: paid.Account.IFSC, OpenBeneficiaryID: paid.Account.OpenBeneficiaryID}
			}
			if !yield(payouts) {
				return
			}
		}
	}
}

// accountOf is the account of a payee: by its number at its bank, or by its id at
// the service.
func accountOf(a ledger.Account) accountAtBank {
	a = a.Folded()
	if a.BankAccountNumber == "" {
		return accountAtBank{number: a.OpenBeneficiaryID}
	}
	return accountAtBank{a.BankAccountNumber, a.IFSC[:min(len(a.IFSC), bankChars)]}
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

// changesMost is how many changes are told one by one.
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

// largest are the first of the changes that are any, in the order in which they are told:
// of the same size in their own. Only they are put in order, of perhaps a hundred thousand.
func largest(changes []Change) (list []Change) {
	for _, c := range changes {
		if c.By() == 0 && !c.Moved() {
			continue
		}
		at, _ := slices.BinarySearchFunc(list, c, func(a, b Change) int { // behind its equals
			if cmp.Or(first(b.Moved())-first(a.Moved()), cmp.Compare(abs(b.By()), abs(a.By()))) > 0 {
				return 1
			}
			return -1
		})
		if at == changesMost {
			continue
		}
		list = slices.Insert(list, at, c)
		list = list[:min(len(list), changesMost)]
	}
	return list
}

func first(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func abs(p ledger.Paise) ledger.Paise { return max(p, -p) }

func (p *Payroll) tally() (t ledger.Tally) {
	for _, paid := range p.paid {
		t.Count, t.Total = t.Count+1, t.Total+paid.Amount
	}
	return t
}

// moves pairs those who are gone with those who came, by names that only one of
// either has.
func moves(gone, came []Paid) (changes []Change) {
	type both struct{ was, is []int }
	byName := map[string]*both{}
	of := func(name string) *both {
		name = FoldName(name)
		if byName[name] == nil {
			byName[name] = &both{}
		}
		return byName[name]
	}
	for i := range gone {
		b := of(gone[i].Name)
		b.was = append(b.was, i)
	}
	for i := range came {
		b := of(came[i].Name)
		b.is = append(b.is, i)
	}
	moved := map[int]bool{} // of gone
	for i := range came {
		c := Change{Is: came[i]}
		if b := of(came[i].Name); FoldName(came[i].Name) != "" && len(b.was) == 1 && len(b.is) == 1 {
			c.Was, moved[b.was[0]] = gone[b.was[0]], true
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
	t.Count, t.Total = t.Count+1, t.Total+abs(by)
}
