package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"
)

// large is the ledger that several jobs share: a month that is settled, a month of
// the same payees that is planned, and a few payouts of a bank without bulk.
type large struct {
	*desk
	bank     *bank
	months   int      // that are loaded; 0 while the first is only submitted
	bulk     []string // planned batches of the second month
	singles  []string // planned batches of one payout
	payout   payoutLine
	payouts  int
	reloaded int // sheets of known payees that were added since
}

// payoutLine is what the queries look for.
type payoutLine struct {
	Ref   string `json:"ref"`
	Batch string `json:"batch_id"`
	UTR   string `json:"bank_txn_ref_id"`
	Name  string `json:"vendor_name"`
}

// loaded is what a load says to programs, as far as it is needed.
type loaded struct {
	Batches []struct{ ID string } `json:"batches"`
}

func (l loaded) ids() (ids []string) {
	for _, batch := range l.Batches {
		ids = append(ids, batch.ID)
	}
	return ids
}

// submitted makes the shared ledger with its first month, all of it submitted.
func (b *bench) submitted() *large {
	if b.large != nil {
		return b.large
	}
	fmt.Fprintln(stderr, "  a ledger of a submitted month is made first")
	sheet := b.sheet(sheetOf{rows: b.of(1_000_000)})
	d := b.desk()
	l := &large{desk: d, payouts: b.of(1_000_000)}
	d.load(sheet)
	l.bank = d.atBank()
	otps := l.bank.initiate(d)
	l.bank.submit(d, otps)
	b.large = l
	return l
}

// twoMonths has the first month settled, and the second loaded.
func (b *bench) twoMonths() *large {
	l := b.submitted()
	if l.months > 0 {
		return l
	}
	fmt.Fprintln(stderr, "  its month is settled, and a second is loaded")
	l.bank.settle(l.desk)
	for _, of := range []struct {
		sheetOf
		into *[]string
	}{
		{sheetOf{rows: b.of(1_000_000), month: 1}, &l.bulk},
		{sheetOf{rows: max(b.of(1000), 100), month: 30, account: "pb4"}, &l.singles},
	} {
		sheet := b.sheet(of.sheetOf)
		var done loaded
		l.document(&done, nil, "load", sheet)
		*of.into = done.ids()
		l.payouts += of.rows
	}
	l.months = 2
	_, out := run(l.dir, 0, nil, b.bin, "payouts", "--search", fmt.Sprintf("AP-2026-11-%07d", b.of(1_000_000)/10*5), "--json")
	fine(json.Unmarshal(out.stdout.Bytes(), &l.payout))
	return l
}

// verifying: everything is checked again of a month that was submitted.
func verifying(b *bench) {
	l := b.submitted()
	u := b.repeated(func() usage { return l.payrun("ledger", "verify", "--quiet") })
	job := fmt.Sprintf("ledger verify, %s submitted", thousands(l.payouts))
	b.atMost(job, u, 6*time.Second)
	b.memory(job+": peak memory", u, 200)
}

// queries: what someone asks the ledger while they wait.
func queries(b *bench) {
	l := b.twoMonths()
	b.ask(l)
}

func (b *bench) ask(l *large) {
	const soon, part = 100 * time.Millisecond, 2 * time.Second
	for _, q := range []struct {
		job  string
		args []string
		most time.Duration
	}{
		{"status", []string{"status"}, soon},
		{"status BATCH", []string{"status", l.payout.Batch}, soon},
		{"status REFERENCE", []string{"status", l.payout.Ref}, soon},
		{"find REFERENCE", []string{"find", l.payout.Ref}, soon},
		{"find UTR", []string{"find", l.payout.UTR}, soon},
		{"payouts --batch", []string{"payouts", "--batch", l.payout.Batch}, soon},
		{"find, part of a name", []string{"find", l.payout.Name[:len(l.payout.Name)-4]}, part},
		{"payouts --search, part of a name", []string{"payouts", "--search", l.payout.Name[3 : len(l.payout.Name)-4]}, part},
	} {
		u := b.repeated(func() usage { return l.payrun(q.args...) })
		b.atMost(fmt.Sprintf("%s, %s payouts", q.job, thousands(l.payouts)), u, q.most)
	}
}

// submitting: what one submit more takes besides its calls to the bank, which works
// while payrun waits for it. What a command takes once is the same for one and for many.
func submitting(b *bench) {
	l := b.twoMonths()
	const few, more = 1, 21
	for _, of := range []struct {
		job     string
		planned *[]string
	}{{"of one payout", &l.singles}, {"of up to 500", &l.bulk}} {
		if len(*of.planned) < few+more {
			continue // a small run has no more
		}
		var took [2]usage
		for i, n := range []int{few, more} {
			otps := l.bank.initiate(l.desk, (*of.planned)[:n]...)
			*of.planned = (*of.planned)[n:]
			took[i] = l.bank.submit(l.desk, otps)
		}
		called := took[1].with - took[0].with
		rest := usage{wall: took[1].wall - took[0].wall - called, cpu: took[1].cpu - took[0].cpu, peakMB: took[1].peakMB, busy: took[0].busy || took[1].busy}
		b.per(fmt.Sprintf("%d submits %s, %s payouts", more-few, of.job, thousands(l.payouts)), rest, more-few, "submit", 10*time.Millisecond)
	}
}

