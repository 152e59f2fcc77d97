package term

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// screen is what was written, while something else may be writing.
type screen struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

func (s *screen) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all.Reset()
}

// An activity is a line that grows older by the second and makes way for whatever
// else is written.
func TestAnActivityShowsItsSecondsAndMakesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen screen
		terminal := New(strings.NewReader(""), &screen, &screen, func(string) string { return "" })
		terminal.Out.line, terminal.Err.line = terminal.line, terminal.line
		a := &Activity{what: "submitting ₹100.00", line: terminal.line, stop: make(chan struct{}), over: make(chan struct{})}
		go a.tick()
		time.Sleep(900 * time.Millisecond)
		synctest.Wait()
		if shown := screen.String(); shown != "" {
			t.Errorf("shown before it is worth it: %q", shown)
		}
		time.Sleep(2200 * time.Millisecond)
		synctest.Wait()
		terminal.Errorf("a word")
		if want := "submitting ₹100.00 · 1 s\r\x1b[Ksubmitting ₹100.00 · 2 s\r\x1b[Ksubmitting ₹100.00 · 3 s\r\x1b[Ka word\nsubmitting ₹100.00 · 3 s"; screen.String() != want {
			t.Errorf("got %q", screen.String())
		}
		a.Waits("318/363 final · ₹1,21,000.00 paid · 2 failed", 3500*time.Millisecond)
		screen.Reset()
		time.Sleep(time.Second)
		synctest.Wait()
		a.End()
		if want := "\r\x1b[K318/363 final · ₹1,21,000.00 paid · 2 failed · next ask in 3 s\r\x1b[K"; screen.String() != want {
			t.Errorf("got %q", screen.String())
		}
	})
}
