package samples_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/charmap"

	"payrun/ledger"
	"payrun/validate"
)

// real-looking/*.txt hold sheets as programs and people make them, each with what
// payrun says of it. A person looked at every outcome: -update writes them again,
// and the person who runs it looks again.
//
// Lines at the top that begin with ! say how the sheet is made or read. A workbook
// is written a row a line, cells between |: text, #1250.5 a number, #1250.5:FORMAT
// one with a format, @45962 a date, =SUM(E2:E3)#100 a formula and its number, ~x
// struck out.
func TestRealLookingSheets(t *testing.T) {
	archives, err := filepath.Glob("real-looking/*.txt")
	check(t, err)
	sheets := 0
	for _, archive := range archives {
		a, err := txtar.ParseFile(archive)
		check(t, err)
		wants := map[string]string{}
		for _, f := range a.Files {
			if name, ok := strings.CutSuffix(f.Name, ".want"); ok {
				wants[name] = string(f.Data)
			}
		}
		renewed := &txtar.Archive{Comment: a.Comment}
		for _, f := range a.Files {
			if strings.HasSuffix(f.Name, ".want") {
				continue
			}
			sheets++
			var got string
			t.Run(filepath.Base(archive)+"/"+f.Name, func(t *testing.T) {
				if got = outcomeOf(t, f.Name, string(f.Data)); got != wants[f.Name] && !*update {
					t.Errorf("got:\n%swant:\n%s", got, wants[f.Name])
				}
			})
			renewed.Files = append(renewed.Files, f, txtar.File{Name: f.Name + ".want", Data: []byte(got)})
		}
		if *update {
			check(t, os.WriteFile(archive, txtar.Format(renewed), 0o644))
		}
	}
	if sheets < 100 {
		t.Errorf("only %d sheets", sheets)
	}
}

// outcomeOf makes a sheet and says what was read of it, as a person would read it.
func outcomeOf(t *testing.T, name, text string) string {
	var given given
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var how, rest []string
	for _, line := range lines {
		if strings.HasPrefix(line, "!") {
			how = append(how, line)
		}
		if !strings.HasPrefix(line, "!") || strings.HasPrefix(line, "!tab ") {
			rest = append(rest, line)
		}
	}
	given.set = func(o *validate.Options) { readAs(t, o, how) }
	var data []byte
	if filepath.Ext(name) == ".xlsx" {
		data = workbookOf(t, how, rest)
	} else {
		data = textOf(t, how, rest)
	}
	path := filepath.Join(t.TempDir(), name)
	check(t, os.WriteFile(path, data, 0o600))
	return inWords(look(t, path, given))
}

// readAs takes the flags that a person would give.
func readAs(t *testing.T, o *validate.Options, how []string) {
	o.Account = "pb3"
	for _, line := range how {
		word, value, _ := strings.Cut(line, " ")
		switch word {
		case "!map":
			column, header, _ := strings.Cut(value, "=")
			if o.Map == nil {
				o.Map = map[string]string{}
			}
			o.Map[column] = header
		case "!prefix":
			o.RefPrefix = value
		case "!numeric-accounts":
			o.NumericAccounts = true
		case "!hidden":
			o.HiddenRows = value
		}
	}
}

func textOf(t *testing.T, how, lines []string) []byte {
	end := "\n"
	if slices.Contains(how, "!crlf") {
		end = "\r\n"
	}
	text := strings.Join(lines, end) + end
	switch {
	case slices.Contains(how, "!utf16"):
		return encoded(t, utf16le, []byte(text))
	case slices.Contains(how, "!bom"):
		return []byte(byteOrderMark + text)
	case slices.Contains(how, "!windows1252"):
		return encoded(t, charmap.Windows1252, []byte(text))
	}
	return []byte(text)
}

