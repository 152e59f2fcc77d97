package app

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// exitsOf numbers errors as the command line does, as far as these tests go.
func exitsOf(e *Error) int {
	if e == nil {
		return 0
	}
	return map[Code]int{LedgerRestored: 17, SheetRefused: 10, RowsLeftOut: 10, ArchiveChanged: 10, NeedsPerson: 12, BudgetOver: 1, Interrupted: 130, LedgerLocked: 11, Usage: 2, Failed: 1}[e.Code]
}

// sheet is the text of one payout for each reference.
func sheetOf(refs ...string) string {
	text := "Reference,Beneficiary Name,Account Number,IFSC Code,Amount,Debit Account\n"
	for _, ref := range refs {
		text += ref + ",Asha Traders,123456789012,HDFC0001234,100.00,pb3\n"
	}
	return text
}

func (d *desk) drop(name, text string) string {
	return drop(d.t, filepath.Join(d.dir, "inbox"), name, text, time.Hour)
}

// said keeps what a night says to its log.
type said struct {
	Silence
	mu    sync.Mutex
	lines []string
}

func (s *said) Step(_, text string) { s.say(text) }
func (s *said) Warn(text string)    { s.say("warning: " + text) }
func (s *said) say(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, text)
}

// night runs one, which has to end with the code.
func (d *desk) night(ctx context.Context, want Code) (*Night, string) {
	d.t.Helper()
	log := &said{}
	n, err := d.Nightly(ctx, Call{Actor: "cron", Progress: log}, NightlyRequest{Budget: time.Hour, Exit: exitsOf})
	if codeOf(err) != want {
		d.t.Fatalf("the night ends with %q (%v), want %q\n%s", codeOf(err), err, want, strings.Join(log.lines, "\n"))
	}
	lines := mattersOf(err)
	if strings.Contains(lines, "\n") {
		d.t.Errorf("a matter takes more than a line: %q", lines)
	}
	if n.Exit != exitsOf(Worst(err)) {
		d.t.Errorf("exit %d of %q", n.Exit, want)
	}
	return n, lines
}

// mattersOf returns the lines that a night prints, joined.
func mattersOf(err error) string {
	e := Worst(err)
	if e == nil {
		return ""
	}
	said := []string{e.What}
	for _, h := range e.Next {
		said = append(said, h.Before)
	}
	return strings.Join(said, "; ")
}

func (d *desk) holds(dir string, want ...string) {
	d.t.Helper()
	if got := names(d.t, filepath.Join(d.dir, dir)); !slices.Equal(got, want) {
		d.t.Errorf("%s holds %q, want %q", dir, got, want)
	}
}

// taken is where a night that broke off so often left the sheets that it took.
func (d *desk) taken(breaks int) string {
	d.t.Helper()
	folders, err := filepath.Glob(filepath.Join(d.dir, "inbox", ".payrun-taken-*"))
	if err != nil || len(folders) != 1 {
		d.t.Fatal(folders, err)
	}
	return filepath.Join(folders[0], fmt.Sprint(breaks))
}

const today = "archive/2025-11-03"

