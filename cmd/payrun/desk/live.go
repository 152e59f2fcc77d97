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
	"time"

	"payrun/ledger"
)

// Settings of the stream of changes.
const (
	lookEvery   = time.Second      // at the ledger
	aliveEvery  = 15 * time.Second // a comment, so that no proxy closes the stream as dead
	tooFarBack  = 1000             // events; after more, the page reloads instead
	streamsEach = 4                // for one session
	streamsMost = 200              // for the whole desk
)

// change is what a stream says about a batch: no names and no amounts.
type change struct {
	ID        string            `json:"id"`
	State     ledger.BatchState `json:"state"`
	Attention ledger.Attention  `json:"attention"`
}

func serveLive(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	if err := d.sessions.stream(s); err != nil {
		return err
	}
	defer d.sessions.streamOver(s)
	at := visitorOf(r).look.Head.Length
	// what the page has seen: the last event of its broken stream, else the one that it was made from
	if last, err := strconv.ParseInt(cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("from")), 10, 64); err == nil && last >= 0 {
		at = min(at, last)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	say := func(words string) error {
		_ = out.SetWriteDeadline(time.Time{}) // a stream lasts longer than an answer
		tooLong := time.AfterFunc(2*aliveEvery, func() { _ = out.SetWriteDeadline(time.Unix(1, 0)) })
		defer tooLong.Stop() // when it fires, it cuts off a reader that takes nothing
		_, err := fmt.Fprint(w, words)
		return errors.Join(err, out.Flush())
	}
	if err := say(fmt.Sprintf("retry: 3000\nid: %d\nevent: hello\ndata: {}\n\n", at)); err != nil {
		return nil // the reader is gone
	}
	look, alive := time.NewTicker(lookEvery), time.NewTicker(aliveEvery)
	defer look.Stop()
	defer alive.Stop()
	for {
		words, next := d.changes(r.Context(), s, at)
		if at = next; words != "" && say(words) != nil {
			return nil
		}
		select {
		case <-s.ended.Done():
			_ = say("event: out\ndata: {}\n\n") // the page leads to the login
			return nil
		case <-r.Context().Done():
			return nil
		case <-look.C:
		case <-alive.C:
			if !d.sessions.lasts(s) || say(": still here\n\n") != nil {
				return nil
			}
		}
	}
}

// changes words the changes by events after a number, and returns the number of the last one. It ends the
// session if its person was changed.
func (d *desk) changes(ctx context.Context, s *session, after int64) (words string, upTo int64) {
	look, err := d.glance(ctx, s)
	head := look.Head
	if err != nil || s.ended.Err() != nil || head.Length <= after {
		return "", after // read again at the next tick
	}
	if head.Length-after > tooFarBack {
		return fmt.Sprintf("id: %d\nevent: reload\ndata: {}\n\n", head.Length), head.Length
	}
	list, err := d.app.Changes(ctx, d.call(nil, "live"), after, head.Length)
	if err != nil {
		return "", after
	}
	var b strings.Builder
	for _, c := range list {
		switch e := c.Event; {
		case c.Batch.ID != "":
			data, _ := json.Marshal(change{c.Batch.ID, c.Batch.State, c.Asks}) // cannot fail
			fmt.Fprintf(&b, "id: %d\nevent: batch\ndata: %s\n\n", e.Seq, data)
		case e.SheetID != "" && e.BatchID == "":
			fmt.Fprintf(&b, "id: %d\nevent: sheet\ndata: {}\n\n", e.Seq)
		case e.BatchID == "":
			fmt.Fprintf(&b, "id: %d\nevent: people\ndata: {}\n\n", e.Seq)
		}
	}
	return b.String(), head.Length
}
