// Package desk is payrun in a browser: pages rendered here for people who log in, on top of the use cases of
// app. It has no rules of its own. Logins and current tasks are in memory only. PROMISES.md says what each
// part promises and which test proves it.
//
// A request passes these checks in order: the headers of every answer, the host name it was sent to, the
// origin of a form, the route, the person, and their role.
package desk

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
)

// Limits of the server.
const (
	headerTime  = 5 * time.Second
	bodyTime    = 30 * time.Second
	answerTime  = 60 * time.Second
	idleTime    = 2 * time.Minute
	headerBytes = 16 << 10
	formBytes   = 64 << 10
	connections = 200
	lockWait    = 10 * time.Second // for the ledger, while cron or another person uses it
	closeTime   = 5 * time.Second
	sweepEvery  = 10 * time.Minute
)

// desk is a running desk.
type desk struct {
	app  *app.App
	set  config.Settings
	now  func() time.Time
	warn func(words string)

	patience time.Duration // how long it waits for the ledger while others use it

	origin    string   // scheme, host and port, as a browser names them; with several names, the first
	hosts     []string // what the Host header may be
	cookie    string
	secure    bool
	first     app.First // the link of the first person
	sessions  *sessions
	logins    *throttle
	jobs      *jobs
	balances  balances
	poller    *poller
	pages     pages
	people    atomic.Pointer[ledger.Users] // as of the last glance at the ledger
	verifying atomic.Bool                  // a verification runs
	whole     atomic.Pointer[verification] // the result of the last one
	mux       *http.ServeMux               // the routes, behind the checks of handler
	verbs     map[string]ledger.Role       // the role of each route, by the end of its path
	uploads   *app.Uploads
}

