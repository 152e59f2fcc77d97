package term

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
	"unicode/utf8"
)

// ErrPaste: more was entered at once than one entry.
var ErrPaste = errors.New("more than one line was entered at once")

// errGone: the person has left the terminal. It is an interruption.
var errGone = fmt.Errorf("the terminal was closed: %w", context.Canceled)

const (
	// pasteWithin is how soon after an entry something more shows that it was no
	// person's typing.
	pasteWithin = 100 * time.Millisecond
	// silence is how long nothing may come before a shell may read on.
	silence = 200 * time.Millisecond
	// longestEntry bounds what is kept of an entry, in bytes; whatever is asked for
	// is shorter.
	longestEntry = 1024
)

// Hidden is the terminal from the first question whose answer must not be seen to
// the last. In between, too, nothing is shown of what is typed.
type Hidden struct {
	t    *Terminal
	keys *keyboard
}

// Hide begins it. Close has to end it, whatever happens.
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

// Ask puts a question on Err and reads one entry: what comes before a carriage
// return or a line feed. What was typed before the question is thrown away.
// ErrPaste where more follows at once; ErrCancelled at Ctrl-D; the cause of ctx
// when that ends.
func (h *Hidden) Ask(ctx context.Context, question string) (string, error) {
	if err := errors.Join(h.keys.hide(), h.keys.forget()); err != nil {
		return "", gone(err)
	}
	fmt.Fprint(h.t.Err, question)
	defer fmt.Fprintln(h.t.Err) // the person's own was not shown
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

// Close gives the terminal back once nothing comes any more: the rest of a paste
// must not be the shell's to run.
func (h *Hidden) Close() error {
	for {
		typed, err := h.keys.typed(silence)
		if err != nil || len(typed) == 0 {
			break
		}
	}
	return h.keys.close()
}

// gone is the error of a terminal that cannot be read.
func gone(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return errors.Join(errGone, err)
}

// The keys that mean something.
const (
	ctrlD     = 0x04
	ctrlH     = 0x08
	ctrlU     = 0x15
	backspace = 0x7f
)

// entry is what was typed so far.
type entry []byte

// take takes one key more. done: the entry is whole.
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
