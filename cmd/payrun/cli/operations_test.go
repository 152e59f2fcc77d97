package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	operationsPath = "../../../docs/operations.md"
	unitsPath      = "../../../docs/systemd/"
	dockerfilePath = "../Dockerfile"
)

// blockOf is the block of the page behind a mark.
func blockOf(t *testing.T, mark string) string {
	t.Helper()
	rest := between(t, readFile(t, operationsPath), "<!-- "+mark+" -->\n```", "\n```\n")
	_, text, _ := strings.Cut(rest, "\n")
	return text + "\n"
}

func units(t *testing.T) map[string]string {
	return map[string]string{"payrun.service": readFile(t, unitsPath+"payrun.service"), "payrun.timer": readFile(t, unitsPath+"payrun.timer")}
}

func TestOperationsHelpPrintsTheUnitsAndTheCronLine(t *testing.T) {
	page := readFile(t, "topics/cron.txt")
	for mark, text := range units(t) {
		if !strings.Contains(page, strings.TrimSpace(indented(text))) && !strings.Contains(strings.ReplaceAll(page, "\n\n", "\n  \n"), indented(text)) {
			t.Errorf("payrun help cron does not have %s as the file has it", mark)
		}
	}
	if !strings.Contains(page, indented(blockOf(t, "cron"))) {
		t.Error("payrun help cron does not have the cron line as the page has it")
	}
}

// known are the settings of the units, by section: a misspelt one would be ignored
// by systemd, with a word in a log that no one reads.
var knownSettings = map[string][]string{
	"Unit": {"Description", "Wants", "After"},
	"Service": {"Type", "User", "WorkingDirectory", "ExecStart", "UMask", "TimeoutStartSec", "TimeoutStopSec", "NoNewPrivileges", "PrivateTmp",
		"ProtectHome", "ProtectSystem", "ReadWritePaths"},
	"Timer":   {"OnCalendar", "Persistent"},
	"Install": {"WantedBy"},
}

// badUnit says what is wrong with a unit, "" for nothing.
func badUnit(text string) string {
	section := ""
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		key, value, set := strings.Cut(line, "=")
		switch {
		case line == "":
		case strings.HasPrefix(line, "["):
			section = strings.Trim(line, "[]")
			if knownSettings[section] == nil {
				return fmt.Sprintf("line %d: no section %s", i+1, line)
			}
		case !set || value == "" || !slices.Contains(knownSettings[section], key):
			return fmt.Sprintf("line %d: no setting of [%s]: %s", i+1, section, line)
		}
	}
	return ""
}

func TestOperationsUnitsAreUnits(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for name, text := range units(t) {
		if bad := badUnit(text); bad != "" {
			t.Errorf("%s: %s", name, bad)
		}
		if badUnit(strings.Replace(text, "Description", "Descriptoin", 1)) == "" || badUnit(strings.Replace(text, "[Unit]", "[Unti]", 1)) == "" {
			t.Errorf("%s: nonsense passes", name)
		}
		text = strings.ReplaceAll(text, "/usr/local/bin/payrun", "/bin/true") // what is started has to be there
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o600))
		files = append(files, path)
	}
	systemd, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed: read by our own rules alone")
	}
	if out, err := exec.Command(systemd, append([]string{"verify", "--man=no"}, files...)...).CombinedOutput(); err != nil || strings.Contains(string(out), dir) {
		t.Errorf("%v\n%s", err, out)
	}
}

