package validate

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"payrun/ingest/visible"
	"payrun/ledger"
)

// besideColumn is an unread column, or the remarks, whose cells must agree with the payout: the account number again,
// the name of the bank, or whether it is on hold or was paid already.
type besideColumn struct {
	at    int // counted from 0
	kind  besideKind
	looks looksBeside
	known []string // the first few values without a finding

	// Of asState: whether a row says that it is to be paid, and the first row that says neither that nor that it is
	// not, best one with a word; 0 for none.
	yes       bool
	other     int
	otherSays string
}

// looksBeside checks the text of a row in a column, and reports whether it found something.
type looksBeside func(r *rowReader, at int, said string) bool

// besideKind is in the order in which the columns of a row are checked.
type besideKind uint8

const (
	asConfirmation besideKind = iota // must equal the account number
	asBank
	asDay      // Payment Date: a later day means that the payout is not due yet
	asCurrency // or the unit
	asHold     // Hold, Paid: yes means do not pay
	asState    // Status, Approved, Pay?: some words below it mean do not pay
	asOther    // KYC Status: only words about a payment mean do not pay
	asNote     // Comments: they may say hold
	asCross    // any other: a cross means do not pay
	asDone     // UTR, Paid On: filled after the payout was made
	asNothing
)

// mostKnown is how many values of a column are checked once for all rows.
const mostKnown = 8

// Headers of such columns, folded, and the words in them.
var (
	confirmWords = [...]string{"confirmation", "confirmed", "confirm", "reenter", "retype", "verify"}
	bankHeaders  = visible.WordSet("bank", "bankname", "nameofbank", "nameofthebank", "beneficiarybank", "beneficiarybankname",
		"benebank", "benebankname", "payeebank", "payeebankname", "vendorbank", "vendorbankname", "employeebank", "बैंक", "बैंककानाम")

	// A column of holds has one of holdWords in its header, and no words other than holdWords and holdMore. With a day at
	// its end it is filled after a payout was made or stopped: Paid On, Processed Date.
	holdWords = visible.WordSet("hold", "stop", "paid", "cancelled", "canceled", "cancel", "block", "blocked", "exclude", "excluded", "skip", "ignore", "credited", "transferred",
		"processed", "settled", "disbursed", "remitted", "made", "done", "void", "voided", "deleted", "withheld")
	holdMore = visible.WordSet("on", "already", "payment", "salary", "status", "unpaid", "y", "n", "is", "put", "flag", "unhold")
	// A column with one of blockWords and one of blockMore says why, until when or with which code a payment is blocked.
	blockWords = visible.WordSet("hold", "stop", "block", "blk")
	blockMore  = visible.WordSet("reason", "for", "remark", "remarks", "till", "until", "upto", "since", "payment", "pymt", "pmnt", "pmt", "salary")
	// A column with one of byWords and one of payWords names the way of payment, also where another column is read.
	byWords = visible.WordSet("mode", "type", "method", "through", "instrument")
	// A header that asks whether to pay has one of askWords, and no words other than askWords and askMore: Pay?, To be
	// paid, Hold / Pay (Y/N), Eligible.
	askWords = visible.WordSet("pay", "paid", "payment", "eligible", "process", "proceed", "ok", "active", "selected", "select", "tick", "mark")
	askMore  = visible.WordSet("to", "for", "be", "now", "hold", "y", "n", "1", "0", "whether", "is", "this", "month", "flag")

	whomWords = visible.WordSet("to", "for")

	stateWords    = visible.WordSet("status", "include", "included", "release", "released", "action", "decision", "स्थिति", "स्थिती", "સ્થિતિ", "ਸਥਿਤੀ", "অবস্থা", "நிலை", "స్థితి", "ಸ್ಥಿತಿ", "സ്ഥിതി")
	approvalWords = visible.WordSet("approved", "approval", "approve", "checked", "verified", "स्वीकृत", "स्वीकृति", "अनुमोदन", "अनुमोदित")
	// With one of these words, a header is not about the state of a payment.
	otherStates = visible.WordSet("kyc", "pan", "aadhaar", "aadhar", "gst", "gstin", "msme", "email", "mobile", "phone", "marital", "employee", "emp", "employment", "vendor", "delivery", "grn", "po",
		"tax", "itr", "pf", "uan", "esi", "work", "job", "project", "seeding", "npci", "registration", "required", "taken", "account", "bank", "ifsc", "penny", "verification", "validation")
	// Below a header with one of these words are dates, amounts or numbers: Approved On, Approval No.
	noStates = visible.WordSet("date", "dt", "on", "time", "amount", "amt", "rs", "inr", "value", "qty", "quantity", "rate", "no", "number", "code", "id", "ref", "limit")

	remarkWords = visible.WordSet("remark", "remarks", "comment", "comments", "note", "notes", "narration", "narrations", "instruction", "instructions", "observation", "observations", "query", "टिप्पणी", "अभ्युक्ति")

	dayWords = visible.WordSet("date", "dt", "on", "after", "दिनांक", "तिथि", "तारीख")
	// dueWords name days on which something is paid.
	dueWords = visible.WordSet("pay", "paid", "payment", "pymt", "payout", "value", "txn", "trn", "tran", "transaction", "transfer", "instruction", "instrument", "cheque", "chq", "credit",
		"activation", "schedule", "scheduled", "effective", "release", "execution", "processing", "credited", "disbursement", "disbursal", "remittance", "settlement", "भुगतान")
	otherDays = visible.WordSet("due", "invoice", "inv", "bill", "birth", "joining", "relieving", "document", "doc", "order", "grn", "po", "expiry", "validity", "valid", "from", "to", "period")
)

