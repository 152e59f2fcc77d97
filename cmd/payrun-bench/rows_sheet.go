package main

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// loadPy is what a careful person writes in an afternoon: each row is judged as
// payrun judges it, and all are recorded in one transaction or none.
//
//go:embed load.py
var loadPy string

const importTable = "CREATE TABLE payouts(merchant_txn_ref_id TEXT NOT NULL UNIQUE, vendor_name TEXT, bank_account_number TEXT, ifsc TEXT, amount TEXT, remarks TEXT, bank_account_id TEXT, transaction_type_id TEXT, sub_merchant_id TEXT)"

// importArgs: the table is made first, so that .import fills it under its
// unique constraint, and its header row is skipped.
func importArgs(desk, sheet string) []string {
	return []string{
		filepath.Join(desk, "import.db"),
		importTable,
		".import --csv --skip 1 " + sheet + " payouts",
	}
}

// installed tells whether a rival is there.
func installed(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

// turns are what the rounds of one sheet took, turn by turn.
type turns struct{ check, load, imported, script usage }

// turns checks and loads a sheet next to its rivals, each round in a new folder.
func (b *bench) turns(sheet string, script bool) turns {
	var all [4][]usage
	for range b.rounds {
		d := b.desk()
		for i, step := range []struct {
			name string
			args []string
		}{
			{"sqlite3", importArgs(d.dir, sheet)},
			{b.bin, []string{"check", sheet, "--quiet"}},
			{b.bin, []string{"load", sheet, "--quiet"}},
			{b.python, []string{"-c", loadPy, sheet, filepath.Join(d.dir, "script.db")}},
		} {
			if i == 3 && !script || !installed(step.name) {
				continue
			}
			all[i] = append(all[i], timed(d.dir, step.name, step.args...))
		}
		d.remove()
	}
	var t turns
	for i, into := range []*usage{&t.imported, &t.check, &t.load, &t.script} {
		if len(all[i]) > 0 {
			*into = median(all[i])
		}
	}
	return t
}

// compare compares where the rival is installed.
func (b *bench) compare(job string, u usage, rival string, r usage, most float64) {
	if r.wall == 0 {
		b.without(job, u, rival)
		return
	}
	b.ratio(job, u, rival, r, most)
}

// sheets: a sheet of a million rows with references in random order and in a run,
// and what memory it takes.
func sheets(b *bench) {
	n := b.of(1_000_000)
	random := b.sheet(sheetOf{rows: n, random: true})
	t := b.turns(random, false)
	b.compare(fmt.Sprintf("load, %s rows, references in random order", thousands(n)), t.load, "sqlite3 .import", t.imported, 0.6)
	b.forget(random)
	run := b.sheet(sheetOf{rows: n})
	t = b.turns(run, true)
	b.compare("load, references in a run", t.load, "sqlite3 .import", t.imported, 1.2)
	b.compare("load compared with a Python script", t.load, "csv and sqlite3", t.script, 0.35)
	b.compare("check", t.check, "sqlite3 .import", t.imported, 0.4)
	b.memory("load: peak memory", t.load, 400)
}

// secondMonth: the same payees with new references, after the first.
func secondMonth(b *bench) {
	n := b.of(1_000_000)
	first := b.sheet(sheetOf{rows: n})
	second := b.sheet(sheetOf{rows: n, month: 1})
	var all [4][]usage
	for range b.rounds {
		d := b.desk()
		for i, args := range [][]string{{"check", first}, {"load", first}, {"check", second}, {"load", second}} {
			all[i] = append(all[i], d.payrun(append(args, "--quiet")...))
		}
		d.remove()
	}
	b.ratio("second month: check", median(all[2]), "first month", median(all[0]), 3)
	b.ratio("second month: load", median(all[3]), "first month", median(all[1]), 2)
}

// singles: a bank without bulk makes each payout a batch.
func singles(b *bench) {
	n := b.of(100_000)
	var took [2]usage
	for i, account := range []string{"pb3", "pb4"} {
		sheet := b.sheet(sheetOf{rows: n, account: account})
		took[i] = b.repeated(func() usage { return b.loadedAnew(sheet) })
	}
	b.ratio(fmt.Sprintf("load, %s batches of one payout", thousands(n)), took[1], "in bulk", took[0], 3)
}

// loadedAnew loads a sheet into a ledger of its own.
func (b *bench) loadedAnew(sheet string) usage {
	d := b.desk()
	defer d.remove()
	return d.load(sheet)
}

// workbooks: a workbook is only checked; openpyxl only reads it.
func workbooks(b *bench) {
	hasReader := exec.Command(b.python, "-c", "import openpyxl").Run() == nil
	d := b.desk()
	for _, of := range []struct {
		name   string
		rows   int
		shared bool
		mostMB int64
	}{{"inline strings", 100_000, false, 64}, {"shared strings", 100_000, true, 64}, {"inline strings", 1_000_000, false, 400}} {
		n := b.of(of.rows)
		book := filepath.Join(b.dir, fmt.Sprintf("%d-%t.xlsx", n, of.shared))
		writeWorkbook(b, book, n, of.shared)
		var check, read []usage
		compared := of.rows <= 100_000
		for range b.rounds {
			if hasReader && compared {
				read = append(read, timed(d.dir, b.python, "-c", reader, book))
			}
			check = append(check, d.payrun("check", book, "--quiet"))
		}
		job := fmt.Sprintf("check of XLSX, %s rows, %s", thousands(n), of.name)
		switch {
		case compared && hasReader:
			b.ratio(job, median(check), "openpyxl", median(read), 0.08)
		case compared:
			b.without(job, median(check), "openpyxl")
		}
		b.memory(job+": peak memory", median(check), of.mostMB)
		fine(os.Remove(book))
	}
	d.remove()
}
