package resultsheet

import (
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"payrun/ledger"
	"payrun/reports"
	"payrun/reports/xlsx"
)

// wrongColour is the background of a cell that must be corrected.
const wrongColour = "FFF2A8"

// mostNotes is how many cells get a note: excelize keeps each with its drawing. Every row has the colour and
// the column payrun_reason.
const mostNotes = 1000

// note says what is wrong with a cell.
type note struct {
	column, row int
	text        string
}

// mark returns a style with the colour of a wrong cell. If that fails, it returns the style unchanged:
// payrun_reason also says what is wrong.
func (b *book) mark(style xlsx.Style) xlsx.Style {
	if s, ok := b.marked[style]; ok {
		return s
	}
	b.marked[style] = style
	of, err := b.GetStyle(int(style))
	if err != nil {
		return style
	}
	of.Fill = excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{wrongColour}}
	if id, err := b.AddStyle(of); err == nil {
		b.marked[style] = id
	}
	return b.marked[style]
}

func addNote(b *xlsx.Book, tab string, n note) error {
	return b.AddComment(tab, excelize.Comment{
		Cell: xlsx.ColumnName(n.column) + strconv.Itoa(n.row), Author: "payrun", Width: 280, Height: uint(30 + 15*xlsx.Lines(n.text, 38)),
		Paragraph: []excelize.RichTextRun{{Text: n.text, Font: &excelize.Font{Family: xlsx.Font, Size: 9}}},
	})
}

// markWrong notes in the cells of a line what the findings about its row say about them.
func markWrong(line []placed, found []ledger.Finding) {
	for _, f := range found {
		column, _, err := excelize.CellNameToCoordinates(f.Cell)
		column--
		if f.Severity != ledger.SeverityError || err != nil || column >= len(line) || line[column].isOurs {
			continue
		}
		wrong := &line[column].wrong
		*wrong = strings.TrimPrefix(*wrong+"\n"+reports.Clean(f.Message+". "+f.Fix), "\n")
	}
}
