package desk

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"net/http"
	"slices"
	"sync"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// session is a person who logged in.
type session struct {
	person ledger.Person // as they were at login
	form   string        // in every form of theirs
	from   string        // the address they logged in from
	last   *ledger.Event // their login before this one; nil for none
	since  time.Time
	seen   time.Time
	proof  proof
	given  []tokenHash     // of what the browser was given: it may have each until it comes with the last
	open   int             // streams
	half   bool            // the second factor is still to come: it gives no access yet
	asked  app.Challenge   // what their passkey was asked to sign last
	totp   app.TOTP        // an authenticator app that they are about to add
	ended  context.Context // done when they are logged out
	end    context.CancelFunc
}

// tokenHash is the hash of what a browser holds.
type tokenHash [sha256.Size]byte

// sessions are in memory only, with the hash of the browser's token: a restart logs everyone out, and
// a reader of the memory cannot take one over.
type sessions struct {
	now         func() time.Time
	idle, whole time.Duration // how long one lasts without a request, and in all
	mu          sync.Mutex
	all         []*session
	open        int // streams of all
}

func newSessions(now func() time.Time, idle, whole time.Duration) *sessions {
	return &sessions{now: now, idle: idle, whole: whole}
}

// halfFor is how long the second factor may come after the password.
const halfFor = 5 * time.Minute

// challenge takes the one that a passkey was asked to sign, and gives way to another.
func (ss *sessions) challenge(s *session, next app.Challenge) (was app.Challenge) {
	ss.with(func() { was, s.asked = s.asked, next })
	return was
}

// begin begins a session, and returns what the browser is to hold.
func (ss *sessions) begin(s *session) (token string) {
	now := ss.now()
	s.form, s.since, s.seen = app.NewToken(), now, now
	if s.proof == (proof{}) {
		s.proof = proof{password: now, renewed: now}
	}
	s.ended, s.end = context.WithCancel(context.Background())
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.all = append(slices.DeleteFunc(ss.all, ss.over), s) // no one came back to those that are over
	return s.give()
}

// give makes another token for the browser of a session. sessions.mu is held.
func (s *session) give() (token string) {
	token = app.NewToken()
	s.given = append(s.given, sha256.Sum256([]byte(token)))
	return token
}

// find returns the session of a token, and counts it as used if used says so: a stream that runs by
// itself keeps no one logged in.
func (ss *sessions) find(token string, used bool) *session {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	hash := tokenHash(sha256.Sum256([]byte(token)))
	i := slices.IndexFunc(ss.all, func(s *session) bool { return slices.Contains(s.given, hash) })
	if i < 0 || ss.over(ss.all[i]) {
		return nil
	}
	s := ss.all[i]
	if last := len(s.given) - 1; s.given[last] == hash { // the tokens that it replaced give no access from now on
		s.given = s.given[last:]
	}
	if used {
		s.seen = ss.now()
	}
	return s
}

// over reports whether a session has ended, or is to.
func (ss *sessions) over(s *session) bool {
	now := ss.now()
	return s.ended.Err() != nil || s.half && now.Sub(s.since) >= halfFor || now.Sub(s.seen) >= ss.idle || now.Sub(s.since) >= ss.whole
}

// proven takes down that the person typed their password, and returns what the browser is
// to hold from now on; "" where they logged out meanwhile.
func (ss *sessions) proven(s *session) (token string) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if !slices.Contains(ss.all, s) || ss.over(s) {
		return ""
	}
	now := ss.now()
	s.proof = proof{password: now, renewed: now}
	return s.give()
}

// with does something to sessions that no one else sees half done.
func (ss *sessions) with(do func()) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	do()
}

func (ss *sessions) proofOf(s *session) (p proof) {
	ss.with(func() { p = s.proof })
	return p
}

// lasts reports whether a session has not ended.
func (ss *sessions) lasts(s *session) bool {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	return !ss.over(s)
}

// endOne logs a person out.
func (ss *sessions) endOne(s *session) {
	ss.leave(s)
	s.end()
}

