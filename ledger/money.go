package ledger

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Paise is an exact amount of Indian money: 100 paise are one rupee. There is
// no floating point between a sheet, the ledger and the wire.
type Paise int64

// LEILine is the batch total from which partner bank 1 requires bene_lei:
// 500,000,000 INR, 50 crore (interface.md, "Limits").
const LEILine Paise = 500_000_000_00

// MostInAll bounds the sum of all the sheets of a ledger: half of the range of Paise, so that
// no sum of its payouts is ever out of range.
const MostInAll Paise = math.MaxInt64 / 2

// ParsePaise reads an amount in the interface's form: digits, a point and two digits
// (interface.md, "Payout"). It accepts nothing else, so a misread answer never passes for
// money. Package validate reads amounts as people write them.
func ParsePaise(s string) (Paise, error) {
	rupees, paise, _ := strings.Cut(s, ".")
	n, err := strconv.ParseUint(rupees+paise, 10, 63)
	switch {
	case rupees == "" || len(paise) != 2 || errors.Is(err, strconv.ErrSyntax):
		return 0, fmt.Errorf("amount %q: want digits, a point and two digits", s)
	case err != nil:
		return 0, fmt.Errorf("amount %q: out of range", s)
	}
	return Paise(n), nil
}

// String returns the interface's form: rupees with two fraction digits.
func (p Paise) String() string { return string(p.append(nil, false)) }

// Indian returns the amount for people, with lakh and crore groups: 1,23,45,678.90.
func (p Paise) Indian() string { return string(p.append(nil, true)) }

// MarshalText returns the interface's form, so in JSON an amount is a string, never a number.
func (p Paise) MarshalText() ([]byte, error) { return p.append(nil, false), nil }

// UnmarshalText reads what MarshalText wrote, negative amounts included.
func (p *Paise) UnmarshalText(b []byte) error {
	s, sign := string(b), Paise(1)
	if len(s) > 0 && s[0] == '-' {
		s, sign = s[1:], -1
	}
	v, err := ParsePaise(s)
	*p = sign * v
	return err
}

// Plus adds q, or reports false if the sum does not fit.
func (p Paise) Plus(q Paise) (Paise, bool) {
	if (q > 0 && p > math.MaxInt64-q) || (q < 0 && p < math.MinInt64-q) {
		return 0, false
	}
	return p + q, true
}

// PlusCapped adds q. A sum that does not fit becomes the largest amount, never a small one.
func (p Paise) PlusCapped(q Paise) Paise {
	if sum, ok := p.Plus(q); ok {
		return sum
	}
	return math.MaxInt64
}

func (p Paise) append(b []byte, grouped bool) []byte {
	u := uint64(p)
	if p < 0 {
		b, u = append(b, '-'), -u
	}
	var digits [20]byte
	rupees := strconv.AppendUint(digits[:0], u/100, 10)
	for i := range len(rupees) {
		b = append(b, rupees[i])
		if left := len(rupees) - 1 - i; grouped && left >= 3 && left%2 == 1 {
			b = append(b, ',')
		}
	}
	return append(b, '.', byte('0'+u/10%10), byte('0'+u%10))
}

// InWords spells an amount as Indian cheques do: "Rupees one lakh two thousand and paise fifty
// only". A person who reads it notices an extra digit.
func (p Paise) InWords() string {
	if p < 0 {
		return "minus " + (-p).InWords()
	}
	words := "Rupees " + spelled(int64(p/100))
	if paise := int64(p % 100); paise > 0 {
		words += " and paise " + spelled(paise)
	}
	return words + " only"
}

// spelled returns a number in words. It must not be negative.
func spelled(n int64) string {
	if n == 0 {
		return "zero"
	}
	var parts []string
	const crore = 1_00_00_000
	if n >= crore { // there may be lakhs of crores
		parts, n = append(parts, spelled(n/crore), "crore"), n%crore
	}
	for _, unit := range []struct {
		of   int64
		word string
	}{{1_00_000, "lakh"}, {1000, "thousand"}, {100, "hundred"}} {
		if n >= unit.of {
			parts, n = append(parts, belowHundred(n/unit.of), unit.word), n%unit.of
		}
	}
	if n > 0 {
		parts = append(parts, belowHundred(n))
	}
	return strings.Join(parts, " ")
}

func belowHundred(n int64) string {
	ones := strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	tens := strings.Fields("twenty thirty forty fifty sixty seventy eighty ninety")
	switch {
	case n < 20:
		return ones[n]
	case n%10 == 0:
		return tens[n/10-2]
	}
	return tens[n/10-2] + "-" + ones[n%10]
}