// Serve serves the desk until ctx ends. It calls ready once it listens, and warn with the details of a failure
// that a page shows as a number. If it may not listen so, it returns an *app.Error with code Usage.
func Serve(ctx context.Context, a *app.App, set config.Settings, opt config.Desk, warn func(words string), ready func(doc.Desk) error) (err error) {
	cert, err := allowed(opt)
	if err != nil {
		return err
	}
	first, err := a.FirstLink(ctx, app.Call{Command: "payrun desk"})
	if err != nil {
		return err
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", opt.Addr)
	if err != nil {
		return app.Fail(app.Usage, "the desk cannot listen on %s: %v", opt.Addr, err).Because(err).Then(app.Do("desk", "--addr", config.DeskAddr).Which("takes a free port"))
	}
	d := newDesk(ctx, a, set, a.Now, first, warn)
	defer func() { err = errors.Join(err, d.uploads.Close()) }()
	public := opt.PublicHost
	if opt.OwnHost { // a name that no other service of this machine has or had, so that a browser sends its cookie to none
		public = "d-" + rand.Text()[:8] + ".localhost"
	}
	d.named(ln.Addr().String(), public, cert != nil)
	w := &waiting{most: connections}
	srv := &http.Server{
		Handler: d.handler(), ConnState: w.state,
		ReadHeaderTimeout: headerTime, ReadTimeout: bodyTime, WriteTimeout: answerTime, IdleTimeout: idleTime, MaxHeaderBytes: headerBytes,
		ErrorLog: log.New(io.Discard, "", 0), // text from strangers is not logged
	}
	if cert != nil {
		srv.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{*cert}}
		ln = tls.NewListener(ln, srv.TLSConfig)
	}
	said := doc.Desk{Addr: ln.Addr().String(), URL: d.origin + "/"}
	if first.Token != "" {
		said.First = d.origin + "/first/" + first.Token
	}
	if err := ready(said); err != nil {
		return errors.Join(err, ln.Close())
	}
	if !opt.NoPoll {
		d.jobs.running.Go(func() { d.poller.run(ctx) })
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	for ctx.Err() == nil {
		select {
		case err := <-served:
			return app.Fail(app.Failed, "the desk stopped: %v", err).Because(err)
		case <-sweep.C:
			d.uploads.Sweep() // removes sheets that waited too long
		case <-ctx.Done():
		}
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	err = srv.Shutdown(closing)
	if err != nil {
		err = srv.Close()
	}
	d.jobs.wait() // the current call ends with its answer or at its deadline
	return err
}

// allowed reads the certificate, and refuses an address that other machines can reach without a certificate
// and a public name.
func allowed(opt config.Desk) (*tls.Certificate, error) {
	host, _, err := net.SplitHostPort(opt.Addr)
	if err != nil {
		return nil, app.Fail(app.Usage, "--addr %s: it needs HOST:PORT", opt.Addr).Because(err)
	}
	here := config.Loopback(host)
	switch tlsGiven := opt.Cert != "" && opt.Key != ""; {
	case (opt.Cert != "") != (opt.Key != ""):
		return nil, app.Fail(app.Usage, "--cert and --key belong together")
	case !here && (!tlsGiven || opt.PublicHost == ""):
		return nil, app.Fail(app.Usage, "other machines reach %s: that needs --cert FILE, --key FILE and --public-host NAME", opt.Addr).
			Then(app.Do("desk", "--addr", config.DeskAddr).Which("serves this machine only"))
	case opt.OwnHost && (!here || tlsGiven || opt.PublicHost != ""):
		return nil, app.Fail(app.Usage, "--own-host is a name of this machine alone: it goes without --cert, --key and --public-host, and with an address of loopback")
	case opt.PublicHost != "" && strings.ContainsAny(opt.PublicHost, "/:@ "):
		return nil, app.Fail(app.Usage, "--public-host takes a name without scheme, port or path, such as payouts.example.com")
	case !tlsGiven:
		return nil, nil
	}
	cert, err := tls.LoadX509KeyPair(opt.Cert, opt.Key)
	if err != nil {
		return nil, app.Fail(app.Usage, "the certificate or its key cannot be used: %v", err).Because(err)
	}
	return &cert, nil
}

func newDesk(ctx context.Context, a *app.App, set config.Settings, now func() time.Time, first app.First, warn func(string)) *desk {
	d := &desk{
		app: a, warn: warn, patience: lockWait, set: set, now: now, first: first,
		sessions: &sessions{ctx: ctx, now: now, idle: set.Desk.Idle.Std(), whole: set.Desk.Whole.Std()},
		logins:   &throttle{now: now, all: map[string]*tries{}},
		jobs:     &jobs{ctx: ctx, now: now, warn: warn},
	}
	d.poller = &poller{desk: d}
	d.whole.Store(&verification{})
	d.pages = d.parsePages()
	var err error
	if d.uploads, err = a.Uploads(); err != nil {
		warn("desk: sheets cannot be taken in: " + err.Error()) // each upload tries again
	}
	return d
}

// named sets the names under which browsers reach the desk at addr.
func (d *desk) named(addr, public string, secure bool) {
	usual := "80"
	if d.secure = secure; secure {
		usual = "443"
	}
	_, port, _ := net.SplitHostPort(addr) // it listens there
	if public == "" {
		d.hosts = []string{addr, "localhost:" + port}
	} else {
		d.hosts = []string{strings.ToLower(public) + ":" + port}
		if port == usual {
			d.hosts = []string{strings.ToLower(public), d.hosts[0]}
		}
	}
	d.origin = d.scheme() + "://" + d.hosts[0]
	d.cookie = "payrun-" + port
	if secure {
		d.cookie = "__Host-" + d.cookie
	}
}

// nameOf returns how pages name an actor: by the person's name, if there is one.
func (d *desk) nameOf(actor string) (name string) {
	if people := d.people.Load(); people != nil {
		name = people.Shown(actor)
	}
	return cmp.Or(name, ledger.Plain(config.Who(actor)))
}

// call returns the call of a use case by the person of the session.
func (d *desk) call(s *session, page string) app.Call {
	c := app.Call{Command: "payrun desk, " + page, LockWait: d.patience, Working: d.jobs.works}
	if s != nil {
		c.Actor, c.LoggedIn, c.Person = s.person.Name, true, s.person
	}
	return c
}

// waiting limits the connections. Above the limit it closes the one that has waited longest without a
// request, so that clients who send nothing lock no person out.
type waiting struct {
	most int
	mu   sync.Mutex
	all  []connection // longest wait first
}

type connection struct {
	net.Conn
	served bool // a request is being served
}

// state is http.Server.ConnState.
func (w *waiting) state(c net.Conn, s http.ConnState) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = slices.DeleteFunc(w.all, func(one connection) bool { return one.Conn == c })
	if s == http.StateNew || s == http.StateIdle || s == http.StateActive {
		w.all = append(w.all, connection{c, s == http.StateActive})
	}
	longest := slices.IndexFunc(w.all, func(one connection) bool { return !one.served })
	if s == http.StateNew && len(w.all) > w.most && longest >= 0 {
		_ = w.all[longest].Close()
		w.all = slices.Delete(w.all, longest, longest+1)
	}
}
