package validate

import (
	"regexp"
	"slices"
	"strings"

	"payrun/ingest/visible"
)

// headerSays is what the header of an unread column says about its values.
type headerSays struct {
	count   bool // a number that is not an amount: a code, a count, a rate
	money   bool // an amount
	off     bool // an amount that is deducted or added
	pays    bool // an amount that is paid
	final   bool // the amount that is finally paid: net, approved, balance
	rest    bool // an amount still to be paid: balance
	percent bool // a percentage of the amount to be paid

	account, mayBeAccount bool // it holds account numbers; it may hold them
	ifsc, mayBeIFSC       bool
	document              bool // it names the kind of document
}

// Words of headers.
var (
	// nameWords say that a number names something, measureWords that it measures something other than money.
	// countWords say the same unless another word says that something is paid or deducted.
	nameWords = visible.WordSet("no", "num", "number", "nos", "code", "id", "ref", "reference", "section", "sec", "date", "dt", "pin", "pincode", "zip", "tel", "contact", "aadhaar", "aadhar",
		"uan", "pan", "gstin", "hsn", "sac", "po", "utr", "cheque", "chq", "sl", "sr", "sno", "serial", "pran", "micr", "terms", "group", "centre", "center", "dept", "department", "branch",
		"plant", "project", "wbs", "gl", "docket", "awb", "lr", "policy", "consumer", "application", "crn", "संख्या", "क्रमांक")
	measureWords = visible.WordSet("day", "days", "age", "qty", "quantity", "hours", "hrs", "count", "units", "pcs", "pieces", "kg", "kgs", "gm", "gms", "ton", "tons", "mt", "litre", "litres", "ltr", "ltrs",
		"km", "kms", "weight", "wt", "distance", "area", "sqft", "size", "time", "score", "rating", "ratio", "rate", "price", "mrp", "percent", "percentage", "pct", "attendance", "lop", "leave",
		"points", "present", "grade", "level", "ward", "shift", "version")
	countWords   = visible.WordSet("mobile", "mob", "phone", "month", "months", "year", "years", "invoice", "bill", "मोबाइल")
	otherPayouts = visible.WordSet("employer", "ctc", "ytd", "cumulative", "limit", "budget", "target", "turnover", "which", "incl", "including", "included") // other amounts, or parts
	pastWords    = visible.WordSet("old", "previous", "prev", "last", "earlier", "पुराना")
	periodWords  = visible.WordSet("week", "month", "quarter", "year")

	moneyWords = visible.WordSet("amount", "amt", "value", "rs", "inr", "rupees", "gross", "total", "due", "basic", "salary", "wages", "राशि", "रकम")
	payWords   = visible.WordSet("pay", "payment", "paid", "payout", "settled", "settlement", "disbursed", "disbursement", "actual", "credited", "hand", "bank", "neft", "transfer")
	finalWords = visible.WordSet("payable", "net", "final", "pass", "rev", "corr", "appd", "apprd", "updated", "देय", "शुद्ध", "स्वीकृत")
	restWords  = visible.WordSet("balance", "remaining", "outstanding", "बकाया", "शेष")
	offWords   = visible.WordSet("tds", "adv", "ded", "adj", "fine", "fines", "canteen", "mess", "ld", "sd", "minus", "damages", "shortage", "breakage", "withheld", "cash", "wct", "security", "short",
		"कटौती", "अग्रिम", "टीडीएस")

	// notPayees are accounts to which the payee is not paid.
	notPayees = visible.WordSet("loan", "pf", "epf", "ppf", "nps", "demat", "fd", "rd", "virtual", "closed", "sender", "sponsor", "old", "previous", "prev", "earlier", "type")

	accountWords  = visible.WordSet("account", "acct", "acc", "ac", "खाता")
	documentWords = visible.WordSet("type", "nature", "doc", "document", "entry", "vch", "voucher", "category", "particulars")
)

// How some words begin: approved, deductions.
var (
	finalBegins = []string{"approv", "sanc", "revis", "passed", "correct", "releas", "verif"}
	offBegins   = []string{"advance", "deduct", "recov", "penal", "retent", "adjust", "disallow"}
)

// rateNamed matches a rate in a name: TDS @10% holds amounts, TDS % does not.
var rateNamed = regexp.MustCompile(`[0-9.]+ *%`)

// headerSaysOf reads a header; "" gives nothing.
func headerSaysOf(header string) (s headerSays) {
	if len(header) > maxHeaderBytes {
		header = ""
	}
	header = rateNamed.ReplaceAllString(header, "")
	words := visible.Words(header)
	is := func(set map[string]bool) bool { return hasWord(words, set) }
	begins := func(with []string) bool {
		return slices.ContainsFunc(words, func(w string) bool {
			return slices.ContainsFunc(with, func(b string) bool { return strings.HasPrefix(w, b) })
		})
	}
	percent := strings.Contains(header, "%")
	s.rest = is(restWords)
	s.final = s.rest || is(finalWords) || begins(finalBegins) || strings.Contains(visible.FoldHeader(header), "topay")
	s.pays = s.final || is(payWords)
	takesOff := begins(offBegins)
	s.off = !s.final && (is(otherDeductions) || is(offWords) || takesOff)
	s.money = is(moneyWords)
	if is(placeWords) && !s.money {
		s.final, s.pays = false, false // Payable at, Paying Branch
	}
	s.percent = percent && s.pays
	switch {
	case s.percent:
	case is(nameWords), is(measureWords) && !takesOff, is(otherPayouts), visible.OtherUnit(header) != "", is(pastWords) && is(periodWords):
		s.count = true
	case s.pays || s.off:
	case is(countWords), is(pastWords):
		s.count = !s.money || is(pastWords)
	}
	s.account = header == "" || is(accountWords) || strings.Contains(strings.ToLower(header), "a/c")
	s.mayBeAccount = mayMean(colAccount, header) && (s.account || !is(nameWords) && !is(measureWords) && !is(countWords))
	s.account = s.account && s.mayBeAccount
	s.mayBeIFSC = mayMean(colIFSC, header)
	s.ifsc = s.mayBeIFSC && strings.Contains(strings.ToLower(header), "ifs")
	s.document = is(documentWords) && !is(accountWords) && !strings.Contains(strings.ToLower(header), "a/c")
	return s
}
