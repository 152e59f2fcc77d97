package simulation

import (
	"flag"
	"fmt"
	"payrun/ledger/postgres/pgtest"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	histories  = flag.Int("histories", 20, "how many histories TestHistories plays, from -seed on")
	exhaustive = flag.Bool("exhaustive", false, "every crash point of every scenario, not only of the one that matters most, and the seeds that found something")
	storyName  = flag.String("story", "", "the story of TestReplay: release, books, machines, or anything")
	seed       = flag.Uint64("seed", 1, "the first seed of TestHistories, 0 for any; the seed of TestReplay")
)

// TestMain uses more memory to save time: histories leave much garbage.
func TestMain(m *testing.M) {
	flag.Parse()
	debug.SetGCPercent(2000)
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano() / 1000 % 1e12)
	}
	pgtest.Main(m)
}

// TestHistories plays one seed after the other. It is the proof that the docs quote.
func TestHistories(t *testing.T) {
	n := *histories
	if testing.Short() || raceDetector {
		n = min(n, 100)
	}
	all := stats{}
	began, used := time.Now(), cpuTime()
	playAll(t, n, everything, func(h *history) { all.add(h.stats) })
	t.Logf("figures: seed=%d %s ms_per_history=%.1f cpu_ms_per_history=%.1f", *seed, all, perHistory(time.Since(began), all), perHistory(cpuTime()-used, all))
	if !t.Failed() && all["histories"] != n {
		t.Errorf("%d histories were played, not %d", all["histories"], n)
	}
}

// everything is anything; on a ledger of several machines every second seed plays machineStory.
func everything(h *history) {
	if h.severalMachines() && h.seed%2 == 0 {
		machineStory(h)
	} else {
		anything(h)
	}
}

// playAll plays a story with n seeds, -parallel at once (twice the cores on PostgreSQL, where a history waits for the
// server half of the time). It calls each with every history, one at a time, and stops at the first violation.
func playAll(t *testing.T, n int, story func(*history), each func(*history)) {
	var mu sync.Mutex
	var next atomic.Uint64
	var failed atomic.Bool
	t.Run("seeds", func(t *testing.T) {
		for shard := range flag.Lookup("test.parallel").Value.(flag.Getter).Get().(int) {
			t.Run(fmt.Sprintf("shard-%d", shard), func(t *testing.T) {
				t.Parallel()
				home := newHome(t)
				for {
					i := next.Add(1) - 1
					if i >= uint64(n) || failed.Load() {
						return
					}
					h := play(t, home, *seed+i, story)
					mu.Lock()
					each(h)
					mu.Unlock()
					if report(t, h) {
						failed.Store(true)
					}
				}
			})
		}
	})
}

// perHistory returns the time for one history, in milliseconds.
func perHistory(d time.Duration, s stats) float64 {
	return float64(d) / float64(time.Millisecond) / float64(max(s["histories"], 1))
}

// skipUnderRace skips tests that take long and do not depend on goroutines.
func skipUnderRace(t *testing.T) {
	t.Helper()
	if raceDetector {
		t.Skip("too slow under the race detector")
	}
}

// report fails the test if the history has a violation, and prints the command that replays it.
func report(t *testing.T, h *history) bool {
	t.Helper()
	if h.broken() {
		t.Errorf("seed %d: %s\nreplay: go test ./submitter/simulation -run TestReplay -v -store %s -seed %d -story=%s", h.seed, strings.Join(h.violations, "\n\t"), *storeName, h.seed, h.of)
	}
	return h.broken()
}

// stories are the stories that a seed can play, by name.
var stories = map[string]func(*history){"": anything, "release": releaseStory, "books": bookStory, "machines": machineStory}

// TestReplay plays one seed and shows its event log.
func TestReplay(t *testing.T) {
	h := play(t, newHome(t), *seed, stories[*storyName], keepLog)
	t.Logf("seed %d, events %s\n%s", h.seed, h.hash(), h.story())
	report(t, h)
}

func TestTheSameSeedGivesTheSameEvents(t *testing.T) {
	home := newHome(t)
	hashes := map[string]bool{}
	seeds := uint64(5)
	if *exhaustive { // in .ci/nightly
		seeds = 15
	}
	for s := uint64(1); s <= seeds; s++ {
		first, second := play(t, home, s, anything), play(t, home, s, anything)
		if first.hash() != second.hash() {
			t.Errorf("seed %d: events %s, then %s", s, first.hash(), second.hash())
		}
		hashes[first.hash()] = true
	}
	if uint64(len(hashes)) != seeds {
		t.Errorf("%d seeds gave %d stories", seeds, len(hashes))
	}
}
