package bankapi

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
)

// pipeBank is an HTTP server at the other end of pipes, so that a test can run
// in a synctest bubble, where the network would keep time from passing.
type pipeBank struct {
	conns  chan net.Conn
	done   chan struct{}
	once   sync.Once
	dials  int
	refuse int // so many dials fail first
}

// newPipeBank serves handler to the client it returns. The test calls close
// before its bubble ends.
func newPipeBank(t *testing.T, handler http.HandlerFunc, change ...func(*Config)) (c *Client, b *pipeBank, close func()) {
	t.Helper()
	b = &pipeBank{conns: make(chan net.Conn), done: make(chan struct{})}
	c = newClient(t, "http://127.0.0.1", change...)
	c.reads.DialContext, c.sends.DialContext = b.dial, b.dial
	server := &http.Server{Handler: handler}
	go server.Serve(b)
	return c, b, func() {
		c.Close()
		server.Close()
	}
}

func (b *pipeBank) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	b.dials++
	if b.refuse > 0 {
		b.refuse--
		return nil, &net.OpError{Op: "dial", Err: io.ErrClosedPipe}
	}
	ours, theirs := net.Pipe()
	select {
	case b.conns <- theirs:
		return ours, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (b *pipeBank) Accept() (net.Conn, error) {
	select {
	case conn := <-b.conns:
		return conn, nil
	case <-b.done:
		return nil, net.ErrClosed
	}
}

func (b *pipeBank) Close() error {
	b.once.Do(func() { close(b.done) })
	return nil
}

func (b *pipeBank) Addr() net.Addr { return &net.TCPAddr{} }
