package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
	"payrun/samples"
)

// worldOf is a world without a terminal.
func worldOf(out, errs io.Writer, env map[string]string) World {
	return World{Stdin: &bytes.Buffer{}, Stdout: out, Stderr: errs, Now: time.Now, Getenv: func(name string) string { return env[name] }}
}

// newFolder is a folder with a new ledger.
func newFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if exit, _, stderr := inFolder(t, dir, "init"); exit != 0 {
		t.Fatalf("init: exit %d %s", exit, stderr)
	}
	return dir
}

// inFolder runs the program in this process, in a folder of its own.
func inFolder(t *testing.T, dir string, args ...string) (exit int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	w := worldOf(&out, &err, map[string]string{"PAYRUN_CONFIG": filepath.Join(dir, config.Name)})
	exit = newProgram(w).main(t.Context(), append([]string{"payrun"}, args...))
	return exit, out.String(), err.String()
}

// Every shipped sheet has the outcome that is listed next to it, and checking
// changes nothing.
func TestEverySampleIsCheckedAsItSays(t *testing.T) {
	dir := newFolder(t)
	all, err := fs.Glob(samples.FS, "*.expected.json")
	must(t, err)
	broken, err := fs.Glob(samples.FS, "broken/*.expected.json")
	if all = append(all, broken...); err != nil || len(all) < 30 {
		t.Fatal(len(all), "samples", err)
	}
	for _, outcome := range all {
		name := strings.TrimSuffix(outcome, ".expected.json")
		t.Run(name, func(t *testing.T) {
			text, err := samples.FS.ReadFile(name)
			must(t, err)
			file := filepath.Join(dir, path.Base(name))
			must(t, os.WriteFile(file, text, 0o600))
			text, err = samples.FS.ReadFile(outcome)
			must(t, err)
			var want expectedOutcome
			must(t, json.Unmarshal(text, &want))
			exit, stdout, stderr := inFolder(t, dir, "check", file, "--json")
			got, document := readCheck(t, stdout)
			got.Exit = exit
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\n%s", diff, stderr)
			}
			if document.Schema != "payrun.check/v1" || document.Sheet.Name != path.Base(name) || document.OTPs != len(document.Batches) {
				t.Errorf("the document is not whole: %.300s", stdout)
			}
		})
	}
	exit, stdout, _ := inFolder(t, dir, "sheets", "--json")
	if exit != 0 || stdout != "" {
		t.Errorf("checking left something in the ledger: %s", stdout)
	}
}

// Whatever a sheet holds, people are shown nothing that a terminal obeys.
func TestNoHostileSheetReachesTheTerminalRaw(t *testing.T) {
	dir := newFolder(t)
	sheets, err := filepath.Glob("../../../samples/hostile/*")
	if err != nil || len(sheets) < 100 {
		t.Fatalf("%d sheets, %v", len(sheets), err)
	}
	for _, sheet := range sheets {
		_, stdout, stderr := inFolder(t, dir, "check", sheet, "--verbose")
		for _, line := range strings.Split(stdout+stderr, "\n") {
			if i := strings.IndexFunc(line, ledger.Unprintable); i >= 0 {
				t.Errorf("%s: %q", sheet, line)
			}
		}
	}
}

// expectedOutcome is what is listed next to a sheet, in the words of the document.
type expectedOutcome struct {
	Exit, Rows         int
	Total              ledger.Paise
	Accepted, Rejected ledger.Tally
	Findings           []struct {
		Row          int
		Column, Code string
	}
	OTPs int
}

type checkDocument struct {
	Schema   string
	Sheet    struct{ Name string }
	Accepted ledger.Tally
	Batches  []struct{ Count int }
	OTPs     int
}

func readCheck(t *testing.T, line string) (expectedOutcome, checkDocument) {
	t.Helper()
	var e expectedOutcome
	var d checkDocument
	var sheet struct {
		Sheet struct {
			Rows  int
			Total ledger.Paise
		}
	}
	for _, into := range []any{&e, &d, &sheet} {
		if err := json.Unmarshal([]byte(line), into); err != nil {
			t.Fatalf("%v in %.300s", err, line)
		}
	}
	e.Rows, e.Total = sheet.Sheet.Rows, sheet.Sheet.Total
	planned := 0
	for _, b := range d.Batches {
		planned += b.Count
	}
	if planned != d.Accepted.Count {
		t.Errorf("%d payouts accepted, %d planned", d.Accepted.Count, planned)
	}
	return e, d
}
