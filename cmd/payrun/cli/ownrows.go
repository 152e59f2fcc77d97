package cli

import (
	"errors"
	"fmt"
	"io"

	"payrun/ingest"
	"payrun/reports"
	"payrun/validate"
)

// ownRows gives the reports the rows of a sheet as ingest reads them.
type ownRows struct {
	sheet  *ingest.Sheet
	sha256 string // of the bytes that the rows must be of
	cells  []reports.OwnCell
	after  func() // when it is closed; nil for nothing
}

var _ reports.OwnRows = (*ownRows)(nil)

// openOwn opens the sheet at path for giving its rows back.
func openOwn(path, sha256 string, o validate.Options, after func()) (reports.OwnRows, error) {
	o.Copy = nil
	sheet, err := validate.Open(path, o)
	if err != nil {
		return nil, err
	}
	return &ownRows{sheet: sheet, sha256: sha256, after: after}, nil
}

func (r *ownRows) Next() (reports.OwnRow, error) {
	row, err := r.sheet.Next()
	if errors.Is(err, io.EOF) && r.sheet.SHA256() != r.sha256 {
		return reports.OwnRow{}, fmt.Errorf("%s is no longer the sheet that was read", r.sheet.Name())
	}
	if err != nil {
		return reports.OwnRow{}, err
	}
	r.cells = r.cells[:0]
	for i, text := range row.Cells {
		c := reports.OwnCell{Text: text}
		if row.Kinds != nil {
			c = r.cell(text, row.Kinds[i], row.Styles[i])
		}
		r.cells = append(r.cells, c)
	}
	return reports.OwnRow{Number: row.Number, Cells: r.cells}, nil
}

// notCalculated stands for a formula without a saved value: nobody knows it,
// and an empty cell would say that there is none.
const notCalculated = "#N/A"

func (r *ownRows) cell(text string, kind ingest.Kind, style int) reports.OwnCell {
	f := r.sheet.NumberFormat(style)
	shown := reports.OwnFormat{ID: f.ID, Code: f.Code}
	switch kind {
	case ingest.Number, ingest.Formatted, ingest.FormulaNumber:
		return reports.OwnCell{Text: text, Kind: reports.OwnNumber, Format: shown}
	case ingest.Date:
		return reports.OwnCell{Text: text, Kind: reports.OwnDate, Format: shown}
	case ingest.Bool:
		return reports.OwnCell{Text: text, Kind: reports.OwnBool}
	case ingest.Error:
		return reports.OwnCell{Text: text, Kind: reports.OwnError}
	case ingest.FormulaEmpty:
		return reports.OwnCell{Text: notCalculated, Kind: reports.OwnError}
	}
	return reports.OwnCell{Text: text}
}

func (r *ownRows) Close() error {
	err := r.sheet.Close()
	if r.after != nil {
		r.after()
	}
	return err
}
