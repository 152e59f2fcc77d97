package cli

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	urfave "github.com/urfave/cli/v2"
)

func (p *program) manCommand() command {
	return command{
		name: "man", group: groupOther,
		brief:    "write the manual page",
		long:     "It has the text of payrun help for every command and topic: payrun man > payrun.1; man ./payrun.1",
		examples: []string{"payrun man"},
		run: func(context.Context, *urfave.Context) error {
			page, err := manual(p.commands())
			if err == nil {
				_, err = fmt.Fprint(p.term.Out, page)
			}
			return err
		},
	}
}

// manual is the page: the overview, every command, every topic.
func manual(cmds []command) (string, error) {
	var b strings.Builder
	b.WriteString(".TH PAYRUN 1\n.SH NAME\npayrun \\- turns payout sheets into settled, reconciled payouts\n")
	section(&b, "OVERVIEW", overview(cmds))
	var walk func(before string, cmds []command)
	walk = func(before string, cmds []command) {
		for _, c := range cmds {
			path := strings.TrimSpace(before + " " + c.name)
			section(&b, "payrun "+path, c.help(path))
			walk(path, c.sub)
		}
	}
	walk("", cmds)
	for _, topic := range topics() {
		if topic == "exit-codes" {
			section(&b, topic, exitCodesHelp())
			continue
		}
		page, err := topicTexts.ReadFile("topics/" + topic + ".txt")
		if err != nil {
			return "", err
		}
		section(&b, topic, string(page))
	}
	return b.String(), nil
}

// section is a heading with unchanged text.
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
				fmt.Fprintf(b, `\[u%04X]`, r) // whatever the locale of man is
			}
		}
	}
	b.WriteString(".fi\n")
}
