//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd

package term

import (
	"errors"
	"time"
)

// keyboard does nothing here: this system cannot read a terminal key by key. OTPs come from a file.
type keyboard struct{}

func openKeyboard(int) (*keyboard, error) {
	return nil, errors.New("on this system nothing hidden can be typed; use --otp-file")
}

func (*keyboard) hide() error                         { return nil }
func (*keyboard) close() error                        { return nil }
func (*keyboard) forget(time.Duration) error          { return nil }
func (*keyboard) typed(time.Duration) ([]byte, error) { return nil, errGone }