// leave ends a session, whatever it is doing. Its streams end when its end is called.
func (ss *sessions) leave(s *session) {
	ss.with(func() { ss.all = slices.DeleteFunc(ss.all, func(other *session) bool { return other == s }) })
}

// openSession is one of a person's, as they see it.
type openSession struct {
	Since, Seen time.Time
	From        string
	Here        bool // it is the one that asks
}

// of returns the sessions of the person of s, the newest first.
func (ss *sessions) of(s *session) (list []openSession) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for _, other := range slices.Backward(ss.all) {
		if other.person.Name == s.person.Name && !ss.over(other) {
			list = append(list, openSession{other.since, other.seen, other.from, other == s})
		}
	}
	return list
}

// endOthers logs the person of s out everywhere else, and returns from how many places.
func (ss *sessions) endOthers(s *session) (n int) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.all = slices.DeleteFunc(ss.all, func(other *session) bool {
		ends := other != s && other.person.Name == s.person.Name
		if ends && !ss.over(other) {
			n++
		}
		if ends {
			other.end()
		}
		return ends
	})
	return n
}

func (ss *sessions) endAll() {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for _, s := range ss.all {
		s.end()
	}
}

// stream counts one more stream of a session, or says why there are enough.
func (ss *sessions) stream(s *session) error {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	switch {
	case s.open >= streamsEach:
		return refuse(http.StatusTooManyRequests, "This login has too many open pages that follow the ledger.")
	case ss.open >= streamsMost:
		return refuse(http.StatusServiceUnavailable, "Too many pages follow the ledger.")
	}
	s.open++
	ss.open++
	return nil
}

func (ss *sessions) streamOver(s *session) {
	ss.with(func() { s.open, ss.open = s.open-1, ss.open-1 })
}

// is reports whether a form is one of the session's.
func (s *session) is(form string) bool { return hmac.Equal([]byte(form), []byte(s.form)) }

// visitor is the sender of a request, and its result.
type visitor struct {
	*session            // nil for none
	look     app.Glance // when it came
	means    string     // of proof, with a decision
	wrong    string     // why a form of theirs was not taken, for its page
	refused  int        // the status of that page; 0 where it shows no such form
	status   int        // of the page that answered it; 0 where none did
}

// visited is a request with its sender.
func visited(r *http.Request, v *visitor) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), contextKey{}, v))
}

// visitorOf is who sent a request.
func visitorOf(r *http.Request) *visitor {
	if v, in := r.Context().Value(contextKey{}).(*visitor); in {
		return v
	}
	return &visitor{}
}

// who returns the session of a request whose person still is who they were when
// they logged in; nil for none.
func (d *desk) who(r *http.Request, used bool) (*visitor, error) {
	s := d.sessions.find(d.held(r), used)
	if s == nil || s.half {
		return nil, nil // no one
	}
	look, err := d.glance(r.Context(), s)
	if err != nil || s.ended.Err() != nil {
		return nil, err
	}
	return &visitor{session: s, look: look}, nil
}

// glance looks at the ledger for a session, and ends it where its person is not as they
// were at login any more.
func (d *desk) glance(ctx context.Context, s *session) (app.Glance, error) {
	look, err := d.app.Glance(ctx, d.call(nil, "look"))
	if err == nil {
		d.people.Store(&look.People)
	}
	if p, ok := look.People.Find(s.person.Name); err == nil && (!ok || !p.As(s.person)) {
		d.sessions.endOne(s)
	}
	return look, err
}

// held is what the browser of a request holds.
func (d *desk) held(r *http.Request) string {
	c, err := r.Cookie(d.cookie)
	if err != nil {
		return ""
	}
	return c.Value
}

func (d *desk) setCookie(w http.ResponseWriter, token string) {
	c := &http.Cookie{Name: d.cookie, Value: token, Path: "/", HttpOnly: true, Secure: d.secure, SameSite: http.SameSiteStrictMode}
	if token == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

// decision is call for a handler that decides: each event records its proof.
func (d *desk) decision(r *http.Request, s *session, page string) app.Call {
	c := d.call(s, page)
	c.Proof = visitorOf(r).means
	return c
}