func TestANightLoadsWhatIsGoodAndGivesBackWhatIsNot(t *testing.T) {
	d := newDesk(t)
	d.drop("good.csv", sheetOf("N-1", "N-2"))
	d.drop("bad.csv", sheetOf("N-3")+"N-4,Asha Traders,123456789012,nonsense,100.00,pb3\n")
	d.drop("notes.txt", "not a sheet")
	d.drop("nothing.csv", "Ref No,Beneficiary Name,Account Number,IFSC Code\nN-5,Asha Traders,123456789012,HDFC0001234\n")
	n, line := d.night(t.Context(), SheetRefused)
	d.holds("inbox", "notes.txt")
	d.holds(today, "good.csv")
	d.holds("rejected", "bad.csv", "bad.csv.reasons.txt", "nothing.csv", "nothing.csv.reasons.txt")
	for _, word := range []string{"bad.csv, nothing.csv", "left in the inbox, because its name does not end like a sheet's (.csv, .xlsx, .xml): notes.txt", "rejected: "} {
		if !strings.Contains(line, word) {
			t.Errorf("%q does not say %q", line, word)
		}
	}
	for name, says := range map[string]string{"bad.csv": "D3, IFSC Code: ", "nothing.csv": "which header it has: --map amount=HEADER\n"} {
		why, err := os.ReadFile(filepath.Join(d.dir, "rejected", name+reasonsEnding))
		if err != nil || !strings.Contains(string(why), says) || strings.Contains(string(why), "123456789012") {
			t.Errorf("%s: %s, %v", name, why, err)
		}
	}
	if len(n.Reports) == 0 || n.Sheets[len(n.Sheets)-1].Outcome == "" {
		t.Errorf("%+v", n)
	}
	if got := d.state(d.batchesOf(t)[0]); got != "planned" {
		t.Errorf("the batch is %s: a night initiates nothing", got)
	}

	// the same content, under any name, is no error; nor is a name that the archive has
	d.drop("again.csv", sheetOf("N-1", "N-2"))
	d.drop("good.csv", sheetOf("N-9"))
	n, line = d.night(t.Context(), NeedsPerson)
	if !strings.HasPrefix(line, "1 sheet loaded; ₹300.00 waits to be initiated: 2 batches (") {
		t.Error(line)
	}
	d.holds(today, "again.csv", "good-2.csv", "good.csv")
	if n.Sheets[0].Outcome != SheetRepeated || n.Sheets[0].Rejected.Count != 0 || n.Sheets[1].Outcome != SheetLoaded {
		t.Errorf("%+v", n.Sheets)
	}
}

func TestANightIndexesThePayeesForTheDay(t *testing.T) {
	d := newDesk(t)
	d.drop("november.csv", sheetOf("N-1", "N-2"))
	d.night(t.Context(), NeedsPerson)
	db, err := sql.Open("sqlite", "file:"+d.set.LedgerPath+"?mode=ro")
	must(t, err)
	defer db.Close()
	var upto, last int
	err = db.QueryRow(`SELECT upto, (SELECT max(id) FROM payouts) FROM payees_indexed`).Scan(&upto, &last)
	if err != nil || last == 0 || upto != last {
		t.Errorf("payees are indexed up to payout %d of %d, %v", upto, last, err)
	}
}

func (d *desk) batchesOf(t *testing.T) (all []string) {
	t.Helper()
	s, err := d.Status(t.Context(), Call{})
	must(t, err)
	return ids(s.Batches)
}

func TestBadRowsAreLeftOutWherePayrunTomlSaysSo(t *testing.T) {
	d := newDesk(t, `bad_rows     = "reject-sheet"`, `bad_rows     = "skip-rows"`)
	d.drop("mixed.csv", sheetOf("N-1")+"N-2,Asha Traders,123456789012,nonsense,100.00,pb3\n")
	n, _ := d.night(t.Context(), RowsLeftOut)
	d.holds(today, "mixed.csv")
	d.holds("rejected", "mixed.rejected.csv")
	if s := n.Sheets[0]; s.Outcome != SheetPartly || s.Accepted.Count != 1 || s.Rejected.Count != 1 {
		t.Errorf("%+v", s)
	}
}

// A run that broke off left its file; what it had loaded is not loaded again, and
// rows that it did not give back are not forgotten.
func TestANightCatchesUpWithOneThatBrokeOff(t *testing.T) {
	d := newDesk(t, `bad_rows     = "reject-sheet"`, `bad_rows     = "skip-rows"`)
	d.drop("first.csv", sheetOf("N-1"))
	d.night(t.Context(), NeedsPerson) // makes the folder
	mixed := sheetOf("N-2") + "N-3,Asha Traders,123456789012,nonsense,100.00,pb3\n"
	d.drop("mixed.csv", mixed)
	d.night(t.Context(), RowsLeftOut)

	drop(t, d.taken(1), "before.csv", sheetOf("N-4"), time.Hour)
	drop(t, d.taken(1), "loaded.csv", sheetOf("N-1"), time.Hour)
	drop(t, d.taken(1), "left.csv", mixed, time.Hour)
	_, line := d.night(t.Context(), SheetRefused)
	d.holds(today, "before.csv", "first.csv", "loaded.csv", "mixed.csv")
	d.holds("rejected", "left.csv", "left.csv.reasons.txt", "mixed.rejected.csv")
	if !strings.Contains(line, "rejected: left.csv; ") {
		t.Error(line)
	}
	why, err := os.ReadFile(filepath.Join(d.dir, "rejected", "left.csv.reasons.txt"))
	if err != nil || !strings.Contains(string(why), "1 row (₹100.00), which are not loaded") {
		t.Errorf("%s, %v", why, err)
	}
}

