package bankapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"
)

// Names of a request that the two configured ones must not collide with.
var (
	initiateNames = []string{"merchant_transfer_batch_id", "transaction_type_id", "payout_data"}
	payoutNames   = []string{"merchant_txn_ref_id", "open_beneficiary_id", "vendor_name", "bank_account_number", "ifsc", "remarks"}
)

// check reports a name that would hide another field of the request.
func (f RequestFields) check() error {
	if f.Amount == "" || !utf8.ValidString(f.Amount) || slices.Contains(payoutNames, f.Amount) {
		return fmt.Errorf("amount field %q cannot be used: it is empty or another field's name", f.Amount)
	}
	if f.DebitAccount == "" || !utf8.ValidString(f.DebitAccount) || slices.Contains(initiateNames, f.DebitAccount) {
		return fmt.Errorf("debit account field %q cannot be used: it is empty or another field's name", f.DebitAccount)
	}
	return nil
}

// Encode writes the body. The same request and names give the same bytes.
func (r InitiateRequest) Encode(f RequestFields) ([]byte, error) {
	var w objectWriter
	w.open()
	w.text("merchant_transfer_batch_id", r.BatchID)
	w.text("transaction_type_id", r.TransactionTypeID)
	w.text(f.DebitAccount, r.BankAccountID)
	w.key("payout_data")
	w.buf.WriteByte('[')
	for i, p := range r.Payouts {
		if i > 0 {
			w.buf.WriteByte(',')
		}
		w.payout(p, f)
	}
	w.buf.WriteByte(']')
	w.close()
	return w.buf.Bytes(), w.err
}

// Encode writes the body. The same request gives the same bytes.
func (r SubmitRequest) Encode() ([]byte, error) {
	var w objectWriter
	w.open()
	w.text("merchant_transfer_batch_id", r.BatchID)
	w.textIfAny("otp", r.OTP)
	w.textIfAny("transaction_token", r.TransactionToken)
	w.textIfAny("bene_lei", r.BeneLEI)
	w.close()
	return w.buf.Bytes(), w.err
}

// field is a text in a request, under its name on the wire.
type field struct{ name, value string }

// require reports a field that is empty: those given are all required.
func require(fields ...field) error {
	for _, f := range fields {
		if f.value == "" {
			return fmt.Errorf("%s is missing", f.name)
		}
	}
	return nil
}

// object writes a request of texts, in the order they are given, all of them
// required.
func object(fields ...field) ([]byte, error) {
	if err := require(fields...); err != nil {
		return nil, err
	}
	var w objectWriter
	w.open()
	for _, f := range fields {
		w.text(f.name, f.value)
	}
	w.close()
	return w.buf.Bytes(), w.err
}

// objectWriter writes JSON objects, their keys in the order they are given and
// & < > as they are. It refuses text that is not UTF-8, which encoding/json
// would change silently.
type objectWriter struct {
	buf   bytes.Buffer
	comma bool
	err   error // the first one; names the field, never its value
}

func (w *objectWriter) open()  { w.buf.WriteByte('{'); w.comma = false }
func (w *objectWriter) close() { w.buf.WriteByte('}'); w.comma = true }

func (w *objectWriter) payout(p InitiatePayout, f RequestFields) {
	w.open()
	w.text("merchant_txn_ref_id", p.WireRef)
	w.textIfAny("open_beneficiary_id", p.OpenBeneficiaryID)
	w.textIfAny("vendor_name", p.VendorName)
	w.textIfAny("bank_account_number", p.BankAccountNumber)
	w.textIfAny("ifsc", p.IFSC)
	w.text(f.Amount, p.Amount)
	w.textIfAny("remarks", p.Remarks)
	w.close()
}

func (w *objectWriter) textIfAny(name, value string) {
	if value != "" {
		w.text(name, value)
	}
}

func (w *objectWriter) text(name, value string) {
	w.key(name)
	if !utf8.ValidString(value) && w.err == nil {
		w.err = fmt.Errorf("%s is not UTF-8", name)
	}
	w.string(value)
}

func (w *objectWriter) key(name string) {
	if w.comma {
		w.buf.WriteByte(',')
	}
	w.comma = true
	w.string(name)
	w.buf.WriteByte(':')
}

func (w *objectWriter) string(s string) {
	enc := json.NewEncoder(&w.buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil && w.err == nil {
		w.err = err
	}
	w.buf.Truncate(w.buf.Len() - 1) // Encode ends its value with a newline
}
