package term

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"payrun/ledger"
)

// Activity is a long task, shown on a terminal with its seconds and an optional count.
type Activity struct {
	what, unit string
	line       *line // nil if nothing is shown
	stop, over chan struct{}

	mu      sync.Mutex
	n       int
	seconds int
	far     string // words of progress, shown in place of what; "" for none
	next    int    // seconds until it continues
}

// Begin shows a task on a terminal once it takes longer than a second. unit names what is counted, "" for
// nothing. End removes it.
func (t *Terminal) Begin(what, unit string) *Activity {
	a := &Activity{what: ledger.Plain(what), unit: unit}
	if t.Quiet || !t.Err.Terminal() {
		return a
	}
	a.line, a.stop, a.over = t.line, make(chan struct{}), make(chan struct{})
	go a.tick()
	return a
}

// tick counts the seconds and redraws the line each second, so that no code here reads a clock.
func (a *Activity) tick() {
	defer close(a.over)
	every := time.NewTicker(time.Second)
	defer every.Stop()
	for {
		select {
		case <-a.stop:
			a.line.without(func() { a.line.begun = slices.DeleteFunc(a.line.begun, func(b *Activity) bool { return a == b }) })
			return
		case <-every.C:
			a.mu.Lock()
			a.seconds++
			a.next = max(0, a.next-1)
			a.mu.Unlock()
			a.line.show(a)
		}
	}
}

// Add counts n more.
func (a *Activity) Add(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n += n
}

// Waits shows words of progress, and counts down next until the task continues.
func (a *Activity) Waits(words string, next time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.far, a.next = ledger.Plain(words), int(max(0, next+time.Second-1)/time.Second)
}

// End removes the task from the screen. It must be called once.
func (a *Activity) End() {
	if a.line == nil {
		return
	}
	close(a.stop)
	<-a.over
}

func (a *Activity) String() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.far != "" {
		return fmt.Sprintf("%s · next ask in %s", a.far, seconds(a.next))
	}
	parts := []string{a.what}
	if a.unit != "" {
		parts = append(parts, ledger.Grouped(a.n)+" "+a.unit)
	}
	return strings.Join(append(parts, seconds(a.seconds)), " · ")
}

// seconds formats a short time.
func seconds(n int) string {
	if n < 100 {
		return fmt.Sprintf("%d s", n)
	}
	return fmt.Sprintf("%d:%02d min", n/60, n%60)
}

// line is the last line of the screen. It shows the newest activity that runs and makes way for other
// output.
type line struct {
	t *Terminal

	mu    sync.Mutex
	begun []*Activity
	drawn bool
}

func (l *line) show(a *Activity) {
	l.without(func() {
		if !slices.Contains(l.begun, a) {
			l.begun = append(l.begun, a)
		}
	})
}

// without wipes the line while something is done, such as output that belongs above it, then draws it.
func (l *line) without(do func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.drawn {
		l.t.Err.raw("\r\x1b[K")
	}
	do()
	if l.drawn = len(l.begun) > 0; !l.drawn {
		return
	}
	words := l.begun[len(l.begun)-1].String()
	if width := l.t.width(l.t.Err); width > 0 {
		words = Cut(words, width-1) // a character in the last column may move the cursor to the next line
	}
	l.t.Err.raw(words)
}
