package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const readmePath = "../../../README.md"

// What the README says the demo ends with is what it ends with.
func TestREADMEShowsTheLastLinesOfTheDemo(t *testing.T) {
	var out bytes.Buffer
	w := World{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }, Now: time.Now}
	if code := Main([]string{"payrun", "demo"}, w); code != 0 {
		t.Fatalf("the demo ends with %d\n%s", code, out.Bytes())
	}
	text := regexp.MustCompile(`\S*/payrun-demo-\d+`).ReplaceAllString(out.String(), "/tmp/payrun-demo-1")
	shown := between(t, readFile(t, readmePath), "<!-- demo:begin -->\n```\n", "```\n<!-- demo:end -->")
	if lines := strings.Count(shown, "\n"); lines < 5 {
		t.Fatalf("the README shows %d lines of the demo", lines)
	}
	if !strings.HasSuffix(text, shown) {
		tail := strings.Split(strings.TrimRight(text, "\n"), "\n")
		t.Errorf("the demo ends with\n%s\nand the README shows\n%s", strings.Join(tail[len(tail)-strings.Count(shown, "\n"):], "\n"), shown)
	}
}

// Every payrun command that the README and the docs tell people to type is one
// the program has.
func TestCommandsInTheREADMEExist(t *testing.T) {
	known := map[string]bool{}
	for _, c := range newProgram(World{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Getenv: os.Getenv, Now: time.Now}).commands() {
		known[c.name] = true
	}
	typed, fenced := regexp.MustCompile("(?:`|\\./|cmd/)payrun ([a-z]+)"), regexp.MustCompile("(?s)```sh.*?```")
	pages, err := filepath.Glob("../../../docs/*.md")
	if err != nil || len(pages) < 5 {
		t.Fatal(pages, err)
	}
	for _, page := range append(pages, readmePath) {
		found := 0
		text := fenced.ReplaceAllStringFunc(readFile(t, page), func(block string) string { return strings.ReplaceAll(block, "\npayrun ", "\n`payrun ") })
		for _, m := range typed.FindAllStringSubmatch(text, -1) {
			found++
			if !known[m[1]] {
				t.Errorf("%s says payrun %s, and there is no such command", filepath.Base(page), m[1])
			}
		}
		if least := map[string]int{"README.md": 10, "tutorial.md": 20}[filepath.Base(page)]; found < least {
			t.Errorf("only %d commands found in %s", found, page)
		}
	}
}

// Every page that another one leads to is there.
func TestLinksOfTheDocsLeadSomewhere(t *testing.T) {
	pages, err := filepath.Glob("../../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	for _, page := range append(pages, readmePath) {
		for _, m := range link.FindAllStringSubmatch(readFile(t, page), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s leads to %s, which is not there", filepath.Base(page), m[1])
			}
		}
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func between(t *testing.T, s, begin, end string) string {
	t.Helper()
	_, rest, ok := strings.Cut(s, begin)
	shown, _, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("the README has no %q … %q", begin, end)
	}
	return shown
}
