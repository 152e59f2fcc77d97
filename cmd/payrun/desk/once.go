package desk

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"maps"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// onceFor is how long a form of a decision can be sent, and its answer is kept: a
// form whose answer is forgotten is one that nobody can send any more.
const onceFor = time.Hour

// numberBytes of a one-time number: when it was given out, 8 random ones, and 16 of
// what only its session could have made of them.
const numberBytes = 8 + 8 + 16

// once returns a new one-time number for a form.
func (s *session) once(now time.Time) string {
	b := make([]byte, 16, numberBytes)
	binary.BigEndian.PutUint64(b, uint64(now.Unix()))
	rand.Read(b[8:]) //nolint:errcheck // it never fails
	return base64.RawURLEncoding.EncodeToString(append(b, s.sign(b)[:16]...))
}

// gave reports whether the number is one that this session was given, and whether
// it is too old to be sent.
func (s *session) gave(number string, now time.Time) (own, old bool) {
	b, err := base64.RawURLEncoding.DecodeString(number)
	if err != nil || len(b) != numberBytes || !hmac.Equal(s.sign(b[:16])[:16], b[16:]) {
		return false, false
	}
	return true, now.Sub(time.Unix(int64(binary.BigEndian.Uint64(b)), 0)) >= onceFor
}

func (s *session) sign(b []byte) []byte {
	h := hmac.New(sha256.New, []byte(s.form))
	h.Write(b)
	return h.Sum(nil)
}

// said names what a form says, beside its number and the password: another word in
// it makes another form of it. What it says is kept nowhere.
func (s *session) said(r *http.Request) [sha256.Size]byte {
	fields := maps.Clone(r.PostForm)
	delete(fields, "password")
	delete(fields, "once")
	return [sha256.Size]byte(s.sign([]byte(r.URL.Path + "?" + url.Values(fields).Encode())))
}

// answers are those that the forms of one session got, by the forms' numbers.
type answers struct {
	mu  sync.Mutex
	all map[string]*answer
}

// answer is one, or will be.
type answer struct {
	said   [sha256.Size]byte // by the form
	at     time.Time
	there  chan struct{} // closed when it is
	status int
	header http.Header
	body   bytes.Buffer
	file   *file // instead of the body: what is given once, and kept nowhere
}

// file is what an answer gives to the first who asks for it.
type file struct {
	given sync.Once
	write func(w http.ResponseWriter) // all of it, or it breaks the answer off
}

// giveOnce makes a file the answer to a decision.
func giveOnce(w http.ResponseWriter, write func(http.ResponseWriter)) {
	w.(*answer).file = &file{write: write}
}

// begin returns the answer of a form, and whether it is the caller's to give: then
// finish has to be called. nil where another form had the number, and where there
// is none yet and none may be begun.
func (a *answers) begin(number string, said [sha256.Size]byte, now time.Time, may bool) (one *answer, mine bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if one = a.all[number]; one != nil {
		if one.said != said {
			return nil, false
		}
		return one, false
	}
	if !may {
		return nil, false
	}
	for n, old := range a.all {
		if old.given() && now.Sub(old.at) >= onceFor {
			delete(a.all, n)
		}
	}
	one = &answer{said: said, at: now, there: make(chan struct{}), header: http.Header{}}
	if a.all == nil {
		a.all = map[string]*answer{}
	}
	a.all[number] = one
	return one, true
}

// finish lets whoever waits for the answer have it. Where nothing was done the form
// may be sent again, corrected.
func (a *answers) finish(number string, one *answer, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if one.at = now; one.nothingDone() {
		delete(a.all, number)
	}
	close(one.there)
}

func (a *answer) given() bool {
	select {
	case <-a.there:
		return true
	default:
		return false
	}
}

// nothingDone reports whether the answer is a refusal. Any other failure may have
// come after something was done.
func (a *answer) nothingDone() bool {
	return a.refused() || a.status == http.StatusServiceUnavailable
}

func (a *answer) refused() bool { return a.status >= 400 && a.status < 500 }

// wait returns when the answer is there; false where ctx ended first.
func (a *answer) wait(ctx context.Context) bool {
	select {
	case <-a.there:
		return true
	case <-ctx.Done():
		return false
	}
}

// send writes the answer to who asked, as often as it is asked for; a file once: false
// where it was given before.
func (a *answer) send(w http.ResponseWriter) bool {
	if a.file != nil {
		first := false
		a.file.given.Do(func() { first = true })
		if first {
			maps.Copy(w.Header(), a.header)
			a.file.write(w)
		}
		return first
	}
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body.Bytes()) // whoever went away needs no answer
	return true
}

// Header, WriteHeader and Write make an answer what a handler writes to.
func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}
