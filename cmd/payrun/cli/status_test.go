package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"payrun/cmd/payrun/config"
)

func TestStatusWatchShowsItUntilItIsStopped(t *testing.T) {
	dir := t.TempDir()
	if exit, _, stderr := inFolder(t, dir, "init"); exit != 0 {
		t.Fatal(stderr)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), 2*watchEvery+time.Second)
		defer stop()
		var out, errs bytes.Buffer
		w := World{Stdin: &bytes.Buffer{}, Stdout: &out, Stderr: &errs, Now: time.Now, Getenv: func(name string) string {
			return map[string]string{"PAYRUN_CONFIG": filepath.Join(dir, config.Name)}[name]
		}}
		if exit := newProgram(w).main(ctx, []string{"payrun", "status", "--watch"}); exit != exitDone || errs.Len() > 0 {
			t.Errorf("exit %d: %s", exit, errs.String())
		}
		if shown := strings.Count(out.String(), "The ledger holds no payouts."); shown != 3 {
			t.Errorf("shown %d times in 11 s:\n%s", shown, out.String())
		}
	})
}
