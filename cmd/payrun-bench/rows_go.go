package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"time"
)

var stderr io.Writer = os.Stderr

// What no command of payrun does alone is measured by the Go benchmark, or test,
// that is next to its code.

// goTest runs one and gives what it printed.
func goTest(args ...string) (usage, string) {
	u, out := run(".", 0, nil, "go", append([]string{"test", "-count=1"}, args...)...)
	return u, out.stdout.String()
}

// figure reads a number from what was printed.
func figure(printed, pattern string) float64 {
	m := regexp.MustCompile(pattern).FindStringSubmatch(printed)
	if m == nil {
		fine(fmt.Errorf("%q is not in what was printed: %s", pattern, tail(printed)))
	}
	return must(strconv.ParseFloat(m[1], 64))
}

// csvFile: payouts.csv alone, compared with the same bytes without anything to be looked up,
// made inert or masked.
func csvFile(b *bench) {
	u, out := goTest("-run", "^$", "-bench", "^BenchmarkCSV$", "-benchtime", fmt.Sprint(b.rounds)+"x", "./reports")
	var of [2]float64
	for i, name := range []string{"payouts.csv", "encoding-csv"} {
		of[i] = figure(out, `BenchmarkCSV/`+name+`.* `+aNumber+` ns/payout`)
	}
	const payouts = 1_000_000
	wall := func(ns float64) usage { return usage{wall: time.Duration(ns * payouts), busy: u.busy} }
	b.ratio("payouts.csv of 1,000,000", wall(of[0]), "encoding/csv", wall(of[1]), 2)
}

const aNumber = `([0-9.]+(?:e[+-]?[0-9]+)?)`

// planning: a million payouts into legal batches, and how many OTPs that needs
// compared with what no plan can go below.
func planning(b *bench) {
	u, out := goTest("-run", "^$", "-bench", "^BenchmarkMake$/^Make$", "-benchtime", fmt.Sprint(b.rounds)+"x", "./batcher")
	var ns, batches, bound float64
	for into, pattern := range map[*float64]string{&ns: aNumber + ` ns/op`, &batches: aNumber + ` batches`, &bound: aNumber + ` bound`} {
		*into = figure(out, pattern)
	}
	took := time.Duration(ns)
	b.number("planning 1,000,000 payouts", shown(took), "≤ 500ms", took <= 500*time.Millisecond, u.busy)
	b.number("OTPs compared with the lower bound", fmt.Sprintf("%.4f", batches/bound), "≤ 1.01", batches/bound <= 1.01, false)
}

// simulation: whole histories with a bank, a store and a person, by one core.
func simulation(b *bench) {
	_, out := goTest("-v", "-run", "^TestHistories$", "./submitter/simulation", "-histories", fmt.Sprint(max(b.of(2000), 20)))
	ms := figure(out, `cpu_ms_per_history=`+aNumber)
	perSecond := 1000 / ms
	b.number("simulated histories a second of a core", fmt.Sprintf("%.0f", perSecond), "≥ 400", perSecond >= 400, false)
}
