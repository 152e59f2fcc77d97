package validate

import (
	"fmt"
	"strings"
	"unicode"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
	"payrun/validate/ifsc"
)

// Values that are valid but look like a slip of the person or of the spreadsheet program. Each gives a warning.

// suspectAccount checks an account number that is valid in form.
func (r *rowReader) suspectAccount(number string) {
	if strings.Trim(number, number[:1]) == "" {
		r.find(colAccount, codeAccountPlaceholder, ledger.Mask(number), "the account number is one digit again and again", "")
		return
	}
	if plainDigits(number, 0) {
		if len(number) > ingest.ExactDigits+1 && cutOff(number) {
			r.find(colAccount, codeAccountZeros, ledger.Mask(number), zerosWords(number), "")
		}
		return
	}
	switch {
	case ifsc.Valid(number):
		r.find(colAccount, codeAccountIsIFSC, ledger.Mask(number), "the account number has the form of an IFSC", "")
	case plainDigits(letterDigits.Replace(number), 0) && hasDigit(number):
		r.find(colAccount, codeAccountLetters, ledger.Mask(number), "the account number has the letter O or I among its digits", "")
	case noNames[strings.ToLower(strings.Trim(number, "0123456789"))]:
		r.find(colAccount, codeAccountPlaceholder, ledger.Mask(number), "the account number is a word such as NA, with digits", "")
	case hiddenNumber(number):
		r.find(colAccount, codeAccountLetters, ledger.Mask(number), "the account number is masked: it has X in the place of digits", "")
	}
}

// letterDigits are letters that are mistaken for digits.
var letterDigits = strings.NewReplacer("O", "0", "o", "0", "I", "1", "i", "1", "l", "1")

// cutOff reports whether a spreadsheet program may have kept only the first 15 digits of an account number and
// replaced the others by zeros.
func cutOff(number string) bool {
	return len(number) > ingest.ExactDigits && strings.Trim(number[ingest.ExactDigits:], "0") == "" && plainDigits(number, 0)
}

func zerosWords(number string) string {
	return fmt.Sprintf("the account number has %d digits, and only zeros behind the 15th: a spreadsheet program keeps no more than 15", len(number))
}

// longAccounts collects account numbers of 16 digits that end in a zero. One in ten does so by chance; if every
// long number of the sheet does, they were cut off.
type longAccounts struct {
	doubtful []late
	whole    bool // a long number has another digit after the 15th: the column was never numeric
}

// longAccount records the account number of the current row.
func (c *check) longAccount(entry refEntry) {
	p := &c.reader.payout
	number := p.BankAccountNumber
	if len(number) <= ingest.ExactDigits || c.long.whole || !plainDigits(number, 0) {
		return
	}
	switch {
	case !cutOff(number):
		c.long = longAccounts{whole: true}
	case len(number) == ingest.ExactDigits+1 && len(c.long.doubtful) < maxFindings:
		c.long.doubtful = append(c.long.doubtful, late{ledger.Finding{Row: p.Row, Column: colAccount.String(), Ref: strings.Clone(p.Ref), Code: codeAccountZeros, Value: ledger.Mask(number),
			Message: zerosWords(number) + ", and every long account number of the sheet ends so"}, entry})
	}
}

// garbled reports whether UTF-8 was read as windows-1252: CafÃ©, and Devanagari as à¤¨à¤¾à¤®.
func garbled(text string) bool {
	before := ' '
	for _, r := range text {
		if (before == 'Ã' || before == 'Â') && (r >= 0x80 && r <= 0xBF || r == '€' || r == '™' || r == 'š') || before == 'à' && (r == '¤' || r == '¥') {
			return true
		}
		before = r
	}
	return false
}

// noNames are what people write instead of a name, without the signs around it.
var noNames = visible.WordSet("do", "ditto", "na", "n/a", "n.a", "nil", "none", "null", "same", "as above", "same as above", "name", "xxx", "tbd", "unknown")

// suspectName warns of a name that is not a name: -do-, N/A, or the vendor's code.
func (r *rowReader) suspectName(name string) {
	const longest = 20 // of a name that is checked, with the signs around it
	if name == "" || len(name) > longest {
		return
	}
	bare := strings.Trim(name, `-–—."'~*_/()[] `)
	if !strings.ContainsFunc(name, unicode.IsLetter) || len(bare) <= len("same as above") && noNames[strings.ToLower(bare)] {
		r.find(colName, codeNameNone, name, fmt.Sprintf("%q is not a name", name), "")
	}
}
