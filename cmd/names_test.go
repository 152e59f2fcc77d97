package cmd

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// machineNames are how fuzzing and rapid name what they found.
var machineNames = regexp.MustCompile(`^([0-9a-f]{16}|[0-9a-f]{64}|.*-\d{14}-\d+\.fail)$`)

// What a machine found is kept under a name that says what it is.
func TestNoFileIsNamedByAMachine(t *testing.T) {
	eachEntry(t, func(path string, entry fs.DirEntry) error {
		if !entry.IsDir() && machineNames.MatchString(entry.Name()) {
			t.Errorf("%s: make what was found a named case, or give the file a name", path)
		}
		return nil
	})
}

// eachEntry calls fn with every file and folder of the module that is not hidden.
func eachEntry(t *testing.T, fn func(path string, entry fs.DirEntry) error) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(".."), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != "." && strings.HasPrefix(entry.Name(), ".") {
			return fs.SkipDir
		}
		return fn(path, entry)
	})
	if err != nil {
		t.Fatal(err)
	}
}
