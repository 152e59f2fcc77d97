package validate

import (
	"strings"
	"sync"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
)

// Codes of what this room finds. They are stable: people grep for them and
// `payrun explain` takes them. ingest has its own for what makes a file
// unreadable; Explain knows both.
const (
	codeHeaderMissing     = "header_missing"
	codePayoutsAbove      = "payouts_above_header"
	codeColumnMissing     = "column_missing"
	codeColumnRepeated    = "column_repeated"
	codeHeaderLookAlike   = "header_look_alike"
	codeColumnSimilar     = "column_similar"
	codeColumnHidden      = "column_hidden"
	codeTabUnread         = "tab_unread"
	codeConditionalFormat = "conditional_format"
	codeConditionalText   = "conditional_format_text"
	codeAmountUnitUnclear = "amount_unit_unclear"
	codeProfilesDiffer    = "column_profiles_differ"
	codeKeptDiffers       = "column_kept_differs"
	codeKeptNearly        = "column_kept_for_another_header"
	codeAmountOtherUnit   = "amount_other_unit"
	codeAmountPaiseApart  = "amount_paise_apart"
	codeAmountGrossOrNet  = "amount_gross_or_net"

	codeAmountColumnUnclear    = "amount_column_unclear"
	codeAccountColumnUnclear   = "account_column_unclear"
	codeCreditsAmongPayouts    = "credits_among_payouts"
	codeDebitAccountUnclear    = "debit_account_unclear"
	codeDebitAccountByContents = "debit_account_by_contents"

	codeNoRows = "no_rows"

	codeSheetLoaded            = "sheet_already_loaded"
	codeSheetOtherPrefix       = "sheet_loaded_under_another_prefix"
	codeSheetChanged           = "sheet_changed"
	codeCountDiffers           = "count_differs"
	codeTotalDiffers           = "total_differs"
	codeControlTotalDiffers    = "control_total_differs"
	codeControlTotalUnreadable = "control_total_unreadable"
	codeTotalOutOfRange        = "total_out_of_range"
	codeFindingsCapped         = "findings_capped"

	codeRowTooManyCells  = "row_too_many_cells"
	codeRowTooFewCells   = "row_too_few_cells"
	codeRowWithoutPayout = "row_without_payout"
	codeRowLeftOut       = "row_left_out"
	codeRowExample       = "row_example"
	codeRowStruckOut     = "row_struck_out"
	codeRowSaysOtherwise = "row_says_otherwise"

	codeCellFormula      = "cell_formula"
	codeCellFormulaEmpty = "cell_formula_without_value"
	codeCellStale        = "cell_formula_stale"
	codeCellError        = "cell_error"
	codeCellBoolean      = "cell_boolean"
	codeCellDate         = "cell_date"
	codeCellFormatted    = "cell_shows_something_else"
	codeCellNumber       = "cell_number_inexact"
	codeCellStruckOut    = "cell_struck_out"
	codeCellRaised       = "cell_raised_or_lowered"
	codeCellUnseen       = "cell_unseen"

	codeReferenceMissing    = "reference_missing"
	codeReferenceTooLong    = "reference_too_long"
	codeReferenceLong       = "reference_long"
	codeReferenceCharacters = "reference_characters"
	codeReferenceStart      = "reference_starts_formula"
	codeReferenceRounded    = "reference_scientific"
	codeReferenceRepeated   = "reference_repeated"
	codeReferenceUsed       = "reference_used_before"
	codeReferenceOfPerson   = "reference_of_person"
	codeCorrectUnknown      = "correct_unknown_reference"
	codeCorrectMayBePaid    = "correct_may_be_paid"
	codeCorrectNothing      = "correct_changes_nothing"
	codeCorrectOther        = "correct_other_reference"
	codeOriginMalformed     = "origin_malformed"
	codeOriginOther         = "origin_other_sheet"
	codeOriginRepeated      = "origin_repeated"
	codeOriginLoaded        = "origin_loaded_before"

	codeAmountMissing    = "amount_missing"
	codeAmountZero       = "amount_zero"
	codeAmountNegative   = "amount_negative"
	codeAmountGrouping   = "amount_grouping"
	codeAmountDecimals   = "amount_decimals"
	codeAmountComma      = "amount_decimal_comma"
	codeAmountExponent   = "amount_exponent"
	codeAmountDigits     = "amount_digits"
	codeAmountOutOfRange = "amount_out_of_range"
	codeAmountAboveMost  = "amount_above_most"
	codeAmountUnreadable = "amount_unreadable"
	codeAmountPrecision  = "amount_inexact"
	codeAmountCurrency   = "amount_not_rupees"
	codeAmountNotNet     = "amount_not_net"
	codeAmountRail       = "amount_not_for_rail"
	codeAmountCut        = "amount_cut_at_comma"

	codeAmountBesideNumber = "amount_beside_short_number"

	codeNameMissing          = "vendor_name_missing"
	codeNameNone             = "vendor_name_is_none"
	codeTextCharacters       = "text_characters"
	codeTextLineBreak        = "text_line_break"
	codeTextMarked           = "text_struck_or_raised"
	codeTextGarbled          = "text_garbled"
	codeIdentifierCharacters = "identifier_characters"

	codeAccountMissing     = "account_missing"
	codeAccountMalformed   = "account_malformed"
	codeAccountScientific  = "account_scientific"
	codeAccountDigits      = "account_digits"
	codeAccountNumeric     = "account_numeric_cell"
	codeAccountNumericRead = "account_numeric_read"
	codeAccountIsDebit     = "account_is_debit_account"
	codeAccountIsIFSC      = "account_is_ifsc"
	codeAccountLetters     = "account_letter_for_digit"
	codeAccountZeros       = "account_digits_lost"
	codeAccountConfirm     = "account_confirm_differs"
	codeBankNameDiffers    = "bank_name_differs"

	codePriorityUnclear = "priority_unclear"

	codeIFSCMissing   = "ifsc_missing"
	codeIFSCMalformed = "ifsc_malformed"

	codeBeneficiaryMissing   = "open_beneficiary_id_missing"
	codeBeneficiaryMalformed = "open_beneficiary_id_malformed"
	codeBeneficiaryUnused    = "open_beneficiary_id_unused"

	codeBeneficiaryFilled   = "open_beneficiary_id_filled"
	codeBeneficiaryInactive = "beneficiary_not_active"
	codeBeneficiaryDiffers  = "beneficiary_differs"
	codeBeneficiaryNamed    = "beneficiary_named_otherwise"
	codeBeneficiaryUnlisted = "beneficiary_not_listed"

	codeDebitAccountUnusable   = "debit_account_unusable"
	codeDebitAccountUnknown    = "debit_account_unknown"
	codeDebitAccountMissing    = "debit_account_missing"
	codeTransactionTypeMissing = "transaction_type_missing"
	codeModeNotByBank          = "transaction_type_not_by_bank"
	codeModeGeneral            = "transaction_type_general"

	codeExecutionDateAhead = "execution_date_ahead"
	codeExecutionDatePast  = "execution_date_past"

	codeLEIMalformed = "lei_malformed"
	codeLEIMissing   = "lei_missing"
	codeLEIAdvised   = "lei_advised"

	codeIFSCUnknownBranch = "ifsc_unknown_branch"

	codePayeePaid       = "payee_paid_recently"
	codeLikeLocked      = "same_as_locked_payout"
	codePayeeTwice      = "payee_listed_twice"
	codePayeeOtherName  = "payee_other_name"
	codePayeeNewAccount = "payee_new_account"
	codeAmountUnusual   = "amount_unusual"
)

