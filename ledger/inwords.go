package ledger

import "strings"

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
