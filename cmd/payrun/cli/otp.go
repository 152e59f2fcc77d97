package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gocarina/gocsv"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

// otpPrompt is the app.OTPPrompt on a terminal. From the first question to Close, typed characters are not
// shown.
type otpPrompt struct {
	*session
	hidden *term.Hidden // nil before the first question
}

// prompt returns the prompt for OTPs, or nil if no person can be asked.
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
	// A terminal that is gone, or that cannot be restored, changes nothing about what was submitted.
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

// ask repeats the question until the answer has the right form. An answer in another form is not sent.
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

// heading says what the OTP is for and how much time is left. It begins with what the bank said about the
// previous OTP.
func (p *otpPrompt) heading(a app.Asked) []string {
	b := a.Batch
	lines := []string{""}
	if a.Before != "" {
		lines = append(lines, "  Not submitted, no money moved: "+a.Before)
	}
	lines = append(lines,
		fmt.Sprintf("%d of %d  Batch %s  %s  %s", a.Number, a.Of, ledger.ShortID(b.ID), ledger.CountedPayouts(b.Count), b.Total.Rupees()),
		fmt.Sprintf("  Sheet %s, account %s", a.Sheet, a.Debit.WithTail()),
		fmt.Sprintf("  OTP requested at %s, %s; try %d%s.", p.set.Clock(a.Since), ago(a.Held), a.Try, either(a.Tries > 0, fmt.Sprintf(" of %d", a.Tries), "")))
	if a.Late() {
		lines = append(lines, fmt.Sprintf("  Your window of %s has passed.", ledger.Lasting(a.Window)))
	}
	return append(lines, "  Enter the OTP that the bank sent"+either(b.Rules().NeedsToken, ", then the transaction token that came with it.", "."))
}

// ago says in words how long ago something was.
func ago(d time.Duration) string {
	return either(d < 0, "in the future by this clock", ledger.Lasting(d)+" ago") // it is below 0 where the clock was set back
}

// Ended implements app.OTPPrompt.
func (p *otpPrompt) Ended(r app.Result) {
	b := r.Batch
	at := p.set.TimeOfDay(p.world.Now())
	if b.State.Accepted() {
		p.term.Errorf("  %s", p.term.OnErr().Paint(term.Good, fmt.Sprintf("✓ submitted at %s: %s, %s", at, ledger.CountedPayouts(b.Count), b.Total.Rupees())))
	} else {
		p.term.Errorf("  %s", p.term.OnErr().Paint(stateColor(b.State), fmt.Sprintf("%s at %s: %s", b.State.Words(), at, ledger.Plain(r.Message))))
	}
}

// otpRow is one row of --otp-file.
type otpRow struct {
	BatchID string `csv:"merchant_transfer_batch_id"`
	OTP     string `csv:"otp"`
	Token   string `csv:"transaction_token"`
	LEI     string `csv:"bene_lei"`
}

// otpColumns are the columns of --otp-file. The first two are required.
var otpColumns = [...]string{"merchant_transfer_batch_id", "otp", "transaction_token", "bene_lei"}

// maxOTPFile limits the bytes of --otp-file: enough for a hundred thousand batches.
const maxOTPFile = 16 << 20

// readOTPs reads --otp-file FILE, or standard input for "-". Its errors contain nothing of the content.
func (p *session) readOTPs(path string) ([]app.OTP, error) {
	in := p.world.Stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, usage("the OTP file %s cannot be read: %v", path, config.Reason(err)).Because(err)
		}
		defer f.Close()
		if err := p.onlyOurs(path, f); err != nil {
			return nil, err
		}
		in = f
	}
	entries, err := parseOTPs(in)
	if err != nil {
		return nil, usage("the OTP file %s: %v; nothing was sent", path, err).
			Then(app.Say("its header is %s; the last two may be absent", strings.Join(otpColumns[:], ",")))
	}
	return entries, nil
}

// onlyOurs refuses an OTP file unless it is a pipe, or a regular file that only its owner can use: anyone
// who can read an unused OTP can use it.
func (p *session) onlyOurs(path string, f *os.File) error {
	opened, err := p.set.Ours("the OTP file", f)
	if err != nil {
		return err
	}
	switch mode := opened.Mode(); {
	case mode&fs.ModeNamedPipe != 0:
		return nil
	case !mode.IsRegular():
		return usage("the OTP file %s is neither a file nor a pipe; nothing was sent", path)
	case mode.Perm()&^0o600 != 0:
		return usage("the OTP file %s may be used by others (mode %04o); nothing was sent", path, mode.Perm()).Then(app.Say("chmod 600 %s", path))
	}
	return nil
}

func parseOTPs(in io.Reader) ([]app.OTP, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxOTPFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxOTPFile:
		return nil, errors.New("it is too long")
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if err := checkOTPHeader(text); err != nil {
		return nil, err
	}
	var rows []otpRow
	if err := gocsv.UnmarshalCSV(otpReader(text), &rows); err != nil {
		return nil, notCSV(err)
	}
	var entries []app.OTP
	seen := map[string]bool{}
	for i, r := range rows {
		id, lei := strings.TrimSpace(r.BatchID), strings.TrimSpace(r.LEI)
		switch {
		case id == "":
			return nil, fmt.Errorf("entry %d names no batch", i+1)
		case strings.Trim(id, "0123456789") == "": // perhaps two columns are swapped, so the value is not shown
			return nil, fmt.Errorf("entry %d names no batch: it has digits alone, as an OTP does", i+1)
		case seen[id]:
			return nil, fmt.Errorf("entry %d names a batch that another one named", i+1)
		case lei != "" && !ledger.ValidLEI(lei):
			return nil, fmt.Errorf("entry %d: bene_lei is not a valid LEI", i+1)
		}
		seen[id] = true
		entries = append(entries, app.OTP{
			BatchID: id, LEI: lei,
			OTP: ledger.NewSecret(strings.TrimSpace(r.OTP)), Token: ledger.NewSecret(strings.TrimSpace(r.Token)),
		})
	}
	return entries, nil
}

// checkOTPHeader checks the header itself: if a column is misspelt or appears twice, the decoder leaves the
// field empty without an error.
func checkOTPHeader(text []byte) error {
	header, err := otpReader(text).Read()
	if err != nil {
		return notCSV(err)
	}
	for _, needed := range otpColumns[:2] {
		if !slices.Contains(header, needed) {
			return fmt.Errorf("the column %s is missing, or the separator is not a comma", needed)
		}
	}
	for i, name := range header {
		if !slices.Contains(otpColumns[:], name) {
			return errors.New("its header has an unknown column")
		}
		if slices.Contains(header[:i], name) {
			return fmt.Errorf("the column %s appears twice", name)
		}
	}
	return nil
}

func otpReader(text []byte) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(text))
	r.TrimLeadingSpace = true
	return r
}

// notCSV describes a parse error by its line number only.
func notCSV(err error) error {
	if p, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Errorf("line %d is not valid CSV", p.Line)
	}
	if errors.Is(err, io.EOF) {
		return errors.New("it is empty")
	}
	return errors.New("it is not valid CSV")
}
