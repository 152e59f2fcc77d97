package ledger_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"payrun/ledger"
)

var snake = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)

func TestTheTableOfAttentionsIsWhole(t *testing.T) {
	rows := ledger.Attentions()
	seen := map[ledger.Attention]bool{}
	weight := ledger.WeightGrave
	for _, r := range rows {
		if !snake.MatchString(string(r.Kind)) || r.Title == "" || r.Why == "" || !strings.HasSuffix(r.Do, ".") || seen[r.Kind] {
			t.Errorf("%q is not whole, or listed twice: %+v", r.Kind, r)
		}
		seen[r.Kind] = true
		if r.Weight > weight || r.Weight < ledger.WeightBank {
			t.Errorf("%s (%d) comes after what weighs less (%d), or weighs nothing", r.Kind, r.Weight, weight)
		}
		weight = r.Weight
		if exits := []int{0, 12, 13, 14, 15, 16}; !slices.Contains(exits, r.Exit) {
			t.Errorf("%s gives exit %d", r.Kind, r.Exit)
		}
		if r.Weight == ledger.WeightGrave && r.Exit != 15 && r.Exit != 16 {
			t.Errorf("%s is grave and gives exit %d", r.Kind, r.Exit)
		}
		if got := r.Kind.Row(); got.Kind != r.Kind || got.Title != r.Title || ledger.Attention(r.Kind).NeedsPerson() != (r.Weight >= ledger.WeightPerson) {
			t.Errorf("%s: %+v", r.Kind, got)
		}
	}
}

func TestAnUnknownAttentionNeedsAPersonAndComesLast(t *testing.T) {
	odd := ledger.Attention("of_a_newer_program")
	if row := odd.Row(); row.Weight != ledger.WeightGrave || row.Exit != ledger.ExitPerson || row.Title == "" || row.Do == "" || !odd.NeedsPerson() || odd.Rank() != len(ledger.Attentions()) {
		t.Errorf("%+v, %v, rank %d", row, odd.NeedsPerson(), odd.Rank())
	}
	if row := ledger.NeedsNothing.Row(); row.Kind != "" || row.Weight != ledger.WeightNone || ledger.NeedsNothing.NeedsPerson() {
		t.Error("nothing needs a person")
	}
}

// What each state asks, by hand.
func TestWhatABatchAsks(t *testing.T) {
	want := map[ledger.BatchState]ledger.Attention{
		"planned": "planned", "initiating": "initiate_unknown", "initiate_unknown": "initiate_unknown", "held": "otp_waiting",
		"submitting": "submit_unknown", "submit_unknown": "submit_unknown", "submitted": "open", "settled": "", "refused": "refused",
		"quarantined": "echo_differs", "abandoned": "", "set_aside": "",
	}
	answered := map[ledger.BatchState]ledger.Attention{ // the bank answered no, and the effect is unknown
		"initiating": "initiate_no", "initiate_unknown": "initiate_no", "submitting": "submit_no", "submit_unknown": "submit_no",
	}
	for _, s := range ledger.BatchStates {
		if got := (ledger.Batch{State: s}).Asks(); got != want[s] {
			t.Errorf("%s asks %q, want %q", s, got, want[s])
		}
		if got := (ledger.Batch{State: s, Refusal: "HTTP 409"}).Asks(); got != cmp.Or(answered[s], want[s]) {
			t.Errorf("%s after an answered no asks %q, want %q", s, got, cmp.Or(answered[s], want[s]))
		}
		if got := (ledger.Batch{State: s, Attention: ledger.Acknowledged}).Asks(); got != ledger.NeedsNothing {
			t.Errorf("%s, dealt with, asks %q", s, got)
		}
		found := (ledger.Batch{State: s, Attention: ledger.StatusDiffers}).Asks()
		if want := map[bool]ledger.Attention{true: "", false: ledger.StatusDiffers}[s == ledger.BatchAbandoned]; found != want {
			t.Errorf("%s where a difference was found asks %q, want %q", s, found, want)
		}
	}
}

