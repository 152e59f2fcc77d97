package model_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

var (
	all    = flag.Bool("all", false, "every proof and every story; spin and gcc have to be there")
	update = flag.Bool("update", false, "write the stories again")
)

// run is one search of the model.
type run struct {
	name  string
	with  string // the switches of release.pml
	small bool   // part of every `go test ./...`
}

// proofs are searched to the end, and no payout may be paid twice.
var proofs = []run{
	// The longest first.
	{name: "two live copies", with: "SECOND=COPY"},
	{name: "an older copy in the ledger's place", with: "SECOND=RESTORED"},
	{name: "one ledger", with: "SECOND=NOBODY"},
	{name: "two independent ledgers", with: "SECOND=INDEPENDENT"},
	{name: "a false letter, where status or statement shows the payment in time", with: "SECOND=NOBODY FALSE_LETTER NEVER_STALLED SHOWN_IN_TIME"},

	// A wider rule that needs fewer assumptions.
	{name: "one ledger, the statement before every submit", with: "SECOND=NOBODY ALWAYS_STATEMENT"},
	{name: "two live copies, the statement before every submit", with: "SECOND=COPY ALWAYS_STATEMENT"},

	// The checks find what the watch finds.
	{name: "one ledger, no watch", with: "SECOND=NOBODY NO_WATCH"},
	{name: "two independent ledgers, no watch", with: "SECOND=INDEPENDENT NO_WATCH"},
	{name: "two live copies, no watch", with: "SECOND=COPY NO_WATCH"},
}

// stories are the shortest ways to pay twice: each must be found, as
// stories/NAME.txt has it.
var stories = []run{
	// A rule taken out.
	{name: "no-check-1", with: "SECOND=COPY NO_CHECK_1 SHUT_PORTAL PROMPT_STATUS", small: true},
	{name: "no-check-2", with: "SECOND=NOBODY NO_CHECK_2 SHUT_PORTAL PROMPT_STATUS GOOD_BANK ANSWERED"},
	{name: "no-check-3", with: "SECOND=COPY NO_CHECK_3 SHUT_PORTAL PROMPT_STATUS GOOD_BANK"},
	{name: "no-check-4", with: "SECOND=NOBODY NO_CHECK_4 SHUT_PORTAL GOOD_BANK ANSWERED"},
	{name: "no-shown", with: "SECOND=NOBODY NO_SHOWN PROMPT_STATUS GOOD_BANK"},
	{name: "no-names", with: "SECOND=INDEPENDENT NO_NAMES SHUT_PORTAL PROMPT_STATUS GOOD_BANK"},
	{name: "no-in-doubt", with: "SECOND=NOBODY NO_IN_DOUBT SHUT_PORTAL PROMPT_STATUS GOOD_BANK"},
	{name: "no-restored", with: "SECOND=RESTORED NO_RESTORED SHUT_PORTAL PROMPT_STATUS PROMPT_STATEMENT GOOD_BANK"},
	{name: "no-mark", with: "SECOND=RESTORED NO_MARK SHUT_PORTAL PROMPT_STATUS GOOD_BANK"},
	{name: "no-file", with: "SECOND=NOBODY NO_FILE SHUT_PORTAL GOOD_BANK ANSWERED"},
	{name: "no-letter", with: "SECOND=NOBODY FALSE_LETTER SHUT_PORTAL PROMPT_STATUS GOOD_BANK"},
	{name: "no-48-hours", with: "SECOND=NOBODY NO_48_HOURS SHUT_PORTAL PROMPT_STATUS GOOD_BANK"},
	{name: "no-release-status", with: "SECOND=NOBODY NO_RELEASE_STATUS FALSE_LETTER NEVER_STALLED SHOWN_IN_TIME SHUT_PORTAL PROMPT_STATUS GOOD_BANK"},
	{name: "no-release-statement", with: "SECOND=NOBODY NO_RELEASE_STATEMENT FALSE_LETTER NEVER_STALLED SHOWN_IN_TIME SHUT_PORTAL GOOD_BANK ANSWERED"},

	// A rule as its words can be read: why it must be as wide as it is.
	{name: "narrow-four", with: "SECOND=COPY NARROW_FOUR SHUT_PORTAL PROMPT_STATUS GOOD_BANK"},
	{name: "narrow-next", with: "SECOND=COPY UNNOTICED NARROW_NEXT SHUT_PORTAL PROMPT_STATUS GOOD_BANK"},
	{name: "narrow-next-unenforced", with: "SECOND=COPY UNNOTICED NARROW_NEXT SHUT_PORTAL PROMPT_STATUS"},
	{name: "narrow-letter", with: "SECOND=RESTORED NARROW_LETTER SHUT_PORTAL PROMPT_STATUS PROMPT_STATEMENT GOOD_BANK"},
	{name: "narrow-since-submit", with: "SECOND=NOBODY NARROW_SINCE_SUBMIT GOOD_BANK"},

	// What cannot be promised.
	{name: "cannot-independent", with: "SECOND=INDEPENDENT CANNOT_INDEPENDENT SHUT_PORTAL PROMPT_STATUS"},
	{name: "cannot-new-references", with: "SECOND=INDEPENDENT CANNOT_NEW_REFERENCES SHUT_PORTAL PROMPT_STATUS GOOD_BANK"},
	{name: "cannot-race-same-batch", with: "SECOND=COPY CANNOT_RACE SHUT_PORTAL PROMPT_STATUS"},
	{name: "cannot-race-other-batch", with: "SECOND=COPY CANNOT_RACE SHUT_PORTAL PROMPT_STATUS GOOD_BANK"},
	{name: "cannot-other-members", with: "SECOND=COPY CANNOT_OTHER_MEMBERS SHUT_PORTAL PROMPT_STATUS GOOD_BANK"},
	{name: "cannot-reach", with: "SECOND=COPY CANNOT_REACH TAKEN_AT_FIRST SHUT_PORTAL PROMPT_STATUS GOOD_BANK"},
	{name: "cannot-first-unseen-copy", with: "SECOND=COPY CANNOT_FIRST_UNSEEN SHUT_PORTAL GOOD_BANK"},
	{name: "cannot-first-unseen-portal", with: "SECOND=NOBODY CANNOT_FIRST_UNSEEN"},
	{name: "cannot-loaded-again", with: "SECOND=RESTORED CANNOT_LOADED_AGAIN SHUT_PORTAL PROMPT_STATUS PROMPT_STATEMENT GOOD_BANK"},
	{name: "cannot-portal-after-check", with: "SECOND=NOBODY CANNOT_PORTAL_AFTER_CHECK PROMPT_STATUS"},
	{name: "cannot-portal-given-up", with: "SECOND=NOBODY CANNOT_PORTAL_GIVEN_UP PROMPT_STATUS GOOD_BANK"},
	{name: "cannot-failed-then-paid", with: "SECOND=NOBODY CANNOT_CORRECTED SHUT_PORTAL PROMPT_STATUS GOOD_BANK"},
	{name: "cannot-returned-then-paid", with: "SECOND=NOBODY CANNOT_CORRECTED NEVER_FAILS SHUT_PORTAL PROMPT_STATUS GOOD_BANK"},
	{name: "cannot-show-in-time", with: "SECOND=NOBODY CANNOT_SHOW_IN_TIME SHUT_PORTAL GOOD_BANK"},
	{name: "cannot-refused-and-done", with: "SECOND=NOBODY CANNOT_REFUSED_AND_DONE SHUT_PORTAL GOOD_BANK"},
	{name: "cannot-false-letter", with: "SECOND=NOBODY FALSE_LETTER NEVER_STALLED SHUT_PORTAL GOOD_BANK"},
	{name: "cannot-explained", with: "SECOND=NOBODY CANNOT_EXPLAINED SHUT_PORTAL GOOD_BANK ANSWERED"},
}

