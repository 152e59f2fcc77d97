package validate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
)

// beside is the unread columns in which a row says something that its payout has to agree with: the
// account number once more, the name of the bank, that it is on hold, or was paid already. Counted
// from 0.
type beside struct {
	confirm    []int // must equal the account number
	banks      []int
	holds      []int // Hold, Paid: yes is a no to paying
	states     []stateColumn
	done       []int // UTR, Paid On: filled once the payout was made
	notes      []int // Comments: they may say hold
	days       []int // Payment Date: on a later day the payout is not due yet
	currencies []int // Doc. Curr: the code of another currency
	units      []int // headers that state a unit, and have only empty cells so far
	crosses    []int // any other: a cross is a no
}

// stateColumn is one of Status, Approved, Pay?: some words below it are a no to paying.
type stateColumn struct {
	at    int
	kind  stateKind
	known []string // what rows said that stops nothing, the first few
}

// mostKnown is how many values of a column of states are judged once for all rows.
const mostKnown = 8

type stateKind uint8

const (
	ofPayment  stateKind = iota // Status, Pay?: done is a no
	ofApproval                  // Approved, Checked: done is a yes
	ofOthers                    // KYC Status: only what is said of a payment is a no
)

// Headers of such columns, folded, and their words.
var (
	confirmWords = [...]string{"confirmation", "confirmed", "confirm", "reenter", "retype", "verify"}
	bankHeaders  = foldedSet("Bank", "Bank Name", "Name of Bank", "Name of the Bank", "Beneficiary Bank", "Beneficiary Bank Name", "Bene Bank", "Bene Bank Name",
		"Payee Bank", "Payee Bank Name", "Vendor Bank", "Vendor Bank Name", "Employee Bank", "बैंक", "बैंक का नाम")
	doneHeaders = foldedSet("UTR", "UTR No", "UTR Number", "Bank UTR", "NEFT UTR", "UTR Ref No", "UTR Reference No", "Paid On", "Paid Date", "Date Paid")

	// A column of holds has one of holdWords, and none besides them and holdMore.
	holdWords = visible.WordSet("hold", "stop", "paid", "cancelled", "canceled", "cancel", "block", "blocked")
	holdMore  = visible.WordSet("on", "already", "payment", "y", "n")
	// payOrNot are all the words of Pay?, To be paid, Hold / Pay (Y/N).
	payOrNot = visible.WordSet("pay", "paid", "to", "be", "now", "hold", "y", "n")

	stateWords    = visible.WordSet("status", "include", "included", "release", "released", "action", "decision", "स्थिति")
	approvalWords = visible.WordSet("approved", "approval", "approve", "checked", "verified", "स्वीकृत", "स्वीकृति", "अनुमोदन", "अनुमोदित")
	// With one of these words, a header is not about the state of a payment.
	otherStates = visible.WordSet("kyc", "pan", "aadhaar", "aadhar", "gst", "gstin", "msme", "email", "mobile", "phone", "marital", "employee", "emp", "employment", "vendor", "delivery", "grn", "po",
		"tax", "itr", "pf", "uan", "esi", "work", "job", "project", "seeding", "npci", "registration", "required", "taken", "account", "bank", "ifsc")
	// A header with one of these has dates, amounts and numbers below it: Approved On, Approval No.
	noStates = visible.WordSet("date", "dt", "on", "time", "amount", "amt", "rs", "inr", "value", "qty", "quantity", "rate", "no", "number", "code", "id", "ref", "limit")

	remarkWords = visible.WordSet("remark", "remarks", "comment", "comments", "note", "notes", "narration", "narrations", "टिप्पणी", "अभ्युक्ति")

	dayWords = visible.WordSet("date", "on", "after", "दिनांक", "तिथि", "तारीख")
	// dueWords are of the days on which something is paid.
	dueWords = visible.WordSet("pay", "paid", "payment", "pymt", "payout", "value", "txn", "trn", "tran", "transaction", "transfer", "instruction", "instrument", "cheque", "chq", "credit",
		"activation", "schedule", "scheduled", "effective", "release", "execution", "processing", "भुगतान")
	otherDays = visible.WordSet("due", "invoice", "inv", "bill", "birth", "joining", "relieving", "document", "doc", "order", "grn", "po", "expiry", "validity", "valid", "from", "to", "period")
)

func foldedSet(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[visible.FoldHeader(w)] = true
	}
	return set
}

