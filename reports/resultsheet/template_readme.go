package resultsheet

import (
	"errors"
	"fmt"

	"github.com/xuri/excelize/v2"

	"payrun/reports/xlsx"
)

// readMe explains the sheet, a column a row.
func (b *templateBook) readMe() error {
	if _, err := b.f.NewSheet(readMeTab); err != nil {
		return err
	}
	put := func(row int, styles []int, cells ...string) error {
		for i, text := range cells {
			at := fmt.Sprintf("%s%d", xlsx.ColumnName(i), row)
			if err := errors.Join(b.f.SetCellStr(readMeTab, at, text), b.f.SetCellStyle(readMeTab, at, at, styles[i])); err != nil {
				return err
			}
		}
		return nil
	}
	if err := put(1, []int{b.title}, "How to fill in this sheet"); err != nil {
		return err
	}
	row := 2
	for _, line := range readMeLines() {
		row++
		at := fmt.Sprintf("A%d", row)
		if err := errors.Join(put(row, []int{b.words}, line), b.f.MergeCell(readMeTab, at, fmt.Sprintf("D%d", row)),
			b.f.SetRowHeight(readMeTab, row, float64(xlsx.Lines(line, 120)*xlsx.LinePoints+2))); err != nil {
			return err
		}
	}
	row += 2
	if err := errors.Join(put(row, []int{b.required, b.required, b.required, b.required}, "Column", "Needed", "What belongs there", "Example row"), b.f.SetRowHeight(readMeTab, row, 20)); err != nil {
		return err
	}
	for _, c := range b.t.Columns {
		row++
		need := "optional"
		if c.Required {
			need = "required"
		}
		if err := errors.Join(put(row, []int{b.label, b.words, b.words, b.sample}, c.Name, need, c.What, c.Example),
			b.f.SetRowHeight(readMeTab, row, float64(xlsx.Lines(c.What, 70)*xlsx.LinePoints+4))); err != nil {
			return err
		}
	}
	for name, width := range map[string]float64{"A": 24, "B": 11, "C": 70, "D": 28} {
		if err := b.f.SetColWidth(readMeTab, name, name, width); err != nil {
			return err
		}
	}
	off := false
	if err := b.f.SetSheetView(readMeTab, 0, &excelize.ViewOptions{ShowGridLines: &off}); err != nil {
		return err
	}
	return xlsx.SetPage(b.f, readMeTab)
}

func readMeLines() []string {
	return []string{
		"One payout per row on the tab \"" + templateTab + "\", below the header. Columns marked * are required; the others may be deleted. " +
			"You may add columns of your own: they come back in the result sheet.",
		"Everything but the amount is text, account numbers included: a spreadsheet program drops the leading zeros of a number and rounds it after 15 digits. " +
			"When you paste, choose Paste Special > Values, so that the columns keep their format.",
		"A last row \"Total\" with the sum under the amount is a check: it must agree to the paisa, and is never paid.",
		"Then: payrun check SHEET says what is wrong, row by row, and changes nothing. payrun load SHEET records it. payrun explain CODE explains a finding.",
	}
}
