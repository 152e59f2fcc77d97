//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package term

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// keyboard is a terminal whose input comes as it is typed, and is not shown. The
// keys that stop a program still do, but for those that would leave the terminal
// as it is: Ctrl-Z and Ctrl-\.
type keyboard struct {
	fd     int
	before *unix.Termios
}

// openKeyboard changes the terminal; close gives it back.
func openKeyboard(fd int) (*keyboard, error) {
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, err
	}
	k := &keyboard{fd: fd, before: before}
	return k, k.hide()
}

// hide is repeated before each question: a shell that continues a stopped program
// may have put its own settings in place.
func (k *keyboard) hide() error {
	raw := *k.before
	raw.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.IEXTEN
	raw.Lflag |= unix.ISIG
	raw.Iflag |= unix.ICRNL
	raw.Iflag &^= unix.INLCR | unix.IGNCR
	raw.Cc[unix.VMIN], raw.Cc[unix.VTIME] = 1, 0
	raw.Cc[unix.VSUSP], raw.Cc[unix.VQUIT] = disabled, disabled
	return unix.IoctlSetTermios(k.fd, setTermios, &raw)
}

// close gives the terminal back as it was.
func (k *keyboard) close() error { return unix.IoctlSetTermios(k.fd, setTermios, k.before) }

// forget throws away what was typed and not read.
func (k *keyboard) forget() error {
	for {
		typed, err := k.typed(0)
		if err != nil || len(typed) == 0 {
			return err
		}
	}
}

// typed returns what is typed within so long, as soon as there is something;
// nothing where the keyboard was silent.
func (k *keyboard) typed(within time.Duration) ([]byte, error) {
	for {
		var set unix.FdSet
		set.Set(k.fd)
		limit := unix.NsecToTimeval(within.Nanoseconds())
		switch n, err := unix.Select(k.fd+1, &set, nil, nil, &limit); {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil || n == 0:
			return nil, err
		}
		buffer := make([]byte, 4096)
		switch n, err := unix.Read(k.fd, buffer); {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
			continue
		case err != nil:
			return nil, err
		case n == 0:
			return nil, errGone
		default:
			return buffer[:n], nil
		}
	}
}
