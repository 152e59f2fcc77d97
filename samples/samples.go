// Package samples holds payout sheets, each with its expected outcome in NAME.expected.json. `payrun
// demo`, the tests of other rooms and the README take their sheets from here, so that what is shown is
// what is tested.
//
// Payees, account numbers, IFSCs and LEIs are made up; their form and check digits are right.
// month-end.csv and pain-001-03.xml are sources; the folder's test generates the others with
// -update. README.md lists them.
package samples

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"

	"payrun/ledger"
)

// FS holds the sheets that README.md lists, those with one defect each under
// broken/, and the expected outcomes.
//
//go:embed *.csv *.xlsx *.xml *.json broken
var FS embed.FS

// Statements holds one month's statement of one debit account, under statements/,
// in every format that is read. What each says is the same. The files in its folders
// are for the tests of ingest/statement alone.
//
//go:embed statements/*.csv statements/*.xlsx statements/*.xml statements/*.sta
var Statements embed.FS

// The sheets that `demo` and the guides work with: one vendor run, twice, with
// different references, so that both can be loaded.
const (
	MonthEndCSV  = "month-end.csv"
	MonthEndXLSX = "month-end.xlsx"
)

// ExpectedVersion is what `payrun check` must say about a sheet, in the words of its
// document, with the nine accounts of the sandbox configured as pb1, pb12-cib
// and so on, and 500 payouts a batch.
type ExpectedVersion struct {
	Exit     int          `json:"exit"`
	Rows     int          `json:"rows"`
	Total    ledger.Paise `json:"total"` // over the rows whose amount can be read
	Accepted ledger.Tally `json:"accepted"`
	Rejected ledger.Tally `json:"rejected"`
	Findings []Finding    `json:"findings"`
	OTPs     int          `json:"otps"` // batches that are, or would be, planned
}

// Finding is a finding and its place.
type Finding struct {
	Row    int    `json:"row"`
	Column string `json:"column"`
	Code   string `json:"code"`
}

// Names lists every sheet in FS, in the order of their paths.
func Names() ([]string, error) {
	var names []string
	err := fs.WalkDir(FS, ".", func(name string, d fs.DirEntry, err error) error {
		if ext := path.Ext(name); err == nil && (ext == ".csv" || ext == ".xlsx" || ext == ".xml") {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// ExpectedOf reads the expected outcome of a sheet.
func ExpectedOf(name string) (ExpectedVersion, error) {
	var e ExpectedVersion
	data, err := FS.ReadFile(expectedName(name))
	if err != nil {
		return e, err
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return e, fmt.Errorf("%s: %w", expectedName(name), err)
	}
	return e, nil
}

// expectedName: month-end.csv has month-end.csv.expected.json, because the same
// month-end is there as XLSX too.
func expectedName(name string) string { return name + ".expected.json" }
