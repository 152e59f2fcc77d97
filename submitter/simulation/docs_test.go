package simulation

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTheDocsNameEveryCanary compares the table of README.md with the canaries that are tried here.
func TestTheDocsNameEveryCanary(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n### Canaries\n")
	if !found {
		t.Fatal("README.md has no section of canaries")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var listed, here []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllStringSubmatch(section, -1) {
		listed = append(listed, row[1])
	}
	for _, c := range everyCanary() {
		here = append(here, c.name)
	}
	slices.Sort(listed)
	slices.Sort(here)
	if !slices.Equal(listed, here) {
		t.Errorf("listed: %q\nhere: %q", listed, here)
	}
}
