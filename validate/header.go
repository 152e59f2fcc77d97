package validate

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"payrun/ledger"
	"payrun/validate/visible"
)

// minKnownColumns is how many column names make a row a header, even one that
// lacks others. A title such as "Amount in INR" has fewer.
const minKnownColumns = 3

const (
	// maxHeaderBytes is the longest text that is looked at as a column's name.
	// Longer ones are kept like any unknown column, and cost nothing.
	maxHeaderBytes = 300

	// maxSlips is how many slips of the keyboard still tell what was meant.
	maxSlips = 2
)

// vocabulary knows which folded header means which column.
type vocabulary struct {
	words  map[string]column
	mapped map[string]column // folded header of Options.Map
	forced [columnCount]string
	kinds  payeeKinds
}

// payeeKinds tells which columns the configured debit accounts can ask for.
type payeeKinds struct{ anyRIB, anyOther bool }

// newVocabulary takes the table of words and the map of the run. A map that names
// a column the contract does not know, or one header twice, is a UsageError.
func newVocabulary(mapping map[string]string, accounts []ledger.DebitAccount) (*vocabulary, error) {
	v := &vocabulary{words: make(map[string]column, 600), mapped: map[string]column{}}
	for c, words := range columnWords {
		v.words[visible.FoldHeader(columnNames[c])] = column(c)
		for _, w := range words {
			v.words[visible.FoldHeader(w)] = column(c)
		}
	}
	for name, header := range mapping {
		c, ok := columnNamed(name)
		if !ok {
			return nil, mapError(name, header, fmt.Sprintf("there is no column %q; known are %s", name, strings.Join(columnNames[:], ", ")))
		}
		key := headerKey(header)
		if key == "" {
			return nil, mapError(name, header, "it names no column of the sheet")
		}
		if other, taken := v.mapped[key]; taken {
			return nil, mapError(name, header, fmt.Sprintf("the column %q is given to %s too", header, other))
		}
		v.mapped[key], v.forced[c] = c, header
	}
	v.kinds = kindsOf(accounts)
	return v, nil
}

func kindsOf(accounts []ledger.DebitAccount) (k payeeKinds) {
	for _, a := range accounts {
		rib := a.Rules().NeedsBeneficiaryID
		k.anyRIB = k.anyRIB || rib
		k.anyOther = k.anyOther || !rib
	}
	return k
}

// layout is where a header row puts the columns.
type layout struct {
	row      int              // its number in the spreadsheet program
	at       [columnCount]int // index of the cell, -1 when the column is not there
	width    int              // cells up to the last one with a name
	headers  []string         // as written, trimmed
	known    int              // names understood, look-alikes included
	problems []problem
}

// problem is something wrong with a header, before it becomes a finding.
type problem struct {
	column, code, value, message, fix string
	option                            ledger.Option
}

// mapOption says that a header means a column.
func mapOption(name, header string) ledger.Option {
	return ledger.Option{Name: ledger.OptionMap, Value: name + "=" + header}
}

func mapError(name, header, why string) *UsageError { return &UsageError{mapOption(name, header), why} }

func (l *layout) has(c column) bool { return l.at[c] >= 0 }

// hasPayee reports whether name, account and IFSC are all there.
func (l *layout) hasPayee() bool { return l.has(colName) && l.has(colAccount) && l.has(colIFSC) }

// complete reports whether payouts can be read by this header.
func (l *layout) complete() bool {
	return l.has(colReference) && l.has(colAmount) && (l.hasPayee() || l.has(colBeneficiary))
}