// Runs that were killed while they read a sheet say nothing about it: it is not rejected, the rest of the
// night goes on, and it is put away once a person has loaded it.
func TestThreeCrashesAreNotTheSheetsFault(t *testing.T) {
	d := newDesk(t)
	d.drop("first.csv", sheetOf("N-1"))
	d.night(t.Context(), NeedsPerson) // makes the folder
	path := drop(t, d.taken(mostBreaks), "breaks.csv", sheetOf("N-5"), time.Hour)
	for range 2 {
		n, line := d.night(t.Context(), NeedsPerson)
		if !strings.Contains(line, "load it by hand with payrun load "+path) || len(n.Batches) != 0 {
			t.Error(line)
		}
	}
	d.holds("rejected")
	_, err := d.Load(t.Context(), Call{Actor: "asha"}, []string{path}, SheetOptions{})
	must(t, err)
	if _, line := d.night(t.Context(), NeedsPerson); strings.Contains(line, "broke off") {
		t.Error(line)
	}
	d.holds(today, "breaks.csv", "first.csv")
}

// Whether a batch needs a person is one definition: for the exit code, the metrics and status.
func TestExitCodeMetricsAndStatusAgreeOnWhatNeedsAPerson(t *testing.T) {
	_, configured := pinged(t)
	for name, of := range map[string]struct {
		change []string
		sheet  string
		ends   Code
		needs  int
	}{
		"nothing":              {nil, "", "", 0},
		"planned":              {nil, sheetOf("N-1"), NeedsPerson, 1},
		"planned for approval": {[]string{"two_person    = false", "two_person    = true"}, sheetOf("N-1"), NeedsPerson, 1},
		"held":                 {[]string{"initiate     = false", "initiate     = true"}, sheetOf("N-1"), NeedsPerson, 1},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, append(configured, of.change...)...)
			if of.sheet != "" {
				d.drop("a.csv", of.sheet)
			}
			for range 2 {
				d.night(t.Context(), of.ends)
				d.metrics(fmt.Sprintf("payrun_needs_person_batches %d", of.needs))
			}
			s, err := d.Status(t.Context(), Call{})
			needing := slices.Concat(slices.Collect(maps.Values(s.needing()))...)
			if err != nil || len(needing) != of.needs {
				t.Errorf("status has %d batches that need a person, %v", len(needing), err)
			}
		})
	}
}

// Reports are written when they say something new, into one folder a day.
func TestANightReportsOnlyWhatChanged(t *testing.T) {
	d := newDesk(t)
	d.drop("a.csv", sheetOf("N-1"))
	wrote := func(want int) {
		t.Helper()
		n, _ := d.night(t.Context(), NeedsPerson)
		if got := len(n.Reports) > 0; got != (want > 0) {
			t.Errorf("wrote %q", n.Reports)
		}
	}
	wrote(1)
	wrote(0)
	d.drop("b.csv", sheetOf("N-2"))
	wrote(1)
	wrote(0)
	d.holds("reports", "2025-11-03-all", "index.html")
	must(t, os.RemoveAll(filepath.Join(d.dir, "reports")))
	wrote(1)
}

func TestANightRemovesWhatIsOlderThanKeep(t *testing.T) {
	d := newDesk(t, `keep         = "400d"`, `keep         = "30d"`)
	d.drop("bad.csv", "no sheet")
	d.night(t.Context(), SheetRefused)
	for _, dir := range []string{"archive/2025-10-03", "archive/2025-10-04", "archive/of mine", "reports/2025-10-03-all", "reports/2025-10-04-all", "reports/mine"} {
		drop(t, filepath.Join(d.dir, dir), "x", "", time.Hour)
	}
	const days = 24 * time.Hour
	for _, name := range []string{"old.csv", "old.csv.reasons.txt", "old.rejected.csv", "old of mine.csv"} {
		drop(t, filepath.Join(d.dir, "rejected"), name, "x", 31*days)
	}
	drop(t, filepath.Join(d.dir, "rejected"), "young.rejected.csv", "x", 29*days)
	n, _ := d.night(t.Context(), "")
	d.holds("archive", "2025-10-04", "of mine")
	d.holds("reports", "2025-10-04-all", "2025-11-03-all", "index.html", "mine")
	d.holds("rejected", "bad.csv", "bad.csv.reasons.txt", "old of mine.csv", "young.rejected.csv")
	if len(n.Removed) != 5 {
		t.Errorf("%q", n.Removed)
	}
}

