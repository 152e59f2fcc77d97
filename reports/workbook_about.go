package reports

import (
	"cmp"
	"fmt"
	"strings"

	"payrun/ledger"
	"payrun/reports/xlsx"
)

// addAbout adds the last tab: what the others mean and how far to trust them.
func addAbout(w *xlsx.Book, s *Snapshot, t *totals) error {
	const words = 110
	p := xlsx.NewPage("About this workbook")
	p.Skip(1)
	for _, line := range aboutLines(s, t) {
		lines := (xlsx.Length(line[1]) + words - 1) / words
		p.AddHigh(lines*xlsx.LinePoints+2, xlsx.Text(line[0]).In(xlsx.StyleOpen), xlsx.Wrapped(line[1]))
	}
	return w.AddPage(aboutTab, p, 20, words)
}

func whoseWords(s *Snapshot) string {
	words := cmp.Or(s.About.line(), "Environment and merchant are not known.")
	if s.inSandbox() {
		words = sandboxWords + ". " + words
	}
	return words
}

func pairWords(s *Snapshot, t *totals) string {
	return strings.Join(append(ledger.ListOf(t.pairs(s), Pair.line), t.bridge()), " ")
}

// mostExact has the 15 digits that a spreadsheet surely keeps.
const mostExact ledger.Paise = 999_999_999_999_999

func aboutLines(s *Snapshot, t *totals) [][2]string {
	return [][2]string{
		{"Made from", "The ledger alone. " + asOf(s) + " The same ledger gives the same workbook, byte for byte; payrun report writes it again at any time."},
		{"Whose", whoseWords(s)},
		{"Scope", scopeWords(s) + ": " + ledger.CountedPayouts(t.all.Count) + ", a line each, with its latest attempt; the tab Attempts has every one."},
		{"Audit chain", fmt.Sprintf("%s, the last one's hash is %s. payrun ledger verify checks the chain from the first event.", ledger.Counted(int(s.head.Length), "event", "events"), Clean(s.head.Hash))},
		{"Ties out", "Said of each pair by itself. Sheet and ledger: rows = accepted + left out, and what was accepted is what the ledger holds. Ledger and interface: the last status of each payout at the bank. Interface and statement: what the bank booked. " + pairWords(s, t)},
		{"Paid", "The bank reports success. It is asked again for some days, because money can be returned late."},
		{"Open", "Planned, held for an OTP, or at the bank. A batch that was never submitted cannot pay."},
		{"Not paid", "Failed, returned, or cancelled before it could pay. Plan a new attempt with payrun retry, or correct it first: payrun retry --out."},
		{"In doubt", "It may or may not have been paid: the bank contradicts itself, or an answer was lost after the OTP was sent. Never pay it another way until the bank has answered."},
		{"Amounts", "Indian rupees, exact to the paisa in the ledger and in the CSV and JSON files. A spreadsheet keeps a number to 15 digits: amounts and sums show exactly up to " + mostExact.Indian() + "."},
		{"Subtotals", "The first line of each table counts and adds up the rows that the filter leaves."},
		{"Text", "References, accounts and everything that a sheet or the bank wrote are text cells; nothing in them is calculated. Invisible characters are spelt out, as \\t or \\u202e."},
		{"Accounts", maskWords},
		{"Times", "In " + s.Zone.String() + " here and in summary.html; in UTC in the CSV and JSON files."},
	}
}
