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

// results has Write ask for the payouts of all sheets in scope, as o.Results does, those of
// again once more, and gives what came.
func results(t *testing.T, l Ledger, scope Scope, again ...int) (got [][]string, err error) {
	t.Helper()
	o := Options{Dir: t.TempDir(), Scope: scope, Results: func(ctx context.Context, s *Snapshot, _ *folder.Folder) ([]string, error) {
		for i, sheet := range s.Loaded() {
			if !s.Has(sheet) {
				continue
			}
			var of []string
			each := func(r Result) error {
				of = append(of, fmt.Sprint(r.Ref, r.Number, r.State))
				if slices.Contains(again, i) && len(of) == 300 {
					return errFull
				}
				return nil
			}
			err := s.EachResult(ctx, sheet, each)
			if errors.Is(err, errFull) {
				of, again = nil, nil
				err = s.EachResultAgain(ctx, sheet, each)
			}
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

// errFull: a workbook has no room for more.
var errFull = errors.New("full")

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
		scope    Scope
		again    []int
		want     [][]string
		readings int32
	}{
		{want: want, readings: 1},
		{again: []int{0}, want: want, readings: 2}, // a sheet that no workbook holds is asked for twice
		{scope: Scope{SheetIDs: []string{m.sheets[0].ID, m.sheets[2].ID}}, want: [][]string{want[0], want[2]}, readings: 2}, // one a sheet
	} {
		l := &counted{Ledger: m}
		got, err := results(t, l, c.scope, c.again...)
		if err != nil {
			t.Fatalf("%v: %v", c.again, err)
		}
		if !slices.EqualFunc(got, c.want, slices.Equal) {
			t.Errorf("%v, again %v: the results are others, or in another order", c.scope, c.again)
		}
		if n := l.readings.Load(); n != c.readings {
			t.Errorf("%v, again %v: the payouts were read %d times, want %d", c.scope, c.again, n, c.readings)
		}
	}
}

// TestWhoStopsFollowingHoldsNobodyUp: who fails over the first of many payouts.
func TestWhoStopsFollowingHoldsNobodyUp(t *testing.T) {
	s := newStream((chunksBehind + 10) * 256)
	_, err := Write(t.Context(), s, Options{Dir: t.TempDir(), Zone: indianStandardTime, Results: func(ctx context.Context, s *Snapshot, _ *folder.Folder) ([]string, error) {
		return nil, s.EachResult(ctx, s.Loaded()[0], func(Result) error { return errDisk })
	}})
	if !errors.Is(err, errDisk) {
		t.Errorf("err = %v, want that of who followed", err)
	}
}

func TestWhoFollowsIsToldOfNoEndThatIsNone(t *testing.T) {
	_, err := results(t, failing{threeSheets(), "payouts"}, Scope{})
	if !errors.Is(err, errDisk) {
		t.Errorf("err = %v, want the ledger's", err)
	}
}

func TestPayoutsThatDoNotLieTogetherAreDamage(t *testing.T) {
	m := threeSheets()
	last := len(m.attempts) - 1
	m.attempts[last].SheetID = m.sheets[0].ID
	if _, err := results(t, m, Scope{}); !errors.Is(err, ledger.ErrLedgerDamaged) {
		t.Errorf("err = %v, want damage", err)
	}
}

// loadedMeanwhile has one more sheet with a payout as soon as its sheets were read once.
type loadedMeanwhile struct {
	*memory
	loaded bool
}

func (l *loadedMeanwhile) Sheets(ctx context.Context) ([]ledger.Sheet, error) {
	sheets, err := l.memory.Sheets(ctx)
	if !l.loaded {
		l.loaded = true
		l.payout(l.batch(l.sheet("meanwhile.csv"), 12, ledger.BatchSettled), 100, ledger.PayoutSuccess)
	}
	return sheets, err
}

func TestSheetThatIsLoadedMeanwhileIsNoDamage(t *testing.T) {
	got, err := results(t, &loadedMeanwhile{memory: threeSheets()}, Scope{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got); n < 4 || len(got[n-1]) != 1 {
		t.Errorf("the sheet that was loaded meanwhile is not in the results")
	}
}
