// Command payrun-bench measures what README.md promises: each job of the
// table there, with what a user could take instead or with the same job at
// another size, in one run. It builds payrun, makes its own sheets and ledgers in
// a temporary folder and prints what was measured, the goal and whether it is met.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
)

func main() {
	only := flag.String("only", "", "measure only the jobs with one of these `WORDS` in their name, with commas between them")
	small := flag.Bool("small", false, "a hundredth of every size, once: that the command works, not how fast payrun is")
	ten := flag.Bool("ten", false, "also a ledger of 10,000,000 payouts: ten minutes and 10 GB more")
	rounds := flag.Int("rounds", 3, "times that each command runs; the median counts")
	list := flag.Bool("list", false, "only list the jobs")
	growth := flag.Bool("growth", false, "print cost against size instead, of sheets and of ledgers")
	python := flag.String("python", "python3", "the Python that runs the rivals; openpyxl is Debian's python3-openpyxl")
	flag.Parse()
	// Where payrun remembers the ledgers of this machine; those of the bench are none.
	os.Setenv("XDG_STATE_HOME", os.DevNull)
	b := &bench{scale: 1, rounds: *rounds, python: *python, ten: *ten}
	if *small {
		b.scale, b.rounds = 100, 1
	}
	var err error
	switch {
	case *list:
		for _, j := range jobs {
			fmt.Printf("%-14s %s\n", j.name, j.about)
		}
	case *growth:
		err = b.run([]job{{"growth", "cost against size", growthOf}})
	default:
		err = b.run(chosen(*only))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "payrun-bench:", err)
		os.Exit(1)
	}
}

// job is what one part of the table takes to measure.
type job struct {
	name, about string
	measure     func(*bench)
}

// jobs are in the order in which they share a ledger: what adds to it comes last.
var jobs = []job{
	{"sheet", "check and load of a sheet compared with sqlite3 .import and a Python script; peak memory", sheets},
	{"second-month", "check and load of the same payees a month later, compared with the first month", secondMonth},
	{"single", "load of a bank without bulk, compared with as many payouts in bulk", singles},
	{"xlsx", "check of a workbook compared with openpyxl reading it", workbooks},
	{"plan", "planning, and OTPs compared with the lower bound", planning},
	{"many-batches", "ledger verify, load and report of payouts that are each a batch", manyBatches},
	{"poll", "polling batches of one payout", polling},
	{"version", "payrun version", version},
	{"simulation", "simulated histories a second a core", simulation},
	{"verify", "ledger verify of a million submitted payouts", verifying},
	{"queries", "status, find and payouts in a large ledger", queries},
	{"submit", "what a submit does besides the call, in a large ledger", submitting},
	{"into-large", "load into a large ledger that knows the payees", intoLarge},
	{"report", "report of everything", reporting},
	{"shared", "a ledger in PostgreSQL compared with one in a file; with -ten also of 10,000,000 payouts", shared},
	{"ten-million", "queries, load and ledger verify at 10,000,000 payouts; only with -ten", tenMillion},
}

func chosen(only string) []job {
	if only == "" {
		return jobs
	}
	var out []job
	for _, j := range jobs {
		for word := range strings.SplitSeq(only, ",") {
			if strings.Contains(j.name, strings.TrimSpace(word)) {
				out = append(out, j)
				break
			}
		}
	}
	return out
}

// run measures the jobs and prints the table, as far as it came.
func (b *bench) run(jobs []job) (err error) {
	if len(jobs) == 0 {
		return errors.New("no job has that name; -list shows them")
	}
	// What is interrupted leaves neither sheets nor a bank behind.
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(stop)
	if err := b.open(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	go func() {
		if _, ok := <-stop; ok {
			_ = b.close()
			os.Exit(130)
		}
	}()
	for _, j := range jobs {
		if j.name == "ten-million" && !b.ten {
			continue
		}
		fmt.Fprintf(stderr, "%s: %s\n", j.name, j.about)
		before := len(b.lines)
		if err := attempt(func() { j.measure(b) }); err != nil {
			b.print()
			return fmt.Errorf("%s: %w", j.name, err)
		}
		for _, l := range b.lines[before:] {
			fmt.Fprintf(stderr, "  %s: %s, %s\n", l.job, l.wall, l.verdict)
		}
	}
	b.print()
	return nil
}

// failure ends a job: without what failed there is nothing to measure.
type failure struct{ error }

func fine(err error) {
	if err != nil {
		panic(failure{err})
	}
}

func must[T any](v T, err error) T {
	fine(err)
	return v
}

// attempt gives the error of a failure.
func attempt(do func()) (err error) {
	defer func() {
		switch failed := recover().(type) {
		case nil:
		case failure:
			err = failed.error
		default:
			panic(failed)
		}
	}()
	do()
	return nil
}

// print shows what was measured.
func (b *bench) print() {
	if len(b.lines) == 0 {
		return
	}
	if b.scale > 1 {
		fmt.Printf("A hundredth of every size: this says that the command works, and nothing of how fast payrun is.\n\n")
	}
	fmt.Printf("%d cores, %s\n\n", runtime.NumCPU(), runtime.Version())
	width := 0
	for _, l := range b.lines {
		width = max(width, len(l.job))
	}
	fmt.Printf("%-*s  %10s %9s %6s  %-26s %7s %7s  %-12s %s\n", width, "job", "wall", "cpu", "MB", "against", "ratio", "of cpu", "goal", "verdict")
	busy := ""
	for _, l := range b.lines {
		fmt.Printf("%-*s  %10s %9s %6s  %-26s %7s %7s  %-12s %s\n", width, l.job, l.wall, l.cpu, l.peak, cmp.Or(l.other, "–"), l.ratio, l.ofCPU, l.goal, l.verdict)
		if strings.HasSuffix(l.verdict, busyMark) {
			busy = "\n" + busyMark + " others used the machine meanwhile: the ratio of cpu is what to look at, and the verdict is to be taken again.\n"
		}
	}
	fmt.Print(busy)
}
