package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/doc"
)

func (p *program) completionCommand() command {
	return command{
		name: "completion", args: "bash|zsh|fish",
		brief: "write the completion script of a shell",
		long: `The words are written into the script: completing one never runs payrun.

  bash   payrun completion bash > ~/.local/share/bash-completion/completions/payrun
  zsh    payrun completion zsh > "${fpath[1]}/_payrun"
  fish   payrun completion fish > ~/.config/fish/completions/payrun.fish`,
		examples: []string{"payrun completion bash"},
		run: func(_ context.Context, c *urfave.Context) error {
			shells := map[string]func([]namedCommand) string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}
			write, known := shells[c.Args().First()]
			if !known {
				return usage("completion for %q: want bash, zsh or fish", c.Args().First())
			}
			_, err := fmt.Fprint(p.term.Out, write(completables(p.commands())))
			return err
		},
	}
}

// completables lists every command, its words joined as in accounts/list. The first has no words.
func completables(cmds []command) []namedCommand {
	all := append([]namedCommand{{command: command{sub: cmds}}}, withSubs(cmds, "")...)
	return doc.Each(all, func(c namedCommand) namedCommand {
		return namedCommand{strings.ReplaceAll(c.words, " ", "/"), c.command}
	})
}

// completedFlags returns the long names of a command's flags and of the global flags.
func completedFlags(c command) string {
	names := doc.Each(slices.Concat(c.flags, globalFlags()), func(f urfave.Flag) string { return "--" + f.Names()[0] })
	return strings.Join(names, " ")
}

// bashCompletion completes commands and flags. Everything else completes as a file name.
func bashCompletion(all []namedCommand) string {
	var b strings.Builder
	b.WriteString(`# bash completion of payrun; it runs nothing
_payrun() {
	local cur="${COMP_WORDS[COMP_CWORD]}" at="" word
	for word in "${COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do
		case "$word" in
		-*) ;;
		*) case " $_payrun_paths " in
			*" ${at:+$at/}$word "*) at="${at:+$at/}$word" ;;
			esac ;;
		esac
	done
	local subs="" flags=""
	case "$at" in
`)
	for _, c := range all {
		fmt.Fprintf(&b, "\t%q) subs=%q flags=%q ;;\n", c.words, strings.Join(commandNames(c.sub), " "), completedFlags(c.command))
	}
	paths := doc.Each(all[1:], func(c namedCommand) string { return c.words })
	fmt.Fprintf(&b, `	esac
	case "$cur" in
	-*) COMPREPLY=($(compgen -W "$flags" -- "$cur")) ;;
	*) COMPREPLY=($(compgen -W "$subs" -- "$cur")) ;;
	esac
}
_payrun_paths=%q
complete -o default -F _payrun payrun
`, strings.Join(paths, " "))
	return b.String()
}

// zshCompletion wraps the bash script, which zsh can read. zsh reads it at the first completion.
func zshCompletion(all []namedCommand) string {
	return "#compdef payrun\nautoload -Uz bashcompinit && bashcompinit\n" + bashCompletion(all) + "_bash_complete -o default -F _payrun\n"
}

// fishCompletion adds each command's description, which fish shows.
func fishCompletion(all []namedCommand) string {
	quote := func(s string) string {
		return "'" + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), "'", `\'`) + "'"
	}
	var paths, cases strings.Builder
	for _, c := range all {
		fmt.Fprintf(&paths, " %q", c.words)
		fmt.Fprintf(&cases, "\tcase %q\n\t\tstring match -q -- '-*' (commandline -ct); and string split ' ' -- %q\n", c.words, completedFlags(c.command))
		for _, sub := range c.sub {
			fmt.Fprintf(&cases, "\t\tprintf '%%s\\t%%s\\n' %s %s\n", sub.name, quote(sub.brief))
		}
	}
	return fmt.Sprintf(`# fish completion of payrun; it runs nothing
set -g __payrun_paths%s
function __payrun_words
	set -l path ''
	for word in (commandline -opc)[2..-1]
		set -l longer (string trim --left --chars=/ "$path/$word")
		if contains -- $longer $__payrun_paths
			set path $longer
		end
	end
	switch "$path"
%s	end
end
complete -c payrun -a '(__payrun_words)'
`, paths.String(), cases.String())
}
