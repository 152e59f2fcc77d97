package cli

import (
	"os"
	"strings"
	"testing"
)

func TestBashCompletesCommandsAndFlagsAndRunsNothing(t *testing.T) {
	c := newCompleting(t, "bash", "payrun.bash", bashCompletion)
	for _, line := range []offer{
		{"payrun ini", []string{"init", "initiate"}, []string{"submit"}},
		{"payrun ", []string{"check", "submit", "ledger"}, []string{"verify"}},
		{"payrun submit --otp", []string{"--otp-file"}, []string{"--all"}},
		{"payrun --quiet ledger ver", []string{"verify"}, []string{"export"}},
		{"payrun ledger verify --js", []string{"--json"}, []string{"--all"}},
		{"payrun check november.csv --skip", []string{"--skip-bad"}, nil},
		{"payrun submit -- ", nil, []string{"submit"}},
	} {
		const script = `. ./payrun.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _payrun; printf '%s\n' "${COMPREPLY[@]}"`
		line.compare(t, c.run(append([]string{"-c", script, "bash"}, strings.Split(line.typed, " ")...)...))
	}
}

func TestNoCompletionRunsPayrun(t *testing.T) {
	all := completables(newProgram(World{Getenv: os.Getenv}).commands())
	for name, script := range map[string]string{"bash": bashCompletion(all), "zsh": zshCompletion(all), "fish": fishCompletion(all)} {
		for _, runs := range []string{"$(payrun", "`", "(payrun ", "command payrun", "eval"} {
			if strings.Contains(script, runs) {
				t.Errorf("the completion of %s contains %q", name, runs)
			}
		}
		for _, word := range []string{"initiate", "otp-file", "verify"} {
			if !strings.Contains(script, word) {
				t.Errorf("the completion of %s lacks %s", name, word)
			}
		}
	}
}