// What a row says in them, folded by foldLabel.
var (
	yesWords   = visible.WordSet("yes", "y", "true", "1", "x", "hold", "on hold", "stop", "paid", "cancelled", "canceled", "blocked")
	noPayWords = visible.WordSet("hold", "on hold", "stop", "stopped", "stop payment", "cancel", "cancelled", "canceled", "reject", "rejected", "not approved", "unapproved", "do not pay", "dont pay",
		"duplicate", "blocked", "disputed", "paid", "already paid", "रोकें", "रोक", "रद्द", "अस्वीकृत", "लंबित")
	noWords     = visible.WordSet("no", "n", "x", "false", "pending", "draft", "failed", "returned", "नहीं")
	doneWords   = visible.WordSet("done", "success", "successful", "processed", "completed", "settled")
	notYetWords = visible.WordSet("na", "n a", "not applicable")

	// stopPhrases say so in a remark or a comment: anywhere, or where it begins so, by their first letters.
	stopPhrases = byLetter("hold", "stop payment", "payment stopped", "do not pay", "don't pay", "dont pay", "do not release", "do not process", "not to be paid", "not to pay", "not payable", "kept pending",
		"cancelled", "canceled", "already paid", "duplicate", "रोकें")
	stopBegins = byLetter("paid by", "paid in cash", "paid on", "paid already")
)

func byLetter(phrases ...string) (by [256][]string) {
	for _, p := range phrases {
		by[p[0]] = append(by[p[0]], p)
		if upper := p[0] &^ 0x20; p[0] < 0x80 {
			by[upper] = append(by[upper], p)
		}
	}
	return by
}

// besideOf finds such columns.
func (l *layout) besideOf() *beside {
	var b beside
	for i, header := range l.headers {
		if header == "" || len(header) > maxHeaderBytes || slices.Contains(l.at[:], i) {
			continue
		}
		words := visible.Words(header)
		if slices.Contains(words, "yes") { // Paid (Yes/No)
			words = slices.DeleteFunc(words, func(w string) bool { return w == "yes" || w == "no" })
		}
		key := visible.FoldHeader(header)
		if saysCurrency(header) && !currencyHeaders[key] {
			b.currencies = append(b.currencies, i)
		}
		if statesUnit(header) {
			b.units = append(b.units, i)
		}
		if hasWord(words, remarkWords) {
			b.notes = append(b.notes, i)
		}
		kind, state := stateOf(words)
		switch {
		case isConfirmation(key):
			b.confirm = append(b.confirm, i)
		case bankHeaders[key]:
			b.banks = append(b.banks, i)
		case doneHeaders[key]:
			b.done = append(b.done, i)
		case hasWord(words, holdWords) && onlyWords(words, holdWords, holdMore):
			b.holds = append(b.holds, i)
		case isDay(words):
			b.days = append(b.days, i)
		case state:
			b.states = append(b.states, stateColumn{at: i, kind: kind})
		default:
			b.crosses = append(b.crosses, i)
		}
	}
	return &b
}

func hasWord(words []string, set map[string]bool) bool {
	return slices.ContainsFunc(words, func(w string) bool { return set[w] })
}

func onlyWords(words []string, sets ...map[string]bool) bool {
	return !slices.ContainsFunc(words, func(w string) bool {
		return !slices.ContainsFunc(sets, func(set map[string]bool) bool { return set[w] })
	})
}

// stateOf reports a header below which rows say whether they are to be paid.
func stateOf(words []string) (stateKind, bool) {
	asks := (slices.Contains(words, "pay") || slices.Contains(words, "paid")) && onlyWords(words, payOrNot)
	approval, state := hasWord(words, approvalWords), hasWord(words, stateWords)
	if !asks && !approval && !state || hasWord(words, noStates) {
		return 0, false
	}
	switch {
	case hasWord(words, otherStates):
		return ofOthers, true
	case approval:
		return ofApproval, true
	}
	return ofPayment, true
}

// stops reports a word that is a no to paying; of a longer text the first may be it.
func (k stateKind) stops(said string) bool {
	label := foldLabel(said)
	first, _, _ := strings.Cut(label, " ")
	says := func(set map[string]bool) bool { return set[label] || len(first) > len("no") && set[first] }
	switch {
	case says(noPayWords), tickOf(said) == tickNo:
		return true
	case k == ofOthers:
		return false
	case k == ofApproval && notYetWords[label], k == ofPayment && says(doneWords):
		return true
	}
	return says(noWords)
}