func TestWhatAPayoutAsks(t *testing.T) {
	differs := ledger.Batch{State: ledger.BatchSubmitted, Attention: ledger.StatusDiffers}
	open := ledger.Batch{State: ledger.BatchSubmitted}
	for _, c := range []struct {
		state  ledger.PayoutState
		status string
		batch  ledger.Batch
		want   ledger.Attention
	}{
		{"success", "success", differs, ""}, {"disputed", "failed", open, "disputed"}, {"returned", "success", open, "returned"},
		{"failed", "failed", open, "failed"}, {"cancelled", "", differs, "cancelled"},
		{"pending", "pending", open, "open"}, {"pending", "", open, "open"}, {"pending", "ON_HOLD", open, "unknown_status"},
		{"pending", "SUCCESS", open, "unknown_status"}, {"pending", "pending", differs, "status_differs"}, {"pending", "ON_HOLD", differs, "status_differs"},
		{"request_initiated", "request_initiated", ledger.Batch{State: ledger.BatchHeld, Attention: ledger.OTPSpent}, "otp_spent"},
		{"planned", "", ledger.Batch{State: ledger.BatchQuarantined}, "echo_differs"},
	} {
		if got := (ledger.Attempt{State: c.state, Status: c.status}).Asks(c.batch); got != c.want {
			t.Errorf("%s (%s) in %s: %q, want %q", c.state, c.status, c.batch.State, got, c.want)
		}
	}
}

// The next steps are legal wherever their attention can come up, so that no
// hint leads to a refusal.
func TestEveryNextStepIsLegalWhereItIsSaid(t *testing.T) {
	events := map[string]ledger.BatchEvent{"initiate": ledger.InitiateIntended, "submit": ledger.SubmitIntended, "abandon": ledger.Abandoned}
	comesUpIn := map[ledger.Attention][]ledger.BatchState{
		ledger.OTPLate: {ledger.BatchHeld}, ledger.OTPSpent: {ledger.BatchHeld},
		ledger.SubmitOverdue: {ledger.BatchSubmitUnknown}, ledger.OTPWaiting: {ledger.BatchHeld}, ledger.EchoDiffered: {ledger.BatchQuarantined},
		ledger.ToBeInitiated: {ledger.BatchPlanned}, ledger.AccountUnusable: {ledger.BatchPlanned}, ledger.SentBack: {ledger.BatchPlanned},
	}
	for _, row := range ledger.Attentions() {
		for _, next := range row.Next {
			verb := strings.Join(append([]string{next.Verb}, next.Flags...), " ")
			event, moves := events[verb]
			if !moves {
				continue // poll, retry and approve move no batch by themselves
			}
			switch row.Kind {
			case ledger.QueuedBehindOTP:
				continue // of the batch before it, and of all that wait
			case ledger.WasRefused:
				continue // moves nothing: it is dealt with, see TestOnlyARefusalIsDealtWith
			}
			if next.Names != ledger.NamesBatch {
				t.Errorf("%s: %q names no batch", row.Kind, verb)
			}
			if len(comesUpIn[row.Kind]) == 0 {
				t.Errorf("%s says %q, and this test does not know where", row.Kind, verb)
			}
			for _, state := range comesUpIn[row.Kind] {
				if _, err := state.Next(event); err != nil {
					t.Errorf("%s says %q: %v", row.Kind, verb, err)
				}
			}
		}
	}
}

func TestANextStepIsACommandWithRealIDs(t *testing.T) {
	row := ledger.OTPLate.Row()
	if got := row.Next[1].Args("pr123"); !slices.Equal(got, []string{"abandon", "pr123", "--reason", "no OTP came"}) {
		t.Errorf("%q", got)
	}
	row = ledger.QueuedBehindOTP.Row()
	if got := row.Next[1].Args("pr123"); !slices.Equal(got, []string{"initiate", "--all"}) {
		t.Errorf("%q", got)
	}
	for _, row := range ledger.Attentions() {
		for _, n := range row.Next {
			if text := strings.Join(n.Args("pr1"), " "); strings.ContainsAny(text, "…<>") || regexp.MustCompile(`\b[A-Z]{3,}\b`).MatchString(strings.ReplaceAll(text, "OTP", "")) {
				t.Errorf("%s: %q holds a place for something", row.Kind, text)
			}
		}
	}
}

var update = flag.Bool("update", false, "write the documents that tests make")

// docs/reference.md has the table; -update writes it.
func TestTheDocumentHasTheTableOfAttentions(t *testing.T) {
	const path, begin, end = "../docs/reference.md", "<!-- attention:begin -->\n", "<!-- attention:end -->\n"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	was, tail, also := strings.Cut(rest, end)
	if !ok || !also {
		t.Fatalf("%s has no place for the table", path)
	}
	var table strings.Builder
	table.WriteString("| attention | means | exit |\n|---|---|---|\n")
	for _, r := range ledger.Attentions() {
		exit := map[bool]string{true: strconv.Itoa(r.Exit), false: ""}[r.Exit != 0]
		fmt.Fprintf(&table, "| `%s` | %s: %s | %s |\n", r.Kind, r.Title, r.Why, exit)
	}
	if was == table.String() {
		return
	}
	if !*update {
		t.Fatalf("%s does not have the table as it is; go test ./ledger -update writes it", path)
	}
	if err := os.WriteFile(path, []byte(head+begin+table.String()+end+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}
