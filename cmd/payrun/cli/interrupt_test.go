package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"payrun/cmd/payrun/config"
	"payrun/samples"
)

// A signal that comes before or while the ledger is read is an interruption,
// never a damaged ledger.
func TestAnInterruptedCommandEndsWith130(t *testing.T) {
	dir := newFolder(t)
	text, err := samples.FS.ReadFile(samples.MonthEndCSV)
	must(t, err)
	sheet := filepath.Join(dir, "sheet.csv")
	must(t, os.WriteFile(sheet, text, 0o600))
	for _, args := range [][]string{{"load", sheet}, {"check", sheet}, {"status"}, {"payouts"}, {"initiate", "--all", "--yes"}, {"poll"}, {"ledger", "verify"}} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var out, errs bytes.Buffer
		w := worldOf(&out, &errs, map[string]string{"PAYRUN_CONFIG": filepath.Join(dir, config.Name), "PAYRUN_ACCESS_KEY": "a", "PAYRUN_SECRET_KEY": "b"})
		if got := newProgram(w).main(ctx, append([]string{"payrun"}, args...)); got != exitInterrupted {
			t.Errorf("%v: exit %d: %s", args, got, errs.String())
		}
	}
	if exit, stdout, _ := inFolder(t, dir, "sheets", "--json"); exit != 0 || stdout != "" {
		t.Errorf("an interrupted load left something: %s", stdout)
	}
}

func TestStatusWatchShowsItUntilItIsStopped(t *testing.T) {
	dir := newFolder(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), 2*watchEvery+time.Second)
		defer stop()
		var out, errs bytes.Buffer
		w := worldOf(&out, &errs, map[string]string{"PAYRUN_CONFIG": filepath.Join(dir, config.Name)})
		if exit := newProgram(w).main(ctx, []string{"payrun", "status", "--watch"}); exit != exitDone || errs.Len() > 0 {
			t.Errorf("exit %d: %s", exit, errs.String())
		}
		if shown := strings.Count(out.String(), "The ledger holds no payouts."); shown != 3 {
			t.Errorf("shown %d times in 11 s:\n%s", shown, out.String())
		}
	})
}
