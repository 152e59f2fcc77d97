package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

func TestTheVersionSaysItsCommit(t *testing.T) {
	built := &debug.BuildInfo{Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}, {Key: "vcs.time", Value: "2026-11-22T04:00:00Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	if got, want := commitWords(versionOf(built, "")), "commit 0123456789ab of 2026-11-22T04:00:00Z, with changes that are in no commit"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if v := versionOf(nil, ""); commitWords(v) != "commit unknown" || v.Version != release {
		t.Errorf("a build that recorded nothing: %+v", v)
	}
}

// pathOutside has none of the programs of the scripts: gcc would take the one that is called as for its assembler.
var pathOutside = os.Getenv("PATH")

// The command that docs/operations.md gives for a machine that pays stamps a build that records nothing of its repository.
func TestABuildThatCanBeRepeatedSaysItsVersionAndCommit(t *testing.T) {
	if !*all {
		t.Skip("it builds payrun with other flags, which .ci/run does")
	}
	line := strings.TrimSpace(blockOf(t, "build"))
	line = strings.ReplaceAll(line, "$(git log -1 --format='%H %cI')", "0123456789abcdef0123456789abcdef01234567 2026-11-22T09:30:00+05:30")
	line = strings.ReplaceAll(line, "-o payrun", "-o "+filepath.Join(t.TempDir(), "payrun"))
	build := exec.Command("sh", "-c", line)
	build.Dir, build.Env = "../../..", append(os.Environ(), "PATH="+pathOutside)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	program := regexp.MustCompile(`-o (\S+)`).FindStringSubmatch(line)[1]
	out, err := exec.Command(program, "version").Output()
	if want := "payrun " + release + " (commit 0123456789ab of 2026-11-22T09:30:00+05:30; go"; err != nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("%q (%v), want %q", out, err, want)
	}
	materials, err := exec.Command("sh", "-c", strings.ReplaceAll(strings.TrimSpace(blockOf(t, "materials")), "payrun", program)).Output()
	for _, module := range []string{"modernc.org/sqlite v", "github.com/xuri/excelize/v2 v", "github.com/xuri/efp v0.0.2"} {
		if err != nil || !strings.Contains(strings.ReplaceAll(string(materials), "\t", " "), module) {
			t.Errorf("the bill of materials does not name %s: %v\n%s", module, err, materials)
		}
	}
}

// What is released is what CHANGELOG.md describes first.
func TestTheVersionIsTheNewestOfTheChanges(t *testing.T) {
	heading := regexp.MustCompile(`(?m)^## (\S+)`).FindStringSubmatch(readFile(t, "../../../CHANGELOG.md"))
	if heading == nil || heading[1] != release {
		t.Errorf("CHANGELOG.md begins with %v, and the version is %s", heading, release)
	}
}
