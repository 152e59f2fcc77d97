package reports

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"payrun/ledger"
	"payrun/reports/folder"
)

// counted counts how often the payouts are read.
type counted struct {
	Ledger
	readings atomic.Int32
}

func (c *counted) EachPayout(ctx context.Context, f ledger.Filter, fn func(ledger.Attempt) error) error {
	c.readings.Add(1)
	return c.Ledger.EachPayout(ctx, f, fn)
}

// threeSheets has sheets of some payouts, some of them sent again; the second has none.
func threeSheets() *memory {
	m := &memory{}
	for i, n := range []int{1200, 0, 700} {
		b := m.batch(m.sheet(fmt.Sprintf("%d.csv", i)), 12, ledger.BatchSettled)
		for j := range n {
			m.payout(b, 100, ledger.PayoutSuccess)
			if j%7 == 0 { // the attempt before it
				last := len(m.attempts) - 1
				again := m.attempts[last]
				m.attempts[last].State, again.Number = ledger.PayoutFailed, 2
				m.attempts = append(m.attempts, again)
			}
		}
	}
	return m
}

// results has Write ask for the payouts of sheets as o.Results may, and gives what came.
func results(t *testing.T, l Ledger, scope Scope, sheets ...int) (got [][]string, err error) {
	t.Helper()
	o := Options{Dir: t.TempDir(), Scope: scope, Results: func(ctx context.Context, s *Snapshot, _ *folder.Folder) ([]string, error) {
		for _, i := range sheets {
			var of []string
			err := s.EachResult(ctx, s.Loaded()[i], func(r Result) error {
				of = append(of, fmt.Sprint(r.Ref, r.Number, r.State))
				return nil
			})
			if err != nil {
				return nil, err
			}
			got = append(got, of)
		}
		return nil, nil
	}}
	o.Zone = indianStandardTime
	_, err = Write(t.Context(), l, o)
	return got, err
}

func TestPayoutsAreReadOnceForReportsAndPeoplesOwnSheets(t *testing.T) {
	m := threeSheets()
	want := make([][]string, 3)
	for i, h := range m.sheets {
		err := m.EachPayout(t.Context(), ledger.Filter{SheetID: h.ID}, func(a ledger.Attempt) error {
			want[i] = append(want[i], fmt.Sprint(a.Ref, a.Number, a.State))
			return nil
		})
		must(t, err)
	}
	for _, c := range []struct {
		asked    []int
		scope    Scope
		readings int32
	}{
		{asked: []int{0, 1, 2}, readings: 1},
		{asked: []int{0, 2}, readings: 1}, // of a sheet whose bytes are not kept no one asks
		{asked: []int{1}, readings: 1},
		{asked: []int{2}, readings: 1},
		{asked: nil, readings: 1},
		{asked: []int{0, 0, 2}, readings: 2}, // a sheet that no workbook holds is asked for twice,
		{asked: []int{2, 0}, readings: 2},    // and nothing comes back
		{asked: []int{0, 2}, scope: Scope{SheetIDs: []string{m.sheets[0].ID, m.sheets[2].ID}}, readings: 2}, // one a sheet
	} {
		l := &counted{Ledger: m}
		got, err := results(t, l, c.scope, c.asked...)
		if err != nil {
			t.Fatalf("%v: %v", c.asked, err)
		}
		for i, of := range c.asked {
			if !slices.Equal(got[i], want[of]) {
				t.Errorf("%v: sheet %d has %d results, want %d, the same in order", c.asked, of, len(got[i]), len(want[of]))
			}
		}
		if n := l.readings.Load(); n != c.readings {
			t.Errorf("%v: the payouts were read %d times, want %d", c.asked, n, c.readings)
		}
	}
}

// TestWhoStopsFollowingHoldsNobodyUp: neither one who wants none of many payouts nor
// one who fails over the first.
func TestWhoStopsFollowingHoldsNobodyUp(t *testing.T) {
	s := newStream((chunksBehind + 10) * 256)
	if _, err := results(t, s, Scope{}); err != nil {
		t.Error(err)
	}
	_, err := Write(t.Context(), s, Options{Dir: t.TempDir(), Zone: indianStandardTime, Results: func(ctx context.Context, s *Snapshot, _ *folder.Folder) ([]string, error) {
		return nil, s.EachResult(ctx, s.Loaded()[0], func(Result) error { return errDisk })
	}})
	if !errors.Is(err, errDisk) {
		t.Errorf("err = %v, want that of who followed", err)
	}
}

func TestWhoFollowsIsToldOfNoEndThatIsNone(t *testing.T) {
	_, err := results(t, failing{threeSheets(), "payouts"}, Scope{}, 0, 2)
	if !errors.Is(err, errDisk) {
		t.Errorf("err = %v, want the ledger's", err)
	}
}

func TestPayoutsThatDoNotLieTogetherAreDamage(t *testing.T) {
	m := threeSheets()
	last := len(m.attempts) - 1
	m.attempts[last].SheetID = m.sheets[0].ID
	if _, err := results(t, m, Scope{}, 0, 1, 2); !errors.Is(err, ledger.ErrLedgerDamaged) {
		t.Errorf("err = %v, want damage", err)
	}
}
