package app

import (
	"fmt"
	"slices"
	"strings"

	"payrun/cmd/payrun/doc"
	"payrun/ingest/statement"
	"payrun/ledger"
	"payrun/submitter/bankapi"
	"payrun/validate"
)

// Kinds of explanations. The same word may be of several: a batch and a payout
// can both be planned.
const (
	KindFinding     = "finding"
	KindAttention   = "attention"
	KindBatchState  = "batch state"
	KindPayoutState = "payout state"
	KindBankCode    = "code of the bank"
	KindBankStatus  = "status of the bank"
)

// Explain tells what a word means, why it matters and what to do, in every sense
// that it has. more are the words that the caller's own face adds to app's.
func Explain(code string, more ...doc.Explanation) ([]doc.Explanation, error) {
	all := append(Explanations(), more...)
	var found []doc.Explanation
	for _, e := range all {
		if strings.EqualFold(e.Code, code) {
			found = append(found, e)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	unknown := Fail(Usage, "there is no word %q to explain", ledger.Plain(code)).Then(Do("explain").Which("lists what there is"))
	unknown.Word = code
	for _, e := range all {
		unknown.Known = append(unknown.Known, e.Code)
	}
	slices.Sort(unknown.Known)
	return nil, unknown
}

// Explanations lists every finding, attention, state and code of the bank.
func Explanations() []doc.Explanation {
	var out []doc.Explanation
	for _, e := range validate.Explanations() {
		out = append(out, doc.Explanation{
			Code: e.Code, Kind: KindFinding, Severity: e.Severity, Title: e.Title, Why: e.Why, Fix: e.Fix, Example: e.Example, Option: e.Option,
		})
	}
	for _, e := range statement.Codes() {
		out = append(out, doc.Explanation{Code: string(e.Code), Kind: KindFinding, Severity: e.Severity, Title: e.Title, Why: e.Why, Fix: e.Fix, Option: e.Option})
	}
	for _, row := range ledger.Attentions() {
		out = append(out, explainAttention(row))
	}
	out = append(out, doc.Explanation{
		Code: string(ledger.Acknowledged), Kind: KindAttention, Title: "Dealt with",
		Why: "the bank refused the batch, and a person said that this is dealt with", Fix: "Nothing: its payouts stay cancelled.",
	})
	for _, s := range ledger.BatchStates {
		out = append(out, doc.Explanation{Code: string(s), Kind: KindBatchState, Title: s.Words(), Why: batchStates[s].why, Fix: batchStates[s].fix})
	}
	for _, s := range ledger.PayoutStates {
		out = append(out, doc.Explanation{Code: string(s), Kind: KindPayoutState, Title: s.Words(), Why: payoutStates[s].why, Fix: payoutStates[s].fix})
	}
	for _, c := range bankapi.BankCodes() {
		out = append(out, explainBankCode(c))
	}
	for _, e := range bankStatuses {
		e.Kind = KindBankStatus
		out = append(out, e)
	}
	return out
}

func explainAttention(row ledger.AttentionRow) doc.Explanation {
	e := doc.Explanation{Code: string(row.Kind), Kind: KindAttention, Title: row.Title, Why: row.Why, Fix: row.Do}
	if row.Exit != 0 {
		e.Why += fmt.Sprintf(" (exit %d)", row.Exit)
	}
	var commands []string
	for _, n := range row.Next {
		commands = append(commands, n.Command(""))
	}
	e.Example = strings.Join(commands, "; or ")
	return e
}

func explainBankCode(c bankapi.BankCode) doc.Explanation {
	e := doc.Explanation{
		Code: c.Code, Kind: KindBankCode, Title: c.Meaning,
		Why: "the bank may answer so to: " + strings.Join(c.Operations, ", "),
		Fix: "Read the bank's own words. If they are not clear, ask the bank. payrun decides nothing by the code.",
	}
	if e.Title == "" {
		e.Title = "the interface does not say what it means"
	}
	return e
}
