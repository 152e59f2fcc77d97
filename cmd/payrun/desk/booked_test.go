package desk

import (
	"fmt"
	"strings"
	"testing"

	"payrun/cmd/payrun/app"
)

// importCSV takes in a statement file of pb3.
func (h *house) importCSV(lines ...string) {
	h.Helper()
	h.imports("<b>bank.csv", "Date,Narration,Ref No,Withdrawal,Deposit,Balance\n"+strings.Join(lines, "\n")+"\n", "pb3")
}

// imports imports the statement of an account.
func (h *house) imports(name, text, account string) {
	h.Helper()
	got, err := h.app.ImportStatement(h.Context(), app.Call{Actor: "asha"}, app.StatementImport{Path: h.file(name, text), Account: account, StatementOptions: app.StatementOptions{DayFirst: true}, Sure: true})
	if err != nil {
		h.Fatal(err, got.Findings)
	}
}

// The story of a payout ends with its line of the statement, and no word of the bank
// becomes an element.
func TestThePayoutPageTellsTheLineOfTheStatement(t *testing.T) {
	h, b := withAdmin(t, "INVOICE-1", "INVOICE-2")
	is(t, b.get("/payouts?ref=INVOICE-1"), 200)
	isNot(t, b.get("/payouts?ref=INVOICE-1"), "On the statement") // it was never sent
	h.importCSV(`02/11/2025,"NEFT INVOICE-1 <img src=x onerror=alert(1)> 50100012345678",R1,100.00,,900.00`, `03/11/2025,"NEFT INVOICE-1 INVOICE-2 <script>alert(1)</script>",R2,7.00,,893.00`)
	p := b.get("/payouts?ref=INVOICE-1")
	is(t, p, 200, "On the statement of pb3", "2025-11-02</time> <b>debit</b>", "by its reference", "&lt;img src=x onerror=alert(1)&gt;", "XXXXXXXXXX5678",
		"imported from &lt;b&gt;bank.csv 2025-11-03", "the statement shows its debit, and the ledger has it as planned",
		"Perhaps on the statement", "with its name, and another amount or other names")
	isNot(t, p, "<img", "<script>", "50100012345678")
	at := func(words string) int { return strings.Index(p.body, words) }
	if said, line, perhaps := at("What the bank said"), at("On the statement of"), at("Perhaps on the statement"); said < 0 || line < said || perhaps < line {
		t.Errorf("the story is out of order: %d, %d, %d", said, line, perhaps)
	}
	is(t, b.get("/payouts?ref=INVOICE-2"), 200, "Perhaps on the statement") // the line names two payouts
	isNot(t, b.get("/payouts?ref=INVOICE-2"), "On the statement of")
}

// However many lines may be a payout's, its page shows a hundred and how many more
// there are; and no account number that the bank wrote into a reference.
func TestThePayoutPageShowsAHundredLines(t *testing.T) {
	h, b := withAdmin(t, "INVOICE-1", "INVOICE-2")
	var lines []string
	for i := range 1103 {
		lines = append(lines, fmt.Sprintf(`02/11/2025,"NEFT INVOICE-1 INVOICE-2 %d",50100012345678,1.00,,%d.00`, i, 9999-i))
	}
	h.importCSV(lines...)
	p := b.get("/payouts?ref=INVOICE-1")
	is(t, p, 200, "and 1,003 more, which payrun status --verbose shows", "XXXXXXXXXX5678")
	same(t, "lines", strings.Count(p.body, "<li data-line="), 100)
	isNot(t, p, "50100012345678")
}
