package validate

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
)

// saidAbove adds the problems of a tab's name and of titles above the header: that the amounts are in another
// unit, that another account pays, that the sheet is not to be paid, or not today.
func (c *check) saidAbove(tab string, titles []layout) {
	l := &c.layout
	says := func(row int, where, text string) {
		if stopIn(text) != "" {
			l.problems = append(l.problems, ledger.Finding{Row: row, Code: codeRowSaysOtherwise, Value: text, Message: fmt.Sprintf("%s says %q", where, visible.Shorten(text))})
		}
	}
	if unit := visible.UnitNote([]string{tab}); unit != "" {
		l.problems = append(l.problems, noteProblem("the name of the tab", tab, unit, "change the name of the tab"))
	}
	says(l.row, "the name of the tab", tab)
	for _, title := range titles {
		if p, found := l.unitNote(title.row, title.headers); found {
			l.problems = append(l.problems, p)
		}
		labels, said := labelled(title.headers)
		for i, label := range labels {
			c.titled = append(c.titled, titledNumber{title.row, label, said[i]})
		}
		named := c.words.read(title.row, labels)
		if problems := c.saidAs(&named, said); len(problems) > 0 {
			l.problems = append(l.problems, problems...)
			continue
		}
		for _, text := range title.headers {
			says(title.row, "a title", text)
		}
	}
}

// saidAs reads a title as a row whose columns have these labels, and returns what it says against paying, and paying
// from the account of rows without one.
func (c *check) saidAs(labels *layout, said []string) []ledger.Finding {
	found := findings{layout: labels}
	row := ingest.Row{Number: labels.row, Cells: said}
	labels.unmapped = slices.DeleteFunc(labels.besideOf(), func(b besideColumn) bool { return b.kind < asDay || b.kind == asCurrency })
	r := rowReader{o: c.o, layout: labels, found: &found, number: row.Number, row: &row}
	r.besides()
	if r.cells[colTransactionType] = labels.cellOf(&row, colTransactionType); byHand[foldLabel(r.cells[colTransactionType])] {
		r.mode()
	}
	debits := c.reader.debits
	var account *ledger.DebitAccount
	for _, text := range said {
		account = cmp.Or(account, debits.find(text))
	}
	for _, number := range digitRuns.FindAllString(visible.Squeeze(strings.Join(said, "|")), -1) {
		account = cmp.Or(account, debits.byNumber[number])
	}
	if by := debits.fallback; account != nil && by != nil && account != by && c.o.Account == "" && !c.layout.has(colDebitAccount) {
		found.add(ledger.Finding{
			Row: row.Number, Code: codeDebitAccountUnclear, Message: fmt.Sprintf("a title names the debit account %s, and rows without one are paid from %s", account.Name, by.Name),
			Fix: "Say which account pays, or correct the title.", Option: ledger.Option{Name: ledger.OptionAccount, Value: account.Name},
		})
	}
	return found.list
}

var labelPart = regexp.MustCompile(`[^0-9:]+`)

// labelled returns the label of each cell of a title, and what it says: the text after a colon or before a day, or
// else the whole cell with the cell to its left as the label.
func labelled(cells []string) (labels, said []string) {
	labels, said = make([]string, len(cells)), make([]string, len(cells))
	left := ""
	for i, text := range cells {
		if visible.TrimColon(text) == "" || len(text) > maxHeaderBytes {
			continue
		}
		labels[i], said[i], left = left, text, text
		for _, at := range labelPart.FindAllStringIndex(text, -1) {
			label, rest := visible.Trim(text[at[0]:at[1]]), visible.TrimColon(text[at[1]:])
			if unit, _ := visible.CutRupee(label); unit == "" || rest == "" { // Rs. 500
				continue
			}
			if at[0] == 0 && !mayBeDay(text) || isDay(visible.Words(label)) && mayBeDay(rest) {
				labels[i], said[i] = label, rest
			}
		}
		if isDay(visible.Words(labels[i])) && !mayBeDay(said[i]) { // Payment on 2 invoices
			labels[i] = ""
		}
	}
	return labels, said
}

// mayBeDay reports whether a text is a day, perhaps without its year.
func mayBeDay(text string) bool {
	_, full := dayOf(text)
	_, short := dayOf(text + " 2000")
	return full || short
}