// stopper ends a context as soon as something begins to be read.
type stopper struct {
	said
	stop context.CancelFunc
}

func (s *stopper) Begin(what, _ string) Activity {
	if strings.HasPrefix(what, "reading ") {
		s.stop()
	}
	return Silence{}
}

// A signal while a sheet is read, and a disk that is full when it is put away:
// neither counts as a run that broke off, and nothing is lost or loaded twice.
func TestANightThatEndsInOrderCountsAgainstNoFile(t *testing.T) {
	d := newDesk(t)
	d.drop("a.csv", sheetOf("N-1"))
	for range mostBreaks + 1 {
		ctx, stop := context.WithCancel(t.Context())
		_, err := d.Nightly(ctx, Call{Actor: "cron", Progress: &stopper{stop: stop}}, NightlyRequest{Exit: exitsOf})
		wantCode(t, "a signal", err, Interrupted)
	}
	rename = func(string, string) error { return syscall.ENOSPC }
	defer func() { rename = os.Rename }()
	for range mostBreaks + 1 {
		if _, line := d.night(t.Context(), Failed); !strings.Contains(line, "a.csv is loaded, but could not be moved to the archive: no space left on device") {
			t.Error(line)
		}
	}
	rename = os.Rename
	if n, _ := d.night(t.Context(), NeedsPerson); n.Sheets[0].Outcome != SheetRepeated {
		t.Errorf("%+v", n.Sheets)
	}
	d.holds(today, "a.csv")
	d.holds("rejected")
	if got := d.batchesOf(t); len(got) != 1 {
		t.Errorf("%d batches", len(got))
	}
}

// slow takes its time over each sheet.
type slow struct{ said }

func (s *slow) Begin(what, _ string) Activity {
	if strings.HasSuffix(what, ".csv") {
		time.Sleep(20 * time.Minute)
	}
	return Silence{}
}

// Half of the budget is the inbox's. What did not fit is left and said, and so is
// what was wrong before.
func TestWhatDoesNotFitIntoTheBudgetIsLeft(t *testing.T) {
	d := newDesk(t)
	d.drop("1.csv", "no sheet")
	d.drop("2.csv", sheetOf("N-1"))
	d.drop("3.csv", sheetOf("N-2"))
	synctest.Test(t, func(t *testing.T) {
		n, err := d.Nightly(t.Context(), Call{Actor: "cron", Progress: &slow{}}, NightlyRequest{Budget: time.Hour, Exit: exitsOf})
		wantCode(t, "a slow night", err, SheetRefused)
		if said := mattersOf(err); !strings.Contains(said, "rejected: 1.csv; ") || !strings.Contains(said, "the budget of 1h0m0s was over: 2 files of the inbox left for the next night") {
			t.Error(err)
		}
		if len(n.Reports) == 0 {
			t.Error("there was time for the reports")
		}
	})
	d.holds("inbox", "3.csv")
	n, _ := d.night(t.Context(), NeedsPerson)
	if len(n.Sheets) != 2 || n.Sheets[0].Name != "2.csv" {
		t.Errorf("%+v", n.Sheets)
	}
}

func TestFoldersThatWouldUndoOneAnotherAreRefused(t *testing.T) {
	d := newDesk(t, `rejected     = "rejected"`, `rejected     = "inbox"`)
	d.drop("a.csv", sheetOf("N-1"))
	d.night(t.Context(), Usage)
	d.holds("inbox", "a.csv")

	d = newDesk(t)
	d.night(t.Context(), "")
	d.drop("a.csv", sheetOf("N-1"))
	d.night(t.Context(), NeedsPerson)
	taken := filepath.Dir(d.taken(0))
	must(t, errors.Join(os.RemoveAll(taken), os.Symlink(t.TempDir(), taken)))
	d.drop("b.csv", sheetOf("N-2"))
	d.night(t.Context(), Usage)
	d.holds("inbox", "b.csv")
}

