package desk

import (
	"net"
	"net/http"
	"sync"
)

// waiting closes, of too many connections, the one that has waited longest without having sent a
// request, so that clients who send nothing lock no one out.
type waiting struct {
	most int
	mu   sync.Mutex
	turn int64              // counts who begins to wait
	all  map[net.Conn]int64 // since which turn it waits; 0 while it is served
}

func newWaiting(most int) *waiting { return &waiting{most: most, all: map[net.Conn]int64{}} }

// state is http.Server.ConnState.
func (w *waiting) state(c net.Conn, s http.ConnState) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch s {
	case http.StateNew:
		w.waits(c)
		if len(w.all) > w.most {
			w.closeLongest()
		}
	case http.StateActive:
		w.all[c] = 0
	case http.StateIdle:
		w.waits(c)
	default:
		delete(w.all, c)
	}
}

func (w *waiting) waits(c net.Conn) {
	w.turn++
	w.all[c] = w.turn
}

func (w *waiting) closeLongest() {
	var longest net.Conn
	for c, since := range w.all {
		if since > 0 && (longest == nil || since < w.all[longest]) {
			longest = c
		}
	}
	if longest != nil {
		delete(w.all, longest)
		_ = longest.Close()
	}
}