// isDay reports a header of the day on which the row is to be paid. Programs may write it in
// one word: paymentdate.
func isDay(words []string) bool {
	switch {
	case len(words) == 0:
		return false
	case len(words) == 1 && dayWords[words[0]]:
		return words[0] != "on" && words[0] != "after"
	case len(words) == 1 && (strings.Contains(words[0], "date") || strings.HasSuffix(words[0], "dt")):
		words = append([]string{"date"}, within(words[0], dueWords), within(words[0], otherDays))
	}
	toBe := slices.Contains(words, "be") // To be paid on
	return (hasWord(words, dayWords) || slices.Contains(words, "dt")) && hasWord(words, dueWords) &&
		!slices.ContainsFunc(words, func(w string) bool { return otherDays[w] && !(w == "to" && toBe) })
}

// within gives a word of more than two letters that is a part of another; "" for none.
func within(glued string, words map[string]bool) string {
	for w := range words {
		if len(w) > 2 && strings.Contains(glued, w) {
			return w
		}
	}
	return ""
}

// isConfirmation knows the account number once more: Confirm Account No.
func isConfirmation(key string) bool {
	for _, word := range confirmWords {
		if rest := strings.Replace(key, word, "", 1); rest != key {
			c, known := knownWords()[rest]
			return known && c == colAccount || rest == "account"
		}
	}
	return false
}

// said is what the row has in a column that is not read.
func (r *rowReader) said(at int) string {
	if at >= len(r.row.Cells) {
		return ""
	}
	return visible.Trim(r.row.Cells[at])
}

// besides compares the payout with the other columns of its row.
func (r *rowReader) besides() {
	if b := r.layout.beside; b != nil {
		r.confirmed(b)
		r.bankNamed(b)
		r.laterDay(b)
		r.inRupees(b)
		if r.stopped(b) {
			return
		}
	}
	r.remarkStops()
}

// confirmed refuses a row whose account number was typed twice, and differently.
func (r *rowReader) confirmed(b *beside) {
	number := r.payout.BankAccountNumber
	for _, at := range b.confirm {
		again := r.said(at)
		if kindAt(r.row, at).Numeric() {
			again, _ = numericText(again)
		}
		if number != "" && again != number {
			r.findAt(at, colAccount, codeAccountConfirm, ledger.Mask(again), fmt.Sprintf("%q (%s) has another account number", r.layout.headers[at], ingest.ColumnName(at+1)))
			return
		}
	}
}

// inRupees refuses a row with the code of another currency, and forgets the headers that state
// a unit as soon as a cell below them is filled.
func (r *rowReader) inRupees(b *beside) {
	for _, at := range b.currencies {
		if said := r.said(at); isForeign(said) {
			r.findAt(at, colAmount, codeAmountCurrency, said, fmt.Sprintf("the row is in %q, and payouts are in rupees", said))
		}
	}
	if len(b.units) > 0 {
		b.units = slices.DeleteFunc(b.units, func(at int) bool { return r.said(at) != "" })
	}
}

// bankNamed warns where the IFSC is of another bank than the one that is named.
func (r *rowReader) bankNamed(b *beside) {
	for _, at := range b.banks {
		name := r.said(at)
		code, known := bankCodes[foldBank(name)]
		if known && len(r.payout.IFSC) >= bankChars && r.payout.IFSC[:bankChars] != code {
			r.findAt(at, colIFSC, codeBankNameDiffers, name, fmt.Sprintf("the bank is %q, whose IFSCs begin with %s, and the IFSC is %s", visible.Shorten(name), code, r.payout.IFSC))
			return
		}
	}
}

// stopped warns of a row that says, in a column of its own, that it is not to be
// paid, or was.
func (r *rowReader) stopped(b *beside) bool {
	for _, at := range b.holds {
		if said := r.said(at); yesWords[foldLabel(said)] {
			return r.saysStop(at, said)
		}
	}
	for i := range b.states {
		state := &b.states[i]
		said := r.said(state.at)
		if said == "" || slices.Contains(state.known, said) {
			continue
		}
		if state.kind.stops(said) || stopWithin(said) != "" {
			return r.saysStop(state.at, said)
		}
		if len(state.known) < mostKnown {
			state.known = append(state.known, strings.Clone(said))
		}
	}
	for _, at := range b.notes {
		if said := r.said(at); said != r.knownState {
			if stopWithin(said) != "" {
				return r.saysStop(at, said)
			}
			r.knownState = said
		}
	}
	for _, at := range b.crosses {
		if said := r.said(at); said != "" && said[0] == firstOfCross && tickOf(said) == tickNo {
			return r.saysStop(at, said)
		}
	}
	for _, at := range b.done {
		if said := r.said(at); strings.ContainsFunc(said, unicode.IsDigit) {
			r.findAt(at, colReference, codeRowSaysOtherwise, said, fmt.Sprintf("%q (%s) is filled in: the payout may have been made already", r.layout.headers[at], ingest.ColumnName(at+1)))
			return true
		}
	}
	return false
}

