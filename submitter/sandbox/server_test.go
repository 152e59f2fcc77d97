package sandbox

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/submitter/bankapi"
)

func TestTheReadyLineIsThatOfTheContract(t *testing.T) {
	c := newClient(t, Options{Seed: 4})
	raw, err := json.Marshal(c.ready)
	must(t, err)
	var line map[string]any
	must(t, json.Unmarshal(raw, &line))
	wantKeys(t, line, "schema", "addr", "control", "access_key", "secret_key", "sub_merchant_id", "accounts", "seed")
	wantKeys(t, line["accounts"].([]any)[0].(map[string]any), "bank_account_id", "partner_bank_id", "kind")
	if line["schema"] != "payrun.sandbox/v1" {
		t.Errorf("schema %v", line["schema"])
	}
	for _, addr := range []string{c.ready.Addr, c.ready.Control} {
		if host, port, err := net.SplitHostPort(addr); err != nil || host != "127.0.0.1" || port == "0" {
			t.Errorf("address %s", addr)
		}
	}
}

func TestWithoutASeedEverySandboxIsAnother(t *testing.T) {
	a, b := newClient(t, Options{}), newClient(t, Options{})
	if a.ready.Seed == 0 || a.ready.Seed == b.ready.Seed || a.ready.SecretKey == b.ready.SecretKey || a.ready.AccessKey == b.ready.AccessKey {
		t.Error("two sandboxes share a seed or a key")
	}
	if again := newClient(t, Options{Seed: a.ready.Seed}); again.s.bank.reading != a.s.bank.reading {
		t.Error("the seed of the ready line does not bring the reading back")
	}
}

func TestStartRefuses(t *testing.T) {
	taken := newClient(t, Options{Seed: 4})
	damaged := filepath.Join(t.TempDir(), "state.json")
	must(t, os.WriteFile(damaged, []byte(`{"schema":"payrun.sandbox.book/v2"`), 0o600))
	other := filepath.Join(t.TempDir(), "other.json")
	must(t, os.WriteFile(other, []byte(`{"schema":"payrun.sandbox.book/v1"}`), 0o600))
	if s, err := Start(t.Context(), Options{}); err == nil {
		t.Error("no clock: started")
		_ = s.Close()
	}
	for name, o := range map[string]Options{
		"an address that is taken":                   {Addr: taken.ready.Addr},
		"a webhook URL without a host":               {WebhookURL: "http://"},
		"a webhook URL of another scheme":            {WebhookURL: "file:///etc/hosts"},
		"a damaged state file":                       {StateFile: damaged},
		"a state file of another version":            {StateFile: other},
		"a state file in a folder that is not there": {StateFile: filepath.Join(t.TempDir(), "no", "state.json")},
	} {
		o.Now = time.Now
		s, err := Start(t.Context(), o)
		if err == nil {
			t.Errorf("%s: started", name)
			_ = s.Close()
		}
	}
}

func TestItStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := Start(ctx, Options{Now: time.Now, Seed: 4, SettleEvery: 1})
	must(t, err)
	cancel()
	s.running.Wait() // the listeners, the ticker and the webhooks end by themselves
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if conn, err := net.Dial("tcp", s.Ready().Addr); err == nil {
		_ = conn.Close()
		t.Error("still listening")
	}
}

// everything calls the sandbox as a client might and returns each answer
// without its timestamp, and the state at the end.
func everything(t *testing.T, c *client) (answers []string, end State) {
	t.Helper()
	add := func(g got) {
		g.env.Meta.Timestamp = ""
		raw, err := json.Marshal(g.env)
		must(t, err)
		answers = append(answers, string(raw))
	}
	must(t, c.s.SetOutcomes(map[string]string{"r-001": "failed", "r-002": "returned", "r-003": "unknown:X"}))
	status := func() {
		add(c.get(bankapi.PathTransfer, "merchant_transfer_batch_id", "b", "limit", "9"))
		add(c.get(bankapi.PathTransfer, "merchant_transfer_batch_id", "no such", "limit", "101"))
	}
	add(c.get(bankapi.PathBankAccounts, "limit", "4"))
	add(c.get(bankapi.PathSubMerchants))
	add(c.post(bankapi.PathTransferInitiate, oneBatch("b", 1, manyPayouts("r", 20)...)))
	add(c.post(bankapi.PathTransferInitiate, oneBatch("b", 1, manyPayouts("r", 20)...)))
	status()
	add(c.post(bankapi.PathTransferSubmit, c.submission("b").with("otp", "no")))
	add(c.post(bankapi.PathTransferSubmit, c.submission("b")))
	for range 6 {
		status()
		c.settle(1)
	}
	add(c.get(bankapi.PathBalance))
	return answers, c.state()
}

func TestTheSameSeedGivesTheSameAnswers(t *testing.T) {
	distinct := map[string]bool{}
	for seed := int64(1); seed <= 6; seed++ {
		one, two := newClient(t, Options{Seed: seed}), newClient(t, Options{Seed: seed})
		first, firstEnd := everything(t, one)
		second, secondEnd := everything(t, two)
		if diff := cmp.Diff(first, second); diff != "" {
			t.Errorf("seed %d, answers (-first +second):\n%s", seed, diff)
		}
		if diff := cmp.Diff(firstEnd, secondEnd); diff != "" {
			t.Errorf("seed %d, state (-first +second):\n%s", seed, diff)
		}
		if one.ready.SecretKey != two.ready.SecretKey {
			t.Errorf("seed %d: other keys", seed)
		}
		distinct[strings.Join(first, "\n")] = true
	}
	if len(distinct) != 6 {
		t.Errorf("6 seeds gave %d different answers", len(distinct))
	}
}

// Every reading must come up among few seeds, or it is never met.
func TestEveryReadingIsMet(t *testing.T) {
	seen := map[string]map[string]bool{} // by field, its values
	for seed := int64(1); seed <= 64; seed++ {
		raw, err := json.Marshal(ReadingFor(seed, true))
		must(t, err)
		var fields map[string]json.RawMessage
		must(t, json.Unmarshal(raw, &fields))
		for name, value := range fields {
			if seen[name] == nil {
				seen[name] = map[string]bool{}
			}
			seen[name][string(value)] = true
		}
	}
	for name, values := range seen {
		want := 2
		switch name {
		case "order", "details", "used_status":
			want = 3
		case "unknown_status":
			want = 4
		case "numeric_amounts", "answers_as", "wrong_otp_status", "nameless_returns":
			want = 1 // the same of every seed
		}
		if len(values) != want {
			t.Errorf("%s: values met %v, want %d", name, values, want)
		}
	}
	for seed := int64(1); seed <= 64; seed++ {
		if r := ReadingFor(seed, false); r.RepeatsSubmit || r.HidesAmount || r.OTPTries != 0 {
			t.Errorf("seed %d has trouble without being asked for: %+v", seed, r)
		}
	}
}

func TestLatencyAnswersAllTheSame(t *testing.T) {
	c := newClient(t, Options{Seed: 4, Latency: 1})
	if g := c.get(bankapi.PathBalance); g.status != http.StatusOK {
		t.Errorf("HTTP %d", g.status)
	}
}
