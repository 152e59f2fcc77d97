package bankapi

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

const (
	accessKey = "access-key-0001"
	secretKey = "secret-key-0002"
	otpText   = "482913"
	tokenText = "tok-5521"
)

// must ends a test at an error that it is not about.
func must(t interface {
	Helper()
	Fatal(...any)
}, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// same wants two values to be equal.
func same(t testing.TB, want, got any, o ...cmp.Option) {
	t.Helper()
	if d := cmp.Diff(want, got, o...); d != "" {
		t.Error(d)
	}
}

// bearer is what every request must carry (interface.md, "Authentication").
const bearer = "Bearer access-key-0001:secret-key-0002"

// newClient gives a client of the bank at address, with what change makes of
// its configuration.
func newClient(t *testing.T, address string, change ...func(*Config)) *Client {
	t.Helper()
	c := Config{
		BaseURL: address, AccessKey: ledger.NewSecret(accessKey), SecretKey: ledger.NewSecret(secretKey),
		TimeoutRead: 20 * time.Second, TimeoutSend: 20 * time.Second,
	}
	for _, f := range change {
		f(&c)
	}
	client, err := New(c)
	must(t, err)
	t.Cleanup(client.Close)
	return client
}

// initiatePayload is the planned batch, ready to be sent.
func initiatePayload(t *testing.T, c *Client) ledger.Payload {
	t.Helper()
	p, err := c.EncodeInitiate(planned())
	must(t, err)
	return p
}

// submitPayload is its submit.
func submitPayload(t *testing.T, c *Client) ledger.Payload {
	t.Helper()
	p, err := c.EncodeSubmit(batchID, "")
	must(t, err)
	return p
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	must(t, err)
	return b
}

// A fault is what a bank does with a connection after it was accepted. It may
// read the request from it. The connection is closed when it returns.
type fault func(conn *net.TCPConn, read func() (*http.Request, []byte))

// rawBank is a bank on loopback below HTTP: it counts the connections that
// reach it and the requests that it could read whole.
type rawBank struct {
	address string
	faults  fault
	wait    sync.WaitGroup
	listen  net.Listener

	mu          sync.Mutex
	connections int
	requests    []*http.Request
	bodies      [][]byte
}

func newRawBank(t *testing.T, f fault) *rawBank {
	t.Helper()
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	b := &rawBank{address: "http://" + listen.Addr().String(), faults: f, listen: listen}
	b.wait.Go(b.accept)
	t.Cleanup(b.close)
	return b
}

func (b *rawBank) accept() {
	for {
		conn, err := b.listen.Accept()
		if err != nil {
			return
		}
		b.mu.Lock()
		b.connections++
		b.mu.Unlock()
		b.wait.Go(func() {
			defer conn.Close()
			b.faults(conn.(*net.TCPConn), func() (*http.Request, []byte) { return b.read(conn) })
		})
	}
}

func (b *rawBank) read(conn net.Conn) (*http.Request, []byte) {
	req, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return nil, nil
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests, b.bodies = append(b.requests, req), append(b.bodies, body)
	return req, body
}

// close stops listening and waits until every connection was dealt with, so
// that what was counted is all there is.
func (b *rawBank) close() {
	b.listen.Close()
	b.wait.Wait()
}

// saying reads the request and answers with these bytes, as they are.
func saying(raw string) fault {
	return func(conn *net.TCPConn, read func() (*http.Request, []byte)) {
		read()
		io.WriteString(conn, raw)
	}
}

// answering reads the request and answers it properly.
func answering(status int, body string, headers ...string) fault {
	return saying(httpAnswer(status, body, headers...))
}

func httpAnswer(status int, body string, headers ...string) string {
	var w bytes.Buffer
	fmt.Fprintf(&w, "HTTP/1.1 %d %s\r\nContent-Length: %d\r\nConnection: close\r\n", status, http.StatusText(status), len(body))
	for _, h := range headers {
		w.WriteString(h + "\r\n")
	}
	w.WriteString("\r\n" + body)
	return w.String()
}

// with replaces one piece of a fixture, which must be in it once.
func with(t testing.TB, name, old, new string) string {
	t.Helper()
	s := string(fixture(t, name))
	if strings.Count(s, old) != 1 {
		t.Fatalf("%s has %q %d times", name, old, strings.Count(s, old))
	}
	return strings.Replace(s, old, new, 1)
}
