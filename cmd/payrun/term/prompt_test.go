//go:build linux

package term_test

import (
	"errors"
	"io"
	"os"
	"reflect"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	xterm "golang.org/x/term"

	"payrun/cmd/payrun/term"
	"payrun/cmd/payrun/term/termtest"
)

func TestAQuestionIsAnsweredByThePersonOrByYes(t *testing.T) {
	for name, c := range map[string]struct {
		typed   string
		options term.Options
		want    error
	}{
		"yes":    {"y\n", term.Options{}, nil},
		"no":     {"n\n", term.Options{}, term.ErrCancelled},
		"enter":  {"\n", term.Options{}, term.ErrCancelled},
		"Ctrl-D": {"\x04", term.Options{}, term.ErrCancelled},
		"--yes":  {"", term.Options{Yes: true}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			terminal, keyboard := termtest.Open(t)
			if _, err := io.WriteString(keyboard, c.typed); err != nil {
				t.Fatal(err)
			}
			s := term.New(terminal, io.Discard, io.Discard, os.Getenv)
			s.Options = c.options
			if err := s.Confirm(t.Context(), "Initiate?"); !errors.Is(err, c.want) || (c.want == nil) != (err == nil) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

// Where no one can be asked, no one said yes.
func TestAQuestionThatNoOneHearsIsNotAnswered(t *testing.T) {
	terminal, _ := termtest.Open(t)
	s := term.New(terminal, io.Discard, io.Discard, os.Getenv)
	s.NoInput = true
	if err := s.Confirm(t.Context(), "Initiate?"); err == nil {
		t.Error("--no-input is a yes")
	}
}

// The shell gets the terminal back only after 200 ms without input, so that it does not run the rest of a paste. What
// was typed until then is discarded.
func TestTheShellGetsTheTerminalBackAfterSilence(t *testing.T) {
	terminal, keyboard := termtest.Open(t)
	before, err := xterm.GetState(int(terminal.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	hidden, err := term.New(terminal, io.Discard, io.Discard, os.Getenv).Hide()
	if err != nil {
		t.Fatal(err)
	}
	typed := time.Now()
	if _, err := io.WriteString(keyboard, "payrun submit\n"); err != nil {
		t.Fatal(err)
	}
	if err := hidden.Close(); err != nil {
		t.Fatal(err)
	}
	if waited := time.Since(typed); waited < 200*time.Millisecond {
		t.Errorf("the shell got the terminal back after %s", waited)
	}
	if left, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCINQ); err != nil || left != 0 {
		t.Errorf("the shell gets %d bytes of what was typed (%v)", left, err)
	}
	if after, err := xterm.GetState(int(terminal.Fd())); err != nil || !reflect.DeepEqual(after, before) {
		t.Errorf("the terminal is not as it was: %v (%v)", after, err)
	}
}
