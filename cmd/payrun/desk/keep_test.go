package desk

import (
	"strings"
	"testing"

	"payrun/ledger"
)

// register is a sheet whose amount is understood otherwise than it is meant, with a
// column more where it is named.
func register(more string, refs ...string) string {
	text := "Reference,Beneficiary Name,Account Number,IFSC Code,Net Pay,In Hand,Debit Account" + more + "\n"
	for _, ref := range refs {
		text += ref + ",Asha Traders,123456789012,HDFC0001234,900.00,100.00,pb3" + strings.Repeat(",x", strings.Count(more, ",")) + "\n"
	}
	return text
}

// What is chosen of the columns is kept with the load, for exactly this header; the person who
// brings the next such sheet reads whose choice it is, and may read it without.
func TestTheChoiceOfColumnsIsKept(t *testing.T) {
	h, b := withLoader(t)
	first := b.waits("oct.csv", register("", "O-1"))
	is(t, b.post(first+"/check", "form", b.form(), "keep_columns", "perhaps"), 422, "true or false")
	is(t, b.post(first+"/check", "form", b.form(), "keep_columns", "true"), 303)
	is(t, b.get(first), 422, "Saved column mapping", "no column is chosen that could be saved", `value="true" selected`)
	is(t, b.post(first+"/check", "form", b.form(), "keep_columns", "true", "map", "amount=In Hand"), 303)
	is(t, b.get(first), 200, "Loading it saves these columns", "<strong><data value=\"100.00\">", "--keep-columns --expect-sha256")
	before := len(h.events())
	is(t, b.loads(first), 303)
	same(t, "the load tells", h.kinds(before)[1], ledger.EventColumnsKept)
	is(t, b.get("/log?kind=columns_kept"), 200, "ravi", "In Hand")

	m := h.invite("mina", "load")
	second := m.waits("nov.csv", register("", "N-1"))
	is(t, m.get(second), 200, "Columns as ravi saved them for this header", "<strong><data value=\"100.00\">")
	other := m.waits("more.csv", register(",Loan", "M-1"))
	is(t, m.get(other), 200, "It cannot be loaded as it is", "ravi saved on", "or: Saved column mapping")
	is(t, m.post(second+"/check", "form", m.form(), "keep_columns", "false"), 303)
	is(t, m.get(second), 200, "Read without the columns that ravi saved", "<strong><data value=\"900.00\">", "--keep-columns=false")
	before = len(h.events())
	is(t, m.loads(second), 303)
	same(t, "the load tells", h.kinds(before)[1], ledger.EventColumnsForgotten)
	third := m.get(m.waits("dec.csv", register("", "D-1")))
	is(t, third, 200, "<strong><data value=\"900.00\">")
	isNot(t, third, "ravi kept")
}

// Where two columns of amounts differ, the page lets a person say that the one that is read
// is meant, too.
func TestTheAmountThatIsReadCanBeChosen(t *testing.T) {
	b := build(t).loader()
	sheet := b.waits("nov.csv", "Reference,Beneficiary Name,Account Number,IFSC Code,Amount,Approved,Debit Account\nN-1,Asha Traders,123456789012,HDFC0001234,900.00,800.00,pb3\n")
	is(t, b.get(sheet), 200, "It cannot be loaded as it is", "Two columns of amounts", `<option value="amount=Amount">Amount, this one</option>`)
	is(t, b.post(sheet+"/check", "form", b.form(), "map", "amount=Amount"), 303)
	is(t, b.get(sheet), 200, "Amount, as chosen", "<strong><data value=\"900.00\">", "--map amount=Amount")
	is(t, b.loads(sheet), 303)
}
