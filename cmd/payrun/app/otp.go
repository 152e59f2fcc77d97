package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"payrun/ledger"
	"payrun/submitter"
)

// ErrSkipped is what an OTPPrompt returns if the batch is to stay held.
var ErrSkipped = errors.New("no OTP was entered")

// OTPPrompt gets the OTPs of held batches, one after the other.
type OTPPrompt interface {
	// Enter gets the OTP of one batch, with the transaction token if the partner
	// bank needs one. It returns ErrSkipped if nothing was entered. Any other error
	// ends the use case, and nothing more is sent.
	Enter(ctx context.Context, asked Asked) (OTP, error)
	// Ended shows the result of a batch, before the next OTP is asked for.
	Ended(r Result)
	// Close is called after the last OTP, even if none was asked for.
	Close() error
}

// Asked is the batch whose OTP is asked for, and what the person sees with the question.
type Asked struct {
	Batch      ledger.Batch
	Debit      ledger.DebitAccount // by today's configuration; only the id if it is not configured
	Sheet      string              // its name
	Number, Of int                 // position and total
	Since      time.Time           // when the bank was asked for the OTP
	Held       time.Duration       // how long ago that is
	Window     time.Duration       // otp.window; 0 for none
	Try, Tries int                 // Tries is otp.tries; 0 for no limit
	Bound      ledger.Bound        // what an entry is bound to, if it is not made where the batch is shown
	Before     string              // what the bank said about the OTP entered before; "" for the first
}

var otpShape, digitsShape = regexp.MustCompile(`^[0-9A-Za-z]{4,10}$`), regexp.MustCompile(`^[0-9]{4,10}$`)

// OTPWrong says why s cannot be an OTP from the bank of a debit account; "" if it can. payrun never
// sends a value that cannot be one, because it would cost a try. What a person types must fit what the
// account's bank sends. A file or a command may know better: its value only needs the form of an OTP.
func OTPWrong(a ledger.DebitAccount, s string) string {
	switch {
	case !otpShape.MatchString(s):
		return OTPIs
	case a.OTP == ledger.OTPsOfDigits && !digitsShape.MatchString(s):
		return OTPIs + " The bank of this account sends digits only."
	}
	return ""
}

// longestToken is in characters.
const longestToken = 200

// TokenWrong says why s cannot be a transaction token; "" if it can.
func TokenWrong(s string) string {
	if s != "" && utf8.ValidString(s) && utf8.RuneCountInString(s) <= longestToken &&
		strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || unicode.IsSpace(r) }) < 0 {
		return ""
	}
	return TokenIs
}

// What an OTP and a token look like, in words.
const (
	OTPIs   = "An OTP is 4 to 10 letters or digits."
	TokenIs = "A transaction token is 1 to 200 characters without spaces."
)

// Late reports whether the window in which an OTP is expected to work has passed.
func (a Asked) Late() bool { return a.Window > 0 && a.Held >= a.Window }

// otpTurns counts the batches whose OTPs are asked for.
type otpTurns struct {
	ids    []string // including those of earlier rounds
	behind int      // how many wait until another batch of their debit account is done
}

// number returns the batch's number, from 1.
func (t *otpTurns) number(id string) int {
	if !slices.Contains(t.ids, id) {
		t.ids = append(t.ids, id)
	}
	return slices.Index(t.ids, id) + 1
}

// submitEach gets each OTP and submits it at once, because an OTP expires. A skipped batch stays held.
// No one is asked for the OTP of a batch without tries left. A debit account with a misconfigured
// number stops only its own batches, as in Submit.
func (o *operation) submitEach(ctx context.Context, held []ledger.Batch, prompt OTPPrompt, turns *otpTurns) (results []Result, err error) {
	var open []ledger.Batch
	for _, b := range held {
		if why, spent := o.engine.OutOfTries(b); spent {
			results = append(results, why)
			continue
		}
		open = append(open, b)
	}
	if o.set.OTP.Command != "" {
		prompt = commandPrompt{o}
	}
	switch {
	case len(open) == 0:
		return results, nil
	case prompt == nil:
		return results, Fail(NeedsPerson, "%s waiting for the OTP, and there is no terminal to ask on: %s", ledger.CountedBatches(len(open)), someIDs(open)).
			Then(Say("enter it on a terminal, or from a file (payrun help otp)"), Do("submit"))
	}
	if open, err = o.rightlyNumbered(ctx, open); err != nil || len(open) == 0 {
		return results, err
	}
	sheets, err := o.store.Sheets(ctx)
	if err != nil {
		return results, err
	}
	defer func() { err = errors.Join(err, prompt.Close()) }()
	for _, b := range open {
		turns.number(b.ID)
	}
	for _, b := range open {
		asked := o.asked(b, sheets)
		asked.Number, asked.Of = turns.number(b.ID), len(turns.ids)+turns.behind
		more, err := o.submitOne(ctx, asked, prompt)
		results = append(results, more...)
		if submitter.KeepsBack(err) {
			prompt.Ended(Result{Batch: b, Outcome: submitter.OutcomeNeedsPerson, Message: err.Error()})
		}
		if err = o.setApart(err); err != nil {
			return results, o.grown(results, err)
		}
		for _, r := range more {
			prompt.Ended(r)
		}
	}
	return results, nil
}

