package statement

import (
	"fmt"
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

// camtReader reads a camt.053 (ISO 20022, Bank-to-Customer Statement).
type camtReader struct {
	parts
	err error // the first error of reading an element
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
	if err := c.statements(root); err != nil {
		return err
	}
	return c.give(f)
}

// statements reads the statements of the account.
func (c *camtReader) statements(root *node) error {
	message := root.at(&c.err, "BkToCstmrStmt")
	if message == nil {
		return c.fail(root, "there is no BkToCstmrStmt")
	}
	if isFalse(message.value(&c.err, "GrpHdr/MsgPgntn/LastPgInd")) {
		return refuse(CodeIncomplete, message.line, "it says that another page follows")
	}
	for _, s := range message.all("Stmt") {
		if !c.takes(accountOf(s.value(&c.err, "Acct/Id/IBAN", "Acct/Id/Othr/Id"))) {
			continue
		}
		read, err := c.statement(s)
		if err != nil {
			return err
		}
		c.own = append(c.own, read)
	}
	return c.err
}

func isFalse(text string) bool { return text == "false" || text == "0" }

func (c *camtReader) statement(s *node) (part, error) {
	out := part{line: s.line}
	if ccy := s.value(&c.err, "Acct/Ccy"); ccy != "" && ccy != camtRupee {
		return out, refuse(CodeCurrency, s.line, "the account is in %s", ledger.Plain(ccy))
	}
	if err := c.balances(s, &out); err != nil {
		return out, err
	}
	if isFalse(s.value(&c.err, "StmtPgntn/LastPgInd")) {
		out.closes = false
	}
	for _, n := range s.all("Ntry") {
		switch status := n.value(&c.err, "Sts/Cd", "Sts"); status { // a code since .08, a text before
		case "BOOK":
		case "PDNG", "INFO", "FUTR":
			c.notBooked++
			continue
		default:
			return out, c.fail(n, "an entry with the status %q", clip(status))
		}
		e, err := c.entry(n)
		if err != nil {
			return out, err
		}
		if e.Amount == 0 {
			c.zero++
			continue
		}
		out.entries = append(out.entries, e)
	}
	if from, to := s.value(&c.err, "FrToDt/FrDtTm"), s.value(&c.err, "FrToDt/ToDtTm"); from != "" && to != "" {
		var err error
		out.said = true
		if out.from, err = camtDay(from, s.line); err != nil {
			return out, err
		}
		if out.to, err = camtDay(to, s.line); err != nil {
			return out, err
		}
	}
	out.date()
	if n := len(out.entries); n > 1 && out.entries[0].Day() > out.entries[n-1].Day() {
		slices.Reverse(out.entries)
	}
	if c.err != nil {
		return out, c.err
	}
	return out, totals(out.entries, out.opening, out.closing, s.line)
}

// balances finds the opening and the closing booked balance. If the statement continues on another page, the
// balances of a page (ITBD) replace them.
func (c *camtReader) balances(s *node, out *part) error {
	type found struct {
		value ledger.Paise
		day   string
	}
	byCode := map[string][]found{}
	for _, b := range s.all("Bal") {
		code := b.value(&c.err, "Tp/CdOrPrtry/Cd")
		if !slices.Contains([]string{"OPBD", "PRCD", "CLBD", "ITBD"}, code) {
			continue // available or expected money is not booked
		}
		value, isDebit, err := c.amount(b)
		if err != nil {
			return err
		}
		if isDebit {
			value = -value
		}
		day, err := c.date(b, "Dt")
		if err != nil {
			return err
		}
		if day == "" {
			return refuse(CodeDate, b.line, "the balance %s has no date", code)
		}
		byCode[code] = append(byCode[code], found{value, day[:len(time.DateOnly)]})
	}
	for code, all := range byCode {
		if len(all) > 1 && code != "ITBD" {
			return refuse(CodeSyntax, s.line, "there are %d balances %s", len(all), code)
		}
	}
	pages := byCode["ITBD"]
	var opening, closing found
	switch {
	case len(byCode["OPBD"]) == 1:
		opening, out.opens = byCode["OPBD"][0], true
		if before := byCode["PRCD"]; len(before) == 1 && before[0].value != opening.value {
			return refuse(CodeChain, s.line, "it opens with %s, and the balance before it was %s", opening.value, before[0].value)
		}
	case len(byCode["PRCD"]) == 1:
		opening, out.opens = byCode["PRCD"][0], true
	case len(pages) > 0:
		opening, pages = pages[0], pages[1:]
	default:
		return refuse(CodeIncomplete, s.line, "there is no opening balance (OPBD)")
	}
	switch {
	case len(byCode["CLBD"]) == 1:
		closing, out.closes = byCode["CLBD"][0], true
	case len(pages) > 0:
		closing = pages[len(pages)-1]
	default:
		return refuse(CodeIncomplete, s.line, "there is no closing balance (CLBD)")
	}
	out.opening, out.closing, out.from, out.to = opening.value, closing.value, opening.day, closing.day
	return nil
}

// amount reads Amt and CdtDbtInd.
func (c *camtReader) amount(n *node) (value ledger.Paise, isDebit bool, err error) {
	if value, err = c.plainAmount(n.at(&c.err, "Amt"), n); err != nil {
		return 0, false, err
	}
	switch side := n.value(&c.err, "CdtDbtInd"); side {
	case "DBIT":
		return value, true, nil
	case "CRDT":
		return value, false, nil
	default:
		return 0, false, refuse(CodeDirection, n.line, "%s has CdtDbtInd %q", n.name, ledger.Plain(side))
	}
}

func (c *camtReader) plainAmount(amount, of *node) (ledger.Paise, error) {
	if amount == nil {
		return 0, c.fail(of, "%s has no amount", of.name)
	}
	if ccy := amount.currency; ccy != camtRupee {
		return 0, refuse(CodeCurrency, amount.line, "an amount in %s", ledger.Plain(ccy))
	}
	text := strings.TrimSpace(amount.text)
	whole, fraction, _ := strings.Cut(text, ".")
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) <= 2 && digits(whole) && strings.Trim(fraction, "0123456789") == "" {
		if value, err := ledger.ParsePaise(whole + "." + (fraction + "00")[:2]); err == nil {
			return value, nil
		}
	}
	return 0, refuse(CodeAmount, amount.line, "%q is not an amount in rupees and paise", clip(text))
}

