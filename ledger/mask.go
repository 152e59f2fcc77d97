package ledger

import (
	"slices"
	"strings"
)

// longRun is the minimum length of a run of digits that ends in an account number to count as
// that number, with a branch code or zeros before it.
const longRun = 9

// Masker hides account numbers in texts of others: a bank's refusal quotes what it received. The
// zero value hides nothing.
type Masker struct {
	accounts map[string]bool // in lower case
	lengths  []int           // of accounts, longest first
}

// NewMasker returns a Masker of these account numbers, also without their leading zeros.
func NewMasker(accounts ...string) Masker {
	m := Masker{accounts: map[string]bool{}}
	for _, a := range accounts {
		m.Add(a)
	}
	return m
}

// MaskerOf returns a Masker of the account numbers of these attempts.
func MaskerOf(attempts []Attempt) Masker {
	return NewMasker(ListOf(attempts, func(a Attempt) string { return a.BankAccountNumber })...)
}

// Add adds an account number to hide.
func (m *Masker) Add(account string) {
	account = strings.ToLower(account)
	m.insert(account)
	if short := strings.TrimLeft(account, "0"); len(short) >= longRun && onlyDigits(short) {
		m.insert(short)
	}
}

func (m *Masker) insert(account string) {
	if account == "" || m.accounts[account] {
		return
	}
	m.accounts[strings.Clone(account)] = true // a copy, so that it does not keep the payout in memory
	if i, there := slices.BinarySearchFunc(m.lengths, len(account), func(a, b int) int { return b - a }); !there {
		m.lengths = slices.Insert(m.lengths, i, len(account))
	}
}

// Is reports whether s is exactly an account number.
func (m Masker) Is(s string) bool { return m.accounts[strings.ToLower(s)] }

// ID returns an id of the bank. If it is exactly an account number, ID masks it. A part of an id
// is never masked, because it means something else.
func (m Masker) ID(id string) string {
	if bare := strings.TrimLeft(id, "0"); m.Is(id) || len(bare) >= longRun && m.Is(bare) {
		return Mask(id)
	}
	return id
}

func onlyDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isAlnum(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' }
