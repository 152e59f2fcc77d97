// Package ping reports to a watcher on another machine that a run began and how it ended, as
// healthchecks.io expects it: GET ADDRESS/start, then ADDRESS/EXITCODE. The watcher raises an alarm if
// it hears nothing. So a problem here must not delay a run or change how it ends.
//
// The address is a secret: anyone who has it can report success. No error contains it.
package ping

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// How long to wait for the watcher, and how many times to try to report the end.
const (
	timeout  = 5 * time.Second
	endTries = 2
)

// Watcher sends the reports. A nil Watcher sends none.
type Watcher struct {
	address *url.URL
	client  *http.Client
}

// New returns the watcher at an address; nil for "". It connects through proxy; nil for
// none, even if the environment names one.
func New(address string, proxy *url.URL) (*Watcher, error) {
	if address == "" {
		return nil, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, errors.New("the address is none") // url.Parse's error would repeat it
	}
	transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}}
	if proxy != nil {
		transport.Proxy = http.ProxyURL(proxy)
	}
	return &Watcher{u, &http.Client{
		Transport: transport, Timeout: timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // not ours to tell
	}}, nil
}

// Began reports that a run began.
func (w *Watcher) Began(ctx context.Context) error { return w.tell(ctx, "start") }

// Ended reports the exit code, even if ctx has ended: then most of all a person has to know.
func (w *Watcher) Ended(ctx context.Context, exit int) (err error) {
	for range endTries {
		if err = w.tell(context.WithoutCancel(ctx), strconv.Itoa(exit)); err == nil {
			return nil
		}
	}
	return err
}

func (w *Watcher) tell(ctx context.Context, what string) error {
	if w == nil {
		return nil
	}
	return w.send(ctx, http.MethodGet, w.address.JoinPath(what).String(), nil)
}

// Post sends a JSON document to the address itself.
func (w *Watcher) Post(ctx context.Context, document []byte) error {
	return w.send(ctx, http.MethodPost, w.address.String(), bytes.NewReader(document))
}

func (w *Watcher) send(ctx context.Context, method, address string, body io.Reader) error {
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return errors.New("the address is none")
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return errors.Unwrap(err) // a *url.Error, which names the address
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return fmt.Errorf("the watcher answered %d", resp.StatusCode)
	}
	return nil
}
