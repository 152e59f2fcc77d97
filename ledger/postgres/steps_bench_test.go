package postgres

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/ledger/postgres/pgtest"
	"payrun/ledger/sqlite"
	"payrun/ledger/storetest"
)

var (
	among   = flag.Int("among", 60_000, "payouts of the ledgers in which BenchmarkSteps takes steps")
	batches = flag.Int("batches", 20, "batches that BenchmarkSteps submits for each figure")
)

// BenchmarkSteps takes the steps of batches on a server of its own and in a file, turn by turn
// (payrun-bench -only shared). Nothing is analysed.
func BenchmarkSteps(b *testing.B) {
	if pgtest.Binaries() == "" {
		b.Skip("there is no PostgreSQL")
	}
	server, err := pgtest.Measure()
	must(b, err)
	defer server.Stop()
	pgtest.Exec(b, server.URL("postgres"), `CREATE DATABASE books`)
	url := server.URL("books")
	if _, err := connect(b, url).Create(b.Context(), "asha", t0); err != nil {
		b.Fatal(err)
	}
	file, err := sqlite.Create(b.Context(), filepath.Join(b.TempDir(), "payrun.db"), "asha", t0)
	must(b, err)
	defer file.Close()
	shared := &side{TB: b, Store: writer(b, url), pid: server.PID()}
	alone := &side{TB: b, Store: file}

	for _, size := range []int{1, 500} {
		b.Run(fmt.Sprintf("of %d", size), func(b *testing.B) {
			for b.Loop() {
				n := *batches + 1
				if size > 1 { // these are the ledger's payouts
					n = *among / size
				}
				for _, s := range []*side{shared, alone} {
					s.planned = nil
					s.fill("nov", n, size)
				}
				if size > 1 {
					untouched := *batches + 1 + writers*each()
					pgtest.Exec(b, url, fmt.Sprintf(`SET search_path = payrun; UPDATE batches SET made = 1 WHERE made = 0 AND no >= (SELECT min(no) FROM batches WHERE made = 0) + %d`, untouched))
				}
				for _, s := range []*side{shared, alone} {
					s.submit() // what is not yet read or prepared
					s.cpu, s.took, s.looks = 0, nil, nil
				}
				for range *batches {
					alone.submit()
					shared.submit()
				}
				shared.report(b, "shared")
				alone.report(b, "file")
				b.ReportMetric(shared.looks.part(0.5), "look-ms")
			}
		})
	}
	one := shared.took
	b.Run("8 writers", func(b *testing.B) {
		for b.Loop() {
			var wg sync.WaitGroup
			var all []*side
			connections := int32(0)
			began := time.Now()
			for range writers {
				w := &side{TB: b, Store: writer(b, url)}
				w.planned = shared.take(each())
				all = append(all, w)
				wg.Go(func() {
					for len(w.planned) > 0 {
						w.submit()
					}
				})
			}
			wg.Wait()
			wall := time.Since(began)
			var took durations
			for _, w := range all {
				took = append(took, w.took...)
				connections = max(connections, w.Store.(*Store).engine.pool.Stat().TotalConns())
			}
			perStep := one.sum().Seconds() / float64(len(one))
			b.ReportMetric(perStep*float64(len(took))/wall.Seconds(), "of-one")
			b.ReportMetric(took.part(0.95), "p95-ms")
			b.ReportMetric(float64(connections), "connections")
		}
	})
	b.Run("during a load", func(b *testing.B) {
		for b.Loop() {
			loader := &side{TB: b, Store: writer(b, url)}
			shared.took = nil
			done := make(chan struct{})
			go func() {
				defer close(done)
				loader.fill("meanwhile", *among/500, 500)
			}()
			for loading := true; loading && len(shared.planned) > 0; {
				shared.submit()
				select {
				case <-done:
					loading = false
				default:
				}
			}
			<-done
			b.ReportMetric(one.part(0.95), "without-p95-ms")
			b.ReportMetric(shared.took.part(0.95), "p95-ms")
			b.ReportMetric(shared.took.part(1), "longest-ms")
			b.ReportMetric(float64(len(shared.took)), "steps")
		}
	})
}

// writers work at once, each on so many batches.
const writers = 8

func each() int { return max(*batches/4, 1) }

// writer opens the ledger as a machine of its own.
func writer(b *testing.B, url string) *Store {
	s, err := connect(b, url).OpenToWrite(b.Context(), ledger.Claim{Wait: time.Minute})
	must(b, err)
	b.Cleanup(func() { _ = s.Close() })
	return s
}

// side is a ledger whose steps are timed.
type side struct {
	testing.TB
	storetest.Store
	pid int // of its server; 0 for none

	planned     []string
	cpu         time.Duration
	took, looks durations
}

// fill loads a sheet of so many batches, which wait to be submitted.
func (s *side) fill(name string, n, size int) {
	const most = 1_000_000 // payouts of a sheet
	for part := 0; n > 0; part++ {
		now := min(n, most/size)
		n -= now
		sheet := fmt.Sprintf("%s%d-%d", name, size, part)
		for _, batch := range storetest.Load(s.TB, s, sheet, now*size, size) {
			s.planned = append(s.planned, batch.ID)
		}
	}
}

func (s *side) take(n int) (batches []string) {
	batches, s.planned = s.planned[:n], s.planned[n:]
	return batches
}

// submit brings a batch to submitted, and counts what all processes work for it.
func (s *side) submit() {
	server, own := pgtest.CPU(s.pid), s.busy()
	id := s.take(1)[0]
	storetest.Hold(s.TB, s, id)
	storetest.Submit(s.TB, s, id)
	s.cpu += s.busy() - own
	s.cpu += pgtest.CPU(s.pid) - server
}

// busy is what this process worked so far.
func (s *side) busy() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		s.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// Apply times a step, and after an intent the last look, as the engine does.
func (s *side) Apply(ctx context.Context, step ledger.Step) error {
	began := time.Now()
	err := s.Store.Apply(ctx, step)
	s.took = append(s.took, time.Since(began))
	if err == nil && step.Event.Call() != "" {
		began = time.Now()
		err = s.MaySend(ctx, step.BatchID)
		s.looks = append(s.looks, time.Since(began))
	}
	return err
}

func (s *side) report(b *testing.B, name string) {
	b.ReportMetric(s.took.part(0.5), name+"-ms")
	b.ReportMetric(s.cpu.Seconds()*1e3/float64(len(s.took)), name+"-cpu-ms")
}

type durations []time.Duration

// part returns the duration that so many are not above, in milliseconds.
func (d durations) part(of float64) float64 {
	sorted := slices.Sorted(slices.Values(d))
	return sorted[int(of*float64(len(sorted)-1))].Seconds() * 1e3
}

func (d durations) sum() (all time.Duration) {
	for _, t := range d {
		all += t
	}
	return all
}
