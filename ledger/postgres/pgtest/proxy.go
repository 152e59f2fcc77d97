package pgtest

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Proxy forwards between a program and the server, loses COMMITs, and stops a COPY.
type Proxy struct {
	URL string // of the database, through the proxy

	mu     sync.Mutex
	n      int           // the COMMIT to lose, counted down; 0 for none; negative: then close
	after  bool          // lose only its answer
	closed bool          // no connection is accepted any more
	hangs  bool          // the server gets the lost COMMIT later
	held   chan struct{} // closed once the server may have it; nil if none is held
	copies chan struct{} // closed at the first row of the next COPY; nil if none is to stop
	over   chan struct{} // closed at the end of the test
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
	p := &Proxy{URL: u.String(), over: make(chan struct{})}
	t.Cleanup(func() { close(p.over) })
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

// Lose makes the proxy lose the n-th COMMIT from now, counted from 1: before the server has it, or after, with
// its answer. With closes, the proxy accepts no connection from then on.
func (p *Proxy) Lose(n int, after, closes bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n, p.after, p.closed, p.hangs = n, after, false, false
	p.letGo()
	if closes {
		p.n = -n
	}
}

// Gone reports whether the proxy accepts no connections any more.
func (p *Proxy) Gone() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}

// Delay makes the proxy lose the n-th COMMIT from now, but the server still gets it later: after the program
// began its next transaction, or at the next Lose.
func (p *Proxy) Delay(n int) {
	p.Lose(n, false, false)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hangs = true
}

// StopCopy makes the proxy stop forwarding a connection once rows come in its next COPY. Then the channel is
// closed.
func (p *Proxy) StopCopy() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.copies = make(chan struct{})
	return p.copies
}

// rows reports whether this COPY is the one to stop.
func (p *Proxy) rows() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.copies == nil {
		return false
	}
	close(p.copies)
	p.copies = nil
	return true
}

// letGo lets the server have the held COMMIT.
func (p *Proxy) letGo() {
	if p.held != nil {
		close(p.held)
	}
	p.held = nil
}

// hold waits until the server may have a COMMIT, if Delay asked for that.
func (p *Proxy) hold() (held bool) {
	p.mu.Lock()
	if !p.hangs {
		p.mu.Unlock()
		return false
	}
	p.hangs = false
	until := make(chan struct{})
	p.held = until
	p.mu.Unlock()
	<-until
	return true
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
		if !first && message[0] == 'd' && p.rows() {
			<-p.over
			return
		}
		if !first && string(message[5:]) == "COMMIT\x00" {
			switch lost, after := p.commits(); {
			case lost && after:
				swallow.Lock()
				_, _ = server.Write(message)
				_, _ = client.Read(make([]byte, 1)) // wait until the other side closes it
				return
			case lost:
				swallow.Lock()
				_ = client.Close()
				if p.hold() {
					_, _ = server.Write(message)
				}
				return
			}
		}
		if _, err := server.Write(message); err != nil {
			return
		}
		if !first && bytes.HasPrefix(message[5:], []byte("BEGIN")) {
			p.mu.Lock()
			p.letGo()
			p.mu.Unlock()
		}
	}
}

// read reads a message of the client. The first message has no type.
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
