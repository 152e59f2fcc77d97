package term_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

	"payrun/cmd/payrun/term"
)

// onScreen is the terminal of a screen so wide.
func onScreen(out *bytes.Buffer, width int) *term.Terminal {
	return term.New(strings.NewReader(""), out, out, func(name string) string {
		return map[string]string{"COLUMNS": strconv.Itoa(width)}[name]
	})
}

// narrowed writes the table of a few batches for a screen so wide.
func narrowed(width int) string {
	var out bytes.Buffer
	table := onScreen(&out, width).Table(term.Columns{"Batch", "Sheet", "Account", "Total", "State", "Note"}, 4).Notes().Spare(2)
	for i := range 3 {
		table.Row("prkx3a9qbc", "shabcdefgh", "मुख्य खाता", fmt.Sprintf("₹1,33,01,7%d2.68", i), "submit_unknown",
			"submit was sent and no answer could be read; it may have paid, and is never sent again")
	}
	table.Footer("all", "", "", "₹3,99,05,306.04")
	table.Render()
	return out.String()
}

func TestATableFitsTheScreenAndBreaksNothing(t *testing.T) {
	for _, width := range []int{30, 40, 59, 60, 61, 70, 80, 100, 140, 200} {
		shown := narrowed(width)
		for line := range strings.Lines(shown) {
			if got := text.StringWidthWithoutEscSequences(strings.TrimRight(line, "\n")); got > width && width >= 40 {
				t.Errorf("at %d columns a line has %d: %q", width, got, line)
			}
		}
		for _, whole := range []string{"prkx3a9qbc", "₹1,33,01,702.68", "₹1,33,01,722.68", "₹3,99,05,306.04", "submit_unknown", "मुख्य खाता"} {
			if !strings.Contains(shown, whole) {
				t.Errorf("at %d columns %s is broken or gone:\n%s", width, whole, shown)
			}
		}
		if records := strings.Contains(shown, "Batch    prkx3a9qbc\n"); records != (width < 60) {
			t.Errorf("at %d columns records %t:\n%s", width, records, shown)
		}
		for _, word := range strings.Fields("submit was sent and no answer could be read; it may have paid, and is never sent again") {
			if strings.Count(shown, word) < 3 {
				t.Errorf("at %d columns the note lost %q", width, word)
			}
		}
	}
	if wide := narrowed(0); wide != narrowed(200) || !strings.Contains(strings.Split(wide, "\n")[1], "never sent again") {
		t.Errorf("where nothing limits a line nothing is moved:\n%s", wide)
	}
	if at80 := narrowed(80); strings.Contains(narrowed(60), "shabcdefgh") || !strings.Contains(at80, "shabcdefgh") ||
		!strings.Contains(at80, "\n  submit was sent and no answer could be read;") {
		t.Errorf("a column is spared before it has to be, or the note is next to its row:\n%s\n%s", at80, narrowed(60))
	}
}

func TestANameIsShortenedBeforeARowBecomesARecord(t *testing.T) {
	shown := func(width int) string {
		var out bytes.Buffer
		table := onScreen(&out, width).Table(term.Columns{"Reference", "Payee", "Account", "Amount"}, 4).Names(2)
		table.Row("NOV25/VP/0017", "Sabarmati Engineering Works & Sons", "XXXXXXXX6629", "₹12,00,00,000.00")
		table.Row("NOV25/VP/0031", "Kaveri & Co", "XXXXXXX4750", "₹11,11,11,111.00")
		table.Render()
		return out.String()
	}
	if got := shown(81); !strings.Contains(got, "Sabarmati Engineering Works & Sons") {
		t.Errorf("a name that fits is shortened:\n%s", got)
	}
	got := shown(70)
	for _, whole := range []string{"Reference      Payee", "Sabarmati Engineering…", "Kaveri & Co", "XXXXXXXX6629", "₹12,00,00,000.00\n"} {
		if !strings.Contains(got, whole) {
			t.Errorf("at 70 columns without %q:\n%s", whole, got)
		}
	}
	if got := shown(60); !strings.Contains(got, "Payee      Sabarmati Engineering Works & Sons\n") {
		t.Errorf("a name is shortened until nobody knows it:\n%s", got)
	}
}

func TestANameThatMayBeSparedIsShortenedFirst(t *testing.T) {
	for width, want := range map[int]string{
		70: "NOV25/VP/0017  Sabarmati Engineer…  ₹12,00,00,000.00  SBOX257601987218\n",
		64: "NOV25/VP/0017  ₹12,00,00,000.00  SBOX257601987218\n",
	} {
		var out bytes.Buffer
		table := onScreen(&out, width).Table(term.Columns{"Reference", "Payee", "Account", "Amount", "UTR"}, 4).Spare(3, 2).Names(2)
		table.Row("NOV25/VP/0017", "Sabarmati Engineering Works & Sons", "XXXXXXXX6629", "₹12,00,00,000.00", "SBOX257601987218")
		table.Render()
		if !strings.Contains(out.String(), want) {
			t.Errorf("at %d columns without %q:\n%s", width, want, out.String())
		}
	}
}

// What the bank or a sheet wrote reaches no terminal raw, and a column without anything in it is left out.
func TestATableIsOfPlainText(t *testing.T) {
	var out bytes.Buffer
	s := term.New(strings.NewReader(""), &out, &out, func(string) string { return "" })
	table := s.Table(term.Columns{"Payee", "Priority", "State"})
	table.Row("\x1b[2JAsha\nTraders", "", term.Painted("\x1b[31mfailed\x1b[0m"))
	table.Render()
	if want := "Payee                State\n\\x1b[2JAsha Traders  \x1b[31mfailed\x1b[0m\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// Where no row has a note, the last column that has something stays.
func TestAColumnOfNotesWithoutAnyTakesNoOtherWithIt(t *testing.T) {
	var out bytes.Buffer
	table := onScreen(&out, 60).Table(term.Columns{"Batch", "State", "Note"}).Notes().Spare(1)
	table.Row(strings.Repeat("b", 50), "Held for OTP", "")
	table.Footer("all")
	table.Render()
	if want := "State\nHeld for OTP\n\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