// Scope says what a finding of severity error refuses.
type Scope string

const (
	ScopeRow  Scope = "row"  // its row; --skip-bad can leave it out
	ScopeFile Scope = "file" // the sheet as a whole
)

// Explanation is what is to say about one code.
type Explanation struct {
	Code     string          `json:"code"`
	Severity ledger.Severity `json:"severity"`
	Scope    Scope           `json:"scope"`
	Title    string          `json:"title"`
	Why      string          `json:"why"`
	Fix      string          `json:"fix"`
	Example  string          `json:"example"`         // what it is found for; "" where one says nothing
	Option   ledger.Option   `json:"option,omitzero"` // the choice that the fix speaks of
}

// Explain returns what is to say about a code, and whether there is one.
func Explain(code string) (Explanation, bool) {
	e, ok := explained()[strings.ToLower(visible.Trim(code))]
	return e, ok
}

// Explanations returns the whole table: the codes of reading a file, then
// those of judging what is in it.
func Explanations() []Explanation {
	var all []Explanation
	for _, e := range ingest.Codes() {
		all = append(all, Explanation{
			Code: string(e.Code), Severity: ledger.SeverityError, Scope: ScopeFile, Title: e.Title, Why: e.Why, Fix: e.Fix, Option: e.Option,
		})
	}
	return append(all, explanations[:]...)
}

// explained is the table by code, made once.
var explained = sync.OnceValue(func() map[string]Explanation {
	byCode := map[string]Explanation{}
	for _, e := range Explanations() {
		byCode[e.Code] = e
	}
	return byCode
})

// explanationOf is Explain for a code that is known to be in the table. One
// that is not refuses the file, which is the safe side.
func explanationOf(code string) Explanation {
	if e, ok := explained()[code]; ok {
		return e
	}
	return Explanation{Code: code, Severity: ledger.SeverityError, Scope: ScopeFile}
}

// OfNewAccount reports a finding that Changed explains further.
func OfNewAccount(code string) bool { return code == codePayeeNewAccount }

// OfThePayee reports a code that says what is unusual about whom a row pays, or
// how much: what a person looks at before money moves.
func OfThePayee(code string) bool {
	switch code {
	case codePayeePaid, codeLikeLocked, codePayeeTwice, codePayeeNewAccount, codeAmountUnusual:
		return true
	}
	return false
}

// amountFaults are the words of each reason not to read an amount.
var amountFaults = map[string]string{
	codeAmountMissing:    "the amount is empty",
	codeAmountZero:       "the amount is zero",
	codeAmountNegative:   "the amount is negative",
	codeAmountGrouping:   "the commas in the amount fit neither Indian nor Western grouping",
	codeAmountDecimals:   "the amount has more than two decimals",
	codeAmountComma:      "the amount has points between groups and a comma before the decimals",
	codeAmountExponent:   "the amount is written with an exponent",
	codeAmountDigits:     "the amount has digits of another script",
	codeAmountOutOfRange: "the amount is too large",
	codeAmountUnreadable: "not a valid amount",
}
