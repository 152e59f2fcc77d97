package storetest

import (
	"fmt"
	"strings"
	"testing"
)

// Recorder is a testing.TB that records failures and does not fail the test.
type Recorder struct {
	testing.TB
	Found []string
}

// stopped is the panic that ends a recorded function, as FailNow ends a test.
type stopped struct{}

// Record runs do with a Recorder, and returns the failures.
func Record(t testing.TB, do func(t testing.TB)) (found []string) {
	r := &Recorder{TB: t}
	defer func() {
		found = r.Found
		if p := recover(); p != nil && p != any(stopped{}) {
			panic(p)
		}
	}()
	do(r)
	return
}

func (r *Recorder) Failed() bool { return len(r.Found) > 0 }

func (r *Recorder) Fail() { r.Found = append(r.Found, "it failed") }

func (r *Recorder) FailNow() {
	if !r.Failed() {
		r.Fail()
	}
	panic(stopped{})
}

func (r *Recorder) Error(args ...any) {
	r.Found = append(r.Found, strings.TrimSuffix(fmt.Sprintln(args...), "\n"))
}

func (r *Recorder) Errorf(format string, args ...any) {
	r.Found = append(r.Found, fmt.Sprintf(format, args...))
}

func (r *Recorder) Fatal(args ...any) {
	r.Error(args...)
	r.FailNow()
}

func (r *Recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	r.FailNow()
}
