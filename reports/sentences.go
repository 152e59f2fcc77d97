package reports

import (
	"fmt"
	"strconv"

	"payrun/ledger"
)

// Sentences in both the page and the workbook.

func asOf(s *Snapshot) string {
	if s.head.Length == 0 {
		return "As of an empty ledger."
	}
	return fmt.Sprintf("As of %s, event %s of the ledger.", s.when(s.head.At), ledger.Grouped(int(s.head.Length)))
}

func bankName(id int) string {
	if id == 0 {
		return "Not known"
	}
	return "Partner bank " + strconv.Itoa(id)
}

const maskWords = "Account numbers show their last four characters."
