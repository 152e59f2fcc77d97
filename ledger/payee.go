package ledger

import (
	"cmp"
	"context"
	"math"
	"strings"
	"time"
	"unicode"
)

// Account is where a payout's money goes: an account number at a branch, or a
// beneficiary known to the service. Two account numbers that differ only in
// leading zeros or in case are one account.
type Account struct {
	BankAccountNumber string
	IFSC              string
	OpenBeneficiaryID string
}

// Same reports whether two accounts are one: the same number, branch and
// beneficiary id, whatever zeros lead the number and whatever case is used.
func (a Account) Same(b Account) bool { return a.Folded() == b.Folded() }

// Folded returns the account as it is compared by: two accounts are one when
// their folded forms are equal. It is for comparing and never sent anywhere.
func (a Account) Folded() Account {
	return Account{
		BankAccountNumber: FoldAccountNumber(a.BankAccountNumber),
		IFSC:              strings.ToUpper(a.IFSC),
		OpenBeneficiaryID: strings.ToLower(a.OpenBeneficiaryID),
	}
}

// Masked names the account by the last digits of its number, or by its id.
func (a Account) Masked() string { return cmp.Or(Mask(a.BankAccountNumber), a.OpenBeneficiaryID) }

// FoldAccountNumber returns what account numbers are compared by: banks write
// the same one with and without leading zeros, and letters in either case.
func FoldAccountNumber(number string) string {
	return strings.ToUpper(strings.TrimLeft(number, "0"))
}

// SameAccountNumber reports whether two account numbers are one as FoldAccountNumber
// has it, without making either anew.
func SameAccountNumber(a, b string) bool {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return len(a) == len(b) && strings.EqualFold(a, b)
}

// leastSeen is how much of a masked account number has to be seen before it says
// anything.
const leastSeen = 4

// Masks reports whether a sign may stand for what is not seen of one: X, or whatever no
// account number has.
func Masks(r rune) bool {
	return r == 'X' || r == 'x' || !('0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z')
}

// MayBeAccount reports whether an account number as a bank shows it, whole or
// masked with X or * or the like, may be this one. A masked one must agree in the digits at
// its end, of which at least four have to be seen.
func MayBeAccount(number, shown string) bool {
	seen, masked := seenOf(shown)
	if !masked {
		return number != "" && SameAccountNumber(number, seen)
	}
	return len(seen) >= leastSeen && strings.HasSuffix(number, seen)
}

// OtherAccount reports whether an account number as a bank shows it is certainly another
// than this one, which may be masked too. Which sign stands for what is hidden nobody
// says, only that the trailing digits are seen (interface.md, "Bank account"): so they
// alone are compared, and whatever stands before them may be a mask, a currency or a
// word. Where fewer than four end it, or text follows them, nothing is certain.
func OtherAccount(number, shown string) bool {
	ours, part := endingDigits(number)
	theirs, _ := endingDigits(shown)
	if len(ours) < leastSeen || len(theirs) < leastSeen || SameAccountNumber(ours, theirs) {
		return false
	}
	return !strings.HasSuffix(ours, theirs) && !(part && strings.HasSuffix(theirs, ours))
}

// endingDigits are the digits that an account number ends in as it is shown, however
// they are parted, and whether anything else stands before them.
func endingDigits(shown string) (digits string, part bool) {
	shown = joined(shown)
	head := strings.TrimRight(shown, "0123456789")
	return shown[len(head):], head != ""
}

// seenOf is what is seen of an account number, however it is parted, and whether the
// rest of it is masked.
func seenOf(shown string) (end string, masked bool) {
	shown = joined(shown)
	last := strings.LastIndexFunc(shown, Masks)
	if last < 0 {
		return shown, false
	}
	return strings.TrimLeftFunc(shown[last:], Masks), true
}

// MaskShown is Mask of an account number as a bank shows it, however it is parted.
func MaskShown(shown string) string { return Mask(joined(shown)) }

// joined is an account number without what parts it for the eye.
func joined(shown string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, shown)
}

// Payee is an account and how much goes there: what a payout and its
// accidental double under another reference have in common.
type Payee struct {
	Account
	Amount Paise
}

// NamedAccount is an account and whose it is said to be.
type NamedAccount struct {
	VendorName string
	Account
}

// Payment is an earlier payout as an index of payees knows it.
type Payment struct {
	PayoutID int64 // in the order of loading
	Amount   Paise
}

// PastPayout is an earlier payout: to whom, and how it stands now.
type PastPayout struct {
	NamedAccount
	Amount Paise
	Use    ReferenceUse
}

// Payees is what a ledger knows of who was paid before. It tells facts; what is
// unusual about them is for others to judge. Two accounts are one when Same
// says so, two names when the fold says so that the ledger was given. It is
// for one check: it sees no payout that is loaded after its first answer. PaidElsewhere
// and LatestPayments may know names and accounts by a hash; what is said of a payout
// rests on PastPayouts.
type Payees interface {
	// Anybody reports whether anybody was paid before. Where nobody was, the others
	// find nothing, and need not be asked.
	Anybody(ctx context.Context) (bool, error)
	// PaidSince tells which of these payees got the same amount by a payout of
	// a sheet loaded at or after since, whatever became of it, and by which: the
	// latest. A payee that has no such payout is not in the map. Where told is
	// false, only which they are: nothing is said of the payouts, and an account
	// may be known by a hash.
	PaidSince(ctx context.Context, payees []Payee, since time.Time, told bool) (map[Payee]ReferenceUse, error)
	// PaidElsewhere returns, of each of these names that was paid before, though
	// never at this account and at no more than most accounts, the first payout to
	// each account, in any order.
	PaidElsewhere(ctx context.Context, named []NamedAccount, most int) (map[NamedAccount][]Payment, error)
	// LatestPayments returns the latest payouts to each account, at most so
	// many and at most 100, in the order of loading; of an account with fewer
	// than least, none.
	LatestPayments(ctx context.Context, accounts []Account, least, most int) (map[Account][]Payment, error)
	// LockedLike returns, of each of these payees to which a payout of the same amount
	// has a lock other than in_flight, the locks of the newest such payout. A payout that
	// is paid and was debited more than once is not among them.
	LockedLike(ctx context.Context, payees []Payee) (map[Payee][]Lock, error)
	// PastPayouts returns these payouts, by their numbers, and how they stand.
	PastPayouts(ctx context.Context, ids []int64) (map[int64]PastPayout, error)
}

// AccountOf returns where the payout's money goes.
func (p *Payout) AccountOf() Account {
	return Account{BankAccountNumber: p.BankAccountNumber, IFSC: p.IFSC, OpenBeneficiaryID: p.OpenBeneficiaryID}
}

// NoName is the mark of a name that names nobody.
const NoName = 0

// NameMark is what an index of payees, and an address, knows a folded name by.
func NameMark(folded string) int64 {
	if folded == "" {
		return NoName
	}
	return mark(folded)
}

// AccountMark is the same of an account.
func AccountMark(a Account) int64 {
	a = a.Folded()
	return mark(a.BankAccountNumber, a.IFSC, a.OpenBeneficiaryID)
}

// mark is FNV-1a. It only finds payouts, which are then compared themselves,
// so it need not be strong.
func mark(parts ...string) int64 {
	h := uint64(14695981039346656037)
	for _, part := range parts {
		for i := range len(part) {
			h = (h ^ uint64(part[i])) * 1099511628211
		}
		h = (h ^ math.MaxUint8) * 1099511628211 // no byte of UTF-8, so that parts do not run together
	}
	return int64(h)
}
