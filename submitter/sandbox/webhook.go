package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"
)

// Webhook is one hint that was sent (interface.md, "Events"). The interface shows neither event names nor
// shape, so a client can only take it as "ask now".
type Webhook struct {
	Event     string          `json:"event"`
	SentAt    time.Time       `json:"sent_at"`
	Body      json.RawMessage `json:"body"`
	Delivered bool            `json:"delivered"` // the receiver answered 2xx
}

const webhookTimeout = 5 * time.Second

// webhooksQueued bounds the queue. A receiver that falls further behind loses hints, as with any bank.
const webhooksQueued = 10_000

// announce queues a webhook for each batch whose payouts became final. The caller holds s.mu.
func (s *Server) announce() {
	if s.bank.options.WebhookURL == "" {
		return
	}
	for _, t := range s.bank.Batches {
		if !t.Announced && t.final() {
			t.Announced = true
			s.hint("payout", s.bank.transferAnswer(t, "status", s.bank.ordered(t, "status")))
		}
	}
}

// hint queues one webhook. It drops it if the queue is full or there is no receiver.
func (s *Server) hint(event string, data any) {
	if s.bank.options.WebhookURL == "" {
		return
	}
	body, err := json.Marshal(map[string]any{"event": event, "data": data})
	if err != nil {
		panic("sandbox: a webhook that cannot be encoded: " + err.Error()) // it holds only our own structs
	}
	h := &Webhook{Event: event, SentAt: s.bank.options.Now().UTC(), Body: body}
	select {
	case s.hints <- h:
		s.bank.Webhooks = append(s.bank.Webhooks, h)
	default:
	}
}

func (t *Batch) final() bool {
	open := func(p *Payout) bool { return !p.final() }
	return t.Submits > 0 && !slices.ContainsFunc(t.Payouts, open)
}

// deliverWebhooks sends the queued webhooks one after another, each once, until ctx is done.
func (s *Server) deliverWebhooks(ctx context.Context) {
	client := &http.Client{
		Timeout:       webhookTimeout,
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	for {
		select {
		case h := <-s.hints:
			if post(ctx, client, s.bank.options.WebhookURL, h.Body) {
				_ = s.change(func(*bank) { h.Delivered = true })
			}
		case <-ctx.Done():
			return
		}
	}
}

func post(ctx context.Context, client *http.Client, url string, body []byte) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return false
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode/100 == 2
}
