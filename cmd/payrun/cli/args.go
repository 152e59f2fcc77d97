package cli

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
)

// invocation is a command line split into command, flags and arguments. A flag may appear anywhere.
type invocation struct {
	path   []string // the words of the command: ["ledger", "verify"]
	cmd    *command // nil when no command was named
	global []string // global flags, as --name=value or --name
	local  []string // flags of the command, in the same form
	args   []string
}

// line returns the words in the order that the flag parser needs: all flags before "--", all arguments
// after it. The parser stops at the first argument and treats later flags as arguments, so `initiate x
// --dry-run` would initiate.
func (in invocation) line(program string) []string {
	out := append([]string{program}, in.global...)
	out = append(out, strings.Join(in.path, " "))
	out = append(out, in.local...)
	out = append(out, "--")
	return append(out, in.args...)
}

// has reports whether a global flag without a value was given.
func (in invocation) has(name string) bool { return slices.Contains(in.global, "--"+name) }

// flagWord is one flag as it was given.
type flagWord struct {
	name  string // canonical, without dashes
	word  string // --name or --name=value
	typed string // as the person typed it
}

// parse splits the words after the program's name into an invocation. Its errors are usage errors.
func parse(cmds []command, global []urfave.Flag, words []string) (in invocation, err error) {
	flags, rest, literal, err := split(flagTable(cmds, global), words)
	if err != nil {
		return in, err
	}
	cmd, args := findCommand(cmds, rest)
	in.cmd, in.path, in.args = cmd, rest[:len(rest)-len(args)], slices.Concat(args, literal)
	own, command := map[string]bool{}, strings.Join(append([]string{"payrun"}, in.path...), " ")
	switch {
	case cmd != nil:
		own = names(cmd.flags)
	case len(in.args) > 0:
		return in, usage("there is no command %q%s", ledger.Plain(in.args[0]), didYouMean(in.args[0], harmless(cmds))).Then(app.Do("help"))
	}
	globals := names(global)
	for _, f := range flags {
		switch {
		case globals[f.name]:
			in.global = append(in.global, f.word)
		case !own[f.name]:
			return in, usage("%s has no flag %s", command, f.typed).Then(app.Say("%s --help", command))
		case !utf8.ValidString(f.word): // no export could say it
			return in, usage("%s is not written in UTF-8", f.typed)
		default:
			in.local = append(in.local, f.word)
		}
	}
	return in, in.checkSub(command)
}

// findCommand follows the words as long as they name a command. rest are the words after the command.
func findCommand(cmds []command, words []string) (found *command, rest []string) {
	for len(words) > 0 {
		i := slices.IndexFunc(cmds, func(c command) bool { return c.name == words[0] })
		if i < 0 {
			break
		}
		found, cmds, words = &cmds[i], cmds[i].sub, words[1:]
	}
	return found, words
}

// checkSub refuses a command without the subcommand that it needs, and words that name no subcommand.
func (in *invocation) checkSub(command string) error {
	if in.cmd == nil || len(in.cmd.sub) == 0 || in.has("help") {
		return nil
	}
	if len(in.args) == 0 && in.cmd.run == nil {
		return usage("%s needs one of: %s", command, strings.Join(commandNames(in.cmd.sub), ", ")).Then(app.Say("%s --help", command))
	}
	if len(in.args) > 0 && (in.cmd.run == nil || len(in.args) > in.cmd.most || didYouMean(in.args[0], commandNames(in.cmd.sub)) != "") {
		return usage("there is no command %q%s", command+" "+ledger.Plain(in.args[0]), didYouMean(in.args[0], harmless(in.cmd.sub))).Then(app.Say("%s --help", command))
	}
	return nil
}

// split separates the flags from the other words. literal holds the words after "--".
func split(table map[string]urfave.Flag, words []string) (flags []flagWord, rest, literal []string, err error) {
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "--":
			return flags, rest, words[i+1:], nil
		case word == "-":
			return flags, rest, nil, usage("- alone is not an argument: only --otp-file reads standard input")
		case !strings.HasPrefix(word, "-"):
			rest = append(rest, word)
			continue
		}
		typed, value, inline := strings.Cut(word, "=")
		f, known := table[typed]
		if typed == "--otp" || typed == "--token" || typed == "--transaction-token" {
			return flags, rest, nil, usage("%s: an OTP and a token are never a flag: other programs and the shell's history see it", typed).
				Then(app.Do("help", "otp").Which("says how they are entered"))
		}
		if !known {
			meant := didYouMean(typed, slices.Sorted(maps.Keys(table)))
			if meant != "" {
				return flags, rest, nil, usage("unknown flag %s%s", ledger.Plain(typed), meant)
			}
			return flags, rest, nil, usage("unknown flag %s", ledger.Plain(typed)).Then(app.Say("an argument that begins with - goes after --"))
		}
		out := flagWord{name: f.Names()[0], typed: typed, word: "--" + f.Names()[0]}
		switch {
		case inline:
			out.word += "=" + value
		case takesValue(f):
			i++
			if i == len(words) || strings.HasPrefix(words[i], "-") && words[i] != "-" {
				return flags, rest, nil, usage("%s needs a value", typed).Then(app.Say("a value that begins with - is written %s=-VALUE", typed))
			}
			out.word += "=" + words[i]
		}
		flags = append(flags, out)
	}
	return flags, rest, nil, nil
}

// flagTable maps every flag of every command, as it is typed, to its definition. A name means the same in
// every command; a test checks this.
func flagTable(cmds []command, global []urfave.Flag) map[string]urfave.Flag {
	table := map[string]urfave.Flag{}
	for _, c := range append(withSubs(cmds, ""), namedCommand{command: command{flags: global}}) {
		for _, f := range c.flags {
			for _, name := range f.Names() {
				table[dashed(name)] = f
			}
		}
	}
	return table
}

// namedCommand is a command with all the words of its name.
type namedCommand struct {
	words string
	command
}

// withSubs lists the commands, each followed by its subcommands.
func withSubs(cmds []command, before string) (list []namedCommand) {
	for _, c := range cmds {
		words := strings.TrimSpace(before + " " + c.name)
		list = append(append(list, namedCommand{words, c}), withSubs(c.sub, words)...)
	}
	return list
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func takesValue(f urfave.Flag) bool {
	_, isBool := f.(*urfave.BoolFlag)
	return !isBool
}

func names(flags []urfave.Flag) map[string]bool {
	set := map[string]bool{}
	for _, f := range flags {
		set[f.Names()[0]] = true
	}
	return set
}

// harmless returns the names of the commands that send nothing.
func harmless(cmds []command) []string {
	return commandNames(slices.DeleteFunc(slices.Clone(cmds), func(c command) bool { return c.sends }))
}

func commandNames(cmds []command) []string {
	return doc.Each(cmds, func(c command) string { return c.name })
}

// didYouMean suggests the known word that is at most two letters away. A word of up to four letters may
// differ by one letter only, and a single letter gets no suggestion.
func didYouMean(word string, known []string) string {
	const short = 4
	near := 2
	switch n := len(strings.TrimLeft(word, "-")); {
	case n <= 1:
		return ""
	case n <= short:
		near = 1
	}
	best, at := "", near+1
	for _, k := range known {
		if d := ledger.Distance(word, k); d < at && d < len(k) {
			best, at = k, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}
