package cli

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

func (p *program) listenCommand() command {
	return command{
		name:  "listen",
		brief: "poll when a webhook of the bank arrives",
		long: `It takes a POST of any form. The interface specifies neither the form nor a signature of a webhook, so
payrun believes and records nothing of it. If it names a batch of the ledger, payrun polls that batch.
While another run uses the ledger the poll waits. SIGINT or SIGTERM stops it, with exit 0. With --json it
prints its address, and a line payrun.poll/v1 for each poll.`,
		examples:     []string{"payrun listen --addr 127.0.0.1:8089", "payrun listen --addr 127.0.0.1:0 --json"},
		exits:        []int{exitCredentials, exitLedger},
		flags:        []urfave.Flag{&urfave.StringFlag{Name: "addr", Usage: "the `HOST:PORT` to listen on; port 0 takes a free one"}},
		needs:        []string{"addr"},
		untilStopped: true,
		run:          p.with(listen),
	}
}

func listen(ctx context.Context, s *session, c *urfave.Context) error {
	ready := func(addr string) error {
		if !loopback(addr) {
			s.term.Warnf("it listens on %s, which other machines may reach: they can make payrun ask the bank, and nothing else", addr)
		}
		s.term.Resultf("Listening on http://%s (stop it with Ctrl-C)", addr)
		return s.document("payrun.listen/v1", map[string]any{"addr": addr})
	}
	h, err := s.app.Hints(ctx, s.call)
	if err != nil {
		return err
	}
	return serveHints(ctx, c.String("addr"), h, ready, s.polled)
}

// polled shows the result of a poll that a webhook triggered. Open and failed payouts are normal here and
// do not stop the command.
func (s *session) polled(work *app.Work, err error) {
	_ = s.writeWork("poll", work) // a closed output is reported when the command ends
	s.last = ""                   // the next poll needs no command
	if worst := app.Worst(err); worst != nil && work == nil {
		s.term.Warnf("%s", ledger.Plain(worst.What))
	}
}

// Limits on requests from outside.
const (
	hintBytes   = 64 << 10
	hintTimeout = 10 * time.Second
)

// hintHandler accepts each POST as a hint. Its answers reveal nothing about the ledger.
func hintHandler(take func([]byte)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, hintBytes))
		if err != nil {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		take(body)
		w.WriteHeader(http.StatusAccepted)
	})
}

// serveHints listens for hints on addr and polls the bank for them until ctx ends.
func serveHints(ctx context.Context, addr string, h *app.Hints, ready func(addr string) error, report func(*app.Work, error)) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return app.Fail(app.Failed, "cannot listen on %s: %v", ledger.Plain(addr), err).Because(err)
	}
	server := &http.Server{
		Handler: hintHandler(h.Take), ReadTimeout: hintTimeout, WriteTimeout: hintTimeout, IdleTimeout: hintTimeout, MaxHeaderBytes: hintBytes,
		ErrorLog: log.New(io.Discard, "", 0), // text from strangers is not logged
	}
	if err := ready(l.Addr().String()); err != nil {
		return errors.Join(err, l.Close())
	}
	ctx, stop := context.WithCancelCause(ctx)
	go func() { stop(server.Serve(l)) }()
	h.Poll(ctx, report)
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return server.Close()
}
