package app

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"payrun/ledger"
)

// A new item that waits for a person is announced once, without a name or an account number.
func TestWhatBeginsToWaitIsTold(t *testing.T) {
	var got []notice
	heard := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		var n notice
		if err := json.Unmarshal(text, &n); err != nil || r.Method != http.MethodPost || strings.Contains(string(text), "Vendor") {
			t.Errorf("%s %s: %v", r.Method, text, err)
		}
		if got = append(got, n); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(heard.Close)
	file := filepath.Join(t.TempDir(), "notified")
	d := newDesk(t, `command = ""                                    # gets the`, `command = "cat >> `+file+`"   # gets the`,
		`url     = ""                                    # a secret; gets`, `url     = "`+heard.URL+`"    # a secret; gets`)
	d.load("asha", "INV-1", "INV-2")
	if len(got) != 1 || got[0].Attention != "planned" || got[0].Role != "pay" || got[0].Count == 0 || got[0].Total == "0.00" || got[0].Schema != "payrun.notify/v1" {
		t.Fatalf("%+v", got)
	}
	_, err := d.Initiate(t.Context(), Call{Actor: "asha"}, InitiateRequest{All: true})
	wantCode(t, "initiate", err, NeedsPerson)
	if len(got) != 2 || got[1].Attention != "otp_waiting" {
		t.Fatalf("%+v", got)
	}
	if _, err := d.Poll(t.Context(), Call{Actor: "asha"}, PollRequest{}); len(got) != 2 {
		t.Errorf("nothing began to wait: %+v, %v", got, err)
	}
	text, err := os.ReadFile(file)
	if err != nil || strings.Count(string(text), "payrun.notify/v1") != 2 {
		t.Errorf("%s, %v", text, err)
	}
}

// Another batch that begins to wait for the same is announced, though one of them waits no more.
func TestAnotherBatchThatBeginsToWaitIsTold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notified")
	d, asha := newDesk(t, `command = ""                                    # gets the`, `command = "cat >> `+file+`"   # gets the`), Call{Actor: "asha"}
	first, second := d.load("asha", "INV-1")[0], d.load("asha", "INV-2")[0]
	_, err := d.Initiate(t.Context(), asha, InitiateRequest{Batches: []string{first}})
	wantCode(t, "initiate", err, NeedsPerson)
	_, err = d.Run(t.Context(), asha, RunRequest{Prompt: entering(func(_ context.Context, asked Asked) (OTP, error) {
		if asked.Batch.ID == second {
			return OTP{}, ErrSkipped
		}
		return d.otp(first), nil
	})})
	wantCode(t, "run", err, NeedsPerson)
	if text, err := os.ReadFile(file); err != nil || strings.Count(string(text), `"otp_waiting"`) != 2 || d.state(second) != ledger.BatchHeld {
		t.Errorf("%s, %v", text, err)
	}
}

// A notice that cannot be delivered changes nothing of what was done.
func TestANoticeThatCannotBeDelivered(t *testing.T) {
	d := newDesk(t, `command = ""                                    # gets the`, `command = "exit 3"   # gets the`)
	if ids := d.load("asha", "INV-1"); len(ids) != 1 {
		t.Error(ids)
	}
}
