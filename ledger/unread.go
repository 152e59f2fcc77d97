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

// String returns the names of the fields, for people.
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

// Compared returns the fields that are compared with this payout. Account, IFSC and
// beneficiary id are compared only if its row has them.
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

// stillUnread returns the fields that count as unread: those that the answer shows unreadably,
// and those that were unread before and that it does not show as planned.
func (a *Attempt) stillUnread(o Observation) Fields {
	var planned Fields
	for field, is := range map[Fields]bool{
		FieldRef:           o.WireRef == a.WireRef,
		FieldAmount:        o.HasAmount && o.Amount == a.Amount,
		FieldAccount:       MayBeAccount(a.BankAccountNumber, o.BankAccountNumber),
		FieldIFSC:          strings.EqualFold(o.IFSC, a.IFSC),
		FieldBeneficiaryID: strings.EqualFold(o.OpenBeneficiaryID, a.OpenBeneficiaryID),
		FieldTxnID:         o.OpenTxnID != "", // judge disputes another id
		FieldStatus:        Listed(o.Status),
	} {
		if is {
			planned |= field
		}
	}
	return (a.Unread&^planned | o.Unread) & a.Compared()
}
