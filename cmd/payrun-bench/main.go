// Command payrun-bench makes a payout sheet of a million rows and nine columns
// and times `payrun load` and `payrun check` of it against `sqlite3 .import` of
// the same sheet into a table with a unique reference, turn by turn in one run.
// It prints the ratios and payrun's peak memory; see docs/performance.md. With
// -xlsx it times `payrun check` of a workbook against openpyxl reading it. With
// -profile it writes the CPU profile that the build of payrun is optimized by.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	rows := flag.Int("rows", 0, "rows of the sheet; 0 is 1,000,000, or 100,000 of a workbook")
	rounds := flag.Int("rounds", 3, "times that each command runs; the median counts")
	random := flag.Bool("random-refs", false, "references in random order instead of five interleaved series")
	xlsx := flag.Bool("xlsx", false, "compare payrun check of a workbook with openpyxl")
	profiled := flag.String("profile", "", "compare nothing: profile a check and a load into this `file`")
	flag.Parse()
	// Where payrun remembers the ledgers of this machine; those of the bench are none.
	os.Setenv("XDG_STATE_HOME", os.DevNull)
	work := func() error { return run(*rows, *rounds, *random, *xlsx) }
	if *profiled != "" {
		work = func() error { return profile(*profiled, cmp.Or(*rows, 1_000_000)) }
	}
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, "payrun-bench:", err)
		os.Exit(1)
	}
}

func run(rows, rounds int, random, xlsx bool) error {
	dir, err := os.MkdirTemp("", "payrun-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bin, sheet := filepath.Join(dir, "payrun"), filepath.Join(dir, "sheet.csv")
	if out, err := exec.Command("go", "build", "-o", bin, "./cmd/payrun").CombinedOutput(); err != nil {
		return fmt.Errorf("building payrun (run this from the top of the checkout): %w\n%s", err, out)
	}
	if xlsx {
		return compareXLSX(dir, bin, cmp.Or(rows, 100_000), rounds)
	}
	rows = cmp.Or(rows, 1_000_000)
	if err := writeSheet(sheet, rows, random); err != nil {
		return err
	}
	var load, check, imported []usage
	for round := range rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, rounds)
		desk, err := os.MkdirTemp(dir, "desk")
		if err != nil {
			return err
		}
		if _, err := timed(desk, bin, "init"); err != nil {
			return err
		}
		for _, step := range []struct {
			into *[]usage
			args []string
		}{
			{&imported, importArgs(desk, sheet)},
			{&check, []string{bin, "check", sheet, "--quiet"}},
			{&load, []string{bin, "load", sheet, "--quiet"}},
		} {
			u, err := timed(desk, step.args[0], step.args[1:]...)
			if err != nil {
				return err
			}
			*step.into = append(*step.into, u)
		}
		if err := os.RemoveAll(desk); err != nil {
			return err
		}
	}
	report(rows, load, check, imported)
	return nil
}

// importArgs: the table is made first, so that .import fills it under its
// unique constraint, and its header row is skipped.
func importArgs(desk, sheet string) []string {
	return []string{
		"sqlite3", filepath.Join(desk, "import.db"),
		"CREATE TABLE payouts(merchant_txn_ref_id TEXT NOT NULL UNIQUE, vendor_name TEXT, bank_account_number TEXT, ifsc TEXT, amount TEXT, remarks TEXT, bank_account_id TEXT, transaction_type_id TEXT, sub_merchant_id TEXT)",
		".import --csv --skip 1 " + sheet + " payouts",
	}
}

type usage struct {
	wall, cpu time.Duration
	peakMB    int64
}

func timed(dir, name string, args ...string) (usage, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return usage{}, fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, out.Bytes())
	}
	u := usage{wall: time.Since(start), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if ru, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		u.peakMB = ru.Maxrss / 1024
	}
	return u, nil
}

func report(rows int, load, check, imported []usage) {
	base := median(imported)
	fmt.Printf("%d rows, 9 columns, median of %d rounds\n\n", rows, len(load))
	fmt.Printf("%-16s %10s %10s %10s %8s\n", "command", "wall", "cpu", "peak MB", "ratio")
	for _, line := range []struct {
		name string
		of   []usage
	}{{"sqlite3 .import", imported}, {"payrun check", check}, {"payrun load", load}} {
		m := median(line.of)
		fmt.Printf("%-16s %10s %10s %10d %8.2f\n", line.name, m.wall.Round(time.Millisecond), m.cpu.Round(time.Millisecond), m.peakMB, m.wall.Seconds()/base.wall.Seconds())
	}
}

func median(all []usage) usage {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b usage) int { return int(a.wall - b.wall) })
	m := sorted[len(sorted)/2]
	for _, u := range all {
		m.peakMB = max(m.peakMB, u.peakMB)
	}
	return m
}

// writeSheet makes a month-end of vendor payouts from the two accounts that
// take most of them in bulk. The seed is fixed: every run has the same sheet.
func writeSheet(path string, rows int, random bool) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	rng := rand.New(rand.NewPCG(1, 2))
	series := [...]string{"AP", "FRT", "RENT", "SVC", "TRVL"}
	order := make([]int, rows)
	for i := range order {
		order[i] = i
	}
	if random {
		rng.Shuffle(rows, func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	fmt.Fprintln(w, "merchant_txn_ref_id,vendor_name,bank_account_number,ifsc,amount,remarks,bank_account_id,transaction_type_id,sub_merchant_id")
	for i, n := range order {
		account := "pb3"
		if i%2 == 0 {
			account = "pb1"
		}
		fmt.Fprintf(w, "%s-2026-11-%07d,Vendor %06d Traders Pvt Ltd,%012d,TEST0%06d,%d.%02d,November invoice %d,%s,NEFT,\n",
			series[n%len(series)], n, n%250_000, 100_000_000_000+int64(n), n%4000, 100+rng.IntN(90_000), rng.IntN(100), n, account)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
