package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"payrun/ledger"
	"payrun/ledger/sqlite"
)

// Options say how a process writes to a ledger.
type Options struct {
	Now        func() time.Time // this machine's clock, with its monotonic reading, for durations
	Lease      time.Duration    // a run that is not renewed for this long is over
	Durability string           // why a commit is not lost: "replicated", "managed" or "single"
	Marks      string           // the folder of this machine's marks; "" if it cannot keep any: then it sends nothing
}

// guard refuses intents in a ledger that lost data, or may have.
type guard struct {
	Options
	path string // of the mark; "" if there is none

	mu      sync.Mutex
	mark    sqlite.Mark       // of this machine
	behind  error             // why: the ledger lost data
	permits map[string]permit // by batch, for the intents that this run recorded
}

const markSchema = "payrun.mark/v1" // of this machine's marks

// permit says that the server confirmed an intent, or why its call is not made. The times are from before its
// COMMIT.
type permit struct {
	refused error
	clock   int64     // the database's, in microseconds
	at      time.Time // this machine's
	here    string    // the identity of the database
}

// The last check allows a call only within sendWithin of its intent, and takes at most lookWithin.
const (
	sendWithin = 5 * time.Second
	lookWithin = time.Second
)

// standing is what the database reports about itself in a transaction.
type standing struct {
	clock                 int64
	here, home            string
	restores              int64
	suspected             string
	copied                bool
	seq                   int64
	hash, atMark          string
	fsync, pages, commits string
	standby               bool
}

func (g *guard) read(ctx context.Context, r sqlite.Reader) (s standing, err error) {
	err = r.QueryRow(ctx, `SELECT clock(), here(), (SELECT is_at FROM homes ORDER BY no DESC LIMIT 1), r.n,
		ifnull((SELECT why FROM suspicions WHERE restores = r.n), ''), EXISTS (SELECT 1 FROM copied), e.seq, e.hash,
		ifnull((SELECT hash FROM events WHERE seq = ?), ''),
		current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit'),
		EXISTS (SELECT 1 FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum'))
		FROM (SELECT count(*) AS n FROM restores) r, (SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1) e`, g.mark.Length).
		Scan(&s.clock, &s.here, &s.home, &s.restores, &s.suspected, &s.copied, &s.seq, &s.hash, &s.atMark, &s.fsync, &s.pages, &s.commits, &s.standby)
	return s, err
}

// mark returns the mark for the ledger's present state.
func (s *standing) mark(ledgerID string) sqlite.Mark {
	return sqlite.Mark{Schema: markSchema, LedgerID: ledgerID, Length: s.seq, Hash: s.hash, Restores: s.restores}
}

// forgot says in words why the ledger may have lost something, or "".
func (s *standing) forgot(m sqlite.Mark) string {
	switch {
	case s.copied:
		return "it is a copy"
	case s.suspected != "":
		return s.suspected
	case s.here != "" && s.here != s.home: // "" on a standby
		return fmt.Sprintf("its database is %s, and was %s: another server took over, or it was restored", s.here, s.home)
	case m.Length == 0 && m.LedgerID != "" && s.restores == 0:
		return fmt.Sprintf("this machine's mark is of ledger %s: this is another one in its place", m.LedgerID)
	case m.Length == 0 || m.Restores < s.restores: // this machine's mark is from before a person accepted the ledger
		return ""
	case m.Restores > s.restores:
		return fmt.Sprintf("it was accepted as restored %d times, and this machine has seen %d", s.restores, m.Restores)
	}
	return m.Lacks(s.seq, s.atMark)
}

// undurable says in words why a commit may be lost, or "".
func (s *standing) undurable(durability string) string {
	switch {
	case s.fsync != "on":
		return "its server has fsync = " + s.fsync
	case s.pages != "on":
		return "its server has full_page_writes = " + s.pages
	case s.commits != "on":
		return "its server has synchronous_commit = " + s.commits
	case durability == "replicated" && !s.standby:
		return `no synchronous standby is seen (synchronous_standby_names; the role needs GRANT pg_read_all_stats); where the server is replicated otherwise, say [ledger_url] durability = "managed", and where it is alone, "single"`
	}
	return ""
}

