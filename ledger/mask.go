package ledger

import (
	"slices"
	"strings"
)

// longRun is the length from which a run of digits that ends in an account number counts as
// that number, with a branch code or zeros before it.
const longRun = 9

// Masker hides account numbers in text from elsewhere: a bank quotes in its refusal what it
// received. The zero value hides nothing.
type Masker struct {
	numbers map[string]bool // digits only
	others  map[string]bool // with letters, in lower case
	digits  []int           // lengths of numbers, longest first
	lengths []int           // of others
}

// NewMasker hides these account numbers, also without their leading zeros.
func NewMasker(accounts ...string) Masker {
	m := Masker{numbers: map[string]bool{}, others: map[string]bool{}}
	for _, a := range accounts {
		m.Add(a)
	}
	return m
}

// MaskerOf hides the account numbers of these attempts.
func MaskerOf(attempts []Attempt) Masker {
	m := NewMasker()
	for i := range attempts {
		m.Add(attempts[i].BankAccountNumber)
	}
	return m
}

// Add hides one more.
func (m *Masker) Add(account string) {
	switch {
	case account == "":
	case strings.Trim(account, "0123456789") != "":
		m.lengths = m.insert(m.others, m.lengths, strings.ToLower(account))
	default:
		m.digits = m.insert(m.numbers, m.digits, account)
		if short := strings.TrimLeft(account, "0"); len(short) >= longRun {
			m.digits = m.insert(m.numbers, m.digits, short)
		}
	}
}

func (m *Masker) insert(set map[string]bool, lengths []int, account string) []int {
	if !set[account] {
		set[strings.Clone(account)] = true // without keeping the payout that it was read with
	}
	if i, there := slices.BinarySearchFunc(lengths, len(account), func(a, b int) int { return b - a }); !there {
		return slices.Insert(lengths, i, len(account))
	}
	return lengths
}

// Is reports whether this is an account number, and nothing else.
func (m Masker) Is(s string) bool { return m.numbers[s] || m.others[strings.ToLower(s)] }

// Words returns the text with each account number masked as Mask shows it, and each run of 9 or
// more digits that ends in one, also if it is written in pieces. A shorter number is hidden
// only as a word of its own: as a part of a longer one it means something else.
func (m Masker) Words(text string) string {
	text = m.inNumbers(text)
	if len(m.others) > 0 {
		text = m.inWords(text)
	}
	return m.inPieces(text)
}

// ID returns an id of the bank unchanged, or as Mask shows it if it is exactly an account
// number: a part of an id means something else.
func (m Masker) ID(id string) string {
	if bare := strings.TrimLeft(id, "0"); m.Is(id) || len(bare) >= longRun && m.Is(bare) {
		return Mask(id)
	}
	return id
}

func (m Masker) inNumbers(text string) string {
	return eachRun(text, isDigit, func(run string) string {
		for _, n := range m.digits {
			if n <= len(run) && (n == len(run) || len(run) >= longRun) && m.numbers[run[len(run)-n:]] {
				return Mask(run)
			}
		}
		return inside(run, m.digits, longRun, func(s string) bool { return m.numbers[s] })
	})
}

func (m Masker) inWords(text string) string {
	return eachRun(text, isAlnum, func(run string) string {
		return inside(run, m.lengths, 0, func(s string) bool { return m.others[strings.ToLower(s)] })
	})
}

// eachRun returns text with each longest run of such bytes changed.
func eachRun(text string, is func(byte) bool, change func(string) string) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); {
		if !is(text[i]) {
			i++
			continue
		}
		end := i
		for end < len(text) && is(text[end]) {
			end++
		}
		if changed := change(text[i:end]); changed != text[i:end] {
			b.WriteString(text[done:i])
			b.WriteString(changed)
			done = end
		}
		i = end
	}
	if done == 0 {
		return text
	}
	return b.String() + text[done:]
}

// inside masks the accounts within run that have at least so many characters.
func inside(run string, lengths []int, least int, account func(string) bool) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(run); {
		n := lengthAt(run[i:], lengths, least, account)
		if n == 0 {
			i++
			continue
		}
		b.WriteString(run[done:i])
		b.WriteString(Mask(run[i : i+n]))
		i += n
		done = i
	}
	if done == 0 {
		return run
	}
	return b.String() + run[done:]
}

// lengthAt is the length of the longest account that text begins with, or 0.
func lengthAt(text string, lengths []int, least int, account func(string) bool) int {
	for _, n := range lengths {
		if n >= least && n <= len(text) && account(text[:n]) {
			return n
		}
	}
	return 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isAlnum(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' }