// date reads a choice of Dt and DtTm below name; "" if it is absent.
func (c *camtReader) date(n *node, name string) (string, error) {
	text := n.value(&c.err, name+"/Dt", name+"/DtTm")
	if text == "" {
		return "", nil
	}
	return camtDate(text, n.line)
}

// camtDate returns YYYY-MM-DD, with the time if there is one. It does not convert the time zone: the day is the
// bank's.
func camtDate(text string, line int) (string, error) {
	layout, timed := time.DateOnly, strings.Replace(text, "T", " ", 1)
	if timed != text {
		layout = time.DateTime
	}
	said := timed[:min(len(timed), len(layout))] // fractions of a second and the zone follow
	at, err := time.Parse(layout, said)
	if err != nil || at.Format(layout) != said || !exists(at.Date()) {
		return "", refuse(CodeDate, line, "%q is not a date", clip(text))
	}
	return said, nil
}

func camtDay(text string, line int) (string, error) {
	day, err := camtDate(text, line)
	return day[:min(len(day), len(time.DateOnly))], err
}

// fail returns the first error of reading an element, or else this one.
func (c *camtReader) fail(n *node, format string, args ...any) error {
	if c.err != nil {
		return c.err
	}
	return refuse(CodeSyntax, n.line, "%s", fmt.Sprintf(format, args...))
}

// clip shortens a quote in a message: it may hold another party's account number.
func clip(text string) string {
	const most = 40
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return ledger.Plain(text)
}
