package ledger

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
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

// mostBetween is the maximum number of characters between two digits of one number: "1234 5678",
// "1234 - 5678".
const mostBetween = 3

// lowerCase is the bit of a letter in lower case. ASCII digits have it too.
const lowerCase = 0x20

// glyph is a letter or digit of a text as a person reads it, and its place.
type glyph struct {
	char       byte // in lower case; 0 for a gap too wide to read across
	start, end int
}

// Words returns the text with each account number masked like Mask, and each run of digits that ends in
// one. It finds numbers in pieces, "1234 5678 9019" or "1234-5678-9019", and in JSON's escapes,
// "\u0031\u0032…". In pieces, or within a longer number, it finds only long ones: a short one would be
// found in any date. A short one with letters is hidden if it is in one piece.
func (m Masker) Words(text string) string {
	glyphs := glyphsOf(text)
	line := string(ListOf(glyphs, func(g glyph) byte { return g.char }))
	var b strings.Builder
	done, hidden := 0, 0 // how far the text is written, and how far the glyphs are hidden
	for i := range glyphs {
		for _, n := range m.lengths {
			if n <= len(line)-i && m.accounts[line[i:i+n]] && (n >= longRun || !onlyDigits(line[i:i+n]) && glyphs[i+n-1].end-glyphs[i].start == n) {
				hidden = max(hidden, i+n-shownOfMask)
			}
		}
		if run := digitsAt(glyphs, i); slices.ContainsFunc(m.lengths, func(end int) bool {
			return (end == run || end < run && run >= longRun) && m.accounts[line[i+run-end:i+run]]
		}) {
			hidden = max(hidden, i+run-shownOfMask)
		}
		if i < hidden {
			b.WriteString(text[done:glyphs[i].start])
			b.WriteByte('X')
			done = glyphs[i].end
		}
	}
	return b.String() + text[done:]
}

// digitsAt returns the length of the run of adjacent digits that begins at a glyph; 0 within such a run,
// or if the glyph is no digit.
func digitsAt(glyphs []glyph, i int) (n int) {
	goesOn := func(i int) bool {
		return i < len(glyphs) && isDigit(glyphs[i-1].char) && isDigit(glyphs[i].char) && glyphs[i-1].end == glyphs[i].start
	}
	if !isDigit(glyphs[i].char) || i > 0 && goesOn(i) {
		return 0
	}
	for n = 1; goesOn(i + n); n++ {
	}
	return n
}

// glyphsOf returns the letters and digits of a text, without the separators within a number.
func glyphsOf(text string) []glyph {
	var list []glyph
	between := 0
	for i := 0; i < len(text); {
		char, size, is := glyphAt(text[i:])
		switch {
		case is:
			if between > mostBetween && len(list) > 0 {
				list = append(list, glyph{start: i, end: i})
			}
			list = append(list, glyph{char, i, i + size})
			between = 0
		case mayStandBetween(text[i:]):
			between++
		default:
			between = mostBetween + 1
		}
		i += size
	}
	return list
}

// glyphAt returns the letter or digit with which text begins, plain or as an escape of JSON, and
// its length in text. is is false for anything else.
func glyphAt(text string) (char byte, size int, is bool) {
	if isAlnum(text[0]) {
		return text[0] | lowerCase, 1, true
	}
	slashes := len(text) - len(strings.TrimLeft(text, `\`)) // several if JSON is nested in a JSON string
	if rest := text[slashes:]; slashes > 0 && len(rest) > 4 && rest[0] == 'u' {
		if code, err := strconv.ParseUint(rest[1:5], 16, 16); err == nil && code < utf8.RuneSelf && isAlnum(byte(code)) {
			return byte(code) | lowerCase, slashes + 5, true
		}
	}
	_, size = utf8.DecodeRuneInString(text)
	return 0, size, false
}

func mayStandBetween(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return strings.ContainsRune(`.,_/'\`, r) || unicode.IsSpace(r) || unicode.In(r, unicode.Pd, unicode.Cf)
}
