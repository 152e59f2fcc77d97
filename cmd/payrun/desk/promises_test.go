package desk

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each promise of PROMISES.md names what proves it, and that is there: a test that was
// renamed or taken out leaves no promise behind that nothing holds.
func TestEveryPromiseHasItsTests(t *testing.T) {
	page := need(os.ReadFile("PROMISES.md"))(t)
	_, table, found := strings.Cut(string(page), "\n## Promises, and what proves them\n")
	table, _, ends := strings.Cut(table, "\n## ")
	if !found || !ends {
		t.Fatal("PROMISES.md has no table of promises")
	}
	there := testsThere(t)
	named := regexp.MustCompile("`(Test[^`]*)`")
	script := regexp.MustCompile("script `([^`]*)`")
	var promises []string
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || strings.HasPrefix(cells[0], "---") || strings.HasPrefix(strings.TrimSpace(cells[0]), "promise") {
			continue
		}
		for _, word := range strings.FieldsFunc(cells[0], func(c rune) bool { return c == ' ' || c == ',' }) {
			if !regexp.MustCompile(`^[A-Z][0-9]$`).MatchString(word) {
				break
			}
			promises = append(promises, word)
		}
		tests := named.FindAllStringSubmatch(cells[2], -1)
		if len(tests) == 0 && !strings.Contains(cells[2], "go test ./") {
			t.Errorf("no test is named for:%s", cells[0])
		}
		for _, m := range tests {
			name, open := strings.CutSuffix(m[1], "…")
			name = strings.ReplaceAll(name, "_", " ") // a part of TestStore is named in words
			if !slices.ContainsFunc(there, func(test string) bool { return test == name || open && strings.HasPrefix(test, name) }) {
				t.Errorf("there is no test %s, which is named for:%s", m[1], cells[0])
			}
		}
		for _, m := range script.FindAllStringSubmatch(cells[2], -1) {
			if _, err := os.Stat("../cli/testdata/script/" + m[1] + ".txtar"); err != nil {
				t.Errorf("there is no script %s, which is named for:%s", m[1], cells[0])
			}
		}
	}
	for _, id := range strings.Fields("N1 N2 N3 N5 A1 A2 A5 K1 R1 R2 C1 C3 C4 U1 U3 M2 M3 O1 O3 L1 D1 T1 X2") {
		if !slices.Contains(promises, id) {
			t.Errorf("promise %s has no line", id)
		}
	}
}

// testsThere are the names of the tests of this repository, those of the conformance
// suite as parts of TestStore.
func testsThere(t *testing.T) (names []string) {
	t.Helper()
	test := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	check := regexp.MustCompile(`(?m)^\s*\{"([^"]+)", \w+\},?$`)
	err := filepath.WalkDir("../../..", func(path string, e fs.DirEntry, err error) error {
		suite := strings.Contains(path, "storetest") && strings.HasSuffix(path, ".go")
		if err != nil || e.IsDir() || !suite && !strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := os.ReadFile(path)
		for _, m := range test.FindAllSubmatch(src, -1) {
			names = append(names, string(m[1]))
		}
		if suite {
			for _, m := range check.FindAllSubmatch(src, -1) {
				names = append(names, "TestStore/"+string(m[1]))
			}
		}
		return err
	})
	if err != nil || len(names) < 100 {
		t.Fatalf("%d tests found: %v", len(names), err)
	}
	return names
}
