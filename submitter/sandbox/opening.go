package sandbox

import (
	"fmt"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// The contents of a new sandbox. The ids are the same for every seed, so that sheets and examples can name
// them. The last digits of an account are its partner bank, but 112 for the RIB account of partner bank 12 and
// 999 for the one that is token_expired.
const subMerchantID = "sm_0001"

const openingBalance ledger.Paise = 10_000_000_000_00

const sampleHolder = "Sample Trading Private Limited"

func sampleIFSC(partnerBank int) string { return fmt.Sprintf("SBOX0%06d", partnerBank) }

func accountID(last int) string { return fmt.Sprintf("a0000000-0000-4000-8000-%012d", last) }

func beneficiaryID(last int) string { return fmt.Sprintf("b0000000-0000-4000-8000-%012d", last) }

func openingAccounts() []*Account {
	of := func(last, partnerBank int, kind ledger.AccountKind, status string) *Account {
		return &Account{
			LinkedAccount: ledger.LinkedAccount{
				BankAccountID: accountID(last), PartnerBankID: partnerBank, Status: status,
				AccountNumber: fmt.Sprintf("5020%010d", last*1_000_003), IFSC: sampleIFSC(partnerBank),
				AccountName: sampleHolder, Identifier: fmt.Sprintf("partner bank %d", partnerBank),
			},
			SubMerchantID: subMerchantID, Kind: kind, Opening: openingBalance, Balance: openingBalance,
		}
	}
	return []*Account{
		of(1, 1, ledger.KindNone, ledger.AccountActive),
		of(3, 3, ledger.KindNone, ledger.AccountActive),
		of(4, 4, ledger.KindNone, ledger.AccountActive),
		of(8, 8, ledger.KindNone, ledger.AccountActive),
		of(12, 12, ledger.KindCIB, ledger.AccountActive),
		of(112, 12, ledger.KindRIB, ledger.AccountActive),
		of(31, 31, ledger.KindNone, ledger.AccountActive),
		of(79, 79, ledger.KindNone, ledger.AccountActive),
		of(105, 105, ledger.KindNone, ledger.AccountActive),
		of(999, 3, ledger.KindNone, accountExpired),
	}
}

func openingBeneficiaries() []*beneficiary {
	of := func(last int, name, status string) *beneficiary {
		return &beneficiary{SubMerchantID: subMerchantID, Beneficiary: ledger.Beneficiary{
			OpenBeneficiaryID: beneficiaryID(last), BankAccountID: accountID(112), VendorName: name,
			BankAccountNumber: fmt.Sprintf("9180%010d", last*1_000_033), IFSC: sampleIFSC(12), Status: status,
		}}
	}
	return []*beneficiary{
		of(1, "Beneficiary One", ledger.BeneficiaryActive),
		of(2, "Beneficiary Two", ledger.BeneficiaryActive),
		of(3, "Beneficiary Three", ledger.BeneficiaryRequested),
	}
}

func openingSubMerchants() []*bankapi.SubMerchant {
	return []*bankapi.SubMerchant{{
		SubMerchantID: subMerchantID, FirstName: "Sample", LastName: "Trading", Email: "accounts@example.com", Username: "9000000001",
	}}
}
