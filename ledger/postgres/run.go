package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"payrun/ledger"
	"payrun/ledger/sqlite"
)

// run is one operation that writes, as others see it in the table runs. Once its lease ends, its calls are in
// doubt.
type run struct {
	id     string
	began  int64                     // by the database's clock, in microseconds
	at     time.Time                 // the same moment by this machine's clock
	until  atomic.Pointer[time.Time] // end of its lease by this machine's clock; nil: it is over
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// live is the SQL condition of a run that is not over.
const live = `ended IS NULL AND until > clock()`

// withoutLock makes a short write without the ledger's lock. A server that crashes may lose it, but only with
// everything that was written later.
func (e *engine) withoutLock(ctx context.Context, query string, fields []any, args ...any) error {
	tx, err := e.begin(ctx, beginWrite, `SET LOCAL synchronous_commit = off`)
	if err != nil {
		return err
	}
	if fields != nil {
		err = tx.QueryRow(ctx, query, args...).Scan(fields...)
	} else {
		_, err = tx.Exec(ctx, query, args...)
	}
	if err != nil {
		tx.rollback()
		return err
	}
	if _, err = tx.commit(ctx, commitWithin); errors.Is(err, errCommitLost) {
		return fmt.Errorf("%w: %w", ledger.ErrUnreachable, err)
	}
	return err
}

// beginRun begins the run of a claim, and renews its lease until endRun.
func (e *engine) beginRun(ctx context.Context, h ledger.Holder, lease time.Duration) error {
	name := strconv.Itoa(os.Getuid())
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	r := &run{id: rand.Text()}
	err := e.withoutLock(ctx, `INSERT INTO runs (id, host, pid, os_user, command, person, since, until) VALUES (?, ?, ?, ?, ?, ?, ?, clock() + ?) RETURNING clock()`,
		[]any{&r.began}, r.id, h.Host, h.PID, name, h.Command, h.Person, h.Since.UnixMicro(), lease.Microseconds())
	if err != nil {
		return err
	}
	r.at = e.guard.Now()
	r.renewed(r.at.Add(lease))
	ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	r.done.Go(func() {
		each := time.Tick(lease / 3)
		for {
			select {
			case <-ctx.Done():
				return
			case <-each: // if this renewal fails, the next one comes in time, or the run is over
				until := e.guard.Now().Add(lease)
				if e.withoutLock(ctx, `UPDATE runs SET until = clock() + ? WHERE id = ? AND `+live, nil, lease.Microseconds(), r.id) == nil {
					r.renewed(until)
				}
			}
		}
	})
	e.run = r
	return nil
}

func (r *run) renewed(until time.Time) { r.until.Store(&until) }

// leased reports whether a run has begun and still has its lease, as far as this machine knows.
func (e *engine) leased() bool {
	if e.run == nil {
		return false
	}
	until := e.run.until.Load()
	return until != nil && e.guard.Now().Before(*until)
}

// endRun ends the run. If the server does not receive that, the run ends with its lease.
func (e *engine) endRun() {
	if e.run == nil {
		return
	}
	e.run.cancel()
	e.run.done.Wait()
	e.run.until.Store(nil)
	ctx, cancel := context.WithTimeout(context.Background(), commitWithin)
	defer cancel()
	_ = e.withoutLock(ctx, `UPDATE runs SET ended = clock() WHERE id = ? AND ended IS NULL`, nil, e.run.id)
}

// Lost ends the runs whose lease is over. Their calls are lost.
func (e *engine) Lost(ctx context.Context, tx sqlite.Writer) (string, error) {
	_, err := tx.Exec(ctx, `UPDATE runs SET ended = clock() WHERE ended IS NULL AND until <= clock()`)
	return `NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = i.run AND r.ended IS NULL)`, err
}

// Now returns the ledger's time: the run read the database's clock once and counts on from it. A machine's own
// clock decides nothing.
func (s *Store) Now() time.Time {
	r := s.engine.run
	return time.UnixMicro(r.began).Add(s.engine.guard.Now().Sub(r.at))
}

// Holder returns the latest run that uses the ledger. held is false if there is none.
func (s *Server) Holder(ctx context.Context) (h ledger.Holder, held bool, err error) {
	return holder(ctx, &engine{pool: s.pool}, live)
}

// Calling reports whether a call about a batch is in progress in another run that is not over.
func (s *Store) Calling(ctx context.Context, batchID string) (yes bool, err error) {
	own := ""
	if s.engine.run != nil {
		own = s.engine.run.id
	}
	err = s.engine.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM intents i JOIN batches b ON b.no = i.batch_no JOIN runs r ON r.id = i.run
		WHERE b.id = ? AND i.outcome IS NULL AND r.id <> ? AND r.ended IS NULL AND r.until > clock())`, batchID, own).Scan(&yes)
	return yes, sqlite.Damage("calls in progress", err)
}

// holder returns the first of holders.
func holder(ctx context.Context, r sqlite.Reader, which string, args ...any) (h ledger.Holder, held bool, err error) {
	all, err := holders(ctx, r, which, args...)
	if len(all) == 0 {
		return h, false, err
	}
	return all[0], true, nil
}

// holders returns the holders of the runs that a condition selects, the latest to begin first.
func holders(ctx context.Context, r sqlite.Reader, which string, args ...any) (all []ledger.Holder, err error) {
	return sqlite.List(ctx, r, func(h *ledger.Holder) []any {
		return []any{&h.Command, &h.Person, &h.PID, &h.Host, sqlite.Moment(&h.Since)}
	}, `SELECT command, person, pid, host, since FROM runs WHERE `+which+` ORDER BY since DESC`, args...)
}

// Only reserves a task for this run until it is over. Only one run may have a task at a time: if another has
// it, Only returns a *ledger.LockedError.
func (s *Store) Only(ctx context.Context, task string) error {
	err := s.engine.Write(ctx, func(tx sqlite.Writer) error {
		h, held, err := holder(ctx, tx, `task = ? AND id <> ? AND `+live, task, s.engine.run.id)
		if held {
			return &ledger.LockedError{Holder: h}
		}
		if err == nil {
			_, err = tx.Exec(ctx, `UPDATE runs SET task = ? WHERE id = ?`, task, s.engine.run.id)
		}
		return err
	})
	return sqlite.Damage(task, err)
}
