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
func (s *server) psql(database string, statements ...string) (usage, error) {
	args := []string{"-q", "-X", "-v", "ON_ERROR_STOP=1", s.node.URL(database)}
	for _, statement := range statements {
		args = append(args, "-c", statement)
	}
	u, _, err := run(s.b.dir, s.node.PID(), nil, "psql", args...)
	return u.both(), err
}

// both adds what the server worked to what its client did.
func (u usage) both() usage {
	u.cpu += u.with
	return u
}

// database makes an empty database.
func (s *server) database() (name string, err error) {
	s.databases++
	name = fmt.Sprintf("books%d", s.databases)
	_, err = s.psql("postgres", "CREATE DATABASE "+name)
	return name, err
}

// drop removes the database of a desk, and its folder.
func (s *server) drop(d *desk) error {
	if d.database == "" {
		return d.remove()
	}
	if _, err := s.psql("postgres", "DROP DATABASE "+d.database); err != nil {
		return err
	}
	return d.remove()
}

// desks makes a desk with a ledger on the server, and one with a ledger in a file.
func (s *server) desks() (shared, alone *desk, err error) {
	os.Setenv("XDG_STATE_HOME", os.DevNull)
	if alone, err = s.b.desk(); err != nil {
		return nil, nil, err
	}
	if shared, err = s.b.desk(); err != nil {
		return nil, nil, err
	}
	if shared.database, err = s.database(); err != nil {
		return nil, nil, err
	}
	url := s.node.URL(shared.database)
	if err := shared.set("ledger", `"`+url+`"`, "durability", `"single"`); err != nil {
		return nil, nil, err
	}
	shared.with = s.node.PID()
	os.Setenv("XDG_STATE_HOME", shared.dir) // where this machine's mark is
	_, err = shared.payrun("init")
	return shared, alone, err
}

// copied loads the columns of a sheet as they are, the cheapest way that PostgreSQL has.
func (s *server) copied(sheet string) (usage, error) {
	name, err := s.database()
	if err != nil {
		return usage{}, err
	}
	if _, err := s.psql(name, importTable); err != nil {
		return usage{}, err
	}
	u, err := s.psql(name, `\copy payouts FROM '`+sheet+`' WITH (FORMAT csv, HEADER)`)
	if err != nil {
		return u, err
	}
	_, err = s.psql("postgres", "DROP DATABASE "+name)
	return u, err
}

// bothSides runs a command in turn on the shared ledger and on the one in a file.
func (b *bench) bothSides(shared, alone *desk, rounds int, args ...string) (s, a usage, err error) {
	var of [2][]usage
	for range rounds {
		for i, d := range []*desk{shared, alone} {
			u, err := d.payrun(args...)
			if err != nil {
				return s, a, err
			}
			of[i] = append(of[i], u.both())
		}
	}
	return median(of[0]), median(of[1]), nil
}

// shared: the jobs of a ledger in PostgreSQL, turn by turn with those of one in a file.
func shared(b *bench) error {
	if pgtest.Binaries() == "" || !installed("psql") {
		fmt.Fprintln(stderr, "  left out: there is no PostgreSQL")
		return nil
	}
	if err := b.sharedSteps(); err != nil {
		return err
	}
	node, err := pgtest.Measure()
	if err != nil {
		return err
	}
	defer node.Stop()
	s := &server{b: b, node: node}
	shared, alone, load, err := s.loads()
	if err != nil {
		return err
	}
	if err := s.questions(shared, alone, load); err != nil {
		return err
	}
	if b.ten {
		for month := 1; month < 10; month++ {
			if err := s.add(shared, 1_000_000, month); err != nil {
				return err
			}
		}
	}
	if err := s.add(shared, 1_000, 39); err != nil { // the first small sheet indexes the payees of all before it
		return err
	}
	if err := s.intoMany(shared); err != nil {
		return err
	}
	return s.drop(shared)
}

// loads measures the load of a million, and gives the desks of the last round.
func (s *server) loads() (shared, alone *desk, load usage, err error) {
	b := s.b
	n := b.of(1_000_000)
	sheet, err := b.sheet(sheetOf{rows: n})
	if err != nil {
		return nil, nil, load, err
	}
	var of [3][]usage
	for range b.rounds {
		if shared != nil {
			if err := s.drop(shared); err != nil {
				return nil, nil, load, err
			}
			if err := alone.remove(); err != nil {
				return nil, nil, load, err
			}
		}
		if shared, alone, err = s.desks(); err != nil {
			return nil, nil, load, err
		}
		l, a, err := b.bothSides(shared, alone, 1, "load", sheet, "--quiet")
		if err != nil {
			return nil, nil, load, err
		}
		c, err := s.copied(sheet)
		if err != nil {
			return nil, nil, load, err
		}
		for i, u := range []usage{l, a, c} {
			of[i] = append(of[i], u)
		}
	}
	load = median(of[0])
	job := fmt.Sprintf("shared: load of %s", thousands(n))
	b.ratio(job, load, "SQLite", median(of[1]), 1.3)
	b.ratioOfCPU(job, load, `\copy`, median(of[2]), 2.5)
	b.memory(job+": peak memory", load, min(200, median(of[1]).peakMB))
	return shared, alone, load, nil
}

