package validate

import (
	"fmt"
	"regexp"
	"strings"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
)

// payAmount reads the amount from a cell of any kind.
func (r *rowReader) payAmount() {
	if r.refused[colAmount] {
		return
	}
	text := r.cells[colAmount]
	if r.kinds[colAmount].Numeric() && !ingest.Exact(text) {
		r.inexact(codeAmountPrecision, "the number has more digits than a spreadsheet program keeps exactly")
		return
	}
	value, fault := parseAmount(text)
	switch {
	case fault == codeAmountDecimals:
		r.inexact(codeAmountDecimals, amountFaults[fault])
		return
	case fault != "":
		r.refuse(colAmount, fault, amountFaults[fault]+amountWords(fault, text))
		return
	case r.kinds[colAmount].ShownOtherwise():
		r.refuseFor(colAmount, codeCellFormatted, r.shownWords(colAmount), fixAmountFormat)
		return
	}
	if r.cutAtComma(text) {
		return
	}
	r.payout.Amount, r.amount = value, true
	if r.o.PayoutMost > 0 && value > r.o.PayoutMost {
		r.refuse(colAmount, codeAmountAboveMost, fmt.Sprintf("the amount %s is above %s, the limit for one payout", value.Indian(), r.o.PayoutMost.Indian()))
	}
	r.adding()
}

// cutAtComma detects an amount that ends where its thousands begin: 12,500 without quotes is two cells of a
// CSV. A line with all cells in quotes is clear, and so is a map that names the column to the right. It reports
// whether the row is refused; next to a column of counts or codes it only warns.
func (r *rowReader) cutAtComma(amount string) bool {
	if !r.row.BareCommas {
		return false
	}
	at := r.layout.at[colAmount] + 1
	if number, _ := visible.CutRupee(amount); number == "" || len(number) > 3 || !plainDigits(number, 0) || !groupBegun.MatchString(r.row.Text(at)) {
		return false
	}
	header := ""
	if at < len(r.layout.headers) {
		header = r.layout.headers[at]
	}
	if _, mapped := r.layout.mapping.columns[headerKey(header)]; mapped && header != "" {
		return false
	}
	message := fmt.Sprintf("the amount is %s, and the cell to its right says %q: a comma may have cut one amount in two", amount, visible.Shorten(r.row.Text(at)))
	if headerSaysOf(header).count && header != "" {
		r.find(colAmount, codeAmountBesideNumber, amount, message, "")
		return false
	}
	r.refuse(colAmount, codeAmountCut, message)
	return true
}

// groupBegun matches a text that may be the rest of such an amount, a group of thousands or decimals: 500,
// 500.00, 500/-, 50 only. A date does not match.
var groupBegun = regexp.MustCompile(`^[0-9]{2,3}(?:\.[0-9]*)?(?:/-| [^\p{Nd}]*)?$`)

// inexact refuses an amount with more decimals than paise. If the cell shows fewer, a formula such as ROUND
// makes it hold what it shows.
func (r *rowReader) inexact(code, message string) {
	if r.kinds[colAmount].ShownOtherwise() {
		shown, _ := r.shown(r.layout.at[colAmount])
		if _, fault := parseAmount(shown); fault == "" {
			message = fmt.Sprintf("the cell shows %s, and holds %s; use ROUND", shown, r.cells[colAmount])
		}
	}
	r.refuse(colAmount, code, message)
}

// control returns the row's amount for the sum over all rows, which is compared with the control total.
func (r *rowReader) control() (ledger.Paise, bool) {
	if r.amount {
		return r.payout.Amount, true
	}
	return amountOf(r.layout.cellOf(r.row, colAmount), r.row.Kind(r.layout.at[colAmount]))
}

// amountWords says what makes an amount unreadable, if one thing does: an invisible character, or a word of
// scale or of bookkeeping.
func amountWords(fault string, text string) string {
	if fault != codeAmountUnreadable {
		return ""
	}
	if hidden := hiddenIn(text); hidden != 0 {
		return fmt.Sprintf(": it holds %U, which does not show", hidden)
	}
	if rest, ok := strings.CutPrefix(text, "?"); ok {
		if _, fault := parseAmount(visible.Trim(rest)); fault == "" {
			return `: its "?" may be a ₹ that was lost when the sheet was saved`
		}
	}
	for _, word := range visible.Words(visible.Shorten(text)) {
		word = strings.Trim(word, "0123456789")
		if visible.IsScale(word) || word == "dr" || word == "only" {
			return fmt.Sprintf(": it says %q", word)
		}
	}
	return ""
}

// hiddenIn returns the first invisible character; 0 if there is none.
func hiddenIn(text string) rune {
	for _, r := range text {
		if !visible.Is(r) {
			return r
		}
	}
	return 0
}

// rail refuses an amount outside the limits of the row's transaction type, if the configuration says which rail
// it is.
func (r *rowReader) rail() {
	if len(r.o.Rails) == 0 || !r.amount || r.refused[colTransactionType] {
		return
	}
	rail := r.o.Rails[r.payout.TransactionTypeID]
	switch least, most := rail.Limits(); {
	case r.payout.Amount < least:
		r.find(colAmount, codeAmountRail, r.payout.Amount.String(), fmt.Sprintf("%s is below %s, the least for %s", r.payout.Amount.Indian(), least.Indian(), strings.ToUpper(string(rail))), "")
	case most > 0 && r.payout.Amount > most:
		r.find(colAmount, codeAmountRail, r.payout.Amount.String(), fmt.Sprintf("%s is above %s, the most for %s", r.payout.Amount.Indian(), most.Indian(), strings.ToUpper(string(rail))), "")
	}
}

// adding warns if the sheet itself shows how the amount is computed, and it does not add up.
func (r *rowReader) adding() {
	n := r.layout.net
	if !n.any() {
		return
	}
	gross, ok := r.moneyAt(n.gross)
	tds, ok2 := r.moneyAt(n.tds)
	net, ok3 := r.moneyAt(n.net)
	if !ok || !ok2 || !ok3 || gross-tds == net {
		return
	}
	r.find(colAmount, codeAmountNotNet, r.payout.Amount.String(), fmt.Sprintf("gross %s (%s) less TDS %s (%s) is not net %s (%s)",
		gross.Indian(), r.layout.cell(n.gross, r.number), tds.Indian(), r.layout.cell(n.tds, r.number), net.Indian(), r.layout.cell(n.net, r.number)), "")
}

// moneyAt reads an amount that is not paid. An empty cell is 0.00.
func (r *rowReader) moneyAt(at int) (ledger.Paise, bool) {
	said := r.row.Text(at)
	value, ok := amountOf(said, r.row.Kind(at))
	return value, said == "" || ok && value >= 0
}
