package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

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
