package simulation

import (
	"fmt"
	"testing"
	"time"
)

// A live copy abandoned a held batch and paid its payout under another id. If the batch has been held for
// longer than otp.window, by payrun's clock or the bank's, the last check asks about that id: a clock that
// was set back meanwhile hides no copy.
func TestACopyIsLookedForByEitherClock(t *testing.T) {
	for name, c := range map[string]struct {
		wait, skew time.Duration
		want       map[string]string
	}{
		"long after":                        {2 * time.Hour, 0, map[string]string{}},
		"within otp.window":                 {5 * time.Minute, 0, map[string]string{"S1-000": "copies_within_otp_window"}},
		"long after, and the clock is slow": {2 * time.Hour, -115 * time.Minute, map[string]string{}},
		"at once, and the clock is fast":    {5 * time.Minute, time.Hour, map[string]string{}},
	} {
		h := play(t, newHome(t), 1, func(h *history) {
			h.bank.honest = true
			h.load(&process{}, h.write(of(0, 100_00)...))
			h.check()
			h.initiate(&process{})
			h.check()
			h.openSecond(copiedLive)
			h.atOther(func() {
				h.check()
				h.abandon(&process{}, h.batches()[0].id)
				h.retry(&process{})
				h.check()
				h.initiate(&process{})
				h.submit(&process{})
			})
			h.later(c.wait)
			h.skew = c.skew
			h.submit(&process{})
			h.later(time.Hour)
			h.check()
		}, keepLog)
		if got := fmt.Sprint(h.unprevented); got != fmt.Sprint(c.want) || h.broken() {
			t.Errorf("%s: %s, want %v; found %q\n%s", name, got, c.want, h.violations, h.story())
		}
	}
}
