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
