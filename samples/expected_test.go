package samples_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"

	"payrun/ledger"
	"payrun/samples"
)

// expectedOutcome is what `payrun check` must say about a sheet, in the words of its
// document, with the nine accounts of the sandbox configured as pb1, pb12-cib
// and so on, and 500 payouts a batch.
type expectedOutcome struct {
	Exit     int          `json:"exit"`
	Rows     int          `json:"rows"`
	Total    ledger.Paise `json:"total"` // over the rows whose amount can be read
	Accepted ledger.Tally `json:"accepted"`
	Rejected ledger.Tally `json:"rejected"`
	Findings []finding    `json:"findings"`
	OTPs     int          `json:"otps"` // batches that are, or would be, planned
}

// finding is a finding and its place.
type finding struct {
	Row    int    `json:"row"`
	Column string `json:"column"`
	Code   string `json:"code"`
}

// sheetNames lists every sheet in FS, in the order of their paths.
func sheetNames() ([]string, error) {
	var names []string
	err := fs.WalkDir(samples.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if ext := path.Ext(name); err == nil && (ext == ".csv" || ext == ".xlsx" || ext == ".xml") {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// expectedOf reads the expected outcome of a sheet.
func expectedOf(name string) (expectedOutcome, error) {
	var e expectedOutcome
	data, err := samples.FS.ReadFile(name + expectedEnding)
	if err != nil {
		return e, err
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return e, fmt.Errorf("%s: %w", name, err)
	}
	return e, nil
}

// expectedEnding ends the name of the expected outcome of a sheet: month-end.csv has
// month-end.csv.expected.json, because the same month-end is there as XLSX too.
const expectedEnding = ".expected.json"
