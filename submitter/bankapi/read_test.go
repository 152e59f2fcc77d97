package bankapi

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"payrun/ledger"
)

// TestReadsAreTriedAgain runs against a bank that fails a number of times in
// one way and then answers. Time is the bubble's: pauses cost nothing.
func TestReadsAreTriedAgain(t *testing.T) {
	failure := fixture(t, "failure.json")
	status := func(code int, headers ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i < len(headers); i += 2 {
				w.Header().Set(headers[i], headers[i+1])
			}
			w.WriteHeader(code)
			w.Write(failure)
		}
	}
	// Three pauses of 0.5, 1 and 2 s, each give or take half.
	const least, most = 1750 * time.Millisecond, 5250 * time.Millisecond
	tests := []struct {
		name        string
		fails       http.HandlerFunc
		times       int
		refuse      int // dials that fail
		requests    int // that reach the bank
		least, most time.Duration
		ok          bool
		outcome     ledger.Outcome
		status      int
	}{
		{name: "answers at once", requests: 1, ok: true},
		{name: "500 three times", fails: status(500), times: 3, requests: 4, least: least, most: most, ok: true},
		{name: "500 four times", fails: status(500), times: 4, requests: 4, least: least, most: most, outcome: ledger.Unknown, status: 500},
		{name: "429", fails: status(429), times: 1, requests: 2, least: 250 * time.Millisecond, most: 750 * time.Millisecond, ok: true},
		{name: "429 with Retry-After", fails: status(429, "Retry-After", "7"), times: 1, requests: 2, least: 7 * time.Second, most: 7 * time.Second, ok: true},
		{name: "503 with a date to come back", fails: status(503, "Retry-After", "Mon, 31 Mar 2031 18:30:09 GMT", "Date", "Mon, 31 Mar 2031 18:30:00 GMT"), times: 1, requests: 2, least: 9 * time.Second, most: 9 * time.Second, ok: true},
		{name: "503 with a Retry-After of an hour", fails: status(503, "Retry-After", "3600"), times: 1, requests: 1, outcome: ledger.Unknown, status: 503},
		{name: "nobody there at first", refuse: 3, requests: 1, least: least, most: most, ok: true},
		{name: "nobody there", refuse: 4, requests: 0, least: least, most: most, outcome: ledger.NotSent},
		{name: "hung up", fails: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, times: 3, requests: 4, least: least, most: most, ok: true},
		{name: "200 that cannot be read", fails: func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") }, times: 3, requests: 4, least: least, most: most, ok: true},
		{name: "200 with data of another shape", fails: func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"status":"success","data":{"is_sandbox":"true"},"error":null}`)
		}, times: 4, requests: 4, least: least, most: most, outcome: ledger.Unknown, status: 200},
		{name: "slower than we wait", fails: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, times: 3, requests: 4, least: 60*time.Second + least, most: 60*time.Second + most, ok: true},
		{name: "400", fails: status(400), times: 1, requests: 1, outcome: ledger.Rejected, status: 400},
		{name: "401", fails: status(401), times: 1, requests: 1, outcome: ledger.Rejected, status: 401},
		{name: "404", fails: status(404), times: 1, requests: 1, outcome: ledger.Unknown, status: 404},
		{name: "302", fails: status(302, "Location", "http://127.0.0.1/elsewhere"), times: 1, requests: 1, outcome: ledger.Unknown, status: 302},
		{name: "201", fails: status(201), times: 1, requests: 1, outcome: ledger.Unknown, status: 201},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				requests := 0
				answer := fixture(t, "sub_merchant_list_response.json")
				c, bank, stop := newPipeBank(t, func(w http.ResponseWriter, r *http.Request) {
					if requests++; requests <= tt.times {
						tt.fails(w, r)
						return
					}
					w.Write(answer)
				})
				defer stop()
				bank.refuse = tt.refuse
				began := time.Now()
				_, err := c.IsSandbox(t.Context())
				synctest.Wait() // for the bank
				if took := time.Since(began); took < tt.least || took > tt.most {
					t.Errorf("took %v, want %v to %v", took, tt.least, tt.most)
				}
				if requests != tt.requests {
					t.Errorf("%d requests, want %d", requests, tt.requests)
				}
				if tt.ok != (err == nil) {
					t.Fatalf("got %v", err)
				}
				if tt.ok {
					return
				}
				call, ok := errors.AsType[*ledger.CallError](err)
				if !ok || call.Outcome != tt.outcome || call.HTTPStatus != tt.status {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

func TestReadGivenUpWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _, stop := newPipeBank(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "50")
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		defer stop()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.IsSandbox(ctx)
		call, ok := errors.AsType[*ledger.CallError](err)
		if !ok || call.HTTPStatus != 503 || call.RetryAfter != 50*time.Second || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

// A POST has its own, longer patience, and none beyond it.
func TestSendGivesUpOnce(t *testing.T) {
	hang := func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}
	tests := []struct {
		name   string
		bank   http.HandlerFunc
		status int
	}{
		{"never answers", hang, 0},
		{"stops in the middle of its answer", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "5000")
			io.WriteString(w, "{")
			http.NewResponseController(w).Flush()
			hang(w, r)
		}, 200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				requests := 0
				c, bank, stop := newPipeBank(t, func(w http.ResponseWriter, r *http.Request) {
					requests++
					tt.bank(w, r)
				}, func(c *Config) { c.TimeoutSend = 45 * time.Second })
				defer stop()
				began := time.Now()
				_, err := c.Initiate(t.Context(), initiatePayload(t, c))
				synctest.Wait() // for the bank
				if took := time.Since(began); took != 45*time.Second {
					t.Errorf("took %v", took)
				}
				call, ok := errors.AsType[*ledger.CallError](err)
				if !ok || call.Outcome != ledger.Unknown || call.HTTPStatus != tt.status || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
				if requests != 1 || bank.dials != 1 {
					t.Errorf("%d requests over %d connections", requests, bank.dials)
				}
			})
		})
	}
}

// Go's transport re-sends a request that fails on a kept connection. A POST
// never has one, even after reads have left one open.
func TestEachSendHasAFreshConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		posts := 0
		list, echo := fixture(t, "sub_merchant_list_response.json"), fixture(t, "initiate_response.json")
		c, bank, stop := newPipeBank(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				posts++
				w.Write(echo)
				return
			}
			w.Write(list)
		})
		defer stop()
		p := initiatePayload(t, c)
		for range 3 {
			if _, err := c.IsSandbox(t.Context()); err != nil {
				t.Fatal(err)
			}
			synctest.Wait() // until the connection is back in the pool
			if _, err := c.Initiate(t.Context(), p); err != nil {
				t.Fatal(err)
			}
		}
		if bank.dials != 1+3 || posts != 3 {
			t.Errorf("%d connections, want one for all reads and one for each of %d POSTs", bank.dials, posts)
		}
	})
}

func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := fixture(t, "sub_merchant_list_response.json")
		c, _, stop := newPipeBank(t, func(w http.ResponseWriter, _ *http.Request) { w.Write(answer) },
			func(c *Config) { c.RequestsPerSecond = 4 })
		defer stop()
		began := time.Now()
		for range 9 {
			if _, err := c.IsSandbox(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("nine requests at four a second took %v", took)
		}

		// A POST that never got its turn was not sent.
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err := c.Initiate(ctx, initiatePayload(t, c))
		if call, ok := errors.AsType[*ledger.CallError](err); !ok || call.Outcome != ledger.NotSent {
			t.Errorf("got %v", err)
		}
	})
}

func TestRetryAfterHeader(t *testing.T) {
	const date = "Mon, 31 Mar 2031 18:30:00 GMT"
	tests := []struct {
		value, date string
		want        time.Duration
	}{
		{"", "", 0},
		{"0", "", 0},
		{"120", "", 2 * time.Minute},
		{"-5", "", 0},
		{"1.5", "", 0},
		{strconv.Itoa(1 << 40), "", 0},
		{"Mon, 31 Mar 2031 18:31:00 GMT", date, time.Minute},
		{"Mon, 31 Mar 2031 18:31:00 GMT", "", 0},
		{"Mon, 31 Mar 2031 18:29:00 GMT", date, 0},
		{"soon", date, 0},
	}
	for _, tt := range tests {
		h := http.Header{}
		h.Set("Retry-After", tt.value)
		h.Set("Date", tt.date)
		if got := retryAfter(h); got != tt.want {
			t.Errorf("%q at %q: got %v, want %v", tt.value, tt.date, got, tt.want)
		}
	}
}

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
