// Package ping reports to a watcher on another machine that a run began and how it ended, in the way
// of healthchecks.io: GET ADDRESS/start, then ADDRESS/EXITCODE. A watcher that hears nothing raises
// the alarm, so nothing here may keep a run from its work or change how it ends.
//
// The address is a secret: who has it can report that all is well. It is in no error.
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

// How long to wait for the watcher, and how often to report the end.
const (
	timeout  = 5 * time.Second
	endTries = 2
)

// Watcher gets the reports. The nil Watcher gets none.
type Watcher struct {
	address *url.URL
	client  *http.Client
}

// New returns the watcher at an address, nil for "". proxy is asked to connect;
// nil for none, whatever the environment says.
func New(address string, proxy *url.URL) (*Watcher, error) {
	if address == "" {
		return nil, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, errors.New("the address is none") // the error would repeat it
	}
	transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}}
	if proxy != nil {
		transport.Proxy = http.ProxyURL(proxy)
	}
	return &Watcher{u, &http.Client{
		Transport: transport, Timeout: timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // its target is not ours to tell
	}}, nil
}

// Began tells that a run began.
func (w *Watcher) Began(ctx context.Context) error { return w.tell(ctx, "start") }

// Ended reports the exit code. It does so also if ctx is over: that is when a person has to hear of
// it.
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
		return withoutAddress(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return fmt.Errorf("the watcher answered %d", resp.StatusCode)
	}
	return nil
}

// withoutAddress takes the address out of an error of the HTTP client.
func withoutAddress(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}