// reached are payments that the rules must leave possible: a model in which
// nothing is ever paid would prove anything.
var reached = []run{
	{name: "a third attempt is paid", with: "SECOND=NOBODY REACH_THIRD_ATTEMPT", small: true},
	{name: "a payout is released after a lost submit, and paid", with: "SECOND=NOBODY REACH_RELEASED"},
	{name: "a payout that the bank never ended is released, and paid", with: "SECOND=NOBODY REACH_STALLED"},
	{name: "a payout under new references is paid", with: "SECOND=INDEPENDENT REACH_NEW_REFERENCES"},
	{name: "a payout of a restored ledger is paid", with: "SECOND=RESTORED REACH_RESTORED"},
}

func TestProofs(t *testing.T) {
	each(t, proofs, func(t *testing.T, r run) {
		found := search(t, r.with, "-O2", "", "-m2000000", "-w24")
		if found.errors != 0 {
			t.Fatalf("paid twice:\n%s", tell(t, found, r.with))
		}
		t.Logf("figures: %s: states=%d seconds=%.0f memory_mb=%.0f", r.name, found.states, found.seconds, found.memory)
	})
}

func TestStories(t *testing.T) {
	each(t, stories, func(t *testing.T, r run) {
		found := search(t, r.with, "-O0", "-DBFS") // breadth first: the shortest
		if found.errors == 0 {
			t.Fatalf("nothing is paid twice with %s", r.with)
		}
		hold(t, filepath.Join("stories", r.name+".txt"), tell(t, found, r.with))
		t.Logf("figures: %s: found, states=%d", r.name, found.states)
	})
}

func TestWhatHasToBePossibleIs(t *testing.T) {
	each(t, reached, func(t *testing.T, r run) {
		found := search(t, r.with, "-O0", "-DBFS")
		if found.errors == 0 {
			t.Fatalf("not possible with %s", r.with)
		}
		if story := tell(t, found, r.with); strings.Contains(story, "twice") {
			t.Fatalf("possible only by paying twice:\n%s", story)
		}
	})
}

// TestEveryStoryIsOfARun keeps the folder and the README free of stories that
// no one checks.
func TestEveryStoryIsOfARun(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	must(t, err)
	known := map[string]bool{}
	for _, r := range stories {
		file := "stories/" + r.name + ".txt"
		known[file] = true
		if !bytes.Contains(readme, []byte("("+file+")")) {
			t.Errorf("README.md does not name %s", file)
		}
	}
	files, err := filepath.Glob("stories/*")
	must(t, err)
	for _, file := range files {
		if !known[filepath.ToSlash(file)] {
			t.Errorf("%s belongs to no run", file)
		}
	}
}

