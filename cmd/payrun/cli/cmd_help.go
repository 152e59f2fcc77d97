package cli

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
)

// topicTexts are the pages of `payrun help TOPIC`.
//
//go:embed topics/*.txt
var topicTexts embed.FS

func (p *program) helpCommand() command {
	return command{
		name: "help", args: "[COMMAND... or TOPIC]",
		brief:    "explain a command or a topic",
		long:     "Topics: " + strings.Join(topics(), ", ") + ".",
		examples: []string{"payrun help submit", "payrun help exit-codes"},
		run:      func(_ context.Context, c *urfave.Context) error { return p.help(c.Args().Slice()) },
	}
}

// topics lists the topics. exit-codes is built from the table; the others are files.
func topics() []string {
	entries, _ := topicTexts.ReadDir("topics") // embedded: cannot fail
	files := doc.Each(entries, func(e fs.DirEntry) string { return strings.TrimSuffix(e.Name(), ".txt") })
	return slices.Sorted(slices.Values(append(files, "exit-codes")))
}

// topic returns the page with the name.
func topic(name string) (page string, known bool) {
	if name == "exit-codes" {
		return exitCodesHelp(), true
	}
	text, err := topicTexts.ReadFile("topics/" + name + ".txt")
	if name == "config" {
		return string(text) + indented(config.Template), true
	}
	return string(text), err == nil
}

// help explains a command or a topic, or, without a name, the whole program.
func (p *program) help(path []string) error {
	cmds, name := p.commands(), strings.Join(path, " ")
	text, isTopic := topic(name)
	c, _, rest := findCommand(cmds, path)
	isCommand := len(rest) == 0
	switch {
	case len(path) == 0:
		text = p.overview()
	case isCommand && isTopic:
		text = c.help(name) + "\n" + text
	case isCommand:
		text = c.help(name)
	case !isTopic:
		return usage("there is no command or topic %q%s", ledger.Plain(name),
			didYouMean(path[0], append(harmless(cmds), topics()...))).Then(app.Do("help"))
	}
	p.term.Page(text)
	return nil
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ") + "\n"
}

func (p *program) overview() string {
	var b strings.Builder
	b.WriteString("payrun turns payout sheets into settled, reconciled payouts.\n\nUSAGE\n  payrun COMMAND [ARGUMENT...] [--FLAG...]\n")
	for _, g := range p.groups() {
		fmt.Fprintf(&b, "\n%s\n", strings.ToUpper(g.heading))
		for _, c := range g.commands {
			fmt.Fprintf(&b, "  %-13s %s\n", c.name, c.brief)
		}
	}
	fmt.Fprintf(&b, "\nTOPICS (payrun help TOPIC)\n  %s\n", strings.Join(topics(), ", "))
	b.WriteString("\nGLOBAL FLAGS\n")
	writeFlags(&b, globalFlags())
	b.WriteString("\nFIRST STEPS\n  payrun demo\n")
	return b.String()
}

// help returns the page of one command.
func (c command) help(name string) string {
	var b strings.Builder
	args := cmp.Or(c.args, either(len(c.sub) == 0, "", either(c.run == nil, "COMMAND", "[COMMAND]")))
	fmt.Fprintf(&b, "payrun %s: %s\n\nUSAGE\n  %s\n", name, c.brief, strings.Join(strings.Fields("payrun "+name+" "+args+" [--FLAG...]"), " "))
	if c.long != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(c.long))
	}
	if len(c.sub) > 0 {
		b.WriteString("\nCOMMANDS\n")
		for _, s := range c.sub {
			fmt.Fprintf(&b, "  %-11s %s\n", s.name, s.brief)
		}
	}
	if len(c.flags) > 0 {
		b.WriteString("\nFLAGS\n")
		writeFlags(&b, c.flags)
	}
	if len(c.examples) > 0 {
		b.WriteString("\nEXAMPLES\n")
		for _, e := range c.examples {
			fmt.Fprintf(&b, "  %s\n", e)
		}
	}
	b.WriteString("\nEXIT STATUS\n")
	for _, m := range exitTable {
		ends := func(c command) bool { return slices.Contains(c.exits, m.exit) }
		if slices.Contains(anyCommand[:], m.exit) || ends(c) || c.run == nil && slices.ContainsFunc(c.sub, ends) {
			fmt.Fprintf(&b, "  %3d  %s\n", m.exit, m.meaning)
		}
	}
	b.WriteString("\nGlobal flags: payrun help\n")
	return b.String()
}

