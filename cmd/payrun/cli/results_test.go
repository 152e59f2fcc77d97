package cli

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

// A line that says "1 more" takes the place of the row that it is about.
func TestALastRowIsShown(t *testing.T) {
	s := &session{program: &program{term: &term.Terminal{}}}
	for all, want := range map[int]int{0: 0, 19: 19, 20: 20, 21: 21, 22: 20, 500: 20} {
		if got := s.shownOf(all, shownBatches); got != want {
			t.Errorf("%d rows: %d shown, want %d", all, got, want)
		}
	}
	s.term.Verbose = true
	if got := s.shownOf(500, shownBatches); got != 500 {
		t.Errorf("with --verbose %d of 500 are shown", got)
	}
}

// What the table of attentions tells people to type is understood, and gives
// an exit code of the contract.
func TestNextStepsOfTheTableAreCommands(t *testing.T) {
	cmds := newProgram(World{}).commands()
	for _, row := range ledger.Attentions() {
		if !slices.ContainsFunc(exitTable[:], func(m exitMeaning) bool { return m.exit == row.Exit }) {
			t.Errorf("%s gives exit %d, which the contract does not have", row.Kind, row.Exit)
		}
		for _, next := range row.Next {
			in, err := parse(cmds, globalFlags(), next.Args("prabcdef"))
			if err == nil {
				err = in.cmd.checkArgs(next.Verb, in.NArg())
			}
			if err != nil {
				t.Errorf("%s: %s: %v", row.Kind, newProgram(World{}).typed(next.Args("prabcdef")), err)
			}
		}
	}
}

func TestAHintIsTypedAsItIsPrinted(t *testing.T) {
	for _, c := range []struct {
		hint app.Hint
		want string
	}{
		{app.Say("words alone"), "words alone"},
		{app.Do("submit", "pr1"), "Next: payrun submit pr1"},
		{app.Do("abandon", "pr1", "--reason", "no OTP came"), `Next: payrun abandon pr1 --reason "no OTP came"`},
		{app.Do("load", "what's $5.csv"), `Next: payrun load 'what'\''s $5.csv'`},
		{app.Do("poll").First("never send it again"), "never send it again|Next: payrun poll"},
		{app.Do("sheets").Which("lists them"), "payrun sheets lists them"},
		{app.Do("status").First("nothing was recorded").Which("shows it"), "nothing was recorded: payrun status shows it"},
	} {
		if got := strings.Join(newProgram(World{}).hintLines(c.hint), "|"); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// A sheet that was read in a certain way is loaded in the same.
func TestAHintRepeatsHowASheetIsRead(t *testing.T) {
	p := newProgram(World{})
	p.verb, p.given = "check", []string{"--map=amount=Net Pay", "--strict"}
	want := `Next: payrun load nov.csv --skip-bad "--map=amount=Net Pay" --strict`
	if got := strings.Join(p.hintLines(app.Do("load", "nov.csv", "--skip-bad")), "|"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A hint is about the ledger that the command was about.
func TestAHintRepeatsWhichLedgerItIs(t *testing.T) {
	p := newProgram(World{})
	p.flags.config, p.flags.ledger = "my books/payrun.toml", "a.db"
	for want, command := range map[string][]string{
		`Next: payrun poll pr1 --config "my books/payrun.toml" --ledger a.db`: {"poll", "pr1"},
		"Next: payrun help recovery":                                          {"help", "recovery"}, // of every ledger
	} {
		if got := strings.Join(p.hintLines(app.Do(command...)), "|"); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// Who says that a batch may be sent sees what a later sheet changed of its payouts.
func TestAReviewShowsWhatWasCorrected(t *testing.T) {
	var shown bytes.Buffer
	s := &session{program: newProgram(World{Stdout: &shown, Getenv: func(string) string { return "" }})}
	s.showOutgoing(app.Outgoing{Batches: make([]doc.PlannedBatch, 1), Accounts: make([]app.OutgoingAccount, 1),
		Corrected: []string{"INV-17: ifsc HDFC0001234 → ICIC0004321"}})
	if !strings.Contains(shown.String(), "Corrected: 1 payout\n  INV-17: ifsc HDFC0001234 → ICIC0004321\n") {
		t.Error(shown.String())
	}
}

// The next step that a story ends with is about the ledger of the story.
func TestTheNextStepOfAStoryNamesItsLedger(t *testing.T) {
	s := &session{program: newProgram(World{Getenv: func(string) string { return "" }, Stdout: io.Discard})}
	s.flags.ledger = "a.db"
	row := ledger.OTPWaiting.Row()
	if s.showAsked(row, ledger.Batch{ID: "pr1"}, ""); s.last != "Next: payrun submit pr1 --ledger a.db" {
		t.Error(s.last)
	}
}
