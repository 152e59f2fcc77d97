//go:build unix

package killtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// figures are what submitter/simulation/README.md quotes.
type figures struct {
	mu         sync.Mutex
	began      time.Time
	kills      int
	byVerb     map[string]int
	typical    map[string]time.Duration // of a run that was spared, by verb
	sigterm    int
	sigstop    int
	turnedAway int // second runs while the first was stopped with the ledger
	ledgers    int
	payouts    int
	executed   int
}

func newFigures() *figures {
	return &figures{began: time.Now(), byVerb: map[string]int{}, typical: map[string]time.Duration{}}
}

// kill counts a SIGKILL that hit, and passes hit on.
func (f *figures) kill(verb string, hit bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if hit {
		f.kills++
		f.byVerb[verb]++
	}
	return hit
}

func (f *figures) count(what *int) { f.add(what, 1) }

func (f *figures) add(what *int, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	*what += n
}

// spare remembers how long a command takes that is left alone.
func (f *figures) spare(verb string, took time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if old := f.typical[verb]; old > 0 {
		took = (3*old + took) / 4
	}
	f.typical[verb] = took
}

// longest is about how long a command takes.
func (f *figures) longest(verb string) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	const unknown = 60 * time.Millisecond
	return max(f.typical[verb], unknown/2)
}

// String is one line whose form is stable, so that it can be quoted.
func (f *figures) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var verbs []string
	for _, verb := range slices.Sorted(maps.Keys(f.byVerb)) {
		verbs = append(verbs, fmt.Sprintf("%s %d", verb, f.byVerb[verb]))
	}
	took := time.Since(f.began)
	return fmt.Sprintf("kill figures: sigkill=%d (%s) sigterm=%d sigstop=%d turned_away=%d ledgers=%d payouts=%d executed=%d seconds=%.1f ms_per_kill=%.0f seed=%d",
		f.kills, strings.Join(verbs, ", "), f.sigterm, f.sigstop, f.turnedAway, f.ledgers, f.payouts, f.executed,
		took.Seconds(), float64(took.Milliseconds())/float64(max(f.kills, 1)), *seed)
}