func (r *rowReader) saysStop(at int, said string) bool {
	r.findAt(at, colReference, codeRowSaysOtherwise, said, fmt.Sprintf("%q (%s) says %q", r.layout.headers[at], ingest.ColumnName(at+1), visible.Shorten(said)))
	return true
}

// remarkStops warns of a remark that is meant for colleagues: HOLD.
func (r *rowReader) remarkStops() {
	if stop := stopWithin(r.payout.Remarks); stop != "" {
		r.find(colRemarks, codeRowSaysOtherwise, r.payout.Remarks, fmt.Sprintf("the remark says %q", stop), "")
	}
}

// firstOfCross is the first byte of each sign of tickOf.
const firstOfCross = 0xE2

// stopWithin gives what a text says to a person who wants to pay the row; "" for nothing.
func stopWithin(text string) string {
	if text == "" {
		return ""
	}
	if stop := stopAt(text, 0, &stopBegins); stop != "" {
		return stop
	}
	for i := 0; i < len(text); i++ {
		if i > 0 && isLetter(text[i-1]) {
			continue
		}
		if stop := stopAt(text, i, &stopPhrases); stop != "" {
			return stop
		}
	}
	return ""
}

func stopAt(text string, i int, phrases *[256][]string) string {
	for _, stop := range phrases[text[i]] {
		n := i + len(stop)
		if n <= len(text) && strings.EqualFold(text[i:n], stop) && (n == len(text) || !isLetter(text[n])) {
			return stop
		}
	}
	return ""
}

func isLetter(c byte) bool { return isUpper(c&^0x20) || c >= 0x80 }

// laterDay refuses a payout that is to be made on a later day, where a column says so. Days
// are read as people in India write them; one that is written otherwise says nothing.
func (r *rowReader) laterDay(b *beside) {
	for _, at := range b.days {
		said := r.said(at)
		if said == "" || said == r.knownDay || r.o.Now.IsZero() {
			continue
		}
		day, ok := dayOf(said)
		if year, month, today := r.o.Now.Date(); !ok || !day.After(time.Date(year, month, today, 0, 0, 0, 0, time.UTC)) {
			r.knownDay = said
			continue
		}
		r.findAt(at, colReference, codeExecutionDateAhead, said, fmt.Sprintf("the payout is to be made on %s, and payrun pays when you submit", day.Format("2 January 2006")))
		return
	}
}

// dayOf reads a day that begins a text, also behind a weekday: 2026-01-31, 31/01/2026, 31.1.26,
// 31-Jan-2026, 31st January 2026, Jan 31, 2026, 20260131. The month is first where no day-first
// reading is one: 12/28/2026.
func dayOf(text string) (time.Time, bool) {
	p, n := dateParts(text)
	switch {
	case n == 1 && len(p[0]) == len("20260131"):
		if day, ok := dateOf(p[0][:4], p[0][4:6], p[0][6:]); ok {
			return day, true
		}
		return dateOf(p[0][4:], p[0][2:4], p[0][:2])
	case n < len(p):
		return time.Time{}, false
	case isDigit(p[0][0]) && len(p[0]) == len("2026"):
		return dateOf(p[0], p[1], p[2])
	}
	if day, ok := dateOf(p[2], p[1], p[0]); ok {
		return day, true
	}
	return dateOf(p[2], p[0], p[1])
}

// dateParts gives the first numbers and words of a text, but weekdays and st, nd, rd, th.
func dateParts(text string) (parts [3]string, n int) {
	for i := 0; i < len(text) && n < len(parts); {
		kind, from := dateByte(text[i]), i
		for i < len(text) && dateByte(text[i]) == kind {
			i++
		}
		if part := text[from:i]; kind != 0 && !isDateFiller(part, n) {
			parts[n] = part
			n++
		}
	}
	return parts, n
}

// dateByte sorts digits, letters and what is between them.
func dateByte(c byte) byte {
	switch {
	case isDigit(c):
		return '0'
	case isLetter(c):
		return 'a'
	}
	return 0
}

func isDateFiller(part string, n int) bool {
	switch {
	case isDigit(part[0]):
		return false
	case n > 0:
		return len(part) == 2 && slices.ContainsFunc([]string{"st", "nd", "rd", "th"}, func(end string) bool { return strings.EqualFold(part, end) })
	}
	for day := time.Sunday; day <= time.Saturday; day++ {
		if shortens(part, day.String()) {
			return true
		}
	}
	return false
}

