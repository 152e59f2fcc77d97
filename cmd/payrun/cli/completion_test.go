package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// completed gives what bash would offer for a line that ends with its final word.
// Any program that the completion runs would leave a mark.
func completed(t *testing.T, words ...string) []string {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	dir := t.TempDir()
	mark := filepath.Join(dir, "ran")
	must(t, os.WriteFile(filepath.Join(dir, "payrun"), []byte("#!/bin/sh\necho ran > "+mark+"\n"), 0o700))
	script := bashCompletion(completables(newProgram(World{Getenv: os.Getenv}).commands())) +
		`COMP_WORDS=(payrun "$@"); COMP_CWORD=$#; _payrun; printf '%s\n' "${COMPREPLY[@]}"`
	cmd := exec.Command(bash, append([]string{"-c", script, "bash"}, words...)...)
	cmd.Env = []string{"PATH=" + dir}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Errorf("completing %q ran payrun", words)
	}
	return strings.Fields(string(out))
}

func TestBashCompletesCommandsAndFlagsAndRunsNothing(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  []string // all of these
		not   string
	}{
		{[]string{"ini"}, []string{"init", "initiate"}, "submit"},
		{[]string{""}, []string{"check", "submit", "ledger"}, "verify"},
		{[]string{"submit", "--otp"}, []string{"--otp-file"}, "--all"},
		{[]string{"--quiet", "ledger", "ver"}, []string{"verify"}, "export"},
		{[]string{"ledger", "verify", "--js"}, []string{"--json"}, "--all"},
		{[]string{"check", "november.csv", "--skip"}, []string{"--skip-bad"}, ""},
		{[]string{"submit", "--", ""}, nil, "submit"},
	} {
		got := completed(t, c.words...)
		for _, want := range c.want {
			if !slices.Contains(got, want) {
				t.Errorf("%q offers %q, without %s", c.words, got, want)
			}
		}
		if c.not != "" && slices.Contains(got, c.not) {
			t.Errorf("%q offers %s", c.words, c.not)
		}
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
