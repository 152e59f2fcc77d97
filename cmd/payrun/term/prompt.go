package term

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	xterm "golang.org/x/term"
)

// ErrCancelled: the person ended the question instead of answering it.
var ErrCancelled = errors.New("cancelled at the prompt")

// errNoTerminal: no one can be asked, and so no one said yes.
var errNoTerminal = errors.New("there is no terminal to ask on")

// CanAsk reports whether a person can be asked: --no-input was not given and
// standard input is a terminal.
func (t *Terminal) CanAsk() bool { return !t.NoInput && isTerminal(t.in) }

// Ask puts a question on Err and reads one line, without the spaces around it.
// It ends early when ctx does, and the terminal is as before either way. What
// reads may outlive it, so it is given the descriptor and asks the file for nothing.
func (t *Terminal) Ask(ctx context.Context, question string) (string, error) {
	if !t.CanAsk() {
		return "", errNoTerminal
	}
	in := t.in.(*os.File)
	fd := int(in.Fd())
	before, err := xterm.GetState(fd)
	if err != nil {
		return "", err
	}
	fmt.Fprint(t.Err, question)
	type line struct {
		text []byte
		err  error
	}
	got := make(chan line, 1)
	go func() {
		text, err := bufio.NewReader(in).ReadBytes('\n')
		got <- line{text, err}
	}()
	select {
	case l := <-got:
		if errors.Is(l.err, io.EOF) {
			return "", ErrCancelled
		}
		return strings.TrimSpace(string(l.text)), l.err
	case <-ctx.Done():
		fmt.Fprintln(t.Err)
		return "", errors.Join(context.Cause(ctx), xterm.Restore(fd, before))
	}
}

// Confirm asks a yes-or-no question. --yes answers it. ErrCancelled is a no.
func (t *Terminal) Confirm(ctx context.Context, question string) error {
	if t.Yes {
		return nil
	}
	answer, err := t.Ask(ctx, question+" [y/N] ")
	if err != nil {
		return err
	}
	switch strings.ToLower(answer) {
	case "y", "yes":
		return nil
	}
	return fmt.Errorf("%w; nothing was sent", ErrCancelled)
}
