// Package cmd holds no program itself; its test keeps the rooms apart.
package cmd

import (
	"errors"
	"go/build"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// room is what a package may import of this module, and why no more.
type room struct {
	may  []string
	test []string // what its tests may import besides
	why  string
}

// everyoneMay import the domain.
const everyoneMay = "payrun/ledger"

// rooms is the dependency rule (the one of the design), package by package. A
// package that is not here fails the test: a new room is a decision.
var rooms = map[string]room{
	"payrun/ledger": {
		why: "the domain is what everything else builds on: standard library only, no SQL, no wire, no clock",
	},
	"payrun/ingest": {
		may: []string{"payrun/ingest/visible"},
		why: "it reads and never judges; what judges imports it; what a person sees of a text is a part of it that imports nothing",
	},
	"payrun/ingest/statement": {
		may: []string{"payrun/ingest", "payrun/ingest/visible"},
		why: "a bank's files into entries of the domain: tables through ingest, and what a person sees of a text; it records nothing and asks nobody",
	},
	"payrun/ingest/visible": {
		why: "what a person sees of a text, for sheets, statements and the branch list alike",
	},
	"payrun/validate": {
		may:  []string{"payrun/ingest", "payrun/validate/ifsc", "payrun/ingest/visible"},
		test: []string{"payrun/ledger/sqlite"},
		why:  "it judges the rows that ingest reads; the past is an interface of its own",
	},
	"payrun/validate/ifsc": {
		may: []string{"payrun/ingest", "payrun/ingest/visible"},
		why: "the branch list is read as a sheet is and asked through an interface of its own; it knows neither columns nor findings",
	},
	"payrun/batcher": {
		why: "it is pure: payouts in, batches out",
	},
	"payrun/ledger/reconcile": {
		why: "whose a line of a statement is, and what does not tie out, pure: a store keeps what it finds, and everything reads that",
	},
	"payrun/ledger/storetest": {
		why: "what every store has to do is said in the words of the domain alone, and knows none of them",
	},
	"payrun/ledger/durable": {
		why: "a file is whole or not there after a power loss, whatever is in it: ledgers, marks, reports and exports alike",
	},
	"payrun/ledger/sqlite": {
		may:  []string{"payrun/ledger/durable", "payrun/ledger/reconcile", "payrun/ledger/sqlite/internal/connect"},
		test: []string{"payrun/ledger/storetest", "payrun/ledger/sqlite/sqlitetest", "payrun/batcher", "payrun/submitter", "payrun/validate", "payrun/validate/ifsc", "payrun/reports"},
		why:  "it implements what others declare and knows none of them, so that there can be a second store; what matching finds it keeps as rows, so it matches",
	},
	"payrun/ledger/postgres": {
		may:  []string{"payrun/ledger/sqlite"},
		test: []string{"payrun/ledger/storetest", "payrun/ledger/postgres/pgtest"},
		why:  "the second store runs the queries of the first on an engine of its own, so that they are said once",
	},
	"payrun/ledger/postgres/pgtest": {
		why: "a server for tests",
	},
	"payrun/ledger/sqlite/internal/connect": {
		why: "how a connection is opened and what it keeps, for the store and for tests that look at its file",
	},
	"payrun/ledger/sqlite/sqlitetest": {
		may:  []string{"payrun/ledger/sqlite/internal/connect"},
		test: []string{"payrun/ledger/sqlite", "payrun/ledger/sqlite/sqlitetest"},
		why:  "one ledger after another on connections that stay open, rows that are not written, and folders without a disk: for tests that play thousands",
	},
	"payrun/submitter": {
		test: []string{"payrun/ledger/sqlite", "payrun/ledger/sqlite/sqlitetest", "payrun/submitter/bankapi", "payrun/submitter/sandbox"},
		why:  "the engine knows neither SQL nor wire names: it declares Store and Bank",
	},
	"payrun/submitter/bankapi": {
		why: "the client of the interface is usable without the engine",
	},
	"payrun/submitter/sandbox": {
		may: []string{"payrun/ledger/durable", "payrun/submitter/bankapi"},
		why: "it shares the wire structs with the client, and the wire itself is pinned by fixtures typed by hand",
	},
	"payrun/submitter/simulation": {
		may:  []string{"payrun/submitter", "payrun/ledger/sqlite", "payrun/submitter/bankapi"},
		test: []string{"payrun/ledger/sqlite", "payrun/ledger/sqlite/sqlitetest", "payrun/ledger/postgres", "payrun/ledger/postgres/pgtest", "payrun/submitter/bankapi"},
		why:  "it runs the real engine over the real stores, against the worst bank the interface allows",
	},
	"payrun/reports": {
		may: []string{"payrun/ledger/reconcile", "payrun/reports/folder", "payrun/reports/xlsx"},
		why: "files for finance are written from the ledger alone, whatever made it",
	},
	"payrun/reports/resultsheet": {
		may:  []string{"payrun/ingest", "payrun/ingest/visible", "payrun/reports", "payrun/reports/folder", "payrun/reports/xlsx"},
		test: []string{"payrun/validate"},
		why: "cells go back as ingest read them; what became of a payout is said in the reports' words, from the same " +
			"moment of the ledger, and appears with them or not at all. Its tests read what it wrote as payouts are read",
	},
	"payrun/reports/folder": {
		may: []string{"payrun/ledger/durable"},
		why: "files appear whole or not at all, whatever is in them: the reports' and people's own sheets alike",
	},
	"payrun/reports/xlsx": {
		why: "rows of text and exact money into a workbook, of any kind",
	},
	"payrun/samples": {
		test: []string{"payrun/ingest", "payrun/validate", "payrun/batcher", "payrun/ledger/sqlite"},
		why:  "sheets and their outcomes: data for others, knowing nobody; some sheets are wrong only because of what a ledger holds",
	},
	"payrun/cmd": {
		why: "only this test",
	},
	"payrun/docs": {
		why: "only the test that holds the pages against the code",
	},
	"payrun/docs/model": {
		why: "a model of the rules and the test that searches it: it shares nothing with the code",
	},
	"payrun/cmd/payrun": {
		may: []string{"payrun/cmd/payrun/cli", "payrun/cmd/payrun/desk"},
		why: "a dozen lines; it alone knows both faces, and hands the desk to the command line as a value",
	},
	"payrun/cmd/payrun/killtest": {
		test: []string{"payrun/ledger/sqlite", "payrun/ledger/postgres/pgtest", "payrun/submitter/sandbox", "payrun/cmd/payrun/cli"},
		why:  "it kills the built program and looks at the ledger with the store; the command line it names only to be run again with it",
	},
	"payrun/cmd/payrun/browsertest": {
		test: []string{"payrun/submitter/sandbox", "payrun/cmd/payrun/cli"},
		why:  "it drives the built program through a real browser, and knows of it what its pages show; the command line it names only to be run again with it",
	},
	"payrun/cmd/payrun-bench": {
		may: []string{"payrun/ledger/postgres/pgtest"},
		why: "it measures the built program from outside, and starts a PostgreSQL for it",
	},
	"payrun/cmd/payrun/term": {
		test: []string{"payrun/cmd/payrun/term/termtest"},
		why:  "the rules of the terminal, for whatever is shown on it: it knows no document, no setting and no use case",
	},
	"payrun/cmd/payrun/term/termtest": {
		why: "a pseudo-terminal for tests",
	},
	"payrun/cmd/payrun/doc": {
		why: "what is said to programs, in the words of the domain alone: it is the same from every room",
	},
	"payrun/cmd/payrun/config": {
		why: "what holds is the same for every face of payrun; it knows no store, no bank and no terminal",
	},
	"payrun/cmd/payrun/password": {
		why: "how a password is kept, and nothing else: whose it is and where it is kept others know",
	},
	"payrun/cmd/payrun/factor": {
		why: "what people prove themselves with besides a password: whose it is and where it is kept others know",
	},
	"payrun/cmd/payrun/desk": {
		may:  []string{"payrun/cmd/payrun/app", "payrun/cmd/payrun/config", "payrun/cmd/payrun/doc"},
		test: []string{"payrun/submitter/sandbox", "payrun/ledger/sqlite/sqlitetest", "payrun/ledger/postgres/pgtest"},
		why: "pages in, a use case called, HTML out: it knows no store, no bank, no engine and no rule of sheets; and never the command " +
			"line, which has a person at a terminal where the desk has one who logged in",
	},
	"payrun/cmd/payrun/ping": {
		why: "what watches a night hears over HTTP, at a secret address: nothing else is in this room",
	},
	"payrun/cmd/payrun/app": {
		may: []string{
			"payrun/cmd/payrun/config", "payrun/cmd/payrun/doc", "payrun/cmd/payrun/factor", "payrun/cmd/payrun/password", "payrun/cmd/payrun/ping",
			"payrun/ingest", "payrun/ingest/statement", "payrun/validate", "payrun/validate/ifsc", "payrun/batcher", "payrun/ledger/durable", "payrun/ledger/sqlite", "payrun/ledger/postgres", "payrun/ledger/reconcile", "payrun/submitter",
			"payrun/submitter/bankapi", "payrun/submitter/sandbox", "payrun/reports", "payrun/reports/resultsheet", "payrun/samples",
		},
		test: []string{"payrun/ledger/storetest", "payrun/ledger/sqlite/sqlitetest", "payrun/ledger/postgres/pgtest"},
		why:  "the use cases: the only room that wires implementations to the interfaces; no terminal, no flag and no HTTP",
	},
	"payrun/cmd/payrun/cli": {
		may: []string{"payrun/cmd/payrun/app", "payrun/cmd/payrun/config", "payrun/cmd/payrun/doc", "payrun/cmd/payrun/term"},
		test: []string{
			"payrun/cmd/payrun/term/termtest",            // a keyboard
			"payrun/samples", "payrun/submitter/sandbox", // sheets, and a bank to talk to
		},
		why: "flags in, a use case called, a document or words out: it knows no store, no bank, no engine and no rule of sheets",
	},
}

// libraries that belong to one room each, and to the rooms inside it.
var libraries = map[string]struct{ room, why string }{
	"github.com/urfave/cli":        {"payrun/cmd/payrun/cli", "nobody else knows how the command line is parsed"},
	"github.com/jedib0t/go-pretty": {"payrun/cmd/payrun/term", "the rules of the terminal are in one place"},
	"golang.org/x/sys":             {"payrun/cmd/payrun", "only the edge asks the system: term about the terminal, config about who runs it"},
	"golang.org/x/term":            {"payrun/cmd/payrun/term", "nobody else asks a person"},
	"github.com/BurntSushi/toml":   {"payrun/cmd/payrun/config", "the configuration is read in one place"},
	"github.com/jackc/pgx":         {"payrun/ledger/postgres", "nobody else knows SQL"},
	"modernc.org/sqlite":           {"payrun/ledger/sqlite", "nobody else knows SQL"},
	"database/sql":                 {"payrun/ledger/sqlite", "nobody else knows SQL"},
	"github.com/gofrs/flock":       {"payrun/ledger/sqlite", "the lock belongs to the ledger"},
	"github.com/cenkalti/backoff":  {"payrun/submitter/bankapi", "only GETs are retried, and only there"},
	"golang.org/x/crypto":          {"payrun/cmd/payrun/password", "one way to keep a password"},
	"golang.org/x/net/html":        {"payrun/cmd/payrun/desk", "only the desk reads its own pages back"},
	"github.com/go-webauthn":       {"payrun/cmd/payrun/factor", "one way to ask for a passkey"},
	"github.com/pquerna/otp":       {"payrun/cmd/payrun/factor", "one way to check a code"},
	"golang.org/x/time":            {"payrun/submitter/bankapi", "one limit on requests"},
}

// pkg is a package of this module and what it imports.
type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func TestRoomsImportOnlyWhatTheyMay(t *testing.T) {
	for _, p := range packages(t) {
		r, known := rooms[p.ImportPath]
		if !known {
			t.Errorf("%s is no room of the design", p.ImportPath)
			continue
		}
		allowed := append([]string{p.ImportPath, everyoneMay}, r.may...)
		check(t, p.ImportPath, "imports", p.Imports, allowed, r.why)
		check(t, p.ImportPath, "imports in its tests", append(p.TestImports, p.XTestImports...), append(allowed, r.test...), r.why)
	}
}

func TestEveryRoomOfTheTableIsThere(t *testing.T) {
	all := packages(t)
	for path := range rooms {
		if !slices.ContainsFunc(all, func(p pkg) bool { return p.ImportPath == path }) {
			t.Errorf("the table has %s, the module has not", path)
		}
	}
}

func check(t *testing.T, room, how string, imports, allowed []string, why string) {
	for _, path := range imports {
		if strings.HasPrefix(path, "payrun/") && !slices.Contains(allowed, path) {
			t.Errorf("%s %s %s; it may not: %s", room, how, path, why)
		}
	}
}

func TestTheDomainIsStandardLibraryOnly(t *testing.T) {
	for _, p := range packages(t) {
		if p.ImportPath != everyoneMay {
			continue
		}
		for _, path := range p.Imports {
			if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") || first == "payrun" {
				t.Errorf("%s imports %s", p.ImportPath, path)
			}
		}
	}
}

func TestALibraryStaysInItsRoom(t *testing.T) {
	for _, p := range packages(t) {
		for _, path := range p.Imports {
			for library, owner := range libraries {
				if (path == library || strings.HasPrefix(path, library+"/")) && p.ImportPath != owner.room && !strings.HasPrefix(p.ImportPath, owner.room+"/") {
					t.Errorf("%s imports %s, which belongs to %s: %s", p.ImportPath, path, owner.room, owner.why)
				}
			}
		}
	}
}

// packages reads the imports from the sources themselves: what `go list` says
// depends on how the program is built, and a test that only asks it is taken
// from the cache when an import was added.
func packages(t *testing.T) []pkg {
	t.Helper()
	var all []pkg
	eachEntry(t, func(dir string, entry fs.DirEntry) error {
		if !entry.IsDir() {
			return nil
		}
		if entry.Name() == "testdata" {
			return fs.SkipDir
		}
		p, err := build.ImportDir(filepath.Join("..", dir), 0)
		if _, none := errors.AsType[*build.NoGoError](err); none {
			return nil
		}
		all = append(all, pkg{path.Join("payrun", dir), p.Imports, p.TestImports, p.XTestImports})
		return err
	})
	return all
}
