package pgtest

import (
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Proxy forwards between a program and the server, and loses COMMITs.
type Proxy struct {
	URL string // of the database, through the proxy

	mu     sync.Mutex
	n      int  // the COMMIT to lose, counted down; 0 for none
	after  bool // only its answer is lost
	closed bool // no connection is accepted after it
}

// NewProxy starts a proxy to the database of a URL.
func NewProxy(t testing.TB, to string) *Proxy {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	server := u.Host
	u.Host = l.Addr().String()
	p := &Proxy{URL: u.String()}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(client, server)
		}
	}()
	return p
}

// Lose makes the proxy lose the n-th COMMIT from now, counted from 1: before the server has it,
// or after, with its answer. With closes, the proxy accepts no connection from then on.
func (p *Proxy) Lose(n int, after, closes bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n, p.after, p.closed = n, after, false
	if closes {
		p.n = -n
	}
}

// commits counts a COMMIT, and reports whether it is the one to lose.
func (p *Proxy) commits() (lost, after bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch p.n {
	case 0:
		return false, false
	case 1, -1:
		p.closed = p.n < 0
		p.n = 0
		return true, p.after
	}
	if p.n--; p.n < 0 {
		p.n += 2
	}
	return false, false
}

func (p *Proxy) serve(client net.Conn, to string) {
	defer client.Close()
	p.mu.Lock()
	closed := p.closed
	p.mu.Unlock()
	if closed {
		return
	}
	server, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer server.Close()
	var swallow sync.Mutex // held once an answer is lost
	go func() {
		defer client.Close()
		buf := make([]byte, 32<<10)
		for {
			n, err := server.Read(buf)
			if err != nil || !swallow.TryLock() {
				return
			}
			_, err = client.Write(buf[:n])
			swallow.Unlock()
			if err != nil {
				return
			}
		}
	}()
	for first := true; ; first = false {
		message, err := read(client, first)
		if err != nil {
			return
		}
		if !first && string(message[5:]) == "COMMIT\x00" {
			switch lost, after := p.commits(); {
			case lost && after:
				swallow.Lock()
				_, _ = server.Write(message)
				_, _ = client.Read(make([]byte, 1)) // until the other side closes it
				return
			case lost:
				return
			}
		}
		if _, err := server.Write(message); err != nil {
			return
		}
	}
}

// read reads a message of the client; the first has no type.
func read(r io.Reader, first bool) ([]byte, error) {
	head := make([]byte, 5)
	if first {
		head = head[:4]
	}
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	message := make([]byte, len(head)+int(binary.BigEndian.Uint32(head[len(head)-4:]))-4)
	copy(message, head)
	_, err := io.ReadFull(r, message[len(head):])
	return message, err
}
