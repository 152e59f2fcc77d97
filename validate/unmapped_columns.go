package validate

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
)

// beside is the columns that are not read, and in which a row says something that
// its payout has to agree with: the account number once more, the name of the
// bank, that it is on hold, or was paid already. Counted from 0.
type beside struct {
	confirm []int // must equal the account number
	banks   []int
	holds   []int // Hold, Paid: yes is a no to paying
	states  []int // Status, Approved, Pay?: some words are
	done    []int // UTR, Paid On: filled once the payout was made
	notes   []int // Comments: they may say hold
	days    []int // Payment Date: on a later day the payout is not due yet
	crosses []int // any other: a cross is a no
}

// Headers of such columns, folded.
var (
	confirmWords = [...]string{"confirmation", "confirmed", "confirm", "reenter", "retype", "verify"}
	bankHeaders  = foldedSet("Bank", "Bank Name", "Name of Bank", "Name of the Bank", "Beneficiary Bank", "Beneficiary Bank Name", "Bene Bank", "Bene Bank Name",
		"Payee Bank", "Payee Bank Name", "Vendor Bank", "Vendor Bank Name", "Employee Bank", "बैंक", "बैंक का नाम")
	holdHeaders  = foldedSet("Hold", "On Hold", "Stop", "Stop Payment", "Paid", "Already Paid", "Cancelled", "Cancel")
	stateHeaders = foldedSet("Status", "Payment Status", "Pay Status", "Payout Status", "Txn Status", "Transaction Status", "Approved", "Approval", "Approval Status",
		"Pay", "Pay?", "Pay Y/N", "Pay (Y/N)", "Pay Now", "To Pay", "To be paid", "Include", "Release", "Hold/Release", "Hold / Pay")
	noteHeaders = foldedSet("Comment", "Comments", "Note", "Notes", "Remarks 2", "Remark 2", "Internal Remarks", "Internal Remark", "Finance Remarks", "टिप्पणी")
	dayHeaders  = foldedSet("Payment Date", "Pay Date", "Payout Date", "Value Date", "Transfer Date", "Execution Date", "Requested Execution Date", "Processing Date", "Date of Payment",
		"Pymt Date", "Payment On", "Pay On", "Pay After", "Transaction Date", "Txn Date", "भुगतान तिथि", "भुगतान दिनांक")
	doneHeaders = foldedSet("UTR", "UTR No", "UTR Number", "Bank UTR", "NEFT UTR", "UTR Ref No", "UTR Reference No", "Paid On", "Paid Date", "Date Paid")
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
	yesWords  = wordSet("yes", "y", "true", "1", "x", "hold", "on hold", "stop", "paid", "cancelled", "canceled")
	stopWords = wordSet("hold", "on hold", "stop", "stopped", "stop payment", "cancel", "cancelled", "canceled", "reject", "rejected", "no", "n", "false", "not approved",
		"unapproved", "do not pay", "dont pay", "duplicate", "paid", "already paid", "done", "success", "successful", "processed", "completed", "settled", "failed", "returned")
	// stopPhrases say so anywhere in a remark or a comment.
	stopPhrases = [...]string{"hold", "stop payment", "do not pay", "don't pay", "dont pay", "not to be paid", "cancelled", "canceled", "already paid", "duplicate"}
)

// besideOf finds such columns.
func (l *layout) besideOf() *beside {
	var b beside
	for i, header := range l.headers {
		if header == "" || len(header) > maxHeaderBytes || slices.Contains(l.at[:], i) {
			continue
		}
		switch key := visible.FoldHeader(header); {
		case isConfirmation(key):
			b.confirm = append(b.confirm, i)
		case bankHeaders[key]:
			b.banks = append(b.banks, i)
		case holdHeaders[key]:
			b.holds = append(b.holds, i)
		case stateHeaders[key]:
			b.states = append(b.states, i)
		case doneHeaders[key]:
			b.done = append(b.done, i)
		case dayHeaders[key]:
			b.days = append(b.days, i)
		case noteHeaders[key]:
			b.notes = append(b.notes, i)
		default:
			b.crosses = append(b.crosses, i)
		}
	}
	return &b
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

// besides holds the payout against what the row says beside it.
func (r *rowReader) besides() {
	if b := r.layout.beside; b != nil {
		r.confirmed(b)
		r.bankNamed(b)
		r.laterDay(b)
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
		if at < len(r.row.Kinds) && r.row.Kinds[at].Numeric() {
			again, _ = numericText(again)
		}
		if number != "" && again != number {
			r.findAt(at, colAccount, codeAccountConfirm, ledger.Mask(again), fmt.Sprintf("%q (%s) has another account number", r.layout.headers[at], ingest.ColumnName(at+1)))
			return
		}
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
	for _, at := range b.states {
		said := r.said(at)
		if said == r.knownState {
			continue
		}
		if stopWords[foldLabel(said)] || tickOf(said) == tickNo {
			return r.saysStop(at, said)
		}
		r.knownState = said
	}
	for _, at := range b.notes {
		if said := r.said(at); stopWithin(said) != "" {
			return r.saysStop(at, said)
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

// stopWithin gives what a text says, anywhere, to whoever wants to pay the row; "" for nothing.
func stopWithin(text string) string {
	for i := 0; i < len(text); i++ {
		if i > 0 && isLetter(text[i-1]) || !stopStarts[text[i]] {
			continue
		}
		for _, stop := range stopPhrases {
			n := i + len(stop)
			if n <= len(text) && strings.EqualFold(text[i:n], stop) && (n == len(text) || !isLetter(text[n])) {
				return stop
			}
		}
	}
	return ""
}

// stopStarts are the letters that stopPhrases begin with.
var stopStarts = func() (starts [256]bool) {
	for _, stop := range stopPhrases {
		starts[stop[0]], starts[stop[0]&^0x20] = true, true
	}
	return starts
}()

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
		if !ok || day.Format(time.DateOnly) <= r.o.Now.Format(time.DateOnly) {
			r.knownDay = said
			continue
		}
		r.findAt(at, colReference, codeExecutionDateAhead, said, fmt.Sprintf("the payout is to be made on %s, and payrun pays as soon as it is told to", day.Format("2 January 2006")))
		return
	}
}

// dayOf reads a day: 2026-01-31, 31/01/2026, 31.1.26, 31-Jan-2026.
func dayOf(text string) (time.Time, bool) {
	if day, _, ok := strings.Cut(text, " "); ok && isDigit(text[0]) && len(day) >= len("1.1.26") {
		text = day // and the time of day
	}
	text = strings.NewReplacer("/", "-", ".", "-", " ", "-").Replace(text)
	for _, layout := range [...]string{time.DateOnly, "2-1-2006", "2-1-06", "2-Jan-2006", "2-Jan-06", "2-January-2006"} {
		if day, err := time.Parse(layout, text); err == nil {
			return day, true
		}
	}
	return time.Time{}, false
}

// notByBank and anyTransfer are what people write as the mode of a payment that is
// no transaction type of a bank, folded by foldLabel.
var (
	notByBank   = wordSet("credit note", "debit note", "refund", "reversal", "dr", "cr", "debit", "credit", "cash", "cheque", "check", "chq", "dd", "demand draft", "by hand", "नकद", "चेक")
	anyTransfer = wordSet("bank transfer", "online", "online transfer", "transfer", "bank", "net banking", "netbanking", "internet banking", "electronic", "direct deposit",
		"direct credit", "account transfer", "wire", "wire transfer", "e payment", "epayment")
)

// mode judges the words of a transaction type that payrun.toml does not name.
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
