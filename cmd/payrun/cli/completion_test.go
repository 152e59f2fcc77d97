package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// completing is a folder with a completion script, in which a shell is tried. Any
// program called payrun that it runs leaves a mark.
type completing struct {
	t          *testing.T
	shell, dir string
	programs   string // where the shell looks for them: in the folder alone
}

func newCompleting(t *testing.T, shell, file string, script func([]namedCommand) string) completing {
	t.Helper()
	path, err := exec.LookPath(shell)
	if err != nil {
		t.Skipf("there is no %s here; .ci/run installs it", shell)
	}
	dir := t.TempDir()
	c := completing{t, path, dir, dir}
	c.write(file, script(completables(newProgram(World{Getenv: os.Getenv}).commands())), 0o600)
	c.write("payrun", "#!/bin/sh\necho ran > "+filepath.Join(c.dir, "ran")+"\n", 0o700)
	c.write("november.csv", "", 0o600)
	return c
}

func (c completing) write(name, text string, mode os.FileMode) {
	c.t.Helper()
	must(c.t, os.WriteFile(filepath.Join(c.dir, name), []byte(text), mode))
}

// run runs the shell in the folder.
func (c completing) run(args ...string) string {
	c.t.Helper()
	ctx, stop := context.WithTimeout(c.t.Context(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, c.shell, args...)
	cmd.Dir, cmd.WaitDelay = c.dir, time.Second
	cmd.Env = []string{"PATH=" + c.programs, "HOME=" + c.dir, "TERM=dumb", "LANG=C.UTF-8"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s: %v: %s", c.shell, err, out)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "ran")); err == nil {
		c.t.Errorf("%s ran payrun to complete %q", c.shell, args[len(args)-1])
	}
	return string(out)
}

// offer is a line, and words that a shell must offer for it and words that it must not.
type offer struct {
	typed     string
	want, not []string
}

// compare reads what the shell offers: a word a line, and what it is behind a tab.
func (o offer) compare(t *testing.T, offered string) {
	t.Helper()
	var got []string
	for line := range strings.Lines(offered) {
		word, _, _ := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		got = append(got, word)
	}
	for _, want := range o.want {
		if !slices.Contains(got, want) {
			t.Errorf("%q offers %q, without %s", o.typed, got, want)
		}
	}
	for _, not := range o.not {
		if slices.Contains(got, not) {
			t.Errorf("%q offers %s", o.typed, not)
		}
	}
}

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

func TestFishCompletesCommandsAndFlagsAndRunsNothing(t *testing.T) {
	c := newCompleting(t, "fish", "payrun.fish", fishCompletion)
	for _, line := range []offer{
		{"payrun ini", []string{"init", "initiate"}, []string{"submit"}},
		{"payrun ", []string{"check", "submit", "ledger"}, []string{"verify"}},
		{"payrun ledger ", []string{"verify", "backup"}, []string{"submit"}},
		{"payrun ledger verify ", []string{"november.csv"}, []string{"verify", "backup"}},
		{"payrun --quiet ledger ver", []string{"verify"}, nil},
		{"payrun submit --otp", []string{"--otp-file"}, nil},
		{"payrun ledger verify --", []string{"--anchor", "--json"}, []string{"--otp-file"}},
		{"payrun accounts list --", []string{"--json"}, []string{"--vendor-name"}},
		{"payrun check nov", []string{"november.csv"}, nil},
	} {
		line.compare(t, c.run("--no-config", "-c", `source payrun.fish; complete -C $argv[1]`, line.typed))
	}
}

// zshLine types a line and TAB in an interactive zsh on a pseudo-terminal, and prints
// what the line is then.
const zshLine = `
zmodload zsh/zpty
zpty inner zsh -f -i
zpty -w inner 'fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -d dump; setopt no_beep no_list_ambiguous; show() { print -r -- "LINE=<$BUFFER>" }; zle -N show; bindkey "^T" show; print ALL""SET'
zpty -r inner seen '*ALLSET*'
for typed in "$@"; do
	zpty -w -n inner "$typed"$'\t\x14'
	zpty -r inner seen '*LINE=<*>*'
	print -r -- "${${seen##*LINE=<}%%>*}"
	zpty -w -n inner $'\x15'
done
zpty -d inner
`

func TestZshCompletesCommandsAndFlagsAndRunsNothing(t *testing.T) {
	c := newCompleting(t, "zsh", "_payrun", zshCompletion)
	c.programs += ":" + os.Getenv("PATH") // zpty starts a zsh
	lines := [][2]string{
		{"payrun initi", "payrun initiate "},
		{"payrun ini", "payrun init"},
		{"payrun ledger ver", "payrun ledger verify "},
		{"payrun --quiet ledger ver", "payrun --quiet ledger verify "},
		{"payrun submit --otp", "payrun submit --otp-file "},
		{"payrun ledger verify --anc", "payrun ledger verify --anchor "},
		{"payrun ledger verify --otp", "payrun ledger verify --otp"},
		{"payrun verify", "payrun verify"},
		{"payrun check nov", "payrun check november.csv "},
	}
	args := []string{"-f", "-c", zshLine, "zsh"}
	for _, l := range lines {
		args = append(args, l[0])
	}
	got := bytes.Split([]byte(strings.TrimRight(c.run(args...), "\n")), []byte("\n"))
	if len(got) != len(lines) {
		t.Fatalf("%q", got)
	}
	for i, l := range lines {
		if string(got[i]) != l[1] {
			t.Errorf("%q becomes %q, want %q", l[0], got[i], l[1])
		}
	}
}
