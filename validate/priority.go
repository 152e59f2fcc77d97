package validate

import (
	"fmt"
	"strconv"
	"strings"

	"payrun/ingest"
	"payrun/ingest/visible"
)

// The priority only orders the batches of a sheet. It is never sent, and an unreadable one refuses no row: the
// payout goes last, with a warning.

// MostPriority is the last priority; 1 is the first.
const MostPriority = 9999

var priorityOf = map[string]int{"urgent": 1, "high": 2, "medium": 3, "low": 4}

// goesFirst reads the priority of the row.
func (r *rowReader) goesFirst() {
	text := r.cells[colPriority]
	kind := r.kinds[colPriority]
	if r.refused[colPriority] || text == "" && kind != ingest.FormulaEmpty {
		return
	}
	switch kind {
	case ingest.Error, ingest.Bool, ingest.Date, ingest.FormulaDate, ingest.Formatted, ingest.FormulaFormatted, ingest.FormulaEmpty:
		r.unclear("the cell holds neither a number nor a word")
		return
	}
	rank, is := parsePriority(text)
	switch {
	case is == "":
		r.unclear(fmt.Sprintf("%q is neither a whole number from 1 to %d nor urgent, high, medium or low", visible.Shorten(text), MostPriority))
	case r.priorities == "", r.priorities == is:
		r.priority, r.priorities = rank, is
	default:
		r.unclear(fmt.Sprintf("above it the column has %s, and numbers and words cannot be ordered together", r.priorities))
	}
}

// parsePriority reads a rank: 3, P3, or a word. It also returns which of the two it is, because numbers and words cannot be
// compared with each other.
func parsePriority(text string) (rank int, is string) {
	text = strings.ToLower(text)
	if rank, ok := priorityOf[text]; ok {
		return rank, "words"
	}
	digits := strings.TrimPrefix(text, "p")
	if rank, err := strconv.Atoi(digits); err == nil && plainDigits(digits, 0) && 1 <= rank && rank <= MostPriority {
		return rank, "numbers"
	}
	return 0, ""
}

func (r *rowReader) unclear(why string) {
	r.refused[colPriority] = true // no further findings about it
	r.find(colPriority, codePriorityUnclear, r.cells[colPriority], why, "")
}
