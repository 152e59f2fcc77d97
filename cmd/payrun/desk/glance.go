package desk

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"payrun/cmd/payrun/app"
)

// glances are looks at what every page asks of the ledger first: how far it has come,
// and who may use the desk. Whoever comes while one is under way shares the next with
// all who came meanwhile: it begins after they came, so that it tells each of them what
// a look of their own would have, and of fifty at once hardly anybody waits.
type glances struct {
	turn chan struct{} // full while a look is under way
	mu   sync.Mutex
	next *glance // not begun yet; nil: nobody waits for it
}

func newGlances() *glances { return &glances{turn: make(chan struct{}, 1)} }

var errBrokeOff = errors.New("the look at the ledger broke off")

// glance is one of them.
type glance struct {
	app.Glance
	err  error
	over chan struct{}
}

// at looks at the ledger now, or has looked with others since ctx asked for it.
func (gs *glances) at(ctx context.Context, look func(context.Context) (app.Glance, error)) (app.Glance, error) {
	gs.mu.Lock()
	g := gs.next
	mine := g == nil
	if mine {
		g = &glance{over: make(chan struct{})}
		gs.next = g
	}
	gs.mu.Unlock()
	if mine {
		gs.begin(context.WithoutCancel(ctx), g, look) // others wait for it too
	}
	select {
	case <-g.over:
		return g.Glance, g.err
	case <-ctx.Done():
		return app.Glance{}, context.Cause(ctx)
	}
}

func (gs *glances) begin(ctx context.Context, g *glance, look func(context.Context) (app.Glance, error)) {
	gs.turn <- struct{}{}
	defer func() { <-gs.turn }()
	defer close(g.over)
	gs.mu.Lock()
	gs.next = nil
	gs.mu.Unlock()
	g.err = errBrokeOff // what panics tells nobody that there are no people
	g.Glance, g.err = look(ctx)
}

// glance tells how far the ledger has come and who may use the desk, now.
func (d *desk) glance(ctx context.Context) (app.Glance, error) {
	return d.glances.at(ctx, func(ctx context.Context) (app.Glance, error) { return d.app.Glance(ctx, d.call(nil, "look")) })
}

// seen is the glance that was taken when a page was asked for; of a form, which may have
// changed something, another.
func (d *desk) seen(r *http.Request) (app.Glance, error) {
	if v, in := r.Context().Value(contextKey{}).(*visitor); in && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		return v.look, nil
	}
	return d.glance(r.Context())
}
