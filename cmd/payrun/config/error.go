package config

import (
	"errors"
	"fmt"
	"io/fs"
)

// Error is what is wrong with the configuration or with the keys, and what
// can be done about it.
type Error struct {
	What  string
	Hints []string // what to do, most useful last
	Keys  bool     // a key is missing, and not badly configured

	Word  string   // a word that is not known, if that is it
	Known []string // the words that are
	cause error
}

func (e *Error) Error() string { return e.What }

func (e *Error) Unwrap() error { return e.cause }

func wrong(format string, args ...any) *Error { return &Error{What: fmt.Sprintf(format, args...)} }

func (e *Error) hint(format string, args ...any) *Error {
	e.Hints = append(e.Hints, fmt.Sprintf(format, args...))
	return e
}

func (e *Error) because(err error) *Error {
	e.cause = err
	return e
}

// Reason is an error of the file system without the path, for a sentence that has the path already.
func Reason(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
