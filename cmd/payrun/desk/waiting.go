package desk

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// waiting closes, of too many connections, the one that has waited longest without
// having sent a request, so that clients who send nothing keep nobody out.
type waiting struct {
	most int
	mu   sync.Mutex
	all  map[net.Conn]time.Time // since when it waits; zero while it is served
}

func newWaiting(most int) *waiting { return &waiting{most: most, all: map[net.Conn]time.Time{}} }

// state is http.Server.ConnState.
func (w *waiting) state(c net.Conn, s http.ConnState) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch s {
	case http.StateNew:
		w.all[c] = time.Now()
		if len(w.all) > w.most {
			w.closeLongest()
		}
	case http.StateActive:
		w.all[c] = time.Time{}
	case http.StateIdle:
		w.all[c] = time.Now()
	default:
		delete(w.all, c)
	}
}

func (w *waiting) closeLongest() {
	var longest net.Conn
	for c, since := range w.all {
		if !since.IsZero() && (longest == nil || since.Before(w.all[longest])) {
			longest = c
		}
	}
	if longest != nil {
		delete(w.all, longest)
		_ = longest.Close()
	}
}
