package sandbox

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Fault spoils calls of one operation (contract.md, "The sandbox").
type Fault struct {
	Op      string  `json:"op"`
	Nth     []int   `json:"nth"` // which calls, counted from 1 since the faults were set; empty: every call
	Kind    string  `json:"kind"`
	Seconds float64 `json:"seconds"` // slow: the delay; 429: Retry-After
}

// LostAnswer makes the next submit take effect and loses its answer.
func LostAnswer() Fault { return Fault{Op: "submit", Nth: []int{1}, Kind: faultDropAfter} }

// Kinds of faults. A client cannot tell a fault before the effect from one after it, on purpose.
const (
	faultDropBefore = "drop_before" // the connection ends, nothing happened
	faultDropAfter  = "drop_after"  // it happened, the connection ends
	fault500Before  = "500_before"  // nothing happened
	fault500After   = "500_after"   // it happened
	fault429        = "429"         // nothing happened
	faultHTML502    = "html502"     // a gateway's page; nothing happened
	faultGarbage    = "garbage"     // it happened; 200 and no JSON
	faultTruncate   = "truncate"    // it happened, the answer breaks off
	faultSlow       = "slow"        // it happened, the answer comes late
)

// Faults that come only on request: they are no network trouble, but answers that a bank may give.
const (
	fault400Echo = "400_echo" // nothing happened; the refusal quotes the request
	fault409Echo = "409_echo" // the same, but leaves open whether it happened
)

var faultKinds = []string{
	faultDropBefore, faultDropAfter, fault500Before, fault500After, fault429, faultHTML502, faultGarbage, faultTruncate, faultSlow,
}

var quotingKinds = []string{fault400Echo, fault409Echo}

// Trouble spoils one call in troubleOneIn. A slow call is delayed by troubleSeconds.
const (
	troubleOneIn   = 8
	troubleSeconds = 0.2
)

// faults counts the calls of each operation and chooses which to spoil.
type faults struct {
	dice    dice
	trouble bool

	mu    sync.Mutex
	list  []Fault
	calls map[string]int // since the list was set
	all   map[string]int // since the start: Trouble rolls by it
}

func newFaults(d dice, trouble bool) *faults {
	return &faults{dice: d, trouble: trouble, calls: map[string]int{}, all: map[string]int{}}
}

func (f *faults) replace(list []Fault) error {
	for _, x := range list {
		switch {
		case !slices.Contains(operationNames(), x.Op):
			return fmt.Errorf("op %q is not one of %v", x.Op, operationNames())
		case !slices.Contains(faultKinds, x.Kind) && !slices.Contains(quotingKinds, x.Kind):
			return fmt.Errorf("kind %q is not one of %v", x.Kind, slices.Concat(faultKinds, quotingKinds))
		case x.Seconds < 0 || x.Seconds > 24*60*60:
			return fmt.Errorf("seconds %v: want 0 to a day", x.Seconds)
		case slices.ContainsFunc(x.Nth, func(n int) bool { return n < 1 }):
			return fmt.Errorf("nth %v: calls are counted from 1", x.Nth)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list, f.calls = slices.Clone(list), map[string]int{}
	return nil
}

// next counts a call and returns its fault; kind "" means none. The first match in the list wins, and the list
// wins over Trouble.
func (f *faults) next(op operation) Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls[op.name]++
	f.all[op.name]++
	for _, x := range f.list {
		if x.Op == op.name && (len(x.Nth) == 0 || slices.Contains(x.Nth, f.calls[op.name])) {
			return x
		}
	}
	call := strconv.Itoa(f.all[op.name])
	if f.trouble && f.dice.roll(troubleOneIn, "trouble", op.name, call) == 0 {
		return Fault{Op: op.name, Kind: f.dice.pick(faultKinds, "trouble kind", op.name, call), Seconds: troubleSeconds}
	}
	return Fault{}
}

// spoilBefore answers instead of the operation, which then never runs.
func (s *Server) spoilBefore(w http.ResponseWriter, f Fault, op operation, body []byte) bool {
	switch f.Kind {
	case faultDropBefore:
		panic(http.ErrAbortHandler) // net/http ends the connection without an answer
	case fault500Before:
		s.write(w, op.refuse(http.StatusInternalServerError, "internal error"))
	case fault429:
		a := op.refuse(http.StatusTooManyRequests, "too many requests")
		a.retryAfter = max(1, int(f.Seconds))
		s.write(w, a)
	case fault400Echo:
		s.write(w, op.refuse(http.StatusBadRequest, "cannot be processed: %s", body))
	case fault409Echo:
		s.write(w, op.refuse(http.StatusConflict, "cannot be processed: %s", body))
	case faultHTML502:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write([]byte("<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n"))
	default:
		return false
	}
	return true
}

// spoilAfter sends the answer of an operation that ran, or what the fault leaves of it.
func (s *Server) spoilAfter(w http.ResponseWriter, r *http.Request, f Fault, op operation, a *answer) {
	switch f.Kind {
	case faultDropAfter:
		panic(http.ErrAbortHandler)
	case fault500After:
		a = op.refuse(http.StatusInternalServerError, "internal error")
	case faultGarbage:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte("\x1f\x8b\x08\x00{\"status\":\"succ\xff\xfe"))
		return
	case faultTruncate:
		body := s.encode(a)
		s.head(w, a, len(body))
		_, _ = w.Write(body[:len(body)/2])
		panic(http.ErrAbortHandler)
	case faultSlow:
		if !s.pause(r.Context(), time.Duration(f.Seconds*float64(time.Second))) {
			panic(http.ErrAbortHandler) // the client or the server went away
		}
	}
	s.write(w, a)
}

// pause waits. It returns false if the client or the server went away first.
func (s *Server) pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
