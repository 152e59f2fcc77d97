package desk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"payrun/ledger"
)

// How the stream of changes goes.
const (
	lookEvery   = time.Second      // at the ledger, once for all streams, while there are any
	aliveEvery  = 15 * time.Second // a comment, so that nothing between takes the stream for dead
	tooFarBack  = 1000             // events; from there on a page is loaded anew instead
	streamsMost = 200
)

// live tells the streams what was added to the audit trail, whoever added it. The
// ledger is looked at once for all of them, and not at all while there are none.
type live struct {
	ctx  context.Context
	desk *desk
	mu   sync.Mutex
	subs map[chan struct{}]struct{}
	head int64
	stop context.CancelFunc // of the looking; nil while nobody listens

	looking sync.WaitGroup
}

func newLive(ctx context.Context, d *desk) *live {
	return &live{ctx: ctx, desk: d, subs: map[chan struct{}]struct{}{}}
}

// listen gives a channel on which something stands when the trail grew. nil where
// there are enough streams.
func (l *live) listen() chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.subs) >= streamsMost {
		return nil
	}
	c := make(chan struct{}, 1)
	l.subs[c] = struct{}{}
	if l.stop == nil {
		ctx, stop := context.WithCancel(l.ctx)
		l.stop = stop
		l.looking.Go(func() { l.look(ctx) })
	}
	return c
}

func (l *live) leave(c chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.subs, c)
	if len(l.subs) == 0 && l.stop != nil {
		l.stop()
		l.stop = nil
	}
}

func (l *live) look(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		l.once(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// once looks at the ledger once: who may not stay is put out, and who listens is
// told where the trail grew.
func (l *live) once(ctx context.Context) {
	call := l.desk.call(nil, "live")
	head, err := l.desk.app.Head(ctx, call)
	if err != nil || head.Length == l.seen() {
		return // a ledger that cannot be read now is looked at again
	}
	roster, err := l.desk.app.People(ctx, call)
	if err != nil {
		return
	}
	l.desk.sessions.keep(roster)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.head = head.Length
	for c := range l.subs {
		select {
		case c <- struct{}{}:
		default: // told already, and not looked yet
		}
	}
}

func (l *live) seen() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head
}

// change is what a stream says of a batch: neither names nor amounts.
type change struct {
	ID        string            `json:"id"`
	State     ledger.BatchState `json:"state"`
	Attention ledger.Attention  `json:"attention"`
}

func serveLive(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	if !d.sessions.stream(s) {
		d.refuse(w, r, s, http.StatusTooManyRequests, "This login has enough open pages that follow the ledger.")
		return nil
	}
	defer d.sessions.streamOver(s)
	told := d.live.listen()
	if told == nil {
		d.refuse(w, r, s, http.StatusServiceUnavailable, "Too many pages follow the ledger.")
		return nil
	}
	defer d.live.leave(told)
	head, err := d.app.Head(r.Context(), d.call(s, "live"))
	if err != nil {
		return err
	}
	at := head.Length
	// what a page has seen: by its stream that broke off, else by what it was made of
	if last, err := strconv.ParseInt(cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("from")), 10, 64); err == nil && last >= 0 {
		at = min(at, last)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	say := func(words string) error {
		_ = out.SetWriteDeadline(time.Time{}) // a stream goes on for longer than an answer
		tooLong := time.AfterFunc(2*aliveEvery, func() { _ = out.SetWriteDeadline(time.Unix(1, 0)) })
		defer tooLong.Stop() // a reader that takes nothing is let go
		_, err := fmt.Fprint(w, words)
		return errors.Join(err, out.Flush())
	}
	if err := say(fmt.Sprintf("retry: 3000\nid: %d\nevent: hello\ndata: {}\n\n", at)); err != nil {
		return nil // they are gone
	}
	alive := time.NewTicker(aliveEvery)
	defer alive.Stop()
	for {
		words, next := d.changes(r.Context(), at)
		if at = next; words != "" && say(words) != nil {
			return nil
		}
		select {
		case <-s.ended.Done():
			_ = say("event: out\ndata: {}\n\n") // the page goes too
			return nil
		case <-r.Context().Done():
			return nil
		case <-told:
		case <-alive.C:
			if !d.sessions.lasts(s) || say(": still here\n\n") != nil {
				return nil
			}
		}
	}
}

// changes says what the events after one number changed, and up to which.
func (d *desk) changes(ctx context.Context, after int64) (words string, upTo int64) {
	call := d.call(nil, "live")
	head, err := d.app.Head(ctx, call)
	if err != nil || head.Length <= after {
		return "", after // it is looked at again
	}
	if head.Length-after > tooFarBack {
		return fmt.Sprintf("id: %d\nevent: reload\ndata: {}\n\n", head.Length), head.Length
	}
	list, err := d.app.Changes(ctx, call, after, head.Length)
	if err != nil {
		return "", after
	}
	var b strings.Builder
	for _, c := range list {
		switch e := c.Event; {
		case c.Batch.ID != "":
			data, _ := json.Marshal(change{c.Batch.ID, c.Batch.State, c.Asks.Kind}) // plain words
			fmt.Fprintf(&b, "id: %d\nevent: batch\ndata: %s\n\n", e.Seq, data)
		case e.SheetID != "" && e.BatchID == "":
			fmt.Fprintf(&b, "id: %d\nevent: sheet\ndata: {}\n\n", e.Seq)
		case e.BatchID == "":
			fmt.Fprintf(&b, "id: %d\nevent: people\ndata: {}\n\n", e.Seq)
		}
	}
	return b.String(), head.Length
}
