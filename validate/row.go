package validate

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
)

// rowReader reads one row after another. Its fields about a row are valid until the next one.
type rowReader struct {
	o          Options
	layout     *layout
	debits     *debitAccounts
	registered *registered // what the bank listed
	found      *findings

	shows func(style int, number string) (string, bool) // what a number format shows; nil in CSV
	stale bool                                          // a person may see other values than the saved ones of formulas

	row     *ingest.Row
	number  int
	cells   [columnCount]string // trimmed; numbers as the spreadsheet program shows them
	kinds   [columnCount]ingest.Kind
	refused [columnCount]bool // the cell was refused, so it gets no further findings
	bad     bool              // the row is rejected
	payout  ledger.Payout     // of the row
	bareRef string            // the reference as in the sheet, without RefPrefix
	amount  bool              // payout.Amount could be read
	from    int               // number of the row that it came from in Options.Origin; 0 for none

	priority   int    // 1 goes first; 0 for none
	priorities string // what the first priority that was read is: numbers or words

	knownMode string // the last transaction type that gave no finding
}

// read reads the row and reports whether it is accepted.
func (r *rowReader) read(row *ingest.Row) bool {
	r.begin(row)
	if !r.shape(row) {
		return false
	}
	r.gather(row)
	r.from = r.origin()
	r.bareRef = r.cells[colReference]
	r.reference()
	r.payAmount()
	account := r.debit()
	if account != nil {
		r.payee(account)
		r.lei(account)
	}
	r.executionDate()
	r.text(colRemarks, &r.payout.Remarks)
	r.identifier(colTransactionType, &r.payout.TransactionTypeID)
	r.identifier(colSubMerchant, &r.payout.SubMerchantID)
	r.goesFirst()
	if r.payout.TransactionTypeID == "" && !r.refused[colTransactionType] {
		r.find(colTransactionType, codeTransactionTypeMissing, "", "neither the row nor the configuration names a transaction type", "")
	}
	r.mode()
	r.rail()
	r.besides()
	if account != nil {
		r.heldAgainstBank(account)
	}
	r.ending(row)
	return !r.bad
}

// begin clears the row before, so that a finding of this row never carries its reference.
func (r *rowReader) begin(row *ingest.Row) {
	r.row, r.number, r.bad, r.amount, r.bareRef, r.from, r.priority = row, row.Number, false, false, "", 0, 0
	r.cells, r.kinds, r.refused = [columnCount]string{}, [columnCount]ingest.Kind{}, [columnCount]bool{}
	r.payout = ledger.Payout{Row: row.Number, SubMerchantID: r.o.SubMerchantID, TransactionTypeID: r.o.TransactionTypeID}
}

// shape refuses a row whose number of cells differs from the header's, because cells may be in wrong columns.
// XLSX stores no empty cells at the end of a row, so a short row is normal there.
func (r *rowReader) shape(row *ingest.Row) bool {
	last, short := row.Filled(), len(row.Cells) < r.layout.width
	switch {
	case row.Broken && slices.ContainsFunc(row.Cells, holdsRows):
		r.find(columnCount, codeRowsInCell, "", "a cell of the row has several lines, and an IFSC in one of them: a stray quote may have drawn other rows into it", "")
	case last > r.layout.width:
		r.tooManyCells(row, last)
	case short && row.Unended:
		r.find(columnCount, codeCutOff, "", "the file ends without a line break, and "+r.cellWords(len(row.Cells)), "")
	case short && row.Kinds == nil:
		r.find(columnCount, codeRowTooFewCells, "", r.cellWords(len(row.Cells)), "")
	default:
		return true
	}
	return false
}

// holdsRows reports whether a text of several lines has an IFSC between separators, as a row of payouts does.
func holdsRows(cell string) bool {
	return strings.Contains(cell, "\n") && slices.ContainsFunc(strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune(",;\t|\n\"", r) }), isIFSC)
}

