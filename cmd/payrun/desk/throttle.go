package desk

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// Failed logins that are taken before the next has to wait.
const (
	failsTaken  = 5 // a minute
	firstWait   = time.Minute
	longestWait = 15 * time.Minute
	forgetAfter = time.Hour
	mostTracked = 10_000
	knownFor    = 180 * 24 * time.Hour // a browser that its person has signed in with
)

// throttle makes guessers wait, longer each time, and never for ever. Who waits is not
// asked for the password at all, so that the right one tells nothing.
type throttle struct {
	now func() time.Time
	mu  sync.Mutex
	all map[string]*tries // by guesser
}

// tries are the failures of a minute, and since when their guesser waits.
type tries struct {
	from  time.Time
	fails int
	wait  time.Duration // the last
	until time.Time
}

func newThrottle(now func() time.Time) *throttle {
	return &throttle{now: now, all: map[string]*tries{}}
}

// guesser is what failed logins are counted for: the name with the address it comes from, or with a
// browser that this person has signed in with before. So a stranger who guesses at a name locks out no
// one who has such a browser, also behind the same address.
func (d *desk) guesser(r *http.Request, name string) string {
	if c, err := r.Cookie(d.cookie + "-known"); err == nil {
		id, mark, _ := strings.Cut(c.Value, ".")
		if ok, err := d.app.IsBrowserMark(r.Context(), d.call(nil, "login"), name, id, mark); err == nil && ok {
			return "browser " + id
		}
	}
	return "address " + address(r) + " " + name
}

// knows has the browser known as one that a person has signed in with.
func (d *desk) knows(w http.ResponseWriter, r *http.Request, p ledger.Person) error {
	id := app.NewToken()[:22]
	mark, err := d.app.BrowserMark(r.Context(), d.call(nil, "login"), p.Name, id)
	if err == nil {
		http.SetCookie(w, &http.Cookie{Name: d.cookie + "-known", Value: id + "." + mark, Path: "/", MaxAge: int(knownFor.Seconds()), HttpOnly: true, Secure: d.secure, SameSite: http.SameSiteStrictMode})
	}
	return err
}

// waits returns how long a login has to wait; 0 for not at all. One that does not is
// counted as failed until succeeded takes it back: many at once count too.
func (t *throttle) waits(guesser string) (wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	s := t.all[guesser]
	if s == nil {
		t.forget(now)
		s = &tries{from: now}
		t.all[guesser] = s
	}
	if wait := s.until.Sub(now); wait > 0 {
		return wait
	}
	if now.Sub(s.from) >= forgetAfter {
		s.wait = 0
	}
	if now.Sub(s.from) >= time.Minute {
		s.from, s.fails = now, 0
	}
	if s.fails++; s.fails >= failsTaken {
		s.wait = min(max(2*s.wait, firstWait), longestWait)
		s.until, s.from, s.fails = now.Add(s.wait), now.Add(s.wait), 0
	}
	return 0
}

// succeeded takes a login that was right out of the count.
func (t *throttle) succeeded(guesser string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.all, guesser)
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
