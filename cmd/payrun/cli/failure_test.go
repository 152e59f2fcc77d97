package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"payrun/ledger"
)

// Of joined errors the one whose exit code wins is shown; an error of several
// causes is one error, with all its words.
func TestAnErrorOfSeveralCausesKeepsItsWords(t *testing.T) {
	cause := errors.New("no space left on device")
	several := fmt.Errorf("write the mark: %w: %w", ledger.ErrLedgerDamaged, cause)
	for name, c := range map[string]struct {
		err  error
		exit int
		want string
	}{
		"several causes":  {several, exitLedger, "no space left on device"},
		"wrapped":         {fmt.Errorf("initiate: %w", several), exitLedger, "initiate: write the mark"},
		"joined":          {errors.Join(fail(exitPerson, "waiting"), several), exitLedger, "no space left on device"},
		"joined the less": {errors.Join(fail(exitOpen, "open"), nil, fail(exitPerson, "waiting")), exitPerson, "waiting"},
		"restored":        {fmt.Errorf("%w: its event 7 is another", ledger.ErrRestored), exitLedger, "its event 7 is another"},
	} {
		t.Run(name, func(t *testing.T) {
			f := judge(c.err)
			if f.exit != c.exit || !strings.Contains(f.what, c.want) {
				t.Errorf("exit %d, %q; want %d, %q", f.exit, f.what, c.exit, c.want)
			}
		})
	}
}
