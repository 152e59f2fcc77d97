package ledger

import (
	"cmp"
	"context"
	"math"
	"strings"
	"time"
	"unicode"
)

// Account is the destination of a payout: an account number at a branch, or a beneficiary known
// to the service. Account numbers that differ only in leading zeros or case are one account.
type Account struct {
	BankAccountNumber string
	IFSC              string
	OpenBeneficiaryID string
}

// Same reports whether two accounts are one: the same number, branch and beneficiary id,
// ignoring leading zeros of the number and case.
func (a Account) Same(b Account) bool { return a.Folded() == b.Folded() }

// Folded returns the form in which accounts are compared: two accounts are one if their folded
// forms are equal. It is for comparing and never sent anywhere. Banks write the same number with and without
// leading zeros, and with letters in either case.
func (a Account) Folded() Account {
	return Account{
		BankAccountNumber: strings.ToUpper(strings.TrimLeft(a.BankAccountNumber, "0")),
		IFSC:              strings.ToUpper(a.IFSC),
		OpenBeneficiaryID: strings.ToLower(a.OpenBeneficiaryID),
	}
}

// ByNumber returns the account without its beneficiary id if it has a number. A RIB account pays it by the id, and
// another debit account by the number: a payout by one may be the accidental double of a payout by the other.
func (a Account) ByNumber() Account {
	if a.BankAccountNumber != "" {
		a.OpenBeneficiaryID = ""
	}
	return a
}

// Masked names the account by the last digits of its number, or by its id.
func (a Account) Masked() string { return cmp.Or(Mask(a.BankAccountNumber), a.OpenBeneficiaryID) }

// SameAccountNumber reports whether two account numbers are equal, ignoring leading zeros and case, without
// allocating.
func SameAccountNumber(a, b string) bool {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return len(a) == len(b) && strings.EqualFold(a, b)
}

// leastSeen is how many digits of a masked account number must be visible for a comparison.
const leastSeen = 4

// Masks reports whether a character may mask a digit: X, or any character that no account
// number has.
func Masks(r rune) bool {
	return r == 'X' || r == 'x' || !('0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z')
}

// MayBeAccount reports whether shown may be this account number. shown is what a bank shows,
// whole or masked with X, * or similar. If it is masked, at least four characters at its end
// must be visible and equal the end of the number, in either case.
func MayBeAccount(number, shown string) bool {
	seen, masked := seenOf(shown)
	if !masked {
		return number != "" && SameAccountNumber(number, seen)
	}
	end := number[max(0, len(number)-len(seen)):]
	return len(seen) >= leastSeen && strings.EqualFold(end, seen)
}

// OtherAccount reports whether shown, as a bank shows it, is certainly another account number
// than number. Both may be masked. The interface does not say which character masks, only that
// the trailing digits are visible (interface.md, "Bank account"). So only they are compared; the
// text before them may be a mask, a currency or a word. With fewer than four digits at the end
// of either, nothing is certain.
func OtherAccount(number, shown string) bool {
	ours, part := endingDigits(number)
	theirs, _ := endingDigits(shown)
	if len(ours) < leastSeen || len(theirs) < leastSeen || SameAccountNumber(ours, theirs) {
		return false
	}
	return !strings.HasSuffix(ours, theirs) && !(part && strings.HasSuffix(theirs, ours))
}

// endingDigits returns the digits at the end of an account number as it is shown, without
// separators, and whether anything else precedes them.
func endingDigits(shown string) (digits string, part bool) {
	shown = joined(shown)
	head := strings.TrimRight(shown, "0123456789")
	return shown[len(head):], head != ""
}

// seenOf returns the visible end of an account number, without separators, and whether the rest is masked.
func seenOf(shown string) (end string, masked bool) {
	shown = joined(shown)
	last := strings.LastIndexFunc(shown, Masks)
	if last < 0 {
		return shown, false
	}
	return strings.TrimLeftFunc(shown[last:], Masks), true
}