// ending warns if the file may have been cut off in the row's last cell, and a part of that cell could be another
// amount, account or reference, or be empty where a default counts.
func (r *rowReader) ending(row *ingest.Row) {
	for _, c := range [...]column{colAmount, colAccount, colReference, colDebitAccount, colSubMerchant, colTransactionType} {
		if row.OpenEnd && r.layout.at[c] == len(row.Cells)-1 {
			r.find(c, codeEndUnclear, visible.Shorten(r.value(c)), "the file ends without a line break, so this last cell may be cut off", "")
		}
	}
}

// tooManyCells handles a row with too many cells: a note next to the table in a workbook, a stray separator in
// a CSV.
func (r *rowReader) tooManyCells(row *ingest.Row, last int) {
	if row.Kinds == nil {
		r.find(columnCount, codeRowTooManyCells, "", r.cellWords(last), "")
		return
	}
	cell := r.layout.cell(last-1, r.number)
	r.report(ledger.Finding{
		Cell: cell, Code: codeRowTooManyCells, Value: maskDigits(visible.Trim(row.Cells[last-1])),
		Message: fmt.Sprintf("the cell %s is outside the table: its column has no name", cell),
		Fix:     "Delete what is in the cell, or give its column a name in the header.",
	})
}

func (r *rowReader) cellWords(cells int) string {
	return fmt.Sprintf("the row has %s, the header %d columns", ledger.Counted(cells, "cell", "cells"), r.layout.width)
}

// gather takes the cells that are read, and refuses those whose kind cannot be read as text.
func (r *rowReader) gather(row *ingest.Row) {
	for c, at := range r.layout.at {
		if at < 0 {
			continue // its cell stays empty in every row
		}
		r.cells[c] = row.Text(at)
		if hasStroke(r.cells[c]) {
			row.Marks = append(row.Marks, make([]ingest.Mark, max(0, at+1-len(row.Marks)))...)
			row.Marks[at] |= ingest.MarkStruck
		}
		switch kind := row.Kind(at); {
		case kind > ingest.Blank:
			r.kinds[c] = kind
			r.kind(column(c), kind)
		case isErrorText(r.cells[c]):
			r.kind(column(c), ingest.Error)
		}
	}
	if row.Marks != nil {
		r.marks()
	}
}

// errorTexts are what spreadsheet programs write for an error where a file has only text.
var errorTexts = visible.WordSet("#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#SPILL!", "#CALC!")

// isErrorText reports whether a text is an error of the spreadsheet program, or the signs of a number that had no room.
func isErrorText(s string) bool {
	return s != "" && s[0] == '#' && (errorTexts[s] || strings.Trim(s, "#") == "")
}

// hasStroke reports whether letters are struck out by combining characters: the short and long stroke and the
// long solidus, U+0335, U+0336 and U+0338.
func hasStroke(s string) bool {
	const lead = 0xCC // the first byte of each
	return strings.IndexByte(s, lead) >= 0 && strings.ContainsAny(s, "\u0335\u0336\u0338")
}

// marks checks text that does not look like ordinary text. A row that is struck out as a whole was cancelled,
// and an invisible row is not a payout. Text that decides who gets how much must have no marks.
func (r *rowReader) marks() {
	some, all := false, ^ingest.Mark(0)
	for c, at := range r.layout.at {
		if r.cells[c] != "" {
			some, all = true, all&r.row.Mark(at)
		}
	}
	switch {
	case some && all&ingest.MarkStruck != 0:
		r.find(columnCount, codeRowStruckOut, "", "every cell that is read in the row is struck out", "")
		return
	case some && all&ingest.MarkUnseen != 0:
		r.find(columnCount, codeCellUnseen, "", "the row is invisible: its letters have nearly the colour of the background, are too small, or are hidden", "")
		return
	}
	for c, at := range r.layout.at {
		if m := r.row.Mark(at); m != 0 && r.cells[c] != "" && !r.refused[c] {
			r.mark(column(c), m)
		}
	}
}

