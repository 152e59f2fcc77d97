package ifsc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
)

// Limits of a branch list. The published lists have some 180,000 branches and, with addresses, some 80 MB.
const (
	maxBranches  = 1_000_000
	maxListBytes = 256 << 20
	maxNameChars = 300
)

// ListError says why a branch list cannot be imported.
type ListError struct {
	Line int // of the file; in CSV the row number of a spreadsheet program; 0 for the file as a whole
	Why  string
}

func (e *ListError) Error() string {
	if e.Line == 0 {
		return e.Why
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Why)
}

// ReadList reads a list of bank branches: CSV with a header, a JSON array of objects, or a JSON object of
// objects whose keys are the IFSCs. It is strict: one malformed line, or one IFSC with two meanings, refuses
// the whole list. A fault of the file is a *ListError.
func ReadList(path string) (ledger.BranchList, []ledger.Branch, error) {
	list := ledger.BranchList{Name: filepath.Base(path)}
	text, sum, err := ingest.Whole(path, maxListBytes)
	if err != nil {
		return list, nil, listDefect(err)
	}
	list.SHA256 = sum
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	c := collector{positions: map[string]int{}}
	if start := bytes.TrimLeft(text, " \t\r\n"); bytes.HasPrefix(start, []byte("{")) || bytes.HasPrefix(start, []byte("[")) {
		err = readJSON(text, &c)
	} else {
		err = readCSV(path, sum, &c)
	}
	if err != nil {
		return list, nil, err
	}
	if len(c.branches) == 0 {
		return list, nil, &ListError{Why: "the list has no branches"}
	}
	list.Count = len(c.branches)
	return list, c.branches, nil
}

const byteOrderMark = "\ufeff"

// The fields of a branch that are read.
const (
	fieldIFSC   = "IFSC"
	fieldBank   = "BANK"
	fieldBranch = "BRANCH"
	fieldCity   = "CITY"
	fieldState  = "STATE"
)

// fieldWords are the names of the fields in published lists, folded.
var fieldWords = map[string]string{
	"ifsc": fieldIFSC, "ifsccode": fieldIFSC,
	"bank": fieldBank, "bankname": fieldBank, "nameofbank": fieldBank,
	"branch": fieldBranch, "branchname": fieldBranch,
	"city": fieldCity, "city1": fieldCity, "cityname": fieldCity,
	"state": fieldState, "statename": fieldState,
}

// collector collects the branches of a list.
type collector struct {
	branches  []ledger.Branch
	positions map[string]int // in branches, by IFSC
}

// add adds one branch, or returns why it refuses the list.
func (c *collector) add(values map[string]string) error {
	for _, f := range [...]string{fieldIFSC, fieldBank, fieldBranch, fieldCity, fieldState} {
		text, _, unseen := visible.FreeText(visible.Trim(values[f]))
		if unseen != 0 || strings.ContainsRune(text, utf8.RuneError) {
			return fmt.Errorf("%s has a character that does not show or cannot be read", f)
		}
		if utf8.RuneCountInString(text) > maxNameChars {
			return fmt.Errorf("%s has more than %d characters", f, maxNameChars)
		}
		values[f] = strings.Clone(text) // a copy that does not keep its line in memory
	}
	code := values[fieldIFSC]
	if !Valid(code) {
		why, _ := Explain(code)
		if code == "" {
			why = "it is empty"
		}
		return fmt.Errorf("%q is not a valid IFSC: %s", visible.Shorten(code), why)
	}
	if values[fieldBank] == "" {
		return fmt.Errorf("%s has no bank", code)
	}
	b := ledger.Branch{IFSC: code, Bank: values[fieldBank], Branch: values[fieldBranch], City: values[fieldCity], State: values[fieldState]}
	if at, again := c.positions[code]; again {
		if c.branches[at] != b {
			return fmt.Errorf("%s is listed twice, with a different bank, branch, city or state", code)
		}
		return nil
	}
	if len(c.branches) == maxBranches {
		return fmt.Errorf("the list has more than %d branches", maxBranches)
	}
	c.positions[b.IFSC] = len(c.branches)
	c.branches = append(c.branches, b)
	return nil
}

// readCSV reads a list through ingest, which refuses what is not whole: open
// quotes, bytes that are not text. sum is the SHA-256 of the file as it was a moment ago.
func readCSV(path, sum string, into *collector) error {
	sheet, err := ingest.Open(path, ingest.Options{
		IsHeader: func(cells []string) bool { _, err := columnsOf(cells); return err == nil },
		Limits:   ingest.Limits{Rows: maxBranches + 1, Bytes: maxListBytes}, SHA256: sum,
	})
	if err != nil {
		return listDefect(err)
	}
	defer func() { _ = sheet.Close() }() // only read from
	if sheet.Format() != "csv" {
		return &ListError{Why: "want CSV or JSON, this is a workbook: save the list as CSV"}
	}
	var columns map[string]int
	width := 0
	for {
		row, err := sheet.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return listDefect(err)
		}
		switch {
		case row.Filled() == 0:
		case columns == nil:
			columns, err = columnsOf(row.Cells)
			width = len(row.Cells)
		case len(row.Cells) != width:
			err = fmt.Errorf("the row has %d cells, the header %d columns", len(row.Cells), width)
		default:
			values := map[string]string{}
			for f, at := range columns {
				values[f] = row.Cells[at]
			}
			err = into.add(values)
		}
		if err != nil {
			return &ListError{Line: row.Number, Why: err.Error()}
		}
	}
}

// listDefect turns a Defect of ingest into a ListError.
func listDefect(err error) error {
	if d, ok := errors.AsType[*ingest.Defect](err); ok {
		return &ListError{Line: d.Row, Why: d.Message}
	}
	return err
}

// columnsOf finds the fields of a branch in a header.
func columnsOf(cells []string) (map[string]int, error) {
	columns := map[string]int{}
	for i, cell := range cells {
		f, ok := fieldWords[visible.FoldHeader(cell)]
		if !ok {
			continue
		}
		if _, again := columns[f]; again {
			return nil, fmt.Errorf("two columns are named %s", f)
		}
		columns[f] = i
	}
	for _, f := range []string{fieldIFSC, fieldBank, fieldBranch} {
		if _, ok := columns[f]; !ok {
			return nil, fmt.Errorf("there is no column %s; a branch list begins with a header such as BANK,IFSC,BRANCH,CITY,STATE", f)
		}
	}
	return columns, nil
}
