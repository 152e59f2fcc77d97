package sandbox

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"payrun/submitter/bankapi"
)

// fresh makes every request on a connection of its own: net/http repeats a GET
// by itself when a kept connection ends under it, and a repeat is a call.
func fresh(c *client) *client {
	c.http.Transport.(*http.Transport).DisableKeepAlives = true
	return c
}

func TestAFaultComesBeforeOrAfterTheEffect(t *testing.T) {
	tests := []struct {
		kind    string
		effect  bool
		unread  bool // no whole answer arrives
		status  int
		headers string
	}{
		{kind: "drop_before", effect: false, unread: true},
		{kind: "drop_after", effect: true, unread: true},
		{kind: "500_before", effect: false, status: 500},
		{kind: "500_after", effect: true, status: 500},
		{kind: "429", effect: false, status: 429, headers: "7"},
		{kind: "html502", effect: false, status: 502},
		{kind: "garbage", effect: true, status: 200},
		{kind: "truncate", effect: true, unread: true},
		{kind: "slow", effect: true, status: 200},
	}
	for _, tt := range tests {
		t.Run(tt.kind, func(t *testing.T) {
			c := fresh(newClient(t, Options{Seed: 4}))
			seconds := 7.0
			if tt.kind == "slow" {
				seconds = 0.001
			}
			c.must("POST", "/faults", fmt.Sprintf(`[{"op":"initiate","nth":[1],"kind":%q,"seconds":%v}]`, tt.kind, seconds))
			raw := encode(t, oneBatch("b", 3, onePayout("r1", "1.00")))
			g, err := c.try("POST", bankapi.PathTransferInitiate, raw)
			if (err != nil) != tt.unread {
				t.Errorf("error %v, answer %q", err, g.raw)
			}
			if !tt.unread && (g.status != tt.status || g.header.Get("Retry-After") != tt.headers) {
				t.Errorf("HTTP %d, Retry-After %q", g.status, g.header.Get("Retry-After"))
			}
			if effect := len(c.state().Batches) == 1; effect != tt.effect {
				t.Errorf("it happened: %t, want %t", effect, tt.effect)
			}
			switch tt.kind {
			case "500_before", "500_after", "429":
				refused(t, g, tt.status)
			case "html502":
				if !strings.Contains(string(g.raw), "<html>") {
					t.Errorf("answer %q", g.raw)
				}
			case "garbage":
				if g.env.Status != "" {
					t.Errorf("answer %q can be read", g.raw)
				}
			case "slow":
				accepted(t, g)
			}
			wantAgain := 200 // the second call is not spoiled
			if tt.effect {
				wantAgain = c.s.bank.reading.UsedStatus
				if c.s.bank.reading.EchoesRepeats {
					wantAgain = 200
				}
			}
			if g := c.post(bankapi.PathTransferInitiate, string(raw)); g.status != wantAgain {
				t.Errorf("second call: HTTP %d, want %d", g.status, wantAgain)
			}
		})
	}
}

func TestFaultsCountCallsOfTheirOperation(t *testing.T) {
	c := fresh(newClient(t, Options{Seed: 4}))
	spoiled := func(calls int) (nth []int) {
		for i := range calls {
			if c.get(bankapi.PathBalance).status == 500 {
				nth = append(nth, i+1)
			}
		}
		return nth
	}
	c.must("POST", "/faults", `[{"op":"balance","nth":[2,4],"kind":"500_before"},{"op":"accounts","nth":[1],"kind":"500_before"}]`)
	if got := spoiled(5); !slices.Equal(got, []int{2, 4}) {
		t.Errorf("spoiled calls %v, want 2 and 4", got)
	}
	c.must("POST", "/faults", `[{"op":"balance","nth":[1],"kind":"500_before"}]`)
	if got := spoiled(3); !slices.Equal(got, []int{1}) {
		t.Errorf("counting did not start again: %v", got)
	}
	if g := c.get(bankapi.PathBankAccounts); g.status != 200 {
		t.Errorf("the list was not replaced: HTTP %d", g.status)
	}
	c.must("POST", "/faults", `[{"op":"balance","kind":"500_before"}]`)
	if got := spoiled(3); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("without nth every call is spoiled, not %v", got)
	}
	c.must("POST", "/faults", `[]`)
	if got := spoiled(3); got != nil {
		t.Errorf("spoiled after they were cleared: %v", got)
	}
}

