package validate

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"payrun/ingest"
	"payrun/ledger"
)

// Limits of a branch list. The published ones have some 180,000 branches and,
// with addresses, some 80 MB.
const (
	maxBranches        = 1_000_000
	maxBranchListBytes = 256 << 20
	maxBranchChars     = 300 // of a name
)

// BranchListError is what keeps a branch list from being imported.
type BranchListError struct {
	Line int // of the file; in CSV the row as a spreadsheet program counts; 0 for the file as a whole
	Why  string
}

func (e *BranchListError) Error() string {
	if e.Line == 0 {
		return e.Why
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Why)
}

// ReadBranchList reads a list of bank branches: CSV with a header, a JSON
// array of objects, or a JSON object of objects whose keys are the IFSCs. It
// is strict: one malformed line, or one IFSC with two meanings, and there is
// no list. What is wrong with the file is a *BranchListError.
func ReadBranchList(path string) (ledger.BranchList, []ledger.Branch, error) {
	list := ledger.BranchList{Name: filepath.Base(path)}
	isJSON, err := looksJSON(path)
	if err != nil {
		return list, nil, err
	}
	read := readBranchesCSV
	if isJSON {
		read = readBranchesJSON
	}
	b := branchReader{lines: map[string]int{}, names: map[string]string{}}
	if list.SHA256, err = read(path, &b); err != nil {
		return list, nil, err
	}
	if len(b.branches) == 0 {
		return list, nil, &BranchListError{Why: "there is no branch in it"}
	}
	list.Count = len(b.branches)
	return list, b.branches, nil
}

// looksJSON refuses what is no file of a reasonable size, and looks at the first character that is no space, behind a BOM.
func looksJSON(path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() {
		return false, &BranchListError{Why: "it is no plain file"}
	}
	if info.Size() > maxBranchListBytes {
		return false, &BranchListError{Why: fmt.Sprintf("the file has more than %d MiB", maxBranchListBytes>>20)}
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 1024))
	text := strings.TrimLeft(strings.TrimPrefix(string(head), "\ufeff"), " \t\r\n")
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "["), err
}

// branchField is what is read of a branch.
type branchField int

const (
	fieldIFSC branchField = iota
	fieldBank
	fieldBranch
	fieldCity
	fieldState
	branchFields
)

// branchHeaders are the names the fields have in published lists, folded.
var branchHeaders = map[string]branchField{
	"ifsc": fieldIFSC, "ifsccode": fieldIFSC,
	"bank": fieldBank, "bankname": fieldBank, "nameofbank": fieldBank,
	"branch": fieldBranch, "branchname": fieldBranch,
	"city": fieldCity, "city1": fieldCity, "cityname": fieldCity,
	"state": fieldState, "statename": fieldState,
}

var branchFieldNames = [branchFields]string{"IFSC", "BANK", "BRANCH", "CITY", "STATE"}

// branchReader collects the branches of a list.
type branchReader struct {
	branches []ledger.Branch
	lines    map[string]int    // from an IFSC to its position in branches
	names    map[string]string // each bank, city and state once
}

// add takes one branch, or refuses the list because of it.
func (r *branchReader) add(line int, values [branchFields]string) error {
	bad := func(format string, args ...any) error {
		return &BranchListError{Line: line, Why: fmt.Sprintf(format, args...)}
	}
	for f, value := range values {
		text, _, unseen := freeText(trim(value))
		if unseen != 0 || strings.ContainsRune(text, utf8.RuneError) {
			return bad("%s holds a character that does not show or cannot be read", branchFieldNames[f])
		}
		if utf8.RuneCountInString(text) > maxBranchChars {
			return bad("%s has more than %d characters", branchFieldNames[f], maxBranchChars)
		}
		values[f] = text
	}
	code := values[fieldIFSC]
	if !validIFSC(code) {
		why, _ := explainIFSC(code)
		if code == "" {
			why = "it is empty"
		}
		return bad("%q is no IFSC: %s", shorten(code), why)
	}
	if values[fieldBank] == "" {
		return bad("%s has no bank", code)
	}
	b := ledger.Branch{
		IFSC: strings.Clone(code), Bank: r.name(values[fieldBank]), Branch: strings.Clone(values[fieldBranch]),
		City: r.name(values[fieldCity]), State: r.name(values[fieldState]),
	}
	if at, again := r.lines[code]; again {
		if r.branches[at] != b {
			return bad("%s stands there before, with another bank, branch, city or state", code)
		}
		return nil
	}
	if len(r.branches) == maxBranches {
		return bad("the list has more than %d branches", maxBranches)
	}
	r.lines[b.IFSC] = len(r.branches)
	r.branches = append(r.branches, b)
	return nil
}

