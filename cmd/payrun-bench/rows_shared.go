package main

import (
	"fmt"
	"os"
	"time"

	"payrun/ledger/postgres/pgtest"
)

// server is the PostgreSQL of this run.
type server struct {
	b         *bench
	node      *pgtest.Measured
	databases int
}

// psql runs statements in a database.
func (s *server) psql(database string, statements ...string) usage {
	args := []string{"-q", "-X", "-v", "ON_ERROR_STOP=1", s.node.URL(database)}
	for _, statement := range statements {
		args = append(args, "-c", statement)
	}
	u, _ := run(s.b.dir, s.node.PID(), nil, "psql", args...)
	return u.both()
}

// both adds what the server worked to what its client did.
func (u usage) both() usage {
	u.cpu += u.with
	return u
}

// database makes an empty database.
func (s *server) database() (name string) {
	s.databases++
	name = fmt.Sprintf("books%d", s.databases)
	s.psql("postgres", "CREATE DATABASE "+name)
	return name
}

// drop removes the database of a desk, and its folder.
func (s *server) drop(d *desk) {
	if d.database != "" {
		s.psql("postgres", "DROP DATABASE "+d.database)
	}
	d.remove()
}

// desks makes a desk with a ledger on the server, and one with a ledger in a file.
func (s *server) desks() (shared, alone *desk) {
	os.Setenv("XDG_STATE_HOME", os.DevNull)
	alone, shared = s.b.desk(), s.b.desk()
	shared.database = s.database()
	url := s.node.URL(shared.database)
	shared.set("ledger", `"`+url+`"`, "durability", `"single"`)
	shared.with = s.node.PID()
	os.Setenv("XDG_STATE_HOME", shared.dir) // where this machine's mark is
	shared.payrun("init")
	return shared, alone
}

// copied loads the columns of a sheet as they are, the cheapest way that PostgreSQL has.
func (s *server) copied(sheet string) usage {
	name := s.database()
	s.psql(name, importTable)
	u := s.psql(name, `\copy payouts FROM '`+sheet+`' WITH (FORMAT csv, HEADER)`)
	s.psql("postgres", "DROP DATABASE "+name)
	return u
}

// bothSides runs a command in turn on the shared ledger and on the one in a file.
func (b *bench) bothSides(shared, alone *desk, rounds int, args ...string) (s, a usage) {
	var of [2][]usage
	for range rounds {
		for i, d := range []*desk{shared, alone} {
			of[i] = append(of[i], d.payrun(args...).both())
		}
	}
	return median(of[0]), median(of[1])
}

// shared: the jobs of a ledger in PostgreSQL, turn by turn with those of one in a file.
func shared(b *bench) {
	if pgtest.Binaries() == "" || !installed("psql") {
		fmt.Fprintln(stderr, "  left out: there is no PostgreSQL")
		return
	}
	b.sharedSteps()
	node := must(pgtest.Measure())
	defer node.Stop()
	s := &server{b: b, node: node}
	shared, alone, load := s.loads()
	s.questions(shared, alone, load)
	if b.ten {
		for month := 1; month < 10; month++ {
			s.add(shared, 1_000_000, month)
		}
	}
	s.add(shared, 1_000, 39) // the first small sheet indexes the payees of all before it
	s.intoMany(shared)
	s.drop(shared)
}

// loads measures the load of a million, and gives the desks of the last round.
func (s *server) loads() (shared, alone *desk, load usage) {
	b := s.b
	n := b.of(1_000_000)
	sheet := b.sheet(sheetOf{rows: n})
	var of [3][]usage
	for range b.rounds {
		if shared != nil {
			s.drop(shared)
			alone.remove()
		}
		shared, alone = s.desks()
		l, a := b.bothSides(shared, alone, 1, "load", sheet, "--quiet")
		c := s.copied(sheet)
		for i, u := range []usage{l, a, c} {
			of[i] = append(of[i], u)
		}
	}
	load = median(of[0])
	job := fmt.Sprintf("shared: load of %s", thousands(n))
	b.ratio(job, load, "SQLite", median(of[1]), 1.3)
	b.ratioOfCPU(job, load, `\copy`, median(of[2]), 2.5)
	b.memory(job+": peak memory", load, min(200, median(of[1]).peakMB))
	return shared, alone, load
}

