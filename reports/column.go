package reports

import (
	"slices"

	"payrun/ledger"
	"payrun/reports/xlsx"
)

// column is a column of a CSV file, of a tab of the workbook, or of both, with its cell in each row. sum is the
// style of its subtotal: StyleMoney, StyleCount, or StyleNone for no subtotal.
type column[T any] struct {
	name   string  // in CSV files; "" for a column of tabs only
	head   string  // in tabs; "" for a column of CSV files only
	width  float64 // in characters
	sum    xlsx.Style
	number bool // a number that is not added up
	cell   func(T) xlsx.Cell
}

func cell[T any](head string, width float64, of func(T) xlsx.Cell) column[T] {
	return column[T]{head: head, width: width, cell: of}
}

func text[T any](head string, width float64, of func(T) string) column[T] {
	return cell(head, width, func(v T) xlsx.Cell { return xlsx.Text(of(v)) })
}

func wrapped[T any](head string, width float64, of func(T) string) column[T] {
	return cell(head, width, func(v T) xlsx.Cell { return xlsx.Wrapped(of(v)) })
}

func number[T any](head string, width float64, of func(T) int) column[T] {
	return column[T]{head: head, width: width, number: true, cell: func(v T) xlsx.Cell { return xlsx.Count(of(v)) }}
}

func numberIfAny[T any](head string, width float64, of func(T) int) column[T] {
	return column[T]{head: head, width: width, number: true, cell: func(v T) xlsx.Cell { return xlsx.CountOrBlank(of(v)) }}
}

func count[T any](head string, width float64, of func(T) int) column[T] {
	return column[T]{head: head, width: width, sum: xlsx.StyleCount, cell: func(v T) xlsx.Cell { return xlsx.Count(of(v)) }}
}

func money[T any](head string, width float64, of func(T) ledger.Paise) column[T] {
	return column[T]{head: head, width: width, sum: xlsx.StyleMoney, cell: func(v T) xlsx.Cell { return xlsx.Money(of(v)) }}
}

// inCSV returns a column of text that only CSV files have.
func inCSV[T any](name string, of func(T) string) column[T] { return text("", 0, of).as(name) }

// as puts the column into CSV files, too.
func (c column[T]) as(name string) column[T] {
	c.name = name
	return c
}

// heading returns the cell in a tab's header.
func (c column[T]) heading() xlsx.Cell {
	if c.number || c.sum != xlsx.StyleNone {
		return xlsx.NumberHeading(c.head)
	}
	return xlsx.Heading(c.head)
}

// subtotal returns the cell of a sum, which is saved with its formula.
func (c column[T]) subtotal(sum ledger.Paise, formula string) xlsx.Cell {
	switch c.sum {
	case xlsx.StyleMoney:
		return xlsx.Money(sum).In(xlsx.StyleMoneyTotal).From(formula)
	case xlsx.StyleCount:
		return xlsx.Count(int(sum)).In(xlsx.StyleCountTotal).From(formula)
	}
	return xlsx.Cell{Style: xlsx.StyleTotal}
}

// pick returns the columns with these heads, for a tab.
func pick[T any](from []column[T], heads ...string) (picked []column[T]) {
	for _, head := range heads {
		picked = append(picked, from[slices.IndexFunc(from, func(c column[T]) bool { return c.head == head })])
	}
	return picked
}

// namesOf returns the header of a CSV file.
func namesOf[T any](columns []column[T]) (names []string) {
	for _, c := range columns {
		if c.name != "" {
			names = append(names, c.name)
		}
	}
	return names
}