// readMark reads this machine's mark. If there is none, the mark is zero, or names the ledger that this machine
// saw in the same place.
func (g *guard) readMark(id string) error {
	if g.path == "" {
		return nil
	}
	m, err := sqlite.ReadMark(g.path, markSchema)
	if err == nil && m == (sqlite.Mark{}) {
		if others, _ := os.ReadDir(g.Marks); len(others) > 0 { // without a folder there is none
			g.mark = sqlite.Mark{LedgerID: others[0].Name()}
		}
		return nil
	}
	if err == nil && m.LedgerID != id {
		err = errors.New("it is not one of this ledger")
	}
	if err != nil {
		return fmt.Errorf("the mark %s cannot be read: %w", g.path, err)
	}
	g.mark = m
	return nil
}

// raiseMark records how far the ledger has come. The mark never goes back: other runs of this machine raise the
// same mark.
func (g *guard) raiseMark(m sqlite.Mark) error {
	if err := os.MkdirAll(filepath.Dir(g.path), 0o700); err != nil {
		return err
	}
	there := guard{path: g.path}
	if there.readMark(m.LedgerID) == nil && (there.mark.Restores > m.Restores || there.mark.Restores == m.Restores && there.mark.Length >= m.Length) {
		m = there.mark
	} else if err := sqlite.ReplaceFile(g.path, m.Text()); err != nil {
		return err
	}
	g.mark = m
	return nil
}

// compare says in words why the ledger may have lost something, or "". It reads this machine's mark before the
// database, because another run of this machine may raise the mark meanwhile.
func (s *Store) compare(ctx context.Context) (is standing, why string, err error) {
	g := &s.engine.guard
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.Marks != "" {
		g.path = filepath.Join(g.Marks, s.LedgerID())
	}
	unread := g.readMark(s.LedgerID())
	err = s.engine.Moment(ctx, func(r sqlite.Snapshot) (err error) {
		is, err = g.read(ctx, r)
		return err
	})
	if why = is.forgot(g.mark); why == "" && unread != nil {
		why = unread.Error()
	}
	return is, why, err
}

// watch refuses intents if the ledger may have lost something. It records the suspicion, so that every machine
// knows.
func (s *Store) watch(ctx context.Context) error {
	is, why, err := s.compare(ctx)
	if err != nil || why == "" {
		return err
	}
	s.engine.guard.behind = fmt.Errorf("%w: %s", ledger.ErrRestored, why)
	if why = is.forgot(s.engine.guard.mark); why == "" {
		return nil
	}
	return s.engine.withoutLock(ctx, `INSERT INTO suspicions (restores, why, at) VALUES (?, ?, clock()) ON CONFLICT DO NOTHING`, nil, is.restores, why)
}

