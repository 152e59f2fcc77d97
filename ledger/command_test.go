package ledger

import (
	"os/exec"
	"strings"
	"testing"
)

func TestACommandIsWhatAPersonTypes(t *testing.T) {
	for want, next := range map[string]Next{
		"payrun poll prt1":      {Verb: "poll", Names: NamesBatch},
		"payrun submit":         {Verb: "submit"},
		"payrun initiate --all": {Verb: "initiate", Flags: []string{"--all"}},
		`payrun abandon prt1 --reason "the bank's answer"`: {Verb: "abandon", Names: NamesBatch, Reason: "the bank's answer"},
	} {
		if got := next.Command("prt1"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := (Next{Verb: "retry", Names: NamesBatch}).Command(""); got != "payrun retry BATCH" {
		t.Errorf("without an id: %s", got)
	}
}

// TestAShellReadsTheWordsOfACommandAsTheyAre, for every step of the table.
func TestAShellReadsTheWordsOfACommandAsTheyAre(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	steps := []Next{{Verb: "abandon", Names: NamesBatch, Reason: "$HOME \"x\" \\ `echo a` 'b' !"}}
	for _, row := range Attentions() {
		steps = append(steps, row.Next...)
	}
	for _, n := range steps {
		out, err := exec.Command(shell, "-c", `payrun() { for word; do printf '%s\n' "$word"; done; }; `+n.Command("prt1")).Output()
		if want := strings.Join(n.Args("prt1"), "\n") + "\n"; err != nil || string(out) != want {
			t.Errorf("%s gives the words %q, %v; want %q", n.Command("prt1"), out, err, want)
		}
	}
}
