package reports

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode"

	"payrun/ledger"
	"payrun/reports/folder"
	"payrun/reports/xlsx"
)

var hostileTexts = []string{
	`=HYPERLINK("http://evil.example","pay")`, `@SUM(A1:A9)`, `+1+1`, `-2+3`, "\t=1+1", "\r=1+1", " =1+1", "＝1+1",
	"\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "a\x00b", "line\nbreak", "\u009b31m", "\u202egnp.exe", "zero\u200bwidth",
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `]]></t></is></c>`, "_x003D_1+1", "_x000D_", "bad\xff\xfeutf8", "\ufffe",
	`a,b;"c"`, `{{.}}`, "सुनीता\u200dक्ष",
}

// hostile is a ledger in which every text that a sheet or a bank wrote is s.
func hostile(s string) *memory {
	m := &memory{}
	sheet := m.sheet(s)
	m.sheets[0].LoadedBy, m.sheets[0].Tab = s, s
	for _, state := range []ledger.BatchState{ledger.BatchSettled, ledger.BatchSubmitted} {
		b := m.batch(sheet, 3, state)
		b.Note, b.Reason, b.Attention, b.TransactionTypeID, b.OpenBatchID, b.BeneLEI = s, s, ledger.Overdue, s, s, s
		for _, p := range []ledger.PayoutState{ledger.PayoutSuccess, ledger.PayoutPending, ledger.PayoutDisputed} {
			m.payout(b, 100, p, func(a *ledger.Attempt) {
				a.Ref, a.WireRef, a.VendorName, a.Remarks, a.IFSC, a.BankAccountNumber = s, s, s, s, s, s
				a.Status, a.BankStatusCode, a.OpenTxnID, a.BankTxnRefID, a.Reason = s, s, s, s, s
			})
		}
	}
	m.event("note", sheet.ID, "", s)
	m.events[len(m.events)-1].Actor = s
	return m
}

func TestHostileTextIsHarmlessInEveryFile(t *testing.T) {
	for _, s := range hostileTexts {
		t.Run(Clean(s), func(t *testing.T) {
			dir := writeAll(t, hostile(s), Options{})
			for _, name := range []string{PayoutsFile, attemptsFile, exceptionsFile, JSONFile, HTMLFile} {
				if r, found := invisible(strings.TrimPrefix(string(read(t, dir, name)), byteOrderMark)); found {
					t.Errorf("%s shows %U raw", name, r)
				}
			}
			for _, name := range []string{PayoutsFile, attemptsFile, exceptionsFile} {
				for _, line := range lines(t, dir, name) {
					for head, cell := range line {
						if start := strings.TrimLeft(cell, " "); start != "" && strings.ContainsRune(formulaStarts, []rune(start)[0]) {
							t.Errorf("%s, %s: %q begins like a formula", name, head, cell)
						}
					}
				}
			}
			page := string(read(t, dir, HTMLFile))
			for _, bad := range []string{"<script", "<img", "onerror=alert(1)>"} {
				if strings.Contains(page, bad) {
					t.Errorf("the page has %s", bad)
				}
			}
			checkSheets(t, dir, s)
		})
	}
}

// checkSheets reads the workbook's XML itself: formulas are only ours, and
// text is text.
func checkSheets(t *testing.T, dir, s string) {
	t.Helper()
	for name, part := range parts(t, dir) {
		if r, found := invisible(part); found {
			t.Errorf("%s shows %U raw", name, r)
		}
		for _, formula := range strings.Split(part, "<f>")[1:] {
			if !strings.HasPrefix(formula, "SUBTOTAL(") && !strings.HasPrefix(formula, "SUM(") && !strings.HasPrefix(formula, "&#39;Summary&#39;!") {
				t.Errorf("%s has the formula %.40q", name, formula)
			}
		}
	}
	payee := cellText(t, dir, "Payouts", "D3")
	if payee != Clean(s) {
		t.Errorf("the payee reads back as %q, want %q", payee, Clean(s))
	}
}

func parts(t *testing.T, dir string) map[string]string {
	t.Helper()
	b := read(t, dir, workbookFile)
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	must(t, err)
	found := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		must(t, err)
		content, err := io.ReadAll(r)
		must(t, err)
		found[f.Name] = string(content)
	}
	return found
}