func TestANightInitiatesOnlyWhatNeedsNobody(t *testing.T) {
	for _, c := range []struct {
		policy      []string
		mode        os.FileMode // of the inbox
		refs        []string
		says, state string
	}{
		{nil, 0o700, []string{"N-1"}, "held for OTP", "held"},
		{nil, 0o700, []string{"N-0", "N-1"}, "initiated with warnings that no person has read: N-0, N-1: the same amount to the same account; ", "held"},
		{[]string{`confirm_above = ""`, `confirm_above = "50"`}, 0o700, []string{"N-1"}, "confirm_above", "planned"},
		{nil, 0o777, []string{"N-1"}, "may be written by others (mode 0777)", "planned"},
	} {
		d := newDesk(t, append(c.policy, "initiate     = false", "initiate     = true")...)
		d.drop("a.csv", sheetOf(c.refs...))
		must(t, os.Chmod(filepath.Join(d.dir, "inbox"), c.mode))
		if _, line := d.night(t.Context(), NeedsPerson); !strings.Contains(line, c.says) {
			t.Error(line)
		}
		if got := d.state(d.batchesOf(t)[0]); string(got) != c.state {
			t.Errorf("%s: the batch is %s", c.says, got)
		}
	}
	d := newDesk(t, "initiate     = false", "initiate     = true")
	d.drop("a.csv", sheetOf("N-1"))
	d.night(t.Context(), NeedsPerson)
	d.drop("b.csv", strings.ReplaceAll(sheetOf("N-2"), "pb3", "pb4"))
	const says = `initiated with warnings that no person has read: N-2: a payout of the same amount to the same payee was loaded recently, or is still with the bank: reference "N-1"`
	if _, line := d.night(t.Context(), NeedsPerson); !strings.Contains(line, says) {
		t.Error(line)
	}
}

// pinged is a watcher; configured makes a desk tell it, and write metrics.
func pinged(t *testing.T) (pings func() []string, configured []string) {
	var mu sync.Mutex
	var paths []string
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		paths = append(paths, r.URL.Path)
	}))
	t.Cleanup(s.Close)
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		got := paths
		paths = nil
		return got
	}, []string{`ping_url     = ""`, `ping_url     = "` + s.URL + `/uuid"`, `metrics_file = ""`, `metrics_file = "payrun.prom"`}
}

func (d *desk) metrics(want ...string) {
	d.t.Helper()
	text, err := os.ReadFile(filepath.Join(d.dir, "payrun.prom"))
	must(d.t, err)
	for _, line := range want {
		if !strings.Contains(string(text), "\n"+line+"\n") {
			d.t.Errorf("the metrics have no line %q\n%s", line, text)
		}
	}
}

