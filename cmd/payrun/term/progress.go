package term

import (
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// progressAfter is how long something takes before it is worth a moving line.
const progressAfter = time.Second

// spinnerWidth is that of the moving sign alone.
const spinnerWidth = 2

// Counter is a number that grows while something works, shown on a terminal.
type Counter struct {
	mu  sync.Mutex
	bar *mpb.Bar
	n   int64
}

// Add counts n more.
func (c *Counter) Add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += int64(n)
	if c.bar != nil {
		c.bar.SetCurrent(c.n)
	}
}

// Progress shows what is being done, on a terminal and only when it takes
// longer than a second. The returned function takes it away.
func (t *Terminal) Progress(what string) (done func()) {
	_, done = t.Counting(what, "")
	return done
}

// Counting is Progress with a growing number of units beside it.
func (t *Terminal) Counting(what, unit string) (c *Counter, done func()) {
	c = &Counter{}
	if t.Quiet || !t.Err.Terminal() {
		return c, func() {}
	}
	var bars *mpb.Progress
	start := time.AfterFunc(progressAfter, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		bars = mpb.New(mpb.WithOutput(t.Err.w), mpb.WithWidth(spinnerWidth))
		decorators := []decor.Decorator{decor.Name(" " + what)}
		if unit != "" {
			decorators = append(decorators, decor.CurrentNoUnit(" %d "+unit))
		}
		decorators = append(decorators, decor.Elapsed(decor.ET_STYLE_MMSS, decor.WC{W: 7}))
		c.bar = bars.New(0, mpb.SpinnerStyle(), mpb.BarRemoveOnComplete(), mpb.AppendDecorators(decorators...))
		c.bar.SetCurrent(c.n)
	})
	return c, func() {
		start.Stop()
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.bar == nil {
			return
		}
		c.bar.Abort(true)
		bars.Wait()
		c.bar = nil
	}
}
