package validate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"payrun/ingest"
	"payrun/ledger"
)

// sources parses the room's files without its tests.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	must(t, err)
	files := map[string]*ast.File{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		files[path], err = parser.ParseFile(token.NewFileSet(), path, nil, 0)
		must(t, err)
	}
	return files
}

func TestEveryCodeOfTheTableIsFound(t *testing.T) {
	used := map[string]bool{}
	for path, f := range sources(t) {
		if path == "codes_table.go" {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				used[id.Name] = true
			}
			return true
		})
	}
	codes := 0
	ast.Inspect(sources(t)["codes_table.go"], func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(spec.Names[0].Name, "code") {
			if codes++; !used[spec.Names[0].Name] {
				t.Errorf("%s is in the table and never found", spec.Names[0].Name)
			}
		}
		return true
	})
	own := ingest.Codes()
	own = own[slices.IndexFunc(own, func(e ingest.Explanation) bool { return e.Code == codeHeaderMissing }):] // behind those of ingest
	if codes != len(own) {
		t.Errorf("%d codes were seen of %d: the test reads the source wrongly", codes, len(own))
	}
}

func TestNoFindingHasACodeWrittenOutByHand(t *testing.T) {
	for path, f := range sources(t) {
		ast.Inspect(f, func(n ast.Node) bool {
			kv, ok := n.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			key, isName := kv.Key.(*ast.Ident)
			if lit, isText := kv.Value.(*ast.BasicLit); isName && isText && strings.EqualFold(key.Name, "code") {
				t.Errorf("%s: code %s is not from the table", path, lit.Value)
			}
			return true
		})
	}
}

func TestTheTableIsWhole(t *testing.T) {
	form := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	seen := map[string]bool{}
	for _, e := range ingest.Codes() {
		if seen[e.Code] {
			t.Errorf("%s stands there twice", e.Code)
		}
		seen[e.Code] = true
		if !form.MatchString(e.Code) {
			t.Errorf("%q is not snake_case", e.Code)
		}
		if e.Title == "" || e.Why == "" || e.Fix == "" {
			t.Errorf("%s: title, why or fix is empty", e.Code)
		}
		switch e.Severity {
		case ledger.SeverityError, ledger.SeverityWarning, ledger.SeverityInfo:
		default:
			t.Errorf("%s: severity %q", e.Code, e.Severity)
		}
		if e.Scope != ofRow && e.Scope != ofFile {
			t.Errorf("%s: scope %q", e.Code, e.Scope)
		}
	}
}

func TestEveryAmountFaultIsExplained(t *testing.T) {
	for code, words := range amountFaults {
		if _, known := ingest.Explained(code); !known || words == "" {
			t.Errorf("%s: %q, explained: %v", code, words, known)
		}
	}
}

// A person who reads a finding in a page of a browser has no flags: what can be
// chosen is an option, which the command line spells in its way.
func TestNoExplanationNamesAFlag(t *testing.T) {
	for _, e := range ingest.Codes() {
		if text := e.Title + e.Why + e.Fix + e.Example; strings.Contains(text, "--") {
			t.Errorf("%s: %s", e.Code, text)
		}
	}
}
