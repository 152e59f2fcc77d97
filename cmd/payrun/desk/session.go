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

// session is a person who is logged in.
type session struct {
	person ledger.Person // as they were at login
	form   string        // token in each of their forms
	from   string        // the address they logged in from
	last   *ledger.Event // their login before this one; nil if there was none
	since  time.Time
	seen   time.Time
	proof  proof
	given  []tokenHash     // hashes of the browser's tokens; an older one is valid until the browser sends the newest
	open   int             // number of streams
	again  string          // the loaded sheet that they uploaded again, until its page has said so
	half   bool            // the second factor is still missing: no access yet
	asked  app.Challenge   // the last challenge for their passkey
	totp   app.TOTP        // the authenticator app that they are adding
	ended  context.Context // done once they are logged out
	end    context.CancelFunc
}

// tokenHash is the SHA-256 of a browser's token.
type tokenHash [sha256.Size]byte

// sessions are in memory only, and hold hashes of the browsers' tokens: a restart logs everyone out, and a
// reader of the memory cannot take over a session.
type sessions struct {
	ctx         context.Context // all sessions end with it
	now         func() time.Time
	idle, whole time.Duration // how long a session lasts without a request, and in all
	mu          sync.Mutex
	all         []*session
	open        int // number of all streams
}

// halfFor is how long after the password the second factor may come.
const halfFor = 5 * time.Minute

// challenge returns the current challenge of a passkey and replaces it with next.
func (ss *sessions) challenge(s *session, next app.Challenge) (was app.Challenge) {
	ss.with(func() { was, s.asked = s.asked, next })
	return was
}

// begin begins a session and returns the browser's token.
func (ss *sessions) begin(s *session) (token string) {
	now := ss.now()
	s.form, s.since, s.seen = app.NewToken(), now, now
	if s.proof == (proof{}) {
		s.proof = proof{password: now, renewed: now}
	}
	s.ended, s.end = context.WithCancel(ss.ctx)
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.all = append(slices.DeleteFunc(ss.all, ss.over), s) // also drops the sessions that are over
	return s.give()
}

// give makes another token for the session's browser. sessions.mu is held.
func (s *session) give() (token string) {
	token = app.NewToken()
	s.given = append(s.given, sha256.Sum256([]byte(token)))
	return token
}

// find returns the session of a token; nil for none. If used, it counts as a request: a stream that runs by
// itself does not prolong the login.
func (ss *sessions) find(token string, used bool) *session {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	hash := tokenHash(sha256.Sum256([]byte(token)))
	i := slices.IndexFunc(ss.all, func(s *session) bool { return slices.Contains(s.given, hash) })
	if i < 0 || ss.over(ss.all[i]) {
		return nil
	}
	s := ss.all[i]
	if last := len(s.given) - 1; s.given[last] == hash { // from now on the older tokens give no access
		s.given = s.given[last:]
	}
	if used {
		s.seen = ss.now()
	}
	return s
}

// over reports whether a session has ended or its time is over.
func (ss *sessions) over(s *session) bool {
	now := ss.now()
	return s.ended.Err() != nil || s.half && now.Sub(s.since) >= halfFor || now.Sub(s.seen) >= ss.idle || now.Sub(s.since) >= ss.whole
}

// proven records that the person typed their password, and returns the browser's new token; "" if they
// logged out meanwhile.
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

// with runs do while it holds the lock of sessions.
func (ss *sessions) with(do func()) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	do()
}

func (ss *sessions) proofOf(s *session) (p proof) {
	ss.with(func() { p = s.proof })
	return p
}

// lasts reports whether a session is not over.
func (ss *sessions) lasts(s *session) bool {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	return !ss.over(s)
}

// leave removes a session whose streams end later, when its end is called.
func (ss *sessions) leave(s *session) {
	ss.with(func() { ss.all = slices.DeleteFunc(ss.all, func(other *session) bool { return other == s }) })
}

// openSession is one session of a person, as their account page shows it.
type openSession struct {
	Since, Seen time.Time
	From        string
	Here        bool // the session of this request
}

// of returns the open sessions of the person of s, newest first.
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

// endOthers ends the person's other sessions, and returns how many were open.
func (ss *sessions) endOthers(s *session) (n int) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for _, other := range ss.all {
		if other != s && other.person.Name == s.person.Name && !ss.over(other) {
			other.end()
			n++
		}
	}
	return n
}

// stream counts one more stream of a session, or returns a refusal if there are too many.
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

// is reports whether a form token is the session's.
func (s *session) is(form string) bool { return hmac.Equal([]byte(form), []byte(s.form)) }

// visitor is the sender of a request, and the request's result.
type visitor struct {
	*session            // nil without a login
	look     app.Glance // the ledger when the request came
	means    string     // how a decision was proven, in words
	wrong    string     // why their form was refused, for its page
	refused  int        // status of the page with the refused form; 0 for none
	status   int        // status of the answer's page; 0 for none
}

// visited returns the request with its visitor.
func visited(r *http.Request, v *visitor) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), contextKey{}, v))
}

// visitorOf returns the visitor of a request.
func visitorOf(r *http.Request) *visitor {
	if v, in := r.Context().Value(contextKey{}).(*visitor); in {
		return v
	}
	return &visitor{}
}

// who returns the visitor of a request; nil without a login, or if the person was changed since the login.
func (d *desk) who(r *http.Request, used bool) (*visitor, error) {
	s := d.sessions.find(d.held(r), used)
	if s == nil || s.half {
		return nil, nil // no login
	}
	look, err := d.glance(r.Context(), s)
	if err != nil || s.ended.Err() != nil {
		return nil, err
	}
	return &visitor{session: s, look: look}, nil
}

// glance reads the state of the ledger. It ends the session if its person was changed since the login.
func (d *desk) glance(ctx context.Context, s *session) (app.Glance, error) {
	look, err := d.app.Glance(ctx, d.call(nil, "look"))
	if err == nil {
		d.people.Store(&look.People)
	}
	if p, ok := look.People.Find(s.person.Name); err == nil && (!ok || !p.As(s.person)) {
		s.end()
	}
	return look, err
}

// held returns the browser's token; "" for none.
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

// decision is call for a handler that decides: each event records the proof.
func (d *desk) decision(r *http.Request, s *session, page string) app.Call {
	c := d.call(s, page)
	c.Proof = visitorOf(r).means
	return c
}