// questions measures what is asked of a million, and the way out of a ledger and into another.
func (s *server) questions(shared, alone *desk, load usage) {
	b := s.b
	n := thousands(b.of(1_000_000))
	for _, q := range []struct {
		job    string
		rounds int
		most   float64
		args   []string
	}{
		{"status", 3 * b.rounds, 2, []string{"status"}},
		{"find REFERENCE", 3 * b.rounds, 2, []string{"find", "AP-2026-11-0000005"}},
		{"find, part of a name", b.rounds, 2, []string{"find", "000123 Trad"}},
		{"ledger verify", b.rounds, 1.5, []string{"ledger", "verify"}},
	} {
		u, a := b.bothSides(shared, alone, q.rounds, append(q.args, "--quiet")...)
		job := fmt.Sprintf("shared: %s, %s payouts", q.job, n)
		b.ratio(job, u, "SQLite", a, q.most)
		if q.job == "ledger verify" {
			b.memory(job+": peak memory", u, min(200, a.peakMB))
		}
	}
	file := shared.dir + "/books.jsonl"
	u := shared.payrun("ledger", "export", file, "--quiet")
	b.ratio("shared: export of "+n, u.both(), "load", load, 3)
	to, _ := s.desks()
	to.database = s.database() // without a ledger in it
	to.set("ledger", `"`+s.node.URL(to.database)+`"`)
	u = to.payrun("ledger", "import", file, "--quiet")
	b.ratio("shared: import of "+n, u.both(), "load", load, 3)
	b.memory("shared: import of "+n+": peak memory", u, 200)
	s.drop(to)
}

// add loads a month of the same payees.
func (s *server) add(d *desk, rows, month int) {
	sheet := s.b.sheet(sheetOf{rows: s.b.of(rows), month: month})
	d.load(sheet)
	s.b.forget(sheet)
}

// intoMany compares a sheet loaded into all that is there with the same sheet loaded into none.
func (s *server) intoMany(d *desk) {
	b := s.b
	there := 1_000_000
	if b.ten {
		there = 10_000_000
	}
	n := b.of(100_000)
	for _, random := range []bool{false, true} {
		var many, none []usage
		for round := range b.rounds {
			of := sheetOf{rows: n, month: 40 + round, random: random}
			if random {
				of.month += 20
			}
			sheet := b.sheet(of)
			empty, alone := s.desks()
			for d, into := range map[*desk]*[]usage{d: &many, empty: &none} {
				*into = append(*into, d.load(sheet).both())
			}
			for _, d := range []*desk{empty, alone} {
				s.drop(d)
			}
			b.forget(sheet)
		}
		how, most := "in a run", 1.5
		if random {
			how, most = "random", 2.5
		}
		b.ratioOfCPU(fmt.Sprintf("shared: %s %s into %s", thousands(n), how, thousands(b.of(there))), median(many), "into none", median(none), most)
	}
}

// steps are what BenchmarkSteps printed.
type steps struct{ printed string }

func (b *bench) steps(only string, among int) steps {
	n := max(20/b.scale, 2)
	_, out := run("ledger/postgres", 0, nil, "go", "test", "-count=1", "-timeout", "60m", "-run", "^$", "-benchtime", "1x", "-bench", "^BenchmarkSteps$/"+only, ".",
		"-args", "-batches", fmt.Sprint(n), "-among", fmt.Sprint(max(b.of(among), 6000)))
	return steps{out.stdout.String()}
}

// of reads a figure: of is a job of the benchmark.
func (s steps) of(job, unit string) float64 {
	return figure(s.printed, `BenchmarkSteps/`+job+`.* `+aNumber+` `+unit)
}

// took is the median step of a job on one side.
func (s steps) took(job, side string) usage {
	ms := float64(time.Millisecond)
	return usage{wall: time.Duration(s.of(job, side+"-ms") * ms), cpu: time.Duration(s.of(job, side+"-cpu-ms") * ms)}
}

// sharedSteps measures steps, by the Go benchmark that is next to the store.
func (b *bench) sharedSteps() {
	few := b.steps("", 60_000)
	many := b.steps("of_500", 1_000_000)
	one, file := few.took("of_500", "shared"), few.took("of_500", "file")
	b.ratioOfCPU("shared: step of 500 payouts", one, "SQLite", file, 1.5)
	b.ratio("shared: step of 500 payouts", one, "SQLite", file, 2.5)
	b.ratioOfCPU("shared: step of 500 among 1,000,000", many.took("of_500", "shared"), "among 60,000", one, 1.5)
	b.ratio("shared: step of one payout", few.took("of_1", "shared"), "SQLite", few.took("of_1", "file"), 3)
	look := few.of("of_500", "look-ms") / (2 * one.wall.Seconds() * 1e3)
	b.number("shared: last look, of a submit", fmt.Sprintf("%.1f %%", 100*look), "≤ 10 %", look <= 0.1, false)
	of := few.of("8_writers", "of-one")
	b.number("shared: 8 writers together, of one", fmt.Sprintf("%.2f", of), "≥ 0.7", of >= 0.7, false)
	late := few.of("8_writers", "p95-ms") / (one.wall.Seconds() * 1e3)
	b.number("shared: 8 writers, p95 of a step, of one's median", fmt.Sprintf("%.1f ×", late), "≤ 24 ×", late <= 24, false)
	during := few.of("during_a_load", "p95-ms") / few.of("during_a_load", "without-p95-ms")
	b.number("shared: steps during a load, p95, of without", fmt.Sprintf("%.1f ×", during), "≤ 3 ×", during <= 3, false)
	conns := few.of("8_writers", "connections")
	b.number("shared: connections of a process", fmt.Sprint(conns), "≤ 8", conns <= 8, false)
}