// commandLines are those of the page that run payrun.
func commandLines(t *testing.T) (lines []string) {
	_, service, _ := strings.Cut(units(t)["payrun.service"], "ExecStart=")
	service, _, _ = strings.Cut(service, "\n")
	lines = append(lines, service)
	for _, mark := range []string{"cron", "backup"} {
		line := strings.TrimSpace(blockOf(t, mark))
		fields := strings.SplitN(line, " ", 6)
		for i, most := range []int{59, 23, 31, 12, 7} {
			if n, err := strconv.Atoi(fields[i]); fields[i] != "*" && (err != nil || n < 0 || n > most) {
				t.Errorf("%s: field %d of the cron line is %q", mark, i+1, fields[i])
			}
		}
		if regexp.MustCompile(`(^|[^\\])%`).MatchString(line) {
			t.Errorf("%s: cron takes a bare %% for the end of the command", mark)
		}
		lines = append(lines, fields[5])
	}
	return lines
}

func TestOperationsCommandsAreUnderstood(t *testing.T) {
	p := newProgram(System())
	for _, line := range commandLines(t) {
		_, args, ok := strings.Cut(line, "/usr/local/bin/payrun ")
		if !ok {
			t.Errorf("%s does not run payrun by its full path", line)
			continue
		}
		in, err := parse(p.commands(), globalFlags(), strings.Fields(args))
		if err != nil || in.cmd.run == nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// The image is built in CI alone where a builder is found; what it runs is looked at everywhere.
func TestOperationsContainerRunsWhatThereIs(t *testing.T) {
	file := readFile(t, dockerfilePath)
	_, check, _ := strings.Cut(file, "HEALTHCHECK ")
	_, check, _ = strings.Cut(check, "CMD ")
	check, _, _ = strings.Cut(check, "\n")
	var args []string
	if err := json.Unmarshal([]byte(check), &args); err != nil || args[0] != "/payrun" {
		t.Fatalf("%s: %v", check, err)
	}
	p := newProgram(System())
	if in, err := parse(p.commands(), globalFlags(), args[1:]); err != nil || in.cmd.run == nil {
		t.Errorf("%v: %v", args, err)
	}
	goLine := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(readFile(t, "../../../go.mod"))
	for _, want := range []string{"FROM golang:" + goLine[1] + " AS build\n", "\nFROM scratch\n", "\nUSER 65532:65532\n", "\nVOLUME /data\n", "mkdir -m 0700 /image/data && mkdir -m 1777 /image/tmp", "cli.stamp=$STAMP"} {
		if !strings.Contains(file, want) {
			t.Errorf("the Dockerfile has no %q", want)
		}
	}
}

// known directives of logrotate.
var logrotateDirectives = regexp.MustCompile(`^(su \w+ \w+|weekly|daily|rotate \d+|compress|delaycompress|missingok|notifempty|create 0[0-7]{3} \w+ \w+)$`)

func badLogrotate(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if !strings.HasPrefix(lines[0], "/") || !strings.HasSuffix(lines[0], " {") || lines[len(lines)-1] != "}" {
		return "it is no block"
	}
	for _, line := range lines[1 : len(lines)-1] {
		if !logrotateDirectives.MatchString(strings.TrimSpace(line)) {
			return "unknown: " + line
		}
	}
	return ""
}

func TestOperationsLogrotateIsUnderstood(t *testing.T) {
	text := readFile(t, unitsPath+"payrun.logrotate")
	if bad := badLogrotate(text); bad != "" {
		t.Error(bad)
	}
	if badLogrotate(strings.Replace(text, "rotate 52", "rotat 52", 1)) == "" || badLogrotate(strings.Replace(text, "}", "", 1)) == "" {
		t.Error("nonsense passes")
	}
}

// The series of the page are those that the program writes.
func TestOperationsNamesEverySeries(t *testing.T) {
	page := readFile(t, operationsPath)
	source := readFile(t, "../app/metrics.go")
	series := regexp.MustCompile(`payrun_[a-z_]+`)
	written := series.FindAllString(source, -1)
	for _, name := range written {
		if !strings.Contains(page, "`"+name) {
			t.Errorf("the page does not have %s", name)
		}
	}
	for _, name := range series.FindAllString(page, -1) {
		if !slices.Contains(written, name) {
			t.Errorf("nothing writes %s", name)
		}
	}
}
