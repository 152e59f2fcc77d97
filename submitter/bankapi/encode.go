package bankapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Names of a request that the two configured ones must not collide with.
var (
	initiateNames = []string{"merchant_transfer_batch_id", "transaction_type_id", "payout_data"}
	payoutNames   = []string{"merchant_txn_ref_id", "open_beneficiary_id", "vendor_name", "bank_account_number", "ifsc", "remarks"}
)

// Checked gives the names, none empty. It refuses one that would hide another field of the
// request.
func (f RequestFields) Checked() (RequestFields, error) {
	f.Amount, f.DebitAccount = cmp.Or(f.Amount, "amount"), cmp.Or(f.DebitAccount, "bank_account_id")
	if !utf8.ValidString(f.Amount) || slices.Contains(payoutNames, f.Amount) {
		return f, fmt.Errorf("amount field %q cannot be used: it is another field's name, or not UTF-8", f.Amount)
	}
	if !utf8.ValidString(f.DebitAccount) || slices.Contains(initiateNames, f.DebitAccount) {
		return f, fmt.Errorf("debit account field %q cannot be used: it is another field's name, or not UTF-8", f.DebitAccount)
	}
	return f, nil
}

// field is a text in a request, or JSON, under its name on the wire.
type field struct {
	name  string
	value any
}

// require reports a field that is empty: those given are all required.
func require(fields ...field) error {
	for _, f := range fields {
		if f.value == "" {
			return fmt.Errorf("%s is missing", f.name)
		}
	}
	return nil
}

// ifAny leaves out the fields that are empty.
func ifAny(fields ...field) []field {
	return slices.DeleteFunc(fields, func(f field) bool { return f.value == "" })
}

// object writes a request of texts, all of them required.
func object(fields ...field) ([]byte, error) {
	if err := require(fields...); err != nil {
		return nil, err
	}
	return written(fields...)
}

// written is a JSON object: the same fields give the same bytes. Its keys are in the order
// they are given, and & < > are as they are. It refuses text that is not UTF-8, which
// encoding/json would change silently.
func written(fields ...field) (json.RawMessage, error) {
	var parts []string
	for _, f := range fields {
		if text, ok := f.value.(string); ok && !utf8.ValidString(text) {
			return nil, fmt.Errorf("%s is not UTF-8", f.name) // and its value is in no error
		}
		parts = append(parts, raw(f.name)+":"+raw(f.value))
	}
	return json.RawMessage("{" + strings.Join(parts, ",") + "}"), nil
}