func TestEveryEndIsTold(t *testing.T) {
	pings, configured := pinged(t)
	hears := func(want ...string) {
		t.Helper()
		if got := pings(); !slices.Equal(got, want) {
			t.Errorf("the watcher heard %q, want %q", got, want)
		}
	}
	d := newDesk(t, configured...)
	d.night(t.Context(), "")
	hears("/uuid/start", "/uuid/0")
	d.drop("a.csv", sheetOf("N-1", "N-2"))
	d.night(t.Context(), NeedsPerson)
	hears("/uuid/start", "/uuid/12")
	d.metrics("payrun_nightly_exit_code 12", `payrun_batches{state="planned"} 1`, `payrun_batches{state="held"} 0`,
		`payrun_payouts{state="planned"} 2`, `payrun_payouts_paise{state="planned"} 20000`, "payrun_open_batches 0", "payrun_needs_person_batches 1",
		fmt.Sprintf("payrun_nightly_last_success_timestamp_seconds %d", now.Unix()), fmt.Sprintf("payrun_nightly_last_run_timestamp_seconds %d", now.Unix()))

	// a signal
	over, stop := context.WithCancel(t.Context())
	stop()
	d.night(over, Interrupted)
	hears("/uuid/130") // the beginning was not sent any more
	d.metrics("payrun_nightly_exit_code 130", fmt.Sprintf("payrun_nightly_last_success_timestamp_seconds %d", now.Unix()))

	// a panic, which goes on its way
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		_, _ = d.Nightly(t.Context(), Call{Actor: "cron"}, NightlyRequest{Exit: func(*Error) int { panic("here") }})
	}()
	hears("/uuid/start", "/uuid/134")

	// the budget, before anything was done
	d.drop("b.csv", sheetOf("N-3"))
	n, err := d.Nightly(t.Context(), Call{Actor: "cron"}, NightlyRequest{Budget: 1, Exit: exitsOf})
	wantCode(t, "no time", err, NeedsPerson) // for what was loaded before
	hears("/uuid/start", "/uuid/12")
	if len(n.Left) == 0 || !strings.Contains(mattersOf(err), "left for the next night") {
		t.Errorf("%v: %q", err, n.Left)
	}
	d.holds("inbox", "b.csv")

	// a ledger that someone holds, and one that is not there
	err = d.write(t.Context(), Call{Actor: "other", Command: "payrun load"}, func(*operation) error {
		_, line := d.night(t.Context(), LedgerLocked)
		if !strings.Contains(line, "payrun load by other") {
			t.Error(line)
		}
		return nil
	})
	must(t, err)
	hears("/uuid/start", "/uuid/11")
	must(t, os.Remove(d.set.LedgerPath))
	d.night(t.Context(), LedgerMissing)
	pings()

	// a watcher that is not there changes nothing, and its address is in no word
	d = newDesk(t, `ping_url     = ""`, `ping_url     = "http://127.0.0.1:1/0f2c8a55"`)
	log := &said{}
	if _, err := d.Nightly(t.Context(), Call{Actor: "cron", Progress: log}, NightlyRequest{Exit: exitsOf}); err != nil {
		t.Error(err)
	}
	if text := strings.Join(log.lines, "\n"); !strings.Contains(text, "warning: nightly.ping_url was not reached") || strings.Contains(text, "0f2c8a55") {
		t.Errorf("%s", text)
	}
}

// What is loaded into a copy of the ledger is lost to the ledger itself.
func TestANightTakesNothingIntoACopyOfTheLedger(t *testing.T) {
	d := newDesk(t)
	_, err := d.Backup(t.Context(), Call{}, filepath.Join(d.dir, "copy.db"))
	must(t, err)
	must(t, errors.Join(os.Remove(d.set.LedgerPath+".head"), os.Rename(filepath.Join(d.dir, "copy.db"), d.set.LedgerPath)))
	d.drop("a.csv", sheetOf("N-1"))
	d.night(t.Context(), LedgerRestored)
	d.holds("inbox", "a.csv")
}

func TestTwoNightsAtOnceLoadEachSheetOnce(t *testing.T) {
	d := newDesk(t)
	for i := range 6 {
		d.drop(fmt.Sprintf("%d.csv", i), sheetOf(fmt.Sprintf("N-%d", i)))
	}
	var both sync.WaitGroup
	loaded := make([]int, 2)
	for i := range loaded {
		both.Go(func() {
			n, err := d.Nightly(t.Context(), Call{Actor: "cron", LockWait: time.Minute}, NightlyRequest{Exit: exitsOf})
			wantCode(t, "a night", err, NeedsPerson)
			for _, s := range n.Sheets {
				if s.Outcome == SheetLoaded {
					loaded[i]++
				}
			}
		})
	}
	both.Wait()
	if loaded[0]+loaded[1] != 6 || len(d.batchesOf(t)) != 6 {
		t.Errorf("loaded %v, %d batches", loaded, len(d.batchesOf(t)))
	}
	d.holds("inbox")
}

// A night brings no ledger to a newer schema: no one is there to read it.
func TestANightDoesNotMigrate(t *testing.T) {
	d := newDesk(t)
	for _, unattended := range []bool{true, false} {
		if migrates := d.App.claim(Call{Unattended: unattended}).Migrated != nil; migrates == unattended {
			t.Errorf("unattended %t: migrates %t", unattended, migrates)
		}
	}
}
