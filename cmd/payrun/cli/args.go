package cli

import (
	"cmp"
	"flag"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
)

// invocation is a command line that was parsed. A flag may appear anywhere: the parser of urfave/cli stops at the first
// argument, so `initiate x --dry-run` would initiate.
type invocation struct {
	*urfave.Context          // the values of the flags, and the arguments
	path            []string // the words of the command: ["ledger", "verify"]
	cmd             command  // without a name when no command was named
	given           []string // the command's own flags, as --name or --name=value
}

// flagWord is one flag as it was given.
type flagWord struct {
	flag               urfave.Flag
	name, value, typed string // name is canonical, typed as the person wrote it
}

// parse splits the words after the program's name into an invocation. Its errors are usage errors.
func parse(cmds []command, global []urfave.Flag, words []string) (in invocation, err error) {
	flags, rest, literal, err := split(flagTable(cmds, global), words)
	if err != nil {
		return in, err
	}
	in.cmd, in.path, rest = findCommand(cmds, rest)
	rest = append(rest, literal...)
	name := strings.Join(append([]string{"payrun"}, in.path...), " ")
	if len(in.path) == 0 && len(rest) > 0 {
		return in, usage("there is no command %q%s", ledger.Plain(rest[0]), meantCommand(rest[0], cmds)).Then(app.Do("help"))
	}
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	for _, f := range slices.Concat(in.cmd.flags, global) {
		if err := f.Apply(set); err != nil {
			return in, err
		}
	}
	for _, f := range flags {
		own := slices.ContainsFunc(in.cmd.flags, func(o urfave.Flag) bool { return o.Names()[0] == f.name })
		switch err := set.Set(f.name, f.value); {
		case set.Lookup(f.name) == nil:
			return in, usage("%s has no flag %s", name, f.typed).Then(app.Say("%s --help", name))
		case err != nil:
			return in, usage("invalid value %q for --%s: %s", ledger.Plain(f.value), f.name, ledger.Plain(err.Error())).Because(err)
		case own && !utf8.ValidString(f.value): // no export could say it
			return in, usage("%s is not written in UTF-8", f.typed)
		case own:
			in.given = append(in.given, "--"+f.name+either(!takesValue(f.flag) && f.value == "true", "", "="+f.value))
		}
	}
	in.Context = urfave.NewContext(nil, set, nil)
	return in, cmp.Or(set.Parse(append([]string{"--"}, rest...)), in.checkSub(name))
}

// findCommand follows the words as long as they name a command. rest are the words after the command.
func findCommand(cmds []command, words []string) (found command, path, rest []string) {
	for n, word := range words {
		i := slices.IndexFunc(cmds, func(c command) bool { return c.name == word })
		if i < 0 {
			return found, words[:n], words[n:]
		}
		found, cmds = cmds[i], cmds[i].sub
	}
	return found, words, nil
}

// checkSub refuses a command without the subcommand that it needs, and words that name no subcommand.
func (in invocation) checkSub(name string) error {
	switch word := in.Args().First(); {
	case len(in.cmd.sub) == 0, in.Bool("help"), in.NArg() == 0 && in.cmd.run != nil:
		return nil
	case in.NArg() == 0:
		return usage("%s needs one of: %s", name, strings.Join(commandNames(in.cmd.sub), ", ")).Then(app.Say("%s --help", name))
	case in.cmd.run == nil, !in.cmd.takes(in.NArg()), didYouMean(word, commandNames(in.cmd.sub)) != "":
		return usage("there is no command %q%s", name+" "+ledger.Plain(word), didYouMean(word, harmless(in.cmd.sub))).Then(app.Say("%s --help", name))
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
		if !inline && takesValue(f) {
			i++
			if i == len(words) || strings.HasPrefix(words[i], "-") && words[i] != "-" {
				return flags, rest, nil, usage("%s needs a value", typed).Then(app.Say("a value that begins with - is written %s=-VALUE", typed))
			}
			value = words[i]
		} else if !inline {
			value = "true"
		}
		flags = append(flags, flagWord{f, f.Names()[0], value, typed})
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

func dashed(name string) string { return either(len(name) == 1, "-", "--") + name }

func takesValue(f urfave.Flag) bool {
	_, isBool := f.(*urfave.BoolFlag)
	return !isBool
}

// harmless returns the names of the commands that send nothing.
func harmless(cmds []command) []string {
	return commandNames(slices.DeleteFunc(slices.Clone(cmds), func(c command) bool { return c.sends }))
}

func commandNames(cmds []command) []string {
	return doc.Each(cmds, func(c command) string { return c.name })
}

// meantCommand suggests the subcommands that a word names by itself, or the command that is spelled like it.
func meantCommand(word string, cmds []command) string {
	var subs []string
	for _, c := range withSubs(cmds, "") {
		if strings.HasSuffix(c.words, " "+word) && !c.sends {
			subs = append(subs, c.words)
		}
	}
	if len(subs) == 0 {
		return didYouMean(word, harmless(cmds))
	}
	return "; did you mean " + strings.Join(subs, " or ") + "?"
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
	return either(best == "", "", "; did you mean "+best+"?")
}
