package app

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"payrun/ledger"
)

// taken has a use case take its turn, until end is closed.
func (l *line) taken(t *testing.T, name string, call Call, order chan<- string, end <-chan struct{}) {
	t.Helper()
	gave := make(chan struct{}, 9)
	if call.GiveWay != nil {
		call.GiveWay = func() { gave <- struct{}{} }
	}
	go func() {
		done, err := l.take(t.Context(), call, ledger.Holder{Command: name})
		if err != nil {
			order <- name + ": " + err.Error()
			return
		}
		defer done()
		order <- name
		select {
		case <-end:
		case <-gave:
			order <- name + " gave way"
		}
	}()
	synctest.Wait()
}

// A person who waits for their turn has it in the order of asking, however long those
// before take; another one reads who has it.
func TestTurnsAreTakenInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, order, end := newLine(), make(chan string, 9), make(chan struct{})
		l.taken(t, "first", Call{}, order, end)
		for _, name := range []string{"second", "third", "fourth"} {
			l.taken(t, name, Call{Job: true, LockWait: time.Second}, order, end)
		}
		l.taken(t, "hasty", Call{}, order, end)
		l.taken(t, "short", Call{LockWait: time.Second}, order, end)
		time.Sleep(time.Hour)
		close(end)
		synctest.Wait()
		var got []string
		for range 6 {
			got = append(got, <-order)
		}
		held := ledger.ErrLocked.Error() + ": first"
		if want := "first, hasty: " + held + ", short: " + held + ", second, third, fourth"; strings.Join(got, ", ") != want {
			t.Errorf("it went %q, want %q", strings.Join(got, ", "), want)
		}
		if l.has() != (ledger.Holder{}) {
			t.Errorf("at the end %s has the turn", l.has())
		}
	})
}

// What gives way is informed as soon as someone waits, also where they did before it
// began; and the person who stops waiting holds up no one.
func TestATurnGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, order, end := newLine(), make(chan string, 9), make(chan struct{})
		l.taken(t, "poll", Call{GiveWay: func() {}}, order, end)
		time.Sleep(time.Hour)
		person := make(chan struct{})
		l.taken(t, "person", Call{Job: true}, order, person)
		l.taken(t, "poll again", Call{GiveWay: func() {}, Job: true}, order, end)
		l.taken(t, "another", Call{Job: true}, order, end)
		ctx, stop := context.WithCancelCause(t.Context())
		gone := make(chan error)
		go func() {
			_, err := l.take(ctx, Call{Job: true}, ledger.Holder{})
			gone <- err
		}()
		synctest.Wait()
		left := errors.New("they left")
		stop(left)
		if err := <-gone; !errors.Is(err, left) {
			t.Errorf("who stops waiting: %v", err)
		}
		close(person)
		synctest.Wait()
		close(end)
		var got []string
		for len(order) > 0 {
			got = append(got, <-order)
		}
		if want := "poll, poll gave way, person, poll again, poll again gave way, another"; strings.Join(got, ", ") != want {
			t.Errorf("it went %q, want %q", strings.Join(got, ", "), want)
		}
	})
}