func (r *rowReader) mark(c column, m ingest.Mark) {
	free := c == colName || c == colRemarks
	switch {
	case c == colPriority:
		r.unclear("the cell, or a part of it, is " + markWords(m))
	case m&ingest.MarkUnseen != 0:
		r.refuse(c, codeCellUnseen, "the cell is invisible, or a part of it: letters have nearly the colour of the background, are too small, or are hidden")
	case m&ingest.MarkUnclear != 0:
		r.refuseFor(c, codeCellFormatted, "the cell's format shows something else than the text in it", fixOfText)
	case m&ingest.MarkReshaped != 0 && c == colAccount:
		r.refuseFor(c, codeCellFormatted, "the cell's format shows something besides the text in it", fixOfText)
	case m&ingest.MarkReshaped != 0 && !free && c != colReference:
		r.refuseFor(c, codeCellFormatted, fmt.Sprintf("the cell shows %q, and its format makes up a part of that", visible.Shorten(r.cells[c])), fixOfText)
	case free && m&^ingest.MarkReshaped != 0:
		r.find(c, codeTextMarked, r.cells[c], "the text, or a part of it, is "+markWords(m)+", and all of it is sent", "")
	case m&ingest.MarkStruck != 0:
		r.refuse(c, codeCellStruckOut, "the cell, or a part of it, is struck out")
	case m&ingest.MarkRaised != 0:
		r.refuse(c, codeCellRaised, "the cell, or a part of it, is raised or lowered")
	}
}

func markWords(m ingest.Mark) string {
	switch {
	case m&ingest.MarkStruck != 0:
		return "struck out"
	case m&ingest.MarkRaised != 0:
		return "raised or lowered"
	}
	return "not shown as it is"
}

func (r *rowReader) kind(c column, k ingest.Kind) {
	if c == colPriority {
		return // see goesFirst
	}
	if r.stale && k.Saved() {
		r.refuse(c, codeCellStale, "the cell is a formula, and its saved value is not what a person sees: the workbook is calculated again when it is opened")
		return
	}
	if c == colRemarks && (k.IsDate() || k.ShownOtherwise()) { // as text, it is what the person sees
		if shown, known := r.shown(r.layout.at[c]); known && shown != "" {
			if r.cells[c] = shown; k.Saved() {
				r.find(c, codeCellFormula, shown, "the cell is a formula; its saved value was read", "")
			}
			return
		}
	}
	switch k {
	case ingest.Formula, ingest.FormulaNumber:
		r.find(c, codeCellFormula, r.cells[c], "the cell is a formula; its saved value was read", "")
	case ingest.FormulaEmpty:
		r.refuse(c, codeCellFormulaEmpty, "the cell is a formula without a saved value")
	case ingest.Error:
		r.refuse(c, codeCellError, "the cell holds an error of the spreadsheet program")
	case ingest.Bool:
		r.refuse(c, codeCellBoolean, "the cell is a logical value, not text or a number")
	case ingest.Date, ingest.FormulaDate:
		r.refuseFor(c, codeCellDate, "the cell is a date", fixOfKind(c))
	case ingest.Formatted, ingest.FormulaFormatted:
		if c != colAccount && c != colAmount { // these two have their own findings for a numeric cell
			r.refuseFor(c, codeCellFormatted, r.shownWords(c), fixOfKind(c))
		}
	}
	if k.Numeric() && !r.refused[c] && c != colAccount && c != colAmount {
		r.numericCell(c)
	}
}

// fixOfKind returns the fix for a cell of a kind that its column cannot have; "" for the fix in the table of
// codes.
func fixOfKind(c column) string {
	switch c {
	case colAmount:
		return fixAmountFormat
	case colReference:
		return fixReferences
	}
	return ""
}

// shown returns what the person sees of a number or a date, trimmed, if that is known.
func (r *rowReader) shown(at int) (string, bool) {
	if r.shows == nil || at >= len(r.row.Styles) {
		return "", false
	}
	shown, known := r.shows(r.row.Styles[at], r.row.Cells[at])
	return visible.Trim(shown), known
}

// shownWords says what the person sees in a numeric cell, and what it holds.
func (r *rowReader) shownWords(c column) string {
	switch shown, known := r.shown(r.layout.at[c]); {
	case known && shown == "":
		return fmt.Sprintf("the cell shows nothing, and holds the number %s", r.cells[c])
	case known:
		return fmt.Sprintf("the cell shows %q, and holds the number %s", visible.Shorten(shown), r.cells[c])
	}
	return fmt.Sprintf("the cell's format shows something else than the number in it, %s", r.cells[c])
}

