package reports

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/reports/folder"
)

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

// results has Write ask for the payouts of all sheets in scope, as o.Results does, and gives what came.
func results(t *testing.T, l Ledger, scope Scope) (got [][]string, err error) {
	t.Helper()
	o := Options{Dir: t.TempDir(), Zone: indianStandardTime, Scope: scope, Results: func(ctx context.Context, s *Snapshot, _ *folder.Folder) ([]string, error) {
		for _, sheet := range s.Loaded() {
			if !s.Has(sheet) {
				continue
			}
			var of []string
			for r, err := range s.Results(sheet) {
				if err != nil {
					return nil, err
				}
				of = append(of, fmt.Sprint(r.Ref, r.Number, r.State))
			}
			got = append(got, of)
		}
		return nil, nil
	}}
	_, err = Write(t.Context(), l, o)
	return got, err
}

func TestEachSheetHasTheResultsOfItsPayouts(t *testing.T) {
	m := threeSheets()
	want := make([][]string, 3)
	for i, h := range m.sheets {
		err := m.EachPayout(t.Context(), ledger.Filter{SheetID: h.ID}, func(a ledger.Attempt) error {
			want[i] = append(want[i], fmt.Sprint(a.Ref, a.Number, a.State))
			return nil
		})
		must(t, err)
	}
	some := Scope{SheetIDs: []string{m.sheets[0].ID, m.sheets[2].ID}}
	for _, c := range []struct {
		scope Scope
		want  [][]string
	}{{Scope{}, want}, {some, [][]string{want[0], want[2]}}} {
		got, err := results(t, m, c.scope)
		if err != nil || !slices.EqualFunc(got, c.want, slices.Equal) {
			t.Errorf("%v: the results are others, or in another order: %v", c.scope, err)
		}
	}
}

// The CSV of a sheet that is too large for a workbook begins again, and the next sheet must not get its payouts.
func TestASheetThatStopsEarlyLeavesTheNextOneItsPayouts(t *testing.T) {
	var got []string
	count := func(of iter.Seq2[Result, error], most int) {
		n := 0
		for _, err := range of {
			must(t, err)
			if n++; n == most {
				break
			}
		}
		got = append(got, strconv.Itoa(n))
	}
	o := Options{Dir: t.TempDir(), Zone: time.UTC, Results: func(ctx context.Context, s *Snapshot, _ *folder.Folder) ([]string, error) {
		for _, sheet := range s.Loaded() {
			count(s.Results(sheet), 300)
			count(s.ResultsAgain(ctx, sheet), 0)
		}
		return nil, nil
	}}
	_, err := Write(t.Context(), threeSheets(), o)
	must(t, err)
	if want := []string{"300", "1200", "0", "0", "300", "700"}; !slices.Equal(got, want) {
		t.Errorf("results %v, want %v", got, want)
	}
}

func TestAPayoutThatIsNotWithItsSheetFailsTheReports(t *testing.T) {
	m := threeSheets()
	m.attempts = append(m.attempts, m.attempts[0])
	m.attempts[len(m.attempts)-1].ID = -1
	if _, err := results(t, m, Scope{}); !errors.Is(err, ledger.ErrLedgerDamaged) {
		t.Errorf("err = %v: its sheet's rows would say that it was not loaded", err)
	}
}

func TestAnErrorOfTheLedgerEndsResultsToo(t *testing.T) {
	if _, err := results(t, failing{threeSheets(), "payouts"}, Scope{}); !errors.Is(err, errDisk) {
		t.Errorf("err = %v, want the ledger's", err)
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

func TestASheetThatIsLoadedMeanwhileIsReportedToo(t *testing.T) {
	got, err := results(t, &loadedMeanwhile{memory: threeSheets()}, Scope{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got); n < 4 || len(got[n-1]) != 1 {
		t.Errorf("the sheet that was loaded meanwhile is not in the results")
	}
}
