package validate

import (
	"fmt"

	"payrun/ingest"
	"payrun/ledger"
)

// payee reads who is paid: by open_beneficiary_id from a RIB account of
// partner bank 12, by name, account number and IFSC from every other
// (interface.md, "Initiate transfer").
func (j *rowJudge) payee(account *ledger.DebitAccount) {
	byID := account.Rules().NeedsBeneficiaryID
	j.beneficiary(byID)
	j.name(!byID)
	j.account(!byID, account)
	j.ifsc(!byID)
}

func (j *rowJudge) beneficiary(required bool) {
	id := j.cells[colBeneficiary]
	switch {
	case j.refused[colBeneficiary]:
	case required && id == "":
		j.find(colBeneficiary, codeBeneficiaryMissing, "", "a RIB account pays by open_beneficiary_id, and the row has none", "")
	case !required && id != "":
		j.find(colBeneficiary, codeBeneficiaryUnused, id, "the debit account pays by account number and IFSC; this id is not sent", "")
	case required && !validUUID(id):
		j.find(colBeneficiary, codeBeneficiaryMalformed, id, "the id has not the form of a UUID, 8-4-4-4-12 hexadecimal digits", "")
	case required:
		j.payout.OpenBeneficiaryID = id
	}
}

func (j *rowJudge) name(required bool) {
	if required && j.cells[colName] == "" && !j.refused[colName] {
		j.find(colName, codeNameMissing, "", "the payee's name is empty", "")
	}
	j.text(colName, &j.payout.VendorName)
}

// account reads the payee's account number. A numeric cell has lost leading
// zeros, and digits beyond the 15th, without a trace.
func (j *rowJudge) account(required bool, debit *ledger.DebitAccount) {
	number := j.cells[colAccount]
	if j.refused[colAccount] || (number == "" && !required) {
		return
	}
	if j.kinds[colAccount].Numeric() && number != "" {
		read, ok := j.numericAccount(number)
		if !ok {
			return
		}
		number = read
	}
	if code := accountFault(number); code != "" {
		j.find(colAccount, code, ledger.Mask(number), accountMessage(code, number), "")
		return
	}
	if debit.AccountNumber != "" && sameAccount(number, debit.AccountNumber) {
		j.find(colAccount, codeAccountIsDebit, ledger.Mask(number), "the payee's account is the debit account itself", "")
		return
	}
	j.cells[colAccount], j.payout.BankAccountNumber = number, number
}

// numericAccount reads a numeric cell where --numeric-accounts allows it.
func (j *rowJudge) numericAccount(raw string) (string, bool) {
	text, exact := numericText(raw)
	whole := exact && plainDigits(text, 0) && len(text) <= exactDigits && j.kinds[colAccount] != ingest.Formatted
	switch {
	case !whole:
		j.refuse(colAccount, codeAccountNumeric, "the cell is a number whose digits are not all kept or shown")
	case !j.o.NumericAccounts:
		j.refuse(colAccount, codeAccountNumeric, "the cell is a number, not text: leading zeros may be lost")
	default:
		j.find(colAccount, codeAccountNumericRead, ledger.Mask(text), "a number was read as the account number; zeros before it would be lost", "")
		return text, true
	}
	return "", false
}

func accountMessage(code, number string) string {
	switch code {
	case codeAccountMissing:
		return "the account number is empty"
	case codeAccountScientific:
		return "the spreadsheet program turned the account number into a rounded number; its digits are lost"
	case codeAccountDigits:
		return "the account number has digits of another script"
	}
	if n := len(number); plainDigits(number, 0) || isASCIIPrintable(number) && squeeze(number) == number {
		return fmt.Sprintf("an account number has %d to %d letters and digits and nothing else; this has %d characters", minAccountChars, maxAccountChars, n)
	}
	return fmt.Sprintf("an account number has %d to %d letters and digits, without spaces or punctuation", minAccountChars, maxAccountChars)
}

func (j *rowJudge) ifsc(required bool) {
	code := j.cells[colIFSC]
	switch {
	case j.refused[colIFSC]:
	case code == "" && required:
		j.find(colIFSC, codeIFSCMissing, "", "the IFSC is empty", "")
	case code == "":
	case !validIFSC(code):
		why, likely := explainIFSC(code)
		fix := ""
		if likely != "" {
			fix = fmt.Sprintf("It is probably %s: check it against the payee's cheque or passbook.", likely)
		}
		j.find(colIFSC, codeIFSCMalformed, code, "this is no IFSC: "+why, fix)
	default:
		j.payout.IFSC = code
	}
}
