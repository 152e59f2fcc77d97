package validate

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"payrun/ingest/visible"
	"payrun/ledger"
)

// People paste what is suggested. So a header is suggested for a column only if nothing in it says that it is
// something else. A fix that reads lakhs as rupees, gross as net, or a first name as the full name is worse
// than none.

// otherwise are the words that exclude a header from being suggested for a column, and neverOffered those that
// exclude it for every column. A word of four letters or more counts anywhere in the header, a shorter one only
// as a whole word. A missing hint costs the person a look; a misleading one costs a payment.
var (
	neverOffered = []string{"date", "time", "mail", "phone", "mobile", "address", "status", "type", "mode", "method", "gstin", "pan", "uan", "department",
		"designation", "remark", "narration", "currency", "ccy", "utr", "दिनांक", "तिथि", "पता", "मोबाइल", "प्रकार"}
	otherwise = [columnCount][]string{
		colReference: {"bank", "refund", "refer to", "referred", "prefer", "invoice", "bill", "amount", "name", "account"},
		colName: {"first", "last", "middle", "surname", "father", "mother", "husband", "spouse", "bank", "branch", "file", "user", "nick", "short", "company",
			"prepared", "approved", "code", "no", "number", "id", "account", "debit", "ifsc", "पिता", "पति", "माता", "बैंक", "शाखा", "प्रथम", "उपनाम", "कोड"},
		colAccount: {"debit", "dr", "from", "source", "remitter", "payer", "paying", "company", "name", "holder", "manager", "branch", "ledger", "gl", "head",
			"description", "confirm", "ifsc", "नाम", "डेबिट", "नामे", "धारक"},
		colIFSC: {"debit", "dr", "from", "source", "remitter", "payer"},
		colAmount: {"gross", "invoice", "bill", "tds", "gst", "tax", "deduct", "less", "advance", "balance", "basic", "limit", "words", "days", "reference", "ref",
			"name", "number", "no", "id", "code", "terms", "account", "debit", "opening", "closing", "outstanding", "due", "total", "arrear", "loan", "before", "estimat", "annual", "yearly", "per",
			"कुल", "सकल", "शब्दों", "कटौती"},
	}
)

// mayMean reports whether nothing in a header excludes the column.
func mayMean(c column, header string) bool {
	words := visible.Words(header)
	glued := strings.Join(words, "")
	says := func(word string) bool {
		word = norm.NFKC.String(word)
		if utf8.RuneCountInString(word) < 4 {
			return slices.Contains(words, word)
		}
		return strings.Contains(glued, strings.ReplaceAll(word, " ", ""))
	}
	ofAccount := c == colAccount || c == colIFSC || c == colDebitAccount
	if slices.ContainsFunc(neverOffered, says) || slices.ContainsFunc(otherwise[c], says) || ofAccount && hasWord(words, notPayees) {
		return false
	}
	return c != colAmount || visible.OtherUnit(header) == ""
}

// hints are words, or beginnings of words, that suggest a column when no spelling is close.
var hints = [columnCount][]string{
	colReference: {"ref"}, colName: {"name", "payee", "bene", "नाम"}, colAccount: {"acc", "acct", "खाता"}, colIFSC: {"ifsc", "key", "आईएफएससी"},
	colAmount:      {"amount", "amt", "payable", "payout", "disbur", "salary", "wage", "stipend", "राशि", "रकम", "वेतन"},
	colBeneficiary: {"open", "bene"},
}

// nearest returns the unknown header that is most likely a missing column: the closest in spelling, or the only
// one that hints at it; "" if there is none.
func (v *vocabulary) nearest(l *layout, c column) string {
	best, least := "", maxSlips+1
	var hinting []string
	for _, header := range l.unknown() {
		if !mayMean(c, header) {
			continue
		}
		if d := slips(headerKey(header), c); d < least {
			best, least = header, d
		}
		if hintsAt(c, header) {
			hinting = append(hinting, header)
		}
	}
	if best == "" && len(hinting) == 1 {
		return hinting[0]
	}
	return best
}

// hintsAt reports whether a header has a word that hints at the column.
func hintsAt(c column, header string) bool {
	return slices.ContainsFunc(visible.Words(header), func(word string) bool {
		return slices.ContainsFunc(hints[c], func(hint string) bool { return strings.HasPrefix(word, hint) })
	})
}

// missingProblem says what to do about a missing column, never with the example of another column.
func (v *vocabulary) missingProblem(l *layout, c column) ledger.Finding {
	p := ledger.Finding{Column: c.String(), Code: codeColumnMissing, Message: fmt.Sprintf("there is no column %s", c)}
	near := v.nearest(l, c)
	switch {
	case near != "":
		p.Value = near
		p.Message += fmt.Sprintf("; did you mean %q?", near)
		p.Fix, p.Option = fmt.Sprintf("Name the column %s, or say that it is meant.", c), mapOption(c.String(), near)
	case c == colReference:
		p.Message += ", your own reference, which tells one payout from every other"
		p.Fix, p.Option = addReferences(l)
	case c == colAmount && slices.ContainsFunc(l.unknown(), saysPaise):
		p.Fix = "Amounts are read in rupees. Turn the column into rupees and name it amount."
	default:
		p.Option = mapOption(c.String(), "HEADER")
	}
	return p
}

func saysPaise(header string) bool {
	return slices.ContainsFunc([]string{"pais", "पैस"}, func(s string) bool { return strings.Contains(strings.ToLower(header), s) })
}

// addReferences says how to add references to a sheet without them. Most registers have none, so most people
// see this first.
func addReferences(l *layout) (fix string, o ledger.Option) {
	for _, header := range l.unknown() {
		switch {
		case isPaper(header):
			return fmt.Sprintf("Add a column Ref No whose values never repeat. Or take %q, where no number is there twice.", header),
				mapOption(colReference.String(), header)
		case isCode(header):
			return fmt.Sprintf("Add a column Ref No whose values never repeat. Or take %q, which is unique in the sheet, and put the month before it, "+
				"such as NOV26-, with the option that puts a prefix before every reference.", header), mapOption(colReference.String(), header)
		}
	}
	return `Add a column Ref No whose values never repeat, such as ="NOV26-"&TEXT(ROW(),"0000") filled down and pasted as values.`, noOption
}

var (
	paperWords  = visible.WordSet("invoice", "bill", "voucher", "document", "doc", "claim", "advice")
	paperNumber = visible.WordSet("no", "id", "number")
	noPapers    = visible.WordSet("account", "po", "date")
	peopleWords = visible.WordSet("emp", "employee", "staff", "worker", "member", "student", "vendor", "agent")
	peopleCode  = visible.WordSet("code", "id", "no", "number")
	noCodes     = visible.WordSet("account", "bank", "a", "mobile", "phone")
)

// isPaper reports whether a header names a document that is paid once, such as an invoice.
func isPaper(header string) bool {
	return visible.Says(header, paperWords) && visible.Says(header, paperNumber) && !visible.Says(header, noPapers)
}

// isCode reports whether a header has codes of people who are paid every month.
func isCode(header string) bool {
	return visible.Says(header, peopleWords) && visible.Says(header, peopleCode) && !visible.Says(header, noCodes)
}
