package bankapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Field names of a request that the two configured names must not repeat.
var (
	initiateNames = []string{"merchant_transfer_batch_id", "transaction_type_id", "payout_data"}
	payoutNames   = []string{"merchant_txn_ref_id", "open_beneficiary_id", "vendor_name", "bank_account_number", "ifsc", "remarks"}
)

// ErrFieldName means that a configured name would hide another field of the request.
var ErrFieldName = errors.New("it is another field's name, or not UTF-8")

// checked returns the names with their defaults, or ErrFieldName.
func (f RequestFields) checked() (RequestFields, error) {
	f.Amount, f.DebitAccount = cmp.Or(f.Amount, "amount"), cmp.Or(f.DebitAccount, "bank_account_id")
	if !utf8.ValidString(f.Amount) || slices.Contains(payoutNames, f.Amount) {
		return f, fmt.Errorf("amount field %q cannot be used: %w", f.Amount, ErrFieldName)
	}
	if !utf8.ValidString(f.DebitAccount) || slices.Contains(initiateNames, f.DebitAccount) {
		return f, fmt.Errorf("debit account field %q cannot be used: %w", f.DebitAccount, ErrFieldName)
	}
	return f, nil
}

// field is a text, or JSON, with its name on the wire.
type field struct {
	name  string
	value any
}

// require returns an error if any of the fields is empty.
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

// written returns a JSON object. The same fields give the same bytes: keys keep the order of the arguments, and
// & < > are not escaped. It refuses text that is not UTF-8, which encoding/json would change silently.
func written(fields ...field) (json.RawMessage, error) {
	var parts []string
	for _, f := range fields {
		if text, ok := f.value.(string); ok && !utf8.ValidString(text) {
			return nil, fmt.Errorf("%s is not UTF-8", f.name) // the error must not repeat the value
		}
		parts = append(parts, raw(f.name)+":"+raw(f.value))
	}
	return json.RawMessage("{" + strings.Join(parts, ",") + "}"), nil
}