// What a row may say in them, folded by foldLabel.
var (
	yesWords   = visible.WordSet("yes", "y", "true", "1", "x", "hold", "on hold", "stop", "paid", "cancelled", "canceled", "blocked")
	noPayWords = visible.WordSet("hold", "on hold", "stop", "stopped", "stop payment", "cancel", "cancelled", "canceled", "reject", "rejected", "not approved", "unapproved", "do not pay", "dont pay",
		"duplicate", "blocked", "disputed", "under dispute", "pending approval", "approval pending", "awaiting approval", "withheld", "void", "voided", "deleted", "reversed", "skip", "ignore",
		"no payment", "paid", "already paid", "payment done", "payment made", "payment released", "resigned", "left", "terminated", "inactive", "draft", "absconding", "absconded", "deceased", "रोकें", "रोक", "रद्द", "अस्वीकृत", "लंबित")
	noBlock = visible.WordSet("no", "n", "0", "false", "none", "not applicable", "released")
	noWords = visible.WordSet("no", "n", "0", "x", "false", "pending", "draft", "failed", "returned", "नहीं")
	payYes  = visible.WordSet("yes", "y", "approved", "ok", "okay", "true", "1", "pay", "release", "released", "include", "included", "active", "open", "verified", "checked", "confirmed",
		"authorised", "authorized", "sanctioned", "passed", "cleared", "ready", "due", "overdue", "pending", "unpaid", "not paid", "payable", "to pay", "to be paid", "to be released", "no objection", "permanent", "regular", "probation", "done", "completed", "हाँ", "हां", "स्वीकृत", "अनुमोदित")
	doneWords   = visible.WordSet("done", "success", "successful", "processed", "completed", "settled")
	notYetWords = visible.WordSet("na", "n a", "not applicable")

	// stopPhrases in a remark or comment mean do not pay, stopBegins only at its beginning.
	stopPhrases = byFirstByte("hold", "stop payment", "payment stopped", "do not pay", "don t pay", "don’t pay", "dont pay", "donot pay", "do not release", "don t release", "don’t release", "dont release",
		"do not process", "don t process", "don’t process", "dont process", "not to be paid", "not to be released", "not to be processed", "not to pay", "not to release", "not payable", "not for payment", "do not upload", "already uploaded", "kept pending", "stop salary", "withhold",
		"cancelled", "canceled", "already paid", "already released", "already processed", "already credited", "already transferred", "already settled", "duplicate", "रोकें", "रोक", "रोका", "भुगतान न करें")
	stopBegins   = byFirstByte("paid by", "paid in cash", "paid on", "paid already", "paid vide", "paid via", "paid thru")
	payeesCheque = []string{"cancelled cheque", "canceled cheque", "cancelled chq"} // a proof of the account
	noPayPhrases = byFirstByte(slices.Collect(maps.Keys(noPayWords))...)
)

