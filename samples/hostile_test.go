package samples_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
	"payrun/ledger/sqlite"
	"payrun/validate"
)

const hostileFolder = "hostile"

// hostile is one thing that happens to payout sheets, and what becomes of a
// sheet to which it happened.
type hostile struct {
	what  string
	sheet string                    // its name under samples/hostile
	make  func(t *testing.T) []byte // nil: another program wrote it, and it is kept as it is
	flags string                    // of `payrun check`, as the page shows them
	set   func(*validate.Options)   // the same for the room
	past  func(t *testing.T, s *sqlite.Store)
	large bool // made when it is looked at, and not kept
	want  outcome
}

// outcome of a sheet. Findings are written "row column code".
type outcome struct {
	refused  refusal
	payouts  int // accepted; of a file that is refused, no one counts them
	batches  int // planned for them; 0 where rows are refused
	findings []string
	says     string // words that the first finding's message or fix has
	asPlain  bool   // the payouts are those of the plain sheet
}

type refusal string

const (
	nothing refusal = "read"
	aRow    refusal = "row refused"
	theFile refusal = "file refused"
)

func reads(payouts, batches int, findings ...string) outcome {
	return outcome{refused: nothing, payouts: payouts, batches: batches, findings: findings}
}

// readsAsPlain: all six payouts, exactly as the plain CSV has them.
func readsAsPlain(findings ...string) outcome {
	return outcome{refused: nothing, payouts: 6, batches: 1, findings: findings, asPlain: true}
}

// refusesRows: payouts are those that are left for --skip-bad.
func refusesRows(payouts int, findings ...string) outcome {
	return outcome{refused: aRow, payouts: payouts, findings: findings}
}

func refusesFile(findings ...string) outcome { return outcome{refused: theFile, findings: findings} }

func (o outcome) saying(words string) outcome {
	o.says = words
	return o
}

// hostileGroup is one line of the table that the program answers for, with
// every alternative in it.
type hostileGroup struct {
	title string
	cases []hostile
}

func hostileGroups() []hostileGroup {
	return slices.Concat(hostileText(), hostileHeaders(), hostileValues(), hostileSeen(), hostileRules(), hostileWorkbooks(), hostileHistory(), hostileSizes())
}

func hostilePath(name string) string { return filepath.Join(hostileFolder, name) }

func TestHostileSheetsAreWhatTheirSourceSays(t *testing.T) {
	names := map[string]bool{}
	for _, group := range hostileGroups() {
		for _, h := range group.cases {
			names[h.sheet] = true
			if h.make != nil && !h.large {
				kept(t, hostilePath(h.sheet), h.make(t))
			}
		}
	}
	files, err := os.ReadDir(hostileFolder)
	check(t, err)
	for _, f := range files {
		if !names[f.Name()] {
			t.Errorf("%s is in no line of the table", f.Name())
		}
	}
}

// TestHostileSheets walks the table, and holds samples/hostile-sheets.md to it.
func TestHostileSheets(t *testing.T) {
	plain := look(t, hostilePath("plain.csv"), given{})
	if plain.result.Refused() || len(plain.payouts) != 6 {
		t.Fatalf("the plain sheet: %+v", plain.result.Findings)
	}
	var page hostilePage
	for _, group := range hostileGroups() {
		page.group(group.title)
		for _, h := range group.cases {
			t.Run(h.sheet+" "+h.flags, func(t *testing.T) {
				if h.large && !*all && !*update {
					page.keep(t, h)
					t.Skip(".ci/run makes it")
				}
				got := h.look(t)
				h.want.compare(t, got)
				if h.want.asPlain {
					samePayouts(t, plain, got)
				}
				page.line(h, got.result.Findings)
			})
		}
	}
	page.compare(t)
}

// look looks at the sheet with the past and the flags that it wants.
func (h hostile) look(t *testing.T) looked {
	t.Helper()
	g := given{set: h.set}
	if h.past != nil {
		g.store = newLedger(t)
		h.past(t, g.store)
	}
	if h.large {
		return h.lookApart(t)
	}
	return look(t, hostilePath(h.sheet), g)
}

func newLedger(t *testing.T) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Create(t.Context(), filepath.Join(t.TempDir(), "payrun.db"), "asha", today.AddDate(0, -1, 0))
	check(t, err)
	t.Cleanup(func() { check(t, s.Close()) })
	return s
}

func (o outcome) compare(t *testing.T, got looked) {
	t.Helper()
	findings := make([]string, 0, len(o.findings))
	for _, f := range got.result.Findings {
		findings = append(findings, place(f))
		tells(t, f)
	}
	if d := cmp.Diff(o.findings, findings); d != "" && len(o.findings)+len(findings) > 0 {
		t.Errorf("findings (-want +got):\n%s", d)
	}
	if is := refusalOf(got.result); is != o.refused {
		t.Errorf("%s, want %s", is, o.refused)
	}
	if o.refused != theFile && got.result.Sheet.Accepted.Count != o.payouts {
		t.Errorf("%d payouts accepted, want %d", got.result.Sheet.Accepted.Count, o.payouts)
	}
	if o.refused == nothing && len(got.plan.Batches) != o.batches {
		t.Errorf("%d batches, want %d", len(got.plan.Batches), o.batches)
	}
	if s := got.result.Sheet; s.Rows != s.Accepted.Count+s.Rejected.Count || s.Total != s.Accepted.Total+s.Rejected.Total {
		t.Errorf("%d rows of %s, %+v accepted, %+v rejected", s.Rows, s.Total, s.Accepted, s.Rejected)
	}
	if o.says != "" && !strings.Contains(firstWords(got.result.Findings), o.says) {
		t.Errorf("not said: %q; %+v", o.says, got.result.Findings)
	}
}

func refusalOf(r validate.Result) refusal {
	switch {
	case r.FileRefused():
		return theFile
	case r.Refused():
		return aRow
	}
	return nothing
}

// tells holds a finding to what every finding must have, and to what none may
// bring to a terminal.
func tells(t *testing.T, f ledger.Finding) {
	t.Helper()
	if f.Code == "" || f.Message == "" || f.Fix == "" || f.Severity == "" {
		t.Errorf("a finding without code, message, fix or severity: %+v", f)
	}
	if strings.ContainsFunc(f.Message+f.Fix, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
		t.Errorf("characters that do not show in the words of %+q", f.Message)
	}
}

func place(f ledger.Finding) string {
	column := f.Column
	if column == "" {
		column = "-"
	}
	return fmt.Sprintf("%d %s %s", f.Row, column, f.Code)
}

func samePayouts(t *testing.T, want, got looked) {
	t.Helper()
	strip := func(payouts []ledger.KeyedPayout) []ledger.KeyedPayout {
		stripped := slices.Clone(payouts)
		for i := range stripped {
			stripped[i].Row = 0 // titles and blank rows move it
		}
		return stripped
	}
	if d := cmp.Diff(strip(want.payouts), strip(got.payouts)); d != "" {
		t.Errorf("payouts (-plain +got):\n%s", d)
	}
	if want.result.Sheet.RowsHash != got.result.Sheet.RowsHash {
		t.Error("another hash of the rows than the plain sheet")
	}
}

// firstWords is all that the first finding says, and the option it names.
func firstWords(found []ledger.Finding) string {
	if len(found) == 0 {
		return ""
	}
	f := found[0]
	return strings.Join([]string{f.Message, f.Fix, string(f.Option.Name), f.Option.Value}, " ")
}