// anyCommand lists the exit codes that every command can end with.
var anyCommand = [...]int{exitDone, exitFailed, exitUsage, exitInterrupted}

func exitCodesHelp() string {
	var b strings.Builder
	b.WriteString("EXIT CODES\n\n")
	for _, m := range exitTable {
		fmt.Fprintf(&b, "  %3d  %s\n", m.exit, m.meaning)
	}
	b.WriteString("\nWhen several hold, the first of 17, 15, 16, 4, 5, 10, 13, 12, 14 wins.\n\nCODES\n\n" +
		"With --json a failure has a `code`, which is finer than the number. Where the bank gave a\ncode, it is that.\n\n")
	for _, m := range exitTable {
		for _, c := range m.codes {
			fmt.Fprintf(&b, "  %3d  %-20s %s\n", m.exit, c.code, c.meaning)
		}
	}
	return b.String()
}

// flagColumn is the width of the flag column.
const flagColumn = 30

func writeFlags(b *strings.Builder, flags []urfave.Flag) {
	for _, f := range flags {
		name, text := valueName(f.(urfave.DocGenerationFlag).GetUsage())
		flag := strings.TrimSpace(strings.Join(doc.Each(f.Names(), dashed), ", ") + " " + either(takesValue(f), cmp.Or(name, "VALUE"), ""))
		nextLine := either(len(flag) > flagColumn, "\n"+strings.Repeat(" ", 2+flagColumn), "")
		fmt.Fprintf(b, "  %-*s %s\n", flagColumn, flag+nextLine, text)
	}
}

// valueName takes the name of a flag's value out of its usage, where it is in backquotes.
func valueName(usage string) (name, text string) {
	before, rest, ok := strings.Cut(usage, "`")
	if !ok {
		return "", usage
	}
	name, after, _ := strings.Cut(rest, "`")
	return name, before + name + after
}

func (p *program) manCommand() command {
	return command{
		name:     "man",
		brief:    "write the manual page",
		long:     "It has the text of payrun help for every command and topic: payrun man > payrun.1; man ./payrun.1",
		examples: []string{"payrun man"},
		run: func(context.Context, *urfave.Context) error {
			_, err := fmt.Fprint(p.term.Out, p.manual())
			return err
		},
	}
}

// manual returns the man page: the overview, every command and every topic.
func (p *program) manual() string {
	var b strings.Builder
	b.WriteString(".TH PAYRUN 1\n.SH NAME\npayrun \\- turns payout sheets into settled, reconciled payouts\n")
	section(&b, "OVERVIEW", p.overview())
	for _, c := range withSubs(p.commands(), "") {
		section(&b, "payrun "+c.words, c.help(c.words))
	}
	for _, name := range topics() {
		page, _ := topic(name)
		section(&b, name, page)
	}
	return b.String()
}

// section writes a heading and text that man shows unchanged.
func section(b *strings.Builder, heading, text string) {
	fmt.Fprintf(b, ".SH %q\n.nf\n", strings.ToUpper(heading))
	for line := range strings.Lines(strings.TrimSpace(text) + "\n") {
		line = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(line)
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			line = `\&` + line
		}
		for _, r := range line {
			if r <= unicode.MaxASCII {
				b.WriteRune(r)
			} else {
				fmt.Fprintf(b, `\[u%04X]`, r) // works in every locale of man
			}
		}
	}
	b.WriteString(".fi\n")
}
