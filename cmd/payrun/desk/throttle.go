package desk

import (
	"sync"
	"time"
)

// Failed logins that are taken before the next has to wait.
const (
	failsOfBoth    = 5  // a minute, for one name from one address
	failsOfAddress = 20 // a minute
	failsOfName    = 30 // a minute
	firstWait      = time.Minute
	longestWait    = time.Hour
	forgetAfter    = 2 * time.Hour
	mostTracked    = 10_000
)

// throttle makes whoever guesses passwords wait, longer each time, and nobody for
// ever. Who waits is not asked for the password at all, so that the right one tells
// nothing.
type throttle struct {
	now func() time.Time
	mu  sync.Mutex
	all map[[2]string]*tries // by name and address, either of them "" for any
}

// tries are the failures of a minute, and since when whoever made them waits.
type tries struct {
	from  time.Time
	fails int
	wait  time.Duration // the last
	until time.Time
}

func newThrottle(now func() time.Time) *throttle {
	return &throttle{now: now, all: map[[2]string]*tries{}}
}

// keys are what one login counts for, with how many failures of each are taken.
func keys(name, addr string) map[[2]string]int {
	return map[[2]string]int{{"=" + name, addr}: failsOfBoth, {"", addr}: failsOfAddress, {"=" + name, ""}: failsOfName}
}

// waits returns how long a login has to wait; 0 for not at all. One that does not is
// counted as failed until succeeded takes it back: many at once count too.
func (t *throttle) waits(name, addr string) (wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	for key := range keys(name, addr) {
		if s := t.all[key]; s != nil {
			wait = max(wait, s.until.Sub(now))
		}
	}
	if wait > 0 {
		return wait
	}
	t.forget(now)
	for key, most := range keys(name, addr) {
		s := t.all[key]
		if s == nil {
			s = &tries{from: now}
			t.all[key] = s
		}
		if now.Sub(s.from) >= time.Minute {
			if now.Sub(s.from) >= forgetAfter {
				s.wait = 0
			}
			s.from, s.fails = now, 0
		}
		if s.fails++; s.fails >= most {
			s.wait = min(max(2*s.wait, firstWait), longestWait)
			s.until, s.from, s.fails = now.Add(s.wait), now.Add(s.wait), 0
		}
	}
	return 0
}

// succeeded takes a login that was right out of the count.
func (t *throttle) succeeded(name, addr string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.all, [2]string{"=" + name, addr})
	for _, key := range [...][2]string{{"", addr}, {"=" + name, ""}} {
		if s := t.all[key]; s != nil && s.fails > 0 {
			s.fails--
		}
	}
}

// forget drops what is long over, and all of it before it fills the memory.
func (t *throttle) forget(now time.Time) {
	if len(t.all) < mostTracked {
		return
	}
	for key, s := range t.all {
		if now.Sub(s.from) > forgetAfter {
			delete(t.all, key)
		}
	}
	for key := range t.all {
		if len(t.all) < mostTracked {
			return
		}
		delete(t.all, key)
	}
}
