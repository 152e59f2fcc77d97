package sandbox

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// receiver takes webhooks and hands their bodies on.
func receiver(t *testing.T, status int) (url string, received <-chan []byte) {
	bodies := make(chan []byte, 10)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		w.WriteHeader(status)
		bodies <- raw
	}))
	t.Cleanup(srv.Close)
	return srv.URL, bodies
}

func (c *client) webhooks() (sent []Webhook) {
	c.t.Helper()
	must(c.t, json.Unmarshal([]byte(c.must("GET", "/webhooks", "")), &sent))
	if sent == nil {
		c.t.Fatal("want an array, got null")
	}
	return sent
}

func TestAWebhookComesWhenABatchIsFinalAndAgainWhenAPayoutComesBack(t *testing.T) {
	url, received := receiver(t, http.StatusNoContent)
	c := bulk(t, Options{Seed: 6, WebhookURL: url}, 3, map[string]string{"r-001": "failed"})
	if n := len(c.webhooks()); n != 0 {
		t.Errorf("%d webhooks before the batch is final", n)
	}
	c.settle(6)
	body := <-received
	sent := c.webhooks()
	if len(sent) != 1 || sent[0].Event != "payout" || string(sent[0].Body) != string(body) {
		t.Errorf("sent %+v, received %s", sent, body)
	}
	c.settle(3)
	if n := len(c.webhooks()); n != 1 {
		t.Errorf("%d webhooks for one final batch", n)
	}
	c.must("POST", "/outcomes", `{"r-002":"returned"}`)
	c.settle(1)
	<-received
	if n := len(c.webhooks()); n != 2 {
		t.Errorf("%d webhooks after a return", n)
	}
	for len(c.webhooks()) != 2 || !c.webhooks()[1].Delivered { // the test's own deadline ends it
		continue
	}
}

func TestAReceiverThatFailsHoldsNobodyUp(t *testing.T) {
	url, received := receiver(t, http.StatusInternalServerError)
	c := bulk(t, Options{Seed: 6, WebhookURL: url}, 1, nil)
	c.settle(6)
	<-received
	if sent := c.webhooks(); len(sent) != 1 || sent[0].Delivered {
		t.Errorf("sent %+v", sent)
	}
}

func TestWithoutAURLThereAreNoWebhooks(t *testing.T) {
	c := bulk(t, Options{Seed: 6}, 1, nil)
	c.settle(6)
	if n := len(c.webhooks()); n != 0 {
		t.Errorf("%d webhooks", n)
	}
}
