package validate

import "payrun/ledger"

const (
	asError   = ledger.SeverityError
	asWarning = ledger.SeverityWarning
	asInfo    = ledger.SeverityInfo

	fixAsText       = `Format the column as Text (Home > Number format > Text), then type the values again, or paste them as values.`
	fixAmountFormat = `Format the column as Number with two decimals, look at what its amounts are then, and correct those that are wrong.`
	fixRetype       = `Type the value again on the keyboard instead of pasting it.`
)

var noOption ledger.Option

// explanations is the one table of what this room finds.
var explanations = [...]Explanation{
	// The sheet as a whole.
	{codeHeaderMissing, asError, ScopeFile, "No header",
		"Without column names nobody knows which cell is the amount.",
		"Put the column names into one of the first 20 rows; `payrun template` writes an example.", "a sheet that begins with its first payout", noOption},
	{codeColumnMissing, asError, ScopeFile, "A required column is missing",
		"A payout needs a reference, an amount, and the payee: name, account number and IFSC, or open_beneficiary_id for a RIB account.",
		"Add the column, or say which header is meant.", "a sheet without a column ifsc", ledger.Option{Name: ledger.OptionMap, Value: "amount=Net Pay"}},
	{codeColumnRepeated, asError, ScopeFile, "Two columns have the same name",
		"Nobody knows which of them is meant, and reading the last one would pay the wrong amount or account.",
		"Rename or delete one of them, or say which one is meant.", "Amount and Net Pay in one sheet", ledger.Option{Name: ledger.OptionMap, Value: "amount=Net Pay"}},
	{codeHeaderLookAlike, asError, ScopeFile, "A header is not spelt the way it looks",
		"A zero-width character or a letter of another script makes a header a different one that looks the same.",
		"Type the header again on the keyboard.", "a Cyrillic а in аmount", noOption},
	{codeColumnSimilar, asWarning, ScopeFile, "A column is not read, and is spelt nearly like one that is",
		"A misspelt bank_account_id would pay from the default account without a word.",
		"Correct the column's name, or leave it when it is meant to be something else.", "bank_acount_id", noOption},
	{codeColumnHidden, asWarning, ScopeFile, "A column that is read is hidden",
		"Nobody who looks at the sheet sees it; another column may stand there as what is paid.", "Unhide it and look at what it says: select the columns beside it, right-click, Unhide.", "Amount in a hidden column E", noOption},
	{codeAmountUnitUnclear, asError, ScopeFile, "Rupees or paise",
		"This template exists with amounts in rupees and with amounts in paise. Read wrongly, a hundred times too much is paid.",
		"Make sure the amounts are rupees, then name the column amount, or say that it is meant.", "Payout Amount beside Fund Account Id", ledger.Option{Name: ledger.OptionMap, Value: "amount=Payout Amount"}},
	{codeAmountOtherUnit, asError, ScopeFile, "The amount is not in rupees",
		"Every payout is in rupees. A header that names another currency or a unit, such as lakhs, thousands or paise, says that its numbers are something else: 1.50 below Amount (in Lakhs) is 1,50,000.00.",
		"Add a column Amount (INR) with the amounts in rupees, such as =E2*100000 for lakhs, filled down and pasted as values. Where the amounts are rupees already, name the column so.", "Amount ($), Amount (in Lakhs)", noOption},
	{codeAmountPaiseApart, asError, ScopeFile, "Paise in a column of their own",
		"A payout has one amount. Read from the column of rupees alone, the paise would be lost.",
		"Add both up in one column, such as =E2+F2/100 filled down and pasted as values, name it Amount (INR), and delete the two.", "Rs. and Ps.", noOption},
	{codeAmountGrossOrNet, asError, ScopeFile, "Gross or net",
		"A column Amount beside one that says net, payable, TDS, deduction or less may be the amount before they are taken off. Paying it would pay too much.",
		"Say which column is paid, by its header.", "Amount, TDS and Net", ledger.Option{Name: ledger.OptionMap, Value: "amount=Net"}},
	{codeProfilesDiffer, asError, ScopeFile, "Two profiles of payrun.toml read the sheet differently",
		"The sheet has all columns of two profiles under [columns], and which of them is meant is not for payrun to guess.",
		"Say which header is meant, or let the profiles name columns that only their own sheets have.", "amount = \"Net Pay\" in one and amount = \"Take Home\" in the other", ledger.Option{Name: ledger.OptionMap, Value: "amount=Net Pay"}},
	{codeNoRows, asError, ScopeFile, "Nothing to pay",
		"There is a header, and no payouts below it.", "See whether the right sheet was saved.", "a template that was not filled in", noOption},
	{codeSheetLoaded, asError, ScopeFile, "The sheet was loaded before",
		"The same content is never paid twice, whatever its name.",
		"Nothing needs to be done: `payrun status` shows where the first load stands. Failed payouts are sent again with `payrun retry`.", "nov.csv, loaded again as nov-final.csv", noOption},
	{codeSheetOtherPrefix, asWarning, ScopeFile, "The same content was loaded with other references",
		"Only what is put before the references is another. That is right for a register that is paid every month, and a second payment where it is not.",
		"Make sure that this is the next payment, not the same one again.", "a salary register loaded with NOV26- and again with NOV-26-", noOption},
	{codeSheetChanged, asError, ScopeFile, "Not the sheet that was checked",
		"The sheet's SHA-256 is not the expected one: a byte of it changed since, or it is another file. Number and sum of the payouts may be the same while an account is not.",
		"Find out what changed; check the sheet again, and take the new SHA-256 only when the change is meant.", "one account number edited between payrun check and payrun load", noOption},
	{codeCountDiffers, asError, ScopeFile, "Not the expected number of payouts",
		"The number that was expected and the sheet disagree: rows may be missing or duplicated.", "Compare the sheet with where the number comes from.", "1204 expected, and 1203 rows", noOption},
	{codeTotalDiffers, asError, ScopeFile, "Not the expected total",
		"The total that was expected and the sheet disagree.", "Compare the sheet with where the total comes from.", "1840150.50 expected, and one amount changed", noOption},
	{codeControlTotalDiffers, asError, ScopeFile, "The total row does not agree",
		"The last row gives a different total from the rows above it, bad rows included.",
		"Correct the amounts or the total row. A total that was typed may be of an older version; a formula may leave out rows.", "Total 5,000.00 below rows of 4,000.00", noOption},
	{codeControlTotalUnreadable, asError, ScopeFile, "The total row has no amount",
		"A total row is a control; without an amount it cannot be compared with the rows.",
		"Put the total into the amount column, or delete the row.", "Total, with the sum in another column", noOption},

	// A row.
	{codeFindingsCapped, asInfo, ScopeRow, "More findings than are listed",
		"So many findings usually have one cause, such as a column in the wrong place.", "Correct what the first findings say and check again.", "", noOption},
	{codeTotalOutOfRange, asError, ScopeRow, "The sum is out of range",
		"The amounts up to this row add up to more than can be counted exactly.", "Correct the amount.", "", noOption},
	{codeRowTooManyCells, asError, ScopeRow, "The row has more cells than the header",
		"A separator inside a value moves all cells behind it into the wrong column.",
		`Put a value that holds the separator into quotes, such as "1,00,000.00", or write it without.`, "an unquoted 1,00,000.00", noOption},
	{codeRowTooFewCells, asError, ScopeRow, "The row has fewer cells than the header",
		"A separator is missing, and cells may stand in the wrong column.", "Compare the row with the header, cell by cell.", "", noOption},
	{codeRowWithoutPayout, asError, ScopeRow, "The row is no payout",
		"A sub-total, a heading, a signature, the amount in words or a repeated header pays nobody, and nobody should complete it into a payout.",
		"Delete the row. A total of the whole sheet may stay below the payouts: write Total into it.", "Sub Total, Prepared by, Rupees five thousand only", noOption},
	{codeRowLeftOut, asError, ScopeRow, "The row was left out by an earlier pass",
		"The first pass refused it and the second does not know why: the ledger changed in between.", "Check the sheet again.", "", noOption},

	{codeRowExample, asError, ScopeRow, "The example row of the template",
		"It shows what a payout looks like and names nobody.", "Delete the row, or give it a reference of its own and fill in all its cells.", "EXAMPLE", noOption},
	{codeRowStruckOut, asError, ScopeRow, "The row is struck out",
		"Whoever struck it out did not want it to be paid, and the cells still say that it is.", "Delete the row when it is cancelled; otherwise take the line off: Ctrl+5 on the selected row.", "a line through a cancelled payout", noOption},

	// A cell of any column.
	{codeCellFormula, asWarning, ScopeRow, "A formula", "What is read is the value saved when the sheet was last calculated.",
		"Copy the column and paste it as values, if the sheet was changed without the spreadsheet program.", "=B2*C2", noOption},
	{codeCellFormulaEmpty, asError, ScopeRow, "A formula without a saved value",
		"The program that wrote the sheet did not calculate it, so nobody knows the value.", "Open the sheet in the spreadsheet program, let it calculate, and save it.", "", noOption},
	{codeCellError, asError, ScopeRow, "An error of the spreadsheet program", "The cell has no value.", "Correct the formula, or type the value.", "#N/A", noOption},
	{codeCellBoolean, asError, ScopeRow, "A logical value", "TRUE or FALSE is neither text nor a number.", fixAsText, "TRUE", noOption},
	{codeCellDate, asError, ScopeRow, "A date", "The spreadsheet program read the value as a date, and what was typed is lost.", fixAsText, "1/12 as a reference became 1-Dec", noOption},
	{codeCellFormatted, asError, ScopeRow, "A number that is shown as something else",
		"The cell's format shows another text than the number in it, and only the number would be sent.", fixAsText, "INV-7 shown, 7 stored", noOption},
	{codeCellNumber, asError, ScopeRow, "A number that is not exact",
		"A spreadsheet program keeps 15 digits of a number; what was typed may be lost.", fixAsText, "12345678901234567", noOption},
	{codeCellStruckOut, asError, ScopeRow, "The cell is struck out, or a part of it",
		"What is struck out is not meant, and would be read with the rest: 1000 struck out before 500 is 1000500.", "Delete what is struck out, and type what is left again.", "1000 struck out, 500 beside it", noOption},
	{codeCellRaised, asError, ScopeRow, "A part of the cell is raised or lowered",
		"A footnote or paise written small would be read as digits like the others: 12500 and a small 50 is 1250050.", "Type the value again without what is raised or lowered; paise behind a point.", "an account number with a footnote", noOption},

	// merchant_txn_ref_id
	{codeReferenceMissing, asError, ScopeRow, "No reference", "A payout is known by its reference, at the bank and here.", "Give the row a reference that was never used.", "", noOption},
	{codeReferenceTooLong, asError, ScopeRow, "The reference is too long", "At most 60 characters are allowed.", "Shorten it.", "", noOption},
	{codeReferenceCharacters, asError, ScopeRow, "The reference holds a character that does not show",
		"Two references that look the same must be the same.", fixRetype, "INV-1 with a zero-width space", noOption},
	{codeReferenceStart, asError, ScopeRow, "The reference starts like a formula",
		"Spreadsheet programs calculate what starts with = + - or @ when the reference comes back.", "Put a letter or a digit first.", "=1+1", noOption},
	{codeReferenceRepeated, asError, ScopeRow, "The reference is listed twice in the sheet",
		"Case, width and composition of letters do not make references different. Every row of the group is refused.",
		"Delete the row that is listed twice, or give each payout its own reference.", "INV-17 and inv-17", noOption},
	{codeReferenceUsed, asError, ScopeRow, "The reference was used before",
		"A reference must never be used again: it is how a double payment is recognised.",
		"Delete the row if the payout was made. To pay a failed one again use `payrun retry`.", "", noOption},

	// amount
	{codeAmountMissing, asError, ScopeRow, "No amount", "An empty cell is not a zero.", "Fill in the amount, or delete the row.", "", noOption},
	{codeAmountZero, asError, ScopeRow, "The amount is zero", "Nothing would be paid.", "Fill in the amount, or delete the row.", "0.00", noOption},
	{codeAmountNegative, asError, ScopeRow, "The amount is negative", "A payout cannot be taken back; brackets and a trailing minus mean negative too.", "Delete the row, or correct the amount.", "(500)", noOption},
	{codeAmountGrouping, asError, ScopeRow, "The commas are in the wrong place",
		"The amount can be read in two ways, or a digit is missing.", "Write 1,00,000.00 or 100,000.00 or 100000.00; a point before the paise.", "1,50", noOption},
	{codeAmountDecimals, asError, ScopeRow, "More than two decimals", "There is nothing smaller than a paisa, and nothing is rounded here.",
		"Round the amount in the sheet: =ROUND(A1,2), then paste as values.", "100.505", noOption},
	{codeAmountComma, asError, ScopeRow, "A comma before the decimals", "Read as Indian money it would be a different amount.", "Write the amount with a point before the paise: 1234.56.", "1.234,56", noOption},
	{codeAmountExponent, asError, ScopeRow, "An amount with an exponent", "The spreadsheet program rounded the number when it saved it.", "Format the column as Number with two decimals and save again.", "1e3", noOption},
	{codeAmountDigits, asError, ScopeRow, "Digits of another script", "Only the digits 0 to 9 are read, so that none is mistaken.", "Write the amount with the digits 0 to 9.", "५००", noOption},
	{codeAmountOutOfRange, asError, ScopeRow, "The amount is out of range", "No account holds as much; a reference or an account number may stand in the wrong column.", "Correct the amount.", "", noOption},
	{codeAmountAboveMost, asError, ScopeRow, "The amount is above the most that one payout may be",
		"So large an amount is nearly always a slip: an account number or a reference in the amount column, or paise taken for rupees.",
		"Correct the amount. Where it is meant, raise payout_most under [limits] in payrun.toml first.", "123456789012.00", noOption},
	{codeAmountUnreadable, asError, ScopeRow, "Not a valid amount", "It cannot be read without guessing.", "Write digits, and a point before the paise: 1234.56.", "five hundred", noOption},
	{codeAmountPrecision, asError, ScopeRow, "A number that is not exact",
		"The number comes from a calculation and has digits far behind the paise, or more than a spreadsheet program keeps.",
		"Round the amount in the sheet: =ROUND(A1,2), then paste as values.", "0.30000000000000004", noOption},
	{codeAmountCurrency, asError, ScopeRow, "The row is in another currency",
		"Every payout is in rupees. The row's currency must be INR, ₹, Rs or empty.", "Take the row out of the sheet; where its amount is in rupees, write INR.", "USD below Currency", noOption},
	{codeAmountNotNet, asWarning, ScopeRow, "Gross less TDS is not net",
		"The sheet has gross, TDS and net, and in this row they do not add up.", "Compare the three with the invoice, and correct the one that is wrong.", "1,000.00 less 100.00, and 950.00 net", noOption},

	// vendor_name, remarks and codes
	{codeNameMissing, asError, ScopeRow, "No name", "The bank needs the payee's name (interface: vendor_name).", "Fill in the name.", "", noOption},
	{codeTextCharacters, asError, ScopeRow, "The text holds a character that does not show",
		"Control and direction characters can show one name and send another. ZWJ and ZWNJ are read where Indic and Arabic spelling has them.", fixRetype, "a right-to-left override", noOption},
	{codeTextLineBreak, asInfo, ScopeRow, "A line break was read as a space", "A name or remark is one line at the bank.", "Nothing needs to be done.", "", noOption},
	{codeTextMarked, asWarning, ScopeRow, "A part of the text is struck out, raised or lowered",
		"The bank is sent the text as a whole, also what is struck out.", "Delete what is not meant.", "a name of which a part is struck out", noOption},
	{codeIdentifierCharacters, asError, ScopeRow, "The code has characters that cannot be sent", "The service's codes are plain letters, digits and punctuation.", fixRetype, "", noOption},

	// bank_account_number
	{codeAccountMissing, asError, ScopeRow, "No account number", "The payee cannot be paid without it.", "Fill in the account number.", "", noOption},
	{codeAccountMalformed, asError, ScopeRow, "Not a valid account number", "It has 5 to 34 letters and digits and nothing else.", "Write it without spaces, dashes and apostrophes.", "5020-0012-3456", noOption},
	{codeAccountScientific, asError, ScopeRow, "The account number became a rounded number",
		"The spreadsheet program read it as a number; the digits it does not show are lost for good.",
		"Format the column as Text first (Home > Number format > Text), then copy the account numbers again from their source. Changing the format alone does not bring the digits back.", "1.23457E+11", noOption},
	{codeAccountDigits, asError, ScopeRow, "Digits of another script", "Only the digits 0 to 9 are read, so that none is mistaken.", "Write the account number with the digits 0 to 9.", "१२३४५६", noOption},
	{codeAccountNumeric, asError, ScopeRow, "The account number is a number, not text",
		"A number has no leading zeros and at most 15 digits: 00123 becomes 123 and another account is paid.",
		"Format the column as Text (Home > Number format > Text) and copy the account numbers again from their source. When no account number begins with a zero, numbers of up to 15 digits can be allowed.", "", ledger.Option{Name: ledger.OptionNumericAccounts}},
	{codeAccountNumericRead, asWarning, ScopeRow, "A number was read as the account number",
		"Numbers were allowed as account numbers; a zero in front would be lost.", "Format the column as Text.", "", noOption},
	{codeAccountIsDebit, asError, ScopeRow, "The payee is the debit account", "Paying an account from itself is a slip.", "Correct the account number.", "", noOption},

	// ifsc
	{codeIFSCMissing, asError, ScopeRow, "No IFSC", "The payee's branch is not known without it.", "Fill in the IFSC.", "", noOption},
	{codeIFSCMalformed, asError, ScopeRow, "Not a valid IFSC", "An IFSC has four capital letters, the digit zero, and six capitals or digits.",
		"Correct it from the payee's cheque or passbook.", "HDFCO000123", noOption},

	// open_beneficiary_id
	{codeBeneficiaryMissing, asError, ScopeRow, "No open_beneficiary_id",
		"A RIB account of partner bank 12 pays registered beneficiaries only (interface: Initiate transfer).",
		"Register the payee with `payrun beneficiaries add`, or find the id with `payrun beneficiaries list`.", "", noOption},
	{codeBeneficiaryMalformed, asError, ScopeRow, "Not a valid open_beneficiary_id", "The service's ids are UUIDs.", "Find the id with `payrun beneficiaries list`.", "BENE-17", noOption},
	{codeBeneficiaryUnused, asWarning, ScopeRow, "open_beneficiary_id is not used",
		"Only a RIB account of partner bank 12 pays by it; this row is paid to its account number and IFSC.", "Nothing, when account number and IFSC are right.", "", noOption},

	// bank_account_id, transaction_type_id
	{codeDebitAccountUnknown, asError, ScopeRow, "Unknown debit account", "Only accounts of payrun.toml are debited.", "Write the name of an account of payrun.toml, or its bank_account_id.", "", noOption},
	{codeDebitAccountMissing, asError, ScopeRow, "No debit account", "Neither the row nor the configuration says which account pays.", "Set default = true for one account in payrun.toml, or say which account pays.", "", ledger.Option{Name: ledger.OptionAccount}},
	{codeTransactionTypeMissing, asError, ScopeRow, "No transaction type", "The bank needs a transaction type (interface: transaction_type_id).", "Set transaction_type_id in payrun.toml, or add the column.", "", noOption},

	// bene_lei
	{codeLEIMalformed, asError, ScopeRow, "Not a valid LEI", "A Legal Entity Identifier has 18 capitals or digits and two check digits.", "Look the payee up at search.gleif.org.", "an LEI of 19 characters", noOption},
	{codeLEIMissing, asError, ScopeRow, "The LEI is missing",
		"From 500,000,000.00 on, partner bank 1 needs the payee's LEI, and a payout is never split (interface: Submit transfer).", "Fill in bene_lei.", "", noOption},

	// Held against a branch list and against earlier payouts.
	{codeIFSCUnknownBranch, asWarning, ScopeRow, "The branch is not in the branch list",
		"The IFSC has the right form, and no branch of the imported list has it: it may be mistyped, closed, or newer than the list. Without a list only the form is checked.",
		"Check the IFSC against the payee's cheque or passbook. When many branches are unknown, the list is too old: import a newer one with `payrun ifsc import`.", "HDFC0999999", noOption},
	{codePayeePaid, asWarning, ScopeRow, "The same payee was paid the same amount recently",
		"It may be the same payout under another reference. Compared are account, IFSC and amount with the payouts of the sheets loaded in the last 7 days, whatever became of them.",
		"Compare the two. Delete the row when it is the same payout; when that one failed, send it again with `payrun retry` instead.", "INV-17 again as NOV-17", noOption},
	{codePayeeNewAccount, asWarning, ScopeRow, "A payee known by name has a new account",
		"Changing the account of a known payee is how payments are stolen: by a letter that looks like the payee's. Names are compared without regard to case, width and spaces; a name with more than 20 accounts is not warned about.",
		"Ask the payee on a telephone number known from before, not on one from the message that brought the new account.", "Asha Traders, always paid at one bank, now at another", noOption},
	{codeAmountUnusual, asWarning, ScopeRow, "The amount is far above what this payee is usually paid",
		"The amount is at least 10 times the median of the earlier payouts to this account. A point may be missing, or two zeros too many. Counted are the 100 latest that did not fail, come back or end cancelled; below 5 of them nothing is said.",
		"Compare the amount with the invoice.", "5,00,000.00 to a payee who gets 5,000.00 a month", noOption},
}