// workbookOf writes the lines as a workbook.
func workbookOf(t *testing.T, how, lines []string) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer func() { check(t, f.Close()) }()
	tab, row := "Sheet1", 0
	for _, line := range lines {
		if name, ok := strings.CutPrefix(line, "!tab "); ok {
			if tab == "Sheet1" {
				check(t, f.SetSheetName(tab, name))
			} else {
				_, err := f.NewSheet(name)
				check(t, err)
			}
			tab, row = name, 0
			continue
		}
		row++
		for i, cell := range strings.Split(line, "|") {
			if cell != "" {
				putCell(t, f, tab, cellName(t, i, row-1), cell)
			}
		}
	}
	for _, line := range how {
		word, value, _ := strings.Cut(line, " ")
		switch word {
		case "!merge":
			from, to, _ := strings.Cut(value, ":")
			check(t, f.MergeCell(tab, from, to))
		case "!hidecol":
			check(t, f.SetColVisible(tab, value, false))
		case "!hiderow":
			n, err := strconv.Atoi(value)
			check(t, err)
			check(t, f.SetRowVisible(tab, n, false))
		}
	}
	var b bytes.Buffer
	check(t, f.Write(&b))
	return b.Bytes()
}

var (
	numberCell  = regexp.MustCompile(`^#(-?[0-9.]+)(?::(.*))?$`)
	dateCell    = regexp.MustCompile(`^@([0-9]+)(?::(.*))?$`)
	formulaCell = regexp.MustCompile(`^=([^#]*)#([^:]*)(?::(.*))?$`)
)

func putCell(t *testing.T, f *excelize.File, tab, at, cell string) {
	t.Helper()
	style := &excelize.Style{}
	if rest, struck := strings.CutPrefix(cell, "~"); struck {
		cell, style.Font = rest, &excelize.Font{Strike: true}
	}
	format := ""
	switch {
	case numberCell.MatchString(cell):
		m := numberCell.FindStringSubmatch(cell)
		check(t, f.SetCellDefault(tab, at, m[1]))
		format = m[2]
	case dateCell.MatchString(cell):
		m := dateCell.FindStringSubmatch(cell)
		check(t, f.SetCellDefault(tab, at, m[1]))
		if format = m[2]; format == "" {
			format = "dd-mm-yyyy"
		}
	case formulaCell.MatchString(cell):
		m := formulaCell.FindStringSubmatch(cell)
		check(t, f.SetCellDefault(tab, at, m[2]))
		check(t, f.SetCellFormula(tab, at, m[1]))
		format = m[3]
	default:
		check(t, f.SetCellStr(tab, at, cell))
	}
	if format != "" {
		style.CustomNumFmt = &format
	}
	if format == "" && style.Font == nil {
		return
	}
	id, err := f.NewStyle(style)
	check(t, err)
	check(t, f.SetCellStyle(tab, at, at, id))
}

// inWords says which column was read as what, what was not read, the payouts, and
// every finding.
func inWords(l looked) string {
	var b strings.Builder
	r := l.result
	if len(r.Read) > 0 {
		var read, unread []string
		for _, c := range r.Read {
			read = append(read, fmt.Sprintf("%s=%s", c.Column, c.At))
		}
		for _, c := range r.Unread {
			unread = append(unread, fmt.Sprintf("%s %q", c.At, c.Header))
		}
		fmt.Fprintf(&b, "read: %s\n", strings.Join(read, " "))
		if len(unread) > 0 {
			fmt.Fprintf(&b, "not read: %s\n", strings.Join(unread, ", "))
		}
	}
	outcome := "accepted"
	switch {
	case r.FileRefused():
		outcome = "the sheet is refused"
	case r.Refused():
		outcome = "rows are refused"
	}
	fmt.Fprintf(&b, "%s: %d of %d rows, %s of %s\n", outcome, r.Sheet.Accepted.Count, r.Sheet.Rows, r.Sheet.Accepted.Total.Indian(), r.Sheet.Total.Indian())
	for _, p := range l.payouts {
		fmt.Fprintf(&b, "pays %s %s: %s to %s %s, %s %q\n", p.Ref, p.Amount.Indian(), p.VendorName, p.BankAccountNumber, p.IFSC, p.TransactionTypeID, p.Remarks)
	}
	for _, f := range r.Findings {
		where := "file"
		if f.Row > 0 {
			where = "row " + strconv.Itoa(f.Row)
		}
		if f.Cell != "" {
			where = f.Cell
		}
		fmt.Fprintf(&b, "%s %s, %s: %s", f.Severity, f.Code, where, f.Message)
		if f.Severity == ledger.SeverityError {
			fmt.Fprintf(&b, " | %s", f.Fix)
			if f.Option.Name != "" {
				fmt.Fprintf(&b, " (%s %s)", f.Option.Name, f.Option.Value)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
