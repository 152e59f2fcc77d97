package resultsheet

import (
	"path/filepath"
	"strings"

	"payrun/ledger"
	"payrun/reports"
	"payrun/reports/xlsx"
)

// Names of returned sheets: NAME.rejected.xlsx next to the sheet, NAME.result.xlsx in the folder of the
// reports.
const (
	rejectedMark = ".rejected"
	resultMark   = ".result"
	extCSV       = ".csv"
	extXLSX      = ".xlsx"
)

// mostNameBytes leaves room in a file name for suffixes and temporary names.
const mostNameBytes = 180

// baseName returns the sheet's name without its extension, usable as the start of a file name.
func baseName(name string) string {
	name = strings.TrimSuffix(name, filepath.Ext(name))
	name = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) || reports.Clean(string(r)) != string(r) {
			return '_'
		}
		return r
	}, name)
	name = strings.ToValidUTF8(name[:min(len(name), mostNameBytes)], "") // no part of a character
	if strings.Trim(name, ". ") == "" {
		return "sheet"
	}
	return name
}

// RejectedName is the file name of a sheet's rejected rows. If a rejected sheet is rejected again, the name stays
// that of the first sheet. A CSV with a cell that no CSV can hold safely gets a workbook instead, and a name that is
// taken gets a number.
func RejectedName(s ledger.Sheet) string {
	base := baseName(s.Name)
	if at := strings.LastIndex(base, rejectedMark); at > 0 && strings.Trim(base[at+len(rejectedMark):], "-0123456789") == "" {
		base = base[:at]
	}
	if s.Format == "csv" {
		return base + rejectedMark + extCSV
	}
	return base + rejectedMark + extXLSX
}

// resultNames gives each sheet of the ledger the name of its result sheet, without extension. Of several sheets
// with one name, the first loaded gets it, and the others get their ids too, so that a sheet's result always
// has the same name.
func resultNames(all []ledger.Sheet) map[string]string {
	names, taken := make(map[string]string, len(all)), map[string]bool{}
	for _, s := range all {
		name := baseName(s.Name)
		if taken[strings.ToLower(name)] {
			name += "." + baseName(s.ID)
		}
		taken[strings.ToLower(name)] = true
		names[s.ID] = name + resultMark
	}
	return names
}

// tabName returns the person's own tab name, if a workbook can have it.
func tabName(s ledger.Sheet) string {
	const usual, most = "Payouts", 31
	name := strings.Trim(s.Tab, "'")
	if name == "" || name != s.Tab || strings.ContainsAny(name, `:\/?*[]`) || xlsx.Length(name) > most || reports.Clean(name) != name {
		return usual
	}
	return name
}