// besideOf finds such columns.
func (l *layout) besideOf() (all []besideColumn) {
	for i, header := range l.headers {
		if header == "" || len(header) > maxHeaderBytes || slices.Contains(l.at[:], i) && i != l.at[colRemarks] {
			continue
		}
		add := func(kind besideKind, looks looksBeside) {
			all = append(all, besideColumn{at: i, kind: kind, looks: looks})
		}
		words := visible.Words(header)
		if slices.Contains(words, "yes") { // Paid (Yes/No)
			words = slices.DeleteFunc(words, func(w string) bool { return w == "yes" || w == "no" })
		}
		key := l.keys[i]
		switch {
		case currencyHeaders[key]:
			add(asCurrency, unless(visible.IsRupee))
		case saysUnit(header):
			add(asCurrency, unless(isGoodsUnit))
		}
		if saysCurrency(header) && !currencyHeaders[key] {
			add(asCurrency, unless(func(said string) bool { return !isForeign(said) }))
		}
		note := i == l.at[colRemarks] || hasWord(words, remarkWords)
		if note {
			add(asNote, warns(isNote))
		}
		approval, state := hasWord(words, approvalWords), isState(words)
		switch {
		case isConfirmation(key):
			add(asConfirmation, (*rowReader).confirmed)
		case bankHeaders[key]:
			add(asBank, (*rowReader).bankNamed)
		case slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "utr") }),
			hasWord(words, holdWords) && onlyWords(words, holdWords, holdMore, dayWords) && (dayWords[words[len(words)-1]] || words[0] == "date"):
			add(asDone, (*rowReader).filledIn)
		case hasWord(words, blockWords) && hasWord(words, blockMore) && onlyWords(words, blockWords, blockMore, holdMore):
			add(asHold, warns(isBlock))
		case hasWord(words, byWords) && (hasWord(words, payWords) || words[0] == "instrument"):
			add(asHold, warns(func(said string) bool { return byHand[foldLabel(said)] }))
		case hasWord(words, holdWords) && onlyWords(words, holdWords, holdMore), strings.Contains(stopIn(header), " "): // Hold; Do not pay
			add(asHold, warns(isYes))
		case isDay(words):
			add(asDay, (*rowReader).laterDay)
		case state && hasWord(words, otherStates):
			add(asOther, warns(isStop(noPayWords)))
		case state && approval: // Approved, Checked: done means pay
			add(asState, warns(isStop(noPayWords, noWords, notYetWords)))
		case state: // Status, Pay?: done means do not pay
			stops := isStop(noPayWords, noWords, doneWords)
			unpaid := hasWord(words, payWords) && slices.Contains(words, "status") // Payment Status: pending means not paid yet
			add(asState, warns(func(said string) bool { return !(unpaid && foldLabel(said) == "pending") && stops(said) }))
		case !note:
			add(asCross, warns(isStopped))
		}
	}
	slices.SortStableFunc(all, func(a, b besideColumn) int { return cmp.Compare(a.kind, b.kind) })
	return all
}

func hasWord(words []string, set map[string]bool) bool {
	return slices.ContainsFunc(words, func(w string) bool { return set[w] })
}

func onlyWords(words []string, sets ...map[string]bool) bool {
	return !slices.ContainsFunc(words, func(w string) bool {
		return !slices.ContainsFunc(sets, func(set map[string]bool) bool { return set[w] })
	})
}

// isState reports whether rows below a header say if they are to be paid.
func isState(words []string) bool {
	last := words[max(0, len(words)-1):]
	asks := hasWord(words, askWords) && onlyWords(words, askWords, askMore) && !hasWord(last, whomWords) && // Paid To, Payment for
		slices.Contains(words, "month") == slices.Contains(words, "this") // and not Pay Month
	return (asks || hasWord(words, approvalWords) || hasWord(words, stateWords)) && !hasWord(words, noStates)
}

// isStop returns a test for words that mean do not pay. In a longer text the first word counts too.
func isStop(sets ...map[string]bool) func(said string) bool {
	return func(said string) bool {
		return saysOne(said, sets...) || isCross(said) || stopIn(said) != ""
	}
}

// saysOne reports whether a text, or the first word of a longer one, is in one of the sets.
func saysOne(said string, sets ...map[string]bool) bool {
	label := foldLabel(said)
	first, _, _ := strings.Cut(label, " ")
	return slices.ContainsFunc(sets, func(set map[string]bool) bool { return set[label] || len(first) > len("no") && set[first] })
}

// isDay reports whether a header is the day on which the row is to be paid. Programs may write it as one word:
// paymentdate.
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
	return hasWord(words, dayWords) && hasWord(words, dueWords) &&
		!slices.ContainsFunc(words, func(w string) bool { return otherDays[w] && !(w == "to" && toBe) })
}

// within returns a word of more than two letters that is part of glued; "" if there is none.
func within(glued string, words map[string]bool) string {
	for w := range words {
		if len(w) > 2 && strings.Contains(glued, w) {
			return w
		}
	}
	return ""
}

