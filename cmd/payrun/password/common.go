package password

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"errors"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// commonList holds the 10,000 most used passwords, and those of 12 or more characters among
// the next 39,000: npm @zxcvbn-ts/language-common 4.1.3, src/passwords.json, without those of
// fewer than 4 characters, sorted. Its licence (MIT) is common.LICENSE.
//
//go:embed common.txt.gz
var commonList []byte

var common = sync.OnceValue(func() map[string]bool {
	in, err := gzip.NewReader(bytes.NewReader(commonList))
	if err != nil {
		panic(err) // it is embedded
	}
	text, err := io.ReadAll(in)
	if err != nil {
		panic(err)
	}
	all := map[string]bool{}
	for word := range strings.FieldsSeq(string(text)) {
		all[word] = true
	}
	return all
})

// Reasons to refuse a password that is long enough.
var (
	ErrCommon = errors.New("this password is one of the most used, or one of them with digits or signs around it: choose another")
	ErrPlain  = errors.New("this password only repeats or counts: choose another")
	ErrNames  = errors.New("this password is little more than a name of yours or of payrun: choose another")
)

// leastBesides is how many characters a password must have apart from names.
const leastBesides = 8

// Guessable returns why an attacker would guess a password early; nil for any other. Few common
// passwords have 12 characters, so most are part of a longer one: Sunshine2024! is sunshine.
// names are words that identify the person, in addition to payrun's own.
func Guessable(password string, names ...string) error {
	word := strings.ToLower(password)
	core := strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })
	rest := word
	for _, name := range append(names, "payrun", "payout", "password") {
		if name = strings.ToLower(name); len(name) >= 3 {
			rest = strings.ReplaceAll(rest, name, "")
		}
	}
	switch {
	case common()[word] || common()[core]:
		return ErrCommon
	case repeats(word) || counts(word):
		return ErrPlain
	case rest != word && utf8.RuneCountInString(rest) < leastBesides:
		return ErrNames
	}
	return nil
}

// repeats reports whether a word is a shorter word repeated: then it also occurs in its own
// double before the second half.
func repeats(word string) bool {
	return word != "" && strings.Index((word + word)[1:], word) < len(word)-1
}

// counts reports whether each character equals the one before it or is next to it:
// 123456789012, abcdefghijkl, 998877665544.
func counts(word string) bool {
	last := rune(-1)
	for _, r := range word {
		step := r - last
		if last >= 0 && (step < -1 || step > 1) && !(last == '9' && r == '0') && !(last == '0' && r == '9') {
			return false
		}
		last = r
	}
	return true
}
