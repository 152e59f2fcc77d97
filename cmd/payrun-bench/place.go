package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
)

// bench is one run: its folder, the program it measures and what it found.
type bench struct {
	scale, rounds int
	python        string
	ten           bool

	dir, bin string
	made     map[string]string // sheets, by what they are
	large    *large            // the ledger that several jobs share
	lines    []line

	closing sync.Once
	banks   []*bank
}

// of is a size of the table in this run.
func (b *bench) of(n int) int { return max(1, n/b.scale) }

// open builds payrun into a folder of its own, as for a machine that pays (docs/operations.md).
func (b *bench) open() (err error) {
	if b.dir, err = os.MkdirTemp("", "payrun-bench"); err != nil {
		return err
	}
	b.made = map[string]string{}
	b.bin = filepath.Join(b.dir, "payrun")
	if out, err := exec.Command("go", "build", "-o", b.bin, "./cmd/payrun").CombinedOutput(); err != nil {
		_ = os.RemoveAll(b.dir)
		return fmt.Errorf("building payrun (run this from the top of the checkout): %w\n%s", err, out)
	}
	return nil
}

func (b *bench) close() (err error) {
	b.closing.Do(func() {
		for _, k := range b.banks {
			k.stop()
		}
		err = os.RemoveAll(b.dir)
	})
	return err
}

// desk is a folder with a configuration and a ledger.
type desk struct {
	b    *bench
	dir  string
	with int // the process that works for its commands: the bank's, or the server's

	database string // of a ledger on the server
}

func (b *bench) desk() *desk {
	dir := must(os.MkdirTemp(b.dir, "desk"))
	d := &desk{b: b, dir: dir}
	d.payrun("init")
	// A sheet of the table may be larger than the limit that is in the file.
	d.set("sheet_rows", "20000000", "sheet_bytes", "4294967296")
	return d
}

func (d *desk) remove() { fine(os.RemoveAll(d.dir)) }

// set gives keys of the configuration other values.
func (d *desk) set(keysAndValues ...string) {
	path := filepath.Join(d.dir, "payrun.toml")
	text := must(os.ReadFile(path))
	for i := 0; i < len(keysAndValues); i += 2 {
		key := regexp.MustCompile(`(?m)^(` + keysAndValues[i] + `\s*=\s*)\S+`)
		if !key.Match(text) {
			fine(fmt.Errorf("payrun.toml has no key %s", keysAndValues[i]))
		}
		text = key.ReplaceAll(text, []byte("${1}"+keysAndValues[i+1]))
	}
	fine(os.WriteFile(path, text, 0o600))
}

// payrun runs a command that has to succeed.
func (d *desk) payrun(args ...string) usage {
	return d.ends(nil, args...)
}

// ends runs a command that ends with one of the exit codes.
func (d *desk) ends(exits []int, args ...string) usage {
	u, _ := run(d.dir, d.with, exits, d.b.bin, args...)
	return u
}

// document runs a command and reads what it says to programs.
func (d *desk) document(into any, exits []int, args ...string) {
	_, out := run(d.dir, d.with, exits, d.b.bin, append(args, "--json")...)
	fine(json.NewDecoder(&out.stdout).Decode(into)) // an error's document may follow
}

// load records a sheet.
func (d *desk) load(sheet string) usage { return d.payrun("load", sheet, "--quiet") }

// repeated measures a command several times; what it leaves behind is its own matter.
func (b *bench) repeated(do func() usage) usage {
	var all []usage
	for range b.rounds {
		all = append(all, do())
	}
	return median(all)
}