// questions measures what is asked of a million, and the way out of a ledger and into another.
func (s *server) questions(shared, alone *desk, load usage) error {
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
		u, a, err := b.bothSides(shared, alone, q.rounds, append(q.args, "--quiet")...)
		if err != nil {
			return err
		}
		job := fmt.Sprintf("shared: %s, %s payouts", q.job, n)
		b.ratio(job, u, "SQLite", a, q.most)
		if q.job == "ledger verify" {
			b.memory(job+": peak memory", u, min(200, a.peakMB))
		}
	}
	file := shared.dir + "/books.jsonl"
	u, err := shared.payrun("ledger", "export", file, "--quiet")
	if err != nil {
		return err
	}
	b.ratio("shared: export of "+n, u.both(), "load", load, 3)
	to, _, err := s.desks()
	if err != nil {
		return err
	}
	if to.database, err = s.database(); err != nil { // without a ledger in it
		return err
	}
	if err := to.set("ledger", `"`+s.node.URL(to.database)+`"`); err != nil {
		return err
	}
	if u, err = to.payrun("ledger", "import", file, "--quiet"); err != nil {
		return err
	}
	b.ratio("shared: import of "+n, u.both(), "load", load, 3)
	b.memory("shared: import of "+n+": peak memory", u, 200)
	return s.drop(to)
}

// add loads a month of the same payees.
func (s *server) add(d *desk, rows, month int) error {
	sheet, err := s.b.sheet(sheetOf{rows: s.b.of(rows), month: month})
	if err != nil {
		return err
	}
	if _, err := d.load(sheet); err != nil {
		return err
	}
	return s.b.forget(sheet)
}

// intoMany compares a sheet loaded into all that is there with the same sheet loaded into none.
func (s *server) intoMany(d *desk) error {
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
			sheet, err := b.sheet(of)
			if err != nil {
				return err
			}
			empty, alone, err := s.desks()
			if err != nil {
				return err
			}
			for d, into := range map[*desk]*[]usage{d: &many, empty: &none} {
				u, err := d.load(sheet)
				if err != nil {
					return err
				}
				*into = append(*into, u.both())
			}
			for _, d := range []*desk{empty, alone} {
				if err := s.drop(d); err != nil {
					return err
				}
			}
			if err := b.forget(sheet); err != nil {
				return err
			}
		}
		how, most := "in a run", 1.5
		if random {
			how, most = "random", 2.5
		}
		b.ratioOfCPU(fmt.Sprintf("shared: %s %s into %s", thousands(n), how, thousands(b.of(there))), median(many), "into none", median(none), most)
	}
	return nil
}

// steps are what BenchmarkSteps printed.
type steps struct{ printed string }

func (b *bench) steps(only string, among int) (steps, error) {
	n := max(20/b.scale, 2)
	_, out, err := run("ledger/postgres", 0, nil, "go", "test", "-count=1", "-timeout", "60m", "-run", "^$", "-benchtime", "1x", "-bench", "^BenchmarkSteps$/"+only, ".",
		"-args", "-batches", fmt.Sprint(n), "-among", fmt.Sprint(max(b.of(among), 6000)))
	if err != nil {
		return steps{}, err
	}
	return steps{out.stdout.String()}, nil
}

// of reads a figure: of is a job of the benchmark.
func (s steps) of(job, unit string, err *error) (n float64) {
	if *err == nil {
		n, *err = figure(s.printed, `BenchmarkSteps/`+job+`.* `+aNumber+` `+unit)
	}
	return n
}

// took is the median step of a job on one side.
func (s steps) took(job, side string, err *error) usage {
	ms := float64(time.Millisecond)
	return usage{wall: time.Duration(s.of(job, side+"-ms", err) * ms), cpu: time.Duration(s.of(job, side+"-cpu-ms", err) * ms)}
}

// sharedSteps measures steps, by the Go benchmark that is next to the store.
func (b *bench) sharedSteps() error {
	few, err := b.steps("", 60_000)
	if err != nil {
		return err
	}
	many, err := b.steps("of_500", 1_000_000)
	if err != nil {
		return err
	}
	one, file := few.took("of_500", "shared", &err), few.took("of_500", "file", &err)
	b.ratioOfCPU("shared: step of 500 payouts", one, "SQLite", file, 1.5)
	b.ratio("shared: step of 500 payouts", one, "SQLite", file, 2.5)
	b.ratioOfCPU("shared: step of 500 among 1,000,000", many.took("of_500", "shared", &err), "among 60,000", one, 1.5)
	b.ratio("shared: step of one payout", few.took("of_1", "shared", &err), "SQLite", few.took("of_1", "file", &err), 3)
	look := few.of("of_500", "look-ms", &err) / (2 * one.wall.Seconds() * 1e3)
	b.number("shared: last look, of a submit", fmt.Sprintf("%.1f %%", 100*look), "≤ 10 %", look <= 0.1, false)
	of := few.of("8_writers", "of-one", &err)
	b.number("shared: 8 writers together, of one", fmt.Sprintf("%.2f", of), "≥ 0.7", of >= 0.7, false)
	late := few.of("8_writers", "p95-ms", &err) / (one.wall.Seconds() * 1e3)
	b.number("shared: 8 writers, p95 of a step, of one's median", fmt.Sprintf("%.1f ×", late), "≤ 24 ×", late <= 24, false)
	during := few.of("during_a_load", "p95-ms", &err) / few.of("during_a_load", "without-p95-ms", &err)
	b.number("shared: steps during a load, p95, of without", fmt.Sprintf("%.1f ×", during), "≤ 3 ×", during <= 3, false)
	conns := few.of("8_writers", "connections", &err)
	b.number("shared: connections of a process", fmt.Sprint(conns), "≤ 8", conns <= 8, false)
	return err
}
