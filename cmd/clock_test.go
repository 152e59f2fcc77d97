package cmd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// wallClock are the files that may read the wall clock, and why. Everybody
// else is given the time, so that a test can be at any of them.
var wallClock = map[string]string{
	"cmd/payrun/cli/cli.go":         "System is the real world; its Now dates what the ledger records",
	"cmd/payrun-bench/stopwatch.go": "a stopwatch next to the measured program; nothing of payrun runs in it",
}

// readers are what of package time reads the wall clock.
var readers = []string{"Now", "Since", "Until"}

func TestTheWallClockIsReadInOnePlace(t *testing.T) {
	reading := map[string]bool{}
	for path, file := range sources(t) {
		if readsTheClock(file) {
			reading[path] = true
			if wallClock[path] == "" {
				t.Errorf("%s reads the wall clock; let the time come in", path)
			}
		}
	}
	for path := range wallClock {
		if !reading[path] {
			t.Errorf("the table has %s, which does not read the wall clock", path)
		}
	}
}

func TestEveryWayToReadTheWallClockIsSeen(t *testing.T) {
	for source, want := range map[string]bool{
		`import "time"; var now = time.Now`:                        true,
		`import "time"; func f() { _ = time.Now() }`:               true,
		`import "time"; func f(t time.Time) { time.Since(t) }`:     true,
		`import "time"; func f(t time.Time) { time.Until(t) }`:     true,
		`import clock "time"; var now = clock.Now`:                 true,
		`import . "time"; var now = Now`:                           true,
		`import "time"; func f(w struct{ Now int }) { _ = w.Now }`: false,
		`import "time"; var minute = time.Minute`:                  false,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p; "+source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if readsTheClock(file) != want {
			t.Errorf("%s: reads the clock %t, want %t", source, !want, want)
		}
	}
}

// sources are the module's files without tests, by their path.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	eachEntry(t, func(path string, entry fs.DirEntry) (err error) {
		switch {
		case entry.IsDir() && entry.Name() == "testdata":
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files[path], err = parser.ParseFile(token.NewFileSet(), filepath.Join("..", path), nil, 0)
		return err
	})
	return files
}

func readsTheClock(file *ast.File) bool {
	name := ""
	for _, i := range file.Imports {
		if i.Path.Value != `"time"` {
			continue
		}
		if name = "time"; i.Name != nil {
			name = i.Name.Name
		}
	}
	if name == "." {
		return true // no one needs it so
	}
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			from, ok := s.X.(*ast.Ident)
			found = found || ok && from.Name == name && slices.Contains(readers, s.Sel.Name)
		}
		return true
	})
	return found
}
