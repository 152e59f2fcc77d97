package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// bank is `payrun sandbox` in a process of its own.
type bank struct {
	b       *bench
	cmd     *exec.Cmd
	Addr    string `json:"addr"`
	Control string `json:"control"`
	Access  string `json:"access_key"`
	Secret  string `json:"secret_key"`
}

// atBank gives a desk a bank to talk to, without the limits that spare a real one.
func (d *desk) atBank() *bank {
	k := &bank{b: d.b, cmd: exec.Command(d.b.bin, "sandbox", "--addr", "127.0.0.1:0", "--seed", "1", "--json", "--quiet")}
	out := must(k.cmd.StdoutPipe())
	fine(k.cmd.Start())
	d.b.banks = append(d.b.banks, k)
	fine(json.NewDecoder(out).Decode(k))
	d.with = k.cmd.Process.Pid
	os.Setenv("PAYRUN_ACCESS_KEY", k.Access)
	os.Setenv("PAYRUN_SECRET_KEY", k.Secret)
	d.set("base_url", `"http://`+k.Addr+`"`, "requests_per_second", "1000000", "held_at_once", "0")
	return k
}

func (k *bank) stop() {
	if k.cmd == nil || k.cmd.Process == nil {
		return
	}
	_ = k.cmd.Process.Signal(syscall.SIGTERM)
	_ = k.cmd.Wait()
	k.cmd = nil
}

// slow lets every status come so late.
func (k *bank) slow(latency time.Duration) {
	faults := must(json.Marshal([]map[string]any{{"op": "status", "kind": "slow", "seconds": latency.Seconds()}}))
	k.ask(http.MethodPost, "/faults", faults, nil)
}

// initiated are the batches that an initiate left held.
type initiated struct {
	Batches []struct{ ID, State string }
}

const (
	needsPerson = 12 // exit codes, as documented: an OTP is waited for,
	stillOpen   = 14 // and the bank has not settled everything
)

// initiate sends batches, or every planned one, and has their OTPs in a file.
func (k *bank) initiate(d *desk, batches ...string) (otps string) {
	if len(batches) == 0 {
		batches = []string{"--all"}
	}
	var done initiated
	d.document(&done, []int{needsPerson}, append([]string{"initiate", "--yes"}, batches...)...)
	var file bytes.Buffer
	fmt.Fprintln(&file, "merchant_transfer_batch_id,otp,transaction_token")
	for _, batch := range done.Batches {
		var sms struct {
			OTP   string `json:"otp"`
			Token string `json:"transaction_token"`
		}
		k.ask(http.MethodGet, "/otp?batch="+batch.ID, nil, &sms)
		fmt.Fprintf(&file, "%s,%s,%s\n", batch.ID, sms.OTP, sms.Token)
	}
	otps = filepath.Join(d.dir, "otps.csv")
	fine(os.WriteFile(otps, file.Bytes(), 0o600))
	return otps
}

// submit enters the OTPs of a file.
func (k *bank) submit(d *desk, otps string) usage {
	return d.ends([]int{stillOpen}, "submit", "--otp-file", otps, "--yes", "--quiet")
}

// settle lets the bank pay everything, and payrun see it.
func (k *bank) settle(d *desk) {
	for {
		var left struct{ Open int }
		k.ask(http.MethodPost, "/settle", nil, &left)
		if left.Open == 0 {
			break
		}
	}
	const failed = 13
	d.ends([]int{failed, stillOpen}, "poll", "--quiet")
}

// ask calls the control listener.
func (k *bank) ask(method, path string, body []byte, into any) {
	req := must(http.NewRequest(method, "http://"+k.Control+path, bytes.NewReader(body)))
	resp := must(http.DefaultClient.Do(req))
	defer resp.Body.Close()
	answer := must(io.ReadAll(resp.Body))
	if resp.StatusCode != http.StatusOK {
		fine(fmt.Errorf("the sandbox's control listener answers %s to %s: %s", resp.Status, path, answer))
	}
	if into != nil {
		fine(json.Unmarshal(answer, into))
	}
}
