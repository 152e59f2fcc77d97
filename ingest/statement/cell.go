package statement

import (
	"regexp"
	"strings"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
)

// text returns the trimmed text of a column in this row; "" if the row or the header does not have the column.
func (t *tableReader) text(c column) string {
	if !t.header.has(c) {
		return ""
	}
	return t.row.Text(t.header.one(c))
}

// number returns the text of an amount cell as a person sees it. If a person sees another value than the cell
// holds, it records a finding and returns false.
func (t *tableReader) number(c column, code string) (string, bool) {
	at, text := t.header.one(c), t.text(c)
	if t.row.Mark(at) != 0 {
		t.bad(code, c, "all or a part of it is struck out, raised or lowered")
		return "", false
	}
	parse := parseMoney
	if c == colBalance {
		parse = parseBalance
	}
	switch t.row.Kind(at) {
	case ingest.Text, ingest.Blank, ingest.Number:
		return text, true
	case ingest.Formatted:
		shown, ok := t.sheet.Shows(t.row.Styles[at], t.row.Cells[at])
		seen, readable := parseMoney(shown)
		held, exact := parse(text)
		if !ok || !readable || !exact || seen.value != held.value {
			t.bad(code, c, "it holds %s and shows %s", visible.Shorten(text), visible.Shorten(shown))
			return "", false
		}
		return shown, true
	default:
		t.bad(code, c, "the cell is a date, a formula, TRUE, FALSE or an error; the bank's own file has an amount there")
		return "", false
	}
}

func (t *tableReader) readDates(l *line) {
	for _, c := range dateColumns {
		text := t.text(c)
		if text == "" && (!t.header.has(c) || c != t.header.day()) {
			continue
		}
		got, value, ok := parseDates(text)
		kind := t.row.Kind(t.header.one(c))
		switch {
		case kind != ingest.Text && kind != ingest.Date && kind != ingest.Blank:
			t.bad(CodeDate, c, "the cell is neither a date nor a text")
		case text == "":
			t.bad(CodeDate, c, "there is no date")
		case !ok:
			t.bad(CodeDate, c, "%q is not a date", visible.Shorten(text))
		default:
			t.dates.learn(got, c, t.row.Number)
			l.days[c] = &got
			if value != nil {
				t.dates.learn(*value, c, t.row.Number)
				l.days[colValue] = value
			}
		}
	}
}

// readAmount reads the amount and its direction.
func (t *tableReader) readAmount(l *line) {
	if t.header.has(colDebit) && t.header.has(colCredit) {
		t.readSides(l)
		return
	}
	e := &l.entry
	text, ok := t.number(colAmount, CodeAmount)
	if !ok {
		return
	}
	m, ok := parseMoney(text)
	if !ok || m.value == 0 {
		t.bad(CodeAmount, colAmount, "%q is not an amount above zero", visible.Shorten(text))
		return
	}
	e.Amount = m.value
	known := m.direction
	if kind := t.text(colType); kind != "" {
		of, ok := directionOf(kind)
		if !ok || known != noDirection && known != of || m.signed && (of == debit) != m.negative {
			t.bad(CodeDirection, colType, "%q does not say whether %s is a debit or a credit", visible.Shorten(kind), m.value)
			return
		}
		known = of
	} else if m.signed {
		known = credit
		if m.negative {
			known = debit
		}
	}
	l.unsigned, t.minus = known == noDirection, t.minus || m.negative
	e.Debit = known == debit
}

// readSides reads an amount from one of two columns. The other column is empty or 0.00.
func (t *tableReader) readSides(l *line) {
	var sides [2]ledger.Paise
	for i, c := range []column{colDebit, colCredit} {
		text, ok := t.number(c, CodeAmount)
		if !ok {
			return
		}
		if isEmpty(text) {
			continue
		}
		m, ok := parseMoney(text)
		wrong := m.direction != noDirection && (m.direction == debit) != (c == colDebit)
		if m.negative && c == colDebit {
			l.debitMinus, t.debitMinus = true, true
		}
		if !ok || m.negative && c == colCredit || wrong {
			t.bad(CodeAmount, c, "%q is not an amount", visible.Shorten(text))
			return
		}
		sides[i] = m.value
	}
	switch {
	case sides[0] != 0 && sides[1] != 0:
		t.bad(CodeDirection, colDebit, "there is a debit of %s and a credit of %s in one row", sides[0], sides[1])
	case sides[0] == 0 && sides[1] == 0:
		t.bad(CodeAmount, colDebit, "there is neither a debit nor a credit")
	}
	l.entry.Debit, l.entry.Amount = sides[0] != 0, sides[0]+sides[1]
}

