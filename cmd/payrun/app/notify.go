package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"

	"payrun/cmd/payrun/ping"
	"payrun/ledger"
)

// notice is the payrun.notify/v1 document: what waits and for which role, without a name or an account number.
type notice struct {
	Schema      string           `json:"schema"`
	At          time.Time        `json:"at"`
	Environment string           `json:"environment"`
	Attention   ledger.Attention `json:"attention"` // or an error code
	Role        ledger.Role      `json:"role"`
	Count       int              `json:"count"` // of batches
	Total       string           `json:"total"` // rupees
	Words       string           `json:"words"`
}

// notifyWithin is the longest time that a use case waits for [notify].
const notifyWithin = 10 * time.Second

// waits returns the batches that need a person, by what they need; nil if no one is notified.
func (o *operation) waits(ctx context.Context) (map[ledger.Attention][]ledger.Batch, error) {
	if o.set.Notify.Command == "" && o.set.Notify.URL == "" {
		return nil, nil
	}
	s, err := o.status(ctx)
	return s.needing(), err
}

// notify reports what started to wait for a person during a use case, and a grave error at its end. If
// a notification fails, it only warns: the work is done.
func (o *operation) notify(ctx context.Context, before map[ledger.Attention][]ledger.Batch, ended error) {
	if before == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), notifyWithin)
	defer cancel()
	after, err := o.waits(ctx)
	var notices []notice
	add := func(kind ledger.Attention, role ledger.Role, t ledger.Tally, words string) {
		notices = append(notices, notice{"payrun.notify/v1", o.env.Now().UTC(), o.set.Environment, kind, role, t.Count, t.Total.String(), words})
	}
	for _, row := range ledger.Attentions() {
		kind, known := row.Kind, map[string]bool{}
		for _, id := range ids(before[row.Kind]) {
			known[id] = true
		}
		if slices.ContainsFunc(after[kind], func(b ledger.Batch) bool { return !known[b.ID] }) {
			t := totalOf(after[kind])
			add(kind, cmp.Or(turns[kind].Role, ledger.RolePay), t, fmt.Sprintf("%s: %s, %s", row.Title, ledger.CountedBatches(t.Count), t.Total.Rupees()))
		}
	}
	if e := Worst(ended); e != nil && (e.Code == OutcomeUnknown || OfTheLedger(ended)) {
		add(ledger.Attention(e.Code), ledger.RoleAdmin, ledger.Tally{}, "payrun ended with "+string(e.Code))
	}
	for _, n := range notices {
		if err == nil {
			err = o.deliver(ctx, n)
		}
	}
	if err != nil {
		o.warn("the notification failed: %v", err)
	}
}

func (o *operation) deliver(ctx context.Context, n notice) error {
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if command := o.set.Notify.Command; command != "" {
		cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
		cmd.Stdin, cmd.Stderr, cmd.Env = bytes.NewReader(text), o.env.Stderr, withoutKeys(os.Environ())
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("notify.command: %w", err)
		}
	}
	if o.set.Notify.URL == "" {
		return nil
	}
	to, err := ping.New(o.set.Notify.URL, o.proxy(o.call))
	if err == nil {
		err = to.Post(ctx, text)
	}
	if err != nil {
		return fmt.Errorf("notify.url: %w", err)
	}
	return nil
}
