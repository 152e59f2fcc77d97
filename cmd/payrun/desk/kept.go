package desk

import (
	"net/http"
	"slices"
	"sync"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// newest keeps what was read of the ledger when it stood so (app.Glance.Stands), for all
// who look meanwhile: fifty people before open boards read it once. Nothing in it changes
// without an event. What is read may be newer: then the next look reads anew.
type newest[T any] struct {
	mu     sync.Mutex
	stands ledger.AuditHead
	last   *T
}

// at gives what is kept, or reads it anew: read gets what was kept last, which it leaves as
// it is; nil where nothing was.
func (n *newest[T]) at(stands ledger.AuditHead, read func(last *T) (*T, error)) (*T, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.last != nil && n.stands == stands {
		return n.last, nil
	}
	now, err := read(n.last)
	if err == nil {
		n.stands, n.last = stands, now
	}
	return now, err
}

// lately keeps, of the things that were looked at last, each as newest does.
type lately[T any] struct {
	mu  sync.Mutex
	all []*recent[T] // whose look is the longest ago, first
}

// recent is one of them.
type recent[T any] struct {
	newest[T]
	of   string
	size int
}

// What is kept of one kind is of so many batches and payouts, each a kilobyte at most: of
// all, and of the one that was looked at last, alone. A million payouts are within the
// latter where a batch takes 500.
const (
	latelyMost = 30_000
	latelyOne  = 300_000
)

// at gives what was read of a thing; size is of how many batches and
// payouts that is.
func (l *lately[T]) at(of string, stands ledger.AuditHead, size func(*T) int, read func(last *T) (*T, error)) (*T, error) {
	one := l.take(of)
	found, err := one.at(stands, read)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil { // there may be no such thing
		l.all = slices.DeleteFunc(l.all, func(r *recent[T]) bool { return r == one })
		return nil, err
	}
	one.size = size(found)
	room := latelyMost
	for i, last := len(l.all)-1, len(l.all)-1; i >= 0; i-- {
		room -= 1 + l.all[i].size
		if room < 0 && (i < last || l.all[i].size > latelyOne) {
			l.all = slices.Delete(l.all, 0, i+1)
			break
		}
	}
	return found, nil
}

// take is the one of that name, which is looked at now.
func (l *lately[T]) take(of string) *recent[T] {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := &recent[T]{of: of}
	if i := slices.IndexFunc(l.all, func(r *recent[T]) bool { return r.of == of }); i >= 0 {
		one = l.all[i]
		l.all = slices.Delete(l.all, i, i+1)
	}
	l.all = append(l.all, one)
	return one
}

// standing is how everything stood.
type standing struct {
	app.Overview
	Stands   ledger.AuditHead
	Accounts []account // without what the bank said
}

// stands tells how everything stands now.
func (d *desk) stands(r *http.Request, call app.Call) (*standing, error) {
	look, err := d.seen(r)
	if err != nil {
		return nil, err
	}
	return d.standings.at(look.Stands, func(*standing) (*standing, error) {
		all, err := d.app.Overview(r.Context(), call)
		if err != nil {
			return nil, err
		}
		list, err := accounts(all.Batches)
		if err != nil {
			return nil, err
		}
		return &standing{all, look.Stands, list}, nil
	})
}

// story tells of a loaded sheet, as it stands now.
func (d *desk) story(r *http.Request, s *session, id string) (*app.SheetStory, error) {
	look, err := d.seen(r)
	if err != nil {
		return nil, err
	}
	size := func(of *app.SheetStory) int { return len(of.Batches) }
	return d.stories.at(id, look.Stands, size, func(last *app.SheetStory) (*app.SheetStory, error) {
		story, err := d.app.SheetAgain(r.Context(), d.call(s, "sheet"), id, last)
		return &story, err
	})
}

// plan is what is planned of a sheet.
type plan struct {
	*app.Planned // nil where nothing is
}

// plannedOf tells what is planned of a sheet, now. Who was paid lately is asked anew
// each hour, and with each day, whatever happens.
func (d *desk) plannedOf(r *http.Request, s *session, sheet *app.SheetStory) (*app.Planned, error) {
	look, err := d.seen(r)
	if err != nil {
		return nil, err
	}
	size := func(of *plan) int {
		if of.Planned == nil {
			return 0
		}
		return of.Size()
	}
	found, err := d.plans.at(sheet.ID+" "+d.set.Hour(d.now()), look.Stands, size, func(last *plan) (*plan, error) {
		var before *app.Planned
		if last != nil {
			before = last.Planned
		}
		planned, err := d.app.PlannedAgain(r.Context(), d.call(s, "review"), sheet, before)
		if planned != nil {
			shorten(planned)
		}
		return &plan{planned}, err
	})
	if err != nil {
		return nil, err
	}
	return found.Planned, nil
}
