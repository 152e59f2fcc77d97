package validate

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"payrun/ingest"
	"payrun/ledger"
)

// rowJudge judges one row after another. What a row leaves in it is valid
// until the next.
type rowJudge struct {
	o      Options
	layout *layout
	debits *debitAccounts
	found  *findings

	number  int
	cells   [columnCount]string // trimmed; numbers as the spreadsheet program shows them
	kinds   [columnCount]ingest.Kind
	refused [columnCount]bool // the cell itself was refused, so nothing more is said about it
	bad     bool              // the row is rejected
	payout  ledger.Payout
	amount  bool // payout.Amount could be read
}

// judge reads the row into j.payout and reports whether it is accepted.
func (j *rowJudge) judge(row ingest.Row) bool {
	j.begin(row)
	if !j.shape(row) {
		return false
	}
	j.gather(row)
	if j.empty() {
		j.find(columnCount, codeRowWithoutPayout, "", "the row has text, but none in the columns that are read", "")
		return false
	}
	j.reference()
	j.payAmount()
	if account := j.debit(); account != nil {
		j.payee(account)
		j.lei(account)
	}
	j.text(colRemarks, &j.payout.Remarks)
	j.identifier(colTransactionType, &j.payout.TransactionTypeID)
	j.identifier(colSubMerchant, &j.payout.SubMerchantID)
	if j.payout.TransactionTypeID == "" && !j.refused[colTransactionType] {
		j.find(colTransactionType, codeTransactionTypeMissing, "", "neither the row nor the configuration names a transaction type", "")
	}
	return !j.bad
}

func (j *rowJudge) begin(row ingest.Row) {
	j.number, j.bad, j.amount = row.Number, false, false
	j.cells, j.kinds, j.refused = [columnCount]string{}, [columnCount]ingest.Kind{}, [columnCount]bool{}
	j.payout = ledger.Payout{Row: row.Number, SubMerchantID: j.o.SubMerchantID, TransactionTypeID: j.o.TransactionTypeID}
}

// shape refuses a row with other cells than the header has columns: then
// nobody knows which cell belongs where. XLSX stores no empty cells at the
// end, so there a short row is an ordinary one.
func (j *rowJudge) shape(row ingest.Row) bool {
	if last := lastFilled(row.Cells); last > j.layout.width {
		j.find(columnCount, codeRowTooManyCells, "",
			cellWords(last, j.layout.width), "")
		return false
	}
	if row.Kinds == nil && len(row.Cells) < j.layout.width {
		j.find(columnCount, codeRowTooFewCells, "",
			cellWords(len(row.Cells), j.layout.width), "")
		return false
	}
	return true
}

func cellWords(cells, columns int) string {
	if cells == 1 {
		return fmt.Sprintf("the row has 1 cell, the header %d columns", columns)
	}
	return fmt.Sprintf("the row has %d cells, the header %d columns", cells, columns)
}

func lastFilled(cells []string) int {
	for i := len(cells) - 1; i >= 0; i-- {
		if trim(cells[i]) != "" {
			return i + 1
		}
	}
	return 0
}

// gather takes the cells that are read, and refuses those whose kind no text
// can stand for.
func (j *rowJudge) gather(row ingest.Row) {
	for c, at := range j.layout.at {
		if at < 0 || at >= len(row.Cells) {
			continue
		}
		j.cells[c] = trim(row.Cells[at])
		if at < len(row.Kinds) && row.Kinds[at] > ingest.Blank {
			j.kinds[c] = row.Kinds[at]
			j.kind(column(c), row.Kinds[at])
		}
	}
}

func (j *rowJudge) kind(c column, k ingest.Kind) {
	switch k {
	case ingest.Formula, ingest.FormulaNumber:
		j.find(c, codeCellFormula, j.cells[c], "the cell is a formula; its saved value was read", "")
	case ingest.FormulaEmpty:
		j.refuse(c, codeCellFormulaEmpty, "the cell is a formula without a saved value")
	case ingest.Error:
		j.refuse(c, codeCellError, "the cell holds an error of the spreadsheet program")
	case ingest.Bool:
		j.refuse(c, codeCellBoolean, "the cell is a logical value, not text or a number")
	case ingest.Date:
		j.refuse(c, codeCellDate, "the cell is a date")
	case ingest.Formatted:
		if c != colAccount { // which has its own words for a numeric cell
			j.refuse(c, codeCellFormatted, "the cell holds a number that its format shows as something else")
		}
	}
	if k.Numeric() && !j.refused[c] && c != colAccount && c != colAmount {
		j.numericCell(c)
	}
}

// numericCell reads a number in a column of texts, such as a reference 1001.
// What identifies something must be whole: 10.50 typed is 10.5 kept.
func (j *rowJudge) numericCell(c column) {
	text, exact := numericText(j.cells[c])
	free := c == colName || c == colRemarks
	if !exact || (!free && !plainDigits(text, 0)) {
		j.refuse(c, codeCellNumber, "the cell is a number, and what it shows is not surely what was typed")
		return
	}
	j.cells[c] = text
}

func (j *rowJudge) empty() bool {
	for c := range j.cells {
		if j.cells[c] != "" || j.refused[c] {
			return false
		}
	}
	return true
}