// isConfirmation reports whether a header asks for the account number again: Confirm Account No.
func isConfirmation(key string) bool {
	for _, word := range confirmWords {
		if rest := strings.Replace(key, word, "", 1); rest != key {
			return knownWords()[rest] == colAccount || rest == "account"
		}
	}
	return false
}

// besides compares the payout with the other columns of its row.
func (r *rowReader) besides() {
	found := asNothing
	for i := range r.layout.unmapped {
		c := &r.layout.unmapped[i]
		said := r.row.Text(c.at)
		if r.row.Kind(c.at).ShownOtherwise() { // 1, and its format shows Hold
			if shown, known := r.shown(c.at); known {
				said = shown
			}
		}
		switch {
		case said == "" && c.kind != asConfirmation && c.kind != asState, c.kind == found && c.kind != asCurrency, slices.Contains(c.known, said):
		case c.looks(r, c.at, said):
			if found = c.kind; found >= asHold {
				return // one finding is enough
			}
		default:
			if c.kind == asState {
				c.weigh(said, r.number)
			}
			if c.kind >= asDay && c.kind != asCross && len(c.known) < mostKnown {
				c.known = append(c.known, strings.Clone(said))
			}
		}
	}
}

// confirmed refuses a row with two different account numbers.
func (r *rowReader) confirmed(at int, again string) bool {
	number := r.payout.BankAccountNumber
	if number == "" || again == number {
		return false
	}
	r.findAt(at, colAccount.String(), codeAccountConfirm, ledger.Mask(again), r.layout.named(at)+" has another account number")
	return true
}

// unless refuses a row in a currency or unit that is not fine.
func unless(fine func(said string) bool) looksBeside {
	return func(r *rowReader, at int, said string) bool {
		if fine(said) {
			return false
		}
		r.findAt(at, colAmount.String(), codeAmountCurrency, said, fmt.Sprintf("the row is in %q, and payouts are in rupees", visible.Shorten(said)))
		return true
	}
}

// isGoodsUnit reports whether said is not a unit of money. L and M are litres and metres.
func isGoodsUnit(said string) bool {
	return len(said) == 1 || visible.UnitNote([]string{"in " + said}) == ""
}

// bankNamed warns if the IFSC belongs to another bank than the named one.
func (r *rowReader) bankNamed(at int, name string) bool {
	code, known := bankCodes[foldBank(name)]
	if !known || len(r.payout.IFSC) < bankChars || r.payout.IFSC[:bankChars] == code {
		return false
	}
	r.findAt(at, colIFSC.String(), codeBankNameDiffers, name, fmt.Sprintf("the bank is %q, whose IFSCs begin with %s, and the IFSC is %s", visible.Shorten(name), code, r.payout.IFSC))
	return true
}

// warns returns a check that warns of a row whose column says not to pay it, or that it was paid.
func warns(stops func(said string) bool) looksBeside {
	return func(r *rowReader, at int, said string) bool {
		if !stops(said) {
			return false
		}
		r.findAt(at, colReference.String(), codeRowSaysOtherwise, said, fmt.Sprintf("%s says %q", r.layout.named(at), visible.Shorten(said)))
		return true
	}
}

// weigh records what a row says below Status, Approved and the like. Words vary endlessly: one that is not known to
// mean pay is reported once, and an empty cell matters only where another row has one.
func (c *besideColumn) weigh(said string, row int) {
	label := foldLabel(said)
	first, _, _ := strings.Cut(label, " ")
	switch {
	case payYes[label], payYes[first], isSign(said, ticks):
		c.yes = true
	case c.other == 0 || c.otherSays == "":
		c.other, c.otherSays = row, visible.Shorten(said)
	}
}

func isYes(said string) bool { return saysOne(said, yesWords, doneWords) || isSign(said, ticks) }

// isBlock reports whether a text is more than a no: Payment Block: A, Hold Reason: KYC.
func isBlock(said string) bool { return !isNil(said) && !isCross(said) && !noBlock[foldLabel(said)] }

func isNote(said string) bool { return isCross(said) || stopIn(said) != "" }

// The signs for yes and no in a cell.
var (
	ticks   = visible.WordSet("✓", "✔", "☑", "✅")
	crosses = visible.WordSet("✗", "✘", "❌", "☒", "✖")
)

func isSign(said string, of map[string]bool) bool {
	return of[strings.TrimSuffix(said, "\ufe0f")] // the variation selector for emoji style
}