// balance reads the balance, below zero if the account was overdrawn.
func (t *tableReader) balance() ledger.Paise {
	text, ok := t.number(colBalance, CodeBalance)
	if !ok {
		return 0
	}
	m, ok := parseBalance(text)
	if !ok {
		what := "there is no balance"
		if text != "" {
			what = "it is not a balance"
		}
		t.bad(CodeBalance, colBalance, "%s", what)
		return 0
	}
	if kind := t.text(colBalanceType); kind != "" {
		of, ok := directionOf(kind)
		if !ok || m.direction != noDirection && m.direction != of || m.negative && of == credit {
			t.bad(CodeBalance, colBalanceType, "%q does not say on which side the balance is", visible.Shorten(kind))
			return 0
		}
		m.direction, m.negative = of, false
	}
	return m.signedValue()
}

// readTexts reads the texts of the entry, and checks its account and currency.
func (t *tableReader) readTexts(e *ledger.StatementEntry) {
	e.TransactionID = t.text(colID)
	var rest []string
	for _, at := range t.header.at[colReference] {
		switch text := t.row.Text(at); {
		case isEmpty(text):
		case e.Reference == "":
			e.Reference = text
		default:
			rest = append(rest, text)
		}
	}
	for _, at := range t.header.at[colRemarks] {
		rest = append(rest, t.row.Text(at))
	}
	e.Remarks = joined(rest...)
	if number := accountNumber(t.text(colAccount)); number != "" {
		t.takes(number)
	}
	if c := t.text(colCurrency); !visible.NamesRupee(c) && (otherUnit(c) != "" || !unitColumn[visible.FoldHeader(t.header.names[t.header.one(colCurrency)])]) {
		t.bad(CodeCurrency, colCurrency, "an entry in %s", visible.Shorten(c))
	}
}

// unitColumn has headers that may also mean a business unit of the bank or the company.
var unitColumn = map[string]bool{"unit": true, "units": true}

// joined joins pieces of text with single spaces.
func joined(pieces ...string) string {
	return strings.Join(strings.Fields(strings.Join(pieces, " ")), " ")
}

// accountLabel is the name of an account number, with the text after it in the same cell.
var accountLabel = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:account|acct|a/c)\.?\s*(?:(?:no|number|num)\b|#)?[\s.:#–-]*(.*)$`)

// accountsIn returns the account numbers that a row names, whole or masked: after the label in the same cell,
// or in the next cell that is not empty.
func accountsIn(cells []string) (numbers []string) {
	named := false
	for _, cell := range cells {
		if cell = visible.TrimColon(cell); cell == "" {
			continue
		}
		rest := ""
		if m := accountLabel.FindStringSubmatch(cell); m != nil {
			rest, named = visible.Trim(m[1]), true
		} else if named {
			rest = cell
		}
		if rest == "" {
			continue
		}
		named = false
		number := accountNumber(rest)
		if number == "" { // other text follows the number
			number = accountNumber(strings.Trim(strings.Fields(rest)[0], ",;()"))
		}
		if number != "" {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// endDigits matches the digits at the end of an account number with letters, such as an IBAN.
var endDigits = regexp.MustCompile(`[0-9Xx*]{9,}$`)

// accountOf returns the number in a field that holds only an account.
func accountOf(text string) string {
	if number := accountNumber(text); number != "" {
		return number
	}
	return accountNumber(endDigits.FindString(text))
}

// accountNumber returns a number without spaces, dashes and marks of a text (' or _), with masked digits as X; "" if
// text is not an account number.
func accountNumber(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '*' || r == 'x':
			return 'X'
		case strings.ContainsRune(" -'_", r):
			return -1
		}
		return r
	}, text)
	if len(text) < 4 || len(text) > 34 || !digits(text[len(text)-4:]) || strings.Trim(text, "X0123456789") != "" {
		return ""
	}
	return text
}