func (j *rowJudge) reference() {
	ref := j.cells[colReference]
	if j.refused[colReference] {
		return
	}
	code, bad := referenceFault(ref)
	switch code {
	case "":
		j.payout.Ref = ref
		if isExample(ref) {
			j.find(colReference, codeRowExample, ref, "this is the example row of the template", "")
		}
	case codeReferenceMissing:
		j.find(colReference, code, "", "the reference is empty", "")
	case codeReferenceTooLong:
		j.find(colReference, code, ref, fmt.Sprintf("the reference has %d characters, at most %d are allowed",
			utf8.RuneCountInString(ref), maxReferenceChars), "")
	case codeReferenceStart:
		j.find(colReference, code, ref, fmt.Sprintf("the reference starts with %q, which spreadsheet programs read as a formula", bad), "")
	default:
		j.find(colReference, code, ref, fmt.Sprintf("the reference holds %U, which does not show or cannot be sent", bad), "")
	}
}

// payAmount reads the amount of a cell of any kind.
func (j *rowJudge) payAmount() {
	if j.refused[colAmount] {
		return
	}
	text := j.cells[colAmount]
	if j.kinds[colAmount].Numeric() {
		shown, exact := numericText(text)
		if !exact {
			j.refuse(colAmount, codeAmountPrecision, "the number has more digits than a spreadsheet program keeps exactly")
			return
		}
		text = shown
	}
	value, fault := parseAmount(text)
	if fault == amountFine {
		j.payout.Amount, j.amount = value, true
		return
	}
	says := amountFaults[fault]
	j.refuse(colAmount, says.code, says.message)
}

// debit finds the debit account of the row, or nil when there is none.
func (j *rowJudge) debit() *ledger.DebitAccount {
	if j.refused[colDebitAccount] {
		return nil
	}
	name := j.cells[colDebitAccount]
	account := j.debits.fallback
	if name != "" {
		account = j.debits.find(name)
	}
	switch {
	case account == nil && name != "":
		j.find(colDebitAccount, codeDebitAccountUnknown, maskNumber(name),
			"no debit account of this name or id is configured", "Use one of: "+j.debits.names+".")
		return nil
	case account == nil:
		j.find(colDebitAccount, codeDebitAccountMissing, "", "neither the row nor the configuration names a debit account", "")
		return nil
	}
	j.payout.BankAccountID = account.BankAccountID
	if account.SubMerchantID != "" {
		j.payout.SubMerchantID = account.SubMerchantID
	}
	return account
}

// maskNumber masks a name that is made of digits: somebody may have put the
// number of the debit account where its name belongs.
func maskNumber(s string) string {
	if plainDigits(squeeze(s), 0) {
		return ledger.Mask(s)
	}
	return s
}

// lei checks the beneficiary's Legal Entity Identifier, and asks for one where
// this payout alone reaches the line: a payout is never split (interface.md,
// "Submit transfer").
func (j *rowJudge) lei(account *ledger.DebitAccount) {
	lei := j.cells[colLEI]
	switch {
	case j.refused[colLEI]:
	case lei != "" && !ledger.ValidLEI(lei):
		j.find(colLEI, codeLEIMalformed, lei, "this is no LEI: "+explainLEI(lei), "")
	case lei != "":
		j.payout.BeneLEI = lei
	case j.amount && account.Rules().NeedsLEI(j.payout.Amount):
		j.find(colLEI, codeLEIMissing, "",
			fmt.Sprintf("a payout of %s or more from partner bank %d needs the payee's LEI", account.Rules().LEILine, account.PartnerBankID), "")
	}
}

// text reads a name or a remark into the payout.
func (j *rowJudge) text(c column, into *string) {
	if j.refused[c] || j.cells[c] == "" {
		return
	}
	text, breaks, bad := freeText(j.cells[c])
	if bad != 0 {
		j.find(c, codeTextCharacters, j.cells[c], fmt.Sprintf("the text holds %U, which does not show or cannot be sent", bad), "")
		return
	}
	if breaks {
		j.find(c, codeTextLineBreak, text, "a line break in the text was read as a space", "")
		j.cells[c] = text
	}
	*into = text
}

// identifier reads a code that is sent as it stands; an empty cell leaves the
// configured one.
func (j *rowJudge) identifier(c column, into *string) {
	if j.refused[c] || j.cells[c] == "" {
		return
	}
	if !isASCIIPrintable(j.cells[c]) {
		j.find(c, codeIdentifierCharacters, j.cells[c], "the code holds something else than plain letters, digits and signs", "")
		return
	}
	*into = j.cells[c]
}

// refuse reports a cell and keeps other rules from saying more about it.
func (j *rowJudge) refuse(c column, code, message string) {
	j.refused[c] = true
	value := j.cells[c]
	if c == colAccount {
		value = ledger.Mask(value)
	}
	j.find(c, code, value, message, "")
}

// find reports something about a cell, or about the row with columnCount.
func (j *rowJudge) find(c column, code, value, message, fix string) {
	f := ledger.Finding{Row: j.number, Ref: j.cells[colReference], Code: code, Value: value, Message: message, Fix: fix}
	if c < columnCount {
		f.Column = c.String()
	}
	if j.found.add(f) == ledger.SeverityError {
		j.bad = true
	}
}

// hashInto adds the row's content to the hash. A row of the wrong shape has no
// columns; its cells stand for themselves.
func (j *rowJudge) hashInto(h *rowsHash, row ingest.Row) {
	for c := range j.cells {
		if column(c) == colAmount && j.amount {
			h.addAmount(j.payout.Amount)
			continue
		}
		h.add(j.cells[c])
	}
	if j.cells == [columnCount]string{} {
		for _, cell := range slices.Concat(row.Cells, []string{"\n"}) {
			h.add(cell)
		}
	}
}
