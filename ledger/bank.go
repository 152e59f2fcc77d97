package ledger

import (
	"cmp"
	"fmt"
	"slices"
)

// AccountKind distinguishes partner bank 12's two kinds of account. The account listing does
// not show the kind, so it is configured (interface.md, "Initiate transfer").
type AccountKind string

const (
	KindNone AccountKind = ""    // every partner bank but 12
	KindRIB  AccountKind = "rib" // retail internet banking
	KindCIB  AccountKind = "cib" // corporate internet banking
)

// Rules are the demands of a partner bank. RulesFor is the only place that has them;
// validate, batcher, submitter and sandbox call it.
type Rules struct {
	Bulk               bool  // more than one payout a batch (rule 1 of "Initiate transfer")
	NeedsToken         bool  // transaction_token on submit
	LEILine            Paise // batch total from which bene_lei is required; 0 for never
	NeedsBeneficiaryID bool  // open_beneficiary_id instead of name, account and IFSC
	AsyncStatements    bool  // statements answer 202 first
}

// partnerBanks are the ids that the interface names ("Bank account").
var partnerBanks = []int{1, 3, 4, 8, 12, 31, 79, 105}

// RulesFor returns the rules of a partner bank. An id that the interface does not
// name gets the rules of "every other partner bank": one payout a batch.
func RulesFor(partnerBankID int, kind AccountKind) Rules {
	switch partnerBankID {
	case 1:
		return Rules{Bulk: true, NeedsToken: true, LEILine: LEILine}
	case 3:
		return Rules{Bulk: true}
	case 8:
		return Rules{AsyncStatements: true}
	case 12:
		return Rules{Bulk: true, NeedsBeneficiaryID: kind == KindRIB}
	default:
		return Rules{}
	}
}

// Lacks names what a payout must have for a debit account with these rules, and does not have; "" for nothing.
func (r Rules) Lacks(p *Payout) string {
	switch {
	case r.NeedsBeneficiaryID && p.OpenBeneficiaryID == "":
		return "open_beneficiary_id"
	case !r.NeedsBeneficiaryID && (p.VendorName == "" || p.BankAccountNumber == "" || p.IFSC == ""):
		return "vendor_name, bank_account_number or ifsc"
	}
	return ""
}

// NeedsLEI reports whether a batch of this total requires bene_lei.
func (r Rules) NeedsLEI(total Paise) bool { return r.LEILine > 0 && total >= r.LEILine }

// CheckAccount returns why a debit account cannot be used: an unknown partner
// bank, or a kind that does not fit it. Partner bank 12 needs RIB or CIB.
func CheckAccount(partnerBankID int, kind AccountKind) error {
	return cmp.Or(CheckPartnerBank(partnerBankID), checkKind(partnerBankID, kind))
}

// CheckPartnerBank returns an error for an id that the interface does not name.
func CheckPartnerBank(id int) error {
	if !slices.Contains(partnerBanks, id) {
		return fmt.Errorf("partner_bank_id %d is not one of %v", id, partnerBanks)
	}
	return nil
}

// checkKind returns an error for an account kind that does not fit the partner bank.
func checkKind(partnerBankID int, kind AccountKind) error {
	switch {
	case partnerBankID == 12 && kind != KindRIB && kind != KindCIB:
		return fmt.Errorf(`partner bank 12 needs kind = "rib" or "cib": the interface does not tell which`)
	case partnerBankID != 12 && kind != KindNone:
		return fmt.Errorf("kind = %q is for partner bank 12 only", kind)
	}
	return nil
}

// ValidLEI reports whether s is a Legal Entity Identifier: 18 upper-case
// letters or digits and two check digits, by ISO 17442 and ISO 7064 mod 97-10.
func ValidLEI(s string) bool {
	if len(s) != 20 {
		return false
	}
	rem := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			rem = (rem*10 + int(c-'0')) % 97
		case c >= 'A' && c <= 'Z' && i < 18:
			rem = (rem*100 + int(c-'A') + 10) % 97
		default:
			return false
		}
	}
	return rem == 1
}
