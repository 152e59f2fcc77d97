package app

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"payrun/cmd/payrun/doc"
	"payrun/ingest"
	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// Kinds of explanations. A word can have several: a batch and a payout can both be planned.
const (
	KindFinding     = "finding"
	KindAttention   = "attention"
	KindBatchState  = "batch state"
	KindPayoutState = "payout state"
	KindBankCode    = "code of the bank"
	KindBankStatus  = "status of the bank"
)

// Explain returns what a code, or the words that people read in its place, means, why it matters and what to do, for
// every meaning that it has. more are the words that the caller adds.
func Explain(code string, more ...doc.Explanation) ([]doc.Explanation, error) {
	all := append(Explanations(), more...)
	for _, name := range []func(doc.Explanation) string{
		func(e doc.Explanation) string { return e.Code }, func(e doc.Explanation) string { return e.Title },
	} {
		if found := ledger.Where(all, func(e doc.Explanation) bool { return strings.EqualFold(name(e), code) }); len(found) > 0 {
			return found, nil
		}
	}
	unknown := Fail(Usage, "there is no word %q to explain", ledger.Plain(code)).Then(Do("explain").Which("lists what there is"))
	unknown.Unknown, unknown.Choices = code, ledger.ListOf(all, func(e doc.Explanation) string { return e.Code })
	slices.Sort(unknown.Choices)
	return nil, unknown
}

// Explanations lists every finding, attention and state, and every code and status of the bank.
func Explanations() []doc.Explanation {
	out := ledger.ListOf(ingest.Codes(), func(e ingest.Explanation) doc.Explanation {
		return doc.Explanation{Code: e.Code, Kind: KindFinding, Severity: e.Severity, Title: e.Title, Why: e.Why, Fix: e.Fix, Example: e.Example, Option: e.Option}
	})
	for _, row := range ledger.Attentions() {
		e := doc.Explanation{Code: string(row.Kind), Kind: KindAttention, Title: row.Title, Why: row.Why, Fix: row.Do}
		if row.Exit != 0 {
			e.Why += fmt.Sprintf(" (exit %d)", row.Exit)
		}
		e.Example = strings.Join(ledger.ListOf(row.Next, func(n ledger.Next) string { return n.Command("") }), "; or ")
		out = append(out, e)
	}
	out = append(out, doc.Explanation{
		Code: string(ledger.Acknowledged), Kind: KindAttention, Title: "Dealt with",
		Why: "the bank refused the batch, and a person marked it as dealt with", Fix: "Nothing: its payouts stay cancelled.",
	})
	state := func(code, kind string, m ledger.Meaning) {
		out = append(out, doc.Explanation{Code: code, Kind: kind, Title: m.Words, Why: m.Why, Fix: m.Fix})
	}
	for _, s := range ledger.BatchStates {
		state(string(s), KindBatchState, s.Meaning())
	}
	for _, s := range ledger.PayoutStates {
		state(string(s), KindPayoutState, s.Meaning())
	}
	for _, c := range bankapi.BankCodes() {
		out = append(out, doc.Explanation{
			Code: c.Code, Kind: KindBankCode, Title: cmp.Or(c.Meaning, "the interface does not say what it means"),
			Why: "the bank may answer so to: " + strings.Join(c.Operations, ", "),
			Fix: "Read the bank's message. If it is not clear, ask the bank. payrun decides nothing by this code.",
		})
	}
	for _, e := range bankStatuses {
		e.Kind = KindBankStatus
		out = append(out, e)
	}
	return out
}

// bankStatuses explain the partner banks' status words that the interface shows
// (interface.md, "Payout", bank_status_code). It shows no others.
var bankStatuses = [...]doc.Explanation{
	{Code: "INITIATED", Title: "The bank has begun", Why: "the partner bank's own word", Fix: "payrun poll follows it; only the status shows that it is paid."},
	{Code: "IN_PROCESS", Title: "The bank works on it", Why: "the partner bank's own word", Fix: "payrun poll follows it; only the status shows that it is paid."},
	{Code: "COMPLETED", Title: "The bank is done", Why: "the partner bank's own code; by itself it does not prove a payment", Fix: "payrun poll follows it; only the status shows that it is paid."},
	{Code: ledger.CodeReturned, Title: "The money came back", Why: "the beneficiary's bank sent it back: a payout that was paid is then returned",
		Fix: "Confirm the account and the IFSC with the payee; then payrun retry --out writes the row to be corrected."},
}

// BankWords formats what the bank said in a field whose shape is not shown: the names and
// values of a JSON object, else the text itself.
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

// fieldWords are the names of a sheet's columns as people read them.
var fieldWords = map[string]string{
	"merchant_txn_ref_id": "Reference", "vendor_name": "Payee", "bank_account_number": "Account number", "ifsc": "IFSC", "amount": "Amount", "remarks": "Remarks",
	"open_beneficiary_id": "Beneficiary id", "bank_account_id": "Debit account", "transaction_type_id": "Transaction type", "bene_lei": "LEI of the payee",
	"sub_merchant_id": "Sub-merchant id", "priority": "Priority",
}

// FieldWords returns a column's name as people read it, or the name itself.
func FieldWords(name string) string {
	if words, ok := fieldWords[name]; ok {
		return words
	}
	return name
}

// EventPiece is a piece of an event's text: words, or the beginning of a digest with the full digest.
type EventPiece struct{ Words, Full string }

// digestChars is how many characters of a digest are shown.
const digestChars = 12

// wholeDigest matches a digest in events: SHA-256, in lower-case hex.
var wholeDigest = regexp.MustCompile(`\b[0-9a-f]{64}\b`)

// EventPieces splits an event's text into pieces for people. It shortens digests, which are
// for programs; the audit trail and its export have them in full.
func EventPieces(words string) (list []EventPiece) {
	text := ledger.Plain(words)
	from := 0
	for _, at := range wholeDigest.FindAllStringIndex(text, -1) {
		full := text[at[0]:at[1]]
		list = append(list, EventPiece{Words: text[from:at[0]]}, EventPiece{full[:digestChars] + "…", full})
		from = at[1]
	}
	return append(list, EventPiece{Words: text[from:]})
}

// EventDetail returns an event's text in one line.
func EventDetail(words string) string {
	return strings.Join(ledger.ListOf(EventPieces(words), func(p EventPiece) string { return p.Words }), "")
}
