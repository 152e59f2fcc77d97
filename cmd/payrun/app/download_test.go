package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"payrun/cmd/payrun/config"
)

// lastWords is a ledger that fails when it is closed.
type lastWords struct{ store }

func (l lastWords) Close() error { return errors.Join(l.store.Close(), errors.New("disk full")) }

// What cannot be given out is not left open.
func TestWhatIsNotGivenOutIsClosed(t *testing.T) {
	a := New(config.Settings{LedgerPath: filepath.Join(t.TempDir(), "payrun.db")}, Env{Now: time.Now, Getenv: func(string) string { return "" }})
	must(t, a.createLedger(t.Context(), Call{Actor: "asha"}))
	u := a.uploads(t)
	var path string
	f, err := u.makeDownload(t.Context(), Call{Actor: "asha"}, "127.0.0.1", "a file", func(o *operation) (string, error) {
		o.store = lastWords{o.store}
		path = filepath.Join(o.folder, "left out.csv")
		return path, os.WriteFile(path, []byte("a,b\n"), 0o600)
	})
	if f != nil || err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("%v, %v", f, err)
	}
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	for _, fd := range open {
		if of, _ := os.Readlink(filepath.Join("/proc/self/fd", fd.Name())); strings.HasPrefix(of, path) {
			t.Errorf("%s is open", of)
		}
	}
}
