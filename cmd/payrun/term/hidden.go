package term

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
	"unicode/utf8"
)

// ErrPaste means that more than one line was entered at once.
var ErrPaste = errors.New("more than one line was entered at once")

// errGone means that the terminal was closed. It counts as an interruption.
var errGone = fmt.Errorf("the terminal was closed: %w", context.Canceled)

const (
	// pasteWithin is how soon after an entry further input shows that it was pasted, not typed.
	pasteWithin = 100 * time.Millisecond
	// silence is how long no input may arrive before the shell gets the terminal back.
	silence = 200 * time.Millisecond
	// longestEntry limits the stored bytes of an entry. Every valid entry is shorter.
	longestEntry = 1024
)

// Hidden is a terminal that does not show what is typed, from the first question with a hidden answer until
// Close, also between questions.
type Hidden struct {
	t    *Terminal
	keys *keyboard
}

// Hide opens a hidden terminal. Its user must always call Close.
func (t *Terminal) Hide() (*Hidden, error) {
	in, ok := t.in.(*os.File)
	if !ok {
		return nil, errNoTerminal
	}
	keys, err := openKeyboard(int(in.Fd()))
	if err != nil {
		return nil, err
	}
	return &Hidden{t, keys}, nil
}

// Ask writes a question to Err and reads one entry, up to a carriage return or a line feed. It discards
// what was typed before the question. It returns ErrPaste if more follows at once, ErrCancelled for Ctrl-D,
// and the cause of ctx when ctx ends.
func (h *Hidden) Ask(ctx context.Context, question string) (string, error) {
	if err := errors.Join(h.keys.hide(), h.keys.forget(0)); err != nil {
		return "", gone(err)
	}
	fmt.Fprint(h.t.Err, question)
	defer fmt.Fprintln(h.t.Err) // the person's own line feed is not shown
	var e entry
	for {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		typed, err := h.keys.typed(pasteWithin)
		if err != nil {
			return "", gone(err)
		}
		for i, key := range typed {
			done, err := e.take(key)
			if err != nil {
				return "", err
			}
			if !done {
				continue
			}
			more := typed[i+1:]
			if len(more) == 0 {
				if more, err = h.keys.typed(pasteWithin); err != nil {
					return "", gone(err)
				}
			}
			if len(more) > 0 {
				return "", ErrPaste
			}
			return string(e), nil
		}
	}
}

// Close restores the terminal once no more input arrives, so that the shell does not run the rest of a
// paste.
func (h *Hidden) Close() error {
	_ = h.keys.forget(silence) // whatever the error, the terminal is restored
	return h.keys.close()
}

// gone turns a read error of the terminal into errGone, unless it is an interruption already.
func gone(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return errors.Join(errGone, err)
}

// The keys with a function.
const (
	ctrlD     = 0x04
	ctrlH     = 0x08
	ctrlU     = 0x15
	backspace = 0x7f
)

// entry is what was typed so far.
type entry []byte

// take adds one key. done means that the entry is complete.
func (e *entry) take(key byte) (done bool, err error) {
	switch key {
	case '\r', '\n':
		return true, nil
	case ctrlD:
		if len(*e) == 0 {
			return false, ErrCancelled
		}
	case ctrlU:
		*e = nil
	case ctrlH, backspace:
		_, size := utf8.DecodeLastRune(*e)
		*e = (*e)[:len(*e)-size]
	default:
		if len(*e) < longestEntry {
			*e = append(*e, key)
		}
	}
	return false, nil
}
