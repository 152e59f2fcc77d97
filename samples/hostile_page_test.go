package samples_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"payrun/ledger"
)

const hostilePagePath = "hostile-sheets.md"

// hostilePage is samples/hostile-sheets.md as the table gives it.
type hostilePage struct {
	text  strings.Builder
	lines int
}

const hostilePageHead = `# Hostile sheets

What happens to payout sheets on their way from a person to ` + "`payrun`" + `, and what ` + "`payrun check`" + ` makes of each. Every line below is a sheet in
` + "`samples/hostile/`" + ` that a test reads with the program's own code; this page is written by that test (` + "`go test ./samples -update`" + `) and cannot say anything else.

- **read**: nothing is refused. The findings named, if any, are for information or warnings, which ` + "`--strict`" + ` turns into refusals.
- **row refused**: the rows named are wrong and nothing is loaded. ` + "`--skip-bad`" + ` loads the others and gives these back with reason and fix.
- **file refused**: it is not clear what the rows are, so none is used.

The sheet without a fault is ` + "`plain.csv`" + `: six payouts in rows 2 to 7. *Alike* means that the payouts read are exactly its payouts.
` + "`payrun explain CODE`" + ` says more about each code. Sheets marked *made by the test* are too large to keep.
`

func (p *hostilePage) group(title string) {
	if p.text.Len() == 0 {
		p.text.WriteString(hostilePageHead)
	}
	fmt.Fprintf(&p.text, "\n## %s\n\n| what | sheet | outcome | said |\n|---|---|---|---|\n", title)
}

// keep takes the line of a sheet from the page as it is.
func (p *hostilePage) keep(t *testing.T, h hostile) {
	t.Helper()
	page, err := os.ReadFile(hostilePagePath)
	check(t, err)
	for line := range strings.Lines(string(page)) {
		if strings.Contains(line, "| `"+h.sheet+"`, made by the test |") {
			p.text.WriteString(line)
			p.lines++
		}
	}
}

func (p *hostilePage) line(h hostile, findings []ledger.Finding) {
	sheet := "`" + h.sheet + "`"
	if h.large {
		sheet += ", made by the test"
	}
	if h.flags != "" {
		sheet += " with `" + h.flags + "`"
	}
	outcome := string(h.want.refused)
	switch {
	case h.want.asPlain:
		outcome += ", alike"
	case h.want.refused == nothing:
		outcome += fmt.Sprintf(": %s in %s", plural(h.want.payouts, "payout"), plural(h.want.batches, "batch"))
	}
	said := make([]string, 0, len(findings))
	for _, f := range findings[:min(len(findings), 3)] {
		said = append(said, words(f))
	}
	if more := len(findings) - len(said); more > 0 {
		said = append(said, fmt.Sprintf("and %d more", more))
	}
	fmt.Fprintf(&p.text, "| %s | %s | %s | %s |\n", cellText(h.what), sheet, outcome, strings.Join(said, "<br>"))
	p.lines++
}

func words(f ledger.Finding) string {
	where := ""
	if f.Row > 0 {
		where = fmt.Sprintf("row %d, ", f.Row)
	}
	return fmt.Sprintf("%s`%s`: %s", where, f.Code, cellText(f.Message))
}

func cellText(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ").Replace(s)
}

func plural(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "ch"):
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// compare holds the page to the table, once every line of it was walked.
func (p *hostilePage) compare(t *testing.T) {
	t.Helper()
	all := 0
	for _, group := range hostileGroups() {
		all += len(group.cases)
	}
	if p.lines != all {
		return // only some were asked for
	}
	if *update {
		check(t, os.WriteFile(hostilePagePath, []byte(p.text.String()), 0o644))
		return
	}
	got, err := os.ReadFile(hostilePagePath)
	check(t, err)
	if string(got) != p.text.String() {
		t.Errorf("%s is not what the table says; go test ./samples -update writes it again", hostilePagePath)
	}
}