// read lays a row out as if it were the header.
func (v *vocabulary) read(number int, cells []string) layout {
	l := layout{row: number, headers: make([]string, len(cells))}
	for c := range l.at {
		l.at[c] = -1
	}
	seen := make(map[string]int, len(cells))
	for i, cell := range cells {
		text := visible.Trim(cell)
		if text == "" {
			continue
		}
		l.headers[i], l.width = text, i+1
		key := headerKey(text)
		if key == "" {
			continue
		}
		first, repeated := seen[key]
		if !repeated {
			seen[key] = i
		}
		c, ok := v.meaning(key)
		switch {
		case ok && l.has(c):
			l.known++
			l.repeats(c.String(), l.headers[l.at[c]], text)
		case ok:
			l.known++
			l.at[c] = i
		case repeated:
			l.repeats(text, l.headers[first], text)
		default:
			v.lookAlike(&l, text)
		}
	}
	return l
}

// headerKey folds a header, but not one that is too long to be a name.
func headerKey(text string) string {
	if len(text) > maxHeaderBytes {
		return ""
	}
	return visible.FoldHeader(text)
}

// meaning gives the column of a folded header: what the map says first, then the
// words, but not for a column that the map has found elsewhere.
func (v *vocabulary) meaning(key string) (column, bool) {
	if c, ok := v.mapped[key]; ok {
		return c, true
	}
	c, ok := v.words[key]
	return c, ok && v.forced[c] == ""
}

func (l *layout) repeats(name, first, second string) {
	p := problem{column: name, code: codeColumnRepeated, value: second}
	p.message = fmt.Sprintf("two columns are both read as %s: %q and %q", name, first, second)
	if _, known := columnNamed(name); known {
		p.option = mapOption(name, second)
	} else {
		p.fix = "Rename or delete one of them."
	}
	l.problems = append(l.problems, p)
}

// lookAlike refuses a header that only shows like a known one.
func (v *vocabulary) lookAlike(l *layout, text string) {
	c, ok := v.meaning(skeleton(text))
	if !ok {
		return
	}
	l.known++
	l.problems = append(l.problems, problem{
		column: c.String(), code: codeHeaderLookAlike, value: text,
		message: fmt.Sprintf("the header %+q looks like a known one but is spelt with different characters; did you mean %s?", text, c),
		fix:     fmt.Sprintf("Type the header again on the keyboard: %s.", c),
	})
}

// findFaults adds what is wrong with a layout that was chosen as the header.
func (v *vocabulary) findFaults(l *layout) {
	if v.unclearUnit(l) {
		l.problems = append(l.problems, problem{
			column: colAmount.String(), code: codeAmountUnitUnclear, value: l.headers[l.at[colAmount]],
			option:  mapOption(colAmount.String(), l.headers[l.at[colAmount]]),
			message: "templates with these columns exist with amounts in rupees and with amounts in paise, and nothing here tells which",
		})
	}
	for _, c := range v.missing(l) {
		if l.refuses(c) {
			continue // a look-alike was named already
		}
		l.problems = append(l.problems, v.missingProblem(l, c))
	}
	v.similar(l)
}

func (l *layout) refuses(c column) bool {
	for _, p := range l.problems {
		if p.column == c.String() {
			return true
		}
	}
	return false
}

// missing lists the required columns that are not there: all of name, account
// and IFSC, or open_beneficiary_id where a RIB account can be the debit
// account (interface.md, "Initiate transfer").
func (v *vocabulary) missing(l *layout) []column {
	required := []column{colReference, colAmount}
	switch {
	case v.kinds.anyRIB && (l.has(colBeneficiary) || !v.kinds.anyOther):
		required = append(required, colBeneficiary)
	default:
		required = append(required, colName, colAccount, colIFSC)
	}
	var missing []column
	for _, c := range required {
		if !l.has(c) {
			missing = append(missing, c)
		}
	}
	return missing
}

func (v *vocabulary) missingProblem(l *layout, c column) problem {
	p := problem{
		column: c.String(), code: codeColumnMissing, message: fmt.Sprintf("there is no column %s", c),
		option: ledger.Option{Name: ledger.OptionMap},
	}
	if near := v.nearest(l, c); near != "" {
		p.value = near
		p.message += fmt.Sprintf("; did you mean %q?", near)
		p.fix, p.option = fmt.Sprintf("Name the column %s, or say that it is meant.", c), mapOption(c.String(), near)
	}
	if c == colAmount && strings.Contains(strings.ToLower(p.value), "pais") {
		p.fix, p.option = "Amounts are read in rupees. Turn the column into rupees and name it amount.", noOption
	}
	return p
}

