package term

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// Next begins a line that is a command to be taken as it is: it is never folded.
const Next = "Next: "

// fold breaks the lines of words between words where the screen ends, those that go
// on a little further in. A word that is longer than the screen stays whole.
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

// hung breaks a line between words where the screen ends. It goes on at a column.
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

// explained is a word with its explanation in a column of its own.
var explained = regexp.MustCompile(`^( *\S.*?  +)\S`)

// farIn is the indentation from which a line is the explanation's own.
const farIn = 8

// hangAt is the column at which a line continues below itself: where its explanation begins, or a
// little further in than the line.
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

// Page writes a page of help. Where the screen is narrower than it was written for,
// its paragraphs flow.
func (t *Terminal) Page(page string) {
	width := t.width(t.Out)
	if width > 0 {
		page = flow(page, width)
	}
	fmt.Fprint(t.Out, page)
}

// flow joins the lines of each paragraph that is wider than the screen, and folds
// explanations below themselves. What else is indented is there to be copied, such as a
// line for cron, and stays as it is.
func flow(page string, width int) string {
	var out []string
	var paragraph []string
	end := func() {
		wide := false
		for _, line := range paragraph {
			wide = wide || text.StringWidthWithoutEscSequences(line) > width
		}
		if wide {
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
		out = append(out, line) // else it is to be pasted, and whole
	}
	end()
	return strings.Join(out, "\n")
}
