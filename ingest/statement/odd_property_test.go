package statement_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"payrun/ingest/statement"
	"payrun/ledger"
)

// pick draws one of several.
func pick(t *rapid.T, name string, from ...string) string {
	return rapid.SampledFrom(from).Draw(t, name)
}

// refusedWith fails unless the file is refused with the code.
func refusedWith(t fataler, f statement.File, code string, text string) {
	t.Helper()
	if !f.Refused() || f.Findings[0].Code != code {
		t.Fatalf("want %s, got %+v\n%s", code, f, text)
	}
}

// readOrSame fails unless the file is read as the books. That all is of one day may
// leave the order open.
func readOrSame(t fataler, f statement.File, b books, text string) {
	t.Helper()
	if f.Refused() && f.Findings[0].Code == string(statement.CodeOrder) {
		return
	}
	if f.Refused() {
		t.Fatalf("refused: %+v\n%s", f.Findings, text)
	}
	same(t, text, f, b)
}

// TestHeadersOfManyBanks: any name of a column, with any way to write the rupee, is
// understood; with another unit the file is refused.
func TestHeadersOfManyBanks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := anyBooks(rt)
		rows := b.rows(rapid.Bool().Draw(rt, "newest first"))
		unit := func(name string) string {
			return pick(rt, name, "", " (INR )", "(INR)", " ( Rs. )", " [₹]", " in Rs", " Rs.", " INR", " (in INR)", " (रु.)")
		}
		rows[0] = []string{
			pick(rt, "date", "Date", "Txn Date", "Transaction Date", "Created At", "Date (Value Date)", "दिनांक", "तारीख / Date") + pick(rt, "format", "", " (dd/mm/yyyy)", " DD/MM/YYYY", " (DD-MM-YYYY)"),
			pick(rt, "text", "Narration", "Particulars", "Transaction Details", "विवरण"),
			pick(rt, "reference", "Chq./Ref.No.", "Reference", "UTR No.", "Cheque/Reference#", "संदर्भ संख्या"),
			pick(rt, "debit", "Withdrawal Amount", "Withdrawl Amt", "Debit", "DR", "Money Out", "Paid Out", "नामे") + unit("unit of debits"),
			pick(rt, "credit", "Deposit Amount", "Deposit Amt.", "Credit", "CR", "Money In", "Paid In", "जमा"),
			pick(rt, "balance", "Balance", "Closing Bal", "Running Balance", "Available Balance", "शेष") + unit("unit of balances"),
		}
		if rapid.Bool().Draw(rt, "another unit") {
			at := rapid.IntRange(3, 5).Draw(rt, "where")
			rows[0][at] = pick(rt, "of", "Debit", "Credit", "Balance") + pick(rt, "other", " (USD)", " (Rs. in Lakhs)", " in '000", " (in Crores)", " EUR", " (paise)")
			refusedWith(rt, read(t, csvOf(rows), statement.Options{DayFirst: true}), statement.CodeCurrency, csvOf(rows))
			return
		}
		readOrSame(rt, read(t, csvOf(rows), statement.Options{DayFirst: true}), b, csvOf(rows))
	})
}

// TestWhatARowAboveTheTableSaysOfUnits: a unit other than the rupee refuses, and
// words that only look like one do not.
func TestWhatARowAboveTheTableSaysOfUnits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := anyBooks(rt)
		title := []string{"Account No", account, pick(rt, "harmless", "MR ALL TRY", "Branch Code 000", "Insured up to Rs. 5 lakhs", "L CR K", "Currency: INR", "All amounts in Rs.", "Minimum balance Rs. 10,000", "12 M G ROAD, TOP FLOOR", "Interest rate 4%")}
		trap := rapid.Bool().Draw(rt, "trap")
		if trap {
			title = append(title, pick(rt, "unit", "Rs. in Lakhs", "All amounts in USD", "Rs. in '000", "amounts in paise", "(Amount in Crores)", "Currency: EUR", "Statement (all figures in INR Lakhs)", "Rs. Lakhs", "All amounts are in US $", "रु. लाख में"))
		}
		blank := make([][]string, rapid.IntRange(0, 55).Draw(rt, "rows above"))
		rows := append(append([][]string{title}, blank...), b.rows(false)...)
		f := read(t, csvOf(rows), statement.Options{DayFirst: true})
		if trap {
			refusedWith(rt, f, statement.CodeCurrency, csvOf(rows))
		} else {
			readOrSame(rt, f, b, csvOf(rows))
		}
	})
}