func TestFaultsThatMeanNothingAreRefused(t *testing.T) {
	c := fresh(newClient(t, Options{Seed: 4}))
	c.must("POST", "/faults", `[{"op":"balance","kind":"500_before"}]`)
	for _, bad := range []string{
		`[{"op":"transfer","kind":"slow"}]`,
		`[{"op":"submit","kind":"explode"}]`,
		`[{"op":"submit","kind":"slow","seconds":-1}]`,
		`[{"op":"submit","kind":"slow","nth":[0]}]`,
		`[{"op":"submit","kind":"slow","sekonds":1}]`,
		`[{"op":"submit","kind":"slow"}] x`,
		`{"op":"submit","kind":"slow"}`,
		``,
	} {
		if status, _ := c.control("POST", "/faults", bad); status != 400 {
			t.Errorf("%s: HTTP %d", bad, status)
		}
	}
	if g := c.get(bankapi.PathBalance); g.status != 500 {
		t.Errorf("a refused list replaced the faults: HTTP %d", g.status)
	}
	for _, op := range operationNames() {
		c.must("POST", "/faults", fmt.Sprintf(`[{"op":%q,"kind":"slow","seconds":2}]`, op))
	}
}

// A slow answer is slow after the effect, and neither a client that gives up
// nor a server that closes waits for it.
func TestASlowAnswerHoldsNobody(t *testing.T) {
	c := fresh(newClient(t, Options{Seed: 4}))
	c.initiate(oneBatch("b", 3, onePayout("r1", "1.00")))
	c.must("POST", "/faults", `[{"op":"submit","kind":"slow","seconds":3600},{"op":"balance","kind":"slow","seconds":3600}]`)
	right := encode(t, c.submission("b"))

	ctx, giveUp := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, "POST", "http://"+c.ready.Addr+bankapi.PathTransferSubmit, strings.NewReader(string(right)))
	must(t, err)
	req.Header.Set("Authorization", c.authorization())
	req.Header.Set("Content-Type", "application/json")
	answered := make(chan error, 2)
	go func() { _, err := c.do(req); answered <- err }()
	for c.state().Batches[0].Submits == 0 { // the test's own deadline ends it
		continue
	}
	giveUp()
	if err := <-answered; err == nil {
		t.Error("an answer of an hour arrived")
	}

	go func() { _, err := c.try("GET", bankapi.PathBalance, nil); answered <- err }()
	for calls := 0; calls == 0; {
		c.s.faults.mu.Lock()
		calls = c.s.faults.calls["balance"]
		c.s.faults.mu.Unlock()
	}
	if err := c.s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if err := <-answered; err == nil {
		t.Error("an answer of an hour arrived after the server closed")
	}
}

// Trouble spoils some calls and not all: a client that keeps asking gets
// through, and the same seed spoils the same calls.
func TestTroubleIsRepeatableAndLetsThrough(t *testing.T) {
	const calls = 200
	kinds := func(seed int64) (got []string) {
		f := newFaults(dice{seed}, true)
		for range calls {
			got = append(got, f.next(operation{name: "status"}).Kind)
		}
		return got
	}
	first := kinds(1)
	if !slices.Equal(first, kinds(1)) {
		t.Error("the same seed spoiled other calls")
	}
	if slices.Equal(first, kinds(2)) {
		t.Error("another seed spoiled the same calls")
	}
	through, different := 0, map[string]bool{}
	for _, kind := range first {
		if kind == "" {
			through++
		}
		different[kind] = true
	}
	if through < calls*3/4 || through == calls || len(different) < 5 {
		t.Errorf("%d of %d calls went through, kinds %v", through, calls, different)
	}
	if f := newFaults(dice{1}, false); f.next(operation{name: "status"}).Kind != "" {
		t.Error("trouble without being asked for")
	}
}

// A bank may quote what it was sent in its refusal; trouble never does, it is
// what a network does.
func TestARefusalThatQuotesTheRequest(t *testing.T) {
	c := fresh(newClient(t, Options{Seed: 4}))
	for kind, status := range map[string]int{"400_echo": 400, "409_echo": 409} {
		c.must("POST", "/faults", fmt.Sprintf(`[{"op":"initiate","kind":%q}]`, kind))
		g := c.post(bankapi.PathTransferInitiate, `{"account":"123456789012"}`)
		if refused(t, g, status); !strings.Contains(string(g.raw), "123456789012") {
			t.Errorf("%s: %s", kind, g.raw)
		}
		if slices.Contains(faultKinds, kind) {
			t.Errorf("%s may come as trouble", kind)
		}
	}
}