// each runs what is asked for; two at a time on two cores.
func each(t *testing.T, runs []run, do func(*testing.T, run)) {
	t.Parallel()
	needTools(t)
	for _, r := range runs {
		if !r.small && !*all {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			do(t, r)
		})
	}
}

func needTools(t *testing.T) {
	t.Helper()
	for _, tool := range []string{"spin", "gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			if *all {
				t.Fatalf("%s is not installed (Debian: apt-get install spin gcc libc6-dev)", tool)
			}
			t.Skipf("%s is not installed (Debian: apt-get install spin gcc libc6-dev); .ci/run has it", tool)
		}
	}
}

// result is what one search found.
type result struct {
	dir             string // with pan's trail, where something was found
	errors, states  int
	seconds, memory float64 // in s and MB, as pan says
}

// search has spin make a verifier of the model with these switches, and runs it
// to the end or to the first error. compile are options of gcc, run those of the
// verifier.
func search(t *testing.T, with, optimize, compile string, options ...string) result {
	t.Helper()
	dir := t.TempDir()
	source, err := os.ReadFile("release.pml")
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "release.pml"), source, 0o600))
	command(t, dir, "spin", append(switches(with), "-a", "release.pml")...)
	args := []string{optimize, "-w", "-DSAFETY", "-DMEMLIM=3000", "-o", "pan", "pan.c"}
	if compile != "" {
		args = append(args, compile)
	}
	command(t, dir, "gcc", args...)
	// -E: a payout for which nothing is left to do is no error.
	said := command(t, dir, filepath.Join(dir, "pan"), append([]string{"-E", "-n"}, options...)...)
	found := result{dir: dir, errors: int(figure(t, said, `errors: (\d+)`)), states: int(figure(t, said, `(\d+) states, stored`)),
		memory: figure(t, said, `([\d.]+)\s+total actual memory usage`)}
	if strings.Contains(said, "elapsed time") { // pan does not say so of next to nothing
		found.seconds = figure(t, said, `elapsed time ([\d.e+-]+) seconds`)
	}
	for _, unfinished := range []string{"max search depth too small", "out of memory", "VECTORSZ", "hash-compact", "bitstate"} {
		if strings.Contains(strings.ToLower(said), strings.ToLower(unfinished)) && found.errors == 0 {
			t.Fatalf("the search is not complete:\n%s", said)
		}
	}
	if found.errors != 0 && !strings.Contains(said, "assertion violated") {
		t.Fatalf("the model itself is at fault:\n%s", said)
	}
	if found.errors == 0 && strings.Contains(said, "Search not completed") {
		t.Fatalf("the search is not complete:\n%s", said)
	}
	return found
}

// tell replays what was found, in the words of the model.
func tell(t *testing.T, found result, with string) string {
	t.Helper()
	var story strings.Builder
	for line := range strings.Lines(command(t, found.dir, "spin", append([]string{"-T", "-t"}, append(switches(with), "release.pml")...)...)) {
		if spoken.MatchString(line) {
			story.WriteString(line)
		}
	}
	return story.String()
}

var spoken = regexp.MustCompile(`^(A|B|A and B|bank): `)

// hold compares a story with the one that is kept.
func hold(t *testing.T, file, story string) {
	t.Helper()
	if !strings.HasSuffix(story, "bank: the payout is paid twice\n") {
		t.Fatalf("the story does not end with a second payment:\n%s", story)
	}
	if *update {
		must(t, os.WriteFile(file, []byte(story), 0o644))
	}
	kept, err := os.ReadFile(file)
	must(t, err)
	if string(kept) == story {
		return
	}
	// Another release of spin may go another way of the same length.
	if told, length := strings.Count(story, "\n"), strings.Count(string(kept), "\n"); told != length {
		t.Errorf("%s has %d lines, the shortest story now has %d (go test ./docs/model -all -update):\n%s", file, length, told, story)
	} else {
		t.Logf("%s differs here:\n%s", file, story)
	}
}

func switches(with string) []string {
	var list []string
	for name := range strings.FieldsSeq(with) {
		list = append(list, "-D"+name)
	}
	return list
}

// command runs a tool in dir and gives back all that it said. The verifier and
// the replay end with other codes than 0 when they found something, so what was
// said decides, and the next step fails where nothing was made.
func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	said, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("%s took too long", name)
	}
	if _, exited := err.(*exec.ExitError); err != nil && (!exited || name == "gcc") {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, said)
	}
	return string(said)
}

func figure(t *testing.T, said, pattern string) float64 {
	t.Helper()
	match := regexp.MustCompile(pattern).FindStringSubmatch(said)
	if match == nil {
		t.Fatalf("no %s in what the verifier said:\n%s", pattern, said)
	}
	n, err := strconv.ParseFloat(match[1], 64)
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", pattern, err))
	}
	return n
}

// must ends the test if there is an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
