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

// ErrCancelled means that the person ended the question without an answer, or said no.
var ErrCancelled = errors.New("cancelled at the prompt")

// errNoTerminal means that no person can be asked, so no person said yes.
var errNoTerminal = errors.New("there is no terminal to ask on")

// CanAsk reports whether a person can be asked: --no-input was not given and
// standard input is a terminal.
func (t *Terminal) CanAsk() bool { return !t.NoInput && isTerminal(t.in) }

// Ask writes a question to Err and reads one line, without the spaces around it. It returns early when ctx
// ends; then it restores the terminal. The reading goroutine may outlive Ask, so the descriptor is taken
// before it starts.
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

// Confirm asks a yes-or-no question. --yes answers it. A no is ErrCancelled.
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
