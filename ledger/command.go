package ledger

import (
	"cmp"
	"strings"
	"unicode"
)

// Command returns the step as a person types it, "payrun poll prt…". If id is "", the kind of
// object takes its place, as in "payrun poll BATCH".
func (n Next) Command(id string) string {
	return CommandLine(n.Args(cmp.Or(id, strings.ToUpper(string(n.Names)))))
}

// CommandLine returns a command of payrun as a person types it in a shell.
func CommandLine(args []string) string {
	return strings.Join(append([]string{"payrun"}, ListOf(args, ShellWord)...), " ")
}

// ShellWord quotes a word for a shell if it needs quotes.
func ShellWord(word string) string {
	switch {
	case word != "" && !strings.ContainsFunc(word, special):
		return word
	case !strings.ContainsAny(word, "\"$!\\`"):
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// special reports a character that may have a special meaning in a shell.
func special(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune("_@%+=:,./-", r)
}

// Flag spells an option for reading a sheet as a flag.
func (o Option) Flag() string {
	flag := "--" + strings.ReplaceAll(string(o.Name), "_", "-")
	switch {
	case o.Value == "", o == (Option{Name: OptionKeepColumns, Value: "true"}):
		return flag
	case o.Name == OptionKeepColumns:
		return flag + "=" + o.Value
	case strings.Contains(o.Value, "|"): // one of several values, not to be pasted
		return flag + " " + o.Value
	}
	return flag + " " + ShellWord(o.Value)
}

// EndFix appends to a fix the flag that it mentions.
func (o Option) EndFix(fix string) string {
	if o == (Option{}) {
		return fix
	}
	return strings.TrimSuffix(fix, ".") + ": " + o.Flag()
}
