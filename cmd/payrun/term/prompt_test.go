//go:build linux

package term_test

import (
	"errors"
	"io"
	"os"
	"testing"

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
