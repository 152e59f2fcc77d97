package docs

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// refusedWords read like a translation (writing.md lists them for people).
var refusedWords = regexp.MustCompile(`(?i)\b(stands|beside|whoever|somebody|anew|mend|as ever|so does|told|held against|` +
	`what came of|under way|asked about|given up|of before|nobody|gave up|the word of|last word|bank['’]s word)\b`)

const (
	mostWords   = 30  // in a sentence
	mostColumns = 100 // in a line

	mostOfREADME = 600 // words, code blocks aside
	mostOfPages  = 18_000
)

var (
	fenced      = regexp.MustCompile("(?s)(^|\n)```.*?\n```")
	generated   = regexp.MustCompile(`(?s)<!-- \w+:begin -->.*?<!-- \w+:end -->`)
	codeSpan    = regexp.MustCompile("`[^`]*`")
	linkTarget  = regexp.MustCompile(`\]\([^)]*\)`)
	listItem    = regexp.MustCompile(`^\s*([-*]|\d+\.) `)
	sentenceEnd = regexp.MustCompile(`[.!?]["')*]*(\s|$)`)
)

// faults are what the rules of writing.md refuse on a page: words, long sentences,
// long lines. Code blocks and generated tables have other authors; tables have no sentences.
func faults(page string) (found []string) {
	page = generated.ReplaceAllString(fenced.ReplaceAllString(page, "\n"), "")
	for _, word := range refusedWords.FindAllString(codeSpan.ReplaceAllString(page, "`"), -1) {
		found = append(found, "the word "+word)
	}
	paragraph := ""
	end := func() {
		for _, sentence := range sentenceEnd.Split(paragraph, -1) {
			if n := len(strings.Fields(sentence)); n > mostWords {
				found = append(found, "a long sentence: "+sentence)
			}
		}
		paragraph = ""
	}
	for _, line := range strings.Split(page, "\n") {
		apart := strings.HasPrefix(line, "|") || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "![")
		if !apart && len([]rune(line)) > mostColumns {
			found = append(found, "a long line: "+line)
		}
		if apart || line == "" || listItem.MatchString(line) {
			end()
		}
		if !apart {
			line = linkTarget.ReplaceAllString(listItem.ReplaceAllString(line, ""), "]")
			paragraph += " " + codeSpan.ReplaceAllString(line, "code")
		}
	}
	end()
	return found
}

func TestWritingOfThePages(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil || len(pages) < 10 {
		t.Fatal(pages, err)
	}
	all := 0
	for _, page := range append(pages, "../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		words := countWords(string(text))
		if all += words; page == "../README.md" && words > mostOfREADME {
			t.Errorf("%s has %d words, more than %d", page, words, mostOfREADME)
		}
		for _, fault := range faults(string(text)) {
			t.Errorf("%s has %s", page, fault)
		}
	}
	t.Logf("%d words", all)
	if all > mostOfPages {
		t.Errorf("the pages have %d words, more than %d", all, mostOfPages)
	}
}

// countWords counts what has a letter or a digit, code blocks aside.
func countWords(page string) (n int) {
	for _, field := range strings.Fields(fenced.ReplaceAllString(page, "\n")) {
		if strings.ContainsFunc(field, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}

// TestWritingForEngineers: no other page of the repository has a refused word, either.
func TestWritingForEngineers(t *testing.T) {
	seen := 0
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && (e.Name() == ".git" || e.Name() == "testdata") {
			return cmp.Or(err, fs.SkipDir)
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		page := codeSpan.ReplaceAllString(fenced.ReplaceAllString(string(text), "\n"), "`")
		for _, word := range refusedWords.FindAllString(linkTarget.ReplaceAllString(page, "]"), -1) {
			t.Errorf("%s has the word %s", path, word)
		}
		seen++
		return err
	})
	if err != nil || seen < 40 {
		t.Errorf("%d pages were read: %v", seen, err)
	}
}

func TestWritingFaultsAreFound(t *testing.T) {
	long := strings.Repeat("w ", mostWords)
	for page, want := range map[string]int{
		"It stands here.":                        1,
		"A sheet is held against a list.":        1,
		"A table:\n\n| it stands beside |":       2,
		"```\nit stands\n```\nIt is well.":       0,
		"Write `nobody` as the user.":            0,
		long + ".":                               0,
		long + "more. And more.":                 1,
		strings.Repeat("x", mostColumns):         0,
		strings.Repeat("x", mostColumns+1):       1,
		"| " + strings.Repeat("x", 200):          0,
		"<!-- t:begin -->\ntold\n<!-- t:end -->": 0,
	} {
		if got := faults(page); len(got) != want {
			t.Errorf("%.60q has %d faults, want %d: %q", page, len(got), want, got)
		}
	}
}