// numericCell reads a number in a text column, such as a reference 1001. A number that identifies something
// must be whole and short: a spreadsheet program keeps a typed 10.50 as 10.5, and zeros after the 15th digit.
func (r *rowReader) numericCell(c column) {
	text, free := r.cells[c], c == colName || c == colRemarks
	if !ingest.Exact(text) || !free && (!plainDigits(text, 0) || len(text) > ingest.ExactDigits) {
		r.refuseFor(c, codeCellNumber, "the cell is a number, and what it shows may not be what was typed", fixOfKind(c))
		return
	}
	switch shown, known := r.shown(r.layout.at[c]); {
	case !known || shown == "" || shown == text || c == colName:
	case c == colRemarks:
		r.cells[c] = shown // what the person sees: 1,234.50
	default:
		r.refuseFor(c, codeCellFormatted, r.shownWords(c), fixOfKind(c))
	}
}

func (r *rowReader) reference() {
	if r.refused[colReference] {
		return
	}
	if r.layout.message != nil && strings.EqualFold(r.bareRef, notProvided) {
		r.refuse(colReference, codeReferenceMissing, "the EndToEndId is NOTPROVIDED, which says that the payout has no reference")
		return
	}
	if r.o.RefPrefix != "" && r.bareRef != "" {
		r.cells[colReference] = r.o.RefPrefix + r.bareRef
	}
	if looksRounded(r.bareRef) {
		r.refuse(colReference, codeReferenceRounded, "the spreadsheet program turned the reference into a rounded number; its digits are lost")
		return
	}
	ref := r.cells[colReference]
	if code, message, _ := referenceFault(ref); code != "" {
		r.find(colReference, code, ref, message, "")
		return
	}
	r.payout.Ref = ref
	if n := utf8.RuneCountInString(ref); n > longReferenceChars {
		r.find(colReference, codeReferenceLong, ref, fmt.Sprintf("the reference has %d characters; a further try may need three more", n), "")
	}
	if isExample(r.bareRef) {
		r.find(colReference, codeRowExample, ref, "this is the example row of the template", "")
	}
}

// debit returns the debit account of the row, or nil if there is none.
func (r *rowReader) debit() *ledger.DebitAccount {
	if r.refused[colDebitAccount] {
		return nil
	}
	name := r.cells[colDebitAccount]
	account := r.debits.fallback
	switch {
	case r.layout.message != nil: // by its number alone
		account = r.debits.byNumber[name]
	case name != "":
		account = r.debits.find(name)
	}
	switch {
	case account == nil && r.layout.message != nil:
		r.find(colDebitAccount, codeDebitAccountUnknown, ledger.Mask(name), "no debit account with this account_number is configured",
			"Write the number as account_number of the account that pays, under [[accounts]] in payrun.toml.")
		return nil
	case account == nil && name != "":
		r.find(colDebitAccount, codeDebitAccountUnknown, maskNumber(name),
			"no debit account of this name or id is configured", "Use one of: "+r.debits.names+".")
		return nil
	case account == nil:
		r.find(colDebitAccount, codeDebitAccountMissing, "", "neither the row nor the configuration names a debit account", "")
		return nil
	}
	r.payout.BankAccountID = account.BankAccountID
	return account
}

// maskNumber masks a name made of digits: it may be the number of the debit account.
func maskNumber(s string) string {
	if plainDigits(visible.Squeeze(s), 0) {
		return ledger.Mask(s)
	}
	return s
}

