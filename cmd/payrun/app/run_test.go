package app

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

// Of several sheets all are loaded or none: also where one of them is another when it
// is read again, whichever it is.
func TestOfSeveralSheetsAllAreLoadedOrNone(t *testing.T) {
	d := newDesk(t)
	write := func(name, rows string) string {
		t.Helper()
		path := filepath.Join(d.dir, name)
		must(t, os.WriteFile(path, []byte(sheetOf()+rows), 0o600))
		return path
	}
	row := func(ref, amount string) string {
		return ref + ",Asha Traders,123456789012,HDFC0001234," + amount + ",pb3\n"
	}
	sheets := map[string]string{"one.csv": row("ONE", "100.00") + row("BAD", "1e3"), "two.csv": row("TWO", "200.00"), "three.csv": row("THREE", "300.00")}
	asked := 0
	req := RunRequest{Options: SheetOptions{SkipBad: true}}
	for _, name := range []string{"one.csv", "two.csv", "three.csv"} {
		req.Sheets = append(req.Sheets, write(name, sheets[name]))
	}
	for name := range sheets {
		for what, rows := range map[string]string{"another row": row("ANOTHER", "100.00"), "no row": "", "bad rows alone": row("TWO", "2e2"), "a reference of another": row("TWO", "100.00") + row("ONE", "100.00")} {
			req.GoOn = func(context.Context, Outgoing) (ledger.Paise, error) {
				write(name, rows) // after it was checked and shown
				return 0, nil
			}
			_, err := d.Run(t.Context(), Call{Actor: "maker"}, req)
			if e := Worst(err); e == nil || e.Code != SheetRefused || !strings.Contains(e.Error(), name+" changed after it was checked; nothing was loaded") {
				t.Errorf("%s with %s: %v", name, what, err)
			}
			write(name, sheets[name])
		}
	}
	if left, _ := filepath.Glob(filepath.Join(d.dir, "*rejected*")); len(left)+len(d.sheets())+d.initiates() != 0 {
		t.Errorf("%v written, %v loaded, %d initiated", left, d.sheets(), d.initiates())
	}

	req.GoOn = func(_ context.Context, out Outgoing) (ledger.Paise, error) {
		asked++
		if out.Payouts.Count != 3 || out.Loads != 3 {
			t.Errorf("shown: %d payouts, %d sheets to load", out.Payouts.Count, out.Loads)
		}
		return 0, nil
	}
	r, err := d.Run(t.Context(), Call{Actor: "maker"}, req)
	if e := Worst(err); e == nil || e.Code != RowsLeftOut || asked != 1 {
		t.Fatalf("asked %d times; %v", asked, err)
	}
	for i, name := range []string{"one.csv", "two.csv", "three.csv"} {
		s := &r.Sheets[i]
		if s.Sheet.Name != name || len(s.Loaded) != 1 || s.Loaded[0].SheetID != s.Sheet.ID || (s.RejectedPath != "") != (i == 0) {
			t.Errorf("%s: %+v, left out in %q", name, s.Loaded, s.RejectedPath)
		}
	}
	if diff := cmp.Diff([]string{"one.csv", "two.csv", "three.csv"}, d.sheets()); diff != "" {
		t.Errorf("loaded (-want +got):\n%s", diff)
	}
}

// second calls its function when a sheet is read for the second time.
type second struct {
	said
	reads int
	then  func()
}

func (s *second) Begin(what, _ string) Activity {
	if strings.HasPrefix(what, "reading ") {
		if s.reads++; s.reads == 2 {
			s.then()
		}
	}
	return Silence{}
}

// longRows are more than a check gives on at once.
const longRows = 4200

// longSheet has the reference FIRST in its first row, and others in longRows more.
func longSheet() string {
	var b strings.Builder
	b.WriteString(sheetOf("FIRST"))
	for i := range longRows {
		fmt.Fprintf(&b, "R%d,Asha Traders,123456789012,HDFC0001234,%d.00,pb3\n", i, i+1)
	}
	return b.String()
}

// Rows that turn out to be bad when others come take a second pass. What changes before it
// is in neither: nothing of the sheet is loaded, and no row of it is left out for what another
// sheet said in its place.
func TestASheetThatChangesBetweenItsPassesIsNotLoaded(t *testing.T) {
	d := newDesk(t)
	path := filepath.Join(d.dir, "long.csv")
	text := longSheet()
	must(t, os.WriteFile(path, []byte(text+"first,Asha Traders,123456789012,HDFC0001234,7.00,pb3\n"), 0o600))
	log := &second{then: func() { must(t, os.WriteFile(path, []byte(text), 0o600)) }}
	_, err := d.Load(t.Context(), Call{Actor: "maker", Progress: log}, []string{path}, SheetOptions{SkipBad: true})
	if e := Worst(err); e == nil || e.Code != SheetRefused || !strings.Contains(e.Error(), "long.csv changed while it was read; nothing was loaded") {
		t.Error(err)
	}
	if len(d.sheets()) != 0 {
		t.Errorf("loaded: %v", d.sheets())
	}
}

// sheets are the names of those in the ledger.
func (d *desk) sheets() (names []string) {
	d.t.Helper()
	err := d.read(d.t.Context(), Call{Actor: "maker"}, func(o *operation) error {
		sheets, err := o.store.Sheets(d.t.Context())
		for _, s := range sheets {
			names = append(names, s.Name)
		}
		return err
	})
	must(d.t, err)
	return names
}

// initiates is how many batches the bank has.
func (d *desk) initiates() int {
	d.t.Helper()
	return len(d.bank.State().Batches)
}

// Nor where the first pass refused it as a whole: it was not the expected sheet, or not yet written to its end.
func TestASheetThatIsWholeOnlyAfterItsFirstPassIsNotLoaded(t *testing.T) {
	text := longSheet()
	again := "first,Asha Traders,123456789012,HDFC0001234,7.00,pb3\n"
	for name, c := range map[string]struct{ before, after, expect string }{
		"expected": {text + again, text, fmt.Sprintf("%x", sha256.Sum256([]byte(text)))},
		"cut off":  {text + again + "\"R", text + again, ""},
	} {
		d := newDesk(t)
		path := filepath.Join(d.dir, "long.csv")
		must(t, os.WriteFile(path, []byte(c.before), 0o600))
		log := &second{then: func() { must(t, os.WriteFile(path, []byte(c.after), 0o600)) }}
		so := SheetOptions{SkipBad: true}
		so.ExpectSHA256 = c.expect
		_, err := d.Load(t.Context(), Call{Actor: "maker", Progress: log}, []string{path}, so)
		if e := Worst(err); e == nil || e.Code != SheetRefused || len(d.sheets()) != 0 {
			t.Errorf("%s: loaded %v: %v", name, d.sheets(), err)
		}
	}
}