// name keeps one copy of what thousands of branches share.
func (r *branchReader) name(s string) string {
	if kept, ok := r.names[s]; ok {
		return kept
	}
	s = strings.Clone(s)
	r.names[s] = s
	return s
}

// readBranchesCSV reads a list through ingest, which refuses what is not
// whole: short rows, open quotes, bytes that are no text.
func readBranchesCSV(path string, into *branchReader) (string, error) {
	sheet, err := ingest.Open(path, ingest.Options{
		IsHeader: func(cells []string) bool { _, err := branchColumns(cells); return err == nil },
		Limits:   ingest.Limits{Rows: maxBranches + 1, Bytes: maxBranchListBytes},
	})
	if err != nil {
		return "", listDefect(err)
	}
	defer func() { _ = sheet.Close() }() // only read from
	if sheet.Format() != "csv" {
		return "", &BranchListError{Why: "want CSV or JSON, this is a workbook: save the list as CSV"}
	}
	var columns map[branchField]int
	width := 0
	for {
		row, err := sheet.Next()
		if errors.Is(err, io.EOF) {
			return sheet.SHA256(), nil
		}
		if err != nil {
			return "", listDefect(err)
		}
		switch {
		case isBlank(row):
		case columns == nil:
			if columns, err = branchColumns(row.Cells); err != nil {
				return "", &BranchListError{Line: row.Number, Why: err.Error()}
			}
			width = len(row.Cells)
		case len(row.Cells) != width:
			return "", &BranchListError{Line: row.Number, Why: fmt.Sprintf("the row has %d cells, the header %d columns", len(row.Cells), width)}
		default:
			var values [branchFields]string
			for f, at := range columns {
				values[f] = row.Cells[at]
			}
			if err := into.add(row.Number, values); err != nil {
				return "", err
			}
		}
	}
}

// listDefect words what ingest refuses.
func listDefect(err error) error {
	if d, ok := errors.AsType[*ingest.Defect](err); ok {
		return &BranchListError{Line: d.Row, Why: d.Message}
	}
	return err
}

// branchColumns finds the fields in a header.
func branchColumns(cells []string) (map[branchField]int, error) {
	columns := map[branchField]int{}
	for i, cell := range cells {
		f, ok := branchHeaders[foldHeader(cell)]
		if !ok {
			continue
		}
		if _, again := columns[f]; again {
			return nil, fmt.Errorf("two columns are named %s", branchFieldNames[f])
		}
		columns[f] = i
	}
	for _, f := range []branchField{fieldIFSC, fieldBank, fieldBranch} {
		if _, ok := columns[f]; !ok {
			return nil, fmt.Errorf("there is no column %s; a branch list begins with a header such as BANK,IFSC,BRANCH,CITY,STATE", branchFieldNames[f])
		}
	}
	return columns, nil
}

// lineAt counts the lines of the file up to an offset.
func lineAt(f io.ReadSeeker, offset int64) int {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return 0
	}
	line := 1
	r := bufio.NewReader(io.LimitReader(f, offset))
	for {
		c, err := r.ReadByte()
		if err != nil {
			return line
		}
		if c == '\n' {
			line++
		}
	}
}