// invisible finds what could move a cursor, hide or reorder text.
func invisible(s string) (rune, bool) {
	for _, r := range s {
		if r == '\n' || r == '\u200d' || r == '\u200c' {
			continue
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar || r == '\ufffe' {
			return r, true
		}
	}
	return 0, false
}

func TestCleanSpellsOutWhatCannotBeSeen(t *testing.T) {
	for in, want := range map[string]string{
		"":                      "",
		"plain text, 123":       "plain text, 123",
		"\x1b[31m":              `\x1b[31m`,
		"a\tb\r\nc":             `a\tb\r\nc`,
		"\u202eabc":             `\u202eabc`,
		"\u200b\ufeff":          `\u200b\ufeff`,
		"\xff":                  `\xff`,
		"₹ सुनीता":              "₹ सुनीता",
		"क्\u200dष":             "क्\u200dष",
		"a\u00a0b":              "a\u00a0b",
		"\u2028":                `\u2028`,
		`back\slash 'q'`:        `back\slash 'q'`,
		"\U000e0041":            `\U000e0041`,
		"\ufffd is a character": "\ufffd is a character",
	} {
		got := Clean(in)
		if got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
		if again := Clean(got); again != got {
			t.Errorf("cleaning %q twice gives %q", in, again)
		}
	}
}

func TestCleanBoundsWhatACellHolds(t *testing.T) {
	for _, unit := range []string{"x", "é", "😀", "\x00"} {
		got := Clean(strings.Repeat(unit, 40_000))
		if n := xlsx.Length(got); n > xlsx.MaxCellLength || n < xlsx.MaxCellLength-8 || !strings.HasSuffix(got, "…") {
			t.Errorf("40,000 times %q becomes %d units, want at most %d and a mark", unit, n, xlsx.MaxCellLength)
		}
	}
	just := strings.Repeat("x", xlsx.MaxCellLength-1)
	if Clean(just) != just {
		t.Error("text that fits is cut")
	}
}

func TestInert(t *testing.T) {
	for s, want := range map[string]string{
		"":                     "",
		"Asha Traders":         "Asha Traders",
		"=1+1":                 "'=1+1",
		" @SUM(A1)":            "' @SUM(A1)",
		"a;b":                  "a;b",
		"a-b; c+d=e":           "a-b; c+d=e",
		";=1+1":                ";'=1+1",
		"x;=1+1;-2":            "x;'=1+1;'-2",
		"x; =HYPERLINK(\"u\")": "x;' =HYPERLINK(\"u\")",
		"x;＝1":                 "x;'＝1",
		"x;\"=1+1\"":           "x;'\"=1+1\"",
		"=1;+2":                "'=1;'+2",
	} {
		got := Inert(s)
		if got != want {
			t.Errorf("%q became %q, want %q", s, got, want)
		}
		if again := Inert(got); again != got {
			t.Errorf("%q again became %q", got, again)
		}
		for part := range strings.SplitSeq(got, ";") {
			if part = strings.TrimLeft(part, " \""); part != "" && strings.ContainsAny(part[:1], "=+-@") {
				t.Errorf("%q: a program set to semicolons takes %q for a formula", got, part)
			}
		}
	}
}

// Whatever a sheet or a bank wrote: what a report shows of it is visible, fits a
// cell, is no formula, and comes back from the CSV as it was written.
func FuzzCell(f *testing.F) {
	for _, text := range []string{
		"Asha Traders", "=HYPERLINK(\"x\")", "@SUM(1)", "a;=1+1", "\t=1", "\x1b[31m", "\u202eabc", "＝1", "\"=1", "a\r\nb", "\xff", strings.Repeat("é", 40_000), " \u00a0-1",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a := ledger.Attempt{Payout: ledger.Payout{Ref: "INV-1", VendorName: text, Remarks: text}, Reason: text}
		cleanAttempt(&a)
		for _, shown := range []string{a.VendorName, a.Remarks, a.Reason} {
			if Clean(shown) != shown || xlsx.Length(shown) > xlsx.MaxCellLength || strings.ContainsFunc(shown, unicode.IsControl) {
				t.Errorf("%q is shown as %q", text, shown)
			}
		}
		dir, line := folder.At(t.TempDir()), new(bytes.Buffer)
		defer dir.Discard()
		f, err := newCSV(dir, attemptColumns)
		if err == nil {
			err = f.add(cellsOf(attemptColumns, &attemptRow{Attempt: a, batch: &ledger.Batch{}}, nil))
		}
		f.lines.Flush()
		must(t, errors.Join(err, f.draft.CopyTo(line)))
		rows, err := csv.NewReader(line).ReadAll()
		if err != nil || len(rows) != 2 {
			t.Fatalf("%q: %d rows, %v", text, len(rows), err)
		}
		for _, cell := range rows[1] {
			for part := range strings.SplitSeq(cell, ";") {
				if bare := strings.TrimLeft(part, " \u00a0\u3000\""); bare != "" && strings.ContainsRune(formulaStarts, []rune(bare)[0]) {
					t.Errorf("%q is a formula in %q", part, cell)
				}
			}
		}
	})
}