// intoLarge: a sheet of payees that a large ledger knows.
func intoLarge(b *bench) {
	l := b.twoMonths()
	b.into(l, 3)
}

func (b *bench) into(l *large, most float64) {
	n := b.of(100_000)
	var empty, known []usage
	for range b.rounds {
		l.reloaded++
		sheet := b.sheet(sheetOf{rows: n, month: 40 + l.reloaded})
		empty = append(empty, b.loadedAnew(sheet))
		known = append(known, l.load(sheet))
		b.forget(sheet)
	}
	b.ratio(fmt.Sprintf("load, %s rows into %s payouts", thousands(n), thousands(l.payouts)), median(known), "into none", median(empty), most)
	l.payouts += n * b.rounds
}

// firstAfter measures the first small sheet after a large one: it brings the index of
// payees up to date, unless a night was between them.
func (b *bench) firstAfter(l *large) {
	n := b.of(1_000)
	sheet := b.sheet(sheetOf{rows: n, month: 39})
	u := l.load(sheet)
	line := measured(fmt.Sprintf("load, %s rows, the first after %s", thousands(n), thousands(b.of(1_000_000))), u)
	line.other, line.verdict = "indexes their payees", "–"
	b.lines = append(b.lines, line)
	l.payouts += n
	b.forget(sheet)
}

// reporting: the files for finance about everything there is.
func reporting(b *bench) {
	l := b.twoMonths()
	u := l.payrun("report", "--out", filepath.Join(l.dir, "year"), "--quiet")
	job := fmt.Sprintf("report of everything, %s payouts", thousands(l.payouts))
	b.per(job, u, l.payouts, "payout", 10*time.Microsecond)
	b.memory(job+": peak memory", u, 200)
	csvFile(b)
}

// tenMillion: the same payees month after month, until the ledger holds as many.
func tenMillion(b *bench) {
	l := b.twoMonths()
	small := l.payrun("ledger", "verify", "--quiet")
	points := []point{{l.payouts, small}}
	for ; l.payouts < b.of(10_000_000); l.months++ {
		n := b.of(1_000_000)
		fmt.Fprintf(stderr, "  month %d of the same payees\n", l.months+1)
		sheet := b.sheet(sheetOf{rows: n, month: l.months})
		l.load(sheet)
		b.forget(sheet)
		l.payouts += n
	}
	b.ask(l)
	b.firstAfter(l)
	b.into(l, 4)
	large := l.payrun("ledger", "verify", "--quiet")
	b.linear("ledger verify", append(points, point{l.payouts, large}))
}

// manyBatches: what grows with the number of batches.
func manyBatches(b *bench) {
	var load, verify, report []point
	for _, size := range []int{10_000, 20_000, 40_000} {
		n := b.of(size)
		sheet := b.sheet(sheetOf{rows: n, account: "pb4", month: 2})
		d := b.desk()
		for _, step := range []struct {
			into *[]point
			args []string
		}{{&load, []string{"load", sheet}}, {&verify, []string{"ledger", "verify"}}, {&report, []string{"report", "--out", "files"}}} {
			u := d.payrun(append(step.args, "--quiet")...)
			*step.into = append(*step.into, point{n, u})
		}
		d.remove()
	}
	b.linear("ledger verify, one payout a batch", verify)
	last := verify[len(verify)-1]
	b.per(fmt.Sprintf("ledger verify, %s batches", thousands(last.n)), last.u, last.n, "batch", 20*time.Microsecond)
	b.linear("load, one payout a batch", load)
	b.linear("report, one payout a batch", report)
}

// polling: reads of 20 ms, as many at a time as are allowed.
func polling(b *bench) {
	const each, inFlight = 20 * time.Millisecond, 4
	n := b.of(10_000)
	sheet := b.sheet(sheetOf{rows: n, account: "pb4", month: 3})
	d := b.desk()
	d.load(sheet)
	k := d.atBank()
	defer k.stop()
	otps := k.initiate(d)
	k.submit(d, otps)
	k.slow(each)
	d.set("requests_in_flight", fmt.Sprint(inFlight))
	ideal := usage{wall: time.Duration(n) * each / inFlight}
	for _, job := range []string{"all of them new", "nothing new"} {
		u := d.ends([]int{stillOpen}, "poll", "--quiet")
		b.ratio(fmt.Sprintf("poll, %s batches of one payout, %s", thousands(n), job), u, "calls ÷ in flight", ideal, 1.2)
	}
	d.remove()
}

// version: what the program takes before it does anything.
func version(b *bench) {
	d := b.desk()
	var all []usage
	for range 20 {
		all = append(all, d.payrun("version"))
	}
	b.atMost("version", median(all), 15*time.Millisecond)
	d.remove()
}
