package ledger

import (
	"fmt"
	"slices"
	"strings"
)

// Fields is a set of fields of an answer that are compared with what was sent.
type Fields uint16

// The fields.
const (
	FieldRef Fields = 1 << iota
	FieldAmount
	FieldAccount
	FieldIFSC
	FieldBeneficiaryID
	FieldTxnID
	FieldStatus // and bank_status_code
	FieldBatchID
	FieldDebitAccount
	FieldDebitNumber
	FieldSubMerchant
)

var fieldNames = [...]string{"reference", "amount", "account", "IFSC", "beneficiary id", "transaction id", "status", "batch id", "debit account", "debit account number", "sub-merchant"}

// String names the fields for people.
func (f Fields) String() string {
	var names []string
	for i, name := range fieldNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// MarshalText is String.
func (f Fields) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (f *Fields) UnmarshalText(b []byte) error {
	*f = 0
	for name := range strings.SplitSeq(string(b), ", ") {
		i := slices.Index(fieldNames[:], name)
		if i < 0 {
			return fmt.Errorf("%q is no field of a status", name)
		}
		*f |= 1 << i
	}
	return nil
}

// Compared are the fields that are compared with this payout: account, IFSC and
// beneficiary id only where its row has them.
func (p *Payout) Compared() Fields {
	f := FieldRef | FieldAmount | FieldTxnID | FieldStatus
	if p.BankAccountNumber != "" {
		f |= FieldAccount
	}
	if p.IFSC != "" {
		f |= FieldIFSC
	}
	if p.OpenBeneficiaryID != "" {
		f |= FieldBeneficiaryID
	}
	return f
}

// stillUnread are the fields whose last value could not be read: what the answer shows
// so, and what it showed so before and does not show as planned now.
func (a *Attempt) stillUnread(o Observation) Fields {
	var planned Fields
	for field, is := range map[Fields]bool{
		FieldRef:           o.WireRef == a.WireRef,
		FieldAmount:        o.HasAmount && o.Amount == a.Amount,
		FieldAccount:       MayBeAccount(a.BankAccountNumber, o.BankAccountNumber),
		FieldIFSC:          strings.EqualFold(o.IFSC, a.IFSC),
		FieldBeneficiaryID: strings.EqualFold(o.OpenBeneficiaryID, a.OpenBeneficiaryID),
		FieldTxnID:         o.OpenTxnID != "", // another one is a contradiction
		FieldStatus:        Listed(o.Status),
	} {
		if is {
			planned |= field
		}
	}
	return (a.Unread&^planned | o.Unread) & a.Compared()
}
