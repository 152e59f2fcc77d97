package statement

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
)

const (
	camtNamespace = "urn:iso:std:iso:20022:tech:xsd:camt."
	camtRupee     = "INR"
)

// camtReads matches the versions of camt.053 that are read, by the end of their namespace.
var camtReads = regexp.MustCompile(`^053\.001\.(?:0[2-9]|10)$`)

// camtReader reads a camt.053 (ISO 20022, Bank-to-Customer Statement). It reads on after an error; what it read
// is then not used.
type camtReader struct {
	parts
	err error // the first error
}

// refuse keeps the error if it is the first.
func (c *camtReader) refuse(code string, line int, format string, args ...any) {
	if c.err == nil {
		c.err = refuse(code, line, format, args...)
	}
}

func (f *File) readCamt(content []byte, o Options) error {
	root, err := parseXML(content)
	if err != nil {
		return err
	}
	version, isCamt := strings.CutPrefix(root.space, camtNamespace)
	switch {
	case !isCamt || root.name != "Document":
		return refuse(CodeFormat, root.line, "it is XML, and no camt.053")
	case !camtReads.MatchString(version):
		return refuse(CodeFormat, root.line, "it is camt.%s; camt.053.001.02 to camt.053.001.10 are read", ledger.Plain(version))
	}
	c := &camtReader{parts: parts{o: o}}
	if c.statements(root); c.err != nil {
		return c.err
	}
	return c.give(f)
}

// statements reads the statements of the account.
func (c *camtReader) statements(root *node) {
	message := root.at(c, "BkToCstmrStmt")
	if message == nil {
		c.refuse(CodeSyntax, root.line, "there is no BkToCstmrStmt")
		return
	}
	if isFalse(message.value(c, "GrpHdr/MsgPgntn/LastPgInd")) {
		c.refuse(CodeIncomplete, message.line, "it says that another page follows")
	}
	for _, s := range message.all("Stmt") {
		if c.takes(accountOf(s.value(c, "Acct/Id/IBAN", "Acct/Id/Othr/Id"))) {
			c.own = append(c.own, c.statement(s))
		}
	}
}

func isFalse(text string) bool { return text == "false" || text == "0" }

func (c *camtReader) statement(s *node) part {
	out := part{line: s.line}
	if ccy := s.value(c, "Acct/Ccy"); ccy != "" && ccy != camtRupee {
		c.refuse(CodeCurrency, s.line, "the account is in %s", ledger.Plain(ccy))
	}
	c.balances(s, &out)
	if isFalse(s.value(c, "StmtPgntn/LastPgInd")) {
		out.closes = false
	}
	for _, n := range s.all("Ntry") {
		switch status := n.value(c, "Sts/Cd", "Sts"); status { // a code since .08, a text before
		case "BOOK":
			if e := c.entry(n); e.Amount == 0 {
				c.zero++
			} else {
				out.entries = append(out.entries, e)
			}
		case "PDNG", "INFO", "FUTR":
			c.notBooked++
		default:
			c.refuse(CodeSyntax, n.line, "an entry with the status %q", clip(status))
		}
	}
	if from, to := s.value(c, "FrToDt/FrDtTm"), s.value(c, "FrToDt/ToDtTm"); from != "" && to != "" {
		out.said, out.from, out.to = true, c.day(from, s.line), c.day(to, s.line)
	}
	if c.err != nil {
		return out
	}
	out.date()
	if n := len(out.entries); n > 1 && out.entries[0].Day() > out.entries[n-1].Day() {
		slices.Reverse(out.entries)
	}
	c.err = totals(out.entries, out.opening, out.closing, s.line)
	return out
}

