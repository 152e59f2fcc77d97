package cli

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// Every word that payrun prints as a code, a kind or a state has an answer that
// is whole, of the kind that was asked for.
func TestEveryWordIsExplained(t *testing.T) {
	words := map[string][]string{} // by kind
	for _, row := range ledger.Attentions() {
		words[app.KindAttention] = append(words[app.KindAttention], string(row.Kind))
	}
	words[app.KindAttention] = append(words[app.KindAttention], string(ledger.Acknowledged))
	for _, s := range ledger.BatchStates {
		words[app.KindBatchState] = append(words[app.KindBatchState], string(s))
	}
	for _, s := range ledger.PayoutStates {
		words[app.KindPayoutState] = append(words[app.KindPayoutState], string(s))
	}
	words[app.KindBankCode] = []string{"SVC_CB_SM_004", "SVC_CB_FT_001", "SVC_CB_FT_011", "SVC_CB_ST_007"}
	words[app.KindBankStatus] = []string{"IN_PROCESS", "COMPLETED", "RETURNED_FROM_BENEFICIARY"}
	for _, m := range exitTable {
		words[kindExitCode] = append(words[kindExitCode], strconv.Itoa(m.exit))
	}
	for _, c := range app.Codes {
		words[kindErrorCode] = append(words[kindErrorCode], string(c))
	}
	for kind, list := range words {
		for _, word := range list {
			found, err := app.Explain(word, exitExplanations()...)
			if err != nil {
				t.Errorf("%s %s: %v", kind, word, err)
				continue
			}
			whole := false
			for _, e := range found {
				whole = whole || e.Kind == kind && e.Title != "" && e.Why != "" && strings.HasSuffix(e.Fix, ".")
			}
			if !whole {
				t.Errorf("%s %s is not explained whole: %+v", kind, word, found)
			}
		}
	}
}

func TestAWordOfSeveralKindsHasSeveralAnswers(t *testing.T) {
	found, err := app.Explain("failed", exitExplanations()...)
	must(t, err)
	var kinds []string
	for _, e := range found {
		kinds = append(kinds, e.Kind)
	}
	if want := []string{app.KindAttention, app.KindPayoutState, kindErrorCode}; !slices.Equal(kinds, want) {
		t.Errorf("%v, want %v", kinds, want)
	}
	if found, err := app.Explain("held for OTP"); err != nil || len(found) != 2 || found[1].Code != "held" {
		t.Errorf("the words of a state are not explained as the state is: %+v, %v", found, err)
	}
	if _, err := app.Explain("nosuch", exitExplanations()...); err == nil {
		t.Error("a word that does not exist is explained")
	}
}

// A word of a kind without a heading would be explained and not listed.
func TestEveryWordIsListedOnce(t *testing.T) {
	var out strings.Builder
	p := newProgram(World{Stdout: &out, Getenv: func(string) string { return "" }})
	must(t, p.explainAll())
	all := append(app.Explanations(), exitExplanations()...)
	for _, e := range all {
		n := 0
		for _, g := range explainedGroups {
			if g.sort == sortOf(e) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s (%s) is in %d lists", e.Code, e.Kind, n)
		}
	}
	listed := 0
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "  ") {
			listed++
		}
		if utf8.RuneCountInString(line) > 81 {
			t.Errorf("%q is too long", line)
		}
	}
	if listed != len(all) {
		t.Errorf("%d lines list %d words", listed, len(all))
	}
}
