package reports

import (
	"fmt"
	"strconv"

	"payrun/ledger"
)

// Sentences that page and workbook share.

const statementWords = "Bank statements are not part of this report yet: it compares the sheets with what the bank reported for each payout."

func asOf(s *Snapshot) string {
	if s.head.Length == 0 {
		return "As of an empty ledger."
	}
	return fmt.Sprintf("As of %s, event %s of the ledger.", s.when(s.head.At), ledger.Grouped(int(s.head.Length)))
}

func scopeWords(s *Snapshot) string {
	switch {
	case s.SheetID != "":
		return s.sheets[0].Name + " (" + s.SheetID + ")"
	case len(s.sheets) == 1:
		return s.sheets[0].Name
	}
	return ledger.Counted(len(s.sheets), "sheet", "sheets")
}

func tieWords(t ties) string {
	switch {
	case t.TiesOut:
		return fmt.Sprintf("Ties out to the paisa: %s accepted, %s across all states, %s.",
			ledger.Counted(t.Accepted.Count, "payout", "payouts"), t.ByStateSum.Total.Rupees(), "difference "+t.Difference.Rupees())
	case t.Difference == 0 && t.CountDifference == 0:
		return "Does not tie out: the totals agree, but the rows of at least one sheet do not. Run: payrun ledger verify."
	}
	return fmt.Sprintf("Does not tie out: accepted %s (%s), across all states %s (%s), difference %s. Run: payrun ledger verify.",
		t.Accepted.Total.Rupees(), ledger.Counted(t.Accepted.Count, "payout", "payouts"),
		t.ByStateSum.Total.Rupees(), ledger.Counted(t.ByStateSum.Count, "payout", "payouts"), t.Difference.Rupees())
}

func bankName(id int) string {
	if id == 0 {
		return "Not known"
	}
	return "Partner bank " + strconv.Itoa(id)
}

func maskWords(s *Snapshot) string {
	if s.Unmasked {
		return "Account numbers are shown in full. Keep these files as you keep the sheets."
	}
	return "Account numbers show their last four characters."
}