// rightlyNumbered returns the batches whose debit account has the right number. It asks the bank for its
// accounts now, while no entered OTP waits.
func (o *operation) rightlyNumbered(ctx context.Context, open []ledger.Batch) (asked []ledger.Batch, err error) {
	for _, b := range open {
		err := o.engine.CheckNumber(ctx, b)
		if err == nil {
			asked = append(asked, b)
		}
		if err = o.setApart(err); err != nil {
			return nil, err
		}
	}
	return asked, nil
}

// at sets the times and the try as of now.
func (a Asked) at(now time.Time) Asked {
	a.Since, a.Try = a.Batch.HeldSince(), a.Batch.OTPTries+1
	a.Held = now.Sub(a.Since)
	return a
}

func (o *operation) asked(b ledger.Batch, sheets []ledger.Sheet) Asked {
	return Asked{Batch: b, Debit: o.debit(b.BankAccountID), Sheet: nameOf(b.SheetID, sheets), Window: o.set.OTP.Window.Std(), Tries: int(o.set.OTP.Tries)}
}

// nameOf returns the name of a sheet by its id; "" if it is not in the list.
func nameOf(id string, sheets []ledger.Sheet) string {
	s, _ := ledger.First(sheets, func(s ledger.Sheet) bool { return s.ID == id })
	return s.Name
}

// submitOne asks for the OTP of one batch until the bank accepts it, the person
// skips it or the tries are used up. otp.command is asked once.
func (o *operation) submitOne(ctx context.Context, asked Asked, prompt OTPPrompt) ([]Result, error) {
	for {
		asked = asked.at(o.env.Now())
		b := asked.Batch
		entry, err := prompt.Enter(ctx, asked)
		if errors.Is(err, ErrSkipped) {
			return []Result{{Batch: b, Outcome: submitter.OutcomeNeedsPerson, Message: "no OTP was entered; not sent"}}, nil
		}
		if err != nil {
			return nil, err
		}
		sending := o.call.progress().Begin("submitting "+b.Total.Rupees(), "") // a bank may take as long as http.timeout_send
		results, err := o.engine.Submit(ctx, []OTP{entry})
		sending.End()
		if err != nil || len(results) == 0 {
			return results, err
		}
		r := results[0]
		if r.Outcome != submitter.OutcomeRejected || r.Batch.Attention != ledger.NeedsNothing || o.set.OTP.Command != "" {
			return results, nil
		}
		asked.Batch, asked.Before = r.Batch, r.Message
	}
}

// commandPrompt is the OTPPrompt that runs otp.command.
type commandPrompt struct{ *operation }

// Ended shows nothing: the results are shown at the end.
func (commandPrompt) Ended(Result) {}

// Close does nothing.
func (commandPrompt) Close() error { return nil }

// Enter runs the command, which prints "OTP [TOKEN]". The command gets the id of
// the batch and none of our keys. What it prints is never shown or logged.
func (o commandPrompt) Enter(ctx context.Context, asked Asked) (OTP, error) {
	b := asked.Batch
	if limit := o.set.OTP.Window.Std(); limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", o.set.OTP.Command)
	cmd.Stderr, cmd.Env = o.env.Stderr, append(withoutKeys(os.Environ()), "PAYRUN_BATCH_ID="+b.ID)
	out, err := cmd.Output()
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return OTP{}, fmt.Errorf("otp.command for batch %s: %w", b.ID, err)
	}
	words := strings.Fields(string(out))
	if len(words) == 0 {
		return OTP{}, ErrSkipped
	}
	if why := OTPWrong(ledger.DebitAccount{}, words[0]); why != "" {
		return OTP{}, fmt.Errorf("otp.command for batch %s did not return a possible OTP, so nothing was sent for it. %s", b.ID, why)
	}
	entry := OTP{BatchID: b.ID, OTP: ledger.NewSecret(words[0])}
	if len(words) > 1 {
		entry.Token = ledger.NewSecret(words[1])
	}
	return entry, nil
}

// withoutKeys removes the credentials from an environment.
func withoutKeys(env []string) []string {
	return slices.DeleteFunc(env, func(v string) bool {
		return strings.HasPrefix(v, "PAYRUN_ACCESS_KEY=") || strings.HasPrefix(v, "PAYRUN_SECRET_KEY=")
	})
}
