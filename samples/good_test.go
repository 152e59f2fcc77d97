package samples_test

import (
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"

	"payrun/ledger"
	"payrun/samples"
)

// byteOrderMark begins what Excel saves as "CSV UTF-8".
const byteOrderMark = "\ufeff"

// goodSamples are read, each with something a careless reader would get wrong.
func goodSamples(t *testing.T) []sample {
	all := expectedOutcome{Rows: 6, Total: six().sum(), Accepted: tally(0, 1, 2, 3, 4, 5), OTPs: 1}
	return append([]sample{
		{samples.MonthEndCSV, func(t *testing.T) []byte { return append([]byte(byteOrderMark), monthEndCSV(t).csv(t)...) }, monthEndExpected(monthEndCSV(t))},
		{samples.MonthEndXLSX, func(t *testing.T) []byte { return monthEndXLSX(t).xlsx(t, "Nov 2025", nil) }, monthEndExpected(monthEndXLSX(t))},
		{"lei-line.csv", func(t *testing.T) []byte { return leiLine().csv(t) }, leiLineExpected()},
		{"export-utf16-semicolon.csv", func(t *testing.T) []byte {
			return encoded(t, utf16le, six().separated(t, ';'))
		}, all},
	}, goodMessages()...)
}

func monthEndExpected(s sheet) expectedOutcome {
	e := expectedOutcome{Rows: len(s.payouts), Total: s.sum(), OTPs: 3 + 1 + 1 + 1 + 5*3}
	e.Accepted = ledger.Tally{Count: e.Rows, Total: e.Total}
	return e
}

// leiLine is on the line of partner bank 1: a paisa below it, on it and a
// paisa above it, and two payouts of which neither reaches it and both do.
func leiLine() sheet {
	s := sheet{columns: append(canonical(), column{"bene_lei", func(p payout) string { return p.lei }, text})}
	for i, p := range []payout{
		{amount: ledger.LEILine - 1},
		{amount: ledger.LEILine, lei: checked(leiSteel)},
		{amount: ledger.LEILine + 1, lei: checked(leiPower)},
		{amount: 24_99_99_999_99},
		{amount: 25_00_00_000_00},
		{amount: 25_00_00_000_01},
	} {
		payee := six().payouts[i]
		p.ref, p.name, p.account, p.ifsc, p.remarks = "LEI/"+string('1'+rune(i)), payee.name, payee.account, payee.ifsc, payee.remarks
		p.debit = accountName(1, ledger.KindNone)
		s.payouts = append(s.payouts, p)
	}
	return s
}

// leiLineExpected: rows 3 and 4 are a batch with an LEI each, row 2 is alone,
// rows 5 and 6 stay a paisa below the line together, row 7 is left.
func leiLineExpected() expectedOutcome {
	s := leiLine()
	return expectedOutcome{Rows: 6, Total: s.sum(), Accepted: ledger.Tally{Count: 6, Total: s.sum()}, OTPs: 5}
}

// utf16le is what spreadsheet programs call "Unicode text": little-endian, by its BOM.
var utf16le = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)

// encoded writes a text in another encoding.
func encoded(t *testing.T, how encoding.Encoding, text []byte) []byte {
	t.Helper()
	b, err := how.NewEncoder().Bytes(text)
	check(t, err)
	return b
}
