package validate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
)

// minKnownColumns is how many known column names make a row a header, even if it lacks others. A complete header has
// at least as many; a title such as "Amount in INR" has fewer.
const minKnownColumns = 3

const (
	// maxHeaderBytes is the longest text that is examined as a column's name. Longer ones are kept like any
	// unknown column, and cost nothing.
	maxHeaderBytes = visible.MaxHeaderBytes

	// maxSlips is how many typing errors a recognisable name may have.
	maxSlips = 2
)

// vocabulary knows which folded header means which column.
type vocabulary struct {
	run      columnMap   // by this run's options
	profiles []columnMap // each for the sheets that have all its columns
	always   columnMap   // for every sheet that has the column
	kept     keptColumns
	accounts []ledger.DebitAccount // they decide which columns a payee needs
}

// newVocabulary reads the column options. Options that no sheet can satisfy are a *UsageError.
func newVocabulary(o Options) (*vocabulary, error) {
	v := &vocabulary{accounts: o.Accounts}
	var err1, err2, err3 error
	v.run, err1 = newColumnMap("", o.Map)
	v.always, err2 = newColumnMap("", o.Columns)
	for _, p := range o.Profiles {
		t, err := newColumnMap(p.Name, p.Columns)
		v.profiles, err2 = append(v.profiles, t), cmp.Or(err2, err)
	}
	v.kept, err3 = newKeptColumns(o)
	return v, cmp.Or(err1, err2, err3)
}

// layout is the place of each column in a header row.
type layout struct {
	row      int              // its number in the spreadsheet program
	at       [columnCount]int // index of the cell; -1 if the column is missing
	width    int              // cells up to the last one with a name
	headers  []string         // as written, trimmed
	keys     []string         // the same, folded by headerKey
	known    int              // understood names, including look-alikes
	mapping  mapping          // the mapping that applies to this header
	sum      string           // its hash, see headerSHA256
	kept     *keptMap         // the kept mapping of this header; nil for none
	others   []*keptMap       // kept mappings of other headers; nil if kept is not
	origin   [2]int           // the columns that say where a row came from; -1 for none
	problems []ledger.Finding

	notRupees []int          // columns called an amount that hold something else than rupees
	net       netCheck       // the columns from which each row's amount is computed
	unmapped  []besideColumn // unread columns that must agree with the payout
	message   *message       // nil unless the sheet is a pain.001
}

// problem returns a finding about the header at a place, counted from 0. The column is the one of the payout that
// the finding is about.
func (l *layout) problem(column, code string, at int, message string) ledger.Finding {
	return ledger.Finding{
		Column: column, Code: code, Value: l.headers[at], Cell: l.cell(at, l.row), Header: visible.Shorten(l.headers[at]), Message: message,
	}
}

// mapOption returns the option that maps a header to a column.
func mapOption(name, header string) ledger.Option {
	return ledger.Option{Name: ledger.OptionMap, Value: name + "=" + header}
}

func mapError(name, header, why string) *UsageError {
	return &UsageError{Option: mapOption(name, header), Why: why}
}

func (l *layout) has(c column) bool { return l.at[c] >= 0 }

// hasPayee reports whether name, account and IFSC are all there.
func (l *layout) hasPayee() bool { return l.has(colName) && l.has(colAccount) && l.has(colIFSC) }

// complete reports whether payouts can be read with this header.
func (l *layout) complete() bool {
	return l.has(colReference) && l.has(colAmount) && (l.hasPayee() || l.has(colBeneficiary))
}

// read returns the layout of a row as if it were the header.
func (v *vocabulary) read(number int, cells []string) layout {
	keys := make([]string, len(cells))
	l := layout{row: number, headers: make([]string, len(cells)), keys: keys, origin: [2]int{-1, -1}}
	for c := range l.at {
		l.at[c] = -1
	}
	for i, cell := range cells {
		if l.headers[i] = visible.Trim(cell); l.headers[i] != "" {
			keys[i], l.width = headerKey(l.headers[i]), i+1
		}
	}
	l.sum = headerSHA256(l.headers, keys)
	l.kept, l.others = v.kept.of(l.sum)
	l.mapping, l.problems = v.mappingOf(keys, l.kept)
	seen := make(map[string]int, len(cells))
	for i, key := range keys {
		if key != "" && !l.placeOrigin(i, key) {
			l.place(i, key, seen)
		}
	}
	l.placeLone()
	l.placeNearly()
	return l
}

// place finds the column of one header.
func (l *layout) place(i int, key string, seen map[string]int) {
	first, repeated := seen[key]
	if !repeated {
		seen[key] = i
	}
	switch c, ok := visible.MeaningOf(l.headers[i], l.mapping.meaning); {
	case ok && c == colAmount && visible.OtherUnit(l.headers[i]) != "":
		l.known++
		l.notRupees = append(l.notRupees, i)
	case ok && l.has(c):
		l.known++
		l.repeats(c.String(), l.at[c], i)
	case ok:
		l.known++
		l.at[c] = i
	case repeated:
		l.repeats(l.headers[i], first, i)
	default:
		l.lookAlike(i)
	}
}

// placeLone places the words that name a column only if no other word does.
func (l *layout) placeLone() {
	for _, lone := range loneWords {
		at := slices.Index(l.keys, visible.FoldHeader(lone.word))
		if at >= 0 && !l.has(lone.of) && l.mapping.headers[lone.of] == "" && !slices.Contains(l.at[:], at) {
			l.known++
			l.at[lone.of] = at
		}
	}
}

// headerKey folds a header; "" if it is too long to be a name.
func headerKey(text string) string {
	if len(text) > maxHeaderBytes {
		return ""
	}
	return visible.FoldHeader(text)
}

