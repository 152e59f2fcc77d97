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
	var told, here []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllStringSubmatch(section, -1) {
		told = append(told, row[1])
	}
	for _, c := range everyCanary() {
		here = append(here, c.name)
	}
	slices.Sort(told)
	slices.Sort(here)
	if !slices.Equal(told, here) {
		t.Errorf("told: %q\nhere: %q", told, here)
	}
}