// balances finds the opening and the closing booked balance. If the statement continues on another page, the
// balances of a page (ITBD) replace them.
func (c *camtReader) balances(s *node, out *part) {
	type balance struct {
		value ledger.Paise
		day   string
	}
	byCode := map[string][]balance{}
	for _, b := range s.all("Bal") {
		code := b.value(c, "Tp/CdOrPrtry/Cd")
		if !slices.Contains([]string{"OPBD", "PRCD", "CLBD", "ITBD"}, code) {
			continue // available or expected money is not booked
		}
		value, isDebit := c.amount(b)
		if isDebit {
			value = -value
		}
		date := b.value(c, "Dt/Dt", "Dt/DtTm")
		if date == "" {
			c.refuse(CodeDate, b.line, "the balance %s has no date", code)
		}
		byCode[code] = append(byCode[code], balance{value, c.day(date, b.line)})
		if n := len(byCode[code]); n > 1 && code != "ITBD" {
			c.refuse(CodeSyntax, s.line, "there are %d balances %s", n, code)
		}
	}
	opening, pages, closing := slices.Concat(byCode["OPBD"], byCode["PRCD"]), byCode["ITBD"], byCode["CLBD"]
	out.opens, out.closes = len(opening) > 0, len(closing) > 0
	if !out.opens && len(pages) > 0 {
		opening, pages = pages[:1], pages[1:]
	}
	if !out.closes {
		closing = pages
	}
	switch {
	case len(opening) == 0:
		c.refuse(CodeIncomplete, s.line, "there is no opening balance (OPBD)")
	case len(opening) > 1 && opening[0].value != opening[1].value:
		c.refuse(CodeChain, s.line, "it opens with %s, and the balance before it was %s", opening[0].value, opening[1].value)
	case len(closing) == 0:
		c.refuse(CodeIncomplete, s.line, "there is no closing balance (CLBD)")
	default:
		first, last := opening[0], closing[len(closing)-1]
		out.opening, out.closing, out.from, out.to = first.value, last.value, first.day, last.day
	}
}

// amount reads Amt and CdtDbtInd.
func (c *camtReader) amount(n *node) (value ledger.Paise, isDebit bool) {
	value = c.plainAmount(n.at(c, "Amt"), n)
	side := n.value(c, "CdtDbtInd")
	if side != "DBIT" && side != "CRDT" {
		c.refuse(CodeDirection, n.line, "%s has CdtDbtInd %q", n.name, ledger.Plain(side))
	}
	return value, side == "DBIT"
}

func (c *camtReader) plainAmount(amount, of *node) ledger.Paise {
	if amount == nil {
		c.refuse(CodeSyntax, of.line, "%s has no amount", of.name)
		return 0
	}
	if ccy := amount.currency; ccy != camtRupee {
		c.refuse(CodeCurrency, amount.line, "an amount in %s", ledger.Plain(ccy))
	}
	text := strings.TrimSpace(amount.text)
	whole, fraction, _ := strings.Cut(text, ".")
	if value, ok := paiseOf(whole, fraction); ok {
		return value
	}
	c.refuse(CodeAmount, amount.line, "%q is not an amount in rupees and paise", clip(text))
	return 0
}

// date reads a choice of Dt and DtTm below name as YYYY-MM-DD, with the time if there is one; "" if it is absent.
// It does not convert the time zone: the day is the bank's.
func (c *camtReader) date(n *node, name string) string {
	text := n.value(c, name+"/Dt", name+"/DtTm")
	if text == "" {
		return ""
	}
	return c.dateOf(text, n.line)
}

func (c *camtReader) dateOf(text string, line int) string {
	layout, timed := time.DateOnly, strings.Replace(text, "T", " ", 1)
	if timed != text {
		layout = time.DateTime
	}
	said := timed[:min(len(timed), len(layout))] // fractions of a second and the zone follow
	if at, err := time.Parse(layout, said); err != nil || at.Format(layout) != said || !exists(at.Date()) {
		c.refuse(CodeDate, line, "%q is not a date", clip(text))
	}
	return said
}

// day returns the day of a date.
func (c *camtReader) day(text string, line int) string {
	said := c.dateOf(text, line)
	return said[:min(len(said), len(time.DateOnly))]
}

// clip shortens a quote in a message: it may hold another party's account number.
func clip(text string) string {
	const most = 40
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return ledger.Plain(text)
}