// TestControlsOfAPrintedStatement: pages with their header, balances and totals, and a
// summary, are read where all agrees, and refused where one differs by a paisa.
func TestControlsOfAPrintedStatement(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := anyBooks(rt)
		plain := b.rows(false)
		rows := [][]string{plain[0], {"", "Brought Forward", "", "", "", b.opening.Indian()}}
		var sum, page [2]ledger.Paise
		counts := [2]int{}
		perPage := rapid.IntRange(1, 4).Draw(rt, "a page")
		for i, e := range b.entries {
			at := 1
			if e.Debit {
				at = 0
			}
			sum[at], page[at] = sum[at]+e.Amount, page[at]+e.Amount
			counts[at]++
			rows = append(rows, plain[i+1])
			if i%perPage == perPage-1 {
				rows = append(rows, []string{"", "Page Total", "", page[0].Indian(), page[1].Indian(), ""}, []string{"", "C/F", "", "", "", e.Closing.Indian()}, []string{"Page 2", "", "", "", "", ""},
					plain[0], []string{"", "B/F", "", "", "", e.Closing.Indian()})
				page = [2]ledger.Paise{}
			}
		}
		controls := [][]string{
			{"", "Grand Total", "", sum[0].Indian(), sum[1].Indian(), ""},
			{"", "Closing Balance", "", "", "", b.closing().Indian()},
			{"Total Debits : " + sum[0].Indian(), "", "Total Credits", sum[1].Indian(), "", ""},
			{"No. of Debits", fmt.Sprint(counts[0]), "No. of Credits", fmt.Sprint(counts[1]), "", ""},
		}
		if trap := rapid.IntRange(0, 5).Draw(rt, "trap"); trap > 0 {
			wrong := (sum[0] + sum[1] + b.closing() + 1).Indian()
			switch trap {
			case 1:
				controls[0][3] = wrong
			case 2:
				controls[1][5] = (b.closing() + b.opening + 1_23).Indian()
				if b.closing()+b.opening+1_23 == b.closing() {
					return
				}
			case 3:
				controls[2][3] = wrong
			case 4:
				controls[3][1] = fmt.Sprint(len(b.entries) + 1)
			case 5:
				rows[1][5] = (b.opening + 1).Indian()
			}
			agrees := trap == 1 && (wrong == sum[0].Indian() || wrong == page[0].Indian()) || trap == 3 && sum[1] == sum[0]+sum[1]+b.closing()+1
			if agrees || strings.HasPrefix(wrong, "-") {
				return
			}
			text := csvOf(append(rows, controls...))
			refusedWith(rt, read(t, text, statement.Options{DayFirst: true}), statement.CodeChain, text)
			return
		}
		text := csvOf(append(rows, controls...))
		readOrSame(rt, read(t, text, statement.Options{DayFirst: true}), b, text)
	})
}

// TestADateColumnIsOfOneKind: a spreadsheet program with the month first turns the
// dates that it understands, and leaves the others as texts.
func TestADateColumnIsOfOneKind(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := anyBooks(rt)
		rows := b.rows(false)
		trap := rapid.Bool().Draw(rt, "half converted")
		swapped, texts := 0, 0
		for i := range b.entries {
			day, _ := time.Parse(time.DateOnly, b.entries[i].Transacted)
			switch {
			case !trap:
				rows[i+1][0] = day.Format(pick(rt, "format", "2006-01-02", "02-Jan-2006", "2 January 2006"))
			case day.Day() <= 12 && day.Day() != int(day.Month()):
				rows[i+1][0] = fmt.Sprintf("%04d-%02d-%02d", day.Year(), day.Day(), day.Month())
				swapped++
			case day.Day() > 12:
				texts++
			}
		}
		f := read(t, csvOf(rows), statement.Options{DayFirst: rapid.Bool().Draw(rt, "day first")})
		if trap && swapped > 0 && texts > 0 {
			refusedWith(rt, f, statement.CodeDates, csvOf(rows))
		} else if !trap {
			readOrSame(rt, f, b, csvOf(rows))
		}
	})
}

