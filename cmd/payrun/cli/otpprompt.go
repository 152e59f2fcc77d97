package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

// otpPrompt is the app.OTPPrompt of a person at the terminal. From its first
// question to Close nothing is shown of what is typed.
type otpPrompt struct {
	*session
	hidden *term.Hidden // nil before the first question
}

// prompt asks for OTPs; nil if no person can be asked.
func (s *session) prompt() app.OTPPrompt {
	if !s.term.CanAsk() {
		return nil
	}
	return &otpPrompt{session: s}
}

// Close implements app.OTPPrompt.
func (p *otpPrompt) Close() error {
	if p.hidden == nil {
		return nil
	}
	// That the terminal is gone, or cannot be given back, undoes nothing.
	_ = p.hidden.Close()
	p.hidden = nil
	return nil
}

// Enter implements app.OTPPrompt.
func (p *otpPrompt) Enter(ctx context.Context, asked app.Asked) (app.OTP, error) {
	if p.hidden == nil {
		hidden, err := p.term.Hide()
		if err != nil {
			return app.OTP{}, err
		}
		p.hidden = hidden
	}
	for _, line := range p.heading(asked) {
		p.term.Errorf("%s", ledger.Plain(line))
	}
	otp, err := p.ask(ctx, "OTP", "  OTP (Enter skips the batch): ", func(s string) string { return app.OTPWrong(asked.Debit, s) })
	if err != nil {
		return app.OTP{}, err
	}
	entry := app.OTP{BatchID: asked.Batch.ID, OTP: ledger.NewSecret(otp)}
	if asked.Batch.Rules().NeedsToken {
		token, err := p.ask(ctx, "token", "  Transaction token: ", app.TokenWrong)
		if err != nil {
			return app.OTP{}, err
		}
		entry.Token = ledger.NewSecret(token)
	}
	return entry, nil
}

// ask asks until something like what is wanted is entered. Anything else is not sent.
func (p *otpPrompt) ask(ctx context.Context, what, question string, wrong func(string) string) (string, error) {
	for {
		typed, err := p.hidden.Ask(ctx, question)
		switch typed = strings.TrimSpace(typed); {
		case errors.Is(err, term.ErrPaste):
			return "", app.Fail(app.NeedsPerson, "several lines were entered at once: nothing of them was read, and nothing more was sent").
				Then(app.Say("copy one %s alone, or type it", what), app.Do("submit"))
		case err != nil:
			return "", answered(err)
		case typed == "":
			return "", app.ErrSkipped
		}
		why := wrong(typed)
		if why == "" {
			return typed, nil
		}
		p.term.Errorf("  %s What was entered is not, and was not sent.", why)
	}
}

// heading says what the OTP is for, and how much time is left. What the bank said
// of the one before comes first.
func (p *otpPrompt) heading(a app.Asked) []string {
	b := a.Batch
	lines := []string{""}
	if a.Before != "" {
		lines = append(lines, "  Not submitted, no money moved: "+a.Before)
	}
	lines = append(lines,
		fmt.Sprintf("%d of %d  Batch %s  %s  %s", a.Number, a.Of, ledger.ShortID(b.ID), ledger.CountedPayouts(b.Count), b.Total.Rupees()),
		fmt.Sprintf("  Sheet %s, account %s", a.Sheet, a.Debit.WithTail()),
		fmt.Sprintf("  OTP requested at %s, %s; %s.", p.since(a), ago(a.Held), tryOf(a)))
	if a.Late() {
		lines = append(lines, fmt.Sprintf("  Your window of %s has passed.", spell(a.Window)))
	}
	needs := "Enter the OTP that the bank sent."
	if b.Rules().NeedsToken {
		needs = "Enter the OTP that the bank sent, then the transaction token that came with it."
	}
	return append(lines, "  "+needs)
}

// since is when the OTP was asked for; of today without the day.
func (p *otpPrompt) since(a app.Asked) string {
	const mayBeAnotherDay = 12 * time.Hour
	if a.Held < 0 || a.Held >= mayBeAnotherDay {
		return p.set.Clock(a.Since)
	}
	return p.set.TimeOfDay(a.Since)
}

func tryOf(a app.Asked) string {
	if a.Tries > 0 {
		return fmt.Sprintf("try %d of %d", a.Try, a.Tries)
	}
	return fmt.Sprintf("try %d", a.Try)
}

// ago words how long something is past.
func ago(d time.Duration) string {
	if d < 0 { // the clock was set back
		return "in the future by this clock"
	}
	return spell(d) + " ago"
}

// spell words a length of time by its largest unit, as a person says it.
func spell(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return ledger.Counted(int(d.Hours()), "hour", "hours")
	}
	return ledger.Counted(int(d.Hours()/24), "day", "days")
}

// Ended implements app.OTPPrompt.
func (p *otpPrompt) Ended(r app.Result) {
	b := r.Batch
	at := p.set.TimeOfDay(p.world.Now())
	switch b.State {
	case ledger.BatchSubmitted, ledger.BatchSettled:
		p.term.Errorf("  %s", p.term.Beside().Paint(term.Good, fmt.Sprintf("✓ submitted at %s: %s, %s", at, ledger.CountedPayouts(b.Count), b.Total.Rupees())))
	default:
		p.term.Errorf("  %s", p.term.Beside().Paint(stateColor(b.State), fmt.Sprintf("%s at %s: %s", b.State.Words(), at, ledger.Plain(r.Message))))
	}
}
