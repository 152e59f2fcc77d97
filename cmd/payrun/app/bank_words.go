package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"payrun/ledger"
)

// BankWords are what the bank said in a field whose shape is not shown, as people read it:
// the names and values of a JSON object, else the text itself.
func BankWords(said string) string {
	in := json.NewDecoder(strings.NewReader(said))
	in.UseNumber()
	var v any
	if err := in.Decode(&v); err != nil || in.More() {
		return ledger.Plain(said)
	}
	return ledger.Plain(valueWords(v))
}

func valueWords(v any) string {
	var words []string
	switch v := v.(type) {
	case nil:
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if is := valueWords(v[name]); is != "" {
				words = append(words, strings.ReplaceAll(name, "_", " ")+": "+is)
			}
		}
	case []any:
		for _, one := range v {
			words = append(words, valueWords(one))
		}
	default:
		words = append(words, fmt.Sprint(v))
	}
	return strings.Join(words, ", ")
}

// fieldWords are the columns of a sheet in people's words.
var fieldWords = map[string]string{
	"merchant_txn_ref_id": "Reference", "vendor_name": "Payee", "bank_account_number": "Account number", "ifsc": "IFSC", "amount": "Amount", "remarks": "Remarks",
	"open_beneficiary_id": "Beneficiary id", "bank_account_id": "Debit account", "transaction_type_id": "Transaction type", "bene_lei": "LEI of the payee",
	"sub_merchant_id": "Sub-merchant id", "priority": "Priority",
}

// FieldWords is a column of a sheet in people's words; the name itself where it has none.
func FieldWords(name string) string {
	if words, ok := fieldWords[name]; ok {
		return words
	}
	return name
}