func (l *layout) repeats(name string, first, second int) {
	p := l.problem(name, codeColumnRepeated, second, fmt.Sprintf("two columns are both read as %s: %s and %s", name, l.named(first), l.named(second)))
	if _, known := columnNamed(name); known && l.keys[first] != l.keys[second] {
		p.Option = mapOption(name, l.headers[second])
	} else { // no map can separate columns with the same name
		p.Fix = "Rename or delete one of them."
	}
	l.problems = append(l.problems, p)
}

// lookAlike refuses a header that only looks like a known one.
func (l *layout) lookAlike(at int) {
	text := l.headers[at]
	c, ok := l.mapping.meaning(skeleton(text))
	if !ok {
		return
	}
	l.known++
	p := l.problem(c.String(), codeHeaderLookAlike, at,
		fmt.Sprintf("the header %+q looks like a known one but is spelt with different characters; did you mean %s?", text, c))
	p.Fix = fmt.Sprintf("Type the header again on the keyboard: %s.", c)
	l.problems = append(l.problems, p)
}

// findFaults adds the problems of a layout that was chosen as the header.
func (v *vocabulary) findFaults(l *layout) {
	if v.unclearUnit(l) {
		p := l.problem(colAmount.String(), codeAmountUnitUnclear, l.at[colAmount],
			"templates with these columns have amounts in rupees or in paise, and nothing shows which")
		p.Option = mapOption(colAmount.String(), p.Value)
		l.problems = append(l.problems, p)
	}
	v.moneyFaults(l)
	v.nearlyKept(l)
	for _, c := range v.missing(l) {
		if l.refuses(c) {
			continue // named already: a look-alike, or an amount in another unit
		}
		l.problems = append(l.problems, v.missingProblem(l, c))
	}
	v.similar(l)
}

func (l *layout) refuses(c column) bool {
	return slices.ContainsFunc(l.problems, func(p ledger.Finding) bool { return p.Column == c.String() })
}

// missing lists the required columns that the layout lacks: name, account and IFSC, or open_beneficiary_id
// where a RIB account can be the debit account (interface.md, "Initiate transfer").
func (v *vocabulary) missing(l *layout) []column {
	byID := func(a ledger.DebitAccount) bool { return a.Rules().NeedsBeneficiaryID }
	anyOther := slices.ContainsFunc(v.accounts, func(a ledger.DebitAccount) bool { return !byID(a) })
	required := []column{colReference, colAmount, colName, colAccount, colIFSC}
	if slices.ContainsFunc(v.accounts, byID) && (l.has(colBeneficiary) || !anyOther) {
		required = append(required[:2], colBeneficiary)
	}
	return slices.DeleteFunc(required, l.has)
}

// hidden warns of columns that are read although the person does not see them.
func (l *layout) hidden(src *ingest.Sheet) {
	for c, at := range l.at {
		if at >= 0 && src.ColumnHidden(at) {
			l.problems = append(l.problems, l.problem(columnNames[c], codeColumnHidden, at, fmt.Sprintf("the column %s is hidden, and is read as %s", l.named(at), columnNames[c])))
		}
	}
}

// slips returns the smallest number of typing errors between key and a word of the column, or more than
// maxSlips. For a word that is too short to compare it is also more.
func slips(key string, c column) int {
	least := maxSlips + 1
	if _, numbered := knownWords()[strings.Trim(key, "0123456789")]; numbered {
		return least // Remarks 2 is not a misspelt Remarks
	}
	chars := utf8.RuneCountInString(key)
	if key == "account" { // left out on purpose, because it may be any account
		return least
	}
	for word, of := range knownWords() {
		if of != c {
			continue
		}
		n := utf8.RuneCountInString(word)
		shorter, longer := min(n, chars), max(n, chars)
		if shorter < 4 || longer-shorter > maxSlips {
			continue
		}
		if d := ledger.Distance(word, key); d < least && d*3 <= shorter {
			least = d
		}
	}
	return least
}

// unknown lists the headers that are neither read nor known.
func (l *layout) unknown() []string {
	var unknown []string
	for i, header := range l.headers {
		if header == "" || len(header) > maxHeaderBytes || !l.isUnread(i) {
			continue
		}
		if _, ok := l.mapping.meaning(headerKey(header)); !ok {
			unknown = append(unknown, header)
		}
	}
	return unknown
}

// similar warns of a header that is a typing error away from a missing optional column. A misspelt
// bank_account_id would pay from the default account.
func (v *vocabulary) similar(l *layout) {
	for _, c := range []column{colDebitAccount, colLEI, colTransactionType, colSubMerchant, colBeneficiary, colRemarks} {
		if l.has(c) || l.refuses(c) {
			continue
		}
		for _, header := range l.unknown() {
			if mayMean(c, header) && slips(headerKey(header), c) <= maxSlips {
				l.problems = append(l.problems, ledger.Finding{
					Column: c.String(), Code: codeColumnSimilar, Value: header,
					Message: fmt.Sprintf("the column %q is not read; did you mean %s?", header, c),
					Fix:     fmt.Sprintf("If it is, name the column %s. If not, leave it as it is.", c),
				})
			}
		}
	}
}

// unclearUnit reports whether the sheet is of a template whose amount may be in paise and no map decides.
func (v *vocabulary) unclearUnit(l *layout) bool {
	at := l.at[colAmount]
	return at >= 0 && l.mapping.headers[colAmount] == "" && l.keys[at] == ambiguousAmount && !visible.NamesRupee(l.headers[at]) && hasWord(l.keys, paiseTemplateHeaders)
}
