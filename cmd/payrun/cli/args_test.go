package cli

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

func TestFlagsMayStandAnywhere(t *testing.T) {
	cmds := newProgram(World{}).commands()
	want := []string{"submit", "--otp-file=-", "A", "B"}
	for _, line := range []string{
		"submit A B --otp-file - --json --ledger x.db",
		"--json --ledger x.db submit --otp-file - A B",
		"submit A --json B --ledger=x.db --otp-file=-",
		"--json --ledger=x.db --otp-file=- submit A B",
		"submit --json --ledger x.db --otp-file - -- A B",
	} {
		in, err := parse(cmds, globalFlags(), strings.Fields(line))
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if diff := cmp.Diff(want, slices.Concat(in.path, in.given, in.Args().Slice())); diff != "" {
			t.Errorf("%s:\n%s", line, diff)
		}
		if !in.Bool("json") || in.String("ledger") != "x.db" || in.String("otp-file") != "-" {
			t.Errorf("%s: the flags are not set", line)
		}
	}
}

// What an export could not say is not recorded.
func TestTheValueOfAFlagIsUTF8(t *testing.T) {
	_, err := parse(newProgram(World{}).commands(), globalFlags(), []string{"abandon", "A", "--reason", "b\xffd"})
	if e := app.Worst(err); e == nil || e.Code != app.Usage || !strings.Contains(e.What, "--reason is not written in UTF-8") {
		t.Errorf("%v", err)
	}
}

func TestAWordThatBeginsWithADashIsNeverAnArgument(t *testing.T) {
	cmds := newProgram(World{}).commands()
	for _, line := range []string{
		"initiate A --dry-run", "initiate -A", "initiate A -", "-json status", "status -json", "--nosuch", "submit --otp-file",
		"submit --otp-file --json", "initiate A --otp-file x", "--otp-file x", "status ---json", "check --=x", "check -é",
	} {
		if in, err := parse(cmds, globalFlags(), strings.Fields(line)); app.Worst(err) == nil || app.Worst(err).Code != app.Usage {
			t.Errorf("%s: understood as %+v, %v", line, in, err)
		}
	}
	in, err := parse(cmds, globalFlags(), []string{"check", "--", "-odd.csv", "--json", "-"})
	if diff := cmp.Diff([]string{"-odd.csv", "--json", "-"}, in.Args().Slice()); err != nil || diff != "" {
		t.Errorf("after -- every word is an argument: %v\n%s", err, diff)
	}
}

// The usage line of a command says how many arguments there are.
func TestACommandTakesAsManyArgumentsAsItsUsageSays(t *testing.T) {
	cmds := newProgram(World{}).commands()
	for line, want := range map[string]string{
		"doctor": "", "doctor A": "takes no argument", "ifsc status A": "takes no argument", "sandbox settle A": "takes no argument",
		"status": "", "status A": "", "status A B": "takes no more than 1 argument", "statement A B": "no command", "policy A": "no command",
		"retry": "needs SHEET_ID or BATCH", "retry A": "", "retry A B": "takes no more than 1 argument", "sandbox fail": "needs REF",
		"approve": "needs BATCH or SHEET", "approve A B": "", "submit": "", "submit A B C": "", "help ledger verify": "",
		"abandon --reason x --sheet A": "", "abandon --reason x A B": "", "abandon --reason x": "name the batches",
		"statement explain --reason x" + strings.Repeat(" R1.1", 100): "", "statement explain --reason x" + strings.Repeat(" R1.1", 101): "no more than 100 entries",
	} {
		in, err := parse(cmds, globalFlags(), strings.Fields(line))
		if err == nil {
			err = in.cmd.checkUsage("X", in.Context)
		}
		if e := app.Worst(err); (e == nil) != (want == "") || e != nil && (e.Code != app.Usage || !strings.Contains(e.What, want)) {
			t.Errorf("%.40s: %v, want %q", line, err, want)
		}
	}
}

// The words are sorted before the command is known, so a flag of one name must
// take a value in every command or in none.
func TestAFlagMeansTheSameInEveryCommand(t *testing.T) {
	kinds := map[string]reflect.Type{}
	global := flagTable(nil, globalFlags())
	seen := func(where string, flags []urfave.Flag) {
		for _, f := range flags {
			for _, name := range f.Names() {
				if known, ok := kinds[name]; ok && takesValue(f) == (known == reflect.TypeFor[*urfave.BoolFlag]()) {
					t.Errorf("--%s of %s takes a value here and none elsewhere", name, where)
				}
				kinds[name] = reflect.TypeOf(f)
				if where != "" && global[dashed(name)] != nil {
					t.Errorf("--%s of %s is a flag that holds everywhere", name, where)
				}
			}
		}
	}
	seen("", globalFlags())
	eachOf(newProgram(World{}).commands(), func(c command) { seen(c.name, c.flags) })
}