// TestSignsThatTheBalancesProve: amounts with a minus for debits, and nothing for
// credits, are read where there is a minus and the balances agree.
func TestSignsThatTheBalancesProve(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := anyBooks(rt)
		trap := rapid.Bool().Draw(rt, "without signs")
		rows := [][]string{{"Date", "Particulars", "Reference", "Amount", "Balance"}}
		minus := false
		for _, e := range b.entries {
			amount := e.Change().String()
			if trap {
				amount = e.Amount.String()
			}
			minus = minus || e.Debit
			rows = append(rows, []string{slashed(e.Transacted), e.Remarks, e.Reference, amount, e.Closing.String()})
		}
		f := read(t, csvOf(rows), statement.Options{DayFirst: true})
		switch {
		case trap, !minus:
			refusedWith(rt, f, statement.CodeDirection, csvOf(rows))
		case len(b.entries) > 1:
			readOrSame(rt, f, b, csvOf(rows))
		}
	})
}

// TestAnMT940InAnyEnvelope: what is around its messages changes nothing, and another
// account's is refused in each.
func TestAnMT940InAnyEnvelope(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := anyBooks(rt)
		blocks := rapid.Bool().Draw(rt, "blocks")
		text := b.mt940(rapid.IntRange(1, 4).Draw(rt, "entries a page"), blocks)
		if blocks {
			text = strings.ReplaceAll(text, "{1:", pick(rt, "before a block", "", "\x01", "\r\n", "$\r\n")+"{1:")
		} else {
			text = strings.ReplaceAll(text, ":20:", pick(rt, "before a message", "", "BANKINBB\r\n940\r\n", "\x01\r\n", "-\r\n", ":940:\r\n", "{1:F01X}{2:O940}\r\n")+":20:")
			text = strings.ReplaceAll(text, "\r\n-\r\n", "\r\n"+pick(rt, "behind one", "-", "-\x03", "-XXX", "\x03")+"\r\n")
		}
		text = strings.Replace(text, ":61:", pick(rt, "before the first entry", "", ":86:OF THE WHOLE\r\n", ":86:/NAME/X\r\nY\r\n")+":61:", 1)
		tag := pick(rt, "account tag", ":25:", ":25P:")
		if rapid.Bool().Draw(rt, "another account") {
			other := strings.ReplaceAll(text, ":25:"+account, tag+"000200349999")
			refusedWith(rt, read(t, other, statement.Options{Ours: ours}), statement.CodeAccountOther, other)
		}
		text = strings.ReplaceAll(text, ":25:", tag)
		f := read(t, text, statement.Options{Ours: ours})
		if f.Refused() || f.Account != account {
			rt.Fatalf("%+v\n%s", f, text)
		}
		same(rt, text, f, b)
	})
}

// TestAReferenceIsWholeInAnySplit: :61: has 16 characters of it, and however :86: is
// divided, the whole is the entry's reference, and one name in its remarks, also
// after account numbers were masked.
func TestAReferenceIsWholeInAnySplit(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		reference := pick(rt, "bank", "HDFCR5", "SBINN5", "ICICR4") + rapid.StringMatching(`[0-9]{11,16}`).Draw(rt, "digits")
		if rapid.Bool().Draw(rt, "of ours") {
			reference = "PAY-2026-" + rapid.StringMatching(`[0-9]{8}`).Draw(rt, "number") + pick(rt, "attempt", "", "-R2")
		}
		before := rapid.StringMatching(`[A-Z]{0,70}`).Draw(rt, "before")
		mark := pick(rt, "between", "-", "/", " ", ", ", "//")
		whole := "RTGS" + mark + before + mark + reference + "/" + rapid.StringMatching(`[A-Z]{1,30}`).Draw(rt, "behind")
		var text string
		if rapid.Bool().Draw(rt, "subfields") {
			text = "166?00RTGS"
			for i, part := range parted(whole, 27) {
				text += fmt.Sprintf("?%d%s", 20+i, part)
			}
			text = strings.Join(parted(text+"?30HDFC0000001", 65), "\n")
		} else {
			text = strings.Join(parted(whole, 65), "\n")
		}
		f := read(t, swiftOf("C261120INR900,", ":61:2611201120D100,NTRF"+reference[:16], ":86:"+text), statement.Options{})
		if f.Refused() {
			rt.Fatalf("%+v", f.Findings)
		}
		e := f.Entries[0]
		if !strings.HasPrefix(e.Reference, reference) {
			rt.Fatalf("reference %q, want %q\n%s", e.Reference, reference, text)
		}
		names := 0
		remarks := ledger.MaskRemarks(e.Remarks, func(word string) bool { return word == strings.ToLower(reference) })
		ledger.EachName(remarks, func(start, end int) bool {
			if remarks[start:end] == reference {
				names++
				return true
			}
			return false
		})
		if names != 1 {
			rt.Fatalf("%d times in %q: %s", names, remarks, reference)
		}
	})
}

