package reports

import (
	"bufio"
	"cmp"
	_ "embed"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"payrun/ledger"
	"payrun/reports/folder"
)

//go:embed index.html.tmpl
var indexTemplate string

// indexFile lists the folders of all runs.
const indexFile = "index.html"

// runName matches the name of a run's folder: the day, and the scope.
var runName = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}-.+$`)

// IsRun reports whether a name is that of a run's folder.
func IsRun(name string) bool { return runName.MatchString(name) }

// RunFolder returns the folder in base for reports about a scope on a day, in the time zone of at:
// YYYY-MM-DD-SCOPE.
func RunFolder(base string, at time.Time, scope Scope) string {
	sheets := strings.Join(scope.SheetIDs, "")
	if n := len(scope.SheetIDs); n > 1 {
		sheets = strconv.Itoa(n) + "-sheets"
	}
	return filepath.Join(base, at.Format(time.DateOnly)+"-"+scope.named(sheets, at.Location(), "-"))
}

// RunDay returns the day of a run (IsRun) from the name of its folder.
func RunDay(name string) string { return name[:len(time.DateOnly)] }

// Runs lists the folders of all runs, newest first.
func Runs(all fs.FS) (names []string, err error) {
	found, err := fs.ReadDir(all, ".") // by name
	for _, f := range slices.Backward(found) {
		if f.IsDir() && IsRun(f.Name()) {
			names = append(names, f.Name())
		}
	}
	return names, err
}

// Run is the head of the reports of one run, in words for people.
type Run struct {
	Folder, At, Scope, Environment        string
	Sandbox                               bool
	Payouts, Paid, Open, NotPaid, InDoubt string
	Pairs                                 []Pair
	Broken                                string // why its reports cannot be read
}

// WriteIndex writes index.html in base, which lists the folders of all runs,
// newest first, and returns its path.
func WriteIndex(base string) (string, error) {
	all := os.DirFS(base)
	names, err := Runs(all)
	if err != nil {
		return "", err
	}
	runs := ledger.ListOf(names, func(name string) Run { return ReadRun(all, name) })
	dir := folder.At(base)
	defer dir.Discard()
	if err := writePage(dir, indexFile, indexTemplate, runs); err != nil {
		return "", err
	}
	_, err = dir.Commit([]string{indexFile})
	return filepath.Join(base, indexFile), err
}

// ReadRun returns a run (IsRun) from the beginning of the reconciliation.json in its folder.
func ReadRun(runs fs.FS, name string) Run {
	day := RunDay(name)
	r := Run{Folder: name, At: day, Scope: Clean(name[len(day)+1:])}
	if at, err := time.Parse(time.DateOnly, r.At); err == nil { // else it is not a real date
		r.At = at.Format("2 Jan 2006")
	}
	head, err := readHead(runs, path.Join(name, JSONFile))
	if err != nil {
		r.Broken = "its " + JSONFile + " cannot be read"
		return r
	}
	var all ledger.Tally
	by := [buckets]ledger.Tally{}
	for state, tally := range head.Payouts {
		in := &by[bucketOf(state, "")]
		all, *in = all.Plus(tally), in.Plus(tally)
	}
	by[open].Count -= head.InDoubt.Count - by[inDoubt].Count // their states are open
	by[open].Total -= head.InDoubt.Total - by[inDoubt].Total
	by[inDoubt] = head.InDoubt
	words := func(t ledger.Tally) string {
		if t.Count == 0 {
			return "–"
		}
		return t.Total.Rupees() + " (" + ledger.Grouped(t.Count) + ")"
	}
	r.Payouts, r.Paid, r.Open, r.NotPaid, r.InDoubt = words(all), words(by[paid]), words(by[open]), words(by[notPaid]), words(by[inDoubt])
	r.Environment, r.Sandbox = Clean(head.Environment), head.Environment == sandbox
	for _, p := range head.Pairs {
		cleanAll(&p.Name, &p.Words)
		r.Pairs = append(r.Pairs, p)
	}
	return r
}

// runHead is what reconciliation.json begins with.
type runHead struct {
	Environment string
	Payouts     map[ledger.PayoutState]ledger.Tally
	InDoubt     ledger.Tally
	Pairs       []Pair
}

// readHead reads only up to the exceptions, of which there may be a million.
func readHead(runs fs.FS, name string) (h runHead, err error) {
	f, err := runs.Open(name)
	if err != nil {
		return h, err
	}
	defer func() { _ = f.Close() }() // only read
	d := json.NewDecoder(bufio.NewReader(f))
	if _, err := d.Token(); err != nil {
		return h, err
	}
	fields := map[json.Token]any{"environment": &h.Environment, "payouts": &h.Payouts, "in_doubt": &h.InDoubt, "pairs": &h.Pairs}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return h, err
		}
		if key == "exceptions" {
			return h, nil
		}
		if err := d.Decode(cmp.Or(fields[key], any(new(json.RawMessage)))); err != nil {
			return h, err
		}
	}
	return h, nil
}
