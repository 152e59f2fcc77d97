package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"payrun/ledger"
	"payrun/submitter"
)

// errSkipped: the person entered nothing.
var errSkipped = errors.New("skipped")

// mustConfirm asks what somebody has to answer for: a person, or --yes.
func (a *app) mustConfirm(ctx context.Context, question, what string) error {
	if !a.flags.yes && !a.term.CanAsk() {
		return fail(exitPerson, "somebody has to confirm %s, and nobody can be asked; nothing was done", what).
			hint("run it on a terminal, or say --yes where it is so")
	}
	return a.term.Confirm(ctx, question)
}

// otpFor gets the OTP of one held batch: from otp.command, or from the person.
// errSkipped when nothing was entered.
func (d *desk) otpFor(ctx context.Context, b ledger.Batch) (submitter.OTP, error) {
	if d.set.OTP.Command != "" {
		return d.commandOTP(ctx, b)
	}
	needs := "the OTP that the bank sent"
	if b.Rules().NeedsToken {
		needs += ", and the transaction token that came with it"
	}
	fmt.Fprintf(d.term.Err, "Batch %s: %s, %s, account %s (partner bank %d)\n  Enter %s. Empty skips the batch.\n",
		b.ID, payouts(b.Count), b.Total.Rupees(), ledger.Plain(d.set.AccountName(b.BankAccountID)), b.PartnerBankID, needs)
	otp, err := d.term.AskHidden(ctx, "  OTP: ")
	if err != nil {
		return submitter.OTP{}, err
	}
	entry := submitter.OTP{BatchID: b.ID, OTP: ledger.NewSecret(otp)}
	if otp != "" && b.Rules().NeedsToken {
		token, err := d.term.AskHidden(ctx, "  Transaction token: ")
		if err != nil {
			return submitter.OTP{}, err
		}
		entry.Token = ledger.NewSecret(token)
	}
	if otp == "" || b.Rules().NeedsToken && entry.Token.Empty() {
		return submitter.OTP{}, errSkipped
	}
	return entry, nil
}

// maxOTPOutput bounds what otp.command may print.
const maxOTPOutput = 4 << 10

// commandOTP runs otp.command, which prints "OTP [TOKEN]". It gets the id of
// the batch and none of our keys; what it printed appears nowhere.
func (d *desk) commandOTP(ctx context.Context, b ledger.Batch) (submitter.OTP, error) {
	if limit := d.set.OTP.Window.Std(); limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", d.set.OTP.Command)
	cmd.Stdout, cmd.Stderr = &limited{w: &out, left: maxOTPOutput}, d.term.Err
	cmd.Env = append(withoutKeys(os.Environ()), "PAYRUN_BATCH_ID="+b.ID)
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return submitter.OTP{}, fmt.Errorf("otp.command for batch %s: %w", b.ID, err)
	}
	words := strings.Fields(out.String())
	if len(words) == 0 {
		return submitter.OTP{}, errSkipped
	}
	entry := submitter.OTP{BatchID: b.ID, OTP: ledger.NewSecret(words[0])}
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
