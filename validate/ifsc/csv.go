package ifsc

import (
	"errors"
	"fmt"
	"io"

	"payrun/ingest"
	"payrun/ingest/visible"
)

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
