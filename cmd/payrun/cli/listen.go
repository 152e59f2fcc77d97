package cli

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// Limits on what strangers may send.
const (
	hintBytes   = 64 << 10
	hintsAtMost = 20 // in hintsWithin; more are answered 429
	hintsWithin = 2 * time.Second
	hintTimeout = 10 * time.Second
)

// hintLimit counts hints.
type hintLimit struct {
	mu    sync.Mutex
	since time.Time
	taken int
}

// allow reports whether one more may be taken.
func (l *hintLimit) allow(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.since) >= hintsWithin {
		l.since, l.taken = now, 0
	}
	l.taken++
	return l.taken <= hintsAtMost
}

// hintHandler takes POSTs as hints. Its answers say nothing about what is in the
// ledger.
func hintHandler(now func() time.Time, take func(context.Context, []byte) error) http.Handler {
	var limit hintLimit
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method != http.MethodPost:
			w.Header().Set("Allow", http.MethodPost)
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		case !limit.allow(now()):
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, hintBytes))
		switch {
		case err != nil:
			w.WriteHeader(http.StatusRequestEntityTooLarge)
		case take(r.Context(), body) != nil:
			w.WriteHeader(http.StatusServiceUnavailable) // it may come again
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	})
}

// serveHints takes hints on an address and asks the bank by them, until ctx ends.
func (p *program) serveHints(ctx context.Context, addr string, h *app.Hints, ready func(addr string) error, told func(*app.Work, error)) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return app.Fail(app.Failed, "cannot listen on %s: %v", ledger.Plain(addr), err).Because(err)
	}
	server := &http.Server{
		Handler: hintHandler(p.world.Now, h.Take), ReadTimeout: hintTimeout, WriteTimeout: hintTimeout, IdleTimeout: hintTimeout, MaxHeaderBytes: hintBytes,
		ErrorLog: log.New(io.Discard, "", 0), // text from strangers is not logged
	}
	if err := ready(l.Addr().String()); err != nil {
		return errors.Join(err, l.Close())
	}
	ctx, stop := context.WithCancelCause(ctx)
	go func() { stop(server.Serve(l)) }()
	h.Poll(ctx, told)
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return server.Close()
}
