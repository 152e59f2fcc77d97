package app

import (
	"slices"

	"payrun/cmd/payrun/doc"
	"payrun/ledger"
	"payrun/validate"
)

// Explain tells why a finding matters and what to do.
func Explain(code string) (doc.Explanation, error) {
	e, ok := validate.Explain(code)
	if ok {
		return explanation(e), nil
	}
	unknown := Fail(Usage, "there is no finding %q", ledger.Plain(code)).Then(Do("explain").Which("lists them"))
	unknown.Word = code
	for _, e := range validate.Explanations() {
		unknown.Known = append(unknown.Known, e.Code)
	}
	slices.Sort(unknown.Known)
	return doc.Explanation{}, unknown
}

// Explanations lists every finding.
func Explanations() []doc.Explanation {
	var out []doc.Explanation
	for _, e := range validate.Explanations() {
		out = append(out, explanation(e))
	}
	return out
}

func explanation(e validate.Explanation) doc.Explanation {
	return doc.Explanation{
		Schema: "payrun.explain/v1", Code: e.Code, Severity: e.Severity, Title: e.Title, Why: e.Why, Fix: e.Fix, Example: e.Example, Option: e.Option,
	}
}