func isCross(said string) bool { return isSign(said, crosses) }

// isStopped reports what may be in any column: a cross, or several words against paying.
func isStopped(said string) bool {
	return isCross(said) || strings.IndexByte(said, ' ') > 0 && strings.IndexByte(stopIn(said), ' ') > 0
}

func (r *rowReader) filledIn(at int, said string) bool {
	if !hasDigit(said) {
		return false
	}
	r.findAt(at, colReference.String(), codeRowSaysOtherwise, said, r.layout.named(at)+" is filled in: the payout may have been made or stopped already")
	return true
}

// stopIn returns the part of a text that tells a person not to pay; "" if there is none. It may be only a word that a
// status column has too: Paid.
func stopIn(text string) string {
	for i := range len(text) {
		if !isLetter(text[i]) || i > 0 && isLetter(text[i-1]) {
			continue
		}
		n := beginsWith(text[i:], stopPhrases[text[i]|0x20])
		if i == 0 && n == 0 {
			n = beginsWith(text, stopBegins[text[0]|0x20])
		}
		if n > 0 && beginsWith(text[i:], payeesCheque) == 0 {
			return text[i : i+n]
		}
	}
	whole := strings.Trim(text, " .!*-()[]")
	if whole == "" || !slices.ContainsFunc(noPayPhrases[whole[0]|0x20], func(phrase string) bool { return lengthOf(phrase, whole) == len(whole) }) {
		return ""
	}
	return whole
}

// byFirstByte groups phrases by their first byte, in either case, because every word of a sheet is compared.
func byFirstByte(phrases ...string) (groups [256][]string) {
	for _, phrase := range phrases {
		groups[phrase[0]|0x20] = append(groups[phrase[0]|0x20], phrase)
	}
	return groups
}

// beginsWith returns the length of the phrase with which a text begins; 0 for none.
func beginsWith(text string, phrases []string) int {
	for _, phrase := range phrases {
		if n := lengthOf(phrase, text); n > 0 && (n == len(text) || !isLetter(text[n])) {
			return n
		}
	}
	return 0
}

// lengthOf returns the length of a phrase at the beginning of a text; 0 if it is not there. Any signs may be between
// its words: do-not-pay. It allocates nothing, because remarks may differ in every row.
func lengthOf(phrase, text string) (n int) {
	for i := range len(phrase) {
		from := n
		for phrase[i] == ' ' && n < len(text) && !isLetter(text[n]) && !isDigit(text[n]) {
			n++
		}
		if phrase[i] != ' ' && n < len(text) && (text[n] == phrase[i] || isUpper(text[n]) && text[n]|0x20 == phrase[i]) {
			n++
		}
		if n == from {
			return 0
		}
	}
	return n
}

func isLetter(c byte) bool { return isUpper(c&^0x20) || c >= 0x80 }

// laterDay refuses a payout if a column says that it is due on a later day. It reads days as people in India
// write them, and warns of what may be another: 5-Dec, tomorrow.
func (r *rowReader) laterDay(at int, said string) bool {
	day, ok := dayOf(said)
	if !ok && !nowWords[foldLabel(said)] {
		r.findAt(at, colReference.String(), codeExecutionDateUnclear, said, fmt.Sprintf("%q cannot be read as a day, and payrun pays when you submit", visible.Shorten(said)))
		return true
	}
	year, month, today := r.o.Now.Date()
	if !ok || r.o.Now.IsZero() || !day.After(time.Date(year, month, today, 0, 0, 0, 0, time.UTC)) {
		return false
	}
	r.findAt(at, colReference.String(), codeExecutionDateAhead, said, fmt.Sprintf("the payout is to be made on %s, and payrun pays when you submit", day.Format("2 January 2006")))
	return true
}

// nowWords, folded by foldLabel, mean no day but the one on which a person submits. The first is that of a dash.
var nowWords = visible.WordSet("", "nil", "na", "n a", "today", "now", "immediate", "immediately", "same day", "asap", "urgent", "तुरंत", "आज")

// dayLayouts are the ways to write a day, with its parts separated by spaces. The month comes first only if no
// day-first reading fits: 12/28/2026.
var dayLayouts = [...]string{"2006 1 2", "2006 Jan 2", "2 1 2006", "2 1 06", "2 Jan 2006", "2 Jan 06", "1 2 2006", "1 2 06", "Jan 2 2006", "Jan 2 06"}

