package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const readmePath = "../../../README.md"

// What the README says the demo ends with is what it ends with.
func TestREADMEShowsTheLastLinesOfTheDemo(t *testing.T) {
	var out bytes.Buffer
	w := worldOf(&out, &out, nil)
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

// Each command of the README and the docs is understood with its flags: in a block whole,
// in a sentence its name and flags alone.
func TestCommandsOfTheDocsAreUnderstood(t *testing.T) {
	block, line := regexp.MustCompile("(?s)```sh\\n(.*?)```"), regexp.MustCompile(`(?m)^(?:\./|go run \./cmd/)?payrun (.*)$`)
	span, word := regexp.MustCompile("`payrun ([^`]*)`"), regexp.MustCompile(`(?:"[^"]*"|'[^']*'|[^\s"'])+`)
	p, tried := newProgram(System()), 0
	understood := func(page, text string, whole bool) {
		text, _, _ = strings.Cut(text, " #")
		args := word.FindAllString(text, -1)
		for i, arg := range args {
			args[i] = strings.NewReplacer(`"`, "", "'", "").Replace(arg)
		}
		tried++
		in, err := parse(p.commands(), globalFlags(), args)
		if err == nil && whole && (in.cmd.run == nil) {
			err = errors.New("it is no whole command")
		}
		if err == nil && whole {
			err = in.cmd.checkArgs(strings.Join(in.path, " "), in.NArg())
		}
		if err != nil {
			t.Errorf("%s: payrun %s: %v", filepath.Base(page), text, err)
		}
	}
	for _, page := range docPages(t) {
		text, before := readFile(t, page), tried
		for _, m := range block.FindAllStringSubmatch(text, -1) {
			for _, typed := range line.FindAllStringSubmatch(m[1], -1) {
				understood(page, typed[1], true)
			}
		}
		for _, m := range span.FindAllStringSubmatch(text, -1) {
			understood(page, m[1], false)
		}
		if least := map[string]int{readmePath: 10, "../../../docs/tutorial.md": 20}[page]; tried-before < least {
			t.Errorf("only %d commands found in %s", tried-before, page)
		}
	}
	if tried < 200 {
		t.Errorf("only %d commands found", tried)
	}
}

// Every page, and every heading, that a page leads to is there.
func TestLinksOfTheDocsLeadSomewhere(t *testing.T) {
	link, heading := regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`), regexp.MustCompile(`(?m)^#+ (.*)$`)
	for _, page := range docPages(t) {
		for _, m := range link.FindAllStringSubmatch(readFile(t, page), -1) {
			target := filepath.Join(filepath.Dir(page), m[1])
			if m[1] == "" {
				target = page
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s leads to %s, which is not there", filepath.Base(page), m[1])
				continue
			}
			anchors := []string{""}
			if m[2] != "" {
				for _, h := range heading.FindAllStringSubmatch(readFile(t, target), -1) {
					anchors = append(anchors, strings.ReplaceAll(regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-"))
				}
			}
			if !slices.Contains(anchors, m[2]) {
				t.Errorf("%s leads to %s#%s, which is no heading there", filepath.Base(page), m[1], m[2])
			}
		}
	}
}

// docPages are the README, the docs, and the pages for engineers that lie with their code.
func docPages(t *testing.T) []string {
	t.Helper()
	var pages []string
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/*/*.md", "samples/*.md", ".github/*.md", "cmd/*/*.md", "cmd/payrun/*/*.md", "submitter/*/*.md"} {
		found, err := filepath.Glob("../../../" + pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		pages = append(pages, found...)
	}
	return pages
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
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

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