// Intend records an intent if the ledger lost nothing and its commit cannot be lost. The call is permitted once
// the server confirmed the commit and this machine's mark is raised. Otherwise MaySend refuses it, and the call
// ends as not sent.
func (e *engine) Intend(ctx context.Context, batchID string, fn func(sqlite.Writer) error) error {
	g := &e.guard
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.permits, batchID)
	if g.behind != nil {
		return g.behind
	}
	if g.path == "" {
		return fmt.Errorf("%w: this machine has no folder to keep its mark in", ledger.ErrNotDurable)
	}
	var is standing
	var at time.Time
	sure, err := e.write(ctx, func(tx sqlite.Writer) (err error) {
		if err := fn(tx); err != nil {
			return err
		}
		at = g.Now()
		if is, err = g.read(ctx, tx); err != nil {
			return err
		}
		var lives bool
		if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM runs WHERE id = current_setting('payrun.run') AND `+live+`)`).Scan(&lives); err != nil {
			return err
		}
		if !lives { // another machine may record this run's calls as lost at any moment
			return fmt.Errorf("%w: this run is over, because its lease was not renewed in time", ledger.ErrUnreachable)
		}
		if why := is.forgot(g.mark); why != "" {
			return fmt.Errorf("%w: %s", ledger.ErrRestored, why)
		}
		if why := is.undurable(g.Durability); why != "" {
			return fmt.Errorf("%w: %s", ledger.ErrNotDurable, why)
		}
		return nil
	}, lockLedger)
	if err != nil {
		return err
	}
	refused := errors.New("the ledger's database did not confirm that the record of the call stays")
	if sure {
		refused = g.raiseMark(is.mark(filepath.Base(g.path)))
	}
	g.permits[batchID] = permit{refused, is.clock, at, is.here}
	return nil
}

// MaySend is the last check of the ledger. The intent must be open and this run's, the run not over, and the
// database the same; little time may have passed since, by every clock.
func (s *Store) MaySend(ctx context.Context, batchID string) error {
	e := s.engine
	e.guard.mu.Lock()
	p, ok := e.guard.permits[batchID]
	delete(e.guard.permits, batchID)
	e.guard.mu.Unlock()
	if !ok || e.run == nil {
		return errors.New("this run recorded no such call")
	}
	if p.refused != nil {
		return p.refused
	}
	began := e.guard.Now()
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	var clock int64
	var here string
	var open, lives bool
	err := e.QueryRow(ctx, `SELECT clock(), here(), EXISTS (SELECT 1 FROM intents i JOIN batches b ON b.no = i.batch_no WHERE b.id = ?1 AND i.outcome IS NULL AND i.run = ?2),
		EXISTS (SELECT 1 FROM runs WHERE id = ?2 AND `+live+`)`, batchID, e.run.id).Scan(&clock, &here, &open, &lives)
	switch {
	case err != nil:
		return fmt.Errorf("the last look at the ledger: %w", err)
	case !open:
		return errors.New("the call is no longer open in the ledger: another machine took it for lost")
	case !lives:
		return errors.New("this run is over: its lease was not renewed in time")
	case here != p.here:
		return errors.New("the ledger's database is another one now")
	case passed(e.guard.Now(), began) > lookWithin, passed(e.guard.Now(), p.at) > sendWithin, clock-p.clock > sendWithin.Microseconds():
		return errors.New("too much time passed since the call was recorded")
	}
	return nil
}

// passed returns how long ago a moment was, by the wall clock or the monotonic one, the larger of the two: the
// monotonic clock stops while the machine sleeps.
func passed(now, at time.Time) time.Duration {
	return max(now.Sub(at), now.Round(0).Sub(at.Round(0)))
}

// Restored returns ledger.ErrRestored with the reason if the ledger may have lost something, else nil.
func (s *Store) Restored() error { return s.engine.guard.behind }

// AcceptRestored records that a person accepts the ledger as it is, in its present database. It returns
// ledger.ErrNotFound if there is nothing to accept.
func (s *Store) AcceptRestored(ctx context.Context, actor, reason string, at time.Time) error {
	g := &s.engine.guard
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.behind == nil {
		return fmt.Errorf("accept the ledger as restored: %w: it contains what this machine has seen of it", ledger.ErrNotFound)
	}
	var is standing
	err := s.Tables.AcceptRestored(ctx, g.behind.Error(), actor, reason, at, func(tx sqlite.Writer) error {
		_, err := tx.Exec(ctx, `INSERT INTO homes (is_at, at) VALUES (here(), clock())`)
		if err == nil {
			is, err = g.read(ctx, tx)
		}
		return err
	})
	if err != nil {
		return err
	}
	if g.path != "" {
		if err := g.raiseMark(is.mark(s.LedgerID())); err != nil {
			return err
		}
	}
	g.behind = nil
	return nil
}
