package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"payrun/cmd/payrun/config"
	"payrun/submitter/sandbox"
)

// environmentOf points a program at a bank, with its configuration and state in the folder.
func environmentOf(bank sandbox.Ready, baseURL, dir string) map[string]string {
	return map[string]string{
		"PAYRUN_CONFIG": filepath.Join(dir, config.Name), "PAYRUN_BASE_URL": baseURL, "XDG_STATE_HOME": dir,
		"PAYRUN_ACCESS_KEY": bank.AccessKey, "PAYRUN_SECRET_KEY": bank.SecretKey,
	}
}

// A webhook of the sandbox makes payrun look its batch up, at once and by
// itself; what else is in it counts for nothing.
func TestAWebhookHasTheBankAsked(t *testing.T) {
	t.Parallel()
	hooks := make(chan []byte, 10)
	relay := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		hooks <- b
	}))
	defer relay.Close()
	bank, err := sandbox.Start(t.Context(), sandbox.Options{Seed: 1, Now: time.Now, WebhookURL: relay.URL})
	must(t, err)
	defer bank.Close()
	dir := t.TempDir()
	for name, text := range map[string]string{config.Name: quickConfig(), "nov.csv": "Reference,Beneficiary Name,Account Number,IFSC Code,Amount,Debit Account\n" +
		"INV-1,Asha Traders,123456789012,HDFC0001234,100.00,pb3\n"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	run := func(ctx context.Context, out io.Writer, args ...string) int {
		w := worldOf(out, io.Discard, environmentOf(bank.Ready(), "http://"+bank.Ready().Addr, dir))
		return newProgram(w).main(ctx, append([]string{"payrun"}, args...))
	}
	is := func(want int, args ...string) {
		t.Helper()
		var out bytes.Buffer
		if got := run(t.Context(), &out, args...); got != want {
			t.Fatalf("%v: exit %d, want %d\n%s", args, got, want, &out)
		}
	}
	is(exitDone, "init")
	is(exitDone, "load", filepath.Join(dir, "nov.csv"))
	is(exitPerson, "initiate", "--all", "--yes")
	id := bank.State().Batches[0].BatchID
	otp, token, _ := bank.OTP(id)
	otps := filepath.Join(dir, "otps.csv")
	must(t, os.WriteFile(otps, []byte("merchant_transfer_batch_id,otp,transaction_token\n"+id+","+otp+","+token+"\n"), 0o600))
	is(exitOpen, "submit", "--otp-file", otps)

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, outW := io.Pipe()
	end := make(chan int, 1)
	go func() { end <- run(ctx, outW, "listen", "--addr", "127.0.0.1:0", "--json"); outW.Close() }()
	lines := bufio.NewScanner(out)
	next := func(into any) {
		t.Helper()
		if !lines.Scan() || json.Unmarshal(lines.Bytes(), into) != nil {
			t.Fatalf("a line that is none: %q", lines.Text())
		}
	}
	var ready struct{ Schema, Addr string }
	if next(&ready); ready.Schema != "payrun.listen/v1" {
		t.Fatalf("%+v", ready)
	}
	answers := func(want int, method string, body []byte) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+ready.Addr+"/anything", bytes.NewReader(body))
		must(t, err)
		resp, err := http.DefaultClient.Do(r)
		must(t, err)
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s of %d bytes: HTTP %d, want %d", method, len(body), resp.StatusCode, want)
		}
	}
	answers(http.StatusMethodNotAllowed, http.MethodGet, nil)
	answers(http.StatusRequestEntityTooLarge, http.MethodPost, bytes.Repeat([]byte(id+" "), 10_000))
	answers(http.StatusAccepted, http.MethodPost, []byte(`{"merchant_transfer_batch_id":"pr`+strings.Repeat("a", 26)+`","status":"success"}`))
	answers(http.StatusAccepted, http.MethodPost, []byte("no JSON at all \x00\xff"))

	var hook []byte
	for hook == nil {
		bank.Settle()
		select {
		case hook = <-hooks:
		case <-time.After(100 * time.Millisecond):
		}
	}
	answers(http.StatusAccepted, http.MethodPost, hook)
	var polled struct {
		Schema  string
		Batches []struct{ ID, State string }
	}
	if next(&polled); polled.Schema != "payrun.poll/v1" || len(polled.Batches) != 1 || polled.Batches[0].ID != id || polled.Batches[0].State != "settled" {
		t.Errorf("the first poll: %+v", polled)
	}
	stop()
	if code := <-end; code != exitDone {
		t.Errorf("exit %d", code)
	}
}

// Who rehearses sees the OTP on the terminal of the sandbox, and a program that
// reads its documents does not.
func TestTheSandboxShowsTheSMS(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, outW := io.Pipe()
	errs, errW := io.Pipe()
	w := worldOf(outW, errW, nil)
	end := make(chan int)
	go func() {
		code := newProgram(w).main(ctx, []string{"payrun", "sandbox", "--addr", "127.0.0.1:0", "--json"})
		outW.Close()
		end <- code
	}()
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	must(t, err)
	var ready struct {
		Addr      string `json:"addr"`
		AccessKey string `json:"access_key"`
		SecretKey string `json:"secret_key"`
	}
	must(t, json.Unmarshal([]byte(line), &ready))
	go func() {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+ready.Addr+"/v1/connected_banking/beneficiary/initiate", strings.NewReader(
			`{"sub_merchant_id":"sm_0001","bank_account_id":"a0000000-0000-4000-8000-000000000112","vendor_name":"Rao","bank_account_number":"123456789012","ifsc":"HDFC0001234"}`))
		if err != nil {
			return
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+ready.AccessKey+":"+ready.SecretKey)
		if resp, err := http.DefaultClient.Do(r); err == nil {
			resp.Body.Close()
		}
	}()
	sms, err := bufio.NewReader(errs).ReadString('\n')
	if err != nil || !strings.HasPrefix(sms, "SMS to 90XXXXXXXX: OTP ") {
		t.Errorf("%q, %v", sms, err)
	}
	stop()
	if rest, err := io.ReadAll(lines); err != nil || len(rest) > 0 {
		t.Errorf("standard output has %q, %v", rest, err)
	}
	if code := <-end; code != exitDone {
		t.Errorf("exit %d", code)
	}
}
