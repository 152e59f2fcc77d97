package validate

import (
	"fmt"
	"unicode"

	"payrun/ingest"
	"payrun/ledger"
	"payrun/validate/ifsc"
)

// payee reads the payee: by open_beneficiary_id for a RIB account of partner bank 12, by name, account number
// and IFSC for every other account (interface.md, "Initiate transfer").
func (r *rowReader) payee(account *ledger.DebitAccount) {
	byID := account.Rules().NeedsBeneficiaryID
	r.beneficiary(byID)
	r.name(!byID)
	r.account(!byID, account)
	r.ifsc(!byID)
}

func (r *rowReader) beneficiary(required bool) {
	id := r.cells[colBeneficiary]
	switch {
	case r.refused[colBeneficiary]:
	case id == "": // see heldAgainstBank
	case !required:
		r.find(colBeneficiary, codeBeneficiaryUnused, id, "the debit account pays by account number and IFSC; this id is not sent", "")
	case !uuid.MatchString(id):
		r.find(colBeneficiary, codeBeneficiaryMalformed, id, "not a valid id: ids are UUIDs, 8-4-4-4-12 hexadecimal digits", "")
	default:
		r.payout.OpenBeneficiaryID = id
	}
}

func (r *rowReader) name(required bool) {
	if required && r.cells[colName] == "" && !r.refused[colName] {
		r.find(colName, codeNameMissing, "", "the payee's name is empty", "")
	}
	r.text(colName, &r.payout.VendorName)
	r.suspectName(r.payout.VendorName)
}

// account reads the payee's account number. A numeric cell may have lost leading zeros, and digits after the
// 15th, without a trace.
func (r *rowReader) account(required bool, debit *ledger.DebitAccount) {
	number := r.cells[colAccount]
	if r.refused[colAccount] || (number == "" && !required) {
		return
	}
	if r.kinds[colAccount].Numeric() && number != "" && !r.numericAccount(number) {
		return
	}
	if code, message := accountFault(number); code != "" {
		r.find(colAccount, code, ledger.Mask(number), message, "")
		return
	}
	if debit.AccountNumber != "" && ledger.SameAccountNumber(number, debit.AccountNumber) {
		r.find(colAccount, codeAccountIsDebit, ledger.Mask(number), "the payee's account is the debit account itself", "")
		return
	}
	r.suspectAccount(number)
	r.cells[colAccount], r.payout.BankAccountNumber = number, number
}

// numericAccount reads a numeric cell if --numeric-accounts allows it.
func (r *rowReader) numericAccount(text string) bool {
	whole := ingest.Exact(text) && plainDigits(text, 0) && len(text) <= ingest.ExactDigits && !r.kinds[colAccount].ShownOtherwise()
	switch {
	case !whole:
		r.refuse(colAccount, codeAccountNumeric, "the cell is a number whose digits are not all kept or shown")
	case !r.o.NumericAccounts:
		r.refuse(colAccount, codeAccountNumeric, "the cell is a number, not text: leading zeros may be lost")
	default:
		r.find(colAccount, codeAccountNumericRead, ledger.Mask(text), "a number was read as the account number; zeros before it would be lost", "")
		return true
	}
	return false
}

func (r *rowReader) ifsc(required bool) {
	code := r.cells[colIFSC]
	switch {
	case r.refused[colIFSC]:
	case code == "" && required:
		r.find(colIFSC, codeIFSCMissing, "", "the IFSC is empty", "")
	case code == "":
	case !ifsc.Valid(code):
		why, likely := ifsc.Explain(code)
		fix := ""
		if likely != "" {
			fix = fmt.Sprintf("It is probably %s: check it against the payee's cheque or passbook.", likely)
		}
		if hidden := hiddenIn(code); hidden != 0 {
			why, fix = fmt.Sprintf("it holds %U, which does not show", hidden), fixRetype
		}
		r.find(colIFSC, codeIFSCMalformed, maskDigits(code), "not a valid IFSC: "+why, fix)
	default:
		r.payout.IFSC = code
	}
}

// maskDigits masks a text with enough digits to be an account number in the wrong column. An IFSC has at most
// seven.
func maskDigits(s string) string {
	const account = 9
	digits := 0
	for _, r := range s {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	if digits < account {
		return s
	}
	return ledger.Mask(s)
}
