package app

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"payrun/ledger"
)

// maxOTPOutput bounds what otp.command may print.
const maxOTPOutput = 4 << 10

// commandPrompt is the OTPPrompt of otp.command.
type commandPrompt struct{ *operation }

// Ended shows nothing: the results come at the end.
func (commandPrompt) Ended(Result) {}

// Close ends nothing.
func (commandPrompt) Close() error { return nil }

// Enter runs the command, which prints "OTP [TOKEN]". It gets the id of the
// batch and none of our keys; what it printed appears nowhere.
func (o commandPrompt) Enter(ctx context.Context, asked Asked) (OTP, error) {
	b := asked.Batch
	if limit := o.set.OTP.Window.Std(); limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", o.set.OTP.Command)
	cmd.Stdout, cmd.Stderr = &limited{w: &out, left: maxOTPOutput}, o.env.Stderr
	cmd.Env = append(withoutKeys(os.Environ()), "PAYRUN_BATCH_ID="+b.ID)
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return OTP{}, fmt.Errorf("otp.command for batch %s: %w", b.ID, err)
	}
	words := strings.Fields(out.String())
	if len(words) == 0 {
		return OTP{}, ErrSkipped
	}
	if why := OTPWrong(ledger.DebitAccount{}, words[0]); why != "" {
		return OTP{}, fmt.Errorf("otp.command for batch %s gave what cannot be an OTP; nothing was sent. %s", b.ID, why)
	}
	entry := OTP{BatchID: b.ID, OTP: ledger.NewSecret(words[0])}
	if len(words) > 1 {
		entry.Token = ledger.NewSecret(words[1])
	}
	return entry, nil
}

// withoutKeys drops the credentials from an environment.
func withoutKeys(env []string) []string {
	var out []string
	for _, v := range env {
		if !strings.HasPrefix(v, "PAYRUN_ACCESS_KEY=") && !strings.HasPrefix(v, "PAYRUN_SECRET_KEY=") {
			out = append(out, v)
		}
	}
	return out
}

// limited keeps the first bytes and drops the rest.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	keep := p[:min(len(p), l.left)]
	l.left -= len(keep)
	if _, err := l.w.Write(keep); err != nil {
		return 0, err
	}
	return len(p), nil
}
