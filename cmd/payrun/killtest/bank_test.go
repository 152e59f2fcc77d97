//go:build unix

package killtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// bank is a sandbox process and its control listener.
type bank struct {
	t     *testing.T
	cmd   *exec.Cmd
	ready struct {
		Addr      string `json:"addr"`
		Control   string `json:"control"`
		AccessKey string `json:"access_key"`
		SecretKey string `json:"secret_key"`
	}
}

// fault as POST /faults takes it.
type fault struct {
	Op      string  `json:"op"`
	Nth     []int   `json:"nth,omitempty"`
	Kind    string  `json:"kind"`
	Seconds float64 `json:"seconds,omitempty"`
}

// truth is what the bank did: the part of GET /state that is compared. What the
// sandbox itself calls paid twice is by wire reference; paidTwice counts payouts.
type truth struct {
	Batches []truthBatch `json:"batches"`
}

type truthBatch struct {
	ID      string        `json:"merchant_transfer_batch_id"`
	Submits int           `json:"submits"`
	Payouts []truthPayout `json:"payouts"`
}

type truthPayout struct {
	Ref      string `json:"merchant_txn_ref_id"`
	Amount   string `json:"amount"`
	Executed int    `json:"executed"`
	Returned int    `json:"returned"`
}

// openBank starts a sandbox that ends with the test.
func openBank(t *testing.T, seed int64, args ...string) *bank {
	t.Helper()
	b := &bank{t: t}
	cmd := exec.Command(payrun, append([]string{"sandbox", "--json", "--addr", "127.0.0.1:0", "--seed", strconv.FormatInt(seed, 10)}, args...)...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+os.DevNull) // `payrun sandbox fail` of who runs the tests leads to their own sandbox
	out, err := cmd.StdoutPipe()
	must(t, err)
	b.cmd = cmd
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGCONT)
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the sandbox ended with %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatalf("the sandbox did not say where it listens: %v", err)
	}
	must(t, json.Unmarshal(line, &b.ready))
	return b
}

// freeze stops the bank: connections are taken by the system and no one answers.
func (b *bank) freeze() { b.signal(syscall.SIGSTOP) }

func (b *bank) thaw() { b.signal(syscall.SIGCONT) }

func (b *bank) signal(s syscall.Signal) {
	b.t.Helper()
	must(b.t, b.cmd.Process.Signal(s))
}

// control makes one request to the control listener.
func (b *bank) control(method, path string, in, out any) {
	b.t.Helper()
	body, err := json.Marshal(in)
	must(b.t, err)
	r, err := http.NewRequest(method, "http://"+b.ready.Control+path, bytes.NewReader(body))
	must(b.t, err)
	answer, err := http.DefaultClient.Do(r)
	must(b.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		b.t.Fatalf("%s %s: %s, %v", method, path, answer.Status, err)
	}
	if out == nil {
		return
	}
	if err := json.Unmarshal(text, out); err != nil {
		b.t.Fatalf("%s %s: %v", method, path, err)
	}
}

func (b *bank) state() truth {
	b.t.Helper()
	var s truth
	b.control(http.MethodGet, "/state", nil, &s)
	return s
}

// faults replaces the faults; none clears them.
func (b *bank) faults(list ...fault) {
	b.t.Helper()
	if list == nil {
		list = []fault{}
	}
	b.control(http.MethodPost, "/faults", list, nil)
}

// settle moves every submitted payout on one step.
func (b *bank) settle() {
	b.t.Helper()
	b.control(http.MethodPost, "/settle", nil, nil)
}

func (b *bank) outcomes(byRef map[string]string) {
	b.t.Helper()
	b.control(http.MethodPost, "/outcomes", byRef, nil)
}

// otp is what came to the registered mobile.
func (b *bank) otp(batchID string) (otp, token string) {
	b.t.Helper()
	var message struct {
		OTP   string `json:"otp"`
		Token string `json:"transaction_token"`
	}
	b.control(http.MethodGet, "/otp?batch="+batchID, nil, &message)
	return message.OTP, message.Token
}

// paidTwice names the payouts that were executed more than once and did not come
// back, each over all its references and no matter whose ledger sent them.
func (s truth) paidTwice() []string {
	paid := map[string]int{}
	for _, b := range s.Batches {
		for _, p := range b.Payouts {
			own, _, _ := strings.Cut(p.Ref, "-R")
			paid[own] += p.Executed - p.Returned
		}
	}
	maps.DeleteFunc(paid, func(_ string, n int) bool { return n <= 1 })
	return slices.Sorted(maps.Keys(paid))
}

// batches counts the batches the bank took, and submits the submits.
func (s truth) batches() int { return len(s.Batches) }

func (s truth) submits() int {
	n := 0
	for _, b := range s.Batches {
		n += b.Submits
	}
	return n
}

// summary is what must not change while nothing is sent.
func (s truth) summary() string {
	return fmt.Sprintf("%d batches, %d submits", s.batches(), s.submits())
}
