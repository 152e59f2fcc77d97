package docs

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// notForPeople are texts that programs read: SQL, patterns, paths and single words.
var notForPeople = regexp.MustCompile(`(?s)^\S*$|\b(SELECT|INSERT|UPDATE|DELETE|CREATE|FROM|WHERE|PRAGMA)\b|\(\?i?[:)]|\\b|^[a-z_]+(, [a-z_0-9]+)+$`)

// forTests are files whose texts only engineers read; their comments follow the rules.
var forTests = regexp.MustCompile(`_test\.go$|/(simulation|storetest|sqlitetest|payrun-bench)/`)

// comments are those of files that are not Go; what they quote is a name.
var (
	comments = map[string]*regexp.Regexp{
		".sql":   regexp.MustCompile(`--.*`),
		".js":    regexp.MustCompile(`(?m)(^|\s)//.*`),
		".css":   regexp.MustCompile(`(?s)/\*.*?\*/`),
		".toml":  regexp.MustCompile(`#.*`),
		".sh":    regexp.MustCompile(`#.*`),
		".txtar": regexp.MustCompile(`(?m)^#.*`),
	}
	quoted = regexp.MustCompile(`"[^"]*"`)
)

// TestWritingOfTheProgram: what the program says, and its comments, have none of the refused words. A comment
// may name an identifier of its file.
func TestWritingOfTheProgram(t *testing.T) {
	seen := 0
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || e.IsDir() && strings.HasPrefix(e.Name(), ".") && e.Name() != "..":
			return cmp.Or(err, fs.SkipDir)
		case comments[filepath.Ext(path)] != nil:
			text, err := os.ReadFile(path)
			for _, comment := range comments[filepath.Ext(path)].FindAllString(string(text), -1) {
				for _, word := range refusedWords.FindAllString(quoted.ReplaceAllString(comment, ""), -1) {
					t.Errorf("%s: the word %s in %s", path, word, comment)
				}
			}
			return err
		case strings.HasSuffix(path, ".html"):
			text, err := os.ReadFile(path)
			for _, word := range refusedWords.FindAllString(regexp.MustCompile(`\{\{.*?\}\}|<[^>]*>`).ReplaceAllString(string(text), " "), -1) {
				t.Errorf("%s has the word %s", path, word)
			}
			return err
		case !strings.HasSuffix(path, ".go"):
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		names := map[string]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok {
				names[name.Name] = true
			}
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING || forTests.MatchString(path) {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil || notForPeople.MatchString(text) {
				return true
			}
			seen++
			for _, word := range refusedWords.FindAllString(text, -1) {
				t.Errorf("%s: the word %s in %q", files.Position(literal.Pos()), word, text)
			}
			return true
		})
		for _, comment := range file.Comments {
			for _, word := range refusedWords.FindAllString(comment.Text(), -1) {
				if !names[word] {
					t.Errorf("%s: the word %s in a comment", files.Position(comment.Pos()), word)
				}
			}
		}
		return nil
	})
	if err != nil || seen < 1000 {
		t.Errorf("%d texts were read: %v", seen, err)
	}
}
