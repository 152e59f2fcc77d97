// Package samples holds payout sheets, each with its expected outcome in NAME.expected.json. `payrun demo`, the
// tests of other packages and the README take their sheets from here, so that what is shown is what is tested.
//
// Payees, account numbers, IFSCs and LEIs are made up; their form and check digits are valid. month-end.csv and
// pain-001-03.xml are sources; the folder's test generates the others with -update. README.md lists them.
package samples

import "embed"

// FS holds the sheets that README.md lists, those with one defect each under
// broken/, and the expected outcomes.
//
//go:embed *.csv *.xlsx *.xml *.json broken
var FS embed.FS

// Statements holds one month's statement of one debit account, under statements/, in every format that is read.
// All have the same content. The files in its folders are only for the tests of ingest/statement.
//
//go:embed statements/*.csv statements/*.xlsx statements/*.xml statements/*.sta
var Statements embed.FS

// The sheets that `demo` and the guides use: one vendor run, twice, with different references, so that both can
// be loaded.
const (
	MonthEndCSV  = "month-end.csv"
	MonthEndXLSX = "month-end.xlsx"
)
