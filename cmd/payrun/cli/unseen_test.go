package cli

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptUnseen: `unseen TEXT PATH…` fails where a file, or one of a folder, or
// a part of a workbook, has the text. PATH may be stdout or stderr. A result
// sheet gives the user's own columns back and is not looked into.
func scriptUnseen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: unseen TEXT PATH…")
	}
	text := []byte(args[0])
	looked := 0
	for _, path := range args[1:] {
		if path == "stdout" || path == "stderr" {
			looked++
			if strings.Contains(ts.ReadFile(path), args[0]) {
				ts.Fatalf("%s shows %s:\n%s", path, text, ts.ReadFile(path))
			}
			continue
		}
		ts.Check(filepath.WalkDir(ts.MkAbs(path), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(file, ".result.xlsx") {
				return err
			}
			looked++
			found, err := holds(file, text)
			if found != "" {
				ts.Fatalf("%s has %s", found, text)
			}
			return err
		}))
	}
	if looked == 0 {
		ts.Fatalf("nothing to look into")
	}
}

// holds names the file, or the part of it, that has the text; "" for none.
func holds(file string, text []byte) (string, error) {
	content, err := os.ReadFile(file)
	if err != nil || bytes.Contains(content, text) {
		return file, err
	}
	if filepath.Ext(file) != ".xlsx" {
		return "", nil
	}
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return "", err
	}
	for _, part := range z.File {
		r, err := part.Open()
		if err != nil {
			return "", err
		}
		content, err := io.ReadAll(r)
		if err != nil || bytes.Contains(content, text) {
			return file + " in " + part.Name, err
		}
	}
	return "", nil
}
