package xlsx_test

import (
	"bytes"
	"io"
	"strconv"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"payrun/ledger"
	"payrun/reports/xlsx"
)

const benchRows = 20_000

// benchCells is a row as payouts.xlsx has them: eight texts and an amount.
func benchCells(i int) (texts [8]string, amount ledger.Paise) {
	n := strconv.Itoa(i)
	return [8]string{"INV/2025/" + n, "Konkan Packaging & Co", "XXXXXXXX" + n, "TSTB0000111", "success", "TSTBN2511270" + n, "pr5xuatpgtzf77odolukpfbx22my", "December advance"},
		ledger.Paise(125_050 + i)
}

// ours writes the rows as the reports do, kept somewhere between, and then the workbook.
func ours(tb testing.TB) {
	book, err := xlsx.NewBook()
	check(tb, err)
	defer func() { _ = book.Close() }()
	var text bytes.Buffer
	rows := xlsx.NewRows(&text, 0)
	var cells [9]xlsx.Cell
	for i := range benchRows {
		texts, amount := benchCells(i)
		for c, text := range texts {
			cells[c] = xlsx.Text(text)
		}
		cells[8] = xlsx.Money(amount)
		rows.Add(cells[:]...)
	}
	check(tb, book.AddTab("Payouts", &text))
	check(tb, book.Write(io.Discard, "Payouts", time.Unix(0, 0)))
}

// streamed writes the same by excelize's StreamWriter.
func streamed(tb testing.TB) {
	book := excelize.NewFile()
	defer func() { _ = book.Close() }()
	asText, err := book.NewStyle(&excelize.Style{NumFmt: 49})
	check(tb, err)
	asMoney, err := book.NewStyle(&excelize.Style{NumFmt: 4})
	check(tb, err)
	w, err := book.NewStreamWriter("Sheet1")
	check(tb, err)
	cells := make([]any, 9)
	for i := range benchRows {
		texts, amount := benchCells(i)
		for c, text := range texts {
			cells[c] = excelize.Cell{StyleID: asText, Value: text}
		}
		cells[8] = excelize.Cell{StyleID: asMoney, Value: float64(amount) / 100}
		check(tb, w.SetRow("A"+strconv.Itoa(i+1), cells))
	}
	check(tb, w.Flush())
	check(tb, book.Write(io.Discard))
}

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// Both in one run, so that what else the machine does weighs on both: what adr/0014
// rests on.
func BenchmarkRowsBesideStreamWriter(b *testing.B) {
	var own, theirs time.Duration
	for b.Loop() {
		start := time.Now()
		ours(b)
		between := time.Now()
		streamed(b)
		own, theirs = own+between.Sub(start), theirs+time.Since(between)
	}
	b.ReportMetric(theirs.Seconds()/own.Seconds(), "StreamWriter/ours")
}

func BenchmarkRows(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		ours(b)
	}
}

func BenchmarkStreamWriter(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		streamed(b)
	}
}
