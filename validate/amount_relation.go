package validate

import (
	"math"
	"slices"

	"payrun/ledger"
)

// amountRelation is how the amount follows in every row from other amounts: as their signed sum, such as gross
// less deductions, or as the product of a rate and a quantity.
type amountRelation struct {
	values []ledger.Paise // of the current row, one for each unread column
	rows   int
	slot   []int // index of each column among the parts, from 1; 0 for none
	parts  int
	sums   []signs  // that gave the amount in every row so far
	pairs  [][2]int // columns whose product was the amount in every row so far
}

// mostParts is how many columns sums are tried with: the nearest ones that hold amounts.
const mostParts = 8

// signs are the factor of each part: 1, 0 or -1.
type signs [mostParts]int8

// row takes the values of a row. For a column that had no amount before, every sign is still possible.
func (a *amountRelation) row(amount ledger.Paise, columns []contentColumn, amountAt int) {
	if a.rows++; a.rows == 1 {
		a.sums = []signs{{}}
		a.pairs = productsOf(a.values)
	}
	for i := len(columns) - 1; i >= 0; i-- {
		if columns[i].at < amountAt {
			a.take(i, columns)
		}
	}
	for i := range columns {
		a.take(i, columns)
	}
	var parts [mostParts]ledger.Paise
	for i, at := range a.slot {
		if at > 0 {
			parts[at-1] = a.values[i]
		}
	}
	a.sums = slices.DeleteFunc(a.sums, func(s signs) bool {
		var sum ledger.Paise
		for i, sign := range s[:a.parts] {
			sum += ledger.Paise(sign) * parts[i]
		}
		return sum != amount
	})
	a.pairs = slices.DeleteFunc(a.pairs, func(p [2]int) bool {
		const halfARupee = 50 // paise: products are rounded
		product := float64(a.values[p[0]]) * float64(a.values[p[1]]) / 100
		return math.Abs(product-float64(amount)) > halfARupee
	})
}

// take makes a column a part in the first row in which it has an amount.
func (a *amountRelation) take(i int, columns []contentColumn) {
	if a.values[i] == 0 || a.slot[i] != 0 || a.parts == mostParts || columns[i].says.count {
		return
	}
	a.parts++
	a.slot[i] = a.parts
	for _, s := range a.sums {
		for _, sign := range [...]int8{1, -1} {
			s[a.parts-1] = sign
			a.sums = append(a.sums, s)
		}
	}
}

// productsOf returns all pairs of columns that both hold a number.
func productsOf(values []ledger.Paise) (pairs [][2]int) {
	for i, v := range values {
		for j := range i {
			if v != 0 && values[j] != 0 {
				pairs = append(pairs, [2]int{j, i})
			}
		}
	}
	return pairs
}

// multiplies reports whether a column may be a rate or a quantity.
func (a *amountRelation) multiplies(i int) bool {
	return a.rows == 0 || slices.ContainsFunc(a.pairs, func(p [2]int) bool { return p[0] == i || p[1] == i })
}

// explains reports whether a column goes into the amount. To its left, every column does if several of them add
// up to it. Only a column that says what is finally paid must be a part itself, and the only added one: an
// advance and the rest still to pay add up to what is not to be paid. To its right, a gross and deductions
// explain an amount called net.
func (a *amountRelation) explains(i int, columns []contentColumn, amountAt int, bare bool) bool {
	right := columns[i].at > amountAt
	if right && bare {
		return false
	}
	return slices.ContainsFunc(a.sums, func(s signs) bool {
		parts, added, final, in := 0, 0, false, !right && !columns[i].says.final
		for j, at := range a.slot {
			if at == 0 || s[at-1] == 0 {
				continue
			}
			if !right && columns[j].at > amountAt {
				return false
			}
			parts++
			in = in || j == i
			if s[at-1] > 0 {
				added++
				final = final || columns[j].says.final
			}
		}
		return in && parts > 1 && (!final || added == 1) && (!right || added < parts)
	})
}
