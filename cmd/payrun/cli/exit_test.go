package cli

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"payrun/cmd/payrun/app"
)

func TestEveryCodeOfTheContractIsInTheTableOnceAndRanked(t *testing.T) {
	contract := []int{0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 16, 17, 130}
	var got []int
	names := map[app.Code]bool{}
	for _, m := range exitTable {
		got = append(got, m.exit)
		if m.meaning == "" || len(m.codes) == 0 && m.exit != exitDone {
			t.Errorf("exit %d has no meaning, or no code", m.exit)
		}
		for _, c := range m.codes {
			if names[c.code] || c.meaning == "" {
				t.Errorf("exit %d: its word %q is taken, or it has no meaning", m.exit, c.code)
			}
			names[c.code] = true
			if exitOf(&app.Error{Code: c.code}) != m.exit {
				t.Errorf("the code %q gives exit %d, want %d", c.code, exitOf(&app.Error{Code: c.code}), m.exit)
			}
		}
	}
	if !slices.Equal(got, contract) {
		t.Errorf("exit codes %v, the contract has %v", got, contract)
	}
	for _, c := range app.Codes {
		if !names[c] {
			t.Errorf("the code %q has no exit code", c)
		}
		delete(names, c)
	}
	if len(names) > 0 {
		t.Errorf("no use case gives %v", names)
	}
}

// What contract.md tells apart has a code of its own.
func TestWhatSharesAnExitCodeIsToldApart(t *testing.T) {
	for code, exit := range map[app.Code]int{
		"sheet_already_loaded": 10, "sheet_refused": 10, "look_unanswered": 5, "ledger_restored": 17, "ledger_unsafe": 17,
	} {
		if got := exitOf(&app.Error{Code: code}); got != exit {
			t.Errorf("%s gives %d, want %d", code, got, exit)
		}
	}
}

// Who looks up what a command ended with reads what to do, and never only that there
// are other words.
func TestEachExitCodeIsExplained(t *testing.T) {
	for _, m := range exitTable {
		for _, c := range m.codes {
			if c.do == "" {
				t.Errorf("%s does not say what to do", c.code)
			}
			found, err := app.Explain(strconv.Itoa(m.exit), exitExplanations()...)
			if err != nil || len(found) != 1 || !strings.Contains(found[0].Fix, c.do) || !strings.Contains(found[0].Why, string(c.code)) {
				t.Errorf("%d: %+v, %v", m.exit, found, err)
			}
		}
	}
}

var update = flag.Bool("update", false, "write the documents that tests make")

const referencePath = "../../../docs/reference.md"

// writeTable holds a table of docs/reference.md against what the program has; -update writes it.
func writeTable(t *testing.T, name, table string) {
	t.Helper()
	begin, end := "<!-- "+name+":begin -->\n", "<!-- "+name+":end -->\n"
	text := readFile(t, referencePath)
	head, rest, ok := strings.Cut(text, begin)
	was, tail, also := strings.Cut(rest, end)
	switch {
	case !ok || !also:
		t.Fatalf("%s has no place for the table of %s", referencePath, name)
	case was == table:
	case !*update:
		t.Fatalf("%s does not have the table of %s; go test ./cmd/payrun/cli -run TheReferenceHas -update writes it", referencePath, name)
	default:
		must(t, os.WriteFile(referencePath, []byte(head+begin+table+end+tail), 0o644))
	}
}

func TestTheReferenceHasTheTableOfExitCodes(t *testing.T) {
	var table strings.Builder
	table.WriteString("| exit | meaning | code | when |\n|---|---|---|---|\n")
	for _, m := range exitTable {
		for i, c := range m.codes {
			exit, meaning := strconv.Itoa(m.exit), m.meaning
			if i > 0 {
				exit, meaning = "", ""
			}
			fmt.Fprintf(&table, "| %s | %s | `%s` | %s |\n", exit, meaning, c.code, c.meaning)
		}
		if len(m.codes) == 0 {
			fmt.Fprintf(&table, "| %d | %s | | |\n", m.exit, m.meaning)
		}
	}
	writeTable(t, "codes", table.String())
}

func TestTheReferenceHasTheTableOfCommands(t *testing.T) {
	var table strings.Builder
	table.WriteString("| command | what it does |\n|---|---|\n")
	for _, c := range newProgram(System()).commands() {
		fmt.Fprintf(&table, "| `%s` | %s |\n", c.name, c.brief)
	}
	writeTable(t, "commands", table.String())
}

// Scripts rely on the order of the contract: 17, 15, 16, 4, 5, 10, 13, 12, 14.
func TestOfSeveralTheFirstOfTheContractsOrderWins(t *testing.T) {
	order := []int{17, 15, 16, 4, 5, 10, 13, 12, 14}
	for i, better := range order {
		for _, worse := range order[i+1:] {
			for _, err := range []error{
				errors.Join(giving(better, "a"), giving(worse, "b")),
				errors.Join(giving(worse, "b"), nil, errors.Join(giving(better, "a"))),
			} {
				if got := exitOf(app.Worst(err)); got != better {
					t.Errorf("%d and %d together gave %d", better, worse, got)
				}
			}
		}
	}
}

// giving is an error that gives this exit code.
func giving(exit int, what string) error {
	i := slices.IndexFunc(exitTable[:], func(m exitMeaning) bool { return m.exit == exit })
	return app.Fail(exitTable[i].codes[0].code, "%s", what)
}

func TestAFullDiskUnderTheOutputIsAFailure(t *testing.T) {
	for err, want := range map[error]int{syscall.ENOSPC: exitFailed, syscall.EPIPE: exitDone} {
		out := failing{err}
		w := World{Stdout: out, Stderr: &bytes.Buffer{}, Getenv: func(string) string { return "" }}
		if got := newProgram(w).main(t.Context(), []string{"payrun", "version"}); got != want {
			t.Errorf("%v: exit %d, want %d", err, got, want)
		}
	}
}

// failing is an output that cannot be written.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
