package cli

import (
	"strings"

	"payrun/ledger"
)

// flagOf spells a choice in how a sheet is read as a flag.
func flagOf(o ledger.Option) string {
	flag := "--" + strings.ReplaceAll(string(o.Name), "_", "-")
	switch {
	case o.Value == "", o == (ledger.Option{Name: ledger.OptionKeepColumns, Value: "true"}):
		return flag
	case o.Name == ledger.OptionKeepColumns:
		return flag + "=" + o.Value
	case strings.Contains(o.Value, "|"): // any of several, which no one is to paste
		return flag + " " + o.Value
	}
	return flag + " " + ledger.ShellWord(o.Value)
}

// withFlag ends a fix with the flag that it speaks of.
func withFlag(fix string, o ledger.Option) string {
	if o == (ledger.Option{}) {
		return fix
	}
	return strings.TrimSuffix(fix, ".") + ": " + flagOf(o)
}

func fixOf(f ledger.Finding) string { return withFlag(f.Fix, f.Option) }