// MaskShown masks an account number as a bank shows it, without separators.
func MaskShown(shown string) string { return Mask(joined(shown)) }

// joined returns an account number without its separators.
func joined(shown string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, shown)
}

// Payee is an account and an amount paid to it. A payout and its accidental double under
// another reference have the same Payee.
type Payee struct {
	Account
	Amount Paise
}

// NamedAccount is an account and the name of its holder in a sheet.
type NamedAccount struct {
	VendorName string
	Account
}

// Payment is an earlier payout in an index of payees.
type Payment struct {
	PayoutID int64 // in the order of loading
	Amount   Paise
}

// PastPayout is an earlier payout: its payee, and its present state.
type PastPayout struct {
	NamedAccount
	Amount Paise
	Use    ReferenceUse
}

// Payees is what a ledger knows about earlier payees. It returns facts; its callers decide what
// is unusual. Accounts are compared by Same, names by the ledger's name fold. A Payees is for
// one check: it sees no payout that is loaded after its first answer. PaidElsewhere and
// LatestPayments may identify names and accounts by a hash, so read PastPayouts before you say
// anything about a payout.
type Payees interface {
	// Some reports whether there is any earlier payout.
	Some(ctx context.Context) (bool, error)
	// PaidSince returns which of these payees got the same amount in a payout of a sheet loaded
	// at or after since, whatever its result, or in an older one that the bank has not finished,
	// and such a payout: one that was paid, else one that may still be paid, else the latest. A
	// payee without such a payout is not in the map. If withUse is false, the map has only the
	// payees, without the payouts, and an account may be identified by a hash.
	PaidSince(ctx context.Context, payees []Payee, since time.Time, withUse bool) (map[Payee]ReferenceUse, error)
	// PaidElsewhere is about names that were paid before, but never at the given account, and at
	// no more than `most` accounts. For each of them it returns the first payout to each account,
	// in any order. An account was never paid if every payout to it failed, came back or was cancelled.
	PaidElsewhere(ctx context.Context, named []NamedAccount, most int) (map[NamedAccount][]Payment, error)
	// LatestPayments returns the latest payouts to each account, at most `most` and at most 100,
	// in the order of loading.
	LatestPayments(ctx context.Context, accounts []Account, most int) (map[Account][]Payment, error)
	// LockedLike returns the locks of the newest payout to each of these payees that has the
	// same amount and a lock other than in_flight.
	LockedLike(ctx context.Context, payees []Payee) (map[Payee][]Lock, error)
	// PastPayouts returns the payouts with these numbers, with their state.
	PastPayouts(ctx context.Context, ids []int64) (map[int64]PastPayout, error)
}

// AccountOf returns the account that the payout pays.
func (p *Payout) AccountOf() Account {
	return Account{BankAccountNumber: p.BankAccountNumber, IFSC: p.IFSC, OpenBeneficiaryID: p.OpenBeneficiaryID}
}

// Payee returns the account that a payout goes to, and its amount.
func (p *Payout) Payee() Payee { return Payee{Account: p.AccountOf(), Amount: p.Amount} }

// NoName is the mark of an empty name.
const NoName = 0

// NameMark returns the mark (a hash) of a folded name in an index of payees, and in an address.
func NameMark(folded string) int64 {
	if folded == "" {
		return NoName
	}
	return mark(folded)
}

// AccountMark returns the mark of an account.
func AccountMark(a Account) int64 {
	a = a.Folded()
	return mark(a.BankAccountNumber, a.IFSC, a.OpenBeneficiaryID)
}

// mark is FNV-1a. It need not be strong: it only finds payouts, and these are
// then compared themselves.
func mark(parts ...string) int64 {
	h := uint64(14695981039346656037)
	for _, part := range parts {
		for i := range len(part) {
			h = (h ^ uint64(part[i])) * 1099511628211
		}
		h = (h ^ math.MaxUint8) * 1099511628211 // no byte of UTF-8, so that parts stay separate
	}
	return int64(h)
}