// eachOf calls fn with every command, those of a group too.
func eachOf(cmds []command, fn func(command)) {
	for _, c := range cmds {
		fn(c)
		eachOf(c.sub, fn)
	}
}

// Help is part of the promise: every command says what it does, its exit codes
// and an example whose flags exist.
func TestHelpOfEveryCommand(t *testing.T) {
	cmds := newProgram(World{}).commands()
	eachOf(cmds, func(c command) {
		text := c.help(c.name)
		if c.brief == "" || !strings.Contains(text, "EXIT STATUS") {
			t.Errorf("%s: its help is not whole:\n%s", c.name, text)
		}
		if slices.ContainsFunc(strings.Split(c.long, "\n"), func(line string) bool { return len(line) > 106 }) {
			t.Errorf("%s has a line that is longer than a terminal is wide:\n%s", c.name, c.long)
		}
		if len(c.sub) == 0 && len(c.examples) == 0 {
			t.Errorf("%s has no example", c.name)
		}
		for _, e := range c.examples {
			if _, err := parse(cmds, globalFlags(), exampleWords(e)); err != nil {
				t.Errorf("the example %q is not understood: %v", e, err)
			}
		}
	})
}

// exampleWords takes an example apart as a shell would, quotes apart.
func exampleWords(line string) []string {
	var words []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	return words[1:]
}

func TestDidYouMean(t *testing.T) {
	for word, want := range map[string]string{
		"--jsn": "; did you mean --json?", "chek": "; did you mean check?", "xyzzy": "", "": "",
		"man": "", "loat": "; did you mean load?", "lot": "", "laod": "; did you mean load?", "-z": "",
	} {
		known := []string{"--json", "--yes", "check", "load"}
		if got := didYouMean(word, known); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func TestABadFlagValueIsAUsageFailure(t *testing.T) {
	for _, line := range [][]string{{"poll", "--wait", "bad\x1b[31mvalue"}, {"status", "--json=bad\x1b[31mvalue"}} {
		_, err := parse(newProgram(World{}).commands(), globalFlags(), line)
		if e := app.Worst(err); e == nil || e.Code != app.Usage || strings.Contains(e.What, "\x1b") || !strings.Contains(e.What, "for --") {
			t.Errorf("%q: got %v", line, err)
		}
	}
}

func TestAFixEndsWithTheFlagThatItSpeaksOf(t *testing.T) {
	for want, o := range map[string]ledger.Option{
		"Say which.":                            {},
		"Say which: --account":                  {Name: ledger.OptionAccount},
		"Say which: --map ifsc=Code":            {Name: ledger.OptionMap, Value: "ifsc=Code"},
		`Say which: --map "amount=Net Pay"`:     {Name: ledger.OptionMap, Value: "amount=Net Pay"},
		"Say which: --hidden-rows skip|include": {Name: ledger.OptionHiddenRows, Value: "skip|include"},
		`Say which: --sheet-name 'A "B" $C'`:    {Name: ledger.OptionTab, Value: `A "B" $C`},
		"Say which: --numeric-accounts":         {Name: ledger.OptionNumericAccounts},
		"Say which: --encoding windows-1252":    {Name: ledger.OptionEncoding, Value: "windows-1252"},
	} {
		if got := o.EndFix("Say which."); got != want {
			t.Errorf("%+v: %s, want %s", o, got, want)
		}
	}
}

// Every option that a fix may speak of is a flag of check, load and run, or, of
// a statement, of its import.
func TestEveryOptionIsAFlag(t *testing.T) {
	flags := map[string]bool{}
	imports, _, _ := findCommand(new(program).commands(), []string{"statement", "import"})
	for _, name := range []ledger.OptionName{ledger.OptionTab, ledger.OptionEncoding, ledger.OptionMap, ledger.OptionAccount, ledger.OptionDayFirst} {
		flag := (ledger.Option{Name: name}).Flag()
		if !slices.ContainsFunc(imports.flags, func(f urfave.Flag) bool { return "--"+f.Names()[0] == flag }) {
			t.Errorf("%s: statement import has no flag %s", name, flag)
		}
	}
	for _, f := range sheetFlags() {
		flags["--"+f.Names()[0]] = true
	}
	for _, name := range []ledger.OptionName{ledger.OptionTab, ledger.OptionHiddenRows, ledger.OptionEncoding, ledger.OptionMap, ledger.OptionAccount, ledger.OptionNumericAccounts, ledger.OptionCorrect} {
		if flag := (ledger.Option{Name: name}).Flag(); !flags[flag] {
			t.Errorf("%s: there is no flag %s", name, flag)
		}
	}
}
