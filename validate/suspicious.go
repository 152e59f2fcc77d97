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

// What is legal, and looks like a slip of the person or of the spreadsheet
// program: each is a warning.

// suspectAccount looks at an account number that is fine in form.
func (r *rowReader) suspectAccount(number string) {
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
	}
}

// letterDigits are letters that are taken for digits.
var letterDigits = strings.NewReplacer("O", "0", "o", "0", "I", "1", "i", "1", "l", "1")

// cutOff reports an account number of which a spreadsheet program may have kept
// only the first 15 digits, with zeros in the place of the others.
func cutOff(number string) bool {
	return len(number) > ingest.ExactDigits && strings.Trim(number[ingest.ExactDigits:], "0") == "" && plainDigits(number, 0)
}

func zerosWords(number string) string {
	return fmt.Sprintf("the account number has %d digits, and only zeros behind the 15th: a spreadsheet program keeps no more than 15", len(number))
}

// longAccounts remembers account numbers of 16 digits whose last is a zero. One
// in ten ends so by itself; where every long number of the sheet does, it was cut off.
type longAccounts struct {
	doubtful []longAccount
	whole    bool // one has another digit behind the 15th: the column was never a number
}

type longAccount struct {
	row         int
	ref, masked string
	words       string
	entry       refEntry // noEntry without a reference
}

// longAccount takes note of the account number of the row in hand.
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
		c.long.doubtful = append(c.long.doubtful, longAccount{p.Row, strings.Clone(p.Ref), ledger.Mask(number), zerosWords(number), entry})
	}
}

// reportLong warns of the numbers that were kept, once it is known that all end so.
func (c *check) reportLong() {
	for _, a := range c.long.doubtful {
		c.reportLate(a.entry, ledger.Finding{
			Row: a.row, Column: colAccount.String(), Ref: a.ref, Code: codeAccountZeros, Value: a.masked, Message: a.words + ", and every long account number of the sheet ends so",
		})
	}
}

// garbled reports what UTF-8 becomes when it is read as windows-1252: CafÃ©, and
// Devanagari as à¤¨à¤¾à¤®.
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

// noNames are what people write where they have no name, without the signs around it.
var noNames = visible.WordSet("do", "ditto", "na", "n/a", "n.a", "nil", "none", "null", "same", "as above", "same as above", "name", "xxx", "tbd", "unknown")

// suspectName warns of a name that is none: -do-, N/A, or the vendor's code.
func (r *rowReader) suspectName(name string) {
	const longest = 20 // of what is looked at, with the signs around it
	if name == "" || len(name) > longest {
		return
	}
	bare := strings.Trim(name, `-–—."'~*_/()[] `)
	if !strings.ContainsFunc(name, unicode.IsLetter) || len(bare) <= len("same as above") && noNames[strings.ToLower(bare)] {
		r.find(colName, codeNameNone, name, fmt.Sprintf("%q is not a name", name), "")
	}
}