// shortens reports a name of a day or month, which may be cut to three letters.
func shortens(part, name string) bool {
	return len(part) >= 3 && len(part) <= len(name) && part[0]|0x20 == name[0]|0x20 && strings.EqualFold(part, name[:len(part)])
}

// dateOf reads a day of the calendar. The month may be a name, and the year of two digits.
func dateOf(year, month, day string) (time.Time, bool) {
	if len(year) == 2 && year < "70" {
		year = "20" + year
	} else if len(year) == 2 {
		year = "19" + year
	}
	y, err := strconv.Atoi(year)
	d, err2 := strconv.Atoi(day)
	m := monthOf(month)
	if err != nil || err2 != nil || len(year) != len("2026") || len(day) > 2 {
		return time.Time{}, false
	}
	date := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	return date, m > 0 && date.Day() == d && date.Month() == m
}

// monthOf gives the month of a number or of a name; 0 for none.
func monthOf(s string) time.Month {
	if isDigit(s[0]) {
		if n, err := strconv.Atoi(s); err == nil && len(s) <= 2 && n <= 12 {
			return time.Month(n)
		}
		return 0
	}
	for m := time.January; m <= time.December; m++ {
		if shortens(s, m.String()) {
			return m
		}
	}
	return 0
}

// notByBank and anyTransfer are what people write as the mode of a payment that is
// no transaction type of a bank, folded by foldLabel.
var (
	notByBank   = visible.WordSet("credit note", "debit note", "refund", "reversal", "dr", "cr", "debit", "credit", "cash", "cheque", "check", "chq", "dd", "demand draft", "by hand", "नकद", "चेक")
	anyTransfer = visible.WordSet("bank transfer", "online", "online transfer", "transfer", "bank", "net banking", "netbanking", "internet banking", "electronic", "direct deposit",
		"direct credit", "account transfer", "wire", "wire transfer", "e payment", "epayment")
)

// mode checks the words of a transaction type that payrun.toml does not name.
func (r *rowReader) mode() {
	said := r.cells[colTransactionType]
	if said == "" || said == r.o.TransactionTypeID || said == r.knownMode || r.refused[colTransactionType] {
		return
	}
	if _, configured := r.o.Rails[said]; configured {
		return
	}
	switch label := foldLabel(said); {
	case notByBank[label]:
		r.find(colTransactionType, codeModeNotByBank, said, fmt.Sprintf("%q is no payout from a bank account", said), "")
	case anyTransfer[label]:
		r.find(colTransactionType, codeModeGeneral, said, fmt.Sprintf("%q is sent to the bank as the transaction type", said), "")
	default:
		r.knownMode = said
	}
}

// foldBank gives what names of banks are compared by.
func foldBank(name string) string {
	words := strings.Fields(foldLabel(name))
	words = slices.DeleteFunc(words, func(w string) bool {
		return w == "bank" || w == "ltd" || w == "limited" || w == "the" || w == "of" || w == "co"
	})
	return strings.Join(words, " ")
}

// bankCodes are the first four letters of the IFSCs of large banks, by their
// names as foldBank leaves them.
var bankCodes = map[string]string{
	"sbi": "SBIN", "state india": "SBIN", "hdfc": "HDFC", "icici": "ICIC", "axis": "UTIB", "kotak": "KKBK", "kotak mahindra": "KKBK", "pnb": "PUNB", "punjab national": "PUNB",
	"bob": "BARB", "baroda": "BARB", "canara": "CNRB", "union": "UBIN", "union india": "UBIN", "boi": "BKID", "india": "BKID", "indian": "IDIB", "iob": "IOBA",
	"indian overseas": "IOBA", "central": "CBIN", "central india": "CBIN", "idbi": "IBKL", "yes": "YESB", "idfc": "IDFB", "idfc first": "IDFB", "indusind": "INDB",
	"federal": "FDRL", "uco": "UCBA", "maharashtra": "MAHB", "south indian": "SIBL", "karnataka": "KARB", "city union": "CIUB", "karur vysya": "KVBL", "rbl": "RATN",
	"bandhan": "BDBL", "punjab sind": "PSIB", "punjab and sind": "PSIB", "dbs": "DBSS", "citi": "CITI", "citibank": "CITI", "hsbc": "HSBC", "standard chartered": "SCBL",
	"भारतीय स्टेट बैंक": "SBIN", "पंजाब नेशनल बैंक": "PUNB",
}