// columnStems are word parts that hint at a column when nothing is close in spelling.
var columnStems = [columnCount][]string{
	colReference: {"ref"}, colName: {"name", "payee", "bene"}, colAccount: {"acc", "a/c"}, colIFSC: {"ifsc"},
	colAmount: {"amount", "amt", "pay", "salary"}, colBeneficiary: {"beneficiaryid", "beneid"},
}

// nearest gives the unknown header that is closest to a missing column, or "".
func (v *vocabulary) nearest(l *layout, c column) string {
	best, least := "", maxSlips+1
	for _, header := range v.unknown(l) {
		if d := v.slips(headerKey(header), c); d < least {
			best, least = header, d
		}
	}
	if best != "" {
		return best
	}
	for _, header := range v.unknown(l) {
		for _, stem := range columnStems[c] {
			if strings.Contains(strings.ToLower(header), stem) {
				return header
			}
		}
	}
	return ""
}

// slips is the smallest number of slips that make a word of the column of key,
// or more than maxSlips. A word too short for slips to mean anything has none.
func (v *vocabulary) slips(key string, c column) int {
	least := maxSlips + 1
	if _, numbered := v.words[strings.Trim(key, "0123456789")]; numbered {
		return least // Remarks 2 is not a misspelt Remarks
	}
	chars := utf8.RuneCountInString(key)
	for word, of := range v.words {
		if of != c {
			continue
		}
		n := utf8.RuneCountInString(word)
		shorter, longer := min(n, chars), max(n, chars)
		if shorter < 4 || longer-shorter > maxSlips {
			continue
		}
		if d := distance(word, key); d < least && d*3 <= shorter {
			least = d
		}
	}
	return least
}

func (v *vocabulary) unknown(l *layout) []string {
	var unknown []string
	for i, header := range l.headers {
		if header == "" || len(header) > maxHeaderBytes {
			continue
		}
		if _, ok := v.meaning(headerKey(header)); !ok {
			unknown = append(unknown, l.headers[i])
		}
	}
	return unknown
}

// similar warns of a header that is a slip away from an optional column that
// is not there: a misspelt bank_account_id would pay from the default account.
func (v *vocabulary) similar(l *layout) {
	for _, c := range []column{colDebitAccount, colLEI, colTransactionType, colSubMerchant, colBeneficiary, colRemarks} {
		if l.has(c) || l.refuses(c) {
			continue
		}
		for _, header := range v.unknown(l) {
			if v.slips(headerKey(header), c) <= maxSlips {
				l.problems = append(l.problems, problem{
					column: c.String(), code: codeColumnSimilar, value: header,
					message: fmt.Sprintf("the column %q is not read; did you mean %s?", header, c),
					fix:     fmt.Sprintf("Name the column %s if it is meant, or leave it as it is.", c),
				})
			}
		}
	}
}

// unclearUnit knows templates whose amount may be in paise. The map decides.
func (v *vocabulary) unclearUnit(l *layout) bool {
	if !l.has(colAmount) || v.forced[colAmount] != "" ||
		visible.FoldHeader(l.headers[l.at[colAmount]]) != visible.FoldHeader(ambiguousAmountWord) || saysRupees(l.headers[l.at[colAmount]]) {
		return false
	}
	for _, header := range l.headers {
		for _, word := range paiseTemplateWords {
			if headerKey(header) == visible.FoldHeader(word) {
				return true
			}
		}
	}
	return false
}

// saysRupees reports a header that names its unit, which folding drops.
func saysRupees(header string) bool {
	header = strings.ToLower(header)
	for _, unit := range [...]string{"inr", "rs", "₹", "rupee"} {
		if strings.Contains(header, unit) {
			return true
		}
	}
	return false
}
