package term

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// Next begins a line with a command to be copied. Such a line is never folded.
const Next = "Next: "

// fold breaks long lines between words at the width of the screen, and indents their continuations. A word
// that is wider than the screen stays whole.
func fold(words string, width int) string {
	if width <= 0 {
		return words
	}
	lines := strings.Split(words, "\n")
	for i, line := range lines {
		lines[i] = foldLine(line, width)
	}
	return strings.Join(lines, "\n")
}

func foldLine(line string, width int) string {
	body := strings.TrimLeft(line, " ")
	if strings.HasPrefix(body, Next) || text.StringWidthWithoutEscSequences(line) <= width {
		return line
	}
	return hung(line, hangAt(line, width), width)
}

// hung breaks a line between words at the width of the screen. The continuations begin at column at.
func hung(line string, at, width int) string {
	body, hang := strings.TrimLeft(line, " "), strings.Repeat(" ", at)
	var folded []string
	line, begun := line[:len(line)-len(body)], false
	for word := range strings.SplitSeq(body, " ") {
		wide := text.StringWidthWithoutEscSequences(line) + text.StringWidthWithoutEscSequences(word)
		switch {
		case begun && wide+1 > width:
			folded, line = append(folded, strings.TrimRight(line, " ")), hang
		case begun:
			line += " "
		}
		line, begun = line+word, true
	}
	return strings.Join(append(folded, line), "\n")
}

// explained matches a word with its explanation in a second column.
var explained = regexp.MustCompile(`^( *\S.*?  +)\S`)

// farIn is the indentation from which a line belongs to an explanation.
const farIn = 8

// hangAt returns the column at which the continuations of a line begin: where its explanation begins, or a
// little to the right of the line's own start.
func hangAt(line string, width int) int {
	if m := explained.FindStringSubmatch(line); m != nil {
		if at := text.StringWidthWithoutEscSequences(m[1]); at <= width/2 {
			return at
		}
	}
	indent := len(line) - len(strings.TrimLeft(line, " "))
	if indent < farIn {
		indent += len(gap)
	}
	return min(indent, width/2)
}

// Page writes a page of help. On a narrow screen its paragraphs are folded again.
func (t *Terminal) Page(page string) {
	width := t.width(t.Out)
	if width > 0 {
		page = flow(page, width)
	}
	fmt.Fprint(t.Out, page)
}

// flow folds paragraphs that are wider than the screen, and explanations within their column. Any other
// indented line is meant to be copied, such as a line for cron, and stays as it is.
func flow(page string, width int) string {
	var out []string
	var paragraph []string
	end := func() {
		if slices.ContainsFunc(paragraph, func(line string) bool { return text.StringWidthWithoutEscSequences(line) > width }) {
			paragraph = []string{hung(strings.Join(paragraph, " "), 0, width)}
		}
		out = append(out, paragraph...)
		paragraph = nil
	}
	for line := range strings.SplitSeq(page, "\n") {
		if line != "" && line[0] != ' ' {
			paragraph = append(paragraph, line)
			continue
		}
		end()
		if explained.MatchString(line) || strings.HasPrefix(line, strings.Repeat(" ", farIn)) {
			line = foldLine(line, width)
		}
		out = append(out, line) // any other line is meant to be pasted whole
	}
	end()
	return strings.Join(out, "\n")
}
