package reports

import (
	"payrun/ledger"
	"payrun/reports/xlsx"
)

// column is a column of a CSV file, of a tab of the workbook, or of both, with its cell in each row. sum is the
// style of its subtotal: StyleMoney, StyleCount, or StyleNone for no subtotal.
type column[T any] struct {
	heading
	cell func(T) xlsx.Cell
}

// heading is what a column is without its cells.
type heading struct {
	name   string  // in CSV files; "" for a column of tabs only
	head   string  // in tabs; "" for a column of CSV files only
	width  float64 // in characters
	sum    xlsx.Style
	number bool // a number that is not added up
}

func cell[T any](head string, width float64, of func(T) xlsx.Cell) column[T] {
	return column[T]{heading{head: head, width: width}, of}
}

func text[T any](head string, width float64, of func(T) string) column[T] {
	return cell(head, width, func(v T) xlsx.Cell { return xlsx.Text(of(v)) })
}

func wrapped[T any](head string, width float64, of func(T) string) column[T] {
	return cell(head, width, func(v T) xlsx.Cell { return xlsx.Wrapped(of(v)) })
}

func number[T any](head string, width float64, of func(T) int) column[T] {
	return numbers(head, width, func(v T) xlsx.Cell { return xlsx.Count(of(v)) })
}

func numberIfAny[T any](head string, width float64, of func(T) int) column[T] {
	return numbers(head, width, func(v T) xlsx.Cell { return xlsx.CountOrBlank(of(v)) })
}

func numbers[T any](head string, width float64, of func(T) xlsx.Cell) column[T] {
	return column[T]{heading{head: head, width: width, number: true}, of}
}

func added[T any](head string, width float64, sum xlsx.Style, of func(T) xlsx.Cell) column[T] {
	return column[T]{heading{head: head, width: width, sum: sum}, of}
}

func count[T any](head string, width float64, of func(T) int) column[T] {
	return added(head, width, xlsx.StyleCount, func(v T) xlsx.Cell { return xlsx.Count(of(v)) })
}

func money[T any](head string, width float64, of func(T) ledger.Paise) column[T] {
	return added(head, width, xlsx.StyleMoney, func(v T) xlsx.Cell { return xlsx.Money(of(v)) })
}

// inCSV returns a column of text that only CSV files have.
func inCSV[T any](name string, of func(T) string) column[T] { return text("", 0, of).as(name) }

// as puts the column into CSV files, too.
func (c column[T]) as(name string) column[T] {
	c.name = name
	return c
}

// headCell returns the cell in a tab's header.
func (c heading) headCell() xlsx.Cell {
	if c.number || c.sum != xlsx.StyleNone {
		return xlsx.NumberHeading(c.head)
	}
	return xlsx.Heading(c.head)
}

// subtotal returns the cell of a sum, which is saved with its formula.
func (c heading) subtotal(sum ledger.Paise, formula string) xlsx.Cell {
	switch c.sum {
	case xlsx.StyleMoney:
		return xlsx.Money(sum).In(xlsx.StyleMoneyTotal).From(formula)
	case xlsx.StyleCount:
		return xlsx.Count(int(sum)).In(xlsx.StyleCountTotal).From(formula)
	}
	return xlsx.Cell{Style: xlsx.StyleTotal}
}

// cellsOf appends the cells of a line.
func cellsOf[T any](columns []column[T], v T, line []xlsx.Cell) []xlsx.Cell {
	for i := range columns { // by pointer: there are millions of cells
		line = append(line, columns[i].cell(v))
	}
	return line
}

// namesOf returns the header of a CSV file.
func namesOf[T any](columns []column[T]) []string {
	named := ledger.Where(columns, func(c column[T]) bool { return c.name != "" })
	return ledger.ListOf(named, func(c column[T]) string { return c.name })
}

// sumUp adds the amounts and counts of a row to sums, and returns how many lines its wrapped cells need.
func sumUp(columns []heading, row []xlsx.Cell, sums []ledger.Paise) (lines int) {
	lines = 1
	for i := range row {
		switch c := &columns[i]; {
		case c.sum != xlsx.StyleNone:
			sums[i] = sums[i].PlusCapped(ledger.Paise(row[i].Value))
		case row[i].Style == xlsx.StyleWrapped:
			lines = max(lines, xlsx.Lines(row[i].Text, c.width))
		}
	}
	return lines
}
