package pgtest

import (
	"os"
	"testing"
)

// Alone is a server that a test may stop.
type Alone struct {
	URL string

	t testing.TB
	node
}

// NewAlone starts a server, which is stopped after the test.
func NewAlone(t testing.TB) *Alone {
	t.Helper()
	URL(t, "postgres") // skips if there is no server
	a := &Alone{t: t}
	t.Cleanup(a.stop)
	for _, step := range []func() error{a.place, a.initialise, func() error { return a.serve() }} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	a.URL = address(a.port, "postgres")
	return a
}

// Stop stops the server by a signal.
func (a *Alone) Stop(how os.Signal) {
	a.t.Helper()
	if err := a.cmds[0].Process.Signal(how); err != nil {
		a.t.Fatal(err)
	}
	_ = a.cmds[0].Wait() // an immediate stop ends with an error
	a.cmds = nil
}

// Start starts it again.
func (a *Alone) Start() {
	a.t.Helper()
	if err := a.serve(); err != nil {
		a.t.Fatal(err)
	}
}
