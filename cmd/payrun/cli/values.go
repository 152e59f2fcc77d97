package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// value is the value of a flag. It is read with the command line, so that a bad value is a usage error
// before anything is opened.
type value[T any] struct {
	read  func(text string) (T, error)
	given T
}

// Set implements urfave.Generic.
func (v *value[T]) Set(text string) error {
	given, err := v.read(text)
	if err == nil {
		v.given = given
	}
	return err
}

func (v *value[T]) String() string { return "" }

// read makes a flag whose value how reads.
func read[T any](name, usage string, how func(text string) (T, error), aliases ...string) urfave.Flag {
	return &urfave.GenericFlag{Name: name, Aliases: aliases, Usage: usage, Value: &value[T]{read: how}}
}

// given returns the value of a flag; the zero T if the flag was not given.
func given[T any](c *urfave.Context, name string) T { return c.Generic(name).(*value[T]).given }

// optional makes how return a pointer, which is nil if the flag was not given.
func optional[T any](how func(text string) (T, error)) func(text string) (*T, error) {
	return func(text string) (*T, error) {
		v, err := how(text)
		return &v, err
	}
}

// several reads a text that may be given several times.
func several() func(text string) ([]string, error) {
	var all []string
	return func(text string) ([]string, error) {
		all = append(all, text)
		return all, nil
	}
}

// span reads a duration of at least least.
func span(least time.Duration) func(text string) (time.Duration, error) {
	return func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		return d, usageIf(err != nil || d < least, "want a length of time such as 90s or 10m")
	}
}

// day reads a day and returns its beginning in UTC.
func day(text string) (time.Time, error) {
	at, err := time.Parse(time.DateOnly, text)
	return at, usageIf(err != nil, "want a day such as 2026-11-30")
}

func count(text string) (int, error) {
	n, err := strconv.Atoi(text)
	return n, usageIf(err != nil || n < 0, "want a number of rows")
}

// digest reads a SHA-256, in hexadecimal.
func digest(text string) (string, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	return text, usageIf(!ledger.IsSHA256(text), "want 64 hexadecimal digits, as payrun check --json gives them")
}

// oneOf reads one of the words, in upper or lower case.
func oneOf(words ...string) func(text string) (string, error) {
	return func(text string) (string, error) {
		text = strings.ToLower(text)
		return text, usageIf(!slices.Contains(words, text), "want %s", config.OneOf(words))
	}
}

// encodingFlag names an encoding that the bytes do not show.
func encodingFlag(usage string) urfave.Flag {
	return read("encoding", usage, func(text string) (string, error) {
		text = strings.ToLower(text)
		return text, usageIf(text != "" && text != "windows-1252", "only windows-1252 has to be named; UTF-8 and UTF-16 are recognised")
	})
}

// mapFlag reads columns from other headers. It may be repeated.
func mapFlag(usage string) urfave.Flag {
	all := map[string]string{}
	return read("map", usage, func(pair string) (map[string]string, error) {
		column, header, ok := strings.Cut(pair, "=")
		column, header = strings.TrimSpace(column), strings.TrimSpace(header)
		if !ok || column == "" || header == "" {
			return nil, errors.New("want COLUMN=HEADER, such as \"amount=Net Pay\"")
		}
		if all[column] != "" {
			return nil, fmt.Errorf("the column %s is named twice", column)
		}
		all[column] = header
		return all, nil
	})
}
