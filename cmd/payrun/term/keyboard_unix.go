//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package term

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// keyboard is a terminal that delivers input as it is typed and does not show it. Ctrl-C still stops the
// program; Ctrl-Z and Ctrl-\ do not, because they would leave the terminal in this mode.
type keyboard struct {
	fd     int
	before *unix.Termios
}

// openKeyboard changes the terminal's settings; close restores them.
func openKeyboard(fd int) (*keyboard, error) {
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, err
	}
	k := &keyboard{fd: fd, before: before}
	return k, k.hide()
}

// hide changes the settings. It runs again before each question, because a shell that continues a stopped
// program may have restored its own.
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

// close restores the terminal's settings.
func (k *keyboard) close() error { return unix.IoctlSetTermios(k.fd, setTermios, k.before) }

// forget discards what was typed and not read, until nothing arrives in time.
func (k *keyboard) forget(within time.Duration) error {
	for {
		typed, err := k.typed(within)
		if err != nil || len(typed) == 0 {
			return err
		}
	}
}

// typed returns input as soon as there is some; nothing if none arrives in time.
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
