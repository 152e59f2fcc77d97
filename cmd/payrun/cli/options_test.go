package cli

import (
	"slices"
	"testing"

	urfave "github.com/urfave/cli/v2"

	"payrun/ledger"
)

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
