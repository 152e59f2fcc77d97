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

// Activity is something that takes long, shown on a terminal with a number that
// grows.
type Activity struct {
	mu    sync.Mutex
	start *time.Timer // nil where nothing is shown
	bars  *mpb.Progress
	bar   *mpb.Bar // nil until it is shown
	n     int64
	ended bool
}

// Begin shows what is being done, on a terminal and only when it takes longer
// than a second. unit names what is counted, "" for nothing. End takes it away.
func (t *Terminal) Begin(what, unit string) *Activity {
	a := &Activity{}
	if t.Quiet || !t.Err.Terminal() {
		return a
	}
	a.start = time.AfterFunc(progressAfter, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.ended {
			return
		}
		a.bars = mpb.New(mpb.WithOutput(t.Err.w), mpb.WithWidth(spinnerWidth))
		decorators := []decor.Decorator{decor.Name(" " + what)}
		if unit != "" {
			decorators = append(decorators, decor.CurrentNoUnit(" %d "+unit))
		}
		decorators = append(decorators, decor.Elapsed(decor.ET_STYLE_MMSS, decor.WC{W: 7}))
		a.bar = a.bars.New(0, mpb.SpinnerStyle(), mpb.BarRemoveOnComplete(), mpb.AppendDecorators(decorators...))
		a.bar.SetCurrent(a.n)
	})
	return a
}

// Add counts n more.
func (a *Activity) Add(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n += int64(n)
	if a.bar != nil {
		a.bar.SetCurrent(a.n)
	}
}

// End takes it away.
func (a *Activity) End() {
	if a.start == nil {
		return
	}
	a.start.Stop()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = true
	if a.bar == nil {
		return
	}
	a.bar.Abort(true)
	a.bars.Wait()
	a.bar = nil
}
