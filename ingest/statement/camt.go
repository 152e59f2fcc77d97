package statement

import (
	"regexp"
	"slices"
	"strconv"
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

// entry reads a Ntry. It ignores RvslInd: CdtDbtInd says what was booked.
func (c *camtReader) entry(n *node) (e ledger.StatementEntry) {
	e.Amount, e.Debit = c.amount(n)
	e.Transacted, e.Value = c.date(n, "BookgDt"), c.date(n, "ValDt")
	if e.Transacted == "" && e.Value == "" {
		c.refuse(CodeDate, n.line, "an entry has neither BookgDt nor ValDt")
	}
	e.TransactionID = n.value(c, "NtryRef")
	own := []string{n.value(c, "AcctSvcrRef")}
	notes := []string{n.value(c, "AddtlNtryInf")}
	payments, texts := c.payments(n, &e)
	if len(payments) == 1 {
		own, notes = append(own, payments[0].references...), append(payments[0].notes, notes...)
	}
	for _, t := range texts {
		notes = append(append(notes, t.references...), t.notes...)
	}
	e.Reference, e.Remarks = namedBy(own, notes)
	if len(payments) > 1 {
		for _, p := range payments {
			reference, remarks := namedBy(p.references, p.notes)
			e.Details = append(e.Details, ledger.EntryDetail{Amount: p.amount, Reference: reference, Remarks: remarks})
		}
	}
	return e
}

// payment is one TxDtls of an entry.
type payment struct {
	amount     ledger.Paise // 0 if it has none
	references []string     // the bank's own first
	notes      []string
}

// payments reads the TxDtls of an entry. Those that have an amount must add up to the entry's amount. One
// without an amount is not a payment of its own, except that a single one is the entry's; the others give only
// their texts.
func (c *camtReader) payments(n *node, e *ledger.StatementEntry) (all, texts []payment) {
	var sum ledger.Paise
	for _, details := range n.all("NtryDtls") {
		list := details.all("TxDtls")
		if count := details.value(c, "Btch/NbOfTxs"); count != "" && len(list) > 0 && count != strconv.Itoa(len(list)) {
			c.refuse(CodeDetails, details.line, "a batch of %s has details of %d", clip(count), len(list))
		}
		for _, t := range list {
			p := c.payment(t, e.Debit)
			if p.amount == 0 {
				texts = append(texts, p)
				continue
			}
			all, sum = append(all, p), sum.PlusCapped(p.amount)
		}
	}
	switch {
	case len(all) == 0 && len(texts) == 1:
		return texts, nil
	case len(all) > 0 && sum != e.Amount:
		c.refuse(CodeDetails, n.line, "the details of the booking of %s come to %s", e.Amount, sum)
	}
	return all, texts
}

// payment reads one TxDtls. Its amount is its own (.08), or else that of the transaction in AmtDtls (.02).
func (c *camtReader) payment(t *node, isDebit bool) (p payment) {
	amount := t.at(c, "Amt")
	if amount == nil {
		amount = t.at(c, "AmtDtls/TxAmt/Amt")
	}
	if amount == nil {
		amount = t.at(c, "AmtDtls/InstdAmt/Amt")
		if amount != nil && amount.currency != camtRupee {
			amount = nil // a foreign instructed amount is not the booked amount
		}
	}
	if amount != nil {
		p.amount = c.plainAmount(amount, t)
	}
	if side := t.value(c, "CdtDbtInd"); side != "" && (side == "DBIT") != isDebit {
		c.refuse(CodeDetails, t.line, "a detail goes the other way than its booking")
	}
	if refs := t.at(c, "Refs"); refs != nil {
		for _, name := range []string{"AcctSvcrRef", "TxId", "ClrSysRef", "UETR", "InstrId", "EndToEndId", "PmtInfId", "MsgId", "ChqNb"} {
			p.references = append(p.references, refs.value(c, name))
		}
		for _, other := range refs.all("Prtry") {
			p.references = append(p.references, other.value(c, "Ref"))
		}
	}
	if info := t.at(c, "RmtInf"); info != nil {
		for _, u := range info.all("Ustrd") {
			p.notes = append(p.notes, strings.TrimSpace(u.text))
		}
		for _, s := range info.all("Strd") {
			p.notes = append(p.notes, s.value(c, "CdtrRefInf/Ref"))
		}
	}
	p.notes = append(p.notes, t.value(c, "AddtlTxInf"))
	for _, r := range t.all("RtrInf") {
		p.notes = append(p.notes, r.value(c, "Rsn/Cd"))
		for _, more := range r.all("AddtlInf") {
			p.notes = append(p.notes, strings.TrimSpace(more.text))
		}
	}
	return p
}

// namedBy returns the reference and the remarks. The bank's reference comes first; the others go into the
// remarks, where matching looks for them.
func namedBy(references, notes []string) (reference, remarks string) {
	var rest []string
	seen := map[string]bool{"": true, "NOTPROVIDED": true, "NONREF": true}
	for _, r := range references {
		r = strings.TrimSpace(r)
		switch {
		case seen[strings.ToUpper(r)]:
			continue
		case reference == "":
			reference = r
		default:
			rest = append(rest, r)
		}
		seen[strings.ToUpper(r)] = true
	}
	return reference, joined(append(rest, notes...)...)
}