// parted divides a text into parts of so many characters.
func parted(text string, length int) (parts []string) {
	for len(text) > length {
		parts, text = append(parts, text[:length]), text[length:]
	}
	return append(parts, text)
}

// anyBooks draws books of at least one entry.
func anyBooks(t *rapid.T) books {
	b := books{opening: ledger.Paise(rapid.Int64Range(-1_00_000_00, 1_000_00_00_000_00).Draw(t, "opening"))}
	day := time.Date(2026, time.November, rapid.IntRange(1, 28).Draw(t, "first day"), 0, 0, 0, 0, time.UTC)
	for i := range rapid.IntRange(1, 9).Draw(t, "entries") {
		day = day.AddDate(0, 0, rapid.IntRange(0, 2).Draw(t, "days on"))
		amount := ledger.Paise(rapid.Int64Range(1, 50_00_000_00).Draw(t, "amount"))
		reference := "UTR" + rapid.StringMatching(`[A-Z0-9]{5,19}`).Draw(t, "reference")
		b.add(day.Format(time.DateOnly), rapid.Bool().Draw(t, "debit"), amount, reference, fmt.Sprintf("NEFT/INV-%d/%s", i, rapid.StringMatching(`[A-Z]{3,70}`).Draw(t, "name")))
	}
	return b
}

// TestEveryFormatSaysTheSame: the same books, written in each format, are read
// as the same entries.
func TestEveryFormatSaysTheSame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := anyBooks(rt)
		newest := rapid.Bool().Draw(rt, "newest first")
		content := map[string]string{
			"CSV":                 csvOf(b.rows(newest)),
			"XLSX":                xlsxOf(t, b.rows(newest)),
			"camt.053.001.02":     b.camt("02"),
			"camt.053.001.08":     b.camt("08"),
			"MT940 in blocks":     b.mt940(0, true),
			"bare MT940 in pages": b.mt940(rapid.IntRange(1, 4).Draw(rt, "entries a page"), false),
		}
		for name, text := range content {
			f := read(t, text, statement.Options{DayFirst: true})
			if f.Refused() {
				if f.Findings[0].Code == string(statement.CodeOrder) && b.entries[0].Transacted == b.entries[len(b.entries)-1].Transacted {
					continue // one day, and the balances agree both ways
				}
				rt.Fatalf("%s is refused: %+v\n%s", name, f.Findings, text)
			}
			same(rt, name, f, b)
		}
	})
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// same holds what was read against the books.
func same(t fataler, name string, f statement.File, b books) {
	t.Helper()
	if f.Opening != b.opening || f.Closing != b.closing() || len(f.Entries) != len(b.entries) {
		t.Fatalf("%s: %s to %s with %d entries, want %s to %s with %d", name, f.Opening, f.Closing, len(f.Entries), b.opening, b.closing(), len(b.entries))
	}
	for i, got := range f.Entries {
		want := b.entries[i]
		if got.Day() != want.Transacted || got.Debit != want.Debit || got.Amount != want.Amount || got.Closing != want.Closing || got.Reference != want.Reference {
			t.Fatalf("%s, entry %d: got %+v, want %+v", name, i, got, want)
		}
		if !strings.Contains(got.Remarks, want.Remarks) {
			t.Fatalf("%s, entry %d: remarks %q lack %q", name, i, got.Remarks, want.Remarks)
		}
	}
}