// lei checks the beneficiary's Legal Entity Identifier. It requires one if this payout alone reaches the limit,
// because a payout is never split (interface.md, "Submit transfer").
func (r *rowReader) lei(account *ledger.DebitAccount) {
	lei := r.cells[colLEI]
	switch {
	case r.refused[colLEI]:
	case lei != "" && !ledger.ValidLEI(lei):
		r.find(colLEI, codeLEIMalformed, lei, "not a valid LEI: "+explainLEI(lei), "")
	case lei != "":
		r.payout.BeneLEI = lei
	case r.amount && r.payout.Amount >= ledger.LEILine && !account.Rules().NeedsLEI(r.payout.Amount):
		r.find(colLEI, codeLEIAdvised, "", fmt.Sprintf("a payout of %s has no LEI of the payee", r.payout.Amount.Indian()), "")
	case r.amount && account.Rules().NeedsLEI(r.payout.Amount):
		r.find(colLEI, codeLEIMissing, "",
			fmt.Sprintf("a payout of %s or more from partner bank %d needs the payee's LEI", account.Rules().LEILine, account.PartnerBankID), "")
	}
}

// text reads a name or remarks into the payout.
func (r *rowReader) text(c column, into *string) {
	if r.refused[c] || r.cells[c] == "" {
		return
	}
	if visible.IsASCII(r.cells[c]) {
		*into = r.cells[c]
		return
	}
	text, breaks, bad := visible.FreeText(r.cells[c])
	if bad != 0 {
		r.find(c, codeTextCharacters, r.cells[c], fmt.Sprintf("the text holds %U, which does not show or cannot be sent", bad), "")
		return
	}
	if breaks {
		r.find(c, codeTextLineBreak, text, "a line break in the text was read as a space", "")
		r.cells[c] = text
	}
	if garbled(text) {
		r.find(c, codeTextGarbled, text, "the text looks as if it was saved in one encoding and read in another", "")
	}
	*into = text
}

// identifier reads a code that is sent unchanged. An empty cell keeps the configured value.
func (r *rowReader) identifier(c column, into *string) {
	if r.refused[c] || r.cells[c] == "" {
		return
	}
	if !visible.IsASCII(r.cells[c]) {
		r.find(c, codeIdentifierCharacters, r.cells[c], "the code has characters other than plain letters, digits and punctuation", "")
		return
	}
	*into = r.cells[c]
}

// refuse adds a finding about a cell, and stops further findings about it.
func (r *rowReader) refuse(c column, code, message string) { r.refuseFor(c, code, message, "") }

// refuseFor is refuse with its own fix.
func (r *rowReader) refuseFor(c column, code, message, fix string) {
	r.refused[c] = true
	r.find(c, code, r.value(c), message, fix)
}

// value returns what a finding shows of a cell: of an account number only its end.
func (r *rowReader) value(c column) string {
	if c == colAccount {
		return ledger.Mask(r.cells[c])
	}
	return r.cells[c]
}

// findAt adds a finding about an unread column, counted from 0, and the column of the payout that it affects.
func (r *rowReader) findAt(at int, column, code, value, message string) {
	r.report(ledger.Finding{Column: column, Cell: r.layout.cell(at, r.number), Header: visible.Shorten(r.layout.headers[at]), Code: code, Value: value, Message: message})
}

// find adds a finding about a cell, or about the row if c is columnCount.
func (r *rowReader) find(c column, code, value, message, fix string) {
	f := ledger.Finding{Code: code, Value: value, Message: message, Fix: fix}
	if c < columnCount {
		f.Column = c.String()
	}
	r.report(f)
}

func (r *rowReader) report(f ledger.Finding) {
	f.Row, f.Ref = r.number, r.cells[colReference]
	if r.found.add(f) == ledger.SeverityError {
		r.bad = true
	}
}

// hashInto adds the row's content to the hash, with that reference. A row of the wrong shape has no columns, so
// its raw cells are added.
func (r *rowReader) hashInto(h *rowsHash, row *ingest.Row, ref string) {
	for c := range columnCount {
		switch {
		case c == colPriority: // it changes neither the payee nor the amount
		case c == colReference:
			h.add(ref)
		case c == colAmount && r.amount:
			h.addAmount(r.payout.Amount)
		default:
			h.add(r.cells[c])
		}
	}
	if r.cells == [columnCount]string{} {
		for _, cell := range slices.Concat(row.Cells, []string{"\n"}) {
			h.add(cell)
		}
	}
}
