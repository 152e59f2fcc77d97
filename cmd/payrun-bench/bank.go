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
func (d *desk) atBank() (*bank, error) {
	k := &bank{b: d.b, cmd: exec.Command(d.b.bin, "sandbox", "--addr", "127.0.0.1:0", "--seed", "1", "--json", "--quiet")}
	out, err := k.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := k.cmd.Start(); err != nil {
		return nil, err
	}
	d.b.banks = append(d.b.banks, k)
	if err := json.NewDecoder(out).Decode(k); err != nil {
		return nil, err
	}
	d.with = k.cmd.Process.Pid
	os.Setenv("PAYRUN_ACCESS_KEY", k.Access)
	os.Setenv("PAYRUN_SECRET_KEY", k.Secret)
	return k, d.set("base_url", `"http://`+k.Addr+`"`, "requests_per_second", "1000000", "held_at_once", "0")
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
func (k *bank) slow(latency time.Duration) error {
	faults, err := json.Marshal([]map[string]any{{"op": "status", "kind": "slow", "seconds": latency.Seconds()}})
	if err != nil {
		return err
	}
	return k.ask(http.MethodPost, "/faults", faults, nil)
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
func (k *bank) initiate(d *desk, batches ...string) (otps string, n int, err error) {
	if len(batches) == 0 {
		batches = []string{"--all"}
	}
	var done initiated
	if _, err := d.document(&done, []int{needsPerson}, append([]string{"initiate", "--yes"}, batches...)...); err != nil {
		return "", 0, err
	}
	var file bytes.Buffer
	fmt.Fprintln(&file, "merchant_transfer_batch_id,otp,transaction_token")
	for _, batch := range done.Batches {
		var sms struct {
			OTP   string `json:"otp"`
			Token string `json:"transaction_token"`
		}
		if err := k.ask(http.MethodGet, "/otp?batch="+batch.ID, nil, &sms); err != nil {
			return "", 0, err
		}
		fmt.Fprintf(&file, "%s,%s,%s\n", batch.ID, sms.OTP, sms.Token)
	}
	otps = filepath.Join(d.dir, "otps.csv")
	return otps, len(done.Batches), os.WriteFile(otps, file.Bytes(), 0o600)
}

// submit enters the OTPs of a file.
func (k *bank) submit(d *desk, otps string) (usage, error) {
	return d.ends([]int{stillOpen}, "submit", "--otp-file", otps, "--yes", "--quiet")
}

// settle lets the bank pay everything, and payrun see it.
func (k *bank) settle(d *desk) error {
	for {
		var left struct{ Open int }
		if err := k.ask(http.MethodPost, "/settle", nil, &left); err != nil {
			return err
		}
		if left.Open == 0 {
			break
		}
	}
	const failed = 13
	_, err := d.ends([]int{failed, stillOpen}, "poll", "--quiet")
	return err
}

// ask calls the control listener.
func (k *bank) ask(method, path string, body []byte, into any) error {
	req, err := http.NewRequest(method, "http://"+k.Control+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("the sandbox's control listener answers %s to %s: %s", resp.Status, path, answer)
	}
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(answer, into)
}
