package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"payrun/ledger"
	"payrun/submitter/sandbox"
)

// SandboxOptions are the options of the bank to rehearse with.
type SandboxOptions = sandbox.Options

// SandboxSMS is a message from its bank to the registered mobile.
type SandboxSMS = sandbox.SMS

// SandboxReady says how to reach it: payrun.sandbox/v1.
type SandboxReady = sandbox.Ready

// Sandbox serves a bank to rehearse against, until ctx ends. It calls ready when it listens.
func (e Env) Sandbox(ctx context.Context, opt SandboxOptions, ready func(SandboxReady) error) error {
	s, err := sandbox.Start(ctx, opt)
	if err != nil {
		return Fail(Failed, "the sandbox cannot start: %v", err).Because(err).Then(Do("sandbox", "--addr", "127.0.0.1:0").Which("takes a free port"))
	}
	if path := e.statePath("sandbox"); path != "" && os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		_ = os.WriteFile(path, []byte(s.Ready().Control+"\n"), 0o600) // Rehearse reads it; if not, --control names it
	}
	if err := ready(s.Ready()); err != nil {
		return errors.Join(err, s.Close())
	}
	<-ctx.Done()
	return s.Close()
}

// Rehearsal is a command to a sandbox and, once done, payrun.rehearsal/v1.
type Rehearsal struct {
	Control string `json:"control"`        // HOST:PORT of its control listener; "" for this user's last sandbox
	Do      string `json:"did"`            // settle, fail, return or lose-answer
	Ref     string `json:"ref,omitempty"`  // of the payout to fail or return
	Open    *int   `json:"open,omitempty"` // payouts that are still open, after settle
}

// Rehearse commands a running sandbox. It connects to loopback only: a real bank has no such listener.
func (e Env) Rehearse(ctx context.Context, r Rehearsal) (Rehearsal, error) {
	if r.Control == "" {
		last, _ := os.ReadFile(e.statePath("sandbox"))
		if r.Control = strings.TrimSpace(string(last)); r.Control == "" {
			return r, Fail(Usage, "no sandbox of this user is known").Then(Do("sandbox").Which("starts one"), Say("or name its control listener: --control HOST:PORT"))
		}
	}
	if at, err := netip.ParseAddrPort(r.Control); err != nil || !at.Addr().Unmap().IsLoopback() {
		return r, Fail(Usage, "--control %s: want the HOST:PORT that payrun sandbox shows, on this machine", r.Control)
	}
	path, body := "/settle", any(nil)
	switch r.Do {
	case "fail":
		path, body = "/outcomes", map[string]string{r.Ref: "failed"}
	case "return":
		path, body = "/outcomes", map[string]string{r.Ref: "returned"}
	case "lose-answer":
		path, body = "/faults", []sandbox.Fault{sandbox.LostAnswer()}
	}
	err := tellSandbox(ctx, "http://"+r.Control+path, body, &r)
	return r, err
}

// tellSandbox posts to the control listener of a sandbox and decodes its answer.
func tellSandbox(ctx context.Context, url string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return err
	}
	client := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{}} // without a proxy
	resp, err := client.Do(req)
	if err != nil {
		return Fail(BankUnanswered, "the sandbox does not answer: %v", err).Because(err).Then(Do("sandbox").Which("starts one"))
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", resp.Status, strings.TrimSpace(string(answer)))
	}
	if err == nil {
		err = json.Unmarshal(answer, into)
	}
	if err != nil {
		return Fail(Failed, "the sandbox refused: %s", ledger.Plain(err.Error())).Because(err)
	}
	return nil
}