// dayOf reads the day at the beginning of a text, also after a weekday: 2026-01-31, 31/01/2026, 31.1.26,
// 31-Jan-2026, 31st January 2026, Jan 31, 2026, 20260131.
func dayOf(text string) (time.Time, bool) {
	parts := dayParts(text)
	layouts := dayLayouts[:]
	if len(parts) == 1 {
		layouts = []string{"20060102", "02012006"}
	}
	for _, layout := range layouts {
		if day, err := time.Parse(layout, strings.Join(parts[:min(len(parts), 3)], " ")); err == nil {
			return day, true
		}
	}
	return time.Time{}, false
}

var dayPart = regexp.MustCompile(`[0-9]+|[A-Za-z\x{80}-\x{10FFFF}]+`)

// dayNames are the beginnings, up to three letters, of words that do not change a day.
var dayNames = visible.WordSet("sun", "mon", "tue", "wed", "thu", "fri", "sat", "st", "nd", "rd", "th")

// dayParts returns the numbers and months of a text, without weekdays and st, nd, rd, th. It cuts names to
// three letters.
func dayParts(text string) (parts []string) {
	for _, part := range dayPart.FindAllString(text, 5) {
		if !isDigit(part[0]) {
			part = part[:min(len(part), 3)]
		}
		if !dayNames[strings.ToLower(part)] {
			parts = append(parts, part)
		}
	}
	return parts
}

// notByBank and anyTransfer are payment modes that are not transaction types of a bank, folded by foldLabel.
var (
	notByBank   = visible.WordSet("credit note", "debit note", "refund", "reversal", "recovery", "deduction", "dr", "cr", "debit", "credit")
	byHand      = visible.WordSet("cash", "cheque", "check", "chq", "dd", "demand draft", "by hand", "नकद", "चेक")
	anyTransfer = visible.WordSet("bank transfer", "online", "online transfer", "transfer", "bank", "net banking", "netbanking", "internet banking", "electronic", "direct deposit",
		"direct credit", "account transfer", "wire", "wire transfer", "e payment", "epayment")
)

// mode checks a transaction type that payrun.toml does not name.
func (r *rowReader) mode() {
	said := r.cells[colTransactionType]
	if said == "" || said == r.o.TransactionTypeID || said == r.knownMode || r.refused[colTransactionType] {
		return
	}
	if _, configured := r.o.Rails[said]; configured {
		return
	}
	switch label := foldLabel(said); {
	case notByBank[label], byHand[label], stopIn(said) != "":
		r.find(colTransactionType, codeModeNotByBank, said, fmt.Sprintf("%q is not a payout from a bank account", said), "")
	case anyTransfer[label]:
		r.find(colTransactionType, codeModeGeneral, said, fmt.Sprintf("%q is sent to the bank as the transaction type", said), "")
	default:
		r.knownMode = said
	}
}

// foldBank returns the form in which names of banks are compared.
func foldBank(name string) string {
	words := slices.DeleteFunc(wordsOf(name), func(w string) bool {
		return w == "bank" || w == "ltd" || w == "limited" || w == "the" || w == "of" || w == "co"
	})
	return strings.Join(words, " ")
}

// bankCodes are the first four letters of the IFSCs of large banks, by name as foldBank returns it.
var bankCodes = map[string]string{
	"sbi": "SBIN", "state india": "SBIN", "hdfc": "HDFC", "icici": "ICIC", "axis": "UTIB", "kotak": "KKBK", "kotak mahindra": "KKBK", "pnb": "PUNB", "punjab national": "PUNB",
	"bob": "BARB", "baroda": "BARB", "canara": "CNRB", "union": "UBIN", "union india": "UBIN", "boi": "BKID", "india": "BKID", "indian": "IDIB", "iob": "IOBA",
	"indian overseas": "IOBA", "central": "CBIN", "central india": "CBIN", "idbi": "IBKL", "yes": "YESB", "idfc": "IDFB", "idfc first": "IDFB", "indusind": "INDB",
	"federal": "FDRL", "uco": "UCBA", "maharashtra": "MAHB", "south indian": "SIBL", "karnataka": "KARB", "city union": "CIUB", "karur vysya": "KVBL", "rbl": "RATN",
	"bandhan": "BDBL", "punjab sind": "PSIB", "punjab and sind": "PSIB", "dbs": "DBSS", "citi": "CITI", "citibank": "CITI", "hsbc": "HSBC", "standard chartered": "SCBL",
	"भारतीय स्टेट बैंक": "SBIN", "पंजाब नेशनल बैंक": "PUNB",
}
